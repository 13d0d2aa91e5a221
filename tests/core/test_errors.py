"""Messages: whole as they are, and long ones by both ends."""

from __future__ import annotations

import pytest

from jounce.core.errors import LONGEST, FormatError, SetupError


@pytest.mark.parametrize("kind", [FormatError, SetupError])
def test_a_message_of_megabytes_is_told_by_both_ends(kind: type[Exception]) -> None:
    whole = "f.csv, line 3: " + "x" * (LONGEST - 15)
    assert str(kind(whole)) == whole
    text = str(kind("f.csv, line 3: " + "y" * 10**6 + " expected a number"))
    assert text.startswith("f.csv, line 3: yyy") and text.endswith("yyy expected a number")
    assert len(text) < LONGEST + 100 and f"({15 + 10**6 + 18 - LONGEST} characters are left out)" in text
