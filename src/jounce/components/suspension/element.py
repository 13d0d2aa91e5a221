"""What springs, dampers and stops have in common: they move with the wheels of their axle and act by virtual work.

    d   = r · J,  d = m(J) − m(0)  or  d = m(J; J_o) − m(0; 0)     deflection, compression positive, by the ratio  (1)
    Q_J = F ∂d/∂J,   Q_Jo = F ∂d/∂J_o                              a force that lengthens the element               (2)

The travel J_o of the paired wheel moves the elements of axles whose wheels hang together: on a solid axle or a twist
beam a spring inboard of the wheel deflects less in roll than in parallel travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.model import AxleModel, End, WheelModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import WheelPlace
from jounce.core.curves import Curve, CurveUnits
from jounce.core.errors import ParameterError
from jounce.core.fields import choice, curve, problem, quantity
from jounce.symbolic.ops import if_else

DEFAULT_RATIO = Curve(CurveUnits("m", "m", "m"), constant=1.0)


def motion_ratio(what: str, *default: Curve) -> Any:
    """The field ``ratio`` of an element whose deflection is a length."""
    doc = f"travel to {what}: a factor r, or a table over own (and paired) J"
    return curve("m", "m", *default, z="m", typical=(0.01, 20.0), reach=(0.005, 1.0), doc=doc)


class Element(Part):
    """An element between wheel and body: a ratio and a scale."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "element"
    channels: ClassVar[str] = ""
    """Its word in the inputs of the catalogue: ``External_Spring.L1.Spring_Scaling_Factor``."""
    carries: ClassVar[bool] = True
    """Whether it may carry the body or damp it: figures of main springs and dampers alone would then say too little."""

    ratio: Curve = motion_ratio("deflection")
    ratio_convention: Literal["element_per_wheel", "wheel_per_element"] = choice(
        "element_per_wheel", doc="what a constant ratio divides by what"
    )
    scale: float = quantity("-", 1.0, ge=0, typical=(0.01, 100.0), doc="factor on the force")

    @property
    def deflection(self) -> Curve:
        """`deflection_by` of the usual interpolation."""
        return self.deflection_by("akima")

    def deflection_by(self, method: str) -> Curve:
        """The ratio as deflection over wheel travel (1), whatever the convention it was given in; zero at design.

        Between the points of a table, what stands at design depends on the interpolation.
        """
        ratio = self.ratio
        if ratio.constant is not None:
            if self.ratio_convention == "wheel_per_element":
                return Curve(ratio.units, constant=1.0 / ratio.constant)
            return ratio
        at_design = ratio(0.0, method=method)
        if at_design == 0.0:
            return ratio
        return replace(ratio, y=tuple(value - at_design for value in ratio.y))

    @property
    def dependent(self) -> bool:
        """Whether the travel of the paired wheel moves the element as well."""
        return self.ratio.n_axes == 2

    @model_validator(mode="after")
    def _ratio_divides(self) -> Self:
        if self.ratio_convention == "wheel_per_element" and self.ratio.constant == 0.0:
            raise problem(
                "0 wheel per element: the element would move without the wheel; a ratio must not be 0", "ratio"
            )
        return self

    @derived(label="ratio", at="wheel")
    def moves(self, place: WheelPlace) -> Curve:
        """Its deflection over travel."""
        return self.deflection_by(place.settings.splines.method)

    def deflection_at(self, at: WheelModel, p: Symbols, direct: bool = False, shift: Any = None) -> Deflection:
        """How it moves with the wheels of its axle.

        ``direct``: past a series stiffness; ``shift``: added to the own travel, by a longer push-rod.
        """
        return Deflection(self, at, p, direct, shift)

    def is_first(self, at: WheelModel | AxleModel) -> bool:
        """Whether it is the first of its kind among the further elements of its axle: the one that has channels."""
        axle = at.place if isinstance(at, AxleModel) else at.place.axle
        before = axle.data.suspension.elements[: at.number_of(self)]
        return all(self.alike() != item.alike() for item in before if isinstance(item, Element))

    def alike(self) -> tuple[str, ...]:
        """What elements with the same names of channels have in common."""
        return (str(getattr(self, "kind", "")),)

    def scaled(self, at: WheelModel, p: Symbols, force: Any, unit: str = "N") -> Any:
        """The force with the factors of data and run."""
        word = scaling(self.channels, at.place.name) if self.channels else ""
        return at.vehicle.through(p.scale * force, unit, f"force of the {self.channels.lower()}", scale=word)


class Deflection:
    """How an element moves with the wheels of its axle (1), and its force on them (2)."""

    def __init__(self, element: Element, at: WheelModel, p: Symbols, direct: bool = False, shift: Any = None) -> None:
        self.at = at
        curve: Curve = p.moves.curve
        wheels = [at, at.paired][: max(curve.n_axes, 1)]
        damps = element.family == "damper"
        self.ends: list[End] = [
            wheel.direct_end if direct else wheel.damper_end if damps else wheel.end for wheel in wheels
        ]
        own = self.ends[0].travel if shift is None else self.ends[0].travel + shift
        self.value = p.moves(*[own, *(end.travel for end in self.ends[1:])])
        main = bool(element.channels) and at.number_of(element) == 0
        self.word = element.channels if main else ""
        self.steered = at.steered_elements.get(self.word)  # what steering adds, see steering/elements.py
        if self.steered is not None:
            self.value = self.value + self.steered.value(own)
        self.slopes = [at.vehicle.slope(self.value, end.travel) for end in self.ends]
        if element.channels:
            self.value, self.slopes = replaced_ratio(at, element.channels, own, self.value, self.slopes)

    @property
    def frame(self) -> Any:
        """A frame of the unit in which it moves."""
        return self.at.axle.frame

    @property
    def rate(self) -> Any:
        rate = rate_of(self.slopes, self.ends)
        return rate if self.steered is None else rate + self.steered.rate

    @property
    def second_rate(self) -> Any:
        """d̈, for outputs."""
        return self.at.system.second_rate(self.rate)

    def press(self, force: Any) -> Any:
        """Force of a spring or a stop, that of compression positive; returns what it does to the own wheel, downwards.

        Told with the springs of the own wheel; what it does to the paired one with those that both wheels share.
        """
        at_wheel = -self.act(-force)
        self.at.spring_forces.append(at_wheel)
        if len(self.slopes) > 1:
            self.at.paired.central_forces.append(force * self.slopes[1])
        return at_wheel

    def act(self, force: Any) -> Any:
        """A force that lengthens the element where positive; returns what it does to the own wheel's travel."""
        for slope, end in zip(self.slopes, self.ends, strict=True):
            end.push(force * slope)
        if self.word:
            self.at.tensions[self.word] = force
        if self.steered is not None:
            self.steered.act(force)
        return force * self.slopes[0]


def scaling(word: str, place: str) -> str:
    """The input by which a run scales an element at a wheel."""
    return f"External_{word}.{place}.{word}_Scaling_Factor"


def replaced_ratio(
    at: WheelModel, word: str, travel: Any, value: Any, slopes: list[Any], unit: str = "-"
) -> tuple[Any, list[Any]]:
    """Deflection and its slopes, over own travel first, with the ratio that a run gives where that is activated."""
    name = f"External_{word}.{at.place.name}.{word}_Motion_Ratio"
    given = at.vehicle.outside(f"{name}_External_Activation", "-", "1: the ratio of the run counts", "flag")
    doc = "element travel per wheel travel, where it is activated"
    ratio = at.vehicle.outside(name, unit, doc, "replacing", 1.0)
    if given is not None and ratio is None:
        raise ParameterError(f"input '{name}_External_Activation': give {name!r}, too")
    if ratio is None:
        return value, slopes
    active = True if given is None else given > 0.5
    new = [ratio, *[0.0] * (len(slopes) - 1)]
    return if_else(active, ratio * travel, value), [if_else(active, r, s) for r, s in zip(new, slopes, strict=True)]


def rate_of(slopes: Sequence[Any], ends: Sequence[End]) -> Any:
    """ḋ of slopes over travels."""
    total: Any = 0.0
    for slope, end in zip(slopes, ends, strict=True):
        total = total + slope * end.rate
    return total
