"""Outside tires on the rig: one tire as a Python and as a C function does every test, as its formulas say."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.components.tire.external import Answer, Wheel, external_tire, load_library
from jounce.components.tire.linear import Linear
from jounce.components.tire.sti import library_tire
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError, SimulationError
from jounce.files.vtt import Signal, TireTest, constant
from jounce.rigs.tire_rig import TireRig
from jounce.runtime.compile import RUNTIME, library_path
from user_tires import compile_tire

R0, CZ, KZ, CX, CY, SIGMA = 0.32, 2e5, 500.0, 6e4, 5e4, 0.4
TIRE = external_tire(R0, states=(("v", "m"),), name="outside")


def forces(w: Wheel) -> Answer:
    """A spring, forces that end at the load, and a lateral lag over SIGMA; for wheels that stand upright."""
    rho = R0 - w.height
    load = max(CZ * rho - KZ * w.velocity[2], 0.0) if rho > 0 else 0.0
    vx, vy, v = w.velocity[0], w.velocity[1], w.states[0]
    kappa = (w.spin * (R0 - max(rho, 0.0) / 3) - vx) / max(abs(vx), 0.1)
    fx = load * math.tanh(CX * kappa / load) if load else 0.0
    fy = -load * math.tanh(CY * v / SIGMA / load) if load else 0.0
    return Answer([fx, fy, load], [w.height * fy, -w.height * fx, 0.0], [vy - abs(vx) * v / SIGMA])


SOURCE = """
#include <math.h>
#include "jounce_tire.h"

static void outside(void *context, const double *in, double *out)
{
    const double r0 = 0.32, sigma = 0.4;
    const double *numbers = context;
    const double stiffness = numbers ? numbers[0] : 2.0e5, slower = numbers ? numbers[1] : 1.0;
    const double h = in[JT_HEIGHT], rho = r0 - h, vx = in[JT_VELOCITY], vy = in[JT_VELOCITY + 1], v = in[JT_STATES];
    const double sum = rho > 0.0 ? stiffness * rho - 500.0 * in[JT_VELOCITY + 2] : 0.0;
    const double load = sum > 0.0 ? sum : 0.0;
    const double kappa = (in[JT_SPIN] * (r0 - (rho > 0.0 ? rho : 0.0) / 3) - vx) / fmax(fabs(vx), 0.1);
    const double fx = load > 0.0 ? load * tanh(6.0e4 * kappa / load) : 0.0;
    const double fy = load > 0.0 ? -load * tanh(5.0e4 * v / sigma / load) : 0.0;
    out[JT_FORCE] = fx;
    out[JT_FORCE + 1] = fy;
    out[JT_FORCE + 2] = load;
    out[JT_MOMENT] = h * fy;
    out[JT_MOMENT + 1] = -h * fx;
    out[JT_MOMENT + 2] = 0.0;
    out[JT_RATES] = (vy - fabs(vx) * v / sigma) / slower;
}
JOUNCE_TIRE(outside, 1, 0)
"""


@pytest.fixture(scope="module")
def library() -> Any:
    header = (RUNTIME / "jounce_tire.h").read_text(encoding="utf-8")
    path = library_path({"outside.c": SOURCE, "jounce_tire.h": header}, name="outside", runtime=RUNTIME)
    return load_library(Path(path), "outside_jounce")


@pytest.fixture(scope="module")
def python() -> TireRig:
    return TireRig(TIRE, forces)


@pytest.fixture(scope="module")
def c(library: Any) -> TireRig:
    return TireRig(TIRE, library[1])


BODY = {"MASS": 300.0, "IXX": 10.0, "IYY": 1.0, "IZZ": 10.0, "VX": 5.0}
RAMP = Signal("RAMP", {"F0": -500.0, "F1": 500.0, "T0": 0.0, "T1": 0.3})
TESTS = {
    "LONGITUDINAL": {},
    "LATERAL": {"toe_amplitude": 0.05},
    "COMBINED": {"toe_amplitude": 0.05, "slip": -0.02},
    "CORNERING_STIFFNESS": {"toe": constant(0.01), "load": RAMP},
    "FREE_INPUT": {"toe": Signal("SINE", {"AMPL": 0.02, "FREQ": 4.0, "PHASE": 0.0})},
    "SIX_DOF": {"body": BODY},
    "Z_LOCKED": {"body": BODY},
}


@pytest.mark.parametrize("kind", TESTS)
def test_every_test_gives_the_same_in_python_and_in_c(python: TireRig, c: TireRig, kind: str) -> None:
    preload = 0.0 if "body" in TESTS[kind] else 3000.0
    test = TireTest(kind, preload=preload, speed=15, end=0.3, step=5e-4, **TESTS[kind])
    slow, fast = python.run(test), c.run(test)
    assert slow.complete and fast.complete
    for name in ("tire.fx", "tire.fy", "tire.fz", "wheel.spin"):
        scale = max(float(np.abs(slow[name]).max()), 1.0)
        assert np.allclose(slow[name], fast[name], atol=1e-9 * scale), name
    start = BODY["MASS"] * GRAVITY if "body" in TESTS[kind] else 2500.0 if "load" in TESTS[kind] else 3000.0
    # it begins in the equilibrium that the rig finds by asking the tire
    assert fast["tire.fz"][0] == pytest.approx(start, rel=1e-9)
    assert fast["tire.deflection"][0] == pytest.approx(start / CZ, rel=1e-9)


def test_forces_are_those_of_the_formulas(c: TireRig) -> None:
    run = c.run(TireTest("LONGITUDINAL", preload=3000, speed=15, end=10))
    fx = 3000 * np.tanh(CX * run["tire.slip"] / 3000)
    assert np.allclose(run["tire.fx"], fx, atol=1e-6 * 3000)
    assert run["tire.slip"].max() == pytest.approx(1.0, abs=2e-3)
    held = c.run(TireTest("COMBINED", preload=3000, speed=15, slip=-0.05, toe_amplitude=0.05, end=2))
    assert np.allclose(held["tire.slip"], -0.05, atol=1e-9)
    assert np.allclose(held["tire.mz"], 0, atol=1e-6), "all forces act in the contact point"


def test_usual_tests(c: TireRig) -> None:
    # the way to 1 - 1/e is read to a two-thousandth
    assert c.relaxation(3000, speed=10).length == pytest.approx(SIGMA, rel=2e-3)
    stiffness = c.vertical_stiffness(6000)
    assert np.allclose(stiffness.rate[20:-20], CZ, rtol=1e-3)
    response = c.frequency_response(3000, speed=15)
    w = 2 * np.pi * response.frequency * SIGMA / 15
    use = response.frequency > 0.8
    # as for tires with formulas: a band of 0.2 Hz
    assert np.allclose(response.gain[use] * np.hypot(1, w[use]), CY, rtol=0.01)
    bump = c.cleat(load=3000)
    assert bump["tire.fz"].max() > 3000 + 0.5 * 0.02 * CZ
    runs = c.sweep("LATERAL", loads=(2000, 4000), end=1.0)
    assert [round(float(r["tire.fz"][0])) for r in runs] == [2000, 4000]


def test_a_longer_relaxation_than_guessed_is_found(library: Any) -> None:
    numbers = (ctypes.c_double * 2)(CZ, 4.0)  # a quarter of the rate: four times the way
    rig = TireRig(TIRE, (library[1], ctypes.addressof(numbers)))
    assert rig.relaxation(3000, speed=10).length == pytest.approx(4 * SIGMA, rel=2e-3)


def test_context_and_exchange_at_steps(library: Any) -> None:
    softer = (ctypes.c_double * 2)(1e5, 1.0)
    rig = TireRig(TIRE, (library[1], ctypes.addressof(softer)))
    run = rig.run(TireTest("LATERAL", preload=3000, speed=15, toe_amplitude=0.02, end=0.1))
    assert run["tire.deflection"][0] == pytest.approx(3000 / 1e5, rel=1e-6)

    class Spring:
        calls = 0

        def __call__(self, w: Wheel) -> Answer:
            self.calls += 1
            return Answer([0.0, -CY * w.velocity[1] / max(abs(w.velocity[0]), 0.1), CZ * (R0 - w.height)], [0, 0, 0])

    at_steps = TireRig(external_tire(R0, exchange="step", name="memory"), Spring())
    run = at_steps.run(TireTest("LATERAL", preload=3000, speed=15, toe_amplitude=0.02, end=1.0, step=5e-4))
    assert run.complete and run["tire.fz"][0] == pytest.approx(3000, rel=1e-3)
    # what a block gives acts a step later: 0.5 ms of a sine of 1 s
    expected = CY * np.tan(0.02 * np.sin(2 * np.pi * run.time))
    assert np.allclose(run["tire.fy"][2:], expected[2:], atol=CY * 0.02 * 2 * np.pi * 2e-3)


def test_what_an_outside_tire_cannot_do_is_told() -> None:
    with pytest.raises(ParameterError, match="give its function"):
        TireRig(TIRE).run(TireTest("LATERAL", preload=3000))
    with pytest.raises(ParameterError, match="no nominal load; say the load"):
        TireRig(TIRE, forces).sweep()
    with pytest.raises(ParameterError, match="side = 'MIRRORED'"):
        TireRig(TIRE, forces).run(TireTest("LATERAL", preload=3000, side="MIRRORED"))
    with pytest.raises(ParameterError, match="it carries 32000 N, not 90000 N"):
        TireRig(TIRE, forces).run(TireTest("LATERAL", preload=90000))

    def broken(w: Wheel) -> Answer:
        raise ValueError("no such tire")

    with pytest.raises((SimulationError, ParameterError), match="no such tire"):
        TireRig(TIRE, broken).run(TireTest("LATERAL", preload=3000))


@pytest.mark.parametrize("kind", ["LATERAL", "FREE_INPUT", "SIX_DOF", "Z_LOCKED"])
def test_a_tire_of_another_program_gives_the_results_of_the_native_one(linear: Path, kind: str) -> None:
    """STI, from a library: the rig binds it by itself."""
    values = {"UNLOADED_RADIUS": R0, "VERTICAL_STIFFNESS": CZ, "VERTICAL_DAMPING": 2000.0, "FNOMIN": 4000.0,
              "CSLIP": 6e4, "CALPHA": 5e4, "FRICTION": 0.9, "FZMIN": 1.0, "FREFF": 0.3}  # fmt: skip
    model = Linear(mode=4)
    native = TireRig(Tire(model, model.complete(values), side="symmetric"))
    theirs = TireRig(library_tire(linear, "linear_sti", interface="STI", radius=R0))
    options = {"body": {**BODY, "WY": 15.0}} if "body" in TESTS[kind] else {**TESTS[kind], "preload": 3000.0}
    test = TireTest(kind, speed=15, end=0.3, step=5e-4, **options)
    a, b = native.run(test), theirs.run(test)
    for name in ("tire.fx", "tire.fy", "tire.fz", "wheel.spin"):
        scale = max(float(np.abs(a[name]).max()), 1.0)
        # a free wheel settles for longer with a tire that nobody knows; the rest is rounding
        assert np.allclose(a[name], b[name], atol=1e-5 * scale), name


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_tire("spring", tmp_path_factory.mktemp("tires"))


# --- the effective radius --------------------------------------------------------------------------------------------

SLIPS = (-0.01, 0.01)  # times 6e4 N, below the friction of 0.9 times 4000 N


def test_slip_is_related_to_the_radius_that_a_tire_tells(linear: Path) -> None:
    """The tire rolls with R0 - 0.3 ρ, has Fx = 6e4 κ, and says its own κ."""
    told = library_tire(linear, "linear_sti", interface="STI", radius=R0, parameters=(1.0,))
    for slip in SLIPS:
        run = TireRig(told).run(point(slip))
        assert run["tire.slip"][-1] == pytest.approx(slip, abs=1e-9)
        assert run["tire.map.kappa"][-1] == pytest.approx(slip, abs=1e-9)
        assert run["tire.fx"][-1] == pytest.approx(6e4 * slip, abs=6e4 * 1e-9)
        assert not run.warnings
    free = TireRig(told).run(TireTest("LATERAL", preload=4000, speed=20, end=0.2))
    # begins rolling freely: nothing drives or brakes it
    assert abs(free["tire.fx"][0]) < 1e-6 * 4000


def test_a_radius_that_is_not_told_is_assumed_and_said(linear: Path) -> None:
    silent = library_tire(linear, "linear_sti", interface="STI", radius=R0)
    run = TireRig(silent).run(point(0.01))
    rho = run["tire.deflection"][-1]
    # imposed with R0 - ρ/3, seen by the tire with R0 - 0.3 ρ
    seen = 1.01 * (R0 - 0.3 * rho) / (R0 - rho / 3) - 1
    assert run["tire.map.kappa"][-1] == pytest.approx(seen, abs=1e-9)
    assert any("does not tell its effective radius" in w and "RADIUS_DROP" in w for w in run.warnings)
    rolling = TireRig(silent).run(TireTest("LATERAL", preload=4000, speed=20, end=0.2))
    assert any("does not tell its effective radius" in w for w in rolling.warnings)
    known = library_tire(linear, "linear_sti", interface="STI", radius=R0, radius_drop=0.3)
    run = TireRig(known).run(point(0.01))
    assert run["tire.map.kappa"][-1] == pytest.approx(0.01, abs=1e-9)
    assert not run.warnings


def point(slip: float) -> TireTest:
    return TireTest("CORNERING_STIFFNESS", preload=4000, slip=slip, speed=20, end=0.2, output_step=0.05)


def test_what_went_wrong_is_said() -> None:
    def broken(w: Wheel) -> Answer:
        return forces(w) if w.time < 0.1 else Answer([math.nan] * 3, [0.0] * 3, [0.0])

    run = TireRig(TIRE, broken).run(TireTest("LATERAL", preload=3000, speed=15, end=1.0, toe_amplitude=0.02))
    assert not run.complete
    assert any(w.startswith("ended at 0.") and "instead of 1 s: " in w and len(w) > 35 for w in run.warnings)
    turned = TireRig(TIRE, forces).run(TireTest("LATERAL", preload=3000, speed=15, end=0.1, toe_amplitude=12.0))
    assert any("12 rad (688 deg)" in w for w in turned.warnings)
