"""Output maps: what is stored of a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.results.output_map import Entry, OutputMap
from jounce.results.run import Run

T = np.linspace(0.0, 1.0, 11)


def run() -> Run:
    return Run(T, {"a.x": T, "b.y": T**2, "c.z": -T}, {"a.x": "m", "b.y": "rad", "c.z": "-"}, {"label": "test"})


def test_scale_and_offset_act_on_what_is_stored_and_not_on_the_run() -> None:
    before = run()
    stored = OutputMap().set("a.x", scale=2.0, offset=1.0).apply(before)
    assert stored["a.x"] == pytest.approx(2 * T + 1, abs=0)
    assert before["a.x"] == pytest.approx(T, abs=0)
    assert stored["b.y"] == pytest.approx(T**2, abs=0) and stored.unit("b.y") == "rad"


def test_channels_can_be_left_out_and_renamed() -> None:
    chosen = OutputMap().set("b.y", active=False).set("c.z", name="down", unit="m")
    stored = chosen.apply(run())
    assert stored.names == ("a.x", "down") and stored.unit("down") == "m"
    with pytest.raises(ParameterError, match=r"two channels are kept as 'a.x'"):
        OutputMap().set("c.z", name="a.x").apply(run())


def test_an_updated_map_keeps_settings_adds_new_and_drops_obsolete_channels() -> None:
    before = OutputMap().set("a.x", scale=3.0, live=True).set("gone", active=False)
    after = before.update(["a.x", "b.y", "secondary_damper.force.front_left"])
    assert list(after.entries) == ["a.x", "b.y", "secondary_damper.force.front_left"]
    assert after.entries["a.x"] == Entry(scale=3.0, live=True) and after.entries["b.y"] == Entry()
    assert after.live == ["a.x"]


def test_files_round_trip_and_bad_ones_are_located(tmp_path: Path) -> None:
    chosen = OutputMap().set("a.x", scale=57.29577951308232, unit="deg", live=True).set("b.y", active=False).set("c.z")
    path = chosen.write(tmp_path / "map.yaml")
    assert OutputMap.read(path) == chosen
    path.write_text("a.x: {scal: 2}\n")
    with pytest.raises(FormatError, match=r"a.x.scal: unknown.*'scale'"):
        OutputMap.read(path)
    path.write_text("a.x: {scale: two}\n")
    with pytest.raises(FormatError, match=r"a.x.scale = 'two': expected a finite number"):
        OutputMap.read(path)


def test_key_figures_are_those_of_the_channels_as_they_were(tmp_path: Path) -> None:
    t = np.linspace(0.0, 4.0, 401)
    values = {
        "driver_demands.steering": np.clip((t - 1) / 0.1, 0, 1),
        "chassis_velocities.yaw": 0.2 * np.clip(t - 1, 0, 1),
    }
    units = {"driver_demands.steering": "rad", "chassis_velocities.yaw": "rad/s"}
    before = Run(t, values, units, {"event": {"kind": "step-steer"}})
    chosen = OutputMap().set("chassis_velocities.yaw", scale=57.29577951308232, unit="deg/s", name="yaw_rate")
    stored = chosen.apply(before)
    assert before.kpis and stored.kpis == before.kpis
    assert Run.read(stored.to_parquet(tmp_path / "a.parquet")).kpis == before.kpis
