"""A manoeuvre in sentences: the start, each stage, what drives each channel, when it ends."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import Any

from jounce.manoeuvre.conditions import Condition
from jounce.manoeuvre.measures import measure
from jounce.manoeuvre.model import CHANNELS, Manoeuvre, Stage
from jounce.manoeuvre.signals import Signal
from jounce.manoeuvre.targets import PathTarget, SpeedTarget

NAMES = {
    "steering": "hand wheel",
    "throttle": "throttle",
    "braking": "brake",
    "braking2": "second brake",
    "gear": "gear",
    "clutch": "clutch",
}
TESTS = {
    ">": "is above",
    ">=": "is at least",
    "<": "is below",
    "<=": "is at most",
    "==": "is",
    "!=": "is not",
}
SHOWN = {"rad": ("deg", 180 / math.pi), "rad/s": ("deg/s", 180 / math.pi), "rad/s2": ("deg/s²", 180 / math.pi),
         "m/s2": ("m/s²", 1.0)}  # fmt: skip


def explain(manoeuvre: Manoeuvre) -> list[str]:
    """Sentences about a manoeuvre, in the order in which it is driven."""
    m = manoeuvre
    found = [f"{_count(len(m.driven), 'stage')}. {_start(m)}"]
    for i, stage in enumerate(m.driven):
        found += _stage(m, stage, i)
    idle = [stage.name for stage in m.stages if not stage.active]
    if idle:
        found.append(f"Not driven: {', '.join(idle)}.")
    if m.settings.on_stop == "stop":
        found.append("Any end condition without a stage that follows ends the run.")
    return found


def _start(m: Manoeuvre) -> str:
    b = m.begin
    speed = "At rest" if b.speed == 0 else f"At {_speed(b.speed)}"
    gear = "" if b.gear is None else f" in gear {b.gear}"
    if b.setup == "straight":
        return f"{speed}{gear}, running steadily straight ahead."
    full = {"throttle": m.throttle.full, "braking": m.braking.full, "clutch": m.clutch.full, "steering": 1.0}
    demands = [f"{NAMES[name]} {_amount(getattr(b, name) / full[name], name)}" for name in full if getattr(b, name)]
    return f"{speed}{gear}, in equilibrium{' with ' + ', '.join(demands) if demands else ''}."


def _stage(m: Manoeuvre, stage: Stage, i: int) -> list[str]:
    limit = "without a limit of time" if stage.abort_time is None else f"at most {stage.abort_time:g} s"
    kind = ", a standing start" if stage.task == "standing_start" else ""
    found = [f"{i + 1}. {stage.name} ({limit}{kind}):"]
    by_machine = [name for name in CHANNELS if stage.channel(name).method == "machine"]
    path, speed = m.path_of(stage), m.speed_of(stage)
    if "steering" in by_machine and path is not None:
        controller = m.controller_of(stage)
        looks = f"looking {controller.preview_time:g} s ahead"
        joined = ", joined to the one before" if stage.options.connect_path and i else ""
        found.append(f"   The driver steers along {_path(path)}{joined}, {looks}.")
    pedals = [NAMES[name] for name in ("throttle", "braking") if name in by_machine]
    if pedals and stage.task == "standing_start":
        found.append(
            f"   The driver brings the engine to {_rpm(m.clutch.start_speed)} for {m.clutch.start_time:g} s, "
            f"then closes the clutch in some {m.clutch.close_time:g} s."
        )
    elif pedals and speed is not None:
        found.append(f"   The driver uses {_list(pedals)} to {_target(speed, stage)}.")
    shifting = [NAMES[name] for name in ("gear", "clutch") if name in by_machine]
    if shifting:
        found.append(f"   The driver works {_list(shifting)}.")
    for name in CHANNELS:
        channel = stage.channel(name)
        if channel.method == "open":
            signal = m.signal_of(stage, name)
            assert signal is not None
            blend = f", blended in over {channel.smoothing:g} s" if channel.smoothing else ""
            found.append(f"   The {NAMES[name]} {_signal(signal, name, stage)}{blend}.")
        elif channel.method == "user" and (name != "braking2" or stage.braking2 is not None):
            found.append(f"   The {NAMES[name]} is an input of the run.")
    for name in ("tire", "slip", "scheduled_gears", "early_downshift", "human"):
        module = m.module_of(stage, name)
        if module is not None:
            about = f", {module.skill}" if name == "human" else ""
            found.append(
                f"   With {name.replace('_', ' ')} control{about}." if name != "human" else f"   A human driver{about}."
            )
    found += _ends(m, stage)
    return found


def _ends(m: Manoeuvre, stage: Stage) -> list[str]:
    found = []
    groups: dict[str, list[Condition]] = {}
    for name, condition in m.conditions_of(stage):
        groups.setdefault(condition.group or f" {name}", []).append(condition)
    for conditions in groups.values():
        what = " and ".join(_condition(c) for c in conditions)
        if any(c.action == "abort" for c in conditions):
            found.append(f"   The run ends when {what}.")
            continue
        then = next((c.next for c in conditions if c.next), "")
        found.append(f"   Over when {what}{f'; then {then}' if then else ''}.")
    if stage.options.end_of_path_check and stage.steering.method == "machine":
        found.append("   Over also where the preview point comes near the end of the path.")
    return found


def _condition(c: Condition) -> str:
    known = measure(c.measure)
    unit = known.unit if known is not None else ""
    absolute = c.test.startswith("abs")
    name = c.measure.replace("_", " ") if known is not None else c.measure
    text = (
        f"{'the size of ' if absolute else ''}{name} {TESTS[c.test.removeprefix('abs')]} {_number(c.reference, unit)}"
    )
    if c.tolerance:
        text += f" (± {_number(c.tolerance, unit)})"
    if c.hold:
        text += f" for {c.hold:g} s"
    return text + (f", {c.delay:g} s later" if c.delay else "")


def _signal(s: Any, channel: str, stage: Stage) -> str:
    def value(name: str) -> str:
        return _amount(getattr(s, name), channel, stage, s)

    by = " from where it is" if s.relative else ""
    kind = s.kind
    if kind == "constant":
        return f"is moved by {value('value')}" if s.relative else f"is {value('value')}"
    if kind in ("step", "step5"):
        first = "where it is" if s.from_actual else value("first")
        return f"goes from {first} to {value('last')}{by} between {s.begin:g} s and {s.end:g} s"
    if kind in ("sine", "cosine"):
        times = "" if s.cycles is None else f", {_count(s.cycles, 'time')}"
        begin = f" from {s.begin:g} s on" if s.begin else ""
        return f"swings as a {kind} of {value('amplitude')} with {s.frequency:g} Hz{by}{times}{begin}"
    if kind == "swept":
        span = f"{s.first_frequency:g} to {s.last_frequency:g} Hz"
        growth = f"growing by {s.frequency_rate:g} Hz/s from {s.begin:g} s on"
        return f"swings as a sine of {value('amplitude')} from {span}, {growth}"
    if kind == "ramp":
        end = "" if s.end is None else f" to {s.end:g} s"
        return f"changes by {value('slope')} per second from {s.begin:g} s{end}{by}"
    if kind == "impulse":
        return f"goes to {value('height')} and back{by} between {s.begin:g} s and {s.end:g} s"
    if kind == "measured":
        over = {"time": "time", "distance": "the distance travelled", "station": "the station on the path"}[s.over]
        return f"follows the file {PurePath(s.file).name}" if s.file else f"follows {len(s.x)} values over {over}"
    if kind == "user":
        return f"is the input {s.input or 'user_input_' + channel} of the run"
    return "keeps its value"


def _path(path: PathTarget) -> str:
    p: Any = path
    if p.kind == "file":
        return f"the path {p.file}"
    if p.kind == "points":
        return f"a path of {len(p.px)} points"
    if p.kind == "straight":
        return f"a straight line of {p.length:g} m"
    if p.kind == "skidpad":
        return f"a circle of {p.radius:g} m to the {p.side}, after {p.entry_length:g} m"
    return f"a lateral acceleration over {p.over}"


def _target(speed: SpeedTarget, stage: Stage) -> str:
    s: Any = speed
    scale = "" if s.scale == 1.0 else f" times {s.scale:g}"
    if s.kind == "constant":
        return f"keep {_speed(s.speed * s.scale)}"
    if s.kind == "map":
        unit = "m/s" if s.of == "speed" else "m/s²"
        over = "the station" if s.over == "station" else "time"
        return f"follow the {s.of} over {over} ({min(s.y):g} to {max(s.y):g} {unit}){scale}"
    if s.kind == "maintain":
        target = (
            "the target speed of the stage before" if stage.options.follow_target_speed else "the speed that it has"
        )
        return f"keep {target}{scale}"
    if s.kind == "path_speed":
        return f"follow the speeds of the path {s.file}".rstrip() + scale
    if s.kind == "user":
        return f"follow the {s.of} that is an input of the run{scale}"
    if s.kind == "polynomial":
        first = "its speed" if s.speed is None else _speed(s.speed)
        return f"go from {first} with {s.acceleration:g} m/s² and {s.jerk:g} m/s³ from {s.begin:g} s on{scale}"
    if s.kind == "acceleration":
        return f"accelerate by {s.acceleration:g} m/s² from {s.begin:g} s on{scale}"
    if s.kind == "lateral_acceleration":
        return f"reach {s.acceleration:g} m/s² of lateral acceleration{scale}"
    return f"use {100 * s.share:g} % of what the path and the vehicle allow{scale}"


def _amount(value: Any, channel: str, stage: Stage | None = None, signal: Signal | None = None) -> str:
    """A value of a channel, for people."""
    if isinstance(value, str):
        return value
    if channel == "steering":
        by = stage.steering_by if stage is not None else "angle"
        if by == "angle":
            return f"{math.degrees(value):.4g}°"
        return f"{value:.4g} {'N·m' if by == 'torque' else 'N' if by == 'rack_force' else 'm'}"
    if channel == "gear" or (signal is not None and not signal.auto_scaling):
        return f"{value:.4g}"
    return f"{100 * value:.4g} %"


def _number(value: Any, unit: str) -> str:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:  # with its unit
            return str(value)
    word, factor = SHOWN.get(unit, (unit, 1.0))
    return f"{value * factor:.4g}{'' if word in ('', '-') else ' ' + word}"


def _speed(value: float) -> str:
    return f"{value:.4g} m/s ({3.6 * value:.4g} km/h)"


def _rpm(value: float) -> str:
    return f"{value * 30 / math.pi:.4g} rpm"


def _list(words: list[str]) -> str:
    return " and ".join(words)


def _count(number: float, word: str) -> str:
    return f"{number:g} {word}{'' if number == 1 else 's'}"
