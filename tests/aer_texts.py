"""AER files for tests: standard, advanced of version 1.0 and 2.0 with every block, user."""

from __future__ import annotations

import numpy as np

HEAD = """[MDI_HEADER]
FILE_TYPE = 'aer'
FILE_VERSION = {version}
FILE_FORMAT = 'ASCII'
[UNITS]
(BASE)
{{length force angle mass time}}
'mm' 'newton' 'degrees' 'kg' 'sec'
(USER)
{{unit_type length force angle mass time conversion}}
'kmh' 1 0 0 0 -1 277.7777777777778
'kgpm3' -3 0 0 1 0 1.0E-9
"""

STANDARD = (
    HEAD.format(version=5)
    + """[TEST_CONDITIONS]
reference_velocity <kmh> = 180.0
air_density <kgpm3> = 1.2
reference_density = 1.25
front_ride_height_min = 20.0
front_ride_height_max = 60.0
rear_ride_height_min = 30.0
rear_ride_height_max = 80.0
drag_arm_height_min = 0.0
drag_arm_height_max = 600.0
[FRONT_DOWNFORCE]
(Z_DATA)
{rear_ride_height}
30.0
80.0
(XY_DATA)
{front_ride_height downforce}
20.0 1500.0 1600.0
60.0 1300.0 1380.0
[REAR_DOWNFORCE]
(Z_DATA)
{rear_ride_height}
30.0
80.0
(XY_DATA)
{front_ride_height downforce}
20.0 1900.0 1850.0
60.0 1950.0 1900.0
[DRAG]
(Z_DATA)
{rear_ride_height}
30.0
80.0
(XY_DATA)
{front_ride_height drag}
20.0 1100.0 1120.0
60.0 1080.0 1100.0
"""
)

FRONT, REAR = (0, 60, 150, 310), (0, 110, 230, 360, 500)


def map_of(name: str, seed: int, low: float, high: float) -> str:
    values = np.random.default_rng(seed).uniform(low, high, (len(FRONT), len(REAR))).round(4)
    rows = "".join(f"{f} " + " ".join(f"{v:g}" for v in row) + "\n" for f, row in zip(FRONT, values, strict=True))
    levels = "".join(f"{r}\n" for r in REAR)
    return f"[{name}]\n(Z_DATA)\n{{rear_ride_height}}\n{levels}(XY_DATA)\n{{front_ride_height value}}\n{rows}"


def factor_of(name: str, seed: int) -> str:
    rng = np.random.default_rng(seed)
    reach = {"YAW": 25.0, "PITCH": 5.0, "ROLL": 4.0, "STEERING": 12.0}[name.rpartition("_")[2]]
    rows = zip((-reach, -0.4 * reach, 0.0, 0.7 * reach), rng.uniform(0.7, 1.3, 4).round(3), strict=True)
    return f"[{name}]\n{{angle effect}}\n" + "".join(f"{x:g} {y:g}\n" for x, y in rows)


ANGLES = ("YAW", "PITCH", "ROLL", "STEERING")
GENERAL = """[GENERAL_PARAMETERS]
AIR_DENSITY <kgpm3> = 1.19
AERO_FRONTAL_AREA = 1.9e6
FRONT_RIDE_HEIGHT_MIN = 20
FRONT_RIDE_HEIGHT_MAX = 280
REAR_RIDE_HEIGHT_MIN = 30
REAR_RIDE_HEIGHT_MAX = 450
"""
OFFSETS = """[OFFSET_PARAMETERS]
VELOCITY_THRESHOLD <kmh> = 90
REFERENCE_VELOCITY_OF_OFFSET <kmh> = 50
CZ = 0.11
{balance} = 1.3
CX_BODY = 0.01
CX_FRONT = 0.02
CX_REAR = 0.03
"""


def _maps(balance: str) -> str:
    found = (("CZ", 1, 1.0, 2.0), (balance, 2, 35.0, 55.0), ("CX_BODY", 3, 0.3, 0.5), ("CX_FRONT", 4, 0.02, 0.1),
             ("CX_REAR", 5, 0.1, 0.2))  # fmt: skip
    return "".join(map_of(*item) for item in found)


def _factors(groups: tuple[str, ...], seed: int) -> str:
    names = [f"{group}_{angle}" for group in groups for angle in ANGLES]
    return "".join(factor_of(name, seed + i) for i, name in enumerate(names))


V1 = (
    HEAD.format(version=1.0)
    + "$ measured on a Tuesday\n"
    + GENERAL
    + OFFSETS.format(balance="BALANCE")
    + _maps("BALANCE")
    + _factors(("CB", "CF", "CR", "CD"), 50)
)
V2 = (
    HEAD.format(version=2.0)
    + "[MODEL]\nPROPERTY_FILE_FORMAT = 'ADVANCED'\n"
    + GENERAL
    + "DRAG_ARM_HEIGHT_MIN = -1000\nDRAG_ARM_HEIGHT_MAX = 1000\n"
    + OFFSETS.format(balance="BALANCE_Z")
    + _maps("BALANCE_Z")
    + map_of("CY", 6, 0.6, 1.4)
    + map_of("BALANCE_Y", 7, 30.0, 70.0)
    + map_of("CMX", 8, -200.0, 400.0)
    + _factors(("CZB", "CZF", "CZR", "CX", "CYB", "CYF", "CYR", "CMXB", "CMXF", "CMXR"), 50)
    + "[WIND_EFFECT]\nDIRECTION = 150\nSPEED = 6000\n"
)
USER = """[MDI_HEADER]
FILE_TYPE = 'aer'
FILE_VERSION = 1.0
[UNITS]
(BASE)
{length force angle mass time}
'foot' 'pound' 'degrees' 'lbf' 'sec'
(USER)
{unit_type length force angle mass time conversion}
'area' 2 0 0 0 0 1.0
[MODEL]
PROPERTY_FILE_FORMAT = 'USER'
FUNCTION_NAME = 'user_aero::aero_sample'
[USER_DEFINED]
FRONTAL_AREA <area> = 20.0
CD = 0.4
NAME = 'mine'
"""
