"""Recipes: found by source and arguments, never by chance, and quickly."""

from __future__ import annotations

import enum
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.core.errors import ModelError, ParameterError
from jounce.core.generated import GeneratedModel, Variable
from jounce.runtime.cache import Store, cache_info
from jounce.sim import build as building
from jounce.sim import reach
from jounce.sim.build import Recipe, build, recipe

SRC = reach.PACKAGE.parent

MODEL_C = textwrap.dedent("""
    #include <stddef.h>
    #include "jounce.h"
    static void rhs(const jn_env *env, const jn_point *at, double *const *out) {
        out[0][0] = -env->p[0] * at->x[0];
    }
    static void outputs(const jn_env *env, const jn_point *at, double *const *out) {
        (void)env;
        out[0][0] = at->x[0];
    }
    static const jn_model model = {
        .abi = JN_ABI, .n_x = 1, .n_p = 1, .n_p_free = 1, .n_y = 1, .rhs = rhs, .outputs = outputs};
    JN_EXPORT const jn_model *jn_get_model(void) { return &model; }
""")

# A user's project: a recipe, a helper it imports at the top, another it imports on use, and one that is a package.
PROJECT = {
    "car.py": """
        from helper import rate
        from jounce.core.generated import GeneratedModel, Variable
        from jounce.sim.build import recipe

        from model_c import MODEL_C

        CALLS = []
        SCALE = 1.0

        class Tiny:
            def __init__(self, axles, k):
                self.axles, self.k = axles, k

            def generate(self):
                return GeneratedModel(
                    name=f"tiny{self.axles}",
                    states=(Variable("x", "m", "position", 1.0),),
                    parameters=(Variable("k", "1/s", "decay", self.k * SCALE),),
                    outputs=(Variable("y", "m", "position"),),
                    notes={"made": (1, 2)},
                    sources={"tiny.c": MODEL_C},
                )

        @recipe
        def tiny(axles: int = 2) -> Tiny:
            import late
            from parts import wheel
            CALLS.append(axles)
            return Tiny(axles, rate() + late.more() + wheel.radius())

        @recipe
        def other(axles: int = 2) -> Tiny:
            return Tiny(axles, 1.0)
    """,
    "model_c.py": f"MODEL_C = {MODEL_C!r}\n",
    "helper.py": "def rate():\n    return 1.0\n",
    "late.py": "import deep\ndef more():\n    return deep.value()\n",
    "deep.py": "def value():\n    return 0.0\n",
    "unused.py": "x = 1\n",
    "parts/__init__.py": "",
    "parts/wheel.py": "from . import hub\ndef radius():\n    return hub.radius()\n",
    "parts/hub.py": "def radius():\n    return 0.0\n",
}


@pytest.fixture(autouse=True)
def _clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOUNCE_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("JOUNCE_CFLAGS", "JOUNCE_KEEP_C"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        path = tmp_path / "my project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return tmp_path / "my project"


@pytest.fixture
def run(project: Path) -> Callable[..., str]:
    """Run code as a new process inside the project."""

    def run(code: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(SRC), "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


KEY = "import car; print(car.tiny.key())"


# --- keys: sources


def test_a_key_is_the_same_in_every_process(run: Callable[..., str]) -> None:
    keys = {run(KEY, PYTHONHASHSEED=seed) for seed in ("0", "1", "2")}
    assert len(keys) == 1
    assert re.fullmatch("[0-9a-f]{64}", keys.pop())


def test_a_key_does_not_depend_on_place_and_time(run: Callable[..., str], project: Path) -> None:
    first = run(KEY)
    shutil.copytree(project, project.parent / "elsewhere")
    code = "import os, sys; os.chdir('../elsewhere'); sys.path[0] = os.getcwd()\n"
    assert run(f"{code}{KEY}") == first


@pytest.mark.parametrize("name", [name for name in PROJECT if name != "unused.py"])
def test_an_edit_of_any_module_it_reaches_changes_the_key(name: str, run: Callable[..., str], project: Path) -> None:
    first = run(KEY)
    with (project / name).open("a") as file:
        file.write("# an edit\n")
    assert run(KEY) != first


def test_a_module_it_does_not_reach_does_not_matter(run: Callable[..., str], project: Path) -> None:
    first = run(KEY)
    (project / "unused.py").write_text("x = 2\n")
    (project / "new.py").write_text("x = 2\n")
    assert run(KEY) == first


def test_two_recipes_of_one_file_have_two_keys(run: Callable[..., str]) -> None:
    assert len(set(run("import car; print(car.tiny.key(), car.other.key())").split())) == 2


def test_code_in_memory_counts_not_only_its_file(run: Callable[..., str]) -> None:
    # an edit after the import must not store the old model under the key of the new file, nor a patched constant
    keys = run("""
        import pathlib, car, helper
        print(car.tiny.key())
        car.SCALE = 2.0
        print(car.tiny.key())
        car.SCALE = 1.0
        text = pathlib.Path("helper.py").read_text()
        pathlib.Path("helper.py").write_text(text.replace("1.0", "3.0"))
        print(car.tiny.key())
        import importlib; importlib.reload(helper); car.rate = helper.rate
        print(car.tiny.key())
    """).split()
    assert len(set(keys)) == 4


@pytest.mark.slow
def test_package_and_versions_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    first = plain.key()
    monkeypatch.setattr(building, "reach_digest", lambda *_, **__: "another package")
    second = plain.key()
    monkeypatch.undo()
    monkeypatch.setattr(building, "_versions", lambda: ("casadi 99",))
    assert len({first, second, plain.key()}) == 3


# --- keys: code without a file (notebooks, interactive sessions)


def test_code_without_a_file_is_followed(run: Callable[..., str]) -> None:
    keys = run("""
        from jounce.sim.build import recipe
        import numpy as np
        N = 3
        def helper(): return N * np.pi
        def make(body):
            exec(body, globals())
            return globals()["car"].key()
        body = "@recipe\\ndef car(a=1):\\n    x.helper = 1\\n    return helper() + np.sin(a)"
        print(make(body))
        print(make(body))
        N = 4
        print(make(body))
        def helper(): return N + np.pi
        print(make(body))
        print(make(body.replace("sin", "cos")))
    """).split()
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


def test_code_without_a_file_must_not_read_what_cannot_be_written_down(run: Callable[..., str]) -> None:
    message = run("""
        from jounce.core.errors import ParameterError
        from jounce.sim.build import recipe
        secret = object()
        def helper(): return secret
        @recipe
        def car(): return helper()
        try: car.key()
        except ParameterError as error: print(error)
    """)
    assert "__main__.helper: name 'secret'" in message
    assert "as an argument" in message


def test_the_class_of_an_argument_is_followed(run: Callable[..., str], project: Path) -> None:
    (project / "data.py").write_text("class Data:\n    def to_dict(self):\n        return {'a': 1}\n")
    code = "import car, data; print(car.Recipe(car.takes).key(data.Data()))"
    with (project / "car.py").open("a") as file:
        file.write("\nfrom jounce.sim.build import Recipe\ndef takes(d): ...\n")
    first = run(code)
    with (project / "data.py").open("a") as file:
        file.write("    def mass(self):\n        return 2\n")
    assert run(code) != first


# --- keys: outer variables and arguments


class Kind(enum.Enum):
    LINEAR = 1
    TABLE = 2


@dataclass
class Wheel:
    radius: float
    names: tuple[str, ...] = ()


class Dumped:
    def __init__(self, value: Any) -> None:
        self.value = value

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value}


@dataclass
class Fake:
    """Stands for a system: generates the model above."""

    axles: Any = 2

    def generate(self) -> GeneratedModel:
        return GeneratedModel(
            name=f"fake{self.axles}",
            states=(Variable("x", "m"),),
            parameters=(Variable("k", "1/s"),),
            outputs=(Variable("y", "m"),),
            sources={"fake.c": MODEL_C},
        )


@recipe
def plain(axles: Any = 2, *, option: Any = None) -> Fake:
    return Fake(axles)


def test_defaults_and_keywords_give_the_same_key() -> None:
    assert plain.key() == plain.key(2) == plain.key(axles=2) == plain.key(option=None, axles=2)


def test_what_python_can_tell_apart_has_different_keys() -> None:
    values: list[Any] = [
        1, 1.0, True, "1", None, (1,), [1], {1: 1}, {"1": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, {1, 2}, b"1", 1j,
        Kind.LINEAR, Kind.TABLE, Wheel(0.3), Wheel(0.30000000000000004), Wheel(0.3, ("a",)), Dumped(1), Dumped(2),
        float("nan"), float("inf"), np.float64(1.0), np.array([1.0]), np.array([1]), [[1], []], [[], [1]],
    ]  # fmt: skip
    assert len({plain.key(value) for value in values}) == len(values)


def test_equal_values_have_equal_keys() -> None:
    for make in (lambda: {1, "a", (2, 3)}, lambda: Wheel(0.3, ("a", "b")), lambda: np.eye(2), lambda: float("nan")):
        assert plain.key(make()) == plain.key(make())


@pytest.mark.parametrize("value", [object(), lambda: 1, int, [1, {"deep": object()}], Path("data.csv")])
def test_an_argument_that_cannot_be_written_down_is_named(value: Any) -> None:
    with pytest.raises(ParameterError, match="argument 'option' of plain") as caught:
        plain.key(option=value)
    if isinstance(value, list):
        assert "at [1]['deep']" in str(caught.value)
    if isinstance(value, Path):
        assert "read it first" in str(caught.value)


def test_an_argument_that_contains_itself_is_an_error() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ParameterError, match="contains itself"):
        plain.key(endless)


def closed_over(value: Any) -> Recipe[[], Fake]:
    @recipe
    def inner() -> Fake:
        return Fake(value)

    return inner


def test_outer_variables_are_part_of_the_key() -> None:
    assert closed_over(1).key() == closed_over(1).key()
    assert closed_over(1).key() != closed_over(2).key()
    assert closed_over(len).key() != closed_over(sum).key()


def test_an_outer_variable_that_cannot_be_written_down_is_named() -> None:
    with pytest.raises(ParameterError, match="outer variable 'value'") as caught:
        closed_over(object()).key()
    assert "as an argument" in str(caught.value)


def test_an_object_that_answers_to_any_name_is_not_woken() -> None:
    class Sleeping:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(f"woken by {name}")

    with pytest.raises(ParameterError, match="outer variable 'value'"):
        closed_over(Sleeping()).key()


# --- recipes as functions


def test_a_recipe_is_still_the_function() -> None:
    assert plain(3) == Fake(3)
    assert plain.__name__ == "plain"
    assert cache_info().entries["recipes"] == 0


def test_only_functions_are_recipes() -> None:
    with pytest.raises(ParameterError, match="expected a plain function"):
        recipe(Fake)


def test_a_recipe_goes_to_worker_processes_by_name(run: Callable[..., str]) -> None:
    assert run("import car, pickle; print(pickle.loads(pickle.dumps(car.tiny)) is car.tiny)") == "True"


def test_a_function_that_returns_no_system_is_named() -> None:
    @recipe
    def forgetful() -> Any:
        return None

    with pytest.raises(ModelError, match=r"recipe .*forgetful: expected a System, got NoneType"):
        forgetful.generate()


def test_a_model_that_json_cannot_hold_is_named() -> None:
    @recipe
    def odd() -> Any:
        return GeneratedModel(name="odd", notes={"x": {1, 2}})

    with pytest.raises(ModelError, match="'odd' cannot be kept as JSON"):
        odd.generate()


def test_a_model_is_the_same_from_the_cache_and_not(run: Callable[..., str]) -> None:
    code = "import car; m = car.tiny.generate(3); print(car.CALLS, m.name, m.parameters, m.notes)"
    first, second = run(code), run(code)
    assert first.startswith("[3]")
    assert second == first.replace("[3]", "[]", 1)


def test_a_damaged_recipe_is_derived_again(run: Callable[..., str]) -> None:
    code = "import car; print(car.tiny.generate().name, car.CALLS)"
    assert run(code) == "tiny2 [2]"
    (file,) = Store("recipes").folder.glob("*/*[!t].json")
    file.write_bytes(file.read_bytes()[:100])
    assert run(code) == "tiny2 [2]"
    assert run(code) == "tiny2 []"


# --- building


def test_a_built_model_compiles_once_per_code_not_per_number(run: Callable[..., str]) -> None:
    run("import car; car.tiny.build(2); car.tiny.build(3); car.other.build()")
    assert cache_info().entries["recipes"] == 3
    assert cache_info().entries["binaries"] == 1  # the C is the same


def test_other_flags_compile_again_without_deriving(run: Callable[..., str]) -> None:
    run("import car; car.tiny.build()")
    assert run("import car; car.tiny.build(); print(car.CALLS)", JOUNCE_CFLAGS="-DX") == "[]"
    assert (cache_info().entries["recipes"], cache_info().entries["binaries"]) == (1, 2)


def test_build_takes_a_system_and_keeps_the_c(tmp_path: Path) -> None:
    library = build(Fake(), keep=tmp_path / "c")
    assert library.path.exists()
    assert (tmp_path / "c" / "fake.c").read_text() == MODEL_C


def test_build_names_what_is_not_a_system() -> None:
    with pytest.raises(ModelError, match="expected a System, got int"):
        build(3)  # type: ignore[arg-type]


WARM = """
    import sys
    from {module} import {recipe}
    library = {recipe}.build()
    print("casadi" in sys.modules)
"""


def test_a_hit_does_not_import_casadi(run: Callable[..., str]) -> None:
    code = WARM.format(module="car", recipe="tiny")
    run(code)
    assert run(code).split() == ["False"]


REAL = """
    import jounce as jn
    from jounce.symbolic.system import System

    @jn.recipe
    def oscillator() -> System:
        system = System("oscillator")
        k = system.parameter("k", 4.0, "1/s^2", "stiffness per mass")
        x, v = system.state("x", "m", "position", 1.0), system.state("v", "m/s", "speed")
        system.derivative(x, v)
        system.derivative(v, -k * x)
        system.output("position", x, "m")
        return system
"""


def test_a_real_system_is_found_without_casadi(run: Callable[..., str], project: Path) -> None:
    (project / "oscillator.py").write_text(textwrap.dedent(REAL))
    code = WARM.format(module="oscillator", recipe="oscillator")
    assert run(code).split() == ["True"]
    assert run(code).split() == ["False"]


def test_two_processes_building_one_recipe_leave_one_entry(project: Path) -> None:
    code = "import sys, car; print('ready', flush=True); sys.stdin.readline(); car.tiny.build(); print('built')"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(SRC)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=120)[0] for process in both] == ["built\n", "built\n"]
    assert (cache_info().entries["recipes"], cache_info().entries["binaries"]) == (1, 1)
