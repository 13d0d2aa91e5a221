"""What most cars of a class show with a driver and half the fuel on board.

This is engineering experience, no standard and no measurement of a named car; the ranges of one class fit together. A
car outside a range is probably wrong, or its provenance says why. Figures as in `car_figures`; those of kinematics have
their ranges in `kinematics.ranges`.
"""

from __future__ import annotations

from kinematics.ranges import CLASSES as CLASSES
from kinematics.ranges import COLUMNS, Range
from kinematics.ranges import FORMULA as FORMULA_KINEMATIC
from kinematics.ranges import RANGES as KINEMATIC

Row = tuple[Range, Range, Range, Range, Range]

# figure -> its range per class: compact, sedan, suv, sports, light_truck
RANGES: dict[str, Row] = {
    # kg, %, m, kg.m2
    "mass": ((1250, 1450), (1500, 1800), (1700, 2300), (1350, 1600), (1950, 2500)),
    "front_weight": ((58, 64), (48, 55), (53, 60), (38, 46), (54, 60)),
    "cg_height": ((0.52, 0.57), (0.51, 0.57), (0.62, 0.74), (0.43, 0.48), (0.65, 0.78)),
    "ssf": ((1.34, 1.50), (1.38, 1.55), (1.10, 1.30), (1.6, 1.9), (1.03, 1.22)),
    "ixx": ((420, 560), (530, 700), (700, 1000), (380, 540), (780, 1150)),
    "dynamic_index": ((0.88, 1.00), (0.83, 0.96), (0.90, 1.02), (0.80, 0.97), (0.90, 1.10)),
    "iyy_over_izz": ((0.90, 0.97), (0.90, 0.97), (0.90, 0.97), (0.90, 0.97), (0.90, 0.97)),
    "unsprung_front": ((32, 40), (38, 48), (45, 58), (38, 48), (48, 65)),
    "unsprung_rear": ((28, 38), (36, 48), (43, 58), (42, 55), (70, 95)),
    "spin_inertia_front": ((0.7, 1.0), (0.9, 1.3), (1.3, 1.9), (1.0, 1.8), (1.7, 2.6)),
    "spin_inertia_rear": ((0.7, 1.0), (0.9, 1.3), (1.3, 1.9), (1.0, 1.8), (1.7, 2.6)),
    # N/mm, Hz, -, N.m/deg, %, deg/g, mm
    "wheel_rate_front": ((21, 28), (23, 32), (28, 40), (38, 70), (32, 48)),
    "wheel_rate_rear": ((19, 27), (25, 35), (30, 45), (45, 85), (28, 45)),
    "ride_frequency_front": ((1.15, 1.35), (1.05, 1.35), (1.15, 1.40), (1.5, 2.2), (1.2, 1.5)),
    "ride_frequency_ratio": ((1.08, 1.25), (1.05, 1.25), (1.05, 1.25), (1.0, 1.2), (1.1, 1.4)),
    "tire_rate_front": ((180, 225), (210, 265), (225, 285), (240, 340), (220, 290)),
    "tire_rate_rear": ((180, 225), (210, 265), (225, 285), (240, 340), (220, 290)),
    "wheel_hop_front": ((11, 14), (11, 14), (10.5, 13), (12, 15), (11, 13)),
    "wheel_hop_rear": ((11, 14), (11, 14), (10.5, 13), (12, 15), (8, 11)),
    "damping_ratio_front": ((0.22, 0.35), (0.20, 0.33), (0.22, 0.35), (0.30, 0.50), (0.20, 0.35)),
    "damping_ratio_rear": ((0.22, 0.35), (0.20, 0.33), (0.22, 0.35), (0.30, 0.50), (0.20, 0.35)),
    "rebound_over_bump_front": ((1.8, 3.0), (1.8, 3.0), (1.8, 3.0), (1.3, 2.2), (1.6, 2.6)),
    "rebound_over_bump_rear": ((1.8, 3.0), (1.8, 3.0), (1.8, 3.0), (1.3, 2.2), (1.6, 2.6)),
    "roll_stiffness": ((1300, 1900), (1600, 2400), (2200, 3200), (2200, 3500), (1900, 3000)),
    "tlltd": ((56, 64), (52, 60), (54, 62), (44, 53), (51, 60)),
    "roll_gradient": ((4.0, 5.5), (3.4, 5.0), (4.3, 6.3), (1.9, 3.0), (4.8, 7.0)),
    "dive_gradient": ((1.6, 2.6), (1.2, 2.0), (1.6, 2.6), (0.7, 1.3), (1.4, 2.4)),
    "bump_travel_front": ((75, 95), (75, 95), (85, 110), (50, 75), (75, 110)),
    "bump_travel_rear": ((75, 95), (75, 95), (85, 110), (50, 75), (75, 110)),
    "droop_travel_front": ((75, 100), (80, 105), (90, 120), (55, 80), (85, 130)),
    "droop_travel_rear": ((75, 100), (80, 105), (90, 120), (55, 80), (85, 130)),
    # 1/deg, -, deg, -, m, mm, N/kN: the tire at its static load
    "cornering_stiffness_front": ((0.25, 0.36), (0.27, 0.38), (0.23, 0.33), (0.34, 0.52), (0.17, 0.27)),
    "cornering_stiffness_rear": ((0.25, 0.36), (0.27, 0.38), (0.23, 0.33), (0.34, 0.52), (0.17, 0.27)),
    "mu_y_front": ((0.95, 1.10), (0.98, 1.12), (0.88, 1.02), (1.10, 1.30), (0.80, 0.94)),
    "mu_y_rear": ((0.95, 1.10), (0.98, 1.12), (0.88, 1.02), (1.10, 1.30), (0.80, 0.94)),
    "mu_ratio_front": ((1.05, 1.15), (1.05, 1.15), (1.05, 1.15), (1.05, 1.15), (1.05, 1.15)),
    "mu_ratio_rear": ((1.05, 1.15), (1.05, 1.15), (1.05, 1.15), (1.05, 1.15), (1.05, 1.15)),
    "alpha_peak_front": ((6, 10), (6, 10), (7, 11), (5, 8), (8, 13)),
    "alpha_peak_rear": ((6, 10), (6, 10), (7, 11), (5, 8), (8, 13)),
    "kappa_peak_front": ((0.08, 0.15), (0.08, 0.14), (0.09, 0.16), (0.07, 0.12), (0.10, 0.18)),
    "kappa_peak_rear": ((0.08, 0.15), (0.08, 0.14), (0.09, 0.16), (0.07, 0.12), (0.10, 0.18)),
    "relaxation_front": ((0.3, 0.6), (0.35, 0.65), (0.4, 0.75), (0.3, 0.6), (0.45, 0.9)),
    "relaxation_rear": ((0.3, 0.6), (0.35, 0.65), (0.4, 0.75), (0.3, 0.6), (0.45, 0.9)),
    "pneumatic_trail_front": ((22, 40), (25, 42), (28, 48), (20, 38), (35, 60)),
    "pneumatic_trail_rear": ((22, 40), (25, 42), (28, 48), (20, 38), (35, 60)),
    "rolling_resistance_front": ((8, 11), (8, 11), (8, 11.5), (9, 13), (9, 13)),
    "rolling_resistance_rear": ((8, 11), (8, 11), (8, 11.5), (9, 13), (9, 13)),
    # deg/kN understeer positive, deg/(kN.m), deg/kN, mm/kN
    "fy_steer_front": ((0.08, 0.25), (0.06, 0.20), (0.06, 0.20), (0.02, 0.10), (0.08, 0.25)),
    "fy_steer_rear": ((-0.08, 0.02), (-0.02, 0.05), (-0.03, 0.05), (-0.01, 0.03), (-0.03, 0.03)),
    "mz_steer_front": ((5, 13), (4, 11), (4, 11), (2, 6), (5, 14)),
    "fy_camber_front": ((0.15, 0.40), (0.12, 0.35), (0.12, 0.35), (0.06, 0.18), (0.12, 0.35)),
    "fx_compliance_front": ((2.5, 6), (2, 6), (2, 6), (0.8, 2.5), (1.5, 4)),
    # N.m at 4 m/s2 without assistance; deg/g; %; m2; s
    "hand_torque": ((8, 15), (8, 16), (10, 19), (6, 13), (11, 22)),
    "rear_compliance": ((2.5, 3.8), (2.2, 3.4), (2.6, 4.0), (1.7, 2.6), (3.0, 5.0)),
    "understeer_gradient": ((2.0, 3.6), (1.2, 2.6), (1.9, 3.6), (0.7, 2.0), (2.4, 4.6)),
    "brake_share": ((66, 78), (62, 72), (62, 72), (55, 66), (60, 72)),
    "drag_area": ((0.60, 0.70), (0.54, 0.66), (0.74, 0.98), (0.62, 0.80), (0.95, 1.30)),
    "lift_area": ((0, 0.25), (0, 0.25), (0, 0.30), (-1.2, -0.2), (0, 0.4)),
}

# Single-seaters of 250 to 300 kW with slicks, wings and heave elements. Wheel rates and damping are those in heave,
# with the third elements; drag and lift are those at design height. Units as above.
FORMULA: dict[str, Range] = {
    "mass": (640, 800),
    "front_weight": (42, 47),
    "cg_height": (0.26, 0.32),
    "ssf": (2.5, 3.1),
    "ixx": (60, 110),
    "dynamic_index": (0.50, 0.70),
    "iyy_over_izz": (0.90, 0.97),
    "unsprung_front": (15, 22),
    "unsprung_rear": (18, 26),
    "wheel_rate_front": (110, 250),
    "wheel_rate_rear": (100, 220),
    "ride_frequency_front": (3.5, 6.5),
    "ride_frequency_ratio": (0.9, 1.15),
    "roll_stiffness": (3000, 9000),
    "tlltd": (45, 58),
    "roll_gradient": (0.25, 0.8),
    "dive_gradient": (0.1, 0.3),
    "hand_torque": (3, 9),
    "rear_compliance": (1.2, 2.2),
    "understeer_gradient": (-0.3, 1.0),
    "brake_share": (53, 60),
    "drag_area": (0.9, 1.3),
    "lift_area": (-4, -2.2),
    **{
        f"{name}_{place}": limits
        for place in ("front", "rear")
        for name, limits in {
            "spin_inertia": (0.4, 0.8),
            "tire_rate": (190, 300),
            "wheel_hop": (18, 28),
            "damping_ratio": (0.5, 1.0),
            "rebound_over_bump": (1.0, 1.8),
            "bump_travel": (20, 35),
            "droop_travel": (15, 30),
            "cornering_stiffness": (0.50, 0.80),
            "mu_y": (1.5, 1.85),
            "mu_ratio": (1.05, 1.15),
            "alpha_peak": (4, 7),
            "kappa_peak": (0.06, 0.12),
            "relaxation": (0.15, 0.35),
            "pneumatic_trail": (12, 28),
            "rolling_resistance": (12, 20),
        }.items()
    },
}

# Electric saloons with two motors. What is not here they share with the sedan, whose links they have.
BEV: dict[str, Range] = {
    "mass": (1850, 2350),
    "front_weight": (47, 52),
    "cg_height": (0.46, 0.54),
    "ssf": (1.48, 1.75),
    "ixx": (620, 850),
    "dynamic_index": (0.80, 0.92),
    "unsprung_front": (46, 60),
    "unsprung_rear": (46, 62),
    "wheel_rate_front": (30, 42),
    "wheel_rate_rear": (32, 48),
    "ride_frequency_front": (1.15, 1.45),
    "ride_frequency_ratio": (1.05, 1.20),
    "roll_stiffness": (2800, 4000),
    "tlltd": (51, 58),
    "roll_gradient": (2.5, 3.8),
    "dive_gradient": (1.0, 1.8),
    "hand_torque": (10, 20),
    "fy_steer_front": (0.05, 0.18),
    "mz_steer_front": (3.5, 10),
    "understeer_gradient": (1.4 - 0.3, 2.8),
    "rear_compliance": (2.3, 3.4),
    "brake_share": (60, 70),
    "drag_area": (0.50, 0.62),
    "lift_area": (0, 0.2),
    **{
        f"{name}_{place}": limits
        for place in ("front", "rear")
        for name, limits in {
            "spin_inertia": (1.2, 1.8),
            "tire_rate": (235, 300),
            "wheel_hop": (10.5, 13.5),
            "damping_ratio": (0.25, 0.38),
            "rebound_over_bump": (1.7, 2.8),
            "bump_travel": (70, 95),
            "droop_travel": (75, 100),
            "rolling_resistance": (7, 10),
            "cornering_stiffness": (0.26, 0.38),
            "mu_y": (0.95, 1.10),
            "relaxation": (0.4, 0.7),
            "pneumatic_trail": (25, 45),
        }.items()
    },
}
ELECTRIFIED = ("bev", "hybrid")  # cars on the links of the sedan, with drivelines of their own
TRUCKS = ("box_van", "car_caravan", "rigid_truck", "tractor_semitrailer")  # by make_trucks

# Formula (7) of `car_figures` leaves out what load transfer does to stiffness and trail of the tires: deg/g less than
# an event shows, which has to be inside without such an allowance (tests/events/test_library_cars.py)
ROUGH = {"understeer_gradient": 0.3}

# Figures that have a range in such tables and cannot be computed from these data yet: figure -> why
WAITING = {
    "characteristic speed, yaw gain, hand wheel angles, ay_max, step and frequency response": "need runs",
    "stopping distance, mfdd": "need runs",
    "acceleration, consumption": "need runs",
}


def range_of(figure: str, car: str) -> Range | None:
    """The range of a figure for a class, None where there is none."""
    if car == "formula":  # it has compliance
        return FORMULA.get(figure, FORMULA_KINEMATIC.get(figure))
    if car == "bev" and figure in BEV:
        return BEV[figure]
    i = COLUMNS.index("sedan" if car in ELECTRIFIED else car)
    found = RANGES[figure][i] if figure in RANGES else KINEMATIC[figure][i] if figure in KINEMATIC else None
    return None if found is None else (found[0] - ROUGH.get(figure, 0.0), found[1])
