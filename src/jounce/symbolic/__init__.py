"""Symbolic multibody: named quantities, frames, bodies, joints, loads, Kane's equations, C text.

``System`` describes a mechanism; ``System.generate()`` gives its C.  CasADi is imported at first use, and so is all of
this but what somebody asks for: mathematics (``ops``) is needed where no system is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jounce.symbolic.leaf import Leaf
    from jounce.symbolic.system import System

__all__ = ["Leaf", "System"]


def __getattr__(name: str) -> Any:
    if name == "Leaf":
        from jounce.symbolic.leaf import Leaf

        return Leaf
    if name == "System":
        from jounce.symbolic.system import System

        return System
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
