"""Trains of shafts against the equations written out."""

from __future__ import annotations

import numpy as np
import pytest

from car_models import rates
from drive_rig import Bench
from jounce.components.drive.train import passed
from jounce.core.errors import ModelError
from models import compiled

WHEELS = {"L1": 0.9, "R1": 1.1, "L2": 1.3, "R2": 1.7}
RATIO = {"front": 3.1, "rear": 2.7, "central": 1.2, "gear": 2.9}
INERTIA = {"front": 0.021, "rear": 0.034, "central": 0.017, "gear": 0.052, "engine": 0.13}
SPEEDS = {"L1": 71.0, "R1": 64.0, "L2": 58.0, "R2": 79.0}
BIAS = 0.37


def all_wheels(efficiency: dict[str, float] | None = None, lock: bool = False) -> Bench:
    """Gear, central differential with a bias, two axles: all rigid."""
    eta = efficiency or {}
    bench = Bench(WHEELS)
    train = bench.train
    ends = {"front": ("L1", "R1"), "rear": ("L2", "R2")}
    for name, (left, right) in ends.items():
        shaft, a, b = train.join(name, "open", [f"{name}_in", left, right])
        i = RATIO[name]
        train.relate(name, [(1.0, shaft), (-i / 2, a), (-i / 2, b)], eta.get(name))
        shaft.inertias.append((name, INERTIA[name]))
    middle, front, rear = train.join("central", "open", ["prop", "front_in", "rear_in"])
    i = RATIO["central"]
    train.relate("central", [(1.0, middle), (-i * BIAS, front), (-i * (1 - BIAS), rear)], eta.get("central"))
    middle.inertias.append(("central", INERTIA["central"]))
    crank, out = train.join("gear", "gear", ["crank", "prop"])
    train.relate("gear", [(1.0, crank), (-RATIO["gear"], out)], eta.get("gear"))
    crank.inertias += [("engine", INERTIA["engine"]), ("gear", INERTIA["gear"])]
    if lock:
        train.relate("rear.lock", [(1.0, bench.shaft("L2")), (-1.0, bench.shaft("R2"))])
    train.check_ends()
    train.solve()
    for shaft_name in ("crank", "rear_in"):
        bench.given(shaft_name)
    for name in ("crank", "prop", "front_in"):
        bench.system.output(f"speed.{name}", bench.shaft(name).speed, "rad/s")
    train.flow()
    for relation in train.relations:
        bench.system.output(f"lost.{relation.part}", relation.lost, "W")
    return bench


def by_constraints(torques: dict[str, float], outside: dict[str, float], lock: bool = False) -> dict[str, float]:
    """The same train with every shaft a freedom and the relations as Lagrange multipliers."""
    names = ["L1", "R1", "L2", "R2", "front_in", "rear_in", "prop", "crank"]
    mass = np.diag(
        [*WHEELS.values(), INERTIA["front"], INERTIA["rear"], INERTIA["central"], INERTIA["gear"] + INERTIA["engine"]]
    )
    f, r, c, g = (RATIO[n] for n in ("front", "rear", "central", "gear"))
    rows = np.array(
        [
            [f / 2, f / 2, 0, 0, -1, 0, 0, 0],
            [0, 0, r / 2, r / 2, 0, -1, 0, 0],
            [0, 0, 0, 0, c * BIAS, c * (1 - BIAS), -1, 0],
            [0, 0, 0, 0, 0, 0, g, -1],
            *([[0, 0, 1, -1, 0, 0, 0, 0]] if lock else []),
        ]
    )
    zeros = np.zeros((len(rows), len(rows)))
    force = np.array([{**torques, **outside}.get(n, 0.0) for n in names])
    whole = np.block([[mass, rows.T], [rows, zeros]])
    return dict(zip(names, np.linalg.solve(whole, np.append(force, zeros[0])), strict=False))


def test_speeds_and_accelerations_are_those_of_a_constraint_formulation() -> None:
    sim = compiled(all_wheels().system)
    outside = {"L1": -210.0, "R1": 130.0, "L2": 90.0, "R2": -340.0}
    torques = {"crank": 187.0, "rear_in": -45.0}
    sim.set_states({f"{n}.spin": v for n, v in SPEEDS.items()})
    sim.set_inputs({f"{n}.torque": v for n, v in (outside | torques).items()})
    found, expected = rates(sim), by_constraints(torques, outside)
    for wheel in WHEELS:
        assert found[f"{wheel}.spin"] == pytest.approx(expected[wheel], rel=1e-9)
    front = RATIO["front"] * (SPEEDS["L1"] + SPEEDS["R1"]) / 2
    rear = RATIO["rear"] * (SPEEDS["L2"] + SPEEDS["R2"]) / 2
    prop = RATIO["central"] * (BIAS * front + (1 - BIAS) * rear)
    assert sim.output("speed.prop") == pytest.approx(prop, rel=1e-12)
    assert sim.output("speed.crank") == pytest.approx(RATIO["gear"] * prop, rel=1e-12)
    # without losses the torques on both sides of an axle are equal, and those of the axles as the bias
    assert sim.output("hub.L1") == pytest.approx(sim.output("hub.R1"), rel=1e-14)
    front_torque = 187.0 * RATIO["gear"] * RATIO["central"] * BIAS
    assert sim.output("hub.L1") == pytest.approx(front_torque * RATIO["front"] / 2, rel=1e-12)


def test_losses_are_positive_both_ways_and_close_the_power_balance() -> None:
    eta = {"front": 0.97, "rear": 0.95, "central": 0.98, "gear": 0.93}
    sim = compiled(all_wheels(eta).system)
    sim.set_states({f"{n}.spin": v for n, v in SPEEDS.items()})
    for torque in (187.0, -96.0, 0.0):
        sim.set_inputs({"crank.torque": torque, "rear_in.torque": 31.0})
        losses = [sim.output(f"lost.{name}") for name in eta]
        rear = RATIO["rear"] * (SPEEDS["L2"] + SPEEDS["R2"]) / 2
        given = torque * sim.output("speed.crank") + 31.0 * rear
        out = sum(sim.output(f"hub.{n}") * SPEEDS[n] for n in WHEELS)
        assert given - sum(losses) == pytest.approx(out, rel=1e-12, abs=1e-9)
        assert all(loss >= 0 for loss in losses)
        if torque:
            assert min(losses) > 50.0
    # with power only through the gear: T_out = η i T_in forwards, i T_in/η backwards
    for torque, factor in ((187.0, 0.93), (-96.0, 1 / 0.93)):
        sim.set_inputs({"crank.torque": torque, "rear_in.torque": 0.0})
        power = torque * sim.output("speed.crank")
        assert sim.output("lost.gear") == pytest.approx(power * (1 - factor), rel=1e-7)


def test_a_lossy_part_never_gives_power() -> None:
    power = np.linspace(-5.0, 5.0, 401)
    lost = power * (1 - passed(0.9, power))
    assert (lost >= 0).all() and np.abs(np.diff(lost)).max() < 0.01


def test_a_rigid_lock_is_a_constraint_of_the_model() -> None:
    """L and R turn as one: (I_L + I_R + J i²) ω̇ = i T + T_L + T_R."""
    bench = Bench({"L1": 0.9, "R1": 1.3})
    train = bench.train
    shaft, a, b = train.join("axle", "locked", ["in", "L1", "R1"])
    train.relate("axle", [(1.0, shaft), (-1.6, a), (-1.6, b)])
    train.relate("lock", [(1.0, a), (-1.0, b)])
    shaft.inertias.append(("axle", 0.04))
    train.solve()
    bench.given("in")
    train.flow()
    sim = compiled(bench.system)
    sim.set_inputs({"in.torque": 55.0, "L1.torque": -310.0, "R1.torque": 120.0})
    # the relation of the differential has i/2 on each side: here ω_in = 1.6 (ω_L + ω_R)
    expected = (3.2 * 55.0 - 310.0 + 120.0) / (0.9 + 1.3 + 0.04 * 3.2**2)
    assert rates(sim)["L1.spin"] == pytest.approx(expected, rel=1e-9)
    assert "R1.spin" not in rates(sim)


def test_a_locked_axle_of_an_all_wheel_drive_by_multipliers() -> None:
    """The rear axle locked rigidly, wheels of different inertia and torque: accelerations and what the lock bears.

    The same train with all shafts as freedoms and five multipliers; that of the lock is its torque, which follows from
    the balance of either wheel.
    """
    bench = all_wheels(lock=True)
    sim = compiled(bench.system)
    outside = {"L1": -210.0, "R1": 130.0, "L2": 90.0, "R2": -340.0}
    torques = {"crank": 187.0, "rear_in": -45.0}
    sim.set_states({"L1.spin": 71.0, "R1.spin": 64.0, "L2.spin": 58.0})
    sim.set_inputs({f"{n}.torque": v for n, v in (outside | torques).items()})
    found, expected = rates(sim), by_constraints(torques, outside, lock=True)
    for wheel in ("L1", "R1", "L2"):
        assert found[f"{wheel}.spin"] == pytest.approx(expected[wheel], rel=1e-9)
    assert "R2.spin" not in found and expected["R2"] == pytest.approx(expected["L2"], rel=1e-12)
    assert sim.output("speed.prop") == pytest.approx(
        RATIO["central"] * (BIAS * RATIO["front"] * 67.5 + (1 - BIAS) * RATIO["rear"] * 58.0), rel=1e-12
    )
    # inertia of the shafts on its way: I_k ω̇ = given + half of what comes down − lock, both sides
    down = RATIO["rear"] * (torques["rear_in"] + RATIO["central"] * (1 - BIAS) * RATIO["gear"] * 187.0) / 2
    assert sim.output("hub.L2") == pytest.approx(down, rel=1e-9) and sim.output("hub.R2") == pytest.approx(
        down, rel=1e-9
    )
    taken = expected["rear_in"] * INERTIA["rear"] + RATIO["central"] * (1 - BIAS) * (
        expected["prop"] * INERTIA["central"]
        + RATIO["gear"] * expected["crank"] * (INERTIA["gear"] + INERTIA["engine"])
    )
    left = WHEELS["L2"] * expected["L2"] - outside["L2"] - down + RATIO["rear"] * taken / 2
    right = WHEELS["R2"] * expected["R2"] - outside["R2"] - down + RATIO["rear"] * taken / 2
    assert left == pytest.approx(-right, rel=1e-9) and abs(left) > 100.0


def test_a_power_split_has_a_freedom_more() -> None:
    """A planetary gear: carrier with the engine, sun with a motor, ring to the wheels; the sun is free."""
    bench = Bench({"L1": 1.9})
    train = bench.train
    carrier, sun, ring = train.join("planetary", "planetary", ["crank", "sun", "ring"])
    rho = 2.6  # teeth of the ring over those of the sun
    train.relate("planetary", [(1 + rho, carrier), (-1.0, sun), (-rho, ring)])
    out, wheel = train.join("final", "gear", ["ring", "L1"])
    train.relate("final", [(1.0, out), (-3.9, wheel)])
    sun.inertias.append(("motor", 0.03))
    carrier.inertias.append(("engine", 0.12))
    train.solve()
    for name in ("crank", "sun"):
        bench.given(name)
    train.flow()
    sim = compiled(bench.system)
    sim.set_inputs({"crank.torque": 90.0, "sun.torque": -20.0, "L1.torque": -150.0})
    # unknown: wheel and sun
    g = np.array([[rho * 3.9 / (1 + rho), 1 / (1 + rho)], [0.0, 1.0], [1.0, 0.0]])
    mass = g.T @ np.diag([0.12, 0.03, 1.9]) @ g
    expected = np.linalg.solve(mass, g.T @ np.array([90.0, -20.0, -150.0]))
    found = rates(sim)
    assert found["L1.spin"] == pytest.approx(expected[0], rel=1e-9)
    assert found["sun.speed"] == pytest.approx(expected[1], rel=1e-9)


def test_trains_that_cannot_work_are_refused_with_a_drawing() -> None:
    bench = Bench({"L1": 1.0, "R1": 1.0})
    bench.train.join("engine", "simple engine", ["crank"])
    with pytest.raises(ModelError, match=r"engine .simple engine. reaches no wheel") as told:
        bench.train.check_ends()
    assert "{ engine: simple engine }--[crank]" in str(told.value)

    bench = Bench({"L1": 1.0})
    train = bench.train
    train.join("clutch", "clutch", ["crank", "L1"])
    with pytest.raises(ModelError, match=r"'crank' moves no inertia.*clutch"):
        train.solve()
    assert "[crank]--{ clutch }--(L1)" in train.drawing()

    bench = Bench({"L1": 1.0})
    train = bench.train
    for name, ratio in (("first", 2.0), ("second", 3.0)):
        shaft, wheel = train.join(name, "gear", ["in", "L1"])
        train.relate(name, [(1.0, shaft), (-ratio, wheel)])
    middle, other = train.join("third", "gear", ["in", "prop"])
    train.relate("third", [(1.0, middle), (-1.0, other)])
    last, again = train.join("fourth", "gear", ["prop", "in"])
    train.relate("fourth", [(1.0, last), (-1.1, again)])
    with pytest.raises(ModelError, match="fourth joins shafts whose speeds other parts determine"):
        train.solve()
