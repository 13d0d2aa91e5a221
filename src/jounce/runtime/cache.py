"""The cache on disk: compiled libraries, runtime objects, generated models.

Layout below the root (``cache_root``)::

    binaries/<key>/   shared library of a model       key: C text, runtime, ABI, compiler, flags, target
    objects/<key>/    one object of the C runtime     key: its text and headers, compiler, flags, target
    recipes/<key>/    generated model as JSON         key: code that describes it, arguments, versions
    roads/<key>/      large mesh as it was built      written and read by files.mesh_cache
    memo/<kind>/      answers that are cheap to lose: compiler identity, digests of modules, import lists
    c/  failed/       C kept for reading (JOUNCE_KEEP_C), C the compiler refused
    tmp/              builds under way

An entry is a folder with a payload named after its own content and a ``manifest.json`` that gives the
payload's name, length and SHA-256. The payload is published first, the manifest second, each by an atomic
rename within the folder: a reader sees a whole entry or none, whatever else runs or dies at the same time.
What was read is checked against the manifest, so a file cut short is a miss and is built again.

A library that is loaded is a program that is run. Only what belongs to the user, in folders that nobody else can write
to, is taken (`untrusted`); a cache folder that others can write to is not used. Caches that somebody else fills are
named by the administrator in ``JOUNCE_SHARED_CACHE`` (folders as in ``PATH``): they are read, never written, and must
not be writable for anybody but their owner.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jounce.core.locking import try_lock

log = logging.getLogger(__name__)

KINDS = ("binaries", "objects", "recipes", "roads")
_SCRATCH = ("memo", "c", "failed", "tmp")

DAY = 86400.0
MAX_BYTES = 2 * 1024**3
MAX_AGE = 180 * DAY
# An entry touched less than this ago may be on its way into some process: never removed by pruning.
_IN_USE = DAY
_TOUCH = DAY / 24  # how often a hit renews the time of its entry

LOCK_WAIT = 120.0  # seconds after which a build goes ahead although somebody else seems to be at it

_fallback: dict[Path, Path] = {}
_told: set[Path] = set()  # shared caches that were complained about


# --- where -----------------------------------------------------------------------------------------------------------


def preferred_root() -> Path:
    """Return the folder asked for: ``JOUNCE_CACHE_DIR``, else the user's cache folder on this platform."""
    if chosen := os.environ.get("JOUNCE_CACHE_DIR"):
        return Path(chosen).expanduser().absolute()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base).expanduser().absolute() / "jounce"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "jounce" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "jounce"
    try:
        return Path.home() / ".cache" / "jounce"
    except RuntimeError:  # no home at all, as in some containers
        return Path("/nonexistent/.cache/jounce")


def cache_root() -> Path:
    """Return the cache folder, made when missing; a folder under the temporary one when it cannot be written."""
    root = preferred_root()
    if root in _fallback:
        return _fallback[root]
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        reason = untrusted(root) if os.access(root, os.W_OK | os.X_OK) else "not writable"
        if not reason:
            return root
    except OSError as error:
        reason = error.strerror or str(error)
    _fallback[root] = _private_temporary()
    log.warning(
        "cache folder %s cannot be used (%s): using %s; set JOUNCE_CACHE_DIR to a folder you may write to",
        root,
        reason,
        _fallback[root],
    )
    return _fallback[root]


def _private_temporary() -> Path:
    """Return a folder under the temporary one that nobody else could have planted a library in."""
    if hasattr(os, "getuid"):
        path = Path(tempfile.gettempdir()) / f"jounce-{os.getuid()}"
        with contextlib.suppress(OSError):
            path.mkdir(mode=0o700, exist_ok=True)
            if not path.is_symlink() and not untrusted(path):
                return path
    return Path(tempfile.mkdtemp(prefix="jounce-"))


def untrusted(folder: Path) -> str:
    """Why somebody else could have put something into a folder, or could put another one in its place; else empty."""
    if not hasattr(os, "getuid"):
        return ""  # Windows: the folder of a user is closed to others by inheritance
    place = Path(os.path.realpath(folder))
    found = place.stat()
    if found.st_uid != os.getuid():
        return f"{place} belongs to another user"
    for above in (place, *place.parents):
        info = above.stat()
        others = bool(info.st_mode & 0o002) or bool(info.st_mode & 0o020 and not _alone_in(info.st_gid))
        if others and (above == place or not info.st_mode & stat.S_ISVTX):
            return f"others can write to {above}; close it with: chmod go-w {above}"
        if info.st_uid not in (0, os.getuid()):
            return f"{above} belongs to another user"
    return ""


def _alone_in(group: int) -> bool:
    """Whether a group is that of the user alone, as many systems make it: its members can be counted on."""
    if group != os.getgid():
        return False
    try:
        import grp
        import pwd

        found = grp.getgrgid(group)
        return found.gr_name == pwd.getpwuid(os.getuid()).pw_name and not set(found.gr_mem) - {found.gr_name}
    except (ImportError, KeyError):
        return False


def shared_roots() -> list[Path]:
    """Return the caches that the administrator named; one that others than its owner can write to is left out."""
    result = []
    for text in os.environ.get("JOUNCE_SHARED_CACHE", "").split(os.pathsep):
        folder = Path(text).expanduser() if text else None
        if folder is None or not os.path.isdir(folder):
            continue
        if folder.stat().st_mode & 0o022 and hasattr(os, "getuid"):
            if folder not in _told:
                _told.add(folder)
                log.warning("shared cache %s is not used: not only its owner can write to it", folder)
            continue
        result.append(folder.absolute())
    return result


# --- digests ---------------------------------------------------------------------------------------------------------


def digest(*parts: str | bytes) -> str:
    """Return the SHA-256 of the parts; each is preceded by its length, so that no two lists collide."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(b"%d:" % len(data))
        total.update(data)
    return total.hexdigest()


def digest_files(files: Mapping[str, str]) -> str:
    """Return the digest of named texts; the order in which they are given does not matter."""
    return digest(*(part for name in sorted(files) for part in (name, files[name])))


# --- small answers ---------------------------------------------------------------------------------------------------


def recall(kind: str, key: str) -> dict[str, Any] | None:
    """Return what `remember` stored, or None; a damaged file counts as not there."""
    try:
        value = json.loads((cache_root() / "memo" / kind / f"{key}.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def remember(kind: str, key: str, value: Mapping[str, Any]) -> None:
    """Store a small JSON value; failing to do so costs time, not correctness, and is therefore silent."""
    with contextlib.suppress(OSError):
        path = cache_root() / "memo" / kind / f"{key}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        _publish(path, json.dumps(value).encode())


def _publish(path: Path, data: bytes) -> None:
    """Write a file so that others see all of it or nothing."""
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


# --- entries ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """A checked entry of the cache: where the payload is, its bytes, and what the manifest says besides."""

    path: Path
    data: bytes = field(repr=False)
    info: dict[str, Any]


def touch(manifest: Path) -> None:
    """Renew the time of an entry that was used."""
    with contextlib.suppress(OSError):  # a read-only cache still serves
        if time.time() - manifest.stat().st_mtime > _TOUCH:
            os.utime(manifest)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _check_owner(path: Path, owner: int) -> None:
    """What others could have written is no entry."""
    found = os.lstat(path)
    if hasattr(os, "getuid") and (
        found.st_uid != owner
        or stat.S_ISLNK(found.st_mode)
        or found.st_mode & 0o002
        or (found.st_mode & 0o020 and not _alone_in(found.st_gid))
    ):
        raise PermissionError(f"{path.name} may have been written by somebody else")


class Store:
    """One kind of entry: a folder of folders, see the module docstring."""

    def __init__(self, kind: str) -> None:
        self.folder = cache_root() / kind
        self._shared = [root / kind for root in shared_roots()]

    def get(self, key: str, quiet: bool = False) -> Entry | None:
        """Return the entry when it is there, whole and safe, else None; says so when it is damaged."""
        found = self._get(self.folder / key, None, quiet)
        for folder in self._shared:
            if found is not None:
                break
            found = self._get(folder / key, folder, quiet)
        return found

    def _get(self, folder: Path, shared: Path | None, quiet: bool) -> Entry | None:
        manifest = folder / "manifest.json"
        try:
            text = manifest.read_bytes()
        except OSError:
            return None
        try:
            info = json.loads(text)
            if not isinstance(info, dict) or not isinstance(info["file"], str):
                raise ValueError("its manifest is none")
            owner = _user() if shared is None else shared.stat().st_uid
            for place in (folder, manifest, folder / os.path.basename(info["file"])):
                _check_owner(place, owner)
            path = folder / os.path.basename(info["file"])
            data = path.read_bytes()
            if len(data) != info["length"] or hashlib.sha256(data).hexdigest() != info["sha256"]:
                raise ValueError(f"{path.name} has {len(data)} bytes of {info['length']} or other content")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            if not quiet:
                log.warning("cache entry %s is damaged (%s): building it again", folder, error)
            return None
        if shared is None:
            touch(manifest)
        return Entry(path, data, info)

    def put(self, key: str, data: bytes, suffix: str, info: Mapping[str, Any] | None = None) -> Entry:
        """Publish an entry, over a damaged or equal one; safe while others do the same."""
        sha = hashlib.sha256(data).hexdigest()
        folder = self.folder / key
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_owner(folder, _user())
        path = folder / f"{sha[:16]}{suffix}"
        try:
            _publish(path, data)
        except PermissionError:
            # Windows does not replace a library that is loaded; if it is the same one, nothing is lost.
            if not path.exists() or path.read_bytes() != data:
                raise
        content = {**(info or {}), "file": path.name, "length": len(data), "sha256": sha}
        _publish(folder / "manifest.json", json.dumps(content, indent=1).encode())
        return Entry(path, data, content)

    @contextlib.contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Keep two processes from doing the same work; what they publish is right with or without it.

        The operating system drops the lock with its holder, and the wait is bounded: nobody hangs.
        """
        folder = self.folder / key
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):  # a full disk is reported by whoever has something to lose
                folder.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(open(folder / "lock", "ab"))
                end = time.monotonic() + LOCK_WAIT
                while not try_lock(file.fileno()) and time.monotonic() < end:
                    time.sleep(0.02)
            yield


@contextlib.contextmanager
def scratch_folder(prefix: str = "build-") -> Iterator[Path]:
    """Give a new folder on the file system of the cache and remove it afterwards."""
    parent = cache_root() / "tmp"
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- housekeeping ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CacheInfo:
    """What ``cache_info`` found."""

    root: Path
    entries: dict[str, int]  # per kind
    bytes: dict[str, int]  # per kind, scratch folders included

    @property
    def total_bytes(self) -> int:
        return sum(self.bytes.values())


def cache_info() -> CacheInfo:
    """Count the entries and their bytes."""
    root = cache_root()
    entries = {kind: len(list((root / kind).glob("*/manifest.json"))) for kind in KINDS}
    return CacheInfo(root, entries, {kind: _size(root / kind) for kind in (*KINDS, *_SCRATCH)})


def clear_cache() -> int:
    """Remove everything jounce put into the cache folder, nothing else; return the bytes removed."""
    root = cache_root()
    before = cache_info().total_bytes
    for kind in (*KINDS, *_SCRATCH):
        shutil.rmtree(root / kind, ignore_errors=True)
    with contextlib.suppress(OSError):
        (root / "pruned").unlink()
    return before - cache_info().total_bytes


def prune(max_bytes: int = MAX_BYTES, max_age: float = MAX_AGE, in_use: float = _IN_USE) -> int:
    """Remove entries that were not used for `max_age` s, then the longest unused until `max_bytes` are left.

    What was used within the last `in_use` s, a day, stays in any case. Returns the number of entries removed.
    """
    root, now = cache_root(), time.time()
    # of processes that were killed while they wrote
    for path in [*(root / "memo").glob("*/.*.tmp"), *(p for kind in KINDS for p in (root / kind).glob("*/.*.tmp"))]:
        if now - _used(path) > DAY:
            _remove(path)
    for kind in _SCRATCH:
        limit = max_age if kind in ("memo", "c") else DAY
        for path in list((root / kind).glob("*/*.json" if kind == "memo" else "*")):
            if now - _used(path) > limit:
                _remove(path)
    found = [(_used(folder), _size(folder), folder) for kind in KINDS for folder in (root / kind).glob("*")]
    total, removed = sum(size for _, size, _ in found), 0
    for used, size, folder in sorted(found, key=lambda item: item[0]):
        old, too_much = now - used > max_age, total > max_bytes
        # Asked again just before the removal: somebody may have found the entry in the meantime.
        if (old or too_much) and time.time() - _used(folder) > in_use:
            _remove(folder)
            total -= size
            removed += 1
    return removed


def prune_sometimes() -> None:
    """Prune at most once a day; called after something was built, never on a hit."""
    stamp = cache_root() / "pruned"
    with contextlib.suppress(OSError):
        if not stamp.exists() or time.time() - stamp.stat().st_mtime > DAY:
            stamp.touch()
            prune()


def _used(path: Path) -> float:
    """Return when an entry or file was last used; now when it is gone, so that nobody removes it twice."""
    for candidate in (path / "manifest.json", path):
        try:
            return candidate.stat().st_mtime
        except OSError:
            continue
    return time.time()


def _size(folder: Path) -> int:
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.stat(os.path.join(base, name)).st_size
    return total


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir():
            (path / "manifest.json").unlink(missing_ok=True)  # first: without it there is no entry
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
