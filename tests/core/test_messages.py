"""Messages about bad input: what was found, shortened where it is long."""

from __future__ import annotations

import pytest

from jounce.core.messages import _value, _with_unit


@pytest.mark.parametrize(("length", "shown"), [(58, "'" + 58 * "a" + "'"), (59, "'" + 56 * "a" + "…")])
def test_a_value_is_shown_whole_up_to_sixty_characters(length: int, shown: str) -> None:
    found = _value(length * "a")
    assert found == shown and len(found) <= 60


def test_values_are_shown_as_people_write_them() -> None:
    assert [_value(v) for v in (None, {}, True, False, 2.5, "a")] == ["", "", "true", "false", "2.5", "'a'"]
    assert _with_unit("'a'", "m") == "'a'" and _with_unit("2.5", "m") == "2.5 m" and _with_unit("", "m") == ""
