"""Draw the small pictures of events for the workbench: what a car of the library does in each, as SVG.

    python tools/make_event_pictures.py [EVENT …]

Above is the way of the car, seen from above, or how its speed goes where it drives straight on; below what the driver
does: steering wheel, else brake, else throttle. Colours are those of the page.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import jounce as jn
from jounce.core.errors import JounceError
from jounce.events.registry import classes
from jounce.results.run import Run

PLACE = Path(__file__).parents[1] / "src" / "jounce" / "app" / "test" / "static" / "events"
WIDTH, HEIGHT, EDGE = 132, 84, 6
SPLIT = 56  # where the lower drawing begins
POINTS = 64
VEHICLES = ("sedan", "car_caravan")  # the first that an event does not refuse
ASIDE = 0.4  # m from which a way is more than a straight line

Array = npt.NDArray[np.float64]


def line(x: Array, y: Array, style: str) -> str:
    """A line through points, in pixels."""
    step = max(1, len(x) // POINTS)
    rows = [*range(0, len(x), step), len(x) - 1]
    text = " ".join(f"{x[k]:.1f},{y[k]:.1f}" for k in dict.fromkeys(rows))
    return f'<polyline points="{text}" fill="none" {style}/>'


def over_time(run: Run, values: Array, low: float, high: float) -> tuple[Array, Array]:
    """Values over time between two heights."""
    span = float(np.ptp(values)) or 1.0
    x = EDGE + (WIDTH - 2 * EDGE) * (run.time - run.time[0]) / max(float(run.time[-1] - run.time[0]), 1e-9)
    return x, high - (high - low) * (values - values.min()) / span


def above(run: Run) -> str:
    """The way of the car, or a signal where it has none."""
    style = 'stroke="var(--jn-accent)" stroke-width="1.8"'
    x, y = (run.signal(name) - run.signal(name)[0] for name in "xy")
    if float(np.ptp(y)) > ASIDE:
        across, aside = float(np.ptp(x)) or 1.0, float(np.ptp(y))
        room = (WIDTH - 2 * EDGE, SPLIT - 2 * EDGE)
        scale = room[0] / across
        upward = min(room[1] / aside, 8 * scale)  # a lane change would be a straight line at equal scales
        if aside * scale > room[1]:
            scale = upward = room[1] / aside
        left = (WIDTH - across * scale) / 2
        return line(left + (x - x.min()) * scale, SPLIT / 2 + aside * upward / 2 - (y - y.min()) * upward, style)
    for name in ("forward_speed", "roll", "height", "pitch"):
        if run.has_signal(name) and float(np.ptp(run.signal(name))) > 1e-3:
            return line(*over_time(run, run.signal(name), EDGE, SPLIT - EDGE), style)
    return line(np.array([EDGE, WIDTH - EDGE]), np.array([SPLIT / 2, SPLIT / 2]), style)


def below(run: Run) -> str:
    """What the driver does."""
    style = 'stroke="currentColor" stroke-width="1.1" opacity="0.6"'
    for name, least in (("steering", 0.02), ("brake", 0.02), ("throttle", 0.02)):
        if run.has_signal(name) and float(np.ptp(run.signal(name))) > least:
            return line(*over_time(run, run.signal(name), SPLIT + 2, HEIGHT - EDGE), style)
    return ""


def picture(run: Run) -> str:
    """The whole drawing."""
    ground = f'<line x1="{EDGE}" y1="{SPLIT}" x2="{WIDTH - EDGE}" y2="{SPLIT}" stroke="currentColor" opacity="0.15"/>'
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{above(run)}{ground}{below(run)}</svg>\n'


def main() -> None:
    """Draw those that are named, or all."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for cls in classes():
        if sys.argv[1:] and cls.kind not in sys.argv[1:]:
            continue
        try:
            event = cls.preset("sweep") if cls.kind == "seven-post" else cls()
            vehicle = next((v for v in map(jn.load, VEHICLES) if not event.refuses(v)), jn.load(VEHICLES[0]))
            run = jn.run(vehicle, event)
            if len(run) < 2:
                raise ValueError(run.reason)
            (PLACE / f"{cls.kind}.svg").write_text(picture(run), encoding="utf-8")
            print(cls.kind)
        except (JounceError, ValueError) as problem:
            print(f"{cls.kind}: not drawn: {problem}", file=sys.stderr)


if __name__ == "__main__":
    main()
