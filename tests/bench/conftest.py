"""Speed is measured as users get it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _usual_optimisation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOUNCE_OPTIMISE", raising=False)
