"""The tire rig: against the formulas at slow motion, closed forms of the lag, equilibria, conservation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator

from jounce.components.tire.pac2002 import symmetrised
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.files.tir import write_tir
from jounce.files.vtt import Signal, TireTest, constant, parse_vtt, read_vtt
from jounce.results.run import Run
from jounce.rigs.result_files import read_xml
from jounce.rigs.tire_bench import bench
from jounce.rigs.tire_rig import TireRig, structure_of, write_results
from jounce.sim.build import build
from tire_models import EXAMPLE, tire

CALM = {**symmetrised(EXAMPLE), "PHX1": 0.0}  # nothing pulls
R0, CZ = EXAMPLE["UNLOADED_RADIUS"], EXAMPLE["VERTICAL_STIFFNESS"]


@pytest.fixture(scope="module")
def rig() -> TireRig:
    return TireRig(tire(EXAMPLE))


@pytest.fixture(scope="module")
def calm() -> TireRig:
    return TireRig(tire(CALM))


def test_a_slow_longitudinal_sweep_is_the_static_curve(rig: TireRig) -> None:
    # the lag makes K σ/V dκ/dt: at 3/120 of slip per second 0.8 % of the peak
    run = rig.run(TireTest("LONGITUDINAL", preload=4000, speed=20, end=120))
    slip = run["tire.slip"]
    assert slip[0] == pytest.approx(0.0, abs=1e-9)
    assert slip.max() == pytest.approx(1.0, abs=1e-3) and slip.min() == pytest.approx(-1.0, abs=1e-3)
    fx = np.asarray(rig.tire.steady(4000.0, slip, vx=20.0).fx)
    assert np.abs(run["tire.fx"] - fx).max() < 0.01 * np.abs(fx).max()
    assert np.allclose(run["tire.fz"], 4000, rtol=1e-6)


def test_a_slow_lateral_sweep_is_the_static_curve_at_the_preload(rig: TireRig) -> None:
    # the lag of σ/V shifts the angle by its rate times some 30 ms: at most 2π·8/120 deg/s · 0.03 s, 0.2 % of the range
    run = rig.run(TireTest("LATERAL", preload=3500, speed=20, toe_amplitude=math.radians(8), end=120))
    angle = run["tire.slip_angle"]
    assert angle.max() > math.radians(7.9) and angle.min() < -math.radians(7.9)
    fy = np.asarray(rig.tire.steady(3500.0, 0.0, angle, vx=20.0).fy)
    assert np.abs(run["tire.fy"] - fy).max() < 0.02 * np.abs(fy).max()
    assert np.allclose(run["tire.fz"], 3500, rtol=1e-6)


def test_free_spin_rolls_without_torque(rig: TireRig) -> None:
    run = rig.run(TireTest("LATERAL", preload=4000, speed=20, toe_amplitude=math.radians(8), end=10))
    # all the torque there is turns the wheel, of 1 kg m², with the change of the rolling speed
    assert np.allclose(run["wheel.torque"][1:-1], np.gradient(run["wheel.spin"], run.time)[1:-1], atol=0.02)
    # about the spin axis: the force at the loaded radius balances the rolling moment
    balance = run["tire.fx"] * run["tire.loaded_radius"] - run["tire.my"]
    assert np.allclose(balance, -run["wheel.torque"], atol=1e-6)
    assert abs(balance.mean()) < 1e-3 * abs(run["tire.my"].mean())
    assert run["tire.fx"].mean() < 0


@pytest.mark.parametrize("longer", [1.0, 0.5])
def test_the_loop_is_as_wide_as_the_relaxation_length(calm: TireRig, longer: float) -> None:
    rig = TireRig(calm.tire.with_values(LSGAL=longer))
    amplitude, period, speed = math.radians(0.2), 4.0, 20.0
    run = rig.run(
        TireTest("LATERAL", preload=4000, speed=speed, toe_amplitude=amplitude, end=period, output_step=0.002)
    )
    at = rig.tire.at_load(4000.0)
    angle, force = run["tire.slip_angle"], run["tire.fy"]
    k = next(k for k in range(100, len(angle) - 100) if angle[k - 1] * angle[k] <= 0)
    share = angle[k - 1] / (angle[k - 1] - angle[k])
    end = float(force[-1])  # the other crossing is the end of the period
    width = abs(force[k - 1] + share * (force[k] - force[k - 1]) - end)
    # a lag of σ/V at the rate 2π A/T, once in each direction
    expected = 2 * abs(float(at.slope_y)) * amplitude * 2 * math.pi / period * float(at.sigma_alpha) / speed
    # second order of the lag, (ωσ/V)² = 0.002, and the bend of the curve
    assert width == pytest.approx(expected, rel=0.005)


def test_combined_holds_the_slip(rig: TireRig) -> None:
    run = rig.run(TireTest("COMBINED", preload=4000, speed=20, toe_amplitude=math.radians(10), slip=-0.05, end=20))
    assert np.abs(run["tire.slip"] + 0.05).max() < 1e-6
    assert np.abs(run["tire.kappa"] + 0.05).max() < 1e-3
    f = rig.tire.steady(4000.0, -0.05, run["tire.slip_angle"], vx=20.0)
    assert np.abs(run["tire.fx"] - f.fx).max() < 0.01 * np.abs(f.fx).max()


def test_cornering_stiffness_over_load(calm: TireRig) -> None:
    angle = math.radians(0.1)
    load = Signal("RAMP", {"F0": -2000.0, "F1": 2000.0, "T0": 1.0, "T1": 19.0})
    run = calm.run(TireTest("CORNERING_STIFFNESS", preload=4000, load=load, toe=constant(angle), speed=20, end=20))
    fz = run["tire.fz"]
    assert fz[0] == pytest.approx(2000, rel=1e-6) and fz[-1] == pytest.approx(6000, rel=1e-4)
    p = calm.tire.values
    stiffness = p["PKY1"] * p["FNOMIN"] * np.sin(2 * np.arctan(fz / (p["PKY2"] * p["FNOMIN"])))
    # the curve bends by parts in a thousand at 0.1 degree; the load changes within a relaxation length by as much
    assert np.allclose(run["tire.fy"] / -angle, stiffness, rtol=0.005)


def test_numbers_of_the_formulas_come_out_of_the_rig(rig: TireRig) -> None:
    """Reference values, computed apart from this package."""
    rows = [
        (4000, 0.05, 0, 0, 3450.487, -35.815, -1.123, 12.169),
        (4000, 0, 4, 0, -31.677, -3273.709, -102.631, 71.258),
        (4000, 0, 0, 4, -43.999, -207.846, -50.289, -4.684),
        (3000, -0.06, 3, -2, -2416.526, -1925.098, -28.849, 27.060),
        (6000, 0.10, -6, 3, 4486.055, 3834.791, 131.087, 28.354),
    ]
    for load, kappa, alpha, gamma, fx, fy, mx, mz in rows:
        test = TireTest(
            "CORNERING_STIFFNESS", preload=load, slip=kappa, camber=math.radians(gamma), speed=16.7, end=2.0,
            toe=constant(-math.radians(alpha)),
        )  # fmt: skip
        run = rig.run(test)
        found = [float(run[f"tire.{name}"][-1]) for name in ("fx", "fy", "mx", "mz")]
        # the table has three digits behind the point; the steady state is reached to parts in a million
        assert found == pytest.approx([fx, fy, mx, mz], abs=6e-3, rel=2e-6), (load, kappa, alpha, gamma)


FREE_INPUT = """[VIGRADE_HEADER]
FILE_TYPE = 'vtt'
[UNITS]
ANGLE = 'degrees'
[MODEL]
TIRE_PROPERTY_FILE = 'any.tir'
PRELOAD_CONSTANT = 3000
[SYSTEM]
INTEGRATION_STEP = 0.001
[ANALYSIS]
OUTPUT_PREFIX = 'free'
OUTPUT_STEP = 0.01
END_TIME = 1.0
VELOCITY = 20
TYPE = 'FREE_INPUT'
"""


def test_free_input_follows_its_functions(calm: TireRig) -> None:
    """Against the definitions, written out here; in the file phase and toe are in degrees."""
    text = (
        FREE_INPUT
        + """\
PRESCRIBED_ROTATION = 'TRUE'
(TOE)
TOE_FUNCTION_TYPE = 'SINE'
AMPL = 2
FREQ = 1.5
PHASE = 40
(PRELOAD)
PRELOAD_FUNCTION_TYPE = 'STEP'
F0 = -200
F1 = 1000
T0 = 0.25
T1 = 0.75
(WHEEL_OMEGA)
WHEEL_OMEGA_FUNCTION_TYPE = 'RAMP'
F0 = 3600
F1 = 4200
T0 = 0.2
T1 = 0.8
"""
    )
    run = calm.run(parse_vtt(text))
    t = run.time
    toe = math.radians(2) * np.sin(2 * math.pi * 1.5 * t + math.radians(40))
    part = np.clip((t - 0.25) / 0.5, 0, 1)
    load = -200 + 1200 * part**2 * (3 - 2 * part)
    spin = np.radians(3600 + 600 * np.clip((t - 0.2) / 0.6, 0, 1))
    assert np.allclose(run["wheel.toe"], toe, rtol=0, atol=1e-12)
    assert np.allclose(run["wheel.spin"], spin, rtol=0, atol=1e-9)
    assert np.allclose(run["preload"], 3000 + load, rtol=0, atol=1e-9), "added to the constant"
    assert np.allclose(run["tire.slip_angle"], -toe, rtol=0, atol=1e-12)
    assert run["tire.fz"][-1] == pytest.approx(4000, rel=1e-3)
    push = Signal("RAMP", {"F0": 0.0, "F1": -900.0, "T0": 0.25, "T1": 0.75})
    with pytest.raises(ParameterError, match="the rig only pushes"):
        calm.run(TireTest("FREE_INPUT", preload=500, speed=20, load=push))


def test_free_input_by_points(calm: TireRig) -> None:
    """USER: through its points, straight where they are, held beyond the first and the last."""
    text = (
        FREE_INPUT
        + """\
(TOE)
TOE_FUNCTION_TYPE = 'USER'
SPLINE_NAME = 'toes'
(PRELOAD)
PRELOAD_FUNCTION_TYPE = 'USER'
SPLINE_NAME = 'loads'
[TOES]
X_DATA = 'TIME'
Y_DATA = 'ANGLE'
(VALUES)
{x y}
0.1 0
0.3 2
0.5 -1
0.9 3
[LOADS]
X_DATA = 'TIME'
Y_DATA = 'FORCE'
(VALUES)
{x y}
0.2 100
0.4 300
0.6 500
0.8 700
"""
    )
    run = calm.run(parse_vtt(text))
    t = run.time

    def at(*instants: float) -> list[int]:
        return [int(np.argmin(np.abs(t - x))) for x in instants]

    assert np.allclose(run["preload"], 3000 + np.clip(1000 * t - 100, 100, 700), rtol=0, atol=1e-8)
    knots = np.degrees(run["wheel.toe"][at(0.05, 0.1, 0.3, 0.5, 0.9, 1.0)])
    assert np.allclose(knots, [0, 0, 2, -1, 3, 3], rtol=0, atol=1e-9)
    akima = Akima1DInterpolator([0.1, 0.3, 0.5, 0.9], [0.0, 2.0, -1.0, 3.0])
    assert np.allclose(np.degrees(run["wheel.toe"]), akima(np.clip(t, 0.1, 0.9)), rtol=0, atol=1e-9), "in between"


def test_a_wheel_let_go_in_the_air_falls_freely_and_keeps_its_momentum(calm: TireRig) -> None:
    body = {"MASS": 20.0, "IXX": 0.6, "IYY": 1.0, "IZZ": 0.6, "Z": 1.5, "VX": 5.0, "VY": 1.0, "WY": 10.0}
    run = calm.run(TireTest("SIX_DOF", body=body, end=0.4, step=1e-3, output_step=1e-2))
    assert np.all(run["tire.fz"] == 0)
    assert np.allclose(run["hub.vx"], 5) and np.allclose(run["hub.vy"], 1) and np.allclose(run["wheel.spin"], 10)
    # AB-2 is exact for a constant acceleration but for its first step
    assert np.allclose(run["hub.vz"], -GRAVITY * run.time, atol=1e-9)
    assert np.allclose(run["hub.height"], 1.5 - 0.5 * GRAVITY * run.time**2, atol=1e-4)


def test_a_dropped_wheel_loses_energy_only(calm: TireRig) -> None:
    body = {"MASS": 20.0, "IXX": 0.6, "IYY": 1.0, "IZZ": 0.6, "Z": R0 + 0.05, "VX": 5.0, "WY": 0.0}
    run = calm.run(TireTest("SIX_DOF", body=body, end=1.5, step=1e-4, output_step=1e-3))
    assert run["tire.fz"].max() > 20 * GRAVITY
    assert run["wheel.spin"][-1] == pytest.approx(run["hub.vx"][-1] / 0.31, rel=0.05), "it rolls in the end"
    vertical = 0.5 * CZ * np.maximum(run["tire.deflection"], 0) ** 2
    total = run["kinetic_energy"] + run["potential_energy"] + vertical
    # it rises only by what the springs of the contact give back: σ ∫ Fx dκ where the rise begins
    rise = total - np.minimum.accumulate(total)
    top = int(np.argmax(rise))
    low = int(np.argmin(total[: top + 1]))
    load, slip = float(run["tire.fz"][low]), np.linspace(0.0, float(run["tire.kappa"][low]), 2000)
    force = np.asarray(calm.tire.steady(load, slip, vx=5.0).fx)
    elastic = float(calm.tire.at_load(load).sigma_kappa) * float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(slip)))
    assert 1.0 < rise[top] < elastic < 0.04 * total[0]
    assert total[-1] < 0.9 * total[0]


def test_energy_of_a_dropped_wheel_is_the_work_of_the_contact(calm: TireRig) -> None:
    """dE/dt = Fx (vx - Ω r) + Fz vz + My Ω: force at the loaded radius r, moment on the wheel; no side force here."""
    body = {"MASS": 20.0, "IXX": 0.6, "IYY": 1.0, "IZZ": 0.6, "Z": R0 + 0.05, "VX": 5.0, "WY": 0.0}
    errors = []
    for step in (2e-4, 1e-4):
        run = calm.run(TireTest("SIX_DOF", body=body, end=1.5, step=step, output_step=step))
        assert np.all(run["tire.fy"] == 0)
        energy, spin = run["kinetic_energy"] + run["potential_energy"], run["wheel.spin"]
        power = run["tire.fx"] * (run["hub.vx"] - spin * run["tire.loaded_radius"])
        power = power + run["tire.fz"] * run["hub.vz"] + run["tire.my"] * spin
        work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * step)])
        errors.append(float(np.abs(energy - energy[0] - work).max()))
    assert energy[0] - energy[-1] > 100.0
    assert errors[1] < 0.05 and errors[1] < 0.3 * errors[0], "of second order in the step"


def test_a_locked_height_stays_and_is_that_of_the_equilibrium_when_not_given(calm: TireRig) -> None:
    body = {"MASS": 380.0, "IYY": 1.0, "VX": 10.0}
    run = calm.run(TireTest("Z_LOCKED", body=body, end=0.5))
    assert np.ptp(run["hub.height"]) == 0
    assert np.allclose(run["tire.fz"], 380 * GRAVITY, rtol=1e-6)
    given = calm.run(TireTest("Z_LOCKED", body={**body, "Z": 0.3, "VY": 0.2, "VZ": 1.0, "WY": 0.0}, end=1.0))
    assert np.allclose(given["hub.height"], 0.3)
    assert given["tire.slip_angle"][-1] == pytest.approx(math.atan(0.02))
    assert given["wheel.spin"][0] == 0 and given["wheel.spin"][-1] == pytest.approx(10 / 0.306, rel=0.02)
    assert any("VZ" in w for w in given.warnings)


def test_vertical_stiffness(calm: TireRig) -> None:
    found = calm.vertical_stiffness()
    middle = slice(20, -20)
    assert np.allclose(found.rate[middle], CZ, rtol=1e-3)
    # the damper of the hub lags by 14 ms behind a load that grows by 760 N/s
    assert found.load[-1] == pytest.approx(2 * EXAMPLE["FNOMIN"] - 0.014 * 760, rel=1e-3)


def test_relaxation_length_is_measured(calm: TireRig) -> None:
    for load in (2500.0, 4000.0):
        found = calm.relaxation(load)
        # the way is read to a two-thousandth, and the curve bends by as much at this angle
        assert found.length == pytest.approx(float(calm.tire.at_load(load).sigma_alpha), rel=2e-3)


def test_frequency_response_is_that_of_a_lag_of_first_order(calm: TireRig) -> None:
    speed = 15.0
    found = calm.frequency_response(4000.0, speed=speed)
    at = calm.tire.at_load(4000.0)
    w = 2 * np.pi * found.frequency * float(at.sigma_alpha) / speed
    use = found.frequency > 0.8  # below, the sweep has only just begun
    # a band of 0.2 Hz and the fading in and out: parts in a hundred
    assert np.allclose(found.gain[use] * np.hypot(1, w[use]), abs(float(at.slope_y)), rtol=0.01)
    assert np.allclose(found.phase[use], -np.arctan(w[use]), atol=0.01)


def test_a_cleat_pushes_the_wheel(calm: TireRig) -> None:
    run = calm.cleat(speed=10.0)
    x, fz = run["hub.x"], run["tire.fz"]
    assert np.allclose(fz[x < 49], EXAMPLE["FNOMIN"], rtol=1e-6)
    # a bar of 20 mm lifts the effective plane by that at most
    assert EXAMPLE["FNOMIN"] + 0.5 * 0.02 * CZ < fz.max() < EXAMPLE["FNOMIN"] + 1.1 * 0.02 * CZ
    assert abs(x[np.argmax(fz)] - 50) < 0.2
    assert np.ptp(run["wheel.spin"]) > 0.01


def test_sides(rig: TireRig) -> None:
    options = {"preload": 4000, "speed": 20, "toe_amplitude": 0.1, "end": 4.0}
    left, right, mirrored, symmetric = (
        rig.run(TireTest("LATERAL", side=side, **options)) for side in ("LEFT", "RIGHT", "MIRRORED", "SYMMETRIC")
    )
    assert abs(left["tire.fy"][0]) > 10  # it pulls
    assert np.array_equal(right["tire.fy"], mirrored["tire.fy"]), "it was measured on the left"
    # mirrored: the same at the opposite angle, half a period later
    half = len(left) // 2
    # after the lag of the start, 20 relaxation times
    assert np.allclose(right["tire.fy"][half + 60 :], -left["tire.fy"][60 : len(left) - half], atol=1e-3)
    assert abs(symmetric["tire.fy"][0]) < 1e-6


def test_a_finer_step_changes_little(calm: TireRig) -> None:
    runs = [
        calm.run(TireTest("LATERAL", preload=4000, speed=20, toe_amplitude=0.1, end=2.0, step=step))
        for step in (2e-3, 1e-3, 5e-4)
    ]
    errors = [np.abs(run["tire.fy"] - runs[-1]["tire.fy"]).max() for run in runs[:2]]
    assert errors[1] < 0.5 * errors[0]
    assert errors[0] < 1e-3 * np.abs(runs[-1]["tire.fy"]).max()


def test_a_step_of_its_own_for_the_tire_converges_to_the_whole(rig: TireRig) -> None:
    options = {"preload": 4000, "speed": 20, "toe_amplitude": 0.1, "end": 1.0, "output_step": 0.02}
    exact = rig.run(TireTest("LATERAL", step=1e-4, **options))

    def error(step: float, tire_step: float) -> float:
        run = rig.run(TireTest("LATERAL", step=step, tire_step=tire_step, **options))
        assert not run.warnings
        return float(np.abs(run["tire.fy"] - exact["tire.fy"]).max())

    whole = [error(h, h) for h in (4e-3, 2e-3, 1e-3)]
    # explicit Euler: the error goes with the step, and what is left beyond that with its square
    assert whole[0] / whole[1] == pytest.approx(2, rel=0.1) and whole[1] / whole[2] == pytest.approx(2, rel=0.05)
    # the small step alone counts, as long as the rig is much more exact (its error: second order)
    assert error(4e-3, 1e-3) == pytest.approx(whole[2], rel=0.02)
    assert error(4e-3, 2.5e-4) == pytest.approx(whole[2] / 4, rel=0.05)


def test_a_step_of_its_own_for_the_tire_is_made_to_fit_and_limited(rig: TireRig) -> None:
    options = {"preload": 4000, "speed": 20, "toe_amplitude": 0.1, "end": 0.1, "step": 1e-3}
    run = rig.run(TireTest("LATERAL", tire_step=4e-4, **options))
    assert any("0.000333333 s instead of 0.0004 s" in w for w in run.warnings)
    run = rig.run(TireTest("LATERAL", tire_step=4e-3, **options))
    assert any("0.001 s instead of 0.004 s" in w for w in run.warnings)
    with pytest.raises(ParameterError, match="1000 steps of the tire in one of the rig"):
        rig.run(TireTest("LATERAL", tire_step=1e-6, **options))
    with pytest.raises(ParameterError, match="tire_step = 0"):
        TireTest("LATERAL", tire_step=0.0)


@pytest.mark.parametrize("kind", ["LONGITUDINAL", "SIX_DOF", "Z_LOCKED"])
def test_every_mechanism_takes_a_step_of_its_own_for_the_tire(rig: TireRig, kind: str) -> None:
    body = {"MASS": 380.0, "IXX": 10.0, "IYY": 1.0, "IZZ": 10.0, "Z": 0.295, "VX": 5.0, "VY": 0.2, "WY": 10.0}
    options = {"preload": 4000, "speed": 20, "end": 0.5, "output_step": 0.01, "body": body}
    exact = rig.run(TireTest(kind, step=2.5e-5, **options))["tire.fx"]
    errors = [
        float(np.abs(rig.run(TireTest(kind, step=h, tire_step=h / 20, **options))["tire.fx"] - exact).max())
        for h in (1e-3, 5e-4, 2.5e-4)
    ]
    # of first order at least, where nothing but the two integrators differs
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1]
    assert errors[2] < 0.01 * np.abs(exact).max()


def test_results_are_the_same_in_every_format(calm: TireRig, tmp_path: Path) -> None:
    run = calm.run(TireTest("LATERAL", name="same", preload=4000, speed=20, toe_amplitude=0.1, end=0.5))
    paths = write_results(run, tmp_path, ("xml", "csv", "tab", "mat", "parquet"))
    assert {p.name for p in paths} == {f"same{e}" for e in (".xml", ".csv", ".tab", ".mat", ".parquet")}
    table = np.column_stack([run[name] for name in run.names])
    assert len({column.tobytes() for column in table.T}) > 15, "columns that could be exchanged would show"
    for path in paths:
        if path.suffix == ".tab":
            lines = path.read_text().splitlines()
            assert lines[0].split("\t") == ["time", *run.names]
            assert lines[1].split("\t") == ["s", *(run.unit(name) for name in run.names)]
            values = np.array([[float(x) for x in line.split("\t")] for line in lines[2:]])
            assert np.array_equal(values, np.column_stack([run.time, table]))
            continue
        again = read_xml(path) if path.suffix == ".xml" else Run.read(path)
        assert sorted(again.names) == sorted(run.names) and np.array_equal(again.time, run.time)
        for name in run.names:
            assert np.array_equal(again[name], run[name]), (path.suffix, name)
            assert again.unit(name) == run.unit(name), (path.suffix, name)
    with pytest.raises(ParameterError, match="format 'doc'"):
        write_results(run, tmp_path, ("doc",))


def test_a_file_runs(calm: TireRig, tmp_path: Path) -> None:
    write_tir(tmp_path / "calm.tir", calm.tire)
    text = """[VIGRADE_HEADER]
FILE_TYPE = 'vtt'
[UNITS]
ANGLE = 'degrees'
[MODEL]
TIRE_PROPERTY_FILE = 'calm.tir'
PRELOAD_CONSTANT = 4000
[SYSTEM]
INTEGRATION_STEP = 0.001
[ANALYSIS]
OUTPUT_PREFIX = 'lat'
OUTPUT_STEP = 0.01
INTIAL_TIME = 1
END_TIME = 3
VELOCITY = 20
TYPE = 'LATERAL'
TOE_AMPLITUDE = 6
"""
    (tmp_path / "lat.vtt").write_text(text)
    test = read_vtt(tmp_path / "lat.vtt")
    run = TireRig(test.tire).run(test)
    assert run.time[0] == 1.0 and run.time[-1] == pytest.approx(3.0)
    assert run["wheel.toe"].max() == pytest.approx(math.radians(6), rel=1e-3)
    assert run["wheel.toe"][0] == 0
    assert run.label == "lat" and run.complete


FREE_PARTS = {
    "LONGITUDINAL": ("", {"z.rate"}),
    "LATERAL": ("TOE_AMPLITUDE = 5", {"z.rate", "wheel.spin"}),
    "COMBINED": ("TOE_AMPLITUDE = 5\nLONG_SLIP = 5", {"z.rate"}),
    "CORNERING_STIFFNESS": (
        "TOE_VALUE = 1\n(PRELOAD)\nPRELOAD_FUNCTION_TYPE = 'RAMP'\nF0 = -500\nF1 = 500\nT0 = 0\nT1 = 0.2",
        {"z.rate"},
    ),
    "FREE_INPUT": ("(TOE)\nTOE_FUNCTION_TYPE = 'SINE'\nAMPL = 2\nFREQ = 2", {"z.rate", "wheel.spin"}),
    "SIX_DOF": (
        "[SIX_DOF]\nMASS = 380\nIXX = 10\nIYY = 1\nIZZ = 10\nZ = 0.3\nVX = 5\nVY = 1",
        {"x.rate", "y.rate", "z.rate", "yaw.rate", "roll.rate", "wheel.spin"},
    ),
    "Z_LOCKED": ("[Z_LOCKED]\nMASS = 380\nIYY = 1\nVX = 5", {"wheel.spin"}),
}


@pytest.mark.parametrize("kind", FREE_PARTS)
def test_every_kind_of_file_runs_with_its_degrees_of_freedom(calm: TireRig, kind: str, tmp_path: Path) -> None:
    keys, free = FREE_PARTS[kind]
    text = f"""[VIGRADE_HEADER]
FILE_TYPE = 'vtt'
[UNITS]
ANGLE = 'degrees'
[MODEL]
TIRE_PROPERTY_FILE = 'calm.tir'
PRELOAD_CONSTANT = 4000
[SYSTEM]
INTEGRATION_STEP = 0.0005
[ANALYSIS]
OUTPUT_PREFIX = '{kind.lower()}'
OUTPUT_STEP = 0.01
END_TIME = 0.2
VELOCITY = 20
TYPE = '{kind}'
{keys}
"""
    (tmp_path / "a.vtt").write_text(text)
    test = read_vtt(tmp_path / "a.vtt")
    run = calm.run(test)
    assert run.complete and len(run) == 21
    assert np.all(np.isfinite(run["tire.fy"]))
    states = {v.name for v in build(bench(calm.tire, structure_of(test))).model.states}
    positions = {"z.travel", "x.travel", "y.travel", "yaw.angle", "roll.angle"}
    assert states - positions == free | {"tire.u", "tire.v", "tire.rolled", "tire.twist"}


def test_sweeps_over_loads_and_cambers(calm: TireRig) -> None:
    runs = calm.sweep("LATERAL", loads=("2 kN", 4000.0), cambers=(0.0, "2 deg"), end=2.0)
    assert [round(float(run["tire.fz"][0])) for run in runs] == [2000, 2000, 4000, 4000]
    assert runs[1]["tire.gamma"][0] == pytest.approx(math.radians(2))
    assert len({run.label for run in runs}) == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["example_mf61", "example_mf62", "example_pac_mc", "example_fiala"])
def test_all_families_run_on_the_rig(name: str) -> None:
    rig = TireRig(name)
    load = float(rig.tire.values["FNOMIN"])
    run = rig.run(TireTest("LATERAL", preload=load, speed=20, toe_amplitude=0.1, end=20))
    fy = np.asarray(rig.tire.steady(load, run["tire.slip"], run["tire.slip_angle"], vx=20.0).fy)
    assert np.abs(run["tire.fy"] - fy).max() < 0.02 * np.abs(fy).max()
    slip = rig.run(TireTest("LONGITUDINAL", preload=load, speed=20, end=10))
    assert np.all(np.isfinite(slip["tire.fx"]))
