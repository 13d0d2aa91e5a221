"""Shared by all tests: one cache of compiled models, kept between runs, and the Hypothesis profile.

Models are found by the code that made them (``jounce.sim.reach``), so a cache from before an edit is never wrong. It is
in ``build/test-cache``; ``JOUNCE_TEST_CACHE`` names another folder. A test that needs an empty one sets its own.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("jounce", deadline=None)  # the first example of a test may compile
settings.load_profile("jounce")

FOLDER = Path(__file__).parent.parent / "build" / "test-cache"
MAX_BYTES = 2 * 1024**3
HOURS = 6 * 3600.0  # a hit renews the time of an entry once an hour only: what a running test uses may look that old


def pytest_configure(config: pytest.Config) -> None:
    """Choose the cache; workers of pytest-xdist inherit the variables and share the folder."""
    if not hasattr(config, "workerinput"):
        os.environ["JOUNCE_CACHE_DIR"] = os.environ.get("JOUNCE_TEST_CACHE") or str(FOLDER)
        os.environ.setdefault(
            "JOUNCE_OPTIMISE", "1"
        )  # the same bits, compiled in two thirds of the time: decision 0018


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        from jounce.runtime.cache import prune

        prune(max_bytes=MAX_BYTES, in_use=HOURS)
