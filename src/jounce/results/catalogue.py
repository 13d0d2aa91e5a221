"""The catalogue of channels: every name that the reference tool of this field uses, with our unit and sign.

A row describes one family of channels: ``Wheel:Omega:{L,R}{1,2}`` stands for four. Its numbers and ours are connected
by

    reference value = sign · factor · our value                                                                      (1)

where our value is SI with the signs of docs/conventions.md, and the reference value has the sign and the unit under
which the channel is written there. Names in angle brackets (``<rigid_body_name>``) stand for a name that the model
gives.

A name is looked up in any of the spellings found in the wild: levels joined by ``.``, ``:`` or ``_``, in any letter
case as long as only one channel is meant.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Literal

from jounce.core.errors import ParameterError, did_you_mean

Direction = Literal["input", "output"]

_BRACES = re.compile(r"\{([^{}]*)\}")
_PLACEHOLDER = re.compile(r"<[^<>]+>")
_SEPARATORS = re.compile(r"[.:_\s]+")


def spelling(name: str) -> str:
    """Return what all spellings of a name have in common: ``Wheel:Omega:L1`` and ``wheel_omega_l1`` are one."""
    return _SEPARATORS.sub("_", name.strip()).casefold()


def expand(pattern: str) -> list[str]:
    """Return the names that a pattern with braces stands for: ``a{L,R}{1,2}`` gives aL1, aL2, aR1, aR2."""
    pieces = _BRACES.split(pattern)
    choices = [[piece] if k % 2 == 0 else piece.split(",") for k, piece in enumerate(pieces)]
    return ["".join(parts) for parts in itertools.product(*choices)]


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue.

    Attributes
    ----------
    direction : "input" or "output"
    group, name : heading and name in the reference list, braces and placeholders kept
    unit : as the reference tool writes the channel
    pattern : our dotted name, braces and placeholders kept
    si_unit : our unit; "" where it depends on the model or is unknown
    sign, factor : reference value = sign · factor · our value
    description : one line
    """

    direction: Direction
    group: str
    name: str
    unit: str
    pattern: str
    si_unit: str
    sign: int
    factor: float
    description: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Our names, braces expanded; placeholders stay."""
        return tuple(expand(self.pattern))

    def to_reference(self, value: float) -> float:
        """Return our value in the sign and unit of the reference tool; arrays too."""
        return self.sign * self.factor * value

    def from_reference(self, value: float) -> float:
        """Return a value of the reference tool in our sign and unit; arrays too."""
        return value / (self.sign * self.factor)


class Catalogue:
    """All entries, found by name."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._exact: dict[str, list[Entry]] = {}
        self._loose: dict[str, list[Entry]] = {}
        self._patterns: list[tuple[re.Pattern[str], Entry]] = []
        for entry in self.entries:
            for name in {*entry.names, *expand(entry.name)}:
                if _PLACEHOLDER.search(name):
                    self._patterns.append((_pattern(name), entry))
                else:
                    self._exact.setdefault(name, []).append(entry)
                    _append(self._loose.setdefault(spelling(name), []), entry)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._candidates(name, None))

    def names(self, direction: Direction | None = None) -> list[str]:
        """Return all our names, in the order of the catalogue."""
        wanted = (entry for entry in self.entries if direction in (None, entry.direction))
        return list(dict.fromkeys(name for entry in wanted for name in entry.names))

    def find(self, name: str, direction: Direction | None = None, group: str | None = None) -> Entry:
        """Return the entry of a channel.

        Parameters
        ----------
        name : in any spelling; a short name of the reference list (``efficiency``) needs its group
        direction : "input" or "output", where a name exists in both
        group : heading of the reference list

        Raises
        ------
        ParameterError
            The name is unknown, or means several channels.
        """
        found = self._candidates(name, direction)
        if group is not None:
            found = [entry for entry in found if spelling(entry.group) == spelling(group)]
        if not found:
            raise ParameterError(
                f"channel {name!r}: not in the catalogue{did_you_mean(name, self.names(direction), 3)}"
            )
        if len({(entry.pattern, entry.direction) for entry in found}) > 1:
            meant = ", ".join(f"{entry.pattern} ({entry.direction}, {entry.group})" for entry in found[:6])
            raise ParameterError(
                f"channel {name!r}: means several channels: {meant}; write the whole name, with its case"
            )
        return found[0]

    def _candidates(self, name: str, direction: Direction | None) -> list[Entry]:
        for found in (
            self._exact.get(name, []),
            self._loose.get(spelling(name), []),
            [entry for pattern, entry in self._patterns if pattern.fullmatch(_levels(name))],
        ):
            chosen = [entry for entry in found if direction in (None, entry.direction)]
            if chosen:
                return chosen
        return []


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """Return the shipped catalogue."""
    text = resources.files("jounce.results").joinpath("channels.csv").read_text(encoding="utf-8")
    return Catalogue(
        Entry(
            direction="input" if row["direction"] == "input" else "output",
            group=row["group"],
            name=row["name"],
            unit=row["unit"],
            pattern=row["dotted"],
            si_unit=row["si_unit"],
            sign=int(row["sign"]),
            factor=float(row["factor"]),
            description=row["description"],
        )
        for row in csv.DictReader(text.splitlines())
    )


def _append(entries: list[Entry], entry: Entry) -> None:
    if entry not in entries:
        entries.append(entry)


def _levels(name: str) -> str:
    return name.replace(":", ".").casefold()


def _pattern(name: str) -> re.Pattern[str]:
    """Names whose placeholder may be anything within one level."""
    return re.compile("[^.]+".join(re.escape(piece) for piece in _PLACEHOLDER.split(_levels(name))))
