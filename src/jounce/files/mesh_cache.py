"""Meshes kept as they were built, in jounce's cache folder: reading a large file again takes a moment.

    roads/<key>/   one file with the arrays of a mesh and its compiled block      key: content of the source file,
                   options of reading, program text of everything that makes a block

The block is read into memory of its own, where random queries are quick (large pages); points and triangles, which no
query needs, are mapped. A manifest gives length, checksums and the places of the arrays; it is published last, each by
an atomic rename. A file that is cut short or has other content is built again. Size and age of the cache are bounded
as for all entries (``runtime.cache.prune``); ``jounce cache`` lists and clears them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import jounce.road
import jounce.runtime
from jounce.core.errors import JounceError
from jounce.road.block import Frame
from jounce.road.mesh import MeshRoad
from jounce.runtime.cache import cache_root, digest, prune_sometimes, recall, remember, touch

log = logging.getLogger(__name__)

KIND = "roads"  # among runtime.cache.KINDS
WORTH_KEEPING = 4_000_000  # bytes of a source file: some 50 000 triangles
_ALIGN = 64
_ARRAYS = ("points", "triangles", "friction", "material")
_MAKERS = (
    *(Path(jounce.road.__file__ or "").parent / name for name in ("block.py", "mesh.py", "native.py", "surface.py")),
    Path(jounce.runtime.__file__ or "").parent / "c" / "jn_road.c",
    Path(jounce.runtime.__file__ or "").parent / "c_build" / "jn_mesh_build.c",
    *(Path(__file__).parent / name for name in ("obj.py", "property_file.py", "rdf.py")),
    Path(__file__),
)


def cached(path: str | Path, options: Mapping[str, Any], build: Callable[[], MeshRoad]) -> MeshRoad:
    """The mesh of a file: from the cache when it is there and whole, else built and kept.

    Parameters
    ----------
    path : of the source file
    options : everything else that shapes the mesh
    build : reads it
    """
    found = find(path, options)
    if found is None:
        found = build()
        keep(path, options, found)
    return found


def worth_keeping(path: str | Path) -> bool:
    """Whether reading a file takes so long that its mesh should be kept."""
    try:
        return Path(path).stat().st_size >= WORTH_KEEPING
    except OSError:
        return False  # reading says what is wrong


def find(path: str | Path, options: Mapping[str, Any]) -> MeshRoad | None:
    """The mesh of a file, if it is in the cache and whole."""
    return _load(_folder(Path(path), options))


def keep(path: str | Path, options: Mapping[str, Any], road: MeshRoad) -> None:
    """Put the mesh of a file into the cache. A cache that cannot be written is no error."""
    try:
        _store(_folder(Path(path), options), road)
        prune_sometimes()
    except OSError as error:
        log.info("mesh of %s not kept: %s", path, error)


def _folder(path: Path, options: Mapping[str, Any]) -> Path:
    return cache_root() / KIND / _key(path, options)


def _key(path: Path, options: Mapping[str, Any]) -> str:
    content = _content(path)
    said = repr(sorted(options.items(), key=lambda item: item[0]))
    # the name of a mesh is that of its file
    return digest("mesh", content, path.stem, said, *(maker.read_bytes() for maker in _MAKERS))


def _content(path: Path) -> str:
    """SHA-256 of a file; known from the last time when path, size and times are the same."""
    info = path.stat()
    times = (info.st_mtime_ns, 0 if sys.platform == "win32" else info.st_ctime_ns)
    stamp = digest(str(path.absolute()), repr((info.st_size, info.st_ino, *times)))
    known = recall("sources", stamp)
    if known is not None and isinstance(known.get("sha256"), str):
        return str(known["sha256"])
    with open(path, "rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    # a file changed this very moment may change again within the resolution of its time
    if time.time_ns() - max(times) > 2_000_000_000:
        remember("sources", stamp, {"sha256": content})
    return content


def _sums(words: npt.NDArray[np.uint64]) -> list[int]:
    """Sum and exclusive or of all words: at the speed of memory, and no single change leaves both as they were."""
    return [int(np.add.reduce(words)), int(np.bitwise_xor.reduce(words))]


def _store(folder: Path, road: MeshRoad) -> None:
    """Publish a mesh: the arrays, then the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {field.name: getattr(road, field.name) for field in fields(road)}
    arrays = {name: settings.pop(name) for name in _ARRAYS if np.ndim(settings[name])}
    arrays["block"] = road.block
    settings["frame"] = asdict(road.frame)
    places: dict[str, Any] = {}
    total, mixed, at = 0, 0, 0
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            for name, values in arrays.items():
                data = np.ascontiguousarray(values)
                raw = data.reshape(-1).view(np.uint8)
                padded = -raw.size % _ALIGN
                places[name] = {"at": at, "shape": list(data.shape), "kind": data.dtype.str}
                whole = raw.size - raw.size % 8
                rest = np.concatenate([raw[whole:], np.zeros(padded, dtype=np.uint8)])
                file.write(raw[:whole].data)
                file.write(rest.tobytes())
                for part in (raw[:whole].view(np.uint64), rest.view(np.uint64)):
                    if len(part):
                        sums = _sums(part)
                        total, mixed = (total + sums[0]) % 2**64, mixed ^ sums[1]
                at += raw.size + padded
        payload = folder / f"{total:016x}.mesh"
        os.replace(temporary, payload)
        said = {"file": payload.name, "length": at, "sums": [total, mixed], "arrays": places, "settings": settings}
        said["block_at"] = places["block"]["at"]  # the last one: its end is the end of the file
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(said, file, indent=1)
        os.replace(temporary, folder / "manifest.json")
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _load(folder: Path) -> MeshRoad | None:
    """The mesh of an entry, or None when there is none or it is damaged."""
    manifest = folder / "manifest.json"
    try:
        said = json.loads(manifest.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        log.warning("cache entry %s is damaged (%s): building it again", folder, error)
        return None
    try:
        payload = folder / os.path.basename(said["file"])
        memory = np.memmap(payload, dtype=np.uint8, mode="r")
        block, begin = _read(payload, said["arrays"].pop("block")), int(said["block_at"])
        total, mixed = _sums(memory[:begin].view(np.uint64))
        of_block = _sums(block.view(np.uint64))
        if memory.size != said["length"] or [(total + of_block[0]) % 2**64, mixed ^ of_block[1]] != said["sums"]:
            raise ValueError(f"{said['file']} has {memory.size} bytes of {said['length']} or other content")
        parts = {name: _array(memory, place) for name, place in said["arrays"].items()}
        settings: dict[str, Any] = {**said["settings"], **parts}
        settings["frame"] = Frame(**settings["frame"])
        road = MeshRoad(**settings)
    except (OSError, ValueError, KeyError, TypeError, JounceError) as error:
        log.warning("cache entry %s is damaged (%s): building it again", folder, error)
        return None
    touch(manifest)
    road.__dict__["_compiled"] = (block, [], [])  # what the property of this name would make
    return road


def _read(payload: Path, place: Mapping[str, Any]) -> npt.NDArray[np.uint8]:
    """The block, in memory aligned to lines of the cache."""
    size = int(place["shape"][0])
    memory = np.empty(size + 2 * _ALIGN, dtype=np.uint8)
    block = memory[-memory.ctypes.data % _ALIGN :][:size]
    with open(payload, "rb", buffering=0) as file:
        file.seek(int(place["at"]))
        done = 0
        while done < size and (more := file.readinto(block[done:].data)):
            done += more
    if done < size:
        raise ValueError(f"the block has {done} bytes of {size}")
    return block


def _array(memory: npt.NDArray[np.uint8], place: Mapping[str, Any]) -> npt.NDArray[Any]:
    kind, shape = np.dtype(place["kind"]), tuple(int(n) for n in place["shape"])
    begin = int(place["at"])
    size = kind.itemsize * math.prod(shape)
    if not 0 <= begin <= begin + size <= memory.size:
        raise ValueError("an array lies beyond the end")
    array: npt.NDArray[Any] = np.asarray(memory[begin : begin + size].view(kind).reshape(shape))
    return array
