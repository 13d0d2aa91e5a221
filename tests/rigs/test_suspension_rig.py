"""The suspension rig: maps come back, forces balance, virtual work, figures of the linkage that the maps came from."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

import jounce as jn
from axle_lists import truck, vehicle_of
from compliant_cars import scaled
from jounce.components.suspension.guidance import MAPS
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError, PlausibilityWarning, StaticsError
from jounce.rigs.kc_figures import kc
from jounce.rigs.suspension_rig import (
    REACTIONS,
    Held,
    Load,
    Point,
    SuspensionRig,
    load_sweep,
    steer_sweep,
    travel_sweep,
)
from jounce.sim.car import describe, simulation
from jounce.sim.statics import settle
from jounce.vehicle.schema import Vehicle

# the sides differ, so that nothing is right by symmetry
LOPSIDED = {
    "rear_suspension.toe.offset": "0.21 deg",
    "rear_suspension.camber.scale": 1.1,
    "rear_suspension.camber.offset": "-0.9 deg",
}


@pytest.fixture(scope="module")
def car() -> Vehicle:
    stiff = {f"{axle}_suspension.compliance.factor": 0.0 for axle in ("front", "rear")}  # pure kinematics
    return jn.load("sedan").with_(**LOPSIDED, **stiff)


@pytest.fixture(scope="module")
def whole(car: Vehicle) -> SuspensionRig:
    return SuspensionRig(car)


@pytest.fixture
def rig(whole: SuspensionRig) -> Iterator[SuspensionRig]:
    whole.reset()
    yield whole
    whole.reset()


def at_maps(rig: SuspensionRig, wheel: str, travel: float) -> dict[str, float]:
    """What the maps of an unsteered wheel say, looked up apart from the model."""
    place = rig.layout.wheels[wheel]
    settings = rig.layout.settings
    found = {}
    for name in MAPS:
        item = place.axle.data.suspension.map(name, place.side)
        table = item.curve.table(method=settings.splines.method, extrapolation=settings.kinematic_maps.extrapolation)
        found[name] = item.offset + item.scale * float(table(travel))
    return found


def seen(held: Held, rig: SuspensionRig, wheel: str) -> dict[str, float]:
    centre = held.centre[wheel] - rig.layout.wheels[wheel].centre
    angles = {"toe": held.toe(wheel), "camber": held.camber(wheel), "side_view_angle": held.caster(wheel)}
    return {"x": centre[0], "y": centre[1], **angles}


# --- kinematics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["parallel", "opposite", "left", "right"])
def test_maps_come_back(rig: SuspensionRig, way: str) -> None:
    for held in travel_sweep(rig, "rear", [-0.05, 0.013, 0.06], way):  # type: ignore[arg-type]
        for wheel in ("L2", "R2"):
            expected = at_maps(rig, wheel, held.point.travels[wheel])
            assert seen(held, rig, wheel) == pytest.approx(expected, abs=1e-12)
            assert held.centre[wheel][2] - rig.layout.wheels[wheel].centre[2] == pytest.approx(held.travel[wheel])
        assert held.travel["L1"] == held.travel["R1"] == 0.0


def test_the_hand_wheel_steers_the_front_wheels(rig: SuspensionRig) -> None:
    left, straight, right = steer_sweep(rig, [0.8, 0.0, -0.8])
    for wheel, other in (("L1", "R1"), ("R1", "L1")):
        assert left.steer(wheel) > 0.03
        assert right.steer(wheel) == pytest.approx(-left.steer(other), abs=1e-9)
    turned = {w: left.steer(w) - straight.steer(w) for w in ("L1", "R1")}
    assert turned["L1"] > turned["R1"] > 0.05, "the inner wheel turns more"
    assert left.steer("L2") == pytest.approx(straight.steer("L2"), abs=1e-12)


# --- forces ----------------------------------------------------------------------------------------------------------


def test_what_holds_the_body_balances_all_loads(rig: SuspensionRig) -> None:
    """Forces, and moments about the origin, of loads, weights and reactions; nothing of the model's own equations."""
    point = Point(
        travels={"L1": 0.021, "R1": -0.017, "L2": 0.008},
        loads={
            "L1": Load(fx_brake=-310.0, fy=420.0, mz=31.0),
            "R1": Load(fx_drive=250.0, mx=-17.0),
            "R2": Load(fz=4100.0, fy=-520.0, my=23.0),
        },
        steer=0.4,
    )
    held = rig.hold(point)
    force, moment = np.zeros(3), np.zeros(3)
    vehicle = rig.vehicle

    def add(place: np.ndarray, f: np.ndarray, m: np.ndarray | None = None) -> None:
        nonlocal force, moment
        force = force + f
        moment = moment + np.cross(place, f) + (0.0 if m is None else m)

    for wheel in rig.wheels:
        load = point.loads.get(wheel, Load())
        add(
            held.contact[wheel],
            np.array([load.fx_brake, load.fy, held.jack[wheel]]),
            np.array([load.mx, load.my, load.mz]),
        )
        add(held.centre[wheel], np.array([load.fx_drive, 0.0, 0.0]))
        mass = rig.layout.wheels[wheel].axle.data.wheels_on(rig.layout.wheels[wheel].side).unsprung_mass
        add(held.centre[wheel], np.array([0.0, 0.0, -mass * GRAVITY]))
    sprung, centre, _ = vehicle.body.sprung()[0]
    add(centre, np.array([0.0, 0.0, -sprung * GRAVITY]))
    reaction = np.array([rig.sim.input(name) for name in REACTIONS])
    add(centre, reaction[:3], reaction[3:])
    assert force == pytest.approx(np.zeros(3), abs=1e-5)
    assert moment == pytest.approx(np.zeros(3), abs=1e-5)


def test_the_jack_carries_springs_and_weight_by_virtual_work(rig: SuspensionRig) -> None:
    """Fz dz_C = F_springs,stops dJ + m g dJ, both wheels alike: bars do nothing."""
    h = 2e-4
    for travel in (-0.03, 0.002, 0.055):
        up, here, down = travel_sweep(rig, "rear", [travel + h, travel, travel - h], "parallel")
        rise = (up.contact["L2"][2] - down.contact["L2"][2]) / (2 * h)
        mass = rig.layout.wheels["L2"].axle.data.wheels_on("L").unsprung_mass
        carried = here.channels["Spring.Aggregate_Force_At_Wheel.L2"] + mass * GRAVITY
        assert here.jack["L2"] * rise == pytest.approx(carried, rel=1e-6)


def moved(rig: SuspensionRig, wheel: str) -> np.ndarray:
    """How the point of a wheel that is its contact at design moves with its carrier, per own travel."""
    h = 1e-6  # the maps have kinks of curvature at their points, and design is one
    way = "left" if wheel[0] == "L" else "right"
    up, down = travel_sweep(rig, "rear", [h, -h], way)  # type: ignore[arg-type]
    rest = rig.hold(rig.design())
    out = 1.0 if wheel[0] == "L" else -1.0
    psi, phi = up.steer(wheel) - down.steer(wheel), -out * (up.camber(wheel) - down.camber(wheel))
    theta = -(up.caster(wheel) - down.caster(wheel))
    c, s = math.cos(rest.steer(wheel)), math.sin(rest.steer(wheel))
    along = np.array([c, s, 0.0])
    turn = psi * np.array([0.0, 0.0, 1.0]) + phi * along + theta * rest.axis[wheel]
    arm = rest.contact[wheel] - rest.centre[wheel]
    shift: np.ndarray = up.centre[wheel] - down.centre[wheel] + np.cross(turn, arm)
    return shift / (2 * h)


def test_side_force_at_locked_travel_is_carried_by_the_slope_of_the_contact(rig: SuspensionRig) -> None:
    """Virtual work: dFz dz_C + Fy dy_C = 0 for one wheel, whatever elements there are."""
    motion = moved(rig, "R2")
    zero, pushed = load_sweep(rig, "rear", "fy", [0.0, 700.0], "right")
    assert (pushed.jack["R2"] - zero.jack["R2"]) * motion[2] == pytest.approx(-700.0 * motion[1], rel=1e-5)
    assert pushed.jack["L2"] == pytest.approx(zero.jack["L2"], abs=1e-6)


@pytest.mark.parametrize(("component", "locked"), [("fx_brake", True), ("fx_drive", False)])
def test_brakes_turn_with_the_carrier_and_shafts_do_not(rig: SuspensionRig, component: str, locked: bool) -> None:
    """dFz dz_C = -Fx dx: of the contact that moves with the carrier, or of the wheel centre."""
    contact = moved(rig, "L2")
    h = 1e-6
    up, down = travel_sweep(rig, "rear", [h, -h], "left")
    along = contact[0] if locked else (up.centre["L2"][0] - down.centre["L2"][0]) / (2 * h)
    zero, pushed = load_sweep(rig, "rear", component, [0.0, -600.0], "left")
    change = pushed.jack["L2"] - zero.jack["L2"]
    assert change * contact[2] == pytest.approx(600.0 * along, rel=1e-5)
    assert abs(change) > 20.0


def test_force_control_is_the_inverse_of_travel_control(rig: SuspensionRig) -> None:
    moved = rig.hold(replace(rig.design(), travels=dict.fromkeys(rig.wheels, 0.0) | {"L2": 0.03, "R2": -0.02}))
    loads = {w: Load(fz=moved.jack[w]) for w in ("L2", "R2")}
    rig.reset()
    back = rig.hold(Point(travels={"L1": 0.0, "R1": 0.0}, loads=loads))
    assert (back.travel["L2"], back.travel["R2"]) == pytest.approx((0.03, -0.02), abs=1e-9)


def test_without_gravity_the_jacks_carry_the_springs_only(rig: SuspensionRig, car: Vehicle) -> None:
    heavy = rig.hold(rig.design())
    rig.sim.set_parameters({"gravity": 0.0})
    light = rig.hold(rig.design())
    rig.sim.set_parameters({"gravity": GRAVITY})
    for wheel, axle in (("L1", 1), ("R2", 2)):
        mass = rig.layout.axles[axle - 1].data.wheels_on(wheel[0]).unsprung_mass
        rise = 1.0  # dz_C/dJ at design, but for camber: parts in a thousand
        assert heavy.jack[wheel] - light.jack[wheel] == pytest.approx(mass * GRAVITY / rise, rel=0.01)
    asked = SuspensionRig(car, gravity=0.0)
    assert asked.sim.parameter("gravity") == 0.0
    assert asked.hold(asked.design()).jack == pytest.approx(light.jack, rel=1e-9)


# --- compliance ------------------------------------------------------------------------------------------------------

# rad/N, rad/(N m), m/N of the left wheel, and what differs on the right: signs of y, Fy and Mz turn in a mirror
GIVES = {
    "x": {"fx": 2.9e-6},
    "y": {"fy": 0.57e-6},
    "toe": {"fx": 0.6e-6, "fy": 1.55e-6, "mz": -7.3e-5},
    "camber": {"fy": -5.3e-6},
}


@pytest.mark.slow
def test_sweeps_of_loads_give_the_compliance_back() -> None:
    """Slopes of the maps that the car was given; its axles are straight at design, so that loads do not mix."""
    straight = {"front_suspension.toe.offset": 0.0, "front_suspension.camber.offset": 0.0}
    # the rack of a steering in full gives way besides
    without = {"rear_suspension.compliance": None, "steering.rack_pinion": None}
    car = jn.load("sedan").with_(**straight, **without, **{"front_suspension.compliance": GIVES})
    rig = SuspensionRig(car, radius="design")
    for wheel, out in (("L1", 1.0), ("R1", -1.0)):
        way = "left" if out > 0 else "right"
        for component, step, read, expected in (
            ("fy", 500.0, lambda h, w: h.toe(w), out * GIVES["toe"]["fy"]),
            ("fy", 500.0, lambda h, w: h.camber(w), out * GIVES["camber"]["fy"]),
            ("fy", 500.0, lambda h, w: h.centre[w][1], GIVES["y"]["fy"]),
            ("mz", 40.0, lambda h, w: h.toe(w), out * GIVES["toe"]["mz"]),
            ("fx_brake", 400.0, lambda h, w: h.centre[w][0], GIVES["x"]["fx"]),
            ("fx_brake", 400.0, lambda h, w: h.toe(w), GIVES["toe"]["fx"]),
        ):
            low, high = load_sweep(rig, "front", component, [-step, step], way)  # type: ignore[arg-type]
            found = (read(high, wheel) - read(low, wheel)) / (2 * step)
            # loads act along the axes of the body, maps count those of the wheel, which has turned by up to 3 mrad
            assert found == pytest.approx(expected, rel=0.01), (wheel, component)
    report = kc(car, rig)
    assert report["mz_steer_front"] == pytest.approx(math.degrees(73e-3), rel=0.01)
    assert report["fy_steer_front"] == pytest.approx(math.degrees(1.55e-3), rel=0.01), "toe-in outwards: understeer"
    assert report["fy_camber_front"] == pytest.approx(math.degrees(5.3e-3), rel=0.01)
    assert report["fx_compliance_front"] == pytest.approx(2.9, rel=0.01)
    assert report["brake_steer_front"] == pytest.approx(-math.degrees(0.6e-3), rel=0.02)
    assert report["mz_steer_rear"] == 0.0


# --- what cannot be held ---------------------------------------------------------------------------------------------


def test_bad_requests_are_named(rig: SuspensionRig) -> None:
    with pytest.raises(ParameterError, match="wheel 'L3' is unknown"):
        rig.hold(Point(travels={"L3": 0.0}))
    with pytest.raises(ParameterError, match="load 'fxx' is unknown"):
        load_sweep(rig, "front", "fxx", [1.0])
    with pytest.raises(ParameterError, match="axle 'middle' is unknown"):
        rig.axle("middle")
    with pytest.raises(ParameterError, match="radius = 'loaded'"):
        SuspensionRig(rig.vehicle, radius="loaded")  # type: ignore[arg-type]


def test_a_load_that_nothing_carries_is_told_and_the_rig_goes_back(rig: SuspensionRig) -> None:
    held = rig.hold(rig.design())
    with pytest.raises(StaticsError, match="no equilibrium"):
        rig.hold(Point(loads={w: Load(fz=-9e6) for w in rig.wheels}))
    again = rig.hold(rig.design())
    assert again.jack == pytest.approx(held.jack, rel=1e-9)


def test_a_travel_beyond_the_maps_is_told_once(rig: SuspensionRig) -> None:
    with pytest.warns(PlausibilityWarning, match=r"wheel R2: a travel of -121 mm; the maps .* -120 to 120 mm") as told:
        travel_sweep(rig, "rear", [-0.121, -0.1215], "right")
    assert len(told) == 1


# --- where it starts -------------------------------------------------------------------------------------------------


def test_it_starts_where_a_car_stands(car: Vehicle) -> None:
    """A heavier car stands lower, and its jacks carry there what its tires do on the road."""
    heavy = car.with_(**{"body.mass": car.get("body.mass") + 230.0})
    rig = SuspensionRig(heavy, radius="design", start="standing")
    held = rig.hold(rig.start())
    description = describe(heavy)
    sim = simulation(description)
    settle(sim, description)
    for wheel in rig.wheels:
        assert held.travel[wheel] == pytest.approx(sim.output(f"Suspension.Jounce.{wheel}"), abs=1e-12)
        assert held.travel[wheel] > 0.01
        # contacts of rigid wheels and of tires differ by what camber moves them; toe has forces of its own
        assert held.jack[wheel] == pytest.approx(sim.output(f"Tire.Ground_Surface_Force_Z.{wheel}"), rel=0.005)
    (up,) = travel_sweep(rig, "rear", [0.004], "parallel")
    assert up.travel["L2"] == held.travel["L2"] + 0.004 and up.travel["L1"] == held.travel["L1"]


@pytest.mark.slow
def test_a_car_that_was_set_up_is_measured_where_it_stands() -> None:
    """Lower by its push-rods: the rig starts there, with the toe of the target against the chassis.

    Nothing gives way: forces of toed tires, which the rig does not have, would turn the wheels.
    """
    was = scaled(jn.load("sedan"), 0.0)
    low = jn.setup(was, {"front_ride_height": 0.27, "rear_toe": "0.21 deg"}, reference="chassis")
    phase = low.setup_report.phases[-1]
    rig = SuspensionRig(low, radius="design", start="standing")
    held = rig.hold(rig.start())
    for wheel in rig.wheels:
        assert held.travel[wheel] == pytest.approx(phase.wheels[wheel]["travel"], abs=1e-6)
    assert (held.toe("L2"), held.toe("R2")) == pytest.approx((math.radians(0.21),) * 2, abs=1e-6)
    assert abs(held.travel["L1"]) > 2e-3
    assert kc(low, rig)["camber_gain_front"] != pytest.approx(kc(was)["camber_gain_front"], rel=0.01)


@pytest.mark.slow
def test_the_third_axle_is_moved_alone() -> None:
    """Of a truck with twin tires on two axles and sides that differ: its maps come back, the others stay."""
    truck_ = vehicle_of(truck())
    rig = SuspensionRig(truck_, radius="design")
    rest = rig.hold(rig.design())
    for held in travel_sweep(rig, "axle3", [-0.03, 0.04], "opposite"):
        for wheel in ("L1", "R1", "L2", "R2"):
            assert held.travel[wheel] == 0.0
            assert held.jack[wheel] == pytest.approx(rest.jack[wheel], abs=1e-5)
        assert held.travel["L3"] == -held.travel["R3"] != 0.0
    h = 1e-3
    up, down = travel_sweep(rig, "3", [h, -h], "parallel")
    # the springs of this axle, by their own rates; each wheel carries some of the other one's, inboard of it
    rates = {w: (up.jack[w] - down.jack[w]) / (2 * h) for w in ("L3", "R3")}
    assert sum(rates.values()) == pytest.approx(33.9e3 + 35.2e3, rel=0.01)
    assert 1.01 < rates["R3"] / rates["L3"] < 35.2 / 33.9
    names = {m.name for m in kc(truck_, rig).metrics}
    assert {"wheel_rate_axle3", "roll_centre_axle3", "anti_lift_axle3", "bump_steer_rear"} <= names


# --- figures ---------------------------------------------------------------------------------------------------------

# figure -> name in the file of the hard points, and whether it is in per cent of an assumed height and share
SAME = {
    "bump_steer_front": "bump_steer_front",
    "bump_steer_rear": "bump_steer_rear",
    "camber_gain_front": "camber_gain_front",
    "camber_gain_rear": "camber_gain_rear",
    "caster_gain_front": "side_view_angle_gain_front",
    "caster_gain_rear": "side_view_angle_gain_rear",
    "recession_front": "wheel_recession_front",
    "recession_rear": "wheel_recession_rear",
    "roll_centre_front": "roll_centre_front",
    "roll_centre_rear": "roll_centre_rear",
    "steering_ratio": "steering_ratio",
    "anti_dive_front": "anti_dive_front",
    "anti_lift_rear": "anti_lift_rear",
    "anti_squat_rear": "anti_squat_rear",
}


def test_figures_are_those_of_the_linkage_that_the_maps_came_from() -> None:
    """The library's maps were made from hard points by another program, which kept its own figures beside them.

    Differences: maps are splines through points 10 mm apart; per cents are of the height of the centre of gravity and
    shares that it assumed.
    """
    vehicle = jn.load("sedan")
    report = kc(vehicle)
    path = resources.files("jounce.library") / "vehicles" / "sedan" / "maps" / "key_figures.json"
    known = json.loads(path.read_text())["figures"]
    for ours, theirs in SAME.items():
        close = 0.05 if ours.startswith("anti") else 0.005
        assert report[ours] == pytest.approx(known[theirs], rel=close, abs=0.005 if close < 0.01 else 0.0), ours
    assert report["caster_front"] == pytest.approx(known["caster"], abs=0.1)
    assert report["kingpin_inclination_front"] == pytest.approx(known["kingpin_inclination"], abs=0.1)
    assert report["mechanical_trail_front"] == pytest.approx(known["mechanical_trail"], abs=1.5)
    assert report["scrub_radius_front"] == pytest.approx(known["scrub_radius"], abs=3.0)


def test_ranges_are_in_the_units_of_the_figures() -> None:
    report = kc(jn.load("sedan"))
    raw = {m["name"]: m for m in report.raw()}
    assert set(raw["bump_steer_front"]) == {"name", "axle", "value", "unit", "low", "high"}
    assert (raw["bump_steer_front"]["low"], raw["bump_steer_front"]["high"]) == (1.0, 6.0)
    assert raw["mz_steer_front"]["low"] == pytest.approx(4.0), "0.4 deg per 100 N m"
    inside = {m.name: m.inside for m in report.metrics}
    assert inside["roll_centre_front"] is True and inside["recession_front"] is None
