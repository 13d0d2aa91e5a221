"""A car of the library whose driver works clutch and lever, ready for any manoeuvre: one compiled model for all."""

from __future__ import annotations

from typing import Any

import jounce as jn
from jounce.events import find
from jounce.manoeuvre.measures import MEASURES

MANOEUVRE = find("manoeuvre")
HAND, THROTTLE, BRAKE, CLUTCH, GEAR = (
    f"driver.demand.{name}" for name in ("steering_wheel", "throttle", "brake", "clutch", "gear")
)
NUMBER = "driving_machine_monitor.maneuver_ID"
GEARS = {
    "minimum": 0,
    "maximum": 6,
    "table": [{"gear": 0}, *({"gear": k, "upshift": 560, "downshift": 60 + 10 * k} for k in range(1, 7))],
}
CONTOUR = {  # with pedals that have rates of their own, as fast as those without
    "driver": "contour",
    **dict.fromkeys(("throttle_limited", "braking_limited"), True),
    **{f"{pedal}_{way}_rate": 50.0 for pedal in ("throttle", "braking") for way in ("press", "release")},
}
LINE = {"kind": "straight", "length": 900}
NEVER: list[dict[str, Any]] = [  # so that the model has all measures
    {"measure": name, "test": "<", "reference": -1e12, "group": "never"} for name in MEASURES
]


def drive(*stages: dict[str, Any], inputs: Any = None, interval: float = 0.01, **more: Any) -> Any:
    """Stages one after the other; those without a channel leave it to the driver on a straight line."""
    usual = {"path": "line", "speed": "maintain", "controller": "contour"}
    made = [{**usual, **stage} for stage in stages]
    never = {**usual, "name": "never", "abort_time": 1e-3, "sample_time": 1e-3, "ends": NEVER}
    data = {
        "begin": {"speed": 15, "gear": 2},
        "paths": {"line": LINE},
        "controllers": {"contour": CONTOUR},
        "settings": {"placement": "automatic"},
        "gears": GEARS,
        "stages": [*made, never],
        **more,
    }
    return jn.run(jn.load("compact"), MANOEUVRE(**data), interval=interval, inputs=inputs, channels=None)
