"""Fetch the JavaScript libraries of the workbench into ``src/jounce/app/vendor``; `make setup` calls it.

Every folder of ``jounce/app`` that needs one says so in a file ``vendor.json``: a list of

    {"package": …, "version": …, "licence": …, "integrity": "sha512-…", "files": {"path in the package": "name here"}}

A package comes from the registry that ``npm`` is set up for, is checked against ``integrity``, and its files go to
``vendor/<package>/``; its licence must be among them. Nothing of it is in the repository and nothing is fetched when
the workbench runs. Without npm or without a registry the rest of jounce works; the workbench then says what is missing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

APP = Path(__file__).parents[1] / "src" / "jounce" / "app"
MOST = 50_000_000  # bytes of one file


class NotVendoredError(Exception):
    """Why a package is not there."""


def wanted(app: Path = APP) -> list[dict[str, Any]]:
    """What the folders ask for; the same package in two versions is refused."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(app.rglob("vendor.json")):
        for item in json.loads(file.read_text(encoding="utf-8")):
            known = found.setdefault(item["package"], {**item, "files": {}})
            if (known["version"], known["integrity"]) != (item["version"], item["integrity"]):
                raise NotVendoredError(f"{file}: {item['package']} {item['version']}, elsewhere {known['version']}")
            known["files"].update(item["files"])
    return list(found.values())


def place(item: dict[str, Any], app: Path = APP) -> Path:
    """The folder of a package."""
    return app / "vendor" / str(item["package"]).rpartition("/")[2]


def is_there(item: dict[str, Any], app: Path = APP) -> bool:
    """Whether a package is there in its version, with all of its files."""
    folder = place(item, app)
    try:
        stamp = json.loads((folder / "version.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(stamp == _stamp(item)) and all((folder / name).is_file() for name in item["files"].values())


def _stamp(item: dict[str, Any]) -> dict[str, Any]:
    return {key: item[key] for key in ("package", "version", "licence", "integrity", "files")}


def fetch(item: dict[str, Any], app: Path = APP) -> None:
    """Fetch a package; what was there of it before is replaced as a whole."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotVendoredError("npm is missing: install Node.js, then run `make vendor`")
    with tempfile.TemporaryDirectory() as scratch:
        name = f"{item['package']}@{item['version']}"
        done = subprocess.run(
            [npm, "pack", "--silent", "--ignore-scripts", name],
            cwd=scratch,
            capture_output=True,
            text=True,
            timeout=300,
        )
        archives = list(Path(scratch).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            raise NotVendoredError(f"`npm pack {name}` failed: {done.stderr.strip()[-300:] or 'no archive came'}")
        unpack(archives[0], item, app)


def unpack(archive: Path, item: dict[str, Any], app: Path = APP) -> None:
    """Check an archive and put the files that are wanted into their folder."""
    data = archive.read_bytes()
    kind, _, expected = str(item["integrity"]).partition("-")
    found = base64.b64encode(hashlib.new(kind, data).digest()).decode()
    if found != expected:
        raise NotVendoredError(
            f"{item['package']} {item['version']}: checksum {kind}-{found}, expected {kind}-{expected}"
        )
    folder = place(item, app)
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        for path, name in item["files"].items():
            try:
                member = tar.extractfile(f"package/{path}")
            except KeyError:
                member = None
            if member is None or "/.." in f"/{name}":
                raise NotVendoredError(f"{item['package']} {item['version']}: has no file {path}")
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_bytes(member.read(MOST))
    if not any("licen" in name.lower() for name in item["files"].values()):
        raise NotVendoredError(f"{item['package']}: its licence must be among its files")
    (fresh / "version.json").write_text(json.dumps(_stamp(item), indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def main() -> int:
    """Fetch what is not there yet; returns 0 also where that failed, so that the rest of the set-up goes on."""
    strict = "--strict" in sys.argv[1:]
    failed = False
    for item in wanted():
        if is_there(item):
            continue
        try:
            fetch(item)
            print(f"{item['package']} {item['version']} ({item['licence']}): {place(item)}")
        except (NotVendoredError, OSError, subprocess.SubprocessError, tarfile.TarError) as problem:
            failed = True
            print(f"the workbench will have no {item['package']}: {problem}", file=sys.stderr)
    return 1 if failed and strict else 0


if __name__ == "__main__":
    sys.exit(main())
