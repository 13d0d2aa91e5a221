"""Ports: what a run gives or changes from outside, against Newton and Euler.

All ports of one car are open in one model, which also tells momentum, angular momentum and energy. At a state with
every number of its own, a load changes accelerations by Δ; momentum is linear in the speeds, so that p(x + Δ) − p(x) is
what the load does to its rate, exactly. Loads inside the car must change neither momentum, loads from outside change
them by force and lever arm as computed here by hand, and the power of a load is ½ (T(x + Δ) − T(x − Δ)).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce.vehicle as jv
from car_models import bodies, outputs
from four_wheels import CORNERS
from ideal_cars import ideal
from jounce.components.model import VehicleModel
from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.results.catalogue import catalogue
from jounce.runtime.program import FromTable, Open, Phase, Program
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim.build import build
from jounce.sim.car_model import Structure
from jounce.sim.statics import settle
from jounce.symbolic.frames import add, cross, scale, times
from jounce.symbolic.system import System

Array = npt.NDArray[np.float64]

# element: group of inputs, flag, channel of its force, of its compression, word of its scaling
ELEMENTS = {
    "Main_Spring": ("activity_flag", "Spring.Force_At_Spring", "Spring", "Spring"),
    "Main_Damper": ("activation_flag", "Damper.Force_At_Damper", "Damper", "Damper"),
    "Main_Bumpstop": ("activity_flag", "Jounce_Bumper.Force_At_Bumper", "Jounce_Bumper", "Bumpstop"),
    "Main_Reboundstop": ("activity_flag", "Rebound_Bumper.Force_At_Bumper", "Rebound_Bumper", "Reboundstop"),
}
# all different, both signs: both stops of both sides are reached in one of the two states
TRAVELS = (
    {"L1": 0.071, "R1": -0.093, "L2": -0.088, "R2": 0.066},
    {"L1": -0.094, "R1": 0.068, "L2": 0.073, "R2": -0.09},
)


@pytest.fixture(scope="module")
def sedan() -> jv.Vehicle:
    # wheels that give way would answer loads from outside with more than these
    return ideal("sedan").with_(**{f"{axle}_suspension.compliance.factor": 0.0 for axle in ("front", "rear")})


@pytest.fixture(scope="module")
def described(sedan: jv.Vehicle) -> cars.Description:
    names = [name for name, (mode, *_) in cars.ports(sedan).items() if mode != "command"]
    return cars.describe(sedan, inputs=names)


def with_laws(system: System) -> System:
    """Outputs of momentum, energy and of the directions of chassis and carriers, from the bodies of the system."""
    found = bodies(system)
    linear, angular = [0.0] * 3, [0.0] * 3
    for body in found.values():
        frame = body.frame
        p = [body.mass * x for x in frame.to_world(frame.v)]
        spin = times(body.inertia, frame.w)
        for rotor in body.rotors:
            spin = add(spin, scale(rotor.axis, rotor.inertia * rotor.spin))
        linear = add(linear, p)
        angular = add(angular, add(cross(frame.position, p), frame.to_world(spin)))
    for i, axis in enumerate("xyz"):
        system.output(f"law.p{axis}", linear[i], "kg.m/s")
        system.output(f"law.h{axis}", angular[i], "kg.m2/s")
    system.output("law.kinetic", system.kinetic_energy(), "J")
    for name, body in found.items():
        for i in range(3):
            for j in range(3):
                system.output(f"pose.{name}.{i}{j}", body.frame.orientation[i][j], "-")
    return system


@pytest.fixture(scope="module")
def compiled(described: cars.Description) -> Simulation:
    sim = Simulation(build(with_laws(Structure(described).system())))
    cars.set_numbers(sim, described)
    return sim


@pytest.fixture
def design(compiled: Simulation) -> Iterator[Simulation]:
    """The car at design."""
    start = compiled.snapshot()
    yield compiled
    compiled.set_program(None)
    compiled.restore(start)


@pytest.fixture(params=[0, 1])
def sim(design: Simulation, request: pytest.FixtureRequest) -> Simulation:
    """The car at another heading, rolled, pitched, moving and steered; on one side up, on the other down."""
    put(design, request.param)
    return design


def put(sim: Simulation, which: int) -> None:
    yaw, pitch, roll = (0.83, -0.031, 0.067) if which == 0 else (-2.2, 0.043, -0.052)
    c, s = np.cos(np.array([yaw, pitch, roll]) / 2), np.sin(np.array([yaw, pitch, roll]) / 2)
    q = [
        c[0] * c[1] * c[2] + s[0] * s[1] * s[2],
        c[0] * c[1] * s[2] - s[0] * s[1] * c[2],
        c[0] * s[1] * c[2] + s[0] * c[1] * s[2],
        s[0] * c[1] * c[2] - c[0] * s[1] * s[2],
    ]
    sign = 1.0 if which == 0 else -1.0
    values = {f"chassis.e{i}": x for i, x in enumerate(q)}
    values |= {"chassis.x": 11.0, "chassis.y": -7.0, "chassis.vx": 23.0, "chassis.vy": 1.7 * sign, "chassis.vz": -0.3}
    values |= {"chassis.wx": 0.21 * sign, "chassis.wy": -0.13, "chassis.wz": 0.47 * sign}
    for c_, rate, spin in zip(CORNERS, (0.61, -0.37, -0.83, 0.29), (71.0, 74.0, 77.0, 69.0), strict=True):
        values |= {f"{c_}.jounce": TRAVELS[which][c_], f"{c_}.jounce.rate": sign * rate, f"{c_}.wheel.spin": spin}
    sim.set_states(values)
    sim.set_inputs({"steering_wheel": 0.9 * sign, "throttle": 0.3, "brake": 0.0})


def vector(found: Mapping[str, float], name: str) -> Array:
    return np.array([found[f"{name}{axis}"] for axis in "xyz"])


def turned(found: Mapping[str, float], body: str) -> Array:
    """Axes of a body as columns, world."""
    return np.array([[found[f"pose.{body}.{i}{j}"] for j in range(3)] for i in range(3)])


class Effect:
    """What inputs do to momentum, angular momentum about the world's origin, and energy."""

    def __init__(self, sim: Simulation, inputs: Mapping[str, float]) -> None:
        self.before = outputs(sim)
        without = sim.derivatives()[0].copy()
        was = {name: sim.input(name) for name in inputs}
        sim.set_inputs(dict(inputs))
        self.after = outputs(sim)
        delta = sim.derivatives()[0] - without
        x = sim.x.copy()
        sim.set_inputs(was)
        sim.x[:] = x + delta
        plus = outputs(sim)
        sim.x[:] = x - delta
        minus = outputs(sim)
        sim.x[:] = x
        self.force = vector(plus, "law.p") - vector(self.before, "law.p")
        self.moment = vector(plus, "law.h") - vector(self.before, "law.h")
        self.power = 0.5 * (plus["law.kinetic"] - minus["law.kinetic"])

    def change(self, name: str) -> float:
        return self.after[name] - self.before[name]

    def check(self, force: Any = (0, 0, 0), moment: Any = (0, 0, 0)) -> None:
        """``moment``: about the world's origin."""
        assert self.force == pytest.approx(np.array(force, dtype=float), abs=1e-5)
        assert self.moment == pytest.approx(np.array(moment, dtype=float), abs=1e-4)


# ---- elements ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", ELEMENTS)
@pytest.mark.parametrize(("place", "force"), [("L1", 913.0), ("R1", -1171.0), ("L2", -655.0), ("R2", 1432.0)])
def test_an_added_force_acts_along_its_element(sim: Simulation, group: str, place: str, force: float) -> None:
    """Compression positive: it does work on what lengthens, and nothing to the whole car."""
    _, channel, moved, _ = ELEMENTS[group]
    found = Effect(sim, {f"{group}.force.{place}": force})
    found.check()
    assert found.change(f"{channel}.{place}") == pytest.approx(force, rel=1e-12)
    assert found.power == pytest.approx(-force * found.before[f"{moved}.Jounce_Rate.{place}"], rel=1e-7)
    others = [f"{channel}.{c}" for c in CORNERS if c != place]
    assert [found.change(name) for name in others] == [0.0] * 3


@pytest.mark.parametrize("group", ELEMENTS)
def test_flag_factor_and_added_force_of_an_element(sim: Simulation, group: str) -> None:
    """value = flag · factor · internal + added, each wheel with numbers of its own."""
    flag, channel, _, word = ELEMENTS[group]
    given = zip(CORNERS, (1.0, 0.0, 0.0, 1.0), (0.4, 1.7, 1.0, 2.3), (0.0, 810.0, -170.0, -520.0), strict=True)
    expected, inputs = {}, {}
    before = outputs(sim)
    for place, on, factor, force in given:
        inputs |= {f"{group}.{flag}.{place}": on, f"External_{word}.{place}.{word}_Scaling_Factor": factor}
        inputs[f"{group}.force.{place}"] = force
        expected[place] = on * factor * before[f"{channel}.{place}"] + force
    sim.set_inputs(inputs)
    after = outputs(sim)
    assert {c: after[f"{channel}.{c}"] for c in CORNERS} == pytest.approx(expected, rel=1e-12)
    acting = [c for c in CORNERS if before[f"{channel}.{c}"]]
    assert len(acting) >= 2, "some of them must act by themselves for this to mean anything"


# ---- damper forces along a line --------------------------------------------------------------------------------------

FOLLOWS = {"L1": 1.0, "R1": 0.0, "L2": 0.0, "R2": 1.0}
STRENGTH = {"L1": 2100.0, "R1": 1700.0, "L2": 1300.0, "R2": 2600.0}  # N s/m


def outside_dampers(
    sim: Simulation, power: float, input_time: str = "hold", period: str | None = None, method: str = "RK-2"
) -> dict[str, dict[str, Array]]:
    """Rows of a run, half steps too, whose dampers are a block: F = c |v|^power sign v, v = speed of compression."""

    def dampers(t: float, v: Array) -> Array:
        return np.array(list(STRENGTH.values())) * np.sign(v) * np.abs(v) ** power

    reads, writes = [f"Damper.Jounce_Rate.{c}" for c in CORNERS], [f"Main_Damper.force.{c}" for c in CORNERS]
    start = sim.snapshot()
    sim.set_inputs({f"Main_Damper.activation_flag.{c}": 0.0 for c in CORNERS})
    sim.set_inputs({f"Main_Damper.force_extrapolation.{c}": on for c, on in FOLLOWS.items()})
    sim.set_states({f"{c}.jounce.rate": v for c, v in zip(CORNERS, (0.4, -0.3, -0.5, 0.6), strict=True)})
    sim.add_block("dampers", dampers, period, reads=reads, writes=writes, stateless=True)
    found = sim.run(
        sim.time + 0.03, step="1 ms", method=method, iprint=0, input_time=input_time,
        channels=[*reads, *(f"Damper.Force_At_Damper.{c}" for c in CORNERS)],
    )  # fmt: skip
    sim.remove_block("dampers")
    sim.restore(start)
    return {c: {"v": found[f"Damper.Jounce_Rate.{c}"], "F": found[f"Damper.Force_At_Damper.{c}"]} for c in CORNERS}


@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("input_time", ["hold", "extrapolate"])
def test_a_damper_force_follows_the_line_through_its_last_two_points(
    sim: Simulation, power: float, input_time: str
) -> None:
    """Between full steps F(v) = Fₙ + (Fₙ - Fₙ₋₁)/(vₙ - vₙ₋₁) (v - vₙ): for a linear damper its law, at every stage."""
    rows = outside_dampers(sim, power, input_time)
    for c in (c for c, on in FOLLOWS.items() if on):
        v, force = rows[c]["v"], rows[c]["F"]
        assert force[::2] == pytest.approx(STRENGTH[c] * np.sign(v[::2]) * np.abs(v[::2]) ** power, abs=1e-9)
        (vs, fs), half = (v[:-1:2], force[:-1:2]), v[1::2]
        slope = np.diff(fs)[1:] / np.diff(vs)[1:]
        assert force[1::2][2:] == pytest.approx(fs[2:] + slope * (half[2:] - vs[2:]), rel=1e-9)
        assert np.array_equal(force[1:4:2], fs[:2]), "held until there are points enough"
        if power == 1.0:
            assert force[1::2][2:] == pytest.approx(STRENGTH[c] * half[2:], rel=1e-6)
    for c in (c for c, on in FOLLOWS.items() if not on):
        force = rows[c]["F"]
        change = np.diff(force[:-1:2], prepend=force[0])
        line = 0.5 * change if input_time == "extrapolate" else 0.0
        assert force[1::2] == pytest.approx(force[:-1:2] + line, rel=1e-12)
    assert rows["L1"]["v"][0] > 0 > rows["R1"]["v"][0], "both signs"


def test_a_damper_force_that_is_not_given_every_step_is_held(sim: Simulation) -> None:
    rows = outside_dampers(sim, 1.0, period="2 ms")
    for c in CORNERS:
        force = rows[c]["F"]
        assert np.array_equal(force[1::2], force[:-1:2])
        assert len(np.unique(force)) > 10


def test_a_damper_whose_speed_does_not_change_is_held(compiled: Simulation) -> None:
    """Equal speeds at two full steps give no slope, whatever the forces."""
    start = compiled.snapshot()
    try:
        compiled.set_inputs({"Main_Damper.force_extrapolation.R2": 1.0})
        names = [v.name for v in compiled.model.memories]
        memory = {part: names.index(f"R2.damper_line.{part}") for part in ("force", "speed", "slope", "changed")}
        speed, m = compiled.output("Damper.Jounce_Rate.R2"), compiled.m.copy()
        m[names.index("full_step.seen")] = 1.0
        m[[memory["force"], memory["changed"]]] = 300.0, 1.0
        compiled.set_inputs({"Main_Damper.force.R2": 480.0})
        for before, expected in ((speed, 0.0), (speed - 0.02, 180.0 / 0.02), (speed + 0.03, -180.0 / 0.03)):
            m[memory["speed"]] = before
            _, after = compiled.derivatives(m=m)
            assert after[memory["slope"]] == pytest.approx(expected, rel=1e-9)
            assert after[memory["force"]] == 480.0 and after[memory["speed"]] == speed
    finally:
        compiled.restore(start)


@pytest.mark.parametrize("group", ELEMENTS)
def test_a_motion_ratio_of_the_run_counts_where_it_is_activated(sim: Simulation, group: str) -> None:
    _, channel, moved, word = ELEMENTS[group]
    ratios = dict(zip(CORNERS, (0.71, 0.64, 0.58, 0.83), strict=True))
    name = f"External_{word}.{{}}.{word}_Motion_Ratio"
    before = outputs(sim)
    sim.set_inputs({name.format(c): r for c, r in ratios.items()})
    assert outputs(sim) == before, "given, but not activated"
    active = {"L1": 1.0, "R1": 0.0, "L2": 0.0, "R2": 1.0}
    sim.set_inputs({f"{name.format(c)}_External_Activation": on for c, on in active.items()})
    after = outputs(sim)
    at_wheel = channel.rsplit("_At_", 1)[0] + "_At_Wheel"
    for c, on in active.items():
        if not on:
            assert after[f"{moved}.Jounce.{c}"] == before[f"{moved}.Jounce.{c}"]
            continue
        assert after[f"{moved}.Jounce.{c}"] == pytest.approx(ratios[c] * sim.state(f"{c}.jounce"), rel=1e-12)
        assert after[f"{moved}.Jounce_Rate.{c}"] == pytest.approx(ratios[c] * sim.state(f"{c}.jounce.rate"), rel=1e-12)
        assert after[f"{at_wheel}.{c}"] == pytest.approx(ratios[c] * after[f"{channel}.{c}"], rel=1e-12)


@pytest.mark.parametrize(("axle", "factor", "ratios"), [(1, 2.0, (3.1, 2.6)), (2, 0.35, (1.9, 2.7))])
def test_factor_and_ratios_of_a_bar(
    sim: Simulation, sedan: jv.Vehicle, axle: int, factor: float, ratios: tuple[float, float]
) -> None:
    """T = factor · stiffness (r_L J_L - r_R J_R), F = T r: the factor is at the left wheel, each ratio at its own."""
    bar = sedan.suspension(axle).anti_roll_bar
    assert bar is not None and bar.stiffness is not None
    name, torque = "External_Antirollbar.{}.Antirollbar_{}", f"Suspension.Auxiliary_Roll_Force_at_element.SUSP{axle}"
    before = outputs(sim)
    assert abs(before[torque]) > 10.0
    places = [f"L{axle}", f"R{axle}"]
    sim.set_inputs({name.format(places[0], "Scaling_Factor"): factor})
    assert outputs(sim)[torque] == pytest.approx(factor * before[torque], rel=1e-12)
    sim.set_inputs({name.format(c, "Motion_Ratio"): r for c, r in zip(places, ratios, strict=True)})
    assert outputs(sim)[torque] == pytest.approx(factor * before[torque], rel=1e-12), "given, but not activated"
    given = {name.format(c, "Motion_Ratio_External_Activation"): 1.0 for c in places}
    found = Effect(sim, given)
    found.check()  # inside the car
    twist = sum(s * r * sim.state(f"{c}.jounce") for s, c, r in zip((1, -1), places, ratios, strict=True))
    expected = factor * (bar.preload + bar.scale * bar.stiffness * twist)
    assert found.after[torque] == pytest.approx(expected, rel=1e-12)
    force = found.after[f"Suspension.Auxiliary_Roll_Force.SUSP{axle}"]
    assert force == pytest.approx(expected * ratios[0], rel=1e-12)
    sim.set_inputs(given)
    removed = Effect(sim, {f"Antiroll_Bar.activity_flag.{('front', 'rear')[axle - 1]}": 0.0})
    rates = [sim.state(f"{c}.jounce.rate") for c in places]
    power = expected * (ratios[0] * rates[0] - ratios[1] * rates[1])
    assert removed.power == pytest.approx(power, rel=1e-7), "what the bar took: - T r_L J'_L + T r_R J'_R"


@pytest.mark.parametrize(("word", "axle", "force"), [("front", 1, 730.0), ("rear", 2, -1240.0)])
def test_an_anti_roll_force_is_down_on_the_left_and_up_on_the_right(
    sim: Simulation, word: str, axle: int, force: float
) -> None:
    found = Effect(sim, {f"Antiroll_Bar.force.{word}": force})
    found.check()
    left, right = (found.before[f"Suspension.Jounce_Rate.{side}{axle}"] for side in "LR")
    assert found.power == pytest.approx(-force * left + force * right, rel=1e-7)
    name = f"Suspension.Auxiliary_Roll_Force.SUSP{axle}"
    assert found.change(name) == pytest.approx(force, rel=1e-12)
    off = Effect(sim, {f"Antiroll_Bar.activity_flag.{word}": 0.0, f"Antiroll_Bar.force.{word}": force})
    assert off.before[name] != 0
    assert off.after[name] == pytest.approx(force, rel=1e-12)


# ---- loads from outside --------------------------------------------------------------------------------------------


FORCE, MOMENT = np.array([1310.0, -870.0, 540.0]), np.array([-210.0, 460.0, 730.0])


@pytest.mark.parametrize("frame", ["Ext_Body", "Ext_Ground", "Ext_Tracking"])
def test_loads_on_the_body_act_at_its_centre_of_gravity(sim: Simulation, frame: str) -> None:
    found = outputs(sim)
    heading = found["Vehicle.Yaw"]
    level = np.array([[np.cos(heading), -np.sin(heading), 0], [np.sin(heading), np.cos(heading), 0], [0, 0, 1]])
    axes = {"Ext_Body": turned(found, "chassis_mass"), "Ext_Ground": np.eye(3), "Ext_Tracking": level}[frame]
    names = "XY" if frame == "Ext_Tracking" else "XYZ"
    keep = np.array([1.0, 1.0, float(len(names) == 3)])
    force, moment = axes @ (keep * FORCE), axes @ (keep * MOMENT)
    centre = np.array([found[f"Vehicle.CM_Global_{axis}"] for axis in "XYZ"])
    inputs = {f"{frame}.force.{a}": float(FORCE["XYZ".index(a)]) for a in names}
    effect = Effect(sim, inputs)
    effect.check(force, np.cross(centre, force))
    velocity = turned(found, "chassis_mass") @ [found[f"Vehicle.CM_Body_Fixed_V{a}"] for a in "xyz"]
    assert effect.power == pytest.approx(force @ velocity, rel=1e-7)
    effect = Effect(sim, {f"{frame}.moment.{a}": float(MOMENT["XYZ".index(a)]) for a in names})
    effect.check((0, 0, 0), moment)
    assert effect.power == pytest.approx(moment @ [found[f"Vehicle.Global_Omega_{a}"] for a in "XYZ"], rel=1e-7)


def test_the_three_frames_agree_only_where_all_angles_are_zero(design: Simulation) -> None:
    frames = ("Ext_Body", "Ext_Ground", "Ext_Tracking")

    def accelerations() -> list[Array]:
        result = []
        for frame in frames:
            given = {f"{frame}.force.X": 900.0, f"{frame}.force.Y": -1700.0, f"{frame}.moment.X": 310.0}
            design.set_inputs(given)
            result.append(design.derivatives()[0].copy())
            design.set_inputs(dict.fromkeys(given, 0.0))
        return result

    one, two, three = accelerations()
    assert one == pytest.approx(two, abs=1e-12)
    assert one == pytest.approx(three, abs=1e-12)
    design.set_states({"chassis.e0": np.cos(0.4), "chassis.e3": np.sin(0.4)})  # heading alone: 0.8 rad
    one, two, three = accelerations()
    assert one == pytest.approx(three, abs=1e-10)
    assert np.abs(one - two).max() > 0.1
    put(design, 0)
    one, two, three = accelerations()
    assert min(np.abs(one - two).max(), np.abs(one - three).max(), np.abs(two - three).max()) > 0.01


@pytest.mark.parametrize(
    ("word", "part"), [("front", "front_downforce"), ("rear", "rear_downforce"), ("center", "drag")]
)
def test_forces_of_the_air_act_at_their_points_along_the_road(
    sim: Simulation, sedan: jv.Vehicle, word: str, part: str
) -> None:
    found = outputs(sim)
    chassis = turned(found, "chassis_mass")
    ahead = np.array([chassis[0, 0], chassis[1, 0], 0.0]) / np.hypot(chassis[0, 0], chassis[1, 0])  # a level road
    axes = np.column_stack([ahead, np.cross([0, 0, 1], ahead), [0, 0, 1]])
    local = np.array(getattr(sedan.aero, part).location.array) - sedan.body.centre()
    place = np.array([found[f"Vehicle.CM_Global_{axis}"] for axis in "XYZ"]) + chassis @ local
    force = axes @ FORCE
    effect = Effect(sim, {f"Aerodynamic.f{a}_{word}": float(f) for a, f in zip("xyz", FORCE, strict=True)})
    effect.check(force, np.cross(place, force))
    effect = Effect(sim, {f"Aerodynamic.m{a}": float(m) for a, m in zip("xyz", MOMENT, strict=True)})
    effect.check((0, 0, 0), axes @ MOMENT)


def test_the_flag_of_the_air_removes_what_is_built_in(sim: Simulation) -> None:
    names = [f"aero_forces.{name}" for name in ("drag_force", "front_downforce", "rear_downforce")]
    found = Effect(sim, {"Subsystem_Activation.Internal_Aero_Activity": 0.0})
    assert all(found.before[name] != 0 for name in names)
    assert [found.after[name] for name in names] == [0.0] * 3
    chassis = turned(found.before, "chassis_mass")
    ahead = np.array([chassis[0, 0], chassis[1, 0], 0.0]) / np.hypot(chassis[0, 0], chassis[1, 0])
    drag, front, rear = (found.before[name] for name in names)
    assert found.force == pytest.approx(drag * ahead + (front + rear) * np.array([0, 0, 1]), abs=1e-6)


# ---- tires ---------------------------------------------------------------------------------------------------------


def wheel_axes(found: Mapping[str, float], place: str) -> Array:
    """ISO-C: y along the spin axis, x along the road and in the wheel's plane, z = x × y; columns, world."""
    y = turned(found, f"{place}.carrier")[:, 1]
    normal = np.array([found[f"Tire.Contact_Patch_Normal_{axis}.{place}"] for axis in "XYZ"])
    x = np.cross(y, normal)
    x /= np.linalg.norm(x)
    return np.column_stack([x, y, np.cross(x, y)])


def hub(found: Mapping[str, float], kind: str, place: str) -> Array:
    return np.array([found[f"Tire.Hub_Carrier_{kind}_Global_{axis}.{place}"] for axis in "XYZ"])


@pytest.mark.parametrize("place", CORNERS)
def test_tire_loads_are_given_in_axes_of_the_wheel_at_its_centre(sim: Simulation, place: str) -> None:
    found = outputs(sim)
    axes = wheel_axes(found, place)
    centre = np.array([found[f"Wheel.Global_{axis}.{place}"] for axis in "XYZ"])
    inputs = {f"Tire_Force.F{a}.{place}": float(f) for a, f in zip("xyz", FORCE, strict=True)}
    effect = Effect(sim, inputs)
    effect.check(axes @ FORCE, np.cross(centre, axes @ FORCE))
    assert hub(effect.after, "Force", place) - hub(found, "Force", place) == pytest.approx(axes @ FORCE, rel=1e-9)
    effect = Effect(sim, {f"Tire_Moment.M{a}.{place}": float(m) for a, m in zip("xyz", MOMENT, strict=True)})
    effect.check((0, 0, 0), axes @ MOMENT)
    assert hub(effect.after, "Moment", place) - hub(found, "Moment", place) == pytest.approx(axes @ MOMENT, rel=1e-9)


@pytest.mark.parametrize("axis", "xyz")
def test_flags_drop_single_components_of_the_tires(sim: Simulation, axis: str) -> None:
    found = outputs(sim)
    sim.set_inputs({f"Subsystem_Activation.Tire_Force_{axis}.{c}": 0.0 for c in ("R1", "L2")})
    sim.set_inputs({f"Subsystem_Activation.Tire_Moment_{axis}.{c}": 0.0 for c in ("L1", "R2")})
    after = outputs(sim)
    for place in CORNERS:
        axes, i = wheel_axes(found, place), "xyz".index(axis)
        for kind, dropped in (("Force", place in ("R1", "L2")), ("Moment", place in ("L1", "R2"))):
            keep = np.array([float(k != i or not dropped) for k in range(3)])
            expected = axes @ (keep * (axes.T @ hub(found, kind, place)))
            assert hub(after, kind, place) == pytest.approx(expected, abs=1e-7)


@pytest.mark.slow
def test_flags_off_and_the_recorded_forces_in_their_place_are_the_same_run(
    design: Simulation, described: cars.Description
) -> None:
    """A second of braking and steering, with the tires' forces taken from a record of the first run."""
    sim = design
    settle(sim, described)
    speed = 22.0
    sim.set_states({"chassis.vx": speed})
    sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}") for c in CORNERS})
    sim.set_inputs({"steering_wheel": 0.4, "brake": 0.12, "throttle": 0.0})
    here = sim.snapshot()
    first = sim.run(1.0, method="Euler", step=5e-4, interval=5e-4)
    inputs: list[Any] = []
    row = [dict(zip(first.names, values, strict=True)) for values in first.data]
    for c in CORNERS:
        axes = [wheel_axes(found, c) for found in row]
        for kind, letter in (("Force", "F"), ("Moment", "M")):
            local = np.array([a.T @ hub(found, kind, c) for a, found in zip(axes, row, strict=True)])
            for i, axis in enumerate("xyz"):
                # a method with a single evaluation per step asks for the rows of the first run only
                table = Table(first.time, local[:, i], method="linear")
                inputs.append(Open(f"Tire_{kind}.{letter}{axis}.{c}", FromTable(table)))
                inputs.append(Open(f"Subsystem_Activation.Tire_{kind}_{axis}.{c}", 0.0))
    sim.restore(here)
    second = sim.run(program=Program(Phase("copy", inputs, duration=1.0)), method="Euler", step=5e-4, interval=5e-4)
    for name, size in (("chassis_displacements.longitudinal", 1.0), ("chassis_displacements.lateral", 0.1),
                       ("chassis_displacements.yaw", 0.1), ("chassis_displacements.roll", 0.01)):  # fmt: skip
        difference = np.abs(first[name] - second[name]).max()
        assert np.ptp(first[name]) > size / 3
        assert difference < 1e-6 * size


def test_friction_is_scaled_above_1e_5_only(sim: Simulation) -> None:
    given = {"L1": 0.55, "R1": 0.9e-5, "L2": 1.35, "R2": 0.0}
    sim.set_inputs({f"Friction.tire_mu.{c}": v for c, v in given.items()})
    after = outputs(sim)
    assert [after[f"Tire.Road_Friction.{c}"] for c in CORNERS] == pytest.approx([0.55, 1.0, 1.35, 1.0])
    sim.set_parameters({f"{c}.tire_mu": 0.8 for c in CORNERS})  # the same as a number: what the run gives comes first
    after = outputs(sim)
    sim.set_parameters({f"{c}.tire_mu": 0.0 for c in CORNERS})
    assert [after[f"Tire.Road_Friction.{c}"] for c in CORNERS] == pytest.approx([0.55, 0.8, 1.35, 0.8])


@pytest.mark.slow
def test_the_friction_of_a_run_changes_what_tires_can_do(design: Simulation, described: cars.Description) -> None:
    sim = design
    settle(sim, described)
    sim.set_states({"chassis.vx": 15.0} | {f"{c}.wheel.spin": 0.0 for c in CORNERS})  # locked wheels slide
    sim.set_inputs({"brake": 1.0, "ABS.Internal_ABS_Activity": 0.0})
    sim.set_inputs({"Friction.tire_mu.L1": 0.5, "Friction.tire_mu.R2": 0.25})
    sim.run(0.05, step=2e-4)
    found = outputs(sim)
    used = {c: -found[f"Tire.Ground_Surface_Force_X.{c}"] / found[f"Tire.Ground_Surface_Force_Z.{c}"] for c in CORNERS}
    assert used["L1"] / used["R1"] == pytest.approx(0.5, rel=0.12)
    assert used["R2"] / used["L2"] == pytest.approx(0.25, rel=0.12)


def test_the_road_under_a_wheel_is_lifted_by_both_names(sim: Simulation) -> None:
    for name in ("Irregularity.road.R1", "road.R1"):
        found = Effect(sim, {name: 0.013})
        assert found.change("Tire.Effective_Penetration.R1") == pytest.approx(0.013, rel=0.05)
        assert found.change("Tire.Effective_Penetration.L1") == 0.0


# ---- guidance ------------------------------------------------------------------------------------------------------


def test_steer_at_the_spindles_turns_each_wheel_to_the_left(sim: Simulation, sedan: jv.Vehicle) -> None:
    angles = dict(zip(CORNERS, (0.021, -0.034, 0.012, -0.017), strict=True))
    found = Effect(sim, {f"Steering.steer_at_spindle.{c}": a for c, a in angles.items()})
    assert {c: found.change(f"Wheel.Spindle_Steer.{c}") for c in CORNERS} == pytest.approx(angles, rel=1e-12)
    assert found.change("wheel_angles.toe_L1") == pytest.approx(-0.021)
    assert found.change("wheel_angles.toe_R1") == pytest.approx(-0.034)
    # a wheel that turns with the rate ω about the upright axis of the body has I ω more of angular momentum
    up = turned(found.before, "chassis_mass")[:, 2]
    for c in CORNERS:
        data = sedan.wheels(int(c[1]))
        axes = turned(found.before, f"{c}.carrier")
        sim.set_inputs({f"Steering.steer_at_spindle.{c}.rate": 0.7})
        gained = vector(outputs(sim), "law.h") - vector(found.before, "law.h")
        sim.set_inputs({f"Steering.steer_at_spindle.{c}.rate": 0.0})
        inertia = axes @ np.diag([data.ixx, data.iyy, data.izz]) @ axes.T
        assert gained == pytest.approx(inertia @ (0.7 * up), abs=1e-8)


def test_camber_and_side_view_angle_of_each_wheel_are_added(sim: Simulation, sedan: jv.Vehicle) -> None:
    """Rz(ψ) Rx(φ) Ry(θ), φ = -camber on the left and +camber on the right, θ = -side view angle."""
    given = {"camber": (0.021, -0.034, 0.012, -0.017), "side_view_angle": (-0.041, 0.027, 0.036, -0.019)}
    ports = {
        f"Wheel_Orientation.{n}.{c}": a for n, angles in given.items() for c, a in zip(CORNERS, angles, strict=True)
    }
    found = Effect(sim, ports)
    chassis = turned(found.before, "chassis_mass")
    for i, c in enumerate(CORNERS):
        assert found.change(f"wheel_angles.camber_{c}") == pytest.approx(given["camber"][i], abs=1e-12)
        assert found.change(f"Wheel.Side_View_Angle.{c}") == pytest.approx(given["side_view_angle"][i], abs=1e-12)
        assert found.change(f"Wheel.Spindle_Steer.{c}") == pytest.approx(0.0, abs=1e-12)
        steer, side = found.after[f"Wheel.Spindle_Steer.{c}"], -1.0 if c[0] == "L" else 1.0
        (cz, sz), (cx, sx), (cy, sy) = (
            (np.cos(a), np.sin(a))
            for a in (steer, side * found.after[f"wheel_angles.camber_{c}"], -found.after[f"Wheel.Side_View_Angle.{c}"])
        )
        upright = chassis @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
        leaning = upright @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
        expected = leaning @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
        assert turned(found.after, f"{c}.carrier") == pytest.approx(expected, abs=1e-12)
        # a rate turns the carrier about the axis of its angle: I ω more of angular momentum
        data, axes = sedan.wheels(int(c[1])), turned(found.before, f"{c}.carrier")
        inertia = axes @ np.diag([data.ixx, data.iyy, data.izz]) @ axes.T
        (cz, sz) = (f(found.before[f"Wheel.Spindle_Steer.{c}"]) for f in (np.cos, np.sin))
        about = {"camber": side * chassis @ np.array([cz, sz, 0.0]), "side_view_angle": -axes[:, 1]}
        for name, axis in about.items():
            port = f"Wheel_Orientation.{name}.{c}.rate"
            sim.set_inputs({port: 0.7})
            gained = vector(outputs(sim), "law.h") - vector(found.before, "law.h")
            sim.set_inputs({port: 0.0})
            assert gained == pytest.approx(inertia @ (0.7 * axis), abs=1e-8), (name, c)


SCALED = {
    "Toe": ("wheel_angles.toe_{}", 1.0), "Camber": ("wheel_angles.camber_{}", 1.0),
    "Sva": ("Wheel.Side_View_Angle.{}", 1.0), "Base": ("Wheel.wheel_center_dispx.{}", 0.0),
    "Track": ("Wheel.wheel_center_dispy.{}", 0.0),
}  # fmt: skip
WORDS = {"L1": "front_left", "R1": "front_right", "L2": "rear_left", "R2": "rear_right"}


@pytest.mark.parametrize("word", SCALED)
@pytest.mark.parametrize(("end", "axle"), [("front", 1), ("rear", 2)])
def test_a_factor_scales_how_the_maps_change_with_travel(sim: Simulation, word: str, end: str, axle: int) -> None:
    """0: as at design, whatever the travel and with the hand wheel turned; 1: neutral; another axle does not notice."""
    channel, angle = SCALED[word]
    name = f"External_Kinematic_Scaling.{end}.{word}"
    names = {c: channel.format(c if angle else WORDS[c]) for c in CORNERS}
    full = outputs(sim)
    travels = {f"{c}.jounce": sim.state(f"{c}.jounce") for c in CORNERS}
    sim.set_states(dict.fromkeys(travels, 0.0))
    design = outputs(sim)
    sim.set_states(travels)
    assert max(abs(full[n] - design[n]) for c, n in names.items() if c[1] == str(axle)) > 1e-4
    for factor in (0.0, 0.37, 1.0, -0.6):
        sim.set_inputs({name: factor})
        found = outputs(sim)
        for c, n in names.items():
            here = factor if c[1] == str(axle) else 1.0
            assert found[n] == pytest.approx(design[n] + here * (full[n] - design[n]), abs=1e-13)
    if word in ("Base", "Track"):  # a factor that changes moves the wheel centres
        sim.set_inputs({name: 1.0, f"{name}.rate": 0.8})
        found, i = outputs(sim), ("Base", "Track").index(word)
        chassis = turned(found, "chassis_mass")
        for c in (f"L{axle}", f"R{axle}"):
            moved = [found[f"Wheel.Global_V{a}.{c}"] - full[f"Wheel.Global_V{a}.{c}"] for a in "xyz"]
            expected = chassis[:, i] * 0.8 * (full[names[c]] - design[names[c]])
            assert moved == pytest.approx(expected, abs=1e-11)


# ---- wheels: drive and brakes --------------------------------------------------------------------------------------


def test_a_driving_moment_turns_its_wheel_and_the_body_takes_the_reaction(sim: Simulation) -> None:
    given = dict(zip(CORNERS, (310.0, -240.0, 155.0, -480.0), strict=True))
    sim.set_states({f"{c}.jounce.rate": 0.0 for c in CORNERS})  # carriers turn with the body
    found = Effect(sim, {f"Wheel_driving.moment.{c}": m for c, m in given.items()})
    found.check()
    assert {c: found.change(f"Wheel.Drive_Moment.{c}") for c in CORNERS} == pytest.approx(given, rel=1e-9)
    assert found.power == pytest.approx(sum(m * sim.state(f"{c}.wheel.spin") for c, m in given.items()), rel=1e-7)


def brake_of(sedan: jv.Vehicle, place: str) -> Any:
    return sedan.brakes.front if place[1] == "1" else sedan.brakes.rear


def test_brake_inputs_at_every_level(sim: Simulation, sedan: jv.Vehicle) -> None:
    """P = gain · (share · (R · demand + master) + added);  M = flag · 2 A (µ + added) r P + signed, then unsigned."""
    demand, master, bias = 0.11, 0.47e6, 0.06
    added = dict(zip(CORNERS, (0.21e6, -0.13e6, 0.34e6, 0.08e6), strict=True))
    gain = dict(zip(CORNERS, (1.0, 0.8, 1.3, 0.6), strict=True))
    mu = dict(zip(CORNERS, (0.03, -0.05, 0.07, 0.11), strict=True))
    signed = dict(zip(CORNERS, (25.0, 31.0, -17.0, 44.0), strict=True))
    unsigned = dict(zip(CORNERS, (-8.0, 13.0, 21.0, -34.0), strict=True))
    flag = {"L1": 1.0, "R1": 1.0, "L2": 1.0, "R2": 0.0}
    inputs = {"brake": demand, "ABS.Internal_ABS_Activity": 0.0}
    inputs |= {"Brake_System_General.brk_mast_cyl_pres": master, "Brake_System_General.brk_bias_front": bias}
    for word, values in (
        ("brk_pres", added), ("brk_pres_gain", gain), ("brk_mu", mu), ("brk_mmag_sign", signed),
        ("brk_mmag_unsign", unsigned),
    ):  # fmt: skip
        inputs |= {f"Brake_System.{word}.{c}": v for c, v in values.items()}
    inputs |= {f"Subsystem_Activation.Internal_Brake_System_Activity.{c}": v for c, v in flag.items()}
    sim.set_inputs(inputs)
    found = outputs(sim)
    front = sedan.brakes.bias_front + bias
    for c in CORNERS:
        brake = brake_of(sedan, c)
        line = (front if c[1] == "1" else 1 - front) * (sedan.brakes.master_cylinder_pressure_gain * demand + master)
        pressure = gain[c] * (line + added[c])
        assert found[f"Chamber_Pressure.{c}"] == pytest.approx(pressure, rel=1e-12)
        nominal = flag[c] * 2 * brake.piston_area * (brake.mu + mu[c]) * brake.effective_radius * pressure + signed[c]
        assert found[f"Brake_Moment.{c}"] == pytest.approx(-nominal + unsigned[c], rel=1e-12)
    sim.set_states({f"{c}.wheel.spin": -sim.state(f"{c}.wheel.spin") for c in CORNERS})
    back = outputs(sim)
    for c in CORNERS:  # a wheel that turns backwards: only what has the sign of the spin turns round
        assert back[f"Brake_Moment.{c}"] - unsigned[c] == pytest.approx(unsigned[c] - found[f"Brake_Moment.{c}"])


def test_pressures_never_fall_below_zero(sim: Simulation) -> None:
    sim.set_inputs({"brake": 0.02, "Brake_System.brk_pres.L2": -5e6, "Brake_System.brk_mmag_sign.R1": -9e3})
    found = outputs(sim)
    assert found["Chamber_Pressure.L2"] == found["Brake_Moment.L2"] == found["Brake_Moment.R1"] == 0.0
    assert found["Chamber_Pressure.R2"] > 0 > found["Brake_Moment.R2"]


def slipping(sim: Simulation, slip: float) -> None:
    """Every wheel with a slip of its motion; the speed of the contact does not depend on the spin."""
    for c in CORNERS:
        vx = sim.output(f"Tire.Ground_Surface_Contact_Patch_Vx.{c}")
        radius = sim.output(f"Tire.Effective_Rolling_Radius.{c}")
        for _ in range(30):
            sim.set_states({f"{c}.wheel.spin": (1 + slip) * vx / radius})
            radius = sim.output(f"Tire.Effective_Rolling_Radius.{c}")


@pytest.mark.parametrize(("word", "slip"), [("ABS", -0.121), ("TCS", 0.117)])
def test_slip_control_can_be_switched_and_its_threshold_moved(
    sim: Simulation, sedan: jv.Vehicle, word: str, slip: float
) -> None:
    control = sedan.brakes.abs if word == "ABS" else sedan.drive.tcs
    assert control is not None
    channel, driven = ("Brake_Moment", CORNERS) if word == "ABS" else ("Wheel.Drive_Moment", ("L2", "R2"))
    slipping(sim, slip)
    sim.set_inputs({"brake": 0.1, "throttle": 0.4})
    on = outputs(sim)
    sim.set_inputs({f"{word}.Internal_{word}_Activity": 0.0})
    off = outputs(sim)
    sim.set_inputs({f"{word}.Internal_{word}_Activity": 1.0, f"{word}.{word}_threshold": 0.023})
    moved = outputs(sim)
    for c in driven:
        assert off[f"{channel}.{c}"] != 0
        factor = 1 - control.gain * (abs(slip) - control.threshold)
        assert on[f"{channel}.{c}"] / off[f"{channel}.{c}"] == pytest.approx(factor, abs=1e-6)
        later = 1 - control.gain * (abs(slip) - control.threshold - 0.023)
        assert moved[f"{channel}.{c}"] / off[f"{channel}.{c}"] == pytest.approx(later, abs=1e-6)


# ---- all ports -----------------------------------------------------------------------------------------------------


def test_ports_do_not_act_in_statics(design: Simulation, described: cars.Description) -> None:
    sim, start = design, design.snapshot()
    settle(sim, described)
    expected = sim.x.copy()
    sim.restore(start)
    given = {v.name: v.default + 0.1 * (i % 7 + 1) for i, v in enumerate(sim.model.inputs) if not v.in_statics}
    assert len(given) > 200
    assert {name.split(".")[0] for name in given} >= {
        *ELEMENTS,
        "Ext_Body",
        "Tire_Force",
        "Brake_System",
        "Aerodynamic",
    }
    sim.set_inputs(given)
    settle(sim, described)
    assert np.array_equal(sim.x, expected)
    assert {name: sim.input(name) for name in given} == given, "and they are there again for the run"


def test_all_inputs_at_their_defaults_are_the_car_without_ports(design: Simulation, sedan: jv.Vehicle) -> None:
    plain = cars.simulation(sedan)
    plain.set_method("Euler", design.t_dt)  # what gives way lags by some steps
    for which in (0, 1):
        put(design, which)
        plain.set_states({v.name: design.state(v.name) for v in plain.model.states})
        plain.set_inputs({v.name: design.input(v.name) for v in plain.model.inputs})
        scale_ = np.abs(plain.derivatives()[0]).max()
        assert design.derivatives()[0] == pytest.approx(plain.derivatives()[0], abs=1e-11 * scale_)


def test_what_nobody_opens_costs_nothing(sedan: jv.Vehicle, monkeypatch: pytest.MonkeyPatch) -> None:
    structure = Structure(cars.describe(sedan))
    with_ports = structure.system().generate().operations
    monkeypatch.setattr(VehicleModel, "outside", lambda *_, **__: None)
    monkeypatch.setattr(VehicleModel, "through", lambda _, value, *__, **___: value)
    assert with_ports == structure.system().generate().operations


def test_a_stop_that_is_not_active_acts_once_its_flag_is_given() -> None:
    """The flag of a run wins over the data, in the run only; without it there is only what is added."""
    off = {
        f"{axle}_suspension.{stop}.active": False
        for axle in ("front", "rear")
        for stop in ("bump_stop", "rebound_stop")
    }
    car = ideal("sedan").with_(**off)
    inputs = [f"Main_{kind}.activity_flag.{c}" for kind in ("Bumpstop", "Reboundstop") for c in ("L1", "R2")]
    inputs += ["Main_Bumpstop.force.R1"]
    sim, whole = cars.simulation(cars.describe(car, inputs=inputs)), cars.simulation(ideal("sedan"))
    names = {"bump": "Jounce_Bumper.Force_At_Bumper", "rebound": "Rebound_Bumper.Force_At_Bumper"}
    for which in (0, 1):
        for one in (sim, whole):
            one.set_states({f"{c}.jounce": t for c, t in TRAVELS[which].items()})
        sim.set_inputs(dict.fromkeys(inputs, 0.0))
        assert all(sim.output(f"{names['bump']}.{c}") == 0 for c in ("L1", "R2"))
        sim.set_inputs(dict.fromkeys(inputs[:4], 1.0) | {"Main_Bumpstop.force.R1": 432.0})
        for name in names.values():
            for c in ("L1", "R2"):
                assert sim.output(f"{name}.{c}") == pytest.approx(whole.output(f"{name}.{c}"), rel=1e-12)
        assert sim.output(f"{names['bump']}.R1") == 432.0
        assert f"{names['bump']}.L2" not in [v.name for v in sim.model.outputs]
    assert any(whole.output(f"{name}.{c}") for name in names.values() for c in ("L1", "R2"))
    given = {v.name: v.default for v in sim.model.inputs}
    assert [given[name] for name in inputs[:4]] == [0.0] * 4, "not given: as the data say, in statics too"
    assert set(inputs) <= set(cars.ports(car)), "offered although the stop is off"


def test_the_list_of_ports(sedan: jv.Vehicle) -> None:
    found = cars.ports(sedan)
    assert found["Main_Spring.force.L1"][:2] == ("added", "N")
    assert found["Main_Spring.activity_flag.R2"][:2] == ("flag", "-")
    assert found["External_Damper.L2.Damper_Scaling_Factor"][:2] == ("scale", "-")
    assert found["External_Spring.R1.Spring_Motion_Ratio"][:2] == ("replacing", "-")
    assert found["Driver_Demands.str_swa"][:2] == ("command", "rad")
    assert found["Brake_System.brk_pres.R2"][:2] == ("added", "Pa")
    assert all(doc for _, _, doc in found.values())
    assert "Aerodynamic.fx_front" in found
    bare = cars.ports(sedan.with_(aero=None, **{"brakes.abs": None}))
    gone = sorted({name.split(".")[0] for name in set(found) - set(bare)})
    assert gone == ["ABS", "Aerodynamic", "Subsystem_Activation"], "ports belong to parts"


def test_names_of_ports_are_those_of_the_catalogue(sedan: jv.Vehicle) -> None:
    entries = catalogue()
    for name, (_, unit, _) in cars.ports(sedan).items():
        entry = entries.find(name, "input")
        assert name in entry.names or "<" in entry.pattern, name
        assert entry.si_unit in ("", unit), f"{name}: the catalogue has no unit where that depends on the data"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Main_Spring.forse.L1", "Main_Spring.force.L1"),
        ("Main_Spring.force.L3", "Main_Spring.force.L"),
        ("Brake_System.brk_press.L1", "Brake_System.brk_pres"),
    ],
)
def test_an_unknown_name_is_refused_with_near_ones_before_anything_is_compiled(
    sedan: jv.Vehicle, name: str, near: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jounce.runtime.compile.compile_library", lambda *_, **__: pytest.fail("compiled"))
    with pytest.raises(ParameterError, match="no port of this model has it") as error:
        cars.library(cars.describe(sedan, inputs=[name]))
    assert near in str(error.value)
