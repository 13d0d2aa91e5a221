"""DCD: controls over time, distance or station."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jounce.core.errors import FormatError, ParameterError
from jounce.core.library import LIBRARY
from jounce.files.dcd import CONTROLS, ORDINALS, Dcd, dcd_of_run, dcd_text, parse_dcd, read_dcd
from jounce.results.run import Run

TEXT = """[MDI_HEADER]
FILE_TYPE = 'DCD'
[UNITS]
LENGTH = 'mm'
ANGLE = 'degree'
TIME = 'ms'
[OPEN_LOOP]
ORDINAL = 'path_s'
(DATA)
{ path_s clutch gear steering braking throttle extra }
-500 0 2 -90 0.1 0.2 7
1500 1 -1 45 0.3 0.4 8
"""


def test_columns_are_found_by_name_and_converted_to_si() -> None:
    found = parse_dcd(TEXT, "a.dcd")
    assert found.ordinal == "path_s" and found.x == pytest.approx((-0.5, 1.5), rel=1e-15)
    assert found.column("STEERING") == pytest.approx((-math.pi / 2, math.pi / 4), rel=1e-15)
    assert found.column("braking") == (0.1, 0.3) and found.column("BRAKING2") == (0.1, 0.3)
    assert found.column("gear") == (2, -1) and found.column("clutch") == (0, 1)
    assert "extra" in found.warnings[0]
    times = parse_dcd(TEXT.replace("path_s", "time"))
    assert times.ordinal == "time" and times.x == (-0.5, 1.5)  # ms


def test_the_file_of_the_library() -> None:
    found = read_dcd(LIBRARY / "events" / "replay.dcd")
    assert found.x[0] == -0.1 and found.column("steering")[3] == pytest.approx(math.radians(30))


numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(
    st.sampled_from(sorted(ORDINALS)),
    st.lists(st.tuples(numbers, numbers, numbers, numbers, st.integers(-2, 9), numbers), min_size=1, max_size=6,
             unique_by=lambda row: row[0]),
)  # fmt: skip
def test_what_is_written_is_read(ordinal: str, rows: list[tuple[float, ...]]) -> None:
    rows.sort()
    x, *columns = zip(*([float(v) for v in row] for row in rows), strict=True)
    dcd = Dcd(ordinal, x, dict(zip(CONTROLS, columns, strict=True)))  # type: ignore[arg-type]
    text = dcd_text(dcd, "two\nlines")
    assert parse_dcd(text) == dcd
    assert dcd_text(parse_dcd(text), "two\nlines") == text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("'DCD'", "'vdf'", r"line 2  \[MDI_HEADER\] FILE_TYPE: found 'vdf'; expected 'dcd'"),
        ("'path_s'", "'way'", r"line 8  \[OPEN_LOOP\] ORDINAL: found 'way'"),
        ("gear ", "gears ", r"line 10  \[OPEN_LOOP\] \(DATA\) gear: the column is missing"),
        ("1500 1", "-500 1", r"line 12  .* path_s: found -500 after -500; must rise"),
        ("45 ", "", r"line 12  .*found 6 numbers; the table has 7 columns"),
        (" 2 -90", " 2.5 -90", r"line 11  .* gear: found 2.5; expected a whole number"),
        ("extra", "gear", r"line 10  .* gear: the column is there more than once"),
        ("-500 0 2 -90 0.1 0.2 7\n1500 1 -1 45 0.3 0.4 8\n", "", r"line 10  .*the table is empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(FormatError, match=message):
        parse_dcd(TEXT.replace(old, new, 1), "a.dcd")


def test_data_that_do_not_fit_together_are_refused() -> None:
    columns = dict.fromkeys(CONTROLS, (0.0, 1.0))
    with pytest.raises(ParameterError, match="must rise"):
        Dcd("time", (1.0, 1.0), columns)
    with pytest.raises(ParameterError, match="steering: 2 values for 3 rows"):
        Dcd("time", (0.0, 1.0, 2.0), columns)


def test_the_controls_of_a_run_can_be_written_over_time_or_way() -> None:
    time = (0.0, 0.1, 0.2, 0.3)
    channels = {
        "driver_demands.steering": (0.0, 0.5, -0.5, 0.25),
        "driver_demands.throttle": (0.1, 0.2, 0.3, 0.4),
        "driver_demands.brake": (0.0, 0.0, 0.1, 0.2),
        "way": (1.0, 3.0, 3.0, 2.5),
    }
    units = {"driver_demands.steering": "rad", "driver_demands.throttle": "-", "driver_demands.brake": "-", "way": "m"}
    run = Run(time, channels, units)
    over_time = dcd_of_run(run)
    assert over_time.x == time and over_time.column("steering") == channels["driver_demands.steering"]
    assert over_time.column("gear") == (1.0,) * 4 and over_time.column("clutch") == (0.0,) * 4
    assert parse_dcd(dcd_text(over_time)) == over_time
    over_way = dcd_of_run(run, "path_s", "way")
    assert over_way.x == (1.0, 3.0) and over_way.column("brake") == (0.0, 0.0) and over_way.ordinal == "path_s"
    geared = Run(time, {**channels, "driver_demands.gear": (2, 2, 3, 3)}, {**units, "driver_demands.gear": "-"})
    assert dcd_of_run(geared).column("gear") == (2, 2, 3, 3)
    with pytest.raises(ParameterError, match="give the channel of the distance"):
        dcd_of_run(run, "distance")
    with pytest.raises(ParameterError, match=r"driver_demands\.brake"):
        dcd_of_run(Run(time, {"driver_demands.steering": time, "driver_demands.throttle": time}, ["rad", "-"]))
