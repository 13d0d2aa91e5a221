"""Short models: Fiala, linear, tables; a model of one's own, registered and read from a file."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jounce.components.tire import find, names, register, registry
from jounce.components.tire.base import Coefficient, Forces, Tire, TireModel
from jounce.components.tire.fiala import Fiala
from jounce.components.tire.linear import Linear
from jounce.components.tire.measured import from_grid
from jounce.components.tire.simple import SimpleTire, Stiffness
from jounce.components.tire.transient import evaluate, inputs, outputs
from jounce.core.errors import FormatError, ModelError, ParameterError
from jounce.core.units import check_unit
from jounce.files.tir import parse_tir, tir_text
from jounce.symbolic.ops import clip
from models import assert_close, compiled
from tire_models import rig
from tire_models import tire as car_tire

NAMES = ("fx", "fy", "mx", "my", "mz")
COMMON = {
    "UNLOADED_RADIUS": 0.32,
    "VERTICAL_STIFFNESS": 2e5,
    "FNOMIN": 4000.0,
    "FZMIN": 100.0,
    "VERTICAL_DAMPING": 3000.0,
}
FIALA = {**COMMON, "CSLIP": 8e4, "CALPHA": 6e4, "UMAX": 1.0, "UMIN": 0.8, "WIDTH": 0.2, "ROLLING_RESISTANCE": 0.004,
         "RELAX_LENGTH_X": 0.2, "RELAX_LENGTH_Y": 0.5}  # fmt: skip
LINEAR = {**COMMON, "CSLIP": 8e4, "CALPHA": 6e4, "CGAMMA": 3e3, "TRAIL": 0.03, "FRICTION": 0.9,
          "RELAX_LENGTH_X": 0.2, "RELAX_LENGTH_Y": 0.5}  # fmt: skip


def made(model: TireModel, values: dict[str, float], name: str = "example") -> Tire:
    return Tire(model, model.complete(values), side="left", name=name)


def steady(t: Tire, *args: float, **options: Any) -> np.ndarray:
    return np.array([float(v) for v in t.steady(*args, **options)])


# --- Fiala -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kappa", [-0.6, -0.02, 0.0, 0.01, 0.05, 0.3])
@pytest.mark.parametrize("alpha", [-0.4, -0.05, 0.0, 0.02, 0.1, 0.3])
def test_fiala_by_hand(kappa: float, alpha: float) -> None:
    load = 3500.0
    f = made(Fiala(mode=4), FIALA).steady(load, kappa, alpha)
    s = min(math.hypot(kappa, math.tan(alpha)), 1.0)
    limit = (1.0 - 0.2 * s) * load
    if abs(kappa) <= limit / (2 * 8e4):
        fx = 8e4 * kappa
    else:
        fx = math.copysign(limit - limit**2 / (4 * 8e4 * abs(kappa)), kappa)
    h = 1 - 6e4 * abs(math.tan(alpha)) / (3 * limit)
    if h > 0:
        fy, mz = -math.copysign(limit * (1 - h**3), alpha), math.copysign(limit * 0.2 * (1 - h) * h**3, alpha)
    else:
        fy, mz = -math.copysign(limit, alpha), 0.0
    expected = [fx, fy if alpha else 0.0, 0.0, -0.004 * load, mz if alpha else 0.0]
    # SLIP_FLOOR rounds the slip in (1) by a millionth at the origin
    assert_close(np.array([float(x) for x in f]), expected, 1e-3, NAMES)


def test_fiala_is_smooth_at_its_joints() -> None:
    t = made(Fiala(mode=3), FIALA)
    for x, part in ((np.linspace(0.0, 0.1, 20001), "fx"), (np.linspace(0.0, 0.3, 20001), "fy")):
        values = getattr(t.steady(3500.0, x) if part == "fx" else t.steady(3500.0, 0.0, x), part)
        slope = np.diff(values) / np.diff(x)
        assert np.abs(np.diff(slope)).max() < 0.01 * np.abs(slope).max(), "no kink"


# --- linear ----------------------------------------------------------------------------------------------------------


def test_linear_forces_and_friction_circle() -> None:
    t = made(Linear(mode=4), LINEAR)
    f = t.steady(4000.0, 0.005, 0.01, 0.02)
    assert f.fx == pytest.approx(400.0)
    assert f.fy == pytest.approx(-(6e4 * math.tan(0.01) + 3e3 * 0.02))
    assert f.mz == pytest.approx(-0.03 * f.fy)
    far = t.steady(4000.0, 0.5, -0.5)
    assert math.hypot(far.fx, far.fy) == pytest.approx(0.9 * 4000)
    half = t.steady(2000.0, 0.005)
    assert half.fx == pytest.approx(400.0), "stiffness does not depend on the load"
    growing = made(Linear(mode=4), {**LINEAR, "LOAD_PROPORTIONAL": 1.0})
    assert growing.steady(2000.0, 0.005).fx == pytest.approx(200.0)
    assert growing.at_load(2000.0).slope_y == pytest.approx(-3e4)


@given(st.floats(0, 9000), st.floats(-1, 1), st.floats(-1.4, 1.4), st.floats(-0.2, 0.2), st.floats(0.05, 1.5))
def test_mirror_images(load: float, kappa: float, alpha: float, gamma: float, mu: float) -> None:
    for t in (made(Fiala(), FIALA), made(Linear(), LINEAR)):
        a, b = steady(t, load, kappa, alpha, gamma, mu), steady(t, load, kappa, -alpha, -gamma, mu)
        assert_close(b, a * [1, -1, -1, 1, -1], 1e-12 * (1 + load), NAMES)


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 4, 11, 12, 13, 14])
def test_use_modes_give_what_they_promise(mode: int) -> None:
    forces = steady(made(Linear(mode=mode), {**LINEAR, "ROLLING_RESISTANCE": 0.004}), 4000.0, 0.02, 0.03)
    promised = {0: (), 1: ("fx", "my"), 2: ("fy", "mz"), 3: ("fx", "fy", "my", "mz"), 4: ("fx", "fy", "my", "mz")}
    assert {n for n, f in zip(NAMES, forces, strict=True) if f} == set(promised[mode % 10])


# --- tables ----------------------------------------------------------------------------------------------------------


def sampled(n_load: int = 5, n_slip: int = 41) -> tuple[Tire, Tire]:
    """A Magic Formula tire, and a table of its forces."""
    origin = car_tire(mode=14)
    load = np.linspace(1000, 7000, n_load)
    # dense around zero
    kappa, alpha = (top * np.sinh(np.linspace(-3, 3, n_slip)) / math.sinh(3) for top in (0.8, 0.6))
    grid = np.meshgrid(load, kappa, alpha, indexing="ij")
    f = origin.steady(*grid)
    values = {
        k: origin.values[k] for k in ("UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "FNOMIN", "BREFF", "DREFF", "FREFF")
    }
    values |= {"RELAX_LENGTH_X": 0.3, "RELAX_LENGTH_Y": 0.5, "VERTICAL_DAMPING": 3000.0}
    return origin, from_grid(load, kappa, alpha, np.stack([f.fx, f.fy, f.mz], axis=-1), values, name="sampled")


def test_a_table_gives_back_its_points_and_lies_between() -> None:
    origin, table = sampled()
    load, kappa, alpha = (a for a in table.curves["forces"].axes)
    for i, j, k in ((0, 3, 7), (2, 20, 20), (4, 30, 11)):
        expected, found = origin.steady(load[i], kappa[j], alpha[k]), table.steady(load[i], kappa[j], alpha[k])
        assert (found.fx, found.fy, found.mz) == pytest.approx((expected.fx, expected.fy, expected.mz), abs=1e-8)
    rng = np.random.default_rng(3)
    points = rng.uniform([1000, -0.5, -0.4], [7000, 0.5, 0.4], (300, 3))
    errors = [abs(float(table.steady(*p).fy) - float(origin.steady(*p).fy)) / p[0] for p in points]
    assert max(errors) < 0.03 and np.mean(errors) < 0.004


def test_stiffness_and_sliding_of_a_table_are_those_of_its_forces() -> None:
    origin, table = sampled(n_slip=161)
    for load in (2500.0, 4000.0, 5500.0):
        a, b = origin.at_load(load), table.at_load(load)
        assert b.slope_x == pytest.approx(a.slope_x, rel=0.03)
        assert b.slope_y == pytest.approx(a.slope_y, rel=0.03)
        assert b.kappa_slide == pytest.approx(a.kappa_slide, rel=0.25)


def test_similarity_scales_the_peak_and_keeps_the_slope() -> None:
    _, table = sampled()
    alpha = np.linspace(-0.5, 0.5, 2001)
    full, wet = (table.steady(4000.0, 0.0, alpha * mu, 0.0, mu).fy for mu in (1.0, 0.5))
    assert wet == pytest.approx(0.5 * full, abs=1e-9)


def test_tables_that_make_no_sense_are_refused() -> None:
    _, table = sampled()
    load, kappa, alpha = table.curves["forces"].axes
    forces = np.zeros((len(load), len(kappa), len(alpha), 3))
    size = {"UNLOADED_RADIUS": 0.3, "VERTICAL_STIFFNESS": 2e5}
    with pytest.raises(ParameterError, match="does not grow with kappa"):
        from_grid(load, kappa, alpha, forces, size)
    with pytest.raises(ParameterError, match="must pass zero"):
        from_grid(load, np.linspace(0.1, 1, len(kappa)), alpha, forces, size)
    with pytest.raises(ParameterError, match="the axes ask for"):
        from_grid(load, kappa, alpha, forces[..., :2], size)


def test_a_table_tire_is_written_and_read_back() -> None:
    _, table = sampled(n_load=3, n_slip=7)
    text = tir_text(table)
    file = parse_tir(text, "sampled.tir")
    assert file.family == "table" and not file.report.warnings
    for name, curve in table.curves.items():
        assert np.array_equal(file.tire.curves[name].values, curve.values), name
    point = (3000.0, 0.1, -0.05, 0.02)
    assert tuple(file.tire.steady(*point)) == tuple(table.steady(*point))
    lines = text.splitlines()
    with pytest.raises(FormatError, match=r"\[FORCE_TABLE\].*found 146 rows; .* make a grid of 147, each point once"):
        parse_tir("\n".join(lines[:-1]), "bad.tir")


# --- on a wheel, compiled --------------------------------------------------------------------------------------------


def tires() -> dict[str, Tire]:
    return {"fiala": made(Fiala(), FIALA), "linear": made(Linear(), LINEAR), "table": sampled()[1]}


@pytest.mark.parametrize("name", ["fiala", "linear", "table"])
def test_a_wheel_rolls_stops_and_holds_on_a_slope(name: str) -> None:
    t = tires()[name]
    grade = 0.1
    sim = compiled(rig(t, mass=400.0), method="AB-2", step=0.001)
    load = 400 * 9.80665
    rho = t.deflection(load)
    speed = 15.0
    radius = float(t.model.effective_radius(t.values, rho))
    sim.set_parameters({"ground.grade": grade})
    sim.set_states(
        {
            "z.travel": t.values["UNLOADED_RADIUS"] - rho,
            "x.rate": speed,
            "z.rate": grade * speed,
            "wheel.spin": speed / radius,
        }
    )
    sim.set_inputs({"brake": 1500.0})
    sim.advance(6000)
    here = sim.state("x.travel")
    assert 5 < here < speed**2 / (2 * 3.0)
    sim.advance(60000)
    assert abs(sim.state("x.travel") - here) < 1e-3, "10 % slope, a minute"
    assert abs(sim.state("x.rate")) < 1e-6


def test_numbers_and_compiled_code_agree() -> None:
    for t in tires().values():
        names_in = inputs(t.model)
        from jounce.symbolic import System

        system = System("compiled_tire")
        arguments = [system.input(n) for n in names_in]
        system.derivative(system.state("dummy"), 0.0)
        block = {c.name: system.parameter(c.name, t.values[c.name], c.unit) for c in t.model.coefficients}
        derived = [system.derived(n, v) for n, v in t.model.derived(block).items()]
        tables = [system.table(c, t.curves[c]) for c in t.model.curves]
        groups = {"x": arguments, "p": list(block.values()), "d": derived}
        for label, value in zip(outputs(t.model), system.call(t.model.leaf(), groups, tables), strict=True):
            system.output(label, value)
        sim = compiled(system)
        rng = np.random.default_rng(2)
        for _ in range(50):
            low = [-0.005, -0.3, -0.2, -60, -5, -200, 0.2, 1, -2, -1, -1, -0.1, -0.1, 1e-4]
            u = rng.uniform(low, [0.03, 0.3, 0.2, 60, 5, 200, 1.2, 1, 2, 1, 1, 0.1, 0.1, 1e-3])
            point = dict(zip(names_in, u, strict=True))
            numbers = np.array([float(v) for v in evaluate(t.model, t.values, point, dict(t.curves))])
            assert_close(sim.outputs(u=u), numbers, 1e-10 * (np.abs(numbers) + 1), outputs(t.model))


# --- a model of one's own --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MyTire(SimpleTire):
    """The example of jounce.components.tire.simple."""

    kind: ClassVar[str] = "mine"
    own: ClassVar[Sequence[Coefficient]] = (
        Coefficient("STIFFNESS", "-", "slope over load, both directions", 15.0, "PARAMETER"),
        Coefficient("GRIP", "-", "friction", 1.0, "PARAMETER"),
        Coefficient("RELAXATION", "m", "relaxation length", 0.3, "PARAMETER"),
    )

    def stiffness(self, p: Any, load: Any, gamma: Any, friction: Any) -> Stiffness:
        slope = p["STIFFNESS"] * load
        slides = p["GRIP"] * friction / p["STIFFNESS"]
        return Stiffness(slope, -slope, slides, slides, p["RELAXATION"], p["RELAXATION"])

    def slip_forces(self, p: Any, load: Any, gamma: Any, friction: Any, kappa: Any, alpha: Any, way: Any) -> Forces:
        k, limit = p["STIFFNESS"] * load, p["GRIP"] * friction * load
        return Forces(clip(k * kappa, -limit, limit), clip(-k * alpha, -limit, limit), 0.0, 0.0, 0.0)


MINE = """[MDI_HEADER]
FILE_TYPE = 'tir'
[UNITS]
LENGTH = 'mm'
FORCE = 'newton'
ANGLE = 'degree'
MASS = 'kg'
TIME = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'USER'
FUNCTION_NAME = 'jounce::Mine'
USE_MODE = 14
TYRESIDE = 'SYMMETRIC'
[DIMENSION]
UNLOADED_RADIUS = 320
[VERTICAL]
VERTICAL_STIFFNESS = 200
FNOMIN = 4000
[PARAMETER]
STIFFNESS = 12
RELAXATION = 400
"""


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    register("mine", MyTire)


@pytest.mark.usefixtures("registered")
def test_a_registered_model_is_chosen_by_a_file() -> None:
    assert "mine" in names() and find("MINE") is MyTire
    file = parse_tir(MINE, "mine.tir")
    assert file.tire.values["RELAXATION"] == pytest.approx(0.4) and file.tire.values["STIFFNESS"] == 12
    assert file.tire.values["VERTICAL_STIFFNESS"] == pytest.approx(2e5)
    f = file.tire.steady(4000.0, 0.01, 0.02)
    assert (f.fx, f.fy) == pytest.approx((480.0, -960.0))
    file.set("GRIP", 0.7)
    assert file.tire.steady(4000.0, 1.0).fx == pytest.approx(2800.0)
    again = parse_tir(tir_text(file.tire), "again.tir")
    assert dict(again.tire.values) == dict(file.tire.values)
    sim = compiled(rig(file.tire, mass=400.0), method="AB-2", step=0.001)
    sim.set_states({"z.travel": 0.32 - file.tire.deflection(400 * 9.80665), "x.rate": 10.0, "wheel.spin": 10 / 0.32})
    sim.set_inputs({"brake": 800.0})
    sim.advance(5000)
    assert abs(sim.state("x.rate")) < 1e-4, "it stops and stands as every tire does"


@pytest.mark.usefixtures("registered")
def test_names_are_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="belongs to a model of the package"):
        register("Fiala", MyTire)
    with pytest.raises(ParameterError, match="derives from TireModel"):
        register("other", int)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="registered already"):
        register("mine", Linear)
    register("mine", Linear, replace=True)
    with pytest.raises(ParameterError, match="'minne': unknown; did you mean 'mine'"):
        find("minne")


def test_models_of_installed_packages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise ImportError("no module named their_library")

    entries = [
        SimpleNamespace(name="theirs", value="their_package:Tire", load=lambda: MyTire),
        SimpleNamespace(name="broken", value="their_package:Broken", load=broken),
        SimpleNamespace(name="number", value="their_package:N", load=lambda: 7),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: entries if group == "jounce.tires" else [])
    assert find("Theirs") is MyTire and "theirs" in names()
    with pytest.raises(ModelError, match="their_package:Broken of an installed package fails: no module"):
        find("broken")
    with pytest.raises(ModelError, match="7 does not derive"):
        find("number")


def test_every_built_in_model_declares_itself() -> None:
    for name in ("pac2002", "mf6", "pac_mc", "fiala", "linear", "table"):
        model = find(name)()
        assert model.kind == name
        for c in model.coefficients:
            check_unit(c.unit, c.name)
            assert c.doc
        declared = [c.name for c in model.coefficients]
        assert len(set(declared)) == len(declared)
        assert set(model.required()) <= set(declared) and set(model.sided) <= set(declared)
        assert set(model.aliases.values()) <= set(declared), name
        assert set(model.scalable()) <= set(declared)


def test_the_example_in_the_documentation_is_the_one_tested_here() -> None:
    """Its text is run, and gives the forces of the class above."""
    import textwrap

    from jounce.components.tire import simple

    assert simple.__doc__ is not None
    text = textwrap.dedent(simple.__doc__.split("limit::\n")[1].split("\nIn a property file")[0])
    body = text.replace('register("mine", MyTire)\n', "")
    assert len([line for line in body.splitlines() if line.strip()]) <= 22, "about twenty lines"
    module = type(simple)("example_of_the_docs")
    sys.modules[module.__name__] = module
    space = vars(module) | {
        "dataclass": dataclass,
        "SimpleTire": SimpleTire,
        "ClassVar": ClassVar,
        "Sequence": Sequence,
    }
    space |= {"Coefficient": Coefficient, "Stiffness": Stiffness, "Forces": Forces, "clip": clip}
    exec(compile(body, "<docs>", "exec"), space)  # our own text
    values = {"UNLOADED_RADIUS": 0.32, "VERTICAL_STIFFNESS": 2e5}
    theirs, ours = made(space["MyTire"](), values), made(MyTire(), values)
    assert steady(theirs, 3000.0, 0.03, -0.2).tolist() == steady(ours, 3000.0, 0.03, -0.2).tolist()
    del sys.modules[module.__name__]


# --- mistakes in somebody's model ------------------------------------------------------------------------------------

BROKEN = """
from dataclasses import dataclass
from typing import ClassVar
from jounce.components.tire.base import Coefficient, Forces
from jounce.components.tire.simple import SimpleTire, Stiffness

@dataclass(frozen=True)
class Broken(SimpleTire):
    kind: ClassVar[str] = "broken"
    def stiffness(self, p, load, gamma, friction):
        return Stiffness(18 * load, -18 * load, 0.1, 0.1, 0.4, 0.4)
    def slip_forces(self, p, load, gamma, friction, kappa, alpha, way):
        zero = 0.0 * load
        {line}
        return Forces(zero, -load * alpha, zero, zero, zero)
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tahn(alpha)", r"broken\.py, line 14, in slip_forces: NameError: name 'tahn'"),
        ("zero = 1.0 if alpha > 0 else zero", r"broken\.py, line 14.*if_else\(condition, then, otherwise\)"),
        ("return (zero, zero, zero, zero, zero)", r"slip_forces gives tuple; expected Forces\(fx, fy, mx, my, mz\)"),
    ],
)
def test_mistakes_are_told_where_they_are(line: str, message: str, tmp_path: Any) -> None:
    path = tmp_path / "broken.py"
    path.write_text(BROKEN.replace("{line}", line))
    broken = made(registry.from_file(path, "Broken")(), COMMON)
    with pytest.raises(ModelError, match=message):
        compiled(rig(broken))
