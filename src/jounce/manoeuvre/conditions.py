"""End conditions: when a stage is over, and what follows.

With the value v of a measure, the reference r and the tolerance ε, a test is true when

    >  v > r − ε      >=  v ≥ r − ε      <  v < r + ε      <=  v ≤ r + ε      ==  |v − r| ≤ ε      !=  |v − r| > ε   (1)

and with ``abs`` in front the same of |v|. It is met once it was true for the time ``hold`` without a break, and acts
``delay`` later, whatever happens meanwhile. Conditions of one ``group`` must be met at one time; of all others one is
enough. The first in the list decides.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from jounce.core.fields import choice, quantity, text
from jounce.manoeuvre.block import Amount, Block, amount

Test = Literal[">", ">=", "<", "<=", "==", "!=", "abs>", "abs>=", "abs<", "abs<=", "abs==", "abs!="]

_SHORT = re.compile(r"([^<>=!\s]+)\s*((?:abs\s*)?(?:>=|<=|==|!=|>|<))\s*([^<>=!]+)")


class Condition(Block):
    """When a stage ends."""

    measure: str = text(doc="a measure (docs/manoeuvres.md) or a watched channel")
    test: Test = choice(doc="how it is compared")
    reference: Amount = amount(doc="with what; a number is SI, of a channel in the units of the file")
    tolerance: Amount = amount(0.0, doc="ε")
    hold: float = quantity("s", 0.0, ge=0, doc="how long the test must be true without a break")
    delay: float = quantity("s", 0.0, ge=0, doc="between that and the end of the stage")
    next: str = text(doc="stage that follows; absent: the next in the list")
    group: str = text(doc="conditions with this word must be met together; absent: alone")
    action: Literal["end", "abort"] = choice("end", doc="end the stage, or the whole run")

    @classmethod
    def short(cls, word: str) -> bool:
        return any(sign in word for sign in "<>=")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """``"time >= 3 s"`` is a condition."""
        if not isinstance(raw, str):
            return raw
        found = _SHORT.fullmatch(raw)
        if found is None:
            return {"measure": raw}
        name, test, value = (part.strip() for part in found.groups())
        return {"measure": name, "test": test.replace(" ", ""), "reference": value}
