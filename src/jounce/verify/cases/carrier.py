"""A wheel carrier guided by tables against the same carrier on real hinges.

Suspensions are given as tables: place and attitude of the carrier over its coordinates, here

    r(q) = (x, y, z),     R(q) = Rz(ψ) Rx(φ) Ry(θ),     q = (arm angle, kingpin angle)                       (1)

Accelerations need the second derivatives of all six,  a = Σ r,i q̈i + Σ r,ij q̇i q̇j , on a chassis that itself moves
freely.  For a semi-trailing arm on a skew hinge a, with a kingpin k on it, (1) is known in closed form,

    R(q) = R_a(q1) R_k(q2),    r(q) = p_a + R_a(q1) (p_k + R_k(q2) c)                                       (2)

and is tabulated by NumPy alone; the angles of (1) follow from the elements of R.  The real mechanism is the same
chassis with two revolute joints: no table, no angle of (1) occurs in it.

Error of the tables.  A polynomial of order n on |q| <= L leaves about L^(n+1)/(2^n (n+1)!) of a value, 1e-17 for n =
11 and L = 0.4; what remains is rounding, 1e-16, which two derivatives raise by at most (n²/L)² (Markov), to 1e-11.
The second derivative of a cubic spline is off by at most 3/8 h² max|f⁽⁴⁾| [HallMeyer1976], so an acceleration is off
by 3/8 h² max|f⁽⁴⁾| q̇²; rounding of the data, about 6 eps |f|/h², stays below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.tables import Table
from jounce.sim.build import recipe
from jounce.verify.book import Page, case

if TYPE_CHECKING:
    from jounce.runtime.simulation import Simulation
    from jounce.symbolic import System

Array = npt.NDArray[np.float64]

# geometry at design in chassis axes, m: hinge of the arm, kingpin on the arm, wheel centre behind the kingpin
ARM_POINT, ARM_AXIS = np.array([0.35, 0.25, -0.05]), np.array([0.25, 0.95, 0.08])
KING_POINT, KING_AXIS = np.array([-0.40, 0.42, -0.08]), np.array([-0.10, 0.12, 0.98])
HUB = np.array([0.02, 0.08, 0.03])
RANGE = 0.4  # rad, of the polynomial
SPLINE_RANGE = 0.6  # rad; wider, because a spline is less exact in its first cells
USED = 0.35  # rad, of the states compared
RATE = 1.0  # rad/s, largest arm and kingpin speed of the states compared
LOAD = 300.0  # N or N.m
ORDER = 11
SPACINGS = (0.05, 0.025, 0.0125, 0.00625, 0.003125)  # rad
FINE = 0.0005  # rad
TOLERANCE = 1e-8
N_STATES = 40


def rotation(axis: Array, angle: Array) -> Array:
    """Rodrigues' formula for many angles: shape (.., 3, 3)."""
    n = axis / np.linalg.norm(axis)
    skew = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    angle = np.asarray(angle)[..., None, None]
    return np.asarray(np.eye(3) + np.sin(angle) * skew + (1.0 - np.cos(angle)) * (skew @ skew))


def motion(q1: Array, q2: Array) -> Array:
    """(2) as the six table values: displacement from design and the angles ψ, φ, θ of (1); shape (.., 6)."""
    arm, king = rotation(ARM_AXIS, q1), rotation(KING_AXIS, q2)
    r = (arm @ (KING_POINT + king @ HUB)[..., None])[..., 0]
    turn = arm @ king
    # elements of Rz(ψ) Rx(φ) Ry(θ): [2,1] = sin φ, [0,1] = -sin ψ cos φ, [2,0] = -cos φ sin θ
    psi = np.arctan2(-turn[..., 0, 1], turn[..., 1, 1])
    phi = np.arcsin(turn[..., 2, 1])
    theta = np.arctan2(-turn[..., 2, 0], turn[..., 2, 2])
    return np.concatenate([r - KING_POINT - HUB, np.stack([psi, phi, theta], axis=-1)], axis=-1)


def knots(spacing: float) -> Array:
    n = round(2 * SPLINE_RANGE / spacing)
    return np.asarray(np.linspace(-SPLINE_RANGE, SPLINE_RANGE, n + 1))


def curve(spacing: float) -> Table:
    """Motion over the arm angle, cubic spline."""
    q = knots(spacing)
    return Table([q], motion(q, np.zeros_like(q)), method="cubic")


def surface() -> Table:
    """Motion over arm and kingpin angle, polynomial."""
    # more points near the ends, as Chebyshev's, so that least squares comes close to the best approximation
    q = RANGE * np.sort(np.cos(np.pi * np.linspace(0.0, 1.0, 2 * ORDER + 3)))
    q1, q2 = np.meshgrid(q, q, indexing="ij")
    return Table([q, q], motion(q1, q2), method="polynomial", order=ORDER)


def quarter(name: str, *, tables: bool, steered: bool) -> System:
    """A free chassis with one carrier: on hinges, or guided by a table."""
    from jounce.symbolic import System

    s = System(name)
    chassis = s.free("chassis")
    s.body("hull", chassis.frame, 600.0, (150.0, 700.0, 800.0, 5.0, -20.0, 3.0), (-0.8, -0.2, 0.3))
    if tables:
        q, u = s.coordinate("arm.angle", "arm.rate", "rad", on=chassis.frame)
        arguments, speeds = [q], [u]
        if steered:
            q, u = s.coordinate("king.angle", "king.rate", "rad", on=chassis.frame)
            arguments.append(q)
            speeds.append(u)
        values = s.table("motion", surface() if steered else curve(SPACINGS[0]))(*arguments)
        place = [float(a + b + c) + v for a, b, c, v in zip(ARM_POINT, KING_POINT, HUB, values[:3], strict=True)]
        angles = tuple(zip("zxy", values[3:], strict=True))
        carrier = chassis.frame.guided("carrier", place, angles)
    else:
        arm = s.revolute("arm", chassis.frame, axis=ARM_AXIS, offset=ARM_POINT)
        speeds = [*arm.u]
        if steered:
            king = s.revolute("king", arm.frame, axis=KING_AXIS, offset=KING_POINT)
            carrier = king.frame.fixed("carrier", HUB)
            speeds += king.u
        else:
            carrier = arm.frame.fixed("carrier", KING_POINT + HUB)
    # off-centre mass, full inertia, a spinning wheel, a force at the contact, springs on the coordinates
    upright = s.body("upright", carrier, 35.0, (1.1, 1.9, 1.2, 0.05, -0.08, 0.04), (0.03, -0.06, 0.04))
    wheel = s.gyrostat("wheel", upright, (0, 1, 0), 1.3)
    force = [s.input(f"force_{axis}", "N") for axis in "xyz"]
    s.force(carrier, force, at=(0.0, 0.0, -0.31), axes=s.world)
    wheel.torque(s.input("brake", "N.m"))
    for number, speed in enumerate(speeds):
        s.generalized_force(speed, s.input(f"spring_{number}", "N.m"))
    return s


@recipe
def guided(steered: bool) -> System:
    return quarter("guided", tables=True, steered=steered)


@recipe
def hinged(steered: bool) -> System:
    return quarter("hinged", tables=False, steered=steered)


def random_points(sim: Simulation, rng: np.random.Generator) -> list[tuple[Array, Array]]:
    """States and inputs: chassis in any attitude, everything moving."""
    points = []
    names = [v.name for v in sim.model.states]
    for _ in range(N_STATES):
        x = rng.uniform(-1.0, 1.0, size=len(names))
        for i, name in enumerate(names):
            if name.endswith(".angle"):
                x[i] *= USED
            elif name.endswith(".rate"):
                x[i] *= RATE
            elif name == "wheel.spin":
                x[i] *= 60.0  # rad/s
        quaternion = [names.index(f"chassis.e{k}") for k in range(4)]
        x[quaternion] /= np.linalg.norm(x[quaternion])
        points.append((x, rng.uniform(-1.0, 1.0, size=len(sim.model.inputs)) * LOAD))
    return points


def accelerations(sim: Simulation, points: list[tuple[Array, Array]]) -> Array:
    """u̇ in all points; coordinates come first among the states."""
    n_speeds = sum(v.unit in ("m/s", "rad/s") for v in sim.model.states)
    return np.array([sim.derivatives(x=x, u=u)[0][-n_speeds:] for x, u in points])


def relative(found: Array, wanted: Array) -> float:
    """Largest error of any acceleration relative to its root mean square over all points."""
    return float((np.abs(found - wanted).max(axis=0) / np.sqrt((wanted**2).mean(axis=0))).max())


@case("carrier", "Wheel carrier guided by tables against real hinges", chapter=6)
def carrier(page: Page) -> None:
    """A semi-trailing arm on a skew hinge, with a kingpin, an off-centre carrier and a spinning wheel, on a chassis
    that moves freely. Once the carrier hangs on the real hinges; once its pose is interpolated in tables of six
    outputs that NumPy filled from the closed form of the motion. The accelerations of all degrees of freedom must
    agree at random moving states, which needs first and second derivatives of the tables, and their mixed ones, in
    every place of the equations. With splines the difference must fall with the square of the knot spacing, as spline
    theory says."""
    from jounce.runtime.simulation import Simulation

    rng = np.random.default_rng(6)
    real, table = Simulation(hinged.build(steered=True)), Simulation(guided.build(steered=True))
    points = random_points(real, rng)
    page.row(
        "accelerations, two-dimensional polynomial table, largest relative error",
        expected=0.0,
        measured=relative(accelerations(table, points), accelerations(real, points)),
        tolerance=TOLERANCE,
        kind="cross-formulation",
        source="the same carrier on two revolute joints",
        why="Rounding in the second derivative of the polynomial, 1e-11 (see the equations); 1e-8 is the promise.",
    )

    real, table = Simulation(hinged.build(steered=False)), Simulation(guided.build(steered=False))
    points = random_points(real, rng)
    table.set_tables({"motion": curve(FINE)})
    page.row(
        f"accelerations, cubic splines with knots every {FINE:g} rad, largest relative error",
        expected=0.0,
        measured=relative(accelerations(table, points), accelerations(real, points)),
        tolerance=TOLERANCE,
        kind="cross-formulation",
        source="the same carrier on a revolute joint",
        why="3/8 h² max|f⁽⁴⁾| q̇² = 3/8 · (5e-4)² · 0.7 m · (1 rad/s)² = 7e-8 m/s² at the wheel; the chassis, of "
        "which the "
        "carrier has a tenth of the mass, gets 1e-1 of it on accelerations of 1 to 10 m/s²: 1e-8 at most.",
    )
    # The error varies within a cell. At angles that are knots of every table only its size in the spacing is seen.
    arm = [v.name for v in real.model.states].index("arm.angle")
    for x, _ in points:
        x[arm] = SPACINGS[0] * round(x[arm] / SPACINGS[0])
    wanted = accelerations(real, points)
    errors = []
    for spacing in SPACINGS:
        table.set_tables({"motion": curve(spacing)})
        errors.append(relative(accelerations(table, points), wanted))
    page.row(
        "cubic splines: order of the error in the knot spacing",
        expected=2.0,
        measured=float(np.polyfit(np.log(SPACINGS), np.log(errors), 1)[0]),
        tolerance=0.1,
        kind="order",
        source="second derivative of a cubic spline, O(h²) [HallMeyer1976]",
        why="The next term of the expansion is smaller by h² max|f⁽⁶⁾|/max|f⁽⁴⁾| < 1e-2 from the coarsest spacing on.",
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        every = np.array(SPACINGS)
        axes.loglog(every, errors[0] * (every / SPACINGS[0]) ** 2, "--", color="0.5", lw=1, label="slope 2")
        axes.loglog(every, errors, "o", ms=6, label="cubic splines against the hinge")
        axes.set_xticks(every, [f"{h:g}" for h in every])
        axes.minorticks_off()
        axes.set(xlabel="knot spacing, rad", ylabel="relative error of accelerations")
        axes.legend()

    page.plot("Accelerations of the table-guided carrier come to those of the real one as the table gets denser.", draw)
