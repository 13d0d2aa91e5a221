"""Which inputs and channels a model has follows from its parts: each option brings its own, and takes them with it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

import jounce.vehicle as jv
from drivelines import MOTOR
from jounce.sim import car
from jounce.sim.car_model import Structure

FRONT, REAR = "front_suspension", "rear_suspension"
PLAIN: dict[str, Any] = {
    "driveline": None, "drive": "rear", "steering.rack_pinion": None,
    f"{FRONT}.compliance": None, f"{REAR}.compliance": None,
}  # fmt: skip
MOTORS = {
    "layout": "dual_motor_awd", "front": {"kind": "open_differential", "ratio": 9.0}, "front_motor": MOTOR,
    "rear": {"kind": "open_differential", "ratio": 9.0}, "rear_motor": MOTOR,
}  # fmt: skip
# option: changes of the plain car; inputs and channels that it brings, by their beginnings; those it takes away
OPTIONS: dict[str, tuple[dict[str, Any], set[str], set[str], set[str]]] = {
    "advanced steering": (
        {"steering.rack_pinion": "own"}, {"Steering_Assist."},
        {"Steering_Torsion_Bar.", "Steering_Rack_Pinion.", "Steering_column."}, {"Driver_Demands.rack_displacement"},
    ),
    "motors": (
        {"driveline": MOTORS, "drive": None},
        {"Generic_Engine_to_Front_Differential.", "Generic_Engine_to_Rear_Differential."},
        {"Motor_to_Front_Differential.", "Motor_to_Rear_Differential."}, set(),
    ),
    "compliance": (
        {f"{FRONT}.compliance": "own"}, {"External_Compliance_Scaling.front"},
        {"toe_compliance.L1", "toe_compliance_velocity.R1"}, set(),
    ),
    "third spring": (
        {f"{REAR}.elements": [{"kind": "central_spring", "rate": 2e4, "preload": 0.0}]}, {"Third_Element.Spring"},
        {"ues_third_spring_data."}, set(),
    ),
    "mono damper": (
        {f"{REAR}.elements": [{"kind": "central_damper", "acts": "mono", "force": 900.0}]},
        {"Mono_Element.Damper.rear"}, {"das_ride_damper_data."}, set(),
    ),
    "inerter": (
        {f"{FRONT}.elements": [{"kind": "inerter", "inertance": 20.0}]}, {"Main_Inerter."}, {"Inerter."}, set(),
    ),
    "force instead of a bar": (
        {f"{FRONT}.anti_roll_bar": None, f"{FRONT}.auxiliary_anti_roll": {"rate": 2e4}}, set(),
        {"Suspension.Auxiliary_Roll_Force.SUSP1"},
        {"Suspension.Auxiliary_Roll_deformation_at_element.SUSP1", "External_Antirollbar.L1"},
    ),
    "skid plate": (
        {"contacts": [{"kind": "skid_plate", "name": "sump", "location": [0.2, 0.0, 0.15], "stiffness": 4e5}]}, set(),
        {"sump.FZ"}, set(),
    ),
    "seat": (
        {"sensors": [{"kind": "gyro_point", "name": "Driver", "location": [-1.4, 0.4, 0.6]}]}, set(), {"Gyro.Driver_"},
        set(),
    ),
    "reference point": (
        {"forces": [{"kind": "point", "name": "tow"}]}, {"Reference_Point.tow."}, {"Reference_Point.tow."}, set(),
    ),
    "no air": ({"aero": None}, set(), set(), {"Aerodynamic.", "aero_forces.", "Subsystem_Activation.Internal_Aero"}),
    "no slip control": ({"brakes.abs": None}, set(), set(), {"ABS."}),
}  # fmt: skip


@lru_cache
def plain() -> jv.Vehicle:
    return jv.load("sedan").with_(**PLAIN)


def names(vehicle: jv.Vehicle, **options: Any) -> tuple[set[str], set[str]]:
    """Inputs and channels of a model; nothing is compiled."""
    system = Structure(car.describe(vehicle, **options)).system()
    return set(system.notes["ports"]) | {i.name for i in system.inputs}, {o.name for o in system.outputs}


@lru_cache
def before() -> tuple[set[str], set[str]]:
    return names(plain())


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_brings_its_inputs_and_channels_and_takes_those_of_what_it_replaces(option: str) -> None:
    given, inputs, channels, gone = OPTIONS[option]
    own = jv.load("sedan")
    changes = {key: own.get(key) if value == "own" else value for key, value in given.items()}
    (ports, told), (then, seen) = before(), names(plain().with_(**changes))
    for word in inputs:
        assert not any(n.startswith(word) for n in ports) and any(n.startswith(word) for n in then), word
    for word in channels:
        assert any(n.startswith(word) for n in seen), word
        if option != "force instead of a bar":
            assert not any(n.startswith(word) for n in told), word
    for word in gone:
        assert any(n.startswith(word) for n in ports | told) and not any(n.startswith(word) for n in then | seen), word


def test_the_ground_of_a_run_brings_its_inputs() -> None:
    ports, _ = before()
    assert not any(n.startswith("Road_External.") for n in ports)
    assert {n for n in names(plain(), road_inputs=True)[0] if n.startswith("road.")} == {
        "road.L1", "road.R1", "road.L2", "road.R2", *(f"road.{w}.rate" for w in ("L1", "R1", "L2", "R2")),
    }  # fmt: skip


def test_second_tires_bring_their_channels() -> None:
    twin = plain().with_(**{"rear_wheels.twin": {"offset": 0.3}})
    seen = names(twin)[1] - before()[1]
    assert any("twin" in n.lower() for n in seen)
