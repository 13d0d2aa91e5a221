"""A car on maps and on slopes of compliance gives way as its double wishbones in bushings do.

The same suspension three times:

* a **linkage** of the kernel: carrier and two arms with six coordinates each, ball joints, tie rod and the travel of
  the wheel centre as constraints, each arm in two bushings (three stiffnesses each) on a body that stands; an
  equilibrium is where no coordinate accelerates;
* **by hand**: positions by Newton's method on the lengths of rods (tools/kinematics), compliance by the method of
  forces,

      min ½ fᵀ diag(1/k) f   over   E f + W p = 0                                                                   (1)

  f the forces in bushings, joints, tie rod and on the jack, p the loads; the multipliers are the small displacements of
  the bodies;
* **maps** of a vehicle: what came out by hand as tables over travel, and over load and travel, on the suspension rig.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from axle_lists import as_axles, vehicle_of
from car_models import compact
from jounce.rigs.suspension_rig import Load, Point, SuspensionRig
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic.system import System

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from kinematics.linkages import MAPS, Linkage, double_wishbone, rate_axes

Array = npt.NDArray[np.float64]

RADIUS = 0.31
CENTRE = np.array([-2.51, 0.74, 0.31])  # left rear wheel, m
LOWER = np.array([[-2.34, 0.36, 0.215], [-2.69, 0.33, 0.2], [-2.52, 0.685, 0.19]])  # front and rear bushing, ball joint
UPPER = np.array([[-2.41, 0.45, 0.43], [-2.64, 0.42, 0.445], [-2.545, 0.655, 0.46]])
ROD = np.array([[-2.655, 0.37, 0.255], [-2.66, 0.69, 0.25]])  # inner, outer
BODIES = {"lower": LOWER[2], "upper": UPPER[2], "carrier": CENTRE}  # and their origins
# bushings: body, place, stiffness along x, y, z, N/m
BUSHINGS = (
    ("lower", LOWER[0], (3.1e6, 9.0e6, 7.3e6)),
    ("lower", LOWER[1], (1.9e6, 6.1e6, 4.7e6)),
    ("upper", UPPER[0], (2.3e6, 7.7e6, 5.3e6)),
    ("upper", UPPER[1], (2.7e6, 6.7e6, 5.9e6)),
)
COORDINATES = [f"{body}.{c}" for body in BODIES for c in ("x", "y", "z", "psi", "phi", "theta")]
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")  # on the carrier, about the wheel centre
SIZES = {"fx_brake": 500.0, "fx_drive": 500.0, "fy": 500.0, "mz": 30.0}  # N, N m: the linear range
TRAVELS = (-0.04, 0.0, 0.035)
LEAD = 0.004  # m, from one travel to the next
KNOTS = np.linspace(-0.06, 0.06, 13)


# ---- by hand ---------------------------------------------------------------------------------------------------------


def linkage() -> Linkage:
    return double_wishbone(CENTRE, tuple(LOWER), tuple(UPPER), tuple(ROD), steered=False)


def points_at(travel: float) -> dict[str, Array]:
    """Carrier-fixed points at a travel, none of them loaded; those on the chassis stay."""
    motion = linkage().solve([travel])
    found = {"centre": CENTRE, "lower": LOWER[2], "upper": UPPER[2], "rod": ROD[1]}
    return {name: motion.point(0, p)[0] for name, p in found.items()}


def contact(travel: float) -> Array:
    """From the wheel centre: below it in the plane of the wheel."""
    motion = linkage().solve([travel])
    axis = motion.point(0, CENTRE + np.array([0.0, 1.0, 0.0]))[0] - motion.point(0, CENTRE)[0]
    down = axis[2] * axis - np.array([0.0, 0.0, 1.0])
    return RADIUS * down / np.linalg.norm(down)


def wrench(load: str, travel: float) -> Array:
    """Of a unit load, about the wheel centre; braking and side forces act at the contact."""
    if load == "mz":
        return np.array([0.0, 0, 0, 0, 0, 1.0])
    force = np.array([0.0, 1.0, 0.0]) if load == "fy" else np.array([1.0, 0.0, 0.0])
    moment = np.zeros(3) if load == "fx_drive" else np.cross(contact(travel), force)
    return np.concatenate([force, moment])


def compliance(travel: float) -> dict[str, dict[str, float]]:
    """Slopes of the five properties over each load at a travel of the wheel, by (1)."""
    here = points_at(travel)
    origin = {"lower": here["lower"], "upper": here["upper"], "carrier": here["centre"]}
    names = list(origin)
    columns, flexibility = [], []

    def acts(direction: Array, at: Array, on: str, against: str = "", flexible: float = 0.0) -> None:
        column = np.zeros(18)
        for body, sign in ((on, 1.0), (against, -1.0)):
            if body:
                i = 6 * names.index(body)
                column[i : i + 3] += sign * direction
                column[i + 3 : i + 6] += sign * np.cross(at - origin[body], direction)
        columns.append(column)
        flexibility.append(flexible)

    for body, place, stiffness in BUSHINGS:
        for axis, k in zip(np.eye(3), stiffness, strict=True):
            acts(axis, place, body, flexible=1 / k)
    for joint in ("lower", "upper"):
        for axis in np.eye(3):
            acts(axis, here[joint], "carrier", joint)
    along = here["rod"] - ROD[0]
    acts(along / np.linalg.norm(along), here["rod"], "carrier")
    acts(np.array([0.0, 0.0, 1.0]), here["centre"], "carrier")
    e, n = np.column_stack(columns), len(columns)
    matrix = np.block([[np.diag(flexibility), e.T], [e, np.zeros((18, 18))]])
    angles = linkage().solve([travel]).q[0]
    axes = rate_axes(angles[3], angles[4])
    slopes: dict[str, dict[str, float]] = {name: {} for name in MAPS}
    for load in SIZES:
        right = np.zeros(n + 18)
        right[n + 12 :] = -wrench(load, travel)
        moved = np.linalg.lstsq(matrix, right, rcond=None)[0][n + 12 :]  # twist of the carrier
        psi, phi, theta = np.linalg.solve(axes, moved[3:])  # its angles, one after the other
        values = (moved[0], moved[1], -psi, -phi, -theta)  # left wheel: toe, camber, side view angle
        for name, value in zip(MAPS, values, strict=True):
            slopes[name][load] = float(value)
    return slopes


# ---- the linkage of the kernel ---------------------------------------------------------------------------------------


def bushed() -> Simulation:
    system = System("bushed_wishbone", gravity=(0.0, 0.0, 0.0))
    frames: dict[str, Any] = {}
    for name, origin in BODIES.items():
        scope = system.scope(name)
        q = {
            c: scope.coordinate(c, unit="m" if c in "xyz" else "rad")[0] for c in ("x", "y", "z", "psi", "phi", "theta")
        }
        place = [float(o) + q[c] for o, c in zip(origin, "xyz", strict=True)]
        frames[name] = system.world.guided(name, place, (("z", q["psi"]), ("x", q["phi"]), ("y", q["theta"])))
        mass = 31.0 if name == "carrier" else 3.7
        system.body(f"{name}_mass", frames[name], mass, (0.02 * mass, 0.03 * mass, 0.025 * mass))

    def place_of(name: str, at: Array) -> tuple[list[Any], Array]:
        """A point of a body that is there at design: where it is, and its offset."""
        offset, frame = at - BODIES[name], frames[name]
        return [a + b for a, b in zip(frame.position, frame.to_world(offset), strict=True)], offset

    for body, at, stiffness in BUSHINGS:
        now, offset = place_of(body, at)
        force = [-k * (p - float(p0)) for k, p, p0 in zip(stiffness, now, at, strict=True)]
        system.force(frames[body], force, at=offset, axes=system.world)
    for joint in ("lower", "upper"):
        at = BODIES[joint]
        system.coincide(f"{joint}_ball", frames[joint], frames["carrier"], at_b=at - CENTRE)
    outer, _ = place_of("carrier", ROD[1])
    length = float(np.linalg.norm(ROD[1] - ROD[0]))
    square = sum((p - float(p0)) ** 2 for p, p0 in zip(outer, ROD[0], strict=True))
    system.loop("tie_rod", [(square - length**2) / (2 * length)])
    travel = system.parameter("travel", 0.0, "m")
    system.loop("jack", [frames["carrier"].position[2] - float(CENTRE[2]) - travel])
    given = [system.parameter(name, 0.0, "N.m" if name[0] == "m" else "N") for name in WRENCH]
    system.force(frames["carrier"], given[:3], axes=system.world)
    system.torque(frames["carrier"], given[3:], axes=system.world)
    return Simulation(build(system))


def at_rest(sim: Simulation, travel: float, load: Array | None = None) -> Array:
    """All coordinates where nothing accelerates; Baumgarte's terms then say that constraints are met."""
    sim.set_parameters(dict.fromkeys(WRENCH, 0.0))
    start = sim.parameter("travel")
    for now in np.linspace(start, travel, 1 + int(np.ceil(abs(travel - start) / LEAD)))[1:]:  # bushings are hard
        sim.set_parameters({"travel": float(now)})
        _settled(sim)
    if load is not None:
        sim.set_parameters(dict(zip(WRENCH, map(float, load), strict=True)))
    return _settled(sim)


def _settled(sim: Simulation) -> Array:
    names = [v.name for v in sim.model.states]
    rows = [names.index(f"{c}.rate") for c in COORDINATES]

    def accelerations(x: Array) -> Array:
        sim.set_states(dict(zip(COORDINATES, x, strict=True)))
        return np.array(sim.derivatives()[0])[rows]

    x = np.array([sim.state(c) for c in COORDINATES])
    for _ in range(30):
        f = accelerations(x)
        slope = np.column_stack([(accelerations(x + h) - accelerations(x - h)) / 2e-7 for h in 1e-7 * np.eye(len(x))])
        step = np.linalg.solve(slope, f)
        x = x - step
        if np.abs(step).max() < 1e-13:
            break
    assert np.abs(step).max() < 1e-11
    sim.set_states(dict(zip(COORDINATES, x, strict=True)))
    return x


def pose(x: Array) -> dict[str, float]:
    """In the signs of maps."""
    moved, psi, phi, theta = x[12:15], *x[15:18]
    return dict(zip(MAPS, (moved[0], moved[1], -psi, -phi, -theta), strict=True))


@pytest.fixture(scope="module")
def mechanism() -> Simulation:
    return bushed()


def test_without_loads_it_moves_as_the_rigid_linkage(mechanism: Simulation) -> None:
    """Arms turn about their bushings without straining them: maps of the rods, to 1e-9."""
    for travel in TRAVELS:
        found, expected = pose(at_rest(mechanism, travel)), linkage().solve([travel]).maps()
        for name in MAPS:
            assert found[name] == pytest.approx(float(expected[name][0]), abs=1e-9), (travel, name)


def test_under_loads_it_gives_way_as_the_method_of_forces_says(mechanism: Simulation) -> None:
    """All five directions by four loads at three travels, both signs of a load: 1 % of the largest of each property."""
    for travel in TRAVELS:
        slopes, free = compliance(travel), pose(at_rest(mechanism, travel))
        for load, size in SIZES.items():
            for sign in (1.0, -1.0):
                there = pose(at_rest(mechanism, travel, sign * size * wrench(load, travel)))
                for name in MAPS:
                    largest = max(abs(slopes[name][other]) * SIZES[other] for other in SIZES)
                    moved = there[name] - free[name]
                    assert abs(moved - sign * size * slopes[name][load]) < 0.01 * largest, (travel, load, name)


def test_a_load_moves_what_another_works_on_as_the_other_way_round() -> None:
    """Maxwell, at design, where angles are the turns about the axes."""
    slopes = compliance(0.0)
    across = {n: slopes["y"][n] - RADIUS * slopes["camber"][n] for n in ("fx_drive", "mz")}
    assert across["fx_drive"] == pytest.approx(slopes["x"]["fy"], rel=1e-6)
    assert across["mz"] == pytest.approx(-slopes["toe"]["fy"], rel=1e-6)


# ---- the same on maps ------------------------------------------------------------------------------------------------


def on_maps() -> Any:
    """The rear axle of the example car alone, guided by the maps of the linkage, giving way by its slopes."""
    raw = as_axles(compact())
    axle = raw["axles"][1]
    raw |= {"axles": [axle], "drive": {"L1": 0.5, "R1": 0.5, "max_torque": 1500.0}, "name": "wishbones"}
    axle["brake_share"] = 1.0
    axle["wheels"]["wheel_centre_height"] = RADIUS
    suspension = axle["suspension"]
    suspension |= {"track": 2 * float(CENTRE[1]), "wheel_centre_x": float(CENTRE[0])}
    tables = linkage().solve(KNOTS).maps()
    for name in MAPS:
        suspension[name] = {"curve": {"x": KNOTS.tolist(), "y": tables[name].tolist()}}
    slopes = [compliance(float(j)) for j in KNOTS]
    suspension["compliance"] = {
        name: {
            load: {"curve": {
                "x": [-2 * SIZES[load], 0.0, 2 * SIZES[load]],
                "z": KNOTS.tolist(),
                "y": [[f * s[name][load] for s in slopes] for f in (-2 * SIZES[load], 0.0, 2 * SIZES[load])],
            }}
            for load in SIZES
        }
        for name in MAPS
    }  # fmt: skip
    raw["system"] = {**raw.get("system", {}), "splines": {"method": "cubic"}}
    return vehicle_of(raw)


@pytest.mark.slow
def test_a_car_on_maps_gives_way_as_the_linkage(mechanism: Simulation) -> None:
    """On the suspension rig: the left wheel against the linkage, the right one as its mirror image.

    The maps read M_z about the contact. That of a force at the centre of a wheel that leans is not zero; the linkage
    has it as well.
    """
    rig = SuspensionRig(on_maps(), gravity=0.0, radius="design")
    for travel in TRAVELS:
        free = pose(at_rest(mechanism, travel))
        largest = dict.fromkeys(MAPS, 0.0)
        pairs = []
        for load, size in SIZES.items():
            mirrored = -size if load in ("fy", "mz") else size
            loads = {"L1": Load(**{load: size}), "R1": Load(**{load: mirrored})}
            held = rig.hold(Point(travels={"L1": travel, "R1": travel}, loads=loads))
            acting = size * wrench(load, travel)
            if load == "fx_drive":
                acting[5] += size * contact(travel)[1]
            linked = pose(at_rest(mechanism, travel, acting))
            for wheel, sign in (("L1", 1.0), ("R1", -1.0)):
                centre = held.centre[wheel] - CENTRE * np.array([1.0, sign, 1.0])
                found = (centre[0], sign * centre[1], held.toe(wheel), held.camber(wheel), held.caster(wheel))
                for name, value in zip(MAPS, found, strict=True):
                    largest[name] = max(largest[name], abs(linked[name] - free[name]))
                    pairs.append((name, value, linked[name], (travel, load, wheel)))
        for name, found_value, expected, where in pairs:
            assert abs(found_value - expected) < 0.01 * largest[name], (name, *where)
