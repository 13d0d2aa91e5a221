"""Combinations: a trailer that sways, a trailer that follows, a solid axle.

A car and a trailer on linear tires, their coordinates q: y of the car's centre of gravity, its heading ψ, the
articulation Γ. A point of the lateral coordinate y_i(q) and the heading ψ_i(q) has w = ∂y/∂q and n = ∂ψ/∂q. With the
deflection e_i of the tires of an axle, which follow over the relaxation length σ [Pacejka2012],

    M q̈ = Σ w_i k_i e_i,   ė_i = −(w_i·q̇ − V n_i·q) − V e_i/σ_i,   k_i = 2 C_i/σ_i,   M = Σ m w wᵀ + J n nᵀ   (1)

A trailer coupled above the rear axle, its own axle l behind, with wheels that roll at low speed, has [Althoff2017]

    ψ̇ = (v/L) tan δ,   Γ̇ = −v (sin Γ/l + tan δ/L)                                                     (2)

A beam of the mass M and inertia I with both wheels, between springs k_s at the distance t_s and tires k_t at t, under a
body that stays where it is, has the modes hop and tramp [Milliken1995]

    ω_h² = 2 (k_s + k_t)/M,   ω_t² = ½ (k_s t_s² + k_t t²)/I                                           (3)

Independent: eigenvalues of (1) by `scipy.linalg.eigvals`; (2) by the package commonroad-vehicle-models,
`vehicle_dynamics_kst`, and `scipy.integrate.solve_ivp`; (3) by hand.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case
from jounce.verify.cases.handling import STIFF, figures

SPEEDS = (15.0, 22.0, 30.0, 38.0)
PACKAGE = "commonroad-vehicle-models, vehicle_dynamics_kst [Althoff2017]"


def _stiff() -> dict[str, float]:
    rates = {
        "front_suspension": ref.FRONT_RATE, "rear_suspension": ref.REAR_RATE, "trailers[0]__axles[0]__suspension": 52e3,
    }  # fmt: skip
    found = {f"{place}__spring__rate": STIFF * rate for place, rate in rates.items()}
    wheels = ("front_wheels", "rear_wheels", "trailers[0]__axles[0]__wheels")
    return found | {f"{place}__spin_inertia": 1e-5 for place in wheels}


def _described(ball: float, **changes: Any) -> Any:
    from jounce.sim import car

    values = {"VERTICAL_STIFFNESS": STIFF * ref.TIRE_RATE, "UNLOADED_RADIUS": ref.RADIUS}
    return car.describe(ref.train(ball, **changes), ref.train_tires(**values), ground="inclined")


def three_freedoms(speed: float) -> Any:
    """Eigenvalues of (1) by SciPy."""
    from scipy.linalg import eigvals

    m_1, a, i_1 = figures()
    centre, ball = -a, ref.BALL
    parts = [(ref.TOWED_MASS, ref.TOWED_CENTRE, 0.0, ref.TOWED_YAW)]
    parts += 2 * [(ref.TOWED_WHEEL, ref.TOWED_AXLE, 1.57 / 2, 0.7)]
    m_2 = sum(m for m, *_ in parts)
    behind = sum(m * x for m, x, *_ in parts) / m_2
    i_2 = sum(own + m * ((x - behind) ** 2 + y * y) for m, x, y, own in parts)

    def towed(x: float) -> Any:
        """Of a point x ahead of the ball."""
        return np.array([1.0, ball + x - centre, x])

    only, both = np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 1.0])
    mass = np.diag([m_1, i_1, 0.0]) + m_2 * np.outer(towed(behind), towed(behind)) + i_2 * np.outer(both, both)
    inverse = np.linalg.inv(mass)
    axles = [
        (np.array([1.0, -centre, 0.0]), only, ref.CORNERING[0], ref.RELAXATION[0]),
        (np.array([1.0, -ref.WHEELBASE - centre, 0.0]), only, ref.CORNERING[1], ref.RELAXATION[1]),
        (towed(ref.TOWED_AXLE), both, ref.TOWED_CORNERING, ref.TOWED_RELAXATION),
    ]
    matrix = np.zeros((9, 9))
    matrix[:3, 3:6] = np.eye(3)
    for n, (w, turn, stiffness, relaxation) in enumerate(axles):
        matrix[3:6, 6 + n] = inverse @ w * 2 * stiffness / relaxation
        matrix[6 + n, 3:6] = -w
        matrix[6 + n, :3] = speed * turn
        matrix[6 + n, 6 + n] = -speed / relaxation
    return eigvals(matrix)


def _slow(values: Any) -> list[complex]:
    """Swings of the bodies, and the slow answers that do not swing, by their size."""
    return sorted((complex(z) for z in values if z.imag > 0.5 and abs(z) < 25.0), key=abs)


def _frequency(z: complex) -> float:
    return abs(z) / (2 * math.pi)


def _damping(z: complex) -> float:
    return -z.real / abs(z)


@case("trailer-sway", "A car with a trailer: its modes over the speed", chapter=28)
def sway(page: Page) -> None:
    """A car and a trailer, each on four and two wheels, on stiff springs, are linearised at four speeds. Frequency and
    damping of the swings of both against each other are those of three freedoms: the trailer is damped less the faster
    it is."""
    from jounce.sim import car
    from jounce.sim.steady import run_steadily

    description = _described(ref.BALL, **_stiff())
    drawn: list[tuple[float, complex, complex]] = []
    for speed in SPEEDS:
        sim = ref.at_rest(description)
        run_steadily(sim, description, speed)
        found = car.lineariser(description).at(sim).eigenvalues()
        for number, expected in enumerate(_slow(three_freedoms(speed)), 1):
            nearest = complex(found[np.argmin(np.abs(found - expected))])
            drawn.append((speed, expected, nearest))
            for word, part in (("frequency", _frequency), ("damping ratio", _damping)):
                page.row(
                    f"{speed:g} m/s: {word} of swing {number}",
                    expected=part(expected),
                    measured=part(nearest),
                    tolerance=2e-4 * (part(expected) if word == "frequency" else 1.0),
                    unit="Hz" if word == "frequency" else "-",
                    kind="independent package",
                    source="scipy.linalg.eigvals of (1)",
                    why="Springs and tires 1e4 times as stiff; the ball is above the ground, so that the "
                    "trailer leans: some 1e-4.",
                )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        speeds = np.linspace(12.0, 45.0, 60)
        for v in speeds:
            for z in _slow(three_freedoms(float(v))):
                left.plot(v, abs(z) / (2 * math.pi), ".", ms=2, color="0.6")
                right.plot(v, -z.real / abs(z), ".", ms=2, color="0.6")
        for v, _, z in drawn:
            left.plot(v, abs(z) / (2 * math.pi), "o", ms=5, color="C0")
            right.plot(v, -z.real / abs(z), "o", ms=5, color="C0")
        left.set(xlabel="speed, m/s", ylabel="natural frequency, Hz", title="grey: three freedoms; dots: jounce")
        right.set(xlabel="speed, m/s", ylabel="damping ratio")

    page.plot("Swings of car and trailer over the speed.", draw)


@case(
    "trailer-follows",
    "A trailer that follows at low speed",
    chapter=28.1,
    needs={"vehiclemodels": "commonroad-vehicle-models"},
)
def follows(page: Page) -> None:
    """The trailer is coupled above the rear axle and the train rolls at 1.5 m/s into a turn to the left and to the
    right. The articulation over time is that of the kinematic car with a trailer of another package."""
    from types import SimpleNamespace

    from scipy.integrate import solve_ivp
    from vehiclemodels.parameters_vehicle4 import parameters_vehicle4
    from vehiclemodels.vehicle_dynamics_kst import vehicle_dynamics_kst

    from jounce.runtime.program import Open, Phase, Program, Ramp
    from jounce.sim import car

    p = parameters_vehicle4()
    p.a, p.b = 0.0, ref.WHEELBASE
    p.trailer = SimpleNamespace(l_wb=-ref.TOWED_AXLE)
    description = car.describe(ref.train(-ref.WHEELBASE), ref.train_tires(), ground="inclined")
    resting = ref.at_rest(description).snapshot()
    speed, runs = 1.5, []
    for word, degrees in (("left", 70.0), ("right", -100.0)):
        sim = car.simulation(description)
        sim.restore(resting)
        ref.rolling(sim, speed)
        angle, duration = math.radians(degrees), 4.0
        turn = Open("steering_wheel", Ramp(angle, duration, start=0.0))
        run = sim.run(program=Program(Phase("steer", [turn], duration=24.0)), interval=0.05)
        measured = run[next(name for name in run.names if "Articulation.yaw" in name and "rate" not in name)]

        def rates(t: float, x: Any, angle: float = angle, duration: float = duration) -> Any:
            given = x.copy()
            given[2] = ref.STEERING * angle * min(t / duration, 1.0)
            return vehicle_dynamics_kst(list(given), [0.0, 0.0], p)

        exact = solve_ivp(rates, (0.0, 24.0), [0, 0, 0, speed, 0, 0], t_eval=run.time, rtol=1e-9, atol=1e-11).y[5]
        runs.append((run.time, measured, exact))
        exact = exact if np.abs(exact + measured).max() > np.abs(exact - measured).max() else -exact
        for at in (2.0, 6.0, 24.0):
            expected, found = (float(np.interp(at, run.time, values)) for values in (exact, measured))
            page.row(
                f"to the {word}: articulation after {at:g} s",
                expected=math.degrees(expected),
                measured=math.degrees(found),
                tolerance=math.degrees(0.01 * np.abs(exact).max()),
                unit="deg",
                kind="independent package",
                source=PACKAGE,
                why="Tires slip: K v²/L = 2e-3 of the curvature, the trailer's as much; parallel wheels, (t/L)² tan²δ: "
                "4e-3.",
            )
        page.row(
            f"to the {word}: angle of the steady turn",
            expected=math.degrees(math.asin(ref.TOWED_AXLE / ref.WHEELBASE * math.tan(ref.STEERING * angle))),
            measured=math.degrees(float(measured[-1])),
            tolerance=math.degrees(0.01 * np.abs(exact).max()),
            unit="deg",
            kind="closed form",
            source="(2) at rest: sin Γ = −(l/L) tan δ",
            why="As above.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for t, measured, exact in runs:
            axes.plot(t, np.degrees(exact), color="0.4", lw=1.0)
            axes.plot(t[::24], np.degrees(measured[::24]), "o", ms=4)
        axes.set(xlabel="time, s", ylabel="articulation, deg", title="lines: the other package; dots: jounce")

    page.plot("A trailer follows into a turn to either side.", draw, height=2.7)


@lru_cache
def _beam(spring_track: float) -> Any:
    """Frequencies of the linearised car with a solid rear axle under a body that stays where it is."""
    from jounce.sim import car

    raw = {
        "mass": BEAM, "ixx": BEAM_ROLL, "iyy": 2.1, "izz": BEAM_ROLL, "spring_track": spring_track,
        "damper_track": spring_track,
    }  # fmt: skip
    heavy = {"body__mass": 1e7, "system__gravity": 1e-4}
    heavy |= {f"body__inertia__{name}": 1e7 for name in ("ixx", "iyy", "izz")}
    undamped = {f"{axle}_suspension__dampers[0]__scale": 0.0 for axle in ("front", "rear")}
    numbers: dict[str, Any] = heavy | undamped | {"rear_suspension__solid": raw, "rear_suspension__compliance": None}
    description = ref.description(ref.vehicle(**numbers), CALPHA=1.0, CSLIP=1.0)
    sim = ref.at_rest(description)
    ref.rolling(sim, 20.0)
    model = car.lineariser(description).at(sim)
    part = [n for n in model.states if n.startswith(("L2.jounce", "R2.jounce"))]
    return np.abs(np.linalg.eigvals(model.part(part)).imag) / (2 * math.pi)


BEAM, BEAM_ROLL = 57.0, 9.3  # kg, kg.m2


@case("solid-axle", "A solid axle: hop and tramp", chapter=28.2)
def solid(page: Page) -> None:
    """The rear wheels on a beam, its springs at three distances, under a body of ten thousand tons. The frequencies of
    both its modes: hop, which does not see where the springs are, and tramp, which does."""
    k = ref.REAR_RATE * ref.REAR_RATIO**2
    wheel, t = ref.UNSPRUNG[1], ref.REAR_TRACK
    mass, roll = BEAM + 2 * wheel, BEAM_ROLL + 2 * (wheel * t * t / 4 + 0.021 * wheel)
    drawn = []
    for spring_track in (0.7, 1.0, 1.3):
        hop = math.sqrt(2 * (k + ref.TIRE_RATE) / mass) / (2 * math.pi)
        tramp = math.sqrt((k * spring_track**2 + ref.TIRE_RATE * t * t) / (2 * roll)) / (2 * math.pi)
        found = _beam(spring_track)
        values = []
        for word, expected in (("hop", hop), ("tramp", tramp)):
            measured = float(found[np.argmin(np.abs(found - expected))])
            values.append(measured)
            page.row(
                f"springs {spring_track:g} m apart: {word}",
                expected=expected,
                measured=measured,
                tolerance=1e-3 * expected,
                unit="Hz",
                kind="closed form",
                source="(3) [Milliken1995]",
                why="Wheels lean with the beam: 2 F r/(½ k_t t²) = 5e-4 with the 200 N that tires carry.",
            )
        drawn.append((spring_track, (hop, tramp), values))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for i, word in enumerate(("hop", "tramp")):
            axes.plot([s for s, _, _ in drawn], [e[i] for _, e, _ in drawn], color="0.4", lw=1.0)
            axes.plot([s for s, _, _ in drawn], [v[i] for _, _, v in drawn], "o", ms=5, label=word)
        axes.set(xlabel="distance of the springs, m", ylabel="frequency, Hz")
        axes.legend()

    page.plot("Modes of a solid axle.", draw, height=2.5)
