"""Tilt table (SAE J2180): the car stands on a plane that is tilted sideways until it tips over.

The plane turns about an axis along the car through its start, in small steps, as slowly that the car follows in
equilibrium; its friction stands for the rails that keep the tires from sliding. On a table at the angle γ gravity has
the part g sin γ across the car and g cos γ into the table, as a lateral acceleration of g tan γ would. With the loads
F of the wheels at the start, at distances y from the centre of gravity whose height is h,

    static stability factor = Σ F |y| / (h Σ F)        half the track over the height                              (1)
    tilt table ratio = tan γ  where all wheels on the upper side are without load                                  (2)

A rigid car tips where both are equal; springs and tires that give way let the centre of gravity move out and take some
of it. ``tilt_roll_gradient`` is the slope of the roll angle to the table over tan γ, from 0.1 to 0.4.

Of a vehicle of several units (ISO 16333) ``lift_angle_unit2`` … tell where all wheels on the upper side of a unit are
without load. Units that a hitch couples in roll (all but ball and drawbar) tip over together: (2) is asked of each such
set, and the first that lifts tips the vehicle. Runs end when a unit tips.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from jounce.core.fields import choice, quantity
from jounce.events.base import Event
from jounce.events.options import INTERVAL
from jounce.results.figures import Figures
from jounce.results.key_figures.combinations import MOST_UNITS
from jounce.results.key_figures.common import DEGREE, Array, moving_mean, slope
from jounce.results.kinds import Kind
from jounce.results.panels import signals, tires_of, wheels
from jounce.results.run import Run
from jounce.results.units import Unit, tires_on, units_of
from jounce.runtime.program import Constant, End, Open, Phase, Program, SetParameter, Stop, When

if TYPE_CHECKING:
    from jounce.events.options import Options
    from jounce.events.start import Start

STEP = math.radians(0.02)  # of the table: steps far above the frequency at which a car sways on its tires
ROWS, MEAN = 0.02, 0.5  # s: between rows; over which the beat of the steps is averaged
TIPPED = math.radians(20)  # roll to the table at which a run ends
SLIDES = 2.0  # m/s: a car that slides off; one that tips moves half as fast
LIFTED = 3e-4  # of the weight: a wheel without load
LINEAR = (0.1, 0.4)  # tan γ
MIDDLE = 0.05  # m: a wheel nearer to the centre plane is on no side
LOAD, PLACE, NORMAL = (
    "Tire.Ground_Surface_Force_Z.{}",
    "Tire.Contact_Patch_Global_{}.{}",
    "Tire.Contact_Patch_Normal_Z.{}",
)
CENTRE = "System_Mass_Center.Global_{}"
UNITS = {
    "static_stability_factor": "-",
    "first_lift_angle": "deg",
    "rollover_angle": "deg",
    "tilt_table_ratio": "-",
    "tilt_roll_gradient": "deg/g_0",
    "roll_at_lift": "deg",
}
OF_UNIT, FIRST_OF_UNIT = "lift_angle_unit{}", "first_lift_angle_unit{}"
APART = ("ball",)  # couplings that let units roll by themselves
WORDS = {
    "static_stability_factor": "Static stability factor",
    "first_lift_angle": "Angle of the table at which the first wheel lifts",
    "rollover_angle": "Angle of the table at which the car tips over",
    "tilt_table_ratio": "Tilt table ratio",
    "tilt_roll_gradient": "Roll gradient on the table",
    "roll_at_lift": "Roll to the table when the first wheel lifts",
    **{OF_UNIT.format(n): f"Angle at which all upper wheels of unit {n} lift" for n in range(1, MOST_UNITS + 1)},
    **{FIRST_OF_UNIT.format(n): f"Angle at which a wheel of unit {n} lifts" for n in range(1, MOST_UNITS + 1)},
}
FIRST = ("rollover_angle", "tilt_table_ratio", "static_stability_factor", "first_lift_angle")


# --- key figures -----------------------------------------------------------------------------------------------------


def tilt_table(
    angle: Array,
    loads: Mapping[str, Array],
    lateral: Mapping[str, float],
    height: float,
    roll: Array | None = None,
    units: Mapping[int, Sequence[str]] | None = None,
    coupled: Sequence[Sequence[int]] = (),
) -> Figures:
    """Return the key figures of a tilted car.

    Parameters
    ----------
    angle : of the table, rad, positive; roll : of the body to the table, rad, positive where it leans down the table
    loads : of the wheels along the normal of the table, N
    lateral : of the wheels from the centre of gravity at the start, m, positive up the table; height : of that, m
    units : wheels of each of several units; coupled : units that roll together
    """
    figures = Figures()
    weight = math.fsum(float(load[0]) for load in loads.values())
    half = math.fsum(float(load[0]) * abs(lateral[name]) for name, load in loads.items()) / weight
    figures.put("static_stability_factor", half / height, "-")  # (1)
    free = {name: load <= LIFTED * weight for name, load in loads.items() if lateral[name] > MIDDLE}
    upper = list(free.values())
    any_up, all_up = np.any(upper, axis=0), np.all(upper, axis=0)
    if units is not None:
        all_up = np.zeros_like(all_up)
        for together in coupled:
            own = [free[name] for n in together for name in units[n] if name in free]
            all_up = all_up | np.all(own, axis=0) if own else all_up
        for n, names in units.items():
            own = [free[name] for name in names if name in free]
            for key, lifted in ((FIRST_OF_UNIT, np.any(own, axis=0)), (OF_UNIT, np.all(own, axis=0))) if own else ():
                if lifted.any():
                    figures.put(key.format(n), angle[int(np.argmax(lifted))] / DEGREE, "deg")
                else:
                    figures.missing([key.format(n)], "deg", f"tilt table: unit {n} keeps load on upper wheels")
    if any_up.any():
        first = int(np.argmax(any_up))
        figures.put("first_lift_angle", angle[first] / DEGREE, "deg")
        if roll is not None:
            figures.put("roll_at_lift", roll[first] / DEGREE, "deg")
    else:
        figures.missing(["first_lift_angle", "roll_at_lift"], "deg", "tilt table: no wheel lifts")
    if all_up.any():
        tips = float(angle[int(np.argmax(all_up))])
        figures.put("rollover_angle", tips / DEGREE, "deg")
        figures.put("tilt_table_ratio", math.tan(tips), "-")  # (2)
    else:
        why = f"tilt table: the car does not tip over up to {float(angle.max()) / DEGREE:.1f} deg"
        figures.missing(["rollover_angle"], "deg", why)
        figures.missing(["tilt_table_ratio"], "-", why)
    if roll is not None:
        tangent = np.tan(angle)
        rows = (tangent >= LINEAR[0]) & (tangent <= LINEAR[1])
        if np.count_nonzero(rows) > 2 and np.ptp(tangent[rows]) > 0.5 * (LINEAR[1] - LINEAR[0]):
            figures.put("tilt_roll_gradient", slope(tangent[rows], roll[rows])[0] / DEGREE, "deg/g_0")
        else:
            figures.missing(["tilt_roll_gradient"], "deg/g_0", "tilt table: tilted too little for a roll gradient")
    return figures


def _masses(run: Run) -> dict[str, float]:
    """Of each unit, kg, by what its names begin with."""
    vehicle = run.metadata.get("vehicle")
    found = vehicle.get("masses") if isinstance(vehicle, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else {"": 1.0}


def _centre(run: Run, axis: str) -> float:
    """Of the whole vehicle at the start, m: of units by their masses."""
    known = {f"{own}{CENTRE.format(axis)}": mass for own, mass in _masses(run).items()}
    return math.fsum(mass * float(run[name][0]) for name, mass in known.items()) / math.fsum(known.values())


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    figures = Figures()
    tires = [name for name in tires_of(run, LOAD) if NORMAL.format(name) in run]
    centres = (f"{own}{CENTRE.format(axis)}" for own in _masses(run) for axis in "XYZ")
    needed = [*centres, *(PLACE.format(axis, name) for axis in "XYZ" for name in tires)]
    if not tires or not all(name in run for name in needed):
        for key, unit in UNITS.items():
            figures.missing([key], unit, "tilt table: loads and contacts of the wheels were not recorded")
        return figures
    upright = np.max([run[NORMAL.format(name)] for name in tires], axis=0)  # lifted wheels have no normal of their own
    angle = np.arccos(np.clip(upright, -1.0, 1.0))
    side = (
        1.0 if run.parameter("direction") == "right" else -1.0
    )  # the side that goes down, and where the left one goes
    yaw = float(run.signal("yaw")[0])
    left = (-math.sin(yaw), math.cos(yaw))
    first = [_centre(run, axis) for axis in "XYZ"]
    lateral = {
        name: side
        * sum(e * (run[PLACE.format(axis, name)][0] - c) for e, axis, c in zip(left, "XY", first, strict=False))
        for name in tires
    }
    height = first[2] - float(np.mean([run[PLACE.format("Z", name)][0] for name in tires]))
    roll = side * run.signal("roll") if run.has_signal("roll") else None
    loads = {name: moving_mean(run.time, run[LOAD.format(name)], MEAN) for name in tires}
    parts = units_of(run)
    units: dict[int, list[str]] | None = None
    coupled: Sequence[Sequence[int]] = ()
    if len(parts) > 1:
        units = {unit.number: [t for t in tires_on(run, unit.axles) if t in tires] for unit in parts}
        coupled = rolling_together(parts)
    return tilt_table(angle, loads, lateral, height, roll, units, coupled)


def rolling_together(units: Sequence[Unit]) -> tuple[tuple[int, ...], ...]:
    """Units, by their numbers, in sets that couplings join in roll."""
    sets: list[list[int]] = []
    for unit in units:
        joined = next((s for s in sets if unit.towed_by in s), None)
        if joined is not None and unit.coupling not in APART:
            joined.append(unit.number)
        else:
            sets.append([unit.number])
    return tuple(tuple(s) for s in sets)


# --- the event -------------------------------------------------------------------------------------------------------


class TiltTable(Event):
    """The car stands on a table that tilts sideways until it tips over."""

    kind: ClassVar[str] = "tilt-table"
    title: ClassVar[str] = "Tilt table"
    standard: ClassVar[str] = "SAE J2180, ISO 16333"
    results: ClassVar[Kind] = Kind((of_run,), (signals("roll"), wheels("loads", "travel")), WORDS, FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {"sae": {}, "iso16333": {}}

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="always 0")
    end_time: float = quantity("s", 600.0, gt=0, typical=(1.0, 7200.0), doc="end of the run, at the latest")
    direction: Literal["left", "right"] = choice("right", doc="side of the car that goes down")
    rate: float = quantity("rad/s", math.radians(0.25), gt=0, typical=(1e-4, 0.05), doc="of the table")
    most: float = quantity(
        "rad", math.radians(65), gt=0, le=math.radians(80), typical=(0.05, 1.4), doc="angle at which the table stops"
    )
    friction: float = quantity(
        "-", 2.5, gt=0, typical=(0.02, 2.5), doc="of the table relative to the tires' data: rails hold the tires"
    )

    @property
    def inclined(self) -> bool:
        return True

    def program(self, start: Start) -> Program:
        hold = [Open("steering_wheel", Constant(0.0)), Open("throttle", Constant(0.0)), Open("brake", Constant(1.0))]
        slides = End(When("chassis_velocities.lateral", "abs>", SLIDES), then=Stop("slides off the table"))
        phases = []
        steps, spell = math.ceil(self.most / STEP - 1e-9), STEP / self.rate
        for k in range(min(steps, int(self.end_time / spell)) + 1):
            angle = min(k * STEP, self.most)
            tips = [
                End(When(f"{unit.own}chassis_displacements.roll", "abs>", angle + TIPPED), then=Stop("tipped over"))
                for unit in start.vehicle.layout.units
            ]
            phases.append(Phase(f"{math.degrees(angle):.2f} deg", hold, duration=spell, ends=[*tips, slides],
                                actions=self._plane(angle)))  # fmt: skip
        return Program(*phases)

    def _plane(self, angle: float) -> list[SetParameter]:
        """The table at an angle: slopes along x and y of the world, and its height at the origin."""
        rise = math.tan(angle) * (1.0 if self.direction == "right" else -1.0)  # to the left of the car
        grade, bank = self.grade - rise * math.sin(self.heading), self.bank + rise * math.cos(self.heading)
        height = (self.grade - grade) * self.x + (self.bank - bank) * self.y  # it turns about where the car stands
        return [
            SetParameter("ground.grade", grade),
            SetParameter("ground.bank", bank),
            SetParameter("ground.height", height),
        ]

    def recording(self, start: Start, options: Options) -> Options:
        every = options.interval if options.interval != INTERVAL else round(ROWS / options.step) * options.step
        return replace(options, interval=every)
