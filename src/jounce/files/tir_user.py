"""Tire files whose model lives outside of the package: in a shared library, a Python file, or behind an adapter.

    FUNCTION_NAME = 'library::function'   with INTERFACE_TYPE = 'STI' or 'CRT'        jounce.components.tire.sti
    FUNCTION_NAME = 'file.py::Class'                                                registry.from_file
    PROPERTY_FILE_FORMAT = 'FTIRE', …                                               jounce.components.tire.adapters

Names are relative to the file, or found in JOUNCE_TIRE_PATH. Further keys of [MODEL] for libraries: CALLING_APP_CHECK
('TRUE': the tire is told when a quasi-static solver calls), EXCHANGE ('EVALUATION' or 'STEP') and, for CRT, N_STATES.
Code is loaded from trusted folders only (``jounce.components.tire.trust``).
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from jounce.components.tire import adapters
from jounce.components.tire.base import Tire
from jounce.components.tire.registry import from_file
from jounce.components.tire.swift_mode import decode_swift_mode, library_remarks
from jounce.components.tire.trust import check_trusted, trusted_folders
from jounce.core.errors import JounceError, did_you_mean
from jounce.files.file_units import read_units
from jounce.files.problems import Report
from jounce.files.property_file import Block, PropertyFile

KEYS = ("INTERFACE_TYPE", "CALLING_APP_CHECK", "EXCHANGE", "N_STATES")
YES, NO = ("TRUE", "YES", "ON", "1"), ("FALSE", "NO", "OFF", "0", "")

Found = tuple[str, type[Any], dict[str, Any]]


def word(block: Block, key: str) -> str:
    """An attribute as text; numbers as short as they are."""
    attribute = block.get(key)
    if attribute is None:
        return ""
    value = attribute.value
    return value.strip() if isinstance(value, str) else f"{value:g}"


def line(block: Block, key: str) -> int:
    attribute = block.get(key)
    return 0 if attribute is None else attribute.line


def user_model(model: Block, report: Report) -> Found | None:
    """The model of FUNCTION_NAME = 'library::function' or 'file.py::Class'; what is wrong goes to the report."""
    from jounce.components.tire.sti import LibraryTire, find_library, library_model

    library, _, name = word(model, "FUNCTION_NAME").rpartition("::")
    here, at = "[MODEL] FUNCTION_NAME", line(model, "FUNCTION_NAME")
    folder = Path(report.path).parent if report.path else Path()
    try:
        if library.lower().endswith(".py"):
            path = _python_file(library, folder)
            check_trusted(path)
            return name, from_file(path, name), {}
        settings = _settings(model, report)
        if settings is None:
            return None
        path = find_library(library, folder)
        check_trusted(path)
        found = library_model(path, name, tire_file=_absolute(report.path), **settings)
    except JounceError as error:
        report.error(at, here, str(error))
        return None
    return "USER", LibraryTire, {f.name: getattr(found, f.name) for f in fields(found)}


def _absolute(path: str) -> str:
    return str(Path(path).resolve()) if path else ""


def _python_file(name: str, folder: Path) -> Path:
    for place in (folder, *trusted_folders()):
        if (place / name).is_file():
            return place / name
    return folder / name  # told by from_file


def _settings(model: Block, report: Report) -> dict[str, Any] | None:
    """Arguments of ``library_model`` from the keys of [MODEL]."""
    from jounce.components.tire.external import EXCHANGES
    from jounce.components.tire.sti import INTERFACES

    before = len(report.errors)
    interface = word(model, "INTERFACE_TYPE").upper()
    if interface not in INTERFACES:
        allowed = " or ".join(f"'{i}'" for i in INTERFACES)
        found = f"found {interface!r}{did_you_mean(interface, INTERFACES)}" if interface else "is missing"
        text = f"{found}; allowed: {allowed}, the call that the function of the library is written for"
        report.error(line(model, "INTERFACE_TYPE") or line(model, "FUNCTION_NAME"), "[MODEL] INTERFACE_TYPE", text)
    calling = word(model, "CALLING_APP_CHECK").upper()
    if calling not in (*YES, *NO):
        place = line(model, "CALLING_APP_CHECK")
        report.error(place, "[MODEL] CALLING_APP_CHECK", f"found {calling!r}; allowed: 'TRUE', 'FALSE'")
    exchange = word(model, "EXCHANGE").lower() or "evaluation"
    if exchange not in EXCHANGES:
        text = f"found {exchange!r}{did_you_mean(exchange, EXCHANGES)}"
        report.error(line(model, "EXCHANGE"), "[MODEL] EXCHANGE", text)
    states = word(model, "N_STATES")
    if states and not states.isdigit():
        report.error(line(model, "N_STATES"), "[MODEL] N_STATES", f"found {states!r}; expected a whole number")
    if len(report.errors) > before:
        return None
    return {
        "interface": interface,
        "calling_app": calling in YES,
        "exchange": exchange,
        "n_states": int(states) if states else None,
    }


# --- adapters --------------------------------------------------------------------------------------------------------


def wants_swift(model: Block) -> bool:
    """Whether a file of MF-Tyre/MF-Swift asks for more than our own Magic Formula, and an adapter can do it."""
    mode = model.get("USE_MODE")
    if mode is None or not isinstance(mode.value, float) or not adapters.installed("SWIFT"):
        return False
    try:
        return not decode_swift_mode(int(mode.value)).native
    except JounceError:
        return False


def adapted(slot: str, file: PropertyFile) -> Tire:
    """The tire of a file, by the adapter in a slot. Raises FormatError."""
    report, model = file.report, file.need("MODEL")
    place = line(model, "FUNCTION_NAME") or line(model, "PROPERTY_FILE_FORMAT")
    keys = {attribute.key.upper(): word(model, attribute.key) for attribute in model.attributes}
    mode = keys.get("USE_MODE", "")
    if slot == "SWIFT" and mode.lstrip("-").isdigit():
        version = "2020.1" if "swift_7" in keys.get("FUNCTION_NAME", "").lower() else "6.2"
        try:
            remarks = library_remarks(int(mode), version)
        except JounceError as error:
            report.error(line(model, "USE_MODE"), "[MODEL] USE_MODE", str(error))
            remarks = []
        for remark in remarks:
            tell = report.error if remark.level == "error" else report.warning
            tell(line(model, "USE_MODE"), "[MODEL] USE_MODE", remark.text)
    report.raise_if_errors()
    try:
        tire = adapters.make(adapters.Request(slot, file.path, keys, _radius(file)))
    except JounceError as error:
        report.error(place, "[MODEL]", str(error))
        report.raise_if_errors()
        raise
    report.info(place, "[MODEL]", f"{adapters.SLOTS[slot].name}: {adapters.SLOTS[slot].notes}")
    return tire


def _radius(file: PropertyFile) -> float | None:
    """UNLOADED_RADIUS in m, where the file has it in the usual place."""
    block = file.block("DIMENSION")
    attribute = None if block is None else block.get("UNLOADED_RADIUS")
    if attribute is None or not isinstance(attribute.value, float) or file.block("UNITS") is None:
        return None
    try:
        return attribute.value * read_units(file, Report(file.path)).factor("m")
    except JounceError:
        return None
