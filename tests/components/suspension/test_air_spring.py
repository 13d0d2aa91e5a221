"""Air springs: a table over compression and trim load; the trim load that holds the car at design."""

from __future__ import annotations

from functools import lru_cache

import pytest

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from element_rig import PLACES, WHEELS, is_element, pushes, put
from jounce.components.suspension.air_spring import AirSpring
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from polynomial_cars import table

X, LOADS = [-0.12, -0.05, 0.0, 0.06, 0.12], [2000.0, 3500.0, 5000.0, 6500.0, 8000.0]
LEFT = {"trim_load": 5300.0, "trim_length": 0.008, "ratio": 0.77, "scale": 1.1}
RIGHT = {"trim_load": 4700.0, "trim_length": -0.005, "ratio": 0.81}


def force(x: float, load: float) -> float:
    """Of trim load at trim height; stiffer where it is loaded more."""
    return load * (1 + 4.0 * x + 18.0 * x**2)


@lru_cache
def vehicle() -> jv.Vehicle:
    raw = one_axle()
    raw["system"] = {**raw.get("system", {}), "splines": {"method": "cubic"}}
    spring = {"kind": "air", "force": table(force, X, LOADS), **LEFT, "right": RIGHT}
    raw["axles"][0]["suspension"]["spring"] = spring
    return vehicle_of(raw)


def alone() -> Simulation:
    sim = car.simulation(vehicle())
    off = {n: 0.0 for n in sim.parameters if (n.endswith((".scale", ".preload")) and is_element(n)) or "anti_roll" in n}
    off = {n: v for n, v in off.items() if not n.endswith("spring.scale") and n.endswith((".scale", ".preload"))}
    sim.set_parameters({**off, "ground.height": -5.0, "gravity": 0.0})
    return sim


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_it_acts_by_virtual_work(travel: dict[str, float], speed: dict[str, float]) -> None:
    sim = alone()
    put(sim, travel, speed)
    acting = pushes(sim, {f"{c}.spring.scale": 0.0 for c in WHEELS})
    for c, data in (("L1", LEFT), ("R1", LEFT | RIGHT)):
        r = data["ratio"]
        expected = data["scale"] * force(data["trim_length"] + r * travel[c], data["trim_load"])
        assert sim.output(f"Spring.Force_At_Spring.{c}") == pytest.approx(expected, rel=1e-9)
        assert acting[c] == pytest.approx(-expected * r, rel=1e-6)
        power = sim.output(f"Spring.Force_At_Spring.{c}") * sim.output(f"Spring.Jounce_Rate.{c}")
        assert -acting[c] * speed[c] == pytest.approx(power, rel=1e-6)
        assert sim.output(f"Spring.Aggregate_Force_At_Wheel.{c}") == pytest.approx(expected * r, rel=1e-9)


def test_at_trim_height_it_has_its_trim_load() -> None:
    sim = alone()
    for c, data in (("L1", LEFT), ("R1", LEFT | RIGHT)):
        for load in (2600.0, 5300.0, 7400.0):
            sim.set_parameters({f"{c}.spring.trim_load": load})
            put(sim, {c: -data["trim_length"] / data["ratio"]})
            assert sim.output(f"Spring.Force_At_Spring.{c}") == pytest.approx(data["scale"] * load, rel=1e-9)
            assert sim.output(f"Spring.Trim_Load.{c}") == load


def test_what_is_doubtful_is_remarked_and_what_is_wrong_refused() -> None:
    good = {"kind": "air", "force": table(force, X, LOADS), "trim_load": 5000.0}
    assert not list(AirSpring.model_validate(good).remarks())
    assert [key for key, _ in AirSpring.model_validate({**good, "trim_load": 9000.0}).remarks()] == ["trim_load"]
    shifted = table(lambda x, load: force(x + 0.02, load), X, LOADS)
    assert [key for key, _ in AirSpring.model_validate({**good, "force": shifted}).remarks()] == ["force"]
    with pytest.raises(ValueError, match="a table over compression and trim load"):
        AirSpring.model_validate({**good, "force": 25e3})
    with pytest.raises(ValueError, match="no force that a trim load could change"):
        AirSpring.model_validate({**good, "auto_trim": True, "scale": 0.0})
    spring = AirSpring.model_validate(good)
    # the usual interpolation rounds uneven points off
    assert spring.force_at_design() == pytest.approx(5000.0) and spring.rate_at_design() == pytest.approx(
        20e3, rel=0.03
    )
