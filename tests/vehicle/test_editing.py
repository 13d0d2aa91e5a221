"""Copies with changes, symmetric sides, differences; and that loading is quick."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest import approx

import jounce.vehicle as jv
from jounce.core.errors import ParameterError
from jounce.vehicle.schema import Spring, Vehicle

COMPACT = Path(__file__).parent / "data" / "compact"


@pytest.fixture(scope="module")
def car() -> Vehicle:
    return jv.load(COMPACT)


def test_with_returns_a_copy_and_leaves_the_original(car: Vehicle) -> None:
    changed = car.with_(**{"front_suspension.spring.rate": "32 N/mm"})
    assert changed.get("front_suspension.spring.rate") == 32000.0
    assert car.get("front_suspension.spring.rate") == 26600.0
    assert changed.with_(**{"front_suspension.spring.rate": 26600}) == car


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("rear_suspension.dampers[0].scale", 1.3, 1.3),
        ("front_suspension.camber.rate", "-10 deg/m", approx(-0.17453292519943295)),
        ("front_suspension.spring.ratio.rate", 0.8, 0.8),
        ("front_suspension.spring.right.rate", "30 N/mm", 30000.0),
        ("brakes.front.mu", 0.5, 0.5),
        ("body.cg.z", "55 cm", 0.55),
        ("front_suspension.toe.y[2]", "1 deg", approx(0.017453292519943295)),
        ("system.simplified_model", 2, 2),
        ("steering.kingpin.caster", "5 deg", None),
        ("drive", "rear", None),
    ],
)
def test_every_kind_of_value_is_reached_by_its_path(car: Vehicle, path: str, value: Any, expected: Any) -> None:
    changed = car.with_(**{path: value})
    assert changed != car
    if expected is not None and not path.endswith("]"):
        assert changed.get(path) == expected
    if path.endswith("]"):
        assert changed.get(path[:-3])[2] == expected


def test_one_law_takes_the_place_of_another(car: Vehicle) -> None:
    table = {"x": [0, 0.1, 0.3], "y": [0, 2500, 9000]}
    changed = car.with_(**{"front_suspension.spring.force": table})
    assert changed.get("front_suspension.spring.rate") is None
    back = changed.with_(**{"front_suspension.spring.rate": 26600})
    assert back == car
    length = car.with_(**{"front_suspension.spring.installed_length": 0.3, "front_suspension.spring.free_length": 0.4})
    assert length.get("front_suspension.spring.preload") is None


def test_none_removes_and_data_are_values(car: Vehicle) -> None:
    assert car.with_(aero=None).aero is None
    spring = Spring(rate=20000, preload=3000)
    assert car.with_(**{"rear_suspension.spring": spring}).rear_suspension.spring == spring
    assert car.with_(**{"front_suspension.camber": car.get("front_suspension.toe")}).get(
        "front_suspension.camber.y"
    ) == car.get("front_suspension.toe.y")


def test_a_group_may_come_from_a_file(car: Vehicle, tmp_path: Path) -> None:
    (tmp_path / "spring.yaml").write_text("rate: 40 N/mm\npreload: 3 kN\n")
    changed = car.with_(**{"rear_suspension.spring": str(tmp_path / "spring.yaml")})
    assert changed.get("rear_suspension.spring.rate") == 40000.0


def test_a_change_on_the_left_is_taken_over_on_the_right_unless_that_differs(car: Vehicle) -> None:
    one = car.with_(**{"front_suspension.spring.right.preload": "4 kN"})
    two = one.with_(**{"front_suspension.spring.rate": "30 N/mm"})
    assert two.get("front_suspension.spring.right.rate") == 30000.0
    assert two.get("front_suspension.spring.right.preload") == 4000.0


@pytest.mark.parametrize(
    "path", ["", "a..b", "body.", "body[0]", "front_suspension.toe.q", "front_suspension.dampers[7]"]
)
def test_reading_an_unknown_path_is_refused(car: Vehicle, path: str) -> None:
    with pytest.raises(ParameterError):
        car.get(path)


# ---- sides -----------------------------------------------------------------------------------------------


def test_symmetry_from_either_side(car: Vehicle) -> None:
    odd = car.with_(**{"rear_suspension.spring.right.rate": 50000})
    assert odd.with_symmetry("rear_suspension.spring") == car
    other = odd.with_symmetry("rear_suspension.spring", "right")
    assert other.rear_suspension.spring is not None
    assert (other.rear_suspension.spring.rate, other.rear_suspension.spring.right) == (50000.0, None)


def test_symmetry_turns_around_what_a_mirror_turns_around(car: Vehicle) -> None:
    odd = car.with_(
        **{
            "front_suspension.y.right": 0.3,
            "front_suspension.toe.right": "3 deg/m",
            "steering.steer.right": {"x": [-8, 8], "y": [-0.4, 0.6]},
            "steering.kingpin.right.y": 0.05,
        }
    )
    alike = odd
    for path in ("front_suspension.y", "front_suspension.toe", "steering.steer", "steering.kingpin"):
        alike = alike.with_symmetry(path, "right")
    for name in ("y", "toe"):
        assert alike.front_suspension.map(name, "R").curve == odd.front_suspension.map(name, "R").curve
    assert alike.front_suspension.y.curve.constant == -0.3
    assert alike.front_suspension.toe.right is None
    assert alike.steering.map("steer", "R") == odd.steering.map("steer", "R").model_copy(update={"right": None})  # type: ignore[union-attr]
    assert alike.steering.steer.curve.y == (-0.6, 0.4)
    assert alike.get("steering.kingpin.y").constant == -0.05


def test_symmetry_of_what_has_no_sides_is_refused(car: Vehicle) -> None:
    with pytest.raises(ParameterError, match="no two sides"):
        car.with_symmetry("body")
    with pytest.raises(ParameterError, match="did you mean 'left'"):
        car.with_symmetry("front_suspension.toe", "lefty")  # type: ignore[arg-type]


# ---- differences -----------------------------------------------------------------------------------------


def test_differences_name_paths_values_and_units(car: Vehicle) -> None:
    other = car.with_(
        **{
            "front_suspension.spring.rate": "32 N/mm",
            "front_suspension.toe": "-1 rad/m",
            "rear_suspension.toe.rate": 0.5,
            "front_wheels.right.spin_inertia": 0.8,
            "system.torque_reaction": "carrier",
            "rear_suspension.bump_stop": None,
        }
    )
    found = [str(item) for item in car.diff(other)]
    assert found[:4] == [
        "system.torque_reaction: chassis -> carrier",
        "front_suspension.toe: table of 11 points -> -1.0 rad/m",
        "front_suspension.spring.rate: 26600.0 N/m -> 32000.0 N/m",
        "rear_suspension.toe.rate: 0.03490658503988659 rad/m -> 0.5 rad/m",
    ]
    assert "rear_suspension.bump_stop.clearance: 0.05 m -> (none)" in found
    assert "front_wheels.right.spin_inertia: 0.9 kg.m2 -> 0.8 kg.m2" in found
    assert sum("front_wheels" in line for line in found) == 1
    assert car.diff(jv.load(COMPACT)) == []
    back = {
        item.path: item.ours for item in car.diff(other) if "bump_stop" not in item.path and "right" not in item.path
    }
    assert [d.path.split(".")[1] for d in car.diff(other.with_(**back)) if "bump_stop" not in d.path] == ["right"]


# ---- time ------------------------------------------------------------------------------------------------


def test_the_package_does_not_import_its_vehicles() -> None:
    code = (
        "import sys, jounce; heavy = ('jounce.vehicle', 'pydantic', 'ruamel.yaml')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_a_car_is_loaded_without_heavy_imports() -> None:
    code = (
        "import sys, jounce.vehicle as jv\n"
        f"jv.load({str(COMPACT)!r})\n"
        "print([name for name in ('pint', 'casadi', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
