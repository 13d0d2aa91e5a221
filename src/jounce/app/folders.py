"""Registered folders, each with an alias: the only places that the workbench reads from and writes to.

A file is named ``alias/below/file``, ``mdids://alias/below/file`` as in the files of others, or by its whole path.
The folder that ``jounce app --folder`` names is the first one and is written to; the library of the package is
registered too, and is not written to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.library import LIBRARY

LIBRARY_ALIAS = "library"
SCHEME = "mdids://"
_ALIAS = re.compile(r"[A-Za-z0-9][\w.-]*")
_SEARCHED = 4  # levels below a folder that are searched for vehicles


@dataclass(frozen=True)
class Folder:
    """A registered folder.

    Attributes
    ----------
    alias : its name, unique in any letter case
    path : absolute, links followed
    writable : whether files may be written below it
    for_session : not kept in the preferences: registered since something of it was opened
    """

    alias: str
    path: Path
    writable: bool = True
    for_session: bool = False


class Folders:
    """The registered folders."""

    def __init__(self, main: Path) -> None:
        self.main = Path(os.path.realpath(main))
        self._all: dict[str, Folder] = {}
        self.revision = 0
        self.removed: set[str] = set()  # aliases, in lower case, that somebody took away
        self._put(Folder(LIBRARY_ALIAS, Path(os.path.realpath(LIBRARY)), writable=False))
        self._put(Folder(self._free(alias_of(self.main)), self.main))

    def __iter__(self) -> Iterator[Folder]:
        return iter(self._all.values())

    @property
    def main_alias(self) -> str:
        """Alias of the folder that the server was started with."""
        return next(folder.alias for folder in self if folder.path == self.main)

    @property
    def paths(self) -> list[Path]:
        """All of them."""
        return [folder.path for folder in self]

    def register(
        self, path: str | Path, alias: str = "", *, writable: bool = True, for_session: bool = False
    ) -> Folder:
        """Register a folder; its alias is by default the base name of the folder."""
        place = Path(os.path.realpath(Path(path).expanduser()))
        if not place.is_dir():
            raise ParameterError(f"{path}: no such folder")
        if place == Path(place.anchor):
            raise ParameterError(f"{path}: the root of the file system cannot be registered; choose a folder below it")
        name = alias or self._free(alias_of(place))
        if not _ALIAS.fullmatch(name):
            raise ParameterError(f"alias {name!r}: letters, digits, '-', '_' and '.' only")
        known = self._all.get(name.lower())
        if known is not None and known.path != place:
            raise ParameterError(f"alias {name!r}: is {known.path} already; choose another one")
        return self._put(Folder(name, place, writable, for_session))

    def remove(self, alias: str) -> None:
        """Forget a folder; its files stay."""
        folder = self.find(alias)
        if self.is_own(folder):
            raise ParameterError(f"{alias}: belongs to the workbench and stays registered")
        del self._all[folder.alias.lower()]
        self.removed.add(folder.alias.lower())
        self.revision += 1

    def keep(self, alias: str) -> None:
        """Keep a folder that was registered for this session only."""
        self._put(replace(self.find(alias), for_session=False))

    def is_own(self, folder: Folder) -> bool:
        """Whether a folder is there anyway: the main one, and the library."""
        return folder.path == self.main or folder.alias == LIBRARY_ALIAS

    def find(self, alias: str) -> Folder:
        """The folder of an alias, in any letter case, with or without the suffix of a database (``.cdb``)."""
        for name in (alias.lower(), alias.lower().removesuffix(".cdb")):
            if name in self._all:
                return self._all[name]
        raise ParameterError(f"{alias!r}: no registered folder{did_you_mean(alias, [f.alias for f in self])}")

    def resolve(self, text: str, *, write: bool = False) -> Path:
        """The place that a text names; refused where it lies in no registered folder, links followed.

        Raises
        ------
        ParameterError
            Outside of all folders, or of those that may be written to.
        """
        if "\0" in text or not text.strip():
            raise ParameterError(f"{text!r}: names no file")
        name = text.strip()
        lower = name.lower()
        scheme = next((s for s in (SCHEME, "midids://") if lower.startswith(s)), "")
        if scheme:
            alias, _, rest = name[len(scheme) :].lstrip("/").partition("/")
            place = self.find(alias).path / rest.lstrip("/")
        elif Path(name).expanduser().is_absolute():
            place = Path(name).expanduser()
        else:
            alias, _, rest = name.partition("/")
            known = self._all.get(alias.lower())
            place = known.path / rest if known is not None else self.main / name
        real = Path(os.path.realpath(place))
        # the innermost one decides: a folder below another may not be written to
        holding = [folder for folder in self if real.is_relative_to(folder.path)]
        if not holding:
            known_aliases = ", ".join(folder.alias for folder in self)
            raise ParameterError(f"{text}: lies outside the registered folders ({known_aliases})")
        inner = max(holding, key=lambda folder: len(folder.path.parts))
        if write and not inner.writable:
            raise ParameterError(f"{text}: the folder {inner.alias!r} is not written to; save a copy elsewhere")
        return real

    def shown(self, path: str | Path) -> str:
        """A place as ``alias/below/file``."""
        real = Path(os.path.realpath(path))
        holding = [folder for folder in self if real.is_relative_to(folder.path)]
        if not holding:
            return str(path)
        inner = max(holding, key=lambda folder: len(folder.path.parts))
        rest = real.relative_to(inner.path).as_posix()
        return inner.alias if rest == "." else f"{inner.alias}/{rest}"

    def files(self, suffixes: tuple[str, ...], folder: str = "") -> list[Path]:
        """Files with one of some suffixes, nearest first; hidden folders and runs are left out."""
        found: list[Path] = []
        for item in [self.find(folder)] if folder else list(self):
            for depth, path in _below(item.path):
                if path.suffix.lower() in suffixes and depth <= _SEARCHED:
                    found.append(path)
        return found

    def vehicles(self) -> dict[str, Path]:
        """Vehicles in the folders, by a name to show; those of the library by their own names."""
        from jounce.vehicle.reading import library_names

        result = {name: LIBRARY / "vehicles" / name for name in library_names()}
        for item in self:
            if item.alias == LIBRARY_ALIAS:
                continue
            for _, path in _below(item.path):
                if path.name == "vehicle.yaml":
                    result[self.shown(path.parent)] = path.parent
                elif path.suffix == ".yaml" and path.parent.name == "vehicles":
                    result[self.shown(path)] = path
        return result

    def aliases(self) -> Mapping[str, Path]:
        """Folders by alias, as the readers of others' files want them."""
        return {folder.alias: folder.path for folder in self}

    def _put(self, folder: Folder) -> Folder:
        self._all[folder.alias.lower()] = folder
        self.removed.discard(folder.alias.lower())
        self.revision += 1
        return folder

    def _free(self, alias: str) -> str:
        name, n = alias, 2
        while name.lower() in self._all:
            name, n = f"{alias}-{n}", n + 1
        return name


def alias_of(path: Path) -> str:
    """An alias from the base name of a folder."""
    name = re.sub(r"[^\w.-]+", "-", path.name.removesuffix(".cdb")).strip("-.")
    return name or "folder"


def _below(root: Path, depth: int = 0) -> Iterator[tuple[int, Path]]:
    """Files below a folder, breadth by folders; links to folders are not followed."""
    try:
        entries = sorted(os.scandir(root), key=lambda entry: entry.name.lower())
    except OSError:
        return
    folders = []
    for entry in entries:
        if entry.name.startswith(".") or (depth == 0 and entry.name == "runs"):
            continue
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry)
        elif entry.is_file():
            yield depth, Path(entry.path)
    for entry in folders if depth < _SEARCHED else ():
        yield from _below(Path(entry.path), depth + 1)
