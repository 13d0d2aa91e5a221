"""Pages in the style of a house: an HTML file of the user with places for what a report has.

``{{ name }}`` stands for a piece of the page: ``title`` (as text), ``style``, ``script``, all sections as ``content``,
or single ones (``head``, ``notes``, ``tiles``, ``verdict``, ``figures``, ``vehicle``, ``event``, ``identities``,
``drawings``, ``plots``, ``extremes``, ``origin``). Plots are drawn by the script.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from jounce.core.errors import FormatError, did_you_mean
from jounce.core.limits import Limits, read_utf8

PLACE = re.compile(r"\{\{\s*([^{}\s]*)\s*\}\}")
LIMITS = Limits("a template of reports", size=5_000_000)


def fill(path: str | os.PathLike[str], pieces: Mapping[str, str]) -> str:
    """Return the text of a template with its places filled."""
    text = read_utf8(path, LIMITS)
    used = set()
    for match in PLACE.finditer(text):
        name, line = match[1], text.count("\n", 0, match.start()) + 1
        if name not in pieces:
            hint = did_you_mean(name, list(pieces), limit=len(pieces))
            raise FormatError(f"{path}:{line}: {match[0]!r} is no piece of a report{hint}")
        used.add(name)
    if not used - {"title", "style", "script"}:
        raise FormatError(
            f"{path}: nothing of the report would be shown; expected {{{{ content }}}} or single sections"
        )
    if used & {"plots", "content"} and "script" not in used:
        raise FormatError(f"{path}: plots need {{{{ script }}}}, after them")
    return PLACE.sub(lambda match: pieces[match[1]], text)
