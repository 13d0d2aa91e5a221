"""OpenCRG: round trips in all formats, modifiers and options against points worked out by hand, damaged files."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counting import calls
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.files.crg import FORMATS, crg_bytes, fixed, parse_crg, read_crg, write_crg
from jounce.road.block import Frame
from jounce.road.grid import GridRoad
from jounce.road.simple import Flat

RNG = np.random.default_rng(2)


def grid(curved: bool = True, single: bool = True, even: bool = True, **options: object) -> GridRoad:
    nu, nv = 41, 7
    phi = 0.3 + np.cumsum(np.linspace(-0.01, 0.02, nu - 1))
    u = 0.5 * np.arange(nu)
    v = np.linspace(-1.5, 1.5, nv) if even else np.array([-1.5, -1.2, -0.3, 0.0, 0.25, 1.0, 1.5])
    z = 0.05 * RNG.standard_normal((nu, nv))
    settings = {"reference": 2 + 0.01 * u + 0.1 * np.sin(u / 9), "bank": 0.02 * np.sin(u / 5), **options}
    return GridRoad(
        z=z.astype(np.float32) if single else z,
        du=0.5,
        v=v,
        u0=5.0,
        x=10.0,
        y=-4.0,
        heading=0.3,
        headings=phi if curved else None,
        **settings,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("curved", [True, False])
@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_round_trip(format: str, curved: bool, even: bool) -> None:
    road = grid(curved, single=format[1] == "R", even=even, border_u="repeat", smooth_begin=2.0)
    raw = crg_bytes(road, format=format)
    file = parse_crg(raw)
    assert file.report.problems == []
    again = file.road()
    x = RNG.uniform(10, 25, 200)
    y = -4 + math.tan(0.4) * (x - 10) + RNG.uniform(-1.4, 1.4, 200)
    a, b = road.query(x, y), again.query(x, y)
    if format[2] == "B":
        assert file.z.dtype == road.z.dtype and np.array_equal(file.z, road.z)
    else:
        # sign, point and seven or seventeen digits of a number below one in size
        np.testing.assert_allclose(file.z, road.z, atol=6e-8 if format == "LRFI" else 1e-17, rtol=1e-15)
    # headings and slopes of single precision or nine characters add up to micrometres
    np.testing.assert_allclose(b.height, a.height, atol=2e-6 if format[1] == "R" else 1e-11)
    assert (again.border_u, again.smooth_begin) == ("repeat", 2.0)
    second = crg_bytes(again, format=format)
    assert parse_crg(second).z.tobytes() == file.z.tobytes()


def test_binary_double_is_exact(tmp_path: Path) -> None:
    road = grid(single=False)
    write_crg(road, tmp_path / "a.crg", format="KDBI")
    again = read_crg(tmp_path / "a.crg").road()
    assert np.array_equal(again.z, road.z) and np.array_equal(again.v, road.v)
    assert np.array_equal(again.headings, road.headings)  # type: ignore[arg-type]


HEAD = """$CT
by hand
$
$ROAD_CRG
reference_line_start_u = 0
reference_line_end_u = 3
reference_line_increment = 1
long_section_v_right = -1
long_section_v_left = 1
long_section_v_increment = 1
$
{extra}$KD_DEFINITION
#:LRFI
U:reference line u,m,0.0,1.0
D:long section 1,m
D:long section 2,m
D:long section 3,m
$
$$$$$$$$
"""
ROWS = "".join(f"{a:10.4f}{b:10.4f}{c:10.4f}\n" for a, b, c in [(0, 0, 0), (1, 2, 3), (2, 4, 6), (3, 6, 9)])
KEPT = "$ROAD_CRG_MODS\n$\n"


def text(extra: str = KEPT, rows: str = ROWS, head: str = HEAD) -> bytes:
    return (head.format(extra=extra) + rows).encode()


def named(*v: float) -> bytes:
    """The same with places of its long sections."""
    head = HEAD
    for k, value in enumerate(v, 1):
        head = head.replace(f"D:long section {k},m", f"D:long section at v = {value},m")
    return text(head=head)


def with_phi(third: str) -> bytes:
    """The same with a channel of headings, whose first value is not used."""
    rows = [f"{'*' * 10 if k == 0 else phi:>10}{line}\n" for k, (phi, line) in enumerate(
        zip(["", "0.0", third, "0.0"], ROWS.splitlines(), strict=True))]  # fmt: skip
    return text(
        head=HEAD.replace("D:long section 1,m", "D:reference line phi,rad\nD:long section 1,m"), rows="".join(rows)
    )


def test_a_small_file_by_hand() -> None:
    # z = u (2 + v)
    road = parse_crg(text()).road()
    np.testing.assert_allclose(road.query([0.5, 2.0, 2.5], [0.0, 0.5, -1.0]).height, [1.0, 5.0, 2.5], atol=1e-6)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (text(head=HEAD.replace("m,0.0,1.0", "m,0.0,2.0")), "the channel u says 2 m, not used"),
        (text("$ROAD_CRG_MODS\ngrid_nan_mode = 2.000+e00\n$\n"), "found '2.000+e00'; read as 2.000"),
    ],
)
def test_slips_that_other_readers_pass_over_are_named_and_passed_over(raw: bytes, message: str) -> None:
    """Both stand in sample files of the standard."""
    file = parse_crg(raw)
    assert [p for p in file.report.warnings if message in p.message and p.line > 0]
    np.testing.assert_array_equal(file.road(apply_modifiers=False).z, parse_crg(text()).road(apply_modifiers=False).z)


def test_options_of_the_file() -> None:
    options = "$ROAD_CRG_OPTS\nborder_mode_u = 4\nborder_mode_v = 1\nborder_offset_v = 0.5\n$\n" + KEPT
    road = parse_crg(text(options)).road()
    # mirrored: u = 4 is u = 2; beyond the sides zero, plus the offset
    np.testing.assert_allclose(road.query([4.0, 1.0], [0.0, 3.0]).height, [4.0, 0.5], atol=1e-6)


@pytest.mark.parametrize(
    ("modifiers", "point", "height"),
    [
        ("", (1.0, 0.0), 2.0),
        ("scale_z_grid = 2", (1.0, 0.0), 4.0),
        ("scale_length = 2", (2.0, 0.0), 2.0),
        ("scale_width = 2", (1.0, 2.0), 3.0),
        ("refline_offset_x = 10\nrefline_offset_z = 1", (11.0, 0.0), 3.0),
        ("refline_offset_phi = 1.5707963267948966", (-0.5, 1.0), 2.5),  # turned about the start: v is now −x
        ("refline_offset_phi = 3.141592653589793\nrefline_rotcenter_x = 1.5", (2.0, 0.0), 2.0),
        ("refpoint_u_fraction = 1\nrefpoint_x = 0", (-1.0, 0.0), -2.0),  # the end lies at the origin, at height zero
        ("refpoint_u = 1\nrefpoint_v = 1\nrefpoint_x = 5\nrefpoint_y = 5\nrefpoint_z = 3", (5.0, 5.0), 3.0),
    ],
)
def test_modifiers(modifiers: str, point: tuple[float, float], height: float) -> None:
    lines = f"{modifiers}\n" if modifiers else ""
    road = parse_crg(text(f"$ROAD_CRG_MODS\n{lines}$\n")).road()
    assert road.query(*point).height == pytest.approx(height, abs=1e-5)


def test_without_modifiers_the_line_starts_at_the_origin() -> None:
    start = "reference_line_start_x = 7\nreference_line_start_y = 8\nreference_line_start_phi = 1\n"
    raw = text("", ROWS, HEAD.replace("long_section_v_right", start + "long_section_v_right"))
    file = parse_crg(raw)
    assert file.road().query(1.0, 0.0).height == pytest.approx(2.0, abs=1e-6)
    raw_road = file.road(apply_modifiers=False)
    assert raw_road.query(7 + math.cos(1), 8 + math.sin(1)).height == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize(("mode", "expected"), [(0, math.nan), (1, 0.25), (2, 6.25)])
def test_holes_at_the_borders(mode: int, expected: float) -> None:
    offset = "grid_nan_offset = 0.25\n" if mode else ""
    rows = ROWS.splitlines()
    rows[3] = f"{3:10.4f}{6:10.4f}" + "*" * 10
    raw = text(f"$ROAD_CRG_MODS\ngrid_nan_mode = {mode}\n{offset}$\n", "\n".join(rows) + "\n")
    sample = parse_crg(raw).road().query(3.0, 1.0)
    if mode == 0:
        assert sample.no_ground
    else:
        assert sample.height == pytest.approx(expected, abs=1e-6)


def test_a_closed_line_goes_on_at_its_start() -> None:
    n, radius = 400, 30.0
    phi = math.pi / 2 + 2 * math.pi * (np.arange(n) + 0.5) / n
    z = np.repeat(0.1 * np.sin(2 * math.pi * np.arange(n + 1) / n)[:, None], 5, axis=1)
    z[-1] = z[0]
    road = GridRoad(
        z=z, du=2 * radius * math.sin(math.pi / n), v=np.linspace(-2, 2, 5), x=radius, headings=phi, closed=True
    )
    again = parse_crg(crg_bytes(road, format="KDBI")).road()
    assert again.closed
    angle = np.linspace(-0.1, 0.1, 401)
    sample = again.query(29.5 * np.cos(angle), 29.5 * np.sin(angle))
    np.testing.assert_allclose(sample.height, 0.1 * np.sin(angle), atol=1e-4)
    assert np.max(np.abs(np.diff(sample.height))) < 1e-4


def test_data_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "data.crg").write_bytes(text())
    (tmp_path / "road.crg").write_text("$ROAD_CRG_MODS\nscale_z_grid = 3\n$\n$ROAD_CRG_FILE\ndata.crg\n$\n")
    assert read_crg(tmp_path / "road.crg").road().query(1.0, 0.0).height == pytest.approx(6.0, abs=1e-6)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (text()[:-31], "cut short"),
        (text()[: len(text()) - 45], "cut short"),
        (crg_bytes(grid(), format="KRBI")[:-200], "cut short: found"),
        (text(head=HEAD.replace("#:LRFI", "#:XXXX")), "known formats"),
        (text(head=HEAD.replace("section 2,m", "section 2,mm")), "found the unit 'mm'"),
        (text(head=HEAD.replace("end_u = 3", "end_u = 3.4")), "4.4 cross-sections"),
        (text(head=HEAD.replace("v_increment = 1", "v_increment = 0.5")), "makes 5 sections"),
        (text(head=HEAD.replace("increment = 1\nlong", "increment = fast\nlong")), "expected key = number"),
        (text(rows=ROWS.replace("2.0000", "2.x000")), "expected a number of 10 characters"),
        (text(rows=ROWS.replace("    2.0000    3.0000", "**********    3.0000")), "holes between heights"),
        (text("$ROAD_CRG_OPTS\nborder_mode_u = 7\n$\n"), "allowed: 0 to 4"),
        (
            text(head=HEAD.replace("v_increment = 1", "v_increment = 0")),
            "v_increment.*found 0 m; must be > 0",
        ),
        (text(head=HEAD.replace("v_left = 1", "v_left = -1")), "found -1 m; must be left of -1 m"),
        (
            text(head=HEAD.replace("reference_line_increment = 1\n", "").replace("U:reference line u,m,0.0,1.0\n", "")),
            "reference_line_increment.*is missing",
        ),
        (text(head=HEAD.replace("reference_line_increment = 1", "reference_line_increment = 0")), "found 0 m; must be"),
        (
            text(head=HEAD.replace("section 1,m", "section at v = -1,m")),
            "1 of 3 channels say their v; all or",
        ),
        (named(0.0, -1.0, 1.0), "v must ascend from right to left"),
        (named(-1.0, 0.0, 2.0), "long_section_v_left.*found 1 m; the channels say 2 m"),
        (text("$ROAD_CRG_MODS\nscale_width = 0\n$\n"), "modifiers scale_length and scale_width must be > 0"),
        (text("$ROAD_CRG_MODS\nscale_length = -1\n$\n"), "modifiers scale_length and scale_width must be > 0"),
        (with_phi("2000000.0"), r"reference line phi.*row 3 of the data holds 2000000.0; expected an angle or a slope"),
        (b"hello", "no line"),
        (b"", "no line"),
    ],
)
def test_damaged_files_are_refused_with_their_place(raw: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse_crg(raw, "road.crg").road()
    assert "road.crg" in str(caught.value)


def test_what_cannot_be_written_is_refused() -> None:
    for make, message in (
        (lambda: crg_bytes(grid(), format="ABCD"), "OpenCRG: format 'ABCD'; known: "),
        (lambda: crg_bytes(replace(grid(), frame=Frame(height_scale=2.0))), "a road with scaled heights cannot be"),
        (lambda: crg_bytes(grid(), modifiers={"scale_wide": 2.0}), "OpenCRG: 'scale_wide' is unknown"),
        (lambda: crg_bytes(Flat()), "OpenCRG: holds heights on a grid, found a Flat road"),
    ):
        with pytest.raises(ParameterError, match=message):
            make()


SAMPLES = [text(), crg_bytes(grid(), format="KRBI"), crg_bytes(grid(), format="LDFI")]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_fuzzed_files_are_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(data.draw(st.sampled_from(SAMPLES)))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        kind = data.draw(st.integers(0, 2))
        if kind == 0:
            raw[at] = data.draw(st.integers(0, 255))
        elif kind == 1:
            del raw[at : at + data.draw(st.integers(1, 40))]
        else:
            raw[at:at] = data.draw(st.binary(max_size=20))
        if not raw:
            break
    try:
        road = parse_crg(bytes(raw)).road()
        road.query([0.0, 1.0], [0.0, 0.5])
    except JounceError:
        pass


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_numbers_in_few_characters(value: float) -> None:
    for width, digits in ((9, 3), (19, 12)):
        word = fixed(value, width)
        assert len(word) == width
        # the exponent of a tiny number takes characters; far below a nanometre nothing is asked
        assert float(word) == pytest.approx(value, rel=10.0**-digits, abs=1e-12)
        assert float(fixed(float(word), width)) == float(word)


@pytest.mark.parametrize("format", ["KRBI", "LRFI"])
def test_heights_are_read_at_once_and_not_one_by_one(format: str, tmp_path: Path) -> None:
    """A grid a hundred times as large takes as many calls, but for headings and the lines of its header."""

    def work(nu: int, nv: int) -> int:
        z = np.zeros((nu, nv), dtype=np.float32)
        z[:, ::2] = 0.01
        road = GridRoad(z=z, du=0.05, v=np.linspace(-2.5, 2.5, nv), headings=np.full(nu - 1, 0.1))
        write_crg(road, tmp_path / f"{nu}.crg", format=format)
        found: list[GridRoad] = []
        count = calls(lambda: found.append(read_crg(tmp_path / f"{nu}.crg").road()))
        assert found[0].z.shape == (nu, nv)
        return count

    work(21, 50)
    assert work(2001, 50) < 1.5 * work(201, 50)


# -- a file without a section of modifiers ---------------------------------------------------------------------------


@pytest.mark.parametrize("curved", [True, False])
def test_without_modifiers_the_line_or_the_right_edge_is_at_the_origin(curved: bool) -> None:
    nu = 21
    z = 0.03 * np.arange(nu)[:, None] + np.array([0.0, 0.2, 0.5, 0.9])
    headings = 0.6 + 0.02 * np.arange(nu - 1) if curved else None
    road = GridRoad(z=z, du=0.5, v=np.array([-1.5, 0.0, 1.0, 2.5]), x=30.0, y=-8.0, heading=0.6, headings=headings)
    raw = crg_bytes(road, format="KDBI").replace(b"$ROAD_CRG_MODS\n$\n", b"")
    file = parse_crg(raw, "plain.crg")
    remark = [str(p) for p in file.report.warnings]
    assert len(remark) == 1 and "$ROAD_CRG_MODS" in remark[0] and "right edge" in remark[0] and "1.5 m" in remark[0]
    line, edge = file.road(), file.road(placement="right edge")
    np.testing.assert_allclose(line.nodes[0], [0.0, 0.0], atol=1e-12)
    assert float(line.query(0.0, 0.0).height) == pytest.approx(0.0, abs=1e-12)
    # the right edge, 1.5 m to the right of the line, is at the origin: the line begins 1.5 m to its left
    np.testing.assert_allclose(edge.nodes[0], [0.0, 1.5], atol=1e-12)
    assert float(edge.query(0.0, 0.0).height) == pytest.approx(0.0, abs=1e-12)
    for away in (0.4, 2.0, 3.6):  # across the first section both are the same surface, shifted
        a, b = line.query(1e-9, away - 1.5), edge.query(1e-9, away)
        assert float(a.height - b.height) == pytest.approx(float(line.query(1e-9, -1.5 + 1e-12).height), abs=1e-7)
    with pytest.raises(ParameterError, match=r"placement = 'left'.*right edge"):
        file.road(placement="left")
    # a file that says where it lies has one reading, and no remark
    placed = parse_crg(crg_bytes(road, format="KDBI"), "placed.crg")
    assert not placed.report.warnings
    np.testing.assert_array_equal(placed.road().nodes, placed.road(placement="right edge").nodes)
