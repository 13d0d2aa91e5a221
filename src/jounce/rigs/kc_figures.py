"""Kinematics and compliance of a car, as its suspension rig shows them: the usual figures of every axle.

All at design height, with rigid wheels that stand on the ground of the design. Slopes are central differences of
equilibria (``suspension_rig``); of what both wheels do alike, the mean of left and right, in the signs of docs/kc.md.

    roll centre      h = (t/2) dy_C/dJ, opposite travel, y_C outwards at the contacts                           (1)
    anti features    share · dFz/dFx · L/h_cg, at locked travel: jack force over brake or drive force          (2)
    steering axis    w = rotation, v = motion of the wheel centre per turn of the hand wheel; axis ∥ w through
                     p + w × v/|w|²                                                                             (3)

(2) is the virtual work of the forces at the wheel: what the springs do not carry. Anti-dive and anti-lift count the
share of their axle in the brake torque, anti-squat that in the drive torque.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.units import convert
from jounce.results.plausibility import ranges
from jounce.rigs.suspension_rig import Held, Load, Point, SuspensionRig
from jounce.sim.standing import brake_shares
from jounce.vehicle.layout import drive_shares

if TYPE_CHECKING:
    from jounce.components.places import AxlePlace
    from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]

TRAVEL, FORCE, MOMENT, HAND = 0.005, 200.0, 20.0, math.radians(5.0)  # steps of the differences: m, N, N m, rad
LOOP = 0.03  # m: travel to either side in which friction goes over to sliding
TOE, CAMBER, SIDE_VIEW, STEER, INCLINATION, X, Y_CENTRE, Y_CONTACT, JACK = range(9)  # of what slopes are taken of
LOCK_SHARE = math.radians(90.0)  # hand wheel angle of the Ackermann figure


@dataclass(frozen=True)
class Metric:
    """A figure of an axle, with the range of its class where there is one."""

    name: str
    axle: str
    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    text: str = ""

    @property
    def inside(self) -> bool | None:
        """Whether it lies in its range; None without one, or where there is no value."""
        if self.low is None or self.high is None or math.isnan(self.value):
            return None
        return self.low <= self.value <= self.high

    def raw(self) -> dict[str, Any]:
        value = None if math.isnan(self.value) else self.value
        return {
            "name": self.name, "axle": self.axle, "value": value, "unit": self.unit, "low": self.low, "high": self.high,
        }  # fmt: skip


class KcReport:
    """The figures of a car."""

    def __init__(self, vehicle: Vehicle, metrics: Sequence[Metric], start: str = "at design height") -> None:
        self.vehicle, self.metrics, self.start = vehicle, tuple(metrics), start

    def __getitem__(self, name: str) -> float:
        return next(m.value for m in self.metrics if m.name == name)

    def raw(self) -> list[dict[str, Any]]:
        """As plain data."""
        return [m.raw() for m in self.metrics]


def kc(vehicle: Vehicle, rig: SuspensionRig | None = None) -> KcReport:
    """Measure a car on its suspension rig."""
    measured = _Measured(rig or SuspensionRig(vehicle, radius="design"))
    for axle in measured.rig.layout.axles:
        measured.axle(axle)
    measured.steering()
    known = ranges(vehicle.category)
    result = []
    for m in measured.found:
        limits = known.get(m.name)
        if limits is not None:
            low, high = (convert(x, limits.unit, m.unit) for x in (limits.low, limits.high))
            m = Metric(m.name, m.axle, m.value, m.unit, low, high, m.text)
        result.append(m)
    return KcReport(vehicle, result, measured.rig.started)


class _Measured:
    def __init__(self, rig: SuspensionRig) -> None:
        self.rig, self.found = rig, list[Metric]()
        self.height = self._centre_height()
        self.shares = brake_shares(rig.vehicle)
        self.drive = self._drive_shares()

    def _centre_height(self) -> float:
        """Of the centre of gravity of the whole car above the contacts, at design."""
        held = self.rig.hold(self.rig.start())
        return held.channels["System_Mass_Center.Global_Z"] - float(np.mean([c[2] for c in held.contact.values()]))

    def _drive_shares(self) -> dict[int, float]:
        shares = drive_shares(self.rig.vehicle)
        return {a.number: math.fsum(shares[w.name] for w in a.wheels) for a in self.rig.layout.axles}

    def add(self, name: str, axle: AxlePlace | None, value: float, unit: str, text: str) -> None:
        word = "" if axle is None else axle.word
        self.found.append(Metric(f"{name}_{word}" if word else name, word, float(value) + 0.0, unit, text=text))

    # -- differences -------------------------------------------------------------------------------------------------

    def _slope(self, points: Callable[[float], Point], step: float, read: Callable[[Held], Array]) -> Array:
        """Change per unit, by central differences about design."""
        self.rig.reset()
        up = read(self.rig.hold(points(step)))
        self.rig.reset()
        down = read(self.rig.hold(points(-step)))
        result: Array = (up - down) / (2 * step)
        return result

    def _moved(self, axle: AxlePlace, signs: tuple[float, float]) -> Callable[[float], Point]:
        start = dict(self.rig.start().travels)
        shares = {w.name: k for w, k in zip(axle.wheels, signs, strict=False)}
        return lambda s: Point(travels=start | {w: start[w] + k * s for w, k in shares.items()})

    def _loaded(self, axle: AxlePlace, component: str) -> Callable[[float], Point]:
        travels = self.rig.start().travels
        return lambda s: Point(travels, {w.name: Load().plus(**{component: s}) for w in axle.wheels})

    # -- figures -----------------------------------------------------------------------------------------------------

    def axle(self, axle: AxlePlace) -> None:
        front = axle is self.rig.layout.axles[0]
        out = -1.0 if front else 1.0  # understeer: toe-out in bump in front, toe-in at the rear
        deg, add = math.degrees, self.add
        heave = self._slope(self._moved(axle, (1.0, 1.0)), TRAVEL, self._reading(axle))
        both = heave.mean(axis=0)
        if len(axle.wheels) == 2:
            add("bump_steer", axle, out * deg(both[TOE]), "deg/m", "bump steer, understeer positive")
        add("camber_gain", axle, deg(both[CAMBER]), "deg/m", "camber over travel, top outwards")
        add("caster_gain", axle, deg(both[SIDE_VIEW]), "deg/m", "side view angle over travel, top rearwards")
        add("recession", axle, -1e3 * both[X], "mm/m", "wheel centre rearwards over travel")
        add("wheel_rate", axle, 1e-3 * both[JACK], "N/mm", "vertical rate at a wheel, parallel travel")
        add("hysteresis", axle, self._hysteresis(axle), "N", "width of the loop of vertical force at a wheel")
        if len(axle.wheels) == 2:
            self._roll(axle, out)
        self._compliance(axle, out)

    def _reading(self, axle: AxlePlace) -> Callable[[Held], Array]:
        """What slopes are taken of, a row for each wheel."""

        def read(h: Held) -> Array:
            rows = []
            for w in axle.wheels:
                n, side = w.name, w.outwards
                angles = (h.toe(n), h.camber(n), h.caster(n), h.steer(n), math.asin(h.axis[n][2]))
                places = (h.centre[n][0], h.centre[n][1] * side, h.contact[n][1] * side)
                rows.append([*angles, *places, h.jack[n]])
            return np.array(rows)

        return read

    def _hysteresis(self, axle: AxlePlace) -> float:
        """Vertical force at the start on the way up less that on the way down, mean of the wheels, after sliding."""
        if not self.rig.has_friction:
            return 0.0
        points = self._moved(axle, (1.0, 1.0))
        self.rig.reset()
        _, _, down, _, up = self.rig.run((points(x) for x in (0.0, LOOP, 0.0, -LOOP, 0.0)), friction=True)
        return float(np.mean([up.jack[w.name] - down.jack[w.name] for w in axle.wheels]))

    def _roll(self, axle: AxlePlace, out: float) -> None:
        """Figures of opposite travel."""
        deg, add, track = math.degrees, self.add, axle.data.suspension.track
        roll = self._slope(self._moved(axle, (1.0, -1.0)), TRAVEL, self._reading(axle))
        roll[1] *= -1.0  # per own travel
        rolling = roll.mean(axis=0)
        stiffness = 0.5 * track**2 * rolling[JACK] * math.pi / 180
        add("roll_rate", axle, 1e-3 * rolling[JACK], "N/mm", "vertical rate at a wheel, opposite travel")
        add("roll_stiffness", axle, stiffness, "N.m/deg", "roll stiffness, at the wheels")
        add("roll_steer", axle, out * deg(rolling[TOE]), "deg/m", "steer over opposite travel, understeer positive")
        add("roll_camber", axle, deg(rolling[CAMBER]), "deg/m", "camber over opposite travel, top outwards")
        add("roll_centre", axle, 1e3 * 0.5 * track * rolling[Y_CONTACT], "mm", "roll centre above ground")
        travel = self._roll_centre_travel(axle, track)
        add("roll_centre_travel", axle, travel, "mm/mm", "roll centre over travel of both wheels")

    def _roll_centre_travel(self, axle: AxlePlace, track: float) -> float:
        heights = []
        start = dict(self.rig.start().travels)
        for level in (TRAVEL, -TRAVEL):

            def points(s: float, level: float = level) -> Point:
                return Point(
                    travels=start
                    | {w.name: start[w.name] + level + k * s for w, k in zip(axle.wheels, (1.0, -1.0), strict=True)}
                )

            slope = self._slope(points, TRAVEL, self._reading(axle))[:, Y_CONTACT]
            heights.append(0.5 * track * 0.5 * (slope[0] - slope[1]))
        return float(heights[0] - heights[1]) / (2 * TRAVEL)

    def _compliance(self, axle: AxlePlace, out: float) -> None:
        deg, add, read = math.degrees, self.add, self._reading(axle)
        side, turn, brake, drive = (
            self._slope(self._loaded(axle, load), step, read)
            for load, step in (("fy", FORCE), ("mz", MOMENT), ("fx_brake", FORCE), ("fx_drive", FORCE))
        )
        sideways = [w.outwards * row[Y_CENTRE] for w, row in zip(axle.wheels, side, strict=True)]
        side, turn, brake, drive = (found.mean(axis=0) for found in (side, turn, brake, drive))
        per_kn, mm_per_kn = 1e3 * deg(1.0), 1e6
        add("fy_steer", axle, out * per_kn * side[STEER], "deg/kN", "steer by lateral force, understeer positive")
        add("fy_camber", axle, per_kn * side[INCLINATION], "deg/kN", "inclination by lateral force")
        add("fy_compliance", axle, mm_per_kn * np.mean(sideways), "mm/kN", "wheel centre sideways by lateral force")
        add("mz_steer", axle, per_kn * turn[STEER], "deg/(kN.m)", "steer by aligning moment, wheel held")
        add("mz_camber", axle, per_kn * turn[INCLINATION], "deg/(kN.m)", "inclination by aligning moment")
        add("brake_steer", axle, -per_kn * brake[TOE], "deg/kN", "toe-in by brake force")
        add("brake_windup", axle, -per_kn * brake[SIDE_VIEW], "deg/kN", "side view angle by brake force, top rearwards")
        add("brake_compliance", axle, mm_per_kn * brake[X], "mm/kN", "wheel centre rearwards by brake force")
        add("drive_steer", axle, per_kn * drive[TOE], "deg/kN", "toe-in by drive force")
        add("fx_compliance", axle, mm_per_kn * drive[X], "mm/kN", "wheel centre forward by force at the centre")
        lever = self.rig.vehicle.wheelbase / self.height
        share, driven = self.shares.get(axle.number, 0.0), self.drive[axle.number]
        axles = self.rig.layout.units[0].axles
        if len(axles) == 1:  # no load goes from one axle to another
            return
        if axle is axles[0]:
            add("anti_dive", axle, 100 * share * -brake[JACK] * lever, "%", "anti-dive")
            if driven:
                add("anti_lift_drive", axle, 100 * driven * -drive[JACK] * lever, "%", "anti-lift when driving")
        elif axle is axles[-1]:
            add("anti_lift", axle, 100 * share * brake[JACK] * lever, "%", "anti-lift when braking")
            if driven:
                add("anti_squat", axle, 100 * driven * drive[JACK] * lever, "%", "anti-squat")

    def steering(self) -> None:
        """Figures of the steered axles."""
        for axle in self.rig.layout.axles:
            if axle.data.steering is None or len(axle.wheels) != 2:
                continue
            design = self.rig.start()
            at_rest = self.rig.hold(design)
            names = [w.name for w in axle.wheels]

            def read(h: Held, names: list[str] = names) -> Array:
                return np.array([[h.steer(w), h.camber(w), h.caster(w), *h.centre[w], *h.axis[w]] for w in names])

            slope = self._slope(partial(Point, dict(design.travels), {}), HAND, read)
            self.add("steering_ratio", None, 1 / float(slope[:, 0].mean()), "-", "hand wheel over wheels, on centre")
            castor, inclination, trail, scrub = [], [], [], []
            for k, w in enumerate(axle.wheels):
                turn, shift = self._turn(at_rest, w.name, slope[k]), slope[k, 3:6]
                squared = float(turn @ turn)
                if squared < 1e-18:
                    continue
                axis = turn / math.sqrt(squared) * (1.0 if turn[2] > 0 else -1.0)
                point = at_rest.centre[w.name] + np.cross(turn, shift) / squared
                contact = at_rest.contact[w.name]
                ground = point + axis * (contact[2] - point[2]) / axis[2]
                castor.append(math.degrees(math.atan2(-axis[0], axis[2])))
                inclination.append(math.degrees(math.atan2(-w.outwards * axis[1], axis[2])))
                trail.append(1e3 * (ground[0] - contact[0]))
                scrub.append(1e3 * w.outwards * (contact[1] - ground[1]))
            for name, values, unit, text in (
                ("caster", castor, "deg", "caster of the steering axis"),
                ("kingpin_inclination", inclination, "deg", "inclination of the steering axis"),
                ("mechanical_trail", trail, "mm", "axis hits the ground ahead of the contact"),
                ("scrub_radius", scrub, "mm", "axis hits the ground inboard of the contact"),
            ):
                if values:
                    self.add(name, axle, float(np.mean(values)), unit, text)
            self.add(
                "ackermann", axle, self._ackermann(axle, design), "%", "Ackermann, of the ideal, hand wheel at 90 deg"
            )

    def _turn(self, rest: Held, wheel: str, slope: Array) -> Array:
        """Rotation of a carrier per hand wheel angle, axes of the body, from the slopes of its angles."""
        place = self.rig.layout.wheels[wheel]
        psi, phi, theta = rest.steer(wheel), -place.outwards * rest.camber(wheel), -rest.caster(wheel)
        rates = np.array([slope[0], -place.outwards * slope[1], -slope[2]])
        c, s = math.cos(psi), math.sin(psi)
        after_z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        if self.rig.layout.settings.carrier_rotation == "3-2-1":
            x_axis = after_z @ [math.cos(theta), 0.0, -math.sin(theta)]
            y_axis = after_z @ [0.0, 1.0, 0.0]
        else:
            x_axis = after_z @ [1.0, 0.0, 0.0]
            y_axis = after_z @ [0.0, math.cos(phi), math.sin(phi)]
        result: Array = rates[0] * np.array([0.0, 0.0, 1.0]) + rates[1] * x_axis + rates[2] * y_axis
        return result

    def _ackermann(self, axle: AxlePlace, design: Point) -> float:
        """Difference of the cotangents over track/wheelbase, mean of both turns."""
        shares = []
        for sign in (1.0, -1.0):
            self.rig.reset()
            h = self.rig.hold(Point(travels=dict(design.travels), steer=sign * LOCK_SHARE))
            zero = self.rig.hold(design)
            angles = [sign * (h.steer(w.name) - zero.steer(w.name)) for w in axle.wheels]
            inner, outer = (angles[0], angles[1]) if sign > 0 else (angles[1], angles[0])
            if min(inner, outer) <= 0 or not self.rig.vehicle.wheelbase:
                return math.nan
            ideal = axle.data.suspension.track / self.rig.vehicle.wheelbase
            shares.append((1 / math.tan(outer) - 1 / math.tan(inner)) / ideal)
        return 100 * float(np.mean(shares))


__all__ = ["KcReport", "Metric", "kc"]
