"""Joints of drive shafts, on two free bodies: nothing from outside acts on them."""

from __future__ import annotations

import math
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jounce.components.drive.joints import Joint, ShaftJoints
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System
from jounce.symbolic.frames import add, cross, times

TORQUE, STEP = 730.0, 1e-4
CENTRE = {"L": np.array([0.05, 0.77, 0.31]), "R": np.array([0.05, -0.77, 0.31])}
DATA = ShaftJoints.model_validate({"axle": 1, "inner": [0.02, 0.21, 0.36], "outer": [0.04, 0.72, 0.30]})


@lru_cache
def rig(side: str) -> Any:
    """A body and a carrier with its wheel, which moves up and down, steers and cambers, all freely."""
    s = System(f"joint_{side}", gravity=(0.0, 0.0, 0.0))
    place = SimpleNamespace(
        centre=CENTRE[side], outwards=1.0 if side == "L" else -1.0, side=side, name=f"{side}1",
        axle=SimpleNamespace(number=1, unit=SimpleNamespace(axles=[])),
    )  # fmt: skip
    place.axle.unit.axles += [place.axle, SimpleNamespace()]
    free = s.free("body")
    chassis = s.body("chassis", free.frame, 900.0, (310.0, 820.0, 960.0), (0.2, 0.03, 0.4))
    travel, _ = s.coordinate("travel", unit="m", on=free.frame)
    steer, _ = s.coordinate("steer", unit="rad", on=free.frame)
    camber, _ = s.coordinate("camber", unit="rad", on=free.frame)
    centre = [float(x) for x in CENTRE[side]]
    moved = (centre[0] - 0.1 * travel, centre[1] + 0.2 * travel * travel, centre[2] + travel)
    carrier = free.frame.guided("carrier", moved, (("z", steer), ("x", camber - 0.3 * travel)))
    upright = s.body("upright", carrier, 37.0, (1.1, 1.7, 1.2))
    rotor = s.gyrostat("wheel", upright, (0, 1, 0), 0.93)
    told: dict[str, Any] = {}
    wheel = SimpleNamespace(
        carrier=carrier, rotor=rotor, system=s, place=place, axle=SimpleNamespace(frame=free.frame),
        design=centre, channel=lambda name, value, unit, doc: told.update({name: (value, unit)}),
    )  # fmt: skip
    ends = DATA.at(place)  # type: ignore[arg-type]
    numbers = {name: [float(v) for v in (getattr(ends, name).x, getattr(ends, name).y, getattr(ends, name).z)]
               for name in ("inner", "outer")}  # fmt: skip
    symbols: Any = SimpleNamespace(**{name: SimpleNamespace(vector=v) for name, v in numbers.items()})
    made = Joint(wheel, symbols)  # type: ignore[arg-type]
    made.act(s.input("torque", "N.m"))
    s.output("shaft", made.speed, "rad/s")
    s.output("energy", s.kinetic_energy(), "J")
    for i, axis in enumerate("XYZ"):
        s.output(f"axis.{axis}", made.axis[i], "-")
    for name, (value, unit) in told.items():
        s.output(name.replace("UserOut_differential_front.", "at."), value, unit)
    _tell_momentum(s, [chassis, upright])
    return build(s)


def _tell_momentum(s: Any, bodies: list[Any]) -> None:
    linear: list[Any] = [0.0, 0.0, 0.0]
    angular: list[Any] = [0.0, 0.0, 0.0]
    for body in bodies:
        frame = body.frame
        mv = frame.to_world([body.mass * x for x in add(frame.v, cross(frame.w, body.center))])
        own = times(body.inertia, frame.w)
        for rotor in body.rotors:
            own = add(own, [rotor.inertia * rotor.spin * a for a in rotor.axis])
        linear = add(linear, mv)
        angular = add(angular, add(cross(frame.point(body.center), mv), frame.to_world(own)))
    for i, axis in enumerate("xyz"):
        s.output(f"momentum.{axis}", linear[i], "N.s")
        s.output(f"spin_momentum.{axis}", angular[i], "N.m.s")


def started(side: str) -> tuple[Simulation, list[str]]:
    sim = Simulation(rig(side), step=STEP)
    sim.set_inputs({"torque": TORQUE})
    sim.set_states({
        "travel": 0.07, "steer": 0.31, "camber": -0.05, "travel.rate": 0.4, "steer.rate": -0.7, "camber.rate": 0.2,
        "body.vx": 3.0, "body.vy": -0.4, "body.wx": 0.3, "body.wz": 0.5, "wheel.spin": 21.0,
    })  # fmt: skip
    return sim, [output.name for output in sim.model.outputs]


def vector(values: dict[str, float], pattern: str) -> np.ndarray:
    return np.array([values[pattern.format(axis)] for axis in "XYZ"])


@pytest.mark.parametrize("side", ["L", "R"])
def test_loads_on_a_shaft_balance_and_couples_are_those_of_its_angles(side: str) -> None:
    sim, names = started(side)
    seen = dict(zip(names, sim.outputs(), strict=True))
    word = "left" if side == "L" else "right"
    outer, inner = (vector(seen, f"at.{{}}_{end}_{word}") for end in ("Outer", "Inner"))
    f_outer, f_inner = (vector(seen, f"at.F{{}}_{end}_Convel_{word}") for end in ("Outer", "Inner"))
    m_outer, m_inner = (vector(seen, f"at.M{{}}_{end}_Convel_{word}") for end in ("Outer", "Inner"))
    assert np.allclose(f_outer, -f_inner) and np.linalg.norm(f_outer) > 50
    assert np.allclose(m_outer + m_inner + np.cross(outer - inner, f_outer), 0, atol=1e-9 * TORQUE)
    u = (outer - inner) / np.linalg.norm(outer - inner) * (1 if side == "L" else -1)
    assert f_outer @ u == pytest.approx(0, abs=1e-9 * TORQUE)
    for moment, axis, sign in ((m_outer, vector(seen, "axis.{}"), -1.0), (m_inner, np.array([0.0, 1.0, 0.0]), 1.0)):
        angle = math.acos(axis @ u)
        assert angle > 0.01
        assert np.linalg.norm(moment) == pytest.approx(TORQUE / math.cos(angle / 2), rel=1e-12)
        assert sign * moment @ u == pytest.approx(TORQUE, rel=1e-12)
        assert sign * moment @ axis == pytest.approx(TORQUE, rel=1e-12)


@pytest.mark.parametrize("side", ["L", "R"])
def test_energy_is_the_work_at_the_shaft_and_momentum_stays(side: str) -> None:
    """Only inner loads act: both momenta stay, and energy grows by ∫ T ω dt, ω the speed of the shaft."""
    sim, names = started(side)
    shaft, energy = names.index("shaft"), names.index("energy")
    momenta = [i for i, name in enumerate(names) if "momentum" in name]
    first = sim.outputs()
    work, last = 0.0, first[shaft]
    for _ in range(1500):
        sim.advance(1)
        now = sim.outputs()
        work += 0.5 * STEP * TORQUE * (last + now[shaft])
        last = now[shaft]
    assert abs(work) > 1e3
    # trapezoids of 0.1 ms
    assert now[energy] - first[energy] == pytest.approx(work, rel=1e-6)
    size = np.abs(first[momenta]).max()
    assert np.abs(now[momenta] - first[momenta]).max() < 1e-6 * size
