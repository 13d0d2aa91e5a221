"""What reading a file may cost: each kind of attack is refused by the name of the file, whichever reader meets it."""

from __future__ import annotations

import csv
import os
import signal
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, JounceError
from jounce.core.limits import Limits, parse_json, parse_xml, read_bytes, read_utf8, reading
from jounce.core.process import aside
from jounce.files import property_file
from jounce.files.crg import crg_bytes
from jounce.files.rdf import read_rdf
from jounce.files.roads import load_path, load_road
from jounce.files.tir import read_tir
from jounce.results.measured import read_run
from jounce.results.run import Run
from jounce.road.grid import GridRoad
from jounce.vehicle.reading import load
from rdf_texts import FLAT, HEAD
from tire_models import example_text

LEVELS = [b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
LEVELS += [b"a%d: &a%d [%s]" % (k, k, b", ".join([b"*a%d" % (k - 1)] * 10)) for k in range(1, 9)]
YAML = {
    "an alias that stands for a thousand million values": b"\n".join(LEVELS),
    "nesting without brackets": b"road: " + b"- " * 5000 + b"1",
    "nesting with brackets": b"road: " + b"[" * 5000,
    "keys within keys": b"".join(b" " * k + b"a:\n" for k in range(2000)),
    "an anchor that is merged into itself": b"road: &a\n  <<: *a\n  x: 1\n",
    "an anchor within itself": b"road: &a [1, *a]\n",
    "a number of 400 digits": b"road: a\nline: {straight: " + b"9" * 400 + b"}\n",
    "a number of 5000 digits": b"road: a\nline: {straight: " + b"9" * 5000 + b"}\n",
    "a hexadecimal number of 400 digits": b"road: a\nline: {straight: 0x" + b"f" * 400 + b"}\n",
}


@pytest.mark.parametrize("name", YAML)
@pytest.mark.parametrize("read", [load_road, load], ids=["road", "vehicle"])
def test_yaml_that_is_small_and_costs_much_is_refused(name: str, read: object, tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_bytes(YAML[name])
    tracemalloc.start()
    try:
        with pytest.raises(JounceError, match=r"small\.yaml") as caught:
            read(path)  # type: ignore[operator]
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 3000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!DOCTYPE a><a/>", "a.xml: declares a document type or entities"),
        ("<a><!ENTITY b 'c'></a>", "a.xml: declares a document type or entities"),
        ("<a>\n<b>\n</a>", "a.xml: line 3: not well-formed XML"),
        ("<a>\ud800</a>", "a.xml: not well-formed XML"),
    ],
)
def test_xml_that_is_none_is_refused_by_name_and_line(text: str, message: str) -> None:
    assert parse_xml("<a>1</a>", "a.xml").text == "1"
    with pytest.raises(FormatError, match=message):
        parse_xml(text, "a.xml")


def test_text_that_is_none_is_refused_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfabc")
    limits = Limits("a text", 100)
    assert read_utf8(tmp_path / "a.txt", limits) == "abc"
    (tmp_path / "a.txt").write_bytes(b"abc\xff")
    with pytest.raises(FormatError, match=r"a.txt: not UTF-8 text \(byte 3\)"):
        read_utf8(tmp_path / "a.txt", limits)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OverflowError(), "a.csv: holds numbers that are too large to compute with"),
        (FloatingPointError(), "a.csv: holds numbers that are too large to compute with"),
        (csv.Error("line contains NUL"), r"a.csv: no table \(line contains NUL\)"),
        (MemoryError(), "a.csv: needs more memory than there is"),
        (FormatError("no wheel"), "a.csv: no wheel"),
        (FormatError("in a.csv: no wheel"), "^in a.csv: no wheel$"),
    ],
)
def test_what_a_reader_stumbles_over_names_the_file(error: Exception, message: str) -> None:
    with pytest.raises(FormatError, match=message), reading("/there/a.csv"):
        raise error


def test_anchors_as_people_use_them_are_read(tmp_path: Path) -> None:
    text = "road: a\nline: [{straight: 50}]\nfriction: &f {left: 0.9, right: 0.4}\nfeatures:\n"
    text += "  - cleat: &c {s: 10, height: 20 mm}\n  - cleat: {<<: *c, s: 20}\n"
    (tmp_path / "a.yaml").write_text(text)
    road = load_road(tmp_path / "a.yaml")
    assert float(road.query(20.0, 0.0).height) == pytest.approx(float(road.query(10.0, 0.0).height)) != 0.0


READERS = {
    **dict.fromkeys((".yaml", ".rdf", ".crg", ".obj"), load_road),
    **dict.fromkeys((".drd", ".kml", ".gpx"), load_path),
    **dict.fromkeys((".parquet", ".mat", ".mf4", ".csv"), Run.read),
    **dict.fromkeys((" .parquet", " .mat", " .mf4", " .csv"), read_run),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX")
@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "null character", "over-long name", "missing"])
def test_what_is_no_file_is_told_by_its_name(kind: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"odd{ending.strip()}"
    if kind == "pipe":
        os.mkfifo(path)  # nobody writes into it: who opens it would wait for ever
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "null character":
        path = Path(f"odd\0{ending.strip()}")
    elif kind == "over-long name":
        path = tmp_path / ("odd" * 2000 + ending.strip())
    with pytest.raises(JounceError, match="odd") as caught:
        READERS[ending](path)
    assert len(str(caught.value)) < 20_000


def test_a_file_larger_than_its_format_is_not_begun_nor_one_that_grows(tmp_path: Path) -> None:
    limits = Limits("a note", size=1000)
    path = tmp_path / "note"
    path.write_bytes(b"x" * 1000)
    assert len(read_bytes(path, limits)) == 1000
    path.write_bytes(b"x" * 1001)
    with pytest.raises(FormatError, match=r"note: larger than 0.001 MB; a note has less"):
        read_bytes(path, limits)
    with open(path, "wb") as file:
        file.truncate(10**13)  # without a byte on the disk
    with pytest.raises(FormatError, match="larger than"):
        read_bytes(path, limits)


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="Linux")
def test_a_file_that_says_no_size_is_read_to_its_limit() -> None:
    with pytest.raises(FormatError, match="larger than"):
        read_bytes("/proc/self/maps", Limits("a note", size=100))  # its size is given as 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("9" * 400, "a number of 400 digits"),
        ('{"a": [-1e999]}', "-1e999 is more than a number can be"),
        ('{\n"a": 1,\n}', "line 3: no JSON"),
    ],
)
def test_json_that_costs_much_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"run.json.*{message}"):
        parse_json(text, "run.json")


# --- numbers far away ----------------------------------------------------------------------------------------------

SQUARE = "v 0 0 0\nv 5 0 0\nv 5 5 0\nv 0 5 0\nf 1 2 3\nf 1 3 4\n"


@pytest.mark.parametrize("far", ["1e9", "-1e300", "inf", "nan", "1e999"])
def test_a_far_vertex_is_refused(far: str, tmp_path: Path) -> None:
    for k in range(3):
        point = ["7", "2", "0.1"]
        point[k] = far
        (tmp_path / "far.obj").write_text(SQUARE + f"v {' '.join(point)}\nf 2 3 5\n")
        with pytest.raises(JounceError, match=r"far\.obj"):
            load_road(tmp_path / "far.obj")


def test_a_vertex_at_the_limit_costs_little(tmp_path: Path) -> None:
    (tmp_path / "far.obj").write_text(SQUARE + "v 1e8 2 0.5\nf 2 3 5\n")
    tracemalloc.start()
    try:
        road = load_road(tmp_path / "far.obj")
        assert np.isfinite(road.query([1.0, 4.0, 9e7], [1.0, 2.0, 2.0]).height).all()
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("far", ["1e6", "1e7", "1e8", "1e12", "-1e300"])
def test_a_path_with_a_far_point_costs_little(far: str, tmp_path: Path) -> None:
    (tmp_path / "far.csv").write_text(f"x,y\n0,0\n5,1\n10,0\n{far},3\n15,1\n")
    tracemalloc.start()
    try:
        with pytest.raises(JounceError, match=r"far\.csv"):
            load_path(tmp_path / "far.csv")
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


# --- files that say much ---------------------------------------------------------------------------------------------

MANY = 300_000
PROPERTIES = {
    "blocks": "[B{k}]\n",
    "the same block": "[MODEL]\n",
    "sub-blocks": "(S{k})\n",
    "keys": "K{k} = {k}\n",
    "tables": "{{ a b }}\n",
    "lines without sense": "nonsense {k}\n",
}


@pytest.mark.parametrize("kind", PROPERTIES)
@pytest.mark.parametrize("ending", [".rdf", ".tir"])
def test_a_property_file_of_very_many_parts_is_read_to_its_limit(
    kind: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By counting: beyond the limit no further line is looked at, whatever its parts are."""
    path = tmp_path / f"many{ending}"
    text = HEAD + FLAT if ending == ".rdf" else example_text()
    path.write_text(text + "[MORE]\n" + "".join(PROPERTIES[kind].format(k=k) for k in range(MANY)))
    looked_at = 0
    plain = property_file.without_comment

    def counted(line: str) -> str:
        nonlocal looked_at
        looked_at += 1
        return plain(line)

    monkeypatch.setattr(property_file, "without_comment", counted)
    read = read_rdf if ending == ".rdf" else read_tir
    with pytest.raises(FormatError, match=rf"many\{ending}, line \d+: more than 20000 blocks, keys and remarks"):
        read(path)
    assert property_file.LIMITS.nodes <= looked_at < MANY / 3  # a line is looked at up to four times


def test_a_long_table_and_long_remarks_are_no_many_parts(tmp_path: Path) -> None:
    rows = "".join(f"{k} 0 0 0\n" for k in range(30_000))
    text = (
        HEAD
        + "[MODEL]\nTYPE = 'MEASURED'\n[WIDTH]\nLEFT_SIDE_WIDTH = 4\nRIGHT_SIDE_WIDTH = 4\n"
        + "$ a remark\n" * 25_000
    )
    text += "[MEASURED_CENTERLINE]\n{ x_coord y_coord z_coord bank_angle }\n" + rows
    (tmp_path / "long.rdf").write_text(text)
    assert read_rdf(tmp_path / "long.rdf").file.block("MEASURED_CENTERLINE") is not None


@pytest.mark.parametrize("format", ["LRFI", "LDFI", "KRBI", "KDBI"])
def test_a_crg_header_that_says_more_than_the_file_has_costs_nothing(format: str, tmp_path: Path) -> None:
    """Six values in 50 million cross-sections would take 2.4 GB as numbers; the file has twenty of them."""
    grid = GridRoad(z=np.zeros((20, 6)), du=0.5, v=np.linspace(-1.0, 1.5, 6))
    raw = crg_bytes(grid, format=format)
    key = b"reference_line_end_u"
    line = next(item for item in raw.split(b"\n") if item.strip().lower().startswith(key))
    said = raw.replace(line, key.upper() + b" = 24999999.5")
    assert said != raw
    path = tmp_path / "said.crg"
    path.write_bytes(said)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"said\.crg") as caught:
            load_road(path)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    assert "cross-sections" in str(caught.value) or "cut short" in str(caught.value)


# --- readers in a process of their own -----------------------------------------------------------------------------

SMALL = Limits("a test", size=10_000, memory=2_000_000_000, seconds=1)


def crash(path: str) -> None:
    """As programs in C do."""
    os.kill(os.getpid(), signal.SIGSEGV)


def endless(path: str) -> None:
    while True:
        pass


def greedy(path: str) -> int:
    return len(bytearray(10**11))


def length(path: str) -> int:
    return os.path.getsize(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX limits")
@pytest.mark.parametrize("harm", [crash, endless, greedy])
def test_a_reader_that_dies_or_never_ends_is_a_located_error(harm: object, tmp_path: Path) -> None:
    path = tmp_path / "damaged.bin"
    path.write_bytes(b"12345")
    with pytest.raises(FormatError, match=r"damaged\.bin"):
        aside(harm, path, SMALL)  # type: ignore[arg-type]
    assert aside(length, path, SMALL) == 5, "the next file is read"


def test_a_damaged_matlab_file_does_not_end_the_process(tmp_path: Path) -> None:
    """The place of a length in the header of a matrix, filled with what has ended scipy's reader."""
    pytest.importorskip("scipy")
    t = np.linspace(0, 1, 11)
    Run(t, {"a": t, "b": -t}, {"a": "m", "b": "m"}).to_mat(tmp_path / "a.mat")
    raw = (tmp_path / "a.mat").read_bytes()
    for at in range(128, 400, 4):
        for value in (0xFF, 0x7F):
            (tmp_path / "a.mat").write_bytes(raw[:at] + bytes([value] * 4) + raw[at + 4 :])
            try:
                Run.read(tmp_path / "a.mat")
            except JounceError as error:
                assert "a.mat" in str(error)
