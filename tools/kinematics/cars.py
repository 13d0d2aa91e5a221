"""Hard points of the library's cars. CC0-1.0.

Provenance: no point is taken from a product. Wheelbase, track and tire radius of a class were chosen first, then the
behaviour at design (roll centre, bump steer, camber gain, anti-dive, ...; `ranges.py`). A wanted behaviour is a
velocity field v(P) of the carrier, and a link (inner, outer) fits it when (outer - inner).v(outer) = 0: outer points
and the place of inner points in plan were set by eye, as cars of such a class look; the height of the inner points
follows. The lateral place of the inner tie-rod joint was moved until bump steer is as straight as possible over ±80 mm.
Then all was rounded to 0.1 mm.

Points are in mm, as they are measured, in the vehicle reference frame: x forward from the front wheel centres, y left,
z up from the ground at design. Left side. Carriers stand upright and straight at design: static toe and camber belong
to setup. Wheel centres are at the loaded radius of the class's tire under its share of the weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kinematics.elements import (
    BarEnd,
    Element,
    OnArm,
    OnBody,
    OnRocker,
    OnRod,
    Rocker,
    Seat,
    ToMirror,
    Twist,
    TwoPoint,
)
from kinematics.figures import Layout
from kinematics.linkages import (
    Array,
    Linkage,
    Plane,
    Rod,
    double_wishbone,
    five_link,
    solid_axle,
    strut,
    twist_beam,
)

Triple = tuple[float, float, float]
Arm = tuple[Triple, Triple, Triple]  # front inner, rear inner, ball joint
Link = tuple[Triple, Triple]  # inner, outer
MM = 1e-3


@dataclass(frozen=True)
class Axle:
    """A linkage, what is fixed to it, and the grid of its maps."""

    type: str
    linkage: Linkage
    elements: dict[str, Element]  # name -> of the left side
    travel: Array  # m, knots
    rack: Array | None = None  # m, knots, if steered
    rack_per_turn: float = 0.0  # m of rack travel to the left per turn of the hand wheel to the left
    solid: bool = False  # the axle holds its final drive

    @property
    def dependent(self) -> bool:
        return len(self.linkage.wheels) > 1


@dataclass(frozen=True)
class Car:
    """Two axles, and what of the rest the figures need."""

    name: str
    layout: Layout
    front: Axle
    rear: Axle

    @property
    def tracks(self) -> tuple[float, float]:
        front, rear = (axle.linkage.wheels[0].centre[1] for axle in (self.front, self.rear))
        return 2.0 * float(front), 2.0 * float(rear)


def m(point: Sequence[float]) -> Array:
    """mm to m."""
    return MM * np.array(point, dtype=float)


def _arm(arm: Arm) -> tuple[Array, Array, Array]:
    front, rear, joint = (m(point) for point in arm)
    return front, rear, joint


def _links(links: Sequence[Link]) -> list[tuple[Array, Array]]:
    return [(m(inner), m(outer)) for inner, outer in links]


def knots(limit: float, step: float) -> Array:
    """Knots from -limit to limit, in m from mm; zero is one of them."""
    count = round(limit / step)
    return MM * step * np.arange(-count, count + 1, dtype=float)


RACK = knots(75.0, 3.0)


def _on_arm(point: Triple, arm: Arm) -> OnArm:
    return OnArm(m(point), *_arm(arm))


def _wishbone_front(
    centre: Triple,
    lower: Arm,
    upper: Arm,
    tie_rod: Link,
    coil_over: Link,
    bar: tuple[Triple, Triple, Triple],
    *,
    travel: Array,
    rack: Array,
    rack_per_turn: float,
) -> Axle:
    """Double wishbone; spring around the damper, (top, foot on the lower arm); bar (bearing, end, foot of the link)."""
    inner, outer = _links([tie_rod])[0]
    top, foot = coil_over
    shock = TwoPoint(m(top), _on_arm(foot, lower))
    return Axle(
        "double wishbone",
        double_wishbone(m(centre), _arm(lower), _arm(upper), (inner, outer), steered=True),
        {"spring": shock, "damper": shock, "anti_roll_bar": BarEnd(m(bar[0]), m(bar[1]), _on_arm(bar[2], lower))},
        travel,
        rack,
        MM * rack_per_turn,
    )


def _multi_link_rear(
    centre: Triple,
    links: Sequence[Link],
    spring: tuple[Triple, float],
    damper: Link,
    bar: tuple[Triple, Triple, float],
    *,
    travel: Array,
) -> Axle:
    """Five links, the second of which carries the spring (top, fraction of the link) and the bar's drop link."""
    metres = _links(links)
    top, foot = damper
    return Axle(
        "five-link",
        five_link(m(centre), metres),
        {
            "spring": TwoPoint(m(spring[0]), OnRod(*metres[1], spring[1])),
            "damper": TwoPoint(m(top), OnBody(m(foot))),
            "anti_roll_bar": BarEnd(m(bar[0]), m(bar[1]), OnRod(*metres[1], bar[2])),
        },
        travel,
    )


def compact() -> Car:
    """C-segment hatch, front-wheel drive; strut with the rack behind the axle, twist beam."""
    centre = (0.0, 770.0, 296.0)
    lower: Arm = ((5.0, 365.0, 204.5), (-295.0, 365.0, 216.8), (6.4, 731.6, 185.0))
    top, below = (-42.1, 576.8, 845.0), (-28.2, 627.0, 420.0)
    tie_rod: Link = ((-148.0, 347.2, 237.6), (-142.0, 716.0, 225.0))
    shock = TwoPoint(m(top), OnBody(m(below)))
    front = Axle(
        "strut",
        strut(m(centre), _arm(lower), m(top), m(below), (m(tie_rod[0]), m(tie_rod[1])), steered=True),
        {
            "spring": shock,
            "damper": shock,
            "anti_roll_bar": BarEnd(
                m((-300.0, 0.0, 205.0)), m((-42.0, 600.0, 200.0)), OnBody(m((-40.0, 612.0, 470.0)))
            ),
        },
        knots(120.0, 8.0),
        knots(75.0, 2.5),
        MM * -58.0,
    )
    # A corner of what such an axle can do: roll-centre height = t/2 |roll camber| z_pivot + arm length · roll steer, so
    # that little camber in roll takes a long arm with a high pivot.
    wheel, pivot, shear_centre = (-2650.0, 765.0, 303.0), (-2040.0, 560.0, 395.0), (-2111.5, 0.0, 435.0)
    rear = Axle(
        "twist beam",
        twist_beam(m(wheel), m(pivot), m(shear_centre)),
        {
            "spring": TwoPoint(m((-2550.0, 515.0, 560.0)), OnBody(m((-2560.0, 515.0, 300.0)))),
            "damper": TwoPoint(m((-2640.0, 600.0, 650.0)), OnBody(m((-2700.0, 620.0, 265.0)))),
            "twist": Twist(),
        },
        knots(120.0, 10.0),
    )
    return Car("compact", Layout(wheelbase=2.65, cg_height=0.545, brake_front=0.77, drive_front=1.0), front, rear)


def sedan() -> Car:
    """D/E-segment, rear-wheel drive; double wishbone with the rack ahead of the axle, five links."""
    front = _wishbone_front(
        (0.0, 785.0, 311.0),
        ((150.0, 375.0, 198.8), (-200.0, 375.0, 209.1), (1.8, 748.4, 195.0)),
        ((110.0, 440.0, 462.2), (-150.0, 440.0, 451.8), (-30.1, 701.5, 475.0)),
        ((88.0, 379.2, 241.9), (138.0, 757.0, 235.0)),
        ((-20.0, 545.0, 640.0), (-5.0, 610.0, 205.0)),
        ((300.0, 0.0, 400.0), (72.0, 632.0, 400.0), (70.0, 640.0, 200.0)),
        travel=knots(120.0, 8.0),
        rack=RACK,
        rack_per_turn=58.5,
    )
    rear = _multi_link_rear(
        (-2870.0, 790.0, 312.0),
        (
            ((-2560.0, 440.0, 258.3), (-2770.0, 740.0, 205.0)),
            ((-2945.0, 330.0, 212.8), (-2930.0, 745.0, 190.0)),
            ((-2690.0, 470.0, 435.1), (-2810.0, 700.0, 440.0)),
            ((-2930.0, 455.0, 440.1), (-2920.0, 705.0, 450.0)),
            ((-3030.0, 347.9, 272.7), (-3020.0, 735.0, 260.0)),
        ),
        ((-2937.0, 555.0, 460.0), 0.60),
        ((-2895.0, 610.0, 650.0), (-2945.0, 695.0, 215.0)),
        ((-3150.0, 0.0, 385.0), (-2945.0, 612.0, 380.0), 0.65),
        travel=knots(120.0, 5.0),
    )
    return Car("sedan", Layout(wheelbase=2.87, cg_height=0.54, brake_front=0.67, drive_front=0.0), front, rear)


def suv() -> Car:
    """All-wheel drive; double wishbone with a high upper arm, five links."""
    front = _wishbone_front(
        (0.0, 810.0, 348.0),
        ((170.0, 385.0, 229.7), (-210.0, 385.0, 246.4), (4.2, 762.2, 215.0)),
        ((120.0, 455.0, 654.1), (-150.0, 455.0, 636.4), (-34.7, 675.7, 660.0)),
        ((92.0, 399.0, 285.6), (142.0, 776.0, 265.0)),
        ((-20.0, 560.0, 720.0), (-5.0, 620.0, 230.0)),
        ((315.0, 0.0, 445.0), (78.0, 645.0, 445.0), (75.0, 650.0, 225.0)),
        travel=knots(120.0, 8.0),
        rack=RACK,
        rack_per_turn=55.0,
    )
    rear = _multi_link_rear(
        (-2800.0, 810.0, 353.0),
        (
            ((-2470.0, 450.0, 310.0), (-2690.0, 755.0, 230.0)),
            ((-2880.0, 330.0, 247.4), (-2860.0, 760.0, 215.0)),
            ((-2610.0, 480.0, 498.9), (-2740.0, 715.0, 490.0)),
            ((-2860.0, 465.0, 496.0), (-2850.0, 720.0, 500.0)),
            ((-2970.0, 353.4, 321.0), (-2960.0, 750.0, 300.0)),
        ),
        ((-2868.0, 570.0, 510.0), 0.60),
        ((-2825.0, 625.0, 720.0), (-2875.0, 710.0, 245.0)),
        ((-3090.0, 0.0, 445.0), (-2875.0, 625.0, 440.0), 0.65),
        travel=knots(130.0, 5.0),
    )
    return Car("suv", Layout(wheelbase=2.80, cg_height=0.68, brake_front=0.67, drive_front=0.5), front, rear)


def sports() -> Car:
    """Rear-engined two-seater; double wishbones front and rear."""
    front = _wishbone_front(
        (0.0, 790.0, 316.0),
        ((160.0, 340.0, 177.9), (-190.0, 340.0, 186.9), (-0.3, 746.2, 190.0)),
        ((120.0, 420.0, 426.7), (-140.0, 420.0, 419.2), (-33.5, 701.0, 460.0)),
        ((82.0, 349.9, 213.8), (130.0, 757.0, 225.0)),
        ((-15.0, 490.0, 570.0), (-5.0, 620.0, 190.0)),
        ((270.0, 0.0, 370.0), (67.0, 640.0, 370.0), (65.0, 645.0, 190.0)),
        travel=knots(100.0, 10.0),
        rack=RACK,
        rack_per_turn=63.0,
    )
    lower: Arm = ((-2270.0, 345.0, 218.2), (-2630.0, 345.0, 186.1), (-2455.0, 735.0, 195.0))
    upper: Arm = ((-2330.0, 430.0, 439.5), (-2580.0, 430.0, 441.7), (-2470.0, 705.0, 470.0))
    tie_rod: Link = ((-2615.0, 344.5, 248.1), (-2610.0, 740.0, 250.0))
    shock = TwoPoint(m((-2440.0, 490.0, 600.0)), _on_arm((-2450.0, 610.0, 195.0), lower))
    bar = BarEnd(m((-2730.0, 0.0, 385.0)), m((-2523.0, 635.0, 380.0)), _on_arm((-2520.0, 640.0, 195.0), lower))
    rear = Axle(
        "double wishbone",
        double_wishbone(
            m((-2460.0, 785.0, 332.0)), _arm(lower), _arm(upper), (m(tie_rod[0]), m(tie_rod[1])), steered=False
        ),
        {"spring": shock, "damper": shock, "anti_roll_bar": bar},
        knots(100.0, 5.0),
    )
    return Car("sports", Layout(wheelbase=2.46, cg_height=0.46, brake_front=0.60, drive_front=0.0), front, rear)


def light_truck() -> Car:
    """Body on frame, rear-wheel drive; double wishbone, solid axle on leaf springs."""
    front = _wishbone_front(
        (0.0, 800.0, 364.0),
        ((175.0, 350.0, 233.5), (-215.0, 350.0, 241.1), (7.5, 736.3, 225.0)),
        ((130.0, 435.0, 533.0), (-160.0, 435.0, 520.6), (-16.0, 677.0, 545.0)),
        ((95.0, 382.7, 292.8), (145.0, 755.0, 285.0)),
        ((-10.0, 525.0, 660.0), (0.0, 600.0, 235.0)),
        ((320.0, 0.0, 455.0), (83.0, 632.0, 455.0), (80.0, 640.0, 235.0)),
        travel=knots(128.0, 8.0),
        rack=RACK,
        rack_per_turn=50.0,
    )
    # A leaf spring guides its seat about a point some 3/4 of its front half ahead [SAEHS788]; a front half shorter than
    # the rear one turns the seat nose-down in bump, which the upper link stands for; sideways it holds at the seats.
    links: tuple[Link, ...] = (
        ((-2780.0, 525.0, 406.0), (-3250.0, 525.0, 430.0)),
        ((-2780.0, -525.0, 406.0), (-3250.0, -525.0, 430.0)),
        ((-2750.0, 0.0, 460.7), (-3250.0, 0.0, 520.0)),
    )
    rods = [Rod(inner, outer) for inner, outer in _links(links)]
    rear = Axle(
        "solid axle on leaf springs",
        solid_axle(m((-3250.0, 800.0, 370.0)), [*rods, Plane(m((-3250.0, 0.0, 420.0)), (0.0, 1.0, 0.0))]),
        {
            "spring": Seat(OnBody(m((-3250.0, 525.0, 430.0)))),
            "damper": TwoPoint(m((-3430.0, 430.0, 720.0)), OnBody(m((-3330.0, 500.0, 310.0)))),
        },
        knots(140.0, 10.0),
        solid=True,
    )
    return Car("light_truck", Layout(wheelbase=3.25, cg_height=0.71, brake_front=0.66, drive_front=0.0), front, rear)


def _push_rod(
    arm: Arm,
    foot: Triple,
    pivot: Triple,
    joint: Triple,
    damper: Link,
    third: Triple,
    bar: tuple[Triple, Triple, Triple],
) -> dict[str, Element]:
    """A push-rod from the foot on a wishbone to a rocker that turns about a line along the car.

    A torsion bar on that line is the spring; damper (chassis, rocker), third element from a point of the rocker to that
    of the other side, and bar (bearing, end, foot of the link on the rocker) move with the rocker.
    """
    rocker = Rocker(m(pivot), (1.0, 0.0, 0.0), m(joint), _on_arm(foot, arm))

    def on(point: Triple) -> OnRocker:
        return OnRocker(m(point), rocker)

    return {
        "spring": rocker,
        "damper": TwoPoint(m(damper[0]), on(damper[1])),
        "third": ToMirror(on(third)),
        "anti_roll_bar": BarEnd(m(bar[0]), m(bar[1]), on(bar[2])),
    }


def formula() -> Car:
    """Single-seater with open wheels; double wishbones, push-rods and rockers front and rear."""
    lower: Arm = ((190.0, 180.0, 126.3), (-230.0, 180.0, 133.2), (3.1, 752.6, 142.0))
    upper: Arm = ((150.0, 215.0, 339.1), (-240.0, 215.0, 333.0), (-22.8, 722.4, 388.0))
    tie_rod: Link = ((85.0, 177.5, 190.4), (112.0, 742.0, 215.0))
    front = Axle(
        "double wishbone with push-rods",
        double_wishbone(m((0.0, 790.0, 267.4)), _arm(lower), _arm(upper), (m(tie_rod[0]), m(tie_rod[1])), steered=True),
        _push_rod(
            lower,
            (0.0, 690.0, 155.0),
            (-30.0, 190.0, 440.0),
            (-30.0, 230.0, 491.0),
            ((-30.0, 96.0, 200.0), (-30.0, 100.0, 440.0)),
            (-30.0, 190.0, 500.0),
            ((-130.0, 0.0, 560.0), (-60.0, 250.0, 560.0), (-60.0, 250.0, 440.0)),
        ),
        knots(40.0, 4.0),
        RACK,
        MM * 70.0,
    )
    lower = ((-2620.0, 200.0, 168.4), (-3010.0, 180.0, 156.4), (-2945.0, 728.0, 150.0))
    upper = ((-2680.0, 240.0, 390.6), (-3000.0, 220.0, 380.6), (-2955.0, 705.0, 405.0))
    tie_rod = ((-3055.0, 193.5, 197.9), (-3060.0, 728.0, 195.0))
    rear = Axle(
        "double wishbone with push-rods",
        double_wishbone(
            m((-2950.0, 770.0, 289.1)), _arm(lower), _arm(upper), (m(tie_rod[0]), m(tie_rod[1])), steered=False
        ),
        _push_rod(
            lower,
            (-2950.0, 660.0, 165.0),
            (-2900.0, 180.0, 470.0),
            (-2900.0, 222.0, 522.0),
            ((-2900.0, 86.0, 230.0), (-2900.0, 90.0, 470.0)),
            (-2900.0, 180.0, 530.0),
            ((-2800.0, 0.0, 590.0), (-2870.0, 240.0, 590.0), (-2870.0, 240.0, 470.0)),
        ),
        knots(40.0, 4.0),
    )
    return Car("formula", Layout(wheelbase=2.95, cg_height=0.285, brake_front=0.56, drive_front=0.0), front, rear)


CARS: dict[str, Callable[[], Car]] = {
    "compact": compact,
    "sedan": sedan,
    "suv": suv,
    "sports": sports,
    "light_truck": light_truck,
    "formula": formula,
}
