"""Results as tab-separated text and as XML, for tools that read nothing else; numbers come back exactly.

The XML has the elements of result files of multibody programs: a map of components with name, unit and id, then one
element with all values per instant, in the order of the ids.

    <Results><Analysis name="…"><StepMap><Entity name="tire"><Component name="fx" unitsValue="N" id="2"/>…
    <Data><Step>0.0 12.5 …</Step>…
"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from jounce.core.errors import FormatError
from jounce.core.limits import Limits, parse_xml, read_utf8, reading
from jounce.core.writing import write_atomically
from jounce.results.run import Run

LIMITS = Limits("a result file", size=2_000_000_000)


def write_tab(run: Run, path: str | Path) -> None:
    """Names, units, numbers, between tabs."""
    lines = ["\t".join(["time", *run.names]), "\t".join(["s", *(run.unit(name) for name in run.names)])]
    columns = [run.time.tolist(), *(run[name].tolist() for name in run.names)]
    lines += ["\t".join(map(repr, row)) for row in zip(*columns, strict=True)]
    write_atomically(path, "\n".join(lines) + "\n")


def write_xml(run: Run, path: str | Path) -> None:
    """The XML described above."""
    groups: dict[str, list[tuple[str, str, int]]] = {"time": [("time", "s", 1)]}
    for k, name in enumerate(run.names):
        entity, _, component = name.rpartition(".")
        groups.setdefault(entity or "run", []).append((component, run.unit(name), k + 2))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<Results>",
        f" <Analysis name={quoteattr(run.label)}>",
        "  <StepMap>",
    ]
    for entity, components in groups.items():
        lines.append(f"   <Entity name={quoteattr(entity)}>")
        for component, unit, number in components:
            lines.append(f'    <Component name={quoteattr(component)} unitsValue={quoteattr(unit)} id="{number}"/>')
        lines.append("   </Entity>")
    lines += ["  </StepMap>", "  <Data>"]
    columns = [run.time.tolist(), *(run[name].tolist() for name in run.names)]
    lines += [f"   <Step>{' '.join(map(repr, row))}</Step>" for row in zip(*columns, strict=True)]
    lines += ["  </Data>", " </Analysis>", "</Results>"]
    write_atomically(path, "\n".join(lines) + "\n")


def read_xml(path: str | Path) -> Run:
    """Read what ``write_xml`` wrote."""
    with reading(path):
        return _read_xml(path)


def _read_xml(path: str | Path) -> Run:
    root = parse_xml(read_utf8(path, LIMITS), str(path))
    columns: dict[int, tuple[str, str]] = {}
    try:
        for entity in root.iter("Entity"):
            for component in entity.iter("Component"):
                group, name = entity.attrib["name"], component.attrib["name"]
                full = name if group in ("time", "run") else f"{group}.{name}"
                columns[int(component.attrib["id"])] = (full, component.attrib["unitsValue"])
        rows = np.array([[float(x) for x in (step.text or "").split()] for step in root.iter("Step")], dtype=float)
    except (KeyError, ValueError) as error:
        raise FormatError(f"{path}: no result file ({str(error)[:200]})") from None
    if (
        not columns
        or rows.ndim != 2
        or rows.shape[1] != len(columns)
        or sorted(columns) != list(range(1, len(columns) + 1))
    ):
        raise FormatError(f"{path}: {len(columns)} components do not fit rows of shape {rows.shape}")
    if np.isinf(rows).any():
        raise FormatError(f"{path}: step {int(np.argmax(np.isinf(rows).any(axis=1))) + 1} holds an infinite number")
    names = [columns[k] for k in range(2, len(columns) + 1)]
    return Run(rows[:, 0], {name: rows[:, k + 1] for k, (name, _) in enumerate(names)}, dict(names))
