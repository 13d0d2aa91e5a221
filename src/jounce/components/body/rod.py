"""A rod that stays an engine: a light suspended body (``suspended``) with a bushing at either end.

One mount stands on the sprung mass, one on the engine (``to: engine``). With translational rates k₁ and k₂ of its ends
it is two springs in series along its axis, as long as its mass does not swing:

    1/k = 1/k₁ + 1/k₂                                                                                              (1)
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from jounce.components.body.suspended import Suspended
from jounce.core.fields import choice, problem


class Rod(Suspended):
    """A rod with a bushing at either end."""

    kind: Literal["rod"] = choice("rod", doc="kind of body")
    name: str = choice("rod", doc="name of the body, for sensors, forces and channels")
    fixed: Literal[False] = choice(False, doc="a rod is never fixed")

    @model_validator(mode="after")
    def _two_ends(self) -> Self:
        if len(self.mounts) < 2:
            raise problem(f"{len(self.mounts)} bushing; a rod has two ends", "mounts")
        return self
