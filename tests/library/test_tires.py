"""Every shipped tire: fresh, with provenance, equal to a second evaluation, inside the usual figures of its class."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError
from jounce.files.library import library_file, library_files
from jounce.files.tir import read_tir
from models import assert_close
from tire_models import reference

ROOT = Path(__file__).resolve().parent.parent.parent
TIRES = {name: path for name, path in library_files("tires").items() if not name.startswith("example_")}
DEG = math.pi / 180
NAMES = ("fx", "fy", "mx", "my", "mz")

# Usual figures of a class at the static loads of its cars (front, rear; N); engineering experience, no standard.
CLASSES: dict[str, dict[str, tuple[float, float]]] = {
    "compact": {"loads": (4029, 2615), "stiffness": (0.25, 0.36), "mu_y": (0.95, 1.10), "alpha_peak": (6, 10),
                "kappa_peak": (0.08, 0.15), "sigma": (0.3, 0.6),
                "trail": (22, 40), "rate": (180, 225), "rolling": (8, 11)},
    "sedan": {"loads": (4107, 3871), "stiffness": (0.27, 0.38), "mu_y": (0.98, 1.12), "alpha_peak": (6, 10),
              "kappa_peak": (0.08, 0.14), "sigma": (0.35, 0.65),
              "trail": (25, 42), "rate": (210, 265), "rolling": (8, 11)},
    "bev": {"loads": (5002, 5099), "stiffness": (0.27, 0.40), "mu_y": (0.98, 1.12), "alpha_peak": (6, 10),
            "kappa_peak": (0.08, 0.14), "sigma": (0.35, 0.7), "trail": (25, 45), "rate": (230, 300),
            "rolling": (6.5, 10)},
    "suv": {"loads": (5509, 4234), "stiffness": (0.23, 0.33), "mu_y": (0.88, 1.02), "alpha_peak": (7, 11),
            "kappa_peak": (0.09, 0.16), "sigma": (0.4, 0.75),
            "trail": (28, 48), "rate": (225, 285), "rolling": (8, 11.5)},
    "sports_front": {"loads": (3038, 3038), "stiffness": (0.34, 0.52), "mu_y": (1.10, 1.30), "alpha_peak": (5, 8),
                     "kappa_peak": (0.07, 0.12), "sigma": (0.3, 0.6), "trail": (20, 38), "rate": (240, 340),
                     "rolling": (9, 13)},
    "sports_rear": {"loads": (4253, 4253), "stiffness": (0.34, 0.52), "mu_y": (1.10, 1.30), "alpha_peak": (5, 8),
                    "kappa_peak": (0.07, 0.12), "sigma": (0.3, 0.6), "trail": (20, 38), "rate": (240, 340),
                    "rolling": (9, 13)},
    "light_truck": {"loads": (6086, 4574), "stiffness": (0.17, 0.27), "mu_y": (0.80, 0.94), "alpha_peak": (8, 13),
                    "kappa_peak": (0.10, 0.18), "sigma": (0.45, 0.9), "trail": (35, 60), "rate": (220, 290),
                    "rolling": (9, 13)},
    "formula_front": {"loads": (1527, 1527), "stiffness": (0.50, 0.80), "mu_y": (1.5, 1.85), "alpha_peak": (4, 7),
                      "kappa_peak": (0.06, 0.12), "sigma": (0.15, 0.35), "trail": (12, 28), "rate": (190, 300),
                      "rolling": (12, 20)},
    "formula_rear": {"loads": (1905, 1905), "stiffness": (0.50, 0.80), "mu_y": (1.5, 1.85), "alpha_peak": (4, 7),
                     "kappa_peak": (0.06, 0.12), "sigma": (0.15, 0.35), "trail": (12, 28), "rate": (190, 300),
                     "rolling": (12, 20)},
    # radial truck tires: stiffness over load 0.11 to 0.19 1/deg [Gillespie1992]; rolling resistance and vertical rates
    # of [Fancher1986] and of labels for the wet and dry grip of such tires
    "truck_steer": {"loads": (29540, 33310), "stiffness": (0.11, 0.19), "mu_y": (0.70, 0.85), "alpha_peak": (9, 18),
                    "kappa_peak": (0.12, 0.22), "sigma": (0.5, 1.0), "trail": (45, 80), "rate": (850, 1150),
                    "rolling": (4, 8)},
    "truck_drive": {"loads": (14870, 21970), "stiffness": (0.11, 0.19), "mu_y": (0.70, 0.85), "alpha_peak": (9, 18),
                    "kappa_peak": (0.12, 0.22), "sigma": (0.4, 1.0), "trail": (40, 80), "rate": (850, 1150),
                    "rolling": (4, 8)},
    "trailer": {"loads": (35690, 35690), "stiffness": (0.11, 0.19), "mu_y": (0.70, 0.85), "alpha_peak": (9, 18),
                "kappa_peak": (0.12, 0.22), "sigma": (0.5, 1.1), "trail": (45, 90), "rate": (950, 1300),
                "rolling": (4, 7)},
    "van": {"loads": (9320, 7280), "stiffness": (0.15, 0.27), "mu_y": (0.80, 0.96), "alpha_peak": (8, 13),
            "kappa_peak": (0.10, 0.18), "sigma": (0.35, 0.9), "trail": (25, 60), "rate": (270, 390),
            "rolling": (7, 12)},
    "caravan": {"loads": (6910, 6910), "stiffness": (0.15, 0.27), "mu_y": (0.80, 0.96), "alpha_peak": (8, 13),
                "kappa_peak": (0.10, 0.18), "sigma": (0.35, 0.8), "trail": (25, 60), "rate": (210, 290),
                "rolling": (7, 12)},
}  # fmt: skip
MU_RATIO = (1.05, 1.15)  # longitudinal over lateral


def loaded(name: str) -> Tire:
    return read_tir(TIRES[name]).tire


def class_of(name: str) -> dict[str, tuple[float, float]]:
    return next(ranges for key, ranges in CLASSES.items() if name.startswith(key))


def make_tires() -> Any:
    spec = importlib.util.spec_from_file_location("make_tires", ROOT / "tools" / "make_tires.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_tires"] = module  # its dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def figures(t: Tire, load: float) -> dict[str, float]:
    """Key figures at a load, from the forces themselves."""
    alpha, kappa = np.linspace(0, 25 * DEG, 2501), np.linspace(0, 0.5, 2501)
    fy, fx = -t.steady(load, 0.0, alpha).fy, t.steady(load, kappa).fx
    h = 1e-5
    plus, minus = t.steady(load, 0.0, h), t.steady(load, 0.0, -h)
    stiffness = -(plus.fy - minus.fy) / (2 * h)
    at = t.model.at_load(t.values, load, 0.0)
    rho = t.deflection(load)
    return {
        "stiffness": stiffness / load * DEG,
        "mu_y": fy.max() / load,
        "mu_ratio": fx.max() / fy.max(),
        "alpha_peak": alpha[fy.argmax()] / DEG,
        "kappa_peak": kappa[fx.argmax()],
        "sigma": float(at.sigma_alpha),
        "trail": (plus.mz - minus.mz) / (2 * h) / stiffness * 1000,
        "rate": (t.load(rho + h) - t.load(rho - h)) / (2 * h) / 1000,
        "rolling": -float(t.steady(load).my) / t.values["UNLOADED_RADIUS"] / load * 1000,
    }


@pytest.mark.parametrize("name", list(TIRES))
def test_figures_are_those_of_the_class(name: str) -> None:
    ranges = {**class_of(name), "mu_ratio": MU_RATIO}
    lines, outside = [], []
    for load in dict.fromkeys(ranges["loads"]):
        for key, value in figures(loaded(name), load).items():
            low, high = ranges[key]
            inside = low <= value <= high
            lines.append(
                f"{name:24} {load:5.0f} N  {key:11} {value:8.3f}   {low:g} to {high:g}  {'' if inside else 'OUTSIDE'}"
            )
            if not inside:
                outside.append(lines[-1])
    print("\n".join(lines))  # shown by pytest -rP
    assert not outside, "\n".join(outside)


@pytest.mark.parametrize("name", list(TIRES))
def test_forces_equal_a_second_evaluation(name: str) -> None:
    t = loaded(name)
    block = {c.name: t.values[c.name] for c in t.model.coefficients}
    rng = np.random.default_rng(7)
    for load, kappa, alpha, gamma, mu in rng.uniform([0, -1, -1, -0.26, 0.2], [15000, 1, 1, 0.26, 1.2], (200, 5)):
        expected = reference(block, load, kappa, alpha, gamma, mu=mu)
        found = [float(x) for x in t.steady(load, kappa, alpha, gamma, mu)]
        assert_close(found, [expected[n] for n in NAMES], 1e-9 * (1 + load), NAMES)


@pytest.mark.parametrize("name", list(TIRES))
def test_combined_forces_stay_within_the_friction_ellipse(name: str) -> None:
    t = loaded(name)
    kappa, alpha = np.meshgrid(np.linspace(-1, 1, 101), np.linspace(-0.45, 0.45, 91))
    for load in (0.5 * t.values["FNOMIN"], t.values["FNOMIN"], 1.7 * t.values["FNOMIN"]):
        f = t.steady(load, kappa, alpha)
        mu_x = t.steady(load, np.linspace(0, 1, 2001)).fx.max()
        mu_y = -t.steady(load, 0.0, np.linspace(0, 0.45, 2001)).fy.min()
        assert np.sqrt((f.fx / mu_x) ** 2 + (f.fy / mu_y) ** 2).max() < 1.05


@pytest.mark.parametrize("name", list(TIRES))
def test_a_driven_wheel_gives_no_more_power_than_it_gets(name: str) -> None:
    t = loaded(name)
    load = t.values["FNOMIN"]
    rho = t.deflection(load)
    arm, rolling, vx = t.values["UNLOADED_RADIUS"] - rho, float(t.model.effective_radius(t.values, rho)), 20.0
    for kappa in np.linspace(-0.9, 0.9, 37):
        spin = vx * (1 + kappa) / rolling
        f = t.steady(load, kappa, vx=vx, spin=spin)
        received = (f.fx * arm - f.my) * spin  # what the drive or the brake must give to the wheel
        assert received >= f.fx * vx, kappa


@pytest.mark.parametrize("name", list(TIRES))
def test_a_tire_does_not_pull(name: str) -> None:
    f = loaded(name).steady(loaded(name).values["FNOMIN"])
    assert f.fy == 0.0 and f.mz == 0.0 and f.mx == 0.0


@pytest.mark.parametrize("name", list(TIRES))
def test_files_are_read_without_complaint_and_say_where_they_come_from(name: str) -> None:
    file = read_tir(TIRES[name])
    assert not file.report.warnings
    assert file.tire.side == "symmetric" and file.tire.model.transient
    text = file.text()
    assert all(word in text for word in ("author:", "licence: CC0-1.0", "source:", "measured: nothing"))
    assert text.isascii()


def test_files_are_what_the_script_makes() -> None:
    script = make_tires()
    made = {t.name: script.text(t) for t in script.TARGETS}
    assert set(made) == set(TIRES)
    stale = [name for name in made if TIRES[name].read_text(encoding="utf-8") != made[name]]
    assert not stale, f"run python tools/make_tires.py: {stale}"


def test_sizes_are_those_of_the_name() -> None:
    t = loaded("compact_205_55r16")
    assert t.sizes["WIDTH"] == 0.205
    assert t.values["UNLOADED_RADIUS"] == pytest.approx(0.0254 * 8 + 0.205 * 0.55)


def test_an_unknown_name_gets_a_hint() -> None:
    assert library_file("tires", "sedan_225_50r17.tir") == TIRES["sedan_225_50r17"]
    with pytest.raises(ParameterError, match="no tires 'sedan_225_50r18'; did you mean 'sedan_225_50r17'"):
        library_file("tires", "sedan_225_50r18")
    with pytest.raises(ParameterError, match="no kind 'tyres'; did you mean 'tires'"):
        library_files("tyres")
