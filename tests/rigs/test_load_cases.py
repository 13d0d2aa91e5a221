"""Load cases from files: they come back exactly, are held as they say, and what is wrong is told with its place."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from jounce.cli.main import app
from jounce.core.errors import FormatError, ParameterError
from jounce.rigs.load_cases import FLAG, as_run, load_cases, read_load_cases, write_load_cases
from jounce.rigs.suspension_rig import Load, Point, SuspensionRig
from rig_cars import GIVES

POINTS = [
    Point({"L1": 0.01, "R1": -0.0123456789012345}, {"L1": Load(fy=310.7, mz=-23.1)}, steer=0.31),
    Point({"L1": 1 / 300}, {"L1": Load(fx_brake=-417.0), "R1": Load(fz=3417.3, mx=7.7)}),
    Point({"R1": 0.002}, {"L1": Load(fz=2890.1, fx_drive=203.9, my=-5.3)}, steer=-0.17),
]


def written(folder: Path, text: str, name: str = "cases.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("axes", ["body", "wheel"])
@pytest.mark.parametrize("name", ["cases.xml", "cases.csv"])
def test_cases_come_back_exactly(rig: SuspensionRig, tmp_path: Path, name: str, axes: str) -> None:
    points = [Point(p.travels, p.loads, p.steer, axes) for p in POINTS]  # type: ignore[arg-type]
    cases = load_cases(points, "three steps")
    path = write_load_cases(cases, tmp_path / name)
    again = read_load_cases(path)
    assert again.axes == axes and again.name == ("three steps" if name.endswith("xml") else "")
    assert set(again.columns) == set(cases.columns)
    for key, values in cases.columns.items():
        assert np.array_equal(again.columns[key], values, equal_nan=True), key
    for given, found in zip(points, again.points(rig), strict=True):
        assert (found.travels, found.steer, found.axes) == (given.travels, given.steer, given.axes)
        assert {w: found.loads.get(w, Load()) for w in rig.wheels} == {
            w: given.loads.get(w, Load()) for w in rig.wheels
        }
    assert write_load_cases(again, tmp_path / f"2{name}").read_text().count("\n") == path.read_text().count("\n")


def test_units_gaps_and_wheels_that_stay(rig: SuspensionRig, tmp_path: Path) -> None:
    path = written(tmp_path, "# a comment\ntravel.L1 [mm];fy.L1 [kN];steer [deg]\n10;0,2;-30\n;0,5;\n")
    one, two = read_load_cases(path).points(rig)
    assert one.travels == {"L1": 0.01, "R1": 0.0} and one.loads["L1"].fy == 200.0
    assert one.steer == pytest.approx(math.radians(-30.0))
    assert two.travels == {"L1": 0.0, "R1": 0.0} and two.loads["L1"].fy == 500.0 and two.steer == 0.0


def test_inputs_of_the_catalogue_give_the_compliance_back(rig: SuspensionRig, tmp_path: Path) -> None:
    """A sweep as inputs, along the wheel; F_z acts where the flag is 0 only."""
    names = ("Tire_Force_y.L1", "Testrig_Loadcase.Tire_Moment_z.R1", "Tire_Force_z.L1", f"{FLAG}.L1")
    lines = [",".join(names), "N,N.m,N,-", "-400,0,9e3,1", "400,0,9e3,1", "0,-30,9e3,1", "0,30,9e3,1", "0,0,3333,0"]
    cases = read_load_cases(written(tmp_path, "\n".join(lines) + "\n"))
    assert cases.axes == "wheel"
    a, b, c, d, free = rig.run(cases.points(rig))
    assert (b.toe("L1") - a.toe("L1")) / 800 == pytest.approx(GIVES["toe"]["fy"], rel=1e-3)
    assert (b.camber("L1") - a.camber("L1")) / 800 == pytest.approx(GIVES["camber"]["fy"], rel=1e-3)
    assert (d.toe("R1") - c.toe("R1")) / 60 == pytest.approx(-GIVES["toe"]["mz"], rel=1e-3)
    assert a.travel["L1"] == 0.0 and a.jack["L1"] != 9e3, "held by the travel"
    assert free.jack["L1"] == 3333.0 and abs(free.travel["L1"]) > 1e-3 and free.travel["R1"] == 0.0


def test_results_have_the_channels_of_the_rig(rig: SuspensionRig) -> None:
    held = rig.run(POINTS)
    run = as_run(rig, held)
    assert run["testrig.jack_vertical_force.front_right"][1] == 3417.3
    assert run["testrig.wheel_travel_wrt_design.front_left"].tolist() == [h.travel["L1"] for h in held]
    psi = held[0].steer("L1")
    assert run["testrig.wheel_load_lat.front_left"][0] == pytest.approx(310.7 * math.cos(psi))
    assert run["testrig.wheel_load_long.front_left"][0] == pytest.approx(310.7 * math.sin(psi))
    assert run["testrig.wheel_load_align.front_left"][0] == -23.1
    assert run["wheel_angles.toe_R1"].tolist() == [h.toe("R1") for h in held]


BAD = {
    "travl.L1 [mm]\n1\n": r"cases.csv, line 1, column 'travl.L1': no quantity of a load case; did you mean 'travel.L1'",
    "travel.L1\n1\n": r"column 'travel.L1': has no unit; add a line of units, or write travel.L1 \[m\]",
    "travel.L1 [N]\n1\n": r"column 'travel.L1': is in N, expected one of m",
    "fy.L1 [N]\nabc\n1\nx\n": r"cases.csv, line 4, column 'fy.L1': 'x' is not a number",
    "fy.L1 [N],Tire_Force_y.L1 [N]\n1,2\n": r"column 'Tire_Force_y.L1': is the same quantity as 'fy.L1'",
    "fy.L1 [N],Tire_Force_y.R1 [N]\n1,2\n": r"'fy.L1' acts along the body, 'Tire_Force_y.R1' along its wheel",
    f"{FLAG}.L1\n0.5\n": r"expected 0 \(the force acts\) or 1 \(the travel is held\)",
    "fy.L1 [N]\n1e999\n": r"column 'fy.L1', line 2: an infinite number",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_with_a_table_is_told_with_its_place(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=BAD[text]):
        read_load_cases(written(tmp_path, text))


XML = '<LoadCases axes="{}"><Component name="fy.L1" unit="N"{}/>{}</LoadCases>'
BAD_XML = {
    XML.format("body", "", "<Step>1 2</Step>"): "step 1: 2 numbers for 1 components",
    XML.format("body", "", "<Step>1</Step><Step>a</Step>"): "step 2: could not convert",
    XML.format("sky", "", "<Step>1</Step>"): "axes = 'sky': unknown; allowed: body, wheel",
    XML.format("body", ' id="4"', "<Step>1</Step>"): "the components have the ids 4; expected 1, 2",
    XML.format("body", "", ""): "no load cases",
    '<LoadCases><Component name="fy.L1"/></LoadCases>': "component 1: 'unit' is missing",
    "<Results/>": "begins with <Results>, expected <LoadCases>",
    "<LoadCases>": "line 1: not well-formed XML",
    '<!DOCTYPE a [<!ENTITY b "c">]><LoadCases/>': "declares a document type or entities",
}


@pytest.mark.parametrize("text", BAD_XML)
def test_what_is_wrong_with_xml_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=rf"cases\.xml.*{BAD_XML[text]}"):
        read_load_cases(written(tmp_path, text, "cases.xml"))


def test_cases_that_contradict_themselves_or_the_car(rig: SuspensionRig, tmp_path: Path) -> None:
    both = written(tmp_path, "travel.L1 [mm],fz.L1 [N]\n1,\n2,300\n")
    with pytest.raises(ParameterError, match=r"cases\.csv, line 3: travel\.L1 = 0\.002 m and fz\.L1 = 300 N; give one"):
        list(read_load_cases(both).points(rig))
    third = written(tmp_path, "travel.L3 [mm]\n1\n")
    with pytest.raises(ParameterError, match=r"cases\.csv: wheel 'L3' is unknown.*L1, R1"):
        list(read_load_cases(third).points(rig))


def test_the_command_holds_them_and_writes_all_channels(rig: SuspensionRig, tmp_path: Path) -> None:
    car = rig.vehicle.save(tmp_path / "car.yaml")
    cases = write_load_cases(load_cases(POINTS[:1]), tmp_path / "cases.xml")
    arguments = ["kc", str(car), "--cases", str(cases), "--json"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "held.csv")])
    assert result.exit_code == 0, result.output
    rows = {row["wheel"]: row for row in json.loads(result.output)}
    assert rows["L1"]["travel"] == 0.01 and rows["R1"]["toe"] != 0.0
    assert "testrig.jack_vertical_force.front_left" in (tmp_path / "held.csv").read_text().splitlines()[0]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "held.doc")])
    assert result.exit_code != 0
