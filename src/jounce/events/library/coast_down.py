"""Coast-down: from a speed without drive or brakes, for the road load A + B v + C v².

    m_e dv/dt = −(A + B v + C v²)                                                                                  (1)

with the effective mass m_e that contains the turning parts. Integrated from the first instant,

    m_e (v₀ − v(t)) = A (t − t₀) + B ∫v dt + C ∫v² dt                                                              (2)

is linear in A, B, C and needs no derivative of a measured speed; least squares over all instants.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.core.fields import flag, quantity
from jounce.events.base import Event, safety_ends
from jounce.events.straight import driver, preview_time, straight_ahead, turned_round
from jounce.results.figures import Figures
from jounce.results.key_figures.common import Array, travelled, unsound
from jounce.results.kinds import Kind
from jounce.results.panels import STRAIGHT
from jounce.results.run import Run
from jounce.runtime.program import Constant, End, Open, Phase, Program, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.runtime.recording import Recording

NEUTRAL = "neutral"
NARROW = 0.4  # least relative span of speed that separates the three terms
WORDS = {
    "road_load_a": "Road load A (constant)",
    "road_load_b": "Road load B (with v)",
    "road_load_c": "Road load C (with v²)",
    "road_load_80": "Road load at 80 km/h",
    "road_load_error": "Uncertainty of the road load",
    "rolling_resistance": "Rolling resistance",
    "drag_area": "Drag area",
}
FIRST = ("road_load_a", "road_load_c", "rolling_resistance", "drag_area")


# --- key figures -----------------------------------------------------------------------------------------------------


def coast_down(
    time: Array,
    speed: Array,
    effective_mass: float,
    *,
    mass: float = math.nan,
    air_density: float = math.nan,
    start: float = -math.inf,
) -> Figures:
    """Return the road load of a car that coasts.

    Parameters
    ----------
    time, speed : s, m/s
    effective_mass : kg, with what the turning parts add; ``mass`` : kg, of the car alone
    air_density : kg/m³, for the drag area
    start : s, when coasting begins

    Returns
    -------
    road_load_a (N), road_load_b (N.s/m), road_load_c (N.s2/m2), road_load_80 (N, at 80 km/h), road_load_error (N,
    standard error of the load at the mean speed); with B taken as zero also rolling_resistance (N/kN) and drag_area
    (m²)
    """
    figures = Figures()
    units = {"road_load_a": "N", "road_load_b": "N.s/m", "road_load_c": "N.s2/m2", "road_load_80": "N"}
    rows = (time >= start) & (np.nan_to_num(speed) > 0.5)
    t, v = time[rows], speed[rows]
    span = float(np.ptp(v)) / float(v.max()) if len(v) > 10 else 0.0
    why = unsound(time, speed)
    if why:
        why = f"coast-down: {why}"
    elif math.isnan(effective_mass) or effective_mass <= 0:
        why = "coast-down: the effective mass is not known"
    elif span < NARROW:
        why = (
            f"coast-down: the speed falls by {span:.0%} only; at least {NARROW:.0%} are needed to tell the terms apart"
        )
    elif float(v[-1]) >= float(v[0]):
        why = "coast-down: the car does not slow down"
    if why:
        for name, unit in units.items():
            figures.missing([name], unit, why)
        return figures
    lost = effective_mass * (v[0] - v)
    columns = np.stack([t - t[0], travelled(t, v), travelled(t, v * v)], axis=1)
    scale = columns.max(axis=0)
    (a, b, c), residual, _, _ = np.linalg.lstsq(columns / scale, lost, rcond=None)
    a, b, c = a / scale[0], b / scale[1], c / scale[2]
    figures.put("road_load_a", float(a), "N")
    figures.put("road_load_b", float(b), "N.s/m")
    figures.put("road_load_c", float(c), "N.s2/m2")
    at = 80 / 3.6
    figures.put("road_load_80", float(a + b * at + c * at * at), "N")
    spread = math.sqrt(float(residual[0]) / (len(v) - 3)) if len(residual) else math.nan
    figures.put("road_load_error", spread / float(t[-1] - t[0]), "N")
    # rolling resistance and drag are quoted for a load without the linear term
    two = np.linalg.lstsq(columns[:, [0, 2]] / scale[[0, 2]], lost, rcond=None)[0] / scale[[0, 2]]
    if not math.isnan(mass):
        figures.put("rolling_resistance", 1000 * float(two[0]) / (mass * GRAVITY), "N/kN")
    if not math.isnan(air_density):
        figures.put("drag_area", 2 * float(two[1]) / air_density, "m2")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run; the vehicle's ``effective_mass``, ``mass`` and ``air_density`` are used if known."""
    begin = run.number("start_time", "s")
    mass, effective = run.quantity("mass"), run.quantity("effective_mass")
    figures = coast_down(
        run.time,
        run.signal("forward_speed"),
        mass if math.isnan(effective) else effective,
        mass=mass,
        air_density=run.quantity("air_density"),
        start=-math.inf if math.isnan(begin) else begin,
    )
    if math.isnan(effective):
        figures.warn("coast-down: the inertia of the turning parts is not known; the load is too small by their share")
    return figures


# --- the event -------------------------------------------------------------------------------------------------------


class CoastDown(Event):
    """Rolling freely until a speed or the end of the time."""

    kind: ClassVar[str] = "coast-down"
    title: ClassVar[str] = "Coast-down"
    standard: ClassVar[str] = "ISO 10521, SAE J1263"
    results: ClassVar[Kind] = Kind((of_run,), STRAIGHT, WORDS, FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    speed: float = quantity("m/s", 130 / 3.6, gt=0, typical=(0.0, 75.0), doc="speed at the start")
    end_time: float = quantity("s", 300.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run, at the latest")
    end_speed: float = quantity("m/s", 15 / 3.6, ge=0, typical=(0.0, 75.0), doc="at which the run ends")
    steer: float = quantity("rad", 0.0, typical=(0.0, 20.0), doc="hand wheel angle when not driving straight")
    straight_line: bool = flag(True, doc="steer to stay on the line; otherwise hold the hand wheel")
    preview: float = preview_time()

    def parts(self) -> tuple[Part, ...]:
        return driver(self)

    def judged(self, recorded: Recording) -> Recording:
        return turned_round(self, recorded)

    def program(self, start: Start) -> Program:
        slow = End(When("chassis_velocities.longitudinal", "<=", self.end_speed), then=Stop("end speed reached"))
        channels = [*straight_ahead(self, start), Open("throttle", Constant(0.0)), Open("brake", Constant(0.0))]
        if any(v.name == NEUTRAL for v in start.sim.model.inputs):  # of a driveline: engines and motors do not brake
            channels.append(Open(NEUTRAL, Constant(1.0)))
        return Program(Phase("coast", channels, duration=self.end_time, ends=[*safety_ends(start.vehicle), slow]))
