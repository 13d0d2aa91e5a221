"""A series elasticity without mass."""

from __future__ import annotations

import numpy as np
import pytest

from car_models import rates
from element_rig import PLACES, WHEELS, pushes, put
from jounce.core.errors import ParameterError
from series_rig import ROLL, Z, hung, spring_rate, stiffness, total_stiffness, vehicle


def test_at_rest_it_is_in_series_with_the_spring() -> None:
    """1/k_total = 1/k_s + 1/k, on each side with its own numbers."""
    sim = hung("static", "spring")
    found = total_stiffness(sim)
    for i, c in enumerate(WHEELS):
        k_s, k = spring_rate(sim, c), stiffness(sim, c)
        assert found[i, i] == pytest.approx(k_s * k / (k_s + k), rel=1e-6)
    assert abs(found[0, 1]) < 1e-6 * found[0, 0] and stiffness(sim, "L1") != stiffness(sim, "R1")


def test_anti_roll_forces_pass_it_where_they_are_included() -> None:
    """With both: z follows from the spring and the bar, K = k (k + K_e)⁻¹ K_e as matrices."""
    sim = hung("static", "spring", "auxiliary_anti_roll")
    elements = np.diag([spring_rate(sim, c) for c in WHEELS]) + ROLL * np.array([[1.0, -1.0], [-1.0, 1.0]])
    k = np.diag([stiffness(sim, c) for c in WHEELS])
    assert total_stiffness(sim) == pytest.approx(k @ np.linalg.solve(k + elements, elements), rel=1e-6)


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_its_rate_solves_its_equation_with_dampers_that_are_curves(
    travel: dict[str, float], speed: dict[str, float]
) -> None:
    """c ż + k z = F(J − z, J̇ − ż) with ż the rate of the state: nearly from any last rate, exactly from a near one."""
    sim = hung("static", "spring", "damper1", "auxiliary_anti_roll")
    put(sim, travel, speed)
    sim.set_states({f"L1.{Z}": 0.007, f"R1.{Z}": -0.004})
    found: dict[str, float] = {}
    memories = [f"axle1.series_stiffness.rate_{side}" for side in "LR"]
    for last, near in ((0.0, 1.0), (0.3, 1.0), (-0.2, 1.0), (None, 1e-6)):
        if last is None:  # what was found stands for the last rate, as in a run
            sim.set_memories(dict(zip(memories, (found[f"{c}.{Z}"] for c in WHEELS), strict=True)))
        else:
            sim.set_memories(dict.fromkeys(memories, last))
        found = rates(sim)
        for c, other, word in (("L1", "R1", "front_left"), ("R1", "L1", "front_right")):
            k, rate = stiffness(sim, c), found[f"{c}.{Z}"]
            force = sim.output(f"Suspension.Inst_Stiff_Force.{word}")
            # the slope of the elements: the spring and the anti-roll rate
            damping = 0.003 * (k + spring_rate(sim, c) + ROLL)
            assert damping * rate + k * sim.state(f"{c}.{Z}") == pytest.approx(force, abs=near)
            roll = ROLL * (
                travel[c] - sim.state(f"{c}.{Z}") - travel[other] + sim.state(f"{other}.{Z}")
                + 0.004 * (speed[c] - rate - speed[other] + found[f"{other}.{Z}"])
            )  # fmt: skip
            elements = sim.output(f"Spring.Force_At_Wheel.{c}") + sim.output(f"Damper.Force_At_Wheel.{c}") + roll
            assert force == pytest.approx(elements, rel=1e-8)
            ratio = sim.output(f"Damper.Jounce_Rate.{c}") / (speed[c] - rate)
            assert 0.3 < ratio < 1.5, "the damper moves with what is left of the speed"
            assert sim.output(f"Suspension.Inst_Stiff_Deflection.{word}") == sim.state(f"{c}.{Z}")


def test_wheel_and_body_feel_the_force_of_the_elements() -> None:
    sim = hung("static", "spring", "damper1")
    travel, speed = PLACES[0]
    put(sim, travel, speed)
    sim.set_states({f"L1.{Z}": 0.006, f"R1.{Z}": -0.003})
    off = {f"{c}.{name}.scale": 0.0 for c in WHEELS for name in ("spring", "damper1")}
    acting = pushes(sim, off)
    for c, word in (("L1", "front_left"), ("R1", "front_right")):
        assert acting[c] == pytest.approx(-sim.output(f"Suspension.Inst_Stiff_Force.{word}"), rel=1e-6)


def test_a_run_loses_energy_in_it_and_never_wins_any() -> None:
    """A wheel on its spring alone: energy falls at every step, by what the lag takes."""
    sim = hung("static", "spring", step=2e-4)
    put(sim, {"L1": 0.03, "R1": -0.02})
    sim.set_states(
        {
            f"{c}.{Z}": spring_rate(sim, c) * sim.state(f"{c}.jounce") / (spring_rate(sim, c) + stiffness(sim, c))
            for c in WHEELS
        }
    )

    def energy(c: str) -> float:
        x, z = sim.state(f"{c}.jounce") - sim.state(f"{c}.{Z}"), sim.state(f"{c}.{Z}")
        stored = spring_rate(sim, c) * x**2 + stiffness(sim, c) * z**2
        return 0.5 * (stored + sim.parameter(f"{c}.unsprung_mass") * sim.state(f"{c}.jounce.rate") ** 2)

    last = begin = energy("L1")
    for _ in range(50):
        sim.advance(50)
        assert energy("L1") < last
        last = energy("L1")
    assert 0.05 < last / begin < 0.999


def test_a_hard_stop_does_not_make_it_unstable() -> None:
    """Wheels thrown into their stops, at the usual step: z stays at what the force over the stiffness says."""
    sim = hung("static", "spring", "damper1", "bump_stop", "rebound_stop")
    put(sim, {"L1": 0.05, "R1": -0.06}, {"L1": 3.0, "R1": -2.5})
    for _ in range(400):
        sim.advance(1)
        for c, word in (("L1", "front_left"), ("R1", "front_right")):
            force = sim.output(f"Suspension.Inst_Stiff_Force.{word}")
            assert abs(sim.state(f"{c}.{Z}")) < 0.3 and np.isfinite(force)
    for c in WHEELS:
        assert abs(sim.state(f"{c}.jounce.rate")) < 1.0


def test_without_a_main_spring_it_must_be_measured_at_the_wheel() -> None:
    message = r"series_stiffness\.location.*there is no main spring whose ratio could count"
    with pytest.raises(ParameterError, match=message):
        vehicle("dynamic").with_(**{"axles[0].suspension.spring": None})
    vehicle("static").with_(**{"axles[0].suspension.spring": None})
