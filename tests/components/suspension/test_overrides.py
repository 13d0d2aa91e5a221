"""Forces and ratios that a run puts in the place of those of elements: with the own law nothing changes."""

from __future__ import annotations

from functools import lru_cache

import pytest

from car_models import outputs, rates
from element_rig import PLACES, put, vehicle
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from series_rig import vehicle as series_vehicle

# inputs that add a force: flag, channel of the same force, sign between them
FORCES: dict[str, tuple[str, str, float]] = {
    "Third_Element.Spring.front": (
        "Third_Element.Spring_activity_flag.front", "ues_third_spring_data.force.front", 1.0,
    ),
    "Third_Element.Damper_force.front": (
        "Third_Element.Damper_activity_flag.front", "das_third_damper_data.force.front", -1.0,
    ),
    "Mono_Element.Roll_Damper.front": (
        "Mono_Element.Roll_Damper_activity_flag.front", "das_roll_damper_data.force.front", -1.0,
    ),
}  # fmt: skip
for wheel in ("L1", "R1"):
    for group, flag, channel in (
        ("Main_Spring", "activity_flag", "Spring.Force_At_Spring"),
        ("Main_Damper", "activation_flag", "Damper.Force_At_Damper"),
        ("Main_Bumpstop", "activity_flag", "Jounce_Bumper.Force_At_Bumper"),
        ("Main_Reboundstop", "activity_flag", "Rebound_Bumper.Force_At_Bumper"),
        ("Main_Inerter", "activation_flag", "Inerter.Force_At_Inerter"),
        ("Auxiliary_vertical", "activity_flag", "Spring.Force_Aux_At_Wheel"),
    ):
        FORCES[f"{group}.force.{wheel}"] = (f"{group}.{flag}.{wheel}", f"{channel}.{wheel}", 1.0)
RATIOS = [f"External_{word}.{c}.{word}_Motion_Ratio" for word in ("Spring", "Bumpstop") for c in ("L1", "R1")]


@lru_cache
def description() -> car.Description:
    active = [f"{name}_External_Activation" for name in RATIOS]
    return car.describe(vehicle(), inputs=[*FORCES, *(flag for flag, _, _ in FORCES.values()), *RATIOS, *active])


def fresh() -> Simulation:
    sim = car.simulation(description())
    sim.set_parameters({"ground.height": -5.0})
    return sim


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_the_force_of_an_element_given_from_outside_moves_the_car_as_the_element_does(
    travel: dict[str, float], speed: dict[str, float]
) -> None:
    """Each in turn: switched off, its own force added; then all at once."""
    sim = fresh()
    put(sim, travel, speed)
    baseline, told = rates(sim), outputs(sim)
    acting = 0
    for name, (flag, channel, sign) in FORCES.items():
        sim.set_inputs({flag: 0.0})
        if abs(told[channel]) > 1.0:
            acting += 1
            changed = rates(sim)
            assert any(changed[n] != pytest.approx(baseline[n], rel=1e-6, abs=1e-9) for n in baseline), name
        sim.set_inputs({name: sign * told[channel]})
        found = rates(sim)
        for n, value in baseline.items():
            assert found[n] == pytest.approx(value, rel=1e-8, abs=1e-8), (name, n)
    assert acting >= 9 and outputs(sim) == pytest.approx(told, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_the_ratio_of_an_element_given_from_outside_is_its_own(
    travel: dict[str, float], speed: dict[str, float]
) -> None:
    """Where the own ratio is a number, that number from outside changes nothing, and another one does."""
    sim = fresh()
    put(sim, travel, speed)
    baseline = rates(sim)
    own = {name: sim.parameter(f"{name.split('.')[1]}.{PREFIX[name.split('.')[0]]}.ratio.rate") for name in RATIOS}
    sim.set_inputs({**own, **{f"{name}_External_Activation": 1.0 for name in RATIOS}})
    assert rates(sim) == pytest.approx(baseline, rel=1e-12, abs=1e-12)
    sim.set_inputs({RATIOS[0]: 1.07 * own[RATIOS[0]]})
    assert rates(sim)["L1.jounce.rate"] != pytest.approx(baseline["L1.jounce.rate"], rel=1e-6)


PREFIX = {"External_Spring": "spring", "External_Bumpstop": "bump_stop"}


MONO = {
    "Mono_Element.Spring.front": (
        "Mono_Element.Spring_activity_flag.front", "nss_ride_spring_data.force.front", 1.0,
    ),
    "Mono_Element.Damper.front": (
        "Mono_Element.Damper_activity_flag.front", "das_ride_damper_data.force.front", -1.0,
    ),
    "Mono_Element.Inerter.front": (
        "Mono_Element.Inerter_activity_flag.front", "ins_inerter_data.force.front", -1.0,
    ),
    "Mono_Element.Bumpstop_Damper.front": (
        "Mono_Element.Bumpstop_Damper_activity_flag.front", "bus_dmp_jounce_stop_data.force.front", 1.0,
    ),
}  # fmt: skip


def test_mono_elements_and_what_is_behind_a_series_stiffness_likewise() -> None:
    """Mono elements by their inputs; springs behind a series stiffness push through it, whoever gives their force."""
    own = {name: item for name, item in FORCES.items() if name.startswith(("Main_Spring", "Main_Damper"))}
    forces = {**MONO, **own}
    sim = car.simulation(
        car.describe(series_vehicle("dynamic"), inputs=[*forces, *(flag for flag, _, _ in forces.values())])
    )
    sim.set_parameters({"ground.height": -5.0})
    put(sim, {"L1": 0.043, "R1": 0.021}, {"L1": 0.52, "R1": -0.31})
    sim.set_states({"L1.series_stiffness.deflection": 0.009, "axle1.element3.speed": 0.2})
    sim.set_states({"axle1.element4.passed_force": 230.0, "R1.series_stiffness.deflection.rate": 0.11})
    baseline, told = rates(sim), outputs(sim)
    for name, (flag, channel, sign) in forces.items():
        assert abs(told[channel]) > 1.0, name
        sim.set_inputs({flag: 0.0})
        changed = rates(sim)
        assert any(changed[n] != pytest.approx(baseline[n], rel=1e-6, abs=1e-9) for n in baseline), name
        sim.set_inputs({name: sign * told[channel]})
        found = rates(sim)
        for n, value in baseline.items():
            assert found[n] == pytest.approx(value, rel=1e-8, abs=1e-8), (name, n)
