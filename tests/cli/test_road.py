"""`jounce road` and the roads of `jounce list`: figures against geometry that is known, messages, pictures."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.files.crg import write_crg
from jounce.files.roads import library_paths, library_roads, load_road
from jounce.road.builder import RoadBuilder
from jounce.road.grid import GridRoad
from jounce.road.simple import Flat, Sum, cleat
from jounce.road.survey import line_of, survey

runner = CliRunner()


def invoke(*words: str, code: int = 0) -> str:
    result = runner.invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


def figures(name: str | Path) -> Any:
    return json.loads(invoke("road", "show", str(name), "--json"))


def test_figures_of_a_road_whose_geometry_is_known(tmp_path: Path) -> None:
    """A climb of 10 m over 200 m by STEP5 (steepest 15/8 of the mean), an arc of 80 m, 4 % of bank, two widths."""
    file = tmp_path / "known.yaml"
    file.write_text(
        "road: known\n"
        "line:\n  - straight: 200\n  - arc: {radius: 80, angle: 90 deg}\n"
        "width: {left: 3, right: 5}\n"
        "height: [[0, 0], [200, 10]]\n"
        "bank: 0.04\n"
        "friction: {left: 1.0, right: 0.5}\n"
    )
    found = figures(file)
    assert found["length"] == pytest.approx(200 + 80 * math.pi / 2, abs=1e-6)
    assert found["closed"] is False and found["width"] == [8.0, 8.0] and found["holes"] == 0
    assert found["radius"] == pytest.approx(80.0, rel=1e-6)
    assert found["height"] == pytest.approx([-5 * 0.04, 10 + 3 * 0.04], abs=1e-6)
    # over a metre: the peak of a parabola of half width 100 m is missed by (1/100)²
    assert found["slope"] == pytest.approx([0.0, 15 / 8 * 10 / 200], abs=1e-5)
    assert found["steepest"] == pytest.approx(100.0, abs=2.0)
    assert found["bank"] == pytest.approx([0.04, 0.04], abs=1e-9)
    assert found["friction"] == [0.5, 1.0]


def test_a_narrow_bar_is_neither_missed_in_the_figures_nor_in_the_picture() -> None:
    assert figures("cleat")["height"] == pytest.approx([0.0, 0.02], abs=1e-12)
    drawn = load_road("cleat").figure()
    plan, profile = drawn.axes[0], drawn.axes[1]
    assert float(np.max(plan.collections[0].get_array())) == pytest.approx(0.02)
    assert max(float(np.max(curve.get_ydata())) for curve in profile.lines) == pytest.approx(0.02)


def test_a_road_that_was_moved_is_measured_where_it_lies() -> None:
    built = RoadBuilder("moved").straight(100).bump(50, 0.1, 2.0).build()
    there = built.moved(x=500.0, y=-200.0, z=7.0, heading=1.0)
    line = line_of(there, 10.0)
    assert there.query(line.x, line.y).station == pytest.approx(line.s, abs=1e-6)
    a, b = survey(built), survey(there)
    assert b.height == pytest.approx([z + 7.0 for z in a.height], abs=1e-9)
    assert b.slope == pytest.approx(a.slope, abs=1e-9) and b.bank == pytest.approx(a.bank, abs=1e-9)


def test_a_road_without_an_end_or_a_line_has_figures_too() -> None:
    found = survey(Sum(base=Flat(grade=0.05, bank=-0.02, friction=0.7), features=[cleat(0.02, 0.04, x=3.0)]))
    assert found.extent is None and math.isnan(found.radius) and found.friction == (0.7, 0.7)
    assert found.bank == pytest.approx((-0.02, -0.02), abs=1e-12)


def test_figures_of_a_grid(tmp_path: Path) -> None:
    """A circle of 50 m with a bank, written as OpenCRG."""
    n, radius = 301, 50.0
    du = 0.5
    headings = (np.arange(n - 1) + 0.5) * du / radius
    file = tmp_path / "circle.crg"
    bank = np.full(n, 0.05)
    write_crg(GridRoad(z=np.zeros((n, 3)), du=du, v=np.array([-2.0, 0.0, 3.0]), headings=headings, bank=bank), file)
    found = figures(file)
    assert found["length"] == pytest.approx(150.0) and found["width"] == pytest.approx([5.0, 5.0])
    assert found["radius"] == pytest.approx(radius, rel=1e-3)
    assert found["bank"] == pytest.approx([0.05, 0.05], abs=1e-6)


@pytest.mark.parametrize("name", library_roads())
def test_every_road_of_the_library_shows_sensible_figures(name: str) -> None:
    found = figures(name)
    assert found["length"] >= 100 and found["width"][0] >= 7 and found["holes"] == 0
    assert max(map(abs, found["slope"])) < 0.15 and 0 < found["friction"][0] <= found["friction"][1] <= 1
    assert found["radius"] is None or found["radius"] > 10


def test_a_picture_is_written(tmp_path: Path) -> None:
    target = tmp_path / "handling.png"
    text = invoke("road", "show", "handling", "--png", str(target))
    assert str(target) in text.replace("\n", "") and target.read_bytes()[:4] == b"\x89PNG"
    assert [p.name for p in tmp_path.iterdir()] == ["handling.png"]


def test_text_for_people() -> None:
    text = invoke("road", "show", "handling", "mu_split")
    assert "5000.0 m, closed" in text and "0.20 to 1.00" in text and "straight" in text


def test_check_says_what_is_wrong_and_where(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("road: bad\nline: {straight: 100}\nwitdh: 4\nfeatures:\n  - pothol: {s: 10}\n")
    found = json.loads(invoke("road", "check", "handling", str(bad), "--json", code=1))
    assert [r["ok"] for r in found] == [True, False]
    assert "line 3" in found[1]["about"] and "did you mean 'width'" in found[1]["about"]
    assert "did you mean 'pothole'" in found[1]["about"]
    text = invoke("road", "check", "handling", str(bad), code=1)
    assert "ok " in text and "error" in text


def test_check_remarks_on_triangles_and_walls(tmp_path: Path) -> None:
    mesh = tmp_path / "twice.obj"
    mesh.write_text("v 0 0 0\nv 9 0 0\nv 0 9 0\nv 9 9 30\nf 1 2 3\nf 2 4 3\nf 1 2 3\n")
    (found,) = json.loads(invoke("road", "check", str(mesh), "--json"))
    assert any("twice" in remark for remark in found["remarks"])
    assert any("slope of" in remark for remark in found["remarks"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("road", "shwo", "flat"), "did you mean 'show'"),
        (("road", "show", "handlin"), "did you mean 'handling'"),
        (("road", "show", "flat", "cleat", "--png", "x.png"), "draws one road; 2 were named"),
        (("road", "show", "flat", "--png", "nowhere/x.png"), "no such folder"),
        (("road", "show", "flat", "--png", "x.txt"), "pictures end in"),
        (("road", "check", "flat", "--png", "x.png"), "draws no picture"),
    ],
)
def test_wrong_requests(words: tuple[str, ...], message: str) -> None:
    assert message in " ".join(invoke(*words, code=1).split())


def test_list_names_roads_and_paths() -> None:
    found = json.loads(invoke("list", "--json"))
    assert [row["name"] for row in found["roads"]] == [*library_roads()]
    assert all(row["about"] for row in found["roads"])
    assert [row["name"] for row in found["paths"]] == [*library_paths()]
    assert "iso_8608_c" in invoke("list", "roads", "iso*") and "handling" not in invoke("list", "roads", "iso*")
    assert "5000 m, closed" in invoke("list", "paths")
