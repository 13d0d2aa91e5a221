"""Tires of other programs by STI and CRT: equal to the native one, jobs, memory, save and restore, refusals."""

from __future__ import annotations

import ctypes
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cars
from four_wheels import CORNERS
from jounce.components.tire.base import Tire
from jounce.components.tire.external import external_tire
from jounce.components.tire.linear import Linear
from jounce.components.tire.sti import bind_library, find_library, library_tire
from jounce.components.tire.trust import trust
from jounce.components.tire.wheel import declare, mount
from jounce.core.errors import ParameterError, SimulationError
from jounce.events import StepSteer, engine
from jounce.road.ground import Service
from jounce.road.simple import Flat, Sum, cleat
from jounce.road.surface import Road
from jounce.runtime.duplicate import duplicate
from jounce.runtime.rollback import rollback
from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import analysis, bound_tires
from jounce.sim import car
from jounce.sim.linear import Lineariser
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from jounce.symbolic import System
from models import compiled, outputs_by_name
from tire_models import rig
from user_tires import compile_tire

R0, CZ, KZ = 0.32, 2e5, 2000.0
VALUES = {"UNLOADED_RADIUS": R0, "VERTICAL_STIFFNESS": CZ, "VERTICAL_DAMPING": KZ, "FNOMIN": 4000.0, "CSLIP": 6e4,
          "CALPHA": 5e4, "FRICTION": 0.9, "FZMIN": 1.0, "FREFF": 0.3}  # fmt: skip


def native(mode: int = 0) -> Tire:
    model = Linear(mode=mode)
    return Tire(model, model.complete(VALUES), side="symmetric", name="native")


@pytest.fixture(scope="module")
def springs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_tire("spring", tmp_path_factory.mktemp("tires"))


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_tire("memory", tmp_path_factory.mktemp("tires"))


def started(tire: Tire, **options: Any) -> Simulation:
    sim = compiled(rig(tire, mass=400.0, steer=True), method="AB-2", step=0.001, **options)
    sim.set_states({"z.travel": R0 - 400 * 9.80665 / CZ, "x.rate": 8.0})
    sim.set_inputs({"steer": 0.1})
    sim.set_parameters({"ground.grade": 0.03, "ground.bank": 0.02, "ground.friction": 0.8})
    return sim


# --- equal to the native one -----------------------------------------------------------------------------------------


def test_both_interfaces_equal_each_other_and_the_native_spring(springs: Path) -> None:
    sims = [started(native())]
    for function, interface in (("spring_sti", "STI"), ("spring_crt", "CRT")):
        tire = library_tire(springs, function, interface=interface, radius=R0)
        sims.append(started(tire))
        bind_library(sims[-1], "tire", tire)
    for _ in range(5):
        for sim in sims:
            sim.advance(40)
        a, b, c = sims
        for state in ("x.travel", "x.rate", "z.travel", "z.rate"):
            assert b.state(state) == pytest.approx(a.state(state), rel=1e-11), state
        assert np.array_equal(b.x, c.x), "one computation through two interfaces"
    found = [outputs_by_name(sim, sim.outputs()) for sim in sims]
    for name in ("fx", "fy", "fz", "mx", "my", "mz", "deflection", "gamma"):
        assert found[1][f"tire.{name}"] == pytest.approx(found[0][f"tire.{name}"], rel=1e-9, abs=1e-9), name
    assert found[0]["tire.fz"] > 2000
    assert found[1]["tire.map.fz"] == pytest.approx(found[0]["tire.fz"], rel=1e-12)
    assert found[1]["tire.map.temperature_1"] == pytest.approx(20.2 + 273.15)
    assert found[1]["tire.map.friction_x"] == pytest.approx(0.8), "of the road"
    assert found[2]["tire.map.friction_y"] == 1.0, "factor of the wheel"
    assert bound_tires(sims[1])[0].model == "spring and damper"


def test_a_library_tire_has_the_forces_of_the_native_one_to_rounding(springs: Path) -> None:
    """At the same moving, steered, inclined state; one of them is C behind the interface, the other our equations."""
    ours = started(native())
    for function, interface in (("spring_sti", "STI"), ("spring_crt", "CRT")):
        tire = library_tire(springs, function, interface=interface, radius=R0)
        theirs = started(tire)
        bind_library(theirs, "tire", tire)
        a, b = (outputs_by_name(sim, sim.outputs()) for sim in (ours, theirs))
        size = abs(a["tire.fz"])
        assert size > 2000
        for name in ("fx", "fy", "fz", "mx", "my", "mz"):
            assert b[f"tire.{name}"] == pytest.approx(a[f"tire.{name}"], rel=1e-12, abs=1e-12 * size), name


def on_a_road(tire: Tire, road: Road) -> Simulation:
    system = System("on_a_road")
    ground = Service.declare(system)
    trolley = system.prismatic("x", system.world, axis="x")
    lift = system.prismatic("z", trolley.frame, axis="z")
    body = system.body("trolley", lift.frame, 400.0, (1.0, 1.0, 1.0))
    wheel = system.gyrostat("wheel", body, "y", 1.0)
    factor = system.input("mu", default=0.5)
    mount(system, declare(system, tire), wheel, ground, "left", friction=factor).declare_outputs(system)
    sim = compiled(system, method="AB-2", step=0.0005)
    sim.set_states({"z.travel": R0 - 400 * 9.80665 / CZ, "x.rate": 5.0})
    road.bind(sim)
    return sim


def test_a_user_tire_asks_for_the_road_that_the_model_has(springs: Path) -> None:
    road = Sum(base=Flat(friction=0.7), features=[cleat(0.015, 0.3, 0.1, x=0.4)])
    tire = library_tire(springs, "spring_sti", interface="STI", radius=R0)
    crt = library_tire(springs, "spring_crt", interface="CRT", radius=R0)
    a, b, c = on_a_road(native(), road), on_a_road(tire, road), on_a_road(crt, road)
    bind_library(b, "tire", tire)
    bind_library(c, "tire", crt)
    highest = 0.0
    for _ in range(10):
        for sim in (a, b, c):
            sim.advance(40)
        assert b.state("z.travel") == pytest.approx(a.state("z.travel"), abs=1e-12)
        highest = max(highest, b.state("z.travel") - R0)
    assert highest > -0.012, "it went over the cleat"
    assert outputs_by_name(b, b.outputs())["tire.map.friction_x"] == pytest.approx(0.35), "with the factor of the wheel"
    told = outputs_by_name(c, c.outputs())
    assert (told["tire.map.friction_x"], told["tire.map.friction_y"]) == pytest.approx((0.7, 0.5)), "one by one"


def test_the_linearisation_of_a_library_tire_is_that_of_the_native_one(springs: Path) -> None:
    tire = library_tire(springs, "spring_sti", interface="STI", radius=R0, channels=[])
    matrices = []
    for t in (native(), tire):
        sim = started(t)
        if t is tire:
            bind_library(sim, "tire", tire)
        linear = Lineariser(rig(t, mass=400.0, steer=True), inputs=["drive"], outputs=["tire.fz"]).at(sim)
        keep = [list(linear.states).index(n) for n in ("x.travel", "z.travel", "x.rate", "z.rate")]
        matrices.append(linear.A[np.ix_(keep, keep)])
    scale = np.abs(matrices[0]).max(axis=1, keepdims=True) + 1.0
    assert np.all(np.abs(matrices[1] - matrices[0]) < 1e-6 * scale)


def test_the_state_of_a_crt_tire_is_integrated(springs: Path) -> None:
    tire = library_tire(springs, "lag_crt", interface="CRT", radius=R0, n_states=1, channels=["user_1"])
    sim = started(tire)
    bind_library(sim, "tire", tire)
    sim.advance(200)
    assert sim.state("tire.state_1") == pytest.approx(1 - math.exp(-1.0), rel=1e-4)
    assert sim.output("tire.map.user_1") == 1.0, "dynamics"
    with analysis(sim, "statics"):
        assert sim.output("tire.map.user_1") == 0.0
    silent = library_tire(springs, "lag_crt", interface="CRT", radius=R0)
    sim = started(silent)
    bind_library(sim, "tire", silent)
    with pytest.raises(SimulationError, match=r"tire 'tire': it has more differential equations than were announced"):
        sim.advance(1)


# --- jobs ------------------------------------------------------------------------------------------------------------


def counter(path: Path) -> Any:
    return ctypes.CDLL(str(path))


def test_jobs_in_evaluations(memories: Path) -> None:
    tire = library_tire(memories, "memory_dynamic", interface="STI", radius=R0)
    sim = started(tire)
    bound = bind_library(sim, "tire", tire, tire_id=3)
    c = counter(memories)
    assert [c.count(3, job) for job in (1, 2, 0, 4)] == [0, 1, 0, 0], "initialised; inquired in another process"
    assert sim.state("tire.state_1") == 4000.0, "initial value of the tire"
    sim.advance(100)
    assert c.count(3, 4) == 100 and c.count(3, 0) >= 100 and c.count(3, 5) == 0
    assert bound._real[1] == 0.0, "what a trial wrote is forgotten"
    assert sim.output("tire.map.user_2") == 100
    steps = c.count(3, 4)
    Lineariser(rig(tire, mass=400.0, steer=True), inputs=["drive"], outputs=["tire.fz"]).at(sim)
    assert c.count(3, 5) == 2 * 28 and c.count(3, 4) == steps, "differences: 27 arguments and a state"
    bound.job(3)
    assert c.count(3, 3) == 1
    bound.close()
    bound.close()
    assert c.count(3, 99) == 1
    with pytest.raises(SimulationError, match="it was closed"):
        sim.advance(1)


def test_jobs_at_steps_and_channels(memories: Path) -> None:
    tire = library_tire(memories, "memory_plain", interface="STI", radius=R0, exchange="step")
    sim = started(tire)
    bind_library(sim, "tire", tire, tire_id=4)
    c = counter(memories)
    sim.advance(50)
    assert c.count(4, 0) == c.count(4, 4) == 50 and c.count(4, 5) == 0
    found = outputs_by_name(sim, sim.outputs())
    assert found["tire.map.user_2"] == 48.0, "told before the 50th step was committed; acts one step later"
    assert found["tire.fz"] == pytest.approx(400 * 9.80665, rel=0.2)


@pytest.mark.parametrize(
    ("function", "exchange"),
    [("memory_dynamic", "evaluation"), ("memory_plain", "evaluation"), ("memory_plain", "step")],
)
def test_runs_with_save_and_restore_are_the_same_to_the_bit(memories: Path, function: str, exchange: str) -> None:
    tire = library_tire(memories, function, interface="STI", radius=R0, exchange=exchange)
    sim = started(tire)
    number = {"memory_dynamic": 5, "memory_plain": 6}[function] + 2 * (exchange == "step")
    bind_library(sim, "tire", tire, tire_id=number)
    sim.advance(10)
    found = rollback(sim, 300, seed=number)
    c = counter(memories)
    assert found.same and found.excursions > 12, found
    assert c.count(number, 10) >= found.excursions and c.count(number, 11) >= found.excursions
    c.private_value.restype = ctypes.c_double
    assert c.private_value(number) != 4000.0, "the memory took part"


def test_a_tire_that_does_not_save_is_found_out() -> None:
    """The driver sees it: memory that is not in the snapshot."""

    class Forgetful:
        last = 4000.0

        def __call__(self, w: Any) -> Any:
            self.last += 0.1 * (CZ * max(R0 - w.position[2], 0.0) - KZ * w.velocity[2] - self.last)
            return [0.0, 0.0, self.last], [0.0, 0.0, 0.0]

    from jounce.components.tire.external import attach

    sim = started(external_tire(R0, exchange="step"))
    attach(sim, "tire", Forgetful(), stateless=True)  # a lie
    found = rollback(sim, 100)
    assert not found.same and found.difference > 1e-6 and found.worst


@pytest.mark.parametrize("mode", [4, 14])
def test_native_tires_roll_back_to_the_bit(mode: int) -> None:
    sim = started(native(mode))
    sim.set_states({"wheel.spin": 20.0})
    assert rollback(sim, 200, seed=mode).same


def test_copies_of_a_simulation_run_side_by_side(springs: Path) -> None:
    tire = library_tire(springs, "linear_sti", interface="STI", radius=R0)
    sim = started(tire)
    bind_library(sim, "tire", tire)
    sims = [sim, *(duplicate(sim) for _ in range(3))]
    for i, copy in enumerate(sims):
        copy.set_parameters({"ground.bank": 0.02 * i})
    alone = []
    for copy in sims:
        start = copy.snapshot()
        copy.advance(2000)
        alone.append(copy.x.copy())
        copy.restore(start)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda copy: copy.advance(2000), sims))
    assert all(np.array_equal(copy.x, known) for copy, known in zip(sims, alone, strict=True))
    assert len({known.tobytes() for known in alone}) == 4


def test_errors_of_a_tire_stop_the_run_with_its_name(memories: Path) -> None:
    tire = library_tire(memories, "memory_plain", interface="STI", radius=R0)
    sim = started(tire, t0=49.99)
    bind_library(sim, "tire", tire, tire_id=9)
    with pytest.raises(SimulationError, match=r"tire 'tire': it told error 5, t = 50\.00"):
        sim.run(50.1)
    assert sim.time == pytest.approx(50.0, abs=2e-3)


# --- who is calling --------------------------------------------------------------------------------------------------


def test_the_caller_is_told_to_tires_that_ask_for_it(memories: Path) -> None:
    c = counter(memories)
    for number, asks in ((10, True), (11, False)):
        tire = library_tire(memories, "memory_plain", interface="STI", radius=R0, calling_app=asks)
        sim = started(tire)
        bind_library(sim, "tire", tire, tire_id=number)
        for kind in ("statics", "dynamics", "quasi-static"):
            with analysis(sim, kind):
                sim.derivatives()
        assert [c.told(number, k) for k in (0, 1, 2)] == ([1, 1, 1] if asks else [2, 1, 0])
        with pytest.raises(ParameterError, match="did you mean 'statics'"), analysis(sim, "static"):
            pass


@pytest.fixture(scope="module")
def linear_car(springs: Path) -> tuple[car.Description, Simulation]:
    tire = library_tire(springs, "linear_sti", interface="STI", radius=R0, calling_app=True)
    description = car.describe(cars.compact(), dict.fromkeys(CORNERS, tire))
    return description, car.simulation(description)


def test_a_car_on_user_tires_settles_and_runs_steadily(
    linear_car: tuple[car.Description, Simulation], springs: Path
) -> None:
    description, sim = linear_car
    c = counter(springs)
    counts = lambda: [[c.seen_switch(i, k) for k in (0, 1, 2)] for i in (1, 2, 3, 4)]  # noqa: E731
    zero = counts()
    settle(sim, description)
    assert sum(cars.loads(sim).values()) == pytest.approx(description.vehicle.mass() * 9.80665, rel=1e-9)
    after = counts()
    assert all(a[0] > z[0] and a[2] == z[2] for a, z in zip(after, zero, strict=True)), "statics"
    running = run_steadily(sim, description, 15.0)
    assert all(b[2] > a[2] for a, b in zip(after, counts(), strict=True)), "quasi-static"
    assert running.residual < 1e-8 and 0 < running.throttle < 0.2
    quiet = counts()
    recorded = sim.run(0.5, interval=0.01)
    assert np.ptp(recorded["chassis_velocities.longitudinal"]) < 1e-6
    assert all(b[0] == a[0] and b[2] == a[2] for a, b in zip(quiet, counts(), strict=True)), "dynamics"
    for place in CORNERS:
        assert recorded[f"Tire.User_Channel_1.{place}"][-1] == 1.0
        assert recorded[f"Tire.Temperature_2.{place}"][-1] == pytest.approx(313.15)


def test_an_event_on_user_tires_has_their_channels_in_its_results(
    linear_car: tuple[car.Description, Simulation],
) -> None:
    description, _ = linear_car
    event = StepSteer(speed=20.0, amplitude="20 deg", start_time=0.2, end_time=1.2)
    run = engine.run(description.vehicle, event, tires=description.tires)
    assert run.complete and run["System_Mass_Center.Tracking_Ay"][-1] > 1.0
    assert run["Tire.Temperature_2.L2"] == pytest.approx(np.full(len(run.time), 313.15))
    vx, rolling = run["Tire.Ground_Surface_Contact_Patch_Vx.L1"], R0 - 0.3 * run["Tire.Effective_Penetration.L1"]
    # the helper moves velocities along the rolling radius: pitching below 0.01 rad/s over 14 mm, of 20 m/s
    assert run["L1.tire.map.kappa"] == pytest.approx(run["Wheel.Omega.L1"] * rolling / vx - 1, abs=1e-5)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            "spring_sti",
            {"interface": "CRT"},
            r"'spring_sti' breaks down when asked .*; is INTERFACE_TYPE = 'CRT' right",
        ),
        ("spring_crt", {"interface": "STI"}, r"'spring_crt' .*; is INTERFACE_TYPE = 'STI' right\? The other one is"),
        ("spring_sto", {"interface": "STI"}, "has no function 'spring_sto'"),
        ("spring_sti", {"interface": "STY"}, "INTERFACE_TYPE 'STY'; did you mean 'STI'"),
        ("spring_sti", {"interface": "STI", "channels": ["temprature_1"]}, "did you mean 'temperature_1'"),
        (
            "spring_sti",
            {"interface": "STI", "channels": ["off_road"]},
            "gives 180 outputs; 'off_road' is not among them",
        ),
        ("spring_sti", {"interface": "STI", "n_states": 2}, "has 0 differential equations, not 2"),
        ("lag_crt", {"interface": "CRT", "n_states": 1, "exchange": "step"}, "integrated with the vehicle"),
        ("lag_crt", {"interface": "CRT", "n_states": 51}, "0 to 50 are possible"),
    ],
)
def test_what_cannot_be_is_refused_before_a_run(
    springs: Path, function: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        library_tire(springs, function, radius=R0, **options)


def test_libraries_are_found_by_name_and_in_trusted_folders(
    springs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_library(springs.stem, springs.parent) == springs.resolve()
    assert find_library(springs) == springs.resolve()
    with pytest.raises(ParameterError, match=r"no library 'nothing'.*JOUNCE_TIRE_PATH"):
        find_library("nothing", tmp_path)
    (tmp_path / f"libother{springs.suffix}").write_bytes(springs.read_bytes())
    monkeypatch.setenv("JOUNCE_TIRE_PATH", str(tmp_path))
    assert find_library("other").parent == tmp_path.resolve()
    with pytest.raises(ParameterError, match="is no folder"):
        trust(tmp_path / "missing")


def test_binding_what_is_not_there(springs: Path) -> None:
    tire = library_tire(springs, "spring_sti", interface="STI", radius=R0)
    sim = started(tire)
    with pytest.raises(ParameterError, match="is a linear tire, not one of a library"):
        bind_library(sim, "tire", native())
    with pytest.raises(ParameterError, match="service 'road': unknown"):
        bind_library(sim, "tire", tire, ground="road")
