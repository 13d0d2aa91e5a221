"""Plots of runs with matplotlib: one panel per channel, several runs laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.errors import ParameterError
from jounce.results.display import shown
from jounce.results.words import channel as channel_title

if TYPE_CHECKING:
    from jounce.results.run import Run

COLOURS = ("#1f5fa8", "#d9822b", "#2f8f5b", "#c0392b", "#7d4fb0", "#7a5c48", "#4a90a4", "#8a8d91")
DASHES = ("-", "--", ":", "-.")


def plot(runs: Sequence[Run], names: Sequence[str], *, x: str = "time", profile: str = "engineering") -> Any:
    """Return a figure with a panel per name; a pattern (``*Jounce*``) puts what it finds into one panel."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError("plots need matplotlib, which is not installed: pip install matplotlib") from None
    if not names:
        raise ParameterError("plot: name at least one channel, or a pattern such as '*yaw*'")
    panels = []
    for name in names:
        channels = runs[0].channels(name) if any(c in name for c in "*?[") else [runs[0].find(name)]
        if not channels:
            raise ParameterError(f"plot: no channel matches {name!r}")
        panels.append(channels)
    figure = Figure(figsize=(9.0, 0.6 + 2.1 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    across = shown(runs[0].unit(x), profile, _size([run[x] for run in runs])) if x != "time" else shown("s", "si")
    for panel, channels in zip(axes, panels, strict=True):
        unit = runs[0].unit(channels[0])
        along = shown(unit, profile, _size([run[c] for run in runs for c in channels]))
        short = _short(channels)
        by_channel = len(channels) > 1  # then the colour is the channel's and the dashes are the run's, else the other
        for i, run in enumerate(runs):
            for j, channel in enumerate(channels):
                words = (short[j] if by_channel else "", run.label if len(runs) > 1 else "")
                panel.plot(
                    across.factor * run[x] + across.offset,
                    along.factor * run[channel] + along.offset,
                    color=COLOURS[(j if by_channel else i) % len(COLOURS)],
                    linestyle=DASHES[i % len(DASHES)] if by_channel else "-",
                    linewidth=1.4,
                    label=" · ".join(word for word in words if word) or channel,
                )
        title = (
            names[panels.index(channels)] if by_channel else channel_title(channels[0], runs[0].describe(channels[0]))
        )
        panel.set_title(title, loc="left", fontsize=9)
        panel.set_ylabel(along.label)
        panel.grid(True, color="#e3e6ea", linewidth=0.8)
        panel.spines[["top", "right"]].set_visible(False)
        count = len(runs) * len(channels)
        if count > 4:  # beside the curves; at most so many rows as the panel is high
            panel.legend(
                frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=1 + (count - 1) // 13
            )
        elif count > 1:
            panel.legend(frameon=False, fontsize=8)
    word = "time" if x == "time" else channel_title(x, runs[0].describe(x))
    axes[-1].set_xlabel(f"{word} / {across.label}" if across.label else word)
    return figure


def _short(channels: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin with."""
    parts = [channel.split(".") for channel in channels]
    common = 0
    while all(len(words) > common + 1 for words in parts) and len({words[common] for words in parts}) == 1:
        common += 1
    return [".".join(words[common:]) for words in parts]


def _size(arrays: Sequence[Any]) -> float:
    values = [float(np.nanmax(np.abs(a))) for a in arrays if len(a) and np.any(np.isfinite(a))]
    return max(values, default=0.0)
