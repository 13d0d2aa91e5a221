"""Brakes and controllers: loads and way of a stop, the shoes of a drum, a cruise control.

While a car brakes with the deceleration a, its centre of gravity h above the ground, axles carry [Gillespie1992]

    N_front = (m g b + m a h + M)/L,   N_rear = (m g a_f − m a h − M)/L,   M = Σ J a/r                 (1)

where M is the moment of the wheels that stop turning, which the textbook leaves out. With the brake torques T_i at the
wheels of radius R and all that turns counted in m*, a = Σ T_i/(R m*).

A shoe of a drum turns about its pin: pushed by F at the distance a, held by the pressure of the drum n at b, and
by its friction f = k µ n at c, which helps a leading and hinders a trailing shoe [Limpert2011],

    F a ± f c = n b,     T = f r,     k = 4 sin(φ/2)/(φ + sin φ) of the angle φ of the lining          (2)

A cruise control of the gains K and I on a car that follows its demand has, with e the error of the speed,

    ë + K ė + I e = 0                                                                                  (3)

Independent: (1) by hand, (2) by `numpy.linalg.solve`, (3) by `scipy.signal.lsim` as a transfer function. What
controllers do at the limit of tires has no closed form; there the book has no case.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case
from jounce.verify.cases.standing_car import _masses

SPIN_INERTIA = 0.9
MOST = (2 * 0.4 * 8e6 * 2.3e-3 * 0.117, 2 * 0.4 * 8e6 * 0.95e-3 * 0.113)  # N.m of a brake at full demand: 2 µ p A r
LOAD = "Tire.Ground_Surface_Force_Z"


@case("braking", "A stop: deceleration and loads of the axles", chapter=24)
def braking(page: Page) -> None:
    """The reference car brakes from 108 km/h with three demands: its deceleration from the torques, the loads of
    its axles from the deceleration."""
    vehicle = ref.vehicle()
    description = ref.description(vehicle)
    mass, _, height = _masses()
    still = [2 * ref.at_rest(description).output(f"{LOAD}.L{n}") for n in (1, 2)]
    drawn = []
    for demand in (0.1, 0.25, 0.4):
        sim = ref.rolling(ref.at_rest(description), 30.0)
        radii = {n: (sim.output(f"Tire.Effective_Rolling_Radius.L{n}"), ref.RADIUS) for n in (1, 2)}
        turning = sum(2 * SPIN_INERTIA / (rolls * arm) for rolls, arm in radii.values())
        torque = [demand * t for t in MOST]
        expected = 2 * sum(torque) / ref.RADIUS / (mass + turning)
        sim.set_inputs({"brake": demand})
        run = sim.run(5.0, interval=0.01)
        middle = run.time > 4.5
        found = -float(np.mean(run["System_Mass_Center.Global_Ax"][middle]))
        loads = [float(np.mean((run[f"{LOAD}.L{n}"] + run[f"{LOAD}.R{n}"])[middle])) for n in (1, 2)]
        drawn.append((demand, expected, found))
        page.row(
            f"demand {demand:g}: deceleration",
            expected=expected,
            measured=found,
            tolerance=1e-2 * expected,
            unit="m/s2",
            kind="closed form",
            source="Σ T/(R m*)",
            why="Loaded radii of 307 mm change by 2 mm with the loads of the axles: 1e-2.",
        )
        stopping = 2 * SPIN_INERTIA * found * sum(1 / rolls for rolls, _ in radii.values())
        moved = (mass * found * height + stopping) / ref.WHEELBASE
        for word, load, rest, sign in (("front", loads[0], still[0], 1.0), ("rear", loads[1], still[1], -1.0)):
            page.row(
                f"demand {demand:g}: load of the {word} axle",
                expected=rest + sign * moved,
                measured=load,
                tolerance=2e-2 * moved,
                unit="N",
                kind="closed form",
                source="(1) [Gillespie1992]",
                why="A car that dives by 0.2 deg per m/s² moves its weight: g (h − r) θ/(a h) = 1.3e-2 of the change.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot([d for d, _, _ in drawn], [e for _, e, _ in drawn], color="0.4", lw=1.0, label="by hand")
        axes.plot([d for d, _, _ in drawn], [f for _, _, f in drawn], "o", ms=5, label="jounce")
        axes.set(xlabel="demand of the brakes", ylabel="deceleration, m/s²")
        axes.legend()

    page.plot("Deceleration over the demand.", draw, height=2.4)


@case("drum", "Shoes of a drum brake", chapter=24.1)
def drum(page: Page) -> None:
    """Drum brakes on the rear wheels with two leading, or one leading and one trailing shoe, forwards and backwards, at
    three pressures: the moment of each shoe from its own balance about the pin."""
    data = {
        "kind": "drum", "mu": 0.33, "drum_radius": 0.117, "piston_area": 4.1e-4, "shoe_anchor_pin_to_cylinder": 0.178,
        "shoe_anchor_pin_to_shaft": 0.089, "shoe_anchor_pin_to_fulcrum": 0.083,
        "shoe_engagement_angle": math.radians(107),
    }  # fmt: skip
    half = math.radians(107) / 2
    k = 4 * math.sin(half) / (2 * half + math.sin(2 * half))
    a, b, c = (float(data[f"shoe_anchor_pin_to_{end}"]) for end in ("cylinder", "shaft", "fulcrum"))  # type: ignore[arg-type]
    drawn: dict[str, list[tuple[float, float, float]]] = {}
    for leading in (1, 2):
        description = ref.description(ref.vehicle(brakes__rear={**data, "leading_shoes": leading}))
        sim = ref.at_rest(description)
        for way in (1.0, -1.0):
            sim.set_states({f"{w}.wheel.spin": way * 40.0 for w in ref.WHEELS})
            for demand in (0.2, 0.5, 0.9):
                sim.set_inputs({"brake": demand})
                force, total = demand * 8e6 * 4.1e-4, 0.0
                helps = (1, 1) if leading == 2 else (1, -1)
                for sign in helps:
                    s = sign * way if leading == 2 else sign
                    _, friction = np.linalg.solve([[b, -s * c], [-k * 0.33, 1.0]], [force * a, 0.0])
                    total += float(friction) * 0.117
                measured = -way * sim.output("Brake_Moment.R2")
                name = f"{leading} leading, {'forwards' if way > 0 else 'backwards'}"
                drawn.setdefault(name, []).append((demand, total, measured))
                page.row(
                    f"{name}, demand {demand:g}",
                    expected=total,
                    measured=measured,
                    tolerance=1e-9 * total,
                    unit="N.m",
                    kind="closed form",
                    source="(2) [Limpert2011], numpy.linalg.solve",
                    why="Rounding.",
                )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, points in drawn.items():
            xs, expected, measured = zip(*points, strict=True)
            axes.plot(xs, expected, color="0.4", lw=1.0)
            axes.plot(xs, measured, "o", ms=5, label=name)
        axes.set(xlabel="demand", ylabel="moment of a brake, N m", title="lines: balance of the shoes; dots: jounce")
        axes.legend()

    page.plot("Drum brakes help themselves one way only.", draw, height=2.9)


@case("cruise-control", "A cruise control against its transfer function", chapter=24.2)
def cruise(page: Page) -> None:
    """The reference car with a cruise control, which sees wheel speeds by toothed rings every 5 ms, is set to 2 m/s
    more than it drives. Its speed is the answer of the linear loop by SciPy."""
    from scipy import signal

    gain, integral, start, wanted = 0.8, 0.15, 25.0, 27.0
    part = {
        "kind": "cruise_control", "speed": wanted, "gain": gain, "integral": integral, "coasting": 0.0,
        "full_acceleration": 3.0,
    }  # fmt: skip
    plain = ref.vehicle()
    mass, _, _ = _masses()
    sim = ref.at_rest(ref.description(plain))
    rolls = {n: sim.output(f"Tire.Effective_Rolling_Radius.L{n}") for n in (1, 2)}
    total = mass + sum(2 * SPIN_INERTIA / (r * ref.RADIUS) for r in rolls.values())
    part["brake_gain"] = total * ref.RADIUS / (2 * sum(MOST) / 8e6)
    vehicle = ref.vehicle(parts=[part], drive__max_torque=3.0 * total * ref.RADIUS)
    sim = ref.rolling(ref.at_rest(ref.description(vehicle)), start)
    run = sim.run(20.0, interval=0.02)
    t, v = run.time, run["chassis_velocities.longitudinal"]
    system = signal.TransferFunction([gain, integral], [1.0, gain, integral])
    _, answer, _ = signal.lsim(system, np.ones_like(t), t)
    exact = start + (wanted - start) * answer
    for at in (0.5, 1.5, 4.0, 8.0, 16.0):
        page.row(
            f"speed after {at:g} s",
            expected=float(np.interp(at, t, exact)),
            measured=float(np.interp(at, t, v)),
            # sensors are half a sample and half a tooth late, tires follow, and coarse: some 20 ms of 1.6 m/s²
            tolerance=0.02 * gain * (wanted - start),
            unit="m/s",
            kind="independent package",
            source="scipy.signal.lsim of (K s + I)/(s² + K s + I)",
            why="Speeds are seen some 10 ms late and the pull of a tire follows its slip 10 ms later, at 1.6 m/s².",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(t, exact, color="0.4", lw=1.0, label="SciPy")
        axes.plot(t[::40], v[::40], "o", ms=4, label="jounce")
        axes.set(xlabel="time, s", ylabel="speed, m/s")
        axes.legend()

    page.plot("A car that is asked to drive faster by 2 m/s.", draw, height=2.6)
