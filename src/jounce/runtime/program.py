"""Phase programs: a manoeuvre as data, executed by the C loop without Python.

A program is a list of phases. A phase drives inputs (`Open`, `Feedback`; all others are `Free`), ends when
one of its `End` groups is met, and may act when it is entered. Order at a full step: open references, watch
values, end conditions, at most one transition with its entry actions and the references of the new phase,
feedback, recording, then the step. Conditions are first looked at one step after entry.

    Program(
        Phase("settle", [Open("steer", Constant(0.0))], duration=1.0),
        Phase("turn", [Open("steer", Ramp(to="45 deg", duration=0.2)),
                       Feedback("throttle", "speed", Hold(), kp=0.5, ki=0.2, low=0.0, high=1.0)],
              ends=[End(When("roll", "abs>", "30 deg", hold=0.1), then=Stop("rolled over", failed=True)),
                    End(When("phase_time", ">=", 4.0))]),
    )

Numbers may be text with a unit. References give value, rate and acceleration; the last two go to the
companion inputs, when the model declares them. At a corner the derivative is that of the piece that begins.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.generated import GeneratedModel, Variable
from jounce.core.tables import JnTable, PackedTable, Table
from jounce.core.units import parse
from jounce.runtime.bindings import JnAction, JnChannel, JnCondition, JnGroup, JnPhase, JnProgram, fingerprint
from jounce.runtime.options import check_iprint

Number = float | str

RELATIVE, FROM_ENTRY, ABSOLUTE, BUMPLESS = 1, 2, 4, 8
MODE_FREE, MODE_OPEN, MODE_FEEDBACK = 0, 1, 2
SOURCES = {"phase_time": 1, "time": 2, "phase_steps": 3}
OPERATORS = {">": 0, "<": 1, ">=": 2, "<=": 3, "abs>": 4, "abs<": 5, "outside": 6, "inside": 7}


# --- references ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packed:
    """A reference as numbers: kind, flags and parameters of ``jn_channel``."""

    kind: int
    parameters: tuple[float, ...] = ()
    flags: int = 0
    table: Table | None = None
    column: int = 0


class Reference:
    """A function of phase time; see the subclasses."""

    def pack(self, unit: str, where: str) -> Packed:
        raise NotImplementedError


@dataclass(frozen=True)
class Constant(Reference):
    """A constant; ``relative`` counts it from the value at phase entry."""

    value: Number
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        return Packed(0, (parse(self.value, unit, where),), RELATIVE * self.relative)


@dataclass(frozen=True)
class Hold(Reference):
    """The value at phase entry: of the input (open) or of the watched quantity (feedback)."""

    def pack(self, unit: str, where: str) -> Packed:
        return Packed(1)


@dataclass(frozen=True)
class Ramp(Reference):
    """From ``start`` (None = the value at phase entry) to ``to`` over ``duration``, after ``delay``.

    ``smooth`` uses the quintic with continuous value, rate and acceleration instead of a straight line.
    ``relative`` counts start and target from the value at phase entry.
    """

    to: Number
    duration: Number
    start: Number | None = None
    delay: Number = 0.0
    smooth: bool = False
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        start = 0.0 if self.start is None else parse(self.start, unit, where)
        duration, delay = _span(self.duration, f"{where}.duration"), _span(self.delay, f"{where}.delay")
        flags = RELATIVE * self.relative + FROM_ENTRY * (self.start is None)
        return Packed(3 if self.smooth else 2, (start, parse(self.to, unit, where), duration, delay), flags)


@dataclass(frozen=True)
class Rate(Reference):
    """From ``start`` (None = the value at phase entry) on with a constant rate (in the unit per second)."""

    rate: Number
    start: Number | None = None
    delay: Number = 0.0
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        start = 0.0 if self.start is None else parse(self.start, unit, where)
        rate = parse(self.rate, "1/s" if unit in ("-", "1") else f"{unit}/s", f"{where}.rate")
        flags = RELATIVE * self.relative + FROM_ENTRY * (self.start is None)
        return Packed(4, (start, rate, 0.0, _span(self.delay, f"{where}.delay")), flags)


@dataclass(frozen=True)
class Sine(Reference):
    """offset + amplitude sin(2 pi frequency (tau - delay) + phase).

    Before ``delay`` it stands at its start; after ``cycles`` (0 = no end, fractions allowed) at its end.
    ``dwell`` > 0 pauses it for so long after ``dwell_at`` cycles, as in the sine-with-dwell test.
    """

    amplitude: Number
    frequency: Number
    phase: Number = 0.0
    offset: Number = 0.0
    delay: Number = 0.0
    cycles: float = 0.0
    dwell_at: float = 0.0
    dwell: Number = 0.0
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        frequency = _positive(parse(self.frequency, "Hz", f"{where}.frequency"), f"{where}.frequency", "Hz")
        values = (
            parse(self.amplitude, unit, where),
            frequency,
            parse(self.phase, "rad", f"{where}.phase"),
            parse(self.offset, unit, where),
            _span(self.delay, f"{where}.delay"),
            _span(self.cycles, f"{where}.cycles", "-"),
            _span(self.dwell_at, f"{where}.dwell_at", "-"),
            _span(self.dwell, f"{where}.dwell"),
        )
        return Packed(5, values, RELATIVE * self.relative)


@dataclass(frozen=True)
class Sweep(Reference):
    """Swept sine from ``first`` to ``last`` frequency over ``duration``; then it stands still.

    The frequency grows linearly with time, or exponentially when ``logarithmic``.
    """

    amplitude: Number
    first: Number
    last: Number
    duration: Number
    phase: Number = 0.0
    offset: Number = 0.0
    delay: Number = 0.0
    logarithmic: bool = False
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        first, last = (parse(f, "Hz", f"{where}.frequency") for f in (self.first, self.last))
        check = _positive if self.logarithmic else _span
        values = (
            parse(self.amplitude, unit, where),
            check(first, f"{where}.first", "Hz"),
            check(last, f"{where}.last", "Hz"),
            parse(self.phase, "rad", f"{where}.phase"),
            parse(self.offset, unit, where),
            _span(self.delay, f"{where}.delay"),
            _positive(_span(self.duration, f"{where}.duration"), f"{where}.duration", "s"),
        )
        return Packed(7 if self.logarithmic else 6, values, RELATIVE * self.relative)


@dataclass(frozen=True)
class Pulse(Reference):
    """``base`` plus a trapezoid of ``height``: delay, rise, plateau, fall. Zero rise and fall: a rectangle.

    ``smooth`` makes the flanks quintic.
    """

    height: Number
    plateau: Number
    rise: Number = 0.0
    fall: Number = 0.0
    base: Number = 0.0
    delay: Number = 0.0
    smooth: bool = False
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        spans = ((self.delay, "delay"), (self.rise, "rise"), (self.plateau, "plateau"), (self.fall, "fall"))
        values = tuple(_span(value, f"{where}.{name}") for value, name in spans)
        values = (parse(self.base, unit, where), parse(self.height, unit, where), *values)
        return Packed(9 if self.smooth else 8, values, RELATIVE * self.relative)


@dataclass(frozen=True)
class FromTable(Reference):
    """offset + scale * output ``column`` of a table over phase time, or over absolute time when ``absolute``."""

    table: Table
    column: int = 0
    scale: float = 1.0
    offset: Number = 0.0
    delay: Number = 0.0
    absolute: bool = False
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        if self.table.n_axes != 1:
            raise ParameterError(f"{where}: a reference table has one axis (time), this one has {self.table.n_axes}")
        if not 0 <= self.column < self.table.n_out:
            raise ParameterError(f"{where}: column {self.column} of a table with {self.table.n_out} outputs")
        values = (parse(self.offset, unit, where), float(self.scale), parse(self.delay, "s", f"{where}.delay"))
        flags = RELATIVE * self.relative + ABSOLUTE * self.absolute
        return Packed(10, values, flags, self.table, self.column)


# --- channels, conditions, jumps, actions -------------------------------------------------------------


@dataclass(frozen=True)
class Open:
    """An input follows its reference, at half steps too."""

    input: str
    reference: Reference | Number


@dataclass(frozen=True)
class Feedback:
    """A PI controller: input = clamp(feedforward + ff_value r + ff_rate r' + kp e + ki ∫e dt, low, high).

    e = reference - watch, evaluated at full steps and held in between; the integral by the trapezoidal rule,
    zero at phase entry or, with ``bumpless``, such that the input does not jump. While the sum is outside its limits
    the integral moves only towards them. Numbers are in SI of the input and of the watched quantity.
    """

    input: str
    watch: str
    reference: Reference | Number
    kp: float = 0.0
    ki: float = 0.0
    feedforward: Number = 0.0
    ff_value: float = 0.0
    ff_rate: float = 0.0
    low: Number = -math.inf
    high: Number = math.inf
    bumpless: bool = False


@dataclass(frozen=True)
class Free:
    """An input left to the caller; the same as not naming it."""

    input: str


Channel = Open | Feedback | Free


@dataclass(frozen=True)
class When:
    """A condition: source, operator, threshold(s), and for how long it must have been true without a break.

    source : a watch name, or "phase_time", "time", "phase_steps"
    operator : > < >= <= abs> abs< outside inside; the last two take the band (a, b)
    """

    source: str
    operator: str
    a: Number
    b: Number = 0.0
    hold: Number = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.source, str):
            raise ParameterError(
                f"When: the source is the name of a watched output or one of {', '.join(SOURCES)}, got {self.source!r}"
            )
        if self.operator not in OPERATORS:
            raise ParameterError(
                f"When({self.source!r}, …): operator {self.operator!r}: unknown"
                f"{did_you_mean(str(self.operator), OPERATORS)}"
            )


@dataclass(frozen=True)
class Next:
    """Go on with the next phase; after the last one the program stops."""


@dataclass(frozen=True)
class Goto:
    """Go to a phase by name or number, at most ``limit`` times (0 = always), then on with the next."""

    phase: str | int
    limit: int = 0


@dataclass(frozen=True)
class Stop:
    """End the program, with a reason; ``failed`` says that the manoeuvre did not succeed."""

    reason: str = "end condition met"
    failed: bool = False


@dataclass(frozen=True)
class End:
    """Conditions that must all hold, and what happens then. The first group met decides."""

    when: When | Sequence[When]
    then: Next | Goto | Stop = field(default_factory=Next)

    def __post_init__(self) -> None:
        _all_of(self.when, (When,), "End: when")
        if not isinstance(self.then, Next | Goto | Stop):
            raise ParameterError(f"End: then = {self.then!r}; give Next(), Goto(phase) or Stop(reason)")


@dataclass(frozen=True)
class SetState:
    """Set a state at entry; it holds after the step."""

    state: str
    value: Number
    restart_history: bool = True


@dataclass(frozen=True)
class AddState:
    """Add to a state at entry."""

    state: str
    value: Number
    restart_history: bool = True


@dataclass(frozen=True)
class SetMemory:
    """Set a memory at entry."""

    memory: str
    value: Number


@dataclass(frozen=True)
class SetInput:
    """Set an input at entry, before references take their entry values."""

    input: str
    value: Number


@dataclass(frozen=True)
class Write:
    """Switch recording on or off (OPT_WRITE)."""

    on: bool


@dataclass(frozen=True)
class Iprint:
    """Change the recording interval (IPRINT): rows every ``steps`` full steps; 0 = also at half steps."""

    steps: int


@dataclass(frozen=True)
class RestartHistory:
    """Forget old derivatives: multi-step methods start again with RK-4."""


Action = SetState | AddState | SetMemory | SetInput | Write | Iprint | RestartHistory


@dataclass(frozen=True)
class Phase:
    """A stretch of a manoeuvre. ``duration`` adds the end condition "phase time reached" after the others."""

    name: str
    channels: Channel | Sequence[Channel] = ()
    ends: End | Sequence[End] = ()
    actions: Action | Sequence[Action] = ()
    duration: Number | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ParameterError(f"Phase: the first argument is its name, got {self.name!r}")
        for what, kinds in (("channels", _CHANNELS), ("ends", (End,)), ("actions", _ACTIONS)):
            items = _all_of(getattr(self, what), kinds, f"phase {self.name!r}: {what}")
            object.__setattr__(self, what, items)


def _all_of(value: Any, kinds: tuple[type, ...], where: str) -> tuple[Any, ...]:
    """A tuple of objects of the kinds; one of them may stand alone."""
    items = (value,) if isinstance(value, kinds) else value
    allowed = ", ".join(kind.__name__ for kind in kinds)
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise ParameterError(f"{where}: expected {allowed}, or a list of them, got {value!r}")
    items = tuple(items)
    for item in items:
        if not isinstance(item, kinds):
            shown = f"the class {item.__name__}; write {item.__name__}(…)" if isinstance(item, type) else repr(item)
            raise ParameterError(f"{where}: expected {allowed}, got {shown}")
    return items


_CHANNELS = (Open, Feedback, Free)
_ACTIONS = (SetState, AddState, SetMemory, SetInput, Write, Iprint, RestartHistory)


class Program:
    """Phases in order. `pack` checks all names against a model and gives the flat data for the C loop."""

    def __init__(self, *phases: Phase | Sequence[Phase]) -> None:
        given = phases[0] if len(phases) == 1 and isinstance(phases[0], list | tuple) else phases
        self.phases: tuple[Phase, ...] = _all_of(given, (Phase,), "Program")
        if not self.phases:
            raise ParameterError("a program needs at least one phase")
        phases = self.phases
        names = [p.name for p in phases]
        for name in names:
            if names.count(name) > 1:
                raise ParameterError(f"phase {name!r}: the name is used {names.count(name)} times; make names unique")

    def pack(self, model: GeneratedModel) -> PackedProgram:
        """Return the program as flat arrays for ``model``."""
        return _Packer(self, model).packed()


@dataclass(frozen=True)
class PackedProgram:
    """Flat data of a program; owns the memory its structure points to."""

    struct: JnProgram
    phase_names: tuple[str, ...]
    reasons: tuple[str, ...]  # by reason code
    channels: dict[tuple[int, int], int]  # (phase, input) -> index of the channel
    keep: tuple[Any, ...]

    @property
    def id(self) -> float:
        return float(self.struct.id)


# --- packing ------------------------------------------------------------------------------------------


class _Packer:
    """Turns names into indices and dataclasses into structures, in phase order."""

    def __init__(self, program: Program, model: GeneratedModel) -> None:
        self.program, self.model = program, model
        self.phase_names = tuple(p.name for p in program.phases)
        self.channels: list[JnChannel] = []
        self.groups: list[JnGroup] = []
        self.conditions: list[JnCondition] = []
        self.actions: list[JnAction] = []
        self.tables: list[PackedTable] = []
        self.reasons = ["last phase ended"]
        self.index: dict[tuple[int, int], int] = {}

    def packed(self) -> PackedProgram:
        phases = [self._phase(k, phase) for k, phase in enumerate(self.program.phases)]
        tables = (JnTable * max(len(self.tables), 1))()
        for packed, target in zip(self.tables, tables, strict=False):
            packed.fill(target)
        arrays = (
            _array(JnPhase, phases),
            _array(JnChannel, self.channels),
            _array(JnGroup, self.groups),
            _array(JnCondition, self.conditions),
            _array(JnAction, self.actions),
        )
        numbers = [np.ascontiguousarray(a).tobytes() for t in self.tables for a in (*t.knots, t.coef)]
        struct = JnProgram(
            fingerprint(*(bytes(a) for a in arrays), *numbers),
            len(phases),
            len(self.groups),
            len(self.tables),
            max(p.n_channel for p in phases),
            max(p.n_condition for p in phases),
            0,
            *arrays,
            tables,
        )
        keep = (*arrays, tables, *self.tables)
        return PackedProgram(struct, self.phase_names, tuple(self.reasons), self.index, keep)

    def _phase(self, number: int, phase: Phase) -> JnPhase:
        where = f"phase {phase.name!r}"
        ends: list[End] = list(_all_of(phase.ends, (End,), where))
        if phase.duration is not None:
            _span(phase.duration, f"{where}.duration")
            ends.append(End(When("phase_time", ">=", phase.duration)))
        first = (len(self.channels), len(self.groups), len(self.conditions), len(self.actions))
        for channel in _all_of(phase.channels, _CHANNELS, where):
            self._channel(number, channel, where)
        for end in ends:
            self._end(end, first[2], where)
        for action in _all_of(phase.actions, _ACTIONS, where):
            self._action(action, where)
        last = (len(self.channels), len(self.groups), len(self.conditions), len(self.actions))
        return JnPhase(*(n for a, b in zip(first, last, strict=True) for n in (a, b - a)))

    def _channel(self, number: int, channel: Channel, where: str) -> None:
        k, variable = self._input(channel.input, where)
        where = f"{where}, {channel.input}{self.model.alias_note(channel.input)}"
        if (number, k) in self.index:
            raise ParameterError(f"{where}: this input has two channels in one phase; keep one")
        for owner, (rate, acceleration) in enumerate(
            zip(self.model.input_rate, self.model.input_acceleration, strict=True)
        ):
            companions = [c for c in (rate, acceleration) if c >= 0]
            taken = (number, owner) in self.index if k in companions else False
            if taken or (owner == k and any((number, c) in self.index for c in companions)):
                raise ParameterError(
                    f"{where}: an input and its rate or acceleration both have a channel in one phase; a reference of "
                    "the input drives the others too"
                )
        self.index[number, k] = len(self.channels)
        record = JnChannel(input=k, mode=MODE_FREE, low=-math.inf, high=math.inf)
        if isinstance(channel, Open):
            record.mode = MODE_OPEN
            self._reference(record, channel.reference, variable.unit, where)
        elif isinstance(channel, Feedback):
            record.mode = MODE_FEEDBACK
            self._watched(channel.watch, where)
            watch, watched = _find(channel.watch, self.model.watches, f"{where}: watch")
            record.watch = watch
            self._reference(record, channel.reference, watched.unit, where)
            record.kp, record.ki = float(channel.kp), float(channel.ki)
            record.ff = parse(channel.feedforward, variable.unit, f"{where}.feedforward")
            record.ff_value, record.ff_rate = float(channel.ff_value), float(channel.ff_rate)
            record.low = parse(channel.low, variable.unit, f"{where}.low")
            record.high = parse(channel.high, variable.unit, f"{where}.high")
            record.flags |= BUMPLESS * channel.bumpless
            if not record.low <= record.high:
                raise ParameterError(f"{where}: low = {channel.low} is not below high = {channel.high}")
            gains = (record.kp, record.ki, record.ff, record.ff_value, record.ff_rate)
            if not all(math.isfinite(g) for g in gains):
                raise ParameterError(f"{where}: a gain or the feedforward is not finite: {gains}")
        self.channels.append(record)

    def _input(self, name: str, where: str) -> tuple[int, Variable]:
        """An input by its name or an alias."""
        aliases = self.model.aliases
        return _find(aliases.get(name, name), self.model.inputs, f"{where}: input", tuple(aliases))

    def _reference(self, record: JnChannel, reference: Reference | Number, unit: str, where: str) -> None:
        if not isinstance(reference, Reference):
            reference = Constant(reference)
        packed = reference.pack(unit, where)
        if not all(math.isfinite(v) for v in packed.parameters):
            raise ParameterError(f"{where}: {reference} has a number that is not finite")
        record.kind, record.flags = packed.kind, packed.flags
        for i, value in enumerate(packed.parameters):
            record.p[i] = value
        if packed.table is not None:
            record.table, record.column = len(self.tables), packed.column
            self.tables.append(packed.table.packed())

    def _end(self, end: End, phase_first: int, where: str) -> None:
        conditions = [end.when] if isinstance(end.when, When) else list(end.when)
        if not conditions:
            raise ParameterError(f"{where}: an End without conditions would never be met; give at least one When")
        group = JnGroup(first_condition=len(self.conditions) - phase_first, n_conditions=len(conditions))
        if isinstance(end.then, Goto):
            group.jump, group.target, group.limit = 1, self._target(end.then.phase, where), end.then.limit
            if end.then.limit < 0:
                raise ParameterError(f"{where}: goto limit = {end.then.limit}: must be 0 (no limit) or more")
        elif isinstance(end.then, Stop):
            group.jump, group.failed = 2, int(end.then.failed)
            if end.then.reason not in self.reasons:
                self.reasons.append(end.then.reason)
            group.reason = self.reasons.index(end.then.reason)
        self.groups.append(group)
        for condition in conditions:
            self._condition(condition, where)

    def _condition(self, condition: When, where: str) -> None:
        if condition.operator not in OPERATORS:
            raise ParameterError(
                f"{where}: operator {condition.operator!r}: unknown{did_you_mean(condition.operator, OPERATORS)}"
            )
        index = 0
        if condition.source in SOURCES:
            source, unit = SOURCES[condition.source], "-" if condition.source == "phase_steps" else "s"
        else:
            source = 0
            self._watched(condition.source, where)
            index, variable = _find(condition.source, self.model.watches, f"{where}: watch", tuple(SOURCES))
            unit = variable.unit
        name = f"{where}: {condition.source} {condition.operator}"
        a, b = parse(condition.a, unit, name), parse(condition.b, unit, name)
        if math.isnan(a) or math.isnan(b):
            raise ParameterError(f"{name}: the threshold is nan")
        if OPERATORS[condition.operator] >= 6 and not a <= b:
            raise ParameterError(f"{name}: the band ({condition.a}, {condition.b}) is empty; lower bound first")
        hold = _span(condition.hold, f"{name} hold")
        self.conditions.append(JnCondition(source, index, OPERATORS[condition.operator], 0, a, b, hold))

    def _watched(self, name: str, where: str) -> None:
        model = self.model
        if any(v.name == name for v in model.watches):
            return
        if any(v.name == name for v in model.outputs):
            raise ParameterError(
                f"{where}: watch {name!r}: output {name!r} exists but is not watched: declare it with watch=True"
            )
        for kind, variables in (("state", model.states), ("input", model.inputs), ("signal", model.signals)):
            if any(v.name == name for v in variables):
                raise ParameterError(
                    f"{where}: watch {name!r}: it is a {kind}; declare a watched output of it: "
                    f"s.output({name!r}, …, watch=True)".replace("a input", "an input")
                )

    def _target(self, phase: str | int, where: str) -> int:
        if isinstance(phase, str):
            if phase not in self.phase_names:
                raise ParameterError(f"{where}: goto {phase!r}: no such phase{did_you_mean(phase, self.phase_names)}")
            return self.phase_names.index(phase)
        if not 0 <= phase < len(self.phase_names):
            raise ParameterError(f"{where}: goto {phase}: phases are numbered 0 to {len(self.phase_names) - 1}")
        return phase

    def _action(self, action: Action, where: str) -> None:
        model = self.model
        if isinstance(action, SetState | AddState):
            k, variable = _find(action.state, model.states, f"{where}: state")
            kind = 0 if isinstance(action, SetState) else 1
            self.actions.append(JnAction(kind, k, _finite(action.value, variable, where)))
            if action.restart_history:
                self.actions.append(JnAction(6, 0, 0.0))
        elif isinstance(action, SetMemory):
            k, variable = _find(action.memory, model.memories, f"{where}: memory")
            self.actions.append(JnAction(2, k, _finite(action.value, variable, where)))
        elif isinstance(action, SetInput):
            k, variable = self._input(action.input, where)
            self.actions.append(JnAction(3, k, _finite(action.value, variable, where)))
        elif isinstance(action, Write):
            self.actions.append(JnAction(4, 0, float(bool(action.on))))
        elif isinstance(action, Iprint):
            try:
                check_iprint(action.steps)
            except ParameterError as error:
                raise ParameterError(f"{where}: {error}") from None
            self.actions.append(JnAction(5, 0, float(action.steps)))
        else:
            self.actions.append(JnAction(6, 0, 0.0))


_S = TypeVar("_S", bound=ctypes.Structure)


def _array(kind: Callable[..., _S], items: Iterable[_S]) -> Any:
    values = list(items)
    array_type: Any = kind * max(len(values), 1)  # type: ignore[operator]
    return array_type(*values)


def _find(name: str, variables: Sequence[Variable], where: str, also: Sequence[str] = ()) -> tuple[int, Variable]:
    for k, variable in enumerate(variables):
        if variable.name == name:
            return k, variable
    raise ParameterError(f"{where} {name!r}: unknown{did_you_mean(name, [*(v.name for v in variables), *also])}")


def _finite(value: Number, variable: Variable, where: str) -> float:
    number = parse(value, variable.unit, f"{where}: {variable.name}")
    if not math.isfinite(number):
        raise ParameterError(f"{where}: {variable.name} = {number}: must be finite")
    return number


def _span(value: Number, where: str, unit: str = "s") -> float:
    number = parse(value, unit, where)
    if not number >= 0.0 or math.isinf(number):
        raise ParameterError(f"{where} = {value}: must be 0 or more, in {unit}")
    return number


def _positive(value: float, where: str, unit: str) -> float:
    if not value > 0.0:
        raise ParameterError(f"{where} = {value}: must be above 0, in {unit}")
    return value
