"""Compare the drivers of a path: library cars on the handling track at parts of their limits; a table for the docs.

    python tools/compare_drivers.py [car …]

Writes the rows of these cars (all, if none is named) between the marks of docs/drivers.md: largest distance from the
path and effective rate of the hand wheel at seven and nine tenths of the limits, and the largest part of them, in steps
of 0.05 up to 1.1, at which the car stays within ``WITHIN`` of the path.
"""

from __future__ import annotations

import sys
from pathlib import Path

from jounce.core.errors import JounceError
from jounce.events.engine import run
from jounce.events.library.follow import Follow
from jounce.vehicle.library_figures import stored
from jounce.vehicle.reading import load

PAGE = Path(__file__).parent.parent / "docs" / "drivers.md"
BEGIN, END = "<!-- compared drivers -->", "<!-- end of compared drivers -->"
DRIVERS = ("contour", "preview")
PARTS = (0.7, 0.9)
FURTHER = (0.95, 1.0, 1.05, 1.1)
WITHIN = 0.6  # m
CHANNELS = ["driving_machine_monitor.*", "driver*", "chassis_velocities.*", "Vehicle.*", "Wheel.*"]
HEAD = "| car | driver | error at 0.7, m | effort, deg/s | error at 0.9, m | effort, deg/s | limit |"
LINE = "|---|---|---|---|---|---|---|"


def driven(name: str, driver: str, part: float) -> tuple[float, float] | None:
    """Largest distance and effort; None where the car left the path."""
    try:
        done = run(load(name), Follow(path="handling", speed=f"auto {part}", driver=driver), channels=CHANNELS)
    except JounceError as why:
        print(name, driver, part, why, file=sys.stderr)
        return None
    if not done.complete:
        return None
    return done.figures["path_error_max"][0], done.figures["steering_effort"][0]


def row(name: str, driver: str) -> str:
    """A row of the table."""
    found = {part: driven(name, driver, part) for part in PARTS}
    limit = max((part for part, value in found.items() if value is not None and value[0] <= WITHIN), default=0.0)
    for part in FURTHER if limit == PARTS[-1] else ():
        value = driven(name, driver, part)
        if value is None or value[0] > WITHIN:
            break
        limit = part
    cells = [f"{value[0]:.2f} | {value[1]:.0f}" if value is not None else "left it | –" for value in found.values()]
    return f"| {name} | {driver} | {' | '.join(cells)} | {f'{limit:.2f}' if limit else '–'} |"


def main(names: list[str]) -> None:
    """Write the rows of these cars."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    lines = [line for line in old.splitlines() if line.startswith("| ") and line != HEAD]
    rows = {tuple(line.split(" | ")[:2]): line for line in lines}
    for name in names or sorted(stored()):
        for driver in DRIVERS:
            rows[f"| {name}", driver] = row(name, driver)
            print(rows[f"| {name}", driver], flush=True)
    table = "\n".join([HEAD, LINE, *(rows[key] for key in sorted(rows))])
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
