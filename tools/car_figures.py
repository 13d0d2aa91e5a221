"""Figures of the library's cars by the formulas of a textbook, from their data alone: python tools/car_figures.py

Rates at design, with the motion ratio r = dd/dJ, spring force F and travel J; index s: suspension, t: tire, per axle

    k_w = k r² + F d²d/dJ²,   1/k_r = 1/k_w + 1/k_t,   f = √(k_r/m_s)/2π,   wheel hop = √((k_w + k_t)/m_u)/2π       (1)
    ζ = c r²/(2 √(k_r m_s)),  c: mean of |F/v| at 0.1, 0.2 and 0.3 m/s, both ways                                    (2)
    K_s = k_w,roll T²/2 + K_bar (a' T)²,   1/K = 1/K_s + 2/(k_t T²)                       roll stiffness             (3)
    φ/a_y = m_s h_r/(K_1 + K_2 - m_s g h_r)                                              roll gradient               (4)
    ΔF_i T_i = K_i φ + m_s,i h_rc,i a_y + m_u,i z_c,i a_y                                 load transfer              (5)
    dive L = ΔF [(1 - anti-dive)/k_w1 + 1/k_t1 + (1 - anti-lift)/k_w2 + 1/k_t2],   ΔF = m a h/(2 L)                 (6)

k_w,roll is that of opposite travel: on a dependent axle an element with d(J, J_o) has the ratio ∂d/∂J - ∂d/∂J_o.
Springs and dampers between both wheels (heave) add half of k r² + F d²d/dJ² and of c r² to k_w and c r², nothing to
k_w,roll; a series stiffness is in series with the springs of the wheels.
Cornering compliance of an axle, slip angle and steer per lateral acceleration (understeering sense positive in front),
with the moment of the pneumatic trails t_p shifting force to the front:

    D = m_i/(2 C_α) (1 ± t_p/l_i) + roll steer + γ C_γ/C_α + F (c_y + t_p c_z),   K = D_1 - D_2                      (7)

with F the lateral force of a wheel per acceleration, c_y and c_z its steer by F_y and M_z, both wheels loaded alike
(own rates and those of the other wheel), and in γ also the inclination by F_y. A torsion bar with stiffness K and the
slope A' of its assist on centre adds, with the mechanical trail n and the ratio i of the steering,

    c_z = 2/(i² (K + A')),   c_y = n c_z                                                                             (8)

at standstill to figures of a rig, at 100 km/h to (7).

Units of the results are those of `classes.RANGES`, where each figure has the range of its class [Milliken1995].
"""

from __future__ import annotations

import math
import sys
from typing import Any, TypeVar

import numpy as np
from classes import CLASSES, range_of

from jounce.components.aero.maps import AeroForce
from jounce.components.suspension.central import Central
from jounce.components.suspension.central_damper import CentralDamper
from jounce.components.suspension.central_spring import CentralSpring
from jounce.components.suspension.spring import Spring
from jounce.components.tire.base import Tire
from jounce.core.constants import GRAVITY
from jounce.core.curves import Curve
from jounce.files.tir import read_tir
from jounce.vehicle import Vehicle, load
from jounce.vehicle.schema import combine

DEG = math.pi / 180
T = TypeVar("T", bound=Central)
STEP = 1e-4  # m, of central differences: the interpolation is smooth over some mm


class Travel:
    """A curve over travel: its value and derivatives at design, both wheels moving alike or oppositely."""

    def __init__(self, curve: Curve, method: str) -> None:
        self.curve = curve
        self.table = curve.table(method=method, extrapolation="linear")

    def at(self, own: float, paired: float) -> float:
        return float(self.table(own, paired) if self.curve.n_axes == 2 else self.table(own))

    def slope(self, sense: float = 1.0) -> float:
        """d/dJ with the paired wheel moving by `sense` times that."""
        return (self.at(STEP, sense * STEP) - self.at(-STEP, -sense * STEP)) / (2 * STEP)

    def bend(self, sense: float = 1.0) -> float:
        h = 10 * STEP
        return (self.at(h, sense * h) - 2 * self.at(0.0, 0.0) + self.at(-h, -sense * h)) / h**2

    def travel_at(self, value: float) -> float:
        """Travel, both wheels alike, at which the curve has a value; it rises with travel."""
        low, high = -0.3, 0.3
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.at(middle, middle) < value else (low, middle)
        return (low + high) / 2


class Axle:
    """One axle of a standing car."""

    def __init__(self, car: Vehicle, number: int, wheel_load: float) -> None:
        self.car, self.number, self.load = car, number, wheel_load
        self.data, self.wheels = car.suspension(number), car.wheels(number)
        self.tire: Tire = read_tir(self.wheels.tire.path).tire
        self.track = self.data.track
        self.unsprung = self.wheels.unsprung_mass
        self.sprung = wheel_load / GRAVITY - self.unsprung
        self.height = self.wheels.wheel_centre_height
        self.maps = {name: self._travel(getattr(self.data, name).curve) for name in ("x", "y", "toe", "camber")}
        self.maps["sva"] = self._travel(self.data.side_view_angle.curve)

    def _travel(self, curve: Curve) -> Travel:
        return Travel(curve, self.car.system.splines.method)

    # -- rates (1-3) ----------------------------------------------------------------------------------------
    def wheel_rate(self, sense: float = 1.0) -> float:
        """Second derivative of the potential k d²/2 + F d along J = sense · J_o, per wheel."""
        assert self.data.spring is not None
        total = self._rate_of(self.data.spring, sense)
        if self.data.series_stiffness is not None:
            total = 1 / (1 / total + 1 / self.data.series_stiffness.stiffness)
        if sense > 0:
            total += sum(self._rate_of(item, sense) / 2 for item in self._between(CentralSpring))
        return total

    def _rate_of(self, spring: Spring, sense: float) -> float:
        assert spring.rate is not None
        ratio = self._travel(spring.deflection)
        return spring.rate * ratio.slope(sense) ** 2 + spring.force_at_design() * ratio.bend(sense)

    def _between(self, kind: type[T]) -> list[T]:
        """Heave elements between both wheels."""
        found = [item for item in self.data.elements if isinstance(item, kind)]
        return [item for item in found if item.acts != "roll"]

    @property
    def tire_rate(self) -> float:
        rho, h = self.tire.deflection(self.load), 1e-5
        return float(self.tire.load(rho + h) - self.tire.load(rho - h)) / (2 * h)

    @property
    def ride_rate(self) -> float:
        return 1 / (1 / self.wheel_rate() + 1 / self.tire_rate)

    @property
    def ride_frequency(self) -> float:
        return math.sqrt(self.ride_rate / self.sprung) / (2 * math.pi)

    @property
    def wheel_hop(self) -> float:
        return math.sqrt((self.wheel_rate() + self.tire_rate) / self.unsprung) / (2 * math.pi)

    def damper_force(self, speed: float) -> float:
        total = 0.0
        for damper in self.data.dampers:
            assert damper.force is not None
            total += damper.scale * damper.force(speed, method=self.car.system.splines.method)
        return total

    @property
    def damping_ratio(self) -> float:
        assert len(self.data.dampers) == 1
        ratio = self._travel(self.data.dampers[0].deflection).slope()
        mean = np.mean([self.damper_force(v) / v for v in (-0.3, -0.2, -0.1, 0.1, 0.2, 0.3)])
        total = float(mean) * ratio**2
        for item in self._between(CentralDamper):
            assert item.rate is not None
            total += item.rate * self._travel(item.deflection).slope() ** 2 / 2
        return total / (2 * math.sqrt(self.ride_rate * self.sprung))

    @property
    def rebound_over_bump(self) -> float:
        return -self.damper_force(0.3) / self.damper_force(-0.3)

    @property
    def roll_stiffness(self) -> float:
        """Of the suspension, N.m/rad."""
        total = self.wheel_rate(-1.0) * self.track**2 / 2
        bar, force = self.data.anti_roll_bar, self.data.effective_auxiliary_anti_roll()
        if bar is not None:
            assert bar.stiffness is not None
            total += bar.scale * bar.stiffness * (self._travel(bar.ratio).slope() * self.track) ** 2
        if force is not None:
            assert force.rate is not None
            total += force.scale * force.rate * self.track**2
        return total

    @property
    def roll_stiffness_on_tires(self) -> float:
        # static camber sets the contacts apart from the wheel centres
        width = self.track - 2 * self.height * math.sin(self.data.camber.offset)
        return 1 / (1 / self.roll_stiffness + 2 / (self.tire_rate * width**2))

    @property
    def lean_per_roll(self) -> float:
        """Inclination of the wheels to the ground per roll angle of the body."""
        own = self.roll_stiffness_on_tires / self.roll_stiffness  # of the body against the axle
        return 1 + own * self.track / 2 * self.maps["camber"].slope(-1.0)

    @property
    def overturning_rate(self) -> float:
        """Moment M_x of both tires against inclination, N.m/rad."""
        h = 1e-4
        low, high = (float(self.tire.steady(self.load, 0.0, 0.0, g).mx) for g in (-h, h))
        return -2 * (high - low) / (2 * h)

    def full_travel(self, stop: str) -> float:
        """Travel at which a stop is fully deformed, where its table ends."""
        data = getattr(self.data, stop)
        end = data.clearance + data.force.x[-1]
        sign = 1.0 if stop == "bump_stop" else -1.0
        return sign * self._travel(data.deflection).travel_at(sign * end)

    # -- kinematics -----------------------------------------------------------------------------------------
    @property
    def roll_centre(self) -> float:
        """T/2 dy_c/dJ of the contact point, opposite travel."""
        lateral = self.maps["y"].slope(-1.0) - self.height * self.maps["camber"].slope(-1.0)
        return self.track / 2 * lateral

    def anti(self, share: float, wheelbase: float, cg_height: float) -> float:
        """Anti-dive (front) or anti-lift (rear) with a share of the brake force."""
        forward = self.maps["x"].slope() + self.height * self.maps["sva"].slope()
        return (1.0 if self.number == 1 else -1.0) * share * wheelbase / cg_height * forward

    # -- compliance -----------------------------------------------------------------------------------------
    def gives(self, name: str, by: str) -> float:
        """Rate of a map with both wheels loaded alike, of the left wheel: SI, sign of the map; they are rates here."""
        found = self.data.compliance
        if found is None:
            return 0.0
        total = 0.0
        for group in (found, found.cross):
            maps = getattr(group, name, None) if group is not None else None
            rate = getattr(maps, by, None) if maps is not None else None
            if rate is None and by.startswith("fx") and maps is not None:
                rate = getattr(maps, "fx", None)
            total += rate.scale * rate.curve.constant if rate is not None else 0.0
        return found.factor * total

    # -- tire -----------------------------------------------------------------------------------------------
    def tire_figures(self) -> dict[str, float]:
        t, force, h = self.tire, self.load, 1e-5
        alpha, kappa = np.linspace(0, 25 * DEG, 2501), np.linspace(0, 0.5, 2501)
        fy, fx = -t.steady(force, 0.0, alpha).fy, t.steady(force, kappa).fx
        plus, minus = t.steady(force, 0.0, h), t.steady(force, 0.0, -h)
        stiffness = float(-(plus.fy - minus.fy) / (2 * h))
        lean = float(t.steady(force, 0.0, 0.0, h).fy - t.steady(force, 0.0, 0.0, -h).fy) / (2 * h)
        return {
            "stiffness": stiffness,
            "camber_stiffness": abs(lean),
            "trail": float((plus.mz - minus.mz) / (2 * h) / stiffness),
            "mu_y": float(fy.max() / force),
            "mu_x": float(fx.max() / force),
            "alpha_peak": float(alpha[fy.argmax()] / DEG),
            "kappa_peak": float(kappa[fx.argmax()]),
            "relaxation": float(t.model.at_load(t.values, force, 0.0).sigma_alpha),
            "rolling": -float(t.steady(force).my) / t.values["UNLOADED_RADIUS"] / force,
        }


def whole(car: Vehicle) -> tuple[float, Any, Any]:
    """Mass, centre of gravity and inertia of the car with its wheels."""
    bodies = list(car.body.sprung())
    for axle in (1, 2):
        for side in ("L", "R"):
            wheels = car.wheels(axle, side)  # type: ignore[arg-type]
            inertia = np.diag([wheels.ixx, wheels.iyy, wheels.izz])
            bodies.append((wheels.unsprung_mass, car.wheel_centre(axle, side), inertia))  # type: ignore[arg-type]
    return combine(bodies)


def slope_of(curve: Curve, method: str, h: float) -> float:
    table = curve.table(method=method, extrapolation="linear")
    rest = [0.0] * (curve.n_axes - 1)
    return float(table(h, *rest) - table(-h, *rest)) / (2 * h)


def bar_gives(car: Vehicle, rack: float, speed: float) -> float:
    """Twist on centre per torque at the pinion, 1/(K + A') of (8), rad/(N.m); ``rack``: its travel per turn, m/rad."""
    found = car.steering.rack_pinion
    if found is None:
        return 0.0
    slope, h = 0.0, 1e-3
    for assist, name in ((found.electric, "current"), (found.hydraulic, "pressure")):
        if assist is not None:
            slope = getattr(assist, name)(h, speed, method=car.system.splines.method) / h
    if found.electric is not None:
        turns = found.electric.ratio or found.electric.rack_ratio * rack
        slope *= turns * found.electric.torque_constant
    if found.hydraulic is not None:
        slope *= found.hydraulic.piston_area * rack
    return 1 / (found.torsion_bar.stiffness + slope)


def air_area(car: Vehicle, item: AeroForce) -> float:
    """Coefficient times frontal area at the ride heights of design, m2."""
    aero = car.aero
    assert aero is not None
    if item.area is not None:
        return item.area
    assert item.force is not None and aero.front_sensor is not None and aero.rear_sensor is not None
    force = item.force(aero.front_sensor.z, aero.rear_sensor.z, method=car.system.splines.method)
    return force / (0.5 * aero.reference_density * aero.reference_velocity**2)


def standing_axles(car: Vehicle) -> tuple[list[Axle], float, Any, Any]:
    """The axles with their static loads; mass, centre of gravity and inertia of the car."""
    mass, centre, inertia = whole(car)
    rear_share = (car.front_suspension.wheel_centre_x - centre[0]) / car.wheelbase
    loads = (mass * GRAVITY * (1 - rear_share) / 2, mass * GRAVITY * rear_share / 2)
    return [Axle(car, n, float(force)) for n, force in zip((1, 2), loads, strict=True)], mass, centre, inertia


def roll_arm(axles: list[Axle], mass: float, height: float) -> tuple[float, float]:
    """Sprung mass, and height of its centre of gravity above the roll axis."""
    sprung = 2 * sum(axle.sprung for axle in axles)
    body_height = (mass * height - 2 * sum(x.unsprung * x.height for x in axles)) / sprung
    behind = 2 * axles[1].sprung / sprung
    return sprung, body_height - (axles[0].roll_centre * (1 - behind) + axles[1].roll_centre * behind)


def roll_stiffness_to_ground(car: Vehicle) -> float:
    """K_1 + K_2 - m_s g h_r of (4), N.m/rad."""
    axles, mass, centre, _ = standing_axles(car)
    sprung, arm = roll_arm(axles, mass, float(centre[2]))
    return sum(axle.roll_stiffness_on_tires for axle in axles) - sprung * GRAVITY * arm


def figures(car: Vehicle) -> dict[str, float]:
    """All figures of a car."""
    axles, mass, centre, inertia = standing_axles(car)
    front, rear = axles
    length, height = car.wheelbase, float(centre[2])
    loads = front.load, rear.load
    rear_share = rear.load / sum(loads)
    track = (front.track + rear.track) / 2
    a, b = length * rear_share, length * (1 - rear_share)
    out: dict[str, float] = {
        "mass": mass,
        "front_weight": 100 * (1 - rear_share),
        "wheelbase": 1e3 * length,
        "cg_height": height,
        "ssf": track / (2 * height),
        "ixx": inertia[0, 0],
        "dynamic_index": inertia[2, 2] / (mass * a * b),
        "iyy_over_izz": inertia[1, 1] / inertia[2, 2],
        "ride_frequency_front": front.ride_frequency,
        "ride_frequency_ratio": rear.ride_frequency / front.ride_frequency,
        "roll_stiffness": sum(axle.roll_stiffness for axle in axles) * DEG,
    }
    tires = [axle.tire_figures() for axle in axles]
    pressures = (car.brakes.bias_front, 1 - car.brakes.bias_front)
    pads = [car.brake(n) for n in (1, 2)]
    brake = [2 * d.piston_area * d.mu * d.effective_radius * p for d, p in zip(pads, pressures, strict=True)]
    out["brake_share"] = 100 * brake[0] / sum(brake)
    anti = [axle.anti(share / sum(brake), length, height) for axle, share in zip(axles, brake, strict=True)]
    out["anti_dive_front"], out["anti_lift_rear"] = 100 * anti[0], 100 * anti[1]
    for place, axle, tire in zip(("front", "rear"), axles, tires, strict=True):
        sense = 1.0 if place == "front" else -1.0
        out |= {
            f"track_{place}": 1e3 * axle.track,
            f"unsprung_{place}": axle.unsprung,
            f"spin_inertia_{place}": axle.wheels.spin_inertia,
            f"wheel_rate_{place}": axle.wheel_rate() / 1e3,
            f"tire_rate_{place}": axle.tire_rate / 1e3,
            f"wheel_hop_{place}": axle.wheel_hop,
            f"damping_ratio_{place}": axle.damping_ratio,
            f"rebound_over_bump_{place}": axle.rebound_over_bump,
            f"bump_travel_{place}": 1e3 * axle.full_travel("bump_stop"),
            f"droop_travel_{place}": 1e3 * axle.full_travel("rebound_stop"),
            f"roll_centre_{place}": 1e3 * axle.roll_centre,
            f"bump_steer_{place}": -sense * axle.maps["toe"].slope() / DEG,
            f"roll_steer_{place}": -sense * 100 * axle.track / 2 * axle.maps["toe"].slope(-1.0),
            f"camber_gain_{place}": axle.maps["camber"].slope() / DEG,
            f"roll_camber_{place}": axle.maps["camber"].slope(-1.0) / DEG,
            f"cornering_stiffness_{place}": tire["stiffness"] / axle.load * DEG,
            f"mu_y_{place}": tire["mu_y"],
            f"mu_ratio_{place}": tire["mu_x"] / tire["mu_y"],
            f"alpha_peak_{place}": tire["alpha_peak"],
            f"kappa_peak_{place}": tire["kappa_peak"],
            f"relaxation_{place}": tire["relaxation"],
            f"pneumatic_trail_{place}": 1e3 * tire["trail"],
            f"rolling_resistance_{place}": 1e3 * tire["rolling"],
            f"fy_steer_{place}": sense * 1e3 * axle.gives("toe", "fy") / DEG,  # and (8)
            f"mz_steer_{place}": -1e3 * axle.gives("toe", "mz") / DEG,
            f"fy_camber_{place}": -1e3 * axle.gives("camber", "fy") / DEG,
            f"fx_compliance_{place}": 1e6 * axle.gives("x", "fx_drive"),
        }

    # roll (4) and load transfer (5), per unit of lateral acceleration
    sprung, arm = roll_arm(axles, mass, height)
    stiffness = [axle.roll_stiffness_on_tires for axle in axles]
    roll = sprung * arm / (sum(stiffness) - sprung * GRAVITY * arm)
    moved = [
        (k * roll + 2 * x.sprung * x.roll_centre + 2 * x.unsprung * x.height) / x.track
        for k, x in zip(stiffness, axles, strict=True)
    ]
    out["roll_gradient"] = roll * GRAVITY / DEG
    out["tlltd"] = 100 * moved[0] / sum(moved)
    # dive (6)
    transfer = mass * GRAVITY * height / (2 * length)
    sink = [transfer * ((1 - s) / x.wheel_rate() + 1 / x.tire_rate) for s, x in zip(anti, axles, strict=True)]
    out["dive_gradient"] = sum(sink) / length / DEG

    # steering
    steering, method = car.steering, car.system.splines.method
    assert steering.rack_travel is not None and steering.kingpin is not None
    rack = slope_of(steering.rack_travel, method, 0.01) / steering.gear_ratio_scale
    ratio = 1 / (rack * slope_of(steering.steer.curve, method, 1e-4))
    axis = {n: getattr(steering.kingpin, n)(0.0, 0.0, method=method) for n in ("caster", "inclination", "x", "y", "z")}
    down = front.height + axis["z"]
    trail = axis["x"] + down * math.tan(axis["caster"])
    out["steering_ratio"] = ratio
    out["caster"], out["kingpin_inclination"] = axis["caster"] / DEG, axis["inclination"] / DEG
    out["mechanical_trail"] = 1e3 * trail
    # The axis leans inwards upwards, so that it meets the ground further out than at the height of the given point.
    out["scrub_radius"] = 1e3 * -(axis["y"] + down * math.tan(axis["inclination"]))
    by_bar = 2 / ratio**2 * bar_gives(car, abs(rack), 0.0)  # (8)
    out["fy_steer_front"] += 1e3 * trail * by_bar / DEG
    out["mz_steer_front"] += 1e3 * by_bar / DEG
    out["hand_torque"] = 4.0 * 2 * front.load / GRAVITY * (trail + tires[0]["trail"]) / ratio

    # cornering compliance (7), rad per m/s²
    total_trail = (tires[0]["trail"] * b + tires[1]["trail"] * a) / length
    compliance = []
    for axle, tire, k, arm_to_axle, sense in zip(axles, tires, stiffness, (b, -a), (1.0, -1.0), strict=True):
        own_roll = roll * k / axle.roll_stiffness  # of the body against the axle
        force = axle.load / GRAVITY
        lean = roll * axle.lean_per_roll - force * axle.gives("camber", "fy")
        slip = force / tire["stiffness"] * (1 + total_trail / arm_to_axle)
        steer = -sense * axle.maps["toe"].slope(-1.0) * axle.track / 2 * own_roll
        # roll steer adds in front and takes away at the rear when it is understeering
        given = force * (axle.gives("toe", "fy") - tire["trail"] * axle.gives("toe", "mz"))
        compliance.append(slip + sense * steer + lean * tire["camber_stiffness"] / tire["stiffness"] + given)
    by_bar = 2 / ratio**2 * bar_gives(car, abs(rack), 100 / 3.6)  # (8)
    compliance[0] += front.load / GRAVITY * (trail + tires[0]["trail"]) * by_bar
    out["rear_compliance"] = compliance[1] * GRAVITY / DEG
    out["understeer_gradient"] = (compliance[0] - compliance[1]) * GRAVITY / DEG

    aero = car.aero
    assert aero is not None and aero.front_downforce is not None and aero.rear_downforce is not None
    out["drag_area"] = air_area(car, aero.drag)
    out["lift_area"] = -air_area(car, aero.front_downforce) - air_area(car, aero.rear_downforce)
    return out


def compare(name: str) -> list[tuple[str, float, float, float, bool]]:
    """Every figure with a range: name, value, lower, upper, inside."""
    found = figures(load(name))
    rows = []
    for figure, value in found.items():
        limits = range_of(figure, name)
        if limits is not None:
            rows.append((figure, value, *limits, limits[0] <= value <= limits[1]))
    return rows


def table(name: str) -> str:
    """`compare` as text."""
    lines = [name]
    for figure, value, low, high, inside in compare(name):
        lines.append(f"  {figure:28s} {value:10.4g}   {low:g} … {high:g}   {'inside' if inside else 'OUTSIDE'}")
    return "\n".join(lines)


def main() -> int:
    print("\n".join(table(name) for name in CLASSES))
    return 0 if all(row[-1] for name in CLASSES for row in compare(name)) else 1


if __name__ == "__main__":
    sys.exit(main())
