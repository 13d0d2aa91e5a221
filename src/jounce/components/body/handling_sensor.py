"""Figures of handling while a car drives: side slip and its rate, stability factor, way, heights of body and hubs.

    β̇ = d/dt atan2(v_y, v_x)                      of the centre of the sprung mass, levelled axes                   (1)
    K_s = (δ v_x - L ψ̇)/(L ψ̇ v_x²),   K = K_s L   steady turn on a flat road; δ mean steer of the first axle         (2)
    s = ∫|v_O| dt                                 way of the origin of the vehicle reference frame                 (3)
    h = ½ Σ (z_c + y_c y_c'/z_c') - z_0           roll centre of an axle above the road                           (4)

(2) is 0 where the car does not turn or stands. In (4) y_c, z_c are the foot of a wheel that only moves, in axes of the
body, ' is the derivative over its travel (of axles that hang together in roll: less that over the paired travel): the
normal of its way meets the middle of the car at z_c + y_c y_c'/z_c'. Side forces that are equal push there. z_0 is the
line between both feet at the middle. Of a car that stands even this is ½ t y_c', ``sim/standing`` (5).

The way is a state, the only thing that this sensor adds to a step.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.body.attached import Sensor, dot
from jounce.components.body.motion import STANDING, angles, levelled
from jounce.components.model import AxleModel, VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice
from jounce.symbolic.ops import atan2, cos, fabs, fmax, if_else, sin, sqrt

TURNING = 1e-6  # rad/s, below which a car does not turn
STANDS = 1e-3  # m/s, below which a direction of motion changes at will


class HandlingSensor(Sensor):
    """Side slip, stability factor and way of a car."""

    kind: Literal["handling"] = choice("handling", doc="kind of sensor")

    @derived("m", doc="distance of the first and the last axle of the first unit", low=1e-6, at="vehicle")
    def wheelbase(self, place: VehiclePlace) -> float:
        axles = place.units[0].axles
        return float(axles[0].x - axles[-1].x)

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
        if len(at.units[0].axles) > 1:  # one axle has no wheelbase
            self._steady(at, p, vx)
        self._way(at, p, chassis, body.origin)
        for axle in at.axles:
            if len(axle.wheels) == 2:
                self._roll_centre(axle)
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

    def _roll_centre(self, axle: AxleModel) -> None:
        feet, meets = [], []
        for wheel in axle.wheels:
            lean, travels = -wheel.place.outwards * wheel.pose.camber, (wheel.travel, wheel.paired.travel)
            radius = wheel.tire.contact.radius
            unit_foot = cos(wheel.pose.psi) * sin(lean), -cos(lean)  # of a wheel with the radius 1
            _, y, z = wheel.carrier.r
            foot = [y + radius * unit_foot[0], z + radius * unit_foot[1]]
            way = []
            for centre, below in zip((y, z), unit_foot, strict=True):
                own, other = (
                    axle.vehicle.slope(centre, travel) + radius * axle.vehicle.slope(below, travel)
                    for travel in travels
                )
                way.append(own - other)
            feet.append(foot)
            meets.append(foot[1] + foot[0] * way[0] / way[1])
        (y_l, z_l), (y_r, z_r) = feet
        tilt = (z_l - z_r) / (y_l - y_r)
        height = (0.5 * (meets[0] + meets[1]) - (z_l - tilt * y_l)) / sqrt(1 + tilt * tilt)  # (4)
        at, word = axle.vehicle, axle.place.word
        at.channel(f"Suspension.Roll_Center_Height.{word}", height, "m", "roll centre above the road, at the middle")

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
