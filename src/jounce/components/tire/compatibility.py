"""Which tires run on which roads: a table, asked before a run starts.

    S  one thread      M  several threads      R  in real time      none of them: not at all

Tires of this package run on every road. Models of others sample the road themselves, and some know few kinds. Roads
that are made of others (features on a road, storeys, an enveloping contact, composite files) have the kinds of their
parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError, did_you_mean
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad
from jounce.road.line import LineRoad
from jounce.road.mesh import MeshRoad
from jounce.road.simple import Bump, Dish, External, Flat, Patch, Stack, Sum
from jounce.road.surface import Road

ROADS = ("analytic", "measured", "extrusion", "mesh", "flat", "gridmesh", "external", "opencrg", "rgr")

_ROWS = {
    "native": "SR SR SR SMR SMR SMR SMR SMR SMR",
    "FTIRE": "S S S SM SM SM SM SM SMR",
    "SWIFT_6.2": "S S S S S S S S S",
    "SWIFT_2020": "X X X SM SM SMR SM SMR SM",
    "CDTIRE": "X X X SMR SMR SMR SMR SMR X",
    "TAMETIRE": "X X X SMR SMR X SMR X SMR",
    "USER": "S S S SM SM SM SM SM SM",
}
TABLE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        tire: MappingProxyType({road: cell.replace("X", "") for road, cell in zip(ROADS, row.split(), strict=True)})
        for tire, row in _ROWS.items()
    }
)
NAMES = {
    "native": "tires of this package",
    "FTIRE": "FTire",
    "SWIFT_6.2": "MF-Tyre/MF-Swift 6.2",
    "SWIFT_2020": "MF-Tyre/MF-Swift 2020.1",
    "CDTIRE": "CDTire",
    "TAMETIRE": "TameTire",
    "USER": "user tires",
}
_KINDS: tuple[tuple[type[Road], str], ...] = (
    (Flat, "flat"),
    (LineRoad, "analytic"),
    (MeshRoad, "mesh"),
    (GridRoad, "opencrg"),
    (External, "external"),
    (Bump, "analytic"),
    (Dish, "analytic"),
)


def family(tire: Tire | str) -> str:
    """The row of a tire."""
    word = tire if isinstance(tire, str) else str(getattr(tire.model, "family", "native"))
    if word not in TABLE:
        raise ParameterError(f"tire family {word!r}{did_you_mean(word, TABLE)}")
    return word


def kinds(road: Road | str) -> tuple[str, ...]:
    """The columns of a road: one, or those of its parts."""
    if isinstance(road, str):
        if road not in ROADS:
            raise ParameterError(f"road kind {road!r}{did_you_mean(road, ROADS)}")
        return (road,)
    parts: Sequence[Any] = ()
    if isinstance(road, Envelope):
        parts = [road.road]
    elif isinstance(road, Sum):
        parts = [road.base, *road.features]
    elif isinstance(road, Stack):
        parts = list(road.roads)
    elif isinstance(road, Patch):
        return ()  # friction only: the road below decides
    if parts:
        return tuple(dict.fromkeys(kind for part in parts for kind in kinds(part)))
    return (next((kind for cls, kind in _KINDS if isinstance(road, cls)), "external"),)


def cell(tire: Tire | str, road: Road | str) -> str:
    """What is possible: letters out of S, M, R; for a road of several parts what is possible on all."""
    row = TABLE[family(tire)]
    return "".join(letter for letter in "SMR" if all(letter in row[kind] for kind in kinds(road)))


def check(
    tires: Mapping[str, Tire | str],
    roads: Sequence[Road | str] | Mapping[str, Road | str],
    *,
    threads: int = 1,
    real_time: bool = False,
) -> None:
    """Refuse tires that do not run on these roads.

    Parameters
    ----------
    tires : by wheel, for the message
    roads : all of them for all wheels, or those of each wheel; a second tire (``L2_twin``) is on the road of the first
    threads : in which tires of one vehicle are evaluated
    real_time : whether the run must keep up with the clock
    """
    for wheel, tire in tires.items():
        here = roads
        if isinstance(roads, Mapping):
            here = [roads[wheel] if wheel in roads else roads[wheel.partition("_")[0]]]
        for road in here:
            found, name = cell(tire, road), NAMES[family(tire)]
            what = " and ".join(kinds(road))
            if "S" not in found:
                row = TABLE[family(tire)]
                allowed = ", ".join(kind for kind in ROADS if row[kind])
                raise ParameterError(f"tire of {wheel}: {name} cannot run on a road of kind {what}; allowed: {allowed}")
            if threads > 1 and "M" not in found:
                raise ParameterError(f"tire of {wheel}: {name} runs on a road of kind {what} in one thread only")
            if real_time and "R" not in found:
                raise ParameterError(f"tire of {wheel}: {name} does not run in real time on a road of kind {what}")
