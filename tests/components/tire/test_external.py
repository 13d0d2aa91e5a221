"""Tires by outside functions: a Python function, a C function, a CRT function, exchange at steps, save and restore."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.components.tire import contact as geometry
from jounce.components.tire.base import Tire
from jounce.components.tire.external import Answer, External, Wheel, attach, bind, external_tire, load_library
from jounce.components.tire.linear import Linear
from jounce.components.tire.sti import LibraryTire, bind_library, library_tire
from jounce.components.tire.wheel import declare, mount
from jounce.core.errors import ParameterError, SimulationError
from jounce.road.ground import Plane
from jounce.road.inputs import Raised
from jounce.runtime.compile import RUNTIME, library_path
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import Simulation
from jounce.sim.linear import Lineariser
from jounce.symbolic import System
from models import compiled, outputs_by_name
from tire_models import rig
from user_tires import compile_tire

# A linear tire without relaxation, whose equations fit into a few lines of any language.
R0, CZ, KZ, CX, CY, MU = 0.32, 2e5, 2000.0, 6e4, 5e4, 0.9
VALUES = {"UNLOADED_RADIUS": R0, "VERTICAL_STIFFNESS": CZ, "VERTICAL_DAMPING": KZ, "FNOMIN": 4000.0, "CSLIP": CX,
          "CALPHA": CY, "FRICTION": MU, "FZMIN": 1.0, "FREFF": 0.3}  # fmt: skip


def native() -> Tire:
    model = Linear(mode=4)
    return Tire(model, model.complete(VALUES), side="symmetric", name="native")


def forces(w: Wheel) -> Answer:
    """The same tire, from the definitions of contact and slip, in world axes."""
    axis = w.matrix[:, 1]
    touch = geometry.touch(axis, w.normal, w.height)
    moving = geometry.motion(touch, w.matrix @ w.velocity, w.matrix @ w.omega)
    rho = R0 - touch.radius
    s = min(max(rho, 0.0) / 0.002, 1.0)
    load = max(CZ * max(rho, 0.0) + KZ * moving.rho_rate * s * s * (3 - 2 * s), 0.0)
    radius = R0 - 0.3 * max(rho, 0.0)
    speed = max(abs(moving.vx), 0.1)
    kappa, tangent = -(moving.vx - w.spin * radius) / speed, moving.vy / speed
    fx, fy = CX * kappa, -CY * tangent
    limited = min(MU * w.friction * load / math.hypot(fx, fy), 1.0) if fx or fy else 1.0
    fade = 0.5 - 0.5 * math.cos(math.pi * min(abs(moving.vx), 1.0))
    total = geometry.wrench(touch, (fade * limited * fx, fade * limited * fy, load), (0.0, 0.0, 0.0))
    return Answer(w.matrix.T @ np.array(total.force), w.matrix.T @ np.array(total.moment))


def started(tire: Tire) -> Simulation:
    sim = compiled(rig(tire, mass=400.0, steer=True), method="AB-2", step=0.001)
    rho = 400 * 9.80665 / CZ
    sim.set_states({"z.travel": R0 - rho, "x.rate": 20.0, "wheel.spin": 20.0 / (R0 - 0.3 * rho)})
    sim.set_inputs({"steer": 0.02, "drive": 100.0})
    return sim


def test_a_python_tire_gives_the_results_of_the_native_one() -> None:
    tire = external_tire(R0)
    a, b = started(native()), started(tire)
    bind(b, "tire", forces, tire.model)  # type: ignore[arg-type]
    for _ in range(5):
        a.advance(40)
        b.advance(40)
        for state in ("x.travel", "x.rate", "z.travel", "wheel.spin"):
            assert b.state(state) == pytest.approx(a.state(state), rel=1e-9), state
    found, known = outputs_by_name(b, b.outputs()), outputs_by_name(a, a.outputs())
    for name in ("fx", "fy", "fz", "mx", "my", "mz", "gamma", "deflection", "vx"):
        assert found[f"tire.{name}"] == pytest.approx(known[f"tire.{name}"], rel=1e-6, abs=1e-6), name
    assert abs(known["tire.fy"]) > 500
    assert b.state("tire.angle") == pytest.approx(0.2 * 64, rel=0.05)


def test_the_linearisation_of_an_outside_tire_is_that_of_the_native_one() -> None:
    """Its derivatives are differences of the function."""
    matrices = []
    for t in (native(), external_tire(R0)):
        system = rig(t, mass=400.0, steer=True)
        sim = started(t)
        if isinstance(t.model, External):
            bind(sim, "tire", forces, t.model)
        linear = Lineariser(system, inputs=["steer", "drive"], outputs=["tire.fx", "tire.fy", "tire.fz"]).at(sim)
        names = list(linear.states)
        keep = [names.index(n) for n in ("x.travel", "z.travel", "x.rate", "z.rate", "wheel.spin")]
        matrices.append((linear.A[np.ix_(keep, keep)], linear.C[:, keep]))
    for known, found in zip(*matrices, strict=True):
        scale = np.abs(known).max(axis=1, keepdims=True) + 1.0
        assert np.abs(found - known).max() > 0, "not the same computation"
        assert np.all(np.abs(found - known) < 1e-5 * scale)


class Warm:
    """A tire with a state of its own: the rate is what the solver integrates."""

    def __call__(self, w: Wheel) -> Answer:
        base = forces(w)
        return Answer(base.force, base.moment, [1.0 - 0.1 * w.states[0]], [w.states[0] + 273.15])


def test_states_of_an_outside_tire_are_integrated_and_saved() -> None:
    tire = external_tire(R0, states=[("warmth", "K")], channels=[("temperature", "K")])
    sim = started(tire)
    bind(sim, "tire", Warm(), tire.model)  # type: ignore[arg-type]
    sim.advance(200)
    warm = sim.state("tire.warmth")
    assert warm == pytest.approx(10 * (1 - math.exp(-0.1 * 0.2)), rel=1e-4)
    assert outputs_by_name(sim, sim.outputs())["tire.temperature"] == pytest.approx(warm + 273.15)
    saved = sim.snapshot()
    sim.advance(100)
    end = sim.x.copy()
    sim.restore(saved)
    sim.advance(100)
    assert np.array_equal(sim.x, end), "save and restore to the bit"


def test_wrong_answers_are_told() -> None:
    tire = external_tire(R0)
    sim = started(tire)
    bind(sim, "tire", lambda w: Answer([1.0, 2.0], [0, 0, 0]), tire.model)  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="force has 2 values, 3 expected"):
        sim.advance(1)
    sim = started(tire)
    with pytest.raises(ParameterError, match="services not bound: tire"):
        sim.advance(1)
    with pytest.raises(ParameterError, match="exchange 'often'; allowed: evaluation, step"):
        External(exchange="often")
    with pytest.raises(ParameterError, match="keeps its states"):
        external_tire(R0, states=[("a", "-")], exchange="step")
    with pytest.raises(ParameterError, match="has no formula here"):
        tire.steady(4000.0)


# --- exchange at steps -----------------------------------------------------------------------------------------------


class WithMemory:
    """Counts its calls and remembers the last force, as private code does."""

    def __init__(self) -> None:
        self.calls, self.last = 0.0, 0.0

    def __call__(self, w: Wheel) -> Answer:
        answer = forces(w)
        self.calls += 1
        force = np.array(answer.force)
        self.last += 0.5 * (force[2] - self.last)  # a lag, so that memory matters
        return Answer([force[0], force[1], self.last], answer.moment)

    def get_state(self) -> list[float]:
        return [self.calls, self.last]

    def set_state(self, values: Any) -> None:
        self.calls, self.last = (float(v) for v in values)


def test_a_tire_with_memory_is_exchanged_at_steps_and_can_be_saved() -> None:
    tire = external_tire(R0, exchange="step")
    model = WithMemory()
    model.last = 400 * 9.80665
    sim = started(tire)
    attach(sim, "tire", model)
    sim.advance(100)
    assert model.calls >= 100
    assert sim.state("z.travel") == pytest.approx(R0 - 400 * 9.80665 / CZ, abs=2e-3)
    rng = np.random.default_rng(1)
    straight = sim.snapshot()
    sim.advance(60)
    end = sim.x.copy()
    sim.restore(straight)
    for _ in range(6):  # a driver that tries things and takes them back
        saved = sim.snapshot()
        sim.advance(int(rng.integers(1, 20)))
        sim.restore(saved)
        sim.advance(10)
    assert np.array_equal(sim.x, end)


# --- C ---------------------------------------------------------------------------------------------------------------

LINEAR_C = """
#include <math.h>
#include "jounce_tire.h"

/* vertical spring, and a force against the sliding of the contact; on level ground */
static void spring_tire(void *context, const double *in, double *out)
{
    const double stiffness = context ? *(const double *)context : 2.0e5;
    const double rho = 0.32 - in[JT_HEIGHT];
    const double load = rho > 0.0 ? stiffness * rho : 0.0;
    const double slip = in[JT_VELOCITY] - 0.31 * in[JT_SPIN];
    out[JT_FORCE] = -0.1 * load * tanh(slip);
    out[JT_FORCE + 1] = 0.0;
    out[JT_FORCE + 2] = load;
    out[JT_MOMENT] = 0.0;
    out[JT_MOMENT + 1] = -out[JT_FORCE] * in[JT_HEIGHT];
    out[JT_MOMENT + 2] = 0.0;
}
JOUNCE_TIRE(spring_tire, 0, 0)

/* the same as a tire of the CRT call */
JOUNCE_TIRE_EXPORT void spring_crt(
    int tire_id, int simulation_mode, int calc_mode, double time, const double *parameters, const char *tire_file,
    int road_model, const char *road_file, const double location[3], const double matrix[9], double angle,
    const double velocity[3], const double omega[3], double spin, const double *states, double friction,
    double *derivatives, double force[3], double torque[3], double *outputs)
{
    (void)tire_id; (void)simulation_mode; (void)time; (void)tire_file; (void)road_model;
    (void)road_file; (void)angle; (void)omega; (void)friction; (void)states; (void)derivatives; (void)matrix;
    if (calc_mode != 1 && calc_mode != 3) return;
    const double rho = 0.32 - location[2];
    const double load = rho > 0.0 ? parameters[0] * rho : 0.0;
    const double slip = velocity[0] - 0.31 * spin;
    force[0] = -0.1 * load * tanh(slip);
    force[1] = 0.0;
    force[2] = load;
    torque[0] = 0.0;
    torque[1] = -force[0] * location[2];
    torque[2] = 0.0;
    outputs[43] = rho;
}
"""


@pytest.fixture(scope="module")
def library() -> Path:
    header = (RUNTIME / "jounce_tire.h").read_text(encoding="utf-8")
    return Path(library_path({"tires.c": LINEAR_C, "jounce_tire.h": header}, name="tires", runtime=RUNTIME))


def spring(w: Wheel) -> Answer:
    rho = 0.32 - w.height
    load = max(2e5 * rho, 0.0)
    fx = -0.1 * load * math.tanh(w.velocity[0] - 0.31 * w.spin)
    return Answer([fx, 0.0, load], [0.0, -fx * w.height, 0.0])


def test_a_c_tire_equals_the_python_one_and_takes_its_context(library: Path) -> None:
    tire = external_tire(0.32)
    a, b = started(tire), started(tire)
    bind(a, "tire", spring, tire.model)  # type: ignore[arg-type]
    keep, function = load_library(library, "spring_tire_jounce")
    b.bind("tire", function)
    a.advance(200)
    b.advance(200)
    assert b.x == pytest.approx(a.x, rel=1e-12, abs=1e-12)
    softer = ctypes.c_double(1.0e5)
    c = started(tire)
    c.bind("tire", function, context=ctypes.addressof(softer))
    c.advance(200)
    assert c.state("z.travel") < b.state("z.travel") - 0.005
    del keep


def test_a_crt_tire_equals_the_others(library: Path) -> None:
    plain = external_tire(0.32)
    options = {"interface": "CRT", "radius": 0.32, "parameters": [2e5], "channels": ["penetration"]}
    crt = library_tire(library, "spring_crt", **options)
    _, function = load_library(library, "spring_tire_jounce")
    a, b = started(plain), started(crt)
    a.bind("tire", function)
    bind_library(b, "tire", crt)
    a.advance(200)
    b.advance(200)
    assert np.array_equal(a.x, b.x)
    assert outputs_by_name(b, b.outputs())["tire.map.penetration"] == pytest.approx(0.32 - b.state("z.travel"))


def test_differences_in_c_are_the_derivatives(library: Path) -> None:
    _, function = load_library(library, "spring_tire_jounce")
    n_in, n_out = 26, 6
    x = np.zeros(n_in)
    x[13], x[20], x[21] = 10.0, 32.0, 0.3
    out = np.zeros(n_out * (1 + n_in))
    pointer = ctypes.POINTER(ctypes.c_double)
    function.argtypes = [ctypes.c_void_p, pointer, ctypes.c_int, pointer]
    function.restype = None
    function(None, x.ctypes.data_as(pointer), 1, out.ctypes.data_as(pointer))
    slopes = out[n_out:].reshape(n_out, n_in)
    load, slip = 2e5 * 0.02, 10 - 0.31 * 32
    assert slopes[2, 21] == pytest.approx(-2e5, rel=1e-6)
    assert slopes[0, 13] == pytest.approx(-0.1 * load / math.cosh(slip) ** 2, rel=1e-5)
    assert slopes[0, 20] == pytest.approx(0.31 * 0.1 * load / math.cosh(slip) ** 2, rel=1e-5)


def test_libraries_that_are_not_there_are_told(tmp_path: Path, library: Path) -> None:
    with pytest.raises(ParameterError, match="there is no such library"):
        load_library(tmp_path / "none.so", "f")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(ParameterError, match="cannot be loaded as a library"):
        load_library(tmp_path / "text.so", "f")
    with pytest.raises(ParameterError, match="has no function 'f'"):
        load_library(library, "f")


def test_an_outside_tire_hangs_on_a_guided_carrier() -> None:
    """Forces come in carrier axes, whatever the carrier's own velocity is expressed in."""
    results = []
    for t in (native(), external_tire(R0)):
        system = System("carried")
        chassis = system.free("chassis")
        toe = system.input("toe", "rad", rate=True)
        frame = chassis.frame.guided("carrier", (1.2, 0.7, -0.2), (("z", toe), ("x", 0.03 + 0.0 * toe)))
        body = system.body("carrier", frame, 300.0, (9, 9, 9))
        wheel = system.gyrostat("wheel", body, "y", 1.0)
        ground = Plane.declare(system, inclined=True)
        mount(
            system, declare(system, t), wheel, ground, "left", friction=system.input("mu", default=0.5)
        ).declare_outputs(system)
        sim = compiled(system, method="AB-2", step=0.0005)
        if isinstance(t.model, External):
            bind(sim, "tire", forces, t.model)
        sim.set_parameters({"ground.grade": 0.05, "ground.bank": -0.03})
        sim.set_states({"chassis.z": 0.51 + 0.05 * 1.2 - 0.03 * 0.7, "chassis.vx": 12.0, "wheel.spin": 38.0})
        sim.set_inputs({"toe": 0.03, "mu": 0.7})
        sim.advance(60)
        results.append(
            [*(sim.state(f"chassis.{s}") for s in ("x", "y", "z", "vx", "vy", "wx", "wz")), sim.state("wheel.spin")]
        )
    assert results[1] == pytest.approx(results[0], rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("kind", ["python", "STI"])
def test_over_a_ground_that_moves_velocities_are_relative_to_it(kind: str, tmp_path: Path) -> None:
    """A post of 10 mm at 8 Hz moves at 0.5 m/s: 1000 N of the damper that the same tire in here has as well."""
    loads, closing = [], []
    tires = [native(), external_tire(R0)]
    if kind == "STI":
        tires[1] = library_tire(compile_tire("spring", tmp_path), "spring_sti", interface="STI", radius=R0)
    for t in tires:
        system = System("post")
        lift = system.prismatic("z", system.world, axis="z")
        carrier = lift.frame.guided(
            "carrier", (0, 0, 0), (("x", 0.05 + 0.0 * lift.q[0]),)
        )  # axes other than the world's
        body = system.body("carrier", carrier, 400.0, (1, 1, 1))
        wheel = system.gyrostat("wheel", body, "y", 1.0)
        height = system.input("post", "m", rate=True)
        ground = Raised(Plane.declare(system, inclined=True), height, system.rate_of(height))
        mounted = mount(system, declare(system, t), wheel, ground, "left")
        mounted.declare_outputs(system)
        system.output("closing", mounted.motion.rho_rate, "m/s")
        sim = compiled(system, method="AB-2", step=0.0005)
        if isinstance(t.model, LibraryTire):
            bind_library(sim, "tire", t)
        elif isinstance(t.model, External):
            bind(sim, "tire", forces, t.model)
        sim.set_parameters({"ground.bank": 0.02})
        sim.set_states({"z.travel": R0 - 400 * 9.80665 / CZ})
        recorded = sim.run(
            program=Program(Phase("post", [Open("post", Sine(0.01, 8.0))], duration=0.3)), interval=0.005
        )
        loads.append(recorded["tire.fz"])
        closing.append(recorded["closing"])
        # the deflection itself tells its rate: central differences of up to 8 Hz, (ω h)²/6 of it
        found = np.gradient(recorded["tire.deflection"], recorded.time)[5:-5]
        assert found == pytest.approx(recorded["closing"][5:-5], abs=0.02 * np.abs(closing[0]).max() + 1e-4)
    assert loads[1] == pytest.approx(loads[0], rel=1e-6, abs=1e-3)
    assert closing[1] == pytest.approx(closing[0], abs=1e-8)
    assert np.abs(closing[0]).max() * KZ > 500.0


def test_a_tire_with_its_function_is_bound_by_cars_and_rigs() -> None:
    """Two wheels of a mechanism, one with a stiffer tire: each gets its own function."""
    from jounce.components.tire.sti import bind_tires

    def spring(rate: float) -> Any:
        return lambda w: Answer([0.0, 0.0, rate * max(R0 - w.height, 0.0)], [0.0, 0.0, 0.0])

    system = System("two")
    ground = Plane.declare(system)
    tires = {"L1": external_tire(R0, function=spring(1e5)), "R1": external_tire(R0, function=spring(2e5))}
    for corner, tire in tires.items():
        scope = system.scope(corner)
        lift = system.prismatic(f"{corner}_z", system.world, axis="z")
        wheel = system.gyrostat(f"{corner}_wheel", system.body(f"{corner}_hub", lift.frame, 40.0, (1, 1, 1)), "y", 1.0)
        mount(scope, declare(scope, tire), wheel, ground, "left").declare_outputs(scope)
    sim = compiled(system)
    assert bind_tires(sim, tires) == {}
    sim.set_states({f"{corner}_z.travel": R0 - 0.01 for corner in tires})
    assert sim.output("L1.tire.fz") == pytest.approx(1000.0)
    assert sim.output("R1.tire.fz") == pytest.approx(2000.0)
    # which function it is does not change the equations
    assert repr(tires["L1"].model) == repr(external_tire(R0).model)
    assert tires["L1"].model == external_tire(R0).model
