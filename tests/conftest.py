"""Shared by all tests: one cache of compiled models per session, and the Hypothesis profile."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("jounce", deadline=None)  # the first example of a test may compile
settings.load_profile("jounce")

_OWN = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Give the session its own cache; workers of pytest-xdist inherit the variable and share the folder."""
    if not hasattr(config, "workerinput"):
        config.stash[_OWN] = tempfile.mkdtemp(prefix="jounce-tests-")
        os.environ["JOUNCE_CACHE_DIR"] = config.stash[_OWN]


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = config.stash.get(_OWN, None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
