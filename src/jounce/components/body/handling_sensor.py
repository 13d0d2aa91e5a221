"""Figures of handling while a car drives: side slip and its rate, stability factor, way, heights of body and hubs.

    β̇ = d/dt atan2(v_y, v_x)                      of the centre of the sprung mass, levelled axes                   (1)
    K_s = (δ v_x - L ψ̇)/(L ψ̇ v_x²),   K = K_s L   steady turn on a flat road; δ mean steer of the first axle         (2)
    s = ∫|v_O| dt                                 way of the origin of the vehicle reference frame                 (3)

(2) is 0 where the car does not turn or stands. The way is a state, the only thing that this sensor adds to a step.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.body.attached import Sensor, dot
from jounce.components.body.motion import STANDING, angles, levelled
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice
from jounce.symbolic.ops import atan2, fabs, fmax, if_else, sqrt

TURNING = 1e-6  # rad/s, below which a car does not turn
STANDS = 1e-3  # m/s, below which a direction of motion changes at will


class HandlingSensor(Sensor):
    """Side slip, stability factor and way of a car."""

    kind: Literal["handling"] = choice("handling", doc="kind of sensor")

    @derived("m", doc="distance of the first and the last axle", low=1e-6, at="vehicle")
    def wheelbase(self, place: VehiclePlace) -> float:
        return float(place.axles[0].x - place.axles[-1].x)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        unit, system = at.units[0], at.system
        chassis = unit.chassis
        heading = angles(chassis.orientation)[0]
        vx, vy = levelled(chassis.to_world(chassis.v), heading)
        moving = vx * vx + vy * vy > STANDS * STANDS
        ax, ay = (system.second_rate(value) for value in (vx, vy))
        rate = (vx * ay - vy * ax) / fmax(vx * vx + vy * vy, STANDS * STANDS)
        at.channel("Vehicle.Side_Slip_Angle_Rate", if_else(moving, rate, 0.0), "rad/s", "of the sprung mass' centre")
        body = at.bound(unit.place.data.body, unit.place, f"{unit.place.prefix}body.")
        point: Any = [0.0, 0.0, 0.0] if unit.place.data.body.reference_point is None else body.reference
        there = levelled(chassis.to_world(chassis.point_velocity(point)), heading)
        slip = atan2(there[1], there[0])
        at.channel("condition_sensors.side_slip_angle", slip, "rad", "of the reference point, levelled axes")
        if len(at.axles) > 1:  # one axle has no wheelbase
            self._steady(at, p, vx)
        self._way(at, p, chassis, body.origin)
        self._heights(at)

    def _steady(self, at: VehicleModel, p: Symbols, vx: Any) -> None:
        first = at.axles[0].wheels
        steer = sum(wheel.pose.psi for wheel in first) / len(first)
        turning = at.units[0].chassis.to_world(at.units[0].chassis.w)[2]
        there = fabs(turning) * vx * vx * p.wheelbase
        some = there > TURNING * STANDING
        factor = (steer * vx - p.wheelbase * turning) / if_else(some, p.wheelbase * turning * vx * vx, 1.0)  # (2)
        factor = if_else(some, factor, 0.0)
        at.channel("Vehicle.Understeer_Stability_Factor", factor, "rad.s2/m2", "in a steady turn")
        at.channel("Vehicle.Understeer_Gradient", factor * p.wheelbase, "rad.s2/m", "in a steady turn")

    def _way(self, at: VehicleModel, p: Symbols, chassis: Any, origin: Any) -> None:
        v = chassis.point_velocity(origin)
        scope = at.system.scope(p.own_name)
        way = scope.state("way", "m", "of the origin of the vehicle", role="free")
        scope.derivative(way, sqrt(fmax(dot(v, v), STANDING * STANDING)) - STANDING)  # (3); its slope is finite at rest
        at.channel("Vehicle.Origin_Distance_Traveled", way, "m", "way of the origin of the vehicle")

    def _heights(self, at: VehicleModel) -> None:
        for wheel in at.wheels.values():
            lifted = wheel.carrier.to_world(at.system.frame_acceleration(wheel.carrier))[2]
            side = "left" if wheel.place.side == "L" else "right"
            name = f"upright_accelerometer.Z_{side}_{wheel.axle.place.word}"
            at.channel(name, lifted, "m/s2", "of the wheel centre, upwards")
        axle = at.axles[0]
        if len(axle.wheels) == 2:
            points = [w.symbols(axle.place.data.suspension.ride_height).ride_height_sensor for w in axle.wheels]
            left, right = (axle.unit.ground.under(axle.frame, point).height for point in points)
            share = points[0][1] / (points[0][1] - points[1][1])  # of the way from left to right at which y is 0
            middle = left + share * (right - left)
            at.channel("Vehicle.front_ride_height_at_center_point", middle, "m", "between both sensors, at y = 0")
