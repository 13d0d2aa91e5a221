"""Compiled cars that tests of the steering share."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from jounce.runtime.simulation import Library
from jounce.sim.build import build
from steered_cars import COMPACT, DATA, bump_steering, system_of


@pytest.fixture(scope="session")
def compact() -> Library:
    """A kingpin of constants, a compliant column, a wheel that can be let go, assistance over speed."""
    return build(system_of(jv.load(DATA).with_(**COMPACT), name="compact_steering"))


@pytest.fixture(scope="session")
def working() -> Library:
    """Exact virtual work with inertia, accelerations of the steering kept; energy as a channel."""
    system = system_of(bump_steering(), name="working")
    system.output("test.energy", system.kinetic_energy() + system.potential_energy(), "J")
    return build(system)
