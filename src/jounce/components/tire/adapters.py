"""Slots for tire models that others sell: FTire, CDTire, TameTire, MF-Tyre/MF-Swift.

None of them is part of this package. A property file chooses them by the usual keys; whoever has the licence and a
library puts an adapter into the slot, in a program or as an installed package::

    register_adapter("FTIRE", make_tire)                # in a program or a notebook
    [project.entry-points."jounce.tire_adapters"]       # in the pyproject.toml of a package
    FTIRE = "my_package:make_tire"

An adapter is a function from a ``Request`` to a ``Tire`` whose model is an outside one, in most cases
``sti.library_tire`` with the library's STI function.  The selection:

    FTIRE      PROPERTY_FILE_FORMAT 'FTIRE'; or 'USER' with FUNCTION_NAME 'CTI::TYR510'
    CDTIRE     'CDTIRE'
    TAMETIRE   'TAMETIRE'
    SWIFT      'USER' with 'TYR815', 'mtyre_mfswift_7' or USER_SUB_ID 815, where the file asks for what the Magic
               Formula 6.x of this package does not have: rigid ring, enveloping, a circular section, a later version
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from typing import NamedTuple

from jounce.components.tire.base import Tire
from jounce.core.errors import ModelError, ParameterError, did_you_mean

GROUP = "jounce.tire_adapters"


class Slot(NamedTuple):
    """A model that is not here."""

    name: str
    component: str  # what is missing
    notes: str  # what a run with it needs
    row: str  # of the compatibility of tires and roads


SLOTS: Mapping[str, Slot] = {
    "FTIRE": Slot(
        "FTire",
        "the FTire library of cosin scientific software (cti) and its licence",
        "velocities of the hub that fit its motion, compliance included; roads in RGR format are fastest; a step of "
        "1 ms or less",
        "FTIRE",
    ),
    "CDTIRE": Slot("CDTire", "the CDTire library of Fraunhofer ITWM and its licence", "interface 4.2.8", "CDTIRE"),
    "TAMETIRE": Slot(
        "TameTire",
        "the TameTire library of Michelin and its licence; the data of such files is encrypted",
        "temperatures 1, 2, 3 of the output map: core, mean core, surface",
        "TAMETIRE",
    ),
    "SWIFT": Slot(
        "MF-Tyre/MF-Swift",
        "the MF-Tyre/MF-Swift library of Siemens (Simcenter Tire) and its licence",
        "mass and inertia of the belt taken off the wheel where the rigid ring is on; 0.1 ms for sharp cleats",
        "SWIFT_6.2",
    ),
}


@dataclass(frozen=True)
class Request:
    """What a property file says to an adapter."""

    slot: str
    path: str  # of the file
    keys: Mapping[str, str]  # of [MODEL], as text
    radius: float | None  # UNLOADED_RADIUS in m, where the file says it


Adapter = Callable[[Request], Tire]
_registered: dict[str, Adapter] = {}


def register_adapter(slot: str, adapter: Adapter | None, *, exchange: bool = False) -> None:
    """Put an adapter into a slot; None takes it out."""
    key = _slot(slot)
    if adapter is None:
        _registered.pop(key, None)
        return
    if not callable(adapter):
        raise ParameterError(f"adapter of {slot}: expected a function from a Request to a Tire, got {adapter!r}")
    if key in _registered and _registered[key] is not adapter and not exchange:
        raise ParameterError(
            f"adapter of {slot}: there is one already; pass exchange=True to put this one in its place"
        )
    _registered[key] = adapter


def installed(slot: str) -> bool:
    """Whether a slot is filled."""
    key = _slot(slot)
    return key in _registered or any(e.name.upper() == key for e in entry_points(group=GROUP))


def missing(slot: str) -> str:
    """What to say when a slot is empty."""
    here = SLOTS[_slot(slot)]
    return (
        f"{here.name} is not installed: it needs {here.component}, and an adapter, registered with "
        f"jounce.components.tire.adapters.register_adapter({slot!r}, …) or as entry point {slot} of the group {GROUP!r}"
    )


def make(request: Request) -> Tire:
    """The tire of a request, from the adapter in its slot."""
    key, here = _slot(request.slot), SLOTS[_slot(request.slot)]
    adapter = _registered.get(key)
    if adapter is None:
        entry = next((e for e in entry_points(group=GROUP) if e.name.upper() == key), None)
        if entry is None:
            raise ParameterError(missing(key))
        try:
            adapter = entry.load()
        except Exception as error:
            raise ModelError(f"adapter of {key}: {entry.value} of an installed package fails: {error}") from error
    tire = adapter(request)
    from jounce.components.tire.external import External

    if not (isinstance(tire, Tire) and isinstance(tire.model, External)):
        raise ModelError(f"adapter of {key}: gave {tire!r}; expected a Tire with an outside model")
    row = here.row
    if key == "SWIFT" and "swift_7" in request.keys.get("FUNCTION_NAME", "").lower():
        row = "SWIFT_2020"
    return replace(tire, model=replace(tire.model, family=row))


def _slot(name: str) -> str:
    key = name.upper()
    if key not in SLOTS:
        raise ParameterError(f"tire adapter {name!r}: no such slot{did_you_mean(key, SLOTS)}")
    return key
