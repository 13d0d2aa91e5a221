"""The vehicle data model: declarations, units, sides, absurd values, what is structure and what is a number."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from pytest import approx

import jounce.vehicle as jv
from jounce.core import units
from jounce.core.errors import ParameterError
from jounce.core.fields import Data, meta, to_raw
from jounce.core.kinds import groups_of
from jounce.vehicle.schema import (
    Aero,
    AngleMap,
    Body,
    Damper,
    Drive,
    Inertia,
    KinematicMap,
    Spring,
    Steering,
    Stop,
    Suspension,
    TorsionSpring,
    Vehicle,
    on_side,
)

COMPACT = Path(__file__).parent / "data" / "compact"


@pytest.fixture(scope="module")
def car() -> Vehicle:
    return jv.load(COMPACT)


def groups(kind: type[Data] = Vehicle, seen: set[type[Data]] | None = None) -> list[type[Data]]:
    """Every class that a vehicle is made of."""
    found = seen if seen is not None else set()
    if kind not in found:
        found.add(kind)
        for info in kind.model_fields.values():
            for inner in groups_of(info):
                groups(inner, found)
    return sorted(found, key=lambda k: k.__name__)


@pytest.mark.parametrize("kind", groups(), ids=lambda kind: kind.__name__)
def test_every_field_declares_its_meaning_and_every_number_its_unit(kind: type[Data]) -> None:
    for name, info in kind.model_fields.items():
        extra = meta(info)
        assert info.description, f"{kind.__name__}.{name} has no doc"
        known = ("quantity", "curve", "choice", "flag", "text", "part", "reference", "hidden")
        assert extra.get("kind") in known, f"{kind.__name__}.{name}"
        if "float" in str(info.annotation):
            assert extra["kind"] == "quantity", f"{kind.__name__}.{name}"
            assert units.convert(1.0, extra["unit"], extra["unit"]) == 1.0


def test_the_example_is_the_car_it_says_it_is(car: Vehicle) -> None:
    assert car.mass() == approx(1350)
    assert car.wheelbase == 2.65
    assert car.front_suspension.spring is not None
    assert car.front_suspension.spring.rate == 26600.0
    assert car.wheel_centre(2, "R") == approx([-2.65, -0.765, 0.3032])
    assert car.front_wheels.tire.path.name == "compact_205_55r16.tir"
    assert car.drive.shares == {"L1": 0.5, "R1": 0.5, "L2": 0.0, "R2": 0.0}
    assert car.remarks() == []


def test_data_are_immutable_and_hashable(car: Vehicle) -> None:
    with pytest.raises(ValidationError):
        car.body.mass = 1.0
    assert hash(car) == hash(jv.load(COMPACT))


@pytest.mark.parametrize(
    ("text", "si"), [("25 N/mm", 25000.0), (25000, 25000.0), ("25000", 25000.0), ("25 kN/m", 25000.0)]
)
def test_numbers_are_stored_in_si(text: Any, si: float) -> None:
    assert Spring(rate=text, preload=0).rate == si


# ---- masses ----------------------------------------------------------------------------------------------


def test_products_of_inertia_follow_the_convention_or_its_flag() -> None:
    given = {"ixx": 400, "iyy": 1600, "izz": 1700}
    assert Inertia(**given, ixz=30).matrix[0, 2] == -30
    assert Inertia(**given, ixz=30, products_are_tensor_entries=True).matrix[0, 2] == 30


@pytest.mark.parametrize(
    "bad", [{"izz": 3000}, {"ixx": 10, "iyy": 10, "izz": 21}, {"ixz": 5000}], ids=["yaw", "disc", "product"]
)
def test_an_inertia_that_no_body_has_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="no body has this inertia"):
        Inertia(**{"ixx": 400, "iyy": 1600, "izz": 1700, **bad})


def test_a_thin_disc_is_a_body() -> None:
    Inertia(ixx=1.0, iyy=2.0, izz=1.0)


def test_added_masses_are_lumped_about_the_common_centre_of_gravity() -> None:
    body = Body(
        mass=1000, cg=[-1, 0, 0.5], inertia={"ixx": 400, "iyy": 1600, "izz": 1700},
        added_masses=[
            {"mass": 100, "location": [-2, 0.4, 0.6], "setup_mass": 50},
            {"mass": 70, "location": [0, 0, 0], "active": False, "setup_active": False},
        ],
    )  # fmt: skip
    (mass, centre, inertia), *_ = body.sprung()
    assert mass == 1100
    assert centre == approx(np.array([-1200, 40, 560]) / 1100)
    # two point masses and a body: parallel axes about any origin give the same tensor
    d = np.array([-1.0, 0.4, 0.1])
    reduced = 1000 * 100 / 1100
    assert inertia == approx(np.diag([400, 1600, 1700]) + reduced * (d @ d * np.eye(3) - np.outer(d, d)))
    assert body.sprung("setup")[0][0] == 1050


def test_a_split_body_has_the_mass_of_its_halves(car: Vehicle) -> None:
    half = {"mass": 500, "cg": [-0.5, 0, 0.5], "inertia": {"ixx": 200, "iyy": 300, "izz": 300}}
    split = {
        "location": [-1.3, 0, 0.5],
        "front": half,
        "rear": {**half, "cg": [-2.0, 0, 0.5]},
        "stiffness": {"torsion": "9 kN.m/deg"},
    }
    changed = car.with_(**{"body.split": split, "body.added_masses": None})
    assert changed.body.mass is None
    assert changed.body.split is not None
    assert changed.body.split.stiffness.released == ("torsion",)
    mass, centre, inertia = changed.body.rigid()
    assert mass == 1000
    assert centre == approx([-1.25, 0, 0.5])
    assert inertia == approx(np.diag([400, 600 + 1000 * 0.75**2, 600 + 1000 * 0.75**2]))
    assert len(changed.body.sprung()) == 2


# ---- sides -----------------------------------------------------------------------------------------------


def test_the_right_side_is_the_left_one_changed_by_what_is_said() -> None:
    spring = Spring(rate="25 N/mm", preload="3 kN", ratio=0.9, right={"rate": "26 N/mm"})
    right = on_side(spring, "R")
    assert (right.rate, right.preload, right.ratio) == (26000.0, 3000.0, spring.ratio)
    assert on_side(spring, "L") is spring


def test_another_law_on_the_right_side_takes_the_place_of_that_of_the_left() -> None:
    damper = Damper(rate=1500, right={"force": {"x": [-1, 1], "y": [-900, 2000]}})
    assert damper.right is not None
    assert (damper.right.rate, damper.right.force is not None) == (None, True)


def test_y_is_mirrored_and_everything_else_is_not() -> None:
    axle = Suspension(track=1.5, y={"x": [-0.1, 0, 0.1], "y": [0.01, 0, 0.02]}, toe="3 deg/m", x=0.1)
    assert axle.map("y", "R").curve.y == (-0.01, 0.0, -0.02)
    assert axle.map("toe", "R") == axle.toe
    assert axle.map("x", "R") == axle.x
    given = Suspension(track=1.5, y={"rate": 0.1, "right": 0.3})
    assert given.map("y", "R").curve.constant == 0.3


def test_the_right_wheel_steers_as_the_left_one_in_a_mirror() -> None:
    steering = Steering(
        steer={"x": [-8, 0, 8], "y": [-0.5, 0, 0.6]},
        camber={"x": [-8, 0, 8], "z": [-0.1, 0.1], "y": [[1, 2], [3, 4], [5, 6]]},
        kingpin={"caster": 0.1, "inclination": 0.2, "x": 0, "y": -0.05, "z": 0},
    )
    right = steering.map("steer", "R")
    assert right is not None
    assert right.curve.x == (-8, 0, 8)
    assert right.curve.y == (-0.6, 0, 0.5)
    camber = steering.map("camber", "R")
    assert camber is not None
    assert camber.curve.y == (5, 6, 3, 4, 1, 2)
    axis = steering.kingpin_on("R")
    assert axis is not None
    assert (axis.caster.constant, axis.y.constant) == (0.1, 0.05)


def test_a_rate_means_the_same_steering_on_both_sides() -> None:
    steering = Steering(steer=0.06, camber="-1 deg/rad")
    assert steering.map("steer", "R") == steering.steer
    camber = steering.map("camber", "R")
    assert camber is not None
    assert steering.camber is not None
    assert camber.curve.constant == -steering.camber.curve.constant  # type: ignore[operator]


# ---- elements --------------------------------------------------------------------------------------------

PROGRESSIVE = {"x": [0, 0.05, 0.12, 0.2], "y": [0, 900, 2700, 6000]}


@pytest.mark.parametrize("scale", [1.0, 0.7])
@pytest.mark.parametrize("preload", [0.0, 900.0, 1234.5, 5999.0, 7000.0])
@pytest.mark.parametrize("law", [{"rate": 25000.0}, {"force": PROGRESSIVE}], ids=["linear", "table"])
def test_installed_length_and_preload_are_two_names_of_one_state(
    law: dict[str, Any], preload: float, scale: float
) -> None:
    by_force = Spring(**law, free_length=0.4, preload=preload, scale=scale)
    length = by_force.length_at_design()
    assert length is not None
    by_length = Spring(**law, free_length=0.4, installed_length=length, scale=scale)
    # the inversion stops at 1e-15 m; the stiffest cell has 6e4 N/m
    assert by_length.force_at_design() == approx(preload, abs=1e-9)
    assert by_length.abscissa_at_design() == approx(by_force.abscissa_at_design(), abs=1e-12)


def test_a_table_over_length_is_measured_from_design() -> None:
    spring = Spring(force={"x": [-0.1, 0, 0.1], "y": [5000, 3000, 1500]}, axis="length")
    assert spring.force_at_design() == 3000
    preloaded = Spring(force={"x": [-0.1, 0, 0.1], "y": [5000, 3000, 1500]}, axis="length", preload=4000)
    assert preloaded.force is not None
    assert preloaded.force(preloaded.abscissa_at_design()) == approx(4000, abs=1e-9)


def test_a_preload_needs_a_monotonic_table() -> None:
    with pytest.raises(ValidationError, match="must strictly rise with compression"):
        Spring(force={"x": [0, 1, 2], "y": [0, 2, 1]}, preload=1)
    Spring(force={"x": [0, 1, 2], "y": [0, 2, 1]}, free_length=1, installed_length=0.5)


def test_a_torsion_spring_is_a_spring_in_other_units() -> None:
    axle = Suspension(track=1.5, spring={"type": "rotational", "rate": "50 N.m/deg", "preload": 0, "ratio": "2 rad/m"})
    assert isinstance(axle.spring, TorsionSpring)
    assert axle.spring.rate == approx(50 * 180 / math.pi)
    assert axle.spring.deflection.constant == 2.0


def test_the_ratio_may_be_given_either_way_round() -> None:
    spring = Spring(rate=1, preload=0, ratio=2, ratio_convention="wheel_per_element")
    assert spring.deflection.constant == 0.5
    with pytest.raises(ValidationError, match="must not be 0"):
        Spring(rate=1, preload=0, ratio=0, ratio_convention="wheel_per_element")


def test_a_ratio_table_is_deflection_from_design() -> None:
    spring = Spring(rate=1, preload=0, ratio={"x": [-0.1, 0, 0.1], "y": [-0.07, 0.01, 0.1]})
    assert spring.deflection.y == approx((-0.08, 0, 0.09))


def test_a_ratio_may_depend_on_the_paired_wheel() -> None:
    """A spring 0.6 of the half track from the middle of a solid axle: d = (0.8 J + 0.2 J_o), and 5 mm at design."""
    grid = [-0.1, 0.0, 0.1]
    table = {"x": grid, "z": grid, "y": [[0.005 + 0.8 * own + 0.2 * other for other in grid] for own in grid]}
    for element in (
        Spring.model_validate({"rate": 2e4, "preload": 3000, "ratio": table}),
        Damper.model_validate({"rate": 2e3, "ratio": table}),
        Stop.model_validate({"clearance": 0.05, "force": 1e5, "ratio": table}),
    ):
        assert element.dependent
        assert element.deflection(0.0, 0.0) == 0.0
        assert element.deflection(0.05, 0.05) == pytest.approx(0.05)
        assert element.deflection(0.05, -0.05) == pytest.approx(0.6 * 0.05)
    assert not Damper.model_validate({"rate": 2e3, "ratio": 0.9}).dependent


def test_constant_rate_equals_the_linear_table() -> None:
    rate = AngleMap(rate="-4 deg/m")
    table = AngleMap(x=[-100, 100], y=[0.4, -0.4], units=["mm", "deg"])
    for travel in (-0.1, -0.03, 0.0, 0.02, 0.1):
        assert rate.curve(travel) == approx(table.curve(travel), abs=1e-15)
        assert rate.curve.table()(travel) == approx(rate.curve(travel), abs=1e-15)


def test_a_stop_cannot_pull() -> None:
    with pytest.raises(ValidationError, match="a stop would pull"):
        Stop(clearance=0.05, force={"x": [0, 0.1], "y": [0, -1]})


def test_dependent_means_a_second_axis_and_one_column_is_none() -> None:
    map_ = {"x": [-0.1, 0, 0.1], "z": [-0.1, 0.1], "y": [[0, 1], [1, 2], [2, 3]]}
    assert Suspension(track=1.5, toe=map_).dependent
    single = Suspension(track=1.5, toe={"x": [-0.1, 0.1], "z": [0], "y": [[1], [2]]})
    assert not single.dependent
    assert single.toe.curve.y == (1, 2)


def test_coordinates_measured_from_design_have_no_offset() -> None:
    Suspension(track=1.5, toe={"rate": 0, "offset": "0.1 deg"})
    with pytest.raises(ValidationError, match="measured from design"):
        Suspension(track=1.5, x={"rate": 0, "offset": 0.1})


def test_rack_travel_changes_the_unit_of_the_steering_maps() -> None:
    steering = Steering(input="rack_travel", rack_travel="50 mm/rev", steer="0.4 deg/mm")
    assert steering.steer.curve.units.x == "m"
    assert steering.steer.curve.constant == approx(math.radians(400))
    falling = Steering(input="rack_travel", rack_travel="-50 mm/rev", steer="-0.4 deg/mm")
    assert falling.rack_travel is not None
    assert falling.rack_travel.monotonic == -1
    with pytest.raises(ValidationError, match="strictly rise or fall"):
        Steering(rack_travel={"x": [-1, 0, 1], "y": [0, 1, 0]}, steer=1)
    with pytest.raises(ValidationError, match="toe_table takes"):
        Steering(steer={"x": [-1, 1], "z": [-1, 1], "y": [[0, 0], [1, 1]]})


@pytest.mark.parametrize("word", ["front", "rear", "all"])
def test_drive_by_a_word(word: str) -> None:
    drive = Drive.model_validate(word)
    assert sum(drive.shares.values()) == 1


def test_drag_by_area_is_the_force_at_reference_speed() -> None:
    aero = Aero(drag={"area": 0.6, "location": [0, 0, 0]}, reference_velocity=40, reference_density=1.25)
    unit = SimpleNamespace(data=SimpleNamespace(aero=aero))
    assert aero.drag.at_reference(unit).constant == approx(0.5 * 1.25 * 0.6 * 1600)


# ---- structure -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"body.mass": 900},
        {"front_suspension.toe.y[3]": 0.1},
        {"rear_suspension.camber.rate": 0},
        {"name": "other", "description": "words"},
        {"body.added_masses": None},
        {"front_suspension.spring.free_length": 0.4, "front_suspension.spring.installed_length": 0.3},
        {"front_wheels.right.spin_inertia": 1.0},
        {"rear_wheels.tire": "sedan_225_50r17"},
        {"front_suspension.toe.x": [-0.1, 0.1], "front_suspension.toe.y": [0, 1]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_numbers_are_not_structure(car: Vehicle, changes: dict[str, Any]) -> None:
    changed = car.with_(**changes)
    assert changed != car
    assert changed.structure_key() == car.structure_key()


@pytest.mark.parametrize(
    "changes",
    [
        {"system.simplified_model": 1},
        {"front_suspension.toe": "1 deg/m"},
        {"front_suspension.toe.right": "1 deg/m"},
        {"rear_suspension.dampers": [{"rate": 1}, {"rate": 2}]},
        {"rear_suspension.rebound_stop.active": False},
        {"rear_suspension.auxiliary_anti_roll": None},
        {"aero": None},
        {"rear_suspension.toe.x": [-1, 1], "rear_suspension.toe.z": [-1, 1], "rear_suspension.toe.y": [[0, 1], [1, 0]]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_shapes_the_code_is_structure(car: Vehicle, changes: dict[str, Any]) -> None:
    assert car.with_(**changes).structure_key() != car.structure_key()


def test_remarks_name_what_is_unusual(car: Vehicle) -> None:
    odd = car.with_(
        **{
            "front_suspension.dampers[0].force": {"x": [-1, 1], "y": [900, -900]},
            "front_suspension.auxiliary_anti_roll.rate": 1000,
            "front_suspension.bump_stop.ratio": {"x": [-1, 1], "y": [0, 1]},
        }
    )
    text = "\n".join(odd.remarks())
    for part in (
        "dampers[0].force: force and speed differ in sign",
        "auxiliary_anti_roll: not used",
        "bump_stop.ratio",
    ):
        assert part in text


def test_raw_data_describe_the_same_car(car: Vehicle) -> None:
    assert Vehicle.model_validate(to_raw(car)) == car


def test_a_right_side_has_no_right_side() -> None:
    with pytest.raises(ValidationError, match="no right side of its own"):
        KinematicMap.model_validate({"rate": 1, "right": {"rate": 2, "right": {"rate": 3}}})


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("front_suspension.dampers", {"rate": 3000.0}, "dampers: expected a list, found one group; put a dash"),
        ("driveline.controls", {"kind": "launch_control"}, "controls: expected a list, found one group"),
        (
            "front_suspension.spring",
            [{"rate": 3e4, "preload": 5e3}],
            "spring.*: expected one group of keys, found a",
        ),
    ],
)
def test_a_group_where_several_stand_is_refused_and_the_other_way_round(key: str, value: Any, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        jv.load("sedan").with_(**{key: value})
