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
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.generated import GeneratedModel, Variable
from jounce.core.tables import JnTable, PackedTable, Table
from jounce.core.units import parse
from jounce.runtime.bindings import JnAction, JnChannel, JnCondition, JnGroup, JnPhase, JnProgram, fingerprint
from jounce.runtime.limits import check_limits
from jounce.runtime.options import check_iprint

Number = float | str
NEVER = 1e30  # s

RELATIVE, FROM_ENTRY, ABSOLUTE, BUMPLESS, OVER, FROM_HERE, INTEGRAL, ENTRY_WATCH, SATURATED = (
    *(1, 2, 4, 8, 16, 32, 64, 128, 256),
)
MODE_FREE, MODE_OPEN, MODE_FEEDBACK = 0, 1, 2
SOURCES = {"phase_time": 1, "time": 2, "phase_steps": 3}
OPERATORS = {">": 0, "<": 1, ">=": 2, "<=": 3, "abs>": 4, "abs<": 5, "outside": 6, "inside": 7}
OPERATORS |= {"abs>=": 8, "abs<=": 9, "abs outside": 10, "abs inside": 11}
BANDS = ("outside", "inside", "abs outside", "abs inside")


# --- references ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packed:
    """A reference as numbers: kind, flags and parameters of ``jn_channel``."""

    kind: int
    parameters: tuple[float, ...] = ()
    flags: int = 0
    table: Table | None = None
    column: int = 0
    watch: str = ""  # a watched quantity that it follows
    rate: str = ""  # one that is the rate of that
    input: str = ""  # an input that it follows


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

    ``smooth`` uses the quintic with continuous value, rate and acceleration instead of a straight line, ``cubic``
    3τ² − 2τ³. ``relative`` counts start and target from the value at phase entry.
    """

    to: Number
    duration: Number
    start: Number | None = None
    delay: Number = 0.0
    smooth: bool = False
    relative: bool = False
    cubic: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        start = 0.0 if self.start is None else parse(self.start, unit, where)
        duration, delay = _span(self.duration, f"{where}.duration"), _span(self.delay, f"{where}.delay")
        flags = RELATIVE * self.relative + FROM_ENTRY * (self.start is None)
        kind = 3 if self.smooth else 11 if self.cubic else 2
        return Packed(kind, (start, parse(self.to, unit, where), duration, delay), flags)


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

    ``smooth`` makes the flanks quintic, ``cubic`` 3τ² − 2τ³.
    """

    height: Number
    plateau: Number
    rise: Number = 0.0
    fall: Number = 0.0
    base: Number = 0.0
    delay: Number = 0.0
    smooth: bool = False
    relative: bool = False
    cubic: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        spans = ((self.delay, "delay"), (self.rise, "rise"), (self.plateau, "plateau"), (self.fall, "fall"))
        values = tuple(_span(value, f"{where}.{name}") for value, name in spans)
        values = (parse(self.base, unit, where), parse(self.height, unit, where), *values)
        return Packed(9 if self.smooth else 12 if self.cubic else 8, values, RELATIVE * self.relative)


@dataclass(frozen=True)
class FromTable(Reference):
    """offset + scale * output ``column`` of a table over phase time, or over absolute time when ``absolute``.

    ``stairs`` takes the value of the knot before instead of interpolating.
    """

    table: Table
    column: int = 0
    scale: float = 1.0
    offset: Number = 0.0
    delay: Number = 0.0
    absolute: bool = False
    relative: bool = False
    stairs: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        _check_table(self.table, self.column, where)
        values = (parse(self.offset, unit, where), float(self.scale), parse(self.delay, "s", f"{where}.delay"))
        flags = RELATIVE * self.relative + ABSOLUTE * self.absolute
        return Packed(18 if self.stairs else 10, values, flags, self.table, self.column)


@dataclass(frozen=True)
class Over(Reference):
    """offset + scale * output ``column`` of a table over a watched quantity, at full steps.

    ``from_here`` counts the quantity from where the phase was entered. With ``rate``, a watched quantity that is its
    rate, the reference has a rate: scale * slope of the table * that.
    """

    watch: str
    table: Table
    rate: str = ""
    column: int = 0
    scale: float = 1.0
    offset: Number = 0.0
    from_here: bool = False
    relative: bool = False
    stairs: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        _check_table(self.table, self.column, where)
        values = (parse(self.offset, unit, where), float(self.scale), 0.0)
        flags = RELATIVE * self.relative + OVER + FROM_HERE * self.from_here
        return Packed(18 if self.stairs else 10, values, flags, self.table, self.column, self.watch, self.rate)


@dataclass(frozen=True)
class Slope(Reference):
    """The value at phase entry until ``begin``, then slope (τ − begin), from ``end`` on held.

    ``relative`` counts from the value at entry, otherwise from zero: there is a jump at ``begin``.
    """

    slope: Number
    begin: Number = 0.0
    end: Number | None = None
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        slope = parse(self.slope, "1/s" if unit in ("-", "1") else f"{unit}/s", f"{where}.slope")
        begin = parse(self.begin, "s", f"{where}.begin")
        end = NEVER if self.end is None else parse(self.end, "s", f"{where}.end")
        if not end > begin:
            raise ParameterError(f"{where}.end = {self.end}: must be after begin = {self.begin}")
        return Packed(13, (slope, begin, end), RELATIVE * self.relative)


@dataclass(frozen=True)
class Swept(Reference):
    """The value at phase entry until ``begin``; then amplitude sin ϑ with a frequency that grows from ``first`` by
    ``rate`` to ``last`` and stays there. The phase ϑ is continuous and begins at zero.
    """

    amplitude: Number
    first: Number
    rate: Number
    last: Number
    begin: Number = 0.0
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        first, last = (_span(f, f"{where}.frequency", "Hz") for f in (self.first, self.last))
        rate = _positive(parse(self.rate, "Hz/s", f"{where}.rate"), f"{where}.rate", "Hz/s")
        if last < first:
            raise ParameterError(f"{where}.last = {self.last}: must not be below first = {self.first}")
        values = (parse(self.amplitude, unit, where), first, rate, last, parse(self.begin, "s", f"{where}.begin"))
        return Packed(14, values, RELATIVE * self.relative)


@dataclass(frozen=True)
class Polynomial(Reference):
    """``start`` (None = the value at phase entry), from ``begin`` on with a rate ``first`` that grows by ``second``."""

    first: Number = 0.0
    second: Number = 0.0
    start: Number | None = None
    begin: Number = 0.0

    def pack(self, unit: str, where: str) -> Packed:
        per = "1" if unit in ("-", "1") else unit
        start = 0.0 if self.start is None else parse(self.start, unit, where)
        first, second = parse(self.first, f"{per}/s", where), parse(self.second, f"{per}/s/s", where)
        begin = _span(self.begin, f"{where}.begin")
        return Packed(15, (start, first, second, begin), FROM_ENTRY * (self.start is None))


@dataclass(frozen=True)
class FromInput(Reference):
    """offset + scale * another input, at full steps."""

    input: str
    scale: float = 1.0
    offset: Number = 0.0
    relative: bool = False

    def pack(self, unit: str, where: str) -> Packed:
        values = (parse(self.offset, unit, where), float(self.scale))
        return Packed(16, values, RELATIVE * self.relative, input=self.input)


@dataclass(frozen=True)
class FromWatch(Reference):
    """offset + scale * a watched quantity, at full steps."""

    watch: str
    scale: float = 1.0
    offset: Number = 0.0

    def pack(self, unit: str, where: str) -> Packed:
        return Packed(17, (parse(self.offset, unit, where), float(self.scale)), watch=self.watch)


@dataclass(frozen=True)
class Integral(Reference):
    """The value at phase entry and the integral over time of a reference that is its rate, by the trapezoidal rule over
    full steps."""

    of: Reference

    def pack(self, unit: str, where: str) -> Packed:
        packed = self.of.pack("1/s" if unit in ("-", "1") else f"{unit}/s", where)
        if packed.flags & (RELATIVE | FROM_ENTRY) or packed.kind == 1:
            raise ParameterError(f"{where}: a rate that counts from the value at phase entry means nothing")
        return replace(packed, flags=packed.flags | INTEGRAL)


# --- channels, conditions, jumps, actions -------------------------------------------------------------


@dataclass(frozen=True)
class Open:
    """An input follows its reference, at half steps too.

    blend : time over which the value at phase entry is left: u = u₀ + (r − u₀) (3τ² − 2τ³)
    entry : a watched quantity that is the value at phase entry, instead of that of the input
    low, high : between which it is kept
    """

    input: str
    reference: Reference | Number
    blend: Number = 0.0
    entry: str = ""
    low: Number = -math.inf
    high: Number = math.inf


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
    operator : > < >= <= outside inside, and the same of the absolute value: abs> … "abs inside". The band of outside
    and inside is (a, b)
    from_entry : the value counts from that at phase entry
    """

    source: str
    operator: str
    a: Number
    b: Number = 0.0
    hold: Number = 0.0
    from_entry: bool = False

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

    def text(self) -> str:
        """The condition in words."""
        band = f"{self.a} to {self.b}" if self.operator in BANDS else f"{self.a}"
        return f"{self.source} {self.operator} {band}"


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
    """Conditions that must all hold, and what happens then, ``delay`` later. The first group met decides.

    name : by which the log of triggers knows it
    """

    when: When | Sequence[When]
    then: Next | Goto | Stop = field(default_factory=Next)
    delay: Number = 0.0
    name: str = ""

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
class SetParameter:
    """Set a free parameter at entry; derived ones follow. It is part of snapshots."""

    parameter: str
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


Action = SetState | AddState | SetMemory | SetInput | SetParameter | Write | Iprint | RestartHistory


@dataclass(frozen=True)
class Phase:
    """A stretch of a manoeuvre. ``duration`` adds the end condition "phase time reached" after the others.

    sample : time between looks at the end conditions, a multiple of the step; 0 = every full step
    id : by which inputs of the run know it; absent: its place, counted from 1
    """

    name: str
    channels: Channel | Sequence[Channel] = ()
    ends: End | Sequence[End] = ()
    actions: Action | Sequence[Action] = ()
    duration: Number | None = None
    sample: Number = 0.0
    id: int | None = None

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
_ACTIONS = (SetState, AddState, SetMemory, SetInput, SetParameter, Write, Iprint, RestartHistory)


class Program:
    """Phases in order. `pack` checks all names against a model and gives the flat data for the C loop.

    chosen : an input; while it is not zero, the phase of this id runs, whatever its conditions say
    shown : an input that gets the id of the running phase
    """

    def __init__(self, *phases: Phase | Sequence[Phase], chosen: str = "", shown: str = "") -> None:
        self.chosen, self.shown = chosen, shown
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
    ends: tuple[End, ...] = ()  # by group
    parameters: tuple[int, ...] = ()  # that actions set

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
        self.ends: list[End] = []
        self.parameters: list[int] = []

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
        chosen, shown = (
            self._input(name, "program")[0] if name else -1 for name in (self.program.chosen, self.program.shown)
        )
        unknown = 0
        if chosen >= 0:
            unknown = len(self.reasons)
            self.reasons.append(f"input {self.program.chosen!r} asks for a phase that does not exist")
        ids = [p.id for p in phases]
        if len(set(ids)) != len(ids):
            raise ParameterError(f"phases with equal ids: {ids}")
        parameters = (ctypes.c_int32 * max(len(self.parameters), 1))(*self.parameters)
        inputs = np.array([chosen, shown, *self.parameters], dtype=np.int32)
        numbers = [inputs.tobytes()] if inputs.size > 2 or inputs.max() >= 0 else []
        numbers += [np.ascontiguousarray(a).tobytes() for t in self.tables for a in (*t.knots, t.coef)]
        struct = JnProgram(
            fingerprint(*(bytes(a) for a in arrays), *numbers),
            len(phases),
            len(self.groups),
            len(self.tables),
            max(p.n_channel for p in phases),
            max(p.n_condition for p in phases),
            len(self.parameters),
            chosen,
            shown,
            unknown,
            0,
            *arrays,
            tables,
            parameters,
        )
        keep = (*arrays, tables, *self.tables, parameters)
        return PackedProgram(
            struct, self.phase_names, tuple(self.reasons), self.index, keep, tuple(self.ends), tuple(self.parameters)
        )

    def _phase(self, number: int, phase: Phase) -> JnPhase:
        where = f"phase {phase.name!r}"
        ends: list[End] = list(_all_of(phase.ends, (End,), where))
        if phase.duration is not None:
            _span(phase.duration, f"{where}.duration")
            ends.append(End(When("phase_time", ">=", phase.duration)))
        first = (len(self.channels), len(self.groups), len(self.conditions), len(self.actions))
        # who follows another input comes after the one who writes it
        for channel in sorted(_all_of(phase.channels, _CHANNELS, where), key=_follows_input):
            self._channel(number, channel, where)
        for end in ends:
            self._end(end, first[2], where)
        for action in _all_of(phase.actions, _ACTIONS, where):
            self._action(action, where)
        last = (len(self.channels), len(self.groups), len(self.conditions), len(self.actions))
        counts = (n for a, b in zip(first, last, strict=True) for n in (a, b - a))
        own = number + 1 if phase.id is None else phase.id
        if own < 1:
            raise ParameterError(f"{where}: id = {own}: must be 1 or more")
        return JnPhase(*counts, own, 0, _span(phase.sample, f"{where}.sample"))

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
            record.blend = _span(channel.blend, f"{where}.blend")
            record.low = parse(channel.low, variable.unit, f"{where}.low")
            record.high = parse(channel.high, variable.unit, f"{where}.high")
            if math.isfinite(record.low) or math.isfinite(record.high):
                record.flags |= SATURATED
            if not record.low <= record.high:
                raise ParameterError(f"{where}: low = {channel.low} is not below high = {channel.high}")
            if channel.entry:
                record.entry, record.flags = self._watch(channel.entry, where), record.flags | ENTRY_WATCH
        elif isinstance(channel, Feedback):
            record.mode = MODE_FEEDBACK
            watch = self._watch(channel.watch, where)
            self._reference(record, channel.reference, self.model.watches[watch].unit, where)
            if record.kind in (16, 17) or record.flags & INTEGRAL:
                raise ParameterError(f"{where}: {type(channel.reference).__name__} drives open channels only")
            record.watch = watch
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
        record.kind, record.flags, record.rate = packed.kind, packed.flags, -1
        if packed.watch:
            found = self._watch(packed.watch, where)
            record.watch = record.over = found
        if packed.rate:
            record.rate = self._watch(packed.rate, where)
        if packed.input:
            record.watch = self._input(packed.input, where)[0]
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
        group.delay = _span(end.delay, f"{where}: delay of an end")
        self.ends.append(end)
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
        if condition.from_entry and source:
            raise ParameterError(f"{name}: only watched quantities count from phase entry")
        if condition.operator in BANDS and not a <= b:
            raise ParameterError(f"{name}: the band ({condition.a}, {condition.b}) is empty; lower bound first")
        hold = _span(condition.hold, f"{name} hold")
        self.conditions.append(
            JnCondition(source, index, OPERATORS[condition.operator], int(condition.from_entry), a, b, hold)
        )

    def _watch(self, name: str, where: str) -> int:
        """Number of a watched quantity."""
        self._watched(name, where)
        return _find(name, self.model.watches, f"{where}: watch")[0]

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
        elif isinstance(action, SetParameter):
            k, variable = _find(action.parameter, model.parameters, f"{where}: parameter")
            value = _finite(action.value, variable, where)
            check_limits(variable, value)
            if k not in self.parameters:
                self.parameters.append(k)
            self.actions.append(JnAction(7, self.parameters.index(k), value))
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


def _follows_input(channel: Channel) -> bool:
    reference = getattr(channel, "reference", None)
    return isinstance(reference.of if isinstance(reference, Integral) else reference, FromInput)


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


def _check_table(table: Table, column: int, where: str) -> None:
    if table.n_axes != 1:
        raise ParameterError(f"{where}: a reference table has one axis (time), this one has {table.n_axes}")
    if not 0 <= column < table.n_out:
        raise ParameterError(f"{where}: column {column} of a table with {table.n_out} outputs")


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
