"""Friction on the suspension rig: loops of the right width; axles of one wheel; where it starts; axes of loads."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.rigs.kc_figures import kc
from jounce.rigs.kc_report import budget_figure, kc_figure, sweeps, write_page
from jounce.rigs.suspension_rig import Load, Point, SuspensionRig, load_sweep, travel_sweep
from rig_cars import FRICTION, GIVES, LIMITS, small_car, small_rig

RATIO, STIFFNESS = 0.9, 9e4


def test_a_sweep_up_and_down_is_a_loop_two_limits_wide(rig: SuspensionRig) -> None:
    """Virtual work: F_z dz_C = F dd, both wheels by their own limit; dz_C/dJ from how the contact moves."""
    up = np.linspace(-0.03, 0.03, 7)
    values = [0.0, *up, *up[::-1]]
    free = travel_sweep(rig, "front", values, "parallel")
    rubbed = travel_sweep(rig, "front", values, "parallel", friction=True)
    h = 1e-4
    for wheel, limit in LIMITS.items():
        force = np.array([b.jack[wheel] - a.jack[wheel] for a, b in zip(free, rubbed, strict=True)])
        assert force[0] == 0.0, "a car that was rocked stands in the middle"
        high, low = travel_sweep(rig, "front", [h, -h], "parallel")
        rise = (high.contact[wheel][2] - low.contact[wheel][2]) / (2 * h)
        # at design: the fourth point on the way up, and on the way down
        assert force[4] - force[11] == pytest.approx(2 * limit * RATIO / rise, rel=1e-4)
        assert force[1] < 0 < force[7] and force[8] > 0, "downwards, upwards, and no way between two equal points"


def test_after_a_point_of_return_it_follows_the_law_of_dahl(rig: SuspensionRig) -> None:
    """F = −F_max + 2 F_max e^(−k s/F_max) over the way s back, whatever steps it is made of."""
    back = [0.03 - x for x in (0.0002, 0.0009, 0.003)]
    held = travel_sweep(rig, "front", [0.0, 0.03, *back], "parallel", friction=True)[2:]
    for wheel, limit in LIMITS.items():
        for travel, h in zip(back, held, strict=True):
            way = RATIO * (0.03 - travel)
            expected = -limit + 2 * limit * math.exp(-STIFFNESS * way / limit)
            assert h.channels[f"Friction.Force_At_Element.{wheel}"] == pytest.approx(expected, abs=1e-3 * limit)


def test_by_force_the_same_loop_comes_back(rig: SuspensionRig) -> None:
    """What a sweep of travel needs as jack forces gives the travels back: friction is part of the equations."""
    travels = [0.0, 0.02, 0.0195, 0.018, 0.005, -0.012, -0.0115, -0.009]
    moved = travel_sweep(rig, "front", travels, "parallel", friction=True)
    rig.reset()
    rig.hold(Point(travels={"L1": 0.0, "R1": 0.0}))
    for travel, h in zip(travels[1:], moved[1:], strict=True):
        loads = {w: Load(fz=h.jack[w]) for w in rig.wheels}
        back = rig.hold(Point(loads=loads), friction=True)
        for wheel in rig.wheels:
            assert back.travel[wheel] == pytest.approx(travel, abs=1e-8)


def test_figures_are_without_friction_but_for_the_width_of_the_loop(rig: SuspensionRig) -> None:
    report = kc(rig.vehicle, rig)
    plain = rig.vehicle.with_(**{"axles[0].suspension.elements[0].scale": 0.0})
    without = kc(plain, SuspensionRig(plain, radius="design"))
    assert report["wheel_rate_front"] == pytest.approx(without["wheel_rate_front"], rel=1e-9)
    assert without["hysteresis_front"] == pytest.approx(0.0, abs=1e-9)
    assert report["hysteresis_front"] == pytest.approx(RATIO * sum(LIMITS.values()), rel=0.01)
    assert report["brake_compliance_front"] == pytest.approx(2.9, rel=1e-3)


# --- axles of one wheel ----------------------------------------------------------------------------------------------


def test_an_axle_of_one_wheel_is_moved_loaded_and_measured() -> None:
    rig = small_rig(True)
    rig.reset()
    high, low = travel_sweep(rig, "front", [0.01, -0.01], "parallel")
    rise = (high.contact["L1"][2] - low.contact["L1"][2]) / 0.02
    up, down = load_sweep(rig, "front", "fy", [400.0, -400.0])
    # the wheel of an axle with one is a left one: toe-in is to the right
    assert (up.toe("L1") - down.toe("L1")) / 800.0 == pytest.approx(GIVES["toe"]["fy"], rel=0.01)
    report = kc(rig.vehicle, rig)
    names = {m.name for m in report.metrics}
    assert {"camber_gain_front", "wheel_rate_front", "fy_camber_front", "hysteresis_front"} <= names
    assert not names & {"roll_centre_front", "bump_steer_front", "ackermann_front", "anti_dive_front"}
    assert report["hysteresis_front"] == pytest.approx(2 * RATIO * float(FRICTION["force"]) / rise, rel=1e-3)
    for way in ("opposite", "left", "right"):
        with pytest.raises(ParameterError, match=f"way = '{way}': axle front has one wheel, L1; move it by 'parallel'"):
            travel_sweep(rig, "front", [0.01], way)  # type: ignore[arg-type]


# --- where it starts -------------------------------------------------------------------------------------------------


def test_sweeps_and_figures_are_about_the_start(rig: SuspensionRig) -> None:
    """A start at travels of its own: its parallel sweep is a piece of that about design."""
    other = SuspensionRig(rig.vehicle, radius="design", start={"L1": 0.012, "R1": -0.007})
    (held,) = travel_sweep(other, "front", [0.02], "parallel")
    same = rig.hold(Point(travels={"L1": 0.032, "R1": 0.013}))
    assert held.jack == pytest.approx(same.jack, rel=1e-9)
    assert held.travel == pytest.approx(same.travel, abs=1e-12)
    (steered,) = load_sweep(other, "front", "mz", [20.0])
    assert steered.travel == pytest.approx({"L1": 0.012, "R1": -0.007}, abs=1e-12)
    assert other.started == "at travels of 12.0 mm (L1), -7.0 mm (R1)"
    with pytest.raises(ParameterError, match=r"start = 'setup'.*design, standing"):
        SuspensionRig(rig.vehicle, start="setup")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="wheel 'L2' is unknown"):
        SuspensionRig(rig.vehicle, start={"L2": 0.0})


# --- axes, and what contradicts itself -------------------------------------------------------------------------------


def test_loads_along_the_wheel_turn_with_it(rig: SuspensionRig) -> None:
    """Along the wheel = along the body, turned by hand by the steer angle that was found."""
    load = Load(fx_brake=-210.0, fx_drive=130.0, fy=340.0, mx=11.0, my=-7.0, mz=17.0)
    travels = {"L1": 0.01, "R1": -0.004}
    a = rig.hold(Point(travels, {"L1": load}, steer=1.1, axes="wheel"))
    psi = a.steer("L1")
    assert psi > 0.05
    c, s = math.cos(psi), math.sin(psi)
    rest = {"mz": load.mz, "mx": c * load.mx - s * load.my, "my": s * load.mx + c * load.my}
    brake, side = c * load.fx_brake - s * load.fy, s * load.fx_brake + c * load.fy
    # the side part of a force at the centre acts at the contact, with a moment that takes it up
    along, across = c * load.fx_drive, s * load.fx_drive
    arm = a.contact["L1"] - a.centre["L1"]
    rest["mx"] += arm[2] * across
    rest["mz"] -= arm[0] * across
    b = rig.hold(Point(travels, {"L1": Load(fx_brake=brake, fx_drive=along, fy=side + across, **rest)}, steer=1.1))
    for name in ("jack", "travel"):
        assert getattr(b, name) == pytest.approx(getattr(a, name), rel=1e-7, abs=1e-9)
    assert b.steer("L1") == pytest.approx(psi, abs=1e-9)
    plain = rig.hold(Point(travels, {"L1": load}, steer=1.1))
    assert abs(plain.steer("L1") - psi) > 1e-6, "it does matter"


def test_a_travel_beside_a_vertical_force_and_a_travel_in_millimetres_are_told(rig: SuspensionRig) -> None:
    with pytest.raises(ParameterError, match=r"wheel L1: both a travel \(20 mm\) and a vertical force \(3000 N\)"):
        rig.hold(Point({"L1": 0.02, "R1": 0.0}, {"L1": Load(fz=3000.0)}))
    with pytest.raises(ParameterError, match=r"wheel R1: a travel of 20000 mm; wheels move by at most 500 mm"):
        rig.hold(Point({"L1": 0.0, "R1": 20.0}))
    with pytest.raises(ParameterError, match=r"axes = 'world'.*body, wheel"):
        rig.hold(Point(axes="world"))  # type: ignore[arg-type]


def test_small_cars_are_what_they_say() -> None:
    assert [w.name for w in small_car().layout.axles[0].wheels] == ["L1", "R1"]
    assert [w.name for w in small_car(True).layout.axles[0].wheels] == ["L1"]


@pytest.mark.slow
def test_the_page_shows_loops_and_leaves_out_what_does_not_move(rig: SuspensionRig, tmp_path: Path) -> None:
    curves = sweeps(rig)
    titles = [axes.get_title() for axes in kc_figure(curves, "front").axes]
    assert "friction in the vertical force by parallel travel" in titles and "steer by aligning moment" in titles
    assert "side view angle by brake force" not in titles, "nothing turns it"
    (loop,) = [c for c in curves if c.title == "parallel travel"]
    assert loop.x[0] == loop.x[-1] < 0 < max(loop.x)
    budget = {
        "weight_front": 3.1,
        "weight_rear": -3.0,
        "aero_front": 0.0,
        "aero_rear": 1e-4,
        "understeer_gradient": 0.1,
    }
    write_page(tmp_path / "kc.html", kc(rig.vehicle, rig), curves, budget)
    text = (tmp_path / "kc.html").read_text()
    assert "front axle 3.100, rear axle -3.000" in text and "<code>hysteresis</code>" in text
    assert [t.get_text() for t in budget_figure(budget).axes[0].get_yticklabels()] == ["weight"], (
        "what is nothing is left"
    )
