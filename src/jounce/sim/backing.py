"""Reversing with a towed unit: what a driver needs who guides its axle along a path, from the exact linearisation.

**Motion.** At walking pace everything but the articulation γ follows the hand wheel angle δ, to first order
(``sim/preview.py`` (2)). With the speed V of the axle of the towed unit (negative: backwards), its offset e from the
path, its heading less that of the path ψ and the curvature κ of the path,

    γ̇ = a γ + b δ + r δ̇,    ė = c·(γ, δ, δ̇) + V ψ,    ψ̇ = d·(γ, δ, δ̇) − V κ                                    (1)

where a > 0: left alone the train folds up. In the axes of the towed unit, with the velocity (u, v), the yaw rate ω of
the towing one, its coupling l from the point whose velocity that is, and the axle D behind the coupling,

    V = u cos γ + (v + l ω) sin γ,    c: −u sin γ + (v + l ω) cos γ − D (ω + γ̇),    d: ω + γ̇                      (2)

**Law.** (1) is the problem of ``sim/preview.py`` (3) to (6) with one motion more: the same cost, with ω = |V|/L, the
same way in which curvatures ahead count. Gains come from steady turns backwards, to both sides up to the lock, each
from its own linearisation; over γ, and the turns over the curvature of the path of the towed axle. All of it is told
per way, not per time, for the speed V at which it was found; at another walking pace the hand turns in proportion.

**Kinematics**, of wheels that roll where they point: the towing unit has its turning axle, the coupling h behind it,

    κ₁ = −sin γ/(D + h cos γ),    κ = κ₁/(cos γ − h κ₁ sin γ)                                                     (3)
    R₁² + h² = R² + D²,    −γ = atan(h κ₁) + atan(D κ)                                                            (4)

Beyond the largest articulation that a turn at the lock has, the train cannot be brought back in reverse: it has
jack-knifed. Ours; (3), (4) are plane geometry. Why reversing is unstable and which articulations can be held:
[Altafini2001].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, StaticsError
from jounce.sim.preview import FURTHER, NODES, PERIOD, SPACING, Lateral, design, following, reduced, shares

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.sim.car import Description
    from jounce.sim.turns import Turn, Turns
    from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]

STEPS = 16  # hand wheel angles to each side, up to the lock
HALVED = 2  # how often a step is halved where no turn is found
SLOWEST = 0.4  # of the speed of the towing unit that the axle of the towed one has: less is a turn on the spot
FASTEST = 3.0  # m/s: walking pace, for which (1) is made
GAINS = ("articulation", "offset", "heading", "hand_wheel", "integral")
TURN = ("hand_wheel", "articulation", "side_slip")


@dataclass(frozen=True)
class Geometry:
    """Plan of a towing and a towed unit."""

    wheelbase: float  # of the towing unit, L
    turning: float  # from the reference point of the vehicle ahead to its turning axle; negative: behind
    overhang: float  # from there back to the coupling, h
    drawbar: float  # from the coupling back to the axle of the towed unit, D
    origin: float = 0.0  # of the towing body, ahead of the reference point

    def articulation(self, curvature: float) -> float:
        """γ of a turn in which the axle of the towed unit runs with a curvature (4)."""
        own = self.towing_curvature(curvature)
        return -math.atan(self.overhang * own) - math.atan(self.drawbar * curvature)

    def towing_curvature(self, curvature: float) -> float:
        """κ₁ for a curvature of the towed axle's way (4)."""
        square = 1.0 + (self.drawbar**2 - self.overhang**2) * curvature**2
        if square <= 0:
            raise ParameterError(f"reversing: no towing unit turns so that {curvature:g} 1/m is behind it")
        return curvature / math.sqrt(square)

    def steer(self, curvature: float) -> float:
        """Angle of the steered wheels for a curvature of the towed axle's way."""
        return math.atan(self.wheelbase * self.towing_curvature(curvature))

    def begin(self, x: float, y: float, heading: float, curvature: float) -> tuple[float, float, float, float]:
        """Where an event puts a vehicle whose towed axle is at x, y on a circle: x, y, course and curvature there.

        The course is that of the origin of the towing body, as is the curvature; the vehicle turns into it about that
        origin (``sim/steady.py``).
        """
        own = heading - self.articulation(curvature)
        ahead, lever = self.overhang - self.turning + self.origin, self.origin - self.turning
        towing = self.towing_curvature(curvature)
        course = own + math.atan(lever * towing)
        at = np.array([x, y]) + self.drawbar * _along(heading) + ahead * _along(own) - self.origin * _along(course)
        return float(at[0]), float(at[1]), course, towing / math.hypot(1.0, lever * towing)


def _along(heading: float) -> Array:
    return np.array([math.cos(heading), math.sin(heading)])


def geometry_of(vehicle: Vehicle) -> Geometry:
    """The plan of a vehicle with one towed unit."""
    from jounce.components.driver.lateral import steered_at, turning_at

    units = vehicle.layout.units
    check_units(vehicle)
    turning = turning_at(units[0].vehicle)
    coupling = units[1].data.hitch.location.x
    return Geometry(
        abs(steered_at(units[0].vehicle) - turning),
        turning,
        turning - coupling,
        -axle_of(units[1]),
        float(units[0].origins[""][0]),
    )


def axle_of(unit: object) -> float:
    """Where the axles of a unit are in the mean, along it."""
    places = [axle.x for axle in unit.axles]  # type: ignore[attr-defined]
    return float(sum(places) / len(places))


def check_units(vehicle: Vehicle) -> None:
    """Refuse trains that nobody reverses along a path."""
    units = vehicle.layout.units
    bends = sum("yaw" in unit.data.hitch.free for unit in units[1:])
    if bends != 1 or len(units) != 2:
        raise ParameterError(
            f"reversing along a path: the vehicle has {len(units) - 1} towed units with {bends} articulations; the "
            "driver in reverse steers by one articulation. Two of them fold up faster than he can see which one"
        )
    if not units[1].axles:
        raise ParameterError("reversing along a path: the towed unit has no axle to guide")


@dataclass(frozen=True)
class Schedule:
    """Numbers of a driver who reverses: gains over the articulation, turns over the curvature, what he sees ahead."""

    articulations: Array
    gains: Array  # of ``GAINS``, from small to large articulation
    curvatures: Array  # of the way of the towed axle
    turns: Array  # of ``TURN``
    speed: float  # |V|
    spacing: float  # m, between nodes
    shares: Array
    jack_knife: float  # rad


@dataclass(frozen=True)
class _Found:
    curvature: float
    articulation: float
    turn: tuple[float, float, float]
    gains: Array


def schedule(
    sim: Simulation, description: Description, *, geometry: Geometry, lock: float, period: float = PERIOD
) -> Schedule:
    """Gains of a train that reverses steadily and straight in the simulation, which is left as it was."""
    from jounce.sim.turns import Turns

    here = sim.snapshot()
    try:
        turns = Turns(sim, description)
        if len(turns.swings) != 1:
            raise ParameterError(f"reversing along a path: {len(turns.swings)} articulations; the driver knows one")
        first = turns.here()
        _, speed, _ = along_axle(turns, first, geometry)
        omega = abs(speed) / geometry.wheelbase
        straight = lateral(turns, first, geometry)
        law = design(straight, omega, period=period, ahead=round(NODES * SPACING / omega / period))
        found = [_point(turns, first, geometry, law.feedback)]
        begin = sim.x.copy(), sim.m.copy(), sim.u.copy()
        for side in (1.0, -1.0):
            sim.x[:], sim.m[:], sim.u[:] = begin
            found += _to_one_side(turns, first, geometry, side * lock, omega, straight.gain, period)
    finally:
        sim.restore(here)
    if len(found) < 3:
        raise StaticsError("reversing along a path: no steady turns backwards were found")
    by_bend, by_curvature = (sorted(found, key=key) for key in (lambda p: p.articulation, lambda p: p.curvature))
    return Schedule(
        np.array([p.articulation for p in by_bend]),
        np.array([p.gains for p in by_bend]),
        np.array([p.curvature for p in by_curvature]),
        np.array([p.turn for p in by_curvature]),
        abs(speed),
        abs(speed) * SPACING / omega,
        shares(law.preview, period, SPACING / omega),
        min(max(p.articulation for p in found), -min(p.articulation for p in found)),
    )


def along_axle(turns: Turns, turn: Turn, geometry: Geometry) -> tuple[float, float, float]:
    """Of a turn: articulation, speed of the towed axle along and across its unit (2)."""
    lever = _lever(turns, geometry)
    (gamma,) = (float(a) for a in turn.articulations)
    aside = turn.lateral + lever * turn.yaw_rate
    c, s = math.cos(gamma), math.sin(gamma)
    return gamma, turn.speed * c + aside * s, -turn.speed * s + aside * c - geometry.drawbar * turn.yaw_rate


def _lever(turns: Turns, geometry: Geometry) -> float:
    """The coupling from the point whose velocity the first body has; negative behind it."""
    place = turns.description.places[0].units[0]
    return float(place.local(np.array([geometry.turning - geometry.overhang, 0.0, 0.0]))[0])


def lateral(turns: Turns, turn: Turn, geometry: Geometry) -> Lateral:
    """The linear train about a turn, guided at the axle of the towed unit (1), (2)."""
    sideways, spins = turns.kept[:2]
    ((angle, rate),) = turns.swings
    others = [sideways, spins, rate, *turns.others]
    a, b = turn.model.A, turn.model.B[:, turns.inputs.index("steering_wheel")]
    slow, by_hand, by_rate = reduced(a, b, [angle], others)
    aside, yaw, bends = following(a, b, [angle], others, slow, by_hand, by_rate)[:3]
    gamma, speed, _ = along_axle(turns, turn, geometry)
    turned = yaw + bends
    across = math.cos(gamma) * (aside + _lever(turns, geometry) * yaw) - geometry.drawbar * turned
    across[0] -= speed
    return Lateral(slow, by_hand, by_rate, speed, across, turned)


def _point(turns: Turns, turn: Turn, geometry: Geometry, feedback: Array) -> _Found:
    gamma, speed, across = along_axle(turns, turn, geometry)
    assert len(feedback) == 1 + FURTHER
    return _Found(turn.yaw_rate / speed, gamma, (turn.steering, gamma, across / speed), feedback)


def _to_one_side(
    turns: Turns, first: Turn, geometry: Geometry, lock: float, omega: float, gain: float, period: float
) -> list[_Found]:
    """Turns from the straight up to the lock, as far as the towed axle follows in them."""
    found: list[_Found] = []
    last, step = first, lock / STEPS
    least = step / 2**HALVED
    while abs(last.steering - first.steering) + 1e-9 < abs(lock) and abs(step) >= abs(least) - 1e-9:
        angle = first.steering + min(abs(last.steering - first.steering + step), abs(lock)) * math.copysign(1.0, lock)
        turn = turns.steer(angle, turns.guess(last, angle - last.steering))
        if turn is None:
            step /= 2
            continue
        gamma, speed, _ = along_axle(turns, turn, geometry)
        beyond = abs(gamma) <= abs(float(last.articulations[0]))
        if beyond or abs(speed) < SLOWEST * abs(turn.speed) or speed * turn.speed < 0:
            break
        here = lateral(turns, turn, geometry)
        try:
            law = design(here, omega * abs(speed / first.speed), period=period, gain=gain)
        except (np.linalg.LinAlgError, ValueError):
            break
        found.append(_point(turns, turn, geometry, law.feedback))
        last = turn
    return found


def shown(found: Schedule) -> Sequence[float]:
    """What the driver knows besides gains and turns: speed, spacing, articulation of the jack-knife, shares."""
    return [found.speed, found.spacing, found.jack_knife, *found.shares]
