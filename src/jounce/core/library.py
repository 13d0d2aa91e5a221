"""Where the shipped library lies."""

from __future__ import annotations

from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "library"
