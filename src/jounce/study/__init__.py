"""Studies: plans of many runs, their summaries and differences; searches for limits.

plan = Plan.read("fleet.yaml")
done = run_plan(plan, "results")
done.ok, done.outputs
"""

from __future__ import annotations

from typing import Any

_PLACES = {
    "Plan": "plan",
    "run_plan": "running",
    "Outcome": "running",
    "read_summary": "summary",
    "difference": "difference",
    "search": "search",
    "Condition": "condition",
}

__all__ = ["Condition", "Outcome", "Plan", "difference", "read_summary", "run_plan", "search"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module(f"jounce.study.{_PLACES[name]}"), name)
    globals()[name] = found
    return found
