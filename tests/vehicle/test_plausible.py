"""Doubts about numbers that nothing on the road has: what was perhaps meant, where it stands, how it is accepted."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

import jounce as jn
import jounce.vehicle as jv
from ideal_cars import ideal
from jounce import events
from jounce.core.errors import PlausibilityWarning, StaticsError
from jounce.core.fields import Data, meta
from jounce.core.kinds import groups_of
from jounce.core.part_registry import PARTS
from jounce.events.registry import find, names
from jounce.vehicle.reading import VEHICLES, library_names
from jounce.vehicle.schema import Vehicle
from jounce.verify import reference_car

# Numbers of the search itself, of places in the world, and counts: no car has or lacks them.
FREE = {
    *(("BodyCompliance", f"{kind}_k{term}") for kind in ("rotational", "translational") for term in "pdi"),
    *(("Statics", name) for name in ("abort_time", "translational_speed", "translational_acceleration")),
    *(("Statics", name) for name in ("angular_speed", "angular_acceleration", "brake_damping", "time_step")),
    ("Compliance", "relaxation"),
    # shares and numbers of gears: bounds say what there is to say
    *(("IdleControl", "max_throttle"), ("GearMap", "gear"), ("Motor", "regeneration_map"), ("LockUp", "max_throttle")),
    *(("RamAir", "efficiency"), ("Converter", "dump_threshold")),
    *(("XDofTransfer", name) for name in ("b0", "b1", "b2", "b3", "a0", "a1", "a2", "a3", "a4")),
}
PLACES = ("x", "y", "z", "cycles")

KART: dict[str, Any] = {
    **{f"{axle}_suspension.{key}": value for axle in ("front", "rear") for key, value in {
        "track": 1.1, "spring.rate": 60e3, "spring.preload": 390.0, "dampers[0]": {"rate": 400.0, "ratio": 1.0},
    }.items()},
    "rear_suspension.wheel_centre_x": -1.05,
    **{f"{axle}_wheels.{key}": value for axle in ("front", "rear") for key, value in {
        "unsprung_mass": 4.0, "ixx": 0.02, "iyy": 0.03, "izz": 0.02, "spin_inertia": 0.02, "wheel_centre_height": 0.13,
    }.items()},
    "body.mass": 160.0, "body.cg": [-0.55, 0, 0.25], "body.inertia": {"ixx": 9.0, "iyy": 22.0, "izz": 25.0},
    "body.added_masses": None, "steering": {"steer": {"rate": 0.9}},
    "brakes.master_cylinder_pressure_gain": 5e6, "drive.max_torque": 90.0,
    **{f"brakes.{axle}": {"effective_radius": 0.08, "piston_area": 0.0003} for axle in ("front", "rear")},
}  # fmt: skip
TRUCK: dict[str, Any] = {
    **{f"{axle}_suspension.{key}": value for axle in ("front", "rear") for key, value in {
        "track": 2.05, "spring.rate": 4e5, "dampers[0]": {"rate": 22e3, "ratio": 1.0}, "spring.ratio": 1.0,
    }.items()},
    "rear_suspension.spring.rate": 1.6e6,
    "front_suspension.spring.preload": 4.0e4, "rear_suspension.spring.preload": 13.5e4,
    "rear_suspension.wheel_centre_x": -6.5,
    **{f"{axle}_wheels.{key}": value for axle in ("front", "rear") for key, value in {
        "unsprung_mass": 450.0, "ixx": 60.0, "iyy": 40.0, "izz": 60.0, "spin_inertia": 24.0,
        "wheel_centre_height": 0.5,
    }.items()},
    "body.mass": 36000.0, "body.cg": [-5.0, 0, 1.9], "body.inertia": {"ixx": 4e4, "iyy": 3.6e5, "izz": 3.7e5},
    "body.added_masses": None, "drive.max_torque": 6e4,
    "aero.drag.area": 6.5, "steering": {"steer": {"rate": 1 / 22}},
    **{f"brakes.{axle}": {"effective_radius": 0.18, "piston_area": 0.06} for axle in ("front", "rear")},
}  # fmt: skip


def groups(kind: type[Data], found: set[type[Data]]) -> set[type[Data]]:
    if kind not in found:
        found.add(kind)
        for info in kind.model_fields.values():
            of_family = PARTS.kinds(meta(info).get("family") or "").values()
            for inner in (*groups_of(info), *of_family):
                groups(inner, found)
    return found


@pytest.fixture
def sedan(tmp_path: Path) -> Path:
    return Path(shutil.copytree(VEHICLES / "sedan", tmp_path / "sedan"))


def spoil(file: Path, old: str, new: str) -> int:
    """Change a text of a file; the line in which it stood."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def test_every_number_says_what_exists_on_the_road() -> None:
    classes = [*groups(Vehicle, set()), *(find(name) for name in names())]
    classes = [kind for kind in classes if kind.__module__.startswith("jounce.")]  # other tests register their own
    lacking = []
    for kind in classes:
        for name, info in kind.model_fields.items():
            extra = meta(info)
            limits = {key for item in info.metadata for key in ("ge", "le", "lt") if hasattr(item, key)}
            bounded = "ge" in limits and len(limits) > 1
            free = (
                (kind.__name__, name) in FREE
                or kind.__name__ == "Gains"
                or (name in PLACES and issubclass(kind, events.Event))
            )
            if extra.get("kind") in ("quantity", "curve") and extra["typical"] is None and not bounded and not free:
                lacking.append(f"{kind.__name__}.{name}")
    assert not lacking, ", ".join(lacking)


@pytest.mark.parametrize("name", library_names())
def test_the_cars_of_the_library_raise_no_doubt(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jv.load(name).doubts() == []


@pytest.mark.parametrize("changes", [KART, TRUCK], ids=["kart", "truck"])
def test_neither_a_kart_nor_a_truck_of_40_t_raises_a_doubt(changes: dict[str, Any]) -> None:
    assert ideal("compact").with_(**changes).doubts() == []


def test_a_rate_without_unit_is_told_with_file_line_and_what_was_meant(sedan: Path) -> None:
    file = sedan / "front_suspension.yaml"
    line = spoil(file, "rate: 66.9 N/mm", "rate: 27")
    text = "front_suspension.spring.rate: 27 N/m; did you mean 27 N/mm?"
    with pytest.warns(PlausibilityWarning) as told:
        car = jv.load(sedan)
    assert [str(item.message) for item in told] == [
        f"{file}, line {line}: {text} (usual on the road: 1000 to 5e+06 N/m)"
    ]
    assert told[0].filename == __file__
    assert car.doubts() == car.remarks()


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("front_suspension.track", 1545, "1545 m; did you mean 1545 mm?"),
        ("rear_suspension.wheel_centre_x", -2870, "-2870 m; did you mean -2870 mm or -2870 cm?"),
        ("rear_suspension.track", "1.57 mm", "0.00157 m; did you mean 1.57 m instead of 1.57 mm?"),
        ("rear_suspension.toe.offset", -3, "-3 rad; did you mean -3 deg?"),
        ("front_suspension.anti_roll_bar.stiffness", 34.2, "34.2 N.m/rad; did you mean 34.2 N.m/deg"),
        (
            "rear_suspension.dampers[0].force",
            {"x": [-300, 300], "y": [-700, 1540]},
            "reaches -300 m/s; did you mean -300 mm/s",
        ),
        ("front_suspension.spring.force", {"x": [0, 0.2], "y": [0, 13]}, "mean slope of 65 N/m; did you mean 65 N/mm"),
        ("rear_suspension.camber", -22, "-22 rad/m; did you mean -22 deg/m?"),
        ("steering.kingpin.caster", 6.5, "6.5 rad; did you mean 6.5 deg?"),
        ("front_wheels.spin_inertia", 1.1e6, "1.1e+06 kg.m2; did you mean 1.1e+06 kg.mm2"),
        ("body.mass", 1.358, "1.358 kg; did you mean 1.358 t?"),
        ("brakes.master_cylinder_pressure_gain", 200, "200 Pa; did you mean 200 bar?"),
        ("brakes.front.piston_area", 2290, "2290 m2; did you mean 2290 mm2 or 2290 cm2?"),
        ("aero.wind.x", -72, "-72 m/s; did you mean -72 km/h?"),
        ("drive.tcs.threshold", 8, "8; did you mean 8 percent?"),
    ],
)
def test_what_was_perhaps_meant(path: str, value: Any, told: str) -> None:
    (found, *_) = ideal("sedan").with_(**{path: value}).doubts()
    assert found.startswith(f"{path}: ") and told in found


def test_the_right_side_alone_is_doubted_at_its_own_place() -> None:
    car = jv.load("sedan").with_(**{"rear_wheels.right": {"unsprung_mass": 42000.0}})
    (found,) = car.doubts()
    assert found.startswith("rear_wheels.right.unsprung_mass: 42000 kg")


def test_zero_needs_no_unit() -> None:
    assert jv.load("sedan").with_(**{"front_suspension.anti_roll_bar.stiffness": 0}).doubts() == []


def test_what_is_accepted_is_not_told_and_stays_so_in_the_file(sedan: Path) -> None:
    spoil(sedan / "front_suspension.yaml", "rate: 66.9 N/mm", "rate: 27")
    accept = "accept: [front_suspension.spring.*, '*ratio']"
    spoil(sedan / "vehicle.yaml", "category: sedan", f"category: sedan\n{accept}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        car = jv.load(sedan)
    assert car.accept == ("front_suspension.spring.*", "*ratio") and car.doubts() == []
    both = car.with_(**{"rear_suspension.track": 1545})
    assert [item.partition(":")[0] for item in both.doubts()] == ["rear_suspension.track"]
    assert both.structure_key() == jv.load("sedan").structure_key()
    assert jv.load(car.save(sedan / "again.yaml")).accept == car.accept
    more = car.with_(accept=[*car.accept, "body.mass"])
    more.save()
    assert jv.load(sedan) == more


def test_accepting_what_the_car_does_not_have_is_told() -> None:
    car = jv.load("sedan").with_(accept=["front_suspension.sprnig.rate", "rear_suspension.spring.ride_frequency"])
    (found,) = car.doubts()
    assert found.startswith("accept: 'front_suspension.sprnig.rate' is nothing of this vehicle; did you mean")


@pytest.mark.parametrize(
    ("changes", "key", "told"),
    [
        ({"rear_suspension.spring": None}, "rear_suspension.spring", "none; nothing carries"),
        ({"front_suspension.dampers": None}, "front_suspension.dampers", "none; nothing damps"),
        ({"front_suspension.dampers[0].scale": 0.0}, "front_suspension.dampers.damping_ratio", "0 (usual"),
        ({"front_suspension.spring.preload": 59900}, "front_suspension.spring.static_travel", "away from design"),
        ({"rear_suspension.spring.rate": 3000}, "rear_suspension.spring.ride_frequency", "0.28"),
        ({"steering": {"steer": {"rate": 0.008}}}, "steering.steer.steering_ratio", "125"),
        ({"brakes.master_cylinder_pressure_gain": 4e5}, "brakes.full_braking_per_weight", "0.02"),
        ({"drive.max_torque": 4e4}, "drive.max_torque.force_per_weight", "8."),
        ({"body.inertia": {"ixx": 40, "iyy": 44, "izz": 45}}, "body.inertia.yaw_radius_per_wheelbase", "0.06"),
    ],
)
def test_what_follows_from_the_numbers_is_doubted(changes: dict[str, Any], key: str, told: str) -> None:
    car = ideal("sedan").with_(**changes)
    found = [item for item in car.doubts() if item.startswith(f"{key}: ")]
    assert len(found) == 1 and told in found[0]
    assert not [item for item in car.with_(accept=[key]).doubts() if item.startswith(f"{key}: ")]


def test_a_change_of_a_map_that_the_steering_has_instead_is_told() -> None:
    """Both signs of the rule: what the steering's maps replace moves nothing, alignment and the rear axle do."""
    from jounce.sim import car

    def floats(vehicle: jv.Vehicle) -> dict[str, float]:
        description = car.describe(vehicle)
        found = car.numbers(description)
        return {v.name: found[v.name]() for v in car.library(description).model.parameters if v.name in found}

    vehicle = jv.load("sedan")
    assert vehicle.doubts() == []
    told = {
        "front_suspension.toe.scale": "front_suspension.toe.scale: without effect: steering.steer takes its place",
        "front_suspension.camber.right.scale": "camber.right.scale: without effect: steering.camber takes",
        "front_suspension.x.scale": "front_suspension.x.scale: without effect: steering.x takes its place",
    }
    for path, text in told.items():
        changed = vehicle.with_(**{path: 0.5})
        (doubt,) = changed.doubts()
        assert text in doubt, path
        assert changed.with_(accept=[path]).doubts() == [], "it is meant so"
        assert floats(changed) == floats(vehicle), "nothing of the model moves"
    for path in ("front_suspension.toe.offset", "rear_suspension.toe.scale", "rear_suspension.camber.scale"):
        changed = vehicle.with_(**{path: 0.5 * vehicle.get(path)})
        assert changed.doubts() == [] and floats(changed) != floats(vehicle), path
    plain = vehicle.with_(**{"steering.rack_pinion": None, "steering.method": "toe_table", "steering.steer": 0.05})
    assert not any("without effect" in text for text in plain.with_(**{"front_suspension.toe.scale": 0.5}).doubts())


def test_straight_lines_between_points_of_maps_of_travel_are_told() -> None:
    """Slopes jump there, and forces; a car whose maps are rates has no points."""
    car = jv.load("sedan").with_(**{"system.splines.method": "linear"})
    (doubt,) = car.doubts()
    assert doubt.startswith("system.splines.method: linear: ") and "may find no rest; take akima" in doubt
    assert car.with_(accept=["system.splines.method"]).doubts() == []
    assert reference_car.vehicle(system__splines__method="linear").doubts() == reference_car.vehicle().doubts()


@pytest.mark.slow
def test_a_car_with_straight_lines_that_finds_no_rest_is_told_why() -> None:
    with pytest.raises(StaticsError, match=r"(?s)no equilibrium.*system\.splines\.method: linear.*take akima"):
        jn.run(jv.load("compact").with_(**{"system.splines.method": "linear"}), events.StepSteer())


def test_a_figure_is_placed_where_its_part_stands(sedan: Path) -> None:
    file = sedan / "rear_suspension.yaml"
    spring = file.read_text(encoding="utf-8").splitlines().index("spring:") + 1
    text = file.read_text(encoding="utf-8")
    start = text.index("preload:")
    file.write_text(text.replace(text[start : text.index("\n", start)], "preload: 50 kN"), encoding="utf-8")
    (found,) = jv.reading.read(sedan).doubts()
    assert found.startswith(f"{file}, line {spring}: rear_suspension.spring.static_travel: ")


def test_a_number_that_was_changed_since_has_no_place_in_a_file() -> None:
    (found,) = jv.load("sedan").with_(**{"front_suspension.track": 1545}).doubts()
    assert found.startswith("front_suspension.track: 1545 m")


def test_events_doubt_their_numbers_unless_accepted() -> None:
    event = events.StepSteer(speed=80, friction=80, heading=90)
    assert [item.partition(" (")[0] for item in event.doubts()] == [
        "speed: 80 m/s; did you mean 80 km/h?",
        "friction: 80; did you mean 80 percent?",
        "heading: 90 rad; did you mean 90 deg?",
    ]
    assert [item[:8] for item in event.changed(accept=["speed", "friction"]).doubts()] == ["heading:"]
    for name in names():
        kind = find(name)
        for made in (kind(), *(kind.preset(preset) for preset in kind.presets)):
            assert made.doubts() == []


def test_a_start_that_fails_tells_what_is_odd() -> None:
    with pytest.raises(StaticsError, match=r"(?s)no steady running at 80 m/s.*speed: 80 m/s; did you mean 80 km/h"):
        jn.run(jv.load("sedan"), events.RampSteer(speed=80, start_time=0.0, end_time=0.02))


def test_a_run_carries_the_doubts_about_car_and_event() -> None:
    car = ideal("sedan").with_(**{"front_wheels.right": {"unsprung_mass": 1600.0}})
    run = jn.run(car, events.RampSteer(speed=80, start_time=0.0, end_time=0.02))
    told = [item.partition(" (")[0] for item in run.warnings]
    assert "front_wheels.right.unsprung_mass: 1600 kg; did you mean 1.6 kg instead of 1.6 t?" in told
    assert "event: speed: 80 m/s; did you mean 80 km/h?" in told
    quiet = jn.run(
        car.with_(accept=["front_wheels.*"]),
        events.RampSteer(speed=80, start_time=0.0, end_time=0.02, accept=["speed"]),
    )
    assert not [item for item in quiet.warnings if "usual on the road" in item]
