"""Events: courses, cycles and inputs as the standards print them.

ISO 3888 gives lengths of the sections and widths of the lanes by the width b of the vehicle:

    part 1:  15, 30, 25, 25, 15, 15 m;  1.1 b + 0.25, 1.2 b + 0.25, 1.3 b + 0.25 m;  offset 3.5 m       (1)
    part 2:  12, 13.5, 11, 12.5, 12 m;  1.1 b + 0.25, b + 1, max(1.3 b + 0.25, 3) m                      (2)

The sine with dwell of FMVSS 126 is one period of 0.7 Hz that rests for 0.5 s after three quarters of it:

    δ(t) = A sin 2πft  for t < 3/(4f);   −A for 0.5 s;   then on to the end at 1/f + 0.5 s               (3)

Drive cycles have the lengths and durations that regulations print.

Independent: the printed numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.verify.book import Page, case

CONE_BASE = 0.15  # m, half of the plate on which a cone stands


@case("courses", "Lanes of ISO 3888", chapter=27)
def courses(page: Page) -> None:
    """Where the cones of both lane changes stand, for two widths of vehicles: places along the course and clear widths
    of the lanes against the numbers of the standard."""
    from jounce.road.courses import iso_3888_1, iso_3888_2

    drawn = []
    for name, made, lengths, widths, offset in (
        ("ISO 3888-1", iso_3888_1, (15, 30, 25, 25, 30), (1.1, 0.25, 1.2, 0.25, 1.3, 0.25, 0.0), 3.5),
        ("ISO 3888-2", iso_3888_2, (12, 13.5, 11, 12.5, 12), (1.1, 0.25, 1.0, 1.0, 1.3, 0.25, 3.0), None),
    ):  # fmt: skip
        for width in (1.62, 2.03):
            gates = made(width).gates
            ends = np.cumsum((0, *lengths))
            clearances = [a * width + b for a, b in zip(widths[:-1:2], widths[1::2], strict=True)]
            clearances[2] = max(clearances[2], widths[-1])
            for lane, expected in enumerate(clearances):
                first, last = (float(gates[0, 0] + ends[2 * lane + end]) for end in (0, 1))
                inside = gates[(gates[:, 0] > first - 1e-6) & (gates[:, 0] < last + 1e-6)]
                clear = inside[:, 1] - inside[:, 2] - 2 * CONE_BASE
                where = f"{name}, vehicle of {width:g} m, lane {lane + 1}"
                for word, value, measured in (
                    ("begins", first, inside[0, 0]),
                    ("ends", last, inside[-1, 0]),
                    ("clear width", expected, clear.mean() + np.ptp(clear)),
                ):
                    page.row(
                        f"{where}: {word}",
                        expected=float(value),
                        measured=float(measured),
                        tolerance=1e-9,
                        unit="m",
                        kind="published",
                        source=f"({name[-1]}), {name}",
                        why="Rounding.",
                    )
            if offset is not None:
                # from the left border of the first lane to the right border of the second
                sides = gates[:, 2] + CONE_BASE
                page.row(
                    f"{name}, vehicle of {width:g} m: offset of the second lane",
                    expected=offset,
                    measured=float(sides[3] - sides[0]),
                    tolerance=1e-9,
                    unit="m",
                    kind="published",
                    source="(1), ISO 3888-1",
                    why="Rounding.",
                )
        drawn.append((name, gates))

    def draw(figure: Any) -> None:
        for axes, (name, gates) in zip(figure.subplots(1, 2), drawn, strict=True):
            for column in (1, 2):
                axes.plot(gates[:, 0], gates[:, column], "^", ms=4, color="C1")
            axes.set(xlabel="x, m", ylabel="y, m", title=name, ylim=(-4.0, 8.0))

    page.plot("Cones for a vehicle of 2.03 m.", draw, height=2.4)


@case("dwell", "The sine with dwell", chapter=27.2)
def dwell(page: Page) -> None:
    """The hand wheel of the sine with dwell, to both sides, as the compiled loop follows it at every millisecond,
    against the definition of the rule, and how long it takes."""
    from jounce.runtime.program import Open, Phase, Program, Sine
    from jounce.runtime.simulation import Simulation
    from jounce.sim.build import build
    from jounce.symbolic.system import System

    frequency, hold, start = 0.7, 0.5, 0.3
    system = System("hand_wheel")
    angle = system.input("angle", "rad", rate=True)
    system.output("angle_seen", angle, "rad")
    system.derivative(system.state("turned"), angle)
    library = build(system)

    def rule(t: Any, amplitude: float) -> Any:
        quarter = 0.75 / frequency
        moved = np.where(t < quarter, t, np.where(t < quarter + hold, quarter, t - hold))
        return np.where((t < 0) | (moved > 1 / frequency), 0.0, amplitude * np.sin(2 * np.pi * frequency * moved))

    runs = []
    for word, amplitude in (("left", 2.1), ("right", -3.4)):
        sine = Sine(amplitude, frequency, delay=start, cycles=1.0, dwell_at=0.75, dwell=hold)
        program = Program(Phase("steer", [Open("angle", sine)], duration=3.0))
        run = Simulation(library).run(program=program, step=1e-3, interval=1e-3)
        exact = rule(run.time - start, amplitude)
        runs.append((run, exact))
        page.row(
            f"to the {word}: largest difference of the angle",
            expected=0.0,
            measured=float(np.abs(run["angle_seen"] - exact).max()),
            # a sample on either side of a corner may be that of the other branch: at the end the rate is A 2πf
            tolerance=1e-9 + abs(amplitude) * 2 * math.pi * frequency * 1e-9,
            unit="rad",
            kind="published",
            source="(3) [FMVSS126]",
            why="Rounding of times, 1e-9 s of the rate.",
        )
        page.row(
            f"to the {word}: time from the first to the last motion",
            expected=1 / frequency + hold,
            measured=float(np.ptp(run.time[np.abs(run["angle_seen"]) > 1e-6])),
            tolerance=3e-3,
            unit="s",
            kind="published",
            source="(3) [FMVSS126]",
            why="Samples of 1 ms at both ends.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for run, exact in runs:
            axes.plot(run.time, np.degrees(exact), color="0.4", lw=1.0)
            axes.plot(run.time[::60], np.degrees(run["angle_seen"][::60]), "o", ms=3)
        axes.set(xlabel="time, s", ylabel="hand wheel, deg", title="lines: the rule; dots: jounce")

    page.plot("The sine with dwell to both sides.", draw, height=2.4)


@case("cycles", "Drive cycles and their lengths", chapter=27.1)
def cycles(page: Page) -> None:
    """Length and duration of the cycles of the library, speeds at 1 Hz, integrated by trapezia as the regulations do,
    against the figures that they print."""
    from jounce.files.cycles import load_cycle

    known = {
        "udds": (11.9904, 1369, "7.45 miles in 1369 s (40 CFR 86)"),
        "hwfet": (16.5068, 765, "10.26 miles in 765 s (40 CFR 86)"),
        "us06": (12.8876, 600, "8.01 miles in 600 s (40 CFR 86)"),
        "wltc_3b": (23.2663, 1800, "23 266 m in 1800 s (UN GTR 15)"),
    }
    traces = {}
    for name, (length, seconds, source) in known.items():
        found = traces[name] = load_cycle(name)
        page.row(
            f"{name}: length",
            expected=length,
            measured=float(np.trapezoid(found.speed, found.time)) / 1000,
            tolerance=6e-5,
            unit="km",
            kind="published",
            source=source,
            why="Half of the last digit.",
        )
        page.row(
            f"{name}: duration",
            expected=float(seconds),
            measured=float(found.time[-1]),
            tolerance=1.0,
            unit="s",
            kind="published",
            source=source,
            why="Whether the second at rest at the end is counted.",
        )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, found in traces.items():
            axes.plot(found.time, 3.6 * np.asarray(found.speed), lw=0.8, label=name)
        axes.set(xlabel="time, s", ylabel="speed, km/h")
        axes.legend(ncols=4, loc="upper right")

    page.plot("The cycles.", draw, height=2.5)
