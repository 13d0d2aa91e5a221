"""Aerodynamics of a program: a callable and a C function give what the built-in model gives."""

from __future__ import annotations

import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from air_rig import MOTIONS, rig
from jounce.components.aero import user
from jounce.components.aero.air import FORCES, MOMENTS, Modifiers
from jounce.core.errors import ModelError, ParameterError
from jounce.runtime.compile import find_compiler
from jounce.runtime.simulation import Simulation
from jounce.sim import car

POINTS = {"front_location": (0.1, 0.02, 0.3), "rear_location": (-2.7, -0.01, 0.4), "center_location": (-1.2, 0.03, 0.6)}
WIND = (2.0, -3.0, 0.1)
BUILT_IN = {
    "kind": "advanced", "air_density": 1.2, "frontal_area": 2.0, **POINTS, "cz": 0.9, "balance": 0.37, "cx_body": 0.3,
    "cy": 1.0, "balance_y": 0.6, "cy_by": {"yaw": {"x": [-0.6, 0.6], "y": [1.0, -1.0]}}, "side_arm": "none",
    "wind": WIND,
}  # fmt: skip


def my_aero(air: user.Air, modifiers: Modifiers) -> dict[str, float]:
    """The built-in model by hand."""
    q = 0.5 * air.air_density * 2.0 * air.speed**2
    side = -q * np.clip(air.side_slip, -0.6, 0.6) / 0.6
    drag = q * 0.3 * np.sign(air.speed)
    return {
        "front_downforce": q * 0.9 * 0.37,
        "rear_downforce": q * 0.9 * 0.63,
        "center_drag": drag * modifiers.center_drag.scale,
        "front_side": 0.6 * side,
        "rear_side": 0.4 * side,
        "pitch": drag * air.drag_arm,
    }


@lru_cache
def built_in() -> Any:
    return car.describe(rig(BUILT_IN))


@lru_cache
def from_outside() -> Any:
    writes = user.block(my_aero).writes
    return car.describe(rig({"kind": "user", **POINTS, "wind": WIND}), inputs=writes)


def moving(description: Any, motion: dict[str, float], block: Any = None) -> Simulation:
    from air_rig import turned

    sim = car.simulation(description, method="euler", step=5e-4)
    states = {f"chassis.{name}": motion[name] for name in ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")}
    sim.set_states(states | {f"chassis.e{i}": float(e) for i, e in enumerate(turned(motion))})
    if block is not None:
        sim.add_block(block.label, block.function, reads=block.reads, writes=block.writes, stateless=True)
    return sim


@pytest.mark.parametrize("motion", MOTIONS, ids=["fast", "other way", "reverse"])
def test_a_callable_that_returns_the_built_in_values_gives_the_same_run(motion: dict[str, float]) -> None:
    """One evaluation per step (Euler), asked at its beginning: the same run but for rounding, over 200 steps."""
    one, two = moving(built_in(), motion), moving(from_outside(), motion, user.block(my_aero))
    one.advance(200)
    two.advance(200)
    names = [v.name for v in one.model.states]
    assert names == [v.name for v in two.model.states]
    for name, a, b in zip(names, one.x, two.x, strict=True):
        assert b == pytest.approx(a, rel=1e-9, abs=1e-9), name
    for name in (*FORCES, *MOMENTS):
        channel = f"aero_forces.{user_channel(name)}"
        # channels of inputs are those of the last step
        assert two.output(channel) == pytest.approx(one.output(channel), rel=0.05, abs=5.0), channel
    assert one.output("aero_forces.drag_force") != 0


def user_channel(name: str) -> str:
    from jounce.components.aero.air import CHANNELS

    return CHANNELS.get(name, name)


SOURCE = """
void constant_aero(int id, int simulation, int computation, char *file, double *in, double *modifiers, double *out,
                   int *error, double *work)
{
    static int begun = 0;
    double speed = in[1], density = in[11];
    (void)simulation; (void)work;
    if (computation == 0) { begun = id; return; }
    *error = begun != id ? 7 : file[0] == 'x' ? 3 : 0;
    /* front, rear, center of downforce, drag, side; roll, pitch, yaw */
    out[5] = modifiers[3 * 5 + 2] * 0.5 * density * 0.66 * speed * (speed < 0 ? -speed : speed);
    out[0] = 11.0; out[7] = -3.0; out[9] = 5.0; out[11] = 2.0;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("aero")
    source, target = folder / "aero.c", folder / "libaero.so"
    source.write_text(SOURCE)
    subprocess.run([*find_compiler().command, "-shared", "-fPIC", "-o", str(target), str(source)], check=True)
    return target


def test_a_c_function_of_constant_coefficients_gives_the_analytic_drag(library: Path) -> None:
    function = user.c_function(library, "constant_aero", identity=4)
    modifiers = Modifiers.model_validate({"center_drag": {"scale": 1.5}})
    block = user.block(function, air_density=1.3, modifiers=modifiers)
    sim = moving(from_outside(), MOTIONS[1], block)
    speed = sim.output("aero_forces.longitudinal_velocity")
    sim.advance(1)
    drag = -sim.input("Aerodynamic.fx_center")
    assert drag == pytest.approx(1.5 * 0.5 * 1.3 * 0.66 * speed**2, rel=1e-12)
    found = {name: sim.input(f"Aerodynamic.{name}") for name in ("fz_front", "fy_rear", "mx", "mz")}
    assert found == {"fz_front": -11.0, "fy_rear": -3.0, "mx": 5.0, "mz": 2.0}
    assert sim.output("aero_forces.roll_torque") == 5.0 and sim.output("aero_forces.rear_sideforce") == -3.0


def test_a_block_hands_on_what_the_vehicle_says() -> None:
    """Air density and modifiers of the vehicle, or those that are given instead."""
    aero = user.UserAero.model_validate({**POINTS, "air_density": 1.31, "modifiers": {"yaw": {"scale": 0.3}}})
    seen: list[tuple[float, float]] = []

    def watch(air: user.Air, modifiers: Modifiers) -> dict[str, float]:
        seen.append((air.air_density, modifiers.yaw.scale))
        return {}

    other = Modifiers.model_validate({"yaw": {"scale": 0.7}})
    for found in (
        user.block(watch, aero),
        user.block(watch, aero, air_density=1.1, modifiers=other),
        user.block(watch),
    ):
        found.function(0.0, np.zeros(10))
    assert seen == [(1.31, 0.3), (1.1, 0.7), (1.2, 1.0)]
    for name, value in (("drs", {"drag": 0.9}), ("side_arm", "compensate")):
        with pytest.raises(ValueError, match="does nothing here: the function does this itself"):
            user.UserAero.model_validate({**POINTS, name: value})
    with pytest.raises(ParameterError, match="the drag of a function that a run brings is not known here"):
        aero.still_drag(None, np.array([20.0]), (0.2, 0.2))  # type: ignore[arg-type]


def test_errors_of_functions_are_told(library: Path, tmp_path: Path) -> None:
    air = user.Air(0.4, 20.0, *[0.0] * 9, 1.2)
    with pytest.raises(ModelError, match=r"libaero.so: 'constant_aero' reports error 3 at t = 0.4 s"):
        user.c_function(library, "constant_aero", "x.aer")(air, Modifiers.model_validate({}))
    with pytest.raises(ParameterError, match="has no function 'other'"):
        user.c_function(library, "other")
    with pytest.raises(ParameterError, match="no library"):
        user.c_function(tmp_path / "none.so", "other")
    with pytest.raises(ParameterError, match=r"'center_dra' is not known; did you mean 'center_drag'"):
        user.block(lambda air, modifiers: {"center_dra": 1.0}, name="mine").function(0.0, np.zeros(10))
    with pytest.raises(ParameterError, match="returned float; expected components by name"):
        user.block(lambda air, modifiers: 3.0).function(0.0, np.zeros(10))  # type: ignore[arg-type,return-value]
