"""Press manoeuvres: the highest constant speed at which a car goes through a course of cones, whatever its trajectory.

    found = press(load("sedan"), DoubleLaneChange(variant="iso_3888_2", speed="50 km/h"), refinements=2)
    found.speed, found.moves, found.event

A trajectory is a C² spline through the control points of the course (``road/courses.Control``), each moved aside by
one of 2 · range/step + 1 places: its genes. A genetic algorithm
(pymoo: tournaments, crossover at one point, mutation by one
place, the best go on) looks for one that the car drives without a cone at the speed v. What is least is

    f = Σ depth of the cones hit + 1 m for each gate missed + ε max |δ̇_H|,   ε = 1e-5 m/(deg/s)                    (1)

plus 100 m for a run that did not come to its end, or failed: that is a bad trajectory, and nothing stops. As soon as
one is without a cone, v grows by the step of speed and the next cycle begins with the last population. When no
trajectory of a cycle is, the next refinement halves both steps about the best so far. The result is the last that was
driven without a cone, with the full model: simpler ones (`Level`: other data of the vehicle, another step) may serve
the first refinements only, and what they found is driven again with the model of the refinement that follows.

Trajectories that were driven are kept by their control points, speed and model. One seed gives one result.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.errors import ModelError, ParameterError
from jounce.core.writing import write_atomically
from jounce.events.batch import Case, batch
from jounce.events.cones import ConeEvent
from jounce.results.key_figures.cones import gates_missed, hits

if TYPE_CHECKING:
    from jounce.results.run import Run
    from jounce.road.courses import Control
    from jounce.vehicle.schema import Vehicle

MISSED, FAILED = 1.0, 100.0  # m, of (1)
EFFORT = 1e-5  # m per deg/s, of (1): a cone touched by a millimetre counts more than any steering
PLACES = 6  # decimals of metres by which trajectories are told apart
HIGHEST = 100.0  # m/s: no course of cones ends a search there
SLOWEST = 1.0  # m/s: a search goes no further down


@dataclass(frozen=True)
class Level:
    """A simpler model for the first refinements.

    Attributes
    ----------
    refinements : how many of them it serves
    changes : of the vehicle, by path
    options : of `jounce.run`, such as ``step``
    """

    refinements: int = 1
    changes: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """One drive: where the control points were moved (m), speed, level (-1: the full model), and what came of it."""

    refinement: int
    level: int
    speed: float
    moves: tuple[float, ...]
    fitness: float
    feasible: bool
    reason: str = ""


# moves, speed and level of several drives -> fitness (1), whether it was feasible, and why not
Outcome = tuple[float, bool, str]
Drives = Callable[[Sequence[tuple[float, ...]], float, int], Sequence[Outcome]]


@dataclass(frozen=True)
class Pressed:
    """What a search came to.

    speed, moves : of the fastest trajectory without a cone, m/s and m; nan and none where there is none
    beyond : the lowest higher speed at which none was found, m/s; nan where the limit of the search was reached
    event : that drives it
    """

    speed: float
    moves: tuple[float, ...]
    beyond: float
    event: ConeEvent
    trials: list[Trial]
    remarks: list[str]

    @property
    def ok(self) -> bool:
        """Whether a trajectory without a cone was found."""
        return math.isfinite(self.speed)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "speed": self.speed if self.ok else None,
            "beyond": self.beyond if math.isfinite(self.beyond) else None,
            "moves": list(self.moves),
            "event": self.event.to_dict(),
            "drives": len(self.trials),
            "remarks": list(self.remarks),
        }

    def write_log(self, path: str | os.PathLike[str], *, feasible: bool = False) -> Path:
        """Write the drives as CSV, in their order; ``feasible``: only those without a cone."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["refinement", "level", "speed [m/s]", "moves [m]", "fitness [m]", "feasible", "reason"])
        for one in self.trials:
            if feasible and not one.feasible:
                continue
            moves = " ".join(f"{x:g}" for x in one.moves)
            row = [one.refinement, one.level, repr(one.speed), moves, repr(one.fitness), str(one.feasible).lower()]
            writer.writerow([*row, one.reason])
        return write_atomically(path, text.getvalue())


def press(
    vehicle: Vehicle,
    event: ConeEvent,
    *,
    speed_step: float = 0.5,
    highest: float = HIGHEST,
    refinements: int = 2,
    levels: Sequence[Level] = (),
    control: Control | None = None,
    population: int = 12,
    generations: int = 6,
    seed: int = 1,
    drives: Drives | None = None,
    told: Callable[[Trial], None] | None = None,
    **options: Any,
) -> Pressed:
    """Search the highest speed without a cone.

    Parameters
    ----------
    event : a course of cones; its ``speed`` is the first that is tried
    speed_step : by which the speed grows after a trajectory without a cone, m/s
    highest : where the search ends, m/s
    refinements : how often both steps are halved, and one
    levels : simpler models of the first refinements; the last refinement is that of the full model
    control : places of the control points; default those of the event
    population, generations : of a cycle; the base trajectory and the best so far are in it
    drives : what drives trajectories instead of the vehicle; for tests and other models
    told : called with every drive
    options : of `jounce.run`
    """
    course, _ = event.changed(moves=()).laid(vehicle)
    course = course.mirrored() if event.side == "right" else course
    grid = control if control is not None else event.control(course)
    simple = sum(level.refinements for level in levels)
    if not (refinements >= 1 and simple < refinements):
        raise ParameterError(
            f"press: {simple} of {refinements} refinements have a simpler model; the last must have the full one"
        )
    for name, value, least in (("population", population, 2), ("generations", generations, 1)):
        if value < least:
            raise ParameterError(f"press: {name} = {value}; expected at least {least}")
    if not (speed_step > 0 and highest >= event.speed):
        raise ParameterError(
            f"press: speed_step = {speed_step:g} m/s must be above 0, and highest = {highest:g} m/s not below the "
            f"speed of the event, {event.speed:g} m/s"
        )
    if drives is None:
        drives = _Cars(vehicle, event, levels, options)
        drives.check()
    search = _Search(drives, grid, speed_step, highest, population, generations, seed, told)
    return search.run(event, refinements, levels)


def _genetic(population: Any, seed: int, levels: int, genes: int) -> tuple[Any, Any]:
    """The algorithm of pymoo, and its problem."""
    try:
        from pymoo.algorithms.soo.nonconvex.ga import GA
        from pymoo.core.mutation import Mutation
        from pymoo.core.problem import Problem
        from pymoo.operators.crossover.pntx import SinglePointCrossover
    except ImportError as missing:
        raise ModelError("press manoeuvres need pymoo: pip install 'jounce[search]'") from missing

    class ByOnePlace(Mutation):  # type: ignore[misc]
        """A gene in so many, and at least sometimes one, goes to the place beside its own."""

        def _do(self, problem: Any, genes: Any, random_state: Any = None, **_: Any) -> Any:
            chosen = random_state.random(genes.shape) < max(0.2, 1 / genes.shape[1])
            return np.clip(genes + chosen * random_state.choice((-1, 1), genes.shape), problem.xl, problem.xu)

    problem = Problem(n_var=genes, n_obj=1, xl=np.zeros(genes), xu=np.full(genes, levels - 1), vtype=int)
    algorithm = GA(
        pop_size=len(population),
        sampling=population,
        crossover=SinglePointCrossover(),
        mutation=ByOnePlace(),
        eliminate_duplicates=True,
        seed=seed,
    )
    algorithm.setup(problem, termination=("n_gen", 10**9), seed=seed, verbose=False)
    return algorithm, problem


@dataclass
class _Search:
    """State of a search."""

    drives: Drives
    base: Control
    speed_step: float
    highest: float
    population: int
    generations: int
    seed: int
    told: Callable[[Trial], None] | None
    trials: list[Trial] = field(default_factory=list)
    known: dict[tuple[Any, ...], Outcome] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def run(self, event: ConeEvent, refinements: int, levels: Sequence[Level]) -> Pressed:
        of = [k for k, level in enumerate(levels) for _ in range(level.refinements)]
        of += [-1] * (refinements - len(of))
        grid, step, speed = self.base, self.speed_step, event.speed
        best: tuple[float, tuple[float, ...]] | None = None
        beyond = math.nan
        for refinement, level in enumerate(of):
            if refinement > 0:
                centre = np.zeros(grid.moved) if best is None else self._offsets(best[1], grid)
                grid, step = grid.halved(centre), 0.5 * step
            best, beyond, elite = self._again(best, grid, refinement, level, step)
            speed = event.speed if best is None else min(best[0] + step, self.highest)
            while best is None or best[0] < self.highest:
                found, elite = self._cycle(grid, refinement, level, speed, elite)
                if found is None:
                    beyond = speed
                    break
                best, beyond = (speed, found), math.nan
                speed = min(speed + step, self.highest)
            if best is None:
                self.remarks.append(f"refinement {refinement + 1}: no trajectory without a cone at {speed:.4g} m/s")
        if best is None:
            self.remarks.append("no trajectory was found; begin with a lower speed")
            return Pressed(math.nan, (), beyond, event, self.trials, self.remarks)
        fastest = event.changed(speed=best[0], moves=best[1])
        if best[0] >= self.highest:
            self.remarks.append(f"the highest speed of the search, {self.highest:.4g} m/s, was reached")
        return Pressed(best[0], best[1], beyond, fastest, self.trials, self.remarks)

    def _again(
        self, best: tuple[float, tuple[float, ...]] | None, grid: Control, refinement: int, level: int, step: float
    ) -> tuple[tuple[float, tuple[float, ...]] | None, float, Any]:
        """The best so far with the model of this refinement: more slowly, until it is without a cone."""
        if best is None:
            return None, math.nan, None
        speed, moves = best
        beyond = math.nan
        while speed >= SLOWEST:
            if self._drive([moves], speed, refinement, level)[0][1]:
                return (speed, moves), beyond, None
            beyond, speed = speed, speed - step
        return None, beyond, None

    def _offsets(self, moves: Sequence[float], grid: Control) -> Any:
        """Of the control points of a grid, for moves of the base trajectory."""
        return self.base.trajectory(moves)[self._moved, 1] - np.asarray(grid.points)[self._moved, 1]

    @property
    def _moved(self) -> slice:
        return slice(self.base.begin - 1, self.base.last)

    def _cycle(
        self, grid: Control, refinement: int, level: int, speed: float, elite: Any
    ) -> tuple[tuple[float, ...] | None, Any]:
        """One cycle at one speed: moves of a trajectory without a cone, if any, and the population it ended with."""
        half = (grid.levels - 1) // 2
        random = np.random.default_rng([self.seed, refinement, round(1e6 * speed)])
        if elite is None:
            elite = random.integers(0, grid.levels, (self.population, grid.moved))
            elite[0] = half  # the trajectory about which the grid stands
        algorithm, _ = _genetic(np.asarray(elite), int(random.integers(2**31)), grid.levels, grid.moved)
        base = np.asarray(self.base.points)[self._moved, 1]
        for _ in range(self.generations):
            asked = algorithm.ask()
            if asked is None or not len(asked):
                break
            genes = np.rint(asked.get("X").astype(float)).astype(int)
            around = np.asarray(grid.points)[self._moved, 1]
            moves = [tuple((around + grid.step * (g - half) - base).round(PLACES).tolist()) for g in genes]
            outcomes = self._drive(moves, speed, refinement, level)
            good = [k for k, (_, feasible, _) in enumerate(outcomes) if feasible]
            asked.set("F", np.array([[fitness] for fitness, _, _ in outcomes]))
            algorithm.tell(infills=asked)
            if good:
                first = min(good, key=lambda k: outcomes[k][0])
                rest = algorithm.pop.get("X") if algorithm.pop is not None and len(algorithm.pop) else genes
                kept = np.vstack([genes[first], np.rint(np.asarray(rest, dtype=float)).astype(int)])
                return moves[first], kept[: self.population]
        last = algorithm.pop.get("X") if algorithm.pop is not None and len(algorithm.pop) else elite
        return None, np.rint(np.asarray(last, dtype=float)).astype(int)

    def _drive(self, moves: Sequence[tuple[float, ...]], speed: float, refinement: int, level: int) -> list[Outcome]:
        """Outcomes of trajectories; each is driven once."""
        keys = [(one, round(speed, PLACES), level) for one in moves]
        new = list(dict.fromkeys(key for key in keys if key not in self.known))
        if new:
            for key, outcome in zip(new, self.drives([key[0] for key in new], speed, level), strict=True):
                self.known[key] = outcome
                trial = Trial(refinement, level, speed, key[0], *outcome)
                self.trials.append(trial)
                if self.told is not None:
                    self.told(trial)
        return [self.known[key] for key in keys]


@dataclass
class _Cars:
    """Drives trajectories with the vehicle, or with what a level makes of it."""

    vehicle: Vehicle
    event: ConeEvent
    levels: Sequence[Level]
    options: Mapping[str, Any]
    made: dict[int, Vehicle] = field(default_factory=dict)

    def check(self) -> None:
        """A car that cannot stand, or a course that cannot be laid, is told before the search."""
        from jounce.events.engine import make_ready
        from jounce.events.options import Options

        known = {key: value for key, value in self.options.items() if key != "workers"}
        make_ready(self.vehicle, self.event.changed(moves=()), Options.of(**known))

    def __call__(self, moves: Sequence[tuple[float, ...]], speed: float, level: int) -> list[Outcome]:
        if level not in self.made:
            changes = self.levels[level].changes if level >= 0 else {}
            self.made[level] = self.vehicle.with_(**changes) if changes else self.vehicle
        own = self.levels[level].options if level >= 0 else {}
        cases = [
            Case(self.made[level], self.event, {"event.speed": speed, "event.moves": one}, options=own) for one in moves
        ]
        return [judged(run) for run in batch(cases, **self.options)]


def judged(run: Run) -> Outcome:
    """Fitness (1) of a run, whether it was without a cone, and why not."""
    if len(run) < 2:
        return FAILED, False, run.reason
    found, missed = hits(run), gates_missed(run)
    fitness = sum(h.depth for h in found) + MISSED * len(missed)
    effort = run.kpis["steering_rate_peak"][0]
    if math.isfinite(effort):
        fitness += EFFORT * effort
    if not run.complete:
        return fitness + FAILED, False, run.reason
    reason = ", ".join(map(str, found[:3]))
    return fitness, not found and not missed, reason
