"""RDF: every kind loads and says what its numbers mean; upgrades; what is wrong is named with its line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.files.crg import write_crg
from jounce.files.obj import mesh_of, obj_text, parse_obj, write_obj
from jounce.files.rdf import parse_rdf, rdf_text, read_rdf, write_rdf
from jounce.road.grid import GridRoad
from jounce.road.line import Kerb, LineRoad, Section
from jounce.road.mesh import MeshRoad, grid_mesh
from jounce.road.path import Path as Line
from jounce.road.path import joined
from jounce.road.simple import Flat, Sum
from rdf_texts import ALL, ANALYTIC, COMPOSITE, CRG, EXTERNAL, EXTRUSION, FLAT, HEAD, MEASURED, MESH


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, body in {**ALL, "composite": COMPOSITE, "crg": CRG, "external": EXTERNAL}.items():
        (tmp_path / f"{name}.rdf").write_text(HEAD + body)
    z = np.tile(0.1 * np.arange(11.0)[:, None], (1, 3))
    write_crg(GridRoad(z=z, du=1.0, v=np.array([-2.0, 0, 2])), tmp_path / "strip.crg", format="KDBI")
    return tmp_path


def test_every_kind_loads_and_is_written_back_to_the_letter(folder: Path) -> None:
    for place in sorted(folder.glob("*.rdf")):
        file = read_rdf(place)
        assert file.report.errors == []
        file.write(folder / "again.txt")
        assert (folder / "again.txt").read_text() == place.read_text()
        if file.kind != "EXTERNAL":
            again = parse_rdf(file.text(), str(place)).road()
            x, y = np.linspace(0, 40, 80), np.linspace(-2, 2, 80)
            np.testing.assert_array_equal(file.road().query(x, y).height, again.query(x, y).height)


def test_flat() -> None:
    sample = parse_rdf(HEAD + FLAT).road().query([0.0, 400.0], 3.0)
    assert sample.height.tolist() == [0.25, 0.25] and sample.friction.tolist() == [0.9, 0.9]


def test_analytic_line_height_friction_and_kerb() -> None:
    text = HEAD + ANALYTIC.replace("IRREGULARITIES = 'ANALYTIC_PSD'", "IRREGULARITIES = 'FLAT'")
    road = parse_rdf(text).road()
    assert isinstance(road, LineRoad)
    assert road.path.heading[-1] == pytest.approx(0.01 * (20 + 120 + 20))
    # turned by 180 degrees: along −x, left is −y
    s, n = np.array([50.0, 80.0, 95.0]), np.array([1.0, -1.0, 4.25])
    sample = road.query(-s, -n)
    np.testing.assert_allclose(sample.height, [0.0, 0.0, 0.025], atol=1e-12)
    np.testing.assert_allclose(sample.friction, [1.0 - 0.6 * 50 / 300, 1.0, 0.9], atol=1e-12)
    # STEP5: half-way at 150 m, level at both ends
    p, heading = road.path.at(np.array([150.0, 100.0, 200.0])), road.path.at(np.array([150.0]), "heading")
    x, y = road.frame.to_world(p[:, 0], p[:, 1])
    on = road.query(x, y)
    np.testing.assert_allclose(on.height, [1.0, 0.0, 2.0], atol=1e-9)
    grade = on.slope_x[0] * math.cos(heading[0] + math.pi) + on.slope_y[0] * math.sin(heading[0] + math.pi)
    assert grade == pytest.approx(2 / 100 * 30 / 16, rel=1e-6)  # the derivative of STEP5 in the middle is 15/8
    np.testing.assert_allclose(np.hypot(on.slope_x[1:], on.slope_y[1:]), 0.0, atol=1e-9)


def test_irregularities_of_the_file_have_their_variance() -> None:
    road = parse_rdf(HEAD + ANALYTIC).road()
    assert isinstance(road, LineRoad)
    left, right = road.unevenness
    values = left.values[1:-1]  # type: ignore[union-attr]
    # two-sided density: σ² = 2 ∫ S dω, S = 1e-4 (ω/0.1)^-w with w = 2
    w = math.log(1e-4 / 1.1e-9) / math.log(300)
    integral = 1e-4 * 0.1 / (w - 1)
    omega = 0.1 + (30 - 0.1) / 255 * np.arange(256)
    discrete = 2 * np.sum((30 - 0.1) / 255 * 1e-4 * (omega / 0.1) ** -w)
    assert np.var(values) == pytest.approx(discrete, rel=0.35)  # a few waves carry nearly all of it
    assert discrete > integral
    assert abs(np.corrcoef(values, right.values[1:-1])[0, 1]) < 0.9  # type: ignore[union-attr]
    again = parse_rdf(HEAD + ANALYTIC).road()
    assert np.array_equal(again.unevenness[0].values, left.values)  # type: ignore[attr-defined, union-attr]


def test_measured_irregularity_on_the_left_only() -> None:
    road = parse_rdf(HEAD + MEASURED).road()
    base = parse_rdf(HEAD + MEASURED.replace("'MEASURED_STD'\n[WIDTH]", "'FLAT'\n[WIDTH]")).road()
    x = np.array([8.25, 8.5, 8.75, 7.0])
    for n, expected in ((1.0, [0.025, 0.05, 0.025, 0.0]), (-1.0, [0.0] * 4)):
        bump = road.query(x, n).height - base.query(x, n).height
        np.testing.assert_allclose(bump, expected, atol=1e-3)  # stations are of arc length, the line climbs a little
    assert road.query(3.0, [1.0, -1.0]).friction.tolist() == [1.0, 0.8]


def test_extrusion_reproduces_its_sections() -> None:
    road = parse_rdf(HEAD + EXTRUSION).road()
    u = np.array([-3.0, 0.0, 3.0, 1.5])
    np.testing.assert_allclose(road.query(0.0, u).height, [0, 0.03, 0, 0.015], atol=1e-12)
    np.testing.assert_allclose(road.query(50.0, u).height, [0.1, 0, 0.1, 0.05], atol=1e-12)
    np.testing.assert_allclose(road.query(25.0, u).height, [0.05, 0.015, 0.05, 0.0325], atol=1e-12)
    # mean of the four corners, each with the factor of its station
    assert road.query(25.0, 1.0).friction == pytest.approx((1.0 * (1 + 1) + 0.8 * (1 + 0.9)) / 4)


def test_mesh_and_composite(folder: Path) -> None:
    mesh, composite = read_rdf(folder / "mesh.rdf").road(), read_rdf(folder / "composite.rdf").road()
    sample = mesh.query([20.0, 80.0], [-3.0, 3.0])
    np.testing.assert_allclose(sample.height, [0.2, 0.8], atol=1e-12)
    assert sample.friction.tolist() == [1.0, 0.5] and sample.material.tolist() == [1, 2]
    assert composite.query([20.0, 80.0], [-3.0, 3.0]).friction.tolist() == [0.6, 0.2]
    np.testing.assert_array_equal(composite.query([20.0], [1.0]).height, mesh.query([20.0], [1.0]).height)


def test_irregularities_along_the_track_of_a_mesh() -> None:
    rough = MESH.replace(
        "MATERIALS_MODE = 1", "MATERIALS_MODE = 1\nORIGIN_A3 = 1.5707963267948966\nIRREGULARITIES = 'MEASURED'"
    )
    rough += "[IRREGULARITIES]\nMODEL = 'MEASURED_STD'\n"
    rough += "[MEASURED_IRREGULARITIES]\n{s left_z right_z}\n0 0 0\n50 0.02 0.01\n100 0 0\n"
    road = parse_rdf(HEAD + rough).road()
    assert isinstance(road, Sum)
    # the road and its track are turned to +y; left is −x
    np.testing.assert_allclose(road.query([-1.0, 1.0], 50.0).height, [0.52, 0.51], atol=1e-9)
    fixed = parse_rdf(HEAD + rough.replace("'RELATIVE'", "'ABSOLUTE'")).road()
    assert fixed.query(-1.0, 50.0).height == pytest.approx(0.5, abs=1e-9)


def test_open_crg_and_external(folder: Path) -> None:
    assert read_rdf(folder / "crg.rdf").road().query(5.0, 1.0).height == pytest.approx(0.5)
    file = read_rdf(folder / "external.rdf")
    with pytest.raises(ParameterError, match="give its function"):
        file.road()
    flat = file.road(lambda x, y, z: (0.0, 0.0, 0.0, 1.0)).query([1.0, 2.0], 0.0)
    level = Flat().query([1.0, 2.0], 0.0)
    assert flat.height.tobytes() == level.height.tobytes() and flat.friction.tobytes() == level.friction.tobytes()


def test_units_are_converted() -> None:
    mm = HEAD.replace("'meter'", "'mm'").replace("'radian'", "'degree'")
    body = FLAT.replace("0.25", "250")
    assert parse_rdf(mm + body).road().query(0.0, 0.0).height == pytest.approx(0.25)
    text = ANALYTIC.replace("IRREGULARITIES = 'ANALYTIC_PSD'", "IRREGULARITIES = 'FLAT'").replace(
        "3.141592653589793", "180"
    )
    lines = []
    for line in text.splitlines():
        words = line.split()
        numbers = len(words) in (2, 3) and not any(c.isalpha() or c in "={}[]'" for c in line)
        if numbers and len(words) == 2 and "curvature" in "".join(lines[-6:]) and "height" not in "".join(lines[-6:]):
            line = f"{1000 * float(words[0])} {float(words[1]) / 1000}"
        lines.append(line)
    path = parse_rdf(mm + "\n".join(lines).replace("_WIDTH = 4", "_WIDTH = 4000")).road()
    assert isinstance(path, LineRoad) and path.path.length == pytest.approx(300.0)
    assert path.path.heading[-1] == pytest.approx(1.6)


def test_a_width_table_overrides_and_gives_the_whole_width() -> None:
    plain = ANALYTIC.replace("IRREGULARITIES = 'ANALYTIC_PSD'", "IRREGULARITIES = 'FLAT'").replace("'KERB'", "'FLAT'")
    text = plain + "[WIDTH_TABLE]\n{ track_s width }\n0 6\n100 10\n"
    road = parse_rdf(HEAD + text).road()
    # 8 m at s = 50: 4 m to each side
    assert road.query(-50.0, [3.95, -3.95, 4.05, -4.05]).off_road.tolist() == [False, False, True, True]


def test_friction_belongs_to_the_side_and_changes_at_the_line_only() -> None:
    plain = ANALYTIC.replace("IRREGULARITIES = 'ANALYTIC_PSD'", "IRREGULARITIES = 'FLAT'").replace("'KERB'", "'FLAT'")
    road = parse_rdf(HEAD + plain).road()
    n = np.array([3.9, 0.01, -0.01, -3.9])  # left is −y here
    assert road.query(-90.0, -n).friction == pytest.approx([0.82, 0.82, 1.0, 1.0])
    one = plain.replace("'TABLE'", "'GLOBAL_TABLE'").replace("{ track_s frictionL frictionR }", "{ track_s friction }")
    one = one.replace("0 1.0 1.0\n300 0.4 1.0", "0 1.0\n300 0.4")
    assert parse_rdf(HEAD + one).road().query(-90.0, -n).friction == pytest.approx([0.82] * 4)


def test_beyond_an_unsafe_road() -> None:
    plain = ANALYTIC.replace("IRREGULARITIES = 'ANALYTIC_PSD'", "IRREGULARITIES = 'FLAT'").replace("'KERB'", "'FLAT'")
    body = plain.replace("0 0\n100 0\n200 2\n300 2", "0 1\n300 1")
    for safe, beside, behind in (("TRUE", 1.0, 1.0), ("FALSE", None, 0.0)):
        road = parse_rdf(HEAD + body.replace("OUTBOUND_SAFE = 'TRUE'", f"OUTBOUND_SAFE = '{safe}'")).road()
        sample = road.query([-50.0, 20.0], [10.0, 0.0])
        assert sample.no_ground.tolist() == [beside is None, False]
        assert sample.height[1] == pytest.approx(behind)
        if beside is not None:
            assert sample.height[0] == pytest.approx(beside)
    unsaid = parse_rdf(HEAD + body.replace("OUTBOUND_SAFE = 'TRUE'\n", "")).road()
    assert unsaid.query([-50.0, 20.0], [10.0, 0.0]).height == pytest.approx([1.0, 1.0]), "safe where nothing is said"


def test_spectra_as_tables_with_phase() -> None:
    tables = "[LEFT_PSD_TABLE]\n{omega psd}\n0.5 1e-5\n10 1e-7\n[RIGHT_PSD_TABLE]\n{omega psd}\n0.5 1e-5\n10 1e-7\n"
    keys = "LEFT_PSD_TABLE = 'YES'\nRIGHT_PSD_TABLE = 'YES'\nPHASE = 3.141592653589793\n"
    body = ANALYTIC.replace("OMEGA_1 = 0.1", "OMEGA_1 = 0.5").replace("OMEGA_2 = 30", "OMEGA_2 = 10")
    body = body.replace("PHASE = 0\n", keys).replace("COHERENCY = 0.0", "COHERENCY = 1")
    road = parse_rdf(HEAD + body + tables).road()
    assert isinstance(road, LineRoad)
    left, right = (u.values[1:-1] for u in road.unevenness)  # type: ignore[union-attr]
    np.testing.assert_allclose(right, -left, atol=1e-12)
    omega = np.linspace(0.5, 10, 256)
    expected = (
        2 * np.sum(np.exp(np.interp(np.log(omega), np.log([0.5, 10]), np.log([1e-5, 1e-7])))) * (omega[1] - omega[0])
    )
    assert np.var(left) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("synthesis", ["WAVES", "FFT"])
def test_each_track_has_its_own_spectrum_and_scale_counts_for_both(synthesis: str) -> None:
    """Heights are proportional to SCALE and to the root of the density, of each side for itself."""

    def tracks(left: float, right: float, more: str = "") -> tuple[np.ndarray, np.ndarray]:
        table = "[{}_PSD_TABLE]\n{{omega psd}}\n0.5 {}e-5\n10 {}e-7\n"
        keys = f"LEFT_PSD_TABLE = 'YES'\nRIGHT_PSD_TABLE = 'YES'\nPHASE = 0\nSYNTHESIS = '{synthesis}'\n{more}"
        body = ANALYTIC.replace("OMEGA_1 = 0.1", "OMEGA_1 = 0.5").replace("OMEGA_2 = 30", "OMEGA_2 = 10")
        body = body.replace("PHASE = 0\n", keys).replace("COHERENCY = 0.0", "COHERENCY = 1")
        road = parse_rdf(HEAD + body + table.format("LEFT", left, left) + table.format("RIGHT", right, right)).road()
        assert isinstance(road, LineRoad)
        return tuple(u.values[1:-1] for u in road.unevenness)  # type: ignore[union-attr, return-value]

    left, right = tracks(1, 1)
    np.testing.assert_allclose(right, left, atol=1e-12)
    assert np.std(left) > 1e-3
    for (a, b), more, scale in (((4, 9), "", 1.0), ((9, 4), "SCALE = 3\n", 3.0)):
        one, other = tracks(a, b, more)
        np.testing.assert_allclose(one, scale * math.sqrt(a) * left, atol=1e-12)
        np.testing.assert_allclose(other, scale * math.sqrt(b) * left, atol=1e-12)


@pytest.mark.parametrize("side", ["LEFT", "RIGHT"])
def test_every_column_of_a_kerb_counts(side: str) -> None:
    """Slopes are per cent; two strips rise one after the other, each with its friction, on their side only."""
    kerb = f"[{side}_KERB_GEOMETRY]\n{{track_s slope_1[%] width_1 friction1 slope_2[%] width_2 friction2}}\n"
    kerb += "0 12 0.4 0.85 -7 0.6 0.65\n300 12 0.4 0.85 -7 0.6 0.65\n"
    text = HEAD + ANALYTIC.replace("IRREGULARITIES = 'ANALYTIC_PSD'", "IRREGULARITIES = 'FLAT'")
    text = text[: text.index("[LEFT_KERB_GEOMETRY]")] + kerb + text[text.index("[IRREGULARITIES]") :]
    text = text.replace("LEFT_EDGE = 'KERB'\nRIGHT_EDGE = 'FLAT'\n", f"{side}_EDGE = 'KERB'\n")
    road = parse_rdf(text).road()
    assert isinstance(road, LineRoad)
    sign = 1.0 if side == "LEFT" else -1.0
    edge = 4.0
    n = sign * np.array([edge + 0.3, edge + 0.7, edge - 0.1, -edge - 0.3])
    sample = road.query(-20.0, -n)  # turned by 180 degrees: along −x, left is −y
    np.testing.assert_allclose(sample.height[:2], [0.3 * 0.12, 0.4 * 0.12 - 0.3 * 0.07], atol=1e-12)
    np.testing.assert_allclose(sample.height[2:], 0.0, atol=1e-12)
    np.testing.assert_allclose(sample.friction[:2], [0.85, 0.65], atol=1e-12)


def test_a_composite_road_replaces_whole_blocks(tmp_path: Path) -> None:
    rough = MESH.replace("MATERIALS_MODE = 1", "MATERIALS_MODE = 1\nIRREGULARITIES = 'MEASURED'")
    rough += "[IRREGULARITIES]\nMODEL = 'MEASURED'\nSCALE = 5\n"
    rough += "[MEASURED_IRREGULARITIES]\n{s left_z right_z}\n0 0 0\n50 0.02 0.02\n100 0 0\n"
    (tmp_path / "mesh.rdf").write_text(HEAD + rough)
    assert read_rdf(tmp_path / "mesh.rdf").road().query(50.0, 1.0).height == pytest.approx(0.6)
    # the block of the composite has no SCALE: nothing is merged
    (tmp_path / "a.rdf").write_text(HEAD + COMPOSITE + "[IRREGULARITIES]\nMODEL = 'MEASURED'\n")
    assert read_rdf(tmp_path / "a.rdf").road().query(50.0, 1.0).height == pytest.approx(0.52)
    flat = COMPOSITE.replace("MATERIALS_MODE = 1", "MATERIALS_MODE = 1\nIRREGULARITIES = 'FLAT'\nORIGIN_Z = 9")
    (tmp_path / "b.rdf").write_text(HEAD + flat)
    # ORIGIN_Z is none of the keys that a composite may change
    assert read_rdf(tmp_path / "b.rdf").road().query(50.0, 1.0).height == pytest.approx(0.5)


def test_outdated_files_are_upgraded() -> None:
    arm = HEAD + ANALYTIC.replace("vitools::vi_road", "vitools::viarm2adm").replace(
        "ORIGIN_A3 = 3.141592653589793", "DIRECTION = 'NEGATIVE'"
    )
    file = parse_rdf(arm)
    assert any("ARM" in p.message for p in file.report.warnings)
    new = parse_rdf(HEAD + ANALYTIC).road()
    x, y = -np.linspace(10, 90, 50), np.linspace(-2, 2, 50)
    np.testing.assert_allclose(file.road().query(x, y).height, new.query(x, y).height, atol=1e-12)
    old = HEAD + MESH.replace("'MESH'", "'SURFMESH'").replace("[NODES]\n", "[NODES]\nNUMBER_OF_NODES = 4\n")
    upgraded = parse_rdf(old)
    assert upgraded.text() == HEAD + MESH and upgraded.kind == "MESH"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (FLAT.replace("'FLAT'", "'FLATT'"), "line 12.*did you mean 'FLAT'"),
        (FLAT.replace("[FRICTION]\nGLOBAL = 0.9\n", ""), r"missing blocks: \[FRICTION\]"),
        (FLAT.replace("0.9", "-1"), "must not be negative"),
        (ANALYTIC.replace("100 0\n140", "100 0\n90"), "behind 100 m; s must ascend"),
        (ANALYTIC.replace("'TABLE'", "'TABEL'"), "did you mean 'TABLE'"),
        (ANALYTIC.replace("OMEGA_1 = 0.1\n", ""), "OMEGA_1: is missing"),
        (ANALYTIC.replace("MODEL = 'ANALYTIC_PSD'", "MODEL = 'MEASURED_STD'"), "says 'ANALYTIC_PSD'"),
        (EXTRUSION.replace("0.8 2\n", "0.8\n"), "8 values"),
        (EXTRUSION.replace("0.8 2\n", "0.8 3\n"), "found section 3; there are 2"),
        (MESH.replace("3 4 2 2", "3 9 2 2"), "line 25.*not all of them"),
        (MESH.replace("3 4 2 2", "3 4 2 7"), "line 25.*material 7"),
        (
            MESH.replace("3 4 2 2", "3 2 4 2").replace("MATERIALS_MODE", "MESH_CHECK = 'TRUE'\nMATERIALS_MODE"),
            "flipped",
        ),
        (COMPOSITE, "cannot be read"),
    ],
)
def test_what_is_wrong_is_named(body: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"(?s){message}"):
        parse_rdf(HEAD + body, "road.rdf")


@pytest.mark.parametrize("kind", ["flat", "line", "sections", "mesh", "grid"])
def test_a_road_is_written_and_read_again(kind: str, tmp_path: Path) -> None:
    path = joined([(50.0, 0.0, 0.01), (50.0, 0.01, 0.01)], step=0.5, z=lambda s: 0.3 * np.sin(s / 10))
    x = np.linspace(0, 50, 26)
    points, triangles = grid_mesh(x, np.linspace(-5, 5, 6), 0.1 * np.sin(x[:, None]) * np.ones((1, 6)))
    road = {
        "flat": Flat(friction=0.7, drawn=(30.0, 20.0)),
        "line": LineRoad(
            path=path,
            left=4.0,
            right=4.0,
            friction=[(0.0, 1.0), (100.0, 0.5)],
            kerb_right=Kerb.uniform(0.1, 0.5, 0.9, 0.0, 1.0, 0.6),
        ),
        "sections": LineRoad(
            path=path,
            section=Section(np.array([0.0, 60.0]), np.array([[[-3, 0.1], [3, 0]], [[-4, 0], [4, 0.2]]])),
            side="hold",
        ),
        "mesh": MeshRoad(points=points, triangles=triangles, friction=0.8),
        "grid": GridRoad(
            z=np.random.default_rng(0).standard_normal((20, 5)), du=1.0, v=np.linspace(-4, 4, 5), friction=0.6
        ),
    }[kind]
    write_rdf(road, tmp_path / "a.rdf")
    again = read_rdf(tmp_path / "a.rdf").road()
    s, n = np.linspace(1, 18, 60), np.linspace(-2.9, 2.9, 60)
    p, heading = (path.at(s), path.at(s, "heading")) if kind in ("line", "sections") else (None, None)
    qx = s if p is None else p[:, 0] - n * np.sin(heading)
    qy = n if p is None else p[:, 1] + n * np.cos(heading)
    a, b = road.query(qx, qy), again.query(qx, qy)
    # a line is fitted anew through its stations
    np.testing.assert_allclose(b.height, a.height, atol=1e-4 if kind in ("line", "sections") else 1e-12)
    np.testing.assert_allclose(b.friction, a.friction, atol=1e-4)
    if kind != "grid":
        assert rdf_text(again).count("\n") == rdf_text(road).count("\n")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_fuzzed_files_are_read_or_refused(data: st.DataObject) -> None:
    text = HEAD + data.draw(st.sampled_from([FLAT, MEASURED, EXTRUSION, MESH, ANALYTIC]))
    lines = text.splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        kind = data.draw(st.integers(0, 3))
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[data.draw(st.integers(0, len(lines) - 1))])
        elif kind == 2:
            lines[at] = lines[at][: data.draw(st.integers(0, max(len(lines[at]), 1)))]
        else:
            lines[at] += data.draw(st.text(max_size=8))
        if not lines:
            break
    try:
        file = parse_rdf("\n".join(lines))
        if file.kind != "EXTERNAL":
            file.road().query([1.0, 5.0], [0.0, 0.0])
    except JounceError:
        pass


# --- OBJ ------------------------------------------------------------------------------------------------------------


def test_obj_round_trip_and_materials(tmp_path: Path) -> None:
    x, y = np.linspace(0, 20, 11), np.linspace(-4, 4, 5)
    points, triangles = grid_mesh(x, y, 0.1 * x[:, None] * np.ones((1, 5)))
    road = MeshRoad(points=points, triangles=triangles, friction=np.where(np.arange(len(triangles)) < 40, 0.9, 0.4))
    text = obj_text(road)
    again = parse_obj(text, friction={"mu_0.9": 0.9, "mu_0.4": 0.4})
    qx, qy = np.linspace(0.5, 19.5, 40), np.linspace(-3.9, 3.9, 40)
    np.testing.assert_allclose(again.query(qx, qy).height, 0.1 * qx, atol=1e-12)
    np.testing.assert_array_equal(again.query(qx, qy).friction, road.query(qx, qy).friction)


def test_obj_polygons_axes_and_units() -> None:
    # a square in millimetres, y up: (x, y, z) → (x, −z, y)
    text = "v 0 100 0\nv 1000 100 0\nv 1000 100 -1000\nv 0 100 -1000\nf 1/1 2/2 3/3 -1\n"
    road = parse_obj(text, scale=1e-3, up="y")
    assert len(road.triangles) == 2 and road.query(0.5, 0.5).height == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v 0 0\n", "line 1"),
        ("v 0 0 0\nf 1 2 3\n", "line 2.*1 to 1"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "needs three"),
        ("# nothing\n", "no faces"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n", "flipped"),
    ],
)
def test_damaged_obj(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"(?s){message}"):
        parse_obj(text, "a.obj", strict=True)


def test_export_as_mesh_is_within_a_millimetre(tmp_path: Path) -> None:
    path = joined([(60.0, 0.0, 0.02), (60.0, 0.02, 0.02)], z=lambda s: 0.5 * np.sin(s / 20))
    road = LineRoad(path=path, left=4.0, right=4.0)
    write_obj(road, tmp_path / "a.obj", step=0.5)
    mesh = mesh_of(road)
    assert len(mesh.triangles) > 1000
    s, n = np.linspace(1, 119, 400), np.linspace(-3.9, 3.9, 400)
    p, heading = path.at(s), path.at(s, "heading")
    x, y = p[:, 0] - n * np.sin(heading), p[:, 1] + n * np.cos(heading)
    assert np.max(np.abs(mesh.query(x, y).height - road.query(x, y).height)) < 1e-3


def test_a_circle_of_points_is_a_circle() -> None:
    angle = 2 * math.pi * np.arange(40) / 40
    rows = "\n".join(f"{80 * math.cos(a)} {80 * math.sin(a)} 0 0" for a in angle)
    body = MEASURED.split("[MEASURED_CENTERLINE]")[0].replace("'MEASURED_STD'", "'FLAT'")
    text = HEAD + body + "[MEASURED_CENTERLINE]\n{ x_coord y_coord z_coord bank_angle }\n" + rows + "\n"
    road = parse_rdf(text).road()
    assert isinstance(road, LineRoad) and road.path.closed
    assert np.max(np.abs(np.hypot(road.path.x, road.path.y) - 80)) < 1e-3
    assert isinstance(road.path, Line)
    seam = np.linspace(-0.01, 0.01, 101)
    sample = road.query(79 * np.cos(seam), 79 * np.sin(seam))
    assert np.max(np.abs(sample.offset - 1.0)) < 1e-3 and not sample.off_road.any()


def test_smooth_mode_takes_noise_out_of_the_line() -> None:
    rng = np.random.default_rng(4)
    x = np.arange(0, 200, 2.0)
    y = 0.02 * rng.standard_normal(len(x))
    rows = "\n".join(f"{a} {b} 0 0" for a, b in zip(x, y, strict=True))
    body = MEASURED.split("[MEASURED_CENTERLINE]")[0].replace("'MEASURED_STD'", "'FLAT'")
    table = "[MEASURED_CENTERLINE]\n{ x_coord y_coord z_coord bank_angle }\n" + rows + "\n"
    rough = parse_rdf(HEAD + body + table).road()
    smooth = parse_rdf(HEAD + body.replace("TYPE = 'MEASURED'", "TYPE = 'MEASURED'\nMODE = 'SMOOTH'") + table).road()
    assert isinstance(rough, LineRoad) and isinstance(smooth, LineRoad)
    assert np.std(smooth.path.curvature) < 0.2 * np.std(rough.path.curvature)
    assert np.max(np.abs(smooth.path.y)) < 0.1
