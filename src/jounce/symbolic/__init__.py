"""Symbolic multibody: named quantities, frames, bodies, joints, loads, Kane's equations, C text.

``System`` describes a mechanism; ``System.generate()`` gives its C.  CasADi is imported at first use.
"""

from jounce.symbolic.leaf import Leaf
from jounce.symbolic.system import System

__all__ = ["Leaf", "System"]
