"""Motorcycle tires: against a second evaluation, saturation of slip and camber together, cross-section contact."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.components.tire.base import Tire
from jounce.components.tire.contact import motion, section_profile, touch, touch_section
from jounce.components.tire.pac_mc import COEFFICIENTS, PacMc
from jounce.core.constants import GRAVITY
from jounce.core.errors import FormatError, ParameterError
from jounce.core.units import check_unit
from jounce.files.library import library_file
from jounce.files.tir import parse_tir, read_tir
from mf6_reference import MOTORCYCLE, pac_mc
from models import assert_close, compiled, outputs_by_name
from tire_models import rig

NAMES = ("fx", "fy", "mx", "my", "mz")
SECTION = 0.09  # m


def tire(values: dict[str, float] = MOTORCYCLE, **options: Any) -> Tire:
    model = PacMc(**options)
    return Tire(model, model.complete(values), side="left", name="example")


def steady(t: Tire, *args: float, **options: Any) -> np.ndarray:
    return np.array([float(v) for v in t.steady(*args, **options)])


def test_forces_equal_the_second_evaluation() -> None:
    t = tire(mode=4)
    rng = np.random.default_rng(1)
    for load, kappa, alpha, gamma in rng.uniform([200, -0.9, -1, -1.05], [3800, 0.9, 1, 1.05], (200, 4)):
        known = pac_mc(MOTORCYCLE, load, kappa, alpha, gamma)
        expected = np.array([known[name] for name in NAMES])
        assert_close(steady(t, load, kappa, alpha, gamma), expected, 1e-9 * (1 + np.abs(expected)), NAMES)
        at = t.at_load(load, gamma)
        assert at.slope_x == pytest.approx(known["Kx"], rel=1e-12)
        assert at.slope_y == pytest.approx(known["Ky"], rel=1e-12)
        assert at.sigma_alpha == pytest.approx(known["sigma_alpha"], rel=1e-12)


@given(st.floats(100, 3900), st.floats(-1, 1), st.floats(-1.2, 1.2), st.floats(-1.05, 1.05))
@settings(max_examples=50)
def test_a_symmetric_tire_equals_its_mirror_image(load: float, kappa: float, alpha: float, gamma: float) -> None:
    model = PacMc()
    t = tire({**MOTORCYCLE, **dict.fromkeys(model.sided, 0.0)})
    a, b = steady(t, load, kappa, alpha, gamma), steady(t, load, kappa, -alpha, -gamma)
    assert_close(b, a * [1, -1, -1, 1, -1], 1e-12 * (1 + load), NAMES)


def test_slip_and_camber_saturate_together() -> None:
    values = {**MOTORCYCLE, **dict.fromkeys(PacMc().sided, 0.0), "PDY3": 0.0}
    t = tire(values, mode=2)
    alpha, gamma = np.meshgrid(np.linspace(0, 0.5, 80), np.linspace(0, 1.1, 80))
    fy = np.abs(t.steady(1500.0, 0.0, alpha, gamma).fy)
    d = (1500 - 1.03 * 1500) / (1.03 * 1500)
    assert fy.max() <= 1.3 * math.exp(-0.02 * d) * 0.9 * 1500 * (1 + 1e-12)
    thrust = t.steady(1500.0, 0.0, 0.0, 1e-6).fy / 1e-6
    camber = (-0.9 + 0.3 * d) * 1500 * 1.1 * values["LGAY"]
    assert thrust == pytest.approx(camber, rel=1e-5)


def test_the_trail_does_not_carry_camber_thrust() -> None:
    values = {**MOTORCYCLE, **dict.fromkeys(PacMc().sided, 0.0), "QHZ3": 0.0, "QHZ4": 0.0}
    values |= dict.fromkeys(("QDZ8", "QDZ9", "QDZ10", "QDZ11", "RVY3", "SSZ2", "SSZ3", "SSZ4"), 0.0)
    f = tire(values).steady(1500.0, 0.0, 0.0, 0.5)
    assert f.fy < -500 and abs(f.mz) < 1e-9 * abs(f.fy)


def test_every_number_has_a_unit_and_is_declared_once() -> None:
    names = [c.name for c in COEFFICIENTS]
    assert len(set(names)) == len(names)
    for c in COEFFICIENTS:
        check_unit(c.unit, c.name)
    assert set(PacMc().derived(tire().values)) == set(PacMc().derived_docs)


# --- cross-section ---------------------------------------------------------------------------------------------------


def circle(radius: float = SECTION, points: int = 30, share: float = 0.95) -> Any:
    x = np.linspace(0, share * radius, points)
    return section_profile(x, radius - np.sqrt(radius**2 - x**2))


def test_a_round_section_touches_where_a_torus_does() -> None:
    table = circle(points=60)
    gamma = np.linspace(-1.0, 1.0, 41)
    found = np.array([table(g) for g in gamma])
    # a cubic spline through points h apart is off by f'''' h⁴·5/384, f'''' of a circle at 54° about 60/c³
    tolerance = 60 / SECTION**3 * (0.95 * SECTION / 59) ** 4
    assert_close(found[:, 0], -SECTION * np.sin(gamma), tolerance * 30)
    assert_close(found[:, 1], SECTION * (1 - np.cos(gamma)), tolerance * 30)


@pytest.mark.parametrize("gamma", [-0.7, -0.2, 0.0, 0.3, 0.9])
def test_contact_of_a_torus(gamma: float) -> None:
    """A torus of section c on a plane: its lowest point is c below the circle of radius R0 - c, in the wheel plane."""
    r0, height = 0.31, 0.25
    axis = np.array([0.0, math.cos(gamma), math.sin(gamma)])
    disc = touch(axis, [0.0, 0.0, 1.0], height)
    assert disc.gamma == pytest.approx(gamma)
    shift, drop = -SECTION * math.sin(gamma), SECTION * (1 - math.cos(gamma))
    contact, rho = touch_section(disc, height, r0, shift, drop)
    assert rho == pytest.approx((r0 - SECTION) * math.cos(gamma) + SECTION - height)
    assert contact.arm == pytest.approx([0.0, (r0 - SECTION) * math.sin(gamma), -height])
    assert contact.radius == pytest.approx(np.linalg.norm(contact.arm))


def test_the_rate_of_the_deflection_is_exact() -> None:
    """(11): against the difference of (9) along a motion that lifts, leans and rolls."""
    r0, c = 0.31, SECTION
    velocity, omega = np.array([12.0, 0.4, -0.3]), np.array([0.9, -0.2, 1.4])
    gamma, height = 0.5, 0.26

    def deflection(t: float) -> float:
        lean = gamma + omega[0] * t  # about x, to first order in t
        return (r0 - c) * math.cos(lean) + c - (height + velocity[2] * t)

    disc = touch([0.0, math.cos(gamma), math.sin(gamma)], [0.0, 0.0, 1.0], height)
    contact, _ = touch_section(disc, height, r0, -c * math.sin(gamma), c * (1 - math.cos(gamma)))
    found = motion(contact, velocity, omega)
    h = 1e-6
    assert found.rho_rate == pytest.approx((deflection(h) - deflection(-h)) / (2 * h), rel=1e-7)


def test_sections_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ParameterError, match="must be convex; its slope falls near x"):
        section_profile([0, 0.02, 0.04, 0.06], [0, 0.01, 0.012, 0.013])
    with pytest.raises(ParameterError, match="is flat; give it a slight curve"):
        section_profile([0, 0.02, 0.04], [0, 0, 0])
    with pytest.raises(ParameterError, match="three points"):
        section_profile([0, 0.02], [0, 0.01])
    with pytest.raises(ParameterError, match="x rising from 0"):
        section_profile([0, 0.02, 0.02], [0, 0.01, 0.02])


def leaning(t: Tire, gamma: float) -> dict[str, float]:
    """Outputs of a wheel that stands leaning on a plane, 10 mm deep."""
    from jounce.components.tire.wheel import declare, mount
    from jounce.road.ground import Plane
    from jounce.symbolic import System

    system = System("leaning")
    ground = Plane.declare(system)
    lean = system.input("lean", "rad", rate=True)
    joint = system.prismatic("z", system.world, axis="z")
    frame = joint.frame.guided("carrier", (0, 0, 0), (("x", lean),))
    wheel = system.gyrostat("wheel", system.body("body", frame, 100.0, (1, 1, 1)), "y", 0.5)
    mounted = mount(system, declare(system, t), wheel, ground, "left")
    mounted.declare_outputs(system)
    for i in range(3):
        system.output(f"force.{i}", mounted.wrench.force[i], "N")
        system.output(f"moment.{i}", mounted.wrench.moment[i], "N.m")
    sim = compiled(system)
    height = (t.values["UNLOADED_RADIUS"] - SECTION) * math.cos(gamma) + SECTION - 0.01
    sim.set_states({"z.travel": height})
    sim.set_inputs({"lean": gamma})
    return outputs_by_name(sim, sim.outputs())


def test_a_leaning_wheel_stands_on_its_section_and_forces_act_there() -> None:
    gamma = 0.6
    values = {**MOTORCYCLE, "QSX1": 0.0, "QSX2": 0.0, "QSX3": 0.0}
    section = replace(tire(values, profile=True), curves={"profile": circle(points=60)})
    disc = replace(tire(values, profile=True, disc_point=True), curves={"profile": circle(points=60)})
    a, b = leaning(section, gamma), leaning(disc, gamma)
    assert a["tire.deflection"] == pytest.approx(0.01, abs=1e-6)
    assert a["tire.fz"] == pytest.approx(values["VERTICAL_STIFFNESS"] * 0.01, rel=1e-4)
    height = (0.31 - SECTION) * math.cos(gamma) + SECTION - 0.01
    # moments about the x axis through the wheel centre, by the arms of the two contact points
    lateral = {"section": (0.31 - SECTION) * math.sin(gamma), "disc": height * math.tan(gamma)}
    for found, arm in ((a, lateral["section"]), (b, lateral["disc"])):
        expected = arm * found["tire.fz"] + height * found["tire.fy"]
        assert found["moment.0"] == pytest.approx(expected, rel=1e-4)
    assert a["moment.0"] - b["moment.0"] == pytest.approx(
        (lateral["section"] - lateral["disc"]) * a["tire.fz"], rel=1e-3
    )
    # it rolls on a smaller radius
    assert a["tire.radius"] < 0.31 - SECTION * (1 - math.cos(gamma))


def test_upright_a_section_makes_no_difference() -> None:
    t = tire(profile=True)
    with_section, plain = replace(t, curves={"profile": circle()}), tire()
    a, b = leaning(with_section, 0.0), leaning(plain, 0.0)
    for name, value in b.items():
        assert a[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def nearly_flat(width: float, radius: float = 20.0) -> Any:
    """Half a section like a car's: its drop over the whole width is far below a millimetre."""
    x = np.linspace(0, width, 20)
    return section_profile(x, x**2 / (2 * radius))


def test_on_a_flat_section_both_places_of_the_force_are_one_when_upright() -> None:
    values = {**MOTORCYCLE, "QSX1": 0.0, "QSX2": 0.0, "QSX3": 0.0}
    width = 0.05
    at_section, at_disc = (
        replace(tire(values, profile=True, disc_point=way), curves={"profile": nearly_flat(width)})
        for way in (False, True)
    )
    a, b = leaning(at_section, 0.0), leaning(at_disc, 0.0)
    assert a["tire.fz"] > 1000
    for i in range(3):
        assert a[f"force.{i}"] == pytest.approx(b[f"force.{i}"], rel=1e-12, abs=1e-9)
        assert a[f"moment.{i}"] == pytest.approx(b[f"moment.{i}"], rel=1e-12, abs=1e-9)
    # leaning beyond the slope of its end it stands on its edge, at the last point of the table
    gamma, drop = 0.1, width**2 / 40
    height = (0.31 - SECTION) * math.cos(gamma) + SECTION - 0.01  # of ``leaning``
    a, b = leaning(at_section, gamma), leaning(at_disc, gamma)
    depth = (0.31 - drop) * math.cos(gamma) + width * math.sin(gamma) - height
    assert a["tire.deflection"] == pytest.approx(depth, abs=1e-9) == b["tire.deflection"]
    edge = (0.31 - drop) * math.sin(gamma) - width * math.cos(gamma)
    assert a["moment.0"] == pytest.approx(edge * a["tire.fz"] + height * a["tire.fy"], rel=1e-9)
    disc = height * math.tan(gamma)
    assert b["moment.0"] == pytest.approx(disc * b["tire.fz"] + height * b["tire.fy"], rel=1e-9)


def test_a_section_without_width_is_the_disc_whatever_the_place_of_the_force() -> None:
    """The narrower the section, the nearer the two points: apart by its width, and by how deep the tire is pressed."""
    values = {**MOTORCYCLE, "QSX1": 0.0, "QSX2": 0.0, "QSX3": 0.0}
    found = []
    for width in (4e-4, 1e-4):
        curves = {"profile": nearly_flat(width)}
        pair = (tire(values, profile=True, disc_point=way) for way in (False, True))
        a, b = (leaning(replace(t, curves=curves), 0.2) for t in pair)
        found.append((a["moment.0"] - b["moment.0"]) / a["tire.fz"])
    # the arms: (R0 - y) sin γ - x cos γ at the section, h tan γ where the disc meets the plane
    height = (0.31 - SECTION) * math.cos(0.2) + SECTION - 0.01
    remaining = 0.31 * math.sin(0.2) - height * math.tan(0.2)
    assert found[1] == pytest.approx(remaining - 1e-4 * math.cos(0.2), abs=1e-7)
    assert found[0] - found[1] == pytest.approx(-3e-4 * math.cos(0.2), abs=1e-7)


@pytest.mark.parametrize("function", ["vitools::vi_tire", "VI-TIRE", "vi_tire"])
@pytest.mark.parametrize("model", ["PAC_MC", "pac_mc"])
def test_the_keys_of_a_file_choose_this_model(function: str, model: str) -> None:
    text = library_file("tires", "example_pac_mc").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("FUNCTION_NAME", "MODEL_TYPE"))]
    at = next(i for i, line in enumerate(lines) if line.startswith("PROPERTY_FILE_FORMAT"))
    assert "'USER'" in lines[at]
    keys = [f"FUNCTION_NAME = '{function}'", f"MODEL_TYPE = '{model}'"]
    file = parse_tir("\n".join([*lines[: at + 1], *keys, *lines[at + 1 :]]))
    assert file.family == "PAC_MC" and isinstance(file.tire.model, PacMc)
    with pytest.raises(FormatError, match=r"\[MODEL\] MODEL_TYPE: found 'PAC_XY'; unknown tire family"):
        parse_tir("\n".join([*lines[: at + 1], keys[0], "MODEL_TYPE = 'PAC_XY'", *lines[at + 1 :]]))


def test_the_example_stands_on_a_wheel() -> None:
    t = read_tir(library_file("tires", "example_pac_mc")).tire
    mass = t.values["FNOMIN"] / GRAVITY
    sim = compiled(rig(t, mass=mass, spin_inertia=0.5), method="AB-2", step=0.001)
    sim.set_states({"z.travel": t.values["UNLOADED_RADIUS"] - t.deflection(1500.0)})
    sim.advance(1000)
    assert abs(sim.state("z.rate")) < 1e-3 and abs(sim.state("x.rate")) < 1e-6
