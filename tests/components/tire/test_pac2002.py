"""Magic Formula: against a second evaluation, reference values, rules of sign and size, derivatives, compiled C."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.components.tire.base import total_friction
from jounce.components.tire.pac2002 import BY_NAME, COEFFICIENTS, MODES, SIDED, Pac2002, peak, symmetrised
from jounce.components.tire.transient import evaluate, inputs, outputs
from jounce.components.tire.wheel import declare, numbers_of
from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.core.units import check_unit
from jounce.symbolic import System
from models import assert_close, compiled, derivative
from tire_models import ALL_TERMS, COMPLETE, EXAMPLE, FULL, LATER_TERMS, example_text, reference, tire

NAMES = ("fx", "fy", "mx", "my", "mz")
DEG = math.pi / 180
points = st.tuples(
    st.floats(0, 12000), st.floats(-1.2, 1.2), st.floats(-1.3, 1.3), st.floats(-0.3, 0.3), st.floats(0.05, 1.5)
)


def steady(t: Any, *args: float, **options: Any) -> np.ndarray:
    return np.array([float(v) for v in t.steady(*args, **options)])


# --- values ----------------------------------------------------------------------------------------------------------

# (load, κ, α in degrees, γ in degrees) -> Fx, Fy, Mx, My, Mz; computed independently, printed to three decimals
GOLDEN = [
    ((4000, 0, 0, 0), (-43.999, -42.239, -1.324, -12.540, 2.443)),
    ((4000, 0.05, 0, 0), (3450.487, -35.815, -1.123, -12.540, 12.169)),
    ((4000, 0, 4, 0), (-31.677, -3273.709, -102.631, -12.540, 71.258)),
    ((4000, 0, 0, 4), (-43.999, -207.846, -50.289, -12.540, -4.684)),
    ((3000, -0.06, 3, -2), (-2416.526, -1925.098, -28.849, -9.405, 27.060)),
    ((6000, 0.10, -6, 3), (4486.055, 3834.791, 131.087, -18.810, 28.354)),
]


@pytest.mark.parametrize(("point", "expected"), GOLDEN)
def test_reference_values(point: tuple[float, ...], expected: tuple[float, ...]) -> None:
    load, kappa, alpha, gamma = point
    assert_close(steady(tire(), load, kappa, alpha * DEG, gamma * DEG), expected, 0.00051, NAMES)  # three decimals


# A third derivation: the equations as OpenTire's PAC2002 has them (github.com/OpenTire/OpenTirePython), evaluated apart
# from this package. It takes tan α and sin γ where this one takes α and γ, and knows neither LKYG nor RBX3, RBY4.
# Fx … Mz, σκ, σα.
ELSEWHERE = {**FULL, "LFZO": 1.0, "LKYG": 1.0, "RBX3": 0.0, "RBY4": 0.0, "QSY2": 0.0}
OPENTIRE = [
    (
        (4000, 0.05, 0.04, 0.03),
        (2829.2503192, -1935.7606914, -64.0977279, -18.50904, 32.4989117),
        (0.28215, 0.573091042),
    ),
    (
        (2500, -0.12, -0.08, -0.05),
        (-2299.2480926, 1492.8517569, 48.6153577, -11.56815, -5.3106456),
        (0.168694343, 0.404925079),
    ),
    (
        (6500, 0.02, 0.15, 0.1),
        (1146.7432695, -5303.9092549, -322.7754394, -30.07719, 19.8161271),
        (0.480485436, 0.683330742),
    ),
    (
        (3300, -0.03, -0.02, 0.0),
        (-1748.5158189, 953.0893465, 28.3306451, -15.269958, -26.1799591),
        (0.228409166, 0.510575083),
    ),
    (
        (8000, 0.3, 0.1, -0.15),
        (6291.2339638, -1480.6091654, 100.6367448, -37.01808, -40.5660686),
        (0.600612693, 0.685079010),
    ),
]


@pytest.mark.parametrize(("point", "forces", "lengths"), OPENTIRE)
def test_values_of_another_derivation(point: Any, forces: Any, lengths: Any) -> None:
    t = tire(ELSEWHERE)
    assert_close(steady(t, *point), forces, 5.1e-8, NAMES)  # seven decimals
    at = t.at_load(point[0], point[3])
    assert (at.sigma_kappa, at.sigma_alpha) == pytest.approx(lengths, abs=5.1e-10)


@pytest.mark.parametrize("variant", ["PAC2002", "MF_05"])
def test_the_legacy_switch_selects_the_same_equations_and_says_what_it_has_not(variant: str) -> None:
    from jounce.core.errors import FormatError
    from jounce.files.tir import parse_tir

    keys = {"PROPERTY_FILE_FORMAT": f"'{variant}'"}
    plain = parse_tir(example_text(FULL, **keys))
    new, old = (parse_tir(example_text(FULL, **keys, LEGACY_FORMULATION=i)) for i in (0, 1))
    for point in ((4000.0, 0.05, 0.04, 0.03), (2500.0, -0.12, -0.08, -0.05)):
        expected = reference(FULL, *point, variant=variant)
        for file in (plain, new, old):
            found = steady(file.tire, *point)
            assert_close(found, [expected[n] for n in NAMES], 1e-9 * 4000, NAMES)
    assert not [p for p in new.report.warnings if "LEGACY" in str(p)]
    assert any("contact mass and the parking torque" in str(p) for p in old.report.warnings)
    with pytest.raises(FormatError, match="LEGACY_FORMULATION: found 2; allowed: 0, 1"):
        parse_tir(example_text(FULL, **keys, LEGACY_FORMULATION=2))


def test_reference_stiffness_trail_and_relaxation() -> None:
    t = tire()
    at = t.model.at_load(t.values, 4000.0, 0.0)
    assert at.slope_x == pytest.approx(88000, rel=1e-12)
    assert at.slope_y == pytest.approx(-61132.08, abs=0.005)
    assert at.sigma_kappa == pytest.approx(0.3135, abs=5e-5)
    assert at.sigma_alpha == pytest.approx(0.52668, abs=5e-6)
    assert reference(EXAMPLE, 4000, 0, 0, 0)["t0"] == pytest.approx(0.03135, abs=5e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("variant", ["PAC2002", "MF_05"])
@given(point=points)
@settings(max_examples=60)
def test_every_coefficient_acts_as_in_the_second_evaluation(mode: int, variant: str, point: tuple[float, ...]) -> None:
    load, kappa, alpha, gamma, mu = point
    t = tire(FULL, mode, variant)
    expected = reference(FULL, load, kappa, alpha, gamma, mode=mode, variant=variant, mu=mu)
    found = steady(t, load, kappa, alpha, gamma, mu)
    # rounding of some hundred operations; SLIP_FLOOR adds 1e-14/(2 x²)-like terms near zero slip
    assert_close(found, [expected[n] for n in NAMES], [1e-9 * (1 + load)] * 5, NAMES)
    at = t.model.at_load(t.values, load, gamma, mu)
    assert at.sigma_alpha == pytest.approx(max(expected["sigma_alpha"], 0.01), rel=1e-11)
    assert at.sigma_kappa == pytest.approx(max(expected["sigma_kappa"], 0.01), rel=1e-11)


# --- what later files have: pressure, more of overturning and rolling moments ----------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("variant", ["PAC2002", "MF_52", "MF_05"])
@given(point=points)
@settings(max_examples=40)
def test_every_later_coefficient_acts_as_in_the_second_evaluation(
    mode: int, variant: str, point: tuple[float, ...]
) -> None:
    load, kappa, alpha, gamma, mu = point
    t = tire(COMPLETE, mode, variant, **ALL_TERMS)
    expected = reference(COMPLETE, load, kappa, alpha, gamma, mode=mode, variant=variant, mu=mu)
    assert_close(steady(t, *point), [expected[n] for n in NAMES], [1e-9 * (1 + load)] * 5, NAMES)
    at = t.model.at_load(t.values, load, gamma, mu)
    assert at.slope_x == pytest.approx(expected["Kx"], rel=1e-11)
    assert at.slope_y == pytest.approx(expected["Ky"], rel=1e-11)


@pytest.mark.parametrize("name", [n for n in LATER_TERMS if n not in ("LCZ", "QPFZ1", "PRESMIN", "PRESMAX")])
def test_no_later_coefficient_is_forgotten(name: str) -> None:
    changed = {**COMPLETE, name: 1.01 * COMPLETE[name]}
    point = (3500.0, 0.04, 0.06, 0.05)
    found = [steady(tire(v, **ALL_TERMS), *point) for v in (COMPLETE, changed)]
    assert np.abs(found[1] - found[0]).max() > 1e-7
    expected = reference(changed, *point)
    assert_close(found[1], [expected[n] for n in NAMES], 1e-9 * 3500, NAMES)


def test_terms_that_are_zero_change_no_bit() -> None:
    zero = {"IP": 2.5e5, "IP_NOM": 2.1e5}
    plain, built = tire(FULL), tire({**FULL, **zero}, **ALL_TERMS)
    rng = np.random.default_rng(8)
    for point in rng.uniform([100, -1, -1, -0.25, 0.2], [9500, 1, 1, 0.25, 1.3], (50, 5)):
        assert np.array_equal(steady(plain, *point), steady(built, *point))


@pytest.mark.parametrize("options", [{}, {"extended": True}, {"extended": True, "softening": True}])
def test_nominal_pressure_is_the_tire_without_pressure_to_the_last_bit(options: dict[str, Any]) -> None:
    values = {**COMPLETE, "QFZ2": 12.0, "QFCX1": 0.1, "QFCY1": 0.2, "LIP": 1.0}
    rest = {name: value for name, value in ALL_TERMS.items() if name != "pressure"}
    without = tire({**values, "QSY8": 0.0}, **rest, **options)
    for ip, nominal in ((2.1e5, 2.1e5), (0.0, 2.1e5), (2.1e5, 0.0), (0.0, 0.0), (2.1, 2.1)):
        t = tire({**values, "IP": ip, "IP_NOM": nominal}, pressure=True, **rest, **options)
        rng = np.random.default_rng(9)
        for point in rng.uniform([100, -1, -1, -0.25, 0.2], [9500, 1, 1, 0.25, 1.3], (20, 5)):
            assert np.array_equal(steady(t, *point), steady(without, *point))
            assert t.at_load(point[0], point[3])[:6] == without.at_load(point[0], point[3])[:6]
        assert t.load(0.02, 0.1, gamma=0.1, spin=60.0) == without.load(0.02, 0.1, gamma=0.1, spin=60.0)
        assert t.model.effective_radius(t.values, 0.02) == without.model.effective_radius(without.values, 0.02)


def test_pressure_is_held_at_the_ends_of_its_range() -> None:
    point = (3700.0, 0.04, -0.05, 0.03)
    for beyond, end in ((9e5, "PRESMAX"), (2e4, "PRESMIN")):
        a, b = (tire({**COMPLETE, "LIP": 1.0, "IP": ip}, **ALL_TERMS) for ip in (beyond, COMPLETE[end]))
        assert np.array_equal(steady(a, *point), steady(b, *point)) and a.load(0.02) == b.load(0.02)


def test_upright_it_is_the_tire_of_mf_6_with_the_same_coefficients() -> None:
    """Two models of the package that share no equation text: their formulas coincide without camber."""
    from jounce.components.tire.mf6 import Mf6

    values = {**COMPLETE, "LFZO": 1.0, "QSY3": 0.0, "QSY4": 0.0}
    other = {"IP": "INFLPRES", "IP_NOM": "NOMPRES", "QPZ1": "PPZ1", "QPZ2": "PPZ2", "QPX1": "PPMX1", "QPFZ1": "PFZ1"}
    known = {c.name for c in Mf6().coefficients}
    same = {other.get(n, n): v for n, v in values.items() if other.get(n, n) in known}
    same |= {"QSY7": 1 + values["QSY7"], "LATERAL_STIFFNESS": 1e5, "LONGITUDINAL_STIFFNESS": 3e5, "LKYC": 1, "LKZC": 1}
    model = Mf6(version=61)
    newer = model.complete(same)
    t = tire(values, **ALL_TERMS)
    rng = np.random.default_rng(10)
    for load, kappa, alpha, mu in rng.uniform([300, -0.5, -0.5, 0.4], [8500, 0.5, 0.5, 1.2], (40, 4)):
        expected = np.array([float(v) for v in model.steady(newer, load, kappa, alpha, 0.0, mu)])
        assert_close(steady(t, load, kappa, alpha, 0.0, mu), expected, 1e-9 * (1 + np.abs(expected)), NAMES)
    assert t.load(0.02) == pytest.approx(float(model.vertical(newer, 0.02, 0.0)), rel=1e-12)


def test_the_vertical_scale_and_pressure_act_on_load_and_rolling_radius() -> None:
    scale = 0.92 * (1 + 0.7 * (0.93 * 2.5 / 2.1 - 1))
    t, plain = tire(COMPLETE, **ALL_TERMS), tire(FULL)
    assert t.load(0.02, 0.3) == pytest.approx(scale * 2e5 * 0.02 + 300 * 0.3, rel=1e-13)  # not the damper
    # the rolling radius by the nominal deflection, which is smaller by the scale
    stiffer = tire({**FULL, "VERTICAL_STIFFNESS": scale * 2e5})
    for rho in (0.005, 0.02, 0.04):
        found = float(t.model.effective_radius(t.values, rho))
        assert found == pytest.approx(float(stiffer.model.effective_radius(stiffer.values, rho)), rel=1e-14)
    assert t.deflection(4000.0) == pytest.approx(plain.deflection(4000.0) / scale, rel=1e-9)


@pytest.mark.parametrize("option", ["deflection_curve", "radius_load_map", "extended"])
def test_the_vertical_scale_acts_on_every_law_of_the_load_but_not_on_the_rim(option: str) -> None:
    from dataclasses import replace

    pen = np.linspace(0, 0.1, 11)
    curves = {
        "deflection": Table(pen, 1.5e5 * pen + 1e6 * pen**2, method="akima", extrapolation="linear"),
        "radius_load": Table(
            [[0.2, 0.25, 0.3135], [0.0, 30.0]], [[2e4, 2.2e4], [1e4, 1.1e4], [0.0, 0.0]], method="linear"
        ),
    }
    rim = {"BOTTOM_STIFF": 2e6, "BOTTOM_OFFST": 0.01, "QFZ2": 10.0, "QFZ3": 5.0}
    softer, plain, hanging = (
        replace(tire({**EXAMPLE, **rim, **more}, **{option: True}), curves=curves)
        for more in ({"LCZ": 0.6}, {}, {"LCZ": 1e-9})
    )
    for rho in (0.01, 0.03, 0.105):
        rims = float(hanging.load(rho, gamma=0.1, spin=20.0, vx=10.0))
        whole = float(plain.load(rho, gamma=0.1, spin=20.0, vx=10.0))
        found = float(softer.load(rho, gamma=0.1, spin=20.0, vx=10.0))
        assert found == pytest.approx(0.6 * (whole - rims) + rims, rel=1e-6)
    assert rims == pytest.approx(2e6 * (0.105 - 0.1005), rel=1e-3)


def test_a_structure_without_the_terms_says_so() -> None:
    from jounce.components.tire.pac_mc import PacMc

    for option in ALL_TERMS:
        with pytest.raises(ParameterError, match=f"tire pac_mc: has no terms for '{option}'"):
            PacMc(**{option: True})


# --- moments of rolling ----------------------------------------------------------------------------------------------


def test_speed_enters_rolling_resistance() -> None:
    t = tire(FULL)
    expected = reference(FULL, 4000, 0.01, 0.02, 0.0, vx=40.0)
    assert float(t.steady(4000, 0.01, 0.02, vx=40.0).my) == pytest.approx(expected["my"], rel=1e-12)


def test_a_wheel_rolling_backwards_is_one_rolling_forwards_turned_by_180_degrees() -> None:
    t = tire(
        {**symmetrised(FULL), "PEX4": 0.0, "PHX1": 0.0, "PHX2": 0.0, "PVX1": 0.0, "PVX2": 0.0, "RHY1": 0, "RHY2": 0}
    )
    for kappa in (-0.05, 0.03):
        forward = t.steady(4000.0, kappa, vx=20.0, spin=66.0)
        back = t.steady(4000.0, -kappa, vx=-20.0, spin=-66.0)
        assert back.fx == pytest.approx(-forward.fx, rel=1e-12)
        assert back.my == pytest.approx(-forward.my, rel=1e-12)


def test_without_rolling_coefficients_the_moment_is_that_of_the_free_rolling_force() -> None:
    values = {**FULL, "QSY1": 0.0, "QSY2": 0.0}
    at_zero = reference(values, 4000, 0, 0, 0)
    found = float(tire(values).steady(4000.0).my)
    assert found == pytest.approx(
        EXAMPLE["UNLOADED_RADIUS"] * (at_zero["SVx"] + at_zero["Kx"] * at_zero["SHx"]), rel=1e-12
    )
    # to first order in the shift this is R0 Fx(κ = 0), without the reduction that shifts of other slips bring
    pure = float(tire(values, mode=1).steady(4000.0).fx)
    assert found == pytest.approx(EXAMPLE["UNLOADED_RADIUS"] * pure, rel=1e-3)


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("values", "terms"), [(FULL, {}), (COMPLETE, ALL_TERMS)])
def test_slopes_at_the_origin_are_the_declared_stiffnesses(values: dict[str, float], terms: dict[str, bool]) -> None:
    t = tire(values, mode=3, **terms)
    for load in (1000.0, 4000.0, 7000.0):
        for gamma in (0.0, 0.05):
            known = reference(values, load, 0, 0, gamma, mode=3)
            slope, error = derivative(lambda h, n=load, g=gamma, k=known: t.steady(n, -k["SHx"] + h, 0.0, g).fx, 1e-4)
            assert abs(slope - known["Kx"]) <= error + 1e-6 * known["Kx"]
            slope, error = derivative(lambda h, n=load, g=gamma, k=known: t.steady(n, 0.0, -k["SHy"] + h, g).fy, 1e-4)
            assert abs(slope - known["Ky"]) <= error + 1e-6 * abs(known["Ky"])


def test_aligning_stiffness_is_trail_times_cornering_stiffness() -> None:
    t = tire(symmetrised(EXAMPLE), mode=2)
    known = reference(symmetrised(EXAMPLE), 4000, 0, 0, 0)
    slope, _ = derivative(lambda h: t.steady(4000.0, 0.0, h).mz, 1e-4)
    assert slope > 0
    # without camber and shifts there is no residual torque
    assert slope == pytest.approx(-known["t0"] * known["Ky"], rel=1e-6)


def test_camber_stiffness_at_the_origin() -> None:
    values = symmetrised(EXAMPLE)
    t = tire(values, mode=2)
    for load in (2000.0, 4000.0, 6000.0):
        d = load / 4000 - 1
        ky0 = reference(values, load, 0, 0, 0)["Ky"]
        expected = values["PHY3"] * ky0 + load * (values["PVY3"] + values.get("PVY4", 0) * d)
        # one-sided: the stiffness of the tire has a kink in camber
        found = (t.steady(load, 0.0, 0.0, 1e-6).fy - t.steady(load, 0.0, 0.0, 0.0).fy) / 1e-6
        assert found == pytest.approx(expected, rel=1e-4)
        assert found < 0


@pytest.mark.parametrize(("values", "terms"), [(FULL, {}), (COMPLETE, ALL_TERMS)])
@given(point=points)
def test_a_symmetric_tire_equals_its_mirror_image(
    values: dict[str, float], terms: dict[str, bool], point: tuple[float, ...]
) -> None:
    load, kappa, alpha, gamma, mu = point
    t = tire(symmetrised(values), **terms)
    a, b = steady(t, load, kappa, alpha, gamma, mu), steady(t, load, kappa, -alpha, -gamma, mu)
    assert_close(b, a * [1, -1, -1, 1, -1], 1e-12 * (1 + load), NAMES)


def test_each_sided_coefficient_breaks_the_symmetry() -> None:
    """The list is complete and no longer than it must be."""
    t0 = symmetrised(FULL)
    for name in SIDED:
        t = tire({**t0, name: FULL.get(name) or 0.01})
        a, b = steady(t, 4000.0, 0.03, 0.05, 0.03), steady(t, 4000.0, 0.03, -0.05, -0.03)
        assert np.abs(b - a * [1, -1, -1, 1, -1]).max() > 1e-6, name


def test_mounting_on_the_other_side_mirrors() -> None:
    t = tire(FULL)
    left, right = (
        steady(t, 4000.0, 0.03, a, g, mounted=s) for a, g, s in ((0.05, 0.02, "left"), (-0.05, -0.02, "right"))
    )
    assert_close(right, left * [1, -1, -1, 1, -1], 1e-12 * 4000, NAMES)
    assert np.array_equal(left, steady(t, 4000.0, 0.03, 0.05, 0.02))


def test_signs() -> None:
    t = tire(symmetrised(EXAMPLE))
    assert t.steady(4000.0, 0.02).fx > 0
    small = t.steady(4000.0, 0.0, 0.02)
    assert small.fy < 0 < small.mz
    lean = t.steady(4000.0, 0.0, 0.0, 0.05)
    assert lean.fy < 0 and lean.mx < 0
    assert t.steady(4000.0, 0.0, -0.05).mx > 0, "Fy > 0 raises Mx"
    for spin in (-50.0, 50.0):
        assert t.steady(4000.0, 0.0, spin=spin).my * spin < 0


@given(point=points)
def test_pure_forces_stay_below_their_peaks(point: tuple[float, ...]) -> None:
    load, kappa, alpha, gamma, mu = point
    t = tire(FULL, mode=3)
    known = reference(FULL, load, kappa, alpha, gamma, mode=3, mu=mu)
    share = min(load / EXAMPLE["FZMIN"], 1.0)
    f = t.steady(load, kappa, alpha, gamma, mu)
    assert abs(f.fx - share * known["SVx"]) <= abs(known["Dx"]) * (1 + 1e-12)
    assert abs(f.fy - share * known["SVy"]) <= abs(known["Dy"]) * (1 + 1e-12)


def test_combined_slip_leaves_pure_forces_alone_without_the_other_slip() -> None:
    values = {**symmetrised(FULL), "RHY1": 0.0, "RHY2": 0.0, "RVY3": 0.0}
    both, pure = tire(values, mode=4), tire(values, mode=3)
    for kappa in (-0.3, -0.05, 0.02, 0.2):
        assert both.steady(4000.0, kappa).fx == pytest.approx(pure.steady(4000.0, kappa).fx, rel=1e-14)
    for alpha in (-0.3, -0.05, 0.02, 0.2):
        assert both.steady(4000.0, 0.0, alpha).fy == pytest.approx(pure.steady(4000.0, 0.0, alpha).fy, rel=1e-14)


def test_scaling_friction_scales_the_peak_and_not_the_slope() -> None:
    t, less = tire(symmetrised(EXAMPLE)), tire({**symmetrised(EXAMPLE), "LMUY": 0.8, "LMUX": 0.7})
    alpha, kappa = np.linspace(0, 0.5, 4001), np.linspace(0, 0.8, 4001)
    peaks = [(-x.steady(4000.0, 0.0, alpha).fy).max() for x in (t, less)]
    assert peaks[1] == pytest.approx(0.8 * peaks[0], rel=1e-6)
    peaks = [x.steady(4000.0, kappa).fx.max() for x in (t, less)]
    assert peaks[1] == pytest.approx(0.7 * peaks[0], rel=1e-3)  # PHX1 shifts the force that α = 0 leaves
    slopes = [x.model.at_load(x.values, 4000.0, 0.0) for x in (t, less)]
    assert slopes[0].slope_x == slopes[1].slope_x and slopes[0].slope_y == slopes[1].slope_y
    stiffer = tire({**symmetrised(EXAMPLE), "LKY": 1.2})
    assert stiffer.model.at_load(stiffer.values, 4000.0, 0.0).slope_y == pytest.approx(1.2 * slopes[0].slope_y)
    assert (-stiffer.steady(4000.0, 0.0, alpha).fy).max() == pytest.approx(
        (-t.steady(4000.0, 0.0, alpha).fy).max(), rel=1e-5
    )


def test_road_friction_is_a_scaling_of_both_directions() -> None:
    slippery, scaled = tire(FULL), tire({**FULL, "LMUX": 0.5 * FULL["LMUX"], "LMUY": 0.5 * FULL["LMUY"]})
    point = (3500.0, 0.04, -0.06, 0.02)
    assert_close(steady(slippery, *point, 0.5), steady(scaled, *point), 1e-10, NAMES)


def test_a_friction_factor_that_is_not_set_counts_as_one() -> None:
    assert total_friction(0.6, 0.0) == 0.6
    assert total_friction(0.6, 1e-6) == 0.6
    assert total_friction(0.6, 0.5) == 0.3


@pytest.mark.parametrize("mode", MODES)
def test_use_modes_give_what_they_promise(mode: int) -> None:
    forces = steady(tire(FULL, mode), 4000.0, 0.05, 0.04, 0.02)
    promised = {0: (), 1: ("fx", "my"), 2: ("fy", "mx", "mz"), 3: NAMES, 4: NAMES}[mode % 10]
    assert {n for n, f in zip(NAMES, forces, strict=True) if f} == set(promised)


def test_zero_and_negative_load_make_no_force() -> None:
    for load in (0.0, -500.0):
        assert not np.any(steady(tire(FULL), load, 0.2, -0.1, 0.05))


def test_forces_go_to_zero_with_the_load_and_are_continuous_at_the_ends_of_the_range() -> None:
    t = tire(FULL)
    low, high = EXAMPLE["FZMIN"], EXAMPLE["FZMAX"]
    at_low = steady(t, low, 0.05, 0.04, 0.01)
    assert_close(steady(t, 0.5 * low, 0.05, 0.04, 0.01), 0.5 * at_low, 1e-12 * low, NAMES)
    for edge in (low, high):
        step = steady(t, edge * (1 + 1e-9), 0.05, 0.04, 0.01) - steady(t, edge * (1 - 1e-9), 0.05, 0.04, 0.01)
        assert np.abs(step).max() < 1e-5 * edge
    assert np.array_equal(steady(t, 2 * high, 0.05, 0.04), steady(t, high, 0.05, 0.04))


def test_a_million_random_inputs_give_numbers() -> None:
    rng = np.random.default_rng(3)
    n = 500_000  # in each of two modes
    load, mu = rng.uniform(-2e3, 3e4, n), rng.uniform(0, 2, n)
    slips = rng.normal(0, 1, (3, n)) * rng.choice([1e-9, 1e-3, 1.0, 1e6], (3, n))
    vx = rng.normal(0, 1, n) * rng.choice([0.0, 1e-6, 1.0, 80.0], n)
    for mode in (4, 14):
        f = tire(FULL, mode).steady(load, *slips, mu, vx=vx, spin=vx / 0.3)
        assert all(np.all(np.isfinite(x)) for x in f)


@given(st.floats(1.11, 1.95), st.floats(-5, 0.94))
def test_the_peak_is_where_the_curve_is_flat(c: float, e: float) -> None:
    y = float(peak(c, e))
    assert c * math.atan(y - e * (y - math.atan(y))) == pytest.approx(math.pi / 2, rel=1e-9)


# --- low speed, reverse ----------------------------------------------------------------------------------------------


def test_steady_modes_fade_to_nothing_at_standstill() -> None:
    t = tire(FULL, mode=4)
    for part in ("fx", "fy", "my", "mz"):
        values = [
            abs(getattr(t.steady(4000.0, 0.05, 0.04, vx=v, spin=v / 0.3), part)) for v in (0.0, 0.2, 0.5, 0.9, 1.0)
        ]
        assert values[0] == 0.0
        assert values == sorted(values)
    full = steady(t, 4000.0, 0.05, 0.04, vx=1.0, spin=1.0 / 0.3)
    assert np.abs(full[:2] - steady(t, 4000.0, 0.05, 0.04)[:2]).max() < 1e-9


def test_trail_changes_side_in_reverse() -> None:
    values = {**symmetrised(EXAMPLE), "SSZ2": 0.0}
    t = tire(values)
    forward, back = (t.steady(4000.0, 0.0, 0.04, vx=v, spin=v / 0.3) for v in (10.0, -10.0))
    assert forward.fy == back.fy
    assert forward.mz == -back.mz


# --- derivatives, compiled code --------------------------------------------------------------------------------------


def symbolic(t: Any, *args: Any) -> Any:
    return ca.vertcat(*t.steady(*args))


@given(point=points)
@settings(max_examples=40)
def test_automatic_derivatives_are_those_of_finite_differences(point: tuple[float, ...]) -> None:
    load, kappa, alpha, gamma, mu = point
    # away from the kinks: ends of ranges, zero camber, zero slip (E jumps there), G >= 0
    x0 = np.array([np.clip(load, 400, 8500), 0.5 * kappa, 0.4 * alpha, 0.8 * gamma])
    x0[1:] += np.where(x0[1:] >= 0, 0.02, -0.02)
    x0[3] = np.clip(x0[3], -0.25, 0.25)
    t = tire(FULL)
    x = ca.SX.sym("x", 4)
    jacobian = ca.Function("j", [x], [ca.jacobian(symbolic(t, x[0], x[1], x[2], x[3], mu), x)])
    found = np.array(jacobian(x0))
    scale = np.array([100.0, 1e-3, 1e-3, 1e-3])
    for j in range(4):

        def along(h: float, j: int = j) -> np.ndarray:
            point = x0.copy()
            point[j] += h * scale[j]
            return steady(t, *point, mu)

        expected, error = derivative(along, h=0.125)
        wider, _ = derivative(along, h=1.0)  # differs where one of the model's own kinks (shifted slips) is close by
        assert_close(
            found[:, j] * scale[j], expected, error + np.abs(wider - expected) + 1e-6 * (1 + np.abs(expected)), NAMES
        )


def test_derivatives_exist_at_zero_slip_and_zero_load() -> None:
    """Statics and linearisation ask there."""
    t = tire(symmetrised(FULL))
    x = ca.SX.sym("x", 4)
    jacobian = ca.Function("j", [x], [ca.jacobian(symbolic(t, x[0], x[1], x[2], x[3]), x)])
    for load in (0.0, 100.0, 4000.0):
        assert np.all(np.isfinite(np.array(jacobian([load, 0, 0, 0]))))


def test_combined_forces_are_continuous_in_all_directions() -> None:
    t = tire(FULL)
    rng = np.random.default_rng(5)
    for _ in range(50):
        start, way = (
            rng.uniform([500, -0.9, -1, -0.25], [8000, 0.9, 1, 0.25]),
            rng.normal(0, 1, 4) * [1000, 0.1, 0.1, 0.02],
        )
        s = np.linspace(-1, 1, 2001)
        path = start[:, None] + way[:, None] * s
        for values in t.steady(*path):
            steps = np.abs(np.diff(values))
            assert steps.max() < 0.02 * (np.ptp(values) + 1.0), "a jump"


@pytest.mark.parametrize(
    ("mode", "variant", "lonslip", "terms"),
    [(4, "PAC2002", 0, {}), (14, "PAC2002", 0, {}), (13, "MF_05", 1, {}), (14, "PAC2002", 0, ALL_TERMS)],
)
def test_numbers_symbols_and_compiled_code_agree(mode: int, variant: str, lonslip: int, terms: dict[str, bool]) -> None:
    t = tire(COMPLETE if terms else FULL, mode, variant, lonslip=lonslip, **terms)
    names = inputs(t.model)
    system = System("compiled_tire")
    arguments = [system.input(name) for name in names]
    dummy = system.state("dummy")
    results = system.call(t.model.leaf(), {"x": arguments, **numbers_of(system, declare(system, t))})
    system.derivative(dummy, 0.0)
    for name, value in zip(outputs(t.model), results, strict=True):
        system.output(name, value)
    sim = compiled(system)
    x = ca.SX.sym("x", len(names))
    function = ca.Function(
        "f", [x], [ca.vertcat(*evaluate(t.model, t.values, dict(zip(names, ca.vertsplit(x), strict=True))))]
    )
    rng = np.random.default_rng(1)
    for _ in range(100):
        u = rng.uniform(
            [-0.005, -0.3, -0.2, -60, -5, -200, 0.2, -1, *([-2, -1, -1, -0.2, -0.2, 1e-4] if mode > 10 else [])],
            [0.06, 0.3, 0.2, 60, 5, 200, 1.2, 1, *([2, 1, 1, 0.2, 0.2, 1e-3] if mode > 10 else [])],
        )
        u[7] = np.sign(u[7])
        numbers = np.array([float(v) for v in evaluate(t.model, t.values, dict(zip(names, u, strict=True)))])
        scale = np.abs(numbers) + 1
        assert_close(np.array(function(u)).ravel(), numbers, 1e-12 * scale, outputs(t.model))
        assert_close(sim.outputs(u=u), numbers, 1e-12 * scale, outputs(t.model))


# --- vertical --------------------------------------------------------------------------------------------------------


def test_load_is_stiffness_times_deflection_and_never_tension() -> None:
    t = tire()
    assert t.load(0.02) == pytest.approx(4000)
    assert t.load(-0.01) == 0.0
    assert t.load(0.001, -10.0) == 0.0
    assert t.load(0.02, 0.5) == pytest.approx(4000 + 300 * 0.5)
    assert t.deflection(3000.0) == pytest.approx(0.015, rel=1e-9)


def test_touching_the_ground_makes_no_step_in_the_load() -> None:
    t = tire()
    rho = np.linspace(-0.004, 0.004, 8001)
    for rate in (-2.0, 2.0):
        load = t.load(rho, rate)
        assert np.all(load[rho <= 0] == 0), "the damper does not act in the air"
        # slope of spring and of the damper that sets in: 1.5 Kz rate / 2 mm
        assert np.diff(load).max() <= (2e5 + 1.5 * 300 * 2 / 0.002) * 1e-6 * 1.01


def test_effective_radius_lies_between_loaded_and_free_radius() -> None:
    t = tire()
    assert float(t.model.effective_radius(t.values, 0.02)) == pytest.approx(0.30426, abs=5e-6)
    for rho in np.linspace(0.01, 0.04, 7):  # below, the fitted law may undercut the loaded radius by a millimetre
        assert 0.3135 - rho < t.model.effective_radius(t.values, rho) < 0.3135
    assert t.model.effective_radius(t.values, -0.01) == 0.3135


def test_the_rim_meets_the_road() -> None:
    t = tire({**EXAMPLE, "BOTTOM_STIFF": 2e6, "BOTTOM_OFFST": 0.01})
    start = 0.3135 - 0.203 - 0.01
    assert t.load(start) == pytest.approx(2e5 * start)
    assert t.load(start + 0.005) == pytest.approx(2e5 * (start + 0.005) + 2e6 * 0.005)


def test_load_by_curves() -> None:
    from dataclasses import replace

    pen = np.linspace(0, 0.1, 11)
    curve = Table(pen, 1.5e5 * pen + 1e6 * pen**2, method="akima", extrapolation="linear")
    rim = Table([0.0, 0.02], [0.0, 3e4], extrapolation="linear")
    t = replace(tire(deflection_curve=True, bottoming_curve=True), curves={"deflection": curve, "bottoming": rim})
    assert t.load(0.03) == pytest.approx(1.5e5 * 0.03 + 1e6 * 0.0009, rel=1e-12)
    deep = 0.3135 - 0.203 + 0.01
    assert t.load(deep) == pytest.approx(float(curve(deep)) + 1.5e4, rel=1e-12)
    assert t.load(-0.01, 1.0) == 0.0
    with pytest.raises(ParameterError, match="curve 'deflection'"):
        t.model.vertical(t.values, 0.01, 0.0)


# --- declarations ----------------------------------------------------------------------------------------------------


def test_every_number_has_a_unit_and_a_meaning() -> None:
    assert len(BY_NAME) == len(COEFFICIENTS)
    for c in COEFFICIENTS:
        check_unit(c.unit, c.name)
        assert c.doc and c.name.isupper()
    assert set(SIDED) <= set(BY_NAME)
    for terms in ({}, ALL_TERMS):
        model = tire(**terms).model
        assert set(model.derived(tire().values)) == set(model.derived_docs)
        for name, (unit, doc) in model.derived_docs.items():
            check_unit(unit, name)
            assert doc


def test_wrong_structures_and_numbers_are_refused() -> None:
    with pytest.raises(ParameterError, match="use mode 5: unknown; allowed: 0, 1"):
        Pac2002(mode=5)
    with pytest.raises(ParameterError, match="variant 'PAC2003'"):
        Pac2002(variant="PAC2003")
    with pytest.raises(ParameterError, match="LONSLIP_MODE = 3"):
        Pac2002(lonslip=3)
    with pytest.raises(ParameterError, match="unknown number 'PKY9'; did you mean"):
        Pac2002().complete({**EXAMPLE, "PKY9": 1.0})
    with pytest.raises(ParameterError, match="no default: UNLOADED_RADIUS"):
        Pac2002().complete({})
    with pytest.raises(ParameterError, match="side = 'middle'"):
        tire().sign_on("middle")


@pytest.mark.parametrize("speed", [1.2, 40.0])
def test_without_a_spin_the_wheel_rolls_at_the_speed_of_measurement(speed: float) -> None:
    """Above VXLOW it rolls forwards with all of its resistance, however slowly that speed was."""
    t = tire({**FULL, "LONGVL": speed})
    rolling = t.steady(4000.0, 0.01, 0.02, vx=speed, spin=speed / FULL["UNLOADED_RADIUS"])
    assert t.steady(4000.0, 0.01, 0.02).my == pytest.approx(rolling.my, rel=1e-12)
    assert abs(rolling.my) > 1.0
