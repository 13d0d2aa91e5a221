"""Paths inside nested data, as files and messages have them."""

from __future__ import annotations

Keys = tuple[str | int, ...]
"""``("front_suspension", "dampers", 0, "rate")``"""


def dotted(keys: Keys) -> str:
    """Return ``front_suspension.dampers[0].rate``."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}"
    return text.removeprefix(".")
