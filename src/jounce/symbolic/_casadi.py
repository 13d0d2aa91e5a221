"""CasADi, imported at first use: a model that comes from the cache never pays for it."""

from __future__ import annotations

import importlib
from typing import Any


class _Lazy:
    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module("casadi")
        value = getattr(module, name)
        setattr(self, name, value)
        return value


ca: Any = _Lazy()

# The type of expressions in annotations; a CasADi SX at run time.
SX = Any


def is_symbolic(value: object) -> bool:
    """True for CasADi expressions (never imports CasADi)."""
    return type(value).__module__.startswith("casadi")
