"""Steering: joints of the column, friction, and the geometry of wheels that roll.

A Hooke joint whose shafts meet at the angle β turns the driven shaft by ε when the driving one turns by γ, both from
where the driving pin is normal to the plane of the shafts, and both speeds are in the ratio [Seherr2006]

    tan ε = tan γ cos β,    dε/dγ = cos β/(1 − sin²β sin² γ)                                           (1)

Two joints that bend alike, in one plane, with the yokes of the shaft between them in line, turn evenly. Friction that
holds without creep [Dahl1968], with the stiffness k at a point of return and the limit F_m,

    dF/dx = k (1 − (F/F_m) sign ẋ)   ⇒   F = F_m − (F_m − F_0) e^(−k (x − x_0)/F_m) for ẋ > 0           (2)

A car that is steered slowly goes on a circle on which its wheels nearly roll: with a common angle δ of both front
wheels and the understeer gradient K, the curvature of the path of the middle of its rear axle is [Milliken1995]

    κ = tan δ/(L + K v²)                                                                               (3)

but for wheels of an axle that should have angles of their own, a share of (t/L)² tan²δ.

Independent: (1) and (2) by hand; the rates of (2) integrated by `scipy.integrate.solve_ivp`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.sim.build import build
from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case
from jounce.verify.cases.compliance import gradient

BEND = math.radians(31)
STIFFNESS, HIGH, LOW = 52.0, 0.9, 0.6  # N.m/rad, N.m forwards, N.m backwards
WAY, PERIOD = 0.08, 2.0  # rad, s
CREEP = 3.0  # m/s


@case("hooke-joints", "Hooke joints of a steering column", chapter=22)
def hooke(page: Page) -> None:
    """One joint bent by 31 degrees over a turn, and two that bend alike: the turn of the last shaft against the formula
    of the textbook, the unevenness of the speed against its extremes, cos β and 1/cos β."""
    from jounce.components.steering.shafts import Shafts

    def points(*bends: float) -> list[list[float]]:
        """A column that bends in the plane of symmetry."""
        found, angle, at = [[0.0, 0.0, 1.0]], 0.0, np.array([0.0, 0.0, 1.0])
        for bend in (0.0, *bends):
            angle += bend
            at = at + 0.3 * np.array([math.sin(angle), 0.0, -math.cos(angle)])
            found.append([float(x) for x in at])
        return found

    single = Shafts.model_validate({"points": points(BEND)})
    turns = np.radians([17.0, 44.0, 90.0, 131.0, 203.0, -77.0, 560.0])
    # straight ahead the pin of the hand wheel is horizontal: normal to the plane of the shafts
    for turn in turns:
        expected = math.atan(math.tan(turn) * math.cos(BEND)) + math.pi * round(turn / math.pi)
        page.row(
            f"one joint: turn of the driven shaft at {math.degrees(turn):g} deg",
            expected=math.degrees(expected),
            measured=math.degrees(single.end(float(turn))),
            tolerance=1e-10,
            unit="deg",
            kind="closed form",
            source="(1) [Seherr2006]",
            why="Rounding of angles of 10 rad.",
        )
    dense = np.linspace(0.0, 2 * math.pi, 721)
    h = 1e-4
    speed = np.array([(single.end(g + h) - single.end(g - h)) / (2 * h) for g in dense])
    for word, measured, expected in (
        ("least", speed.min(), math.cos(BEND)),
        ("largest", speed.max(), 1 / math.cos(BEND)),
    ):
        page.row(
            f"one joint: {word} ratio of the speeds",
            expected=expected,
            measured=float(measured),
            tolerance=1e-7,
            kind="closed form",
            source="(1) [Seherr2006]",
            why="Central differences over 1e-4 rad: (1e-4)² times a third derivative of 2.",
        )
    double = Shafts.model_validate({"points": points(BEND, -BEND)})
    worst = max(abs(double.end(float(g)) - g) for g in dense)
    page.row(
        "two joints, Z arrangement: largest difference of the turns",
        expected=0.0,
        measured=math.degrees(worst),
        tolerance=1e-10,
        unit="deg",
        kind="closed form",
        source="equal bends in one plane [Seherr2006]",
        why="Rounding of angles of 10 rad.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        c = math.cos(BEND)
        axes.plot(np.degrees(dense), c / (1 - (1 - c * c) * np.sin(dense) ** 2), color="0.4", lw=1.0, label="(1)")
        axes.plot(np.degrees(dense[::24]), speed[::24], "o", ms=4, label="jounce")
        axes.set(xlabel="turn of the driving shaft, deg", ylabel="ratio of the speeds")
        axes.legend()

    page.plot("Unevenness of one joint bent by 31 degrees.", draw, height=2.6)


@case("steering-friction", "Friction of a steering: the loop of a turn to and fro", chapter=22.1)
def friction(page: Page) -> None:
    """A hand wheel is turned to and fro against friction that is larger one way than the other. The torque follows the
    exponentials of Dahl's law from one point of return to the next, and the numbers of SciPy."""
    from scipy.integrate import solve_ivp

    from jounce.runtime.program import Open, Phase, Program, Sine
    from jounce.runtime.simulation import Simulation
    from jounce.symbolic.friction import rounded
    from jounce.symbolic.system import System

    system = System("friction_law")
    x = system.input("x", "rad", rate=True)
    torque = rounded(system.scope("law"), "spring", system.time_derivative(x), HIGH, STIFFNESS, "rad", backwards=LOW)
    system.output("torque", torque, "N.m")
    system.derivative(system.state("zero"), 0.0)
    program = Program(Phase("turn", [Open("x", Sine(WAY, 1 / PERIOD))], duration=2 * PERIOD))
    run = Simulation(build(system)).run(program=program, method="AB-2", step=5e-4, interval=0.002)
    t, found = run.time, run["torque"]
    way = WAY * np.sin(2 * np.pi * t / PERIOD)

    first = t <= PERIOD / 4
    top = HIGH * (1 - math.exp(-STIFFNESS * WAY / HIGH))
    back = (t >= PERIOD / 4) & (t <= 3 * PERIOD / 4)
    for word, rows, expected in (
        ("from rest", first, HIGH * (1 - np.exp(-STIFFNESS * way / HIGH))),
        ("back", back, -LOW + (LOW + top) * np.exp(STIFFNESS * (way - WAY) / LOW)),
    ):
        page.row(
            f"branch {word}: largest difference",
            expected=0.0,
            measured=float(np.abs(found - expected)[rows].max()),
            # ways are sums of trapezia: (ω h)²/12 of the way, times the stiffness
            tolerance=(2 * math.pi / PERIOD * 5e-4) ** 2 / 12 * WAY * STIFFNESS * 10,
            unit="N.m",
            kind="closed form",
            source="(2) [Dahl1968]",
            why="Ways are sums of trapezia, (ω h)²/12 of the way, ten times for branches one after the other.",
        )

    def rate(t: float, force: Any) -> Any:
        v = WAY * 2 * math.pi / PERIOD * math.cos(2 * math.pi * t / PERIOD)
        return STIFFNESS * v * (1 - force / (HIGH if v > 0 else -LOW))

    exact = solve_ivp(rate, (0.0, 2 * PERIOD), [0.0], t_eval=t, rtol=1e-9, atol=1e-11, max_step=0.002).y[0]
    page.row(
        "two turns to and fro: largest difference",
        expected=0.0,
        measured=float(np.abs(found - exact).max()),
        tolerance=1e-4 * HIGH,
        unit="N.m",
        kind="independent package",
        source="scipy.integrate.solve_ivp of (2)",
        why="Errors of SciPy at the points of return, where the rate jumps: a step of 2 ms at most.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(np.degrees(way), exact, color="0.4", lw=1.0, label="SciPy")
        axes.plot(np.degrees(way)[::25], found[::25], ".", ms=5, label="jounce")
        axes.set(xlabel="angle, deg", ylabel="torque, N m")
        axes.legend()

    page.plot("The loop of the friction torque.", draw, height=2.9)


@case("slow-circle", "A car that is steered slowly: wheels roll", chapter=22.2)
def slow(page: Page) -> None:
    """The car rolls at 3 m/s with the hand wheel held at several angles to both sides, pushed by nothing. The middle of
    its rear axle goes on the circle of the wheels' angle, a little wider by its understeer gradient."""
    from jounce.runtime.program import Constant, Open, Phase, Program, Ramp
    from jounce.sim import car

    description = ref.description()
    resting = ref.at_rest(description).snapshot()
    drawn = []
    for degrees in (15.0, -35.0, 60.0):
        sim = car.simulation(description)
        sim.restore(resting)
        ref.rolling(sim, CREEP)
        angle = math.radians(degrees)
        turn = Open("steering_wheel", Ramp(angle, 2.0, start=0.0, smooth=True))
        hold = Open("brake", Constant(0.0))
        sim.run(program=Program(Phase("steer", [turn, hold], duration=8.0)), interval=0.5)
        wheel = math.tan(ref.STEERING * angle)
        speed = sim.output("chassis_velocities.longitudinal")
        # the rear axle moves along the car: yaw rate over the speed there
        curvature = sim.output("chassis_velocities.yaw") / speed
        expected = wheel / (ref.WHEELBASE + gradient(0.0, 0.0, 0.0) * speed**2)
        drawn.append((degrees, expected, curvature))
        page.row(
            f"hand wheel at {degrees:g} deg: curvature of the path",
            expected=expected,
            measured=curvature,
            tolerance=((ref.FRONT_TRACK / ref.WHEELBASE * wheel) ** 2 + 2e-5) * abs(expected),
            unit="1/m",
            kind="closed form",
            source="(3) [Milliken1995]",
            why="Parallel wheels on one circle: (t/L)² tan²δ; and 2e-5 of what is left of the way into the turn.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        drawn.sort()
        axes.plot([d for d, _, _ in drawn], [e for _, e, _ in drawn], color="0.4", lw=1.0, label="(3)")
        axes.plot([d for d, _, _ in drawn], [m for _, _, m in drawn], "o", ms=5, label="jounce")
        axes.set(xlabel="hand wheel, deg", ylabel="curvature, 1/m")
        axes.legend()

    page.plot("Curvature of the path at 3 m/s.", draw, height=2.5)
