"""Parts of the drivers that a manoeuvre asks for, and what it says that nothing here uses.

A part is structure: one for the whole run. Its numbers are those of each stage. What a file says and no part takes is
a warning of the run, by stage and key; nothing is left out without a word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from jounce.manoeuvre import Manoeuvre, Stage
from jounce.manoeuvre.settings import Controller, Gains, SlipControl, ThrottleLimits, TireControl
from jounce.manoeuvre.targets import AutoSpeed

OWN = "longitudinal."
PERIOD = 0.01  # s, of the law of the lateral drivers
RATIO = "driver.steering_ratio"
UNLIMITED = 50.0  # 1/s, of a pedal
SLIP = ("max_slip", "min_slip", "gain", "share_1", "share_2")
TIRES = ("throttle", "braking", "clutch", "filter_frequency", "min_load", "gear", "slip_threshold", "inhibition",
         "max_inhibition")  # fmt: skip
NUMBERS = {  # number of a lateral driver by the key of a controller
    "preview_time": "preview_time",
    "min_preview_distance": "least_preview",
    "longitudinal_anticipation": "speed_anticipation",
    "lateral_anticipation": "anticipation",
    "preview": "advanced",
    "straight_line_smoothing": "smoothing",
    "steering_limited": "fastest",
    "path_compensation": "distance_band",
    "yaw_correction": "yaw_gain",
}
MODULES = ("tire", "slip", "scheduled_gears", "early_downshift", "human")


# --- parts -----------------------------------------------------------------------------------------------------------


def first_of(manoeuvre: Manoeuvre, name: str) -> Any:
    """The module that the first stage has that asks for one; None: nobody does."""
    return next((found for stage in manoeuvre.driven if (found := manoeuvre.module_of(stage, name))), None)


def skill_of(manoeuvre: Manoeuvre) -> str:
    """Of the driver: the first stage whose driver is no robot says it."""
    found = (_skill(manoeuvre, stage) for stage in manoeuvre.driven)
    return next((skill for skill in found if skill != "robot"), "robot")


def _skill(manoeuvre: Manoeuvre, stage: Stage) -> str:
    human = manoeuvre.module_of(stage, "human")
    return "robot" if human is None else str(human.skill)


def wheel_names(numbers: Iterable[int]) -> tuple[str, ...]:
    """Names of wheels that are counted from the front left: left and right of each axle in turn."""
    return tuple(f"{'RL'[k % 2]}{(k + 1) // 2}" for k in numbers)


def pedal_parts(manoeuvre: Manoeuvre) -> dict[str, Any]:
    """What the longitudinal driver has besides: throttle by slip, what he does in the air, a human foot."""
    from jounce.components.driver import tires
    from jounce.components.driver.human import pedal_lag

    more: dict[str, Any] = {}
    slip, tire = first_of(manoeuvre, "slip"), first_of(manoeuvre, "tire")
    if slip is not None:
        everywhere = slip.wheels == SlipControl.model_fields["wheels"].default
        wheels = () if everywhere else wheel_names(slip.wheels)
        more["slip"] = tires.SlipThrottle(wheels=wheels, **{name: getattr(slip, name) for name in SLIP})
    if tire is not None:
        more["tires"] = tires.TireControl(**{name: float(getattr(tire, name)) for name in TIRES})
    controllers = [manoeuvre.controller_of(stage) for stage in manoeuvre.driven]
    for name, word in (("throttle", "throttle"), ("braking", "brake")):  # a foot that lifts at a rate of its own
        if any(getattr(c, f"{name}_limited") for c in controllers):
            more[f"{word}_release_rate"] = UNLIMITED
    lag = pedal_lag(skill_of(manoeuvre))
    return more if lag is None else {**more, "pedal_lag": lag}


def hand_parts(manoeuvre: Manoeuvre, seed: float) -> dict[str, Any]:
    """What the lateral driver has besides: a human."""
    skill = skill_of(manoeuvre)
    return {} if skill == "robot" else {"human": {"skill": skill, "seed": seed}}


def module_numbers(manoeuvre: Manoeuvre, stage: Stage) -> dict[str, float]:
    """Numbers of slip and tires in a stage."""
    found: dict[str, float] = {}
    for name, part, names in (("slip", "slip", SLIP), ("tire", "tires", TIRES)):
        module = manoeuvre.module_of(stage, name)
        found[f"{OWN}{part}.active"] = float(module is not None)
        if module is not None:
            found |= {f"{OWN}{part}.{key}": float(getattr(module, key)) for key in names}
    return found


def gain_numbers(manoeuvre: Manoeuvre, stage: Stage) -> dict[str, float]:
    """Gains of the pedals: the driver's own, and none where the file says zero."""
    speed = manoeuvre.controller_of(stage).speed_control == "speed"
    of_speed, of_acceleration = manoeuvre.throttle.speed_gains, manoeuvre.throttle.acceleration_gains
    return {
        f"{OWN}speed_gain": 4.0 if speed and of_speed.proportional else 0.0,
        f"{OWN}speed_integral": 4.0 if speed and of_speed.integral else 0.0,
        f"{OWN}acceleration_integral": 4.0 if not speed and of_acceleration.integral else 0.0,
    }


# --- what nothing uses -----------------------------------------------------------------------------------------------


def unused(
    manoeuvre: Manoeuvre, *, driver: str, inputs: Collection[str], numbers: Collection[str], given: Collection[str] = ()
) -> list[str]:  # fmt: skip
    """Warnings about what a manoeuvre says and the run does not do, each once, with its stages.

    driver : kind of lateral driver, "": none
    inputs, numbers : names of those that the model has
    given : names of inputs that the run gives
    """
    stages: dict[str, list[str]] = {}
    for stage in manoeuvre.driven:
        for text in _of_stage(manoeuvre, stage, driver, inputs, numbers, given):
            stages.setdefault(text, []).append(repr(stage.name))
    said = [f"{'stages' if len(names) > 1 else 'stage'} {', '.join(names)}: {text}" for text, names in stages.items()]
    return [*_of_all(manoeuvre, inputs, numbers), *said]


def _of_all(m: Manoeuvre, inputs: Collection[str], numbers: Collection[str]) -> Iterator[str]:
    shifts = "driver.shifts" in inputs
    if m.debug.active:
        yield "debug.active: nothing is written besides; jounce.files.vdf_model.vdf_text writes the settings in use"
    if m.settings.model != "car":
        yield f"settings.model = {m.settings.model!r}: the vehicle is driven as the one it is"
    yield from _of_prediction(m)
    if m.gears.table and not shifts:
        yield "gears.table: not used, the vehicle has no manual gearbox; it shifts as its own data say"
    if not m.gears.table:
        for name in _said(m.gears):
            yield f"gears.{name}: not used without gears.table; the vehicle shifts as its own data say"
    for name, usual in (("speed_gains", "speed_gain"), ("acceleration_gains", "acceleration_integral")):
        gains: Gains = getattr(m.throttle, name)
        default: Gains = ThrottleLimits.model_fields[name].default
        own = [key for key in ("proportional", "integral", "derivative") if getattr(gains, key) != 0]
        other = [key for key in own if getattr(gains, key) != getattr(default, key)]
        if other:
            which = ", ".join(other)
            own_gains = f"the driver has gains of his own ({OWN}{usual} …)"
            yield f"throttle.{name}.{which}: not used, {own_gains}; only a gain of zero counts"
    for name in ("clutch_gains", "throttle_gains", "start_acceleration", "active"):
        if name in _said(m.clutch) and not (name == "active" and m.clutch.active):
            yield f"clutch.{name}: not used in a start; the driver has rules of his own"
    if not shifts:
        for name in ("min_speed", "start_speed", "start_time", "close_time", "throttle_in_shifts"):
            if name in _said(m.clutch):
                yield f"clutch.{name}: not used; the driver works no clutch (gears.table and a manual gearbox)"
    else:
        for name, number in (("min_speed", "declutch_speed"), ("close_time", "clutch_time")):
            if name in _said(m.clutch) and f"{OWN}{number}" not in numbers:
                yield f"clutch.{name}: not used; the clutch of the vehicle opens and closes by itself"
    if m.begin.braking2 != 0:
        yield "begin.braking2: not used, the vehicle has one brake channel"
    if m.begin.time != 0:
        yield f"begin.time = {m.begin.time:g} s: not used, the clock of a run begins at 0"
    if m.begin.setup == "straight":
        for name in ("throttle", "braking", "clutch"):
            if getattr(m.begin, name) != 0:
                yield f"begin.{name}: not used, a start in steady running finds its own; setup off takes it"


def _of_prediction(m: Manoeuvre) -> Iterator[str]:
    hints = m.prediction
    if hints is None:
        return
    guesses = [name for name in ("grip_lateral", "grip_longitudinal") if name in _said(hints)]
    for name in guesses:
        yield f"prediction.{name}: not used; speed auto has the limits of the vehicle"
    automatic = any(isinstance(m.speed_of(stage), AutoSpeed) for stage in m.driven)
    if not automatic and (hints.x or not guesses):
        yield "prediction: not used; no stage has speed auto"


def _of_stage(
    m: Manoeuvre, stage: Stage, driver: str, inputs: Collection[str], numbers: Collection[str], given: Collection[str]
) -> Iterator[str]:  # fmt: skip
    c, shifts = m.controller_of(stage), "driver.shifts" in inputs
    if not c.feed_forward:
        yield "controller.feed_forward = false: not used, the driver always knows the resistance and mass of the car"
    if not c.limit_acceleration:
        yield "controller.limit_acceleration = false: not used, pedals that are down integrate nothing more"
    if c.lift_control:
        yield "controller.lift_control: not used; tire: {throttle: true} releases the throttle in the air"
    if c.variable_ratio and RATIO not in given:
        yield f"controller.variable_ratio: the run gives no input {RATIO}; the ratio of the car is taken"
    steers = driver and stage.steering.method == "machine"
    if c.sample_time is not None and abs(c.sample_time - PERIOD) > 1e-9:
        yield f"controller.sample_time = {c.sample_time:g} s: not used, the driver steers every {PERIOD:g} s"
    if steers and abs(stage.sample_time - PERIOD) > 1e-9:
        yield f"sample_time = {stage.sample_time:g} s: of conditions only, the driver steers every {PERIOD:g} s"
    if steers:
        for key, number in NUMBERS.items():
            if key in _said(c) and f"{driver}.{number}" not in numbers:
                yield f"controller.{key}: not used, the driver {driver!r} has no such number"
    yield from _of_gears(m, stage, c, shifts)
    yield from _of_human(m, stage, driver)
    yield from _of_tires(m, stage, shifts)


def _of_gears(m: Manoeuvre, stage: Stage, c: Controller, shifts: bool) -> Iterator[str]:
    stages = m.driven
    if m.module_of(stage, "early_downshift") is not None:
        yield "early_downshift: not used, gears change as without it; a plan is made by jounce.sim.gear_plan"
    if c.kick_down and not shifts:
        yield "controller.kick_down: not used without gears.table and a manual gearbox"
    if shifts and not c.kick_down and any(m.controller_of(other).kick_down for other in stages):
        yield "controller.kick_down = false: another stage has it, and one driver drives all: he kicks down"
    scheduled, first = m.module_of(stage, "scheduled_gears"), first_of(m, "scheduled_gears")
    if first is not None and not shifts:
        if scheduled is not None:
            yield "scheduled_gears: not used without gears.table and a manual gearbox"
        return
    if scheduled != first:
        yield "scheduled_gears: one schedule acts in the whole run, that of the first stage that has one; here, too"
    if scheduled is not None and scheduled.over == "time" and stage is not stages[0]:
        yield "scheduled_gears: its times are those of the run, not of the stage"


def _of_human(m: Manoeuvre, stage: Stage, driver: str) -> Iterator[str]:
    skill, all_over = _skill(m, stage), skill_of(m)
    if skill != all_over:
        yield f"human: skill {skill!r} is not used, one driver drives the whole run and is {all_over!r}"
    elif skill != "robot" and not driver:
        yield f"human: no stage steers along a path; of the skill {skill!r} only the foot is used"


def _of_tires(m: Manoeuvre, stage: Stage, shifts: bool) -> Iterator[str]:
    slip, tire = m.module_of(stage, "slip"), m.module_of(stage, "tire")
    if slip is not None and slip.wheels != first_of(m, "slip").wheels:
        yield "slip.wheels: not used, those of the first stage with slip are looked at in the whole run"
    if slip is not None and not shifts and "min_slip" in _said(slip):
        yield "slip.min_slip: not used; the driver works no clutch (gears.table and a manual gearbox)"
    if tire is None:
        return
    if tire.lateral_slip:
        yield "tire.lateral_slip: not used, it is of motorcycles"
    default = TireControl()
    for name in ("clutch", "gear"):
        if not shifts and (getattr(tire, name) != getattr(default, name) or name in _said(tire)):
            yield f"tire.{name}: not used; the driver works no clutch and lever (gears.table and a manual gearbox)"


def _said(block: Any) -> list[str]:
    """Keys that a file or a program gave, and that are not as they are without; readers of files give all there are."""
    fields = type(block).model_fields
    given = [name for name in fields if name in block.model_fields_set and name != "extra"]
    return [name for name in given if getattr(block, name) != fields[name].get_default(call_default_factory=True)]
