"""The compiled road evaluator on its own: ``jn_road.c`` as a shared library, for questions outside a simulation.

The road layer finds this module by its name (it does not depend on the runtime); models have the same C inside. The
library also builds the indices of meshes (``c_build``), which models only read.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

from jounce.runtime.compile import library_path, loaded

_BUILDERS = Path(__file__).parent / "c_build"
_SOURCE = '#include "jn_road.h"\n\nJN_EXPORT int jn_road_library(void);\nint jn_road_library(void) { return 1; }\n'


@lru_cache(maxsize=1)
def road_library() -> ctypes.CDLL:
    """The library, from the cache or compiled now."""
    sources = {"road_library.c": _SOURCE}
    sources |= {path.name: path.read_text(encoding="utf-8") for path in _BUILDERS.glob("*.c")}
    return loaded(library_path(sources, name="road"))
