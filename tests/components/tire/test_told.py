"""Relaxation lengths and trail that a tire tells, against its own forces and slips."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import pytest

from every_tire import MODELS
from jounce.components.tire.base import Tire
from jounce.components.tire.told import tell, told_inputs, told_leaf, told_names
from jounce.components.tire.transient import evaluate, inputs, outputs
from jounce.components.tire.wheel import declare, mount
from jounce.road.ground import Plane
from jounce.symbolic import System
from tire_models import FULL, tire

MOVING = {"rho": 0.021, "rho_rate": 0.0, "gamma": 0.03, "friction": 0.9, "yaw_rate": 0.0, "rolled": 0.0, "twist": 0.0}
MOVING |= {"u": -0.006, "v": 0.009, "t_dt": 0.0005, "drop": 0.0}


def point(t: Tire, vx: float, side: float, **other: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """What goes into a tire, and what comes out of it."""
    x = {**MOVING, "vx": vx, "vy": -0.4, "spin": 1.02 * vx / 0.31, "side": side, **other}
    asked = {key: x[key] for key in inputs(t.model)}
    return x, dict(zip(outputs(t.model), evaluate(t.model, t.values, asked, dict(t.curves)), strict=True))


def told(t: Tire, x: dict[str, Any], out: dict[str, Any]) -> dict[str, float]:
    known = {**x, **out}
    found = tell(t.model, t.values, {key: known[key] for key in told_inputs(t.model)}, dict(t.curves))
    assert tuple(found) == told_names(t.model)
    return {key: float(value) for key, value in found.items()}


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("vx", [17.0, -13.0])
@pytest.mark.parametrize("name", MODELS)
def test_lengths_are_deflections_over_the_slips_they_make(name: str, vx: float, side: float) -> None:
    """Far above walking pace κ' = u/σκ and tan α' = v/σα, (1) and (2) of the relaxation."""
    t = MODELS[name](14)
    if t.model.softens:  # its lengths are those of a load that is still estimated when it relaxes
        t = replace(t, model=replace(t.model, softening=False))
    if "RELAX_LENGTH_X" in t.values:
        t = t.with_values(RELAX_LENGTH_X=0.21, RELAX_LENGTH_Y=0.37)
    x, out = point(t, vx, side)
    found = told(t, x, out)
    assert found["sigma_kappa"] == pytest.approx(x["u"] / float(out["kappa"]), rel=1e-12)
    assert found["sigma_alpha"] == pytest.approx(x["v"] / math.tan(float(out["alpha"])), rel=1e-12)
    assert found["sigma_kappa"] != found["sigma_alpha"]


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("vx", [17.0, -13.0])
@pytest.mark.parametrize("v", [0.009, -0.014])
@pytest.mark.parametrize("name", ["pac2002", "mf_05", "mf_61", "mf_62", "linear"])
def test_the_trail_is_the_arm_of_the_lateral_force(name: str, v: float, vx: float, side: float) -> None:
    """Of a tire without conicity, upright and without slip along the wheel, Mz is -t Fy and nothing else."""
    t = MODELS[name](14)
    others = (*t.model.sided, "PHX1", "PHX2", "PVX1", "PVX2", "QTZ1")  # shifts of Fx, and the belt as a gyroscope
    t = t.with_values(**{key: 0.0 for key in others if key in t.values})
    x, out = point(t, vx, side, gamma=0.0, u=0.0, v=v)
    trail = told(t, x, out)["trail"]
    assert abs(float(out["fy"])) > 300
    assert trail == pytest.approx(-float(out["mz"]) / float(out["fy"]), rel=1e-7)
    assert trail * vx > 0, "behind the wheel, whichever way it rolls"


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("fiala", "table")])
def test_a_mirrored_tire_tells_what_the_tire_tells_in_the_mirror(name: str) -> None:
    t = MODELS[name](14)
    x, out = point(t, 17.0, -1.0)
    turned = {key: -x[key] for key in ("gamma", "vy", "v", "yaw_rate", "twist")}
    here, there, same = told(t, x, out), told(t, *point(t, 17.0, 1.0, **turned)), told(t, *point(t, 17.0, 1.0))
    assert here == pytest.approx(there, rel=1e-12)
    if name != "linear":
        assert abs(here["trail"] - same["trail"]) > 1e-6, "it is not its own mirror image"


def test_only_what_a_tire_has() -> None:
    assert told_names(tire(FULL, 14).model) == ("sigma_kappa", "sigma_alpha", "trail")
    assert told_names(tire(FULL, 4).model) == ("trail",), "no relaxation"
    assert told_names(tire(FULL, 11).model) == ("sigma_kappa", "sigma_alpha"), "no lateral force"
    assert told_names(MODELS["fiala"](14).model) == ("sigma_kappa", "sigma_alpha"), "no trail of its own"
    assert told_leaf(tire(FULL, 14).model) is told_leaf(tire(FULL, 14).model)


def test_the_right_hand_side_does_not_pay_for_it() -> None:
    """The C function of the rates is the same text, whether a tire tells or not."""

    def functions(tells: bool) -> dict[str, str]:
        system = System("axle")
        body = system.body("beam", system.free("beam").frame, 100.0, (10.0, 10.0, 10.0))
        block, ground = declare(system, tire(FULL)), Plane.declare(system)
        for side in ("left", "right"):
            scope = system.scope(side)
            mounted = mount(scope, block, scope.gyrostat("wheel", body, "y", 1.0), ground, side)
            mounted.declare_outputs(scope)
            for name, value in mounted.told().items() if tells else ():
                scope.output(name, value, "m")
        texts = [text for name, text in system.generate().sources.items() if name.endswith(".c")]
        pieces = [piece for text in texts for piece in re.split(r"\n(?:JN_NOINLINE )?void ", text)[1:]]
        return {piece.partition("(")[0]: piece for piece in pieces}

    with_it, without = functions(True), functions(False)
    told = "axle_leaf_tire_pac2002_told"
    outputs_only = {name for name in with_it if name.startswith(("axle_outputs", told))}
    assert sum(with_it[name].count(f"{told}(") for name in outputs_only if not name.startswith(told)) == 2, "two wheels"
    rest = set(with_it) - outputs_only
    assert any(name.startswith("axle_rhs_") for name in rest), "its pieces"
    assert {name: with_it[name] for name in rest} == {name: without[name] for name in rest}
