"""Tire models by name: those of this package, those that were registered, those of installed packages.

    register("mine", MyTire)                    # in a program or a notebook
    [project.entry-points."jounce.tires"]       # in the pyproject.toml of a package
    mine = "my_package.tires:MyTire"

A property file chooses such a model with PROPERTY_FILE_FORMAT = 'USER' and FUNCTION_NAME = 'jounce::mine'.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from jounce.components.tire.base import TireModel
from jounce.core.errors import ModelError, ParameterError, did_you_mean

GROUP = "jounce.tires"

_BUILT_IN = {
    "pac2002": "jounce.components.tire.pac2002:Pac2002",
    "mf6": "jounce.components.tire.mf6:Mf6",
    "pac_mc": "jounce.components.tire.pac_mc:PacMc",
    "fiala": "jounce.components.tire.fiala:Fiala",
    "linear": "jounce.components.tire.linear:Linear",
    "table": "jounce.components.tire.measured:TableTire",
}
_registered: dict[str, type[TireModel]] = {}


def register(name: str, model: type[TireModel], *, replace: bool = False) -> type[TireModel]:
    """Make a model known under a name, in upper or lower case.

    Parameters
    ----------
    name : as property files write it
    model : a frozen dataclass that derives from ``TireModel``
    replace : allow a name that is registered already
    """
    if not (isinstance(model, type) and issubclass(model, TireModel)):
        raise ParameterError(f"tire model {name!r}: expected a class that derives from TireModel, got {model!r}")
    key = name.lower()
    if key in _BUILT_IN:
        raise ParameterError(f"tire model {name!r}: this name belongs to a model of the package; choose another one")
    if key in _registered and _registered[key] is not model and not replace:
        raise ParameterError(f"tire model {name!r}: is registered already; pass replace=True to exchange it")
    _registered[key] = model
    return model


def names() -> list[str]:
    """All known names, in alphabetical order."""
    return sorted({*_BUILT_IN, *_registered, *(e.name.lower() for e in entry_points(group=GROUP))})


def find(name: str) -> type[TireModel]:
    """The model of a name."""
    key = name.lower()
    if key in _registered:
        return _registered[key]
    if key in _BUILT_IN:
        module, _, attribute = _BUILT_IN[key].partition(":")
        found = getattr(import_module(module), attribute)
    else:
        entry = next((e for e in entry_points(group=GROUP) if e.name.lower() == key), None)
        if entry is None:
            raise ParameterError(f"tire model {name!r}: unknown{did_you_mean(key, names())}")
        try:
            found = entry.load()
        except Exception as error:
            raise ModelError(f"tire model {name!r}: {entry.value} of an installed package fails: {error}") from error
    if not (isinstance(found, type) and issubclass(found, TireModel)):
        raise ModelError(f"tire model {name!r}: {found!r} does not derive from TireModel")
    return found
