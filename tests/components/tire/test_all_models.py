"""What every tire model promises: relaxation over its length, four quadrants, standing on a slope, no force in air."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.components.tire.transient import evaluate, inputs, outputs, slips, standing
from jounce.core.constants import GRAVITY
from jounce.files.library import library_files
from jounce.files.tir import read_tir
from models import compiled
from tire_models import rig

EXAMPLES = [name for name in library_files("tires") if name.startswith("example_")]


def loaded(name: str) -> Tire:
    return read_tir(library_files("tires")[name]).tire


def linear(t: Tire) -> Tire:
    """The same with relaxation lengths that do not fall with slip, and a load that does not depend on forces."""
    changes = {n: False for n in ("nonlinear", "softening", "turn_slip", "profile") if hasattr(t.model, n)}
    there = {k: v for k, v in changes.items() if k in t.model.__dataclass_fields__}  # type: ignore[attr-defined]
    return replace(t, model=replace(t.model, **there))  # type: ignore[type-var]


def at(t: Tire, **changes: float) -> dict[str, Any]:
    x = dict.fromkeys(inputs(t.model), 0.0) | {"friction": 1.0, "side": 1.0, "t_dt": 1e-4, **changes}
    found = evaluate(t.model, t.values, x, dict(t.curves))
    return dict(zip(outputs(t.model), (float(v) for v in found), strict=True))


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("speed", [8.0, -8.0])
def test_slips_reach_63_percent_over_the_relaxation_length(name: str, speed: float) -> None:
    t = linear(loaded(name))
    rho = t.deflection(t.values["FNOMIN"])
    load = float(t.load(rho, spin=speed / 0.3))
    lengths = t.at_load(load)
    radius = float(t.model.effective_radius(t.values, rho, speed / 0.3))
    spin = speed * 1.002 / radius  # 0.2 % of slip
    u = v = way = 0.0
    h = 1e-4
    reached: dict[str, float] = {}
    for _ in range(4000):
        found = at(t, rho=rho, vx=speed, vy=0.001 * abs(speed), spin=spin, u=u, v=v)
        u, v, way = u + h * found["u_rate"], v + h * found["v_rate"], way + h * abs(speed)
        for part, slip, end in (("u", found["kappa"], 0.002 * np.sign(speed)), ("v", math.tan(found["alpha"]), 0.001)):
            if part not in reached and slip / end >= 1 - math.exp(-1):
                reached[part] = way
    tolerance = 3 * h * abs(speed) + 0.01 * lengths.sigma_alpha  # steps of Euler's method, speed of the radius
    assert reached["u"] == pytest.approx(float(lengths.sigma_kappa), abs=tolerance)
    assert reached["v"] == pytest.approx(float(lengths.sigma_alpha), abs=tolerance)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("vx", [10.0, -10.0])
@pytest.mark.parametrize(("vsx", "vsy"), [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)])
def test_forces_oppose_the_slip_in_all_quadrants(name: str, vx: float, vsx: float, vsy: float) -> None:
    t = loaded(name)
    kappa, alpha = slips(vx, vsx, vsy)
    f = t.steady(t.values["FNOMIN"], kappa, alpha, vx=vx, spin=(vx - vsx) / 0.3)
    assert f.fx * vsx < 0 and f.fy * vsy < 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_trail_changes_side_in_reverse_and_rolling_resists(name: str) -> None:
    t = linear(loaded(name))
    load = t.values["FNOMIN"]
    forward, back = (t.steady(load, 0.0, 0.03, vx=v, spin=v / 0.3) for v in (10.0, -10.0))
    assert forward.fy == pytest.approx(back.fy) and forward.mz == pytest.approx(-back.mz)
    assert t.steady(load, vx=10.0, spin=30.0).my < 0 < t.steady(load, vx=-10.0, spin=-30.0).my


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_slope_is_held_for_a_minute(name: str) -> None:
    t = loaded(name)
    load = t.values["FNOMIN"]
    mass, slope = load / GRAVITY, math.atan(0.1)
    sim = compiled(rig(t, mass=mass, spin_inertia=0.9), method="AB-2", step=0.001)
    radius = t.values["UNLOADED_RADIUS"]
    rho = t.deflection(load * math.cos(slope))
    u, v = standing(t, load * math.cos(slope), load * math.sin(slope), 0.0)
    sim.set_parameters({"ground.grade": 0.1})
    sim.set_states({"z.travel": (radius - rho) / math.cos(slope), "tire.u": u, "tire.v": v})
    sim.set_memories({"pad.deflection": -load * math.sin(slope) * (radius - rho) / 6e4})
    sim.set_inputs({"brake": 1500.0})
    sim.advance(2000)
    before = sim.state("x.travel")
    sim.advance(60000)
    assert abs(sim.state("x.travel") - before) < 1e-3
    assert abs(sim.state("x.rate")) < 1e-6


@pytest.mark.parametrize("name", EXAMPLES)
def test_in_the_air_there_is_no_force(name: str) -> None:
    t = loaded(name)
    found = at(t, rho=-0.02, vx=20.0, vy=1.0, spin=66.0, u=0.01, v=0.02, gamma=0.05)
    assert all(found[part] == 0.0 for part in ("fx", "fy", "fz", "mx", "my", "mz"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_road_friction_scales_peaks_and_not_slopes(name: str) -> None:
    t = loaded(name)
    load = t.values["FNOMIN"]
    alpha, kappa = np.linspace(0, 1.2, 3001), np.linspace(0, 0.9, 3001)
    for mu in (0.5, 0.8):
        full, less = (np.abs(t.steady(load, 0.0, alpha, 0.0, m).fy).max() for m in (1.0, mu))
        assert less == pytest.approx(mu * full, rel=0.03)  # Fiala: friction falls with slip, and slip at the peak too
        full, less = (t.steady(load, kappa, 0.0, 0.0, m).fx.max() for m in (1.0, mu))
        assert less == pytest.approx(mu * full, rel=0.12)  # Fiala: the same, at larger slip
        assert t.at_load(load, 0.0, mu).slope_y == pytest.approx(t.at_load(load).slope_y)
