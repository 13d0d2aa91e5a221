"""What elements between both wheels of an axle have in common: third and mono elements, roll dampers.

    third, mono:  d = ½ (m_L(J_L) + m_R(J_R))                     heave: nothing in pure roll                    (1)
    roll:         d = m_L(J_L) − m_R(J_R)                         roll: nothing in pure heave                    (2)
    table:        d = m(J_L; J_R) − m(0; 0)                       any of them, by a table over both travels      (3)
    Q_L = F ∂d/∂J_L,   Q_R = F ∂d/∂J_R                            a force that lengthens the element             (4)

d is compression, m the ratio of the element: with both wheels travelling by J, that of a heave element is m(J). A
third element stands beside the elements of the wheels, a mono element is the only one of its axle; they differ in the
names of their channels and inputs. All act on the travel of the wheels, past a series stiffness. That of roll elements
is positive where the left wheel is up.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.model import AxleModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import AxlePlace
from jounce.components.suspension.element import Element, motion_ratio, rate_of
from jounce.core.curves import Curve
from jounce.core.errors import ParameterError
from jounce.core.fields import Data, choice, part

Acts = Literal["third", "mono", "roll"]


class CentralSide(Data):
    """The right end of an element between both wheels, when it differs."""

    ratio: Curve = motion_ratio("deflection")


class Central(Element):
    """An element between both wheels of an axle:  d = ½ (m(J_L) + m(J_R)), for roll d = m(J_L) − m(J_R)."""

    level: ClassVar[Level] = "axle"
    family: ClassVar[str] = "element"
    channels: ClassVar[str] = ""
    groups_of: ClassVar[dict[str, str]] = {}
    """Beginning of its channels, by what it acts on."""
    ports_of: ClassVar[dict[str, tuple[str, str]]] = {}
    """Inputs by which a run adds a force and takes the element away, by what it acts on."""

    acts: Acts = choice(
        "third", doc="third or mono: on the mean travel of both wheels (heave); roll: on their difference"
    )
    right: CentralSide | None = part(None, doc="what differs on the right side")

    @derived(label="ratio", at="axle")
    def moves(self, place: AxlePlace) -> Curve:
        """Its deflection over travel, of the left end or of both."""
        return self.deflection_by(place.settings.splines.method)

    @derived(label="right.ratio", at="axle")
    def moves_right(self, place: AxlePlace) -> Curve:
        """Its deflection over travel, of the right end."""
        if self.right is None:
            return self.deflection_by(place.settings.splines.method)
        return replace_ratio(self, self.right.ratio).deflection_by(place.settings.splines.method)

    def alike(self) -> tuple[str, ...]:
        return (*super().alike(), self.acts)

    def deflection_at(  # type: ignore[override]
        self, at: AxleModel, p: Symbols, direct: bool = True
    ) -> CentralDeflection:
        """How it moves with both wheels."""
        return CentralDeflection(self, at, p)

    def inputs(self, at: AxleModel) -> tuple[str, str]:
        """Names of the inputs of a run that add to it and take it away; none where another has taken them."""
        if not self.is_first(at) or self.acts not in self.ports_of:
            return "", ""
        added, flag = self.ports_of[self.acts]
        return f"{added}.{at.place.word}", f"{flag}.{at.place.word}"

    def told(self, at: AxleModel, moved: CentralDeflection, force: Any, at_wheel: Any, sign: str) -> None:
        """Channels: lengthening positive, as those of the reference tool; at the left wheel downwards."""
        if not self.is_first(at):
            return
        group, word = self.groups_of[self.acts], at.place.word
        at.channel(f"{group}.displacement.{word}", -moved.value, "m", "extension from design")
        at.channel(f"{group}.velocity.{word}", -moved.rate, "m/s", "its rate")
        at.channel(f"{group}.force.{word}", force, "N", f"at the element, {sign} positive")
        at.channel(f"{group}.force_at_wheel.{word}", at_wheel, "N", "at the left wheel, downwards")


def replace_ratio(element: Element, ratio: Curve) -> Element:
    """The same element with another ratio."""
    return element.model_copy(update={"ratio": ratio})


class CentralDeflection:
    """How an element moves with both wheels of its axle (1, 2, 3), and its force on them (4)."""

    def __init__(self, element: Central, at: AxleModel, p: Symbols) -> None:
        self.at = at
        if len(at.wheels) != 2:
            kind = getattr(element, "kind", type(element).__name__)
            raise ParameterError(f"axle {at.place.number}: a {kind} is between two wheels, but the axle has one")
        self.ends = [wheel.direct_end for wheel in at.wheels]
        left, right = (end.travel for end in self.ends)
        if element.dependent:
            self.value = p.moves(left, right)  # (3)
        elif element.acts == "roll":
            self.value = p.moves(left) - p.moves_right(right)  # (2)
        else:
            self.value = 0.5 * (p.moves(left) + p.moves_right(right))  # (1)
        self.slopes = [at.vehicle.slope(self.value, end.travel) for end in self.ends]

    @property
    def frame(self) -> Any:
        """A frame of the unit in which it moves."""
        return self.at.frame

    @property
    def rate(self) -> Any:
        return rate_of(self.slopes, self.ends)

    @property
    def second_rate(self) -> Any:
        """d̈, for outputs."""
        return self.at.system.second_rate(self.rate)

    def act(self, force: Any) -> list[Any]:
        """A force that lengthens the element where positive; returns what it does to the travels (4)."""
        for slope, end in zip(self.slopes, self.ends, strict=True):
            end.push(force * slope)
        return [force * slope for slope in self.slopes]

    def carry(self, force: Any) -> Any:
        """The force of an elastic element, which counts in wheel rates; returns that at the left wheel, downwards."""
        pushed = [-one for one in self.act(-force)]
        for wheel, one in zip(self.at.wheels, pushed, strict=True):
            wheel.central_forces.append(one)
        return pushed[0]
