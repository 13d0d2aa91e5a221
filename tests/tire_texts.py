"""A file of a rig test and one of a measurement of tires, short and whole."""

TDX = """**HEADER
RELEASE                                 1.3
**CONSTANTS
INFLPRES  Inflation pressure            bar       2.4
**MEASURCHANNELS
SLIPANGL  Slip angle                    deg       1         0         0
FZW       Wheel load                    N         1         0         0
FYW       Lateral force                 N         1         0         0
**MEASURDATA
-4.0 4000 3300
0.0 4010 -20
4.0 3990 -3300
**END
"""
VTT = """[VIGRADE_HEADER]
FILE_TYPE = 'vtt'
[UNITS]
ANGLE = 'degrees'
[MODEL]
TIRE_PROPERTY_FILE = 'a.tir'
PRELOAD_CONSTANT = 4000
[SYSTEM]
INTEGRATION_STEP = 0.001
TIRE_INTEGRATOR_ACTIVE = 'TRUE'
TIRE_INTEGRATION_STEP = 0.0001
[ANALYSIS]
OUTPUT_PREFIX = 'a'
OUTPUT_STEP = 0.01
END_TIME = 3
VELOCITY = 20
TYPE = 'FREE_INPUT'
(TOE)
TOE_FUNCTION_TYPE = 'USER'
SPLINE_NAME = 'S'
[S]
(VALUES)
{x y}
0 0
1 2
2 -3
"""
