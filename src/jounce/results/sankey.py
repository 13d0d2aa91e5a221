"""A drawing of where energy goes: from the sources on the left to where it ends on the right, widths by energy."""

from __future__ import annotations

from jounce.results.page import escape
from jounce.results.plots import COLOURS
from jounce.results.run import Run

GROUP = "Energy."
MEGAJOULE = 1e6
WIDTH, HEIGHT, BAR, GAP, TOP = 900, 360, 14, 14, 30  # of the drawing, in pixels
ALONG = {"drag": "drag", "rolling": "rolling resistance", "slip": "slip of the tires", "brakes": "brakes"}
SMALLEST = 2e-3  # of the work: less is not drawn


def flows(run: Run) -> dict[str, float]:
    """Where the work of the sources ends, J; the rest moved the car, lifted it, or went into its dampers."""
    grown = {
        name.removeprefix(GROUP): float(run[name][-1] - run[name][0]) for name in run.names if name.startswith(GROUP)
    }
    if not grown or grown.get("sources", 0.0) <= 0:
        return {}
    found = {name.removeprefix("lost."): value for name, value in grown.items() if name.startswith("lost.")}
    if "auxiliary" in grown:
        found["auxiliaries"] = grown["auxiliary"]
    found |= {word: grown[name] for name, word in ALONG.items() if name in grown}
    rest = grown["sources"] - sum(found.values())
    found["motion, climb and suspension"] = rest
    return {name: value for name, value in found.items() if abs(value) > SMALLEST * grown["sources"]}


def sankey(run: Run) -> str:
    """The drawing as SVG; "" for a run without an account of energy."""
    found = {name: value for name, value in flows(run).items() if value > 0}
    total = sum(found.values())
    if total <= 0:
        return ""
    scale = (HEIGHT - TOP - GAP * len(found)) / total
    back = f"{GROUP}regenerated"
    returned = float(run[back][-1] - run[back][0]) if back in run else 0.0
    lines = [
        f'<h2>Energy</h2><svg viewBox="0 0 {WIDTH} {HEIGHT}" class="sankey" role="img">',
        f'<text x="4" y="18">sources {total / MEGAJOULE:.2f} MJ net'
        + (f", {returned / MEGAJOULE:.2f} MJ of it came back" if returned > 0 else "")
        + "</text>",
        f'<rect x="4" y="{TOP}" width="{BAR}" height="{total * scale:.1f}" fill="{COLOURS[0]}"/>',
    ]
    left, right, end = float(TOP), float(TOP), WIDTH - 300
    for k, (name, value) in enumerate(sorted(found.items(), key=lambda item: -item[1])):
        size = value * scale
        a, b, middle = left + size / 2, right + size / 2, (4 + BAR + end) / 2
        colour = COLOURS[k % len(COLOURS)]
        lines.append(
            f'<path d="M{4 + BAR},{a:.1f} C{middle:.0f},{a:.1f} {middle:.0f},{b:.1f} {end},{b:.1f}" fill="none" '
            f'stroke="{colour}" stroke-opacity="0.55" stroke-width="{max(size, 0.5):.1f}"/>'
            f'<text x="{end + 8}" y="{b + 4:.1f}">{escape(name)} {value / MEGAJOULE:.2f} MJ, {value / total:.1%}</text>'
        )
        left, right = left + size, right + size + GAP
    return "\n".join([*lines, "</svg>\n"])
