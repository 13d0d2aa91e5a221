"""A car put on the ground: loads, norms, abort, helpers of the search, slopes, and the first moments after it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce.vehicle as jv
from cars import AXLES, balanced, compact, loads, plain, rates, without_air
from four_wheels import CORNERS
from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError, StaticsError
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics

Array = npt.NDArray[np.float64]

NORMS = tuple(statics.NORMS)


@pytest.fixture(scope="module")
def compact_car() -> jv.Vehicle:
    return compact()


def on(vehicle: jv.Vehicle, grade: float = 0.0, bank: float = 0.0, brake: float = 0.0, tires: Any = None,
       **options: Any) -> tuple[Simulation, statics.Settled]:  # fmt: skip
    """A car settled on a plane z = grade x + bank y; every car of this file has the same structure."""
    description = car.describe(vehicle, tires, ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": grade, "ground.bank": bank})
    sim.set_inputs({"brake": brake})
    settled = statics.settle(sim, description, normal=(-grade, -bank, 1.0), **options)
    return sim, settled


def equilibrium(sim: Simulation) -> dict[str, float]:
    """What a statics result is compared by: travels, heights of the chassis, wheel loads."""
    values = {f"{c}.jounce": sim.state(f"{c}.jounce") for c in CORNERS}
    values |= {f"chassis_displacements.{n}": sim.output(f"chassis_displacements.{n}") for n in ("pitch", "roll")}
    return values | {"chassis.z": sim.state("chassis.z")}


def assert_same(a: Simulation, b: Simulation, tolerance: float) -> None:
    there = equilibrium(b)
    for name, value in equilibrium(a).items():
        assert value == pytest.approx(there[name], abs=tolerance), name


def accurate(vehicle: jv.Vehicle, **options: Any) -> jv.Vehicle:
    """Limits of relaxation low enough for 0.1 N in the sum of the wheel loads: 0.1 N = m a."""
    limit = 0.05 / vehicle.mass()
    changes = {f"system.statics.{n}": limit for n in NORMS if n.endswith("acceleration")}
    return vehicle.with_(**changes, **{f"system.statics.{k}": v for k, v in options.items()})


def upright(vehicle: jv.Vehicle) -> jv.Vehicle:
    """The car with wheels that move straight up and down, in which the search strains no tire sideways."""
    return vehicle.with_(**plain(vehicle))


def displacement_left(vehicle: jv.Vehicle) -> float:
    """What relaxation may leave: an acceleration a is one of a displacement a/ω².

    ω is the slowest mode: above 1 Hz, or k/c of wheels that linear dampers make creep (24 N/mm over 8 kN s/m).
    """
    slowest = 3.0 if vehicle.system.statics.use_linear_damper else 2 * math.pi
    return float(2 * vehicle.system.statics.translational_acceleration / slowest**2)


# -- level ground ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["newton", "relaxation"])
def test_the_tires_carry_the_weight_to_a_tenth_of_a_newton(compact_car: jv.Vehicle, method: Any) -> None:
    sim, settled = on(accurate(compact_car), method=method)
    assert settled.method == method
    assert sum(loads(sim).values()) == pytest.approx(compact_car.mass() * compact_car.system.gravity, abs=0.1)
    for name, value in settled.norms.items():
        limit = getattr(accurate(compact_car).system.statics, name)
        if method == "relaxation":
            assert value <= limit, name
        assert value < 1e-3, name


def test_a_balanced_car_rests_at_design(compact_car: jv.Vehicle) -> None:
    """Springs preloaded by the law of the lever, wheels as high as the loaded tires: travel is zero."""
    level = balanced(compact_car.with_(**plain(compact_car)))
    sim, settled = on(level)
    assert settled.iterations == 0 or settled.residual < 1e-9
    assert max(abs(sim.state(f"{c}.jounce")) for c in CORNERS) < 1e-9
    assert sim.state("chassis.z") == pytest.approx(level.body.sprung()[0][1][2], abs=1e-9)


def test_softer_preload_lowers_the_car_by_force_over_rate(compact_car: jv.Vehicle) -> None:
    """With d = r J and F = k (c0 + d): less preload by k r δ in front and behind lets both ends down by δ."""
    level = balanced(compact_car.with_(**plain(compact_car)))
    drop = 0.012
    changes = {}
    for axle in AXLES:
        spring = level.get(f"{axle}_suspension.spring")
        changes[f"{axle}_suspension.spring.preload"] = spring.preload - spring.rate * spring.ratio.constant * drop
    sim, _ = on(level.with_(**changes))
    for corner in CORNERS:
        assert sim.state(f"{corner}.jounce") == pytest.approx(drop, abs=1e-9)
    assert sim.state("chassis.z") == pytest.approx(level.body.sprung()[0][1][2] - drop, abs=1e-9)


def test_higher_wheel_centres_at_design_lower_the_chassis_as_much(compact_car: jv.Vehicle) -> None:
    """The height of the wheel centres at design is where travel is zero."""
    level = balanced(compact_car.with_(**plain(compact_car)))
    raised = level.with_(**{
        f"{axle}_wheels.wheel_centre_height": level.get(f"{axle}_wheels.wheel_centre_height") + 0.010 for axle in AXLES
    })  # fmt: skip
    (before, _), (after, _) = on(level), on(raised)
    assert after.state("chassis.z") - before.state("chassis.z") == pytest.approx(-0.010, abs=1e-9)
    for corner in CORNERS:
        assert after.state(f"{corner}.jounce") == pytest.approx(before.state(f"{corner}.jounce"), abs=1e-9)


def test_without_gravity_and_preload_nothing_touches_and_nothing_moves(compact_car: jv.Vehicle) -> None:
    radius = car.tires_of(compact_car)["L1"].values["UNLOADED_RADIUS"]
    changes: dict[str, Any] = {"system.gravity": 0.0}
    for axle in AXLES:
        changes[f"{axle}_suspension.spring.preload"] = 0.0
        changes[f"{axle}_wheels.wheel_centre_height"] = radius
        changes[f"{axle}_suspension.camber.offset"] = 0.0  # an inclined disc of this radius would dip into the road
    sim = car.simulation(compact_car.with_(**changes), ground="inclined")
    assert max(abs(v) for v in loads(sim).values()) < 1e-9
    assert max(abs(v) for v in rates(sim).values()) < 1e-9
    # the same car with gravity falls
    sim.set_parameters({"gravity": 9.81})
    assert rates(sim)["chassis.vz"] == pytest.approx(-9.81, rel=1e-12)


def test_relaxation_and_newton_agree(compact_car: jv.Vehicle) -> None:
    vehicle = accurate(upright(compact_car))
    (newton, _), (relaxed, settled) = on(vehicle, method="newton"), on(vehicle, method="relaxation")
    assert settled.method == "relaxation" and settled.iterations > 5
    assert_same(newton, relaxed, displacement_left(vehicle))
    # with a track that changes with travel, tires that stand are strained sideways on the way down: some newtons
    vehicle = accurate(compact_car)
    (newton, _), (relaxed, _) = on(vehicle, method="newton"), on(vehicle, method="relaxation")
    assert_same(newton, relaxed, 5e-5)


def test_newton_takes_over_from_a_start_far_away(compact_car: jv.Vehicle) -> None:
    sim, settled = on(compact_car, height=-0.08)  # the road is said to be 80 mm lower than it is
    there, _ = on(compact_car)
    assert settled.residual < 1e-9
    assert_same(sim, there, 1e-9)


# -- abort, helpers -------------------------------------------------------------------------------------------------


def test_relaxation_gives_up_after_its_time_names_the_norm_and_keeps_the_state(compact_car: jv.Vehicle) -> None:
    description = car.describe(compact_car.with_(**{"system.statics.abort_time": 0.2}), ground="inclined")
    sim = car.simulation(description)
    statics.place(sim, description)
    start = sim.x.copy()
    with pytest.raises(StaticsError, match=r"0\.2 s of relaxation: (translational|angular)_(speed|acceleration) is"):
        statics.settle(sim, description, method="relaxation")
    assert not np.allclose(sim.x, start), "the last state is kept"
    assert np.isfinite(sim.x).all()
    limits = compact_car.system.statics
    assert any(sim.output(channel) > getattr(limits, name) for name, channel in statics.NORMS.items())


@pytest.mark.parametrize(
    "options",
    [
        {"use_linear_damper": True},
        {"use_linear_damper": True, "linear_damper_rate_front": 2000.0, "linear_damper_rate_rear": 9000.0},
        {"use_brakes": True},
        {"brake_damping": 50.0},
        {"time_step": 0.0005},
    ],
    ids=["dampers", "uneven dampers", "brakes", "brake damping", "own step"],
)
def test_helpers_of_the_search_do_not_change_the_equilibrium(compact_car: jv.Vehicle, options: Any) -> None:
    vehicle = accurate(upright(compact_car))
    plain_one, _ = on(vehicle, method="newton")
    helped, settled = on(accurate(vehicle, **options), method="relaxation")
    assert settled.method == "relaxation"
    assert_same(plain_one, helped, displacement_left(accurate(vehicle, **options)))
    assert sum(loads(helped).values()) == pytest.approx(vehicle.mass() * vehicle.system.gravity, abs=0.1)
    for corner in CORNERS:  # nothing of them is left
        for name in ("damper_rate", "spring_rate", "spin_damping"):
            assert helped.parameter(f"{corner}.statics.{name}") == 0.0
        assert helped.parameter(f"{corner}.damper1.scale") == 1.0
    assert helped.input("brake") == 0.0


def test_parts_say_what_their_inputs_are_during_the_search(compact_car: jv.Vehicle) -> None:
    for brakes in (True, False):
        vehicle = accurate(upright(compact_car), use_brakes=brakes)
        description = car.describe(vehicle, ground="inclined")
        sim = car.simulation(description)
        sim.set_inputs({"brake": 0.3, "throttle": 0.2})
        with statics.helpers(sim, description):
            assert sim.input("brake") == (1.0 if brakes else 0.3)
            assert sim.input("throttle") == 0.2
        assert sim.input("brake") == 0.3


def test_a_driveline_is_opened_during_the_search() -> None:
    description = car.describe(jv.load("sedan"))
    sim = car.simulation(description)
    with statics.helpers(sim, description):
        assert sim.input("neutral") == 1.0
    assert sim.input("neutral") == 0.0


@pytest.mark.parametrize("method", ["newton", "relaxation"])
def test_linear_springs_instead_of_the_given_ones(compact_car: jv.Vehicle, method: Any) -> None:
    """Springs that are linear from design anyway: the same equilibrium. Others: load over rate."""
    changes = {}
    for axle, rate in zip(AXLES, (110e3, 130e3), strict=True):
        changes[f"{axle}_suspension.spring.ratio"] = 1.0
        changes[f"{axle}_suspension.spring.preload"] = 0.0
        changes[f"{axle}_suspension.spring.rate"] = rate
        changes[f"system.statics.linear_spring_rate_{axle}"] = rate
    own = accurate(compact_car.with_(**plain(compact_car), **changes))
    helped = accurate(own, use_linear_spring=True)
    (a, _), (b, _) = on(own, method=method), on(helped, method=method)
    assert_same(a, b, 1e-5 if method == "relaxation" else 1e-9)
    if method == "newton":
        other, _ = on(accurate(helped, linear_spring_rate_front=140e3), method=method)
        load = loads(other)["L1"] - own.front_wheels.unsprung_mass * own.system.gravity
        # the bar twists nothing: both sides alike; pitch of some mrad makes the difference of the two axes
        assert other.state("L1.jounce") == pytest.approx(load / 140e3, rel=1e-4)


def test_statics_needs_few_iterations(compact_car: jv.Vehicle) -> None:
    description = car.describe(compact_car, ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": 0.1})
    found = statics.settle(sim, description, normal=(-0.1, 0.0, 1.0))
    assert found.method == "newton" and found.iterations <= 20


# -- slopes ---------------------------------------------------------------------------------------------------------


def without_moments(vehicle: jv.Vehicle) -> dict[str, Tire]:
    """Tires whose force acts in the contact point alone."""
    found = car.tires_of(vehicle)["L1"].with_values(QSY2=0.0, QSX2=0.0, QSX3=0.0)
    return dict.fromkeys(CORNERS, found)


def in_road_axes(sim: Simulation, grade: float, bank: float) -> tuple[Array, dict[str, Array], Array]:
    """Centre of gravity, contact points and sum of the tire forces along, across and normal to the road."""
    n = np.array([-grade, -bank, 1.0]) / math.hypot(1.0, grade, bank)
    ahead = np.array([1.0, 0.0, grade]) / math.hypot(1.0, grade)
    axes = np.array([ahead, np.cross(n, ahead), n])
    centre = axes @ [sim.output(f"System_Mass_Center.Global_{a}") for a in "XYZ"]
    contacts = {c: axes @ [sim.output(f"Road.Contact_Patch_Global_{a}.{c}") for a in "XYZ"] for c in CORNERS}
    forces = {c: axes @ [sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.{c}") for a in "XYZ"] for c in CORNERS}
    return centre, contacts, np.sum(list(forces.values()), axis=0)


@pytest.mark.parametrize("slope", [0.1, math.tan(math.radians(10.0)), -0.1], ids=["10 %", "10 deg", "-10 %"])
def test_loads_on_a_grade_are_those_of_the_tilted_lever(compact_car: jv.Vehicle, slope: float) -> None:
    """Moments about the rear contact: N_f l = m g (b cos θ − h sin θ), b and h of the car as it stands."""
    vehicle = compact_car
    sim, settled = on(vehicle, grade=slope, brake=1.0, tires=without_moments(vehicle))
    assert settled.held == ("lateral", "longitudinal")
    angle, weight = math.atan(slope), vehicle.mass() * vehicle.system.gravity
    found = loads(sim)
    centre, contacts, total = in_road_axes(sim, slope, 0.0)
    front, rear = contacts["L1"], contacts["L2"]
    lever = weight * ((centre - rear)[0] * math.cos(angle) - (centre - rear)[2] * math.sin(angle))
    assert found["L1"] + found["R1"] == pytest.approx(lever / (front - rear)[0], rel=1e-6)
    assert sum(found.values()) == pytest.approx(weight * math.cos(angle), abs=0.1)
    assert total == pytest.approx([weight * math.sin(angle), 0.0, weight * math.cos(angle)], abs=0.1)
    # and with the geometry of the drawing, to what the deflections of springs and tires leave of it
    masses = [vehicle.body.sprung()[0][:2]]
    masses += [(vehicle.wheels(a, s).unsprung_mass, vehicle.wheel_centre(a, s)) for a, s in CORNERS.values()]
    cg = sum(m * np.asarray(r) for m, r in masses) / vehicle.mass()
    drawn = weight * ((cg[0] + vehicle.wheelbase) * math.cos(angle) - cg[2] * math.sin(angle)) / vehicle.wheelbase
    assert found["L1"] + found["R1"] == pytest.approx(drawn, rel=0.01)


@pytest.mark.parametrize("brake", [0.0, 1.0], ids=["rolling free", "braked"])
def test_loads_on_a_bank_are_those_of_the_tilted_lever(compact_car: jv.Vehicle, brake: float) -> None:
    """Moments about the right contacts, whose track is not the same in front and behind."""
    vehicle = compact_car
    slope = math.tan(math.radians(10.0))  # left side up
    sim, settled = on(vehicle, bank=slope, brake=brake, tires=without_moments(vehicle))
    assert "lateral" in settled.held
    angle, weight = math.atan(slope), vehicle.mass() * vehicle.system.gravity
    found = loads(sim)
    centre, contacts, total = in_road_axes(sim, 0.0, slope)
    # about the line through the centre of gravity, along the road: Σ N y = W sin θ h (gravity pulls to the right)
    moment = sum(found[c] * (contacts[c] - centre)[1] for c in CORNERS)
    height = float(np.mean([(centre - contacts[c])[2] for c in CORNERS]))
    assert moment == pytest.approx(-weight * math.sin(angle) * height, rel=1e-5)
    assert found["R1"] > found["L1"] and found["R2"] > found["L2"]
    assert sum(found.values()) == pytest.approx(weight * math.cos(angle), abs=0.1)
    assert total[1:] == pytest.approx([weight * math.sin(angle), weight * math.cos(angle)], abs=0.1)


@pytest.mark.parametrize(("grade", "bank"), [(0.1, 0.0), (math.tan(math.radians(10.0)), 0.0), (0.2, 0.0), (0.08, -0.1)])
def test_a_braked_car_on_a_slope_stands_still_from_the_first_sample_on(
    compact_car: jv.Vehicle, grade: float, bank: float
) -> None:
    sim, _ = on(compact_car, grade=grade, bank=bank, brake=1.0)
    start = {name: sim.state(name) for name in ("chassis.x", "chassis.y", "chassis.z")}
    static = sim.outputs()
    assert max(abs(v) for v in rates(sim).values()) < 1e-8, "nothing slides before dynamics start"
    run = sim.run(5.0, interval=0.01)
    assert [run[v.name][0] for v in sim.model.outputs] == list(static), "the result of statics is the first sample"
    for axis in "XYZ":
        path = run[f"Vehicle.CM_Global_{axis}"]
        assert np.abs(path - path[0]).max() < 1e-4
    assert np.abs(run["System_Mass_Center.Speed"]).max() < 1e-5
    for name, value in start.items():
        assert sim.state(name) == pytest.approx(value, abs=1e-4)


def test_the_car_stays_where_it_was_put(compact_car: jv.Vehicle) -> None:
    """The search changes height and inclination only; place and heading are those asked for."""
    description = car.describe(compact_car, ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": 0.1})
    where = {"x": 30.0, "y": -12.0, "heading": 0.7}
    normal, height = (-0.1, 0.0, 1.0), 0.1 * 30.0
    statics.place(sim, description, normal=normal, height=height, **where)
    x, y, yaw = sim.state("chassis.x"), sim.state("chassis.y"), sim.output("Vehicle.Yaw")
    sim.set_inputs({"brake": 1.0})
    settled = statics.settle(sim, description, normal=normal, height=height, **where)
    assert settled.residual < 1e-9
    assert (sim.state("chassis.x"), sim.state("chassis.y")) == (x, y)
    # heading in the world, of a car that pitches by some mrad on a slope of a tenth
    assert sim.output("Vehicle.Yaw") == pytest.approx(yaw, abs=1e-3)
    assert sum(loads(sim).values()) == pytest.approx(
        compact_car.mass() * compact_car.system.gravity / math.hypot(1, 0.1), abs=0.1
    )


def test_relaxation_finds_the_slope_too(compact_car: jv.Vehicle) -> None:
    vehicle = accurate(upright(compact_car))
    (newton, _), (relaxed, settled) = (on(vehicle, 0.1, 0.05, brake=1.0, method=m) for m in ("newton", "relaxation"))
    assert settled.method == "relaxation"
    for corner, load in loads(newton).items():
        assert loads(relaxed)[corner] == pytest.approx(load, abs=1.0)
    down = vehicle.mass() * vehicle.system.gravity / math.hypot(1.0, 0.1, 0.05)
    assert sum(loads(relaxed).values()) == pytest.approx(down, abs=0.1)


def test_air_takes_no_part(compact_car: jv.Vehicle) -> None:
    """At rest there is no wind of motion; a car without aerodynamic forces has the same equilibrium."""
    (a, _), (b, _) = on(compact_car), on(compact_car.with_(**without_air(compact_car)))
    assert_same(a, b, 1e-12)


def test_a_vehicle_instead_of_its_description_is_told(compact_car: jv.Vehicle) -> None:
    with pytest.raises(ParameterError, match=r"settle: found a Vehicle; expected the description.*car\.describe"):
        statics.settle(Simulation.__new__(Simulation), compact_car)  # type: ignore[arg-type]


# -- what is no answer ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, (0.0, 0.0, 1.0), (2.0, -3.0, 1.0)], ids=["measured", "level", "absurd"])
@pytest.mark.parametrize(
    ("grade", "bank", "brake"), [(0.1, 0.0, 0.0), (0.0, 0.3, 0.0), (0.2, -0.3, 1.0), (-0.6, 0.2, 0.0)]
)
def test_a_car_stands_on_its_wheels_whatever_it_starts_from(
    compact_car: jv.Vehicle, grade: float, bank: float, brake: float, wrong: Any
) -> None:
    """Roots on the nose and on the roof have residuals as small as the right one."""
    description = car.describe(compact_car, ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": grade, "ground.bank": bank})
    sim.set_inputs({"brake": brake})
    where = {"x": 7.0, "y": -4.0, "heading": 0.4}
    found = statics.settle(sim, description, normal=wrong, **where)
    assert found.residual < 1e-9 and found.unstable == ""
    other = car.simulation(description)
    other.set_parameters({"ground.grade": grade, "ground.bank": bank})
    other.set_inputs({"brake": brake})
    height = grade * where["x"] + bank * where["y"]
    statics.settle(other, description, normal=(-grade, -bank, 1.0), height=height, **where)
    assert loads(sim) == pytest.approx(loads(other), rel=1e-6)
    assert_same(sim, other, 1e-7)


@pytest.mark.parametrize("grade", [0.3, -0.25])
def test_brakes_that_are_too_weak_for_the_slope_are_told_at_once(compact_car: jv.Vehicle, grade: float) -> None:
    """By the balance along the road: torques of the brakes over the radii of the wheels against m g sin θ."""
    with pytest.raises(StaticsError, match="brakes are too weak for the slope: they hold ") as told:
        on(compact_car, grade=grade, bank=0.05, brake=0.05)
    brakes, total = compact_car.brakes, 0.0
    for axle, share in ((1, brakes.bias_front), (2, 1 - brakes.bias_front)):
        disc, pressure = compact_car.brake(axle), 0.05 * share * brakes.master_cylinder_pressure_gain
        torque = 2 * disc.piston_area * disc.mu * disc.effective_radius * pressure
        total += 2 * torque / compact_car.wheels(axle).wheel_centre_height
    pull = compact_car.mass() * compact_car.system.gravity * math.sin(math.atan(abs(grade)))
    numbers = [float(word) for word in str(told.value).split() if word.replace(".", "").isdigit()]
    assert numbers[0] == pytest.approx(total, rel=1e-3) and numbers[1] == pytest.approx(pull, rel=5e-3)
    assert on(compact_car, grade=grade, bank=0.05, brake=0.0)[1].residual < 1e-9, "a car that may roll needs none"


def test_a_car_that_slides_away_is_told_when_it_does(compact_car: jv.Vehicle) -> None:
    vehicle = compact_car.with_(**{"system.statics.time_step": "2 ms"})
    description = car.describe(vehicle, ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": 0.7, "ground.friction": 0.1})
    sim.set_inputs({"brake": 1.0})
    with pytest.raises(StaticsError, match="nothing holds it on this ground"):
        statics.settle(sim, description)
