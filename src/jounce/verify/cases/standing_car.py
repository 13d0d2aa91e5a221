"""Statics and set-up: what wheels carry on slopes, under a load on one side, and after a set-up.

On a grade of angle α, with the centre of gravity h above the ground, a behind the front and b ahead of the rear axle
[Gillespie1992], and across a bank of angle β with the track t,

    N_front = m g (b cos α − h sin α)/L,   N_rear = m g (a cos α + h sin α)/L                          (1)
    N_low − N_high = 2 m g h sin β/t                                                                   (2)

A body on four springs k_i at the corners (x_i, y_i) of its plane, each in series with a tire k_t, and bars k_b between
the wheels of an axle, sinks by z, rolls by φ and pitches by θ under a load P at (x, y):

    Σ ΔF_i = P,   Σ y_i ΔF_i = P y − g H φ,   Σ x_i ΔF_i = P x + g (H − M r) θ,   H = Σ m h        (3)
    ΔF_i = −k_t (z + y_i φ − x_i θ + J_i) = k_i J_i + k_b (J_i − J_other)

seven linear equations of z, φ, θ and four travels J_i. (Wheels lean with the body but roll when it pitches, so that
their contacts, r below their centres, go along.) A car that is set up to the cross weight c and stands level has
loads that levers and c alone decide: the axles by (1), the sides by (2) with its own centre of gravity, the diagonal

    N_L1 + N_R2 = c m g                                                                                (4)

Independent: (3) by `scipy.linalg.solve`; (1), (2) and (4) by hand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case

STIFF = 1e4
PLACES = {
    "L1": (0.0, ref.FRONT_TRACK / 2),
    "R1": (0.0, -ref.FRONT_TRACK / 2),
    "L2": (-ref.WHEELBASE, ref.REAR_TRACK / 2),
    "R2": (-ref.WHEELBASE, -ref.REAR_TRACK / 2),
}
LOAD = "Tire.Ground_Surface_Force_Z"


def _masses() -> tuple[float, float, float]:
    """Mass, place of the centre of gravity along the car and its height, by hand."""
    parts = [(ref.SPRUNG, ref.CENTRE, ref.HEIGHT)]
    parts += [(2 * m, x, ref.RADIUS) for m, x in zip(ref.UNSPRUNG, (0.0, -ref.WHEELBASE), strict=True)]
    mass = sum(m for m, *_ in parts)
    return mass, sum(m * x for m, x, _ in parts) / mass, sum(m * z for m, _, z in parts) / mass


@case("slopes", "A car on slopes: loads of its wheels by the lever", chapter=19)
def slopes(page: Page) -> None:
    """The car on springs and tires ten thousand times as stiff, its brakes applied, finds its equilibrium uphill,
    downhill, and on a bank to either side. The loads of axles and sides are those of the lever."""
    from jounce.sim import car, statics

    stiff = {
        f"{axle}_suspension__spring__rate": STIFF * rate
        for axle, rate in (("front", ref.FRONT_RATE), ("rear", ref.REAR_RATE))
    }
    description = ref.description(
        ref.vehicle(**stiff), VERTICAL_STIFFNESS=STIFF * ref.TIRE_RATE, UNLOADED_RADIUS=ref.RADIUS
    )
    mass, x, height = _masses()
    weight, behind = mass * GRAVITY, -x
    drawn: dict[str, list[tuple[float, float, float]]] = {"front axle": [], "rear axle": []}
    for grade, bank in ((0.12, 0.0), (-0.07, 0.0), (0.0, 0.09), (0.0, -0.13)):
        sim = car.simulation(description)
        sim.set_parameters({"ground.grade": grade, "ground.bank": bank})
        sim.set_inputs({"brake": 1.0})
        statics.settle(sim, description, normal=(-grade, -bank, 1.0))
        found = {w: sim.output(f"{LOAD}.{w}") for w in ref.WHEELS}
        where = f"grade {100 * grade:g} %" if grade else f"bank {100 * bank:g} %"
        angle = math.atan(grade or bank)
        if grade:
            front = weight * ((ref.WHEELBASE - behind) * math.cos(angle) - height * math.sin(angle)) / ref.WHEELBASE
            rear = weight * (behind * math.cos(angle) + height * math.sin(angle)) / ref.WHEELBASE
            rows = {
                "front axle": (front, found["L1"] + found["R1"]),
                "rear axle": (rear, found["L2"] + found["R2"]),
            }
            for word, (a, b) in rows.items():
                drawn[word].append((100 * grade, a, b))
            source = "(1) [Gillespie1992]"
        else:
            # both axles lean alike; each carries its share of the moment at its own track
            moment = sum(
                (found[f"R{n}"] - found[f"L{n}"]) * track / 2
                for n, track in ((1, ref.FRONT_TRACK), (2, ref.REAR_TRACK))
            )
            rows = {"moment of the loads about the middle": (weight * height * math.sin(angle), moment)}
            source = "(2) [Gillespie1992], both tracks"
        for word, (a, b) in rows.items():
            page.row(
                f"{where}: {word}",
                expected=a,
                measured=b,
                tolerance=1e-4 * weight,
                unit="N" if grade else "N.m",
                kind="closed form",
                source=source,
                why="Springs and tires 1e4 times as stiff leave 1e-4 of the deflections, which move the load.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for word, points in drawn.items():
            xs, expected, measured = zip(*sorted(points), strict=True)
            axes.plot(xs, np.array(expected) / 1e3, color="0.4", lw=1.0)
            axes.plot(xs, np.array(measured) / 1e3, "o", ms=5, label=word)
        axes.set(xlabel="grade, %", ylabel="load, kN", title="lines: lever; dots: equilibrium of the car")
        axes.legend()

    page.plot("Loads of the axles over the grade.", draw, height=2.7)


def _corners(mass: float, x: float, y: float, height: float) -> tuple[dict[str, float], float, float, float]:
    """Changes of the wheel loads under a mass at (x, y, height), heave, roll and pitch, by (3)."""
    from scipy.linalg import solve

    rates = {1: ref.FRONT_RATE * ref.FRONT_RATIO**2, 2: ref.REAR_RATE * ref.REAR_RATIO**2}
    bars = {1: ref.BAR * ref.BAR_RATIO**2, 2: 0.0}
    matrix, right = np.zeros((7, 7)), np.zeros(7)
    for i, (wheel, (px, py)) in enumerate(PLACES.items()):
        n, other = int(wheel[1]), i + 1 if wheel[0] == "L" else i - 1
        # a tire is pressed by -(z + y φ − x θ + J); a spring by J, a bar by J − J_other
        pressed = np.zeros(7)
        pressed[[0, 1, 2]] = [-1.0, -py, px]
        pressed[3 + i] = -1.0
        force = ref.TIRE_RATE * pressed
        matrix[3 + i] += force
        matrix[3 + i, 3 + i] -= rates[n] + bars[n]
        matrix[3 + i, 3 + other] += bars[n]
        matrix[0] += force
        matrix[1] += py * force
        matrix[2] += px * force
    lever = GRAVITY * (ref.SPRUNG * ref.HEIGHT + 2 * sum(ref.UNSPRUNG) * ref.RADIUS + mass * height)
    matrix[1, 1] += lever  # weights lean with the body
    matrix[2, 2] -= lever - GRAVITY * (ref.SPRUNG + 2 * sum(ref.UNSPRUNG) + mass) * ref.RADIUS
    right[:3] = mass * GRAVITY * np.array([1.0, y, x])
    q = solve(matrix, right)
    changes = {
        w: ref.TIRE_RATE * (-(q[0] + y_ * q[1] - x_ * q[2] + q[3 + i]))
        for i, (w, (x_, y_)) in enumerate(PLACES.items())
    }
    return changes, float(q[0]), float(q[1]), float(q[2])


@case("one-sided-load", "A load on one side: a body on four springs", chapter=19.1)
def one_sided(page: Page) -> None:
    """A mass in a corner of the car: loads of all wheels and the attitude of the body, against seven linear equations
    of a body on springs, tires and a bar. Twice: a small one, for which they are exact, and a large one."""
    x, y, z = -2.1, 0.4, 0.7
    base = ref.at_rest(ref.description())
    drawn: dict[str, tuple[float, float]] = {}
    for mass in (1.0, 150.0):
        added = [{"name": "load", "mass": mass, "location": {"x": x, "y": y, "z": z}}]
        vehicle = ref.vehicle(body__added_masses=added)
        sim = ref.at_rest(ref.description(vehicle))
        changes, heave, roll, pitch = _corners(mass, x, y, z)
        assert heave < 0.0 < abs(roll) + abs(pitch)
        # of second order: angles, and the share of the mass in that which leans
        share = 1e-3 + 3 * mass / ref.SPRUNG * abs(roll)
        for wheel in ref.WHEELS:
            measured = sim.output(f"{LOAD}.{wheel}") - base.output(f"{LOAD}.{wheel}")
            drawn[f"{wheel}, {mass:g} kg"] = (changes[wheel] / mass, measured / mass)
            page.row(
                f"{mass:g} kg: change of the load of {wheel}",
                expected=changes[wheel],
                measured=measured,
                tolerance=share * mass * GRAVITY,
                unit="N",
                kind="independent package",
                source="scipy.linalg.solve of (3)",
                why="(3) is of first order: 1e-3, and what leans by φ and is lower by the travel changes levers by φ.",
            )
        page.row(
            f"{mass:g} kg: sum of the changes",
            expected=mass * GRAVITY,
            measured=sum(sim.output(f"{LOAD}.{w}") - base.output(f"{LOAD}.{w}") for w in ref.WHEELS),
            tolerance=1e-6 * 1500 * GRAVITY,
            unit="N",
            kind="conservation",
            source="the weight that is added",
            why="The search of the equilibrium ends at residual accelerations of 1e-9 m/s² at most.",
        )
        for word, expected, channel in (
            ("roll", -roll, "Vehicle.Euler_Roll"),
            ("pitch", pitch, "Vehicle.Pitch"),
        ):
            page.row(
                f"{mass:g} kg: size of {word}",
                expected=abs(math.degrees(expected)),
                measured=abs(math.degrees(sim.output(channel))),
                tolerance=(1e-3 + share) * abs(math.degrees(expected)),
                unit="deg",
                kind="independent package",
                source="scipy.linalg.solve of (3)",
                why="As above.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        names = list(drawn)
        at = np.arange(len(names))
        axes.bar(at - 0.2, [drawn[n][0] for n in names], 0.38, color="0.7", label="SciPy")
        axes.bar(at + 0.2, [drawn[n][1] for n in names], 0.38, label="jounce")
        axes.set_xticks(at, names, rotation=20)
        axes.set(ylabel="change of load per mass, N/kg")
        axes.legend()

    page.plot("What a mass behind on the left adds to the loads of the wheels.", draw, height=2.9)


@case("set-up", "A set-up to heights and cross weight", chapter=19.2)
def set_up(page: Page) -> None:
    """A car with a heavy driver on one side is set up, by its push-rods, to level ride heights and a cross weight. It
    then stands level, so that the loads of its four wheels follow from levers and the cross weight alone: four
    equations, four loads, solved here by NumPy."""
    import jounce

    load, place = 130.0, (-1.3, 0.37, 0.61)
    vehicle = jounce.load("compact").with_(**{
        "front_suspension.elements": None, "rear_suspension.elements": None,
        "body.added_masses": [{"name": "driver", "mass": load, "location": dict(zip("xyz", place, strict=True))}],
    })  # fmt: skip
    drawn = {}
    for cross in (0.485, 0.5, 0.53):
        from jounce.sim import car, statics

        heights = {"front_left_ride_height": 0.30, "front_right_ride_height": 0.30, "rear_ride_height": 0.305}
        changed = jounce.setup(vehicle, {**heights, "cross_weight": cross})
        description = car.describe(changed)
        sim = car.simulation(description)
        statics.settle(sim, description)
        found = {w: sim.output(f"{LOAD}.{w}") for w in ref.WHEELS}
        mass = changed.mass()
        at = {w: np.array([sim.output(f"Wheel.Global_{a}.{w}") for a in "XY"]) for w in ref.WHEELS}
        parts = [(changed.body.mass, (changed.body.cg.x, changed.body.cg.y)), (load, place[:2])]
        parts += [
            (changed.wheels(axle, side).unsprung_mass, changed.wheel_centre(axle, side)[:2])
            for axle in (1, 2)
            for side in ("L", "R")
        ]
        centre = sum(m * np.array(p, dtype=float) for m, p in parts) / sum(m for m, _ in parts)
        matrix = np.array([[1.0] * 4, [at[w][0] for w in ref.WHEELS], [at[w][1] for w in ref.WHEELS], [1.0, 0, 0, 1.0]])
        right = mass * GRAVITY * np.array([1.0, centre[0], centre[1], cross])
        expected = dict(zip(ref.WHEELS, np.linalg.solve(matrix, right), strict=True))
        drawn[cross] = expected, found
        for wheel in ref.WHEELS:
            page.row(
                f"cross weight {cross:g}: load of {wheel}",
                expected=float(expected[wheel]),
                measured=found[wheel],
                tolerance=1e-3 * mass * GRAVITY,
                unit="N",
                kind="closed form",
                source="levers and (4)",
                why="Contacts are not exactly below the wheel centres and the car pitches by some 0.1 deg: 1 mm "
                "of 1 m.",
            )
        page.row(
            f"cross weight {cross:g}: that of the car",
            expected=cross,
            measured=(found["L1"] + found["R2"]) / sum(found.values()),
            tolerance=1e-6,
            kind="closed form",
            source="what was asked for",
            why="The set-up promises 1e-6.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for i, wheel in enumerate(ref.WHEELS):
            axes.plot(list(drawn), [e[wheel] / 1e3 for e, _ in drawn.values()], color="0.4", lw=1.0)
            axes.plot(list(drawn), [f[wheel] / 1e3 for _, f in drawn.values()], "o", ms=5, color=f"C{i}", label=wheel)
        axes.set(xlabel="cross weight", ylabel="load, kN", title="lines: levers; dots: the car that was set up")
        axes.legend()

    page.plot("Loads of the wheels over the cross weight.", draw, height=2.9)
