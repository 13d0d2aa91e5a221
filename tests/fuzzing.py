"""Damaged files for every reader, and what may come of them: a result with finite numbers, or a `JounceError` that
names the file. Seeded: a case is its format and its number.

    damaged(raw, random)        a file with some damage
    damaged_case(format, ...)   a file of a format with its neighbours, one of them with some damage
    outcome(format, path)       reads and uses it; raises an AssertionError about anything else than the two outcomes
    calls()                     which modules of the package read files of others, found in its code
"""

from __future__ import annotations

import ast
import math
import re
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.core import limits
from jounce.core.errors import JounceError, PlausibilityWarning

MOST_MEMORY = 600_000  # kB that reading a file of some kB may add
MOST_COMPUTING = 20  # s of computing after which a reader counts as hanging; they take milliseconds
NUMBERS = (
    *("0", "-0", "1", "-1", "2", "1e3", "-1e6", "1e9", "4294967296", "-2147483649", "9223372036854775808", "1e15"),
    *("1e-15", "1e-320", "1e38", "1e150", "-1e200", "1e308", "1e999", "nan", "inf", "-inf", "9" * 400, "1d5", "0x10"),
    *("1_0", "1,5", "--1", "1e", "", "٣", "١٢"),
)
PIECES = (
    *(b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\x1a", b"\x85", b"'", b'"', b"[", b"]", b"{", b"}"),
    *(b"(", b")", b"<", b">", b"&a ", b"*a", b"<<: *a", b"- " * 200, b"? " * 200, b"[" * 3000, b": ", b"#", b"$", b"!"),
    *(b"=", b"/../", b"\xe2\x80\xa8", b",", b";", b"\t", b" " * 5000, b"a" * 70_000, b"<!ENTITY x 'y'>", b"&x;", b"|"),
)
_NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Format:
    """A format: files of it, and what a program does with one.

    Attributes
    ----------
    name : of the file that is damaged
    samples : whole files, or folders of files by name of which any may be damaged
    use : reads the file and gives all numbers that it holds
    beside : other files that it needs, by name; what does not fit together may be told of either
    missing : whether nan is a value that files of this format may hold: "no value here"
    named : whether a message has to name a file; what comes over a wire has no name
    weight : cases of this format, beside those of the others
    """

    name: str
    samples: tuple[bytes | Mapping[str, bytes], ...]
    use: Callable[[Path], Iterator[Any]]
    beside: dict[str, bytes] = field(default_factory=dict)
    missing: bool = False
    named: bool = True
    weight: float = 1.0


def damaged(raw: bytes, random: Random) -> bytes:
    """One to four kinds of damage, one after the other."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 4))):
        raw = random.choice(_DAMAGES)(raw, random)
    return raw


def placed(form: Format, folder: Path, sample: bytes | Mapping[str, bytes]) -> Path:
    """Write a file and those beside it; returns the place of the file."""
    files = dict(sample) if isinstance(sample, Mapping) else {**form.beside, form.name: sample}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder / form.name


def damaged_case(form: Format, folder: Path, random: Random) -> Path:
    """The same with damage to the file, or to any of a folder."""
    sample = random.choice(form.samples)
    if not isinstance(sample, Mapping):
        return placed(form, folder, damaged(sample, random))
    name = random.choice(sorted(sample))
    return placed(form, folder, {**sample, name: damaged(sample[name], random)})


def _bytes(raw: bytes, random: Random) -> bytes:
    out = bytearray(raw or b"a")
    for _ in range(random.choice((1, 2, 8))):
        out[random.randrange(len(out))] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
    return bytes(out)


def _words(raw: bytes, random: Random) -> bytes:
    """Binary numbers: lengths, counts and places that are absurd."""
    size = random.choice((2, 4, 8))
    at = random.randrange(max(1, len(raw) - size))
    value = random.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1, random.getrandbits(64)))
    return raw[:at] + (value % 2 ** (8 * size)).to_bytes(size, random.choice(("little", "big"))) + raw[at + size :]


def _cut(raw: bytes, random: Random) -> bytes:
    return raw[: random.randrange(len(raw) + 1)]


def _out(raw: bytes, random: Random) -> bytes:
    at = random.randrange(len(raw) + 1)
    return raw[:at] + raw[at + random.choice((1, 4, 30, 400)) :]


def _in(raw: bytes, random: Random) -> bytes:
    at = random.randrange(len(raw) + 1)
    return raw[:at] + random.choice(PIECES) + raw[at:]


def _again(raw: bytes, random: Random) -> bytes:
    at, size = random.randrange(len(raw) + 1), random.choice((1, 10, 100, 1000))
    return raw[:at] + raw[at : at + size] * random.choice((2, 3, 200)) + raw[at + size :]


def _lines(raw: bytes, random: Random) -> bytes:
    lines = raw.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 1:
        del lines[i]
    elif kind == 2:
        lines.insert(i, lines[j])
    else:
        lines[i : i + 1] = [lines[i]] * random.choice((2, 500))
    return b"\n".join(lines)


def _number(raw: bytes, random: Random) -> bytes:
    found = list(_NUMBER.finditer(raw))
    if not found:
        return raw
    spot = random.choice(found)
    number = random.choice(NUMBERS) if random.random() < 0.8 else f"{spot[0].decode()}e{random.randrange(-12, 12)}"
    return raw[: spot.start()] + number.encode() + raw[spot.end() :]


def _swapped(raw: bytes, random: Random) -> bytes:
    """A word in the place of another."""
    words = list(re.finditer(rb"[^\s,;=]+", raw[:200_000]))
    if len(words) < 2:
        return raw
    a, b = random.choice(words), random.choice(words)
    return raw[: a.start()] + b[0] + raw[a.end() :]


def _wide(raw: bytes, random: Random) -> bytes:
    return raw.decode("latin-1").encode(random.choice(("utf-16", "utf-8-sig", "utf-16-le", "utf-8")))


_DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_bytes, _words, _cut, _out, _in, _again, _lines, _number, _number, _number, _swapped, _wide),
)


class HangError(BaseException):
    """A reader computes without end; no reader may catch it by mistake."""


@contextmanager
def bounded() -> Iterator[None]:
    """Computing time is bounded, and memory is looked at afterwards."""

    def hang(*_: Any) -> None:
        raise HangError

    before = signal.signal(signal.SIGVTALRM, hang)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_COMPUTING)
    try:
        yield
    except HangError:
        raise AssertionError(f"computes for more than {MOST_COMPUTING} s") from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    assert taken < MOST_MEMORY, f"takes {taken / 1000:.0f} MB"


def outcome(form: Format, path: Path) -> str:
    """Read a file as a program would; returns "read" or "refused"."""
    with warnings.catch_warnings(), bounded():
        warnings.simplefilter("error")  # of NumPy: an overflow that nobody noticed
        warnings.simplefilter("ignore", PlausibilityWarning)  # finite, and told
        try:
            for found in form.use(path):
                values = np.asarray(found, dtype=float)
                good = np.isfinite(values) | (np.isnan(values) if form.missing else False)
                assert good.all(), f"holds {values[~good].ravel()[:3]}"
        except JounceError as error:
            text = str(error)
            named = path.name in text or any(item.name in text for item in path.parents[1].rglob("*.*"))
            assert named or not form.named, f"the message does not say which file: {text[:300]}"
            assert 0 < len(text) < 30_000, f"a message of {len(text)} characters: {text[:300]}"
            return "refused"
    return "read"


def numbers(value: Any) -> Iterator[float]:
    """All numbers in nested data."""
    if isinstance(value, bool) or value is None or isinstance(value, str | bytes):
        return
    if isinstance(value, int | float | np.number):
        yield float(value) if abs(value) < 1e308 or not math.isfinite(value) else 0.0
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list | tuple | np.ndarray):
        for item in value:
            yield from numbers(item)


# What reads the bytes of a file of others, by its limits; a module that calls one of them is a reader.
ENTRIES = {
    "jounce.core.csv_cells": {"read_table_text"},
    "jounce.core.limits": {"read_bytes", "read_utf8", "check_file"},
    "jounce.core.process": {"aside"},
    "jounce.core.yaml_files": {"read_mapping", "read_mappings"},
    "jounce.files.drd": {"read_text"},
    "jounce.files.property_file": {"PropertyFile"},
}
# What reads a file without limits.
UNLIMITED = {"open", "read_text", "read_bytes", "fromfile", "loadtxt", "genfromtxt", "memmap", "iterparse"}
SOURCES = Path(jounce.__file__).parent


@lru_cache(maxsize=1)
def calls() -> dict[str, tuple[set[str], set[str]]]:
    """By module: the `ENTRIES` that it calls, imported by their names, and what it calls of `UNLIMITED`."""
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_bytes())))
        imports = [n for n in nodes if isinstance(n, ast.ImportFrom)]
        known = {a.name for n in imports for a in n.names if a.name in ENTRIES.get(n.module or "", ())}
        made = [node for node in nodes if isinstance(node, ast.Call)]
        plain = {node.func.id for node in made if isinstance(node.func, ast.Name)}
        methods = [n.func for n in made if isinstance(n.func, ast.Attribute) and (n.func.attr != "open" or _mode(n))]
        of_classes = {f.value.id for f in methods if isinstance(f.value, ast.Name) and f.attr == "read"}
        own = {f.attr for f in methods} | (plain & {"open"})
        module = ".".join(("jounce", *path.relative_to(SOURCES).with_suffix("").parts)).removesuffix(".__init__")
        found[module] = (known & ((plain - {"PropertyFile"}) | of_classes), own & UNLIMITED)
    return found


def _mode(call: ast.Call) -> bool:
    """Whether a call of a method ``open`` says how a file is opened; dialogs of a page open, too."""
    given = [node.value for node in call.args if isinstance(node, ast.Constant)]
    named = [item.arg for item in call.keywords]
    return any(isinstance(word, str) and set(word) <= set("rwabx+t") for word in given) or "encoding" in named


@contextmanager
def watched() -> Iterator[set[str]]:
    """Gather the modules on whose behalf files are read within the block."""
    seen: set[str] = set()
    known = limits.note_read

    def noted(path: Any) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            seen.add(str(frame.f_globals.get("__name__", "")))
            frame = frame.f_back
        known(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "note_read", noted)
        yield seen
