"""Open-loop signals: functions of the time t in a stage, for one channel.

y_i is the value of the channel when the stage is entered, b = y_i where ``relative``, otherwise 0. With
τ = clip((t − begin)/(end − begin), 0, 1), S₃(τ) = 3τ² − 2τ³, S₅(τ) = 10τ³ − 15τ⁴ + 6τ⁵:

    constant   b + value                                                                                          (1)
    step       b + first + (last − first) S₃(τ);     step5: with S₅                                              (2)
    sine       b + A sin(2π f t + φ), after ``cycles`` held;     cosine: with cos                                (3)
    swept      y_i before ``begin``; with τ = t − begin and τ₁ = (f₁ − f₀)/r: b + A sin ϑ,
               ϑ = 2π (f₀ τ + r τ²/2) up to τ₁, then 2π (f₀ τ₁ + r τ₁²/2 + f₁ (τ − τ₁))                              (4)
    ramp       y_i before ``begin``, then b + slope (min(t, end) − begin)                                        (5)
    impulse    b + height S₃, up from ``begin`` to the middle, down from there to ``end``                         (6)
    maintain   y_i                                                                                               (7)
    measured   a column of numbers over time, distance or station, straight lines between them, ends held        (8)
    user       an input of the run                                                                               (9)

Values have the unit of the channel: rad for the hand wheel, 1 for a whole pedal.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal, Self, TypeVar

from pydantic import model_validator

from jounce.core.fields import choice, flag, part, problem, quantity, text
from jounce.manoeuvre.block import Amount, Block, amount

Axis = Literal["time", "distance", "station"]


class Signal(Block):
    """Base of all signals.

    A pedal's signal is, where ``auto_scaling``, a share of the pedal, otherwise a demand in the numbers of the channel
    (`Limits.full` is the whole pedal).
    """

    relative: bool = flag(False, doc="counts from the value of the channel when the stage is entered")
    scale: float = quantity("-", 1.0, doc="factor on the signal")
    auto_scaling: bool = flag(True, doc="a share of the whole range of the channel; otherwise a demand as it is")
    auto_saturation: bool = flag(True, doc="kept within the limits of the channel")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return raw if isinstance(raw, Mapping | Signal) else {"kind": "constant", "value": raw}

    @property
    def amounts(self) -> tuple[str, ...]:
        """Names of the fields whose unit is that of the channel."""
        return ()


class ConstantSignal(Signal):
    kind: Literal["constant"] = choice("constant", doc="kind of signal")
    value: Amount = amount(doc="the value")

    @property
    def amounts(self) -> tuple[str, ...]:
        return ("value",)


class _Stepped(Signal):
    begin: float = quantity("s", 0.0, doc="when it begins, x0")
    end: float = quantity("s", doc="when it ends, x1")
    first: Amount = amount(0.0, doc="value before, y0")
    from_actual: bool = flag(False, doc="the value before is that at the switch, whatever ``first`` says")
    last: Amount = amount(doc="value after, y1")

    @model_validator(mode="after")
    def _order(self) -> Self:
        return _ordered(self)

    @property
    def amounts(self) -> tuple[str, ...]:
        return ("first", "last")


class StepSignal(_Stepped):
    kind: Literal["step"] = choice("step", doc="kind of signal")


class Step5Signal(_Stepped):
    kind: Literal["step5"] = choice("step5", doc="kind of signal")


class _Wave(Signal):
    amplitude: Amount = amount(doc="amplitude")
    frequency: float = quantity("Hz", gt=0, doc="frequency")
    phase: float = quantity("rad", 0.0, doc="at the beginning")
    cycles: float | None = quantity("-", None, gt=0, doc="how many; absent: no end")
    begin: float = quantity("s", 0.0, ge=0, doc="when it begins")

    @property
    def amounts(self) -> tuple[str, ...]:
        return ("amplitude",)


class SineSignal(_Wave):
    kind: Literal["sine"] = choice("sine", doc="kind of signal")


class CosineSignal(_Wave):
    kind: Literal["cosine"] = choice("cosine", doc="kind of signal")


class SweptSignal(Signal):
    kind: Literal["swept"] = choice("swept", doc="kind of signal")
    begin: float = quantity("s", 0.0, doc="when it begins, x0")
    amplitude: Amount = amount(doc="amplitude")
    first_frequency: float = quantity("Hz", ge=0, doc="at the beginning")
    frequency_rate: float = quantity("Hz/s", gt=0, doc="growth of the frequency")
    last_frequency: float = quantity("Hz", gt=0, doc="at which it stays")

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.last_frequency < self.first_frequency:
            raise problem(f"is below first_frequency ({self.first_frequency:g} Hz)", "last_frequency")
        return self

    @property
    def amounts(self) -> tuple[str, ...]:
        return ("amplitude",)


class RampSignal(Signal):
    kind: Literal["ramp"] = choice("ramp", doc="kind of signal")
    begin: float = quantity("s", 0.0, doc="when it begins, x0")
    end: float | None = quantity("s", None, doc="from when on it is held, x1; absent: never")
    slope: Amount = amount(doc="per second, in the unit of the channel")

    @model_validator(mode="after")
    def _order(self) -> Self:
        return self if self.end is None else _ordered(self)

    @property
    def amounts(self) -> tuple[str, ...]:
        return ("slope",)


class ImpulseSignal(Signal):
    kind: Literal["impulse"] = choice("impulse", doc="kind of signal")
    begin: float = quantity("s", 0.0, doc="when it begins, x0")
    end: float = quantity("s", doc="when it is over, x1")
    height: Amount = amount(doc="in the middle")

    @model_validator(mode="after")
    def _order(self) -> Self:
        return _ordered(self)

    @property
    def amounts(self) -> tuple[str, ...]:
        return ("height",)


class MaintainSignal(Signal):
    kind: Literal["maintain"] = choice("maintain", doc="kind of signal")


class MeasuredSignal(Signal):
    """A column of numbers, here or in a file (DCD); a gear is that of the row before, others by straight lines."""

    kind: Literal["measured"] = choice("measured", doc="kind of signal")
    file: str = text(doc="a DCD file; its column is that of the channel")
    over: Axis = choice("time", doc="of the stage: time, distance travelled; or station on the path")
    x: tuple[float, ...] = part((), doc="times or distances, SI")
    y: tuple[float, ...] = part((), doc="values, SI")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.file) == bool(self.x):
            raise problem("give a file, or x and y")
        if len(self.x) != len(self.y):
            raise problem(f"has {len(self.y)} values for {len(self.x)} x", "y")
        if any(b <= a for a, b in pairwise(self.x)):
            raise problem("must rise", "x")
        return self


class UserSignal(Signal):
    kind: Literal["user"] = choice("user", doc="kind of signal")
    input: str = text(doc="name of the input; absent: that of the channel, user_input_steering …")


SIGNALS: tuple[type[Signal], ...] = (
    ConstantSignal, StepSignal, Step5Signal, SineSignal, CosineSignal, SweptSignal, RampSignal, ImpulseSignal,
    MaintainSignal, MeasuredSignal, UserSignal,
)  # fmt: skip


S = TypeVar("S", bound=Any)


def _ordered(signal: S) -> S:
    if not signal.end > signal.begin:
        raise problem(f"must be after begin ({signal.begin:g} s)", "end")
    return signal
