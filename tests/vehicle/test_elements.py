"""Guidance and elements of the car, one by one, on a rig: the chassis is held, wheels are put where they shall be.

Two cars carry most of it. Their maps are polynomials of at most third order in each variable, which a cubic spline on a
few knots reproduces exactly; so the same functions serve as tables of the car and as the expected result.

    independent   maps over rack and own travel in front, own travel behind; a rack behind the axle; hub motors
    dependent     maps over own and paired travel, in front summed with those over the hand wheel; a beam axle behind

What an element does to the motion is measured by the accelerations with and without it, in units of known forces on the
travels (``acts``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce.vehicle as jv
from cars import AXLES, FORCE, compact, plain, rates, rolling, without_air
from four_wheels import CORNERS
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from lagrange_car import LagrangeCar, anywhere, residual

Array = npt.NDArray[np.float64]
Poly = Callable[..., Any]
TRAVEL = [-0.1, -0.06, -0.01, 0.03, 0.1]
DEFLECTION = [-0.1, -0.06, 0.0, 0.03, 0.1]
RACK = [-0.09, -0.04, 0.01, 0.05, 0.09]
ANGLE = [-9.0, -4.0, 1.0, 5.0, 9.0]
WORDS = {"L1": "front_left", "R1": "front_right", "L2": "rear_left", "R2": "rear_right"}
NAMES = ("x", "y", "steer", "camber", "side_view_angle")
BEAM = 1.53  # m, track of the beam axle


def table(f: Poly, x: list[float], z: list[float] | None = None) -> dict[str, Any]:
    """A function as a table in SI."""
    if z is None:
        return {"x": x, "y": [float(f(a)) for a in x]}
    return {"x": x, "z": z, "y": [[float(f(a, b)) for b in z] for a in x]}


# -- the polynomials ------------------------------------------------------------------------------------------------

# over own travel, rear left of the independent car and (but for steer) ignored in front
OWN: dict[str, Poly] = {
    "x": lambda j: -0.05 * j + 0.4 * j**2 - 0.9 * j**3,
    "y": lambda j: 0.09 * j - 0.6 * j**2 + 2.0 * j**3,
    "toe": lambda j: 0.05 * j + 0.3 * j**2 - 1.1 * j**3,
    "camber": lambda j: -0.3 * j + 0.8 * j**2 + 2.0 * j**3,
    "side_view_angle": lambda j: -0.35 * j + 0.5 * j**2 - 3.0 * j**3,
}
# over rack travel and own travel, front left
STEERED: dict[str, Poly] = {
    "x": lambda u, j: 0.03 * j + 0.2 * j**2 + 0.6 * u**2 - 0.4 * u * j,
    "y": lambda u, j: 0.08 * j - 0.5 * j**2 - 0.02 * u + 0.7 * u * j,
    "steer": lambda u, j: -7.0 * u + 9.0 * u**2 - 60.0 * u**3 + 0.1 * j + 2.0 * u * j - 0.7 * j**3,
    "camber": lambda u, j: -0.25 * j + 1.1 * j**2 + 0.9 * u + 4.0 * u**2 + 1.5 * u * j**2,
    "side_view_angle": lambda u, j: 0.1 * j - 0.6 * j**2 + 0.5 * u - 1.3 * u * j,
}
# over own and paired travel, left of the dependent front axle
COUPLED: dict[str, Poly] = {
    "x": lambda j, o: 0.02 * j + 0.03 * o + 0.3 * j * o,
    "y": lambda j, o: 0.05 * j - 0.04 * o + 0.2 * j**2 - 0.5 * o**3,
    "toe": lambda j, o: 0.06 * j - 0.05 * o + 0.7 * j * o - 1.2 * j**2 * o,
    "camber": lambda j, o: -0.2 * j + 0.1 * o + 0.9 * o**2,
    "side_view_angle": lambda j, o: 0.12 * j - 0.05 * o - 0.4 * j * o**2,
}
# over the hand wheel angle, front left of the dependent car; its steer is that of STEERED at a rack of -8 mm/rad
ANGLED: dict[str, Poly] = {
    "x": lambda u, j: 4e-4 * u**2 - 0.001 * u * j,
    "y": lambda u, j: -2e-4 * u + 0.002 * u * j,
    "camber": lambda u, j: 0.006 * u + 3e-4 * u**2 * j,
    "side_view_angle": lambda u, j: 0.004 * u - 0.01 * u * j,
}
# a beam axle that turns by s = (J − J_o)/track about x, to the third order
ROLLED: dict[str, Poly] = {
    "x": lambda j, o: 0.0 * j,
    "y": lambda j, o: -(((j - o) / BEAM) ** 2) * BEAM / 4,
    "toe": lambda j, o: 0.0 * j,
    "camber": lambda j, o: -(j - o) / BEAM + ((j - o) / BEAM) ** 3 / 3,
    "side_view_angle": lambda j, o: 0.0 * j,
}


def rack(angle: Any) -> Any:
    """Of a rack behind the wheel centres: falls with the angle, with a ratio that varies."""
    return -0.008 * angle - 1e-5 * angle**3


def independent_guide(place: str, j: Any, _other: Any, angle: Any) -> tuple[Any, ...]:
    """x, y, ψ, camber, side view angle; the right side is the mirror image: u changes its sign, and so do y and ψ."""
    axle, side = CORNERS[place]
    sign = 1.0 if side == "L" else -1.0
    if axle == 2:
        o = OWN
        return o["x"](j), sign * o["y"](j), -sign * o["toe"](j), o["camber"](j), o["side_view_angle"](j)
    u = sign * rack(angle)
    x, y, steer, camber, sva = (STEERED[name](u, j) for name in NAMES)
    return x, sign * y, sign * steer, camber, sva


def dependent_guide(place: str, j: Any, other: Any, angle: Any) -> tuple[Any, ...]:
    axle, side = CORNERS[place]
    sign = 1.0 if side == "L" else -1.0
    own = COUPLED if axle == 1 else ROLLED
    x, y, toe, camber, sva = (own[name](j, other) for name in ("x", "y", "toe", "camber", "side_view_angle"))
    psi = -sign * toe
    y = sign * y
    if axle == 1:
        u = sign * angle
        psi = psi + sign * STEERED["steer"](-0.008 * u, 0.0)
        x, y = x + ANGLED["x"](u, j), y + sign * ANGLED["y"](u, j)
        camber, sva = camber + ANGLED["camber"](u, j), sva + ANGLED["side_view_angle"](u, j)
    return x, y, psi, camber, sva


# -- elements of the independent car --------------------------------------------------------------------------------


def spring_force(c: Any) -> Any:
    return 2.4e4 * c + 5e4 * c**2 + 1e5 * c**3


def spring_ratio(j: Any) -> Any:
    return 0.92 * j + 0.5 * j**2


def damper_force(v: Any, x: Any) -> Any:
    return 1500 * v + 300 * v**3 + 4000 * v * x


def damper_ratio(j: Any) -> Any:
    return 0.9 * j - 0.4 * j**2


def bar_ratio(j: Any) -> Any:
    return 3.3 * j + 2.0 * j**2


def bar_torque(a: Any) -> Any:
    return 1200 * a + 900 * a**3


def auxiliary_force(d: Any, mean: Any) -> Any:
    return 4000 * d + 2e5 * d**3 + 3e4 * d * mean


PRELOAD, TORSION = 3900.0, 2600.0
BAR_PRELOAD = 35.0


def exact(vehicle: jv.Vehicle) -> dict[str, Any]:
    return {
        "system.splines.method": "cubic",
        "system.kinematic_maps.extrapolation": "linear",
        "steering.kingpin": None,
        **{f"{axle}_suspension.{n}.offset": 0.0 for axle in AXLES for n in ("toe", "camber")},
        **without_air(vehicle),
    }


@pytest.fixture(scope="module")
def independent() -> jv.Vehicle:
    vehicle = compact()
    changes: dict[str, Any] = exact(vehicle)
    for axle in AXLES:
        changes |= {f"{axle}_suspension.{name}": table(f, TRAVEL) for name, f in OWN.items()}
    changes |= {f"steering.{name}": table(f, RACK, TRAVEL) for name, f in STEERED.items()}
    changes |= {
        "system.torque_reaction": "carrier",
        "system.steering_acceleration": True,
        "steering.input": "rack_travel",
        "steering.rack_travel": table(rack, ANGLE),
        "steering.method": "steer_map",
        "steering.steering_dependent_wheel_location": True,
        "front_suspension.spring": {
            "force": table(spring_force, [0.0, 0.05, 0.12, 0.2, 0.3]), "preload": PRELOAD, "free_length": 0.4,
            "ratio": table(spring_ratio, DEFLECTION),
        },
        "front_suspension.dampers": [
            {"name": "main", "force": table(damper_force, [-2.0, -0.7, 0.1, 0.9, 2.0], TRAVEL),
             "ratio": table(damper_ratio, DEFLECTION)},
            {"name": "second", "rate": 400.0, "ratio": 0.5},
        ],
        "front_suspension.anti_roll_bar": {
            "ratio": table(bar_ratio, TRAVEL), "torque": table(bar_torque, [-0.8, -0.3, 0.1, 0.4, 0.8]),
            "preload": BAR_PRELOAD,
        },
        "rear_suspension.spring": {"type": "rotational", "rate": TORSION, "preload": 0.0, "ratio": 4.0},
        "rear_suspension.auxiliary_anti_roll": {
            "force": table(auxiliary_force, [-0.2, -0.07, 0.02, 0.1, 0.2], TRAVEL), "damping": 0.02,
        },
    }  # fmt: skip
    return vehicle.with_(**changes)


@pytest.fixture(scope="module")
def dependent() -> jv.Vehicle:
    vehicle = compact()
    changes: dict[str, Any] = exact(vehicle)
    changes |= {f"front_suspension.{name}": table(f, TRAVEL, TRAVEL) for name, f in COUPLED.items()}
    changes |= {f"rear_suspension.{name}": table(f, TRAVEL, TRAVEL) for name, f in ROLLED.items()}
    changes |= {f"steering.{name}": table(f, ANGLE, TRAVEL) for name, f in ANGLED.items()}
    changes |= {
        "rear_suspension.track": BEAM,
        "steering.input": "wheel_angle",
        "steering.steer": table(lambda u: STEERED["steer"](-0.008 * u, 0.0), ANGLE),
        "steering.steering_dependent_wheel_location": True,
        "front_suspension.spring": {
            # over length from that at design: falls
            "force": table(lambda x: 3500.0 - 2.5e4 * x + 4e4 * x**2, [-0.15, -0.1, 0.0, 0.1, 0.15]),
            "axis": "length", "preload": 3900.0, "ratio": 0.95,
        },
        "rear_suspension.spring.scale": 1.5,
    }  # fmt: skip
    return vehicle.with_(**changes)


@pytest.fixture(scope="module")
def plain_car() -> jv.Vehicle:
    return compact()


def rig(vehicle: jv.Vehicle, ground: Any = "level", **parameters: float) -> Simulation:
    """The car at design, the road too low for its wheels."""
    sim = car.simulation(vehicle, ground=ground)
    sim.set_parameters({"ground.height": -5.0, **{k.replace("__", "."): v for k, v in parameters.items()}})
    return sim


def put(sim: Simulation, travel: Mapping[str, float], speeds: Mapping[str, float] | None = None) -> None:
    sim.set_states({f"{c}.jounce": travel.get(c, 0.0) for c in CORNERS})
    sim.set_states({f"{c}.jounce.rate": (speeds or {}).get(c, 0.0) for c in CORNERS})


def pose(sim: Simulation, place: str) -> tuple[float, ...]:
    """x, y, ψ, camber, side view angle as told by channels."""
    return (
        sim.output(f"Wheel.wheel_center_dispx.{WORDS[place]}"), sim.output(f"Wheel.wheel_center_dispy.{WORDS[place]}"),
        sim.output(f"Wheel.Spindle_Steer.{place}"), sim.output(f"wheel_angles.camber_{place}"),
        sim.output(f"Wheel.Side_View_Angle.{place}"),
    )  # fmt: skip


def acts(sim: Simulation, off: Mapping[str, float]) -> dict[str, float]:
    """Generalised forces on the four travels by what the parameters ``off`` switch off.

    The unit is a spring from design of known rate at each wheel (a helper of statics): no travel may be zero.
    """
    with_it = np.array(list(rates(sim).values()))
    was = sim.parameters
    columns = []
    for place in CORNERS:
        name = f"{place}.statics.spring_rate"
        sim.set_parameters({name: 1e4})
        columns.append((np.array(list(rates(sim).values())) - with_it) / (-1e4 * sim.state(f"{place}.jounce")))
        sim.set_parameters({name: was[name]})
    sim.set_parameters(dict(off))
    change = with_it - np.array(list(rates(sim).values()))
    sim.set_parameters({name: was[name] for name in off})
    found, *_ = np.linalg.lstsq(np.column_stack(columns), change, rcond=None)
    left = change - np.column_stack(columns) @ found
    assert np.abs(left).max() <= 1e-6 * max(np.abs(change).max(), 1e-3), "it acts on the travels alone"
    return dict(zip(CORNERS, map(float, found), strict=True))


def slope(f: Callable[[float], float], x: float, width: float = 1e-5) -> float:
    return (f(x + width) - f(x - width)) / (2 * width)


def silent(sim: Simulation, names: Iterable[str] = ("spring", "damper", "bump_stop", "rebound_stop")) -> None:
    """Without elements: what is left are carriers, wheels and tires."""
    words = tuple(names)
    off = {n: 0.0 for n in sim.parameters if n.endswith(".scale") and n.split(".")[1].rstrip("12") in words}
    off |= {n: 0.0 for n in sim.parameters if n.endswith(("anti_roll_bar.scale", "auxiliary_anti_roll.scale"))}
    off |= {n: 0.0 for n in sim.parameters if n.endswith("anti_roll_bar.preload")}
    assert len(off) >= 14
    sim.set_parameters(off)


# -- guidance -------------------------------------------------------------------------------------------------------

SWEEP = [
    ({"L1": 0.05, "R1": -0.03, "L2": 0.07, "R2": -0.06}, 0.0), ({"L1": -0.07, "R1": 0.04, "L2": -0.02}, 3.1),
    ({"L1": 0.02, "R1": 0.08, "R2": 0.09}, -6.3), ({}, 0.0), ({"R1": -0.05, "R2": 0.03}, 5.2),
]  # fmt: skip


@pytest.mark.parametrize("which", ["independent", "dependent"])
def test_a_sweep_on_the_rig_returns_the_maps(which: str, request: pytest.FixtureRequest) -> None:
    vehicle = request.getfixturevalue(which)
    guide = independent_guide if which == "independent" else dependent_guide
    sim = rig(vehicle)
    for travel, angle in SWEEP:
        put(sim, travel)
        sim.set_inputs({"steering_wheel": angle})
        for place, (axle, side) in CORNERS.items():
            other = travel.get(("R" if side == "L" else "L") + place[1], 0.0)
            own = travel.get(place, 0.0)
            expected = guide(place, own, other, angle)
            assert pose(sim, place) == pytest.approx(expected, abs=1e-12), (place, travel, angle)
            # where the wheel is in the world: the chassis is at design
            where = np.add(vehicle.wheel_centre(axle, side), [expected[0], expected[1], own])
            found = [sim.output(f"Wheel.Global_{a}.{place}") for a in "XYZ"]
            assert found == pytest.approx(list(where), abs=1e-12)
            # signs: toe-in and steer to the left are one angle, ψ = −toe on the left, +toe on the right
            toe = sim.output(f"wheel_angles.toe_{place}")
            assert toe == pytest.approx((-1.0 if side == "L" else 1.0) * expected[2], abs=1e-12)
    assert sim.output("Steering_System.Rack_Displacement") == pytest.approx(
        rack(SWEEP[-1][1]) if which == "independent" else 0.05 / (2 * math.pi) * SWEEP[-1][1], abs=1e-12
    )


def test_the_other_wheel_leaves_an_independent_wheel_alone(independent: jv.Vehicle, dependent: jv.Vehicle) -> None:
    for vehicle, moves in ((independent, False), (dependent, True)):
        sim = rig(vehicle)
        for place, paired in (("L1", "R1"), ("R2", "L2")):
            put(sim, {place: 0.03})
            before = pose(sim, place)
            put(sim, {place: 0.03, paired: 0.06})
            assert (pose(sim, place) != before) is moves


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("which", ["independent", "dependent"])
def test_jacking_and_inertia_of_guided_carriers(which: str, number: int, request: pytest.FixtureRequest) -> None:
    """Lagrange's equations with the same maps: first and second derivatives, coupling of the two wheels of an axle,
    rate and acceleration of the steering, hub motors or shafts."""
    vehicle = request.getfixturevalue(which)
    own = which == "independent"
    sim = car.simulation(vehicle)
    silent(sim)
    lagrange = LagrangeCar(vehicle, independent_guide if own else dependent_guide)
    anywhere(sim, number)
    inputs = {"steering_wheel": 2.5, "steering_wheel.rate": -5.0, "throttle": 0.6, "brake": 0.1}
    if own:
        inputs["steering_wheel.acceleration"] = 30.0
    sim.set_inputs(inputs)
    assert residual(sim, lagrange, shaft=not own, acceleration=30.0 if own else 0.0) < 1e-9
    # and each of these parts is there: without it the equations do not hold
    assert residual(sim, lagrange, shaft=own, acceleration=30.0 if own else 0.0) > 1e-6
    if own:
        assert residual(sim, lagrange, shaft=False, acceleration=0.0) > 1e-6


def test_scale_factors_of_maps_act_in_position_and_jacking(independent: jv.Vehicle) -> None:
    factors = {"x": 1.5, "y": 0.6, "toe": 2.0, "camber": 1.4, "side_view_angle": 0.3}
    vehicle = independent.with_(**{f"rear_suspension.{n}.scale": f for n, f in factors.items()})

    def guide(place: str, j: Any, other: Any, angle: Any) -> tuple[Any, ...]:
        found = independent_guide(place, j, other, angle)
        if place.endswith("1"):
            return found
        return tuple(f * value for f, value in zip(factors.values(), found, strict=True))

    sim = car.simulation(vehicle)
    silent(sim)
    lagrange = LagrangeCar(vehicle, guide)
    anywhere(sim, 7)
    assert residual(sim, lagrange, shaft=False) < 1e-9
    put(sim, {"L2": 0.05})
    assert pose(sim, "L2") == pytest.approx(guide("L2", 0.05, 0.0, 0.0), abs=1e-12)


def test_velocity_of_the_hub_differentiated_is_its_acceleration(independent: jv.Vehicle) -> None:
    """On a run with steering and travel; sizes are compared, as one channel is in carrier and one in world axes."""
    # a torsion bar with preload: travels stay within the tables, at whose ends second derivatives jump
    sim = car.simulation(independent.with_(**{"rear_suspension.spring.preload": 560.0}), method="AM-4")
    rolling(sim, 20.0)
    steer = Open("steering_wheel", Ramp(3.0, 0.3, start=0.0, smooth=True))
    run = sim.run(program=Program(Phase("steer", [steer], duration=0.3)), interval=0.001, step=0.0005)
    for place in ("L1", "R1", "L2"):
        v = np.array([run[f"Wheel.Global_V{a}.{place}"] for a in "xyz"])
        told = np.linalg.norm([run[f"Wheel.hub_center_acc{a}.{WORDS[place]}"] for a in "xyz"], axis=0)
        # five points: the error is h⁴ v⁽⁵⁾/30, wheel hop of some 80 rad/s
        found = (v[:, :-4] - 8 * v[:, 1:-3] + 8 * v[:, 3:-1] - v[:, 4:]) / (12 * 0.001)
        late = slice(100, None)  # the jolt of the start has frequencies of its own
        peak = told[2:-2][late].max()
        assert np.abs(np.linalg.norm(found, axis=0) - told[2:-2])[late].max() < 1e-4 * peak


def test_contacts_are_a_track_and_a_wheelbase_apart(plain_car: jv.Vehicle) -> None:
    vehicle = plain_car.with_(**plain(plain_car))
    sim = car.simulation(vehicle, ground="inclined")
    at = {c: [sim.output(f"Road.Contact_Patch_Global_{a}.{c}") for a in "XYZ"] for c in CORNERS}
    for axle in (1, 2):
        assert at[f"L{axle}"][1] - at[f"R{axle}"][1] == pytest.approx(vehicle.suspension(axle).track, abs=1e-12)
        assert at[f"L{axle}"][2] == pytest.approx(0.0, abs=1e-12)
    assert at["L1"][0] - at["L2"][0] == pytest.approx(vehicle.wheelbase, abs=1e-12)


def test_a_bank_appears_in_the_inclination_of_the_wheels(plain_car: jv.Vehicle) -> None:
    """A road whose left side is up by β: upright wheels lean to the left of its normal."""
    sim = car.simulation(plain_car, ground="inclined")
    before = {c: sim.output(f"Wheel.Inclination.{c}") for c in CORNERS}
    bank = math.radians(4.0)
    sim.set_parameters({"ground.bank": math.tan(bank)})
    for place, value in before.items():
        assert sim.output(f"Wheel.Inclination.{place}") == pytest.approx(value - bank, abs=1e-5)  # toe of some mrad
        outward = 1.0 if place.startswith("L") else -1.0  # camber: top outwards
        gain = sim.output(f"wheel_angles.camber_wrt_road_{place}") - sim.output(f"wheel_angles.camber_{place}")
        assert gain == pytest.approx(outward * bank, abs=1e-5)


# -- the beam axle --------------------------------------------------------------------------------------------------


def test_wheels_of_a_beam_axle_lean_together(dependent: jv.Vehicle) -> None:
    sim = rig(dependent)
    put(sim, {"L2": 0.05, "R2": -0.03})
    lean = math.atan(0.08 / BEAM)  # left up: about +x
    assert sim.output("wheel_angles.camber_L2") == pytest.approx(-lean, abs=1e-6)
    assert sim.output("wheel_angles.camber_R2") == pytest.approx(lean, abs=1e-6)


def test_energy_of_a_beam_axle_in_the_air(dependent: jv.Vehicle) -> None:
    """Kinetic energy by Lagrange's T, gravity, rear springs: what one loses the others gain."""
    vehicle = dependent
    sim = rig(vehicle)
    silent(sim)
    # without preload, so that the wheels stay on their maps
    sim.set_parameters({f"{c}.spring.scale": 1.5 for c in ("L2", "R2")} | {"ground.height": -100.0})
    sim.set_parameters({f"{c}.spring.at_design": 0.0 for c in ("L2", "R2")})
    put(sim, {"L2": 0.04, "R2": -0.05}, {"L2": 0.5, "R2": 0.3})
    sim.set_states({"chassis.wx": 0.8, "chassis.wy": 0.3, "chassis.wz": -0.6})
    sim.set_states({f"{c}.wheel.spin": 40.0 for c in CORNERS})
    lagrange = LagrangeCar(vehicle, dependent_guide)
    spring = vehicle.rear_suspension.spring
    assert spring is not None and spring.rate is not None and spring.ratio.constant is not None

    def energy() -> tuple[float, float]:
        q, v = lagrange.coordinates(sim)
        stored = 0.0
        for place in ("L2", "R2"):
            c = sim.parameter(f"{place}.spring.at_design") + spring.ratio.constant * sim.state(f"{place}.jounce")
            stored += 1.5 * spring.rate * c * c / 2
        return float(lagrange.value(lagrange.energy + lagrange.potential, q, v)[0, 0]) + stored, stored

    (before, stored), moved = energy(), []
    for _ in range(10):
        sim.run(sim.time + 0.05, method="AM-4", step=0.0005)
        after, now = energy()
        moved.append(abs(now - stored))
        assert after == pytest.approx(before, abs=1e-7 * stored)
    assert max(moved) > 0.3 * stored, "the springs work"


# -- steering -------------------------------------------------------------------------------------------------------


def test_a_rack_that_moves_the_other_way_still_steers_left(independent: jv.Vehicle) -> None:
    sim = rig(independent)
    sim.set_inputs({"steering_wheel": 4.0})
    assert sim.output("Steering_System.Rack_Displacement") == pytest.approx(rack(4.0), abs=1e-12) and rack(4.0) < 0
    assert sim.output("Wheel.Spindle_Steer.L1") > 0.1 and sim.output("Wheel.Spindle_Steer.R1") > 0.1


def test_input_by_hand_wheel_or_by_rack_gives_the_same_angles(independent: jv.Vehicle, dependent: jv.Vehicle) -> None:
    """The same steering entered over rack travel with τ(ζ), and over ζ itself."""
    by_rack = rig(independent.with_(**{"steering.rack_travel": table(lambda a: -0.008 * a, ANGLE)}))
    by_wheel = rig(dependent)
    for angle in (-7.0, -2.0, 0.5, 6.0):
        for sim in (by_rack, by_wheel):
            sim.set_inputs({"steering_wheel": angle})
        for place in ("L1", "R1"):
            here, there = (sim.output(f"Wheel.Spindle_Steer.{place}") for sim in (by_rack, by_wheel))
            assert here == pytest.approx(there, abs=1e-12) and abs(here) > 0.01


def test_the_ratio_scale_divides_the_angle(independent: jv.Vehicle) -> None:
    sim, scaled = rig(independent), rig(independent.with_(**{"steering.gear_ratio_scale": 2.0}))
    sim.set_inputs({"steering_wheel": 2.5})
    scaled.set_inputs({"steering_wheel": 5.0})
    for place in ("L1", "R1"):
        assert pose(scaled, place) == pytest.approx(pose(sim, place), abs=1e-14)


def test_steer_and_toe_tables_add_up(plain_car: jv.Vehicle) -> None:
    """δ = δ(u) − toe(J) on the left, + toe(J) on the right, and camber and the like from the suspension."""
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_inputs({"steering_wheel": 1.2})
    suspension = plain_car.front_suspension
    for travel in (-0.05, 0.0, 0.04):
        put(sim, {"L1": travel, "R1": travel})
        toe = suspension.toe.offset + suspension.toe.curve(travel)
        assert travel == 0.0 or abs(toe) > 1e-4
        assert sim.output("Wheel.Spindle_Steer.L1") == pytest.approx(0.0645 * 1.2 - toe, abs=1e-12)
        assert sim.output("Wheel.Spindle_Steer.R1") == pytest.approx(0.0645 * 1.2 + toe, abs=1e-12)
        camber = suspension.camber.offset + suspension.camber.curve(travel)
        assert sim.output("wheel_angles.camber_L1") == pytest.approx(camber, abs=1e-12)
        assert sim.output("wheel_angles.camber_R1") == pytest.approx(camber, abs=1e-12)
        assert sim.output("Wheel.wheel_center_dispy.front_left") == pytest.approx(0.08 * travel, abs=1e-12)
        assert sim.output("Wheel.wheel_center_dispy.front_right") == pytest.approx(-0.08 * travel, abs=1e-12)


# -- levels of fidelity ---------------------------------------------------------------------------------------------


def common_state(sim: Simulation) -> Array:
    anywhere(sim, 3)
    sim.set_states({"chassis.z": 0.9})
    sim.set_inputs({"steering_wheel": 1.5, "steering_wheel.rate": 2.0, "throttle": 0.3})
    return sim.derivatives()[0]


def test_without_compliance_the_kinematic_level_is_the_full_one(plain_car: jv.Vehicle) -> None:
    """Also: maps of the wheel location over steering count for nothing when their switch is off."""
    by_steering = {f"steering.{n}": table(f, ANGLE, TRAVEL) for n, f in ANGLED.items() if n in ("x", "y")}
    other = plain_car.with_(**by_steering, **{"system.simplified_model": 2})
    assert not other.steering.steering_dependent_wheel_location
    full, kinematic = (common_state(car.simulation(v, ground="inclined")) for v in (plain_car, other))
    assert kinematic == pytest.approx(full, rel=1e-9, abs=1e-9)


def test_wheels_of_the_simplified_level_move_straight_up(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car.with_(**{"system.simplified_model": 1}), ground="inclined")
    sim.set_inputs({"steering_wheel": 2.0})
    put(sim, {"L1": 0.06, "R1": -0.04, "L2": 0.05, "R2": 0.02})
    for place, (axle, side) in CORNERS.items():
        steer = 0.0645 * 2.0 if axle == 1 else 0.0
        assert pose(sim, place) == pytest.approx((0.0, 0.0, steer, 0.0, 0.0), abs=1e-12)
        found = [sim.output(f"Wheel.Global_{a}.{place}") for a in "XYZ"]
        where = np.add(plain_car.wheel_centre(axle, side), [0.0, 0.0, sim.state(f"{place}.jounce")])
        assert found == pytest.approx(list(where), abs=1e-12)


# -- springs --------------------------------------------------------------------------------------------------------

POSED = {"L1": 0.04, "R1": -0.03, "L2": 0.05, "R2": -0.02}
MOVING = {"L1": 0.5, "R1": -0.3, "L2": 0.4, "R2": 0.2}


def test_at_design_a_spring_has_its_preload(independent: jv.Vehicle, dependent: jv.Vehicle) -> None:
    """Given over deflection, over length, and as a rate with a scale."""
    sim = rig(independent)
    assert sim.output("Spring.Force_At_Spring.L1") == pytest.approx(PRELOAD, rel=1e-9)
    assert sim.output("Spring.Force_At_Spring.L2") == 0.0
    sim = rig(dependent)
    assert sim.output("Spring.Force_At_Spring.R1") == pytest.approx(3900.0, rel=1e-9)
    assert sim.output("Spring.Force_At_Spring.R2") == pytest.approx(2822.0, rel=1e-9)


def test_a_spring_acts_by_virtual_work(independent: jv.Vehicle) -> None:
    """Q = −F(c0 + d) ∂d/∂J, and F_w J̇ = F ḋ."""
    sim = rig(independent)
    start = _root(lambda c: spring_force(c) - PRELOAD, 0.0, 0.3)
    put(sim, POSED, MOVING)
    acting = acts(sim, {f"{c}.spring.scale": 0.0 for c in CORNERS})
    for place in ("L1", "R1"):
        j = POSED[place]
        force = spring_force(start + spring_ratio(j))
        assert sim.output(f"Spring.Force_At_Spring.{place}") == pytest.approx(force, rel=1e-9)
        assert acting[place] == pytest.approx(-force * slope(spring_ratio, j), rel=1e-6)
    for place in ("L2", "R2"):
        assert acting[place] == pytest.approx(-TORSION * 4.0**2 * POSED[place], rel=1e-6)
    for place in CORNERS:
        at_wheel = sim.output(f"Spring.Force_At_Wheel.{place}")
        assert acting[place] == pytest.approx(-at_wheel, rel=1e-6)
        work = sim.output(f"Spring.Force_At_Spring.{place}") * sim.output(f"Spring.Jounce_Rate.{place}")
        assert at_wheel * MOVING[place] == pytest.approx(work, rel=1e-12)


def test_a_ratio_without_a_knot_at_design_is_zero_there(independent: jv.Vehicle) -> None:
    """In the interpolation that the car uses; so the preload is the force at design."""
    sim = rig(independent.with_(**{"front_suspension.spring.ratio": table(spring_ratio, TRAVEL)}))
    assert sim.output("Spring.Force_At_Spring.L1") == pytest.approx(PRELOAD, rel=1e-9)


def test_wheel_rate_of_a_torsion_spring(independent: jv.Vehicle) -> None:
    """K MR² at design, where it is free of load."""
    sim = rig(independent)

    def at_wheel(j: float) -> float:
        put(sim, {"L2": j})
        return sim.output("Spring.Force_At_Wheel.L2")

    assert slope(at_wheel, 0.0) == pytest.approx(TORSION * 4.0**2, rel=1e-9)


def test_a_spring_over_length(dependent: jv.Vehicle) -> None:
    sim = rig(dependent)

    def law(x: float) -> float:
        return 3500.0 - 2.5e4 * x + 4e4 * x**2

    start = _root(lambda x: law(x) - 3900.0, -0.15, 0.15)
    put(sim, {"L1": 0.06})
    assert sim.output("Spring.Force_At_Spring.L1") == pytest.approx(law(start - 0.95 * 0.06), rel=1e-9)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (f(middle) > 0) == (f(low) > 0) else (low, middle)
    return 0.5 * (low + high)


# -- dampers --------------------------------------------------------------------------------------------------------


def test_a_damper_over_speed_and_travel(independent: jv.Vehicle) -> None:
    """Q = +F(v, x) ∂d/∂J with v = −ḋ, x = −d: in extension it holds the wheel back, upwards."""
    sim = rig(independent)
    put(sim, POSED, MOVING)
    acting = acts(sim, {"L1.damper1.scale": 0.0, "R1.damper1.scale": 0.0})
    for place in ("L1", "R1"):
        j, rate = POSED[place], MOVING[place]
        ratio = slope(damper_ratio, j)
        force = damper_force(-ratio * rate, -damper_ratio(j))
        assert acting[place] == pytest.approx(force * ratio, rel=1e-6)
        assert sim.output(f"Damper.Force_At_Damper.{place}") == pytest.approx(-force, rel=1e-9)
        assert sim.output(f"Damper.Force_At_Wheel.{place}") == pytest.approx(-force * ratio, rel=1e-9)
        work = sim.output(f"Damper.Force_At_Damper.{place}") * sim.output(f"Damper.Jounce_Rate.{place}")
        assert sim.output(f"Damper.Force_At_Wheel.{place}") * rate == pytest.approx(work, rel=1e-9)
    assert acting["L1"] < 0 < acting["R1"], "the left wheel moves up, the right one down"
    assert acting["L2"] == pytest.approx(0.0, abs=1e-6)
    second = acts(sim, {"L1.damper2.scale": 0.0})
    assert second["L1"] == pytest.approx(-400.0 * 0.25 * MOVING["L1"], rel=1e-6)
    assert sim.output("secondary_damper.force.front_left") == pytest.approx(-400.0 * 0.5 * MOVING["L1"], rel=1e-9)
    assert sim.output("secondary_damper.velocity.front_left") == pytest.approx(-0.5 * MOVING["L1"], rel=1e-12)


def test_the_loop_of_a_damper_is_the_energy_it_takes(independent: jv.Vehicle) -> None:
    """A sine of the wheel: ∮ F_w dJ = ∫ F v dt > 0; with c v alone π c ω A² for a ratio r: r²."""
    sim = rig(independent)
    amplitude, omega = 0.04, 2 * math.pi * 1.5
    phases = np.linspace(0.0, 2 * np.pi, 400, endpoint=False)
    loops = {"L1": 0.0, "L2": 0.0}
    by_law = 0.0
    for phase in phases:
        j, rate = amplitude * math.sin(phase), amplitude * omega * math.cos(phase)
        put(sim, {"L1": j, "L2": j}, {"L1": rate, "L2": rate})
        for place in loops:
            loops[place] += sim.output(f"Damper.Force_At_Wheel.{place}") * rate
        v = -slope(damper_ratio, j) * rate
        by_law += damper_force(v, -damper_ratio(j)) * v
    dt = 2 * np.pi / omega / len(phases)
    assert loops["L1"] * dt == pytest.approx(by_law * dt, rel=1e-9) and by_law > 0
    assert loops["L2"] * dt == pytest.approx(math.pi * 1700.0 * 0.9**2 * omega * amplitude**2, rel=1e-9)
    put(sim, {}, {"L1": -0.3})
    assert sim.output("Damper.Force_At_Damper.L1") < 0, "compression positive: in extension it pulls"


# -- stops ----------------------------------------------------------------------------------------------------------


def test_a_bump_stop_engages_after_its_clearance(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    clearance = plain_car.front_suspension.bump_stop.clearance  # type: ignore[union-attr]
    for beyond, force in ((-0.01, 0.0), (0.0, 0.0), (0.010, 500.0), (0.030, 4000.0)):
        put(sim, {"L1": clearance + beyond})
        assert sim.output("Jounce_Bumper.Force_At_Bumper.L1") == pytest.approx(force, abs=1e-9)
        assert sim.output("Jounce_Bumper.Force_At_Wheel.L1") == pytest.approx(force, abs=1e-9)
        assert sim.output("Rebound_Bumper.Force_At_Bumper.L1") == 0.0
    put(sim, {"L1": clearance + 0.03, "R1": 0.02, "L2": 0.01, "R2": 0.01})
    assert acts(sim, {"L1.bump_stop.scale": 0.0})["L1"] == pytest.approx(-4000.0, rel=1e-6)


def test_a_rebound_stop_engages_in_extension_only(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    for travel, force in ((0.09, 0.0), (-0.08, 0.0), (-0.085, -2000.0)):  # clearance 80 mm, 400 N/mm
        put(sim, {"L2": travel})
        assert sim.output("Rebound_Bumper.Force_At_Bumper.L2") == pytest.approx(force, abs=1e-6)
    put(sim, {"L1": 0.02, "R1": 0.02, "L2": -0.085, "R2": 0.01})
    assert acts(sim, {"L2.rebound_stop.scale": 0.0})["L2"] == pytest.approx(2000.0, rel=1e-6), "it pulls the wheel up"


def test_scales_multiply_forces(independent: jv.Vehicle, plain_car: jv.Vehicle) -> None:
    """Of springs (the preload is kept), dampers, stops, bars (but not their preload)."""
    sim, twice = rig(independent), rig(independent.with_(**{
        "front_suspension.dampers[0].scale": 2.0, "front_suspension.anti_roll_bar.scale": 2.0,
        "rear_suspension.spring.scale": 2.0, "rear_suspension.auxiliary_anti_roll.scale": 2.0,
        "front_suspension.bump_stop.scale": 2.0, "front_suspension.rebound_stop.scale": 2.0,
    }))  # fmt: skip
    for one in (sim, twice):
        put(one, {"L1": 0.07, "R1": -0.09, "L2": 0.03, "R2": -0.01}, MOVING)
    bar = "Suspension.Auxiliary_Roll_Force_at_element.SUSP1"
    for name in ("Damper.Force_At_Wheel.L1", "Spring.Force_At_Wheel.L2", "Jounce_Bumper.Force_At_Wheel.L1",
                 "Rebound_Bumper.Force_At_Wheel.R1", "Suspension.Auxiliary_Roll_Force.SUSP2"):  # fmt: skip
        assert twice.output(name) == pytest.approx(2 * sim.output(name), rel=1e-12) and sim.output(name) != 0, name
    assert twice.output(bar) - BAR_PRELOAD == pytest.approx(2 * (sim.output(bar) - BAR_PRELOAD), rel=1e-12)
    # a spring with a preload: that force stays, its rate doubles
    base, stiff = (
        car.simulation(plain_car.with_(**{"front_suspension.spring.scale": s}), ground="inclined") for s in (1.0, 2.0)
    )
    for one in (base, stiff):
        put(one, {"L1": 0.0})
    assert stiff.output("Spring.Force_At_Spring.L1") == pytest.approx(
        base.output("Spring.Force_At_Spring.L1"), rel=1e-12
    )
    preload = base.output("Spring.Force_At_Spring.L1")
    for one in (base, stiff):
        put(one, {"L1": 0.03})
    gains = [one.output("Spring.Force_At_Spring.L1") - preload for one in (base, stiff)]
    assert gains[1] == pytest.approx(2 * gains[0], rel=1e-9)


# -- anti-roll ------------------------------------------------------------------------------------------------------


def test_roll_stiffness_of_the_auxiliary_rate(plain_car: jv.Vehicle) -> None:
    """Opposite travels j are a roll of 2 j/t; the moment is k t² times it."""
    sim = car.simulation(plain_car, ground="inclined")
    k, track, j = 4000.0, plain_car.rear_suspension.track, 0.02
    put(sim, {"L1": 0.01, "R1": 0.01, "L2": j, "R2": -j})
    acting = acts(sim, {"axle2.auxiliary_anti_roll.scale": 0.0})
    moment = (acting["R2"] - acting["L2"]) * track / 2
    assert moment == pytest.approx(k * track**2 * (2 * j / track), rel=1e-6)
    assert acting["L2"] == pytest.approx(-acting["R2"], rel=1e-9) and acting["L2"] < 0, (
        "the left wheel is up: pushed down"
    )
    # damping: per stiffness, times the rate of the difference
    put(sim, {"L1": 0.01, "R1": 0.01, "L2": j, "R2": -j}, {"L2": 0.1, "R2": -0.3})
    acting = acts(sim, {"axle2.auxiliary_anti_roll.scale": 0.0})
    assert acting["L2"] == pytest.approx(-k * (2 * j + 0.02 * 0.4), rel=1e-6)


def test_auxiliary_table_over_difference_and_mean(independent: jv.Vehicle) -> None:
    sim = rig(independent)
    for left, right in ((0.04, -0.04), (0.06, -0.01), (-0.05, 0.03)):
        put(sim, {"L1": 0.01, "R1": 0.01, "L2": left, "R2": right})
        expected = auxiliary_force(left - right, (left + right) / 2)
        assert sim.output("Suspension.Auxiliary_Roll_Force.SUSP2") == pytest.approx(expected, rel=1e-9)
        acting = acts(sim, {"axle2.auxiliary_anti_roll.scale": 0.0})
        assert (acting["L2"], acting["R2"]) == pytest.approx((-expected, expected), rel=1e-6)


def test_anti_roll_bar(independent: jv.Vehicle) -> None:
    """T = T0 + T(α), α = a(J_L) − a(J_R); at the wheels T ∂α/∂J."""
    sim = rig(independent)
    for left, right in ((0.04, -0.04), (0.06, 0.01), (-0.05, 0.03)):
        put(sim, {"L1": left, "R1": right, "L2": 0.01, "R2": 0.01})
        twist = bar_ratio(left) - bar_ratio(right)
        torque = BAR_PRELOAD + bar_torque(twist)
        assert sim.output("Suspension.Auxiliary_Roll_deformation_at_element.SUSP1") == pytest.approx(twist, rel=1e-9)
        assert sim.output("Suspension.Auxiliary_Roll_Force_at_element.SUSP1") == pytest.approx(torque, rel=1e-9)
        acting = acts(sim, {"axle1.anti_roll_bar.scale": 0.0, "axle1.anti_roll_bar.preload": 0.0})
        assert acting["L1"] == pytest.approx(-torque * slope(bar_ratio, left), rel=1e-6)
        assert acting["R1"] == pytest.approx(torque * slope(bar_ratio, right), rel=1e-6)


# -- drive ----------------------------------------------------------------------------------------------------------


def test_drive_torque_of_hub_motors_and_of_shafts(plain_car: jv.Vehicle) -> None:
    """Q_J = F_x x' + M θ', M on carrier and wheel together: −F_x r from the road, +T from a shaft; θ' = −s.v.a.'.

    With F_x r = T a shaft leaves x' only; a hub motor also lifts by T s.v.a.', which the springs of its axle carry.
    """
    found = {}
    upright = {n: v for n, v in plain(plain_car).items() if ".x." not in n and "side_view" not in n}
    for reaction in ("chassis", "carrier"):
        vehicle = plain_car.with_(**upright, **{"system.torque_reaction": reaction})
        sim = rolling(car.simulation(vehicle, ground="inclined"), 20.0)
        sim.set_inputs({"throttle": 0.5})
        sim.run(3.0)
        names = ("Spring.Force_At_Wheel.L1", f"{FORCE}X.L1", f"{FORCE}Z.L1", "Vehicle.Pitch", "Wheel.Drive_Moment.L1")
        found[reaction] = np.array([sim.output(name) for name in names])
    spring, _, load, pitch, _ = found["carrier"] - found["chassis"]
    _, force, _, _, torque = found["chassis"]
    assert torque == 0.25 * plain_car.drive.max_torque and force * 0.3 > 0.9 * torque
    # the front is lower by some mm: a little more load, and the force of the road leans towards the wheel's path
    assert spring == pytest.approx(torque * math.radians(6.0) + load + force * pitch, rel=0.01)
    assert torque * math.radians(6.0) > 10 * abs(load + force * pitch)


# -- brakes ---------------------------------------------------------------------------------------------------------


def test_more_friction_on_one_side_turns_the_car(plain_car: jv.Vehicle) -> None:
    """ΔT = 2 A Δµ R p on one wheel is a force ΔT/r at half the track: statics of the car as it brakes straight."""
    sim = car.simulation(plain_car, ground="inclined")
    mu = sim.parameter("L1.brake.mu")
    sim.set_parameters({"L1.brake.mu": 1.1 * mu})
    rolling(sim, 30.0)
    brake = Open("brake", Ramp(0.2, 0.1, start=0.0, smooth=True))
    run = sim.run(program=Program(Phase("brake", [brake], duration=0.5)), interval=0.001)
    data = plain_car.brakes.front
    pressure = plain_car.brakes.bias_front * plain_car.brakes.master_cylinder_pressure_gain * 0.2
    torque = 2 * data.piston_area * mu * data.effective_radius * pressure
    assert run["Brake_Moment.L1"][-1] == pytest.approx(-1.1 * torque, rel=1e-9)
    assert run["Brake_Moment.R1"][-1] == pytest.approx(-torque, rel=1e-9)
    radius = run["Tire.Effective_Rolling_Radius.L1"][-1]  # the arm of F_x with the part of M_y that goes with it
    difference = run[f"{FORCE}X.L1"][-1] - run[f"{FORCE}X.R1"][-1]
    # the car has begun to turn: one wheel slows down more than the other
    assert difference == pytest.approx(-0.1 * torque / radius, rel=0.03)
    moment = -difference * plain_car.front_suspension.track / 2
    assert moment > 0, "to the left"
    assert run["chassis_velocities.yaw"][-1] > 0


def test_a_locked_wheel_swings_at_its_frequency(plain_car: jv.Vehicle) -> None:
    vehicle = plain_car.with_(**plain(plain_car), **{"brakes.front.lockup_damping_ratio": 0.0})
    sim = car.simulation(vehicle, ground="inclined")
    sim.set_parameters({"ground.height": -50.0})
    sim.set_inputs({"brake": 1.0})
    sim.set_states({"L1.wheel.spin": 0.5})
    run = sim.run(0.5, interval=0.0005, step=0.0001, method="AM-2")
    spin = run["Wheel.Omega.L1"]
    crossings = run.time[1:][(spin[:-1] > 0) & (spin[1:] <= 0)]
    # the reaction turns the body a little the other way: half a permille
    assert 1 / np.diff(crossings).mean() == pytest.approx(data_frequency(vehicle), rel=0.005)


def data_frequency(vehicle: jv.Vehicle) -> float:
    return float(vehicle.brakes.front.lockup_natural_frequency)


def test_a_brake_slips_at_its_capacity(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_parameters({"ground.height": -50.0, "drive.max_torque": 2000.0, "L1.drive_share": 1.0})
    data = plain_car.brakes.front
    pressure = plain_car.brakes.bias_front * plain_car.brakes.master_cylinder_pressure_gain
    for demand, slips in ((0.3, True), (1.0, False)):
        sim.set_inputs({"brake": demand, "throttle": 0.5})
        sim.set_states({"L1.wheel.spin": 0.0})
        sim.restart()
        sim.run(0.5)
        capacity = 2 * data.piston_area * data.mu * data.effective_radius * pressure * demand
        assert (capacity < 1000.0) is slips
        assert -sim.output("Brake_Moment.L1") == pytest.approx(capacity if slips else 1000.0, rel=1e-6)
        assert (abs(sim.state("L1.wheel.spin")) > 1.0) is slips


# -- air ------------------------------------------------------------------------------------------------------------


def in_the_wind(vehicle: jv.Vehicle, speed: float, yaw: float = 0.0, **parameters: float) -> Simulation:
    sim = car.simulation(vehicle, ground="inclined")
    sim.restart(1.0)  # after the time of growth
    sim.set_parameters({k.replace("__", "."): v for k, v in parameters.items()})
    sim.set_states({"chassis.vx": speed, "chassis.e0": math.cos(yaw / 2), "chassis.e3": math.sin(yaw / 2)})
    return sim


def test_downforce_grows_with_the_square_of_speed(plain_car: jv.Vehicle) -> None:
    """400 N at 100 km/h are 1600 N at 200 km/h; F = scale ρ/ρ0 (force + shift) (V/V0)²."""
    numbers = {"aero.reference_velocity": 100 / 3.6, "aero.front_downforce.force.value": 400.0}
    sim = in_the_wind(plain_car, 100 / 3.6, **numbers)
    assert sim.output("aero_forces.front_downforce") == pytest.approx(400.0, rel=1e-9)
    sim.set_states({"chassis.vx": 200 / 3.6})
    assert sim.output("aero_forces.front_downforce") == pytest.approx(1600.0, rel=1e-9)
    sim.set_parameters({
        "aero.front_downforce.scale": 0.5, "aero.front_downforce.shift": 60.0, "aero.density_ratio": 1.1,
    })  # fmt: skip
    assert sim.output("aero_forces.front_downforce") == pytest.approx(0.5 * 1.1 * 460.0 * 4, rel=1e-9)
    # it acts: the sum of forces changes by it, downwards
    sim.set_parameters({"ground.height": -5.0, "aero.drag.scale": 0.0, "aero.rear_downforce.scale": 0.0})

    def acceleration() -> float:
        return sim.output("System_Mass_Center.Global_Az")

    with_it, force = acceleration(), sim.output("aero_forces.front_downforce")
    sim.set_parameters({"aero.front_downforce.scale": 0.0})
    assert plain_car.mass() * (acceleration() - with_it) == pytest.approx(force, rel=1e-6)


def test_drag_is_half_rho_area_v_squared_and_turns_round(plain_car: jv.Vehicle) -> None:
    sim = in_the_wind(plain_car, 40.0)
    assert sim.output("aero_forces.drag_force") == pytest.approx(0.5 * 1.2 * 0.66 * 40.0**2, rel=1e-6)
    sim.set_states({"chassis.vx": -40.0})
    assert sim.output("aero_forces.drag_force") == pytest.approx(-0.5 * 1.2 * 0.66 * 40.0**2, rel=1e-6)


def test_head_wind_is_speed_and_a_yawed_car_sees_it_turned(plain_car: jv.Vehicle) -> None:
    still = in_the_wind(plain_car, 35.0)
    windy = in_the_wind(plain_car, 25.0, aero__wind__x=-10.0)
    for name in ("drag_force", "front_downforce", "rear_downforce"):
        assert windy.output(f"aero_forces.{name}") == pytest.approx(still.output(f"aero_forces.{name}"), rel=1e-12)
    yaw = 0.6
    wind = (-6.0, 3.0)
    turned = in_the_wind(plain_car, 25.0, yaw=yaw, aero__wind__x=wind[0], aero__wind__y=wind[1])
    along = 25.0 - (wind[0] * math.cos(yaw) + wind[1] * math.sin(yaw))
    expected = in_the_wind(plain_car, along).output("aero_forces.drag_force")
    assert turned.output("aero_forces.drag_force") == pytest.approx(expected, rel=1e-9)


def test_forces_of_the_air_grow_over_their_smoothing_time(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_parameters({"aero.drag.smoothing_time": 2.0})
    sim.set_states({"chassis.vx": 40.0})
    full = 0.5 * 1.2 * 0.66 * 40.0**2
    for time, share in ((0.0, 0.0), (0.5, 5 / 32), (1.0, 0.5), (2.0, 1.0), (5.0, 1.0)):  # 3 s² − 2 s³
        sim.restart(time)
        assert sim.output("aero_forces.drag_force") == pytest.approx(share * full, rel=1e-6, abs=1e-9)


def test_without_smoothing_time_the_air_acts_at_once(plain_car: jv.Vehicle) -> None:
    sim = car.simulation(plain_car, ground="inclined")
    sim.set_states({"chassis.vx": 40.0})
    assert sim.output("aero_forces.drag_force") == pytest.approx(0.5 * 1.2 * 0.66 * 40.0**2, rel=1e-6)


# -- wheels ---------------------------------------------------------------------------------------------------------


def test_each_axle_has_the_tire_of_its_file(plain_car: jv.Vehicle) -> None:
    vehicle = plain_car.with_(**{"rear_wheels.tire": "sedan_225_50r17"})
    tires = car.tires_of(vehicle)
    assert tires["L1"] is tires["R1"] and tires["L2"] is tires["R2"] and tires["L1"] is not tires["L2"]
    found = car.numbers(car.describe(vehicle))
    stiffness = [found[f"tire{i}.VERTICAL_STIFFNESS"]() for i in (1, 2)]
    assert stiffness == [tires[c].values["VERTICAL_STIFFNESS"] for c in ("L1", "L2")] and stiffness[0] != stiffness[1]
    # the load that a wheel of the car has is that of its tire alone at this deflection
    sim = car.simulation(plain_car, ground="inclined")
    for place in CORNERS:
        depth = sim.output(f"Tire.Effective_Penetration.{place}")
        assert sim.output(f"{FORCE}Z.{place}") == pytest.approx(float(tires["L1"].load(depth)), rel=1e-9)


def test_forces_of_the_air_over_ride_heights(plain_car: jv.Vehicle) -> None:
    """At the nodes of the map, with shift and scale: scale (map + shift) (V/V_ref)²."""
    heights, rears = [0.25, 0.30, 0.35], [0.25, 0.35]
    values = [[500.0, 400.0], [420.0, 330.0], [300.0, 250.0]]
    force = {"force": {"x": heights, "z": rears, "y": values}, "scale": 1.5, "shift": 20.0, "location": [0.0, 0.0, 0.3]}
    aero = {"reference_velocity": "30 m/s", "drag": {"area": 0.0, "location": [0, 0, 0.3]}, "front_downforce": force}
    vehicle = plain_car.with_(aero=aero)
    sim = car.simulation(vehicle, ground="inclined")
    sim.set_states({"chassis.vx": 60.0})
    at_design = sim.output("aero_forces.height_front"), sim.output("aero_forces.height_rear")
    for front in heights:
        lifted = front - at_design[0]
        sim.set_states({"chassis.z": sim.state("chassis.z") + lifted})
        at = sim.output("aero_forces.height_front"), sim.output("aero_forces.height_rear")
        assert at[0] == pytest.approx(front, abs=1e-12)
        rear = min(max(at[1], rears[0]), rears[1])
        row = values[heights.index(front)]
        expected = row[0] + (rear - rears[0]) / (rears[1] - rears[0]) * (row[1] - row[0])
        if rears[0] <= at[1] <= rears[1]:  # two nodes along this axis: a straight line between them
            assert sim.output("aero_forces.front_downforce") == pytest.approx(1.5 * (expected + 20.0) * 4.0, rel=1e-9)
        sim.set_states({"chassis.z": sim.state("chassis.z") - lifted})
