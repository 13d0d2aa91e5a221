"""No part depends on the order of another, and what signals cannot be is told before anything is compiled."""

from __future__ import annotations

import random
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import as_axles, vehicle_of
from jounce.components.driver.straight_line import StraightLine
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.errors import ModelError
from jounce.core.fields import choice
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.build import build
from jounce.sim.car_model import Structure
from jounce.vehicle import assembly


def moved(sim: Simulation) -> dict[str, float]:
    """Rates in a state in which nothing is zero, by name."""
    rng = random.Random(11)
    values = {}
    for v in sorted(sim.model.states, key=lambda v: v.name):
        size = {"m": 0.004, "m/s": 0.2, "rad/s": 0.3, "-": 0.01}.get(v.unit, 0.0)
        values[v.name] = v.default + size * rng.uniform(-1.0, 1.0)
    sim.set_states(values | {"chassis.vx": 13.0})
    sim.set_inputs({"steering_wheel": 0.3, "throttle": 0.2, "brake": 0.1})
    return dict(zip((v.name for v in sim.model.states), map(float, sim.derivatives()[0]), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_parts_in_any_order_make_the_same_model(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sums in another order: forces of 10 kN on 40 kg, rounded in 1e-16 of them: 1e-13 of the largest rate."""
    vehicle = vehicle_of(as_axles(jv.load("light_truck")))
    description = car.describe(vehicle, parts=[StraightLine(y=0.4)])
    expected = moved(Simulation(build(Structure(description).system().generate())))
    original, orders = assembly.placed, []

    def shuffled(*arguments: Any) -> list[assembly.Placed]:
        found = original(*arguments)
        random.Random(seed).shuffle(found)
        orders.append([item.prefix for item in found])
        return found

    monkeypatch.setattr(assembly, "placed", shuffled)
    found = moved(Simulation(build(Structure(description).system().generate())))
    assert orders and orders[0] != [item.prefix for item in original(vehicle.layout)]
    assert found.keys() == expected.keys()
    largest = max(map(abs, expected.values()))
    for name, value in expected.items():
        assert abs(found[name] - value) <= 1e-13 * largest, name
    assert np.isfinite(list(found.values())).all()


class Second(Part):
    """Says what the straight-line driver says, too."""

    family: ClassVar[str] = "driver"
    kind: Literal["second"] = choice("second", doc="kind of driver")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.provide(
            "steering_wheel", lambda: at.signals.read("given.steering_wheel", "the second"), "the second"
        )


class Asking(Part):
    """Reads what nobody provides."""

    family: ClassVar[str] = "controller"
    kind: Literal["asking"] = choice("asking", doc="kind of controller")

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.read("engine_speed", "the asking part")


class Loop(Part):
    """Two signals that need each other."""

    family: ClassVar[str] = "controller"
    kind: Literal["loop"] = choice("loop", doc="kind of controller")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        at.signals.provide("throttle", lambda: at.signals.read("wish", "the loop") + 1, "the loop")
        at.signals.provide("wish", lambda: at.signals.read("throttle", "the loop") * 2, "the loop")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((StraightLine(), Second()), "steering_wheel: written by the straight-line driver and by the second"),
        ((Asking(),), "engine_speed: read by the asking part, but no part provides it; there are: .*throttle"),
        ((Loop(),), r"a loop of signals, (wish -> throttle -> wish|throttle -> wish -> throttle)"),
    ],
    ids=["two writers", "no source", "loop"],
)
def test_signals_that_cannot_be_are_told_before_anything_is_compiled(
    parts: tuple[Part, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jounce.sim.build.build", lambda *a, **k: pytest.fail("compiled"))
    with pytest.raises(ModelError, match=message):
        Structure(car.describe(jv.load("sedan"), parts=parts)).system()


def test_a_prefix_is_in_the_message_of_its_vehicle() -> None:
    with pytest.raises(ModelError, match=r"behind\.engine_speed: read by the asking part"):
        Structure(
            car.describe({"lead": jv.load("sedan"), "behind": jv.load("sedan")}, parts={"behind": (Asking(),)})
        ).system()
