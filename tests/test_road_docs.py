"""The tables of docs/road_files.md are those of the readers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from jounce.core.errors import FormatError
from jounce.files.roads import parse_road

ROOT = Path(__file__).parent.parent


def test_the_keys_of_flat_roads_are_those_of_the_reader() -> None:
    page = (ROOT / "docs" / "road_files.md").read_text(encoding="utf-8")
    table = page.split("**`flat`**")[1].split("**`kerbs")[0]
    with pytest.raises(FormatError) as told:
        parse_road("flat: nothing")
    allowed = str(told.value).split("expected ")[1].splitlines()[0].split(", ")
    assert len(allowed) > 3 and re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == allowed


def test_the_tables_of_keys_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "make_road_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
