"""Shared by tests of the suspension rig."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jounce.rigs.suspension_rig import SuspensionRig
from rig_cars import small_rig


@pytest.fixture
def rig() -> Iterator[SuspensionRig]:
    """A small car on the rig, as it was made."""
    found = small_rig()
    found.reset()
    yield found
    found.reset()
