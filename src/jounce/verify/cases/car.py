"""The whole car: the laws of Newton and Euler from outside, a free flight, another integrator.

Whatever happens inside a car (guided wheels, compliance, gearbox, steering), its centre of mass obeys

    M a = Σ F_tire + M g,        without contact with the ground:  a = g,  x(t) = x₀ + v₀ t + g t²/2             (1)

and at rest on a level road, with the forces F_i and moments M_i of the tires at the hubs, r_i from the centre of mass,

    Σ F_i + M g = 0,    Σ (r_i × F_i + M_i) = 0                                                          (2)

The model forms Kane's equations of some forty coordinates and speeds; no line of it says (1) or (2). The mass is the
sum of what the files of the car say.

Independent: `scipy.integrate.solve_ivp`, DOP853 at a relative tolerance of 1e-10, on the compiled derivatives, against
the fixed-step method that drives cars.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jounce.verify.book import Page, case

CENTRE = "System_Mass_Center.Global_"
# a driver on the left, a load at the right behind: nothing is symmetric
UNEVEN = {
    "aero": None,
    "body.added_masses[0].location.y": 0.36,
    "body.added_masses[1].mass": 70.0,
    "body.added_masses[1].location.y": -0.21,
}


def _sedan() -> Any:
    import jounce

    return jounce.load("sedan").with_(**UNEVEN)


def _mass(vehicle: Any) -> float:
    """Sum of what the files say."""
    total = vehicle.body.mass + sum(item.mass for item in vehicle.body.added_masses)
    return float(total + sum(2 * wheels.unsprung_mass for wheels in (vehicle.front_wheels, vehicle.rear_wheels)))


@case("car-newton", "A car in a step steer and at rest: the laws of Newton and Euler", chapter=18)
def newton(page: Page) -> None:
    """A sedan that is loaded on one side, with driveline, compliance and power steering, is driven through a step steer
    at 80 km/h to both sides. Mass times acceleration of its centre of mass is the sum of the tire forces and its
    weight, at every instant; at rest loads and moments balance."""
    import jounce

    vehicle = _sedan()
    mass, gravity = _mass(vehicle), vehicle.system.gravity
    wheels = list(vehicle.layout.wheels)
    runs = {}
    for side, angle in (("left", "60 deg"), ("right", "-60 deg")):
        run = runs[side] = jounce.run(vehicle, jounce.events.StepSteer(speed="80 km/h", amplitude=angle))
        for axis in "XYZ":
            force = sum(run[f"Tire.Hub_Carrier_Force_Global_{axis}.{wheel}"] for wheel in wheels)
            weight = mass * gravity if axis == "Z" else 0.0
            residual = mass * run[f"{CENTRE}A{axis.lower()}"] + weight - force
            page.row(
                f"step steer to the {side}: largest M a - Σ F along {axis.lower()}",
                expected=0.0,
                measured=float(np.abs(residual).max()),
                tolerance=1e-8,
                unit="N",
                kind="conservation",
                source="Newton's second law, equation (1)",
                why="Rounding: forces of 1e4 N after some ten thousand operations.",
            )
    from jounce.sim import car, statics

    description = car.describe(vehicle)
    sim = car.simulation(description)
    sim.set_inputs({"neutral": 1.0, "brake": 1.0})  # an engine that idles would push
    statics.settle(sim, description)
    found = {v.name: float(x) for v, x in zip(sim.model.outputs, sim.outputs(), strict=True)}
    loads = {w: found[f"Tire.Ground_Surface_Force_Z.{w}"] for w in wheels}
    page.row(
        "at rest: sum of the wheel loads",
        expected=mass * gravity,
        measured=sum(loads.values()),
        tolerance=1e-6,
        unit="N",
        kind="closed form",
        source="equation (2)",
        why="The search of the equilibrium ends at residual accelerations of 1e-9 m/s² at most.",
    )
    total = np.zeros(3)
    for w in wheels:
        arm = np.array([found[f"Wheel.Global_{a}.{w}"] - found[f"{CENTRE}{a}"] for a in "XYZ"])
        force, moment = (
            np.array([found[f"Tire.Hub_Carrier_{kind}_Global_{a}.{w}"] for a in "XYZ"]) for kind in ("Force", "Moment")
        )
        total += np.cross(arm, force) + moment
    for axis, measured in zip("xyz", total, strict=True):
        page.row(
            f"at rest: moment of all tires about {axis} through the centre of mass",
            expected=0.0,
            measured=float(measured),
            tolerance=1e-6,
            unit="N.m",
            kind="conservation",
            source="Euler's law, equation (2)",
            why="Residual accelerations of 1e-11 rad/s² times moments of inertia, and rounding of 1e4 N at 3 m.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for side, run in runs.items():
            force = sum(run[f"Tire.Hub_Carrier_Force_Global_Y.{wheel}"] for wheel in wheels)
            axes.plot(run.time, force / 1e3, lw=1.0, color="0.4")
            axes.plot(run.time[::15], mass * run[f"{CENTRE}Ay"][::15] / 1e3, ".", ms=4, label=f"to the {side}")
        axes.set(
            xlabel="time, s", ylabel="along world y, kN", title="lines: tire forces; dots: mass times acceleration"
        )
        axes.legend()

    page.plot("Newton's law in a step steer.", draw, height=2.9)


@case("car-flight", "A car thrown through the air", chapter=18.1)
def flight(page: Page) -> None:
    """The same car is thrown with a forward, lateral and vertical speed while it yaws, rolls and pitches. Its springs
    push the wheels out and its engine idles, but its centre of mass falls like a stone: the acceleration is g to
    rounding at every instant, and the path is the parabola up to the error of the method, which falls with the square
    of the step."""
    from jounce.sim import car, statics

    vehicle = _sedan()
    gravity = vehicle.system.gravity
    description = car.describe(vehicle)
    sim = car.simulation(description)
    sim.set_inputs({"neutral": 1.0})
    statics.settle(sim, description)
    rest = sim.snapshot()
    errors, tracks, worst = [], None, 0.0
    for step in (1e-3, 5e-4):
        sim.restore(rest)
        sim.set_method("AB-2", step)
        height = sim.state("chassis.z") + 3.0
        thrown = {"z": height, "vx": 21.0, "vy": -2.0, "vz": 1.5, "wx": 0.7, "wy": -0.4, "wz": 1.1}
        sim.set_states({f"chassis.{name}": value for name, value in thrown.items()})
        place, speed = (
            np.array([sim.output(f"{CENTRE}{kind}{axis}") for axis in names])
            for kind, names in (("", "XYZ"), ("V", "xyz"))
        )
        sim.restart(0.0)
        run = sim.run(0.5, interval=0.01)
        t = run.time[:, None]
        exact = place + speed * t + np.array([0.0, 0.0, -gravity]) * t * t / 2
        path = np.array([run[f"{CENTRE}{axis}"] for axis in "XYZ"]).T
        errors.append(np.abs(path - exact).max(axis=0))
        tracks = run.time, path, exact
        accelerations = np.array([run[f"{CENTRE}A{axis}"] for axis in "xyz"]).T + np.array([0.0, 0.0, gravity])
        worst = max(worst, float(np.abs(accelerations).max()))
    page.row(
        "acceleration of the centre of mass less g, largest component",
        expected=0.0,
        measured=worst,
        tolerance=1e-11,
        unit="m/s2",
        kind="conservation",
        source="Newton's second law, equation (1)",
        why="Rounding: accelerations of wheels up to some 100 m/s².",
    )
    for axis, coarse, fine in zip("xyz", *errors, strict=True):
        if axis != "x":  # where the error is all rounding and higher order
            page.row(
                f"path against the parabola after 0.5 s: error along {axis} at 1 ms over that at 0.5 ms",
                expected=4.0,
                measured=float(coarse / fine),
                tolerance=1.0,
                kind="order",
                source="equation (1); AB-2 is of second order",
                why="The ratio is 2² but for terms of third order, a quarter of it at these steps.",
            )
        page.row(
            f"largest distance from the parabola along {axis} at 0.5 ms",
            expected=0.0,
            measured=float(fine),
            # 5/12 (h ω)² of the travel of the wheels, 0.1 m, at the frequency of wheel hop, 80 rad/s, times their share
            # of the mass, a tenth
            tolerance=5 / 12 * (5e-4 * 80) ** 2 * 0.1 * 0.1,
            unit="m",
            kind="closed form",
            source="equation (1)",
            why="Error of the method on the motion of the wheels, times their share of the mass.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        assert tracks is not None
        t, path, exact = tracks
        axes.plot(exact[:, 0], exact[:, 2], color="0.4", lw=1.0, label="parabola")
        axes.plot(path[::3, 0], path[::3, 2], ".", ms=4, label="centre of mass")
        axes.set(xlabel="x, m", ylabel="height, m", title=f"{t[-1]:.1f} s of flight")
        axes.legend()

    page.plot("The centre of mass on its parabola.", draw, height=2.6)


PLAIN = {
    "aero": None,
    "driveline": None,
    "drive": "rear",
    "steering.rack_pinion": None,
    "brakes.abs": None,
    **{f"{axle}_suspension.{part}": None for axle in ("front", "rear") for part in ("compliance", "elements")},
}
SIGNALS = {
    "chassis_velocities.yaw": "rad/s",
    "System_Mass_Center.Tracking_Ay": "m/s2",
    "Vehicle.Euler_Roll": "rad",
    "Suspension.Jounce.L1": "m",
    "Tire.Ground_Surface_Force_Y.R2": "N",
    "Tire.Ground_Surface_Force_Z.L1": "N",
}


@case("car-integrator", "A car in a step steer against an integrator of SciPy", chapter=18.2)
def integrator(page: Page) -> None:
    """The method that drives cars, second order at a fixed step of 1 ms, against DOP853 at a relative tolerance of
    1e-10 on the same derivatives: a sedan at 90 km/h without dry friction, whose hand wheel follows a smooth ramp to
    the left and to the right."""
    from scipy.integrate import solve_ivp

    import jounce
    from jounce.runtime.program import Open, Phase, Program, Ramp
    from jounce.sim import car, statics

    vehicle = jounce.load("sedan").with_(**PLAIN)
    description = car.describe(vehicle)
    sim = car.simulation(description)
    statics.settle(sim, description)
    speed = 90 / 3.6
    sim.set_states({"chassis.vx": speed})
    spins = {w: speed / sim.output(f"Tire.Effective_Rolling_Radius.{w}") for w in vehicle.layout.wheels}
    sim.set_states({f"{w}.wheel.spin": spin for w, spin in spins.items()})
    sim.run(1.0)  # what the start stirred up is over
    sim.restart(1.0)
    begun = sim.snapshot()
    index = {v.name: i for i, v in enumerate(sim.model.inputs)}
    names = [v.name for v in sim.model.outputs]
    duration, drawn = 0.25, {}
    for side, angle in (("left", 0.55), ("right", -0.7)):
        sim.set_program(None)
        sim.restore(begun)
        memory, held, times = sim.m.copy(), sim.u.copy(), np.linspace(1.0, 3.0, 201)

        def inputs(t: float, angle: float = angle, held: Any = held) -> Any:
            s = min(max((t - 1.0) / duration, 0.0), 1.0)
            u = held.copy()
            u[index["steering_wheel"]] = angle * s**3 * (10 - 15 * s + 6 * s * s)
            u[index["steering_wheel.rate"]] = angle * 30 * s * s * (1 - s) ** 2 / duration
            return u

        def rhs(t: float, x: Any, memory: Any = memory, inputs: Any = inputs) -> Any:
            return sim.derivatives(x=x, m=memory, u=inputs(t), t=t)[0]

        found = solve_ivp(rhs, (1.0, 3.0), sim.x.copy(), "DOP853", t_eval=times, rtol=1e-10, atol=1e-10)
        rows = np.array([
            sim.outputs(x=x, m=memory, u=inputs(t), t=t) for t, x in zip(found.t, found.y.T, strict=True)
        ])  # fmt: skip
        turn = Open("steering_wheel", Ramp(angle, duration, start=0.0, smooth=True))
        run = sim.run(program=Program(Phase("steer", [turn], duration=2.0)), interval=0.01)
        drawn[side] = run, rows[:, names.index("System_Mass_Center.Tracking_Ay")]
        for name, unit in SIGNALS.items():
            exact = rows[:, names.index(name)]
            page.row(
                f"{name}, to the {side}: largest difference over 2 s",
                expected=0.0,
                measured=float(np.abs(run[name] - exact).max()),
                # second order: 5/12 (h ω)² of what a ramp of 0.25 s excites, ω = 2π/0.25 s
                tolerance=5 / 12 * (1e-3 * 2 * np.pi / duration) ** 2 * float(np.abs(exact).max()),
                unit=unit,
                kind="independent package",
                source="scipy.integrate.solve_ivp, DOP853, rtol 1e-10",
                why="Error of a method of second order at 1 ms on what a ramp of 0.25 s excites.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for side, (run, exact) in drawn.items():
            axes.plot(run.time - 1.0, exact, lw=1.0, color="0.4")
            axes.plot(
                run.time[::6] - 1.0, run["System_Mass_Center.Tracking_Ay"][::6], ".", ms=4, label=f"to the {side}"
            )
        axes.set(xlabel="time, s", ylabel="lateral acceleration, m/s²", title="lines: DOP853; dots: AB-2 at 1 ms")
        axes.legend()

    page.plot("Lateral acceleration of both.", draw, height=2.9)
