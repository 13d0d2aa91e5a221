"""Relaxation and standstill: closed forms of the lag; a wheel on a trolley stops, stands, drives off and reverses."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.pac2002 import symmetrised
from jounce.components.tire.transient import SLIDE_RANGE, evaluate, inputs, lag, outputs, slips, standing
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.files.library import library_files
from jounce.files.tir import read_tir
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.symbolic import System
from models import compiled
from tire_models import EXAMPLE, FULL, rig, tire

MASS = 400.0
VALUES = {**symmetrised(EXAMPLE), "PHX1": 0.0}  # nothing pulls, so that rest is rest
R0, CZ = VALUES["UNLOADED_RADIUS"], VALUES["VERTICAL_STIFFNESS"]
LOADED = R0 - MASS * GRAVITY / CZ
ROLLING = 0.3043  # effective radius at this load
METHODS = ("AB-2", "AM-2")
STEP = 0.001


def go_on(sim: Simulation, seconds: float, iprint: int) -> Recording:
    return sim.run(sim.time + seconds, iprint=iprint)


# --- the lag by itself -----------------------------------------------------------------------------------------------


def lagging(speed: float, t: Any, load: float = 4000.0) -> System:
    """Contact deflections behind given velocities."""
    system = System("lagging")
    vsx, vsy = system.input("vsx", "m/s"), system.input("vsy", "m/s")
    u, v = system.state("u", "m"), system.state("v", "m")
    at = t.model.at_load(t.values, load, 0.0)
    found = lag(t.values, at, load, u, v, speed, vsx, vsy, system.t_dt)
    system.derivative(u, found.u_rate)
    system.derivative(v, found.v_rate)
    system.output("kappa", found.kappa)
    system.output("tan_alpha", system_tan(found.alpha))
    return system


def system_tan(x: Any) -> Any:
    from jounce.symbolic.ops import tan

    return tan(x)


@pytest.mark.parametrize("speed", [5.0, 30.0, -8.0])
def test_step_of_slip_is_a_first_order_lag_in_travelled_distance(speed: float) -> None:
    t = tire(VALUES)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    sim = compiled(lagging(speed, t), method="RK-2", step=2e-5)
    kappa, tan_alpha = 0.03, 0.05
    sim.set_inputs({"vsx": -kappa * abs(speed), "vsy": tan_alpha * abs(speed)})
    record = go_on(sim, 3 * at.sigma_alpha / abs(speed), 20)
    s = abs(speed) * record.time
    # truncation of RK-2: (h |V|/σ)²
    tolerance = 10 * (2e-5 * abs(speed) / at.sigma_kappa) ** 2
    assert np.abs(record["kappa"] / kappa - (1 - np.exp(-s / at.sigma_kappa))).max() < tolerance
    assert np.abs(record["tan_alpha"] / tan_alpha - (1 - np.exp(-s / at.sigma_alpha))).max() < tolerance
    at_sigma = np.interp(at.sigma_alpha, s, record["tan_alpha"] / tan_alpha)
    assert at_sigma == pytest.approx(0.632, abs=1e-3)


@pytest.mark.parametrize("method", [*METHODS, "Euler", "AM-4"])
@pytest.mark.parametrize("speed", [70.0, 300.0, 5000.0])
def test_the_lag_is_stable_at_any_speed_and_ends_at_the_exact_slip(method: str, speed: float) -> None:
    t = tire(VALUES)
    sim = compiled(lagging(speed, t, load=50.0), method=method, step=STEP)  # small load: shortest relaxation
    kappa, tan_alpha = 0.03, 0.05
    sim.set_inputs({"vsx": -kappa * speed, "vsy": tan_alpha * speed})
    record = go_on(sim, 0.5, 1)
    assert record["kappa"].max() < 2 * kappa and record["kappa"].min() >= 0
    assert record["kappa"][-1] == pytest.approx(kappa, rel=1e-9)
    assert record["tan_alpha"][-1] == pytest.approx(tan_alpha, rel=1e-9)


def test_nothing_leaks_at_rest() -> None:
    t = tire(VALUES)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    found = lag(t.values, at, 4000.0, 0.01, -0.02, 0.0, 0.0, 0.0, STEP)
    assert (found.u_rate, found.v_rate) == (0.0, 0.0)
    # the deflection is that of a spring K/σ, nearly, up to the peak: slips are stretched
    r = math.hypot(2 * 0.01 / (at.sigma_kappa * at.kappa_slide), 2 * 0.02 / (at.sigma_alpha * at.alpha_slide))
    stretch = 1 + min(r * r, 1.0)
    assert found.kappa == pytest.approx(stretch * 0.01 / at.sigma_kappa)
    assert math.tan(found.alpha) == pytest.approx(-stretch * 0.02 / at.sigma_alpha)


@pytest.mark.parametrize("way", np.linspace(0, 2 * math.pi, 9))
def test_a_dragged_contact_slides_at_its_largest_deflection_in_every_direction(way: float) -> None:
    t = tire(VALUES)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    u = v = 0.0
    h, speed = 1e-3, 0.05
    for _ in range(4000):
        found = lag(t.values, at, 4000.0, u, v, 0.0, speed * math.cos(way), speed * math.sin(way), h)
        u, v = u + h * found.u_rate, v + h * found.v_rate
    share = 2 * math.hypot(u / (at.sigma_kappa * at.kappa_slide), v / (at.sigma_alpha * at.alpha_slide))
    assert share == pytest.approx(1.0, rel=1e-4)  # REST rounds the slip speed by parts in ten thousand
    assert -u * math.cos(way) >= -1e-12 and v * math.sin(way) >= -1e-12, "against the motion of the contact"


def test_steady_slips_are_exact_from_rolling_to_sliding() -> None:
    """Locked, spinning, sideways, rolling; forwards and backwards: what lags ends at the slips of the motion."""
    t = tire(VALUES).with_values(LOW_SPEED_DAMPING=0.0)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    motions = [(1.0, 0.0), (-1.0, 0.0), (0.6, 0.5), (-0.3, -0.8), (0.02, 0.01)]
    cases = [(way * v, *motion) for v in (5.0, 2.0, 1.0, 0.4, 0.15) for way in (1.0, -1.0) for motion in motions]
    vx, slip, side = np.array(cases).T
    speed = np.abs(vx)
    most = at.sigma_kappa * at.kappa_slide / 2
    h = 0.2 * most / speed  # of each case, well within its leak
    u = v = np.zeros(len(cases))
    for _ in range(4000):
        found = lag(t.values, at, 4000.0, u, v, vx, slip * speed, side * speed, STEP)
        u, v = u + h * found.u_rate, v + h * found.v_rate
    assert found.kappa == pytest.approx(-slip, rel=1e-6)
    assert np.tan(found.alpha) == pytest.approx(side, rel=1e-6, abs=1e-12)
    # at walking pace a sliding deflection is what the contact can hold, over the weight of the law at that speed
    share = 2 * np.hypot(u / (at.sigma_kappa * at.kappa_slide), v / (at.sigma_alpha * at.alpha_slide))
    s = speed / SLIDE_RANGE
    slow = (speed <= 1.0) & (np.abs(slip) > 0.1)
    assert share[slow] == pytest.approx((1 / (1 - s * s * (3 - 2 * s)))[slow], rel=1e-3)


@pytest.mark.parametrize("angle", [0.0, 0.9, 2.0, 4.1])
def test_a_contact_that_slid_gives_little_of_its_work_back(angle: float) -> None:
    """Dragged, then moved back the same way: what it gives is less than a third of what a spring would."""
    t = tire(VALUES).with_values(LOW_SPEED_DAMPING=0.0)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    u = v = 0.0
    h, speed = 5e-4, 0.08
    taken, given, force = 0.0, 0.0, 0.0
    for k in range(6000):
        way = 1.0 if k < 3000 else -1.0
        vsx, vsy = way * speed * math.cos(angle), way * speed * math.sin(angle)
        found = lag(t.values, at, 4000.0, u, v, 0.0, vsx, vsy, h)
        f = t.model.forces(t.values, at, found.kappa, found.alpha, 0.0, 0.0)
        power = -(float(f.fx) * vsx + float(f.fy) * vsy)  # of the wheel on the contact
        if k < 3000:
            taken += h * power
            force, stored = math.hypot(float(f.fx), float(f.fy)), math.hypot(u, v)
        elif power < 0:
            given -= h * power
        else:
            break
        u, v = u + h * found.u_rate, v + h * found.v_rate
    assert taken > 3000 * h * speed * 0.9 * force
    assert 0 < given < 0.2 * force * stored, "a spring would give a half of force times deflection"


@pytest.mark.parametrize("seed", range(4))
def test_the_contact_never_gives_more_than_it_has(seed: float) -> None:
    """Any motion at low speed: what the contact gave back so far is less than what it took."""
    t = tire(VALUES)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    rng = np.random.default_rng(seed)
    u = v = balance = 0.0
    h = 5e-4
    slow = rng.normal(size=(3, 4))
    rates = rng.uniform(0.5, 9.0, size=(3, 4))
    for k in range(5000):
        vx, vsx, vsy = (0.35 * np.sin(rates * k * h + slow) * slow).sum(axis=1)
        vx *= 0.2
        found = lag(t.values, at, 4000.0, u, v, vx, vsx, vsy, h)
        f = t.model.forces(t.values, at, found.kappa, found.alpha, vx, 0.0)
        balance -= h * (float(f.fx) * vsx + float(f.fy) * vsy)
        assert balance > -0.01 * 4000.0 * 0.02  # a hundredth of what its springs can hold: the sum of Euler's steps
        u, v = u + h * found.u_rate, v + h * found.v_rate
    assert balance > 100.0


def test_a_spinning_wheel_at_standstill_does_not_wind_up() -> None:
    t = tire(VALUES)
    at = t.model.at_load(t.values, 4000.0, 0.0)
    u = v = 0.0
    for _ in range(3000):
        found = lag(t.values, at, 4000.0, u, v, 0.0, -60.0, 0.0, STEP)
        u, v = u + STEP * found.u_rate, v + STEP * found.v_rate
    assert math.isfinite(u) and u > 0
    # when it stops spinning, the spring is back at its sliding deflection within some steps
    for speed in np.linspace(-60, 0, 300):
        found = lag(t.values, at, 4000.0, u, v, 0.0, speed, 0.0, STEP)
        u += STEP * found.u_rate
    assert u <= 1.05 * at.sigma_kappa * at.kappa_slide / 2


@pytest.mark.parametrize(
    ("vx", "vsx", "vsy", "signs"),
    [(10, -1, 1, (1, 1)), (10, 1, -1, (-1, -1)), (-10, -1, 1, (1, 1)), (-10, 1, -1, (-1, -1))],
)
def test_slips_in_all_four_quadrants_oppose_the_slip_velocity(
    vx: float, vsx: float, vsy: float, signs: tuple[int, int]
) -> None:
    kappa, alpha = slips(vx, vsx, vsy)
    assert (np.sign(kappa), np.sign(alpha)) == signs
    f = tire(VALUES).steady(4000.0, kappa, alpha, vx=vx, spin=(vx - vsx) / 0.3)
    assert f.fx * vsx < 0 and f.fy * vsy < 0


def test_advanced_slip_is_bounded() -> None:
    for vx, roll in ((10.0, 0.0), (1e-3, 50.0), (-3.0, 20.0), (0.0, -5.0)):
        kappa, _ = slips(vx, vx - roll, 0.0, abs(roll))
        assert -2.0 <= kappa <= 2.0
        if vx * roll >= 0:
            assert abs(kappa) <= 1.0


def test_the_belt_turns_the_wheel_while_the_slip_angle_changes() -> None:
    with_belt, without = tire(FULL), tire({**FULL, "QTZ1": 0.0})
    names = inputs(with_belt.model)
    x = dict.fromkeys(names, 0.0) | {"rho": 0.02, "vx": 20.0, "spin": 66.0, "friction": 1.0, "side": 1.0, "t_dt": STEP}
    moments = []
    for vy in (0.0, 0.5, -0.5):
        found = [
            dict(zip(outputs(t.model), evaluate(t.model, t.values, {**x, "vy": vy}), strict=True))
            for t in (with_belt, without)
        ]
        moments.append(found[0]["mz"] - found[1]["mz"])
    assert moments[0] == 0.0
    assert moments[1] > 0 > moments[2]
    assert moments[1] == pytest.approx(-moments[2])


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("exponential", [False, True])
def test_the_torque_of_the_belt_is_that_of_its_rate(side: float, exponential: bool) -> None:
    """Q_tz1 λ_gyr m_belt · rolling speed · rate of the deflection, times what fades at large slip; on each side."""
    with_belt, without = tire(FULL), tire({**FULL, "QTZ1": 0.0})
    names = inputs(with_belt.model, exponential)
    x = dict.fromkeys(names, 0.0) | {"rho": 0.02, "vx": 20.0, "spin": 66.0, "friction": 1.0, "side": side}
    for vy in (0.3, -0.5):
        # no deflection yet: it grows as fast as the contact slides, whatever the step
        now = {"elapsed": 1e-9, "vsy_old": vy} if exponential else {"t_dt": STEP}
        found = [
            dict(zip(outputs(t.model, exponential), evaluate(t.model, t.values, {**x, **now, "vy": vy},
                                                             exponential=exponential), strict=True))
            for t in (with_belt, without)
        ]  # fmt: skip
        full = FULL["QTZ1"] * FULL["LGYR"] * FULL["MBELT"] * x["spin"] * found[0]["radius"] * vy
        # at a slip of zero nothing has faded but by the shifts of the tire
        assert found[0]["mz"] - found[1]["mz"] == pytest.approx(full, rel=0.02)


# --- a wheel on a trolley --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library() -> Simulation:
    return compiled(rig(tire(VALUES), mass=MASS))


def start(library: Simulation, method: str, speed: float = 0.0, grade: float = 0.0, step: float = STEP) -> Simulation:
    """Wheel load in equilibrium, wheel rolling freely."""
    sim = Simulation(library.library, method=method, step=step)
    slope = math.atan(grade)
    t = tire(VALUES)
    rho = t.deflection(MASS * GRAVITY * math.cos(slope))
    radius = float(t.model.effective_radius(t.values, rho))
    sim.set_parameters({"ground.grade": grade})
    sim.set_states({"z.travel": (R0 - rho) / math.cos(slope), "x.rate": speed, "wheel.spin": speed / radius})
    return sim


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("torque", [900.0, 3000.0])
def test_braking_to_standstill(library: Simulation, method: str, torque: float) -> None:
    """With 900 N m the wheel rolls to the end, with 3000 N m it locks at once."""
    speed = 100 / 3.6
    sim = start(library, method, speed)
    sim.set_inputs({"brake": torque})
    record = go_on(sim, 9.0, 5)
    x, v = record["x"], record["v"]
    stop = int(np.argmax(v < 1e-3))
    if torque < 1000:
        # the force acts at the loaded radius; slip lets the wheel turn a few percent slower
        torque += VALUES["QSY1"] * R0 * MASS * GRAVITY
        deceleration = torque / LOADED / (MASS + 1.0 / (LOADED * ROLLING))
    else:
        deceleration = -float(tire(VALUES).steady(MASS * GRAVITY, -1.0).fx) / MASS  # a locked wheel slides with κ = -1
        assert np.abs(record["spin"][record.time > 0.2][:100]).max() < 1.0
    assert x[stop] == pytest.approx(speed**2 / (2 * deceleration), rel=0.02)
    # it swings both ways on the springs: contact σκ κs = 41 mm, what a locked wheel has not yet unwound of its
    # (σκ - 41 mm) exp(-4) = 5 mm, and pad 4500 N r²/k = 7 mm
    assert x.max() - x[stop:].min() < 0.11
    late = record.time > record.time[stop] + 3.0
    assert np.ptp(x[late]) < 2e-3
    assert np.abs(v[record.time > 8.5]).max() < 2e-3, "no chatter"
    sim.advance(round(5.0 / STEP))
    assert abs(sim.state("x.rate")) < 1e-6


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("prepared", [True, False])
def test_a_grade_is_held_for_a_minute(library: Simulation, method: str, prepared: bool) -> None:
    grade = 0.2
    slope = math.atan(grade)
    sim = start(library, method, grade=grade)
    sim.set_inputs({"brake": 1500.0})
    weight = MASS * GRAVITY
    if prepared:  # what statics do: deflections of contact and brake pad that carry the car
        t = tire(VALUES)
        u, v = standing(t, weight * math.cos(slope), weight * math.sin(slope), 0.0)
        sim.set_states({"tire.u": u, "tire.v": v})
        torque = weight * math.sin(slope) * (R0 - t.deflection(weight * math.cos(slope)))
        sim.set_memories({"pad.deflection": -torque / 6e4})
    go_on(sim, 2.0, 10)
    before = sim.state("x.travel")
    record = go_on(sim, 60.0, 20)
    drift = np.abs(record["x"] - before).max()
    assert drift < (1e-6 if prepared else 1e-3)
    last = record.time > record.time[-1] - 10
    assert np.ptp(record["x"][last]) < 1e-9, "no creep"
    assert np.abs(record["v"][last]).max() < 1e-9, "no chatter"
    assert record["tire.fx"][-1] == pytest.approx(weight * math.sin(slope), rel=1e-6)
    assert record["tire.fz"][-1] == pytest.approx(weight * math.cos(slope), rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", [1, -1])
def test_driving_off_forward_and_in_reverse(library: Simulation, method: str, way: int) -> None:
    sim = start(library, method, grade=0.1 * way)
    sim.set_inputs({"brake": 1500.0})
    go_on(sim, 2.0, 10)
    sim.set_inputs({"brake": 0.0, "drive": way * 300.0})
    record = go_on(sim, 4.0, 5)
    slope = math.atan(0.1)
    force = 300 / LOADED - MASS * GRAVITY * (math.sin(slope) + VALUES["QSY1"] * R0 / LOADED * math.cos(slope))
    expected = way * force / (MASS + 1 / (LOADED * ROLLING))
    settled = record.time > record.time[0] + 2
    a = np.polyfit(record.time[settled], record["v"][settled] * math.cos(slope) ** -1, 1)[0]
    assert a == pytest.approx(expected, rel=0.01)  # slip takes a percent of the wheel's turning
    assert np.all(record["tire.kappa"][settled] * way > 0), "drives in the direction of travel"


@pytest.mark.parametrize("method", METHODS)
def test_from_forward_through_standstill_to_reverse(library: Simulation, method: str) -> None:
    sim = start(library, method, speed=5.0)
    sim.set_inputs({"drive": -300.0})
    record = go_on(sim, 10.0, 5)
    v = record["v"]
    assert v[0] > 4.9 and v[-1] < -5.0
    # no step of the acceleration at the turn beyond what rolling resistance changes sign by, and the springs swing
    a = np.gradient(v, record.time)
    middle = np.abs(v) < 1.0
    assert np.ptp(a[middle]) < 0.35
    assert np.abs(record["tire.fx"]).max() < 2 * 300 / LOADED, "the step of torque swings once"


@pytest.mark.parametrize("method", METHODS)
def test_nothing_explodes_at_high_speed(library: Simulation, method: str) -> None:
    speed = 250 / 3.6
    sim = start(library, method, speed)
    record = go_on(sim, 2.0, 1)
    assert np.abs(record["tire.kappa"]).max() < 1e-3
    sim.set_inputs({"brake": 1000.0})
    record = go_on(sim, 1.0, 1)
    fx = record["tire.fx"]
    assert np.all(np.isfinite(fx)) and np.abs(fx).max() < 1.2 * MASS * GRAVITY
    assert np.abs(np.diff(fx[-200:])).max() < 5.0, "smooth braking"
    sim.set_inputs({"brake": 5000.0})  # locks
    record = go_on(sim, 1.0, 1)
    assert np.abs(record["spin"][-1]) < 0.1
    assert record["tire.kappa"][-1] == pytest.approx(-1.0, abs=1e-3)


def test_a_free_wheel_rolls_with_its_effective_radius_against_its_rolling_resistance(library: Simulation) -> None:
    sim = start(library, "AM-2", speed=20.0)
    record = go_on(sim, 2.0, 10)
    # torque balance at the loaded radius; the deceleration of the wheel itself takes parts in a hundred
    assert record["tire.fx"][-1] == pytest.approx(record["tire.my"][-1] / LOADED, rel=0.05)
    assert record["v"][-1] / record["spin"][-1] == pytest.approx(record["tire.radius"][-1], rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_lift_off_and_landing_are_smooth(library: Simulation, method: str) -> None:
    """Dropped from 10 cm while rolling: it bounces, and every force is gone in the air."""
    sim = start(library, method, speed=20.0)
    sim.set_states({"z.travel": R0 + 0.1})
    record = go_on(sim, 3.0, 1)
    air = record["tire.deflection"] < 0
    assert air[0] and 0.1 < air.mean() < 0.95
    for part in ("fx", "fz", "my"):
        assert np.all(record[f"tire.{part}"][air] == 0)
    # the load grows with the deflection, at most (Cz + damper setting in) · speed · step
    fastest = np.abs(np.diff(record["tire.deflection"])).max()
    assert np.abs(np.diff(record["tire.fz"])).max() < 1.6 * (CZ + 1.5 * 300 * 1.5 / 0.002) * fastest
    # damped: the second flight is lower
    height = -np.minimum(record["tire.deflection"], 0)
    landings = np.flatnonzero(air[:-1] & ~air[1:])
    assert height[: landings[0]].max() > height[landings[0] + 5 :].max()
    assert record["tire.fz"].max() < 12 * MASS * GRAVITY


def test_methods_and_steps_agree_on_a_stop(library: Simulation) -> None:
    way = {}
    for method, step in (("AB-2", 0.001), ("AM-2", 0.001), ("AM-4", 0.0005)):
        sim = start(library, method, 20.0, step=step)
        sim.set_inputs({"brake": 900.0})
        sim.advance(round(5.0 / step))
        way[method] = sim.state("x.travel")
    assert max(way.values()) - min(way.values()) < 2e-3 * way["AM-4"]  # the pad's stick is decided in a step


def test_a_side_slipping_wheel_builds_up_its_force_over_the_relaxation_length() -> None:
    t = tire(VALUES)
    sim = compiled(rig(t, mass=MASS, steer=True), method="AM-2", step=STEP)
    rho = t.deflection(MASS * GRAVITY)
    speed = 15.0
    sim.set_states(
        {"z.travel": R0 - rho, "x.rate": speed, "wheel.spin": speed / float(t.model.effective_radius(t.values, rho))}
    )
    angle = 0.01
    sim.set_inputs({"steer": angle})
    record = go_on(sim, 0.3, 1)
    s = np.concatenate([[0.0], np.cumsum(record["v"][1:] * STEP)])
    at = t.model.at_load(t.values, MASS * GRAVITY, 0.0)
    final = -at.slope_y * angle
    expected = final * (1 - np.exp(-s / at.sigma_alpha))
    assert np.abs(record["tire.fy"] - expected).max() < 0.02 * final  # curvature of the tire, change of load
    assert record["tire.fy"][-1] > 0, "steered to the left, pushed to the left"


@pytest.mark.parametrize("lonslip", [0, 1])
def test_a_stop_at_1_ms_swings_out_and_has_no_limit_cycle(lonslip: int) -> None:
    """Both ways to relate slip; the speed after the stop falls by a power of ten and more every two seconds."""
    sim = compiled(rig(tire(VALUES, lonslip=lonslip), mass=MASS), method="AB-2", step=STEP)
    start = {"z.travel": LOADED, "x.rate": 20.0, "wheel.spin": 20.0 / ROLLING}
    for torque in (900.0, 3000.0):  # rolls to the end; locks
        sim.restart(defaults=True)
        sim.set_states(start)
        sim.set_inputs({"brake": torque})
        go_on(sim, 6.0, 50)
        speeds = [float(np.abs(go_on(sim, 2.0, 5)["v"]).max()) for _ in range(4)]
        assert all(later < 0.1 * sooner for sooner, later in pairwise(speeds)), (torque, speeds)
        assert speeds[-1] < 1e-6
        assert abs(sim.output("tire.fx")) < 1.0, "nothing holds it back"


def test_advanced_slip_lags_behind_the_larger_speed() -> None:
    """LONSLIP_MODE = 1: a locked wheel has κ = -1 in both; one that spins at rest has κ = 1 and not infinity."""
    usual, advanced = tire(VALUES), tire(VALUES, lonslip=1)
    x = dict.fromkeys(inputs(usual.model), 0.0) | {"rho": 0.02, "friction": 1.0, "side": 1.0, "t_dt": STEP}
    for t, spins, expected in ((usual, 0.0, -1.0), (advanced, 0.0, -1.0), (advanced, 200.0, None)):
        radius = float(t.model.effective_radius(t.values, 0.02))
        u, point = 0.0, x | {"vx": 20.0, "spin": spins}
        for _ in range(600):
            found = dict(zip(outputs(t.model), evaluate(t.model, t.values, {**point, "u": u}), strict=True))
            u += STEP * float(found["u_rate"])
        roll = spins * radius
        expected = (roll - 20.0) / max(20.0, roll) if expected is None else expected
        assert found["kappa"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", list(library_files("tires")))
def test_every_shipped_tire_stops_and_stands(name: str) -> None:
    t = read_tir(library_files("tires")[name]).tire
    load = t.values["FNOMIN"]
    mass = load / GRAVITY
    rho = t.deflection(load)
    radius = float(t.model.effective_radius(t.values, rho))
    size = max(1.0, (load / 4e3) * (radius / 0.31) ** 2)  # inertia and brake of a car's wheel, or in proportion
    sim = compiled(rig(t, mass=mass, spin_inertia=0.9 * size, size=size), method="AB-2", step=STEP)
    sim.set_states({"z.travel": t.values["UNLOADED_RADIUS"] - rho, "x.rate": 20.0, "wheel.spin": 20.0 / radius})
    sim.set_inputs({"brake": 0.7 * load * radius})
    go_on(sim, 6.0 * math.sqrt(size), 50)  # the wheel of a truck swings on its contact at 2 Hz, with 3 % damping
    here = sim.state("x.travel")
    go_on(sim, 5.0, 50)
    assert abs(sim.state("x.travel") - here) < 1e-3
    assert abs(sim.state("x.rate")) < 1e-4


# --- statics ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fx", "fy"), [(0.0, 0.0), (800.0, 0.0), (0.0, -1500.0), (-1800.0, 1200.0)])
def test_standing_deflections_carry_the_forces(fx: float, fy: float) -> None:
    t = tire(FULL)
    u, v = standing(t, 4000.0, fx, fy, gamma=0.02)
    names = inputs(t.model)
    x = dict.fromkeys(names, 0.0) | {
        "rho": 0.02,
        "gamma": 0.02,
        "friction": 1.0,
        "side": 1.0,
        "t_dt": STEP,
        "u": u,
        "v": v,
    }
    found = dict(zip(outputs(t.model), evaluate(t.model, t.values, x), strict=True))
    assert (found["fx"], found["fy"]) == pytest.approx((fx, fy), abs=1e-4)
    assert found["u_rate"] == found["v_rate"] == 0.0


def test_forces_beyond_friction_cannot_be_carried() -> None:
    with pytest.raises(ParameterError, match="cannot carry Fx = 9000 N"):
        standing(tire(VALUES), 4000.0, 9000.0, 0.0)
    with pytest.raises(ParameterError, match="no contact deflections"):
        standing(tire(VALUES, mode=4), 4000.0, 0.0, 0.0)
