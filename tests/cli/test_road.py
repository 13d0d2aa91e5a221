"""`jounce road` and the roads of `jounce list`: figures against geometry that is known, messages, pictures."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.files.crg import write_crg
from jounce.files.roads import library_paths, library_roads, load_path, load_road
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
    assert found["grade"] == pytest.approx([0.0, 15 / 8 * 10 / 200], abs=1e-5)
    assert found["slope"] == pytest.approx([0.0, 15 / 8 * 10 / 200], abs=1e-8)
    assert found["steepest"] == pytest.approx(100.0, abs=0.1)
    # the heading is straight between stations of the path, also where the arc begins: not quite across
    assert found["bank"] == pytest.approx([0.04, 0.04], abs=1e-6)
    assert found["friction"] == [0.5, 1.0]


@pytest.mark.parametrize(
    ("name", "steepest", "metre"),
    [
        # of z = a sin(2 pi s/L): 2 pi a/L, over a metre 2 a sin(pi/L)
        ("sine", 2 * math.pi * 0.01 / 2.0, 0.02),
        ("chirp", 2 * math.pi * 0.01 / 0.5, 0.02),
        # chamfers of 2 mm and 20 mm; edges of 50 mm and 60 mm, beside the line
        ("cleat", 10.0, 0.02),
        ("potholes", 1.2, 0.04),
    ],
)
def test_slopes_are_those_of_the_surface(name: str, steepest: float, metre: float) -> None:
    found = figures(name)
    # stations 20 mm apart find the largest of a cosine to (2 pi 0.01/0.5)^2/2 = 0.8 %
    assert max(map(abs, found["slope"])) == pytest.approx(steepest, rel=0.01)
    assert max(map(abs, found["grade"])) == pytest.approx(metre, rel=0.01)


def test_a_chamfer_between_two_stations_is_found() -> None:
    """From 49.987 to 49.989 m; stations are at 49.98 and 50.00 m."""
    found = survey(RoadBuilder("bar").straight(100).cleat(50.007).build())
    assert found.slope == pytest.approx((-10.0, 10.0), rel=1e-6) and found.steepest == pytest.approx(50.007, abs=0.02)


def panels(name: Any) -> dict[str, Any]:
    drawn = (load_road(name) if isinstance(name, str | Path) else name).figure()
    titles = [axes.get_title(loc="left").partition(" n =")[0] for axes in drawn.axes]
    return {
        title if title == "along" else axes.get_ylabel(): axes for title, axes in zip(titles, drawn.axes, strict=True)
    }


def highest(axes: Any) -> float:
    return max(float(np.nanmax(curve.get_ydata())) for curve in axes.lines)


def test_text_and_picture_tell_the_same_slopes() -> None:
    labels = [text.get_text() for text in panels("sine")["%"].get_legend().get_texts()]
    row = next(line for line in invoke("road", "show", "sine").splitlines() if "slope of the surface" in line)
    told = row.split("surface")[1].split(",")[0].strip()
    assert told == "-3.14 to +3.14 %" and any(told in label for label in labels)
    assert highest(panels("sine")["%"]) == pytest.approx(100 * math.pi * 0.01, rel=1e-3)


def test_a_narrow_bar_is_neither_missed_in_the_figures_nor_in_the_picture() -> None:
    assert figures("cleat")["height"] == pytest.approx([0.0, 0.02], abs=1e-12)
    shown = panels("cleat")
    assert float(np.max(shown["y, m"].collections[0].get_array())) == pytest.approx(0.02)
    assert highest(shown["height, mm"]) == pytest.approx(20.0)
    # the detail: the bar to scale, 40 mm of a window that is not much larger
    detail = shown["along"]
    s, z = (np.asarray(a) for a in (detail.lines[0].get_xdata(), detail.lines[0].get_ydata()))
    assert np.ptp(s) < 1.0 and float(z.max()) == pytest.approx(20.0, abs=0.01)
    assert float(np.ptp(s[z > 10])) == pytest.approx(0.038, abs=0.004)


def test_a_patch_of_an_opencrg_scan_is_shown_as_high_and_as_long_as_it_is(tmp_path: Path) -> None:
    """10 mm over 50 mm of a scan with rows 10 mm apart, as text and as binary: figures, curves, detail, picture."""
    rows = np.arange(2001)
    patch = (rows >= 1240) & (rows <= 1245)  # from 12.40 to 12.45 m
    v = np.linspace(-1.5, 1.5, 31)
    scan = GridRoad(z=0.01 * patch[:, None] * (np.abs(v) < 1.05), du=0.01, v=v)
    for name, form in (("text", "LRFI"), ("binary", "KRBI")):
        file = tmp_path / f"{name}.crg"
        write_crg(scan, file, format=form)
        found = figures(file)
        assert found["height"] == pytest.approx([0.0, 0.01], abs=1e-9)
        assert found["length"] == pytest.approx(20.0) and found["width"] == pytest.approx([3.0, 3.0])
        assert max(found["slope"]) == pytest.approx(1.0, rel=1e-3)  # its edge: 10 mm within one row
        shown = panels(file)
        assert float(np.max(shown["y, m"].collections[0].get_array())) == pytest.approx(0.01)
        assert highest(shown["height, mm"]) == pytest.approx(10.0)
        detail = shown["along"]
        assert detail.get_title(loc="left") == "along n = 0 m, over the plane around"
        s, z = (np.asarray(a) for a in (detail.lines[0].get_xdata(), detail.lines[0].get_ydata()))
        assert z.max() == pytest.approx(10.0, abs=1e-3)
        # half-way up its edges it is a row longer than its top; to the spacing of the points of the curve
        assert np.ptp(s[z > 5]) == pytest.approx(0.06, abs=0.011)
        invoke("road", "show", str(file), "--png", str(tmp_path / f"{name}.png"))
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    text, binary = (load_road(str(tmp_path / f"{name}.crg")) for name in ("text", "binary"))
    for x, y in ((12.42, 0.3), (12.3951, -0.2), (12.4563, 0.0), (12.43, 1.07), (3.0, 0.0)):
        assert text.query(x, y).height == binary.query(x, y).height
    # a grid is kept in single precision
    assert text.query(12.42, 0.3).height == pytest.approx(0.01, rel=2**-24) and text.query(12.42, 1.2).height == 0.0


def test_what_is_constant_gets_words_and_no_panel() -> None:
    drawn = load_road("flat").figure()
    assert len(drawn.axes) == 1
    assert "height 0 m" in drawn.get_supxlabel() and "friction 1" in drawn.get_supxlabel()
    assert "friction" not in panels("sine") and "friction" in panels("mu_split")


def test_waves_too_short_for_the_paper_are_a_band() -> None:
    height = panels("chirp")["height, mm"]
    (band,) = height.collections
    corners = band.get_paths()[-1].vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == pytest.approx((-10.0, 10.0), abs=0.05)
    line = height.lines[-1]
    inside = np.isfinite(line.get_ydata()) & (line.get_xdata() > 130) & (line.get_xdata() < 210)
    assert not inside.any()
    # a wave that is long enough stays a curve: crests at 1/4, 5/4 of the phase
    assert np.isfinite(line.get_ydata()[line.get_xdata() < 60]).all()


def test_a_bump_on_a_hill_is_seen_over_the_smooth_profile() -> None:
    built = RoadBuilder("hill").straight(300).height([(0, 0), (300, 12)]).bump(150, 0.05, 0.5).build()
    shown = panels(built)
    over = shown["over the mean\nof 10 m, mm"]
    # less the mean of the bump over 10 m, 25 mm x 0.5/10; the hill itself: z'' w^2/24 < 5 mm
    assert highest(over) == pytest.approx(50 - 1.25, abs=0.6)
    assert highest(shown["along"]) == pytest.approx(50.0, abs=0.5)


def test_a_hole_in_a_mesh_is_seen(tmp_path: Path) -> None:
    mesh = tmp_path / "holed.obj"
    rows = [f"v {x} {y} 0" for x in (0, 5, 10, 15) for y in (0, 5, 10, 15)]
    cells = [(4 * i + j + 1, 4 * i + j + 5, 4 * i + j + 6, 4 * i + j + 2) for i in range(3) for j in range(3)]
    faces = [f"f {' '.join(map(str, cell))}" for k, cell in enumerate(cells) if k != 4]
    mesh.write_text("\n".join(rows + faces) + "\n")
    drawn = load_road(mesh).figure()
    grey = np.ma.getmaskarray(drawn.axes[0].collections[0].get_array())
    assert float(grey.mean()) == pytest.approx(1 / 9, abs=0.01)
    assert "not covered" in drawn.get_supxlabel()


def test_a_plane_that_was_turned_keeps_its_size() -> None:
    plane = Flat(drawn=(20.0, 4.0), bank=0.03).moved(x=7.0, y=-3.0, heading=math.radians(30))
    found = survey(plane)
    assert found.length == pytest.approx(20.0) and found.width == pytest.approx((4.0, 4.0))
    assert found.endless and "shown; has no end" in {k: v for k, _, v in found.rows()}["length"]
    assert found.grade == pytest.approx((0.0, 0.0), abs=1e-12) and found.bank == pytest.approx((0.03, 0.03))
    limited = survey(Flat(length=30.0, width=6.0))
    assert limited.length == pytest.approx(30.0) and not limited.endless


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
    steepest = 0.31 if name.startswith("jump_") else 0.15  # cars fall off a platform that ends within a metre
    assert max(map(abs, found["grade"])) < steepest and 0 < found["friction"][0] <= found["friction"][1] <= 1
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


def test_a_bug_about_one_file_hides_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    from jounce.cli._checks import check_files

    def read(name: str) -> tuple[str, list[str]]:
        if name == "odd":
            raise ValueError("nobody thought of this")
        return f"road {name}", []

    with pytest.raises(ValueError, match="nobody thought"):
        check_files(["a", "odd", "b"], read, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [r["ok"] for r in found] == [True, False, True] and "a bug of jounce: ValueError" in found[1]["about"]


def test_check_tells_what_the_reader_of_a_road_found(tmp_path: Path) -> None:
    wave = "sine: {s: 90, amplitude: 0.01, wavelength: 2, length: 20}"
    (tmp_path / "a.yaml").write_text(f"road: a\nline: {{straight: 100}}\nfeatures:\n  - {wave}\n")
    (found,) = json.loads(invoke("road", "check", str(tmp_path / "a.yaml"), "--json"))
    assert found["ok"] and any("line 4  features[0].sine: lies from s = 90 to 110 m" in r for r in found["remarks"])


def test_check_remarks_on_triangles_and_walls(tmp_path: Path) -> None:
    mesh = tmp_path / "twice.obj"
    mesh.write_text("v 0 0 0\nv 9 0 0\nv 0 9 0\nv 9 9 30\nf 1 2 3\nf 2 4 3\nf 1 2 3\n")
    (found,) = json.loads(invoke("road", "check", str(mesh), "--json"))
    assert any("twice" in remark for remark in found["remarks"])
    assert any("grade of" in remark for remark in found["remarks"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("road", "shwo", "flat"), "did you mean 'show'"),
        (("road", "show", "handlin"), "did you mean 'handling'"),
        (("road", "show", "flat", "cleat", "--png", "x.png"), "draws one road; 2 were named"),
        (("road", "show", "flat", "--png", "nowhere/x.png"), "no such folder"),
        (("road", "show", "flat", "--png", "x.txt"), "pictures end in"),
        (("road", "check", "flat", "--png", "x.png"), "draws no picture"),
        (("road", "show", "flat", "--step", "1"), "--step is for road convert"),
        (("road", "convert", "flat"), "needs the file to read and the file to write; 1 were named"),
        (("road", "convert", "flat", "x.yaml"), "the ending must be one of .obj, .rdf"),
        (("road", "convert", "sine", "x.kml"), "longitude and latitude"),
        (("road", "convert", "flat", "x.csv"), "has no line"),
        (("road", "convert", "sine", "x.obj", "--step", "-1"), "must be > 0"),
        (("road", "convert", "sine", "x.obj", "--step", "1 s"), "--step"),
    ],
)
def test_wrong_requests(words: tuple[str, ...], message: str) -> None:
    assert message in " ".join(invoke(*words, code=1).split())


def test_figures_and_picture_of_a_path(tmp_path: Path) -> None:
    """Half a circle of 50 m that climbs 3 m, with room and speed."""
    phi = np.linspace(0, math.pi, 181)
    rows = [f"{50 * math.sin(a)!r},{50 - 50 * math.cos(a)!r},{3 * a / math.pi!r},3,4,{10 + a!r}" for a in phi.tolist()]
    file = tmp_path / "half.csv"
    file.write_text("x,y,z,left,right,speed\n" + "\n".join(rows) + "\n")
    found = figures(file)
    length = 50 * math.pi
    assert found["length"] == pytest.approx(length, rel=1e-5) and found["closed"] is False
    assert found["radius"] == pytest.approx(50.0, rel=1e-3) and found["turn"] == pytest.approx(math.pi, abs=1e-3)
    assert found["curvature"] == pytest.approx([0.02, 0.02], rel=1e-3)
    assert found["slope"] == pytest.approx([3 / length] * 2, rel=1e-3) and found["height"] == pytest.approx([0, 3])
    assert found["width"] == [7.0, 7.0] and found["speed"] == pytest.approx([10, 10 + math.pi], abs=1e-6)
    target = tmp_path / "half.png"
    text = invoke("road", "show", str(file), "--png", str(target))
    assert "36.0 to 47.3 km/h" in text and "7.00 m" in text and target.read_bytes()[:4] == b"\x89PNG"
    whole = figures(library_paths()["handling"])
    assert whole["closed"] is True and whole["turn"] == pytest.approx(2 * math.pi)


@pytest.mark.slow
def test_convert_keeps_the_road(tmp_path: Path) -> None:
    """Potholes to triangles with a tolerance, and back; the line of a road to a path; both by queries."""
    rng = np.random.default_rng(2)
    x, y = rng.uniform(1, 199, 20_000), rng.uniform(-3.9, 3.9, 20_000)
    before = load_road("potholes").query(x, y).height
    for ending in ("obj", "rdf"):
        target = tmp_path / f"holes.{ending}"
        text = invoke("road", "convert", "potholes", str(target), "--tolerance", "1 mm")
        assert "triangles" in text and "mm from the road" in text and ("MB" in text or "kB" in text)
        assert np.max(np.abs(load_road(target).query(x, y).height - before)) < 1e-3
    target = tmp_path / "holes.crg"
    said = re.search(r"up to ([\d.]+) mm off", " ".join(invoke("road", "convert", "potholes", str(target)).split()))
    assert said is not None
    apart = np.max(np.abs(load_road(target).query(x, y).height - before))
    assert 0.3e-3 * float(said[1]) < apart < 1.1e-3 * float(said[1])  # it looks more closely at rims
    target = tmp_path / "handling.csv"
    assert "1000 stations" in invoke("road", "convert", "handling", str(target), "--step", "5")
    path, road = load_path(target), load_road("handling")
    line = road.query(path.x, path.y)
    assert np.max(np.abs(line.offset)) < 0.01 and np.max(np.abs(path.z - line.height)) < 1e-3
    assert path.closed and path.width == pytest.approx(10.0)
    target = tmp_path / "strip.rdf"
    assert "LineRoad as it is" in invoke("road", "convert", str(tmp_path / "handling.csv"), str(target), "--width", "6")
    assert survey(load_road(target)).width == pytest.approx((6.0, 6.0), abs=1e-9)


def test_convert_does_not_write_over_what_it_reads(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    invoke("road", "convert", "sine", str(file))
    before = file.read_bytes()
    assert "is the file that is read" in invoke("road", "convert", str(file), str(file), code=1)
    assert file.read_bytes() == before


def test_list_names_roads_and_paths() -> None:
    found = json.loads(invoke("list", "--json"))
    assert [row["name"] for row in found["roads"]] == [*library_roads()]
    assert all(row["about"] for row in found["roads"])
    assert [row["name"] for row in found["paths"]] == [*library_paths()]
    assert "iso_8608_c" in invoke("list", "roads", "iso*") and "handling" not in invoke("list", "roads", "iso*")
    assert "5000 m, closed" in invoke("list", "paths")
