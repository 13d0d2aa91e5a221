"""The beam: its stiffness against published numbers and the closed form of a cantilever, its power."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from body_rig import channels
from jounce.components.body.beam import stiffness
from suspended_rig import BEAM, flying

BAR = SimpleNamespace(**{"shear_y": 1.0, "shear_z": 1.0, **BEAM})


def test_the_stiffness_of_a_solid_bar_of_27_mm_has_the_published_numbers() -> None:
    k = np.array(stiffness(BAR))
    assert k[0, 0] == pytest.approx(129016.6e3, rel=1e-6)
    assert k[1, 1] == k[2, 2] == pytest.approx(83.4497e3, rel=1e-6)
    assert k[1, 5] == pytest.approx(-38329.8, rel=1e-6) and k[2, 4] == -k[1, 5]
    assert k[3, 3] == pytest.approx(4.55684e3, rel=1e-6)
    assert k[5, 5] == k[4, 4] == pytest.approx(2.34838e4, rel=1e-5)
    assert k == pytest.approx(k.T) and np.linalg.eigvalsh(k).min() > 0


@pytest.mark.parametrize(("axis", "turn", "inertia", "ratio"), [(1, 5, "izz", "shear_y"), (2, 4, "iyy", "shear_z")])
def test_the_tip_of_a_cantilever_bends_by_the_closed_form(axis: int, turn: int, inertia: str, ratio: str) -> None:
    """F L³/(3 E I) + S F L/(G A), and its slope F L²/(2 E I), with other numbers for both directions."""
    bar = SimpleNamespace(**{**vars(BAR), "iyy": 2.1e-8, "izz": 3.7e-8, "shear_y": 1.2, "shear_z": 1.7})
    force = np.zeros(6)
    force[axis] = 410.0
    bent = np.linalg.solve(np.array(stiffness(bar)), force)
    length, ei = bar.length, bar.youngs_modulus * getattr(bar, inertia)
    shear = getattr(bar, ratio) * 410.0 * length / (bar.shear_modulus * bar.area)
    assert bent[axis] == pytest.approx(410.0 * length**3 / (3 * ei) + shear, rel=1e-12)
    assert abs(bent[turn]) == pytest.approx(410.0 * length**2 / (2 * ei), rel=1e-12)
    assert bent[0] == bent[3] == 0.0


def test_in_the_car_it_pushes_by_its_stiffness_and_the_rates_of_its_deflections() -> None:
    sim = flying()
    known = [v.name for v in sim.model.outputs]
    which = [known.index(f"Bushing.bar.{n}") for n in ("X", "Y", "Z", "AX", "AY", "AZ")]
    x, f = sim.x.copy(), sim.derivatives()[0]
    at = sim.outputs(x=x)[which]
    h = 1e-6
    rate = (sim.outputs(x=x + h * f)[which] - sim.outputs(x=x - h * f)[which]) / (2 * h)
    deflection = at - [BAR.length, 0, 0, 0, 0, 0]
    load = -np.array(stiffness(BAR)) @ (deflection + 0.001 * rate)
    found = channels(sim, *(f"Bushing.bar.{k}{a}" for k in "FT" for a in "XYZ"))
    assert found == pytest.approx(load, rel=1e-5, abs=1e-3 * np.abs(load).max())
    assert np.abs(found[3:]).max() > 1.0
