"""What is imported with a vehicle: the files of the parts that it names, no others."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path

import jounce.vehicle as jv
from ideal_cars import ideal
from jounce.core.part_registry import PARTS, kind_of

CARRIERS = {"ideal", "hub", "thrust"}  # a drive without a driveline
MECHANISM = {
    "rack_pinion",
    "chain",
    "assist",
    "electric_assist",
    "hydraulic_assist",
    "torsion_bar",
    "shafts",
    "actuated",
}


def imported(*files: str | Path) -> set[str]:
    """Modules of the package that a fresh process has after loading vehicles."""
    program = textwrap.dedent("""
        import json, sys
        from jounce.vehicle import load
        for name in sys.argv[1:]:
            load(name)
        print(json.dumps([name for name in sys.modules if name.startswith("jounce")]))
    """)
    found = subprocess.run(
        [sys.executable, "-c", program, *map(str, files)], capture_output=True, text=True, check=True
    )  # fmt: skip
    return set(json.loads(found.stdout))


def below(modules: set[str], folder: str) -> set[str]:
    start = f"jounce.components.{folder}."
    return {name.removeprefix(start) for name in modules if name.startswith(start)}


def test_a_car_imports_what_its_file_names(tmp_path: Path) -> None:
    sedan = imported(ideal("sports").save(tmp_path / "plain.yaml"))  # a steering of maps, an ideal drive
    assert below(sedan, "drive") == CARRIERS
    assert not below(sedan, "steering") & MECHANISM
    assert below(sedan, "driver") == {"demands"}, "pedals and hand wheel, of every vehicle"
    assert "friction" in below(sedan, "suspension"), "named by its elements"
    assert not below(sedan, "suspension") & {"air_spring", "inerter", "central_spring", "x_dof_dynamic"}
    assert len(sedan) <= 135, sorted(sedan)  # with the assembly, which knows the masses of all parts

    engine = {"kind": "simple_engine", "max_torque": 250.0, "max_power": 120e3, "inertia": 0.15}
    data = {"layout": "rwd", "engine": engine, "rear": {"kind": "open_differential", "ratio": 3.7}}
    car = jv.load("sedan").with_(drive={}, driveline=data)
    driven = imported(car.save(tmp_path / "driven.yaml"))
    there = below(driven, "drive")
    assert {"driveline", "engine_simple", "differential", "train"} <= there
    assert not there & {"gearbox", "gearbox_automatic", "converter", "motor", "clutch", "elastic_shaft"}


def test_texts_declare_the_kinds_that_importing_finds() -> None:
    """A kind spelled otherwise is found by importing all files: this keeps that from happening."""
    classes = [cls for family in PARTS.families() for cls in PARTS.kinds(family).values()]
    own = {(kind_of(cls), cls.__module__) for cls in classes if cls.__module__.startswith("jounce.components.")}
    declared = {(kind, module) for kind, modules in PARTS.modules.items() for module in modules}
    assert own <= declared
    for kind, module in declared - own:  # of groups that are no parts: they have no family
        found = [cls for cls in vars(import_module(module)).values() if isinstance(cls, type) and kind_of(cls) == kind]
        assert not any(getattr(cls, "family", "") for cls in found)
