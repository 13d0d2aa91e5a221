"""Events of older driving machines, made for these tests, in millimetres and degrees."""

HEAD = """[MDI_HEADER]
FILE_TYPE = '{kind}'
FILE_VERSION = 2.0
FILE_FORMAT = 'ASCII'
(COMMENTS)
{{comment_string}}
'made for a test'
[UNITS]
LENGTH = 'mm'
FORCE = 'newton'
ANGLE = 'deg'
MASS = 'kg'
TIME = 'sec'
"""

SDF = (
    HEAD.format(kind="sdf")
    + """[MODEL]
TYPE = 'VEHICLE_STANDARD'
MODE = 'ADAMS'
FORMAT = 'STANDARD'
REF_SYSTEM = 'RELATIVE'
INITIAL_PATH = 'AUTO'
[CONTROLLER]
MIN_PREVIEW_DISTANCE = 6000
TIRE_FZ_CONTROL = 'YES'
RPM_CONTROL = 'YES'
RAX_SATURATION = 'NO'
KICKDOWN_CONTROL = 'YES'
GEAR_OPENTHROTTLE_CONTROL = 'YES'
STEER_SIGMA_RESMAX = 5
[VEHICLE]
STEERING_MODE = 1
WHEELBASE = 2700
GEAR_SHIFT_TIME = 0.25
GEAR_SHIFT_DELAY = 0.02
CLUTCH_RAISE_TIME = 0.11
MIN_GEAR = 1
MAX_GEAR = 3
GEAR_UPSHIFT_RPM = 6000
GEAR_2_UPSHIFT_RPM = 5500
GEAR_2_DOWNSHIFT_RPM = 1800
GEAR_1_RATIO = 3.5
MIN_RPM_LIMIT = 750
STEERING_ANGLE_MAX = 540
STEERING_ANGLE_MIN = -530
STEERING_RATIO = 16
[MANEUVER]
INITIAL_SPEED = 20000
INITIAL_STEER = 10
INITIAL_THROTTLE = 30
INITIAL_GEAR = 3
STATIC_SETUP = 'SETTLE'
(MANEUVERS)
{ name abort_time step_size }
'OPEN1' 6.0 1.0E-2
'OPEN2' 5.0 2.0E-2
'DRIVE1' 9.0 1.0E-2
'DRIVE2' 8.0 1.0E-2
'DRIVE3' 7.0 1.0E-2
[OPEN1]
TASK = 'NORMAL'
SMOOTHING_TIME = 0.2
(STEERING)
METHOD = 'OPEN'
ACTUATOR_TYPE = 'ROTATION'
CONTROL_TYPE = 'STEP'
MODE = 'ABSOLUTE'
START_TIME = 1.0
DURATION = 0.5
FINAL_VALUE = 50
(THROTTLE)
METHOD = 'OPEN'
CONTROL_TYPE = 'RAMP'
START_TIME = 0.5
RAMP_VALUE = 12
(BRAKING)
METHOD = 'OPEN'
CONTROL_TYPE = 'IMPULSE'
START_TIME = 2
DURATION = 0.4
MAXIMUM_VALUE = 25
(GEAR)
METHOD = 'OPEN'
CONTROL_TYPE = 'CONSTANT'
CONTROL_VALUE = 3
(CLUTCH)
METHOD = 'USER'
[OPEN2]
TASK = 'NORMAL'
TIME_REF_MODE = 'RELATIVE'
(STEERING)
METHOD = 'OPEN'
CONTROL_TYPE = 'SINE'
START_TIME = 0.75
CYCLE_LENGTH = 2.5
AMPLITUDE = -40
(THROTTLE)
METHOD = 'OPEN'
CONTROL_TYPE = 'SWEPT_SINE'
START_TIME = 0.3
AMPLITUDE = 7
INITIAL_FREQUENCY = 0.5
FREQUENCY_RATE = 0.4
MAXIMUM_FREQUENCY = 2
(BRAKING)
METHOD = 'OPEN'
CONTROL_TYPE = 'DATA_DRIVEN'
FILE_NAME = 'replay.dcd'
(GEAR)
METHOD = 'OPEN'
CONTROL_TYPE = 'DATA_MAP'
(CLUTCH)
METHOD = 'OPEN'
CONTROL_TYPE = 'CONSTANT'
MODE = 'RELATIVE'
CONTROL_VALUE = 0.25
(END_CONDITIONS)
{measure test value allowed_error filter_time delay_time group}
'VELOCITY' '<<' 1400 100 0.1 0.2 '----'
'YAW_RATE' '|>|' 30 0 0 0 'spin'
'MY_SENSOR' '>>' 7 0 0 0 'spin'
"""
    + "".join(
        f"""[DRIVE{i}]
TASK = 'NORMAL'
(STEERING)
METHOD = 'MACHINE'
(THROTTLE)
METHOD = 'MACHINE'
(BRAKING)
METHOD = 'MACHINE'
(GEAR)
METHOD = 'MACHINE'
(CLUTCH)
METHOD = 'MACHINE'
(MACHINE_CONTROL)
PATH_CONTROL = '{path}'
{more}
SPEED_CONTROL = '{speed}'
SPEED_MAP = '{of}'
"""
        for i, path, more, speed, of in (
            (1, "STRAIGHT", "", "MAP", "MAP_1"),
            (
                2,
                "SKIDPAD",
                "RADIUS = 50000\nTURN_ENTRY_DISTANCE = 30000\nTURN_DIRECTION = 'RIGHT'\nAMPLITUDE = 720\n"
                "STEP_SIZE = 500",
                "ACCMAP",
                "MAP_2",
            ),
            (3, "PATH", "DRIVER_PATH = 'PATH_1'", "ACCMAP2", "MAP_2"),
        )
    )
    + """[PATH_1]
TYPE = 'MEASURED'
INTERPOLATION = 'CUBIC'
INTERPOLATION_STEP = 400
REF_X = 1500
REF_AZ = 90
(MEASURED)
{x y z}
0.0 0.0 0.0
10000.0 500.0 100.0
20000.0 2000.0 200.0
[MAP_1]
MAP_TYPE = 'SPEED_S'
(MAP)
{track_s speed}
0 20000
100000 25000
[MAP_2]
MAP_TYPE = 'ACCELERATION_T'
(MAP)
{t ax}
0 1000
4 -500
"""
)

DCF = (
    HEAD.format(kind="dcf")
    + """[EXPERIMENT]
EXPERIMENT_NAME = 'Low speed steer'
STATIC_SETUP = 'STRAIGHT'
INITIAL_SPEED = 8000
INITIAL_GEAR = 2
(MINI_MANEUVERS)
{mini_manuever abort_time step_size}
'TURN' 8.0 0.01
[TURN]
(STEERING)
ACTUATOR_TYPE = 'ROTATION'
METHOD = 'OPEN'
MODE = 'ABSOLUTE'
CONTROL_TYPE = 'STEP'
START_TIME = 0.5
INITIAL_VALUE = 0.0
DURATION = 0.1
FINAL_VALUE = -90
(THROTTLE)
METHOD = 'MACHINE'
(BRAKING)
METHOD = 'MACHINE'
(GEAR)
METHOD = 'OPEN'
MODE = 'ABSOLUTE'
CONTROL_TYPE = 'CONSTANT'
CONTROL_VALUE = 2
(CLUTCH)
METHOD = 'OPEN'
CONTROL_TYPE = 'CONSTANT'
CONTROL_VALUE = 0
(MACHINE_CONTROL)
SPEED_CONTROL = 'VEL_POLYNOMIAL'
VELOCITY = 8000
ACCELERATION = 500
JERK = -100
START_TIME = 1
(END_CONDITIONS)
{measure test value allowed_error filter_time delay_time group}
'TIME' '==' 8.0 0.0 0.0 0.0
"""
)

XML = """<?xml version="1.0" encoding="UTF-8"?>
<DcfEvent name="two stages" speed="16000" gear="3" staticSetup="none" pathPositioning="automatic">
  <DcfUnits length="mm" angle="deg" force="newton" mass="kg" time="sec"/>
  <GearShiftingParameters gearShift="0.3" clutchRaise="0.06" clutchFall="0.15" throttleRaise="0.2" throttleFall="0.05"
    rpmControl="false" clutchOffThrottleOnDelay="0.04" clutchOnThrottleOffDelay="0.02"/>
  <DcfMachine samplePeriod="0.02" smoothingTime="0.15" pathDistanceComp="true" pathDistanceCompTolerance="250"
    minPreviewDistance="5500" yawRateCorrection="false" feedForward="true" raxSaturation="false" tireFzControl="true"
    kickdownControl="false" axP="1.5" axI="2.5" axD="3.5" vxP="4.5" vxI="5.5" vxD="6.5" frontAxleCoupling="0.75"/>
  <MiniManeuvers>
    <DcfMini name="follow" active="yes" abortTime="5">
      <Steering actuatorType="rotation" controlMethod="machine" target="path_map">
        <Point y="0" x="0"/><Point x="20000" y="1000"/><Point x="40000" y="4000"/>
      </Steering>
      <Throttle controlMethod="machine" target="speed_s_map">
        <Map><Point x="0" y="16000"/><Point x="30000" y="14000"/></Map>
      </Throttle>
      <Braking controlMethod="machine" target="speed_s_map"/>
      <Gear controlMethod="machine"/>
      <Clutch controlMethod="machine"/>
      <Conditions>
        <Condition name="LAT_ACCEL" test="==" value="5000" allowedError="100" filterTime="0.5" delayTime="0.1"
          groupName="mygroup" conditionType="end"/>
        <Condition measure="VELOCITY" test="&lt;&lt;" value="2000" conditionType="abort"/>
      </Conditions>
    </DcfMini>
    <DcfMini name="swing" active="no" abortTime="4">
      <Steering>
        <actuatorType>rotation</actuatorType><controlMethod>open</controlMethod>
        <SweptSine startTime="0.2" amplitude="30" initialFrequency="0.3" frequencyRate="0.2" maxFrequency="1.1"/>
      </Steering>
      <Throttle controlMethod="open" controlType="data_map"><Point x="0" y="10"/><Point x="2" y="20"/></Throttle>
      <Brake controlMethod="open" controlType="constant" controlMode="absolute" controlValue="0"/>
      <Gear controlMethod="open" controlType="constant" controlValue="3"/>
      <Clutch controlMethod="open" controlType="constant" controlValue="0"/>
      <Lights beam="high"/>
    </DcfMini>
  </MiniManeuvers>
</DcfEvent>
"""
