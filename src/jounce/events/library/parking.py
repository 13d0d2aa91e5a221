"""Parking: the hand wheel is turned from end to end while the car stands.

What the hands, or the assistance, must overcome when tires are turned on the spot. The hand wheel goes to one side, to
the other and back; the loop from the first to the second visit of the first side counts, within 90 % of its angle A:
nearer to the ends stops and the turning point speak. With torque T, angle δ,

    parking_torque_max    largest |T|
    parking_torque_mean   ∫|T| |dδ| / ∫|dδ|
    parking_hysteresis    mean distance of both branches of T over δ                                              (1)
    parking_work          ∮ T dδ of the whole loop: what tires and friction take
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.core.fields import quantity
from jounce.events.base import HOLDING, Event
from jounce.events.straight import lock_of
from jounce.results.figures import Figures
from jounce.results.key_figures.common import Array, sound, unsound
from jounce.results.kinds import Kind
from jounce.results.panels import over, signals, wheels
from jounce.results.run import Run
from jounce.runtime.program import Constant, Open, Phase, Program, Ramp

if TYPE_CHECKING:
    from jounce.events.start import Start

WITHIN = 0.9  # of the largest angle
RACK = "Steering_System.Rack_Force"
UNITS = {
    "parking_torque_max": "N.m",
    "parking_torque_mean": "N.m",
    "parking_hysteresis": "N.m",
    "parking_work": "J",
    "rack_force_max": "N",
}
WORDS = {
    "parking_torque_max": "Largest hand torque",
    "parking_torque_mean": "Mean hand torque",
    "parking_hysteresis": "Hysteresis of the hand torque",
    "parking_work": "Work of the hands from end to end and back",
    "rack_force_max": "Largest force of the rack",
}
FIRST = ("parking_torque_max", "parking_torque_mean", "rack_force_max")


# --- key figures -----------------------------------------------------------------------------------------------------


def parking(time: Array, angle: Array, torque: Array, rack_force: Array | None = None) -> Figures:
    """Return the key figures of a hand wheel that is turned from end to end and back, at rest.

    Parameters
    ----------
    angle, torque : of the hand wheel, rad, N.m; rack_force : N
    """
    figures = Figures()
    given = sound(figures, "parking", rack=rack_force)
    why = unsound(time, angle, torque, least=20)
    most = 0.0 if why else float(np.max(np.abs(angle)))
    if not why:
        side = math.copysign(1.0, float(angle[int(np.argmax(np.abs(angle) > 0.5 * most))])) if most else 1.0
        other = int(np.argmin(side * angle))
        leaves = int(np.argmax(side * angle[: other + 1]))
        back = other + int(np.argmax(side * angle[other:]))
        reached = [side * float(angle[leaves]), -side * float(angle[other]), side * float(angle[back])]
        if most == 0.0 or min(reached) < WITHIN * most:
            why = "the hand wheel does not go from one end to the other and back"
    if why:
        for key in (*list(UNITS)[:4], *(("rack_force_max",) if rack_force is not None else ())):
            figures.missing([key], UNITS[key], f"parking: {why}")
        return figures
    loop = slice(leaves, back + 1)
    d, t = angle[loop], torque[loop]
    inner = np.abs(d) <= WITHIN * most
    figures.put("parking_torque_max", float(np.max(np.abs(t[inner]))), "N.m")
    moved = np.abs(np.diff(d)) * (inner[1:] & inner[:-1])
    mean = float(np.sum(0.5 * (np.abs(t[1:]) + np.abs(t[:-1])) * moved) / np.sum(moved))
    figures.put("parking_torque_mean", mean, "N.m")
    turn = int(np.argmin(side * d))
    grid = np.linspace(-WITHIN * most, WITHIN * most, 181)
    away = np.interp(grid, (side * d[: turn + 1])[::-1], t[: turn + 1][::-1])
    home = np.interp(grid, side * d[turn:], t[turn:])
    figures.put("parking_hysteresis", float(np.mean(np.abs(home - away))), "N.m")  # (1)
    figures.put("parking_work", float(np.trapezoid(t, d)), "J")
    if "rack" in given:
        figures.put("rack_force_max", float(np.max(np.abs(given["rack"][loop][inner]))), "N")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    if not run.has_signal("hand_torque") or not run.has_signal("steering"):
        figures = Figures()
        for key in list(UNITS)[:4]:
            figures.missing([key], UNITS[key], "parking: hand wheel angle or hand torque were not recorded")
        return figures
    rack = run[RACK] if RACK in run else None  # noqa: SIM401
    return parking(run.time, run.signal("steering"), run.signal("hand_torque"), rack)


# --- the event -------------------------------------------------------------------------------------------------------


class Parking(Event):
    """The car stands and the hand wheel is turned from end to end: what the hands must overcome."""

    kind: ClassVar[str] = "parking"
    title: ClassVar[str] = "Parking"
    results: ClassVar[Kind] = Kind(
        (of_run,), (signals("steering", "hand_torque"), over("steering", "hand_torque"), wheels("loads")), WORDS, FIRST
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {"usual": {}}

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="always 0")
    end_time: float = quantity("s", 60.0, gt=0, typical=(1.0, 7200.0), doc="end of the run, at the latest")
    start_time: float = quantity("s", 0.5, ge=0, typical=(0.0, 600.0), doc="when the steering begins")
    rate: float = quantity("rad/s", math.radians(180), gt=0, typical=(0.1, 20.0), doc="speed of the hand wheel")
    lock_share: float = quantity("-", 0.95, gt=0, le=1, typical=(0.05, 1.0), doc="of the way to the ends of steering")
    brake: float = quantity("-", HOLDING, ge=0, le=1, doc="demand meanwhile")

    def program(self, start: Start) -> Program:
        most = self.lock_share * lock_of(start)
        pedals = [Open("throttle", Constant(0.0)), Open("brake", Constant(self.brake))]
        phases, here, left = [], 0.0, self.end_time
        for name, to in (("wait", 0.0), ("out", most), ("over", -most), ("back", most), ("home", 0.0)):
            whole = max(self.start_time, 1e-3) if name == "wait" else abs(to - here) / self.rate
            spell = min(whole, left)
            if spell <= 0:
                break
            hand = Open("steering_wheel", Ramp(to, whole, start=here))
            phases.append(Phase(name, [hand, *pedals], duration=spell))
            here, left = to, left - spell
        return Program(*phases)
