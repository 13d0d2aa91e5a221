"""Two different cars in one model: each moves as if it were alone, under names with its prefix."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

import jounce.vehicle as jv
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from jounce.sim.statics import Stand
from jounce.sim.steady import run_steadily

NAMES = {"lead": "sedan", "behind": "suv"}
STANDS = {"lead": Stand(x=31.0, y=-4.0, heading=0.3), "behind": Stand(x=-7.0, y=2.5, heading=-0.8)}
DRIVEN = {
    "lead": {"steering_wheel": 0.35, "throttle": 0.21, "brake": 0.0},
    "behind": {"steering_wheel": -0.52, "throttle": 0.0, "brake": 0.04},
}
SPEEDS = {"lead": 16.0, "behind": 13.0}


@lru_cache
def vehicle(name: str) -> jv.Vehicle:
    return jv.load(NAMES[name])


@lru_cache
def together() -> car.Description:
    return car.describe({name: vehicle(name) for name in NAMES}, ground="inclined")


@lru_cache
def alone(name: str) -> car.Description:
    return car.describe(vehicle(name), ground="inclined")


def settled_together(grade: float = 0.0) -> tuple[Simulation, statics.Settled]:
    sim = car.simulation(together())
    sim.set_parameters({"ground.grade": grade})
    normal = (-grade, 0.0, 1.0)
    stands = {name: Stand(stand.x, stand.y, stand.heading, normal, grade * stand.x) for name, stand in STANDS.items()}
    if grade:
        sim.set_inputs({f"{name}.brake": 1.0 for name in NAMES})
    return sim, statics.settle(sim, together(), others=stands)


def settled_alone(name: str, grade: float = 0.0) -> Simulation:
    sim, stand = car.simulation(alone(name)), STANDS[name]
    sim.set_parameters({"ground.grade": grade})
    if grade:
        sim.set_inputs({"brake": 1.0})
    where = {"x": stand.x, "y": stand.y, "heading": stand.heading, "height": grade * stand.x}
    statics.settle(sim, alone(name), normal=(-grade, 0.0, 1.0), **where)
    return sim


def states(sim: Simulation, prefix: str = "") -> dict[str, float]:
    return {v.name.removeprefix(prefix): sim.state(v.name) for v in sim.model.states if v.name.startswith(prefix)}


def scales(names: dict[str, float]) -> dict[str, float]:
    """Sizes that differences are measured by: of the same kind of quantity, SI."""
    kinds = {"chassis.x": 30.0, "chassis.y": 30.0, "chassis.vx": 10.0, "spin": 40.0}
    return {name: next((v for k, v in kinds.items() if name.endswith(k)), 1.0) for name in names}


@pytest.mark.slow
def test_names_have_the_prefix_of_their_car_and_the_ground_is_one() -> None:
    model = car.simulation(together()).model
    for kind in ("states", "inputs", "outputs", "memories"):
        names = {v.name for v in getattr(model, kind)}
        assert all(name.startswith(("lead.", "behind.")) for name in names), kind
        for prefix in NAMES:
            own = {v.name for v in getattr(car.simulation(alone(prefix)).model, kind)}
            assert {name.removeprefix(f"{prefix}.") for name in names if name.startswith(f"{prefix}.")} == own, kind
    shared = {v.name for v in model.parameters if not v.name.startswith(("lead.", "behind."))}
    assert shared == {
        "gravity", "gravity.x", "gravity.y", "ground.height", "ground.friction", "ground.grade", "ground.bank",
    }  # fmt: skip
    sim = car.simulation(together())
    assert sim.parameter("lead.L1.spring.rate") == vehicle("lead").suspension(1).spring.rate  # type: ignore[union-attr]
    assert sim.parameter("behind.L1.spring.rate") == vehicle("behind").suspension(1).spring.rate  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("grade", [0.0, 0.09], ids=["level", "grade"])
def test_both_are_put_on_the_ground_at_once(grade: float) -> None:
    sim, found = settled_together(grade)
    assert found.method == "newton" and found.residual < 1e-9
    for name in NAMES:
        # Newton leaves 1e-9 m/s²; the slowest mode of a car, 1 Hz, makes of it 1e-9/(2π)² m. Along a slope, where only
        # contacts hold, the search ends some 5e-8 m apart, of which the height has the slope's share; the torque of a
        # steering that holds the wheels there has its stiffness of some 10 N.m/m more.
        close = 1e-9 if grade == 0.0 else 1e-7
        here, there = states(sim, f"{name}."), states(settled_alone(name, grade))
        assert here.keys() == there.keys()
        for state, value in there.items():
            torque = 10 if state.endswith(".torque") else 1
            assert here[state] == pytest.approx(value, abs=torque * close), f"{name}.{state}"
        # along the normal the ground carries the weight, whatever the other car does
        wheels = ("L1", "R1", "L2", "R2")
        carried = sum(sim.output(f"{name}.Tire.Ground_Surface_Force_Z.{c}") for c in wheels)
        weight = vehicle(name).mass() * vehicle(name).system.gravity
        assert carried == pytest.approx(weight / math.hypot(1.0, grade), rel=1e-8)


@pytest.mark.slow
def test_each_moves_as_if_it_were_alone() -> None:
    """Two seconds with different inputs from the same states: 2000 steps of the same operations, to 1e-12 of scale."""
    sim = car.simulation(together())
    single = {name: settled_alone(name) for name in NAMES}
    for name, one in single.items():
        run_steadily(one, alone(name), SPEEDS[name])
        one.set_inputs(DRIVEN[name])
        sim.set_states({f"{name}.{v.name}": one.state(v.name) for v in one.model.states})
        sim.set_memories({f"{name}.{v.name}": one.memory(v.name) for v in one.model.memories})
        sim.set_inputs({f"{name}.{key}": value for key, value in DRIVEN[name].items()})
    start = {name: states(sim, f"{name}.") for name in NAMES}
    sim.advance(2000)
    for name, one in single.items():
        one.advance(2000)
        here, there = states(sim, f"{name}."), states(one)
        size = scales(there)
        for state, value in there.items():
            assert abs(here[state] - value) <= 1e-12 * max(size[state], abs(value)), f"{name}.{state}"
        gone = np.hypot(here["chassis.x"] - start[name]["chassis.x"], here["chassis.y"] - start[name]["chassis.y"])
        assert gone > 20.0
    turning = [sim.state(f"{name}.chassis.wz") for name in NAMES]
    assert turning[0] > 0.03 > -0.03 > turning[1]


@pytest.mark.slow
def test_the_ground_under_both_is_the_same() -> None:
    sim, _ = settled_together()
    before = {name: sim.output(f"{name}.Tire.Ground_Surface_Force_Z.L1") for name in NAMES}
    sim.set_parameters({"ground.height": 0.004})
    for name in NAMES:
        assert sim.output(f"{name}.Tire.Ground_Surface_Force_Z.L1") > before[name] + 300.0


@pytest.mark.slow
def test_what_several_cars_cannot_do_is_told() -> None:
    sim, _ = settled_together()
    with pytest.raises(ParameterError, match="several vehicles; bring each alone to its speed"):
        run_steadily(sim, together(), 20.0)
    with pytest.raises(ParameterError, match="one vehicle is asked for, the model has lead, behind"):
        _ = together().vehicle
    with pytest.raises(ParameterError, match="need names of letters and digits"):
        car.describe({"the lead": vehicle("lead"), "behind": vehicle("behind")})
