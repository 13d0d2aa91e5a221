"""Weave test (on-centre handling, ISO 13674-1): a slow sine of the hand wheel about straight ahead.

Over lateral acceleration a_y, hand torque T and hand wheel angle δ run through loops. A branch goes from one extreme of
a_y to the next one; what follows are means over the branches of the last cycles.

    hand_torque_at_0g            half the distance of both branches at a_y = 0: what friction and lag leave to hold
    hand_torque_at_0_1g          |T| at ±0.1 g on the way outwards
    hand_torque_gradient         dT/da_y of a line within ±0.05 g: road feel on centre
    ay_at_no_torque              half the distance of both branches at T = 0: what is left when the hand goes limp
    steering_hysteresis          distance of both branches in T, mean within ±0.1 g
    steering_hysteresis_angle    the same in δ
    steering_stiffness           dT/dδ, both slopes taken within ±0.05 g
    steering_sensitivity         da_y/dδ of a line within ±0.05 g
    steering_sensitivity_at_0_1g the same within 0.05 g of ±0.1 g

([Norman1984] has these readings; ISO 13674-1 the conditions: 100 km/h, 0.2 Hz, 2 m/s².) In a linear car both run
through ellipses; with amplitudes T̂, â and the phase φ between them

    hand_torque_at_0g = T̂ |sin φ|,   steering_hysteresis = T̂ |sin φ| (√(1 - x²) + asin(x)/x),   x = 0.1 g/â       (1)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.core.fields import quantity
from jounce.events.base import Steered
from jounce.events.library.step_steer import StepSteer, find_amplitude
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, sound
from jounce.results.kinds import Kind
from jounce.results.run import Run
from jounce.runtime.program import Sine

if TYPE_CHECKING:
    from jounce.events.start import Start

OUT = 0.1 * GRAVITY  # where torque away from the centre is read
NEAR = 0.05 * GRAVITY  # around a point, for slopes
SETTLE = 2  # cycles before the loops count
UNITS = {
    "hand_torque_at_0g": "N.m",
    "hand_torque_at_0_1g": "N.m",
    "hand_torque_gradient": "N.m/g_0",
    "ay_at_no_torque": "m/s2",
    "steering_hysteresis": "N.m",
    "steering_hysteresis_angle": "deg",
    "steering_stiffness": "N.m/deg",
    "steering_sensitivity": "g_0/rad",
    "steering_sensitivity_at_0_1g": "g_0/rad",
}
WORDS = {
    "hand_torque_at_0g": "Hand torque at 0 g",
    "hand_torque_at_0_1g": "Hand torque at 0.1 g",
    "hand_torque_gradient": "Hand torque over lateral acceleration, on centre",
    "ay_at_no_torque": "Lateral acceleration without hand torque",
    "steering_hysteresis": "Hysteresis of the hand torque within 0.1 g",
    "steering_hysteresis_angle": "Hysteresis of the steering wheel angle within 0.1 g",
    "steering_stiffness": "Hand torque over steering wheel angle, on centre",
    "steering_sensitivity": "Lateral acceleration over steering wheel angle, on centre",
    "steering_sensitivity_at_0_1g": "Lateral acceleration over steering wheel angle at 0.1 g",
}
FIRST = ("hand_torque_at_0g", "hand_torque_at_0_1g", "steering_hysteresis", "steering_sensitivity")


# --- key figures -----------------------------------------------------------------------------------------------------


def weave(time: Array, ay: Array, angle: Array, torque: Array, frequency: float, begin: float) -> Figures:
    """Return the key figures of a weave test.

    Parameters
    ----------
    ay, angle, torque : lateral acceleration (m/s²), hand wheel angle (rad), hand torque (N.m)
    frequency : of the hand wheel, Hz
    begin : when it began, s
    """
    figures = Figures()
    rows = (time >= begin + SETTLE / frequency) & (time <= _last(time, begin, frequency))
    if np.count_nonzero(rows) < 20 or not sound(figures, "weave", ay=ay, angle=angle, torque=torque):
        figures.missing(UNITS, "-", f"weave: needs {SETTLE + 1} cycles at least")
        return figures
    a, d, t = ay[rows], angle[rows], torque[rows]
    a, t = a - _middle(a), t - _middle(t)
    branches = _branches(a, time[rows], frequency)
    if min(len(b) for b in branches.values()) == 0 or min(a.max(), -a.min()) < OUT + NEAR:
        figures.missing(UNITS, "-", f"weave: lateral acceleration does not reach {OUT + NEAR:.3g} m/s² to both sides")
        return figures

    def at(values: Array, where: float, way: int) -> float:
        """A value at a lateral acceleration, mean over the branches of a way."""
        return float(np.mean([np.interp(way * where, way * a[b], values[b]) for b in branches[way]]))

    def slope(values: Array, around: float) -> float:
        """Of lines through rows near a place, mean over all branches and, away from the centre, both sides."""
        found = []
        for centre in {around, -around}:
            for b in (b for way in branches.values() for b in way):
                near = b[np.abs(a[b] - centre) < NEAR]
                if len(near) > 1:  # a branch that jumps has no row there
                    found.append(np.polyfit(a[near], values[near], 1)[0])
        return float(np.mean(found)) if found else math.nan

    grid = np.linspace(-OUT, OUT, 81)
    width = {
        name: float(np.mean([abs(at(values, x, 1) - at(values, x, -1)) for x in grid]))
        for name, values in (("torque", t), ("angle", d))
    }
    figures.put("hand_torque_at_0g", 0.5 * abs(at(t, 0.0, 1) - at(t, 0.0, -1)), "N.m")
    figures.put("hand_torque_at_0_1g", 0.5 * abs(at(t, OUT, 1) - at(t, -OUT, -1)), "N.m")
    figures.put("hand_torque_gradient", slope(t, 0.0) * GRAVITY, "N.m/g_0")
    torques = _branches(t, time[rows], frequency)
    limp = [np.mean([np.interp(0.0, way * t[b], a[b]) for b in torques[way]]) for way in (1, -1)]
    figures.put("ay_at_no_torque", 0.5 * abs(float(limp[0] - limp[1])), "m/s2")
    figures.put("steering_hysteresis", width["torque"], "N.m")
    figures.put("steering_hysteresis_angle", width["angle"] / DEGREE, "deg")
    figures.put("steering_stiffness", slope(t, 0.0) / slope(d, 0.0) * DEGREE, "N.m/deg")
    figures.put("steering_sensitivity", 1 / slope(d, 0.0) / GRAVITY, "g_0/rad")
    figures.put("steering_sensitivity_at_0_1g", 1 / slope(d, OUT) / GRAVITY, "g_0/rad")
    return figures


def _last(time: Array, begin: float, frequency: float) -> float:
    """End of the last whole cycle."""
    cycles = math.floor((float(time[-1]) - begin) * frequency + 1e-9)
    return begin + cycles / frequency


def _middle(values: Array) -> float:
    return 0.5 * float(values.max() + values.min())


def _branches(values: Array, time: Array, frequency: float) -> dict[int, list[Any]]:
    """Rows from one extreme to the next: rising (1) and falling (-1) branches, whole ones only."""
    crossed = np.flatnonzero(values[:-1] * values[1:] <= 0)
    half = 0.5 / frequency
    found: dict[int, list[Any]] = {1: [], -1: []}
    for k in crossed.tolist():
        near = np.flatnonzero(np.abs(time - time[k]) <= 0.75 * half)
        if time[k] - time[0] < 0.5 * half or time[-1] - time[k] < 0.5 * half:
            continue
        way = 1 if values[min(k + 1, len(values) - 1)] > values[k] else -1
        before, after = near[near <= k], near[near > k]
        first = before[int(np.argmin(way * values[before]))]
        last = after[int(np.argmax(way * values[after]))]
        rows = np.arange(first, last + 1)
        found[way].append(rows[np.concatenate(([True], np.diff(way * np.maximum.accumulate(way * values[rows])) != 0))])
    return found


def of_run(run: Run) -> Figures:
    """Key figures of a weave test."""
    frequency, begin = run.number("frequency", "Hz"), run.number("start_time", "s")
    needed = ("lateral_acceleration", "steering", "hand_torque")
    if math.isnan(frequency) or math.isnan(begin) or not all(run.has_signal(name) for name in needed):
        figures = Figures()
        figures.missing(UNITS, "-", "weave: frequency, start_time or a signal (" + ", ".join(needed) + ") is missing")
        return figures
    ay, angle, torque = (run.signal(name) for name in needed)
    return weave(run.time, ay, angle, torque, frequency, begin)


# --- the event -------------------------------------------------------------------------------------------------------


class Weave(Steered):
    """δ = A sin(2πf (t - start)), slowly and by little: what the hands feel on centre."""

    kind: ClassVar[str] = "weave"
    title: ClassVar[str] = "Weave test"
    standard: ClassVar[str] = "ISO 13674-1"
    results: ClassVar[Kind] = Kind((of_run,), words=WORDS, first=FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    end_time: float = quantity("s", 26.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    frequency: float = quantity("Hz", 0.2, gt=0, typical=(0.01, 2.0), doc="of the hand wheel")
    amplitude: float | None = quantity(
        "rad", None, gt=0, typical=(0.01, 2.0), doc="of the hand wheel; absent: found for lateral_acceleration"
    )
    lateral_acceleration: float = quantity(
        "m/s2", 2.0, gt=0, typical=(0.5, 10.0), doc="peak to find the amplitude for; at low frequency that of a turn"
    )

    def prepared(self, start: Start) -> Self:
        if self.amplitude is not None:
            return self
        target = self.lateral_acceleration
        turn = StepSteer(speed=self.speed, lateral_acceleration=target, friction=self.friction, cruise=self.cruise)
        return self.changed(amplitude=find_amplitude(turn, start, target))

    def reference(self, start: Start) -> Any:
        assert self.amplitude is not None
        return Sine(self.amplitude, self.frequency, 0.0, self.initial_steer, delay=self.start_time)
