"""Options of parts and events together, every pair of values: accepted, and then whole, or refused with a reason.

Combinations are generated from what classes declare; nothing is listed here.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest
from pydantic import ValidationError

from components.test_contract import example, kinds
from jounce import events
from jounce.core.errors import JounceError
from jounce.core.fields import to_raw
from jounce.core.part_registry import PARTS
from pairs import choices, pairwise_rows


def test_every_pair_comes_and_rows_are_few() -> None:
    options: dict[str, Any] = {"a": [0, 1], "b": "xyz", "c": [True, False], "d": [None, 1, 2, 3]}
    rows = pairwise_rows(options)
    for one, other in combinations(options, 2):
        assert {(row[one], row[other]) for row in rows} == set(product(options[one], options[other]))
    assert all(set(row) == set(options) for row in rows)
    assert 12 <= len(rows) <= 16  # twelve is the least, three values times four
    assert pairwise_rows({"a": [1, 2]}) == [{"a": 1}, {"a": 2}]


def assert_ours(problem: Exception) -> None:
    """What is refused is refused by a check of ours, with words."""
    if isinstance(problem, ValidationError):
        assert all(item["type"] == "unreadable" and item["msg"] for item in problem.errors()), problem
    else:
        assert str(problem)


PART_OPTIONS = [item for item in kinds() if choices(PARTS.find(*item))]


@pytest.mark.parametrize(("family", "kind"), PART_OPTIONS)
def test_options_of_a_part(family: str, kind: str) -> None:
    cls, raw = PARTS.find(family, kind), example(family, kind)
    accepted = 0
    for row in pairwise_rows(choices(cls)):
        try:
            made = cls(**{**raw, **row})
        except (JounceError, ValidationError) as problem:
            assert_ours(problem)
            continue
        accepted += 1
        assert all(getattr(made, name) == value for name, value in row.items())
        assert cls(**to_raw(made)) == made, row
    assert accepted > 0


EVENT_OPTIONS = [kind for kind in events.names() if choices(events.find(kind))]


@pytest.mark.parametrize("kind", EVENT_OPTIONS)
def test_options_of_an_event(kind: str) -> None:
    cls = events.find(kind)
    for row in pairwise_rows(choices(cls)):
        try:
            made = cls(**row)
        except (JounceError, ValidationError) as problem:
            assert_ours(problem)
            continue
        assert all(getattr(made, name) == value for name, value in row.items()), row
        again = cls(**{name: getattr(made, name) for name in cls.model_fields if name != "kind"})
        assert again == made, row
        assert all(part.kind for part in made.parts())
