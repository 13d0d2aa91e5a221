"""Wheel load: extended law, map of radius and speed, load that depends on forces; factors per wheel; relaxation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.components.tire.pac2002 import symmetrised
from jounce.components.tire.transient import evaluate, hastened, inputs, lag, outputs
from jounce.components.tire.wheel import declare, mount, numbers_of
from jounce.core.errors import ParameterError
from jounce.files.tir import parse_tir, tir_text
from jounce.road.ground import Plane
from jounce.symbolic import System
from models import compiled, outputs_by_name
from tire_models import EXAMPLE, FULL, example_text, tire

R0, CZ, FZ0, V0 = 0.3135, 2e5, 4000.0, 16.7
EXTENDED = {**EXAMPLE, "QV1": 7e-4, "QV2": 0.05, "QFCG1": -0.4, "QFZ2": 15.0, "QFZ3": 6.0}


def test_the_extended_law_by_hand() -> None:
    t = tire(EXTENDED, extended=True)
    for rho, gamma, spin in ((0.02, 0.0, 0.0), (0.015, 0.1, 80.0), (0.03, -0.2, -120.0), (-0.001, 0.0, 150.0)):
        w = spin * R0 / V0
        grown = (rho + R0 * 7e-4 * w**2) / R0
        f = 1 + 0.05 * abs(w) - 0.4 * gamma**2
        expected = max(f * FZ0 * ((CZ * R0 / FZ0 + 6.0 * gamma**2) * grown + 15.0 * grown**2), 0.0)
        assert t.load(rho, gamma=gamma, spin=spin) == pytest.approx(expected, rel=1e-12)


def test_without_its_numbers_the_extended_law_is_the_linear_one() -> None:
    plain, extended = tire(), tire(extended=True)
    for rho in (-0.01, 0.0, 0.013, 0.04):
        assert extended.load(rho, 0.2, gamma=0.1, spin=90.0) == pytest.approx(plain.load(rho, 0.2), rel=1e-12, abs=1e-9)
        found = extended.model.effective_radius(extended.values, rho, 90.0)
        assert found == pytest.approx(plain.model.effective_radius(plain.values, rho), rel=1e-12)


def test_a_load_that_depends_on_forces_needs_the_extended_law() -> None:
    with pytest.raises(ParameterError, match="needs the extended law"):
        tire(softening=True)
    values = {**EXTENDED, "QFCX1": 0.1, "QFCY1": 0.3}
    free, soft = tire(values, extended=True), tire(values, extended=True, softening=True)
    x = dict.fromkeys(inputs(free.model), 0.0) | {"rho": 0.02, "vx": 20.0, "spin": 65.0, "friction": 1.0, "side": 1.0}
    x |= {"t_dt": 1e-4, "v": 0.05}
    a, b = (dict(zip(outputs(t.model), evaluate(t.model, t.values, x), strict=True)) for t in (free, soft))
    share = (0.3 * b["fy"] / FZ0) ** 2 + (0.1 * b["fx"] / FZ0) ** 2
    w = 65 * R0 / V0
    assert b["fz"] == pytest.approx(a["fz"] * (1 - share / (1 + 0.05 * w)), rel=1e-12)
    assert b["fz"] < 0.99 * a["fz"]


# --- map of radius and speed -----------------------------------------------------------------------------------------

MAP = """[SPEED_RADIUS_LOAD_DATA]
(Z_DATA)
{speed}
0.0
30.0
60.0
(XY_DATA)
{tire radius load }
0.28 6000 6300 6900
0.30 3000 3150 3450
0.3135 0 0 100
"""


def mapped() -> Tire:
    file = parse_tir(example_text() + MAP, "mapped.tir")
    assert file.tire.model.radius_load_map  # type: ignore[attr-defined]
    return file.tire


def test_the_map_gives_back_its_points_and_is_held_beyond_its_speeds() -> None:
    t = mapped()
    for radius, loads in ((0.28, (6000, 6300, 6900)), (0.30, (3000, 3150, 3450))):
        for speed, load in zip((0.0, 30.0, 60.0), loads, strict=True):
            assert t.load(R0 - radius, vx=speed) == pytest.approx(load, rel=1e-12)
            assert t.load(R0 - radius, vx=-speed) == pytest.approx(load, rel=1e-12), "in reverse"
    assert t.load(R0 - 0.29, vx=15.0) == pytest.approx((6000 + 6300 + 3000 + 3150) / 4), "bilinear"
    assert t.load(R0 - 0.30, vx=90.0) == pytest.approx(3450), "held"
    for radius in (0.2799, 0.25, 0.1):
        assert t.load(R0 - radius, vx=30.0) == pytest.approx(6300), "held below the smallest radius"
        assert t.load(R0 - radius, vx=200.0) == pytest.approx(6900), "and beyond the largest speed"
    assert t.load(-0.05) == 0.0
    # 100 N at the free radius and 60 m/s: on to zero with the last slope, so that nothing acts in the air
    over = 100 / ((3450 - 100) / 0.0135)
    assert t.load(-0.5 * over, vx=60.0) == pytest.approx(50)
    assert t.load(-over, vx=60.0) == pytest.approx(0.0, abs=1e-9) and t.load(-0.05, vx=60.0) == 0.0
    again = parse_tir(tir_text(t), "again.tir").tire
    assert np.array_equal(again.curves["radius_load"].values, t.curves["radius_load"].values)


def test_the_map_runs_compiled() -> None:
    t = mapped()
    system = System("mapped")
    names = inputs(t.model)
    arguments = [system.input(n) for n in names]
    system.derivative(system.state("dummy"), 0.0)
    block = declare(system, t)
    found = system.call(t.model.leaf(), {"x": arguments, **numbers_of(system, block)}, block.tables)
    system.output("fz", found[outputs(t.model).index("fz")])
    sim = compiled(system)
    for rho, vx in ((0.0335, 12.0), (0.0135, 50.0), (0.02, -70.0)):
        u = [{"rho": rho, "vx": vx, "friction": 1.0, "side": 1.0, "t_dt": 1e-3}.get(n, 0.0) for n in names]
        assert sim.outputs(u=np.array(u))[0] == pytest.approx(float(t.load(rho, vx=vx)), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0.30 3000", "0.28 3000"), "radii must differ"),
        (("0.30 3000 3150 3450", "0.30 7000 3150 3450"), "loads must not grow with the radius"),
        (
            ("0.30 3000 3150 3450", "0.30 3000 3150"),
            "found 3 numbers in a row; expected a radius and a load for each of 3",
        ),
        (("{speed}\n0.0\n30.0\n60.0\n", ""), r"expected \(Z_DATA\)"),
        (("60.0\n(XY", "20.0\n(XY"), "speeds must rise"),
    ],
)
def test_maps_that_make_no_sense_are_refused(change: tuple[str, str], message: str) -> None:
    text = example_text() + MAP
    assert change[0] in text
    with pytest.raises(Exception, match=message):
        parse_tir(text.replace(*change), "bad.tir")


# --- nonlinear relaxation --------------------------------------------------------------------------------------------


def test_relaxation_falls_with_slip_and_keeps_the_steady_state() -> None:
    t = tire(symmetrised(FULL), nonlinear=True)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    speed, h = 25.0, 1e-4
    shares = []
    for tangent in (0.002, 0.05, 0.25):
        v, way, crossed = 0.0, 0.0, math.inf
        for _ in range(3000):
            slow = lag(t.values, at, 4000.0, 0.0, v, speed, 0.0, tangent * speed, h)
            f = t.model.forces(t.values, at, slow.kappa, slow.alpha, speed, speed / 0.3)
            v += h * float(hastened(at, slow, f.fx, f.fy).v_rate)
            way += h * speed
            if crossed == math.inf and v >= (1 - math.exp(-1)) * at.sigma_alpha * tangent:
                crossed = way
        assert v == pytest.approx(at.sigma_alpha * tangent, rel=1e-4), "the same slip in the end"
        # s = σ ∫ q(x)/(T - x) dx up to 63 % of T, from the steady forces
        x = np.linspace(1e-9, (1 - math.exp(-1)) * tangent, 4001)
        q = np.abs(t.steady(4000.0, 0.0, np.arctan(x)).fy / (at.slope_y * np.arctan(x)))
        y = np.clip(q, 0.1, 1.0) / (tangent - x)
        expected = at.sigma_alpha * float(np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(x)))
        assert crossed == pytest.approx(expected, abs=2 * h * speed + 0.005 * expected)  # a step of Euler's method
        shares.append(crossed / at.sigma_alpha)
    assert shares[0] > 0.98 and shares == sorted(shares, reverse=True) and shares[2] < 0.75


def test_the_share_of_the_relaxation_length_is_one_below_walking_speed() -> None:
    t = tire(FULL, nonlinear=True)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    for vx in (0.0, 0.5):
        slow = lag(t.values, at, 4000.0, 0.001, 0.02, vx, 0.01, 0.02, 1e-3)
        f = t.model.forces(t.values, at, slow.kappa, slow.alpha, vx, vx / 0.3)
        fast = hastened(at, slow, f.fx, f.fy)
        assert fast.v_rate == pytest.approx(slow.v_rate, rel=0.35 if vx else 1e-12)


# --- factors per wheel -----------------------------------------------------------------------------------------------


def test_factors_of_a_wheel_are_those_of_its_numbers() -> None:
    """Two wheels share one block; the inputs of one of them scale its numbers without compiling."""
    t = tire(FULL)
    system = System("axle")
    ground = Plane.declare(system)
    joint = system.prismatic("z", system.world, axis="z")
    slide = system.prismatic("y", joint.frame, axis="y")
    body = system.body("axle", slide.frame, 800.0, (1.0, 1.0, 1.0))
    block = declare(system, t)
    for name, factors in (("a", True), ("b", False)):
        scope = system.scope(name)
        wheel = scope.gyrostat("wheel", body, "y", 1.0)
        inputs_of = {key: scope.input(key, default=1.0) for key in ("LMUY", "LKY", "LTR")} if factors else None
        mount(scope, block, wheel, ground, "left", factors=inputs_of).declare_outputs(scope)
    sim = compiled(system)
    sim.set_states({"z.travel": 0.3135 - 0.02, "a.tire.v": 0.03, "b.tire.v": 0.03})

    def found() -> tuple[dict[str, float], dict[str, float]]:
        values = outputs_by_name(sim, sim.outputs())
        return ({n[2:]: v for n, v in values.items() if n.startswith(f"{w}.")} for w in "ab")  # type: ignore[return-value]

    a, b = found()
    assert a == b, "factors of one change nothing"
    sim.set_inputs({"a.LMUY": 0.7, "a.LKY": 1.2, "a.LTR": 0.8})
    a, again = found()
    assert again == b and a["tire.fy"] != b["tire.fy"]
    other = tire({**FULL, "LMUY": 0.7 * FULL["LMUY"], "LKY": 1.2 * FULL["LKY"], "LTR": 0.8 * FULL["LTR"]})
    x = dict.fromkeys(inputs(other.model), 0.0) | {"rho": 0.02, "v": 0.03, "friction": 1.0, "side": 1.0, "t_dt": 5e-4}
    expected = dict(zip(outputs(other.model), evaluate(other.model, other.values, x), strict=True))
    for part in ("fx", "fy", "mz", "alpha"):
        assert a[f"tire.{part}"] == pytest.approx(float(expected[part]), rel=1e-9, abs=1e-9), part
