"""Measured points: columns, units, axis systems against the geometry of the contact, files, missing values."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.components.tire.contact import to_sae, to_wheel_axes, touch, wrench
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.rigs.tire_data import TireData, read_tire_data, tire_data
from jounce.rigs.tire_fit import fit_tire


def test_sae_is_turned() -> None:
    iso = [100.0, -3000.0, 4000.0, -80.0, -12.0, 60.0]
    names = ("fx", "fy", "fz", "mx", "my", "mz")
    data = tire_data(
        axes="sae", alpha=[-0.05], gamma=[0.02], **{n: [v] for n, v in zip(names, to_sae(iso), strict=True)}
    )
    assert [float(data[n][0]) for n in names] == iso
    assert (data["alpha"][0], data["gamma"][0], data["kappa"][0]) == (0.05, 0.02, 0.0)
    adapted = tire_data(axes="adapted_sae", alpha=[0.05], fy=[3000.0], fz=[4000.0], mz=[-60.0])
    assert (adapted["fy"][0], adapted["mz"][0], adapted["alpha"][0]) == (-3000.0, 60.0, 0.05)


@pytest.mark.parametrize("gamma", [0.0, 0.1, -0.2])
def test_forces_at_the_wheel_centre_are_moved_to_the_contact(gamma: float) -> None:
    force, moment = [700.0, -2500.0, 4000.0], [-90.0, -15.0, 45.0]
    r = 0.3
    contact = touch([0.0, math.cos(gamma), math.sin(gamma)], [0.0, 0.0, 1.0], r * math.cos(gamma))
    assert contact.gamma == pytest.approx(gamma)
    at_centre = wrench(contact, force, moment)
    f, m = to_wheel_axes(contact, at_centre.force), to_wheel_axes(contact, at_centre.moment)
    columns = dict(zip(("fx", "fy", "fz", "mx", "my", "mz"), ([float(x)] for x in (*f, *m)), strict=True))
    data = tire_data(wheel_axes=True, gamma=[gamma], radius=[r], **columns)
    found = [float(data[n][0]) for n in ("fx", "fy", "fz", "mx", "my", "mz")]
    assert found == pytest.approx([*force, *moment], abs=1e-9)


@pytest.mark.parametrize("letter", ["W", "H", "C"])
def test_tydex_in_its_three_axis_systems(letter: str, tmp_path: Path) -> None:
    gamma, r = 0.1, 0.3
    force, moment = [700.0, -2500.0, 4000.0], [-90.0, -15.0, 45.0]
    contact = touch([0.0, math.cos(gamma), math.sin(gamma)], [0.0, 0.0, 1.0], r * math.cos(gamma))
    centre = wrench(contact, force, moment)
    f, m = {
        "W": (force, moment),
        "H": (centre.force, centre.moment),
        "C": (to_wheel_axes(contact, centre.force), to_wheel_axes(contact, centre.moment)),
    }[letter]
    names = ["FX", f"FY{letter}", f"FZ{letter}", *(f"M{a}{letter}" for a in "XYZ"), "SLIPANGL", "LONGSLIP", "DSTGRWHC"]
    units = ["N"] * 3 + ["Nm"] * 3 + ["deg", "%", "mm"]
    values = [*f, *m, 3.0, -4.0, 1000 * r]
    lines = ["**HEADER", "**CONSTANTS", f"{'INCLANGL':10}{'Inclination':30}{'rad':10}{gamma!r}", "**MEASURCHANNELS"]
    lines += [f"{n:10}{'channel':30}{u:10}1         0         0" for n, u in zip(names, units, strict=True)]
    lines += ["**MEASURDATA"] + [" ".join(repr(float(v)) for v in values)] * 2 + ["**END"]
    (tmp_path / "a.tdx").write_text("\n".join(lines))
    data = read_tire_data(tmp_path / "a.tdx")
    found = [float(data[n][1]) for n in ("fx", "fy", "fz", "mx", "my", "mz")]
    assert found == pytest.approx([*force, *moment], abs=1e-9)
    assert (data["alpha"][0], data["kappa"][0]) == pytest.approx((math.radians(3), -0.04))
    assert len(data) == 2


def test_csv_with_a_line_of_units(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "SA,FZ,FY,MZ,IA,V\ndeg,N,kN,Nm,deg,kph\n1,4000,-0.9,30,0,36\n-1,4100,1.1,-28,2,36\n"
    )
    data = read_tire_data(tmp_path / "a.csv")
    assert np.allclose(data["alpha"], np.radians([1, -1]))
    assert np.allclose(data["fy"], [-900, 1100])
    assert np.allclose(data["speed"], 10)
    assert "kappa" not in data and np.all(data["kappa"] == 0)


def test_columns_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("angle,load,side force\n1,-900,-200\n2,-905,-390\n")
    columns = {
        "alpha": {"column": "angle", "unit": "deg"},
        "fz": {"column": "load", "unit": "lbf"},
        "fy": {"column": "side force", "unit": "lbf", "scale": 1},
    }
    data = read_tire_data(tmp_path / "a.csv", columns=columns, axes="sae")
    assert data["fz"][0] == pytest.approx(900 * 4.4482216152605)
    assert data["fy"][0] == pytest.approx(200 * 4.4482216152605)
    with pytest.raises(ParameterError, match=r'have no unit: load; .*--column "fz=load:N"'):
        read_tire_data(tmp_path / "a.csv", columns={"fz": "load"})
    with pytest.raises(ParameterError, match=r"no column 'laod'.*did you mean 'load'"):
        read_tire_data(tmp_path / "a.csv", columns={"fz": {"column": "laod", "unit": "N"}})
    with pytest.raises(ParameterError, match="no quantity 'fzz'"):
        read_tire_data(tmp_path / "a.csv", columns={"fzz": "load"})
    with pytest.raises(ParameterError, match="column 'load'"):
        read_tire_data(tmp_path / "a.csv", columns={"fz": {"column": "load", "unit": "deg"}})
    with pytest.raises(FormatError, match="no column of the wheel load"):
        (tmp_path / "b.csv").write_text("a [N],b [N]\n1,2\n3,4\n")
        read_tire_data(tmp_path / "b.csv")


def test_files_are_joined(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("alpha [deg],fz [N],fy [N]\n1,4000,-900\n2,4000,-1500\n")
    (tmp_path / "b.csv").write_text("kappa,fz [N],fy [N],fx [N]\n0.1,4000,0,3000\n")
    data = read_tire_data(tmp_path / "a.csv", tmp_path / "b.csv")
    assert len(data) == 3
    assert np.allclose(data["kappa"], [0, 0, 0.1]) and "fx" not in data, "not measured in the first"


def test_points_that_are_no_numbers_or_have_no_load_are_left_out() -> None:
    data = tire_data(fz=[4000, 4000, -5, np.nan], fy=[1.0, np.nan, 2.0, 3.0])
    assert len(data) == 1
    assert len(data.warnings) == 2
    with pytest.raises(ParameterError, match=r"are negative, .*; axes = 'sae'"):
        tire_data(fz=[-4000, -4000], fy=[1.0, 2.0])
    with pytest.raises(ParameterError, match=r"are positive, .*; axes = 'iso' or 'adapted_sae'"):
        tire_data(axes="sae", fz=[4000, 4000], fy=[1.0, 2.0])  # no advice to do what was done
    with pytest.raises(ParameterError, match="none of 2 points can be used; nothing but no numbers in: fy"):
        tire_data(fz=[4000, 4000], fy=[np.nan, np.nan], fx=[1.0, 2.0])
    with pytest.raises(ParameterError, match="none of 2 points can be used; each has a value"):
        tire_data(fz=[4000, np.nan], fy=[np.nan, 1.0])
    with pytest.raises(ParameterError, match=r"unknown.*did you mean 'sae'"):
        tire_data(axes="sa", fz=[1.0])
    with pytest.raises(ParameterError, match="loaded radius"):
        tire_data(wheel_axes=True, fz=[4000.0], mx=[1.0])
    with pytest.raises(ParameterError, match="was not measured"):
        data["mz"]
    with pytest.raises(ParameterError, match="same"):
        TireData({"fz": np.ones(3), "fy": np.ones(2)})


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet="fz,;[N]\n1.eE-+ \t#x", max_size=80))
def test_any_table_gives_points_or_an_error(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "a.csv"
    path.write_text(text)
    with contextlib.suppress(JounceError):
        assert len(read_tire_data(path)) > 0


def test_columns_that_nothing_was_made_of_are_told(tmp_path: Path) -> None:
    rows = "\n".join("4000,1,0.1,2,-900" for _ in range(40))
    (tmp_path / "a.csv").write_text(f"FZ,Slipangl,Other,IA,Force2\nN,deg,-,deg,N\n{rows}\n")
    data = read_tire_data(tmp_path / "a.csv", columns={"kappa": "Other"})
    assert data.others == ("Slipangl", "Force2")
    (told,) = data.warnings
    assert "no column of alpha: counts as zero" in told and "'Slipangl', 'Force2'" in told and "--column" in told
    with pytest.raises(ParameterError, match=r"nothing to fit; .*'Slipangl', 'Force2'; say what they are"):
        fit_tire(data, radius=0.3)
    assert data.joined(data).where(data.joined(data)["fz"] > 0).others == data.others
