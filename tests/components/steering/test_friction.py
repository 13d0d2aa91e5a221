"""Laws of friction in a steering, each alone on a moving part, and on the bench."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from jounce.components.part import Symbols
from jounce.components.steering.friction import RackFriction, SteeringFriction
from jounce.runtime.program import Constant, Open, Phase, Program, Ramp, Sine
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.symbolic.system import System
from steering_rig import Bench, bench, raw

SPRING = {"stiffness": 52.0, "maximum": 0.9, "minimum": -0.6}
MAXWELL = {"stiffness": 31.0, "damping": 0.8, "limit": 0.5}
VISCOUS = {"slope": 2.3, "limit": 0.7}
COULOMB = {"static": 0.12, "dynamic": 0.07, "speed": 0.3, "limit": 1.1}
ALL = {"spring": SPRING, "maxwell": MAXWELL, "viscous": VISCOUS, "coulomb": COULOMB}


@lru_cache
def laws() -> Library:
    """All four laws beside each other, on a given motion under a given load."""
    system = System("laws")
    x = system.input("x", "rad", rate=True)
    load = system.input("load", "N.m")
    for name, law in ALL.items():
        data = SteeringFriction.model_validate({name: law})
        p = Symbols(data, None, Bench(system), f"{name}.")  # type: ignore[arg-type]
        system.output(name, data.torque(system.scope(f"{name}_law"), p, system.time_derivative(x), load), "N.m")
    zero = system.state("zero")
    system.derivative(zero, 0.0)
    return build(system)


def moved(reference: Any, duration: float, step: float, load: float = 0.0) -> Any:
    program = Program(Phase("a", [Open("x", reference), Open("load", Constant(load))], duration=duration))
    return Simulation(laws()).run(program=program, method="AB-2", step=step, interval=max(step, 0.002))


def test_the_loop_of_the_spring_is_its_exponential_whatever_the_step() -> None:
    way, period = 0.08, 2.0
    found = {}
    for step in (0.002, 0.0005):
        run = moved(Sine(way, 1 / period), 2 * period, step)
        found[step] = run["spring"]
    t, F = run.time, found[0.0005]
    x = way * np.sin(2 * np.pi * t / period)
    k, high, low = (SPRING[name] for name in ("stiffness", "maximum", "minimum"))
    # the loading branch from rest, then branches between the turning points
    first = t <= period / 4
    assert np.abs(F[first] - high * (1 - np.exp(-k * x[first] / high))).max() < 1e-5 * high
    top = high * (1 - math.exp(-k * way / high))
    back = (t >= period / 4) & (t <= 3 * period / 4)
    expected = low - (low - top) * np.exp(-k * (x[back] - way) / low)
    assert np.abs(F[back] - expected).max() < 1e-5 * high
    # ways are sums of trapezia: errors of (ω h)²/12 of the way, over 2 ms 3e-6
    assert np.abs(found[0.002] - F).max() < 1e-4 * high


def test_the_maxwell_leg_solves_its_equation_and_has_its_limits() -> None:
    from scipy.integrate import solve_ivp

    k, c, limit = (MAXWELL[name] for name in ("stiffness", "damping", "limit"))
    slow, fast = moved(Ramp(0.2, 2.0), 1.9, 0.001), moved(Ramp(4.0, 2.0), 1.9, 0.001)
    assert slow["maxwell"][-1] == pytest.approx(c * 0.1, rel=1e-9)
    assert fast["maxwell"][-1] == pytest.approx(limit, rel=1e-6)
    run = moved(Sine(0.3, 0.8), 2.0, 0.0005)

    def rate(t: float, F: Any) -> Any:
        v = 0.3 * 2 * math.pi * 0.8 * math.cos(2 * math.pi * 0.8 * t)
        return k * (1 - np.sign(v - F / c) * F / limit) * (v - F / c)

    exact = solve_ivp(rate, (0.0, 2.0), [0.0], t_eval=run.time, rtol=1e-9, atol=1e-11, max_step=0.002).y[0]
    start = run.time > 0.1  # the first speed comes as a jump, which the leg gets as half of it
    assert np.abs(run["maxwell"] - exact)[start].max() < 2e-3 * limit


def test_laws_of_speed_have_the_value_at_the_speed() -> None:
    speed = 0.17
    run = moved(Ramp(speed * 1.0, 1.0), 0.9, 0.001, load=6.0)
    assert run["viscous"][-1] == pytest.approx(0.7 * math.tanh(2.3 * speed), rel=1e-12)
    slow = math.tanh(speed / 0.03)
    assert run["coulomb"][-1] == pytest.approx(0.12 * 6.0 * slow, rel=1e-12), "slower than the transition"
    run = moved(Ramp(speed * 1.0, 1.0), 0.9, 0.001, load=-3.0)
    assert run["coulomb"][-1] == pytest.approx(0.12 * 3.0 * slow, rel=1e-12), "by the size of the load"
    run = moved(Ramp(0.8, 1.0), 0.9, 0.001, load=5.0)
    assert run["coulomb"][-1] == pytest.approx(0.07 * 5.0, rel=1e-9), "faster than the transition"
    run = moved(Ramp(-0.8, 1.0), 0.9, 0.001, load=50.0)
    assert run["coulomb"][-1] == pytest.approx(-1.1, rel=1e-9), "capped, and against the motion"


RUBS = {
    "column": {"friction__column": {"spring": SPRING}},
    "torsion_bar": {"friction__torsion_bar": {"maxwell": MAXWELL, "viscous": VISCOUS}},
    "rack": {
        "friction__rack": {
            "spring": {"stiffness": 8e5, "maximum": 160.0, "minimum": -130.0},
            "coulomb": {"static": 0.05, "dynamic": 0.03, "speed": 0.004, "limit": 300.0},
        }
    },
}


@pytest.mark.parametrize("place", RUBS)
def test_friction_at_each_place_dissipates_and_stands_in_the_hand_torque(place: str) -> None:
    sim = bench(raw(torsion_bar__damping=0.3, **RUBS[place]))
    sim.set_parameters({"aligning": 4e4})
    program = Program(
        Phase("a", [Open("steering_wheel", Sine(1.1, 0.7)), Open("rods", Sine(300.0, 1.9))], duration=3.0)
    )
    run = sim.run(program=program, method="AB-2", step=0.0005, interval=0.0005)
    lost = np.cumsum(run[f"losses.{place}_friction"]) * 0.0005
    assert lost[-1] > 0.02
    # what an elastic law gives back is at most what it holds: F²/2k of its spring
    held = {"column": 0.9**2 / 2 / 52, "torsion_bar": 0.5**2 / 2 / 31, "rack": 160.0**2 / 2 / 8e5}[place]
    assert np.diff(lost)[::1].min() > -held
    assert (lost - np.maximum.accumulate(lost)).min() > -1.01 * held


def test_elastic_friction_holds_without_creep_and_laws_of_speed_creep_by_their_inverse() -> None:
    hold = [Open("steering_wheel", Constant(0.0)), Open("rods", Constant(90.0))]
    sim = bench(raw(torsion_bar__damping=2.0, **RUBS["rack"]))
    sim.set_parameters({"steering.friction.rack.coulomb.limit": 1e-9})
    run = sim.run(program=Program(Phase("a", hold, duration=20.0)), method="AB-2", step=0.001, interval=0.1)
    rack = run["Steering_Rack_Pinion.rack_displacement"]
    assert abs(rack[-1]) > 1e-6 and abs(rack[-1] - rack[100]) < 1e-12
    # a hand wheel let go against a viscous friction: both ends turn on, at the speed whose friction is the torque
    sim = bench(raw(torsion_bar__damping=2.0, friction__column={"viscous": {"slope": 2.3, "limit": 0.7}}))
    force = 35.0
    free = [
        Open("steering_release", Constant(1.0)),
        Open("steering_wheel", Constant(0.0)),
        Open("rods", Constant(force)),
    ]
    run = sim.run(program=Program(Phase("a", free, duration=6.0)), method="AB-2", step=0.001, interval=0.1)
    torque = -force * 0.0078
    assert run["hand.rate"][-1] == pytest.approx(math.atanh(torque / 0.7) / 2.3, rel=1e-6)


def test_bad_laws_are_named() -> None:
    with pytest.raises(ValidationError, match="no law of friction"):
        SteeringFriction.model_validate({})
    with pytest.raises(ValidationError, match="minimum"):
        RackFriction.model_validate({"spring": {"stiffness": 1e6, "maximum": 100.0, "minimum": 100.0}})
