"""Aerodynamics: a car that coasts, its top speed, the wind from the side.

With the air alone, c = ½ ρ c_d A, and all that turns counted in the mass m*, a car that coasts has [Mitschke2014]

    m* v̇ = −c v²   ⇒   v(t) = v₀/(1 + c v₀ t/m*),   way = (m*/c) ln(1 + c v₀ t/m*)                     (1)

The torque T at its wheels of radius R drives it at the top speed where the force is that of the air

    T/R = c v²,   P = c v³                                                                             (2)

Downforces ½ ρ A_i v² at their places load the axles by the lever. Wind of the speed w from the side makes an angle of
the air, τ = atan(w/v), and by SAE J1594 forces q A C(τ) with q = ½ ρ (v² + w²)                        (3)

Independent: (1) to (3) by hand; (1) also by `scipy.integrate.solve_ivp` with rolling wheels that slip.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case

DENSITY, AREA = 1.2, 0.67
C = DENSITY * AREA / 2
SPIN_INERTIA = 0.9


def _mass(sim: Any, mass: float) -> float:
    """With all that turns."""
    return mass + sum(
        SPIN_INERTIA / (sim.output(f"Tire.Effective_Rolling_Radius.{w}") * sim.output(f"Tire.Loaded_Radius.{w}"))
        for w in ref.WHEELS
    )


@case("coasting", "Coasting against the air, and the top speed", chapter=25)
def coasting(page: Page) -> None:
    """The reference car with drag and nothing else that brakes it coasts from 180 km/h for a minute: speed and way
    against the closed form. Then its drive pushes with a constant torque until the air holds it."""
    vehicle = ref.vehicle(aero__drag__scale=1.0)
    description = ref.description(vehicle)
    sim = ref.rolling(ref.at_rest(description), 50.0)
    total = _mass(sim, vehicle.mass())
    run = sim.run(60.0, interval=0.5)
    t, v = run.time, run["chassis_velocities.longitudinal"]
    exact = 50.0 / (1 + C * 50.0 * t / total)
    way = total / C * np.log(1 + C * 50.0 * t / total)
    x = run["System_Mass_Center.Global_X"] - run["System_Mass_Center.Global_X"][0]
    for name, measured, expected, unit in (
        ("speed after 20 s", np.interp(20.0, t, v), np.interp(20.0, t, exact), "m/s"),
        ("speed after 60 s", v[-1], exact[-1], "m/s"),
        ("way after 60 s", x[-1], way[-1], "m"),
    ):
        page.row(
            name,
            expected=float(expected),
            measured=float(measured),
            tolerance=2e-4 * float(expected),
            unit=unit,
            kind="closed form",
            source="(1) [Mitschke2014]",
            why="The car pitches and heaves by the drag above its centre of gravity: radii of wheels change by 1e-4.",
        )
    pushed = []
    for torque in (140.0, 260.0):
        fast = ref.vehicle(aero__drag__scale=1.0, drive__max_torque=torque)
        found = ref.description(fast)
        sim = ref.at_rest(found)
        expected = math.sqrt(torque / sim.output("Tire.Loaded_Radius.L2") / C)
        ref.rolling(sim, 0.97 * expected)
        sim.set_inputs({"throttle": 1.0})
        end = sim.run(400.0, interval=2.0)
        pushed.append((end.time, end["chassis_velocities.longitudinal"], expected))
        page.row(
            f"top speed at {torque:g} N m",
            expected=3.6 * expected,
            measured=3.6 * float(end["chassis_velocities.longitudinal"][-1]),
            tolerance=3.6 * expected * 3e-3,
            unit="km/h",
            kind="closed form",
            source="(2) [Mitschke2014]",
            why="The loaded radius of the driven wheels changes with their load by the drag, 1 mm of 307 mm at most.",
        )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.plot(t, 3.6 * exact, color="0.4", lw=1.0, label="(1)")
        left.plot(t[::8], 3.6 * v[::8], "o", ms=4, label="jounce")
        left.set(xlabel="time, s", ylabel="speed, km/h", title="coasting")
        left.legend()
        for time, speed, expected in pushed:
            right.plot(time, 3.6 * speed, lw=1.2)
            right.axhline(3.6 * expected, color="0.4", lw=0.8, ls="--")
        right.set(xlabel="time, s", ylabel="speed, km/h", title="driven; dashed: (2)")

    page.plot("A car against the air.", draw)


@case("downforce", "Downforce on the axles", chapter=25.1)
def downforce(page: Page) -> None:
    """The reference car at three speeds with front and rear downforce over the axles: each axle carries its static load
    and its own downforce; the drag above the ground moves load to the rear axle by the lever."""
    from jounce.sim.steady import run_steadily

    vehicle = ref.vehicle(**{f"aero__{name}__scale": 1.0 for name in ("drag", "front_downforce", "rear_downforce")})
    description = ref.description(vehicle)
    rest = ref.at_rest(ref.description())
    still = [rest.output(f"Tire.Ground_Surface_Force_Z.L{n}") * 2 for n in (1, 2)]
    drawn = []
    for speed in (20.0, 40.0, 60.0):
        sim = ref.at_rest(description)
        run_steadily(sim, description, speed)
        found = [sum(sim.output(f"Tire.Ground_Surface_Force_Z.{s}{n}") for s in "LR") for n in (1, 2)]
        q = DENSITY / 2 * speed**2
        # the drag at 0.6 m, and what pushes at the ground against it
        moved = q * AREA * 0.6 / ref.WHEELBASE
        expected = [still[0] + q * 0.11 - moved, still[1] + q * 0.23 + moved]
        drawn.append((speed, expected, found))
        for word, a, b in zip(("front", "rear"), expected, found, strict=True):
            page.row(
                f"{speed:g} m/s: load of the {word} axle",
                expected=a,
                measured=b,
                tolerance=1e-2 * q * (0.11 + 0.23 + AREA * 0.6 / ref.WHEELBASE) + 1e-3,
                unit="N",
                kind="closed form",
                source="(3) and the lever [SAEJ1594]",
                why="Springs and tires are pressed by up to 15 mm and the car pitches: 1e-2 of the levers.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for i, word in enumerate(("front", "rear")):
            axes.plot([3.6 * s for s, _, _ in drawn], [e[i] / 1e3 for _, e, _ in drawn], color="0.4", lw=1.0)
            axes.plot(
                [3.6 * s for s, _, _ in drawn], [f[i] / 1e3 for _, _, f in drawn], "o", ms=5, label=f"{word} axle"
            )
        axes.set(xlabel="speed, km/h", ylabel="load, kN", title="lines: by hand; dots: jounce")
        axes.legend()

    page.plot("Loads of the axles over the speed.", draw, height=2.7)


@case("side-wind-forces", "Wind from the side", chapter=25.2)
def side_wind(page: Page) -> None:
    """The reference car with the tables of a wind tunnel drives through wind from both sides. Angle and pressure of the
    air and all six forces and moments are those of SAE J1594, the tables looked up by SciPy."""
    from scipy.interpolate import Akima1DInterpolator

    yaw = [-0.6, -0.35, -0.1, 0.0, 0.15, 0.4, 0.6]
    table = {
        "drag": [0.49, 0.43, 0.35, 0.33, 0.36, 0.45, 0.5],
        "side": [1.31, 0.83, 0.25, 0.02, -0.36, -0.93, -1.27],
        "lift": [0.29, 0.21, 0.13, 0.11, 0.14, 0.22, 0.31],
        "roll": [-0.21, -0.12, -0.03, 0.0, 0.05, 0.14, 0.2],
        "pitch": [0.06, 0.04, 0.02, 0.01, 0.02, 0.04, 0.07],
        "yaw": [0.19, 0.12, 0.04, 0.0, -0.05, -0.13, -0.18],
    }
    area, length, speed = 2.07, 2.61, 31.0
    curves = {name: {"x": yaw, "y": values} for name, values in table.items()}
    aero = {
        "kind": "wind_tunnel", "air_density": 1.21, "frontal_area": area, "reference_length": length,
        "center_location": [-1.31, 0.0, 0.0], "front_location": [0.0, 0.0, 0.0],
        "rear_location": [-2.71, 0.0, 0.0], **curves,
    }  # fmt: skip
    drawn = []
    for wind in (-9.0, 4.0, 14.0):
        vehicle = ref.vehicle(aero={**aero, "wind": [0.0, wind, 0.0]})
        description = ref.description(vehicle)
        sim = ref.rolling(ref.at_rest(description), speed)
        angle = math.atan2(-wind, speed)
        q = 1.21 / 2 * (speed**2 + wind**2)
        values = {name: float(Akima1DInterpolator(yaw, y)(angle)) for name, y in table.items()}
        found = sim.output("aero_forces.side_slip")
        page.row(
            f"wind of {wind:g} m/s: angle of the air",
            expected=math.degrees(angle),
            measured=math.degrees(found),
            tolerance=1e-9,
            unit="deg",
            kind="closed form",
            source="atan(w/v) [SAEJ1594]",
            why="Rounding.",
        )
        words = {
            "drag": ("drag_force", area),
            "side": ("center_sideforce", area),
            "lift": ("center_downforce", -area),
            "roll": ("roll_torque", area * length),
            "pitch": ("drag_torque", area * length),
            "yaw": ("yaw_torque", area * length),
        }
        for name, (channel, size) in words.items():
            page.row(
                f"wind of {wind:g} m/s: coefficient of {name}",
                expected=values[name],
                measured=sim.output(f"aero_forces.{channel}") / (q * size),
                tolerance=1e-9,
                kind="independent package",
                source="scipy.interpolate.Akima1DInterpolator, q A C and q A l C [SAEJ1594]",
                why="Rounding, divided by a pressure of some 600 N.",
            )
        drawn.append((math.degrees(angle), sim.output("aero_forces.center_sideforce") / (q * area)))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(np.degrees(yaw), table["side"], "o-", ms=3, color="0.4", lw=1.0, label="table")
        axes.plot(*zip(*drawn, strict=True), "D", ms=6, label="jounce")
        axes.set(xlabel="angle of the air, deg", ylabel="coefficient of the side force")
        axes.legend()

    page.plot("The side force of a car in wind from the side.", draw, height=2.5)
