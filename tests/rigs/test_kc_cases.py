"""Files and load cases: what is read, what it is a test of, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.rigs.kc.cases import (
    COMPLIANCES,
    TABS,
    TYPES,
    Case,
    ChannelMap,
    case_type,
    check_sides,
    detect,
    read_programme,
    read_sweep,
)
from jounce.rigs.kc.channels import preset
from synthetic_kc import as_sweep, triangle

TRI = triangle(200)
LONG_HEAD = """Rig report, version 3
Operator;somebody
Comments:;two lines, with, commas
and numbers 1 2 3

"""


def table(path: Path, text: str) -> Case:
    path.write_text(text, encoding="utf-8")
    return Case(path, header="SampleTime")


def test_a_file_with_a_long_head_a_line_of_units_and_gaps(tmp_path: Path) -> None:
    rows = "SampleTime;LfZ0;LfToe\ns;mm;deg\n0;0;0,5\n0,1;10;NaN\n0,2;20;-1,5\n"
    sweep = read_sweep(table(tmp_path / "a.dat", LONG_HEAD + rows), 1, ChannelMap(preset("mts")))
    np.testing.assert_allclose(sweep["travel.L"], [0.0, 0.01, 0.02])
    assert np.isnan(sweep["toe.L"][1]) and sweep["toe.L"][2] == pytest.approx(np.radians(-1.5))
    assert sweep.at(2) == "line 10"  # of the file, with its head
    assert "camber.L" not in sweep  # a preset names more than a file has


def test_columns_separated_by_blanks(tmp_path: Path) -> None:
    rows = "SampleTime LfZ0   RfZ0\n  s   mm mm\n0.0   1.0  2.0\n0.1   3.0   4.0\n"
    sweep = read_sweep(table(tmp_path / "a.txt", LONG_HEAD + rows), 1, ChannelMap(preset("mts")))
    np.testing.assert_allclose(sweep["travel.R"], [0.002, 0.004])
    with pytest.raises(FormatError, match=r"a.txt: no line begins with 'Time'"):
        read_sweep(Case(tmp_path / "a.txt", header="Time"), 1, ChannelMap())


def test_what_is_wrong_with_a_cell_a_unit_or_a_column_is_told_with_its_place(tmp_path: Path) -> None:
    good = "SampleTime,LfZ0,LfToe\ns,mm,deg\n0,0,0\n1,5,1\n"
    map = ChannelMap(preset("mts"))
    with pytest.raises(FormatError, match=r"a.csv, line 4, column 'LfToe': 'x1' is not a number"):
        read_sweep(table(tmp_path / "a.csv", good.replace("5,1", "5,x1")), 1, map)
    with pytest.raises(ParameterError, match=r"a.csv, line 2, column 'LfToe': no unit of 'LfToe' \(toe\)"):
        read_sweep(table(tmp_path / "a.csv", good.replace("s,mm,deg", "s,mm,")), 1, map)
    with pytest.raises(ParameterError, match=r"a.csv, line 1, column 'LfToe': 'LfToe' is in mm, but toe is in rad"):
        read_sweep(table(tmp_path / "a.csv", good.replace("s,mm,deg", "s,mm,mm")), 1, map)
    with pytest.raises(FormatError, match=r"a.csv: none of its columns is known as a quantity of axle 2; there are S"):
        read_sweep(table(tmp_path / "a.csv", "SampleZeit,a,b\n-,mm,mm\n1,2,3\n").__class__(tmp_path / "a.csv"), 2, map)


MAPPING = """preset: mts
header: SampleTime
units: {toe: deg}
signs: {camber: inwards}
settings: {order: 5, travel: [-80 mm, 75 mm]}
channels:
  travel.L1: {column: Zleft, unit: mm}
kinematics:
  - {file: a.csv, type: parallel travel, axle: front and rear, symmetry: average}
compliance:
  - file: a.csv
    type: Contact Patch Lateral Force Aiding
    side: any
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text("SampleTime,Zleft\ns,mm\n0,1\n1,2\n")
    return tmp_path


def programme(folder: Path, text: str) -> object:
    path = folder / "kc.yaml"
    path.write_text(text, encoding="utf-8")
    return read_programme(path, lambda word: {"front": 1, "rear": 2}[word])


def test_a_mapping_file_is_read(folder: Path) -> None:
    found = programme(folder, MAPPING)
    assert found.settings.order == 5 and found.settings.travel == (-0.08, 0.075)  # type: ignore[attr-defined]
    first, second = found.cases  # type: ignore[attr-defined]
    assert (first.type, first.tab, first.axles, first.symmetry) == ("parallel travel", "kinematics", (1, 2), "average")
    assert (second.type, second.tab, second.header) == ("contact lateral aiding", "compliance", "SampleTime")
    assert found.map.channels["travel.L1"].column == "Zleft"  # over that of the preset  # type: ignore[attr-defined]
    assert found.map.channels["travel.R1"].column == "RfZ0"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("file: a.csv, type", "file: b.csv, type", r"kc.yaml, line 9, kinematics\[0\]: no such file: .*b.csv"),
        (
            "type: parallel travel",
            "type: steering",
            r"line 9, kinematics\[0\]: type = 'steering' belongs to the list st",
        ),
        (
            "Lateral Force Aiding",
            "Lateral Aid",
            r"line 11, compliance\[0\]: type = .* unknown; did you mean 'contact la",
        ),
        ("symmetry: average", "symmetry: mean", r"line 9, kinematics\[0\]: symmetry = 'mean': unknown"),
        ("side: any", "side: both", r"line 11, compliance\[0\]: side = 'both': unknown"),
        ("order: 5", "order: 50", r"line 5: order = 50: expected a whole number from 1 to 15"),
        ("order: 5", "ordre: 5", r"line 5: settings: unknown key 'ordre'; did you mean 'order'"),
        ("-80 mm", "-80 deg", r"line 5: travel = '-80 deg'"),
        ("preset: mts", "preset: xyz", r"line 1: preset = 'xyz': unknown"),
        ("preset: mts", "presets: mts", r"line 1: unknown key 'presets'; did you mean 'preset'"),
        ("travel.L1", "travel.M1", r"line 7: no quantity 'travel.M1'"),
        ("unit: mm}", "unit: mm, signs: 1}", r"line 7: travel.L1: unknown key 'signs'; did you mean 'sign'"),
        ("units: {toe: deg}", "units: {toe: mm}", r"line 3: units: toe = 'mm' measures something else than rad"),
        ("compliance:\n", "compliance:\n" + 101 * "  - {file: a.csv}\n", r"line 10: compliance: 102 sweeps, at most"),
        ("{camber: inwards}", "{camber: up}", r"line 4: signs: camber = 'up': unknown"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_told_with_its_line(folder: Path, old: str, new: str, message: str) -> None:
    assert old in MAPPING
    with pytest.raises((ParameterError, FormatError), match=message):
        programme(folder, MAPPING.replace(old, new))


def test_a_column_that_a_mapping_names_must_be_there(folder: Path) -> None:
    found = programme(folder, MAPPING.replace("Zleft", "Zlft"))
    with pytest.raises(
        ParameterError, match=r"kc.yaml, line 7: travel.L: column 'Zlft' is not in .*a.csv; did you mea"
    ):
        read_sweep(found.cases[0], 1, found.map)  # type: ignore[attr-defined]


@pytest.mark.parametrize("tab", TABS)
def test_each_type_is_taken_by_its_own_list_only(tab: str) -> None:
    every = {kind for types in TYPES.values() for kind in types}
    assert len(COMPLIANCES) == 15
    for kind in every:
        if kind in TYPES[tab]:  # type: ignore[index]
            assert case_type(kind.upper().replace(" ", "_"), tab) == kind  # type: ignore[arg-type]
        else:
            with pytest.raises(ParameterError, match="belongs to the list"):
                case_type(kind, tab)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Wheel Center Longitudinal Force Single", "centre longitudinal single"),
        ("contact patch lateral force opposing", "contact lateral opposing"),
        ("align torque single", "aligning torque single"),
        ("Aligning Torque Aiding", "aligning torque aiding"),
    ],
)
def test_types_may_be_written_in_full(written: str, kind: str) -> None:
    assert case_type(written, "compliance") == kind


def test_what_moves_says_what_a_file_is_a_test_of() -> None:
    zero = 0.0 * TRI

    def kinds(**channels: np.ndarray) -> list[tuple[str, str, str]]:
        base = {"travel.L": zero, "travel.R": zero}
        named = {key.replace("_", "."): value for key, value in channels.items()}
        return [(c.type, c.tab, c.side) for c in detect(as_sweep({**base, **named}, "", ""))[0]]

    both = ("kinematics", "roll")
    assert kinds(travel_L=0.08 * TRI, travel_R=0.07 * TRI) == [("parallel travel", tab, "") for tab in both]
    assert kinds(travel_L=0.06 * TRI, travel_R=-0.07 * TRI) == [("opposite travel", tab, "") for tab in both]
    assert kinds(travel_R=0.06 * TRI + 0.01) == [("single travel", tab, "R") for tab in both]
    assert kinds(steering=3.0 * TRI) == [("steering", "steering", "")]
    assert kinds(travel_L=0.08 * TRI, travel_R=0.07 * TRI, steering=zero + 2.0) == [("vertical", "steering", "")]
    assert kinds(fy_L=900 * TRI, fy_R=800 * TRI) == [("contact lateral aiding", "compliance", "")]
    assert kinds(fx_L=900 * TRI, fx_R=-800 * TRI) == [("contact longitudinal opposing", "compliance", "")]
    assert kinds(mz_L=zero, mz_R=90 * TRI) == [("aligning torque single", "compliance", "R")]
    with pytest.raises(ParameterError, match=r"test.csv: nothing moves in it: wheel travel 0.0 mm"):
        kinds(fy_L=0.1 * TRI, fy_R=zero)


def test_swapped_sides_and_wrong_types_are_found() -> None:
    moved = {"travel.L": 0.0 * TRI + 0.02, "travel.R": 0.06 * TRI}
    check_sides(as_sweep(moved, "single travel", "kinematics", side="R"))
    message = (
        r"the left side is said to be the one that is moved, but 'travel.R', the right one, moves; are left and ri"
    )
    with pytest.raises(ParameterError, match=message):
        check_sides(as_sweep(moved, "single travel", "kinematics", side="L"))
    together = {"travel.L": 0.05 * TRI, "travel.R": 0.06 * TRI}
    with pytest.raises(
        ParameterError, match=r"opposite travel, but 'travel.L' and 'travel.R' go together; is the type"
    ):
        check_sides(as_sweep(together, "opposite travel", "roll"))
    with pytest.raises(ParameterError, match="parallel travel, but travel of the left wheel does not move"):
        check_sides(as_sweep(moved, "parallel travel", "kinematics"))
    with pytest.raises(ParameterError, match=r"no column for fy.R, which contact lateral aiding needs; known are fy.L"):
        check_sides(as_sweep({"fy.L": 900 * TRI}, "contact lateral aiding", "compliance"))
