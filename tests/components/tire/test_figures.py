"""Key figures measured on forces, against what the formulas declare; checks find what is wrong."""

from __future__ import annotations

import math

import pytest

from jounce.components.tire.figures import doubts, ellipse, figures
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
