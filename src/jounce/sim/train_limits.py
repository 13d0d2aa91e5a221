"""How fast a train may be driven, and how sharply it may turn: from its steady turns and their linearisations.

A train sways: the damping of its slow motions falls with the speed, and from some speed on a driver does not hold it.
In a turn something gives up first: tires of one of the units, or a unit that rolls over; there steady turns end, or do
not return to themselves. With the eigenvalues λ of the exact linearisation,

    ζ = min −Re λ/|λ| over swings below 2 Hz;   fastest: where ζ falls to 0.05                                     (1)
    a_y = min over speeds and both sides of the largest v ψ̇ of turns with Re λ ≤ 0 below 2 Hz                      (2)

Ours. Not in it: that a unit behind swings further out than the one ahead where the way changes quickly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.errors import StaticsError
from jounce.sim.preview import lateral_of

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.sim.car import Description
    from jounce.sim.turns import Turn, Turns

Array = npt.NDArray[np.float64]

SPEEDS = (13.0, 18.0, 24.0, 30.0, 36.0, 42.0)  # m/s
TURNED = 3  # of these, from below, at which turns are looked for
DAMPED = 0.05  # ζ with which nobody is afraid
SLOWEST, FASTEST_SWING = 0.3, 4 * math.pi  # rad/s, of swings that count
STEP = 1.0  # m/s2, between turns
HALVED = 3
HALVINGS = 6  # of an interval of speeds
GROWS = 1e-3  # 1/s: slower ones nobody waits for


@dataclass(frozen=True)
class TrainLimits:
    """Of steady running: largest lateral acceleration (2), largest speed (1), damping over the speeds looked at."""

    lateral: float
    fastest: float
    speeds: tuple[float, ...]
    damping: tuple[float, ...]


def limits_of_train(sim: Simulation, description: Description, top: float = math.inf) -> TrainLimits:
    """Limits of a train that stands in equilibrium on a level road; the simulation is left as it was."""
    from jounce.sim.steady import run_steadily
    from jounce.sim.turns import Turns

    here = sim.snapshot()
    speeds: list[float] = []
    damping: list[float] = []
    lateral: list[float] = []
    fastest = math.inf
    try:
        turns = Turns(sim, description)
        for speed in [v for v in SPEEDS if v < top]:
            sim.restore(here)
            try:
                run_steadily(sim, description, speed)
            except StaticsError:
                continue  # the drive does not keep it in the gear that fits
            first = turns.here()
            speeds.append(speed)
            damping.append(swing_damping(turns, first))
            if damping[-1] < DAMPED:
                break
            if len(lateral) < 2 * TURNED:
                begin = sim.x.copy(), sim.m.copy(), sim.u.copy()
                for side in (1.0, -1.0):
                    sim.x[:], sim.m[:], sim.u[:] = begin
                    lateral.append(_largest(turns, first, side))
        if len(speeds) > 1 and damping[-1] < DAMPED:
            fastest = _damped(turns, here, speeds[-2], speeds[-1])
    finally:
        sim.restore(here)
    if not lateral:
        found = f"swings at {speeds[0]:g} m/s are damped by {damping[0]:.2g}" if speeds else "it runs steadily at none"
        raise StaticsError(f"the train is not driven at any of the speeds {SPEEDS[0]:g} m/s and above: {found}")
    return TrainLimits(min(lateral), fastest, tuple(speeds), tuple(damping))


def _damped(turns: Turns, here: Array, low: float, high: float) -> float:
    """Between two speeds, where ζ falls to what is allowed; by halves, and on the slow side."""
    from jounce.sim.steady import run_steadily

    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        turns.sim.restore(here)
        try:
            run_steadily(turns.sim, turns.description, middle)
        except StaticsError:
            high = middle
            continue
        low, high = (middle, high) if swing_damping(turns, turns.here()) >= DAMPED else (low, middle)
    return low


def swing_damping(turns: Turns, turn: Turn) -> float:
    """ζ (1) of a turn; negative where something grows."""
    values = _slow(turns, turn)
    if values.real.max(initial=-1.0) > GROWS:
        return -1.0
    return min((float(-z.real / abs(z)) for z in values if z.imag > SLOWEST), default=1.0)


def _slow(turns: Turns, turn: Turn) -> npt.NDArray[np.complex128]:
    """Eigenvalues of motions of the units, at a given speed; wheels and drivelines swing faster."""
    every = [*turns.kept, *turns.others]
    found = np.linalg.eigvals(turn.model.A[np.ix_(every, every)]).astype(np.complex128)
    return found[np.abs(found) < FASTEST_SWING]


def _largest(turns: Turns, first: Turn, side: float) -> float:
    """Lateral acceleration up to which turns to one side are stable."""
    column = turns.inputs.index("steering_wheel")
    gain = lateral_of(first.model.A, first.model.B[:, column], first.speed, turns.kept, turns.others).gain
    last, step, reached = first, STEP, 0.0
    keeps = True
    while step > STEP / 2**HALVED - 1e-9:
        angle = last.steering + side * step / gain
        before = turns.sim.x.copy(), turns.sim.m.copy(), turns.sim.u.copy()
        found = turns.steer(angle, turns.guess(last, angle - last.steering, keeps), keeps)
        if found is None and keeps:
            found = turns.steer(angle, turns.guess(last, angle - last.steering, False), False)
            keeps = found is None
        stays = found is not None and _slow(turns, found).real.max(initial=-1.0) <= GROWS
        acceleration = side * found.yaw_rate * found.speed if found is not None else 0.0
        if found is None or not stays or acceleration <= reached:
            turns.sim.x[:], turns.sim.m[:], turns.sim.u[:] = before
            step /= 2
            continue
        last, reached = found, acceleration
    return reached
