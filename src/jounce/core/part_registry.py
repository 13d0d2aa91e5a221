"""Classes found by family and kind: those in the folders of a package, those of installed packages, those registered.

A file names a ``kind`` (``spring: {kind: rotational}``), never Python. Which class that is follows from

* the modules in the folders of the package (``jounce/components/<system>/<part>.py``), each class with its own
  ``family`` and ``kind``: a new part is a new file, no list changes;
* entry points of installed packages, group ``jounce.parts``, each naming a class;
* classes given to ``register`` by a program.

A module is imported when a kind is asked for that its text declares (``kind: Literal["rotational"]``); all of them
only where a list of kinds is wanted, or a kind that no text declares.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jounce.core.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from jounce.core.fields import Data

T = TypeVar("T", bound="Data")
DECLARED = re.compile(r'^    kind: Literal\["(\w+)"\]', re.MULTILINE)  # in the text of a module


class Registry:
    """Classes by family and kind."""

    def __init__(self, package: str, entry_points: str) -> None:
        self.package, self.entry_points = package, entry_points
        self._known: dict[tuple[str, str], type[Data]] = {}
        self._searched = self._installed = False
        self._modules: dict[str, list[str]] | None = None  # by the kinds that their texts declare

    def register(self, cls: type[Data]) -> type[Data]:
        """Make a class known; usable as a decorator. Another class of the same family and kind is refused."""
        family, kind = str(getattr(cls, "family", "")), kind_of(cls)
        if not family or not kind:
            raise ParameterError(
                f"{cls.__name__}: a part says its family (what it may stand for) and has a field 'kind' with its "
                'name as default: family: ClassVar[str] = "element"; kind: Literal["helper"] = choice("helper", doc=…)'
            )
        known = self._look_up(family, kind)
        if known is not None and _place(known) != _place(cls):
            raise ParameterError(
                f"{cls.__name__}: kind {kind!r} of {family!r} is taken by {known.__module__}.{known.__qualname__}; "
                "choose another name"
            )
        self._known[family, kind] = cls
        return cls

    def forget(self, cls: type[Data]) -> None:
        """Take back what `register` did."""
        self._known = {key: known for key, known in self._known.items() if known is not cls}

    def kinds(self, family: str) -> dict[str, type[Data]]:
        """All classes of a family, by kind."""
        self._search()
        return {kind: cls for (known, kind), cls in sorted(self._known.items()) if known == family}

    def families(self) -> list[str]:
        """All families."""
        self._search()
        return sorted({family for family, _ in self._known})

    def find(self, family: str, kind: str) -> type[Data]:
        """The class of a kind; ParameterError with the known ones."""
        found = self._look_up(family, kind)
        if found is None:
            raise ParameterError(f"unknown kind{did_you_mean(kind, list(self.kinds(family)), limit=32)}")
        return found

    def _look_up(self, family: str, kind: str) -> type[Data] | None:
        """A class, importing what may have it, the least first; None where nobody has it."""

        def declared() -> None:
            for name in self.modules.get(kind, ()):
                self._take(importlib.import_module(name))

        for importing in (None, declared, self._search_installed, self._search):
            if importing is not None:
                importing()
            if (family, kind) in self._known:
                return self._known[family, kind]
        return None

    @property
    def modules(self) -> dict[str, list[str]]:
        """Modules of the package, by the kinds that their texts declare; none is imported."""
        if self._modules is None:
            self._modules = {}
            for name, source in self._files():
                if source.is_file():  # without its text it is found by importing all
                    for kind in DECLARED.findall(source.read_text(encoding="utf-8")):
                        self._modules.setdefault(kind, []).append(name)
        return self._modules

    def _files(self) -> Iterator[tuple[str, Path]]:
        """All modules in the folders of the package, and where their texts should be."""
        root = importlib.import_module(self.package)
        for place in map(Path, root.__path__):
            for folder in pkgutil.iter_modules([str(place)]):
                below = place / folder.name
                for item in pkgutil.iter_modules([str(below)]) if folder.ispkg else ():
                    if not item.name.startswith("_"):
                        yield f"{self.package}.{folder.name}.{item.name}", below / f"{item.name}.py"

    def _search(self) -> None:
        if self._searched:
            return
        self._searched = True
        for name, _ in self._files():
            self._take(importlib.import_module(name))
        self._search_installed()

    def _search_installed(self) -> None:
        if self._installed:
            return
        self._installed = True
        from importlib.metadata import entry_points

        for point in entry_points(group=self.entry_points):
            try:
                found = point.load()
            except Exception as error:
                where = f"entry point {point.name!r} of group {self.entry_points!r} ({point.value})"
                raise ParameterError(f"{where} cannot be loaded: {error}") from error
            self.register(found)

    def _take(self, module: Any) -> None:
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__ and getattr(value, "family", ""):
                kind = kind_of(value)
                if kind:
                    self._known[str(value.family), kind] = value  # type: ignore[attr-defined]


def kind_of(cls: type[Any]) -> str:
    """The kind that a class stands for: the default of its field ``kind``."""
    info = getattr(cls, "model_fields", {}).get("kind")
    return info.default if info is not None and isinstance(info.default, str) else ""


def _place(cls: type[Any]) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


PARTS = Registry("jounce.components", "jounce.parts")


def register_part(cls: type[T]) -> type[T]:
    """Make a part of a program known by its family and kind, so that vehicle files may name it; a decorator."""
    PARTS.register(cls)
    return cls


def named(place: str) -> type[Data]:
    """The class that ``module:Class`` names, imported now."""
    module, _, name = place.partition(":")
    found: type[Data] = getattr(importlib.import_module(module), name)
    return found
