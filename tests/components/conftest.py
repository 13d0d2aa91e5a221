"""Cars that tests of parts share."""

from __future__ import annotations

import pytest

import jounce.vehicle as jv
from cars import compact
from polynomial_cars import dependent_car, independent_car


@pytest.fixture(scope="session")
def independent() -> jv.Vehicle:
    return independent_car()


@pytest.fixture(scope="session")
def dependent() -> jv.Vehicle:
    return dependent_car()


@pytest.fixture(scope="session")
def plain_car() -> jv.Vehicle:
    return compact()
