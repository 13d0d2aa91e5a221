"""Scripts of the user that work on runs: a Python file with a function ``post_processing``, and what it may use.

    EVENTS = ("step-steer",)                                          # for which events; without it, for all

    def post_processing(result, output_map, vehicle, event):          # four arguments, all but the first may be None
        run = Run.read(result)
        rows = []
        add_row(rows, ["last time", run.time[-1], "s"])
        picture = add_plot("rate.png", run.time, values(run, "chassis_velocities.yaw", output_map))
        page("report", title="Step steer", rows=rows, pictures=[picture], captions=["yaw rate over time"])
        return True                                                   # False: the script says that it failed

Channels are named by their own names; where an output map renamed or scaled them, `values` gives them back as they
were, so that a script goes on to work when somebody else names the results otherwise. ``postProcessing`` is taken as a
name of the function, too.
"""

from __future__ import annotations

import base64
import contextlib
import io
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from jounce.core import code_files
from jounce.core.errors import JounceError, ParameterError
from jounce.core.limits import Limits, read_bytes
from jounce.core.writing import write_atomically
from jounce.results.display import number
from jounce.results.output_map import Entry, OutputMap
from jounce.results.page import cell, table
from jounce.results.page import page as bare_page
from jounce.results.run import Run
from jounce.results.template import fill

NAMES = ("post_processing", "postProcessing")
PICTURE = Limits("a picture", size=50_000_000)

Maps = OutputMap | str | Path | None


# --- the script ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Script:
    """A script as it stands on disk, not run.

    Attributes
    ----------
    events : for which it is made; empty: for all
    """

    path: Path
    events: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As lists show it."""
        return self.path.stem

    def fits(self, event: str) -> bool:
        """Whether it is made for an event."""
        return not self.events or event.replace("_", "-") in self.events


def look(path: str | Path) -> Script | None:
    """The script of a file, which is read and not run; None where it has no function ``post_processing``."""
    found = code_files.top_level(path)
    if not any(name in found for name in NAMES):
        return None
    events = found.get("EVENTS") or ()
    named = (events,) if isinstance(events, str) else tuple(str(item) for item in events)
    return Script(Path(path), tuple(text.replace("_", "-") for text in named))


def run_script(
    path: str | Path,
    result: str | Path,
    output_map: str | Path | None = None,
    vehicle: str | Path | None = None,
    event: str | None = None,
    told: Callable[[str], Any] = print,
) -> bool:
    """Run a script on the folder or file of a run; what it prints and how it ended is told line by line.

    Returns
    -------
    What the script returned: False where it says that it failed, or where it raised an error.
    """
    about = f"{Path(path).name}, output map {output_map or 'none'}"
    told(f"--- begins: {about} ---")
    said = io.StringIO()
    good = False
    try:
        with contextlib.redirect_stdout(said):
            module = code_files.load(path)
            function = next((getattr(module, name) for name in NAMES if hasattr(module, name)), None)
            if function is None:
                raise ParameterError(f"{path}: has no function post_processing(result, output_map, vehicle, event)")
            answer = function(*(None if item is None else str(item) for item in (result, output_map, vehicle, event)))
        if not isinstance(answer, bool | np.bool_):
            raise ParameterError(f"{path}: post_processing returned {answer!r}; expected True or False")
        good = bool(answer)
        end = "ends" if good else "says that it failed"
    except JounceError as problem:
        end = f"failed: {problem}"
    except Exception as problem:  # whatever the user's own code does wrong
        line = next((f", line {f.lineno}" for f in reversed(traceback.extract_tb(problem.__traceback__))
                     if f.filename == str(path)), "")  # fmt: skip
        end = f"failed{line}: {type(problem).__name__}: {problem}"
    for text in said.getvalue().splitlines():
        told(text)
    told(f"--- {end}: {about} ---")
    return good


def template(event: str = "") -> str:
    """The text of a script to begin with."""
    from jounce.results import words

    what = words.event(event) if event else "all events"
    events = f'\nEVENTS = ("{event}",)\n' if event else ""
    return f'''"""Post-processing of {what}."""

from pathlib import Path

from jounce.results.run import Run
from jounce.results.scripts import add_plot, add_row, page, values
{events}

def post_processing(result, output_map=None, vehicle=None, event=None):
    """Write report pages beside the run; returns whether it worked."""
    run, folder = Run.read(result), Path(result)
    folder = folder if folder.is_dir() else folder.parent
    rows = []
    add_row(rows, ["last time", run.time[-1], "s"])
    for name, (value, unit) in run.kpis.items():
        add_row(rows, [name, value, unit])
    yaw = values(run, "chassis_velocities.yaw", output_map)
    add_plot(folder / "yaw_rate.png", run.time, yaw, xlabel="time / s", ylabel="yaw rate / (rad/s)")
    made = page(folder / "post", title=run.label, rows=rows, pictures=[folder / "yaw_rate.png"], captions=["yaw rate"])
    print(f"wrote {{made}}")
    return made.exists()
'''


# --- what a script may use -------------------------------------------------------------------------------------------


def stored_name(channel: str, output_map: Maps = None) -> str:
    """The name under which the results have a channel."""
    return _entry(channel, output_map).name or channel


def values(run: Run, channel: str, output_map: Maps = None) -> npt.NDArray[np.float64]:
    """A channel by its own name, with the factor and offset of the output map taken back."""
    entry = _entry(channel, output_map)
    if not entry.active:
        raise ParameterError(f"{channel}: the output map leaves it out")
    if not entry.scale:
        raise ParameterError(f"{channel}: the output map has a factor of 0, from which nothing comes back")
    found: npt.NDArray[np.float64] = (run[entry.name or channel] - entry.offset) / entry.scale
    return found


def _entry(channel: str, output_map: Maps) -> Entry:
    if output_map is None:
        return Entry()
    found = output_map if isinstance(output_map, OutputMap) else OutputMap.read(output_map)
    return found.entries.get(channel, Entry())


def add_plot(
    file: str | Path,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    colour: npt.ArrayLike | str | None = None,
    *,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    kind: Literal["plot", "scatter", "multicolor"] = "plot",
) -> Path:
    """Write a picture of a curve, of points, or of a curve coloured by a third quantity; returns its file."""
    try:
        from matplotlib.collections import LineCollection
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError("plots need matplotlib, which is not installed: pip install matplotlib") from None
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if across.shape != up.shape or across.ndim != 1:
        raise ParameterError(
            f"{file}: {across.shape} values across and {up.shape} up; expected two lists of one length"
        )
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    one = colour if isinstance(colour, str) else "#1f5fa8"
    if kind == "multicolor":
        shade = None if colour is None or isinstance(colour, str) else np.asarray(colour, dtype=float)
        if shade is None or shade.shape != across.shape:
            raise ParameterError(f"{file}: multicolor needs as many numbers of colour as points")
        points = np.column_stack([across, up])[:, None, :]
        lines = LineCollection(list(np.concatenate([points[:-1], points[1:]], axis=1)), cmap="viridis", linewidth=1.6)
        lines.set_array(0.5 * (shade[:-1] + shade[1:]))
        axes.add_collection(lines)
        axes.autoscale()
        figure.colorbar(lines, ax=axes)
    elif kind == "scatter":
        axes.scatter(across, up, s=9, c=one if colour is None or isinstance(colour, str) else np.asarray(colour))
    elif kind == "plot":
        axes.plot(across, up, color=one, linewidth=1.4)
    else:
        raise ParameterError(f"{file}: kind {kind!r}: expected plot, scatter or multicolor")
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(True, color="#e3e6ea", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    target = Path(file).expanduser()
    target.parent.mkdir(parents=True, exist_ok=True)
    made = io.BytesIO()
    figure.savefig(made, format=target.suffix.removeprefix(".") or "png", dpi=110)
    return write_atomically(target, made.getvalue())


def add_row(rows: list[list[Any]], cells: Sequence[Any]) -> list[list[Any]]:
    """The rows of a table with one more."""
    rows.append(list(cells))
    return rows


def page(
    prefix: str | Path,
    template: str | Path | None = None,
    *,
    title: str = "",
    summary: str = "",
    header: Sequence[tuple[str, Any]] = (),
    rows: Sequence[Sequence[Any]] = (),
    pictures: Sequence[str | Path] = (),
    captions: Sequence[str] = (),
) -> Path:
    """Write ``prefix.html`` with pictures and all in it; with a template, that page with its places filled.

    Parameters
    ----------
    template : HTML with places as those of reports; the pieces are title, style, head (summary and header), figures
        (the table) and pictures
    header : lines of a name and a value above the table
    rows : of the table: name, value, unit
    """
    if captions and len(captions) != len(pictures):
        raise ParameterError(f"{prefix}: {len(pictures)} pictures and {len(captions)} captions")
    facts = "".join(f"<tr><td>{escape(str(k))}</td><td>{escape(str(v))}</td></tr>" for k, v in header)
    head = f"<h1>{escape(title)}</h1>" + (f"<p>{escape(summary)}</p>" if summary else "")
    head += f"<table>{facts}</table>" if facts else ""
    body = [[cell(_text(item), "num" if _is_number(item) else "") for item in row] for row in rows]
    width = max((len(row) for row in body), default=3)
    names = [(text, "num" if k == 1 else "") for k, text in enumerate(["Result", "Value", "Unit"][:width])]
    names += [("", "")] * (width - len(names))
    figures = table("Results", names, body) if body else ""
    shown = ""
    for k, file in enumerate(pictures):
        words = escape(captions[k]) if captions else ""
        shown += f'<figure><img src="{_inline(Path(file))}" alt="{words}"><figcaption>{words}</figcaption></figure>\n'
    target = Path(f"{prefix}.html").expanduser()
    target.parent.mkdir(parents=True, exist_ok=True)
    if template is not None:
        from jounce.results.page import asset

        style = f"<style>\n{asset('report.css')}</style>"
        pieces = {"title": escape(title), "style": style, "script": "", "head": head, "figures": figures}
        return write_atomically(
            target, fill(template, {**pieces, "pictures": shown, "content": head + figures + shown})
        )
    return write_atomically(target, bare_page(title, [head, figures, shown], []))


def _inline(file: Path) -> str:
    kinds = {".png": "png", ".svg": "svg+xml", ".jpg": "jpeg", ".jpeg": "jpeg"}
    kind = kinds.get(file.suffix.lower())
    if kind is None:
        raise ParameterError(f"{file}: expected a picture: {', '.join(kinds)}")
    return f"data:image/{kind};base64,{base64.b64encode(read_bytes(file, PICTURE)).decode()}"


def _is_number(item: Any) -> bool:
    return isinstance(item, int | float | np.number) and not isinstance(item, bool)


def _text(item: Any) -> str:
    return number(float(item)) if _is_number(item) else escape(str(item))
