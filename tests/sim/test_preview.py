"""Gains of optimal preview steering: against a second solution of the same problem, and on the exact linear car."""

import math

import numpy as np
import pytest

from jounce.core.constants import GRAVITY
from jounce.core.errors import StaticsError
from jounce.sim import car as cars
from jounce.sim import preview, preview_schedule
from jounce.sim.preview import FURTHER, Lateral, design, reduced, sampled, weights
from jounce.sim.statics import settle
from jounce.sim.steady import roll, run_steadily
from jounce.sim.turns import Turns
from jounce.vehicle.library_figures import stored
from jounce.vehicle.reading import load
from jounce.verify.cases.driver import FRONT, LONG, RATIO, at_once, single_track


def test_riccati_backwards_with_the_curvatures_as_states():
    """The shift register of all curvatures ahead inside the state: its gains are those of (5)."""
    car, omega, period, ahead = single_track(21.0), 5.0, 0.05, 25
    law = design(car, omega, period=period, ahead=ahead)
    phi, gamma, bend = sampled(car, period)
    q, rho = weights(car, omega, period, car.gain)
    n = len(gamma)
    big = np.zeros((n + ahead, n + ahead))
    big[:n, :n], big[:n, n] = phi, bend
    big[n:-1, n + 1 :] = np.eye(ahead - 1)
    column, cost = np.concatenate([gamma, np.zeros(ahead)]), np.zeros_like(big)
    cost[:n, :n] = q
    value = cost.copy()
    for _ in range(4000):
        gain = (column @ value @ big) / (rho + column @ value @ column)
        value = cost + big.T @ value @ (big - np.outer(column, gain))
    assert gain[:n] == pytest.approx(law.feedback, rel=1e-6)
    assert gain[n:] == pytest.approx(law.preview, abs=1e-6 * np.abs(law.preview).max())


def test_a_car_without_dynamics_has_its_poles_on_a_circle():
    """e⃛ = g w: poles of (4) at ω, 60 degrees apart, when nothing is integrated; ω_i adds a slow one."""
    speed, omega = 20.0, 4.0
    car = preview.rolling_slowly(speed, 45.0, 0.0)
    phi, gamma, _ = sampled(car, 1e-3)
    keep = [0, 1, 2]
    q, rho = weights(car, omega, 1e-3, car.gain)
    from scipy.linalg import solve_discrete_are

    p = solve_discrete_are(phi[np.ix_(keep, keep)], gamma[keep, None], q[np.ix_(keep, keep)], np.array([[rho]]))
    k = gamma[keep] @ p @ phi[np.ix_(keep, keep)] / (rho + gamma[keep] @ p @ gamma[keep])
    poles = np.log(np.linalg.eigvals(phi[np.ix_(keep, keep)] - np.outer(gamma[keep], k))) / 1e-3
    expected = omega * np.exp(1j * np.array([math.pi, 2 * math.pi / 3, -2 * math.pi / 3]))
    assert sorted(poles, key=lambda z: z.imag) == pytest.approx(sorted(expected, key=lambda z: z.imag), rel=5e-3)


@pytest.mark.parametrize("speed", [-4.0, 6.0, 19.0, 41.0])
def test_shares_of_curvature_are_the_feedback_of_the_circle(speed):
    """Σ f = −k·ξ₀ (6): on a circle nothing moves."""
    car = preview.rolling_slowly(speed, 43.0, 1.3) if speed < 10 else single_track(speed)
    omega = preview.bandwidth(speed, 2.7)
    law = design(car, omega, ahead=round(25 / omega / preview.PERIOD))
    assert law.preview.sum() == pytest.approx(-law.feedback @ law.circle, rel=1e-4)
    phi, _, bend = sampled(car, preview.PERIOD)
    assert phi @ law.circle + bend == pytest.approx(law.circle, abs=1e-9 * np.abs(law.circle).max())


def test_nodes_hold_a_curvature_that_is_straight_between_them():
    rng = np.random.default_rng(7)
    f = np.exp(-np.arange(700) * 0.01 * 2) * np.cos(np.arange(700) * 0.01)
    shares = preview.shares(f, 0.01, 0.25)
    assert shares.sum() == pytest.approx(1.0)
    values = rng.normal(size=preview.NODES)
    times = (np.arange(700) + 0.5) * 0.01
    exact = f @ np.interp(times, 0.25 * np.arange(preview.NODES), values) / f.sum()
    assert shares @ values == pytest.approx(exact, rel=1e-9)


def test_reduction_is_exact_to_first_order():
    """A slow pair with fast followers: response and its slope over frequency at rest are those of the whole."""
    rng = np.random.default_rng(3)
    n, m = 2, 9
    slow = np.array([[-3.0, -19.0], [0.8, -4.0]])
    fast = -np.diag(rng.uniform(60, 300, m)) + rng.normal(scale=9.0, size=(m, m))
    a = np.block([[slow, rng.normal(size=(n, m)) * 5], [rng.normal(size=(m, n)) * 5, fast]])
    b = rng.normal(size=n + m) * 3
    matrix, by_hand, by_rate = reduced(a, b, [0, 1], list(range(2, n + m)))
    for s in (0.0, 1e-3j, 1e-2j):
        whole = np.linalg.solve(s * np.eye(n + m) - a, b.astype(complex))[:n]
        small = np.linalg.solve(s * np.eye(n) - matrix, by_hand + s * by_rate)
        assert small == pytest.approx(whole, abs=40 * abs(s) ** 2 * np.abs(whole).max() + 1e-12)


# ---- on cars of the library -----------------------------------------------------------------------------------------


def ready(name):
    vehicle = load(name)
    description = cars.describe(vehicle)
    sim = cars.simulation(description)
    settle(sim, description)
    return vehicle, description, sim


@pytest.fixture(scope="module")
def sedan():
    return ready("sedan")


def closed_loop(turn, turns, speed, gains):
    """Eigenvalues of the exact linear car with all its states under the sampled law, without preview."""
    from scipy.linalg import expm

    kept, others = turns.kept, turns.others
    order = [*kept, *others]
    a, b = turn.model.A[np.ix_(order, order)], turn.model.B[order, turns.inputs.index("steering_wheel")]
    n = len(order)
    f = np.zeros((n + 5, n + 5))  # z, e, ψ, δ, η, w
    f[:n, :n], f[:n, n + 2] = a, b
    f[n, 0], f[n, n + 1] = 1.0, speed
    f[n + 1, 1] = 1.0
    f[n + 2, n + 4], f[n + 3, n] = 1.0, 1.0
    step = expm(f * preview.PERIOD)
    law = np.zeros(n + 4)
    law[[0, 1, n, n + 1, n + 2, n + 3]] = gains[:6]
    return np.linalg.eigvals(step[:-1, :-1] - np.outer(step[:-1, -1], law))


def check_car(vehicle, description, sim):
    before = sim.x.copy(), sim.u.copy(), sim.m.copy()
    found = preview_schedule.schedule(sim, description, length=vehicle.wheelbase, ratio=RATIO, steered=FRONT)
    for was, now in zip(before, (sim.x, sim.u, sim.m), strict=True):
        assert np.array_equal(was, now)  # it is left as it was
    # speeds that the drive does not keep have gains, too; no search for the end of the tires stopped early
    assert set(preview_schedule.SPEEDS) <= set(found.speeds) and not found.warnings
    usual = found.straight[found.speeds > 15, 0]
    # the search ends at the first of its hand wheel angles where the tires bend, and these are half as far apart again
    assert usual.min() > (0.8 if vehicle.aero is None or vehicle.name != "formula" else 0.4) * usual.max()
    for i in np.flatnonzero(found.speeds > 15):  # (7) on both turns of one side
        slips = []
        for part in (-2, -1):
            curvature = found.parts[part] * found.straight[i, 0] / found.speeds[i] ** 2
            angle, lateral = found.gains[i, part, len(preview_schedule.GAINS) :][:2] * curvature
            slips.append(angle / RATIO - math.atan2(lateral + FRONT * found.speeds[i] * curvature, found.speeds[i]))
        assert found.straight[i, 4] == pytest.approx(np.mean(slips), rel=0.06)  # both sides hardly differ
        assert 0.03 < found.straight[i, 4] < 0.25
    middle, tested = preview_schedule.PARTS.index(0.0), 0
    turns = Turns(sim, description)
    here = sim.snapshot()
    for i, speed in enumerate(found.speeds):
        if speed <= max(preview_schedule.SLOWLY):
            continue
        sim.restore(here)
        try:
            run_steadily(sim, description, float(speed))
        except StaticsError:  # the drive does not keep it: the pedal down, it slows
            sim.restore(here)
            sim.set_inputs({"throttle": 1.0})
            roll(sim, description, float(speed))
            assert turns.steer(0.0, keeps=False) is not None
        poles = closed_loop(turns.here(), turns, float(speed), found.gains[i, middle])
        # what nothing holds in the linear car stays where it is, at one
        moving = poles[np.abs(poles - 1) > 1e-7]
        assert np.abs(moving).max() < 1 - 1e-4, (vehicle.name, speed)
        tested += 1
    sim.restore(here)
    assert tested >= 4
    return found


def test_the_sedan_is_stable_with_its_own_gains_and_its_turns_are_its_own(sedan):
    vehicle, description, sim = sedan
    found = check_car(vehicle, description, sim)
    # hand wheel and lateral velocity per curvature are those of small steady turns, to both sides
    here, middle, n = sim.snapshot(), preview_schedule.PARTS.index(0.0), len(preview_schedule.GAINS)
    turns = Turns(sim, description)
    for i in (6, 8):
        run_steadily(sim, description, float(found.speeds[i]))
        for angle in (0.004, -0.006):
            turn = turns.steer(angle)
            assert turn is not None
            curvature = turn.yaw_rate / turn.speed
            assert angle / curvature == pytest.approx(found.gains[i, middle, n], rel=2e-3)
            assert turn.lateral / curvature == pytest.approx(found.gains[i, middle, n + 1], rel=5e-3)
        sim.restore(here)
    largest = stored()["sedan"]["figures"]["ay_max"]["value"] * GRAVITY
    assert np.interp(100 / 3.6, found.speeds, found.straight[:, 0]) == pytest.approx(largest, rel=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in sorted(stored()) if n != "sedan"])
def test_every_car_is_stable_with_its_own_gains(name):
    check_car(*ready(name))


def test_steady_turns_are_turns_in_which_the_simulation_stays(sedan):
    """A turn found by Newton's method: simulated on with hand wheel and pedal held, yaw rate and speed stay."""
    _, description, sim = sedan
    run_steadily(sim, description, 21.0)
    turns = Turns(sim, description)
    first = turns.here()
    angle = -0.62
    turn = turns.steer(angle, turns.guess(first, angle))
    assert turn is not None
    assert turn.yaw_rate < -0.1
    assert abs(turn.loss) < 1e-5
    sim.run(sim.time + 2.0)
    later = turns.here()
    assert later.yaw_rate == pytest.approx(turn.yaw_rate, rel=2e-3)
    assert later.speed == pytest.approx(21.0, rel=2e-3)
    assert turns.steer(40.0) is None  # no such turn
    assert sim.input("steering_wheel") == angle


def test_a_motion_of_further_units_enters_without_change():
    """More than two motions: the law has a gain for each of them and stays optimal."""
    base = single_track(25.0)
    a = np.zeros((4, 4))
    a[:2, :2] = base.A
    a[2:, 2:] = [[-1.1, -8.0], [1.0, -0.2]]  # a unit behind, swinging
    a[2, :2] = [0.3, 0.9]
    a[0, 3] = 0.4
    unit = np.eye(6)
    car = Lateral(a, np.array([*base.B, 0.0, 0.0]), np.zeros(4), 25.0, unit[0], unit[1])
    law = design(car, 5.0, period=0.07)
    assert len(law.feedback) == 4 + FURTHER
    first = -at_once(car, 5.0, 0.07, 0, np.eye(4 + FURTHER), np.zeros((round(LONG / 0.07), 4 + FURTHER)))
    assert first == pytest.approx(law.feedback, abs=1e-6 * np.abs(law.feedback).max())
