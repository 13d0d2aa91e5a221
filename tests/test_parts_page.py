"""What docs/how-to/parts.md prints works as it stands: two parts from outside, by kind, by run, by entry point."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.core.library import LIBRARY
from jounce.core.part_registry import PARTS, Registry
from jounce.sim import car as cars

PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "parts.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"progressive_stop": "class ProgressiveStop", "yaw_rate_controller": "class YawRateController"}


def printed(language: str, beginning: str) -> str:
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return next(text for kind, text in found if kind == language and beginning in text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The two files of the page, imported from a folder outside the package."""
    place = tmp_path_factory.mktemp("parts")
    for name, beginning in FILES.items():
        (place / f"{name}.py").write_text(printed("python", beginning), encoding="utf-8")
    sys.path.insert(0, str(place))
    modules = [importlib.import_module(name) for name in FILES]
    yield place
    sys.path.remove(str(place))
    for module, name in zip(modules, ("ProgressiveStop", "YawRateController"), strict=True):
        PARTS.forget(getattr(module, name))
        del sys.modules[module.__name__]


@pytest.fixture(scope="module")
def car(folder: Path) -> Any:
    """A car whose files name both kinds."""
    place = folder / "car"
    shutil.copytree(LIBRARY / "vehicles" / "sedan", place)
    front, whole = place / "front_suspension.yaml", place / "vehicle.yaml"
    text = front.read_text(encoding="utf-8")
    own = re.compile(r"^bump_stop:\n(?:  .*\n)+", re.MULTILINE)
    assert own.search(text)
    front.write_text(own.sub(printed("yaml", "bump_stop:"), text), encoding="utf-8")
    whole.write_text(whole.read_text(encoding="utf-8") + "\n" + printed("yaml", "parts:"), encoding="utf-8")
    return jn.load(place)


@pytest.fixture(scope="module")
def sim(car: Any) -> Any:
    return cars.simulation(cars.describe(car, inputs=["Main_Bumpstop.force.R1", "Main_Bumpstop.activity_flag.R1"]))


def test_the_files_are_read_as_the_classes_of_the_page(car: Any) -> None:
    assert type(car.front_suspension.bump_stop).__name__ == "ProgressiveStop"
    assert type(car.front_suspension.bump_stop.right).__name__ == "ProgressiveStop"
    assert type(car.rear_suspension.bump_stop).__name__ == "BumpStop"
    assert [type(part).__name__ for part in car.parts] == ["YawRateController"]
    space: dict[str, Any] = {}
    exec(compile(printed("python", 'stop = {"kind": "progressive"'), "page", "exec"), space)
    assert space["car"].front_suspension.bump_stop == car.front_suspension.bump_stop


@pytest.mark.parametrize(("travel", "other"), [(0.071, 0.043), (0.035, 0.088), (-0.06, 0.02)])
def test_the_force_law_of_the_stop_on_both_sides(sim: Any, travel: float, other: float) -> None:
    """F = k δ (1 + (δ/a)²), with a stiffness of its own on the right; at the wheel times the ratio."""
    sim.set_inputs({"Main_Bumpstop.force.R1": 0.0, "Main_Bumpstop.activity_flag.R1": 1.0})
    for left, right in ((travel, other), (other, travel)):
        sim.set_states({"L1.jounce": left, "R1.jounce": right})
        for place, jounce, rate in (("L1", left, 70e3), ("R1", right, 55e3)):
            delta = max(0.62 * jounce - 0.018, 0.0)
            force = rate * delta * (1 + (delta / 0.012) ** 2)
            assert sim.output(f"Jounce_Bumper.Force_At_Bumper.{place}") == pytest.approx(force, rel=1e-12, abs=1e-12)
            spring = sim.output(f"Spring.Force_At_Wheel.{place}")
            below = sim.output(f"Rebound_Bumper.Force_At_Wheel.{place}")
            whole = sim.output(f"Spring.Aggregate_Force_At_Wheel.{place}")
            assert whole - spring - below == pytest.approx(0.62 * force, rel=1e-9, abs=1e-9)


def test_the_stop_pushes_wheel_and_body_apart(sim: Any) -> None:
    """At rest and at design but for one wheel: less force lets the wheel go up, and the body down."""
    start = sim.snapshot()
    sim.set_states({"R1.jounce": 0.08})
    names = [v.name for v in sim.model.states]
    with_stop = dict(zip(names, sim.derivatives()[0], strict=True))
    sim.set_inputs({"Main_Bumpstop.activity_flag.R1": 0.0})
    without = dict(zip(names, sim.derivatives()[0], strict=True))
    assert with_stop["R1.jounce.rate"] < without["R1.jounce.rate"] - 10
    assert with_stop["chassis.vz"] > without["chassis.vz"] + 1
    assert with_stop["chassis.wx"] < without["chassis.wx"], "the right side is pushed up: it rolls to the left"
    sim.set_inputs({"Main_Bumpstop.force.R1": 1234.0})
    assert sim.output("Jounce_Bumper.Force_At_Bumper.R1") == 1234.0, "its ports"
    sim.restore(start)


def overshoot(rate: Any) -> float:
    return float(np.abs(rate).max() / np.abs(rate[-1]) - 1)


@pytest.mark.slow
def test_the_controller_reduces_the_overshoot_of_the_yaw_rate(folder: Path, car: Any) -> None:
    space: dict[str, Any] = {}
    exec(compile(printed("python", "alone = jn.run"), "page", "exec"), space)
    alone, helped = space["alone"], space["helped"]
    name = "chassis_velocities.yaw"
    assert alone.complete and helped.complete
    assert overshoot(helped[name]) < 0.7 * overshoot(alone[name])
    # while it turns in more than the reference, the outer wheel is braked, never both
    left, right = helped["Chamber_Pressure.L1"], helped["Chamber_Pressure.R1"]
    assert right.max() > 1e6
    assert np.minimum(left, right).max() == 0.0
    first = np.flatnonzero(left + right > 0)[0]
    braked = helped["yaw_control.deviation"][first + 2 : first + 12] < -0.02
    assert (right[first + 2 : first + 12][braked] > 0).all()
    # to the other side the mirrored run
    event = space["event"].changed(amplitude="-60 deg")
    other = jn.run(jn.load("sedan"), event, blocks=[space["YawRateController"](gain="40 MPa.s/rad")])
    assert overshoot(other[name]) == pytest.approx(overshoot(helped[name]), rel=0.1)
    assert other["Chamber_Pressure.L1"].max() > 1e6
    # in the car by its kind: the same controller under another name
    built_in = jn.run(jn.load("sedan").with_(parts=car.parts), event)
    for channel in (name, "Chamber_Pressure.L1"):
        assert np.abs(built_in[channel] - other[channel]).max() <= 1e-9 * np.abs(other[channel]).max()


def test_a_registered_kind_is_listed_and_a_name_is_taken_once(folder: Path) -> None:
    assert "progressive" in PARTS.kinds("bump_stop")
    stop = PARTS.find("bump_stop", "progressive")
    assert jn.register_part(stop) is stop, "the same class again"
    twin = type("Twin", (stop,), {"__module__": "elsewhere", "__annotations__": {}})
    with pytest.raises(ParameterError, match="kind 'progressive' of 'bump_stop' is taken by progressive_stop"):
        jn.register_part(twin)


def test_entry_points_of_installed_packages_need_no_import(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("stop", "progressive_stop:ProgressiveStop", "jounce.parts"),
        EntryPoint("yaw", "yaw_rate_controller:YawRateController", "jounce.parts"),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == "jounce.parts" else [])
    assert 'entry-points."jounce.parts"' in printed("toml", "progressive_stop")
    registry = Registry("jounce.components", "jounce.parts")
    assert registry.find("bump_stop", "progressive") is PARTS.find("bump_stop", "progressive")
    assert "yaw_rate" in registry.kinds("controller")
    points.append(EntryPoint("lost", "progressive_stop:Nowhere", "jounce.parts"))
    with pytest.raises(
        ParameterError, match=r"entry point 'lost' of group 'jounce\.parts' \(progressive_stop:Nowhere\)"
    ):
        Registry("jounce.components", "jounce.parts").families()
