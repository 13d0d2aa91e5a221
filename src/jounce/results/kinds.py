"""What results know about a kind of event: its key figures, its panels, its words.

They stand in the file of the event (``jounce.events.library``) or of an installed package, which hands them over when
it is loaded. A stored run names its kind, and the file is loaded by that name: results know no event. A kind that is
known nowhere, such as that of a measured file, has no key figures and the usual panels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from jounce.core import registry
from jounce.core.errors import ModelError, ParameterError
from jounce.results.catalogue import spelling

if TYPE_CHECKING:
    from jounce.results.figures import Figures
    from jounce.results.panels import Panel, View
    from jounce.results.run import Run
    from jounce.results.verdict import Verdict

Function = Callable[["Run"], "Figures"]
Drawing = Callable[["Run"], str]
Maker = Callable[["View"], "Sequence[Panel]"]
Judge = Callable[["Run"], "Verdict"]

GROUP = "events"


@dataclass(frozen=True)
class Kind:
    """What belongs to the results of a kind of event.

    Attributes
    ----------
    figures : functions of a run that return key figures
    panels : functions that make the plots of a report (`jounce.results.panels`); none: the usual ones
    words : names of key figures for people, where those of `jounce.results.words` do not do
    first : key figures that a reader looks for first, in this order
    drawings : functions of a run that return a drawing for its report (SVG), "" where there is none
    verdict : function of a run that returns what a standard says of it; None: no standard gives a limit
    """

    figures: tuple[Function, ...] = ()
    panels: tuple[Maker, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    verdict: Judge | None = None


_KNOWN: dict[str, Kind] = {}  # handed over by the files of events
_ADDED: dict[str, tuple[Function, ...]] = {}  # key figures that were added to a kind
_ALONE: set[str] = set()  # kinds whose added key figures stand alone
_ASKED: dict[str, str] = {}  # kinds whose file was looked for, and why it could not be loaded, if so


def kind_of(name: str) -> str:
    """Return the key of a kind of event: ``StepSteer``, ``step-steer`` and ``step_steer`` are one."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return spelling(spaced.replace("-", "_"))


def declare(kind: str, what: Kind) -> None:
    """Hand over what belongs to a kind of event; the last word counts."""
    _KNOWN[kind_of(kind)] = what


def find(kind: str) -> Kind:
    """Return what is known about a kind of event, whose file is loaded when it has not been yet."""
    key = kind_of(kind)
    if key not in _KNOWN and key not in _ASKED:
        _ASKED[key] = ""
        try:
            registry.load(GROUP, key)
        except ModelError as error:  # of an installed package: the run itself can still be read
            _ASKED[key] = str(error)
    found = _KNOWN.get(key, Kind())
    own = () if key in _ALONE else found.figures
    added = tuple(f for f in _ADDED.get(key, ()) if f not in own)
    return replace(found, figures=(*own, *added))


def problem(kind: str) -> str:
    """Return why the file of a kind could not be loaded, "" when nothing is wrong."""
    return _ASKED.get(kind_of(kind), "")


def add_figures(kind: str, *functions: Function, alone: bool = False) -> None:
    """Add key-figure functions to a kind of event; with ``alone`` they come in place of those it has."""
    for function in functions:
        if not callable(function):
            raise ParameterError(f"key figures of {kind!r}: {function!r} is not a function of a run")
    key = kind_of(kind)
    if alone:
        _ALONE.add(key)
    before = () if alone else _ADDED.get(key, ())
    _ADDED[key] = (*before, *(f for f in functions if f not in before))


def known() -> list[str]:
    """Return the kinds of events that have key figures."""
    for name in registry.names(GROUP):
        find(name)
    return sorted(key for key in {*_KNOWN, *_ADDED} if find(key).figures)
