"""MATLAB files (version 5): one variable per channel, levels joined by ``_``, and a struct ``jounce`` that describes
them.

MATLAB allows 63 letters, digits and underscores; a name that would be longer or occur twice is cut and numbered. The
struct holds the full names, the variables they stand in, the units and the metadata as JSON.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from jounce.core.errors import FormatError
from jounce.core.limits import Limits, parse_json
from jounce.core.process import aside
from jounce.core.writing import replacing
from jounce.results.run import Run

_LONGEST = 31 * 2 + 1
LIMITS = Limits("a MATLAB file", size=4_000_000_000)


def write(run: Run, path: str | os.PathLike[str]) -> Path:
    """Write a run."""
    from scipy import io

    taken = {"jounce", "time"}
    variables: dict[str, Any] = {"time": run.time[:, None]}
    fields = []
    for name in run.names:
        field = _variable(name, taken)
        taken.add(field)
        fields.append(field)
        variables[field] = run[name][:, None]
    variables["jounce"] = {
        "channels": np.array(run.names, dtype=object),
        "variables": np.array(fields, dtype=object),
        "units": np.array([run.unit(name) for name in run.names], dtype=object),
        "metadata": json.dumps(run.metadata),  # ASCII, so that no encoding of MATLAB's can harm it
    }
    with replacing(path, suffix=".mat") as temporary:
        io.savemat(temporary, variables, long_field_names=True, do_compression=False)
    return Path(path).expanduser()


def read(path: str | os.PathLike[str]) -> Run:
    """Read a run that `write` wrote."""
    content = load(path)
    about = content.get("jounce")
    if about is None:
        raise FormatError(f"{path}: a MATLAB file, but no run of jounce; read it with read_run and a channel map")
    try:
        names, fields, units = (_texts(about[key]) for key in ("channels", "variables", "units"))
        metadata = parse_json(str(about["metadata"]), f"{path}: the description of the run")
        values = {name: np.atleast_1d(content[field]).astype(float) for name, field in zip(names, fields, strict=True)}
        return Run(np.atleast_1d(content["time"]), values, dict(zip(names, units, strict=True)), metadata)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        raise FormatError(f"{path}: the description of the run is damaged") from None


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the variables of any MATLAB file up to version 7; structs as dictionaries."""
    content: dict[str, Any] = aside(parse, path, LIMITS)
    return content


def parse(path: str) -> dict[str, Any]:
    """The same in the process of the caller, which damaged files may end: scipy's reader does not check all lengths."""
    from scipy import io

    try:
        content: dict[str, Any] = io.loadmat(path, simplify_cells=True)
    except NotImplementedError:
        raise FormatError(
            f"{path}: a MATLAB file of version 7.3, which is not read; save it with '-v7' in MATLAB"
        ) from None
    except Exception as problem:  # scipy raises what its parser happens to meet
        raise FormatError(f"{path}: cannot be read as a MATLAB file: {problem}") from None
    return {name: value for name, value in content.items() if not name.startswith("__")}


def _texts(value: Any) -> list[str]:
    return [str(value)] if isinstance(value, str) else [str(item) for item in np.atleast_1d(value)]


def _variable(name: str, taken: set[str]) -> str:
    stem = re.sub(r"\W", "_", name, flags=re.ASCII)
    stem = stem if re.match(r"[A-Za-z]", stem) else f"c_{stem}"
    field, number = stem[:_LONGEST], 1
    while field in taken:
        number += 1
        field = f"{stem[: _LONGEST - len(str(number)) - 1]}_{number}"
    return field
