"""What most cars of a class show at design height.

This is engineering experience, no standard and no measurement of a named car. A car outside a range is probably wrong,
or its provenance says why. Units as in `figures`: mm, deg, deg/m, %.
"""

from __future__ import annotations

Range = tuple[float, float]

COLUMNS = ("compact", "sedan", "suv", "sports", "light_truck")
CLASSES = (*COLUMNS, "formula")

# figure -> its range per class, in the order of COLUMNS; None: the figure means nothing for that type of axle
RANGES: dict[str, tuple[Range | None, ...]] = {
    "wheelbase": ((2580, 2720), (2750, 3000), (2650, 2950), (2400, 2700), (3000, 3700)),
    "track_front": ((1510, 1570), (1540, 1620), (1570, 1680), (1550, 1660), (1520, 1720)),
    "track_rear": ((1510, 1570), (1540, 1620), (1570, 1680), (1550, 1660), (1520, 1720)),
    "roll_centre_front": ((40, 110), (30, 100), (60, 130), (10, 80), (40, 120)),
    "roll_centre_rear": ((110, 220), (70, 150), (90, 180), (40, 120), (330, 500)),
    "bump_steer_front": ((1, 8), (1, 6), (1, 7), (0, 4), (1, 8)),
    "bump_steer_rear": (None, (0, 5), (0, 5), (0, 3), None),
    "roll_steer_rear": ((3, 9), None, None, None, (2, 9)),
    "camber_gain_front": ((-22, -8), (-28, -10), (-25, -8), (-32, -15), (-28, -10)),
    # of axles 0 in parallel travel; "about 0" is taken as half a degree per metre
    "camber_gain_rear": ((-0.5, 0.5), (-32, -15), (-30, -12), (-35, -18), (-0.5, 0.5)),
    "roll_camber_rear": ((-12, -3), None, None, None, None),
    "anti_dive_front": ((10, 35), (15, 40), (15, 40), (10, 35), (5, 35)),
    "anti_lift_rear": ((40, 90), (30, 70), (30, 70), (15, 50), (30, 90)),
    "caster": ((3, 6), (5, 8), (3, 7), (5, 9), (3, 6)),
    "mechanical_trail": ((12, 28), (18, 32), (15, 32), (15, 32), (15, 35)),
    "kingpin_inclination": ((11, 15), (6, 14), (9, 14), (7, 13), (8, 13)),
    "scrub_radius": ((-15, 5), (-10, 15), (-10, 20), (0, 25), (0, 50)),
    "steering_ratio": ((14.5, 16.5), (13.5, 16), (14.5, 17.5), (12, 14.5), (16, 19)),
}

# Single-seaters with push-rods, slicks and wings
FORMULA: dict[str, Range] = {
    "wheelbase": (2800, 3100),
    "track_front": (1450, 1650),
    "track_rear": (1450, 1650),
    "roll_centre_front": (-20, 40),
    "roll_centre_rear": (10, 70),
    "bump_steer_front": (0, 1.5),
    "bump_steer_rear": (0, 1.5),
    "camber_gain_front": (-30, -10),
    "camber_gain_rear": (-25, -8),
    "anti_dive_front": (0, 40),
    "anti_lift_rear": (0, 40),
    "caster": (4, 9),
    "mechanical_trail": (10, 25),
    "kingpin_inclination": (4, 10),
    "scrub_radius": (5, 35),
    "steering_ratio": (8, 12),
}


def range_of(figure: str, car: str) -> Range | None:
    """The range of a figure for a class, None where there is none."""
    return FORMULA.get(figure) if car == "formula" else RANGES[figure][COLUMNS.index(car)]
