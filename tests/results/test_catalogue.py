"""The catalogue of channels."""

from __future__ import annotations

import math

import pytest

from jounce.core.errors import ParameterError
from jounce.core.units import check_si, convert
from jounce.results.catalogue import catalogue, expand, spelling


def test_every_row_resolves() -> None:
    known = catalogue()
    rows = {direction: [e for e in known if e.direction == direction] for direction in ("input", "output")}
    ours = [e for e in known if e.group == "jounce"]  # what runs have and the reference list has not
    listed = {direction: [e for e in found if e not in ours] for direction, found in rows.items()}
    assert {direction: len(found) for direction, found in listed.items()} == {"input": 550, "output": 846}
    assert len({(e.direction, e.group, e.name) for e in known}) == 1396 + len(ours)
    assert len({(e.group, e.name) for e in known}) == 1396 + len(ours)
    assert all(e.sign == 1 and e.factor == 1.0 and e.description for e in ours)
    # after the braces are expanded: 908 inputs; outputs that stand in two groups are one channel
    assert len({name for e in listed["input"] for name in e.names}) == 908
    for entry in known:
        for name in entry.names:
            found = known.find(name, entry.direction)
            assert found.pattern == entry.pattern, name


def test_every_unit_is_ours_and_the_factor_leads_to_the_reference() -> None:
    unit_names = {"N*m": "N.m", "g": "g_0", "0-100": "percent", "0/1": "-", "0-1": "-", "rad/s^2": "rad/s2"}
    odd = {"hp", "l/100km", "deg/g", "rpm", "l", "l/s"}
    for entry in catalogue():
        if not entry.si_unit:
            assert entry.factor == 1.0
            continue
        check_si(entry.si_unit, entry.pattern)
        if entry.unit in odd or "^" in entry.unit or "(" in entry.unit:
            continue
        reference = unit_names.get(entry.unit, entry.unit)
        try:
            exact = convert(1.0, entry.si_unit, reference)
        except ParameterError:  # printed with a unit that cannot be right; ours is the physical one
            assert entry.factor == 1.0
            continue
        assert entry.factor == pytest.approx(exact, rel=1e-14), entry


@pytest.mark.parametrize(
    ("name", "sign", "factor"),
    [
        ("chassis_velocities.lateral", -1, 3.6),
        ("chassis_velocities.pitch", -1, 1.0),
        ("chassis_velocities.yaw", 1, 1.0),
        ("chassis_displacements.pitch", 1, 1.0),
        ("chassis_displacements.roll", -1, 1.0),
        ("chassis_accelerations.lateral", -1, 1 / 9.80665),
        ("Vehicle.CM_Tracking_Ay", 1, 1 / 9.80665),
        ("Wheel.Side_View_Angle.L1", -1, 1.0),
        ("Chamber_Pressure.R2", 1, 1e-6),
        ("Engine.engine_rpm", 1, 30 / math.pi),
        ("driver_demands.brake", 1, 100.0),
    ],
)
def test_signs_and_factors(name: str, sign: int, factor: float) -> None:
    entry = catalogue().find(name, "output")
    assert (entry.sign, entry.factor) == (sign, pytest.approx(factor, rel=1e-15))
    assert entry.from_reference(entry.to_reference(1.7)) == pytest.approx(1.7, rel=1e-15)


def test_a_speed_of_ten_metres_per_second_is_stored_as_36_kilometres_per_hour_and_read_back() -> None:
    entry = catalogue().find("chassis_velocities.longitudinal", "output")
    assert (entry.si_unit, entry.unit) == ("m/s", "km/h")
    assert abs(entry.to_reference(10.0)) == pytest.approx(36.0, rel=1e-15)
    assert entry.from_reference(entry.to_reference(10.0)) == pytest.approx(10.0, rel=1e-15)


@pytest.mark.parametrize("name", ["Wheel:Omega:L2", "Wheel.Omega.L2", "Wheel_Omega_L2", "wheel.omega.l2"])
def test_the_three_separators_and_any_case(name: str) -> None:
    assert catalogue().find(name).pattern == "Wheel.Omega.{L,R}{1,2}"


def test_placeholders_stand_for_names_of_the_model() -> None:
    found = catalogue().find("body_engine_block_velocities.lateral")
    assert found.name == "body_<rigid_body_name>_velocities:lateral"
    assert found.sign == -1
    # a placeholder stays within one level
    with pytest.raises(ParameterError):
        catalogue().find("skid.plate.VX")


def test_input_and_output_of_one_name_are_kept_apart() -> None:
    known = catalogue()
    assert known.find("driver_demands.brake").direction == "output"
    assert known.find("Driver_Demands.brake").direction == "input"
    with pytest.raises(ParameterError, match="means several channels"):
        known.find("DRIVER_DEMANDS.BRAKE")
    assert known.find("DRIVER_DEMANDS.BRAKE", "input").direction == "input"


def test_a_short_name_needs_its_group() -> None:
    known = catalogue()
    with pytest.raises(ParameterError, match="means several"):
        known.find("efficiency")
    assert known.find("efficiency", group="GearBox").pattern == "GearBox.efficiency"


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(ParameterError, match=r"did you mean 'chassis_velocities\.yaw'"):
        catalogue().find("chassis_velocity.yaw")


def test_expansion_and_spelling() -> None:
    assert expand("a{L,R}{1,2}.x") == ["aL1.x", "aL2.x", "aR1.x", "aR2.x"]
    assert expand("plain") == ["plain"]
    assert spelling("Wheel:Omega:L1") == spelling("wheel_omega.l1")
