"""Plots without a browser: what a layout stands for, and what a plot gets of a run."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path

import numpy as np
import pytest

from jounce.app.frames import unpack
from jounce.app.plots import layout
from jounce.app.plots.api import about, frame_of
from jounce.app.runs import RunStore
from jounce.app.workbench import Workbench
from jounce.core.errors import FormatError
from jounce.results.run import SIGNALS, Run
from wildcards import NAMES, PATTERNS


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_as_fnmatch_in_any_letter_case(pattern: str) -> None:
    wanted = [name for name in NAMES if fnmatch.fnmatchcase(name.lower(), pattern.lower())]
    assert layout.matching(NAMES, pattern) == wanted


def test_a_signal_is_the_best_channel_that_is_there_and_a_name_has_any_spelling() -> None:
    first, second = SIGNALS["yaw_rate"][:2]
    assert layout.resolve(NAMES, "signal:yaw_rate") == [first]
    assert layout.resolve(NAMES[1:], "signal:yaw_rate") == [second]
    assert layout.resolve(NAMES, "signal:yaw_rate", {"yaw_rate": "driver_demands.steering"}) == [
        "driver_demands.steering"
    ]
    assert layout.resolve(NAMES, "signal:roll") == [] == layout.resolve(NAMES, "no.such")
    assert layout.resolve(NAMES, "chassis_velocities_yaw") == ["chassis_velocities.yaw"]


def test_every_usual_panel_names_signals_that_exist() -> None:
    asked = [name for page in layout.USUAL for panel in page["panels"] for name in (panel["x"], *panel["y"])]
    asked += [name for panel in layout.LIVE for name in panel["y"]]
    signals = [name.removeprefix(layout.SIGNAL) for name in asked if name.startswith(layout.SIGNAL)]
    assert len(signals) > 15
    assert set(signals) <= set(SIGNALS)


def test_a_layout_comes_back_from_its_file_and_fits_another_run(tmp_path: Path) -> None:
    pages = layout.usual()
    pages[0]["columns"] = 3
    file = layout.write(tmp_path / "sub" / "mine.json", "Mine", pages)
    name, back = layout.read(file)
    assert name == "Mine"
    assert [page["panels"] for page in back] == [page["panels"] for page in layout.USUAL]
    assert (back[0]["columns"], back[1]["columns"]) == (3, 0)
    first = back[0]["panels"][2]["y"][0]  # the same words lead to the channels of either run
    assert (layout.resolve(NAMES, first), layout.resolve(["Sensor.YawRate_gyro"], first)) == (
        ["chassis_velocities.yaw"],
        ["Sensor.YawRate_gyro"],
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "not a layout"),
        ("{", "no JSON"),
        ('{"format": "jounce-layout-1", "pages": 3}', "pages: expected a list"),
        ('{"format": "jounce-layout-1", "pages": [{"panels": [{"y": "a"}]}]}', "page 1: panel 1: y: expected a list"),
        ('{"format": "jounce-layout-1", "pages": [{"panels": [], "columns": 99}]}', "columns: found 99"),
    ],
)
def test_what_is_no_layout_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=said) as found:
        layout.read(file)
    assert "x.json" in str(found.value)


# --- frames ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return Workbench(tmp_path).runs


def stored(store: RunStore, rows: int, **channels: np.ndarray) -> str:
    """A run on disk that the workbench has opened."""
    time = np.arange(rows) / 1000.0
    units = {"speed": "m/s", "way": "m", "load": "N"}
    names = {
        "speed": "System_Mass_Center.Speed",
        "way": "Suspension.Jounce.L1",
        "load": "Tire.Ground_Surface_Force_Z.R2",
    }
    data = {names[key]: values for key, values in channels.items()}
    run = Run(time, data, {names[key]: units[key] for key in channels}, {"label": "made"})
    run.save(store.folders.main / "made")
    return store.add("made")


def test_of_many_rows_every_bucket_keeps_its_extremes(store: RunStore) -> None:
    rows = 600_000
    speed = np.full(rows, 30.0)
    speed[123_456], speed[432_101] = 99.0, -7.0  # one sample each
    id = stored(store, rows, speed=speed, way=np.zeros(rows))
    head, columns = unpack(frame_of(store.get(id), ["signal:speed", "Suspension.*"], points=2000))
    shown = columns["System_Mass_Center.Speed"]
    assert len(shown) <= 2002 and not head["exact"]
    assert (shown.max(), shown.min()) == (99.0, -7.0)
    assert abs(columns["time"][shown.argmax()] - 123.456) < 0.7  # a bucket of 600 rows, and half of one
    near = unpack(frame_of(store.get(id), ["signal:speed"], start=123.4, end=123.5, points=2000))
    assert near[0]["exact"] and near[1]["time"][0] <= 123.4 and near[1]["time"][-1] >= 123.5
    assert near[1]["time"][near[1]["System_Mass_Center.Speed"].argmax()] == pytest.approx(123.456, abs=1e-9)


def test_what_is_plotted_over_each_other_stays_together(store: RunStore) -> None:
    rows = 700_000
    x = np.sin(np.arange(rows) / 5000.0)
    id = stored(store, rows, speed=x, way=2.0 * x)
    _, columns = unpack(frame_of(store.get(id), ["signal:speed", "Suspension.Jounce.L1"], points=5000, paired=True))
    assert 4990 <= len(columns["time"]) <= 5000
    np.testing.assert_array_equal(columns["Suspension.Jounce.L1"], 2.0 * columns["System_Mass_Center.Speed"])


def test_a_frame_says_unit_title_and_wheel(store: RunStore) -> None:
    id = stored(store, 50, speed=np.full(50, 30.0), way=np.full(50, 0.02), load=np.full(50, -25e3))
    head, columns = unpack(frame_of(store.get(id), ["signal:speed", "Suspension.*", "Tire.*", "no.such"]))
    assert head["groups"]["no.such"] == []
    assert head["titles"]["signal:speed"] == "Speed"
    told = head["about"]
    assert told["System_Mass_Center.Speed"]["shown"]["label"] == "km/h"
    assert told["Suspension.Jounce.L1"]["shown"] == {"label": "mm", "factor": 1000.0, "offset": 0.0, "least": 0.1}
    assert told["Suspension.Jounce.L1"]["wheel"] == "L1"
    load = told["Tire.Ground_Surface_Force_Z.R2"]
    assert (load["shown"]["label"], load["size"]) == ("kN", 25e3)
    assert len(columns) == 1 + 3


def test_small_and_large_numbers_have_units_of_their_own() -> None:
    assert about("x.way", "m", 0.1)["shown"]["label"] == "mm"
    assert about("x.way", "m", 800.0)["shown"]["label"] == "m"
    assert json.dumps(about("x.way", "m", float("nan")))  # what goes into JSON is a number
    assert about("x.way", "m", float("nan"))["size"] == 0.0


def test_several_channels_are_read_in_one_go(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    id = stored(store, 100, speed=np.ones(100), way=np.ones(100), load=np.ones(100))
    found = store.get(id)
    _ = found.units
    opened: list[object] = []
    original = parquet.ParquetFile

    def counted(*arguments: object, **more: object) -> object:
        opened.append(arguments)
        return original(*arguments, **more)

    monkeypatch.setattr(parquet, "ParquetFile", counted)
    frame_of(found, ["signal:speed", "Suspension.*", "Tire.*"])
    assert len(opened) == 1
    frame_of(found, ["signal:speed", "Suspension.*", "Tire.*"], start=0.01)
    assert len(opened) == 1


def test_further_wheels_and_units_have_the_words_of_the_first() -> None:
    """The catalogue knows two axles and one unit; a third axle is not another quantity, so its curves share a title."""
    told = [about(f"Tire.Ground_Surface_Force_Z.{wheel}", "N", 1e3) for wheel in ("L1", "R2", "L3", "R14", "L3_twin")]
    assert len({one["title"] for one in told}) == 1 and "orce Z" in told[0]["title"]
    assert [one["wheel"] for one in told] == ["L1", "R2", "L3", "R14", "L3_twin"]
    first, second = (about(f"{head}chassis_velocities.yaw", "rad/s", 1.0)["title"] for head in ("", "unit2."))
    assert second == f"Unit 2: {first[0].lower()}{first[1:]}"
