"""What reading a file may cost. Every format declares its `Limits`, and every reader takes its bytes by them.

A file comes from anywhere: a device, a pipe, a file that grows, nesting a thousand deep, an alias that stands for a
million values, a number of 400 digits, a point beyond the moon. Each is refused here, by the name of the file, before
it takes time or memory. What remains with the readers is the meaning of what they read.
"""

from __future__ import annotations

import csv
import errno
import json
import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.core.errors import FormatError, JounceError
from jounce.core.reads import note_read

FARTHEST = 1e8  # m, of coordinates: plane coordinates of the earth, the number of their zone in front, are below
DIGITS = 100  # of a number: no quantity needs more, and whole numbers of any length are taken as text and not computed
MEGABYTE = 1_000_000
LONGEST = 12_000  # characters of a message


@dataclass(frozen=True)
class Limits:
    """What a file of a format may cost.

    Attributes
    ----------
    what : the format, for messages: "a road in YAML"
    size : bytes of the file
    depth : groups within groups
    nodes : values; what an alias stands for counts as often as the alias does
    memory : bytes that a reader in a process of its own may take, over what the file has
    seconds : of computing, of such a reader
    """

    what: str
    size: int
    depth: int = 40
    nodes: int = 1_000_000
    memory: int = 4_000 * MEGABYTE
    seconds: int = 60


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file; a name that no file can have (a null character, too long) is none."""
    return os.path.isfile(path)


def read_bytes(path: str | os.PathLike[str], limits: Limits) -> bytes:
    """The content of a file, or an error that names it: what is no file, or larger than the format allows."""
    try:
        # without waiting for somebody to write into a pipe
        with open(path, "rb", opener=_without_waiting) as file:
            info = os.fstat(file.fileno())
            check_regular(info, path, limits)
            content = file.read(info.st_size + 1)
            while len(content) <= limits.size and (more := file.read(MEGABYTE)):  # it grows, or says no size
                content += more
    except (OSError, ValueError) as problem:
        raise FormatError(f"{shown(path)}: cannot be read ({reason(problem)})") from None
    if len(content) > limits.size:
        raise _too_large(path, limits)
    note_read(path)
    return content


def read_utf8(path: str | os.PathLike[str], limits: Limits) -> str:
    """The same as text in UTF-8; a mark at its beginning is left out."""
    try:
        return read_bytes(path, limits).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise FormatError(f"{shown(path)}: not UTF-8 text (byte {problem.start})") from None


def check_file(path: str | os.PathLike[str], limits: Limits) -> None:
    """The same check for readers that open the file themselves."""
    try:
        check_regular(os.stat(path), path, limits)
    except (OSError, ValueError) as problem:
        raise FormatError(f"{shown(path)}: cannot be read ({reason(problem)})") from None
    note_read(path)


def check_regular(info: os.stat_result, path: str | os.PathLike[str], limits: Limits) -> None:
    """A device, a pipe or a folder is no file; one that is too large is not begun."""
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory")
    if not stat.S_ISREG(info.st_mode):
        raise FormatError(f"{shown(path)}: a device or a pipe; {limits.what} is a file")
    if info.st_size > limits.size:
        raise _too_large(path, limits)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever is refused while this lasts is refused by the name of the file; so is what no computer can hold."""
    try:
        with np.errstate(over="raise"):
            yield
    except JounceError as problem:
        text = str(problem)
        if os.path.basename(path) in text and len(text) < LONGEST:
            raise
        text = text if len(text) < LONGEST else f"{text[:LONGEST]} …"
        raise type(problem)(text if os.path.basename(path) in text else f"{shown(path)}: {text}") from None
    except (FloatingPointError, OverflowError):
        raise FormatError(f"{shown(path)}: holds numbers that are too large to compute with") from None
    except csv.Error as problem:
        raise FormatError(f"{shown(path)}: no table ({problem})") from None
    except MemoryError:
        raise FormatError(f"{shown(path)}: needs more memory than there is") from None


def parse_json(text: str | bytes, where: str) -> Any:
    """The value of a JSON text, or an error that names ``where``."""
    try:
        return json.loads(text, parse_int=_whole, parse_float=_real)
    except RecursionError:
        raise FormatError(f"{where}: nested too deeply") from None
    except ValueError as problem:
        line = getattr(problem, "lineno", 0)
        place = f"{where}, line {line}" if line and len(text) > line else where
        raise FormatError(f"{place}: no JSON ({getattr(problem, 'msg', problem)})") from None


def parse_xml(text: str, where: str) -> Any:
    """The root of an XML text, or an error that names ``where``; document types and entities are refused."""
    import xml.etree.ElementTree as Tree

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FormatError(f"{where}: declares a document type or entities; such files are not read")
    try:
        return Tree.fromstring(text)
    except Tree.ParseError as problem:
        line = problem.position[0] if problem.position else 0
        raise FormatError(f"{where}: line {line}: not well-formed XML ({problem})") from None
    except ValueError as problem:
        raise FormatError(f"{where}: not well-formed XML ({str(problem)[:200]})") from None


def shown(path: str | os.PathLike[str]) -> str:
    """A path for messages: one line, not longer than a path is."""
    text = os.fspath(path)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= 300 else f"{text[:140]} … {text[-140:]}"


def reason(problem: Exception) -> str:
    """What the system says about a file."""
    return str(getattr(problem, "strerror", None) or problem)


def _whole(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError(f"a number of {len(text)} digits; at most {DIGITS} are read")
    return int(text)


def _real(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:40]} is more than a number can be")
    return value


def _too_large(path: str | os.PathLike[str], limits: Limits) -> FormatError:
    return FormatError(f"{shown(path)}: larger than {limits.size / MEGABYTE:g} MB; {limits.what} has less")


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
