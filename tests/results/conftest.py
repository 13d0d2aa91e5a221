"""Runs for the tests of results."""

from __future__ import annotations

import pytest

from jounce.results.run import Run
from result_runs import drive


@pytest.fixture(scope="session")
def step_run() -> Run:
    return drive("step_steer")


@pytest.fixture(scope="session")
def ramp_run() -> Run:
    return drive("ramp_steer", end=40.0)
