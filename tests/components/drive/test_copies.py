"""Parts written again outside the package, word for word: a driveline of them runs as that of the package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce.components.drive as drive
from drive_rig import bench
from drivelines import CLUTCH, ENGINE, GEARBOX, MOTOR, REAR
from jounce.core.part_registry import PARTS, kind_of

COPIED = {
    "engine_simple": "simple_engine", "clutch": "clutch", "gearbox": "manual_gearbox",
    "differential": "open_differential",
    "motor": "motor",
}  # fmt: skip


def members(mark: str) -> dict[str, Any]:
    chain: list[tuple[dict[str, Any], list[str]]] = [
        (ENGINE, ["crank"]), (CLUTCH, ["crank", "a"]), (MOTOR, ["a"]), (GEARBOX, ["a", "b"]), (REAR, ["b", "L2", "R2"]),
    ]  # fmt: skip
    named = [{**raw, "kind": mark + raw["kind"], "name": f"m{i}"} for i, (raw, _) in enumerate(chain)]
    return {"members": [{**raw, "shafts": shafts} for raw, (_, shafts) in zip(named, chain, strict=True)]}


def driven(mark: str) -> np.ndarray:
    sim = bench(members(mark))
    sim.set_parameters({"L2.inertia": 35.0, "R2.inertia": 39.0})
    rows = []
    for i in range(40):
        sim.set_inputs({"throttle": 0.8 if i < 25 else 0.0, "brake": 0.0 if i < 33 else 0.4})
        sim.advance(100)
        rows.append(sim.outputs().copy())
    return np.array(rows)


def test_a_copy_of_each_part_from_outside_reproduces_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Launch, shifts, lift and regeneration: every channel to 1e-9 of its largest value."""
    made = []
    monkeypatch.syspath_prepend(tmp_path)
    for module, kind in COPIED.items():
        text = (Path(drive.__path__[0]) / f"{module}.py").read_text(encoding="utf-8")
        old, new = (f'Literal["{word}"] = choice("{word}"' for word in (kind, f"my_{kind}"))
        assert text.count(old) == 1
        (tmp_path / f"copied_{module}.py").write_text(text.replace(old, new), encoding="utf-8")
    try:
        for module, kind in COPIED.items():
            found = importlib.import_module(f"copied_{module}")
            cls = next(c for c in vars(found).values() if isinstance(c, type) and kind_of(c) == f"my_{kind}")
            made.append(PARTS.register(cls))
        own, copied = driven(""), driven("my_")
    finally:
        for cls in made:
            PARTS.forget(cls)
        for module in COPIED:
            sys.modules.pop(f"copied_{module}", None)
    size = np.abs(own).max(axis=0)
    assert own.shape == copied.shape and size.max() > 1e3
    assert (np.abs(own - copied).max(axis=0) <= 1e-9 * np.maximum(size, 1e-6)).all()
