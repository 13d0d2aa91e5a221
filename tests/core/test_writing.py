"""Files as a whole or not at all."""

from __future__ import annotations

import os
import time
from pathlib import Path

from jounce.core.writing import write_atomically


def test_what_a_killed_process_left_is_swept_with_the_next_writing(tmp_path: Path) -> None:
    names = {".a.txt.abcdefgh.tmp": 2, ".a.txt.ijklmnop.tmp": 0.5, ".b.txt.abcdefgh.tmp": 2, ".a.txt.tmp": 2}
    for name, days in names.items():
        (tmp_path / name).write_text("half")
        then = time.time() - 86400 * days
        os.utime(tmp_path / name, (then, then))
    write_atomically(tmp_path / "a.txt", "whole")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"a.txt", *names} - {".a.txt.abcdefgh.tmp"}, "only the abandoned file of this target"
