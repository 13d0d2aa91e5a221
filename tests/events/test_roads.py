"""A car on roads: the same as on planes where they are planes, and what mechanics says where they are not."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce as jn
from cars import rolling
from four_wheels import CORNERS
from ideal_cars import ideal
from jounce import events
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.events.scene import Scene
from jounce.events.start import Start
from jounce.events.straight import straight_ahead
from jounce.files.roads import load_road
from jounce.results.run import Run
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.courses import circle
from jounce.road.curve import Curve, cosine_bump
from jounce.road.envelope import Envelope
from jounce.road.line import LineRoad
from jounce.road.simple import Bump, Flat, Sum
from jounce.road.surface import Road
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.simulation import Simulation
from jounce.sim import car as cars
from jounce.sim import statics
from jounce.vehicle.reading import load

Array = npt.NDArray[np.float64]

LOAD = "Tire.Ground_Surface_Force_Z"
QUICK = {"speed": "60 km/h", "end_time": 2.0, "start_time": 0.5}


@lru_cache
def sedan() -> Any:
    """That of the references, without friction, compliance and yaw control: these tests are about roads."""
    return load(Path(__file__).parents[1] / "references" / "vehicles" / "sedan")


@lru_cache
def without_air() -> Any:
    """The sedan on which the air does nothing, of the same structure."""
    names = ("drag", "front_downforce", "rear_downforce")
    return sedan().with_(**{f"aero.{name}.area": 0.0 for name in names})


def straight_on(**changes: Any) -> events.StepSteer:
    return events.StepSteer(**{**QUICK, "amplitude": "0 deg", **changes})


def largest_difference(a: Run, b: Run) -> tuple[float, str]:
    """Over all channels, relative to the largest value of each channel (or its unit); and where."""
    worst = (0.0, "")
    for name in a.channels():
        if name in b:
            size = max(1.0, float(np.abs(a[name]).max()))
            worst = max(worst, (float(np.abs(a[name] - b[name]).max()) / size, name))
    return worst


@lru_cache
def described(car: Any = None) -> cars.Description:
    return cars.describe(car if car is not None else sedan(), ground="road")


def standing(road: Road, x: float = 0.0, y: float = 0.0, heading: float = 0.0, car: Any = None) -> Simulation:
    """A car at rest on a road that is even under it."""
    description = described(car)
    sim = cars.simulation(description)
    road.bind(sim)
    here = road.query(x, y)
    normal = (-float(here.slope_x), -float(here.slope_y), 1.0)
    statics.settle(sim, description, normal=normal, height=float(here.height), x=x, y=y, heading=heading)
    return sim


def masses(car: Any = None) -> dict[str, float]:
    """Sprung mass ("body") and that of each wheel."""
    car = sedan() if car is None else car
    wheels = {c: car.wheels(axle, side).unsprung_mass for c, (axle, side) in CORNERS.items()}
    return {"body": car.mass() - sum(wheels.values()), **wheels}


def rotation(sim: Simulation) -> Array:
    """Columns: axes of the body in the world."""
    first = sim.model.quaternions[0]
    w, x, y, z = sim.x[first : first + 4]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows)


# -- planes ----------------------------------------------------------------------------------------------------------


def test_a_flat_road_is_the_built_in_plane() -> None:
    """The same sums in another order: rounding of 1e-16, which stiff tires and 2000 steps make 1e4 times larger."""
    event = events.StepSteer(**QUICK, amplitude="30 deg")
    difference, where = largest_difference(jn.run(sedan(), event), jn.run(sedan(), event, road=Flat()))
    assert difference < 1e-10, where


@pytest.mark.slow
def test_four_copies_of_a_road_are_one_road_to_the_last_bit() -> None:
    event = events.StepSteer(**QUICK, amplitude="30 deg")
    one = jn.run(sedan(), event, road="iso_8608_c")
    four = jn.run(sedan(), event.changed(wheel_roads=("iso_8608_c",) * 4))
    assert one.channels() == four.channels() and len(one.channels()) > 500
    assert all(np.array_equal(one[name], four[name]) for name in one.channels())


@pytest.mark.slow
def test_every_wheel_has_its_own_road() -> None:
    """Waves under the front left wheel alone."""
    event = straight_on(x=10.0, wheel_roads=("sine", "flat", "flat", "flat"))
    run = jn.run(sedan(), event)
    places = {c: [run[f"Road.Contact_Patch_Global_{axis}.{c}"] for axis in "XYZ"] for c in CORNERS}
    height = load_road("sine").query(places["L1"][0], places["L1"][1]).height
    assert np.abs(height).max() > 0.009
    # the point of contact lies on the tangent under the wheel centre, off by at most slope times radius: 0.01 m, where
    # the road of curvature 0.01 π² has left its tangent by 5e-6 m
    assert places["L1"][2] == pytest.approx(height, abs=5e-6)
    assert all(np.abs(places[c][2]).max() < 1e-12 for c in ("R1", "L2", "R2"))
    assert np.std(run[f"{LOAD}.L1"]) > 10 * np.std(run[f"{LOAD}.R2"])


def test_an_inclined_road_is_a_level_one_with_tilted_gravity() -> None:
    grade, bank, heading = 0.12, -0.07, 0.6
    tilted = Flat(grade=grade, bank=bank)
    a = standing(tilted, x=5.0, y=-3.0, heading=heading)
    # axes of the slope: normal, forward along the heading, left
    n = np.array([-grade, -bank, 1.0]) / math.sqrt(1 + grade**2 + bank**2)
    ahead = np.array([math.cos(heading), math.sin(heading), 0.0])
    ahead -= (ahead @ n) * n
    ahead /= np.linalg.norm(ahead)
    pull = np.column_stack([ahead, np.cross(n, ahead), n]).T @ [0.0, 0.0, -a.parameter("gravity")]
    b = cars.simulation(described())
    Flat().bind(b)
    b.set_parameters({"gravity.x": pull[0], "gravity.y": pull[1], "gravity": -pull[2]})
    statics.settle(b, described())
    wanted = [f"{name}.{c}" for name in (LOAD, "Tire.Ground_Surface_Force_Y", "Suspension.Jounce") for c in CORNERS]
    wanted += [f"chassis_accelerations.{n}" for n in ("longitudinal", "lateral", "vertical", "roll", "pitch", "yaw")]

    def differences() -> list[float]:
        pairs = [(a.output(name), b.output(name)) for name in wanted]
        return [abs(p - q) / max(1.0, abs(q)) for p, q in pairs]

    assert max(differences()) < 1e-9
    assert a.output("chassis_accelerations.longitudinal") < -0.5  # it is uphill
    # and on the way: one second of steering at 20 m/s
    steer = Program(Phase("steer", [Open("steering_wheel", Ramp(0.5, 0.3))], duration=1.0))
    rows = []
    for sim in (a, b):
        rolling(sim, 20.0)
        rows.append(sim.run(program=steer, interval=0.01, channels=wanted))
    for name in wanted:
        size = max(1.0, float(np.abs(rows[1][name]).max()))
        assert np.abs(rows[0][name] - rows[1][name]).max() / size < 1e-9, name


# -- a banked circle -------------------------------------------------------------------------------------------------


@lru_cache
def yielding() -> Any:
    """That of the library with compliance and friction, without air and with its steering held."""
    car = ideal("sedan").with_(**{"steering.rack_pinion": None, "aero": None})
    assert car.front_suspension.compliance is not None
    assert "friction" in [element.kind for element in car.rear_suspension.elements]
    return car


# Seconds until the slowest motion, that of the steering law, is gone: it decays with about 1 s. Of wheels that give way
# the same law steers less, and its motion decays with some 3 s.
@pytest.mark.parametrize(
    ("faster", "car_of", "seconds"),
    [
        (1.0, without_air, 10),
        (1.2, without_air, 10),
        pytest.param(1.0, yielding, 24, marks=pytest.mark.slow),
        pytest.param(1.2, yielding, 24, marks=pytest.mark.slow),
    ],
)
def test_a_banked_circle_needs_no_side_force_at_the_neutral_speed(faster: float, car_of: Any, seconds: int) -> None:
    """A cone: V² = g R tan β. Side force along the road otherwise: m (V²/r cos β - g sin β).

    The car is steered by where it will be; the sum of the tire forces is compared with the circle it really runs on.
    """
    radius, beta = 80.0, math.radians(15)
    speed = faster * math.sqrt(GRAVITY * radius * math.tan(beta))
    path = circle(radius)
    road = LineRoad(path=path, bank=Curve.constant(-math.tan(beta)), left=10.0, right=10.0)
    x, y = (float(v) for v in path.at(0.0)[:2])
    heading = float(path.at(0.0, "heading"))
    middle = np.array([x - radius * math.sin(heading), y + radius * math.cos(heading)])
    sim = standing(road, x, y, heading, car_of())
    rolling(sim, speed)
    turning = rotation(sim).T @ [0.0, 0.0, speed / radius]
    sim.set_states({f"chassis.w{axis}": float(turning[i]) for i, axis in enumerate("xyz")})
    sim.set_inputs({"steering_wheel": 0.01})
    gain = 0.01 * car_of().wheelbase / sim.output("Wheel.Spindle_Steer.L1")  # hand wheel angle per curvature
    preview = 0.8 * speed
    parts = masses(car_of())
    weight = sum(parts.values()) * GRAVITY
    seen = []
    for k in range(100 * seconds + 200):
        place = np.array([sim.state("chassis.x"), sim.state("chassis.y")])
        ahead = place + preview * rotation(sim)[:2, 0]
        inside = radius - float(np.linalg.norm(ahead - middle))
        throttle = 0.5 * (speed - sim.state("chassis.vx"))
        sim.set_inputs({"steering_wheel": -2 * inside / preview**2 * gain, "throttle": min(max(throttle, 0.0), 1.0)})
        sim.advance(10)
        if k >= 100 * seconds:
            seen.append(_circle(sim, middle, beta, parts))
    side, v, r = np.mean(seen, axis=0)
    assert abs(r - radius) < 2.0
    expected = v**2 / (GRAVITY * r) * math.cos(beta) - math.sin(beta)
    # steady to 1e-4 of the weight: the last 2 s are some 10 time constants after the start
    assert side / weight == pytest.approx(expected, abs=1e-4)
    if faster == 1.0:
        # no side force but what the difference to the neutral speed and radius asks for
        allowed = math.sin(beta) * abs(v**2 * radius / (speed**2 * r) - 1) + 1e-4
        assert abs(side) / weight <= allowed < 0.02
    else:
        assert side / weight > 0.4 * math.sin(beta)


def _circle(sim: Simulation, middle: Array, beta: float, parts: dict[str, float]) -> tuple[float, float, float]:
    """Force of the tires along the road towards the inside, speed and radius of the centre of gravity."""
    places = {c: np.array([sim.output(f"Wheel.Global_{a}.{c}") for a in "XYZ"]) for c in CORNERS}
    speeds = {c: np.array([sim.output(f"Wheel.Global_V{a}.{c}") for a in "xyz"]) for c in CORNERS}
    places["body"] = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
    speeds["body"] = rotation(sim) @ [sim.state(f"chassis.v{a}") for a in "xyz"]
    total = sum(parts.values())
    centre = sum((m * places[n] for n, m in parts.items()), start=np.zeros(3)) / total
    v = sum((m * speeds[n] for n, m in parts.items()), start=np.zeros(3)) / total
    inwards = middle - centre[:2]
    r = float(np.linalg.norm(inwards))
    along = np.array([*(math.cos(beta) * inwards / r), -math.sin(beta)])
    names = [[f"Tire.Hub_Carrier_Force_Global_{a}.{c}" for a in "XYZ"] for c in CORNERS]
    force = sum((np.array([sim.output(n) for n in row]) for row in names), start=np.zeros(3))
    return float(force @ along), float(np.linalg.norm(v[:2])), r


# -- bumps and jumps -------------------------------------------------------------------------------------------------


def loads_over(road: Road, step: float, speed: float, time: float, method: str = "AB-2") -> Array:
    """Load of the front left wheel every 4 ms, rolling freely towards what comes."""
    sim = standing(road, car=without_air())
    rolling(sim, speed)
    recording = sim.run(time, method=method, step=step, interval=0.004, channels=[f"{LOAD}.L1"])
    assert recording.ok
    return np.asarray(recording[f"{LOAD}.L1"])


def test_the_response_to_a_bump_converges_with_the_second_order() -> None:
    bump = Sum(base=Flat(), features=[Bump(profile=cosine_bump(0.03, 1.5), frame=Frame(x=3.0))])
    exact = loads_over(bump, 6.25e-5, 15.0, 0.6)
    errors = [float(np.sqrt(np.mean((loads_over(bump, h, 15.0, 0.6) - exact) ** 2))) for h in (1e-3, 5e-4, 2.5e-4)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    # the reference has an error itself: (1/4)² of the finest one, log2(1 + 1/16) = 0.1
    assert np.all((orders > 1.8) & (orders < 2.3))
    assert errors[0] < 0.005 * exact.max()


@lru_cache
def over_the_cleat(contact: str, step: float) -> Run:
    event = straight_on(speed="30 km/h", x=46.0, end_time=1.0, contact=contact)
    return jn.run(sedan(), event, road="cleat", step=step, interval=1e-3)


@pytest.mark.slow
def test_an_edge_under_a_point_is_told_with_time_and_wheel_also_where_rows_miss_it() -> None:
    """The instant in which the plane under the wheel centre is the face of the bar, 2 mm long: most of the radius is
    pressed in. Steps of 1.7 mm do not miss it, those of 8 mm do now and then, rows mostly."""
    event = events.StraightBraking(speed="30 km/h", brake=0.0, straight_line=False, x=40.0, end_time=2.0)
    fine = jn.run(sedan(), event, road="cleat", step="0.2 ms", interval="0.2 ms")
    share = fine.quantity("mass") * 9.80665 / 4
    struck = [c for c in CORNERS if fine[f"{LOAD}.{c}"].max() > 20 * share]
    told = [text for text in fine.warnings if "times its share of the weight" in text]
    assert struck and [text.split()[1] for text in told] == struck
    worst = fine[f"{LOAD}.{struck[0]}"]
    when = float(fine.time[int(worst.argmax())])
    assert f"{1e-3 * worst.max():.3g} kN at {when:.3f} s, {worst.max() / share:.0f} times" in told[0]
    coarse = jn.run(sedan(), event, road="cleat")
    edge = "road cleat: the edges of its cleat at s = 50 m rise at 84 deg, and the contact is a point"
    for run in (fine, coarse):
        assert sum(edge in text for text in run.warnings) == 1
    patched = jn.run(sedan(), event.changed(contact="points"), road="cleat", interval="1 ms")
    assert not [text for text in patched.warnings if "edges" in text or "weight" in text]
    short = jn.run(sedan(), event.changed(x=20.0), road="cleat")
    assert not any("edges" in text for text in short.warnings), "nobody met it"


@pytest.mark.slow
def test_a_rim_that_meets_the_road_is_told() -> None:
    """Dropped from 0.6 m the tires are pressed in by more than they have between rim and road; from 0.3 m not."""
    low, high = (jn.run(sedan(), events.Drop(height=h, end_time=0.6), interval="1 ms") for h in (0.3, 0.6))
    assert not low.warnings
    assert [text.split()[1] for text in high.warnings] == list(CORNERS)
    depth = high["Tire.Effective_Penetration.R2"]
    deepest = int(depth.argmax())
    assert f"pressed in by {1e3 * depth[deepest]:.1f} mm at {high.time[deepest]:.3f} s" in high.warnings[3]


@pytest.mark.slow
@pytest.mark.parametrize(("contact", "part"), [("point", 0.02), ("points", 0.005), ("cams", 0.005)])
def test_the_peak_load_on_the_cleat_converges(contact: str, part: float) -> None:
    """A point meets the 2 mm of a chamfer for 0.24 ms only, less than a step; enveloping contacts see it longer."""
    peaks = [float(over_the_cleat(contact, h)[f"{LOAD}.L1"].max()) for h in (1e-3, 5e-4, 1.25e-4)]
    assert peaks[:2] == pytest.approx([peaks[2]] * 2, rel=part)
    assert peaks[2] > 1.5 * over_the_cleat(contact, 1.25e-4)[f"{LOAD}.L1"][0]


@pytest.mark.slow
def test_enveloping_contacts_feel_a_cleat_earlier_and_softer() -> None:
    """Half the length of the patch (60 mm), or where the cams reach it, before the point does."""

    def first(contact: str) -> float:
        run = over_the_cleat(contact, 1.25e-4)
        changed = np.abs(run[f"{LOAD}.L1"] - run[f"{LOAD}.L1"][0]) > 200.0
        return float(run["Wheel.Global_X.L1"][int(np.argmax(changed))])

    peak = {contact: over_the_cleat(contact, 1.25e-4)[f"{LOAD}.L1"].max() for contact in ("point", "points", "cams")}
    assert first("point") - first("points") == pytest.approx(0.06, abs=0.02)
    assert first("point") - first("cams") > 0.06
    assert max(peak["points"], peak["cams"]) < peak["point"]


@pytest.mark.parametrize("contact", ["points", "cams"])
def test_no_bar_falls_between_the_samples_of_a_contact(contact: str) -> None:
    """The bar of 20 by 40 mm as it is felt: close to what very many samples say, wherever the wheel is."""
    cleat, x = load_road("cleat"), np.linspace(49.5, 50.5, 801)
    usual, many = (Envelope(road=cleat, mode=contact, n_long=n).query(x, 0.0).height for n in (0, 200))
    # samples 10 mm apart see an edge up to 10 mm late: of 120 mm of points one in thirteen, 1.5 mm; on a cam 60 mm
    # beside its lowest point, whose slope there is 0.2, 2 mm
    assert np.abs(usual - many).max() < 2.1e-3
    assert many.max() > 5e-3


@lru_cache
def jump() -> Run:
    """Rolling freely over a ramp of 10 % that ends 0.6 m above the ground."""
    ramp = Bump(profile=Curve.linear([0.0, 6.0], [0.0, 0.6], "zero"), frame=Frame(x=4.0))
    sim = standing(Sum(base=Flat(), features=[ramp]), car=without_air())
    rolling(sim, 15.0)
    return Run.from_recording(sim.run(7.0, interval=0.002))


def flight(run: Run) -> Array:
    """Rows of the first flight."""
    air = np.all([run[f"Road.Contact_Flag.{c}"] == 0.0 for c in CORNERS], axis=0)
    begin = int(np.argmax(air))
    return np.arange(begin, begin + int(np.argmin(air[begin:])))


def test_a_flying_car_falls() -> None:
    run, parts = jump(), masses()
    air = flight(run)
    assert 0.1 < 0.002 * len(air) < 1.0
    total = sum(parts.values())
    for axis, fall in (("x", 0.0), ("y", 0.0), ("z", -GRAVITY)):
        body = run[f"Vehicle.CM_Global_V{axis}" if axis != "z" else "Vehicle.CM_Global_And_Tracking_Vz"]
        speed = (parts["body"] * body + sum(parts[c] * run[f"Wheel.Global_V{axis}.{c}"] for c in CORNERS)) / total
        line = np.polynomial.Polynomial.fit(run.time[air], speed[air], 1)
        # wheels hop at 15 Hz meanwhile, by up to 1 m/s: AB-2 at 1 ms is wrong by (ω h)² = 1 % of that, a wheel has 3 %
        # of the mass
        assert line.deriv()(0.0) == pytest.approx(fall, abs=0.01)
        assert np.abs(line(run.time[air]) - speed[air]).max() < 1e-3


def test_a_jump_creates_no_energy() -> None:
    """Kinetic energy of all masses and wheels, and their height: at no time more than at the start, springs included.

    A car that has landed rolls on with less.
    """
    run, parts = jump(), masses()
    speeds = {"body": [run[f"Vehicle.CM_Global_V{a}"] for a in "xy"] + [run["Vehicle.CM_Global_And_Tracking_Vz"]]}
    heights = {"body": run["Vehicle.CM_Global_Z"]}
    for c in CORNERS:
        speeds[c] = [run[f"Wheel.Global_V{a}.{c}"] for a in "xyz"]
        heights[c] = run[f"Wheel.Global_Z.{c}"]
    energy = sum(m * (0.5 * sum(v**2 for v in speeds[n]) + GRAVITY * heights[n]) for n, m in parts.items())
    for c, (axle, side) in CORNERS.items():
        states = f"ti{c[0].lower()}_wheel_tire_rolling_states.omega_actual_{'front' if axle == 1 else 'rear'}"
        energy = energy + 0.5 * sedan().wheels(axle, side).spin_inertia * run[states] ** 2
    # what springs and tires hold at rest is less than ½ m g (g/ω²) of ride at 1 Hz
    stored = 0.5 * sum(parts.values()) * GRAVITY**2 / (2 * math.pi) ** 2
    assert energy.max() <= energy[0] + stored < 1.02 * energy[0]
    last = run.time > run.time[-1] - 1.0
    assert energy[last].max() < energy[0] - 1000.0
    assert np.ptp(run["Vehicle.CM_Global_Z"][last]) < 0.02  # it has come to rest vertically


def test_contact_channels_say_where_and_whether() -> None:
    run = jump()
    for c in CORNERS:
        on = run[f"Road.Contact_Flag.{c}"] == 1.0
        assert np.array_equal(on, run[f"Tire.Effective_Penetration.{c}"] > 0)
        assert np.all(run[f"{LOAD}.{c}"][~on] == 0) and np.all(run[f"{LOAD}.{c}"][on] >= 0)
        x, z = (run[f"Road.Contact_Patch_Global_{axis}.{c}"] for axis in "XZ")
        ramp = (x > 4.5) & (x < 9.5)
        assert ramp.any() and z[ramp] == pytest.approx(0.1 * (x[ramp] - 4.0), abs=1e-12)
        assert np.abs(z[x > 11]).max() < 1e-12


# -- friction --------------------------------------------------------------------------------------------------------


def test_braking_on_split_friction_turns_towards_the_dry_side() -> None:
    event = events.StraightBraking(speed="80 km/h", brake=0.3, start_time=3.0, straight_line=False, end_time=4.0)
    run = jn.run(sedan(), event, road="mu_split")
    i = int(np.searchsorted(run.time, 3.5))
    assert [float(run[f"Tire.Road_Friction.{c}"][i]) for c in CORNERS] == [1.0, 0.2, 1.0, 0.2]
    force = {c: float(run[f"Tire.Ground_Surface_Force_X.{c}"][i]) for c in CORNERS}
    assert force["L1"] < 2 * force["R1"] < 0  # dry on the left
    assert run["chassis_velocities.yaw"][i] > 0.02
    mirrored = RoadBuilder("mirrored", left=6, right=6).straight(400).patch(50, 400, 0.2, n0=0.0, n1=20.0).build()
    other = jn.run(sedan(), event, road=mirrored)
    # both sides of the car are alike but for rounding, which half a second of yawing does not raise beyond 1e-9
    assert other["chassis_velocities.yaw"][i] == pytest.approx(-run["chassis_velocities.yaw"][i], abs=1e-9)


@pytest.mark.slow
def test_a_wet_patch_lowers_the_deceleration_inside_it_only() -> None:
    event = events.StraightBraking(speed="100 km/h", brake=0.4, start_time=0.5, x=50.0)
    wet, dry = (jn.run(sedan(), event, road=road) for road in ("wet_patch", Flat()))
    nose, tail = (wet[f"Road.Contact_Patch_Global_X.L{axle}"] for axle in (1, 2))
    n = min(len(wet), len(dry))
    before = nose[:n] < 99.5
    slowing, usual = -wet["chassis_accelerations.longitudinal"], -dry["chassis_accelerations.longitudinal"]
    assert np.abs(slowing[:n] - usual[:n])[before].max() < 1e-9
    inside, moving = (tail > 104.0) & (nose < 128.0), wet["chassis_velocities.longitudinal"] > 3.0
    braking = usual[(dry.time > 1.2) & (dry["chassis_velocities.longitudinal"] > 3.0)]
    assert inside.any() and slowing[inside].max() < 0.9 * braking.min()
    after = (tail > 136.0) & moving  # half a second later, the wheels turn again
    assert after.any() and slowing[after].min() > 0.97 * braking.min()


# -- features ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("s", "n", "met"), [(30, 0.77, True), (30, -3.0, False), (300, 0.77, False), (30, -0.77, True)]
)
def test_an_event_that_misses_the_features_of_its_road_says_so(s: float, n: float, met: bool) -> None:
    road = RoadBuilder("holes").straight(500).pothole(s=s, n=n, depth=0.02, length=0.05, edge=0.01).build()
    run = jn.run(sedan(), events.StraightBraking(speed="40 km/h", brake=0.3), road=road, interval="50 ms")
    told = [text for text in run.warnings if text.startswith("road holes: no wheel met any of its features")]
    assert bool(told) != met  # rows are half a metre apart, the hole is 50 mm long: what lies between counts
    assert met or f"pothole at s = {s:g} m, n = {n:g} m" in told[0]


# -- unevenness ------------------------------------------------------------------------------------------------------

DAMPING = 2500.0  # N.s/m at each wheel, linear
CRUISE = 20.0  # m/s


def rough_ride(road: Road, time: float) -> Run:
    """Straight ahead at a speed, with linear dampers, without the first two seconds."""
    event = events.StraightBraking(speed=CRUISE, x=20.0)
    start = Start(described().changed(parts={"": event.parts()}), event, scene=Scene("road", (road,)))
    sim = start.sim
    changes = {name: 0.0 for name in sim.parameters if ".damper" in name and name.endswith(".scale")}
    sim.set_parameters(changes | {f"{c}.statics.damper_rate": DAMPING for c in CORNERS})
    program = Program(Phase("drive", [*straight_ahead(event, start), *event.pedals(start)], duration=time))
    run = Run.from_recording(sim.run(program=program, interval=0.005, channels=[f"{LOAD}.{c}" for c in CORNERS]))
    return run.between(2.0)


def test_wheel_loads_double_from_class_to_class() -> None:
    """Amplitudes double; the roads differ in their random phases, which over 760 m of road leaves some percent."""
    rides = [rough_ride(load_road(f"iso_8608_{name}"), 40.0) for name in "abc"]
    for c in CORNERS:
        rms = np.array([np.std(ride[f"{LOAD}.{c}"]) for ride in rides])
        assert rms[1:] / rms[:-1] == pytest.approx([2.0, 2.0], rel=0.05)


def test_the_spectrum_of_the_loads_is_that_of_a_quarter_car() -> None:
    """Road of class C, both tracks alike: |H|² times its spectrum, by octaves from 2 to 25 Hz within 2 dB.

    Sprung mass m on a wheel u, by Newton: S = (m s² ‖ (k + c s)) is what the wheel feels of the body, and the load is
    H = k_t (u s² + S)/(k_t + u s² + S) times the road. One realisation of 860 m spreads by 1 dB per octave; the rest
    is what other wheels do through the body.
    """
    from scipy.signal import welch

    from jounce.sim.standing import standing as report

    road = RoadBuilder("even tracks").straight(1000).unevenness("C", coherency=1.0, seed=5).build()
    run = rough_ride(road, 45.0)
    figures = {key: value for key, (value, _) in report(cars.describe(sedan())).figures().items()}
    wheel, tire = (1e3 * figures[f"{what}_rate_front"] for what in ("wheel", "tire"))
    unsprung = sedan().wheels(1, "L").unsprung_mass
    sprung = figures["load_L1"] / GRAVITY - unsprung
    f, found = welch(run[f"{LOAD}.L1"], 200.0, nperseg=1024)
    f, found = f[1:], found[1:]
    s = 2j * np.pi * f
    link = wheel + DAMPING * s
    body = sprung * s**2 * link / (sprung * s**2 + link)
    transfer = tire * (unsprung * s**2 + body) / (tire + unsprung * s**2 + body)
    expected = np.abs(transfer) ** 2 * 256e-6 * (f / CRUISE / 0.1) ** -2 / CRUISE
    for low in (2.0, 4.0, 8.0, 12.5):
        band = (f >= low) & (f < 2 * low)
        assert abs(10 * math.log10(float(found[band].mean() / expected[band].mean()))) < 2.0, low


# -- where a car starts, and where the road ends ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["handling", "mountain", "iso_8608_e"])
def test_a_car_starts_on_the_line_of_the_road(name: str) -> None:
    run = jn.run(sedan(), straight_on(speed="20 km/h", end_time=0.6), road=name)
    x, y, yaw = (float(run[f"chassis_displacements.{n}"][0]) for n in ("longitudinal", "lateral", "yaw"))
    here = load_road(name).query(x, y)
    # the reference point is 10 m from the beginning, the centre of gravity half a wheelbase behind it
    assert abs(float(here.offset)) < 0.05 and float(here.station) > 10.0 - 0.6 * sedan().wheelbase
    ahead = np.array([math.cos(yaw), math.sin(yaw)])
    assert float(ahead @ here.direction) > math.cos(0.05)


def test_a_place_that_is_given_is_kept() -> None:
    run = jn.run(sedan(), straight_on(x=30.0, y=1.0, heading="10 deg", end_time=0.6), road="iso_8608_a")
    assert run.metadata["event"]["parameters"]["x"][0] == 30.0
    assert float(run["chassis_displacements.yaw"][0]) == pytest.approx(math.radians(10), abs=1e-3)


def test_leaving_the_road_is_said_once_per_wheel() -> None:
    road = RoadBuilder("narrow", left=2.0, right=2.0).straight(300).build()
    run = jn.run(sedan(), events.StepSteer(**{**QUICK, "end_time": 4.0}, amplitude="40 deg"), road=road)
    for c in CORNERS:
        said = [text for text in run.warnings if text.startswith(f"wheel {c} left the road narrow")]
        outside = np.abs(run[f"Road.Contact_Patch_Global_Y.{c}"]) > 2.0
        assert len(said) == 1 and f"at {run.time[int(np.argmax(outside))]:.2f} s" in said[0]
    assert not [text for text in jn.run(sedan(), straight_on(), road=road).warnings if "left the road" in text]


def test_requests_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ParameterError, match="3 roads; expected one for each of L1, R1, L2, R2"):
        jn.run(sedan(), straight_on(wheel_roads=("flat",) * 3))
    with pytest.raises(ParameterError, match="give one or the other"):
        straight_on(road="flat", wheel_roads=("flat",) * 4)
    with pytest.raises(ParameterError, match="slopes of its own"):
        straight_on(road="flat", grade=0.1)
    with pytest.raises(ParameterError, match="did you mean 'handling'"):
        jn.run(sedan(), straight_on(), road="handlin")


def test_a_car_with_wheels_over_nothing_is_not_put_down() -> None:
    road = RoadBuilder("narrow", left=2, right=2).straight(100).beside("none", "none").build()
    with pytest.raises(ParameterError, match=r"y = 1.5 m of road 'narrow': 2 of 4 wheels hang over nothing"):
        jn.run(sedan(), straight_on(x=30, y=1.5), road=road)


def test_no_road_is_a_plane() -> None:
    assert events.CoastDown(road=None).road == "" and events.CoastDown(lap_path=None).lap_path == ""


def test_a_road_keeps_its_own_friction() -> None:
    run = jn.run(sedan(), straight_on(friction=0.5), road="flat")
    assert any("friction of its own" in text for text in run.warnings)
    assert np.all(run["Tire.Road_Friction.L1"] == 1.0)


def test_the_snippet_of_the_documentation_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "roads.md").read_text(encoding="utf-8")
    chapter = text.partition("## A car on a road")[2]
    code, printed = (chapter.partition(f"```{kind}\n")[2].partition("```")[0] for kind in ("python", "text"))
    exec(compile(code, "docs/roads.md", "exec"), {})
    assert capsys.readouterr().out == printed


# -- speed -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_road_of_ten_million_heights_is_measured() -> None:
    """How quick it is, `jounce bench` says."""
    from jounce.bench.road import road_rows

    assert all(row.value > 0.0 for row in road_rows())
