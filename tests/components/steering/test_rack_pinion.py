"""Rack and pinion on the bench."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from jounce.components.steering.rack_pinion import RackPinion
from jounce.core.tables import Table
from jounce.runtime.program import Constant, FromTable, Open, Phase, Program, Sine
from jounce.runtime.simulation import Simulation
from steering_rig import RADIUS, bench, raw

TORQUE = "Steering_System.Steering_Wheel_Torque"
TWIST = "Steering_Torsion_Bar.torsion_bar_twist_angle"
TRAVEL = "Steering_Rack_Pinion.rack_displacement"
POINTS = [
    {"x": 0.0, "z": 1.0},
    {"x": 0.4, "y": 0.02, "z": 0.8},
    {"x": 0.6, "y": -0.05, "z": 0.45},
    {"x": 0.7, "z": 0.3},
]
JOINTS = {"points": POINTS, "mounting": 0.3, "second": 1.2}
# all that rubs, damps and stores without nodes of the chain, so that only truncation is left in a balance
DISSIPATING = {
    "column__shafts": JOINTS,
    "torsion_bar": {"stiffness": 118.0, "damping": 0.3, "limit": 0.05, "limit_stiffness": 900.0},
    "rack": {"mass": 2.7, "pinion_inertia": 6e-5, "damping": 200.0, "travel": 0.0045},
    "friction": {
        "column": {"viscous": {"slope": 1.4, "limit": 0.3}},
        "torsion_bar": {"viscous": {"slope": 3.0, "limit": 0.2}},
        "rack": {"viscous": {"slope": 40.0, "limit": 90.0}},
    },
}


def driven(sim: Simulation, *channels: Any, duration: float, step: float = 0.0005, method: str = "AB-2") -> Any:
    return sim.run(
        program=Program(Phase("a", list(channels), duration=duration)), method=method, step=step, interval=step
    )


def test_with_a_locked_rack_the_torque_is_that_of_the_bar() -> None:
    for side in (1.0, -1.0):
        sim = bench(raw())
        sim.set_inputs({"steering_wheel": side * 0.023})
        assert sim.output(TORQUE) == pytest.approx(side * 118.0 * 0.023, rel=1e-12)
        assert sim.output("Steering_Rack_Pinion.rack_force_from_lower_column") == pytest.approx(
            side * 118.0 * 0.023 / RADIUS, rel=1e-12
        )


def test_a_rack_in_balance_does_not_move() -> None:
    sim = bench(raw(torsion_bar__damping=0.3, column__shafts=JOINTS), scale=1.2)
    twist = 0.031
    # the rack of the bench moves to the right with the hand wheel: a positive force of the rods turns to the right
    sim.set_inputs({"rods": 118.0 * twist * 1.2 / RADIUS, "steering_wheel": 0.9})
    pinion = RackPinion.model_validate(raw(column__shafts=JOINTS)).pinion(0.9)
    sim.set_states({"steering.rack": (pinion - twist) / 1.2})
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    assert sim.output(TWIST) == pytest.approx(twist, rel=1e-12)
    assert abs(rates["steering.rack.rate"]) < 1e-9 * 118.0 * twist / (62.7 * RADIUS**2)
    ratio = sim.output("Steering_column.overall_cardan_shaft_ratio")
    upper, lower = (sim.output(f"Steering_column.{n}_cardan_shaft_ratio") for n in ("upper", "lower"))
    assert ratio == pytest.approx(upper * lower, rel=1e-12) and abs(ratio - 1) > 0.002
    assert sim.output(TORQUE) == pytest.approx(ratio * 118.0 * twist, rel=1e-12)


@pytest.mark.parametrize("on", ["lower", "upper"])
def test_work_at_the_rim_is_what_is_stored_lost_and_done_at_the_rods(on: str) -> None:
    """Every term from its own channel: forces times speeds, and energies of position and motion."""
    data = raw(**DISSIPATING)
    data["torsion_bar"]["on"] = on
    sim = bench(data, bend=0.13)
    sim.set_parameters({"aligning": 3e4})
    run = driven(
        sim, Open("steering_wheel", Sine(1.3, 0.8)), Open("rods", Sine(260.0, 1.7)), duration=1.2, step=2e-5,
        method="AM-4",
    )  # fmt: skip
    t = run.time

    def over_time(name: str) -> Any:
        """∫ by Simpson's rule over pairs of steps, at every second row."""
        y = run[name]
        return np.concatenate(([0.0], np.cumsum(y[:-2:2] + 4 * y[1:-1:2] + y[2::2]))) * (t[1] - t[0]) / 3

    work = [over_time(name) for name in run.names if name.startswith("work.")]
    lost = [over_time(name) for name in run.names if name.startswith("losses.")]
    held = [run[name][::2] for name in ("kinetic", *(n for n in run.names if n.startswith("energy.")))]
    exchanged = sum(abs(x[-1]) for x in (*work, *lost))
    assert np.abs(run[TRAVEL]).max() > 0.0045, "it meets the stops"
    assert np.abs(run[TWIST]).max() > 0.05, "and the limit of the bar"
    assert np.abs(sum(work) - sum(lost) - sum(x - x[0] for x in held)).max() < 1e-6 * exchanged
    assert all(x[-1] > 1e-3 * exchanged for x in lost) and len(lost) >= 5


def test_torque_of_an_angle_run_gives_the_angle_again() -> None:
    data = raw(
        column__shafts=JOINTS,
        torsion_bar__damping=0.3,
        friction__column={"spring": {"stiffness": 52.0, "maximum": 0.3, "minimum": -0.25}},
        friction__rack={"spring": {"stiffness": 8e5, "maximum": 60.0, "minimum": -50.0}},
    )
    step, duration = 0.0002, 2.0
    tau = np.arange(0.0, duration + step / 2, step)
    angle = 0.8 * np.sin(2 * np.pi * 0.9 * tau) * np.clip(tau / 0.5, 0, 1) ** 3
    sim = bench(data)
    sim.set_parameters({"aligning": 5e4})
    first = driven(
        sim, Open("steering_wheel", FromTable(Table([tau], angle, method="cubic"))), duration=duration, step=step
    )
    sim = bench(data)
    sim.set_parameters({"aligning": 5e4})
    again = driven(
        sim, Open("steering_wheel", Constant(0.0)), Open("steering_release", Constant(1.0)),
        Open("Steering_Assist.steering_torque.torque", FromTable(Table([first.time], first[TORQUE]))),
        duration=duration, step=step,
    )  # fmt: skip
    assert np.abs(first["hand"]).max() > 0.7
    # double integration of a torque sampled at 0.2 ms; the first step follows a torque that begins within it
    assert np.abs(again["hand"] - first["hand"]).max() < 2e-3 * 0.8


def test_hands_come_off_and_on_within_a_run() -> None:
    sim = bench(raw(torsion_bar__damping=0.4, friction__column={"viscous": {"slope": 1.0, "limit": 0.5}}))
    sim.set_parameters({"aligning": 6e4})
    hold, free = Open("steering_release", Constant(0.0)), Open("steering_release", Constant(1.0))
    turn = Open("steering_wheel", Constant(0.5))
    phases = [Phase("turn", [turn, hold], duration=2.0), Phase("free", [turn, free], duration=0.6),
              Phase("held", [turn, hold], duration=1.0)]  # fmt: skip
    run = sim.run(program=Program(*phases), method="AB-2", step=0.0005, interval=0.0005)
    t, hand = run.time, run["hand"]
    assert np.abs(hand[t < 2.0] - 0.5).max() < 1e-12
    inside = (t > 2.01) & (t < 2.59)
    assert np.abs(run[TORQUE][inside]).max() < 1e-9, "nobody turns it"
    second = np.gradient(np.gradient(hand, t), t)
    load = -run["Steering_System.DriveSim_Steering_Feedback_Torque"] - run["Steering_column.friction_torque"]
    inertia = 0.037 + 0.003 + 0.0013
    assert np.abs(inertia * second - load)[inside].max() < 1e-3 * np.abs(load).max()
    assert np.ptp(hand[t > 2.602]) < 1e-12 and hand[-1] < 0.45


def test_the_torque_of_a_simulator_is_without_friction_and_inertia() -> None:
    sim = bench(raw(friction__column={"viscous": {"slope": 1.0, "limit": 0.5}}, column__shafts=JOINTS))
    run = driven(sim, Open("steering_wheel", Sine(0.7, 2.0)), duration=0.6)
    friction, inertial = run["Steering_column.friction_torque"], run["Steering_column.inertial_torque"]
    without = run["Steering_System.DriveSim_Steering_Feedback_Torque"]
    assert np.abs(run[TORQUE] - friction - inertial - without).max() < 1e-12
    assert np.abs(friction).max() > 0.3 and np.abs(inertial).max() > 1.0
    ratio = run["Steering_column.overall_cardan_shaft_ratio"]
    assert np.abs(without - ratio * 118.0 * run[TWIST]).max() < 1e-10
    assert np.array_equal(run[TORQUE], run["Steering_column.steering_wheel_torque"])


def test_the_rack_follows_a_ratio_that_varies_and_stops_at_its_ends() -> None:
    sim = bench(raw(), bend=0.13)
    for turn in (0.4, -1.1):
        sim.set_states({"steering.rack": turn})
        expected = RADIUS * (turn + 0.13 * turn**3)  # ∫ r (1 + 0.39 θ²) dθ
        assert sim.output(TRAVEL) == pytest.approx(expected, rel=1e-12)
    sim = bench(raw(rack__travel=0.004, torsion_bar__damping=1.0))
    run = driven(sim, Open("rods", Constant(-12e3)), duration=1.5)
    assert run["Steering_Rack_Pinion.rack_displacement_saturated"].max() == 0.004
    over = run[TRAVEL][-1] - 0.004
    assert over == pytest.approx((12e3 - 118.0 * run[TRAVEL][-1] / RADIUS**2) / 3e6, rel=1e-6)
    # at most what stops the energy of 12 kN over 4 mm: sqrt(2 · 48 J/3e6)
    assert 0.001 < run[TRAVEL].max() - 0.004 < 0.0057


def test_the_place_of_the_bar_decides_what_torque_it_sees() -> None:
    """Below the joints it sees what they leave of the torque of the hand."""
    found = {}
    for on in ("lower", "upper"):
        data = raw(column__shafts=JOINTS, torsion_bar__on=on, torsion_bar__damping=1.0)
        sim = bench(data)
        sim.set_parameters({"aligning": 6e4})
        sim.set_inputs({"steering_wheel": 1.0})
        run = driven(sim, Open("steering_wheel", Constant(1.0)), duration=6.0, step=0.001)
        found[on] = (run[TWIST][-1], run[TORQUE][-1])
    # below the joints the bar bears the torque over their ratio, above them that of the hand
    assert found["upper"][1] == pytest.approx(118.0 * found["upper"][0], rel=1e-6)
    assert abs(found["lower"][1] / (118.0 * found["lower"][0]) - 1) > 0.01


def test_forces_from_outside_act_where_they_say() -> None:
    base = bench(raw())
    names = [v.name for v in base.model.states]

    def pushed(**inputs: float) -> float:
        sim = bench(raw())
        sim.set_inputs({f"Steering_Assist.{name.replace('__', '.')}": value for name, value in inputs.items()})
        return float(sim.derivatives()[0][names.index("steering.rack.rate")])

    mass = 62.7 * RADIUS**2 + 6e-5
    assert pushed() == 0.0
    assert pushed(steer_assist__force=40.0) == pytest.approx(40.0 * RADIUS / mass, rel=1e-12)
    assert pushed(steer_assist__torque=1.3) == pytest.approx(1.3 / mass, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"torsion_bar__damping": -0.1}, "damping"),
        ({"column__upper": {"stiffness": 400.0}, "column__upper_inertia": 0.0}, "needs an inertia"),
        ({"torsion_bar": {}}, "stiffness"),
        ({"rack__mesh_stiffness": 0.0}, "mesh_stiffness"),
    ],
)
def test_chains_that_cannot_be_are_named(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        RackPinion.model_validate(raw(**changes))
