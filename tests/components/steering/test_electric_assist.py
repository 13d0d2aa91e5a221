"""Electric power steering on the bench."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from jounce.components.part import table_of
from jounce.components.steering.electric_assist import ElectricAssist
from jounce.components.steering.rack_pinion import RackPinion
from jounce.runtime.program import Constant, Open, Phase, Program, Sine
from jounce.runtime.simulation import Simulation
from jounce.sim.linear import Lineariser
from jounce.sim.margins import margins
from steering_rig import RADIUS, SETTINGS, bench, described, raw

TWISTS = [-0.12, -0.05, -0.02, 0.0, 0.02, 0.05, 0.12]
AMPS = [[-60.0, -40.0], [-20.0, -11.0], [-4.0, -2.5], [0.0, 0.0], [4.0, 2.5], [20.0, 11.0], [60.0, 40.0]]
SPEEDS = [0.0, 30.0]
STEP = 0.0005


def electric(on: str = "pinion", **more: Any) -> dict[str, Any]:
    ratio = {"rack_ratio": 2200.0} if on == "rack" else {"ratio": 19.0}
    return {
        "on": on, "current": {"x": TWISTS, "z": SPEEDS, "y": AMPS}, "torque_constant": 0.045, "lag": 0.012,
        "inertia": 8e-5, **ratio, **more,
    }  # fmt: skip


def assisted(on: str = "pinion", changes: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    bar = "upper" if on == "column" else "lower"
    return raw(electric=electric(on, **more), torsion_bar__on=bar, torsion_bar__damping=0.3, **(changes or {}))


def locked(sim: Simulation) -> Simulation:
    """With a rack that does not move."""
    sim.set_parameters({"wheels": 1e12})
    return sim


@pytest.mark.parametrize("on", ["column", "pinion", "rack"])
def test_the_torque_follows_its_map_after_its_lag(on: str) -> None:
    sim = locked(bench(assisted(on)))
    run = sim.run(
        program=Program(
            Phase("a", [Open("steering_wheel", Constant(-0.05)), Open("speed", Constant(-30.0))], duration=0.2)
        ),
        method="AB-2", step=STEP, interval=STEP,
    )  # fmt: skip
    found = run["Steering_column.steering_assist_force" if on == "rack" else "Steering_column.steering_assist_moment"]
    n = 2200.0 if on == "rack" else 19.0
    steady = -n * 0.045 * 11.0
    assert found[-1] == pytest.approx(steady, rel=1e-6)
    assert np.interp(0.012, run.time, found) == pytest.approx(steady * (1 - math.exp(-1)), rel=2e-3)
    # and it acts on the rack: what the hand and the motor give together
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    arm = RADIUS if on == "rack" else 1.0
    assert rates["steering.rack.rate"] * 1e12 * RADIUS**2 == pytest.approx(steady * arm - 118.0 * 0.05, rel=1e-6)


@pytest.mark.parametrize("on", ["pinion", "rack"])
def test_the_motor_adds_its_inertia_and_a_torque_from_outside_arrives_times_the_ratio(on: str) -> None:
    sim = bench(assisted(on))
    sim.set_inputs({"Steering_Assist.steering_assist.motor_torque": 0.7})
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    n = 2200.0 * RADIUS if on == "rack" else 19.0  # motor over pinion
    inertia = 62.7 * RADIUS**2 + 6e-5 + n * n * 8e-5
    assert rates["steering.rack.rate"] == pytest.approx(n * 0.7 / inertia, rel=1e-9)


def test_lead_damping_and_return_command_the_motor() -> None:
    more = {
        "lead": {"ahead": 0.02, "behind": 0.004},
        "damping": {"x": [0.0, 40.0], "y": [0.1, 0.5]},
        "active_return": {"x": [-3.0, 0.0, 3.0], "y": [-0.9, 0.0, 0.9]},
    }
    sim = locked(bench(assisted(**more)))
    sim.set_inputs({"steering_wheel": 0.02, "speed": 20.0})
    sim.set_states({"steering.rack": 0.5, "steering.rack.rate": 2.0, "steering.lead.follower": -0.47})
    sim.set_states({"steering.motor.torque": 0.3})
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    twist = 0.02 - 0.5
    led = -0.47 + 0.02 / 0.004 * (twist + 0.47)
    assert rates["steering.lead.follower"] == pytest.approx((twist + 0.47) / 0.004, rel=1e-12)
    # beyond its table a map goes on with its last slope
    data = ElectricAssist.model_validate(electric(**more))

    table = table_of(data.current, "current", False, SETTINGS)  # type: ignore[arg-type]
    asked = 0.045 * float(table(led, 20.0)) - (0.3 * 2.0 + 0.3 * 0.5) / 19.0
    assert rates["steering.motor.torque"] == pytest.approx((asked - 0.3) / 0.012, rel=1e-9)


GEAR = {"gear": {"stiffness": 4000.0, "damping": 0.6, "efficiency": 0.82}}


def test_a_gear_loses_power_in_both_directions_and_comes_to_rest() -> None:
    data = assisted("pinion", **GEAR)
    for side, towards in ((1.0, "motor drives"), (-1.0, "rack drives")):
        sim = bench(data)
        sim.set_inputs({"Steering_Assist.steering_assist.motor_torque": 0.0})
        sim.set_states({"steering.motor": 0.01, "steering.rack.rate": side * 3.0, "steering.motor.rate": side * 3.0})
        sim.set_inputs({"steering_wheel": 0.0})
        sim.set_states({"steering.motor.torque": 0.0})
        sim.set_method("AB-2", 1e-9)  # without the terms of the step
        rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
        given = 4000.0 * 0.01
        at_motor = rates["steering.motor.rate"] * 19.0**2 * 8e-5
        factor = 1 / 0.82 if side > 0 else 0.82
        assert at_motor == pytest.approx(-given * factor, rel=1e-4), towards
    sim = bench(data)
    sim.set_parameters({"steering.electric.torque_constant": 1e-9})
    sim.set_states({"steering.motor": 0.02})
    run = sim.run(t_end=3.0, method="AB-2", step=0.001, interval=0.01)
    swing = np.abs(run["Steering_Rack_Pinion.rack_velocity"])
    assert swing.max() > 1e-3 and swing[-20:].max() < 0.02 * swing.max(), "a free response decays"


# ---- the loop of assist ----------------------------------------------------------------------------------------------


@lru_cache
def lineariser(lead: bool) -> Lineariser:
    return Lineariser(described(RackPinion.model_validate(steep(lead))))


def steep(lead: bool) -> dict[str, Any]:
    """A map with eight times the stiffness of the bar at the pinion."""
    more: dict[str, Any] = {"current": {"rate": 118.0 * 8 / (19.0 * 0.045)}, "lag": 0.002}
    if lead:
        more["lead"] = {"ahead": 0.012, "behind": 0.0013}
    return assisted("pinion", {"rack__damping": 800.0}, **more)


def test_phase_lead_makes_a_steep_map_stable_by_the_margins_of_the_loop() -> None:
    found = {}
    for lead in (False, True):
        sim = bench(steep(lead))
        sim.set_parameters({"aligning": 5e4})
        sim.set_method("Euler", 1e-7)
        model = lineariser(lead).at(sim)
        growth = float(model.eigenvalues([n for n in model.states if not n.startswith("steering.free")]).real.max())
        loop = margins(model, "steering.motor.torque", without=["steering.free"])
        found[lead] = (loop.gain, loop.phase, growth)
    assert found[False][1] < 0 < found[False][2], "without lead the loop is unstable, and so are the eigenvalues"
    assert found[True][1] > math.radians(20) and found[True][0] > 2.0 and found[True][2] < 0
    # the same in time; the loop crosses over at some 500 rad/s, which a step must resolve
    sim = bench(steep(True))
    sim.set_parameters({"aligning": 5e4})
    sim.set_states({"steering.rack": 0.01})
    run = sim.run(t_end=1.0, method="AB-2", step=0.00025, interval=0.01)
    assert abs(run["Steering_Rack_Pinion.rack_displacement"][-1]) < 1e-6


RUBBING = {"viscous": {"slope": 0.05, "limit": 0.02}}


@pytest.mark.parametrize(
    ("on", "gear", "tolerance"),
    [("pinion", {}, 1e-6), ("rack", {}, 1e-6), ("pinion", GEAR, 1e-4), ("rack", GEAR, 1e-4)],
    ids=str,
)
def test_assist_takes_its_share_of_the_work(on: str, gear: dict[str, Any], tolerance: float) -> None:
    """Work at the rim and of the motor is what is stored, lost and done at the rods.

    A gear that gives way has terms of the step in its motor's equation, which vanish with the step.
    """
    lead = {"ahead": 0.012, "behind": 0.0008}
    more: dict[str, Any] = {"lag": 0.0015, "lead": lead, "friction": RUBBING, **gear}
    data = assisted(on, {"rack__damping": 150.0}, current={"rate": 500.0 if on == "pinion" else 300.0}, **more)
    sim = bench(data)
    sim.set_parameters({"aligning": 6e4})
    run = sim.run(
        program=Program(Phase("a", [Open("steering_wheel", Sine(0.9, 0.9))], duration=1.0)),
        method="AM-4", step=2e-5, interval=2e-5,
    )  # fmt: skip

    def over_time(name: str) -> float:
        y = run[name]
        return float(np.sum(y[:-2:2] + 4 * y[1:-1:2] + y[2::2]) * 2e-5 / 3)

    work = {name: over_time(name) for name in run.names if name.startswith("work.")}
    lost = sum(over_time(name) for name in run.names if name.startswith("losses."))
    names = ["kinetic", *(name for name in run.names if name.startswith("energy."))]
    stored = sum(float(run[name][-1] - run[name][0]) for name in names)
    exchanged = sum(abs(x) for x in work.values()) + lost
    assert abs(work["work.assist"]) > 0.1 * exchanged
    assert over_time("losses.motor_friction") > 1e-4 * exchanged
    assert abs(sum(work.values()) - lost - stored) < tolerance * exchanged


def test_an_assist_can_be_switched_off_and_replaced_from_outside() -> None:
    sim = locked(bench(assisted("pinion")))
    turn = [Open("steering_wheel", Constant(0.05)), Open("Steering_Assist.internal_assist", Constant(0.0))]
    given = Open("Steering_Assist.steer_assist.torque", Constant(9.4))
    run = sim.run(program=Program(Phase("a", [*turn, given], duration=0.2)), method="AB-2", step=STEP, interval=0.01)
    assert np.abs(run["Steering_column.steering_assist_moment"]).max() == 0.0
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    assert rates["steering.rack.rate"] * 1e12 * RADIUS**2 == pytest.approx(9.4 + 118.0 * 0.05, rel=1e-6)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"current": {"x": [-0.1, 0.0, 0.1], "y": [-20.0, 1.0, 20.0]}}, "feeds energy into a steering at rest"),
        ({"current": {"x": [-0.1, 0.0, 0.1], "y": [20.0, 0.0, -20.0]}}, "pushes against the twist"),
        ({"damping": {"x": [0.0, 30.0], "y": [0.2, -0.1]}}, "negative damping"),
        ({"rack_ratio": 2000.0}, "stands beside on: pinion"),
        ({"lead": {"ahead": 0.004, "behind": 0.02}}, "must be shorter than ahead"),
    ],
)
def test_assists_that_cannot_be_are_named(more: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        ElectricAssist.model_validate(electric(**more))


def test_an_assist_above_its_torsion_bar_is_named() -> None:
    with pytest.raises(ValidationError, match="acts below a torsion bar on: upper"):
        RackPinion.model_validate(raw(electric=electric("column")))
