"""Steady running: the state in which a vehicle keeps its speed, found by Newton's method on exact Jacobians.

Built from the roles of states (``core/roles.py``): unknowns are all that balance, drift or are strained, and the drive
demand; their rates vanish, as do the accelerations of all balancing coordinates,

    v̇_x = 0 by the throttle;   v̇_y = ω̇_z = 0 by side slip and yaw rate;   v̇_z = ω̇_x = ω̇_y = J̈ = 0,
    Ω̇ = 0, contact deflections at rest, …                                                                     (1)

With the steering straight a symmetric car runs straight on; one that pulls to a side is found on its wide circle.

**In a turn** of a given curvature κ the hand wheel is one more unknown; with the yaw rate ψ̇ about the normal of the
ground, and the speed V of the origin of the body over the ground, negative backwards,

    ψ̇ = κ V                                                                                                     (2)

and where the course is given, the heading is another: the velocity has no part across the course. Large curvatures are
reached in steps, each from the turn before, so that the car is on the near side of the limit of its tires; where no
step leads on, from a sharper turn, with less steering than there.

**Gathering speed** evenly, by α, spins grow with the speed, and everything else that follows it: with h of
neighbouring steady states (``gains`` (2)) the rates of (1) are not zero but

    v̇_x = α,    ż = α h,    ω̇_z = κ α                                                                           (3)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, StaticsError
from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import in_analysis
from jounce.sim.car import Description, lineariser
from jounce.sim.equilibrium import Found, Places, followed, least_squares, newton, rotation
from jounce.sim.linear import Lineariser, LinearModel
from jounce.sim.statics import HEIGHT_STEP, ROUNDING, STEP_LIMITS

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-9  # largest rate left, SI
ITERATIONS = 30
SPIN_STEP, THROTTLE_STEP, STRAIN_STEP = 5.0, 0.3, 0.01  # largest changes in one step, SI
KNOWN = ("balance", "drift", "strain", "swing")  # roles of unknowns
THROTTLE, BRAKE, STEERING = "throttle", "brake", "steering_wheel"
SWING_STEP = 0.2  # rad, of a unit against the one that tows it
HAND_STEP = 0.5  # rad, of the hand wheel in one step
WIDTH = 1e-7  # of differences of (2): rad, m/s, rad/s
SMALLEST = 1 / 64  # of a curvature: a turn that no shorter step reaches is beyond the car
SHARPER = (1.5, 2.0, 3.0)  # of a curvature, from which it is sought once more
PEDAL_DOWN = 0.1  # where a search begins again
BRAKES = 0.03  # the same with the brake, which does nothing at zero


@dataclass(frozen=True)
class Running:
    """A steady state: demand that keeps it, and how it was found."""

    speed: float
    throttle: float
    yaw_rate: float
    iterations: int
    residual: float
    brake: float = 0.0  # where the speed is not kept without: downhill, or with an engine that idles faster
    steering: float = 0.0  # hand wheel angle
    side_slip: float = 0.0  # of the origin of the body, left positive


@in_analysis("quasi-static")
def run_steadily(
    sim: Simulation,
    description: Description,
    speed: float,
    normal: Sequence[float] = (0.0, 0.0, 1.0),
    *,
    curvature: float | None = None,
    course: float | None = None,
    acceleration: float = 0.0,
) -> Running:
    """Bring a car that stands in equilibrium to steady running at a speed (m/s, not zero).

    ``normal`` is that of the ground, along which the car moves. The throttle found may be negative (downhill, or
    backwards): the caller decides whether brakes do that. One vehicle, with one drive demand.

    Parameters
    ----------
    curvature : of the way, positive where its centre is to the left of the car, backwards too; the hand wheel is found
        for it. Absent: the steering stays as it is
    course : direction of the way from the world's x axis, ahead of the car, with a curvature; the heading is found for
        it, about the origin of the body. Absent: the heading stays as it is
    acceleration : by which the speed grows along the car (3)
    """
    if description.relaxation == "exact":
        raise StaticsError(
            "steady running is found with tires that relax by states; with relaxation 'exact' take over its state "
            "(jounce.sim.car.take_over)"
        )
    if len(description.vehicles) != 1:
        raise ParameterError("steady running: several vehicles; bring each alone to its speed and take over its state")
    if curvature is not None and description.places[0].steered is None and curvature != 0.0:
        raise ParameterError(f"steady running with a curvature of {curvature:g} 1/m: no axle of the vehicle is steered")
    roll(sim, description, speed)
    search = _Search(sim, description, speed, normal)
    search.turn_about()
    pedal = search.straight()
    if acceleration:
        search.gather(acceleration, pedal)
    if curvature is not None and description.places[0].steered is not None:
        search.turn(curvature, course, pedal)
    return search.told()


class _Search:
    """Unknowns and equations of steady running."""

    def __init__(self, sim: Simulation, description: Description, speed: float, normal: Sequence[float]) -> None:
        linear = self.linear = lineariser(description)
        self.sim, self.speed = sim, speed
        self.normal = np.asarray(normal, dtype=float) / np.linalg.norm(normal)
        names = self.names = tuple(linear.notes["states"])
        places, rest = Places(sim, names), linear.rest
        self.places = places
        roles: list[str] = rest["roles"]
        self.roles = roles
        (body,) = rest["bodies"]
        self.body = body
        partners = dict(rest["partners"])
        free = [i for i, role in enumerate(roles) if role in KNOWN]
        self.free = free
        # rates of unknowns and of the given speed; of a coordinate that of its speed, and its own unless that stands
        # still
        rows = {i for i in free if i not in partners} | {i for i, role in enumerate(roles) if role == "speed"}
        rows |= {partners[i] for i in free if i in partners}
        rows |= {i for i in free if i in partners and roles[partners[i]] != "zero" and i in places.state}
        self.chosen = sorted(rows)
        self.inputs = {name: i for i, name in enumerate(linear.notes["inputs"])}
        units = {v.name: v.unit for v in sim.model.states}
        self.limits = [_limit(i, names, roles, units, body) for i in free]
        # along the ground: ż = ẋ dz/dx + ẏ dz/dy
        x, y, z = body["position"]
        along = np.eye(len(names))
        along[z, x], along[z, y] = (n / normal[2] for n in normal[:2])
        self.along = along[self.chosen]
        self.first = places.quaternion[body["tilt"][0]][0]
        self.turning = [places.state[i] for i in body["turning"]]
        self.velocity = [places.state[i] for i in body["velocity"]]
        self.wanted = np.zeros(len(self.chosen))  # rates (3)
        self.growth = 0.0
        self.found = Found(False, 0, math.nan, 0, ())

    # -- the body over the ground ----------------------------------------------------------------------------------

    @property
    def axes(self) -> Array:
        found: Array = rotation(self.sim.x[self.first : self.first + 4])
        return found

    def turn_about(self) -> None:
        """Angular velocity of a body that turns without rolling and pitching: along the normal of the ground."""
        axis = self.normal @ self.axes
        self.sim.x[self.turning[:2]] = self.sim.x[self.turning[2]] / axis[2] * axis[:2]

    @property
    def yaw_rate(self) -> float:
        """About the normal of the ground."""
        return float(self.sim.x[self.turning[2]] / (self.normal @ self.axes)[2])

    @property
    def over_ground(self) -> Array:
        """Velocity in the plane of the ground, world."""
        v: Array = self.axes @ self.sim.x[self.velocity]
        result: Array = v - (v @ self.normal) * self.normal
        return result

    # -- searches --------------------------------------------------------------------------------------------------

    def solve(self, pedal: str, turn: Turn | None = None) -> Found:
        """Straight on by the size of what is left; where fast lags outweigh it (a filter of forces), and in turns, by
        the size of steps."""
        unknowns, sim = _Steady(self, pedal, turn), self.sim
        begin = sim.x.copy(), sim.u.copy(), sim.m.copy()
        for natural in (False, True) if turn is None else (True,):
            sim.x[:], sim.u[:], sim.m[:] = begin
            self.found = followed(
                sim, partial(newton, unknowns, unknowns.limits, TOLERANCE, ITERATIONS, ROUNDING, natural=natural)
            )
            if self.found.converged:
                break
        return self.found

    def straight(self) -> str:
        """With the steering as it is (1); returns the pedal that keeps the speed."""
        sim, pedals = self.sim, self.inputs
        begin = sim.x.copy()
        if self.solve(THROTTLE).converged:
            return THROTTLE
        # with the pedal up a motor coasts, and does not feel a small throttle: begin with one
        sim.x[:] = begin
        sim.set_inputs({THROTTLE: PEDAL_DOWN})
        if self.solve(THROTTLE).converged:
            return THROTTLE
        sim.x[:] = begin
        sim.set_inputs({THROTTLE: 0.0})
        faster = self.places.rates(sim.derivatives()[0])[self.body["velocity"][0]] * np.sign(self.speed) > 0
        if BRAKE in pedals:  # an idling engine pushes it, or the road falls: brakes hold the speed
            sim.set_inputs({BRAKE: BRAKES})
            if self.solve(BRAKE).converged and sim.input(BRAKE) > 0:
                return BRAKE
            sim.set_inputs({BRAKE: 0.0})
        if faster:
            why = "with the pedal up it goes faster by itself: an idling engine pushes it, or the road falls"
        else:
            why = "the car may lack the drive torque for this speed"
        raise StaticsError(f"no steady running at {self.speed:g} m/s: {self._left()}; {why}")

    def gather(self, acceleration: float, pedal: str) -> None:
        """The same with a speed that grows (3)."""
        growth = follows_speed(self.roles, self.linear.at(self.sim))
        self.growth = acceleration
        self.wanted = acceleration * (self.along @ growth)
        begin = self.sim.x.copy(), self.sim.u.copy()
        backs = pedal == THROTTLE and BRAKE in self.inputs and acceleration * self.speed < 0
        if self.solve(pedal).converged and not (backs and self.sim.input(THROTTLE) < 0):
            return
        self.sim.x[:], self.sim.u[:] = begin
        other = THROTTLE if pedal == BRAKE else BRAKE
        if other in self.inputs:
            self.sim.set_inputs({pedal: 0.0, other: BRAKES})
            if self.solve(other).converged and self.sim.input(other) >= 0:
                return
        raise StaticsError(
            f"no even change of speed by {acceleration:g} m/s2 at {self.speed:g} m/s: {self._left()}; neither drive "
            "nor brakes of the car give it"
        )

    def turn(self, curvature: float, course: float | None, pedal: str) -> None:
        """On a circle (2), reached in steps."""
        sim = self.sim
        reached, step = 0.0, 1.0
        pedal = BRAKE if sim.input(THROTTLE) == 0.0 and BRAKE in self.inputs and sim.input(BRAKE) > 0 else pedal
        while reached < 1.0:
            begin = sim.x.copy(), sim.u.copy(), sim.m.copy()
            part = min(reached + step, 1.0)
            if self.solve(pedal, Turn(part * curvature, course)).converged:
                reached = part
                continue
            sim.x[:], sim.u[:], sim.m[:] = begin
            step /= 2
            if step < SMALLEST:
                if self.round_about(curvature, course, pedal):
                    return
                sideways = self.speed**2 * abs(curvature)
                raise StaticsError(
                    f"no steady turn with a curvature of {curvature:g} 1/m at {self.speed:g} m/s ({sideways:.3g} m/s2 "
                    f"sideways): {self._left()}; up to {reached:.0%} of the curvature there is one. The tires may not "
                    "hold the car there, or the steering end before; start slower"
                )

    def round_about(self, curvature: float, course: float | None, pedal: str) -> bool:
        """Back from a sharper turn: where a differential begins to slip, slopes change, and no step leads across."""
        sim = self.sim
        begin, found = (sim.x.copy(), sim.u.copy(), sim.m.copy()), self.found
        for sharper in SHARPER:
            if self.solve(pedal, Turn(sharper * curvature, course)).converged:
                beyond = sim.input(STEERING)
                if self.solve(pedal, Turn(curvature, course)).converged and 0 < sim.input(STEERING) / beyond < 1:
                    return True
            sim.x[:], sim.u[:], sim.m[:] = begin
        self.found = found
        return False

    def _left(self) -> str:
        """What is not in balance."""
        worst = self.found.worst
        told = self.names[self.chosen[worst]] if worst < len(self.chosen) else "the way"
        return f"the rate of {told!r} stays at {self.found.size:.3g} (allowed {TOLERANCE:g})"

    def told(self) -> Running:
        sim = self.sim
        forward, aside = (float(sim.x[i]) for i in self.velocity[:2])
        return Running(
            self.speed,
            sim.input(THROTTLE),
            float(sim.x[self.turning[2]]),
            self.found.iterations,
            self.found.size,
            sim.input(BRAKE) if BRAKE in self.inputs else 0.0,
            sim.input(STEERING) if STEERING in self.inputs else 0.0,
            math.atan(aside / forward),
        )


@dataclass(frozen=True)
class Turn:
    """What a turn asks for (2)."""

    curvature: float
    course: float | None


class _Steady:
    """States, a pedal, in a turn the hand wheel and the heading as unknowns; rates as equations (1), (2)."""

    def __init__(self, search: _Search, pedal: str, turn: Turn | None) -> None:
        self.search, self.pedal, self.way = search, pedal, turn
        self.demands, limits = [pedal], [THROTTLE_STEP]
        self.states = list(search.free)
        bounds = list(search.limits)
        self.wanted = search.wanted.copy()
        if turn is not None:
            self.demands.append(STEERING)
            limits.append(HAND_STEP)
            if turn.course is not None:
                self.states.append(search.body["tilt"][2])
                bounds.append(math.inf)
            spins = search.chosen.index(search.body["turning"][2])
            self.wanted[spins] = search.growth * turn.curvature
        self.limits = np.array([*bounds, *limits])

    def _way(self) -> Array:
        """What is left of (2)."""
        if self.way is None:
            return np.zeros(0)
        v = self.search.over_ground
        speed = math.copysign(float(np.linalg.norm(v)), self.search.speed)
        left = [self.search.yaw_rate - self.way.curvature * speed]
        if self.way.course is not None:
            ahead = np.array([math.cos(self.way.course), math.sin(self.way.course), 0.0])
            left.append(float(np.cross(ahead, v) @ self.search.normal))
        return np.array(left)

    def residual(self) -> Array:
        search = self.search
        rates = search.along @ search.places.rates(search.sim.derivatives()[0]) - self.wanted
        return np.concatenate([rates, self._way()])

    def jacobian(self) -> Array:
        search = self.search
        model = search.linear.at(search.sim)
        of_demands = model.B[:, [search.inputs[name] for name in self.demands]]
        found = search.along @ np.column_stack([model.A[:, self.states], of_demands])
        if self.way is None:
            return found
        x = search.sim.x.copy()
        slopes = np.zeros((len(self._way()), len(self.limits)))
        moving = {*search.body["tilt"], *search.body["velocity"], *search.body["turning"]}
        for column, i in enumerate(self.states):
            if i not in moving:
                continue
            ends = []
            for sign in (1.0, -1.0):
                search.sim.x[:] = search.places.moved(x, [i], np.array([sign * WIDTH]))
                ends.append(self._way())
            slopes[:, column] = (ends[0] - ends[1]) / (2 * WIDTH)
        search.sim.x[:] = x
        return np.vstack([found, slopes])

    def save(self) -> tuple[Array, list[float]]:
        return self.search.sim.x.copy(), [self.search.sim.input(name) for name in self.demands]

    def move(self, start: tuple[Array, list[float]], step: Array) -> None:
        sim, n = self.search.sim, len(self.states)
        sim.x[:] = self.search.places.moved(start[0], self.states, step[:n])
        self.search.turn_about()
        sim.set_inputs({name: a + float(b) for name, a, b in zip(self.demands, start[1], step[n:], strict=True)})


def follows_speed(roles: Sequence[str], model: LinearModel) -> Array:
    """How all states grow with the speed along neighbouring steady states, h of ``gains`` (2); 1 for the speed."""
    speed = list(roles).index("speed")
    others = [i for i, role in enumerate(roles) if role not in ("place", "speed", "free")]
    result = np.zeros(len(roles))
    result[speed] = 1.0
    (result[others],) = least_squares(model.A[np.ix_(others, others)], -model.A[others, speed])
    return result


def roll(sim: Simulation, description: Description, speed: float) -> None:
    """Give all bodies a speed, with wheels that roll freely."""
    linear: Lineariser = lineariser(description)
    places, rest = Places(sim, linear.notes["states"]), linear.rest
    for body in rest["bodies"]:
        sim.x[places.state[body["velocity"][0]]] = speed
    turning = [places.state[i] for i in rest["rolling"]]
    sim.x[turning] = linear.limits_and_rolling(sim)[1]
    following = [i for i, v in enumerate(sim.model.memories) if v.role == "follow"]
    if following:  # such as the gear that fits the speed, by which an engine turns
        sim.m[following] = sim.derivatives()[1][following]
        sim.x[turning] = linear.limits_and_rolling(sim)[1]


def _limit(
    i: int, names: Sequence[str], roles: Sequence[str], units: dict[str, str], body: dict[str, list[int]]
) -> float:
    """Largest change of an unknown in one step."""
    unit = units.get(names[i], "")
    if i == body["position"][2]:
        return HEIGHT_STEP
    if roles[i] == "strain":
        return STRAIN_STEP
    if roles[i] == "swing":
        return SWING_STEP
    if roles[i] == "drift" and i not in body["velocity"] and i not in body["turning"]:
        return SPIN_STEP if unit == "rad/s" else math.inf
    return STEP_LIMITS["m"] if roles[i] == "balance" and unit == "m" else math.inf
