"""Grounds that change while a car runs: heights by inputs, planes from outside, a road that grows, the road's plane.

Checked against what must come out whatever the equations are: an accelerated plane is a heavier gravity, the rate of a
deflection is the derivative of the deflection, small motions follow the linear model, and the plane of an outside road
is the built-in one to the last bit.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from compliant_cars import without_friction
from four_wheels import CORNERS
from ideal_cars import ideal
from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.road.block import NO_HEIGHT, Frame
from jounce.road.curve import flat_top, sine
from jounce.road.grid import GridRoad
from jounce.road.inputs import Probed, external_inputs
from jounce.road.simple import Bump, Flat, Sum
from jounce.runtime.program import FromTable, Open, Phase, Program, Ramp, Reference, Sine
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim.statics import settle

LOAD, DEFLECTION, CLOSING = "Tire.Ground_Surface_Force_Z", "Tire.Effective_Penetration", "Tire.Effective_Closing_Speed"
PATCH_Z, ADDED = "Road.Contact_Patch_Global_Z", "Tire.User_Input_Contact_Patch_Global_Z_Perturbation"


@lru_cache
def described(ground: Any = "level", road_inputs: bool = True, smoothed: bool = False) -> cars.Description:
    return cars.describe(ideal("sedan"), ground=ground, road_inputs=road_inputs, smoothed=smoothed)


def settled(description: cars.Description, **where: Any) -> Simulation:
    sim = cars.simulation(description)
    settle(sim, description, **where)
    return sim


def run(sim: Simulation, inputs: dict[str, Reference | float], duration: float, **options: Any) -> Recording:
    phase = Phase("move", [Open(name, reference) for name, reference in inputs.items()], duration=duration)
    return sim.run(program=Program(phase), **options)


def four(reference: Reference | float) -> dict[str, Reference | float]:
    return {f"road.{c}": reference for c in CORNERS}


# -- heights by inputs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ground", ["level", "inclined", "road"])
def test_a_step_of_the_input_is_a_step_of_the_contact_height(ground: str) -> None:
    sim = cars.simulation(described(ground, smoothed=ground == "road"))
    grade, bank = 0.0, 0.0
    if ground == "inclined":
        grade, bank = 0.1, -0.05
        sim.set_parameters({"ground.grade": grade, "ground.bank": bank})
    if ground == "road":
        grade, bank = 0.03, 0.02
        Flat(grade=grade, bank=bank).bind(sim)

    def above(corner: str) -> float:
        """Height of the contact point over the plane that is given."""
        x, y, z = (sim.output(f"Road.Contact_Patch_Global_{axis}.{corner}") for axis in "XYZ")
        return z - grade * x - bank * y

    recorded = {}
    for corner, height in zip(CORNERS, (0.01, -0.02, 0.03, 0.005), strict=True):
        before = {c: sim.output(f"{DEFLECTION}.{c}") for c in CORNERS}
        assert above(corner) == pytest.approx(0.0, abs=1e-12)
        sim.set_inputs({f"road.{corner}": height})
        assert above(corner) == pytest.approx(height, abs=1e-12)
        assert sim.output(f"{ADDED}.{corner}") == height
        recorded[corner] = height
        for other in CORNERS:  # the others feel nothing
            if other != corner:
                assert sim.output(f"{DEFLECTION}.{other}") == before[other]
                assert sim.output(f"{ADDED}.{other}") == recorded.get(other, 0.0)


def test_without_the_choice_a_car_has_no_such_inputs() -> None:
    plain = cars.simulation(described(road_inputs=False))
    assert not [v.name for v in plain.model.inputs if v.name.startswith("road.")]
    assert not [v.name for v in plain.model.outputs if v.name.startswith(ADDED)]


@pytest.mark.slow
def test_heights_that_are_constant_are_another_place_of_the_plane() -> None:
    lifted, moved = settled(described()), settled(described())
    lifted.set_inputs({f"road.{c}": 0.05 for c in CORNERS})
    moved.set_parameters({"ground.height": 0.05})
    for c in CORNERS:
        assert lifted.output(f"{LOAD}.{c}") == pytest.approx(moved.output(f"{LOAD}.{c}"), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("grade", [0.0, 0.15])
def test_an_accelerated_plane_is_a_heavier_gravity(grade: float) -> None:
    """d = ½ a t² under all wheels. In axes that move with the plane the car feels g + a and stands on a plane at rest.
    Both are the same motion, integrated in other velocities: what differs is the error of AB-2, and falls as h²."""
    a, end = 3.0, 0.5
    description = described("inclined")
    t = np.linspace(0.0, end, 11)
    motion = FromTable(Table(t, 0.5 * a * t**2, method="cubic"))

    def both(step: float) -> list[Recording]:
        results = []
        for heavier in (False, True):
            sim = cars.simulation(description)
            sim.set_parameters({"ground.grade": grade, "aero.active": 0.0})  # the air does not move along
            sim.set_inputs({"brake": 0.3})
            settle(sim, description, normal=(-grade, 0.0, 1.0))
            if heavier:
                sim.set_parameters({"gravity": sim.parameters["gravity"] + a})
            results.append(run(sim, four(0.0 if heavier else motion), end, step=step, interval=0.01))
        return results

    coarse, fine = both(0.001), both(0.00025)
    for name in (LOAD, DEFLECTION, CLOSING, "Suspension.Jounce", "Tire.Ground_Surface_Force_X"):
        error = [max(np.abs(m[f"{name}.{c}"] - h[f"{name}.{c}"]).max() for c in CORNERS) for m, h in (coarse, fine)]
        scale = max(np.abs(fine[1][f"{name}.{c}"]).max() for c in CORNERS)
        assert error[0] < 2e-5 * scale and error[1] < error[0] / 8, (name, error, scale)
    moved, heavy = fine
    height = "chassis_displacements.vertical"
    assert np.abs(moved[height] - 0.5 * a * moved.time**2 - heavy[height]).max() < 1e-8
    assert heavy[f"{LOAD}.L1"][-1] > 1.1 * heavy[f"{LOAD}.L1"][0]


@pytest.mark.slow
def test_the_closing_speed_is_the_derivative_of_the_deflection() -> None:
    sim = settled(described())
    moves = {f"road.{c}": Sine(0.01, 3.0 + i) for i, c in enumerate(CORNERS)}
    recorded = run(sim, moves, 0.5, interval=0.001)
    h = 0.001
    for c in CORNERS:
        rho, rate = recorded[f"{DEFLECTION}.{c}"], recorded[f"{CLOSING}.{c}"]
        found = (rho[2:] - rho[:-2]) / (2 * h)
        # central difference of motions up to 15 Hz (wheel hop): h²/6 ω² relative
        assert np.abs(found - rate[1:-1])[20:].max() < (2 * math.pi * 15 * h) ** 2 / 6 * np.abs(rate).max() + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("frequency", [1.3, 4.0, 11.0])
def test_small_motions_of_the_wheels_follow_the_linear_model(frequency: float) -> None:
    """Posts under one wheel and under all: amplitude and phase of body and loads by H = C (iω - A)⁻¹ (B + iω B') + D…

    Amplitudes of 20 µm keep dampers within their first 2 mm/s; what remains is the second order in the amplitude and
    AB-2 at 0.5 ms, (ω h)² ≈ 1e-3 of the fast modes. Nothing rubs, as friction has no slope, and what gives way has
    a lag that does not follow the step.
    """
    lags = [f"{end}_suspension.compliance.lag" for end in ("front", "rear")]
    vehicle = without_friction(ideal("sedan")).with_(**dict.fromkeys(lags, 0.02))
    description = cars.describe(vehicle, road_inputs=True)
    amplitude = 2e-5
    names = [f"road.{c}{rate}" for c in CORNERS for rate in ("", ".rate")]
    outputs = [f"{LOAD}.L1", f"{LOAD}.R2", "chassis_displacements.vertical", "Suspension.Jounce.R1"]
    rest = settled(description)
    model = cars.lineariser(description, inputs=names, outputs=outputs).at(rest)
    omega = 2j * math.pi * frequency
    response = model.response(frequency)[0]
    for moved in (("L1",), tuple(CORNERS)):
        expected = sum(response[:, names.index(f"road.{c}")] for c in moved)
        expected = expected + omega * sum(response[:, names.index(f"road.{c}.rate")] for c in moved)
        sim = settled(description)
        before = {name: sim.output(name) for name in outputs}
        cycles = 4
        wait = max(4.0, 2 / frequency)  # body modes of 1 Hz with 0.3 of critical damping: e^-(4 s · 2π · 0.3)
        wait = math.ceil(wait * frequency) / frequency
        moves = {f"road.{c}": Sine(amplitude, frequency) for c in moved}
        recorded = run(sim, moves, wait + cycles / frequency, step=0.0005, interval=0.0005, channels=outputs)
        late = recorded.time > wait - 1e-9
        t = recorded.time[late]
        basis = np.column_stack([np.sin(abs(omega) * t), np.cos(abs(omega) * t), np.ones_like(t), t])
        for i, name in enumerate(outputs):
            sin, cos, *_ = np.linalg.lstsq(basis, recorded[name][late] - before[name], rcond=None)[0]
            found = (sin + 1j * cos) / amplitude
            size = max(abs(expected[i]), 0.02 * abs(response[i]).max())
            assert abs(found - expected[i]) < 0.01 * size, (moved, name, found, expected[i])


def test_a_wheel_that_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"road\.L3"):
        run(cars.simulation(described()), {"road.L3": 0.0}, 0.1)


# -- planes from outside ---------------------------------------------------------------------------------------------


def manoeuvre(sim: Simulation) -> Recording:
    sim.set_states({"chassis.vx": 20.0} | {f"{c}.wheel.spin": 20.0 / 0.3 for c in CORNERS})
    moves: dict[str, Reference | float] = {"steering_wheel": Ramp(0.5, 0.4), "brake": Ramp(0.2, 0.3, delay=0.5)}
    return run(sim, moves, 1.0, interval=0.01)


def test_a_flat_outside_road_is_the_plane_to_the_last_bit() -> None:
    plane, outside = settled(described(road_inputs=False)), settled(described("external", road_inputs=False))
    assert np.abs(plane.x - outside.x).max() < 1e-15  # two searches
    outside.x[:], outside.m[:] = plane.x, plane.m
    one, other = manoeuvre(plane), manoeuvre(outside)
    assert one.names == other.names
    for name in one.names:
        assert np.array_equal(one[name], other[name]), name


@pytest.mark.slow
def test_an_outside_plane_is_the_inclined_one() -> None:
    """Any point of the plane will do, and the normal may have any length."""
    grade, bank, mu = 0.08, -0.03, 0.7
    inclined, outside = described("inclined"), described("external", road_inputs=False)
    where = {"normal": (-grade, -bank, 1.0)}
    results = []
    for description in (inclined, outside):
        sim = cars.simulation(description)
        sim.set_inputs({"brake": 0.5})
        if description is inclined:
            sim.set_parameters({"ground.grade": grade, "ground.bank": bank, "ground.friction": mu})
        else:
            for i, c in enumerate(CORNERS):
                x, y = 3.0 * i, -2.0 * i
                point = (x, y, grade * x + bank * y)
                sim.set_inputs(external_inputs(c, point, (-2 * grade, -2 * bank, 2.0), mu))
        settle(sim, description, **where)
        results.append({c: [sim.output(f"{n}.{c}") for n in (LOAD, "Tire.Road_Friction", PATCH_Z)] for c in CORNERS})
    for c in CORNERS:
        assert results[0][c] == pytest.approx(results[1][c], rel=1e-9, abs=1e-9)


@pytest.mark.slow
def test_contact_points_from_outside_are_taken_as_they_are() -> None:
    """The point may lie before the wheel: its distance is the loaded radius, and the force turns about the hub."""
    ahead = 0.05
    taken = {}
    for ground in ("external", "external-points"):
        sim = cars.simulation(described(ground, road_inputs=False))
        x, y, z = (sim.output(f"Wheel.Global_{axis}.L1") for axis in "XYZ")
        sim.set_inputs(external_inputs("L1", (x + ahead, y, 0.03)))
        names = ("Tire.Loaded_Radius", LOAD, "Road.Contact_Patch_Global_X")
        taken[ground] = [sim.output(f"{name}.L1") for name in names]
        if ground == "external":  # the plane through the point: right below the wheel but for its small inclination
            assert taken[ground][0] == pytest.approx(z - 0.03, rel=1e-3)
            assert taken[ground][2] == pytest.approx(x, abs=0.01)
        else:
            radius, _, where = taken[ground]
            assert radius == pytest.approx(math.hypot(ahead, z - 0.03), rel=1e-12)
            assert where == pytest.approx(x + ahead, abs=1e-12)
            force, moment = (
                np.array([sim.output(f"Tire.Hub_Carrier_{what}_Global_{axis}.L1") for axis in "XYZ"])
                for what in ("Force", "Moment")
            )
            own = np.array([sim.output(f"Tire.Ground_Surface_Moment_{axis}.L1") for axis in "XYZ"])
            turned = np.cross([ahead, 0.0, 0.03 - z], force)
            # what the tire itself makes lies along its own axes, some tenths of a degree from the world's
            assert moment - turned == pytest.approx(own, abs=0.02 * np.abs(own).max())
            assert abs(turned[1]) > 10 * np.abs(own).max()
    assert taken["external"][1] > taken["external-points"][1] > 0  # nearer: more load


def test_the_friction_of_outside_planes_is_that_of_the_tires() -> None:
    """A full brake on µ = 0.3: forces as on a plane of that friction, to the last bit, and no larger."""
    mu = 0.3
    plane, outside = settled(described(road_inputs=False)), settled(described("external", road_inputs=False))
    plane.set_parameters({"ground.friction": mu})
    for c in CORNERS:
        outside.set_inputs(external_inputs(c, (0.0, 0.0, 0.0), friction=mu))
    outside.x[:], outside.m[:] = plane.x, plane.m
    recorded = []
    for sim in (plane, outside):
        sim.set_states({"chassis.vx": 20.0} | {f"{c}.wheel.spin": 20.0 / 0.3 for c in CORNERS})
        recorded.append(run(sim, {"brake": Ramp(1.0, 0.1)}, 0.5, interval=0.01))
    for c in CORNERS:
        name = f"Tire.Ground_Surface_Force_X.{c}"
        assert np.array_equal(recorded[0][name], recorded[1][name])
        used = np.abs(recorded[1][name][-20:]) / recorded[1][f"{LOAD}.{c}"][-20:]
        assert np.all(used < 1.35 * mu)  # no tire has much more than 1.3 of what its file was measured on
    assert used.max() > 0.5 * mu


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["external", "external-points"])
def test_an_added_height_lifts_outside_grounds(ground: Any) -> None:
    sim = cars.simulation(described(ground))
    for c in CORNERS:
        x, y = (sim.output(f"Wheel.Global_{axis}.{c}") for axis in "XY")
        sim.set_inputs(external_inputs(c, (x, y, 0.0)))
    before, load = sim.output("Tire.Loaded_Radius.L1"), sim.output(f"{LOAD}.L1")
    sim.set_inputs({"road.L1": 0.01, "road.L1.rate": 0.2})
    assert sim.output(f"{PATCH_Z}.L1") == pytest.approx(0.01, abs=1e-12)
    assert sim.output("Tire.Loaded_Radius.L1") == pytest.approx(before - 0.01, abs=1e-4)  # but for the camber
    assert sim.output(f"{CLOSING}.L1") == pytest.approx(0.2, rel=1e-3)
    assert sim.output(f"{LOAD}.L1") > load + 1000.0


@lru_cache
def twin_truck(ground: Any = "level", mode: str = "ground") -> cars.Description:
    changes = {"rear_wheels.twin": {"offset": 0.3}, "system.road_plane": mode}
    return cars.describe(ideal("light_truck").with_(**changes), ground=ground)


@pytest.mark.slow
def test_each_tire_of_a_twin_wheel_has_its_own_contact_point() -> None:
    level, outside = settled(twin_truck()), cars.simulation(twin_truck("external-points"))
    outside.x[:], outside.m[:] = level.x, level.m
    tires = (*CORNERS, "L2_twin", "R2_twin")
    for tire in tires:
        point = [level.output(f"Road.Contact_Patch_Global_{axis}.{tire}") for axis in "XYZ"]
        outside.set_inputs(external_inputs(tire, point))
    for tire in tires:
        assert outside.output(f"{LOAD}.{tire}") == pytest.approx(level.output(f"{LOAD}.{tire}"), rel=1e-9), tire
        assert outside.output(f"{LOAD}.{tire}") > 1000.0
    before = outside.output(f"{LOAD}.L2")
    outside.set_inputs({"Road_External.L2_twin.z": 0.01})
    assert outside.output(f"{LOAD}.L2") == before
    assert outside.output(f"{LOAD}.L2_twin") > before + 1000.0


@pytest.mark.parametrize(
    ("point", "normal", "friction", "message"),
    [
        ((0.0, 0.0), (0.0, 0.0, 1.0), 1.0, "three numbers each"),
        ((0.0, 0.0, 0.0, 0.0), (0.0, 1.0), 1.0, "three numbers each"),
        ((0.0, math.nan, 0.0), (0.0, 0.0, 1.0), 1.0, "L1: y = nan; expected a finite number"),
        ((0.0, 0.0, 0.0), (0.0, 0.0, math.inf), 1.0, "normal_z = inf"),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0, "points upwards"),
        ((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), 1.0, "points upwards"),
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, "points upwards"),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), -0.1, "friction = -0.1"),
    ],
)
def test_outside_inputs_are_checked(point: Any, normal: Any, friction: float, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        external_inputs("L1", point, normal, friction)


def test_normals_that_nobody_checked_are_harmless() -> None:
    """Set as inputs one by one: a plane has two normals; one without length says nothing."""
    sim = cars.simulation(described("external", road_inputs=False))
    known = [sim.output(f"{LOAD}.{c}") for c in CORNERS]
    assert min(known) > 1000
    for z in (-1.0, 0.0, 1e-9, 5.0):
        sim.set_inputs({f"Road_External.{c}.normal_z": z for c in CORNERS})
        assert [sim.output(f"{LOAD}.{c}") for c in CORNERS] == known, z
    sim.set_inputs({f"Road_External.L1.normal_{a}": value for a, value in zip("xyz", (0.3, 0.4, -12.0), strict=True)})
    other = cars.simulation(described("external", road_inputs=False))
    other.set_inputs(external_inputs("L1", (0.0, 0.0, 0.0), (-0.3, -0.4, 12.0)))
    assert sim.output(f"{LOAD}.L1") == other.output(f"{LOAD}.L1") != known[0]


def test_an_unknown_ground_is_refused() -> None:
    with pytest.raises(ParameterError, match="'external'"):
        described("externl")


# -- normals of three points -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_normal_of_three_points_lies_as_the_road_does() -> None:
    """A tilted grid ends 5 cm beside the left wheels: with nothing there the slope is that of the surface."""
    grade, bank, spacing = 0.04, -0.03, 0.2
    description = cars.describe(ideal("sedan"), ground="road", normals="points")
    sim = cars.simulation(description)
    sim.set_parameters({"ground.spacing": spacing})
    Flat().bind(sim)
    edge = max(sim.output(f"Wheel.Global_Y.{c}") for c in CORNERS) + 0.05
    v = np.linspace(edge - 4.0, edge, 9)
    u = np.arange(-10.0, 10.01, 0.5)
    for border in ("hold", "none"):
        road = GridRoad(z=grade * u[:, None] + bank * v, du=0.5, v=v, u0=-10.0, x=-10.0, border_v=border)
        road.bind(sim)
        beyond = not bool(road.query(0.0, edge + 0.1).no_ground)
        assert beyond == (border == "hold")
        for c in CORNERS:
            y = sim.output(f"Wheel.Global_Y.{c}")
            slope = bank * min(spacing, edge - y) / spacing if border == "hold" else bank
            n = np.array([-grade, -slope, 1.0]) / math.sqrt(1 + grade**2 + slope**2)
            found = [sim.output(f"Tire.Contact_Patch_Normal_{axis}.{c}") for axis in "XYZ"]
            assert found == pytest.approx(n, abs=1e-9), (border, c)


def test_three_points_over_a_hole() -> None:
    """No ground under the wheel but beside it: the slopes are those of the hole, none."""

    def hole(x: float, y: float, z: float) -> tuple[float, ...]:
        there = (x, y) not in ((0.0, 0.0), (5.1, 5.0))
        return (2.0 + 0.1 * x - 0.2 * y, 0.1, -0.2, 1.0) if there else (NO_HEIGHT, 0.0, 0.0, 0.0)

    probed = Probed(hole, 0.1)
    assert probed.at(0.0, 0.0, 1.0) == (NO_HEIGHT, 0.0, 0.0, 0.0)
    assert probed.at(1.0, 2.0, 1.0) == pytest.approx((1.7, 0.1, -0.2, 1.0))
    assert probed.at(5.0, 5.0, 1.0) == pytest.approx((1.5, 0.1, -0.2, 1.0))


# -- a road that grows -----------------------------------------------------------------------------------------------


def waves() -> Sum:
    return Sum(base=Flat(), features=[Bump(profile=sine(0.02, 3.0, 300.0), frame=Frame(x=-90.7))])


@pytest.mark.slow
def test_a_road_grows_out_of_its_plane() -> None:
    description = described("road", smoothed=True)
    sim, road = cars.simulation(description), waves()
    road.bind(sim)
    height, grade, end = 0.01, 0.02, 1.0
    sim.set_parameters({"smoothing.height": height, "smoothing.grade": grade, "smoothing.time": end})
    settle(sim, description, normal=(-grade, 0.0, 1.0), height=height)
    sim.set_states({"chassis.vx": 3.0} | {f"{c}.wheel.spin": 3.0 / 0.31 for c in CORNERS})
    recorded = run(sim, {"steering_wheel": 0.0}, 1.5, interval=0.001)
    tau = np.minimum(recorded.time / end, 1.0)
    share = 3 * tau**2 - 2 * tau**3
    for c in CORNERS:
        x, y, z = (recorded[f"Road.Contact_Patch_Global_{axis}.{c}"] for axis in "XYZ")
        flat = height + grade * x
        full = road.query(x, y).height
        # the plane is asked for under the wheel centre and touched beside it: its curvature (2π/3 m)² · 0.02 m times
        # the square of slope times radius, 15 mm, by two
        assert np.abs(z - flat - share * (full - flat)).max() < 0.1 * 0.015**2
        assert abs(z[0] - flat[0]) < 1e-12
        rho, rate = recorded[f"{DEFLECTION}.{c}"], recorded[f"{CLOSING}.{c}"]
        found = (rho[2:] - rho[:-2]) / 0.002
        # the rate on a tangent plane leaves out the turn of the normal: slope · its rate · radius
        turn = 0.06 * 0.3 * 0.31
        assert np.abs(found - rate[1:-1])[20:].max() < turn
        # without the velocity of the ground it would be wrong by more than that
        grows = np.gradient(share, recorded.time) * (full - flat)
        assert np.abs(grows).max() > 3 * turn


def test_without_a_time_the_road_is_there() -> None:
    sim, road = cars.simulation(described("road", smoothed=True)), waves()
    road.bind(sim)
    for c in CORNERS:
        x, y, z = (sim.output(f"Wheel.Global_{axis}.{c}") for axis in "XYZ")
        here = road.query(x, y, z)
        below = z - here.height - sim.output(f"Tire.Loaded_Radius.{c}") * float(np.hypot(1.0, here.slope_x))
        assert abs(below) < 0.31 * 1e-3  # but for the camber of a degree or two: its cosine
    with pytest.raises(ParameterError, match="grows out of a plane"):
        described("level", smoothed=True)


# -- the plane of the road -------------------------------------------------------------------------------------------

ABOVE, PITCH, ROLL = (f"chassis_displacements.{n}_wrt_road" for n in ("vertical", "pitch", "roll"))


@lru_cache
def with_plane(mode: str) -> cars.Description:
    return cars.describe(ideal("sedan").with_(**{"system.road_plane": mode}), road_inputs=True)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["contacts", "estimated", "heights"])
def test_on_a_plane_all_planes_are_one(mode: str) -> None:
    usual, other = settled(described()), settled(with_plane(mode))
    for name in (ABOVE, PITCH, ROLL):
        assert other.output(name) == pytest.approx(usual.output(name), abs=1e-12), name


def lifted(mode: str, down: tuple[str, ...], depth: float) -> tuple[Simulation, Recording]:
    """The ground falls from under some wheels within 10 ms, faster than they can follow."""
    sim = settled(with_plane(mode))
    moves: dict[str, Reference | float] = {f"road.{c}": Ramp(-depth, 0.01, delay=0.02) for c in down}
    channels = [ABOVE, PITCH, ROLL, *(f"{n}.{c}" for n in ("Road.Contact_Flag", PATCH_Z) for c in CORNERS)]
    channels += [f"Road.Contact_Patch_Global_{a}.{c}" for a in "XY" for c in CORNERS]
    channels += [f"chassis_displacements.{n}" for n in ("longitudinal", "lateral", "vertical", "roll")]
    return sim, run(sim, moves, 0.06, interval=0.001, channels=channels)


def plane_through(points: np.ndarray) -> np.ndarray:
    """Unit normal of the plane nearest to some points, upwards."""
    middle = points.mean(axis=0)
    normal = np.linalg.svd(points - middle)[2][2]
    return normal * np.sign(normal[2])


@pytest.mark.slow
def test_with_two_diagonal_wheels_in_the_air() -> None:
    depth = 0.3
    found = {mode: lifted(mode, ("L1", "R2"), depth)[1] for mode in ("contacts", "estimated", "heights")}
    for recorded in found.values():
        assert recorded["Road.Contact_Flag.L1"][-1] == 0 and recorded["Road.Contact_Flag.R2"][-1] == 0
        assert recorded["Road.Contact_Flag.R1"][-1] == 1 and recorded["Road.Contact_Flag.L2"][-1] == 1
    begin = {mode: float(recorded[ABOVE][0]) for mode, recorded in found.items()}
    # heights: those of the last contact, hence within what a tire is deflected (20 mm) of those at rest
    assert abs(found["heights"][ABOVE][-1] - begin["heights"]) < 0.02
    # contacts: one axle never has both its wheels down; the plane is the last one, likewise
    assert abs(found["contacts"][ABOVE][-1] - begin["contacts"]) < 0.02
    for mode in ("heights", "contacts"):  # and as level as the ground was, while the body may have rolled
        recorded = found[mode]
        level = recorded[ROLL] - recorded["chassis_displacements.roll"]
        assert np.abs(level).max() < 0.02 / 1.5, mode  # 20 mm over the track
        assert np.abs(recorded[ABOVE] - recorded[ABOVE][0]).max() < 0.02, mode
    # estimated: through the ground under L1, R1, L2 as it is now; it has moved without a jump
    estimated = found["estimated"][ABOVE]
    assert np.abs(np.diff(estimated)).max() < 1.5 * depth / 10  # 10 rows of the ramp
    recorded = found["estimated"]
    points = np.array([[recorded[f"Road.Contact_Patch_Global_{a}.{c}"][-1] for a in "XYZ"] for c in ("L1", "R1", "L2")])
    assert points[0, 2] == pytest.approx(-depth, abs=1e-6)
    place = np.array([recorded[f"chassis_displacements.{n}"][-1] for n in ("longitudinal", "lateral", "vertical")])
    assert estimated[-1] == pytest.approx(float(plane_through(points) @ (place - points[0])), abs=1e-9)
    # as steep across the car as L1 and R1 say: 0.3 m over the track, less than half a degree of the body's own roll
    slope = math.atan2(points[1, 2] - points[0, 2], points[0, 1] - points[1, 1])
    assert recorded[ROLL][-1] - recorded["chassis_displacements.roll"][-1] == pytest.approx(slope, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["contacts", "heights"])
def test_planes_that_are_kept_lie_where_the_ground_was(mode: str) -> None:
    """Ground at 1.5 m, and half of it falls away: what is remembered is its height, not zero."""
    description = with_plane(mode)
    sim = cars.simulation(description)
    sim.set_parameters({"ground.height": 1.5})
    settle(sim, description, height=1.5)
    begin = sim.output(ABOVE)
    assert begin == pytest.approx(settled(described()).output(ABOVE), abs=1e-9)
    recorded = run(sim, {f"road.{c}": Ramp(-0.3, 0.01, delay=0.02) for c in ("L1", "R2")}, 0.06, interval=0.001)
    assert recorded["Road.Contact_Flag.L1"][-1] == recorded["Road.Contact_Flag.R2"][-1] == 0
    assert np.abs(recorded[ABOVE] - begin).max() < 0.02  # what a tire is deflected


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["contacts", "heights"])
def test_twin_wheels_on_their_outer_tires_are_in_contact(mode: str) -> None:
    """Ridges of 60 mm under the outer rear tires: the plane goes through the tires that touch."""
    description = twin_truck("road", mode)
    sim = cars.simulation(description)
    Flat().bind(sim)
    x, y = (sim.output(f"Wheel.Global_{axis}.L2") for axis in "XY")
    ridges = [
        Bump(
            profile=flat_top(0.22, 0.01, 0.06),
            window=flat_top(1.2, 0.1),
            frame=Frame(x=x, y=side * (y + 0.3), heading=math.pi / 2),
        )
        for side in (1, -1)
    ]
    Sum(base=Flat(), features=ridges).bind(sim)
    settle(sim, description)
    touching = [t for t in (*CORNERS, "L2_twin", "R2_twin") if sim.output(f"Road.Contact_Flag.{t}") > 0]
    assert touching == ["L1", "R1", "L2_twin", "R2_twin"]
    used = touching if mode == "contacts" else touching[:3]
    points = np.array([[sim.output(f"Road.Contact_Patch_Global_{a}.{t}") for a in "XYZ"] for t in used])
    place = np.array([sim.output(f"chassis_displacements.{n}") for n in ("longitudinal", "lateral", "vertical")])
    expected = float(plane_through(points) @ (place - points.mean(axis=0)))
    # least squares are taken along the chassis' z axis, here across the plane: the points lie within a millimetre of it
    assert sim.output(ABOVE) == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
def test_a_plane_that_is_kept_stays_where_it_was() -> None:
    """Two diagonal wheels in the air; then the ground under one of the others rises. The last plane does not know."""
    sim = settled(with_plane("contacts"))
    moves: dict[str, Reference | float] = {f"road.{c}": Ramp(-0.3, 0.01) for c in ("L1", "R2")}
    moves["road.R1"] = Ramp(0.02, 0.02, delay=0.03)
    recorded = run(sim, moves, 0.06, interval=0.001)
    flying = np.maximum(recorded["Road.Contact_Flag.L1"], recorded["Road.Contact_Flag.R2"]) == 0
    assert flying[30:].all() and recorded[f"{PATCH_Z}.R1"][-1] == pytest.approx(0.02, abs=1e-9)
    plane = (recorded["chassis_displacements.vertical"] - recorded[ABOVE])[flying]  # its height under the body
    assert np.ptp(plane) < 1e-4


def test_with_one_axle_in_the_air() -> None:
    """Contacts: through the wheels of the rear axle, level along the car as the road is; not the plane of before."""
    sim = settled(with_plane("contacts"))
    moves: dict[str, Reference | float] = {f"road.{c}": Ramp(-0.5, 0.01) for c in ("L1", "R1")}
    moves |= {"road.L2": Ramp(0.01, 0.05)}
    recorded = run(sim, moves, 0.06, interval=0.001)
    assert recorded["Road.Contact_Flag.L1"][-1] == recorded["Road.Contact_Flag.R1"][-1] == 0
    left, right = (np.array([recorded[f"Road.Contact_Patch_Global_{a}.{c}"][-1] for a in "XYZ"]) for c in ("L2", "R2"))
    across = (left - right) / np.linalg.norm(left - right)
    level = np.array([0.0, 0.0, 1.0])
    normal = level - (level @ across) * across
    normal /= np.linalg.norm(normal)
    place = np.array([recorded[f"chassis_displacements.{n}"][-1] for n in ("longitudinal", "lateral", "vertical")])
    assert recorded[ABOVE][-1] == pytest.approx(float(normal @ (place - left)), abs=1e-9)


def test_three_wheels_in_contact_make_the_plane() -> None:
    _, recorded = lifted("contacts", ("R1",), 0.3)
    assert recorded["Road.Contact_Flag.R1"][-1] == 0
    points = np.array([[recorded[f"Road.Contact_Patch_Global_{a}.{c}"][-1] for a in "XYZ"] for c in ("L1", "L2", "R2")])
    normal = plane_through(points)
    assert normal @ [0, 0, 1] == pytest.approx(1.0, abs=1e-9)  # all three on the level ground
    assert abs(recorded[ABOVE][-1] - recorded[ABOVE][0]) < 0.02
