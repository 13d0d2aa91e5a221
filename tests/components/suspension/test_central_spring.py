"""Springs between both wheels of an axle."""

from __future__ import annotations

import pytest

from axle_lists import one_axle, vehicle_of
from element_rig import PLACES, RATIOS, SPEED, TRAVEL, WHEELS, alone, pushes, put, roll_spring_force, scale_names, slope
from jounce.components.suspension.central_spring import CentralSpring
from series_rig import both, hung


def heave(name: str, travel: dict[str, float]) -> float:
    left, right = RATIOS[name]
    return 0.5 * (left(travel["L1"]) + right(travel["R1"]))


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_a_third_spring_acts_by_virtual_work(travel: dict[str, float], speed: dict[str, float]) -> None:
    """F = preload + rate · d, d = ½ (m_L + m_R); at the wheels F ∂d/∂J, and F ḋ is the power that it takes."""
    sim = alone("third_spring")
    put(sim, travel, speed)
    force = 1300.0 + 43e3 * heave("third_spring", travel)
    assert sim.output("ues_third_spring_data.force.front") == pytest.approx(force, rel=1e-9)
    assert sim.output("ues_third_spring_data.displacement.front") == pytest.approx(
        -heave("third_spring", travel), rel=1e-9
    )
    acting = pushes(sim, dict.fromkeys(scale_names("third_spring"), 0.0))
    slopes = [0.5 * slope(f, travel[c]) for f, c in zip(RATIOS["third_spring"], WHEELS, strict=True)]
    for c, r in zip(WHEELS, slopes, strict=True):
        assert acting[c] == pytest.approx(-force * r, rel=1e-6)
        assert sim.output(f"Spring.Central_Force_At_Wheel.{c}") == pytest.approx(force * r, rel=1e-6)
    assert sim.output("ues_third_spring_data.force_at_wheel.front") == pytest.approx(-acting["L1"], rel=1e-6)
    rate = -sim.output("ues_third_spring_data.velocity.front")
    assert -sum(acting[c] * speed[c] for c in WHEELS) == pytest.approx(force * rate, rel=1e-6)


def test_pure_roll_leaves_a_third_spring_alone_and_both_wheels_move_it_twice_as_far_as_one() -> None:
    """Pure roll: the ends move by opposite amounts."""
    sim = alone("third_spring")
    left, right = RATIOS["third_spring"]
    j = 0.031
    # the wheel on the right moves so that its end makes up for the left one
    a, b = 0.86, -0.5
    other = (-a + (a**2 - 4 * b * left(j)) ** 0.5) / (2 * b)
    assert right(other) == pytest.approx(-left(j), rel=1e-12)
    put(sim, {"L1": j, "R1": other})
    assert sim.output("ues_third_spring_data.force.front") == pytest.approx(1300.0, rel=1e-9)
    ends = []
    for travel in ({"L1": 0.02}, {"R1": 0.02}, {"L1": 0.02, "R1": 0.02}):
        put(sim, travel)
        ends.append(sim.output("ues_third_spring_data.force.front") - 1300.0)
    assert ends[2] == pytest.approx(ends[0] + ends[1], rel=1e-9)
    assert ends[0] == pytest.approx(43e3 * 0.5 * left(0.02), rel=1e-9) != pytest.approx(ends[1])


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_a_roll_spring_acts_on_the_difference(travel: dict[str, float], speed: dict[str, float]) -> None:
    sim = alone("roll_spring")
    put(sim, travel, speed)
    left, right = RATIOS["roll_spring"]
    force = roll_spring_force(left(travel["L1"]) - right(travel["R1"]))
    assert sim.output("roll_spring_data.force.front") == pytest.approx(force, rel=1e-8)
    acting = pushes(sim, dict.fromkeys(scale_names("roll_spring"), 0.0))
    assert acting["L1"] == pytest.approx(-force * slope(left, travel["L1"]), rel=1e-6)
    assert acting["R1"] == pytest.approx(force * slope(right, travel["R1"]), rel=1e-6)
    rate = -sim.output("roll_spring_data.velocity.front")
    assert -sum(acting[c] * speed[c] for c in WHEELS) == pytest.approx(force * rate, rel=1e-6)


def test_without_it_nothing_is_left_of_it() -> None:
    sim = alone()
    put(sim, TRAVEL, SPEED)
    assert sim.output("ues_third_spring_data.force.front") == 0.0
    assert sim.output("Spring.Central_Force_At_Wheel.L1") == 0.0


def test_a_roll_spring_with_a_preload_is_remarked() -> None:
    data = {"kind": "central_spring", "acts": "roll", "rate": 1e4, "preload": 100.0}
    assert [text for _, text in CentralSpring.model_validate(data).remarks()] == [
        "a roll spring that pushes at design leans the body"
    ]
    assert not list(CentralSpring.model_validate({**data, "acts": "mono"}).remarks())


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_a_mono_spring_by_a_table_over_both_travels(travel: dict[str, float], speed: dict[str, float]) -> None:
    """It moves with the wheels themselves, whatever a series stiffness gives way."""
    sim = hung("dynamic", "axle1.element1")
    put(sim, travel, speed)
    sim.set_states({"L1.series_stiffness.deflection": 0.011, "R1.series_stiffness.deflection": -0.007})
    j, o = travel["L1"], travel["R1"]
    force = 900.0 + 27e3 * both(j, o)
    slopes = {"L1": slope(lambda x: both(x, o), j), "R1": slope(lambda x: both(j, x), o)}
    assert sim.output("nss_ride_spring_data.force.front") == pytest.approx(force, rel=1e-8)
    acting = pushes(sim, {"axle1.element1.scale": 0.0})
    for c in WHEELS:
        assert acting[c] == pytest.approx(-force * slopes[c], rel=1e-6)
    assert sim.output("nss_ride_spring_data.force_at_wheel.front") == pytest.approx(force * slopes["L1"], rel=1e-7)


def test_a_single_wheel_has_nothing_between_wheels() -> None:
    raw = one_axle()
    raw["axles"][0] |= {"single": True}
    for name in ("anti_roll_bar", "auxiliary_anti_roll"):
        raw["axles"][0]["suspension"].pop(name, None)
    raw["drive"] = {"L1": 1.0, "R1": 0.0, "max_torque": 100.0}
    inerter, spring = {"kind": "inerter", "inertance": 3.0}, {"kind": "central_spring", "rate": 1e3, "preload": 0.0}
    raw["axles"][0]["suspension"]["elements"] = [inerter, spring]
    with pytest.raises(ValueError, match="a central_spring is between two wheels, the axle has one"):
        vehicle_of(raw)
