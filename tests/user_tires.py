"""User tires in C for tests, and how they are compiled: as a user does it, outside of the package's build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from jounce.runtime.compile import RUNTIME, SUFFIX, find_compiler

SOURCES = Path(__file__).parent / "user_tire_sources"


def compile_tire(name: str, folder: Path) -> Path:
    """A shared library from one of the sources; names of the interface stay open."""
    library = folder / f"{name}{SUFFIX}"
    flags = ["-std=c11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-I", str(RUNTIME)]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    command = [*find_compiler().command, *flags, str(SOURCES / f"{name}.c"), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return library
