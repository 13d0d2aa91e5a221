"""Tire models by name: those of this package, those that were registered, those of installed packages.

    register("mine", MyTire)                    # in a program or a notebook
    [project.entry-points."jounce.tires"]       # in the pyproject.toml of a package
    mine = "my_package.tires:MyTire"

A property file chooses such a model with PROPERTY_FILE_FORMAT = 'USER' and FUNCTION_NAME = 'jounce::mine'. Without
registering, a model may stand in a Python file of its own, ``from_file("mine.py", "MyTire")``, which a property file
names with FUNCTION_NAME = 'mine.py::MyTire' (in trusted folders, see ``trust``).
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

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


def from_file(path: str | Path, name: str) -> type[TireModel]:
    """The model of a class in a Python file. The file is run: use files that you trust."""
    place = Path(path)
    try:
        text = place.read_bytes()
    except OSError as error:
        raise ParameterError(f"tire model {name!r}: {place}: {error.strerror or error}") from None
    # Models are cached by module and fields, so other code must be another module.
    module_name = f"jounce_tire_{place.stem}_{hashlib.sha256(text).hexdigest()[:16]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, place.resolve())
        if spec is None or spec.loader is None:
            raise ParameterError(f"tire model {name!r}: {place} is no Python file; its name must end in .py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module  # dataclasses look there
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[module_name]
            raise ModelError(f"tire model {name!r}: {place} fails: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if not (isinstance(found, type) and issubclass(found, TireModel)):
        models = [k for k, v in vars(module).items() if isinstance(v, type) and issubclass(v, TireModel)]
        own = [k for k in models if vars(module)[k].__module__ == module_name]
        raise ParameterError(f"{place}: no tire model {name!r}{did_you_mean(name, own)}")
    return found
