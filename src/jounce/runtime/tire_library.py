"""The calls of user tires as a shared library: ``jounce_sti.h`` with the sources in ``tire_interface``.

It is loaded so that its names (``c_actclc2``, ``vi_road``, ``roadGEN``, …) are found by libraries that are loaded later
and leave them open, where the system does such a thing (Linux, macOS).
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

from jounce.core.errors import ModelError
from jounce.runtime.bindings import JnService
from jounce.runtime.compile import RUNTIME, library_path, loaded

SOURCES = Path(__file__).parent / "tire_interface"
# Nothing else of the runtime: its names would be seen by models that are loaded later, which have their own.
WITHOUT_RUNTIME = Path(__file__).parent

_address, _int, _double = ctypes.c_void_p, ctypes.c_int32, ctypes.c_double
REPORT = ctypes.CFUNCTYPE(None, _int, _double)


class UserTire(ctypes.Structure):
    """``jn_user_tire``."""

    _fields_ = (
        ("function", _address),
        *((name, _int) for name in ("crt", "tire_id", "model_switch", "calling_app")),
        *((f"n_{name}", _int) for name in ("states", "outputs", "channels", "parameters", "real", "int")),
        *((name, _int) for name in ("tire_file_length", "road_file_length", "road_model", "error")),
        ("error_time", _double),
        *((name, _address) for name in ("channels", "parameters", "tire_file", "road_file")),
        *((name, _address) for name in ("real_work", "int_work", "initial_states", "last")),
        ("ground", ctypes.POINTER(JnService)),
        ("report", REPORT),
        ("tire_model", ctypes.c_char * 256),
    )


@lru_cache(maxsize=1)
def tire_library() -> ctypes.CDLL:
    """The library, from the cache or compiled now."""
    files = [*sorted(SOURCES.glob("*.c")), *sorted(RUNTIME.glob("*.h"))]
    sources = {path.name: path.read_text(encoding="utf-8") for path in files}
    c = loaded(library_path(sources, name="tires", runtime=WITHOUT_RUNTIME), ctypes.RTLD_GLOBAL)
    c.jn_user_tire_job.argtypes = (_address, _int)
    c.jn_user_tire_job.restype = _int
    c.jn_user_tire_size.argtypes = (_address,)
    c.jn_user_tire_size.restype = _int
    c.jn_tire_road_open.argtypes = (_address,)
    c.jn_tire_road_open.restype = _int
    c.jn_tire_road_close.argtypes = (_int,)
    c.jn_tire_road_close.restype = None
    if c.jn_user_tire_bytes() != ctypes.sizeof(UserTire):
        raise ModelError("the tire interface was compiled with another layout than Python expects; clear the cache")
    return c
