"""A part of a vehicle: its numbers, what it declares, how it connects, what it tells.

A part is one class in one file: pydantic data (each number declared once, with unit, bounds, typical range and help)
and physics. Where it stands is its level: a wheel, an axle, a unit (a body with its axles) or the whole vehicle. A
model is assembled in phases, each over all parts, so that no part depends on the order of another:

    provide   signals that other parts may read, as functions that compute them when somebody does
    frames    bodies, coordinates, poses: units first, then what steers, then axles
    declare   further states with their roles, sampled blocks
    connect   forces and torques
    close     what follows from all forces: rates of states that depend on them
    tell      channels

In every phase a part gets ``at``, the place in the model under construction (``components/model.py``), and ``p``, its
own numbers as symbols: ``p.rate`` is a parameter of the compiled model, ``p.force(x)`` a curve, ``p.point`` a vector.
They are declared on first use, under the name of the place and of the field (``L1.spring.rate``), with unit and bounds
from the field. Numbers that are computed from others in plain Python are methods with the decorator ``derived``; they
are used alike. The numbers of another vehicle of the same structure are a walk over its data (``numbers``): nothing is
assembled for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic.fields import FieldInfo

from jounce.core.curves import Curve
from jounce.core.derived import Derived, Level, derived
from jounce.core.fields import Data, meta
from jounce.core.tables import Table

if TYPE_CHECKING:
    from jounce.components.places import Place
    from jounce.components.settings import Settings, Statics
    from jounce.components.tire.base import Tire

Array = npt.NDArray[np.float64]
Number = Callable[[], float | Table]

__all__ = ["Derived", "Level", "Number", "Part", "Symbols", "attribute", "derived", "numbers", "table_of"]


class Part(Data):
    """Base of all parts; see the module."""

    level: ClassVar[Level] = "vehicle"
    family: ClassVar[str] = ""
    """What it may stand for: parts of one family are chosen by their ``kind``."""
    rank: ClassVar[int] = 9
    """Order of ``frames``: 0 bodies, 1 inputs of drivers and steering, 2 guidance of wheels, 3 wheels, 9 all others."""

    def parts(self) -> Iterator[tuple[str, Part]]:
        """The parts inside this one, with the names that their numbers have."""
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, Part) and name != "right":
                yield name, value
            elif isinstance(value, tuple):
                each = meta(info).get("each") or name
                yield from ((f"{each}{i + 1}", item) for i, item in enumerate(value) if isinstance(item, Part))

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        """Further groups of its numbers, with the prefix of their names below that of the vehicle."""
        yield from ()

    def provide(self, at: Any, p: Symbols) -> None:
        """Signals."""

    def frames(self, at: Any, p: Symbols) -> None:
        """Bodies, coordinates and poses."""

    def declare(self, at: Any, p: Symbols) -> None:
        """States and blocks."""

    def connect(self, at: Any, p: Symbols) -> None:
        """Forces and torques."""

    def close(self, at: Any, p: Symbols) -> None:
        """What follows from all forces."""

    def tell(self, at: Any, p: Symbols) -> None:
        """Channels."""

    def bodies(self, place: Place) -> Iterator[tuple[float, Array, Array]]:
        """Bodies that it adds to a vehicle: mass, centre at design in the vehicle reference frame, inertia about it."""
        yield from ()

    def at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        """Numbers of this part that differ while an equilibrium is sought: name -> value."""
        return {}

    def inputs_at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        """Inputs of the vehicle that have a value of their own while an equilibrium is sought: name -> value."""
        return {}

    def tire_numbers(self, place: Place, tire: Tire, prefix: str) -> Iterator[tuple[str, Number]]:
        """Numbers and tables that a part at a wheel makes from its tire, under its own prefix."""
        yield from ()

    def figures(self, place: Place, told: Callable[[str], float]) -> Iterator[tuple[str, str, str, float, str]]:
        """What ``jounce show`` tells of it at rest: group, key, label, value, unit; ``told``: channels by name."""
        yield from ()

    def remarks(self) -> Iterator[tuple[str, str]]:
        """What is allowed but unusual: the key inside the part (empty for the whole) and a sentence."""
        yield from ()


# ---- numbers as symbols ----------------------------------------------------------------------------------------------


class Symbols:
    """The numbers of a group of data as symbols of a model, declared on first use."""

    def __init__(self, data: Data, place: Place, model: Any, prefix: str) -> None:
        self._data, self._place, self._model, self._prefix = data, place, model, prefix
        self._known: dict[str, Any] = {}
        self.kept: dict[str, Any] = {}  # what the part keeps from one phase to the next

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._known:
            self._known[name] = self._bind(name)
        return self._known[name]

    def _bind(self, name: str) -> Any:
        found = attribute(self._data, name, self._place)
        full = f"{self._prefix}{found.label}".rstrip(".")
        if isinstance(found.value, Data):
            return Symbols(found.value, self._place, self._model, f"{full}.")
        if isinstance(found.value, Curve):
            return CurveSymbol(found.value, full, found.guides, self._place, self._model, found.how)
        if isinstance(found.value, np.ndarray):
            return [
                self._model.parameter(f"{full}.{axis}", float(v), found.unit, found.doc)
                for axis, v in zip("xyz", found.value, strict=True)
            ]
        if found.value is None or isinstance(found.value, str | bool | tuple):
            raise AttributeError(f"{type(self._data).__name__}.{name} is no number; ask the part itself for it")
        return self._model.parameter(full, float(found.value), found.unit, found.doc, **found.limits)

    @property
    def own_name(self) -> str:
        """The name of the part in the model (``L1.spring``), for blocks and scopes of its own."""
        return self._prefix.rstrip(".")

    @property
    def vector(self) -> list[Any]:
        """A point as three symbols."""
        return [self.x, self.y, self.z]

    def constant(self, name: str, value: float, unit: str, doc: str, *, low: float | None = None) -> Any:
        """A parameter that is no datum: the same in every vehicle unless a run changes it."""
        key = f"constant {name}"
        if key not in self._known:
            self._known[key] = self._model.system.parameter(f"{self._prefix}{name}", value, unit, doc, low=low)
        return self._known[key]


class CurveSymbol:
    """A curve as a function of symbols: a rate or a value is a parameter, a table a look-up."""

    def __init__(self, curve: Curve, name: str, guides: bool, place: Place, model: Any, how: str = "") -> None:
        self.curve, self.name, self.guides, self.place, self.model = curve, name, guides, place, model
        self.how = how

    def __call__(self, *arguments: Any) -> Any:
        curve = self.curve
        if curve.constant is not None:
            kind = curve.units.constant
            symbol = self.model.parameter(f"{self.name}.{kind}", curve.constant, curve.units.of_constant)
            return symbol * arguments[0] if kind == "rate" else symbol
        table = self.model.table(self.name, table_of(curve, self.name, self.guides, self.place.settings, self.how))
        return table(*arguments[: curve.n_axes])


def table_of(curve: Curve, name: str, guides: bool, settings: Settings, how: str = "") -> Table:
    """The table of a curve, interpolated as the settings say, or as its declaration does (``core/fields.py``)."""
    maps, splines = settings.kinematic_maps, settings.splines
    method = "polynomial" if guides and maps.polynomial else splines.method
    method = "linear" if how == "lines" else method
    beyond = "flat" if how else maps.extrapolation if guides else splines.element_extrapolation
    order = maps.polynomial_order if method == "polynomial" else None
    return curve.table(name, method=method, extrapolation=beyond, order=order)


class Attribute:
    """What stands behind a name of a part: a value with its unit, help and bounds."""

    def __init__(self, value: Any, label: str, unit: str = "-", doc: str = "", guides: bool = False) -> None:
        self.value, self.label, self.unit, self.doc, self.guides = value, label, unit, doc, guides
        self.how = ""  # of a curve: how its points are joined, and what is beyond
        self.limits: dict[str, float] = {}  # low, high: themselves allowed; above: not


def attribute(data: Data, name: str, place: Place) -> Attribute:
    """A field or a derived number of a group of data, at a place."""
    kind = type(data)
    rule = next((vars(base)[name] for base in kind.__mro__ if isinstance(vars(base).get(name), Derived)), None)
    if rule is not None:
        value = rule.function(data, place)
        unit = rule.unit if isinstance(rule.unit, str) else rule.unit(data)
        found = Attribute(value, name if rule.label is None else rule.label, unit, rule.doc, rule.guides)
        found.limits = {} if rule.low is None else {"low": rule.low}
        return found
    info = kind.model_fields.get(name)
    if info is None:
        raise AttributeError(f"{kind.__name__} has no number {name!r}; declared are {', '.join(kind.model_fields)}")
    extra = meta(info)
    label, guides = "" if extra.get("flat") else name, bool(extra.get("guides"))
    found = Attribute(getattr(data, name), label, extra.get("unit", "-"), info.description or "", guides)
    found.limits, found.how = bounds(info), str(extra.get("how", ""))
    return found


def bounds(info: FieldInfo) -> dict[str, float]:
    """Limits of a number as declared: low and high, themselves allowed, and above, which is not."""
    names = {"ge": "low", "gt": "above", "le": "high"}
    found = {
        word: float(value)
        for item in info.metadata
        for name, word in names.items()
        if (value := getattr(item, name, None)) is not None
    }
    below = next((float(item.lt) for item in info.metadata if getattr(item, "lt", None) is not None), None)
    return found if below is None else {**found, "high": float(np.nextafter(below, -np.inf))}


# ---- numbers without a model ----------------------------------------------------------------------------------------


def numbers(data: Data, place: Place, prefix: str, *, fields: bool = True) -> Iterator[tuple[str, Number]]:
    """Names and values of all numbers and tables of a group of data at a place, each computed when it is asked for.

    More than the model has: it declares what it uses. Where a derived number has the name of a field it comes later.
    Without ``fields`` only derived numbers: those that a part has at a place below its own.
    """
    rules: dict[str, Derived] = {}
    for base in reversed(type(data).__mro__):
        rules.update({name: value for name, value in vars(base).items() if isinstance(value, Derived)})
    for name, info in type(data).model_fields.items() if fields else ():
        value, extra = getattr(data, name), meta(info)
        label = prefix.rstrip(".") if extra.get("flat") else f"{prefix}{name}"
        if name == "right" or value is None:
            continue
        if isinstance(value, Curve):
            yield from _curve_numbers(value, label, bool(extra.get("guides")), place, str(extra.get("how", "")))
        elif isinstance(value, Data) and not isinstance(value, Part):
            yield from numbers(value, place, f"{prefix}{name}.")
        elif extra.get("kind") == "quantity":
            yield f"{prefix}{name}", partial(float, value)
    for name, rule in rules.items():
        if rule.at in (None, place.level):
            yield from _derived_numbers(data, name, place, prefix)


def _derived_numbers(data: Data, name: str, place: Place, prefix: str) -> Iterator[tuple[str, Number]]:
    found = attribute(data, name, place)
    value, full = found.value, f"{prefix}{found.label}".rstrip(".")
    if isinstance(value, Curve):
        yield from _curve_numbers(value, full, found.guides, place)
    elif isinstance(value, np.ndarray):
        for axis, number in zip("xyz", value, strict=True):
            yield f"{full}.{axis}", partial(float, number)
    elif isinstance(value, Data):
        yield from numbers(value, place, f"{full}.")
    elif value is not None:
        yield full, lambda: float(value)


def _curve_numbers(curve: Curve, label: str, guides: bool, place: Place, how: str = "") -> Iterator[tuple[str, Number]]:
    if curve.constant is not None:
        constant = curve.constant
        yield f"{label}.{curve.units.constant}", lambda: constant
    else:
        yield label, lambda: table_of(curve, label, guides, place.settings, how)
