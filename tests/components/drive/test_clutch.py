"""The clutch: engagement, holding, slipping, launch without chatter, 200 Hz at a millisecond."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

from drive_rig import bench
from drivelines import CLUTCH, ENGINE, GEARBOX, REAR, RWD
from jounce.components.controllers.arbiter import arbiter
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.fields import quantity

QUIET = {**ENGINE, "idle_control": None, "overspeed_control": None}


def line(**changes: Any) -> dict[str, Any]:
    return {"layout": "rwd", "engine": QUIET, "clutch": {**CLUTCH, "automatic": False, **changes}, "rear": REAR}


HEAVY = {"L2.inertia": 21.0, "R2.inertia": 24.0}


def running(sim: Any, spin: float, crank: float) -> None:
    sim.set_parameters(HEAVY)
    sim.set_states({"L2.spin": spin, "R2.spin": spin, "driveline.crank.speed": crank})


def test_closed_it_carries_what_the_engine_gives_less_its_inertia() -> None:
    sim = bench(line(efficiency=0.98))
    running(sim, 40.0, 148.0)
    sim.set_inputs({"throttle": 0.7})
    sim.run(2.0)
    torque = sim.output("Engine.torque")
    change = sim.output("Engine.clutch_inputplate_alpha")
    assert sim.output("Clutch.inputplate_torque") == pytest.approx(torque - 0.15 * change, rel=1e-3)
    assert sim.output("Clutch.torque") == pytest.approx(0.98 * sim.output("Clutch.inputplate_torque"), rel=1e-6)
    assert abs(sim.output("Engine.engine_rpm") - sim.output("Clutch.clutch_rpm")) < 0.01


def test_pedal_from_closed_to_open() -> None:
    sim = bench(line(open=0.8, closed=0.3))
    running(sim, 0.0, 300.0)
    for pedal, engaged in ((0.0, 1.0), (0.3, 1.0), (0.55, 0.5), (0.8, 0.0), (1.0, 0.0)):
        sim.set_inputs({"clutch": pedal})
        assert 1 - sim.output("Clutch.effective_clutch") == pytest.approx(engaged, abs=1e-12)
        assert sim.output("Clutch.inputplate_torque") == pytest.approx(400.0 * engaged, abs=1e-9)


def test_it_slips_at_its_capacity_and_what_it_loses_is_torque_times_slip() -> None:
    sim = bench(line())
    running(sim, 0.0, 400.0)
    sim.set_inputs({"clutch": 0.62, "throttle": 0.5})
    engaged = 1 - sim.output("Clutch.effective_clutch")
    sim.run(0.05)
    slip = sim.output("Engine.engine_rpm") - sim.output("Clutch.clutch_rpm")
    assert sim.output("Clutch.torque") == pytest.approx(400.0 * engaged, rel=1e-9)
    assert sim.output("Clutch.lost_power") == pytest.approx(400.0 * engaged * slip, rel=1e-3)


def test_a_mode_of_200_hertz_is_quiet_at_a_millisecond() -> None:
    """PWT-23: output plate and engine on springs of 200 Hz, a step of torque: no oscillation."""
    reduced = 1 / (1 / 0.15 + 1 / 0.021)
    sim = bench(line(stiffness=reduced * (2 * np.pi * 200.0) ** 2, damping=0.5, inertia=0.021))
    running(sim, 40.0, 40.0 * 3.7)
    sim.run(0.1)
    sim.set_inputs({"throttle": 1.0})
    found = []
    for _ in range(200):
        sim.advance(1)
        found.append(sim.output("Clutch.inputplate_torque"))
    late = np.array(found[60:])
    assert np.ptp(late) < 0.02 * abs(late.mean()) and late.mean() > 100.0


@cache
def launch(step: float) -> tuple[list[float], list[float], int]:
    """Slip and torque at every millisecond of a launch by the throttle alone, and when the clutch locks."""
    raw = {"layout": "rwd", "engine": ENGINE, "clutch": CLUTCH, "rear": {**REAR, "ratio": 12.0}}
    sim = bench(raw, step=step)
    running(sim, 0.0, 90.0)
    sim.set_inputs({"throttle": 0.6})
    slips, torques = [], []
    for _ in range(1500):
        sim.advance(round(1e-3 / step))
        slips.append(sim.output("Engine.engine_rpm") - sim.output("Clutch.clutch_rpm"))
        torques.append(sim.output("Clutch.torque"))
    return slips, torques, next(i for i, slip in enumerate(slips) if abs(slip) < 1.0)


@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_a_launch_by_the_throttle_alone_does_not_chatter(step: float) -> None:
    """The automatic clutch closes with the speed of the engine; once it sticks it stays so, torque without ringing."""
    slips, torques, first = launch(step)
    assert max(abs(s) for s in slips[first + 50 :]) < 1.0, "no slip after lock-up, but for its springs"
    assert max(abs(s) for s in slips[first + 500 :]) < 0.05
    jumps = np.abs(np.diff(torques[first + 100 :]))
    assert jumps.max() < 2.0, "no ringing"


def test_the_launch_converges_with_the_step() -> None:
    (a, t_a), (b, t_b) = (
        (float(np.interp(1.4, np.arange(1, 1501) * 1e-3, np.cumsum(torques) * 1e-3)), first * 1e-3)
        for _, torques, first in (launch(1e-3), launch(2.5e-4))
    )
    assert a == pytest.approx(b, rel=2e-3) and t_a == pytest.approx(t_b, abs=0.01)


def test_engagement_as_in_the_reference_tool() -> None:
    """T = e (k θ + c θ̇), θ̇ = e Δω, at most the capacity, whatever e."""
    sim = bench(line(engagement="stiffness", stiffness=900.0, damping=4.0))
    running(sim, 0.0, 30.0)
    sim.set_inputs({"clutch": 0.5})
    windup = 0.02
    sim.set_states({"driveline.clutch.plate.windup": windup})
    # springs of e² k and e² c; what the implicit step adds is small for so soft ones
    expected = 0.25 * (900.0 * windup + 4.0 * 30.0)
    assert sim.output("Clutch.inputplate_torque") == pytest.approx(expected, rel=0.02)
    running(sim, 0.0, 400.0)
    sim.run(0.2)
    assert sim.output("Clutch.inputplate_torque") <= 400.0 + 1e-6


def test_a_hill_start_backwards_does_not_chatter_and_converges() -> None:
    """Reverse gear against a slope that pulls forwards: it rolls on, is caught, goes back; smooth once it sticks."""
    gearbox = {**GEARBOX, "shifts": "demand"}
    ends = []
    for step in (1e-3, 2.5e-4):
        sim = bench({**RWD, "gearbox": gearbox}, step=step)
        sim.set_parameters({"L2.inertia": 40.0, "R2.inertia": 44.0})
        sim.set_inputs({"gear": -1.0, "L2.load": 300.0, "R2.load": 310.0, "throttle": 0.0})
        spins, torques = [], []
        for i in range(400):
            sim.set_inputs({"throttle": min(0.9, 0.01 * i)})
            sim.advance(round(0.01 / step))
            spins.append(sim.state("L2.spin"))
            torques.append(sim.output("Clutch.torque"))
        ends.append(spins[-1])
        assert max(spins) > 0.5 and spins[-1] < -5.0, "forwards by the slope, then backwards by the engine"
        stuck = np.array(torques[180:320])  # below the largest power, so that the torque stays
        assert stuck.min() > 50.0 and np.ptp(stuck) < 1e-4 * stuck.mean(), "it swings"
    assert ends[0] == pytest.approx(ends[1], rel=2e-3)


class LetsGo(Part):
    """Anti-lock control as the drive sees it: the share that couplings carry."""

    family: ClassVar[str] = "controller"
    share: float = quantity("-", 0.3, doc="that couplings carry")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        arbiter(at).enter("coupling", "abs", "scale", lambda: p.share)


@pytest.mark.parametrize("kind", ["clutch", "dual_clutch", "pedal"])
def test_a_controller_opens_a_clutch_that_works_by_itself_and_no_other(
    kind: Literal["clutch", "dual_clutch", "pedal"],
) -> None:
    """Above the speed at which it opens it is closed; what is left of it is the share. A foot has the other one."""
    clutch = {**CLUTCH, "kind": "clutch" if kind == "pedal" else kind, "automatic": kind != "pedal"}
    sim = bench({**line(), "clutch": clutch}, parts=[LetsGo()])
    running(sim, 80.0, 296.0)
    for share in (1.0, 0.3, 0.0):
        if kind != "pedal":
            sim.set_parameters({"LetsGo.share": share})
        assert 1 - sim.output("Clutch.effective_clutch") == pytest.approx(1.0 if kind == "pedal" else share, abs=1e-12)
