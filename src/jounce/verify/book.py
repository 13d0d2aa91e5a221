"""The framework of the verification book: cases, rows, pages.

A *case* is a function registered by `case`; it computes with the package and fills a `Page` with rows (and plots):

    @case("pendulum", "Large swings of a pendulum", chapter=1)
    def pendulum(page: Page) -> None:
        '''What is checked, and why the other side of the comparison is independent.'''
        page.row("period", expected=…, measured=…, tolerance=…, unit="s", kind="closed form", source="…", why="…")

A row passes when |measured - expected| <= tolerance.  Its expected value never comes from this package; its
tolerance follows from rounding, from the order of the method or from the digits of the source, and ``why`` says so.
A case that cannot run (an optional package is missing, the simulation failed) leaves one row that is not ok: a book
without a failing row means that everything was computed.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jounce.core.errors import CompileError, JounceError, ParameterError, did_you_mean

KINDS = ("closed form", "published", "independent package", "conservation", "order", "cross-formulation")

# What a row is to the outside: JSON keys, in this order.
KEYS = ("name", "expected", "measured", "unit", "tolerance", "kind", "source", "ok")


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes
    ----------
    name : "case: what is compared"
    expected, measured, tolerance : in ``unit``; None where there is no number
    kind : one of `KINDS`: where the expected value comes from
    source : of the expected value, or why there is none
    why : where the tolerance comes from
    """

    name: str
    expected: float | None
    measured: float | None
    unit: str
    tolerance: float | None
    kind: str
    source: str
    ok: bool
    why: str = ""

    @property
    def label(self) -> str:
        """The name without the case."""
        return self.name.partition(": ")[2]

    @property
    def difference(self) -> float | None:
        """|measured - expected|."""
        if self.measured is None or self.expected is None:
            return None
        return abs(self.measured - self.expected)

    def to_dict(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in KEYS}


@dataclass(frozen=True)
class Plot:
    """A picture of a page; ``draw`` gets an empty matplotlib figure."""

    caption: str
    draw: Callable[[Any], None]
    width: float = 7.2  # inch
    height: float = 3.4


@dataclass(frozen=True)
class Case:
    """A registered case; ``needs`` maps modules to the package that pip installs."""

    name: str
    title: str
    chapter: float
    function: Callable[[Page], None]
    needs: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What is checked, in words."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def equations(self) -> str:
        """The docstring of the module: equations and references."""
        return inspect.cleandoc(inspect.getmodule(self.function).__doc__ or "")

    def run(self) -> Page:
        """Compute the page; what a user can cause becomes a row that is not ok, a bug of ours is raised."""
        page = Page(self)
        missing = [package for module, package in self.needs.items() if importlib.util.find_spec(module) is None]
        if missing:
            command = f"pip install {' '.join(missing)}"
            page.not_run(f"not run: needs the package {', '.join(missing)}; {command}")
            return page
        try:
            self.function(page)
        except CompileError:
            raise  # no case can run then
        except JounceError as error:
            page.not_run(f"not run: {error}")
        if not page.rows:
            page.not_run("not run: the case made no comparison")
        return page


class Page:
    """What a case leaves behind."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.rows: list[Row] = []
        self.plots: list[Plot] = []

    @property
    def ok(self) -> bool:
        """Whether every row passed."""
        return all(row.ok for row in self.rows)

    def row(
        self,
        name: str,
        *,
        expected: float,
        measured: float,
        tolerance: float,
        kind: str,
        source: str,
        unit: str = "-",
        why: str = "",
    ) -> Row:
        """Compare two numbers; a measured value that is not finite fails."""
        if kind not in KINDS:
            raise ValueError(f"row {name!r}: kind {kind!r} is none of {KINDS}")
        expected, measured, tolerance = float(expected), float(measured), float(tolerance)
        if not (math.isfinite(expected) and tolerance >= 0.0):
            raise ValueError(f"row {name!r}: expected {expected} with tolerance {tolerance} cannot be compared")
        finite = math.isfinite(measured)
        ok = finite and abs(measured - expected) <= tolerance
        full = f"{self.case.name}: {name}"
        row = Row(full, expected, measured if finite else None, unit, tolerance, kind, source, ok, why)
        self.rows.append(row)
        return row

    def not_run(self, reason: str) -> None:
        """Leave a row that says why there are no numbers."""
        self.rows.append(Row(f"{self.case.name}: {self.case.title}", None, None, "-", None, "", reason, False))

    def plot(self, caption: str, draw: Callable[[Any], None], *, width: float = 7.2, height: float = 3.4) -> None:
        """Add a picture; it is drawn only when somebody looks at it."""
        self.plots.append(Plot(caption, draw, width, height))


_cases: dict[str, Case] = {}


def case(
    name: str, title: str, *, chapter: float, needs: Mapping[str, str] | None = None
) -> Callable[[Callable[[Page], None]], Callable[[Page], None]]:
    """Register a function as a case of the book (decorator).

    Parameters
    ----------
    name : how the command line calls it; lower case, words joined by "-"
    title : heading
    chapter : place in the book
    needs : optional modules it imports, each with the package that brings it
    """

    def register(function: Callable[[Page], None]) -> Callable[[Page], None]:
        known = _cases.get(name)
        if known is not None and known.function.__module__ != function.__module__:
            raise ValueError(f"case {name!r} exists already, in {known.function.__module__}")
        _cases[name] = Case(name, title, chapter, function, dict(needs or {}))
        return function

    return register


def cases() -> list[Case]:
    """All cases of the book, in the order of their chapters."""
    import jounce.verify.cases as package

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return sorted(_cases.values(), key=lambda c: (c.chapter, c.name))


def select(names: Iterable[str] = ()) -> list[Case]:
    """The named cases (all without names), in the order of the book; "-" and "_" are alike."""
    everything = cases()
    known = {c.name: c for c in everything}
    wanted = set()
    for name in names:
        plain = name.lower().replace("_", "-")
        if plain not in known:
            raise ParameterError(f"case {name!r}: unknown{did_you_mean(plain, known, limit=20)}")
        wanted.add(plain)
    return [c for c in everything if c.name in wanted] if wanted else everything


def run(names: Iterable[str] = (), progress: Callable[[Case, int, int], None] | None = None) -> list[Page]:
    """Compute the pages of the named cases (all without names).

    Parameters
    ----------
    progress : called with the case that begins, how many are done, and how many there are
    """
    chosen = select(names)
    pages = []
    for number, item in enumerate(chosen):
        if progress is not None:
            progress(item, number, len(chosen))
        pages.append(item.run())
    return pages


def to_dicts(pages: Sequence[Page]) -> list[dict[str, Any]]:
    """All rows as plain data."""
    return [row.to_dict() for page in pages for row in page.rows]
