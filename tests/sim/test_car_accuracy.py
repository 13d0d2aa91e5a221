"""The car in time: default step against a reference integrator, standstill after hard braking, a grade, linearisation.

The reference is SciPy's DOP853 at a relative tolerance of 1e-10 on the same compiled right-hand side. Brake pads have
memories (they stick), which an integrator with free steps cannot carry on; in the cases here they slide all the time,
and their torque is the limit, whatever the deflection in memory: it is set beyond the limit for the reference.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import solve_ivp

import jounce.vehicle as jv
from cars import compact, rolling
from four_wheels import CORNERS
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from jounce.sim.equilibrium import Places

Array = npt.NDArray[np.float64]
SIGNALS = (
    *("chassis_velocities.longitudinal", "chassis_velocities.lateral", "chassis_velocities.yaw"),
    *("Vehicle.Euler_Roll", "Vehicle.Pitch", "System_Mass_Center.Tracking_Ax", "System_Mass_Center.Tracking_Ay"),
    *(f"Tire.Ground_Surface_Force_{a}.{c}" for a in "XYZ" for c in CORNERS),
    *(f"Suspension.Jounce.{c}" for c in CORNERS),
    *(f"Wheel.Omega.{c}" for c in CORNERS),
)
SLIDING = 1e3  # rad of pad deflection: far beyond any limit


@pytest.fixture(scope="module")
def vehicle() -> jv.Vehicle:
    return compact()


@pytest.fixture(scope="module")
def description(vehicle: jv.Vehicle) -> car.Description:
    return car.describe(vehicle, ground="inclined")


def standing(description: car.Description, grade: float = 0.0, brake: float = 0.0) -> Simulation:
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": grade})
    sim.set_inputs({"brake": brake})
    statics.settle(sim, description, normal=(-grade, 0.0, 1.0))
    return sim


def quintic(t: float, to: float, duration: float) -> tuple[float, float]:
    """Value and rate of the smooth ramp: 6 s⁵ − 15 s⁴ + 10 s³."""
    s = min(max(t / duration, 0.0), 1.0)
    return to * s**3 * (10 - 15 * s + 6 * s * s), to * 30 * s * s * (1 - s) ** 2 / duration


def reference(sim: Simulation, inputs: Callable[[float], dict[str, float]], times: Array) -> dict[str, Array]:
    """Signals by DOP853, from the state of a simulation."""
    index = {v.name: i for i, v in enumerate(sim.model.inputs)}
    pads = sim.m.copy()
    for i, memory in enumerate(sim.model.memories):
        if memory.name.endswith(".deflection"):
            pads[i] = SLIDING

    def controls(t: float) -> Array:
        u = sim.u.copy()
        for name, value in inputs(t).items():
            u[index[name]] = value
        return u

    def rhs(t: float, x: Array) -> Array:
        return sim.derivatives(x=x, m=pads, u=controls(t), t=t)[0]

    found = solve_ivp(rhs, (times[0], times[-1]), sim.x.copy(), "DOP853", t_eval=times, rtol=1e-10, atol=1e-10)
    assert found.success
    names = [v.name for v in sim.model.outputs]
    rows = np.array([
        sim.outputs(x=x, m=pads, u=controls(t), t=t) for t, x in zip(found.t, found.y.T, strict=True)
    ])  # fmt: skip
    return {name: rows[:, names.index(name)] for name in SIGNALS}


def assert_within(run: Recording, exact: dict[str, Array], share: float) -> None:
    """Largest difference of each signal, against its own peak; signals that are zero but for rounding are left out."""
    peaks = {name: float(np.abs(exact[name]).max()) for name in SIGNALS}
    off = {name: float(np.abs(run[name] - exact[name]).max()) / peak for name, peak in peaks.items() if peak > 1e-9}
    assert len(off) >= 20
    worst = max(off, key=lambda name: off[name])
    assert off[worst] <= share, f"{worst}: {100 * off[worst]:.3g} % of its peak"


def coasting(description: car.Description) -> Simulation:
    """The car at 100 km/h, a second after it was put there: what the start stirred up is over."""
    sim = rolling(standing(description), 100 / 3.6)
    sim.run(1.0)
    sim.restart(1.0)
    return sim


@pytest.mark.slow
def test_default_step_on_a_step_steer(description: car.Description) -> None:
    sim = coasting(description)

    def steer(t: float) -> dict[str, float]:
        angle, rate = quintic(t - 1.0, 0.6, 0.2)
        return {"steering_wheel": angle, "steering_wheel.rate": rate}

    exact = reference(sim, steer, np.linspace(1.0, 3.0, 201))
    program = Program(Phase("steer", [Open("steering_wheel", Ramp(0.6, 0.2, start=0.0, smooth=True))], duration=2.0))
    run = sim.run(program=program, interval=0.01)
    assert (sim.method, sim.step) == ("AB-2", 0.001)
    assert np.abs(exact["System_Mass_Center.Tracking_Ay"]).max() > 4.0, "a step worth the name"
    assert_within(run, exact, 5e-4)


@pytest.mark.slow
def test_default_step_on_braking(description: car.Description) -> None:
    sim = coasting(description)
    exact = reference(sim, lambda t: {"brake": quintic(t - 1.0, 0.4, 0.2)[0]}, np.linspace(1.0, 3.0, 201))
    program = Program(Phase("brake", [Open("brake", Ramp(0.4, 0.2, start=0.0, smooth=True))], duration=2.0))
    run = sim.run(program=program, interval=0.01)
    assert exact["System_Mass_Center.Tracking_Ax"][-1] < -4.0
    assert min(exact[f"Wheel.Omega.{c}"].min() for c in CORNERS) > 10.0, "no wheel stops: the pads slide"
    assert_within(run, exact, 5e-4)


@pytest.mark.slow
@pytest.mark.parametrize("demand", [0.5, 1.0])
def test_from_100_kph_to_standstill_and_there_it_stays(description: car.Description, demand: float) -> None:
    sim = rolling(standing(description), 100 / 3.6)
    brake = Open("brake", Ramp(demand, 0.1, start=0.0))
    run = sim.run(program=Program(Phase("stop", [brake], duration=18.0)), interval=0.01)
    speed, t = run["System_Mass_Center.Speed"], run.time
    stopped = float(t[np.argmax(speed < 0.01)])
    mean = 100 / 3.6 / stopped
    assert 5.0 < mean < 11.5, "within what dry tires of this friction do"
    last = t >= 8.0 - 1e-9
    assert stopped < 6.0
    for axis in "XYZ":
        path = run[f"Vehicle.CM_Global_{axis}"][last]
        assert np.ptp(path) < 1e-3, f"drift along {axis} over 10 s"
    quiet = t >= 13.0  # the body has rocked itself out
    assert speed[quiet].max() < 1e-6, "no chatter"
    for corner in CORNERS:
        assert np.abs(run[f"Wheel.Omega.{corner}"][quiet]).max() < 1e-5
        assert np.ptp(run[f"Tire.Ground_Surface_Force_X.{corner}"][quiet]) < 0.1


def test_a_grade_of_twenty_percent_is_held_for_a_minute(description: car.Description) -> None:
    sim = standing(description, grade=0.2, brake=1.0)
    run = sim.run(62.0, interval=0.1)
    held = run.time >= 2.0 - 1e-9
    for axis in "XYZ":
        path = run[f"Vehicle.CM_Global_{axis}"]
        assert abs(path[held] - path[held][0]).max() < 1e-3
    assert run["System_Mass_Center.Speed"][held].max() < 1e-5
    force = sum(run[f"Tire.Hub_Carrier_Force_Global_Z.{c}"][-1] for c in CORNERS)
    assert force == pytest.approx(description.vehicle.mass() * description.vehicle.system.gravity, rel=1e-6)


# -- linearisation --------------------------------------------------------------------------------------------------


def differences(sim: Simulation, names: tuple[str, ...]) -> Array:
    """Central differences of the compiled derivatives over the tangent states.

    Rows of the tangent angles: a small turn δθ (body axes) of a body with the angular velocity ω has the rate
    δω − ω × δθ.
    """
    places = Places(sim, names)
    x0 = sim.x.copy()
    n = len(names)
    a = np.zeros((n, n))
    width = 1e-6
    for j in range(n):
        step = np.zeros(n)
        step[j] = width
        up, down = (places.rates(sim.derivatives(x=places.moved(x0, range(n), s * step))[0]) for s in (1.0, -1.0))
        a[:, j] = (up - down) / (2 * width)
    angle = [names.index(f"chassis.r{axis}") for axis in "xyz"]
    speed = [names.index(f"chassis.w{axis}") for axis in "xyz"]
    w = [sim.state(f"chassis.w{axis}") for axis in "xyz"]
    a[angle, :] = 0.0
    a[angle, speed] = 1.0
    a[np.ix_(angle, angle)] = -np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return a


@pytest.mark.parametrize(
    "case",
    [
        "at rest, braked",
        "at rest",
        "in a turn",
    ],
)
def test_linearisation_against_differences(description: car.Description, case: str) -> None:
    sim = standing(description, brake=1.0 if case.endswith("braked") else 0.0)
    if case == "in a turn":
        rolling(sim, 20.0)
        steer = Open("steering_wheel", Ramp(0.5, 0.3, start=0.0, smooth=True))
        sim.run(program=Program(Phase("turn", [steer], duration=3.0)))
        assert sim.output("System_Mass_Center.Tracking_Ay") > 1.5
        # rolling resistance is at its limit when rolling, a kink that differences would straddle
        sim.set_states({v.name: 0.97 for v in sim.model.states if v.name.endswith(".tire.rolled")})
    model = car.lineariser(description).at(sim)
    numeric = differences(sim, model.states)
    scale = np.abs(model.A).max(axis=1, keepdims=True) + 1e-9
    assert np.abs((model.A - numeric) / scale).max() < 1e-6
    exact, found = np.linalg.eigvals(model.A), np.linalg.eigvals(numeric)
    # eigenvalues near zero of multiplicity n move by the n-th root of a difference: they are only counted
    moving, also = exact[np.abs(exact) > 0.05], found[np.abs(found) > 0.05]
    assert len(moving) == len(also) >= 20
    for value in moving:
        assert np.abs(also - value).min() < 1e-5 * abs(value)
