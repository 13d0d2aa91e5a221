"""Key figures measured on forces, against what the formulas declare; checks find what is wrong."""

from __future__ import annotations

import math

import pytest

from jounce.components.tire.figures import _clean, doubts, ellipse, faults, figures, outside_loads, without_forces
from jounce.components.tire.pac2002 import symmetrised
from jounce.core.errors import ParameterError
from jounce.core.units import check_unit
from jounce.files.library import library_files
from jounce.files.tir import read_tir
from tire_models import EXAMPLE, reference, tire

VALUES = symmetrised(EXAMPLE)
TIRES = library_files("tires")


def test_figures_are_those_of_the_formulas() -> None:
    t = tire(VALUES)
    found = {name: f.value for name, f in figures(t).items()}
    known = reference(VALUES, 4000, 0, 0, 0)
    assert found["cornering_stiffness"] == pytest.approx(-known["Ky"], rel=1e-4)
    assert found["slip_stiffness"] == pytest.approx(known["Kx"], rel=1e-3)  # PHX1 moves the origin
    assert found["pneumatic_trail"] == pytest.approx(known["t0"], rel=5e-3)  # and Fx at zero slip has an arm
    assert found["lateral_friction"] == pytest.approx(abs(known["Dy"]) / 4000, rel=1e-4)
    assert found["longitudinal_friction"] == pytest.approx(known["Dx"] / 4000, rel=1e-4)
    assert found["lateral_relaxation_length"] == pytest.approx(known["sigma_alpha"])
    assert found["vertical_rate"] == pytest.approx(2e5) and found["deflection"] == pytest.approx(0.02)
    assert found["rolling_resistance"] == pytest.approx(0.01)
    assert found["lateral_load_sensitivity"] == pytest.approx(EXAMPLE["PDY2"], rel=1e-3)
    assert found["longitudinal_load_sensitivity"] == pytest.approx(EXAMPLE["PDX2"], rel=1e-3)
    # the stiffness has a kink in camber, the thrust has not
    assert found["camber_stiffness"] == pytest.approx(-(VALUES["PHY3"] * known["Ky"] + 4000 * VALUES["PVY3"]), rel=1e-3)
    x = 1 / EXAMPLE["PKY2"]
    exponent = (1 - x * x) / (1 + x * x)  # of 2x/(1 + x²)
    assert found["stiffness_load_exponent"] == pytest.approx(exponent, rel=0.01)
    assert found["pull_lateral"] == 0.0


@pytest.mark.parametrize("name", list(TIRES))
def test_every_shipped_tire_has_figures_with_units_and_no_doubts(name: str) -> None:
    t = read_tir(TIRES[name]).tire
    for key, figure in figures(t).items():
        check_unit(figure.unit, key)
        assert math.isfinite(figure.value) and figure.doc, key
    found = doubts(t)
    if name == "example_fiala":  # its two directions do not share one friction
        found = [d for d in found if d.key != "friction_ellipse"]
        assert ellipse(t, 4000.0) > 1.05
    else:
        assert ellipse(t, t.values["FNOMIN"]) <= 1.05
    assert not found


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"RVY4": -4.8e15}, "RVY4", "far beyond any coefficient"),
        ({"PKY1": 18.0}, "cornering_stiffness_per_load", "usual are"),
        ({"PDY1": 4.0}, "lateral_friction", "usual are"),
        ({"LKY": 8.0}, "LKY", "a factor far from one"),
        ({"FNOMIN": 12000.0}, "FNOMIN", "outside of the valid loads 200 to 9000 N"),
        ({"RBX1": 1.0, "RBY1": 1.0, "RBX2": 0.0, "RBY2": 0.0}, "friction_ellipse", "the ellipse of the peaks by 40"),
        ({"QDZ1": -0.1}, "pneumatic_trail", "out of the slip"),
        ({"PVY1": 2.0}, "fy", "pushes to the side of the slip"),
        ({"PTY1": 20.0}, "lateral_relaxation_length", "usual are"),
    ],
)
def test_what_is_wrong_is_found(changes: dict[str, float], key: str, message: str) -> None:
    assert not doubts(tire(VALUES))
    found = {d.key: d.message for d in doubts(tire({**VALUES, **changes}))}
    assert key in found and message in found[key], found


def test_a_mode_without_side_force_is_not_asked_for_it() -> None:
    assert not doubts(tire(VALUES, mode=1))
    assert not doubts(tire(VALUES, mode=2))
    with pytest.raises(ParameterError, match="load = -1 N; must be above 0"):
        figures(tire(VALUES), -1.0)


def test_lateral_friction_is_that_of_the_stronger_side() -> None:
    """A vertical shift adds to one side what it takes from the other: the peaks are D ± SV."""
    plain = figures(tire(VALUES))
    for shift in (0.1, -0.1):
        found = figures(tire({**VALUES, "PVY1": shift}))
        assert found["lateral_friction"].value == pytest.approx(plain["lateral_friction"].value + 0.1, rel=1e-4)
        assert found["slip_angle_at_peak"].value == pytest.approx(plain["slip_angle_at_peak"].value, rel=0.01)
        assert found["lateral_load_sensitivity"].value == pytest.approx(EXAMPLE["PDY2"], rel=1e-3)


def test_deflection_counts_from_the_first_contact() -> None:
    t = read_tir(TIRES["example_mf61"]).tire
    grown = (t.values["Q_RE0"] - 1) * t.values["UNLOADED_RADIUS"]
    found = figures(t)["deflection"].value
    assert found == pytest.approx(t.deflection(t.values["FNOMIN"]) + grown, abs=1e-9)
    larger = t.with_values(Q_RE0=1.02)
    # the same spring on a larger tire: the formula divides the deflection by R0, not by the free radius
    assert figures(larger)["deflection"].value == pytest.approx(found, rel=1e-6)


def test_rounding_is_no_figure() -> None:
    """A mirrored zero is -0, and differences of equal forces leave some 1e-15 of them."""
    pull = figures(read_tir(TIRES["example_fiala"]).tire)["pull_lateral"].value
    assert f"{pull:.4g}" == "0"
    assert _clean(1.11e-15, "-", 4000.0) == 0 and _clean(-3e-7, "N.m", 4000.0) == 0
    assert _clean(1e-4, "-", 4000.0) == 1e-4 and _clean(-0.1, "N.m", 4000.0) == -0.1


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"UNLOADED_RADIUS": 320.0}, "UNLOADED_RADIUS", "0.1 to 1.2 m: are the units"),
        ({"FNOMIN": 4.0}, "FNOMIN", "tires have 50 to 1e"),
        ({"FNOMIN": 4e6}, "FNOMIN", "are the units of the file right"),
        ({"VERTICAL_STIFFNESS": 200.0}, "vertical_rate", "200 N/m"),
        ({"VERTICAL_STIFFNESS": 2e8}, "vertical_rate", "2e+08 N/m"),
        ({"VERTICAL_STIFFNESS": 4e4, "RIM_RADIUS": 0.2}, "deflection", "50 % of the sidewall"),
        ({"RIM_RADIUS": 0.5}, "RIM_RADIUS", "below the radius"),
        ({"ALPMAX": 85.0}, "ALPMAX", "in degrees"),
        ({"CAMMIN": -15.0}, "CAMMIN", "in degrees"),
        ({"IP": 2.2}, "IP", "tires have 2e+04 to 1.2e+06 Pa"),
        ({"QSY1": -0.01}, "rolling_resistance", "drives the car"),
        ({"QSY1": 0.0, "QSY2": 0.0, "PVX1": 0.02, "PHX1": 0.0}, "rolling_resistance", "drives the car; give QSY1"),
    ],
)
def test_what_cannot_be_driven_is_found(changes: dict[str, float], key: str, message: str) -> None:
    assert not faults(tire(VALUES))
    found = {d.key: d.message for d in faults(tire({**VALUES, **changes}))}
    assert key in found and message in found[key], found


@pytest.mark.parametrize("name", list(TIRES))
def test_shipped_tires_have_no_faults(name: str) -> None:
    assert not faults(read_tir(TIRES[name]).tire)


def test_odd_ranges_and_a_motorcycle_that_cannot_lean_are_remarks() -> None:
    wide = tire({**VALUES, "ALPMAX": 1.9})
    assert "right angle" in {d.key: d.message for d in doubts(wide)}["ALPMIN, ALPMAX"] and not faults(wide)
    mc = read_tir(TIRES["example_pac_mc"]).tire
    upright = mc.with_values(PKY6=0.0, PKY7=0.0)
    assert "camber thrust" in {d.key: d.message for d in doubts(upright)}["camber_stiffness"]
    mf = read_tir(TIRES["example_mf61"]).tire.with_values(INFLPRES=4e5)
    assert "valid pressures" in {d.key: d.message for d in doubts(mf)}["INFLPRES"]


def test_what_a_mode_leaves_out_and_loads_beyond_the_range_are_said() -> None:
    assert without_forces(tire(VALUES, mode=2)) == "no longitudinal force: it cannot drive or brake a car"
    assert "cannot steer" in without_forces(tire(VALUES, mode=1))
    assert not without_forces(tire(VALUES))
    t = tire(VALUES)
    assert not outside_loads(t, t.values["FZMAX"]) and not outside_loads(t, t.values["FZMIN"])
    assert "outside of the valid loads" in outside_loads(t, 1.01 * t.values["FZMAX"])
    assert "outside of the valid loads" in outside_loads(t, 0.99 * t.values["FZMIN"])
