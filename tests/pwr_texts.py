"""A PWR file with everything in it."""

from __future__ import annotations

PWR = """[MDI_HEADER]
FILE_TYPE = 'pwr'
FILE_VERSION = 1.0
FILE_FORMAT = 'ASCII'
[UNITS]
(BASE)
{length force angle mass time}
'mm' 'newton' 'degrees' 'kg' 'sec'
(USER)
{unit_type length force angle mass time conversion}
'rpm' 0 0 1 0 -1 6.0
'torque' 1 1 0 0 0 1.0
[ENGINE_MAP_LIST]
GEAR_DEPENDENCY = 'TRUE'
GENERIC_MAP = 'ENGINE'
REVERSE_GEAR = 'SLOW'
GEAR_1 = 'SLOW'
[ENGINE]
(Z_DATA)
{throttle}
0.0
0.5
1.0
(XY_DATA)
{engine_speed <rpm> torque@throttle <torque>}
0 0 0 0
1000 -30000 90000 180000
6000 -60000 130000 240000
8000 -70000 100000 210000
[SLOW]
(Z_DATA)
{throttle}
0.0
1.0
(XY_DATA)
{engine_speed <rpm> torque@throttle <torque>}
0 0 0
1000 -30000 150000
8000 -60000 200000
[ENGINE_BRAKING]
(Z_DATA)
{brake}
0.0
1.0
(XY_DATA)
{engine_speed <rpm> torque@throttle <torque>}
0 0 0
6000 0 120000
[COASTING]
{engine_speed <rpm> torque <torque>}
0 0
6000 -8000
"""
