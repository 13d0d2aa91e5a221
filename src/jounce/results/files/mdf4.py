"""ASAM MDF 4: one channel group, units in the channels, metadata as JSON in the comment of the file.

Reading and writing is done by asammdf, an optional package.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import Limits, parse_json
from jounce.core.process import aside
from jounce.core.writing import replacing
from jounce.results.run import Run

Array = npt.NDArray[np.float64]
_MARK = "jounce run: "
LIMITS = Limits("an MDF file", size=20_000_000_000)


def write(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write a run."""
    asammdf = _package()
    with replacing(path, suffix=".mf4") as temporary, _quiet(), asammdf.MDF(version="4.10") as file:
        file.append(
            [
                asammdf.Signal(
                    samples=np.array(run[name]),
                    timestamps=np.array(run.time),
                    name=name,
                    unit=run.unit(name),
                    comment=run.descriptions.get(name, ""),
                )
                for name in run.names
            ],
            comment="jounce",
            common_timebase=True,
        )
        file.header.description = _MARK + json.dumps(run.metadata)
        file.save(temporary, overwrite=True)
    return Path(path).expanduser()


def read(path: str | os.PathLike[str]) -> Run:
    """Read a run that `write` wrote."""
    comment, channels = load(path)
    if not comment.startswith(_MARK):
        raise FormatError(f"{path}: an MDF file, but no run of jounce; read it with read_run and a channel map")
    metadata = parse_json(comment[len(_MARK) :], f"{path}: the description of the run")
    if not channels:
        raise FormatError(f"{path}: the file holds no channels")
    time = next(iter(channels.values()))[0]
    values = {name: samples for name, (_, samples, _) in channels.items()}
    return Run(time, values, {name: unit or "-" for name, (_, _, unit) in channels.items()}, metadata)


def load(path: str | os.PathLike[str]) -> tuple[str, dict[str, tuple[Array, Array, str]]]:
    """Return the comment of any MDF file and its numeric channels: time, values, unit."""
    if importlib.util.find_spec("asammdf") is None:
        raise _missing()
    found: tuple[str, dict[str, tuple[Array, Array, str]]] = aside(parse, path, LIMITS)
    return found


def parse(path: str) -> tuple[str, dict[str, tuple[Array, Array, str]]]:
    """The same in the process of the caller, which damaged files may end: asammdf's C code trusts what they say."""
    asammdf = _package()
    try:
        with open(path, "rb") as file:
            start = file.read(8)
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read ({problem.strerror})") from None
    if start not in (b"MDF     ", b"UnFinMF "):
        raise FormatError(f"{path}: no MDF file (it does not begin with 'MDF')")
    channels: dict[str, tuple[Array, Array, str]] = {}
    failure = ""
    with _quiet():
        try:
            with asammdf.MDF(path) as content:
                comment = str(getattr(content.header, "description", "") or "")
                for signal in content.iter_channels(skip_master=True):
                    samples = np.asarray(signal.samples)
                    if samples.ndim == 1 and samples.dtype.kind in "fiub" and len(samples):
                        time = np.asarray(signal.timestamps, dtype=float)
                        channels.setdefault(signal.name, (time, samples.astype(float), str(signal.unit or "")))
        except Exception as problem:  # asammdf raises what its parser happens to meet
            failure = str(problem) or type(problem).__name__
            traceback.clear_frames(problem.__traceback__)
        if failure:
            gc.collect()  # drops the half-open file while nobody listens to its complaint
    if failure:
        raise FormatError(f"{path}: cannot be read as MDF: {failure}")
    return comment, channels


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence asammdf: warnings about its own dependencies, and complaints of half-open files when they are dropped."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.unraisablehook = hook


def _package() -> Any:
    try:
        with _quiet():
            import asammdf
    except ImportError:
        raise _missing() from None
    return asammdf


def _missing() -> ParameterError:
    return ParameterError("MDF files need asammdf, which is not installed: pip install asammdf")
