"""Roads: clothoids by Fresnel's integrals, unevenness by ISO 8608, a scanned surface by another program.

A clothoid of parameter A has the curvature s/A²; from the origin along x it leads to

    x = A √π C(s/(A √π)),   y = A √π S(s/(A √π)),   heading = s²/(2 A²)                              (1)

with Fresnel's integrals C and S as `scipy.special.fresnel` has them, of cos and sin (π t²/2).

The height of a road of ISO 8608 has the one-sided power density over the wave number n, in cycles per metre,

    G_d(n) = G_d(n₀) (n/n₀)⁻²,   n₀ = 0.1 1/m,   G_d(n₀) = 16·10⁻⁶ m³ for class A                       (2)

and four times as much for each further class, so that between the wave numbers n₁ and n₂ its mean square is

    σ² = G_d(n₀) n₀² (1/n₁ - 1/n₂)                                                                  (3)

Independent: `scipy.signal.welch` for the density that a road really has; pycrg, the evaluator of OpenCRG surfaces of
ASAM in C behind a Python package, for a curved, banked, sloping scan that jounce writes and both read.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path as File
from typing import Any

import numpy as np

from jounce.verify.book import Page, case

ISO = "ISO 8608:2016, table C.1 (geometric mean) and clause 5"
LEVELS = {"A": 16e-6, "B": 64e-6, "C": 256e-6, "D": 1024e-6}  # m3, of the standard


@case("clothoid", "Paths: clothoids by Fresnel's integrals", chapter=16)
def clothoid(page: Page) -> None:
    """Paths are integrated from their curvature; the clothoid has a closed form for its place and heading. The nearest
    station of a point beside it is compared with the station from which the point was set off along the normal."""
    from scipy.special import fresnel

    from jounce.road.path import Path

    length, radius = 140.0, 42.0
    for sign, side in ((1.0, "left"), (-1.0, "right")):
        a = math.sqrt(length * radius)
        path = Path.from_curvature([0.0, length], [0.0, sign / radius], step=0.5)
        for s in (37.2, length):
            sine, cosine = fresnel(s / (a * math.sqrt(math.pi)))
            x, y = a * math.sqrt(math.pi) * cosine, sign * a * math.sqrt(math.pi) * sine
            heading = sign * s * s / (2 * a * a)
            found = path.at(s)
            for name, expected, measured in (("x", x, found[0]), ("y", y, found[1])):
                page.row(
                    f"clothoid to the {side}: {name} at {s:g} m",
                    expected=expected,
                    measured=float(measured),
                    tolerance=1e-9,
                    unit="m",
                    kind="closed form",
                    source="equation (1), Fresnel's integrals of SciPy",
                    why="Quintic pieces of h = 0.5 m between exact rows: (h κ)⁶/κ over 6!·64, κ = 1/42 m, is 3e-15 m; "
                    "the quadrature of the rows is better than 1e-10 m.",
                )
            offset = 2.5 if s < length else 0.0
            foot = path.project(x - offset * math.sin(heading), y + offset * math.cos(heading))
            page.row(
                f"clothoid to the {side}: distance of that point from the line",
                expected=offset,
                measured=float(foot.offset),
                tolerance=1e-8,
                unit="m",
                kind="closed form",
                source="equation (1): the normal through the point",
                why="As below.",
            )
            page.row(
                f"clothoid to the {side}: station of a point {offset:g} m beside {s:g} m",
                expected=s,
                measured=float(foot.station),
                tolerance=1e-8,
                unit="m",
                kind="closed form",
                source="equation (1): the normal through the point",
                why="The place of the path, 1e-9 m, and the end of the search, ten times as much.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for sign in (1.0, -1.0):
            path = Path.from_curvature([0.0, length], [0.0, sign / radius], step=0.5)
            stations = np.linspace(0, length, 15)
            xyz = path.at(stations)
            a = math.sqrt(length * radius)
            fine = np.linspace(0, length, 300)
            sine, cosine = fresnel(fine / (a * math.sqrt(math.pi)))
            axes.plot(a * math.sqrt(math.pi) * cosine, sign * a * math.sqrt(math.pi) * sine, lw=1.0, color="0.4")
            axes.plot(xyz[..., 0], xyz[..., 1], ".", ms=5)
        axes.set(xlabel="x, m", ylabel="y, m", title="dots: jounce; lines: Fresnel's integrals", aspect="equal")

    page.plot("Two clothoids that end at a radius of 42 m.", draw)


@case("unevenness", "Unevenness by ISO 8608", chapter=16.1)
def unevenness(page: Page) -> None:
    """The density that Welch's method finds in generated wheel tracks, against the line of the standard; the right
    track is asked for as well as the left one. Both tracks have the coherency that was asked for."""
    from scipy.signal import coherence, welch

    from jounce.road.irregular import iso_8608, synthesise

    length, coherency = 40_000.0, 0.6
    densities: dict[tuple[str, str], Any] = {}
    for name, level in LEVELS.items():
        tracks = synthesise(iso_8608(name), length, coherency=coherency, seed=11, n_min=0.01, n_max=4.0)
        segment = int(250 / tracks.step)
        for side, values in (("left", tracks.left), ("right", tracks.right)):
            n, density = welch(values, 1 / tracks.step, window="hann", nperseg=segment, detrend="constant")
            densities[name, side] = n, density
            band = (n > 0.05) & (n < 2.0)
            averages = 2 * length / 250  # half overlapping segments
            page.row(
                f"class {name}, {side} track: mean of G_d n² between 0.05 and 2 1/m",
                expected=level * 0.1**2,
                measured=float(np.mean(density[band] * n[band] ** 2)),
                # each of the 480 wave numbers scatters by 1/√(averages): some 0.3 % of their mean;
                # a Hann window of 250 m widens the line -2 by 1.5 (Δn/n)², 0.6 % at the lower end
                tolerance=level * 0.1**2 * (0.006 + 4 / math.sqrt(averages * band.sum())),
                unit="m",
                kind="published",
                source=f"{ISO}; density by scipy.signal.welch",
                why="Scatter of Welch's estimate over its segments, and the width of its window.",
            )
        if name == "B":
            found = coherence(tracks.left, tracks.right, 1 / tracks.step, nperseg=segment)
            band = (found[0] > 0.05) & (found[0] < 2.0)
            page.row(
                "coherency of both tracks between 0.05 and 2 1/m",
                expected=coherency,
                measured=float(np.sqrt(np.mean(found[1][band]))),
                # the estimate of the square is too large by (1 - γ²)²/averages, and scatters
                tolerance=0.01,
                kind="closed form",
                source="definition, by scipy.signal.coherence",
                why="The estimate over 320 half overlapping segments has a bias of (1 - γ²)²/190 of the square.",
            )
    tracks = synthesise(iso_8608("C"), 4000.0, seed=5, n_min=0.02, n_max=5.0)
    page.row(
        "class C: root mean square between 0.02 and 5 1/m",
        expected=math.sqrt(LEVELS["C"] * 0.1**2 * (1 / 0.02 - 1 / 5.0)),
        measured=float(np.std(tracks.left)),
        # the sum over lines at Δn = 1/4000 m against the integral (3): Δn/(2 n₁) of the square
        tolerance=math.sqrt(LEVELS["C"] * 0.1**2 / 0.02) * 0.5 / 4000 / 0.02,
        unit="m",
        kind="closed form",
        source="equation (3)",
        why="Half a line at the lower end of the band.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (name, side), (n, density) in densities.items():
            if side == "left":
                axes.loglog(n[1:], density[1:], lw=0.7, label=f"class {name}")
                line = np.array([0.011, 3.5])
                axes.loglog(line, LEVELS[name] * (line / 0.1) ** -2, "k", lw=0.8)
        axes.set(xlabel="wave number n, 1/m", ylabel="G_d, m³", xlim=(0.01, 4), ylim=(1e-8, 1), title="black: ISO 8608")
        axes.legend()

    page.plot("Densities of generated tracks.", draw)


@case("opencrg", "OpenCRG surfaces against the evaluator of ASAM", chapter=16.2, needs={"pycrg": "pycrg"})
def opencrg(page: Page) -> None:
    """A surface with a curved, sloping and banked line, written by jounce in single precision and read by both: heights
    at points on both sides of the line."""
    import pycrg

    from jounce.files.crg import crg_bytes, read_crg
    from jounce.road.grid import GridRoad

    rng = np.random.default_rng(3)
    rows, columns = 201, 9
    u = 0.5 * np.arange(rows)
    road = GridRoad(
        z=(0.04 * rng.standard_normal((rows, columns))).astype(np.float32),
        du=0.5,
        v=np.linspace(-3.1, 2.7, columns),
        x=14.0,
        y=-6.0,
        heading=0.4,
        headings=0.4 + np.cumsum(np.linspace(-0.012, 0.017, rows - 1)),
        reference=3 + 0.02 * u + 0.15 * np.sin(u / 11),
        bank=0.03 * np.sin(u / 17),
    )
    with tempfile.TemporaryDirectory() as folder:
        place = File(folder) / "surface.crg"
        place.write_bytes(crg_bytes(road))
        ours = read_crg(place).road()
        with pycrg.RoadSurface.open(str(place)) as theirs:
            at = rng.uniform(1, ours.length - 1, 400), rng.uniform(-2.9, 2.5, 400)
            xy = np.array([theirs.uv_to_xy(a, b) for a, b in zip(*at, strict=True)])
            expected = np.asarray(theirs.contact_point.xy_to_z_many(xy[:, 0], xy[:, 1]))
    found = np.asarray(ours.query(xy[:, 0], xy[:, 1]).height)
    for number in (0, 77, 256):
        page.row(
            f"height at station {at[0][number]:.1f} m, {at[1][number]:+.2f} m to the left",
            expected=float(expected[number]),
            measured=float(found[number]),
            tolerance=1e-6,
            unit="m",
            kind="independent package",
            source="pycrg, the OpenCRG evaluator of ASAM",
            why="It holds heights in single precision about their mean: 6e-8 of some metres.",
        )
    page.row(
        "largest difference at 400 points",
        expected=0.0,
        measured=float(np.abs(found - expected).max()),
        tolerance=1e-6,
        unit="m",
        kind="independent package",
        source="pycrg, the OpenCRG evaluator of ASAM",
        why="As above.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(expected, (found - expected) * 1e9, ".", ms=3)
        axes.set(xlabel="height by pycrg, m", ylabel="difference, nm", title="400 points of a curved, banked surface")

    page.plot("What is left is the rounding of single precision.", draw)
