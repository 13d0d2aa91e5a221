"""Databases as other programs have them: a folder ``alias.cdb`` with a folder ``table.tbl`` for each kind of file, and
the file that says where those of an alias are.

    ! comment
    DATABASE shared /data/shared.cdb

Such a file stands beside the files whose references it resolves (``vicrt_cdb.cfg``, or any name that ends so). Paths
are taken from its folder where they are not absolute.
"""

from __future__ import annotations

from pathlib import Path

from jounce.core.errors import FormatError, ParameterError
from jounce.core.limits import Limits, read_utf8

SUFFIX, TABLE = ".cdb", ".tbl"
CONFIG = "*cdb.cfg"
TABLES = (
    *("systems", "subsystems", "assemblies", "suspensions", "powertrains", "aero_forces", "bushings", "setups"),
    *("springs", "dampers", "bumpstops", "reboundstops", "tires", "roads", "driver_roads", "driver_controls"),
    *("loadcases", "output_maps", "plot_configs", "postprocessing_scripts", "shell_graphics", "vehicle_configs"),
    *("knc_configurations", "knc_results"),
)
LIMITS = Limits("a file of aliases", size=1_000_000)


def create(place: str | Path) -> Path:
    """Make a database with all tables; what is there already is not touched.

    Raises
    ------
    ParameterError
        The name does not end in ``.cdb``, or something stands there.
    """
    root = Path(place).expanduser()
    if root.suffix.lower() != SUFFIX:
        raise ParameterError(f"{place}: the name of a database ends in {SUFFIX}")
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise ParameterError(f"{place}: exists already")
    try:
        for name in TABLES:
            (root / f"{name}{TABLE}").mkdir(parents=True)
    except OSError as problem:
        raise ParameterError(f"{place}: cannot be made ({problem.strerror})") from None
    return root


def tables(place: str | Path) -> dict[str, list[Path]]:
    """The files of a database by table."""
    root = Path(place)
    if not root.is_dir():
        raise ParameterError(f"{place}: no such folder")
    found = sorted(path for path in root.iterdir() if path.is_dir() and path.suffix.lower() == TABLE)
    return {table.stem: sorted(path for path in table.iterdir() if path.is_file()) for table in found}


def read_aliases(file: str | Path) -> dict[str, Path]:
    """Folders by alias, of a file of lines ``DATABASE alias path``."""
    place = Path(file)
    found: dict[str, Path] = {}
    for number, line in enumerate(read_utf8(place, LIMITS).splitlines(), 1):
        words = line.strip().split(None, 2)
        if not words or words[0].startswith("!"):
            continue
        if words[0].upper() != "DATABASE":
            continue  # settings of other programs
        if len(words) < 3:
            raise FormatError(f"{place}:{number}: found {line.strip()!r}; expected DATABASE alias path")
        if words[1].lower() in (name.lower() for name in found):
            raise FormatError(f"{place}:{number}: the alias {words[1]!r} stands there twice")
        found[words[1]] = place.parent / Path(words[2].strip("'\"").replace("\\", "/")).expanduser()
    return found


def aliases_beside(origin: str | Path) -> dict[str, Path]:
    """Folders by alias of the files of aliases beside a file."""
    found: dict[str, Path] = {}
    folder = Path(origin).parent
    for file in sorted(folder.glob(CONFIG)) if folder.is_dir() else ():
        found |= read_aliases(file)
    return found


def write_aliases(file: str | Path, folders: dict[str, Path]) -> Path:
    """Write a file of aliases."""
    from jounce.core.writing import write_atomically

    lines = ["! folders by alias", *(f"DATABASE {alias} {path}" for alias, path in folders.items())]
    return write_atomically(file, "\n".join(lines) + "\n")
