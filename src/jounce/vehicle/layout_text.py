"""The layout of a vehicle as a text, ``S_SS__SSS``: which suspensions stand behind each other in which units.

    text    unit {"__" unit}            units, each towed by the one before it
    unit    {prefix} group {"_" group}  groups of axles from front to rear
    group   axle {axle}                 one axle, a tandem, a tridem
    prefix  "E_" | "F_"                 a suspended engine; a frame that twists
    axle    "I" | "S" | "T" | "V"       independent, solid axle, twist beam, virtual steer axis

The words are those of the reference tool (MODEL_LAYOUT). ``parse`` reads a text and names the place of an error; ``of``
writes that of a vehicle, so that ``str(parse(text)) == text``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jounce.components.places import AxlePlace, UnitPlace
from jounce.core.errors import ParameterError
from jounce.core.fields import problem

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

CODES = {"I": "independent", "S": "solid axle", "T": "twist beam", "V": "virtual steer axis"}
PREFIXES = {"E": "suspended engine", "F": "frame twist"}


@dataclass(frozen=True)
class UnitText:
    """One unit: its prefixes, and its groups of axles as texts of codes."""

    prefixes: tuple[str, ...]
    groups: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f"{prefix}_" for prefix in self.prefixes) + "_".join(self.groups)

    @property
    def axles(self) -> str:
        """Codes of all axles, from front to rear."""
        return "".join(self.groups)


@dataclass(frozen=True)
class LayoutText:
    """A layout as its text has it."""

    units: tuple[UnitText, ...]

    def __str__(self) -> str:
        return "__".join(str(unit) for unit in self.units)


def parse(text: str) -> LayoutText:
    """Read a text; ParameterError with the position, from 1, of what is wrong."""
    if not text:
        raise ParameterError("layout '': empty; expected codes of suspensions such as I_I or S_SS__SSS")
    units: list[UnitText] = []
    prefixes: list[str] = []
    groups: list[str] = []
    place, end = 0, len(text)
    while place < end:
        letter = text[place]
        if letter in PREFIXES:
            if groups:
                raise _wrong(text, place, f"{letter}_ stands before the first suspension of a unit")
            if letter in prefixes:
                raise _wrong(text, place, f"{letter}_ stands there twice")
            if text[place + 1 : place + 2] != "_" or text[place + 1 : place + 3] == "__":
                raise _wrong(text, place + 1, f"expected one _ after the prefix {letter}")
            prefixes.append(letter)
            place += 2
            continue
        if letter not in CODES:
            expected = ", ".join(f"{code} ({what})" for code, what in CODES.items())
            first = "a unit begins with a suspension" if letter == "_" else f"{letter!r} is no suspension"
            raise _wrong(text, place, f"{first}; expected {expected}")
        start = place
        while place < end and text[place] in CODES:
            place += 1
        groups.append(text[start:place])
        bars = len(text[place:]) - len(text[place:].lstrip("_"))
        if place < end and bars == 0:
            expected = ", ".join((*CODES, "_", "__"))
            raise _wrong(text, place, f"{text[place]!r} is no suspension; expected {expected}")
        if bars > 2:
            raise _wrong(text, place + 2, "one _ separates suspensions, two separate units; there are more")
        if bars and place + bars == end:
            what = "suspension" if bars == 1 else "unit"
            raise _wrong(text, end, f"ends after {'_' * bars}; expected another {what}")
        place += bars
        if bars == 2 or place == end:
            units.append(UnitText(tuple(prefixes), tuple(groups)))
            prefixes, groups = [], []
    if prefixes:
        raise _wrong(text, end, f"ends after {prefixes[-1]}_; expected a suspension")
    return LayoutText(tuple(units))


def _wrong(text: str, place: int, what: str) -> ParameterError:
    return ParameterError(f"layout {text!r}, position {place + 1}: {what}\n  {text}\n  {' ' * place}^")


def of(vehicle: Vehicle) -> LayoutText:
    """The text of a vehicle."""
    return LayoutText(tuple(_of_unit(unit) for unit in vehicle.layout.units))


def _of_unit(unit: UnitPlace) -> UnitText:
    body = unit.data.body
    found = {"E": any(item.kind == "engine" for item in body.suspended), "F": body.twist is not None}
    groups: list[str] = []
    for axle in unit.axles:
        if axle.group[0] is axle:
            groups.append("")
        groups[-1] += code(axle)
    return UnitText(tuple(prefix for prefix, there in found.items() if there), tuple(groups))


def code(axle: AxlePlace) -> str:
    """The code of a suspension."""
    suspension, steering = axle.data.suspension, axle.data.guiding
    if suspension.solid is not None:
        return "S"
    if suspension.dependent:
        return "T"
    steered = steering is not None and steering.map("steer", "L").curve.n_axes == 2
    return "V" if steered else "I"


def compare(vehicle: Vehicle) -> None:
    """Raise where ``model_layout`` cannot be read, with the position, or is not that of the axles."""
    try:
        found = check(vehicle.model_layout, vehicle)
    except ParameterError as error:
        raise problem(str(error), "model_layout") from None
    if found:
        raise problem(found, "model_layout")


def check(text: str, vehicle: Vehicle) -> str:
    """What differs between a text and a vehicle: a sentence, empty where they agree."""
    wanted, found = parse(text), of(vehicle)
    if wanted == found:
        return ""
    if len(wanted.units) != len(found.units):
        return f"{text!r} has {len(wanted.units)} units, the vehicle {len(found.units)}: {found}"
    number = next(i for i, (a, b) in enumerate(zip(wanted.units, found.units, strict=True)) if a != b)
    return f"{text!r}: unit {number + 1} is {wanted.units[number]} there and {found.units[number]} in the vehicle"
