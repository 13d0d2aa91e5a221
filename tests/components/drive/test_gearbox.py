"""Manual gearboxes: ratios, losses, shifting by speed and by demand, start in a fitting gear, neutral."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from car_models import rates
from drive_rig import bench
from drivelines import CLUTCH, ENGINE, GEARBOX, REAR, RWD

RATIOS = GEARBOX["ratios"]
QUIET = {**ENGINE, "idle_control": None, "overspeed_control": None}
HEAVY = {"L2.inertia": 21.0, "R2.inertia": 24.0}


def rolling(sim: Any, spin: float) -> None:
    """Wheels at a speed, the engine with them once the gear is known."""
    sim.set_parameters(HEAVY)
    sim.set_states({"L2.spin": spin, "R2.spin": spin})
    for _ in range(2):
        sim.m[:] = sim.derivatives()[1]
    sim.set_states({"driveline.crank.speed": sim.output("Transmission.input_rpm")})


@pytest.mark.parametrize("spin", [8.0, 45.0, 63.0, 90.0, 140.0])
def test_a_run_starts_in_the_lowest_gear_below_its_upshift_speed(spin: float) -> None:
    sim = bench(RWD)
    rolling(sim, spin)
    up = 5500 * np.pi / 30
    expected = next(g for g, i in enumerate(RATIOS, 1) if spin * 3.7 * i < up or g == len(RATIOS))
    assert sim.output("Transmission.gear") == expected
    assert sim.output("Transmission.ratio") == pytest.approx(RATIOS[expected - 1], rel=1e-12)
    sim.advance(3)
    assert sim.output("Transmission.gear") == expected
    if spin > 10:
        assert 90.0 < sim.output("Engine.engine_rpm") < 650.0


def test_ratio_loss_and_inertia_in_gear() -> None:
    """Without a clutch all is rigid: (2 wheels + (J_gb + J_d) i_d² + J_e (i_g i_d)²) ω̇ = i_d η_d i_g η_g T."""
    raw = {"layout": "rwd", "engine": QUIET, "gearbox": GEARBOX, "rear": REAR}
    sim = bench(raw)
    sim.set_parameters(HEAVY)
    sim.set_states({"L2.spin": 50.0, "R2.spin": 50.0})
    sim.set_inputs({"throttle": 0.8})
    sim.advance(1)
    torque, i = sim.output("Engine.torque"), sim.output("Transmission.ratio")
    mean = (sim.state("L2.spin") + sim.state("R2.spin")) / 2
    assert i in RATIOS and sim.output("Engine.engine_rpm") == pytest.approx(i * 3.7 * mean, rel=1e-12)
    assert sim.output("Transmission.torque") == pytest.approx(0.97 * i * torque, rel=1e-6)
    out = 0.96 * 3.7 * 0.97 * i * torque / 2
    assert sim.output("hub.L2") == pytest.approx(out, rel=1e-6)
    mass = np.diag([21.0, 24.0]) + ((0.013 + 0.024) * 3.7**2 + 0.15 * (i * 3.7) ** 2) / 4
    expected = np.linalg.solve(mass, [out, out])
    assert [rates(sim)[f"{n}.spin"] for n in ("L2", "R2")] == pytest.approx(list(expected), rel=1e-5)


def test_it_shifts_up_at_its_speed_within_a_step_and_opens_the_clutch() -> None:
    table = {"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": [520.0, 570.0, 580.0, 590.0, 600.0]}
    sim = bench({**RWD, "gearbox": {**GEARBOX, "upshift_speed": table}})
    rolling(sim, 30.0)
    sim.set_inputs({"throttle": 1.0})
    gears, speeds, clutch, ratios = [], [], [], []
    for _ in range(2500):
        gears.append(sim.output("Transmission.gear"))
        speeds.append(sim.output("Transmission.input_rpm"))
        clutch.append(sim.output("Clutch.effective_clutch"))
        ratios.append(sim.output("Transmission.ratio"))
        sim.advance(1)
    shift = gears.index(2.0)
    up = 520.0
    growth = speeds[shift - 1] - speeds[shift - 2]
    assert up < speeds[shift] + 1e-9 and speeds[shift - 1] - growth < up, "within a step"
    during = slice(shift + 100, shift + 300)
    assert min(clutch[during]) > 0.99 and clutch[shift - 1] < 1e-6 and clutch[shift + 401] < 1e-6
    assert ratios[shift + 99] == pytest.approx(3.6, abs=1e-6) and ratios[shift + 301] == pytest.approx(2.1, abs=1e-6)
    # no shift back
    assert set(gears[shift:]) <= {2.0, 3.0}


def test_by_demand_with_neutral_and_reverse() -> None:
    raw = {**RWD, "gearbox": {**GEARBOX, "shifts": "demand", "reverse_ratio": -3.1}, "engine": QUIET}
    sim = bench(raw)
    rolling(sim, 0.0)
    sim.set_inputs({"gear": 0.0, "throttle": 0.5})
    sim.set_states({"driveline.crank.speed": 300.0})
    sim.run(0.5)
    assert sim.output("Clutch.torque") == 0.0 and sim.state("L2.spin") == pytest.approx(0.0, abs=1e-9)
    sim.set_inputs({"gear": -1.0})
    sim.run(2.0)
    assert sim.output("Transmission.gear") == -1.0 and sim.output("Transmission.ratio") == pytest.approx(-3.1)
    assert sim.state("L2.spin") < -1.0 and sim.output("Clutch.clutch_rpm") > 0


def test_the_speed_limit_of_the_engine_may_depend_on_the_gear() -> None:
    """Throttle is gone 1/gain above the limit of the gear in use."""
    limits = {"x": [1.0, 2.0, 5.0], "y": [400.0, 500.0, 560.0]}
    engine = {**ENGINE, "idle_control": None, "rev_limit": limits}
    sim = bench({**RWD, "engine": engine, "gearbox": {**GEARBOX, "shifts": "demand"}})
    for gear, limit in ((1.0, 400.0), (2.0, 500.0)):
        sim.set_inputs({"gear": gear, "clutch": 1.0, "throttle": 1.0})
        sim.run(sim.time + 1.0)
        for above, throttle in ((-1.0, 1.0), (10.0, 0.5), (20.0, 0.0), (50.0, 0.0)):
            sim.set_states({"driveline.crank.speed": limit + above})
            assert sim.output("Engine.effective_throttle") == pytest.approx(throttle, abs=1e-9), (gear, above)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"downshift_speed": "4000 rpm"}, r"gear 2: 418.88 rad/s; a shift up to it ends at 335.98 rad/s"),
        ({"ratios": {"x": [1.0, 3.0], "y": [3.0, 2.0]}}, "needs the gears 1, 2"),
        ({"ratios": [3.0, -2.0]}, "forward gears have ratios above 0"),
    ],
)
def test_bad_gearboxes_are_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        bench({**RWD, "gearbox": {**GEARBOX, **changes}, "clutch": CLUTCH})
