"""Tire files that name code: libraries by STI and CRT, Python files, installed packages; what is refused, and where."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cars
from four_wheels import CORNERS
from jounce.components.tire import registry, trust
from jounce.components.tire.sti import LibraryTire, bind_library, library_tire
from jounce.core.errors import FormatError, ModelError, ParameterError
from jounce.files.tir import parse_tir, read_tir, tir_text
from jounce.runtime.user_tire import bound_tires
from jounce.sim import car
from models import compiled
from tire_models import rig
from user_tires import compile_tire

HEAD = "[MDI_HEADER]\nFILE_TYPE = 'tir'\n[UNITS]\nLENGTH = 'mm'\nFORCE = 'newton'\nANGLE = 'radian'\nMASS = 'kg'\n"
HEAD += "TIME = 'second'\n"


def text_of(**keys: Any) -> str:
    given = {"PROPERTY_FILE_FORMAT": "USER", "FUNCTION_NAME": "spring::spring_sti", "INTERFACE_TYPE": "STI", **keys}
    lines = "".join(f"{key} = {value!r}\n" for key, value in given.items() if value is not None)
    return f"{HEAD}[MODEL]\n{lines}[DIMENSION]\nUNLOADED_RADIUS = 320.0\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_tire("spring", tmp_path_factory.mktemp("built"))


@pytest.fixture
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trusted folder with the library."""
    shutil.copy(built, tmp_path)
    monkeypatch.setenv("JOUNCE_TIRE_PATH", str(tmp_path))
    return tmp_path


def written(folder: Path, **keys: Any) -> Path:
    path = folder / "user.tir"
    path.write_text(text_of(**keys), encoding="utf-8")
    return path


# --- libraries -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keys", [{}, {"FUNCTION_NAME": "spring::spring_crt", "INTERFACE_TYPE": "CRT"}, {"EXCHANGE": "step"}]
)
def test_a_file_names_a_library_and_its_tire_runs(folder: Path, keys: dict[str, str]) -> None:
    path = written(folder, **keys)
    file = read_tir(path)
    model = file.tire.model
    assert isinstance(model, LibraryTire) and file.family == "USER" and not file.report.warnings
    assert file.tire.values["UNLOADED_RADIUS"] == pytest.approx(0.32)
    assert (model.interface, model.tire_file) == (keys.get("INTERFACE_TYPE", "STI"), str(path.resolve()))
    assert model.exchange == keys.get("EXCHANGE", "evaluation")
    sim = compiled(rig(file.tire, mass=400.0, steer=True), method="AB-2", step=0.001)
    sim.set_states({"z.travel": 0.32 - 400 * 9.80665 / 2e5})
    if model.exchange == "step":
        sim.set_inputs({"tire.force.z": 400 * 9.80665})
    bind_library(sim, "tire", file.tire)
    sim.advance(100)
    assert sim.output("tire.fz") == pytest.approx(400 * 9.80665, rel=1e-6)
    again = parse_tir(tir_text(file.tire), str(path))
    assert again.tire.model == model and dict(again.tire.values) == dict(file.tire.values)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"FUNCTION_NAME": "sprig::spring_sti"}, r"line 11  \[MODEL\] FUNCTION_NAME: user tire: no library 'sprig'"),
        ({"FUNCTION_NAME": "spring::sti"}, r"line 11  \[MODEL\] FUNCTION_NAME: .*has no function 'sti'"),
        ({"FUNCTION_NAME": "spring_sti"}, r"line 11  \[MODEL\] FUNCTION_NAME: found 'spring_sti'; expected 'library::"),
        ({"INTERFACE_TYPE": None}, r"line 11  \[MODEL\] INTERFACE_TYPE: is missing; allowed: 'STI' or 'CRT'"),
        ({"INTERFACE_TYPE": "STIX"}, r"line 12  \[MODEL\] INTERFACE_TYPE: found 'STIX'; did you mean 'STI'"),
        ({"INTERFACE_TYPE": "CRT"}, r"line 11  \[MODEL\] FUNCTION_NAME: .*breaks down when asked .*'CRT' right"),
        ({"CALLING_APP_CHECK": "PERHAPS"}, r"line 13  \[MODEL\] CALLING_APP_CHECK: found 'PERHAPS'; allowed: 'TRUE'"),
        ({"EXCHANGE": "steps"}, r"line 13  \[MODEL\] EXCHANGE: found 'steps'; did you mean 'step'"),
        ({"N_STATES": "two"}, r"line 13  \[MODEL\] N_STATES: found 'two'; expected a whole number"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(folder: Path, keys: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_tir(written(folder, **keys))


def test_a_missing_radius_is_told(folder: Path) -> None:
    path = written(folder)
    path.write_text(path.read_text().replace("UNLOADED_RADIUS = 320.0\n", ""))
    with pytest.raises(FormatError, match="UNLOADED_RADIUS"):
        read_tir(path)


def test_code_beside_a_file_is_not_run_without_trust(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JOUNCE_TIRE_PATH", raising=False)
    monkeypatch.setattr(trust, "_folders", [])
    shutil.copy(built, tmp_path)
    path = written(tmp_path)
    with pytest.raises(FormatError, match=r"may name code in trusted folders only.*JOUNCE_TIRE_PATH"):
        read_tir(path)
    (tmp_path / "run.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(FormatError, match="may name code in trusted folders only"):
        read_tir(written(tmp_path, FUNCTION_NAME="run.py::Tire"))
    trust.trust(tmp_path)
    assert isinstance(read_tir(written(tmp_path)).tire.model, LibraryTire)
    # a way out of the folder is none
    (tmp_path / "inner").mkdir()
    monkeypatch.setattr(trust, "_folders", [tmp_path / "inner"])
    with pytest.raises(FormatError, match="trusted folders only"):
        read_tir(written(tmp_path / "inner", FUNCTION_NAME="../spring::spring_sti"))


def test_the_flag_of_the_caller_comes_from_the_file(folder: Path) -> None:
    for word, expected in (("TRUE", True), ("FALSE", False), (None, False)):
        model = read_tir(written(folder, CALLING_APP_CHECK=word)).tire.model
        assert isinstance(model, LibraryTire) and model.calling_app is expected
        sim = compiled(rig(library_tire_like(model), mass=400.0, steer=True))
        assert bind_library(sim, "tire", library_tire_like(model)).struct.calling_app == expected


def library_tire_like(model: LibraryTire) -> Any:
    options = {"interface": model.interface, "calling_app": model.calling_app}
    return library_tire(model.library, model.function, radius=0.32, **options)


def test_a_car_takes_such_a_file_as_any_other(folder: Path) -> None:
    path = written(folder, FUNCTION_NAME="spring::linear_sti", CALLING_APP_CHECK="TRUE")
    tire = read_tir(path).tire
    sim = car.simulation(car.describe(cars.compact(), dict.fromkeys(CORNERS, tire)))
    assert [t.name for t in bound_tires(sim)] == [f"{c}.tire" for c in CORNERS]
    assert [t.struct.tire_id for t in bound_tires(sim)] == [1, 2, 3, 4]
    assert np.all(np.isfinite(sim.derivatives()[0]))


# --- Python files and packages ---------------------------------------------------------------------------------------

MINE = """
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from jounce.components.tire.base import Coefficient, Forces
from jounce.components.tire.simple import SimpleTire, Stiffness
from jounce.symbolic.ops import clip


@dataclass(frozen=True)
class MyTire(SimpleTire):
    kind: ClassVar[str] = "mine"
    own: ClassVar[Sequence[Coefficient]] = (
        Coefficient("STIFFNESS", "-", "slope over load, both directions", 15.0, "PARAMETER"),
        Coefficient("GRIP", "-", "friction", 1.0, "PARAMETER"),
    )

    def stiffness(self, p, load, gamma, friction):
        slope, slides = p["STIFFNESS"] * load, p["GRIP"] * friction / p["STIFFNESS"]
        return Stiffness(slope, -slope, slides, slides, 0.3, 0.3)

    def slip_forces(self, p, load, gamma, friction, kappa, alpha, way):
        k, limit = p["STIFFNESS"] * load, p["GRIP"] * friction * load
        return Forces(clip(k * kappa, -limit, limit), clip(-k * alpha, -limit, limit), 0.0, 0.0, 0.0)
"""


def mine_text(function: str) -> str:
    keys = text_of(FUNCTION_NAME=function, INTERFACE_TYPE=None, USE_MODE=4)
    return keys + "[PARAMETER]\nVERTICAL_STIFFNESS = 200.0\nGRIP = 0.9\n"


def test_twenty_lines_in_a_file_make_a_tire(folder: Path) -> None:
    assert len([line for line in MINE.splitlines() if line.strip() and "import" not in line]) < 20
    (folder / "mine.py").write_text(MINE)
    path = folder / "mine.tir"
    path.write_text(mine_text("mine.py::MyTire"))
    tire = read_tir(path).tire
    assert tire.model.kind == "mine" and tire.values["GRIP"] == 0.9
    assert tire.steady(4000.0, 0.02).fx == pytest.approx(15 * 4000 * 0.02)
    assert tire.steady(4000.0, 0.5).fx == pytest.approx(0.9 * 4000)
    same = registry.from_file(folder / "mine.py", "MyTire")
    assert isinstance(tire.model, same), "read once"
    (folder / "mine.py").write_text(MINE.replace('"friction", 1.0', '"friction", 0.7'))
    changed = registry.from_file(folder / "mine.py", "MyTire")
    assert changed is not same and changed.__module__ != same.__module__, "models are cached by module"
    sim = compiled(rig(tire, mass=400.0))
    assert np.all(np.isfinite(sim.derivatives()[0]))


def test_python_files_that_are_wrong(folder: Path) -> None:
    (folder / "mine.py").write_text(MINE)
    (folder / "bad.py").write_text("x = 1 / 0\n")
    with pytest.raises(ParameterError, match=r"no tire model 'MyTyre'; did you mean 'MyTire'"):
        registry.from_file(folder / "mine.py", "MyTyre")
    with pytest.raises(ModelError, match=r"bad\.py fails: ZeroDivisionError"):
        registry.from_file(folder / "bad.py", "MyTire")
    with pytest.raises(ParameterError, match=r"none\.py: No such file"):
        registry.from_file(folder / "none.py", "MyTire")
    with pytest.raises(FormatError, match=r"\[MODEL\] FUNCTION_NAME: .*none\.py"):
        path = folder / "none.tir"
        path.write_text(mine_text("none.py::MyTire"))
        read_tir(path)


def test_an_installed_package_brings_a_tire(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = folder / "their_tires-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-tires\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\ntheirs = their_tires:MyTire\n")
    (folder / "their_tires.py").write_text(MINE)
    monkeypatch.syspath_prepend(str(folder))
    assert "theirs" in registry.names()
    tire = parse_tir(mine_text("jounce::theirs")).tire
    assert tire.model.kind == "mine" and type(tire.model).__module__ == "their_tires"
