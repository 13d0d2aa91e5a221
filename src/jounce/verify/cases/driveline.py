"""Driveline: a clutch between two flywheels, a geared car, a battery.

Two flywheels J_a and J_b that a coupling of the stiffness k and damping c joins swing against each other as one inertia
J = J_a J_b/(J_a + J_b); while it slips they exchange the torque T_c, lock up at the speed that momentum gives them, and
lose the energy of their difference [Guzzella2013]:

    λ² + (c/J) λ + k/J = 0,    ω = (J_a ω_a + J_b ω_b)/(J_a + J_b),    W = ½ J (ω_a − ω_b)²            (1)

In gear, with the engine torque T, the ratio i to the wheels of radius r and all inertias on their way, a car gains

    a = (T i/R)/(m + 2 J_w/(r₁ R₁) + (2 J_w + J_e i²) (1 + κ)/(r₂ R₂)),   κ = F/(2 C)                  (2)

with the radii of forces R and of rolling r of both axles and the slip κ of two tires of the stiffness C.

Independent: (1) by `scipy.linalg.expm` and by hand, (2) by hand.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from jounce.sim.build import build
from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case

A, B = 0.13, 0.021  # kg.m2
REDUCED = A * B / (A + B)
STIFFNESS, DAMPING = 1500.0, 0.4  # N.m/rad, N.m.s/rad
TORQUE, DIFFERENTIAL, ENGINE_INERTIA, SPIN_INERTIA = 143.0, 3.7, 0.15, 0.9  # N.m, -, kg.m2, kg.m2
SLIP_STIFFNESS = 1.3e5  # N of a tire


@lru_cache
def _flywheels() -> Any:
    from jounce.components.drive.coupling import coupling
    from jounce.symbolic import System

    system = System("coupled_flywheels")
    speeds = []
    for name, inertia in (("A", A), ("B", B)):
        scope = system.scope(name)
        speed = scope.declare_speed("spin", "rad/s", system.world, 0.0, role="drift")
        scope.inerter("rotor", speed, scope.parameter("inertia", inertia, "kg.m2"), on=system.world)
        speeds.append(speed)
        system.output(name, speed, "rad/s")
    k, c = system.parameter("k", STIFFNESS, "N.m/rad"), system.parameter("c", DAMPING, "N.m.s/rad")
    limit = system.input("limit", "N.m", default=1e9)
    found = coupling(system, "clutch", speeds[0] - speeds[1], limit, k, c, 1 / A + 1 / B, system.world)
    system.generalized_force(speeds[0], -found.torque)
    system.generalized_force(speeds[1], found.torque)
    heat = system.state("heat", "J", role="free")
    system.derivative(heat, found.lost)
    return build(system)


@case("clutch", "A clutch between two flywheels", chapter=23)
def clutch(page: Page) -> None:
    """Closed, the flywheels swing against each other: their difference of speeds over 0.1 s against the matrix
    exponential of SciPy, at three steps, whose errors fall with the square of the step. Slipping, they lock up at the
    speed of their momentum, after the time and with the heat of the textbook."""
    from scipy.linalg import expm

    from jounce.runtime.simulation import Simulation

    matrix = np.array([[0.0, 1.0], [-STIFFNESS / REDUCED, -DAMPING / REDUCED]])
    errors, curves = [], None
    for step in (5e-4, 2.5e-4, 1.25e-4):
        sim = Simulation(_flywheels(), step=step)
        sim.set_states({"A.spin": 5.0, "B.spin": 2.0})
        times, slips = [], []
        for _ in range(round(0.1 / step)):
            times.append(sim.time)
            slips.append(sim.state("A.spin") - sim.state("B.spin"))
            sim.advance(1)
        one = expm(matrix * step)
        state, exact = np.array([0.0, 3.0]), []
        for _ in times:
            exact.append(state[1])
            state = one @ state
        errors.append(float(np.abs(np.array(slips) - exact).max()) / 3.0)
        curves = np.array(times), np.array(slips), np.array(exact)
    page.row(
        "swing of the closed clutch: order of the error",
        expected=2.0,
        measured=math.log2(errors[0] / errors[-1]) / 2,
        tolerance=0.2,
        kind="order",
        source="scipy.linalg.expm of (1)",
        why="The next term is smaller by ω h = 0.14 at the largest step.",
    )
    page.row(
        "swing of the closed clutch: largest error at the finest step",
        expected=0.0,
        measured=errors[-1],
        # second order: 5/12 (ω h)² per period, over 4.6 periods and 2π
        tolerance=5 / 12 * (288 * 1.25e-4) ** 2 * 288 * 0.1,
        kind="independent package",
        source="scipy.linalg.expm of (1)",
        why="5/12 (ω h)² of a method of second order, ω = 288 rad/s, over ω t = 29 rad; relative to the first slip.",
    )
    cap, ends = 90.0, {}
    for step in (1e-3, 2.5e-4):
        sim = Simulation(_flywheels(), step=step)
        sim.set_parameters({"k": 1e5, "c": 50.0})
        sim.set_states({"A.spin": 300.0, "B.spin": 20.0})
        sim.set_inputs({"limit": cap})
        ends[step] = sim.run(0.12, interval=step)
    momentum = (A * 300.0 + B * 20.0) / (A + B)
    lost = REDUCED * 280.0**2 / 2
    until = REDUCED * 280.0 / cap
    sim_values = {
        "speed after lock-up": (momentum, sim.state("A.spin"), 1e-3, "rad/s", "Motion of the coupling's spring: 1e-5."),
        "heat of the lock-up": (
            lost,
            sim.state("heat"),
            # a step in which it sticks is lost or won, and the spring of the coupling is filled
            cap * 280.0 * 2.5e-4 / 2 + cap**2 / (2 * 1e5),
            "J",
            "Half a step of the first power, and the energy of its spring, T²/2k.",
        ),
    }
    for name, (expected, measured, tolerance, unit, why) in sim_values.items():
        page.row(
            name,
            expected=expected,
            measured=measured,
            tolerance=tolerance,
            unit=unit,
            kind="closed form",
            source="(1) [Guzzella2013]",
            why=why,
        )
    run = ends[2.5e-4]
    slip = run["A"] - run["B"]
    page.row(
        "time of lock-up",
        expected=until,
        measured=float(run.time[np.argmax(slip < 1e-3 * 280.0)]),
        tolerance=5 * 2.5e-4,
        unit="s",
        kind="closed form",
        source="J (ω_a − ω_b)/T_c [Guzzella2013]",
        why="Five steps of 0.25 ms: to wind the spring of the coupling up, and for the last thousandth of the slip.",
    )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        assert curves is not None
        t, found, exact = curves
        left.plot(1e3 * t, exact, color="0.4", lw=1.0, label="SciPy")
        left.plot(1e3 * t[::12], found[::12], ".", ms=5, label="jounce")
        left.set(xlabel="time, ms", ylabel="difference of speeds, rad/s", title="closed")
        left.legend()
        for name in "AB":
            right.plot(1e3 * run.time, run[name], lw=1.2, label=f"flywheel {name}")
        right.axhline(momentum, color="0.4", lw=0.8, ls="--")
        right.axvline(1e3 * until, color="0.4", lw=0.8, ls="--")
        right.set(xlabel="time, ms", ylabel="speed, rad/s", title="slipping; dashed: (1)")
        right.legend()

    page.plot("A closed clutch swings, a slipping one locks up.", draw)


@case("gears", "A car in gear: speeds and accelerations", chapter=23.1)
def gears(page: Page) -> None:
    """The reference car with an engine of constant torque, a gearbox and a differential, on tires that slip.
    Its acceleration is that of its mass and of all inertias that turn with it; its engine turns with the wheels and
    their slip."""
    told = []
    for ratio in (2.3, 1.37, 0.91):
        raw = {
            "layout": "rwd",
            "engine": {
                "kind": "simple_engine", "max_torque": TORQUE, "max_power": 1e7, "min_torque": -1.0,
                "inertia": ENGINE_INERTIA, "idle_speed": 20.0, "stall_speed": 10.0, "rev_limit": 1500.0,
                "idle_control": None, "overspeed_control": None,
            },
            "rear": {
                "kind": "open_differential", "ratio": DIFFERENTIAL * ratio, "efficiency": 1.0, "inertia": 1e-6,
            },
        }  # fmt: skip
        vehicle = ref.vehicle(drive=None, driveline=raw)
        description = ref.description(vehicle, CSLIP=SLIP_STIFFNESS)
        sim = ref.at_rest(description)
        ref.rolling(sim, 12.0)
        total = DIFFERENTIAL * ratio
        sim.set_inputs({"throttle": 1.0})
        sim.run(1.0)
        mass = vehicle.mass()
        rolls, arm = (
            [sim.output(f"Tire.{word}_Radius.{wheel}") for wheel in ("L1", "L2")]
            for word in ("Effective_Rolling", "Loaded")
        )
        slip, expected = 0.0, 0.0
        for _ in range(20):  # the slip follows from the force, which follows from the slip
            turning = (2 * SPIN_INERTIA + ENGINE_INERTIA * total**2) * (1 + slip) / (rolls[1] * arm[1])
            expected = TORQUE * total / arm[1] / (mass + turning + 2 * SPIN_INERTIA / (rolls[0] * arm[0]))
            slip = (TORQUE * total / arm[1] - turning * expected) / (2 * SLIP_STIFFNESS)
        told.append((total, expected, sim.output("System_Mass_Center.Global_Ax")))
        page.row(
            f"ratio {total:.4g}: speed of the engine",
            expected=sim.output("chassis_velocities.longitudinal") * (1 + slip) / rolls[1] * total,
            measured=sim.output("Engine.engine_rpm"),
            tolerance=2e-4 * 39.0 * total,
            unit="rad/s",
            kind="closed form",
            source="v (1 + κ) i/r, κ = F/C",
            why="Slip follows over the relaxation length: 0.1 m of the way; rotation of the contact with the pitch.",
        )
        page.row(
            f"ratio {total:.4g}: acceleration",
            expected=expected,
            measured=told[-1][2],
            tolerance=(1e-4 + slip * slip) * expected,
            unit="m/s2",
            kind="closed form",
            source="(2) [Guzzella2013]",
            why="Squares of the slip; the pitch of the car is not quite at rest after 1 s.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot([t for t, _, _ in told], [e for _, e, _ in told], color="0.4", lw=1.0, label="(2)")
        axes.plot([t for t, _, _ in told], [m for _, _, m in told], "o", ms=5, label="jounce")
        axes.set(xlabel="ratio from engine to wheels", ylabel="acceleration, m/s²")
        axes.legend()

    page.plot("Acceleration of one car at one torque in three gears.", draw, height=2.5)
