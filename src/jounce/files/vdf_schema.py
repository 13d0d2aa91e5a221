"""What may stand in a VDF: keys of each kind of block with unit, default, allowed values and bounds.

The reader, the writer, the list of what differs from the defaults and the page of the documentation all take it from
here. Units are those that the number has in SI; some depend on where a block is used:

    channel     what the channel is measured in: rad for steering, a share for pedals and clutch, a number for gears
    channel/s   its rate
    measure     what the measure of an end condition is measured in
    rpm         revolutions per minute, whatever [UNITS] says

Defaults are values that the format's own samples show, except rate limits of pedals and wheel: where they are not
written there are none (docs/decisions/0071).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from jounce.files.property_file import Value

KeyKind = Literal["number", "whole", "flag", "choice", "text", "block"]


@dataclass(frozen=True)
class Key:
    """A key of a block.

    Attributes
    ----------
    name : as written
    kind : number, whole number, flag ('TRUE' or 'FALSE'), one of a few words, text, or the name of a block
    unit : of numbers
    default : where the key is missing; None: there is none
    allowed : words of a choice
    low, high : bounds in SI, themselves allowed unless ``above``
    required : an error where it is missing
    aliases : other spellings of the key
    words : other spellings of the words, each with the word that is meant
    """

    name: str
    kind: KeyKind
    unit: str = "-"
    default: Value | bool | None = None
    allowed: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    above: bool = False
    required: bool = False
    aliases: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class TableOf:
    """A table: its sub-block ("" where it stands in the block itself), columns with units, other names."""

    sub_block: str
    columns: tuple[str, ...]
    units: tuple[str, ...]
    required: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class BlockOf:
    """A kind of block."""

    what: str  # in words, for messages
    keys: tuple[Key, ...] = ()
    tables: tuple[TableOf, ...] = ()
    sub_blocks: dict[str, tuple[Key, ...]] = field(default_factory=dict, hash=False)
    any_table: bool = False  # tables whose columns are bound by their reader

    def key(self, name: str) -> Key | None:
        return find_key(self.keys, name)


def find_key(keys: tuple[Key, ...], name: str) -> Key | None:
    upper = name.upper()
    return next((k for k in keys if upper == k.name or upper in k.aliases), None)


def flag(name: str, default: bool | None = None, **more: object) -> Key:
    return Key(name, "flag", default=default, **more)  # type: ignore[arg-type]


def number(name: str, unit: str = "-", default: float | None = None, **more: object) -> Key:
    return Key(name, "number", unit, default, **more)  # type: ignore[arg-type]


def positive(name: str, unit: str = "-", default: float | None = None, **more: object) -> Key:
    return Key(name, "number", unit, default, low=0.0, above=True, **more)  # type: ignore[arg-type]


def not_negative(name: str, unit: str = "-", default: float | None = None, **more: object) -> Key:
    return Key(name, "number", unit, default, low=0.0, **more)  # type: ignore[arg-type]


def choice(name: str, *allowed: str, default: str | None = None, **more: object) -> Key:
    return Key(name, "choice", default=default, allowed=allowed, **more)  # type: ignore[arg-type]


CHANNELS = ("STEERING", "THROTTLE", "BRAKING", "GEAR", "CLUTCH", "BRAKING2")
ALWAYS = CHANNELS[:5]  # channels that every manoeuvre has; the second brake is that of motorcycles
STEERING_UNITS = {"ANGLE": "rad", "TORQUE": "N.m", "RACK_FORCE": "N", "RACK_DISPLACEMENT": "m"}
LIMIT_BLOCKS = {
    "STEERING": "STEERING_STANDARD",
    "THROTTLE": "THROTTLE_STANDARD",
    "BRAKING": "BRAKING_STANDARD",
    "GEAR": "GEAR_STANDARD",
    "CLUTCH": "CLUTCH_STANDARD",
}
MODULES = ("TIRE", "TIRE_LONSLIP", "GEAR_SCHEDULED", "GEAR_EDS", "HUMAN")
DATA_OF_MODULE = {
    "TIRE": "TIRE",
    "TIRE_LONSLIP": "TIRE_LONSLIP",
    "GEAR_SCHEDULED": "GEAR_MAPPED",
    "GEAR_EDS": "EDS_GEAR",
    "HUMAN": "HUMAN",
}

HEADER = BlockOf(
    "header",
    (
        Key("FILE_TYPE", "text", required=True),
        number("FILE_VERSION", default=9.0),
        Key("FILE_FORMAT", "text", default="ASCII"),
        Key("FILE_NAME", "text"),
    ),
    any_table=True,
)
DEBUG = BlockOf("debug settings", (flag("ACTIVATION", False), flag("INITIALIZATION_DUMP", True)))
POSITIONING = ("ABSOLUTE", "AUTOMATIC", "RAWDATA")
GLOBAL = BlockOf(
    "global settings",
    (
        choice("MODEL_TYPE", "CAR_STANDARD", "MOTORCYCLE_STANDARD", default="CAR_STANDARD"),
        Key("INTERFACE_TYPE", "text"),
        choice("PATH_POSITIONING", *POSITIONING, default="ABSOLUTE"),
        Key("MANEUVER_STOP_MANAGEMENT_MODE", "whole", default=0.0, low=0.0, high=1.0),
    ),
)
CONTROLLER = BlockOf(
    "settings of the controller",
    (
        positive("PREVIEW_TIME", "s", 0.5),
        positive("MIN_PREVIEW_DISTANCE", "m", 5.0),
        number("LAT_ANT_COMP_TIME", "s", 0.0),
        number("LON_ANT_COMP_TIME", "s", 0.0),
        flag("STEERING_PDC_ACTIVE", True),
        not_negative("STEERING_PDC_ACTDIST", "m", 0.1),
        flag("STEERING_YAW_PID_ACTIVE", True),
        flag("THROTTLE_FEED_FWD_TRQ_ACTIVE", True),
        flag("THROTTLE_SAT_TGTACCX_ACTIVE", True, aliases=("THROTTLE_SAT_TGTACX_ACTIVE",)),
        flag("THROTTLE_RATE_LIMITER_ACTIVE", False),
        positive("THROTTLE_ROLLON_MAX_RATE", "1/s", 0.4),
        positive("THROTTLE_ROLLOFF_MAX_RATE", "1/s", 0.4),
        flag("BRAKING_RATE_LIMITER_ACTIVE", False),
        positive("BRAKING_ROLLON_MAX_RATE", "1/s", 0.4),
        positive("BRAKING_ROLLOFF_MAX_RATE", "1/s", 0.4),
        flag("STEERING_RATE_LIMITER_ACTIVE", False),
        positive("STEERING_MAX_RATE", "rad/s", 0.4),
        flag("STEERING_STRAIGHT_LINE_SMOOTHING_ACTIVE", False),
        flag("VARIABLE_STEERING_RATIO_ACTIVE", False),
        choice("PREVIEW_DISTANCE_CALC", "STANDARD", "ADVANCED", default="STANDARD"),
        choice("LONGITUDINAL_SPEED_CONTROL", "LONVEL", "LONACC", default="LONVEL"),
        # ours, beyond the format
        Key("LATERAL_DRIVER", "text", default="contour"),
        flag("KICKDOWN_ACTIVE", False),
        flag("LIFT_CONTROL_ACTIVE", False),
        positive("SAMPLE_TIME", "s"),
    ),
)
STEERING_LIMITS = BlockOf(
    "limits of steering",
    (number("MAX_VALUE", "rad", 12.566370614359172), number("MIN_VALUE", "rad", -12.566370614359172)),
)
_PEDAL = (
    number("MAX_VALUE", default=100.0),
    number("MIN_VALUE", default=0.0),
    positive("SCALING_FACTOR", "-", 100.0),
    positive("FULL_VALUE"),  # ours: the demand that is the whole pedal; absent: 100, or 1 where no limit is above 1
)
THROTTLE_LIMITS = BlockOf(
    "limits of the throttle",
    (
        *_PEDAL,
        number("PID_LONVEL_PROP_GAIN", default=100.0),
        number("PID_LONVEL_INTG_GAIN", default=50.0),
        number("PID_LONVEL_DERIV_GAIN", default=0.0),
        number("PID_LONACC_PROP_GAIN", default=30.0),
        number("PID_LONACC_INTG_GAIN", default=200.0),
        number("PID_LONACC_DERIV_GAIN", default=0.0),
    ),
)
BRAKING_LIMITS = BlockOf("limits of the brake", _PEDAL)
SHIFT = ("sftT", "tfallT", "criseT", "cfallT", "triseT", "dt1", "dt2")
GEAR_COLUMNS = ("id", "opt", "upRPM", "dwRPM", *SHIFT, *SHIFT)
GEAR_UNITS = ("-", "-", "rpm", "rpm", *("s",) * 14)
GEAR_MAP = TableOf("PROPERTIES_MAP", GEAR_COLUMNS, GEAR_UNITS, aliases=("ATTRIBUTES_MAP",))
GEAR_LIMITS = BlockOf(
    "gears and shifts",
    (
        Key("MAX_VALUE", "whole", default=99.0),
        Key("MIN_VALUE", "whole", default=0.0),
        *(
            not_negative(f"{one}SHIFTING_AFTER_{two}SHIFTING_DELAY", "s", 0.0)
            for one in ("UP", "DOWN")
            for two in ("UP", "DOWN")
        ),
    ),
    (GEAR_MAP,),
)
CLUTCH_LIMITS = BlockOf(
    "clutch and standing start",
    (
        number("MAX_VALUE", default=1.0),
        number("MIN_VALUE", default=0.0),
        positive("SCALING_FACTOR", "-", 1.0),
        not_negative("MIN_RPM", "rpm", 500.0),
        not_negative("STARTUP_START_RPM", "rpm", 4000.0),
        not_negative("STARTUP_START_TIME", "s", 3.0),
        number("STARTUP_TARGET_AX", "m/s2", 0.0),
        positive("STARTUP_CLUTCH_FALL_TIME", "s", 2.0),
        number("STARTUP_PID_PROP_GAIN", default=0.0008),
        number("STARTUP_PID_INTG_GAIN", default=0.005),
        number("STARTUP_PID_DERIV_GAIN", default=0.0),
        number("STARTUP_THROTTLE_PID_PROP_GAIN", default=4.0),
        number("STARTUP_THROTTLE_PID_INTG_GAIN", default=10.0),
        number("STARTUP_THROTTLE_PID_DERIV_GAIN", default=0.0),
        flag("THROTTLE_CONTROL_ACTIVATION", True),
        flag("ACTIVATION", True),
        choice("MODEL", "STANDARD", default="STANDARD"),
        positive("FULL_VALUE"),  # ours
    ),
)
SETUPS = ("OFF", "STRAIGHT")
STARTUP = BlockOf(
    "start",
    (
        number("INITIAL_SPEED", "m/s", 35.0),
        number("INITIAL_STEERING", "rad", 0.0),
        not_negative("INITIAL_THROTTLE", "-", 0.0),
        not_negative("INITIAL_BRAKING", "-", 0.0),
        not_negative("INITIAL_BRAKING2", "-", 0.0),
        Key("INITIAL_GEAR", "whole"),
        not_negative("INITIAL_CLUTCH", "-", 0.0),
        number("STARTING_TIME", "s", 0.0),
        choice("INITIAL_SETUP", *SETUPS, default="OFF", words={"STANDARD": "OFF"}),
    ),
)
LIST = BlockOf(
    "list of manoeuvres",
    tables=(TableOf("", ("name", "abort_time", "sampling_step"), ("block", "s", "s"), required=True),),
)
SETUP_KEYS = (
    choice("METHOD", "MACHINE", "OPENLOOP", "USER"),
    Key("SIGNAL", "block"),
    flag("SMOOTHING_ACTIVE", True),
    not_negative("SMOOTHING_TIME", "s", 0.1),
)
CHANNEL_SETUP = BlockOf("set-up of a channel", SETUP_KEYS)
_NAMED = (Key("CONTROLLER_NAME", "block"),)
MANOEUVRE = BlockOf(
    "manoeuvre",
    (
        choice("TASK", "STANDARD", "STARTUP", default="STANDARD", words={"NORMAL": "STANDARD"}),
        Key("CONTROLLER_SETTINGS", "block", default="CONTROLLER_STANDARD"),
        choice("STEERING_BY", *STEERING_UNITS, default="ANGLE"),  # ours: what the steering channel is
        flag("ACTIVE", True),  # ours
    ),
    (TableOf("END_CONDITIONS", ("name",), ("block",)),),
    {
        **dict.fromkeys(CHANNELS, (*_NAMED, *SETUP_KEYS)),
        **dict.fromkeys(MODULES, _NAMED),
        "MACHINE": (Key("PATH", "block"), Key("SPEED", "block")),
        "OPTIONS": (
            flag("CONNECT_PATH", False),
            flag("FOLLOW_TARGET_SPEED", False),
            flag("SPEED_MAP_ABS_TIME", False),
            flag("SPEED_MAP_GLOBAL_S", False),
            flag("END_OF_PATH_CHECK", True),
            choice("PATH_POSITIONING", *POSITIONING),
        ),
        "END_CONDITIONS": (),
    },
)

# -- longitudinal targets, by TYPE --
_PLACE = (number("REF_X", "m", 0.0), number("REF_Y", "m", 0.0), number("REF_Z", "m", 0.0), number("REF_AZ", "rad", 0.0))
INTERPOLATIONS = ("LINEAR", "CUBIC_SPLINE", "QUINTIC_SPLINE")
_COMMON = (
    number("SCALING_FACTOR", default=1.0),
    choice("CALC_MODE", "ABSOLUTE", "RELATIVE", default="ABSOLUTE"),
    flag("AUTO_SCALING", True),
    flag("AUTO_SATURATION", True),
)
_SCALE = number("SCALING_FACTOR", default=1.0)
_MAP = (
    _SCALE,
    choice("INTERPOLATION", *INTERPOLATIONS, default="LINEAR", words={"NONE": "LINEAR"}),
    not_negative("SMOOTHING_FACTOR", "-", 0.0),
)
SPEEDS = {
    "MAP": BlockOf(
        "speed map",
        (
            choice("X_DATA", "PATH_S", "TIME", default="PATH_S"),
            choice("Y_DATA", "LONVEL", "LONACC", default="LONVEL", words={"LONGVL": "LONVEL", "LONGV1": "LONVEL"}),
            *_MAP,
        ),
        (TableOf("VALUES", ("x", "y"), ("x", "y"), required=True),),
    ),
    "MAINTAIN": BlockOf("held speed", _COMMON),
    # one block may be both the path and the speeds along it, so that each kind allows the keys of the other
    "DRD_FILE": BlockOf(
        "speed of a path file",
        (Key("FILE_NAME", "text", required=True), *_MAP, *_PLACE, positive("MIN_SEGMENT_LENGTH", "m")),
    ),
    # ours, beyond the format: what older formats and the other faces of the language have
    "CONSTANT": BlockOf("constant speed", (number("VELOCITY", "m/s", required=True), _SCALE)),
    "POLYNOMIAL": BlockOf(
        "speed as a polynomial",
        (
            number("VELOCITY", "m/s"),
            number("ACCELERATION", "m/s2", 0.0),
            number("JERK", "m/s3", 0.0),
            not_negative("START_TIME", "s", 0.0),
            _SCALE,
        ),
    ),
    "ACCELERATION": BlockOf(
        "constant acceleration",
        (number("ACCELERATION", "m/s2", required=True), not_negative("START_TIME", "s", 0.0), _SCALE),
    ),
    "LATERAL_ACCELERATION": BlockOf(
        "speed by lateral acceleration", (positive("ACCELERATION", "m/s2", required=True), _SCALE)
    ),
    "AUTO": BlockOf("speed by the path's curvature", (positive("SHARE", "-", 0.8), _SCALE)),
    "USER_INPUT": BlockOf(
        "speed from outside",
        (
            choice("Y_DATA", "LONVEL", "LONACC", default="LONVEL", words={"LONGVL": "LONVEL", "LONGV1": "LONVEL"}),
            _SCALE,
        ),
    ),
}

# -- paths, by TYPE; shapes by SHAPE_NAME --
_PATH_WORDS = {"CUBIC": "CUBIC_SPLINE", "LINEAR": "NONE", "QUINTIC_SPLINE": "CUBIC_SPLINE"}
_PATH = (*_PLACE, choice("INTERPOLATION", "NONE", "CUBIC_SPLINE", default="NONE", words=_PATH_WORDS))
_RESAMPLED = (*_PATH, positive("MIN_SEGMENT_LENGTH", "m", 0.25))
PATHS = {
    "DRD_FILE": BlockOf(
        "path of a file",
        (Key("FILE_NAME", "text", required=True), *_RESAMPLED, _SCALE, not_negative("SMOOTHING_FACTOR", "-", 0.0)),
    ),
    "NUMERIC_DATA": BlockOf(
        "path of points",
        _RESAMPLED,
        (TableOf("TABLE", ("x", "y", "z", "lat_inc"), ("m", "m", "m", "-"), required=True),),
    ),
    "LATERAL_ACCELERATION": BlockOf(  # ours
        "lateral acceleration",
        (
            *_PLACE,
            choice("X_DATA", "DISTANCE", "TIME", default="TIME"),
            choice("INTERPOLATION", *INTERPOLATIONS, default="LINEAR"),
        ),
        (TableOf("VALUES", ("x", "y"), ("x", "m/s2"), required=True),),
    ),
    "SHAPE": BlockOf("path of a shape", (choice("SHAPE_NAME", "STRAIGHT", "SKIDPAD", required=True),)),
}
SHAPES = {
    "STRAIGHT": BlockOf(
        "straight path",
        (*PATHS["SHAPE"].keys, *_PLACE, positive("OVERALL_LENGTH", "m", 20000.0), positive("STEP_SIZE", "m", 1.0)),
    ),
    "SKIDPAD": BlockOf(
        "circular path",
        (
            *PATHS["SHAPE"].keys,
            *_PLACE,
            positive("RADIUS", "m", 100.0),
            choice("TURN_SIDE", "LEFT", "RIGHT", default="LEFT"),
            not_negative("STARTING_LENGTH", "m", 200.0),
            not_negative("CLOSING_LENGTH", "m", 0.0),
            positive("AMPLITUDE", "rad", 6.5973445725385655),  # 2.1 π
            not_negative("OVERALL_LENGTH", "m", 0.0),
            positive("STEP_SIZE", "m", 0.1),
            not_negative("SMOOTHING_AMPLITUDE", "rad", 0.0),
            not_negative("CLOSING_SMOOTHING_AMPLITUDE", "rad", 0.0),
        ),
    ),
}

# -- open-loop signals, by TYPE --
ORDINALS = ("TIME", "DISTANCE", "PATH_S")
_STEP = (
    *_COMMON,
    number("X0", "s", 0.0),
    number("X1", "s", required=True),
    number("Y0", "channel", 0.0),
    flag("FROM_ACTUAL", False),  # ours
    number("Y1", "channel", required=True),
)
_WAVE = (
    *_COMMON,
    number("AMPLITUDE", "channel", required=True),
    positive("FREQUENCY", "1/s", required=True),
    number("INITIAL_PHASE", "rad", 0.0),
    positive("NUMBER_OF_CYCLES"),
    not_negative("X0", "s", 0.0),  # ours: when it begins
)
SIGNALS = {
    "CONSTANT": BlockOf("constant", (*_COMMON, number("VALUE", "channel", required=True))),
    "STEP": BlockOf("step", _STEP),
    "STEP5": BlockOf("step", _STEP),
    "SINE": BlockOf("sine", _WAVE),
    "COSINE": BlockOf("cosine", _WAVE),
    "SWEPT": BlockOf(
        "swept sine",
        (
            *_COMMON,
            number("X0", "s", 0.0),
            number("AMPLITUDE", "channel", required=True),
            not_negative("INITIAL_FREQUENCY", "1/s", required=True),
            positive("FREQUENCY_RATE", "1/s2", required=True),
            positive("MAX_FREQUENCY", "1/s", required=True),
        ),
    ),
    "RAMP": BlockOf(
        "ramp",
        (
            *_COMMON,
            number("X0", "s", 0.0),
            number("X1", "s"),
            number("SLOPE", "channel/s", required=True),
        ),
    ),
    "IMPULSE": BlockOf(
        "impulse",
        (
            *_COMMON,
            number("X0", "s", 0.0),
            number("X1", "s", required=True),
            number("MAX_VALUE", "channel", required=True),
        ),
    ),
    "MEASURED": BlockOf(
        "measured signal",
        (*_COMMON, Key("FILE_NAME", "text"), choice("ORDINAL", *ORDINALS, default="TIME")),
        (TableOf("VALUES", ("x", "y"), ("x", "channel")),),  # ours: numbers in the file itself
    ),
    "USER": BlockOf("signal from outside", (*_COMMON, Key("MEASURE_NAME", "text"))),
    "MAINTAIN": BlockOf("held value", _COMMON),
}

# -- end conditions --
TESTS = (">>", ">=", "<<", "<=", "==", "<>")
ABSOLUTE_TESTS = ("|>|", "|>=|", "|<<|", "|<=|", "|=|", "|<>|")
TEST_WORDS = {
    "===": "==",
    ">": ">>",
    "<": "<<",
    "=": "==",
    "!=": "<>",
    "|>>|": "|>|",
    "|<|": "|<<|",
    "|==|": "|=|",
    "|===|": "|=|",
}
END_CONDITION = BlockOf(
    "end condition",
    (
        Key("MEASURE_NAME", "text", required=True),
        choice("TEST_TYPE", *TESTS, *ABSOLUTE_TESTS, required=True, words=TEST_WORDS),
        number("REF_VALUE", "measure", required=True),
        not_negative("TOLERANCE", "measure", 0.0),
        not_negative("FILTERING_TIME", "s", 0.0),
        not_negative("DELAY", "s", 0.0),
        Key("NEXT_MANEUVER_NAME", "block"),
        Key("GROUP", "text"),
        choice("CONDITION_TYPE", "END", "ABORT", default="END"),
    ),
)

# -- modules, by CONTROLLER_DATA --
_DATA = choice("CONTROLLER_DATA", *DATA_OF_MODULE.values())
MODULE_BLOCKS = {
    "TIRE": BlockOf(
        "control by the tires' loads",
        (
            _DATA,
            flag("ACTIVATION", True),
            flag("THROTTLE_CONTROL_ACTIVE", False),
            flag("BRAKING_CONTROL_ACTIVE", False),
            flag("CLUTCH_CONTROL_ACTIVE", False),
            positive("BASIC_FILTER_CUTFRQ", "1/s", 3.1831),
            not_negative("MIN_FZ", "N", 5.0),
            flag("GEAR_CONTROL_ACTIVE", True),
            not_negative("GEAR_LONSLIP_THRESHOLD", "-", 0.2),
            not_negative("GEAR_INHIBITION_DELAY", "s", 0.1),
            not_negative("GEAR_MAX_INHIBITION_TIME", "s", 3.0),
            flag("LATERAL_SLIP_COMPUTATION_ACTIVE", False),
            not_negative("LATERAL_SLIP_COMPUTATION_SMOOTHING_TIME", "s", 0.1),
        ),
    ),
    "TIRE_LONSLIP": BlockOf(
        "control of slip",
        (
            _DATA,
            flag("ACTIVATION", True),
            positive("MAX_ALLOWED_SLIP", "-", 0.05),
            number("MIN_ALLOWED_SLIP", default=-1.0),
            *(Key(f"ACTIVE_TIRE_{i}", "whole", low=0.0) for i in range(1, 17)),
            not_negative("CORRECTION_GAIN_1", "-", 100.0),
            not_negative("REF_SLIP_1_COEFF", "-", 0.85),
            not_negative("REF_SLIP_2_COEFF", "-", 0.9),
        ),
    ),
    "GEAR_MAPPED": BlockOf(
        "gears over the way or over time",
        (
            _DATA,
            flag("ACTIVATION", True),
            choice("MODEL", "STANDARD", default="STANDARD"),
            Key("MAX_GEAR_ID", "whole", default=5.0),
            Key("MIN_GEAR_ID", "whole", default=0.0),
            choice("X_DATA", "PATH_S", "TIME", default="PATH_S"),
        ),
        any_table=True,
    ),
    "EDS_GEAR": BlockOf(
        "early downshifts",
        (
            _DATA,
            flag("ACTIVATION", True),
            positive("ROLLING_THRESHOLD", "rad", 0.3490658503988659),  # 20 deg
            positive("MAX_RPM", "rpm", 10500.0),
            not_negative("MIN_RPM", "rpm", 2000.0),
            not_negative("MIN_ACTIVE_TIME", "s", 1.0),
            Key("SHIFTING_SAFETY_FACTOR", "number", "-", 2.0, low=1.0, above=True),
        ),
        (TableOf("OPTIMAL_GEAR_RPM", ("gear_id", "rpm"), ("-", "rpm")),),
    ),
    "HUMAN": BlockOf(
        "human driver",
        (
            _DATA,
            flag("ACTIVATION", True),
            choice("MODEL", "BASIC", default="BASIC"),
            choice("SKILL", "ROBOT", "PROFESSIONAL", "STANDARD", "NOVICE", default="ROBOT"),
        ),
    ),
}

FIXED = {
    "DEBUG_PARAMETERS": DEBUG,
    "GLOBAL_SETTINGS": GLOBAL,
    "STEERING_STANDARD": STEERING_LIMITS,
    "THROTTLE_STANDARD": THROTTLE_LIMITS,
    "BRAKING_STANDARD": BRAKING_LIMITS,
    "GEAR_STANDARD": GEAR_LIMITS,
    "CLUTCH_STANDARD": CLUTCH_LIMITS,
    "STARTUP": STARTUP,
}
LIST_NAME = "MANEUVERS_LIST"
LIST_ALIASES = ("MANEUVER_LIST",)
KEPT_BLOCKS = ("VISPEEDGEN", "GRIP_SCALING_MAP")  # hints of another tool's speed predictor
HEADERS = ("VIGRADE_HEADER", "MDI_HEADER")

# Measures of end conditions that the format names, with their SI units.
MEASURES = {
    "TIME": "s",
    "GLOBAL_TIME": "s",
    "TRAVELED_DISTANCE": "m",
    "GLOBAL_TRAVELED_DISTANCE": "m",
    "PATH_S": "m",
    "PATH_DISTANCE": "m",
    "RADIUS": "m",
    "CURVATURE": "1/m",
    "GYRO_DX": "m",
    "GYRO_DY": "m",
    "VELOCITY": "m/s",
    "LON_ACCEL": "m/s2",
    "LAT_ACCEL": "m/s2",
    "YAW_ANGLE": "rad",
    "YAW_RATE": "rad/s",
    "YAW_ACCEL": "rad/s2",
    "PITCH_ANGLE": "rad",
    "ROLL_ANGLE": "rad",
    "ROLL_VEL": "rad/s",
    "SIDE_SLIP_ANG": "rad",
    "STEERING_ANG": "rad",
    "STEER_ANG_VEL": "rad/s",
    "ENGINE_SPEED": "rad/s",
    "ENGINE_TORQUE": "N.m",
    "ENGINE_ACC": "rad/s2",
    "CLUTCH_TORQUE": "N.m",
    "CLUTCH_DEMAND": "-",
}
MEASURE_ALIASES = {"DISTANCE": "TRAVELED_DISTANCE"}
USER_MEASURES = (
    *(f"USER_INPUT_{channel}" for channel in ("STEERING", "THROTTLE", "BRAKING", "CLUTCH", "GEAR")),
    *("USER_INPUT_BRAKE_FRONT", "USER_INPUT_BRAKE_REAR"),
)
