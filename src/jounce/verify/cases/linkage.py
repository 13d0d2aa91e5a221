"""Closed kinematic chains: a four-bar linkage and a double wishbone.

**Four-bar linkage** with crank a, coupler b, rocker c on the ground link d; θ2, θ3, θ4 are their angles from the ground
link.  Freudenstein's equation [Freudenstein1955] gives the rocker,

    K1 cos θ4 - K2 cos θ2 + K3 = cos(θ2 - θ4),   K1 = d/a,  K2 = d/c,  K3 = (a² - b² + c² + d²)/(2 a c)          (1)

a quadratic in tan(θ4/2).  Differentiating the closure a e(θ2) + b e(θ3) = (d, 0) + c e(θ4), e(θ) = (cos θ, sin θ),
gives rates and accelerations, and Newton's and Euler's laws of the three bars, nine linear equations, give the forces
in the four pins and the torque that drives the crank.

**Double wishbone**: two arms on skew revolute joints, an upright with two ball joints and a tie rod.  Its position for
an angle of the lower arm follows from distances alone: with the lower ball known, the nine coordinates of upper ball,
tie rod end and wheel centre from

    |UB - UF|, |UB - UR|, |UB - LB|,   |TO - TI|, |TO - LB|, |TO - UB|,   |WC - LB|, |WC - UB|, |WC - TO| = const    (2)

and the forces at rest from the equilibrium of the upright (six equations) and of the upper arm about its hinge (one).

In the model every chain is closed by loop constraints; another one, θ2 = Ω t or φ = A sin ω t, drives it, so that all
speeds are determined by constraints that move with time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.sim.build import recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.symbolic import System

Array = npt.NDArray[np.float64]

# four-bar linkage: lengths m, masses kg, inertias about the centres kg.m2, centres along and across the bars m
CRANK, COUPLER, ROCKER, GROUND = 0.12, 0.35, 0.28, 0.40
MASSES = (0.8, 1.5, 1.1)
INERTIAS = (0.002, 0.02, 0.01)
CENTRES = ((0.05, 0.01), (0.15, -0.03), (0.13, 0.02))
TURN = 2 * math.pi  # rad/s

# double wishbone, left front: m, origin on the ground under the wheel's axis
POINTS = {
    "LF": (0.21, 0.36, 0.19),  # lower arm, front bush
    "LR": (-0.19, 0.34, 0.21),
    "LB": (0.015, 0.73, 0.17),  # lower ball
    "UF": (0.12, 0.44, 0.51),
    "UR": (-0.17, 0.45, 0.48),
    "UB": (-0.02, 0.68, 0.53),  # upper ball
    "TI": (-0.13, 0.39, 0.29),  # tie rod, inner and outer end
    "TO": (-0.14, 0.71, 0.28),
    "WC": (0.0, 0.78, 0.31),  # wheel centre
}
P = {name: np.array(place) for name, place in POINTS.items()}
ARM_MASS, UPRIGHT_MASS, LOAD = 3.0, 30.0, 4000.0  # kg, kg, N
TRAVEL = 0.21  # rad of the lower arm, some ±80 mm at the wheel


@recipe
def four_bar() -> System:
    from jounce.symbolic import System

    s = System("four_bar", gravity=(0, -GRAVITY, 0))
    crank = s.revolute("crank", s.world, axis="z", initial=0.1)
    coupler = s.revolute("coupler", crank.frame, axis="z", offset=(CRANK, 0, 0), initial=0.8)
    rocker = s.revolute("rocker", s.world, axis="z", offset=(GROUND, 0, 0), initial=1.8)
    frames = (crank.frame, coupler.frame, rocker.frame)
    for name, frame, m, inertia, c in zip("abc", frames, MASSES, INERTIAS, CENTRES, strict=True):
        s.body(name, frame, m, (0, 0, inertia), (*c, 0))
    tip, end = frames[1].fixed("tip", (COUPLER, 0, 0)), frames[2].fixed("end", (ROCKER, 0, 0))
    force = s.coincide("pin", tip, end, directions="xy")
    (torque,) = s.loop("drive", [crank.q[0] - TURN * s.time])
    s.output("coupler", crank.q[0] + coupler.q[0], "rad")
    s.output("rocker", rocker.q[0], "rad")
    s.output("pin.x", force[0], "N", "on the coupler")
    s.output("pin.y", force[1], "N")
    s.output("torque", -torque, "N.m", "on the crank")
    return s


def e(angle: float) -> Array:
    return np.array([math.cos(angle), math.sin(angle)])


def across(v: Array) -> Array:
    return np.array([-v[1], v[0]])


def freudenstein(theta2: float) -> tuple[float, float]:
    """θ3 and θ4 of the open configuration, by (1)."""
    k1, k2 = GROUND / CRANK, GROUND / ROCKER
    k3 = (CRANK**2 - COUPLER**2 + ROCKER**2 + GROUND**2) / (2 * CRANK * ROCKER)
    cos = math.cos(theta2)
    a, b, c = cos - k1 - k2 * cos + k3, -2 * math.sin(theta2), k1 - (k2 + 1) * cos + k3
    theta4 = 2 * math.atan2(-b - math.sqrt(b * b - 4 * a * c), 2 * a)
    x, y = np.array([GROUND, 0]) + ROCKER * e(theta4) - CRANK * e(theta2)
    return math.atan2(y, x), theta4 % (2 * math.pi)


def pin_force(theta2: float) -> Array:
    """Force of the rocker on the coupler and torque on the crank at the speed TURN, by Newton and Euler."""
    theta3, theta4 = freudenstein(theta2)
    angles, lengths = (theta2, theta3, theta4), (CRANK, COUPLER, ROCKER)
    columns = np.column_stack([COUPLER * across(e(theta3)), -ROCKER * across(e(theta4))])
    w3, w4 = np.linalg.solve(columns, -TURN * CRANK * across(e(theta2)))
    rates = (TURN, w3, w4)
    right = TURN**2 * CRANK * e(theta2) + w3**2 * COUPLER * e(theta3) - w4**2 * ROCKER * e(theta4)
    a3, a4 = np.linalg.solve(columns, right)
    accelerations = (0.0, a3, a4)

    def turned(angle: float, v: Any) -> Array:
        return v[0] * e(angle) + v[1] * across(e(angle))

    def of_point(i: int, arm: Array, base: Array) -> Array:
        return base + accelerations[i] * across(arm) - rates[i] ** 2 * arm

    zero = np.zeros(2)
    arms = [turned(angle, c) for angle, c in zip(angles, CENTRES, strict=True)]
    joint = of_point(0, CRANK * e(theta2), zero)
    centres = [of_point(0, arms[0], zero), of_point(1, arms[1], joint), of_point(2, arms[2], zero)]
    # unknowns: forces on crank at O, on coupler at A, on coupler at B, on rocker at D; torque on the crank
    matrix, b = np.zeros((9, 9)), np.zeros(9)
    acting = {0: ((0, 1, zero), (1, -1, lengths[0] * e(theta2))), 1: ((1, 1, zero), (2, 1, lengths[1] * e(theta3)))}
    acting[2] = ((3, 1, zero), (2, -1, lengths[2] * e(theta4)))
    for i in range(3):
        for force, sign, place in acting[i]:
            pair = slice(2 * force, 2 * force + 2)
            matrix[3 * i : 3 * i + 2, pair] += sign * np.eye(2)
            lever = place - arms[i]
            matrix[3 * i + 2, pair] += sign * np.array([-lever[1], lever[0]])
        b[3 * i : 3 * i + 2] = MASSES[i] * (centres[i] + np.array([0, GRAVITY]))
        b[3 * i + 2] = INERTIAS[i] * accelerations[i]
    matrix[2, 8] = 1.0
    return np.asarray(np.linalg.solve(matrix, b)[[4, 5, 8]], dtype=float)


@recipe
def double_wishbone() -> System:
    from jounce.symbolic import System, ops

    s = System("double_wishbone")
    rest = s.parameter("rest", 0.0, "rad", "angle of the lower arm at t = 0")
    amplitude = s.parameter("amplitude", TRAVEL, "rad")
    places = {name: np.array(place) for name, place in POINTS.items()}

    def arm(name: str, front: str, rear: str, ball: str) -> Any:
        """Revolute joint through the bushes; returns the joint and the ball in its axes."""
        joint = s.revolute(name, s.world, axis=tuple(places[rear] - places[front]), offset=POINTS[front])
        center = (places[rear] + places[ball] - 2 * places[front]) / 3
        s.body(name, joint.frame, ARM_MASS, (0.02, 0.02, 0.03), tuple(center))
        return joint, tuple(places[ball] - places[front])

    lower, lower_ball = arm("lower", "LF", "LR", "LB")
    upper, upper_ball = arm("upper", "UF", "UR", "UB")
    upright = s.free("upright", initial=POINTS["LB"]).frame
    at = {name: tuple(places[name] - places["LB"]) for name in ("UB", "TO", "WC")}
    s.body("upright", upright, UPRIGHT_MASS, (0.8, 1.2, 0.8), at["WC"])
    s.force(upright, (0, 0, LOAD), at=at["WC"], axes=s.world)
    forces = {
        "LB": s.coincide("lower_ball", lower.frame, upright, at_a=lower_ball),
        "UB": s.coincide("upper_ball", upper.frame, upright, at_a=upper_ball, at_b=at["UB"]),
    }
    rod = s.two_point(s.world, upright, at_a=POINTS["TI"], at_b=at["TO"])
    (tension,) = s.loop("tie_rod", [rod.length - float(np.linalg.norm(places["TO"] - places["TI"]))])
    (torque,) = s.loop("drive", [lower.q[0] - rest - amplitude * ops.sin(2 * math.pi * s.time)])
    s.output("angle", lower.q[0], "rad")
    for name, offset in {"LB": (0, 0, 0), **at}.items():
        for axis, value in zip("xyz", upright.point(offset), strict=True):
            s.output(f"{name}.{axis}", value, "m")
    for name, force in forces.items():
        for axis, value in zip("xyz", force, strict=True):
            s.output(f"force.{name}.{axis}", value, "N", "on the arm")
    s.output("tension", tension, "N", "of the tie rod")
    s.output("torque", -torque, "N.m", "on the lower arm")
    return s


def lower_ball_at(angle: float) -> Array:
    from scipy.spatial.transform import Rotation

    axis = (P["LR"] - P["LF"]) / np.linalg.norm(P["LR"] - P["LF"])
    return P["LF"] + Rotation.from_rotvec(angle * axis).apply(P["LB"] - P["LF"])


DISTANCES = ("UB-UF", "UB-UR", "UB-LB", "TO-TI", "TO-LB", "TO-UB", "WC-LB", "WC-UB", "WC-TO")


def positions(angle: float, guess: Array) -> Array:
    """UB, TO, WC from the distances (2), by SciPy; the guess chooses among mirror images."""
    from scipy.optimize import fsolve

    lb = lower_ball_at(angle)

    def residuals(x: Array) -> list[float]:
        now = {**P, "LB": lb, "UB": x[:3], "TO": x[3:6], "WC": x[6:]}
        result = []
        for pair in DISTANCES:
            a, b = pair.split("-")
            result.append(float(np.sum((now[a] - now[b]) ** 2) - np.sum((P[a] - P[b]) ** 2)))
        return result

    solution, _, found, message = fsolve(residuals, guess, xtol=1e-14, full_output=True)
    if found != 1 and np.abs(residuals(solution)).max() > 1e-14:
        raise ArithmeticError(message)
    return np.asarray(solution)


def static_forces(angle: float) -> tuple[Array, float, float]:
    """Forces of the upright on the arms at LB and UB, tension of the tie rod, and torque on the lower arm, at rest."""
    lb = lower_ball_at(angle)
    x = positions(angle, np.concatenate([P["UB"], P["TO"], P["WC"]]))
    ub, to, wc = x[:3], x[3:6], x[6:]
    along = (P["TI"] - to) / np.linalg.norm(P["TI"] - to)
    weight = np.array([0, 0, -GRAVITY])

    def hinge(front: str, rear: str) -> Array:
        return (P[rear] - P[front]) / np.linalg.norm(P[rear] - P[front])

    def centre(front: str, rear: str, ball: Array) -> Array:
        return np.asarray((P[rear] + ball - 2 * P[front]) / 3)

    # unknowns: force on the upright at LB and UB, tension
    matrix, b = np.zeros((7, 7)), np.zeros(7)
    for column, (place, direction) in enumerate([(p, d) for p in (lb, ub) for d in np.eye(3)] + [(to, along)]):
        matrix[:3, column] = direction
        matrix[3:6, column] = np.cross(place - wc, direction)
    b[:3] = -(UPRIGHT_MASS * weight + np.array([0, 0, LOAD]))
    upper = hinge("UF", "UR")
    matrix[6, 3:6] = -np.cross(upper, ub - P["UF"])
    b[6] = -upper @ np.cross(centre("UF", "UR", ub), ARM_MASS * weight)
    solution = np.linalg.solve(matrix, b)
    lower = hinge("LF", "LR")
    moment = np.cross(lb - P["LF"], -solution[:3]) + np.cross(centre("LF", "LR", lb), ARM_MASS * weight)
    return np.asarray(-solution[:6], dtype=float), float(solution[6]), float(-lower @ moment)


@case("linkage", "Closed chains: four-bar linkage and double wishbone", chapter=14)
def linkage(page: Page) -> None:
    """A four-bar linkage and a double wishbone are closed by loop constraints and driven by one more that moves with
    time. They start from rough positions that are made consistent first. Angles and positions are compared with
    Freudenstein's closed form and with distances solved by SciPy; the multipliers, which are the joint forces, with the
    laws of Newton and Euler for every bar."""
    from jounce.runtime.simulation import Simulation

    sim = Simulation(four_bar.build(), method="AM-4", step=1e-3)
    sim.make_consistent()
    sim.project = True
    run = sim.run(1.0, interval=0.01)
    bars = np.array([freudenstein(TURN * t) for t in run.time])
    for i, name in enumerate(("coupler", "rocker")):
        turns = np.round((run[name] - bars[:, i]) / (2 * math.pi)) * 2 * math.pi
        page.row(
            f"four-bar linkage: angle of the {name} over one turn, largest difference",
            expected=0.0,
            measured=float(np.abs(run[name] - bars[:, i] - turns).max()),
            tolerance=1e-11,
            kind="closed form",
            source="Freudenstein's equation (1) [Freudenstein1955]",
            unit="rad",
            why="Projection leaves the square of what the fourth-order step misses, 1e-9 rad; the rest is rounding.",
        )
    forces = np.array([pin_force(TURN * t) for t in run.time])
    whats = {"pin.x": "force in the pin, x", "pin.y": "force in the pin, y", "torque": "torque of the crank"}
    for i, (name, what) in enumerate(whats.items()):
        page.row(
            f"four-bar linkage: {what}, largest difference over largest value",
            expected=0.0,
            measured=float(np.abs(run[name] - forces[:, i]).max() / np.abs(forces[:, i]).max()),
            tolerance=1e-9,
            kind="closed form",
            source="Newton's and Euler's laws of the three bars",
            why="Rounding of a velocity constraint met to 1e-13, times 2α and the masses; condition of the chain 1e2.",
        )

    sim = Simulation(double_wishbone.build(), method="AM-4", step=1e-3)
    sim.set_states({"upright.x": POINTS["LB"][0] + 0.004, "upper.angle": 0.02, "lower.angle": -0.01})
    sim.make_consistent()
    sim.project = True
    travel = sim.run(1.0, interval=0.01)
    names = [f"{p}.{c}" for p in ("UB", "TO", "WC") for c in "xyz"]
    found = np.array([travel[n] for n in names]).T
    guess, expected = np.concatenate([P["UB"], P["TO"], P["WC"]]), []
    for t in travel.time:
        guess = positions(TRAVEL * math.sin(2 * math.pi * t), guess)
        expected.append(guess)
    difference = np.abs(found - np.array(expected))
    for i, name in enumerate(("upper ball", "tie rod end", "wheel centre")):
        page.row(
            f"double wishbone: {name} over the whole travel, largest difference",
            expected=0.0,
            measured=float(difference[:, 3 * i : 3 * i + 3].max()),
            tolerance=1e-9,
            kind="independent package",
            source="distances (2), solved by SciPy",
            unit="m",
            why="Projection leaves 1e-12; SciPy's residuals of 1e-14 m² on lengths of 0.1 m allow 1e-13.",
        )
    height = travel["WC.z"].max() - travel["WC.z"].min()
    page.row(
        "double wishbone: travel of the wheel centre",
        expected=float(np.ptp(np.array(expected)[:, 8])),
        measured=float(height),
        tolerance=1e-9,
        kind="independent package",
        source="distances (2), solved by SciPy",
        unit="m",
        why="As above.",
    )
    worst: dict[str, float] = {"force in the balls": 0.0, "tension of the tie rod": 0.0, "torque of the lower arm": 0.0}
    for angle in (-0.2, -0.1, 0.0, 0.1, 0.2):
        sim = Simulation(double_wishbone.build())
        sim.set_parameters({"rest": angle, "amplitude": 0.0})
        sim.make_consistent()
        balls, tension, torque = static_forces(angle)
        outputs = {v.name: x for v, x in zip(sim.model.outputs, sim.outputs(), strict=True)}
        ours = np.array([outputs[f"force.{p}.{c}"] for p in ("LB", "UB") for c in "xyz"])
        misses = np.abs(ours - balls).max(), abs(outputs["tension"] - tension), abs(outputs["torque"] - torque)
        worst = {k: max(v, float(m)) for (k, v), m in zip(worst.items(), misses, strict=True)}
    for name, miss in worst.items():
        page.row(
            f"double wishbone at rest, five positions: {name}, largest difference",
            expected=0.0,
            measured=miss,
            tolerance=1e-6,
            kind="closed form",
            source="equilibrium of upright and upper arm",
            unit="N.m" if "torque" in name else "N",
            why="Forces of 1e4 N; 1e-12 of the position and 1e-12 of the chain's condition.",
        )
    _plot(page, run, bars, forces, travel, np.array(expected))


def _plot(page: Page, run: Any, bars: Array, forces: Array, travel: Any, expected: Array) -> None:
    def four(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        for i, name in enumerate(("coupler", "rocker")):
            left.plot(run.time, np.degrees(run[name]), lw=1.4, label=name)
            left.plot(run.time[::8], np.degrees(bars[::8, i]), "o", ms=4, mfc="none", mec="k", mew=0.8)
        left.set(xlabel="turn of the crank", ylabel="angle, °")
        left.legend()
        for i, name in enumerate(("pin.x", "pin.y")):
            right.plot(run.time, run[name], lw=1.4, label=f"force {name[-1]}")
            right.plot(run.time[::8], forces[::8, i], "o", ms=4, mfc="none", mec="k", mew=0.8)
        right.set(xlabel="turn of the crank", ylabel="force in the pin, N")
        right.legend()

    def wishbone(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        order = np.argsort(travel["WC.z"])
        z = (travel["WC.z"] - POINTS["WC"][2])[order] * 1e3
        kingpin = np.degrees(np.arctan2(travel["UB.y"] - travel["LB.y"], travel["UB.z"] - travel["LB.z"]))
        left.plot((kingpin - kingpin[0])[order], z, lw=1.4)
        left.set(xlabel="change of the kingpin's lean, °", ylabel="wheel travel, mm")
        right.plot((travel["WC.y"] - POINTS["WC"][1])[order] * 1e3, z, lw=1.4, label="y")
        right.plot((travel["WC.x"] - POINTS["WC"][0])[order] * 1e3, z, lw=1.4, label="x")
        for i in (6, 7):
            place = expected[::5, i] - POINTS["WC"][i - 6]
            heights = (expected[::5, 8] - POINTS["WC"][2]) * 1e3
            right.plot(place * 1e3, heights, "o", ms=3.5, mfc="none", mec="k", mew=0.8)
        right.set(xlabel="path of the wheel centre, mm")
        right.legend()

    page.plot("Four-bar linkage over one turn; circles: Freudenstein, Newton and Euler.", four)
    page.plot("Double wishbone over its travel; circles: distances solved by SciPy.", wishbone)
