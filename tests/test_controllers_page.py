"""What docs/controllers.md prints runs as it stands, and the ABS of a user does what the page says."""

from __future__ import annotations

import ctypes
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.runtime.compile import find_compiler

PAGE = Path(__file__).parent.parent / "docs" / "controllers.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
SOURCE = Path(__file__).parent / "user_controllers" / "my_abs.c"
WHEELS = ("L1", "R1", "L2", "R2")
FAST = 0.0005  # s: 2 kHz


def executed(beginning: str, folder: Path) -> dict[str, Any]:
    """The snippet of the page that has these words, pasted into a file and run."""
    path = folder / "snippet.py"
    path.write_text(next(block for block in BLOCKS if beginning in block), encoding="utf-8")
    return runpy.run_path(str(path), run_name="__main__")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return executed("class MyABS", tmp_path_factory.mktemp("page"))


def test_the_abs_of_a_user_has_thirty_lines() -> None:
    text = next(block for block in BLOCKS if "class MyABS" in block)
    body = text[text.index("class MyABS") : text.index("event =")]
    assert len([line for line in body.splitlines() if line.strip()]) <= 30


@pytest.mark.slow
def test_it_stops_earlier_than_locked_wheels(page: dict[str, Any]) -> None:
    locked, mine = (float(page[name].kpis["stopping_distance"][0]) for name in ("locked", "mine"))
    assert mine < locked - 2.0
    repeated = jn.run(page["car"], page["event"], blocks=[again(page)])
    assert float(repeated.kpis["stopping_distance"][0]) == mine


def again(page: dict[str, Any]) -> jn.OutsideBlock:
    """The same block with a controller that has seen nothing yet."""
    known = page["my_abs"]
    return jn.OutsideBlock(page["MyABS"](), reads=known.reads, writes=known.writes, period=known.period)


def test_it_never_sees_the_true_slip() -> None:
    text = next(block for block in BLOCKS if "class MyABS" in block)
    assert re.findall(r'reads=tuple\(f"([^"]+)"', text) == ["Wheel.Omega.{wheel}"]


class State(ctypes.Structure):
    """What the function in C keeps, as its source has it."""

    _fields_ = [("period", ctypes.c_double), ("speed", ctypes.c_double), ("last", 4 * ctypes.c_double),
                ("gains", 4 * ctypes.c_double)]  # fmt: skip


def in_c(folder: Path, period: float) -> tuple[jn.OutsideBlock, Any]:
    """The block with its function from a compiled source, and what must live as long as it runs."""
    command = [*find_compiler().command, "-O1", "-ffp-contract=off", "-fPIC", "-shared", str(SOURCE), "-o", "my_abs.so"]
    subprocess.run(command, check=True, cwd=folder)
    library = ctypes.CDLL(str(folder / "my_abs.so"))
    state = State(period, 0.0, (0.0,) * 4, (1.0,) * 4)
    reads, writes = ports()
    block = jn.OutsideBlock(library.my_abs, reads, writes, period=period, context=ctypes.addressof(state))
    return block, (library, state)


def ports() -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(f"Wheel.Omega.{w}" for w in WHEELS), tuple(f"Brake_System.brk_pres_gain.{w}" for w in WHEELS)


@pytest.mark.slow
@pytest.mark.parametrize("period", [0.005, FAST])
def test_moved_to_c_it_gives_the_same_run_to_the_bit(page: dict[str, Any], period: float, tmp_path: Path) -> None:
    """Written in Python, tried, edited, then moved to C: the same ports and the same model; at 200 Hz and 2 kHz."""
    page["MyABS"].__call__.__globals__["PERIOD"] = period  # what a user edits
    reads, writes = ports()
    options: dict[str, Any] = {"step": min(period, 0.001)}
    event = jn.events.StraightBraking(friction=0.6, speed=14.0)
    python = jn.run(
        page["car"], event, blocks=[jn.OutsideBlock(page["MyABS"](), reads, writes, period=period)], **options
    )
    block, kept = in_c(tmp_path, period)
    moved = jn.run(page["car"], event, blocks=[block], **options)
    assert kept and moved.names == python.names
    for name in python.names:
        assert np.array_equal(python[name], moved[name], equal_nan=True), name
    gain = python["Brake_System.brk_pres_gain.L1"] if "Brake_System.brk_pres_gain.L1" in python.names else None
    assert gain is None or gain.min() < 0.9
    assert python["Chamber_Pressure.L1"][python.time > 1.5].min() < 0.9 * python["Chamber_Pressure.L1"].max()


@pytest.mark.slow
def test_the_first_example_of_the_page(tmp_path: Path) -> None:
    run = executed("hydraulic_abs", tmp_path)["run"]
    assert float(run.kpis["adhesion_utilisation"][0]) >= 0.75
