"""A motorcycle tire from its file to its forces: printed values, use modes, moments, sides, blocks of the file."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import FILE_BLOCKS, Tire
from jounce.components.tire.magic import MODES
from jounce.components.tire.transient import evaluate, inputs, outputs
from jounce.core.errors import FormatError
from jounce.files.tir import parse_tir

# The worked example in the description of the file format; odd numbers are zero but for PVX, PEX4, RHY.
TEXT = """[MDI_HEADER]
FILE_TYPE = 'tir'
FILE_VERSION = 5.0
FILE_FORMAT = 'ASCII'
[UNITS]
LENGTH = 'meter'
ANGLE = 'radian'
FORCE = 'newton'
MASS = 'kg'
TIME = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'USER'
FUNCTION_NAME = 'vitools::vi_tire'
MODEL_TYPE = 'PAC_MC'
USE_MODE = 14
LONSLIP_MODE = 1
VXLOW = 1
LONGVL = 16.7
TYRESIDE = 'SYMMETRIC'
CP2WC_MODE = 0
[DIMENSION]
UNLOADED_RADIUS = 0.322
WIDTH = 0.18
RIM_RADIUS = 0.216
RIM_WIDTH = 0.135
[VERTICAL]
VERTICAL_STIFFNESS = 2e+005
VERTICAL_DAMPING = 50
BREFF = 8.4
DREFF = 0.27
FREFF = 0.07
FNOMIN = 1475
[LONG_SLIP_RANGE]
KPUMIN = -1
KPUMAX = 1
[SLIP_ANGLE_RANGE]
ALPMIN = -1.5708
ALPMAX = 1.5708
[INCLINATION_ANGLE_RANGE]
CAMMIN = -1.1
CAMMAX = 1.1
[VERTICAL_FORCE_RANGE]
FZMIN = 100
FZMAX = 3500
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.7655
PDX1 = 1.2839
PDX2 = -0.0078226
PEX1 = 0.4743
PEX2 = 9.3873e-005
PEX3 = 0.066154
PEX4 = 0.00011999
PKX1 = 25.383
PKX2 = 1.0978
PKX3 = 0.19775
PVX1 = 2.1675e-005
PVX2 = 4.7461e-005
RBX1 = 12.084
RBX2 = -8.3959
RBX3 = 2.1971e-009
RCX1 = 1.0648
REX1 = 0.0028793
REX2 = -0.00037777
PTX1 = 0.83
PTX2 = 0.42
PTX3 = 0.21
[LATERAL_COEFFICIENTS]
PCY1 = 1.1086
PCY2 = 0.66464
PDY1 = 1.3898
PDY2 = -0.0044718
PDY3 = 0.21428
PEY1 = -0.80276
PEY2 = 0.89416
PEY5 = -2.8159
PKY1 = -19.747
PKY2 = 1.3756
PKY3 = 1.3528
PKY4 = -1.2481
PKY5 = 0.3743
PKY6 = -0.91343
PKY7 = 0.2907
RBY1 = 10.694
RBY2 = 8.9413
RBY4 = -1.8256e-010
RCY1 = 1.0521
REY1 = -0.0027402
REY2 = -0.0094269
RHY1 = -7.864e-005
RHY2 = -6.9003e-006
RVY3 = -0.00033208
RVY4 = -4.7907e+015
RVY5 = 1.9
RVY6 = -30.082
PTY1 = 0.75
PTY2 = 1
PTY3 = 0.6
[ALIGNING_COEFFICIENTS]
QBZ1 = 9.246
QBZ2 = -1.4442
QBZ3 = -1.8323
QBZ5 = 0.15703
QBZ9 = 8.3146
QCZ1 = 1.2813
QDZ1 = 0.063288
QDZ2 = -0.015642
QDZ3 = -0.060347
QDZ4 = -0.45022
QDZ8 = -0.08525
QDZ9 = -0.081035
QDZ10 = 0.030766
QDZ11 = 0.074309
QEZ1 = -3.261
QEZ2 = 0.63036
SSZ2 = 0.0033657
SSZ3 = 0.16833
SSZ4 = 0.017856
[ROLLING_COEFFICIENTS]
QSY1 = 0.01
[OVERTURNING_COEFFICIENTS]
QSX2 = 0.16056
QSX3 = 0.095298
"""
DEG = math.pi / 180
FZ0, R0 = 1475.0, 0.322
NAMES = ("fx", "fy", "mx", "my", "mz")


def tire(mode: int = 14, **changes: Any) -> Tire:
    text = TEXT.replace("USE_MODE = 14", f"USE_MODE = {mode}")
    for key, value in changes.items():
        if re.search(rf"^{key} = ", text, re.M):
            text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.M)
        else:
            text = text.replace("[ALIGNING_COEFFICIENTS]\n", f"[ALIGNING_COEFFICIENTS]\n{key} = {value}\n")
    return parse_tir(text, "motorcycle.tir").tire


# --- printed values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("load", "radius"), [(500, 0.319370), (1475, 0.318592), (3000, 0.317939)])
def test_effective_rolling_radius(load: float, radius: float) -> None:
    t = tire()
    found = t.model.effective_radius(t.values, t.deflection(load))
    assert found == pytest.approx(radius, abs=5.1e-7)


@pytest.mark.parametrize(
    ("kappa", "load", "force"),
    [
        (-0.1, FZ0, -1857.88),
        (0.02, FZ0, 713.15),
        (0.05, FZ0, 1446.60),
        (0.1, FZ0, 1857.95),
        (0.2, FZ0, 1823.07),
        (0.05, 2000.0, 2053.02),
    ],
)
def test_longitudinal_pure_slip(kappa: float, load: float, force: float) -> None:
    for mode in (1, 3, 11, 13):
        assert tire(mode).steady(load, kappa).fx == pytest.approx(force, abs=0.0051)


@pytest.mark.parametrize(("alpha", "force"), [(2, -754.47), (-2, 754.47), (4, -1347.47), (5, -1551.93)])
def test_lateral_pure_slip(alpha: float, force: float) -> None:
    assert tire(12).steady(FZ0, 0.0, alpha * DEG).fy == pytest.approx(force, abs=0.0051)


def test_stiffnesses_and_relaxation_lengths() -> None:
    at = tire().at_load(FZ0)
    assert at.slope_x == pytest.approx(37439.9, abs=0.05)
    assert at.slope_y == pytest.approx(-22368.2, abs=0.05)
    assert at.sigma_kappa == pytest.approx(0.26726, abs=5.1e-6)
    assert at.sigma_alpha == pytest.approx(0.20708, abs=5.1e-6)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((0.0, 5, 0), {"fy": -1551.93, "mz": 13.30}),
        ((0.0, 0, 30), {"fy": -748.31, "mz": -17.19, "mx": -62.89}),
        ((-0.05, 3, 20), {"fx": -1223.87, "fy": -1301.18, "mz": -26.48}),
    ],
)
def test_moments_and_combined_slip(point: tuple[float, float, float], expected: dict[str, float]) -> None:
    kappa, alpha, gamma = point
    found = tire().steady(FZ0, kappa, alpha * DEG, gamma * DEG)._asdict()
    for name, value in expected.items():
        assert float(found[name]) == pytest.approx(value, abs=0.0051), name


def test_rolling_moment() -> None:
    t = tire()
    assert abs(t.steady(FZ0).my) == pytest.approx(4.7495, abs=5.1e-5)
    for spin in (-50.0, 50.0):
        assert t.steady(FZ0, vx=spin * 0.3, spin=spin).my * spin < 0, "against the rolling"
    faster = tire().with_values(QSY3=0.002, QSY4=0.0003)
    v = 40 / 16.7
    expected = -R0 * FZ0 * (0.01 + 0.002 * v + 0.0003 * v**4)
    assert faster.steady(FZ0, vx=40.0, spin=125.0).my == pytest.approx(expected, rel=1e-12)


def test_signs_of_the_moments() -> None:
    t = tire()
    assert t.steady(FZ0, 0.0, 0.02).mz > 0, "turns the wheel back"
    assert t.steady(FZ0, 0.0, 0.0, 0.2).mx < 0, "leaning to the right"
    assert t.steady(FZ0, 0.0, -0.05).mx > 0, "a force to the left"
    slope = (t.steady(FZ0, 0.0, 1e-6).mz - t.steady(FZ0, 0.0, -1e-6).mz) / 2e-6
    trail = R0 * 0.063288
    assert slope == pytest.approx(trail * 22368.2, rel=1e-3)  # RHY shifts the force by parts in ten thousand


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_use_modes(mode: int) -> None:
    t = tire(mode)
    promised = {0: set(), 1: {"fx", "my"}, 2: {"fy", "mx", "mz"}, 3: set(NAMES), 4: set(NAMES)}[mode % 10]
    found = t.steady(FZ0, 0.05, 0.04, 0.2)._asdict()
    assert {name for name, value in found.items() if value} == promised
    lagging = {"u_rate", "v_rate"} & set(outputs(t.model))
    assert lagging == ({"u_rate", "v_rate"} if mode > 10 else set())
    x = dict.fromkeys(inputs(t.model), 0.0) | {"rho": 0.007, "friction": 1.0, "side": 1.0, "t_dt": 1e-3}
    load = dict(zip(outputs(t.model), evaluate(t.model, t.values, x), strict=True))["fz"]
    assert load == pytest.approx(2e5 * 0.007), "the load is there in every mode"
    pure, combined = tire(mode - mode % 10 + 3).steady(FZ0, 0.05, 0.04), tire(mode - mode % 10 + 4)
    if mode % 10 in (1, 3):
        assert found["fx"] == pure.fx != combined.steady(FZ0, 0.05, 0.04).fx


def test_combined_slip_is_pure_slip_without_the_other_and_stays_in_the_envelope() -> None:
    both, pure = tire(4).with_values(RHY1=0.0, RHY2=0.0), tire(3)
    for x in (-0.3, -0.04, 0.02, 0.1, 0.5):
        assert both.steady(FZ0, x).fx == pytest.approx(pure.steady(FZ0, x).fx, rel=1e-12)
        assert both.steady(FZ0, 0.0, x).fy == pytest.approx(pure.steady(FZ0, 0.0, x).fy, rel=1e-12)
    kappa, alpha = np.meshgrid(np.linspace(-1, 1, 201), np.linspace(-1.5, 1.5, 301))
    for load in (300.0, 1475.0, 3400.0):
        d = load / FZ0 - 1
        mux, muy = 1.2839 - 0.0078226 * d, 1.3898 * math.exp(-0.0044718 * d)
        f = both.steady(load, kappa, alpha)
        assert np.sqrt((f.fx / mux) ** 2 + (f.fy / muy) ** 2).max() / load <= 1.05
        assert np.abs(f.fx).max() <= 1.001 * mux * load and np.abs(f.fy).max() <= 1.001 * muy * load


def test_the_gyroscopic_couple_is_in_proportion_to_the_rate_of_the_deflection() -> None:
    t = tire(QTZ1=0.3, MBELT=4.0)
    rates, moments = [], []
    for vy in (-0.6, -0.2, 0.0, 0.1, 0.4):
        x = dict.fromkeys(inputs(t.model), 0.0)
        x |= {"rho": 0.007, "vx": 20.0, "spin": 62.5, "vy": vy, "friction": 1.0, "side": 1.0, "t_dt": 1e-3}
        a, b = (dict(zip(outputs(m.model), evaluate(m.model, m.values, x), strict=True)) for m in (t, tire(MBELT=4.0)))
        rates.append(a["v_rate"])
        moments.append(a["mz"] - b["mz"])
    # no slip yet (u = v = 0): the cosine is one
    expected = 0.3 * 4.0 * 62.5 * float(t.model.effective_radius(t.values, 0.007)) * np.array(rates)
    assert np.abs(np.array(moments) - expected).max() < 1e-3 * np.abs(expected).max()


def test_sides() -> None:
    """As measured, mounted on the other side, and symmetric."""
    text = TEXT.replace("'SYMMETRIC'", "'LEFT'").replace("PEY5 =", "PHY1 = 0.004\nPEY5 =")
    left = parse_tir(text.replace("QDZ8 =", "QDZ6 = 0.002\nQDZ8 =").replace("QSX2 =", "QSX1 = 0.003\nQSX2 =")).tire
    a = np.array(left.steady(FZ0, 0.03, 0.05, 0.3, mounted="left"))
    b = np.array(left.steady(FZ0, 0.03, -0.05, -0.3, mounted="right"))
    assert b == pytest.approx(a * [1, -1, -1, 1, -1], rel=1e-12)
    assert np.array(left.steady(FZ0, 0.03, -0.05, -0.3)) != pytest.approx(a * [1, -1, -1, 1, -1], rel=1e-4), "sided"
    even = tire()
    a, b = (np.array(even.steady(FZ0, 0.03, s * 0.05, s * 0.3)) for s in (1, -1))
    assert b == pytest.approx(a * [1, -1, -1, 1, -1], rel=1e-12)
    for side in ("left", "right"):
        assert np.array_equal(np.array(even.steady(FZ0, 0.03, 0.05, 0.3, mounted=side)), a)


# --- the file --------------------------------------------------------------------------------------------------------


def without(block: str) -> str:
    return re.sub(rf"\[{block}\]\n(?:[^\[].*\n)*", "", TEXT)


@pytest.mark.parametrize("block", [b for b in FILE_BLOCKS if b != "MODEL"])
def test_each_mandatory_block_is_asked_for(block: str) -> None:
    text = without(block)
    assert f"[{block}]" not in text and text.count("[") == TEXT.count("[") - 1
    with pytest.raises(FormatError, match=rf"\[{block}\]"):
        parse_tir(text, "bad.tir")


@pytest.mark.parametrize("block", ["ALIGNING_COEFFICIENTS", "ROLLING_COEFFICIENTS", "OVERTURNING_COEFFICIENTS"])
def test_optional_blocks_may_be_missing(block: str) -> None:
    f = parse_tir(without(block)).tire.steady(FZ0, 0.03, 0.04, 0.1)
    assert all(math.isfinite(float(v)) for v in f)


def test_keys_and_blocks_in_any_case() -> None:
    lower = re.sub(r"^(\[?\w+\]?)", lambda m: m.group(1).lower(), TEXT, flags=re.M)
    assert parse_tir(lower).tire.values == tire().values
