"""Files as a whole or not at all."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jounce.core.errors import FormatError
from jounce.core.locking import hold
from jounce.core.writing import file_hash, replacing, write_atomically


def test_places_that_cannot_be_written_or_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"there is no folder .*missing.*; make it first"):
        write_atomically(tmp_path / "missing" / "a.txt", "a")
    with pytest.raises(FormatError, match="is a folder"):
        write_atomically(tmp_path, "a")
    with pytest.raises(FormatError, match="cannot be read"):
        file_hash(tmp_path / "nothing")
    with pytest.raises(FormatError, match="cannot be written"), hold(tmp_path):
        pass
    with pytest.raises(FormatError, match=r"a\.txt: cannot be written"), replacing(tmp_path / "a.txt") as temporary:
        temporary.unlink()
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept_with_the_next_writing(tmp_path: Path) -> None:
    names = {".a.txt.abcdefgh.tmp": 2, ".a.txt.ijklmnop.tmp": 0.5, ".b.txt.abcdefgh.tmp": 2, ".a.txt.tmp": 2}
    for name, days in names.items():
        (tmp_path / name).write_text("half")
        then = time.time() - 86400 * days
        os.utime(tmp_path / name, (then, then))
    write_atomically(tmp_path / "a.txt", "whole")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"a.txt", *names} - {".a.txt.abcdefgh.tmp"}, "only the abandoned file of this target"
