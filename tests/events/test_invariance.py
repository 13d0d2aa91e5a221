"""Every event in which somebody drives is the same elsewhere, at another heading, and in a mirror.

Events are found, not listed. What acts from one side is there, so that drivers have something to do: straight ahead a
road that is banked. The plane under a turned car is turned with it.

Slip control multiplies rounding (`test_mu_split.py` says why): the car has none here, so that what is looked at shows.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import ParameterError
from jounce.events.base import Event
from jounce.results.run import Run
from trains import car_trailer

X, Y, HEADING = 12.0, -30.0, 1.9
BANK = 0.03  # of a straight road
SHORTER: dict[str, dict[str, Any]] = {
    "cycle": {"end_time": 60.0},
    "coast-down": {"end_time": 20.0},
    "straight-acceleration": {"end_time": 12.0},
    "steady-circle": {"end_time": 20.0},
    "abs-stop": {"stops": 1},
    "hill-start": {"bank": BANK},
    "roll-stability": {"stage": "performance", "direction": "left"},
    "trailer-sway": {"first_speed": None, "end_time": 8.0},
}
# A place of their own: the road.
FIXED = {"misuse": "roads of misuse lie along x", "ride": "its road lies where it lies"}
# Sides are those of a file, or both are there in any case.
NO_MIRROR = ("follow", "manoeuvre", "sine-with-dwell")
SIDES = {"left": "right", "right": "left"}
SIGNED = ("amplitude", "slope", "lateral_acceleration")
# A car that brakes hold on a slope decides between sticking and sliding: rounding grows there, by some per mille.
CLOSE = {"hill-start": 5e-3}
EVERY_DAY = ("straight-braking", "double-lane-change")


def driven(kind: str) -> bool:
    """Whether somebody drives."""
    return any(part.family == "driver" for part in usual(kind).parts())


def usual(kind: str) -> Event:
    """The event, short, to one side, with something to do."""
    cls = events.find(kind)
    values = dict(SHORTER.get(kind, {}))
    for name in ("direction", "low_side"):
        if name in cls.model_fields and cls.model_fields[name].default in (*SIDES, "both"):
            values[name] = "left"
    event = cls(**values)
    if getattr(event, "straight_line", False) and not event.roads():
        event = event.changed(bank=BANK)
    return event


def turned(event: Event) -> Event:
    """The event elsewhere, with the plane."""
    c, s = math.cos(HEADING), math.sin(HEADING)
    g, b = event.grade, event.bank
    return event.changed(x=X, y=Y, heading=HEADING, grade=c * g - s * b, bank=s * g + c * b)


def in_a_mirror(event: Event) -> Event:
    """Left is right."""
    values: dict[str, Any] = {"bank": -event.bank} if event.bank else {}
    for name in ("direction", "side", "low_side"):
        if (found := getattr(event, name, None)) in SIDES:
            values[name] = SIDES[found]
    if not values:
        values = {name: -value for name in SIGNED if (value := getattr(event, name, None)) is not None}
    assert values, f"{event.kind}: nothing has a side"
    return event.changed(**values)


@lru_cache
def car(kind: str) -> Any:
    """A saloon; for events that say nothing about one, a car that tows."""
    sedan = jn.load("sedan").with_(**{"brakes.abs": None})
    return car_trailer() if usual(kind).refuses(sedan) else sedan


@lru_cache
def run_of(kind: str) -> Run:
    return jn.run(car(kind), usual(kind))


DRIVEN = [kind for kind in events.names() if driven(kind)]
CASES = [pytest.param(kind, marks=() if kind in EVERY_DAY else pytest.mark.slow) for kind in DRIVEN]


def alike(one: Run, other: Run, sign: float = 1.0) -> None:
    """Runs are equal but for rounding, and the side."""
    assert (one.complete, one.reason, one.verdict.word) == (other.complete, other.reason, other.verdict.word)
    n = min(len(one), len(other))
    assert abs(len(one) - len(other)) <= 1
    worst = {}
    odd = ("steering", "yaw_rate", "lateral_acceleration", "roll")
    for name in (*odd, "forward_speed", "throttle", "brake", "pitch"):
        if one.has_signal(name):
            a, b = one.signal(name)[:n], (sign if name in odd else 1.0) * other.signal(name)[:n]
            worst[name] = float(np.max(np.abs(a - b))) / max(float(np.max(np.abs(a))), 1e-2)
    for name, (value, _) in one.kpis.items():
        there = other.kpis[name][0]
        if math.isnan(value) and math.isnan(there):
            continue
        worst[f"kpi {name}"] = abs(abs(value) - abs(there)) / max(abs(value), 1e-2)
    bad = {name: value for name, value in worst.items() if not value < CLOSE.get(one.event, 1e-5)}
    print(one.event, f"{max(worst.values()):.1e}", bad)
    assert not bad


def test_there_are_closed_loop_events() -> None:
    assert {"double-lane-change", "straight-braking", "steady-circle", "slalom", "mu-split"} <= set(DRIVEN)


@pytest.mark.parametrize("kind", CASES)
def test_another_place_and_heading_change_nothing(kind: str) -> None:
    if kind in FIXED:
        if kind == "misuse":
            with pytest.raises(ParameterError, match=FIXED[kind]):
                turned(usual(kind))
        return
    alike(run_of(kind), jn.run(car(kind), turned(usual(kind))))


@pytest.mark.parametrize("kind", [case for case in CASES if case.values[0] not in (*FIXED, *NO_MIRROR)])
def test_a_mirror_changes_nothing(kind: str) -> None:
    alike(run_of(kind), jn.run(car(kind), in_a_mirror(usual(kind))), sign=-1.0)
