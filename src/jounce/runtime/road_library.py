"""The compiled road evaluator on its own: ``jn_road.c`` as a shared library, for questions outside a simulation.

The road layer finds this module by its name (it does not depend on the runtime); models have the same C inside.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache

from jounce.runtime.compile import library_path

_SOURCE = '#include "jn_road.h"\n\nJN_EXPORT int jn_road_library(void);\nint jn_road_library(void) { return 1; }\n'


@lru_cache(maxsize=1)
def road_library() -> ctypes.CDLL:
    """The library, from the cache or compiled now."""
    return ctypes.CDLL(str(library_path({"road_library.c": _SOURCE}, name="road")))
