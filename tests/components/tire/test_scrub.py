"""Scrub: gains one by one, no mean over a cycle, frequency by wheel speed, where the force acts."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.runtime.simulation import Simulation
from limit_rig import cornering

WHEELS = ("L1", "R1")


def scrubbing(phase: float = np.pi / 2, **numbers: float) -> Simulation:
    """Beyond the threshold of the margin, so that the gain is that of load and slip; both wheels at one phase."""
    sim = cornering()
    sim.set_states({f"{c}.force1.phase": phase for c in WHEELS})
    known = {"margin_threshold": 1e5, **numbers}
    sim.set_parameters({f"{c}.force1.{name}": value for c in WHEELS for name, value in known.items()})
    return sim


def force(sim: Simulation, wheel: str = "L1") -> float:
    return sim.output(f"tirescrub.force.{wheel}")


def test_at_full_gain_it_is_its_amplitude_against_or_with_the_lateral_force() -> None:
    sim = scrubbing(full_load=500.0)
    for c in WHEELS:
        side = np.sign(sim.output(f"Tire.Ground_Surface_Force_Y.{c}"))
        assert force(sim, c) == pytest.approx(1.7 * 100.0 * side, rel=1e-12)
        assert sim.output(f"tirescrub.gain.{c}") == 1.0
    assert force(scrubbing(full_load=500.0, scale=3.4)) == pytest.approx(2 * force(sim), rel=1e-12)
    assert force(scrubbing(full_load=500.0, amplitude=250.0)) == pytest.approx(2.5 * force(sim), rel=1e-12)


def test_over_a_cycle_it_has_no_mean() -> None:
    phases = 2 * np.pi * np.arange(24) / 24 + 0.3
    found = [force(scrubbing(float(phase))) for phase in phases]
    assert np.mean(found) == pytest.approx(0.0, abs=1e-12 * np.abs(found).max())
    assert np.std(found) == pytest.approx(np.abs(force(scrubbing())) / np.sqrt(2), rel=1e-12)


def test_far_from_the_limit_there_is_nothing() -> None:
    sim = scrubbing(margin_threshold=0.0, margin_smoothness=3.0)
    assert sim.output("tirelimits.marginLat.L1") > 1000.0
    assert abs(force(sim)) < 1e-6


@pytest.mark.parametrize("smoothness", [0.2, 1.0])
def test_it_fades_with_the_margin_as_a_bell(smoothness: float) -> None:
    margin = scrubbing().output("tirelimits.marginLat.L1")
    sim = scrubbing(margin_threshold=margin - 390.0, margin_smoothness=smoothness)
    share = force(sim) / force(scrubbing())
    assert share == pytest.approx(np.exp(-0.5 * (smoothness * 390.0 / 300.0) ** 2), rel=1e-9)


def test_it_fades_with_slip_and_grows_with_the_fourth_power_of_the_load() -> None:
    sim = scrubbing()
    slip = abs(sim.output("Tire.Longitudinal_Slip_With_Lag.L1"))
    load = sim.output("Tire.Ground_Surface_Force_Z.L1")
    assert force(scrubbing(full_load=2 * load)) == pytest.approx(1.7 * 100 / 16 * np.sign(force(sim)), rel=1e-9)
    sim.set_states({"L1.tire.u": 0.012})
    slip = abs(sim.output("Tire.Longitudinal_Slip_With_Lag.L1"))
    assert slip > 0.02
    full = force(sim)
    sim.set_parameters({"L1.force1.slip_threshold": slip - 0.013, "L1.force1.slip_smoothness": 0.7})
    assert force(sim) / full == pytest.approx(np.exp(-0.5 * (0.7 * 1.3) ** 2), rel=1e-9)


def test_its_frequency_follows_the_wheel_and_the_reference_speed() -> None:
    sim = scrubbing(frequency=0.4, speed=2.0)
    names = [v.name for v in sim.model.states]
    found = dict(zip(names, sim.derivatives()[0], strict=True))
    for c in WHEELS:
        spin = sim.state(f"{c}.wheel.spin")
        assert found[f"{c}.force1.phase"] == pytest.approx(2 * np.pi * 0.4 * spin / 2.0, rel=1e-12)
    assert dict(zip(names, scrubbing(speed=2.0).derivatives()[0], strict=True))["L1.force1.phase"] == pytest.approx(
        0.5 * dict(zip(names, scrubbing(speed=1.0).derivatives()[0], strict=True))["L1.force1.phase"]
    )


def test_the_hub_feels_it_with_the_lever_of_the_contact() -> None:
    on, off = scrubbing(amplitude=400.0), scrubbing(amplitude=0.0)
    for c in WHEELS:
        change = force(on, c)
        assert abs(change) > 100.0
        names = (
            "Force_Local_X",
            "Force_Local_Y",
            "Force_Local_Z",
            "Moment_Local_X",
            "Moment_Local_Y",
            "Moment_Local_Z",
        )
        found = [on.output(f"Tire.Hub_Carrier_{n}.{c}") - off.output(f"Tire.Hub_Carrier_{n}.{c}") for n in names]
        radius = on.output(f"Tire.Loaded_Radius.{c}")
        # axes of the hub are those of the wheel but for its own turn about the spin axis, which is small at design
        assert found[1] == pytest.approx(change, rel=1e-6)
        assert np.hypot(found[3], found[5]) == pytest.approx(radius * abs(change), rel=1e-6)
        assert found[3] * change > 0
    names = [v.name for v in on.model.states]
    a, b = (dict(zip(names, sim.derivatives()[0], strict=True)) for sim in (on, off))
    assert abs(a["chassis.vy"] - b["chassis.vy"]) > 0.1
