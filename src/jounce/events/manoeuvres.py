"""From a manoeuvre to a phase program: what `jounce.manoeuvre` says, for one vehicle that is ready to start.

A stage becomes a phase. Its channels become references of inputs: of the hand wheel and the pedals where they are open,
of the driver's targets and shares where they are his. Everything acts in C; nothing of it is asked again in a run.

    pedal = clip(scale · share, minimum, maximum)/full                                                           (1)
    spline with smoothing f over N values y: Σ (y − ŷ)² ≤ f N (max |y|)²                                             (2)

Measures of end conditions are watched channels; references with the tolerance ε as `jounce.manoeuvre.conditions` (1).
Signals are continuous functions of time; the driver and the conditions have the sample time of the stage.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core import units
from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.tables import Table
from jounce.events.along import along
from jounce.events.follow import ACTIVE, TARGET
from jounce.events.gears import check_gear, gears_of
from jounce.events.manoeuvre_parts import UNLIMITED, gain_numbers, module_numbers
from jounce.manoeuvre import Manoeuvre, Stage, signals, targets
from jounce.manoeuvre.conditions import Condition
from jounce.manoeuvre.measures import MEASURES, measure
from jounce.runtime.program import (
    Channel,
    Constant,
    End,
    Feedback,
    FromInput,
    FromTable,
    FromWatch,
    Goto,
    Hold,
    Integral,
    Next,
    Open,
    Over,
    Phase,
    Polynomial,
    Program,
    Pulse,
    Ramp,
    Reference,
    SetParameter,
    Sine,
    Slope,
    Stop,
    Swept,
    When,
)

if TYPE_CHECKING:
    from jounce.events.start import Start
    from jounce.road.path import Path
    from jounce.runtime.program import Action

Array = npt.NDArray[np.float64]
INPUTS = {"steering": "steering_wheel", "throttle": "throttle", "braking": "brake", "clutch": "clutch", "gear": "gear"}
PEDALS = ("throttle", "braking")
SPEED, STATION, DISTANCE = "chassis_velocities.longitudinal", "driving_machine_monitor.path_s", "driver.distance"
LATERAL = "chassis_accelerations.lateral"
AHEAD = "driver.target_station"  # of the preview point
CHEAP = ("chassis_displacements.", "chassis_velocities.", "driver_demands.")  # without forces
STEERS, PATH = "driver.steers", "driver.path"
HANDS = 1200 * math.pi / 180  # rad/s: of a driver whose rate has no limit, as ``components/driver/lateral``
TAIL = 100.0  # m, of a path that another one continues
MOST = 400_000  # stations of a table
BEND = 30.0  # m, to either side, within which a bend has one sharpest part
FINE = 16  # points between two of a spline that is no table
OVERSHOOT = 0.01  # of the range of the values, that a spline may go beyond them without a word
AXES: dict[str, signals.Axis] = {"time": "time", "distance": "distance", "path_s": "station"}  # of DCD files
RISE = 2.0  # 1/s: how fast a lateral acceleration is corrected


# --- before the model ------------------------------------------------------------------------------------------------


def follows_path(manoeuvre: Manoeuvre, stage: Stage) -> bool:
    """Whether the driver steers along a path in a stage."""
    path = manoeuvre.path_of(stage)
    return stage.steering.method == "machine" and not isinstance(path, targets.LateralAccelerationTarget)


def driver_kind(manoeuvre: Manoeuvre) -> str:
    """The kind of lateral driver, "" where nobody steers along a path; all stages have one."""
    kinds = {manoeuvre.controller_of(stage).driver for stage in manoeuvre.driven if follows_path(manoeuvre, stage)}
    if len(kinds) > 1:
        raise ParameterError(
            f"controllers: one manoeuvre has one kind of lateral driver, found {', '.join(sorted(kinds))}"
        )
    return next(iter(kinds), "")


def watched(manoeuvre: Manoeuvre) -> tuple[str, ...]:
    """Channels that end conditions and targets look at: all measures that need no accelerations, and what is asked
    for besides. So most manoeuvres share one compiled model."""
    names = {SPEED, *(item.channel for item in MEASURES.values() if item.channel.startswith(CHEAP))}
    for stage in manoeuvre.driven:
        for _, condition in manoeuvre.conditions_of(stage):
            known = measure(condition.measure)
            if known is None:
                names.add(condition.measure)
            elif known.channel:
                names.add(known.channel)
        if isinstance(manoeuvre.path_of(stage), targets.LateralAccelerationTarget):
            names.add(LATERAL)
    return tuple(sorted(names))


# --- paths -----------------------------------------------------------------------------------------------------------


def path_points(target: targets.PathTarget, folder: FilePath | None = None) -> Path:
    """The path of a target, not yet placed."""
    from jounce.files.roads import load_path
    from jounce.road.path import Path, joined

    if isinstance(target, targets.FilePath):
        named = FilePath(target.file)
        place = folder / named if folder is not None and not named.is_absolute() else named
        found = load_path(str(place) if place.is_file() else target.file)
        return found.resampled(target.min_segment) if target.interpolation == "cubic" else found
    if isinstance(target, targets.PointsPath):
        z = target.pz or (0.0,) * len(target.px)
        return Path.from_points(np.column_stack([target.px, target.py, z]), bank=target.bank or None)
    if isinstance(target, targets.StraightPath):
        return Path.straight(target.length, step=target.step)
    assert isinstance(target, targets.SkidpadPath)
    return joined(skidpad_segments(target), step=target.step, name="skidpad")


def skidpad_segments(target: targets.SkidpadPath) -> list[tuple[float, float, float]]:
    """Length and curvatures of straight, clothoid, circle, clothoid, straight; a clothoid by θ has the length 2 R θ."""
    radius, curvature = target.radius, (1.0 if target.side == "left" else -1.0) / target.radius
    into, out = 2 * radius * target.entry_angle, 2 * radius * target.exit_angle
    circle = radius * max(target.angle - target.entry_angle - target.exit_angle, 0.0)
    whole = target.entry_length + into + circle + out + target.exit_length
    circle += max(target.length - whole, 0.0)
    segments = [
        (target.entry_length, 0.0, 0.0),
        (into, 0.0, curvature),
        (circle, curvature, curvature),
        (out, curvature, 0.0),
        (target.exit_length, 0.0, 0.0),
    ]
    return [segment for segment in segments if segment[0] > 0]


def placed(path: Path, target: targets.PathTarget, how: str, start: tuple[float, float, float]) -> Path:
    """A path where it is driven; ``start``: x, y and heading of the vehicle."""
    shape = isinstance(target, targets.StraightPath | targets.SkidpadPath)
    unmoved = target.x == target.y == target.heading == 0.0
    if how == "raw" and not shape:
        return path
    if how == "automatic" or (shape and unmoved):
        return _onto(path, *start)
    return path.moved(target.x, target.y, target.z, target.heading)


def _onto(path: Path, x: float, y: float, heading: float) -> Path:
    """A path whose first point and direction are given."""
    centred = path.moved(-float(path.x[0]), -float(path.y[0]))
    return centred.moved(x, y, 0.0, heading - float(path.heading[0]))


def continued(before: Path, path: Path) -> Path:
    """A path behind the last stretch of another one: who looks ahead leaves that before its end."""
    from jounce.road.path import Path

    step = min(before.step, path.step)
    n = max(2, math.ceil(min(TAIL, before.length) / step))
    tail = np.linspace(before.length - min(TAIL, before.length), before.length, n + 1)[:-1]
    more: dict[str, Any] = {}
    for name in ("bank", "speed"):
        new, old = getattr(path, name), getattr(before, name)
        if new is not None:
            more[name] = np.concatenate([np.full(n, float(new[0])) if old is None else before.at(tail, name), new])
    points = np.column_stack([path.x, path.y, path.z])
    points[:, 2] += float(before.z[-1]) - float(path.z[0])
    return Path.from_points(np.vstack([before.at(tail), points]), closed=False, step=step, name=path.name, **more)


class Routes:
    """The paths of a manoeuvre, placed, and which stage follows which.

    start : x, y and heading of the vehicle
    speed : of it, for the preview distance
    """

    def __init__(
        self, manoeuvre: Manoeuvre, start: tuple[float, float, float], speed: float, folder: FilePath | None = None
    ) -> None:
        self.paths: list[Path] = []
        self.of_stage: dict[str, int] = {}
        known: list[tuple[Any, ...]] = []
        before: Path | None = None
        for stage in manoeuvre.driven:
            target = manoeuvre.path_of(stage)
            if target is None or not follows_path(manoeuvre, stage):
                continue
            how = stage.options.placement or manoeuvre.settings.placement
            where = start
            connected = stage.options.connect_path and before is not None
            if connected:
                assert before is not None
                where = (float(before.x[-1]), float(before.y[-1]), float(before.heading[-1]))
            key = (target, "connected" if connected else how, where)
            if key not in known:
                try:
                    found = path_points(target, folder)
                    if connected:
                        assert before is not None
                        found = continued(before, _onto(found, *where))
                    else:
                        found = placed(found, target, how, where)
                    _check_preview(manoeuvre, stage, found, speed)
                except ParameterError as why:
                    raise ParameterError(f"stage {stage.name!r}: {why}") from None
                known.append(key)
                self.paths.append(found)
            self.of_stage[stage.name] = known.index(key)
            before = self.paths[self.of_stage[stage.name]]

    def path(self, stage: Stage) -> Path | None:
        """The path that a stage follows."""
        return self.paths[self.of_stage[stage.name]] if stage.name in self.of_stage else None


def _check_preview(manoeuvre: Manoeuvre, stage: Stage, path: Path, speed: float) -> None:
    settings = manoeuvre.controller_of(stage)
    ahead, before = max(abs(speed) * settings.preview_time, settings.min_preview_distance), stage.options.end_tolerance
    if not path.closed and path.length < ahead + before:
        raise ParameterError(
            f"path: {path.length:.4g} m long, shorter than the preview distance of {ahead:.4g} m and the "
            f"{before:g} m before its end"
        )


def spline(x: Any, y: Any, interpolation: str, smoothing: float = 0.0) -> Table:
    """A map as a table; the ends are held."""
    at, values = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(at) == 1:
        return Table([at[0]], [values[0]], method="linear", extrapolation="flat")
    if interpolation == "linear":
        return Table([at], values, method="linear", extrapolation="flat")
    from scipy.interpolate import UnivariateSpline

    k = {"cubic": 3, "quintic": 5}[interpolation]
    most = smoothing * len(at) * float(np.max(np.abs(values))) ** 2  # (2)
    found = UnivariateSpline(at, values, k=k, s=most)
    shares = np.linspace(0.0, 1.0, FINE, endpoint=False)
    fine = np.append((at[:-1, None] + np.diff(at)[:, None] * shares).ravel(), at[-1])
    there = np.asarray(found(fine))
    if smoothing == 0.0:
        there[::FINE] = values  # through the values to the bit
    return Table([fine], there, method="cubic", extrapolation="flat")


def overshoot(table: Table, y: Any) -> float:
    """How far a map goes beyond its values, over their range."""
    values, found = np.asarray(y, dtype=float), table(table.axes[0])
    beyond = max(float(np.max(found) - values.max()), float(values.min() - np.min(found)), 0.0)
    return beyond / max(float(np.ptp(values)), 1e-12)


# --- the program -----------------------------------------------------------------------------------------------------


class Compiler:
    """A manoeuvre for a vehicle that is ready to start."""

    def __init__(
        self, manoeuvre: Manoeuvre, start: Start, folder: FilePath | None = None, *, settings: bool = True
    ) -> None:
        self.manoeuvre, self.start, self.folder, self.settings = manoeuvre, start, folder, settings
        model = start.sim.model
        self.inputs = {v.name for v in model.inputs}
        self.watches = {v.name: v.unit for v in model.watches}
        self.driver = driver_kind(manoeuvre)
        event = start.event
        self.routes = Routes(manoeuvre, (event.x, event.y, event.heading), event.speed, folder)

    def program(self) -> Program:
        self._check_gears()
        if self.driver:  # what he knows of the vehicle
            along(self.start, self.driver)
        stages = self.manoeuvre.driven
        phases = [self._phase(k, stage) for k, stage in enumerate(stages)]
        return Program(phases, chosen="user_maneuver_ID", shown="maneuver_ID")

    def _phase(self, k: int, stage: Stage) -> Phase:
        try:
            channels = [*self._steering(stage), *self._pedals(stage), *self._levers(stage)]
            ends, actions = list(self._ends(stage)), list(self._settings(stage))
        except ParameterError as found:
            raise ParameterError(f"stage {stage.name!r}: {found}") from None
        number = self.manoeuvre.stages.index(stage) + 1
        step = self.start.options.step
        ratio = stage.sample_time / step
        if abs(ratio - round(ratio)) > 1e-6 * ratio or ratio < 0.5:
            raise ParameterError(
                f"stage {stage.name!r}: sample_time = {stage.sample_time:g} s is no multiple of the step, {step:g} s"
            )
        return Phase(stage.name, channels, ends, actions, sample=stage.sample_time, id=number)

    # -- channels -----------------------------------------------------------------------------------------------------

    def _open(self, stage: Stage, name: str) -> Open:
        """A channel that follows its signal or the user."""
        made, channel = INPUTS[name], stage.channel(name)
        if made not in self.inputs:
            raise ParameterError(f"{name}: the vehicle has no such input; leave it to the driver (method machine)")
        limits = getattr(self.manoeuvre, "gears" if name == "gear" else name)
        low, high, factor = limits.minimum, limits.maximum, 1.0
        if name in (*PEDALS, "clutch"):
            low, high, factor = low / limits.full, high / limits.full, 1.0 / limits.full
        if name == "gear":
            low, high = -math.inf, math.inf
        if channel.method == "user":
            reference: Reference = FromInput(f"user_input_{name}")
        else:
            signal = self.manoeuvre.signal_of(stage, name)
            assert signal is not None
            if signal.auto_scaling and name in (*PEDALS, "clutch"):
                factor *= limits.scale
            if not signal.auto_saturation:
                low, high = -math.inf, math.inf
            reference = self._signal(signal, name, factor * signal.scale)
        return Open(made, reference, blend=channel.smoothing, entry=f"driver.demand.{made}", low=low, high=high)

    def _signal(self, signal: signals.Signal, channel: str, k: float) -> Reference:
        """A signal times a factor."""
        unit = "rad" if channel == "steering" else "-"

        relative = signal.relative

        def value(name: str, per: str = "") -> float:
            found = k * units.parse(getattr(signal, name), (unit if unit != "-" or not per else "1") + per, name)
            if channel == "gear" and not relative and name in ("value", "first", "last"):
                self._gear(found, name)
            return found

        if isinstance(signal, signals.ConstantSignal):
            return Constant(value("value"), relative=relative)
        if isinstance(signal, signals.StepSignal | signals.Step5Signal):
            shape = {"smooth": True} if isinstance(signal, signals.Step5Signal) else {"cubic": True}
            delay, duration = max(signal.begin, 0.0), signal.end - max(signal.begin, 0.0)
            if signal.begin < 0:
                raise ParameterError(f"{channel}.begin = {signal.begin:g} s: a step begins within the stage")
            first = None if signal.from_actual else value("first")
            return Ramp(value("last"), duration, start=first, delay=delay, relative=relative, **shape)
        if isinstance(signal, signals.SineSignal | signals.CosineSignal):
            phase = signal.phase + (math.pi / 2 if isinstance(signal, signals.CosineSignal) else 0.0)
            return Sine(value("amplitude"), signal.frequency, phase=phase, delay=signal.begin,
                        cycles=signal.cycles or 0.0, relative=relative)  # fmt: skip
        if isinstance(signal, signals.SweptSignal):
            return Swept(value("amplitude"), signal.first_frequency, signal.frequency_rate, signal.last_frequency,
                         signal.begin, relative=relative)  # fmt: skip
        if isinstance(signal, signals.RampSignal):
            return Slope(value("slope", "/s"), signal.begin, signal.end, relative=relative)
        if isinstance(signal, signals.ImpulseSignal):
            half = 0.5 * (signal.end - signal.begin)
            return Pulse(value("height"), 0.0, rise=half, fall=half, delay=signal.begin, cubic=True, relative=relative)
        if isinstance(signal, signals.MaintainSignal):
            return Hold()
        if isinstance(signal, signals.UserSignal):
            name = (signal.input or f"user_input_{channel}").lower()
            known = {item.lower(): item for item in self.inputs}
            if name not in known:
                raise ParameterError(f"{channel}: user signal {name!r}: no such input{did_you_mean(name, list(known))}")
            return FromInput(known[name], scale=k, relative=relative)
        assert isinstance(signal, signals.MeasuredSignal)
        return self._measured(signal, channel, k)

    def _measured(self, signal: signals.MeasuredSignal, channel: str, k: float) -> Reference:
        over, x, y = signal.over, signal.x, signal.y
        if signal.file:
            from jounce.files.dcd import read_dcd  # type: ignore[import-not-found,unused-ignore]

            place = self.folder / signal.file if self.folder is not None else FilePath(signal.file)
            data = read_dcd(place if place.is_file() else signal.file)
            over = AXES[data.ordinal]
            x, y = data.x, data.column(channel)
        table = Table([np.asarray(x)], k * np.asarray(y), method="linear", extrapolation="flat")
        stairs = channel == "gear"
        for gear in table.values if stairs and not signal.relative else ():
            self._gear(float(gear), "y")
        if over == "time":
            return FromTable(table, relative=signal.relative, stairs=stairs)
        here = self._station() if over == "station" else DISTANCE
        return Over(here, table, rate=SPEED, relative=signal.relative, stairs=stairs, from_here=over == "distance")

    def _steering(self, stage: Stage) -> Iterator[Channel]:
        if stage.steering_by != "angle":
            raise ParameterError(f"steering_by = {stage.steering_by!r}: only angles of the hand wheel are driven")
        target = self.manoeuvre.path_of(stage)
        if stage.steering.method != "machine":
            yield self._open(stage, "steering")
            if self.driver:
                yield Open(STEERS, Constant(0.0))
        elif isinstance(target, targets.LateralAccelerationTarget):
            yield self._turning(target)
            if self.driver:
                yield Open(STEERS, Constant(0.0))
        elif target is None:  # a standing start without a path: straight on
            yield Open("steering_wheel", Hold(), entry="driver.demand.steering_wheel")
        else:
            yield Open("steering_wheel", Hold(), entry="driver.demand.steering_wheel")
            yield Open(STEERS, Constant(1.0))
            yield Open(PATH, Constant(float(self.routes.of_stage[stage.name])))

    def _turning(self, target: targets.LateralAccelerationTarget) -> Feedback:
        """The hand wheel by a lateral acceleration: that of a neutral car, and an integral of the error."""
        table = spline(target.at, target.values, target.interpolation)
        per = self.start.steering_per_curvature / max(self.start.event.speed, 1.0) ** 2  # rad s²/m
        if not math.isfinite(per):
            raise ParameterError("path: the vehicle does not steer")
        follow = FromTable(table) if target.over == "time" else Over(DISTANCE, table, from_here=True)
        limits = self.manoeuvre.steering
        return Feedback("steering_wheel", LATERAL, follow, ki=RISE * per, ff_value=per, bumpless=False,
                        low=limits.minimum, high=limits.maximum)  # fmt: skip

    def _station(self) -> str:
        return STATION if self.driver else DISTANCE

    def _pedals(self, stage: Stage) -> Iterator[Channel]:
        methods = {name: stage.channel(name).method for name in PEDALS}
        if "machine" not in methods.values():
            yield Open(ACTIVE, Constant(0.0))
            yield Open(TARGET, FromWatch(SPEED))  # the next stage begins from the speed
            for name in PEDALS:
                yield self._open(stage, name)
            return
        yield Open(ACTIVE, Constant(1.0))
        yield self._target(stage)
        for name, method in methods.items():
            share = f"driver.share.{INPUTS[name]}"
            if method != "machine":
                yield Open(share, Constant(0.0))
                yield self._open(stage, name)
                continue
            blend = stage.channel(name).smoothing
            yield Open(share, Ramp(1.0, blend, start=0.0, cubic=True) if blend > 0 else Constant(1.0))
            yield Open(INPUTS[name], Hold(), entry=f"driver.demand.{INPUTS[name]}")

    def _check_gears(self) -> None:
        """Refuse gears of the driver that the gearbox does not have; 0 is neutral."""
        most = gears_of(self.start.vehicle)
        if most is None or "driver.shifts" not in self.inputs or not self.settings:
            return
        gears = self.manoeuvre.gears
        for row in gears.table:
            if gears.minimum <= row.gear <= gears.maximum:
                check_gear(row.gear, most, f"gears.table: gear {row.gear}")

    def _gear(self, value: float, name: str) -> None:
        most = gears_of(self.start.vehicle)
        if most is not None:
            check_gear(value, most, f"gear.{name} = {value:g}")

    def _levers(self, stage: Stage) -> Iterator[Channel]:
        standing = stage.task == "standing_start"
        if "driver.revs" in self.inputs:
            wait = self.manoeuvre.clutch.start_time
            yield Open("driver.revs", Pulse(1.0, wait) if standing and wait > 0 else Constant(0.0))
        elif standing:
            raise ParameterError("a standing start needs an engine, a clutch and a gear table (gears.table)")
        if "driver.shifts" in self.inputs:
            yield Open("driver.shifts", Constant(float(stage.channel("gear").method == "machine")))
        for name in ("clutch", "gear"):
            if stage.channel(name).method != "machine":
                yield self._open(stage, name)
            share = f"driver.share.{name}"
            if share in self.inputs:
                yield Open(share, Constant(1.0 if stage.channel(name).method == "machine" else 0.0))
        if stage.braking2 is not None and stage.braking2.method == "open":
            raise ParameterError("braking2: this vehicle has one brake channel; leave the second to the user")

    # -- targets ------------------------------------------------------------------------------------------------------

    def _target(self, stage: Stage) -> Open:
        """The speed that the driver follows."""
        target, options = self.manoeuvre.speed_of(stage), stage.options
        entry = "" if options.follow_target_speed else SPEED
        if target is None:  # of a standing start
            return Open(TARGET, Hold(), entry=entry)
        k = target.scale
        if isinstance(target, targets.ConstantSpeed):
            return Open(TARGET, Constant(k * target.speed))
        if isinstance(target, targets.MaintainSpeed):
            return Open(TARGET, Hold(), entry=entry)
        if isinstance(target, targets.UserTarget):
            if target.of == "speed":
                return Open(TARGET, FromInput("target_speed", scale=k))
            return Open(TARGET, Integral(FromInput("target_acc", scale=k)), entry=entry)
        if isinstance(target, targets.PolynomialSpeed):
            start = None if target.speed is None else k * target.speed
            reference = Polynomial(k * target.acceleration, k * target.jerk, start=start, begin=target.begin)
            return Open(TARGET, reference, entry=entry)
        if isinstance(target, targets.AccelerationTarget):
            return Open(TARGET, Polynomial(k * target.acceleration, begin=target.begin), entry=entry)
        if isinstance(target, targets.MapTarget):
            return self._map(stage, target, entry)
        path = self.routes.path(stage)
        if isinstance(target, targets.PathSpeed):
            if target.file:
                path = path_points(targets.FilePath(file=target.file, interpolation="none"), self.folder)
            if path is None or path.speed is None:
                raise ParameterError("speed: the path has no speeds; give a map, or a path with a column of speeds")
            table = self._spline(path.s, path.speed, target.interpolation, target.smoothing, stage)
            if path.closed:
                table = self._along(path, table(path.s))
            return Open(TARGET, Over(self._station(), table, rate=SPEED, scale=k))
        if isinstance(target, targets.LateralAccelerationSpeed):
            if path is None:
                raise ParameterError("speed: a lateral acceleration is kept on a path; give path")
            return Open(
                TARGET, Over(STATION, self._along(path, _curve_speed(path, k * target.acceleration)), rate=SPEED)
            )
        assert isinstance(target, targets.AutoSpeed)
        if path is None:
            raise ParameterError("speed: auto follows from a path; give path")
        return Open(TARGET, Over(STATION, self._auto(path, k * target.share), rate=SPEED))

    def _auto(self, path: Path, share: float) -> Table:
        """By the curvature of the path and the limits of the vehicle."""
        from jounce.events.limits import limits_of
        from jounce.sim.speed_profile import FOOT, profile

        hints = self.manoeuvre.prediction
        grip: Array | float = 1.0
        if hints is not None and hints.x:
            grip = np.interp(path.s, hints.x, hints.y)
        return self._along(path, profile(path, limits_of(self.start.vehicle), share, grip=grip, foot=FOOT))

    def _along(self, path: Path, speeds: Any) -> Table:
        """Speeds at the stations of a path; of a closed one for as many laps as there is time for."""
        s, v = np.asarray(path.s, dtype=float), np.asarray(speeds, dtype=float)
        if path.closed:
            laps = math.ceil(float(v.max()) * self.start.event.end_time / path.length) + 1
            laps = max(1, min(laps, MOST // len(s)))
            s = np.concatenate([s + k * path.length for k in range(-1, laps)])
            v = np.tile(v, laps + 1)
        return Table([s], v, method="linear", extrapolation="flat")

    def _map(self, stage: Stage, target: targets.MapTarget, entry: str) -> Open:
        options = stage.options
        table = self._spline(target.x, target.y, target.interpolation, target.smoothing, stage)
        if target.over == "time":
            reference: Reference = FromTable(table, scale=target.scale, absolute=options.absolute_time)
        else:
            reference = Over(self._station(), table, rate=SPEED, scale=target.scale,
                             from_here=not options.global_station)  # fmt: skip
        if target.of == "acceleration":
            return Open(TARGET, Integral(reference), entry=entry)
        return Open(TARGET, reference)

    def _spline(self, x: Any, y: Any, interpolation: str, smoothing: float, stage: Stage) -> Table:
        table = spline(x, y, interpolation, smoothing)
        beyond = overshoot(table, y)
        if beyond > OVERSHOOT:
            self.start.warnings.append(
                f"stage {stage.name!r}: the {interpolation} spline of the speed goes {100 * beyond:.3g} % of its range "
                "beyond the values; give more of them, or take interpolation linear"
            )
        return table

    # -- ends and settings --------------------------------------------------------------------------------------------

    def _ends(self, stage: Stage) -> Iterator[End]:
        from jounce.events.base import safety_ends

        yield from safety_ends(self.start.vehicle)
        end = self.start.event.end_time
        yield End(When("time", ">=", end), Stop(f"end_time = {end:g} s reached"), name="end time")
        groups: dict[str, list[tuple[str, Condition]]] = {}
        for k, (name, condition) in enumerate(self.manoeuvre.conditions_of(stage)):
            groups.setdefault(condition.group or f"\n{k}", []).append((name, condition))
        for items in groups.values():
            when = [self._when(stage, condition) for _, condition in items]
            names = " and ".join(name for name, _ in items)
            then: Next | Goto | Stop = self._otherwise(names)
            jump = next((condition.next for _, condition in items if condition.next), "")
            if jump:
                known = [other.name for other in self.manoeuvre.driven]
                if jump not in known:
                    raise ParameterError(f"ends, {names}: next = {jump!r} is not active")
                then = Goto(jump)
            if any(condition.action == "abort" for _, condition in items):
                then = Stop(f"{stage.name}: {names} (abort)")
            yield End(when, then, delay=max(condition.delay for _, condition in items), name=names)
        path = self.routes.path(stage)
        if path is not None and stage.options.end_of_path_check and not path.closed:
            measured = AHEAD if AHEAD in self.watches else STATION
            last = path.length - stage.options.end_tolerance
            yield End(When(measured, ">=", last), self._otherwise("end of the path"), name="end of the path")
        if stage.abort_time is not None:
            yield End(When("phase_time", ">=", stage.abort_time), self._otherwise("abort time"), name="abort time")

    def _otherwise(self, name: str) -> Next | Stop:
        return Stop(name) if self.manoeuvre.settings.on_stop == "stop" else Next()

    def _when(self, stage: Stage, condition: Condition) -> When:
        known = measure(condition.measure)
        if known is not None and known.source:
            source, unit = known.source, known.unit
        else:
            source = known.channel if known is not None else condition.measure
            if source not in self.watches:
                outputs = [*MEASURES, *(v.name for v in self.start.sim.model.outputs)]
                raise ParameterError(
                    f"ends: measure {condition.measure!r}: the vehicle has no channel {source!r}"
                    f"{did_you_mean(source, outputs)}"
                )
            unit = self.watches[source]
        own = {} if known is not None else self.manoeuvre.file_units
        reference = in_file_units(condition.reference, unit, own, f"{condition.measure} reference")
        tolerance = abs(in_file_units(condition.tolerance, unit, own, f"{condition.measure} tolerance"))
        test, absolute = condition.test.removeprefix("abs"), condition.test.startswith("abs")
        if test == "==" and tolerance == 0.0 and source in ("time", "phase_time"):
            tolerance = 0.5 * stage.sample_time
        from_entry = known is not None and known.of_stage
        if test in ("==", "!="):
            operator = "inside" if test == "==" else "outside"
            return When(source, f"abs {operator}" if absolute else operator, reference - tolerance,
                        reference + tolerance, hold=condition.hold, from_entry=from_entry)  # fmt: skip
        threshold = reference - tolerance if test.startswith(">") else reference + tolerance
        return When(source, f"abs{test}" if absolute else test, threshold, hold=condition.hold, from_entry=from_entry)

    def _settings(self, stage: Stage) -> Iterator[Action]:
        """Numbers of the drivers that a stage sets."""
        numbers = {v.name for v in self.start.sim.model.parameters} if self.settings else set()
        for name, value in self._numbers(stage).items():
            if name in numbers:
                yield SetParameter(name, value)

    def _numbers(self, stage: Stage) -> dict[str, float]:
        c = self.manoeuvre.controller_of(stage)
        prefix = f"{self.driver}."
        limits = self.manoeuvre.steering
        found = {
            "preview_time": c.preview_time,
            "least_preview": c.min_preview_distance,
            "speed_anticipation": c.longitudinal_anticipation,
            "advanced": float(c.preview == "advanced"),
            "smoothing": float(c.straight_line_smoothing),
            "fastest": c.steering_rate if c.steering_limited else HANDS,
            "distance_band": c.path_compensation_distance if c.path_compensation else 0.0,
            "lock": min(abs(limits.minimum), abs(limits.maximum), self._lock),
        }
        if c.lateral_anticipation != 0.0:  # otherwise that of the vehicle
            found["anticipation"] = c.lateral_anticipation
        if not c.yaw_correction:
            found |= {"yaw_gain": 0.0, "yaw_integral": 0.0, "yaw_derivative": 0.0}
        result = {f"{prefix}{name}": value for name, value in found.items()} if self.driver else {}
        own = "longitudinal."
        result |= {
            f"{own}throttle_rate": c.throttle_press_rate if c.throttle_limited else UNLIMITED,
            f"{own}brake_rate": c.braking_press_rate if c.braking_limited else UNLIMITED,
            f"{own}throttle_release_rate": c.throttle_release_rate if c.throttle_limited else UNLIMITED,
            f"{own}brake_release_rate": c.braking_release_rate if c.braking_limited else UNLIMITED,
            **gain_numbers(self.manoeuvre, stage),
            f"{own}start_speed": self.manoeuvre.clutch.start_speed,
            f"{own}declutch_speed": self.manoeuvre.clutch.min_speed,
            **module_numbers(self.manoeuvre, stage),
        }
        if "close_time" in self.manoeuvre.clutch.model_fields_set:
            result[f"{own}clutch_time"] = self.manoeuvre.clutch.close_time
        if self.manoeuvre.gears.table:
            return result
        launch = ("start_speed", "declutch_speed", "clutch_time")
        return {name: value for name, value in result.items() if not name.endswith(launch)}

    @property
    def _lock(self) -> float:
        from jounce.events.straight import lock_of

        return lock_of(self.start)


def in_file_units(value: float | str, unit: str, own: dict[str, str], where: str) -> float:
    """A number of a file: text has its unit, a plain number that of the file (length, angle, force, mass, time)."""
    if isinstance(value, str) or not own:
        return units.parse(value, unit, where)
    names = {"m": "length", "rad": "angle", "kg": "mass", "s": "time"}
    powers = dict(units.dimensions(unit))
    force = powers.get("kg", 0)
    factor = 1.0
    if force and powers.get("s", 0) == -2 * force and "force" in own:  # forces and moments are told in units of force
        factor *= units.convert(1.0, own["force"], "N") ** force
        powers = {**powers, "kg": 0, "s": 0, "m": powers.get("m", 0) - force}
    for base, power in powers.items():
        if power and names.get(base) in own:
            factor *= units.convert(1.0, own[names[base]], base) ** power
    return float(value) * factor


def _curve_speed(path: Path, acceleration: float) -> Array:
    """v = √(a_y/|κ|) where a bend is sharpest (within ``BEND``); between bends a line from one speed to the next."""
    from scipy.ndimage import maximum_filter1d

    s, curvature = np.asarray(path.s, dtype=float), np.abs(np.asarray(path.curvature, dtype=float))
    if not float(curvature.max()) > 1e-6:
        raise ParameterError("speed: a lateral acceleration needs a path that turns")
    size = 2 * math.ceil(BEND / path.step) + 1
    around = maximum_filter1d(curvature, size, mode="wrap" if path.closed else "nearest")
    sharp = np.flatnonzero((curvature >= 0.98 * around) & (curvature > 1e-3 * float(curvature.max())))
    return np.asarray(np.interp(s, s[sharp], np.sqrt(acceleration / curvature[sharp])))
