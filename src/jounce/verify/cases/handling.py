"""Suspension: a car with linear springs and tires against the single-track car, and how it leans.

With stiff springs and no inertia of its wheels' spin, the car is the single-track car: lateral velocity v and yaw rate
r over the angle δ of the front wheels at the speed V, side forces that follow their slip angles over the relaxation
lengths σ [Pacejka2012],

    m (v̇ + V r) = F₁ + F₂,   I ṙ = a F₁ − b F₂                                                         (1)
    σ₁ Ḟ₁/V + F₁ = C₁ (δ − (v + a r)/V),   σ₂ Ḟ₂/V + F₂ = −C₂ (v − b r)/V

On its springs it leans. Guided straight up and down, springs and bar k_i in series with the tires k_t [Milliken1995],

    K_i = ½ t_i² (1/k_i + 1/k_t)⁻¹,   φ = H a_y/(K₁ + K₂ − g H),   H = m_s h + Σ m_u r                 (2)
    ΔF_i = 2 K_i φ/t_i,   the change of right less left load of an axle

Independent: the frequency response of (1) by `scipy.linalg.solve`; (2) by hand; energies of springs along their
tables by `scipy.integrate.quad` and `scipy.interpolate.CubicSpline`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.verify import reference_car as ref
from jounce.verify.book import Page, case

SPEED = 25.0
FREQUENCIES = (0.2, 0.5, 1.0, 1.7, 2.5)
OUTPUTS = {
    "yaw rate": "chassis_velocities.yaw",
    "lateral acceleration": "System_Mass_Center.Tracking_Ay",
    "roll": "Vehicle.Euler_Roll",
    **{f"load {wheel}": f"Tire.Ground_Surface_Force_Z.{wheel}" for wheel in ref.WHEELS},
}
UNITS = {"yaw rate": "1/s", "lateral acceleration": "m/s2/rad"}
STIFF = 1e4  # factor on springs and tires of the car that does not lean


@lru_cache
def linear(stiff: bool, trail: float = 0.0, **changes: Any) -> Any:
    """The exact linearisation of the running car, its tires with a pneumatic trail."""
    from jounce.sim import car

    numbers: dict[str, Any] = {f"{axle}_wheels__spin_inertia": 1e-5 for axle in ("front", "rear")}
    values = {"TRAIL": trail}
    if stiff:
        numbers |= {
            f"{axle}_suspension__spring__rate": STIFF * rate
            for axle, rate in (("front", ref.FRONT_RATE), ("rear", ref.REAR_RATE))
        }
        values |= {"VERTICAL_STIFFNESS": STIFF * ref.TIRE_RATE, "UNLOADED_RADIUS": ref.RADIUS}
    description = ref.description(ref.vehicle(**numbers, **changes), **values)
    sim = ref.rolling(ref.at_rest(description), SPEED)
    inputs = ("steering_wheel", "steering_wheel.rate")
    return car.lineariser(description, inputs, tuple(OUTPUTS.values())).at(sim)


def response(model: Any, name: str, frequency: float) -> complex:
    """Of an output to the angle of the hand wheel, its rate included."""
    angle, rate = model.response([frequency])[0][list(OUTPUTS).index(name)]
    return complex(angle + 2j * math.pi * frequency * rate)


def figures() -> tuple[float, float, float]:
    """Mass, distance of the centre of gravity behind the front axle, yaw moment of inertia, from the numbers."""
    parts = [(ref.SPRUNG, ref.CENTRE, 0.0, 1990.0)]
    for number, (x, track) in enumerate(((0.0, ref.FRONT_TRACK), (-ref.WHEELBASE, ref.REAR_TRACK))):
        parts += 2 * [(ref.UNSPRUNG[number], x, track / 2, 0.021 * ref.UNSPRUNG[number])]
    mass = sum(m for m, *_ in parts)
    centre = sum(m * x for m, x, *_ in parts) / mass
    return mass, -centre, sum(own + m * ((x - centre) ** 2 + y * y) for m, x, y, own in parts)


def single_track(speed: float) -> Any:
    """Matrices of (1): states v, r, F₁, F₂; input δ; outputs yaw rate, lateral acceleration."""
    mass, a, inertia = figures()
    b = ref.WHEELBASE - a
    (c1, c2), (s1, s2) = (tuple(2 * c for c in ref.CORNERING), ref.RELAXATION)
    matrix = np.array([
        [0.0, -speed, 1 / mass, 1 / mass],
        [0.0, 0.0, a / inertia, -b / inertia],
        [-c1 / s1, -c1 * a / s1, -speed / s1, 0.0],
        [-c2 / s2, c2 * b / s2, 0.0, -speed / s2],
    ])  # fmt: skip
    entry = np.array([[0.0], [0.0], [c1 * speed / s1], [0.0]])
    outputs = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1 / mass, 1 / mass]])
    return matrix, entry, outputs


def exact(speed: float, frequency: float) -> Any:
    """Yaw rate and lateral acceleration of (1) over the hand wheel angle, by SciPy."""
    from scipy.linalg import solve

    matrix, entry, outputs = single_track(speed)
    return ref.STEERING * (outputs @ solve(2j * np.pi * frequency * np.eye(4) - matrix, entry.astype(complex)))[:, 0]


@case("single-track", "A car that does not lean is the single-track car", chapter=20)
def single(page: Page) -> None:
    """A whole car with four wheels, on springs and tires ten thousand times as stiff, is linearised at 90 km/h. Its
    frequency response to the hand wheel is that of the single-track car with tires that follow late, by SciPy; so are
    its yaw rate gain and its characteristic speed."""
    model = linear(True)
    for row, name in enumerate(("yaw rate", "lateral acceleration")):
        for f in FREQUENCIES:
            value, found = complex(exact(SPEED, f)[row]), response(model, name, f)
            for word, part in (("gain", abs), ("phase", lambda z: math.degrees(math.atan2(z.imag, z.real)))):
                size = abs(value) if word == "gain" else math.degrees(1.0)  # an error across turns by so much
                page.row(
                    f"{name}, {word} at {f:g} Hz",
                    expected=part(value),
                    measured=part(found),
                    tolerance=3e-4 * size,
                    unit=UNITS[name] if word == "gain" else "deg",
                    kind="independent package",
                    source="scipy.linalg.solve of (1)",
                    why="The body on its stiff springs still swings, at some 150 Hz: (2.5 Hz/150 Hz)².",
                )
    mass, a, _ = figures()
    b, (c1, c2) = ref.WHEELBASE - a, (2 * c for c in ref.CORNERING)
    gradient = mass / ref.WHEELBASE * (b / c1 - a / c2)
    gain = SPEED * ref.STEERING / (ref.WHEELBASE + gradient * SPEED**2)
    page.row(
        "yaw rate gain of a steady turn",
        expected=gain,
        measured=response(model, "yaw rate", 1e-6).real,
        tolerance=1e-4 * gain,
        unit="1/s",
        kind="closed form",
        source="V/((L + K V²) i), K = m (b/C₁ − a/C₂)/L [Mitschke2014]",
        why="Springs and tires 1e4 times as stiff leave 1e-4 of the lean.",
    )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        dense = np.geomspace(0.1, 4.0, 80)
        for axes, row, name in ((left, 0, "yaw rate"), (right, 1, "lateral acceleration")):
            line = [abs(exact(SPEED, float(f))[row]) for f in dense]
            axes.semilogx(dense, line, color="0.4", lw=1.2, label="SciPy")
            axes.semilogx(FREQUENCIES, [abs(response(model, name, f)) for f in FREQUENCIES], "o", ms=4, label="jounce")
            axes.set(xlabel="frequency, Hz", ylabel=f"{name}\nper hand wheel angle, {UNITS[name]}")
        left.legend()

    page.plot("Gain over frequency of the single-track car (line) and of the car on four wheels (dots).", draw)


def leaning(bar: float) -> tuple[float, tuple[float, float]]:
    """Roll per lateral acceleration, and load transfer of both axles per lateral acceleration, by (2)."""
    rates = [
        ref.FRONT_RATE * ref.FRONT_RATIO**2 + 2 * bar * ref.BAR_RATIO**2,
        ref.REAR_RATE * ref.REAR_RATIO**2,
    ]
    tracks = (ref.FRONT_TRACK, ref.REAR_TRACK)
    stiffness = [t * t / 2 / (1 / k + 1 / ref.TIRE_RATE) for k, t in zip(rates, tracks, strict=True)]
    lever = ref.SPRUNG * ref.HEIGHT + 2 * sum(ref.UNSPRUNG) * ref.RADIUS
    roll = lever / (sum(stiffness) - lever * GRAVITY)
    first, second = (2 * k * roll / t for k, t in zip(stiffness, tracks, strict=True))
    return roll, (first, second)


@case("load-transfer", "How a car leans in a turn, and what its wheels carry", chapter=20.1)
def transfer(page: Page) -> None:
    """The car on its springs in a steady turn at 90 km/h, with three stiffnesses of the bar in front: roll angle and
    load transfer of both axles per lateral acceleration, against springs and tires in series by hand."""
    bars, found = (0.5 * ref.BAR, ref.BAR, 2.0 * ref.BAR), []
    for bar in bars:
        model = linear(False, front_suspension__anti_roll_bar__stiffness=bar)
        ay = response(model, "lateral acceleration", 1e-4).real
        roll = response(model, "roll", 1e-4).real / ay
        loads = {w: response(model, f"load {w}", 1e-4).real / ay for w in ref.WHEELS}
        measured = (loads["R1"] - loads["L1"], loads["R2"] - loads["L2"])
        expected_roll, expected = leaning(bar)
        found.append((expected, measured))
        why = (
            "Linear for linear: what (2) lacks are moments of spinning wheels, of inertia 1e-5 kg m² here, and of a "
            "turn of 1e-4 Hz, 1e-6 or less."
        )
        page.row(
            f"bar of {bar:g} N m/rad: roll per lateral acceleration",
            expected=math.degrees(expected_roll * GRAVITY),
            measured=math.degrees(roll * GRAVITY),
            tolerance=1e-5 * math.degrees(expected_roll * GRAVITY),
            unit="deg/g",
            kind="closed form",
            source="(2) [Milliken1995]",
            why=why,
        )
        for word, a, b in zip(("front", "rear"), expected, measured, strict=True):
            page.row(
                f"bar of {bar:g} N m/rad: load transfer, {word}",
                expected=a * GRAVITY,
                measured=b * GRAVITY,
                tolerance=1e-5 * a * GRAVITY,
                unit="N/g",
                kind="closed form",
                source="(2) [Milliken1995]",
                why=why,
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for i, word in enumerate(("front", "rear")):
            axes.plot(bars, [e[i] * GRAVITY for e, _ in found], lw=1.0, color="0.4")
            axes.plot(bars, [m[i] * GRAVITY for _, m in found], "o", ms=5, label=word)
        axes.set(xlabel="stiffness of the bar, N m/rad", ylabel="load transfer, N/g", title="lines: by hand; dots: car")
        axes.legend()

    page.plot("Load transfer of both axles over the stiffness of the front bar.", draw, height=2.9)


@case("virtual-work", "Forces at the wheel: virtual work", chapter=20.2)
def virtual_work(page: Page) -> None:
    """How far a spring of a real suspension shortens over the travel of its wheel is a table. The force at the wheel
    does the work that the spring stores: for wheels of a library car at many travels it is the derivative of the
    energy that SciPy integrates from the spring's force, along the shortening that SciPy interpolates."""
    from scipy.integrate import quad
    from scipy.interpolate import CubicSpline

    import jounce
    from jounce.sim import car

    vehicle = jounce.load("sedan").with_(**{
        f"{axle}_suspension.{part}": None for axle in ("front", "rear")
        for part in ("elements", "compliance", "anti_roll_bar", "bump_stop", "rebound_stop")
    })  # fmt: skip
    sim = car.simulation(car.describe(vehicle))
    travels = np.linspace(-0.05, 0.05, 9)
    curves: dict[str, list[tuple[float, float]]] = {}
    for axle, wheel in ((1, "L1"), (2, "R2")):
        spring = vehicle.suspension(axle).spring
        assert spring is not None and spring.rate is not None and spring.preload is not None
        shortening = CubicSpline(spring.ratio.x, spring.ratio.y)

        def energy(j: float, spring: Any = spring, shortening: Any = shortening) -> float:
            work, _ = quad(lambda x: spring.preload + spring.rate * x, 0.0, float(shortening(j)), epsabs=1e-11)
            return float(work)

        for j in travels:
            sim.set_states({f"{wheel}.jounce": float(j)})
            measured = sim.output(f"Spring.Aggregate_Force_At_Wheel.{wheel}")
            h = 1e-4
            expected = (energy(j - 2 * h) - 8 * energy(j - h) + 8 * energy(j + h) - energy(j + 2 * h)) / (12 * h)
            curves.setdefault(wheel, []).append((expected, measured))
            page.row(
                f"{wheel}: force of the spring at the wheel at {1e3 * j:g} mm",
                expected=expected,
                measured=measured,
                tolerance=1e-8 * abs(expected),
                unit="N",
                kind="independent package",
                source="scipy.integrate.quad, scipy.interpolate.CubicSpline",
                why="Rounding of an energy of some 100 J, divided by 0.1 mm: 1e-9 N; fourth order leaves less.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for wheel, pairs in curves.items():
            axes.plot(1e3 * travels, [a / 1e3 for a, _ in pairs], color="0.4", lw=1.0)
            axes.plot(1e3 * travels, [b / 1e3 for _, b in pairs], "o", ms=4, label=wheel)
        axes.set(xlabel="wheel travel, mm", ylabel="force at the wheel, kN", title="line: SciPy; dots: jounce")
        axes.legend()

    page.plot("Force of the springs at the wheels.", draw, height=2.9)
