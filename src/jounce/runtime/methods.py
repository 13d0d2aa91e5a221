"""Integration methods: their names and numbers, the usual step of each, and what each needs of a model."""

from __future__ import annotations

import math

from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.units import parse
from jounce.runtime.bindings import Library

Number = float | str

METHODS = {"Euler": -1, "AB-2": 0, "RK-2": 1, "AM-2": 2, "AM-3": 3, "AM-4": 4}
"""Names and OPT_INT_METHOD numbers."""

LINEAR_IMPLICIT = {"LI-Euler": 10, "ROS2": 11}
"""Steps with the generated linear-implicit form (``generate(step=...)``): first order; second order in two stages."""

ALL_METHODS = METHODS | LINEAR_IMPLICIT
METHOD_NAMES = {number: name for name, number in ALL_METHODS.items()}


def method_number(method: str | int) -> int:
    """Return the OPT_INT_METHOD number of a method given by name ("AB-2", "ab2") or number."""
    if isinstance(method, str):
        key = "".join(c for c in method.lower() if c.isalnum())
        for name, number in ALL_METHODS.items():
            if key == name.lower().replace("-", ""):
                return number
    elif method in METHOD_NAMES:
        return int(method)
    numbers = ", ".join(f"{name} ({number})" for name, number in ALL_METHODS.items())
    hint = did_you_mean(str(method), ALL_METHODS)
    if "".join(c for c in str(method).lower() if c.isalnum()) in ("rk4", "rungekutta4", "rungekutta"):
        hint = "; RK-4 only makes the first steps of the multi-step methods, AM-4 has the same order"
    raise ParameterError(f"method {method!r}: unknown{hint}  by number: {numbers}")


def default_step(method: str | int) -> float:
    """Return the usual step in s: 0.0005 for Euler and AB-2, 0.001 for the half-step methods."""
    return 0.0005 if method_number(method) <= 0 else 0.001


def step_of(step: Number | None, method: int) -> float:
    """Return a step in s: the one given, or the usual one of the method."""
    h = default_step(method) if step is None else parse(step, "s", "step")
    if not (h > 0.0 and math.isfinite(h)):
        raise ParameterError(f"step = {step}: must be above 0 s")
    return h


def has_half_steps(method: int) -> bool:
    """Whether a method evaluates the middle of a step."""
    return 1 <= method <= 4


def check_step_function(library: Library, method: int) -> None:
    """Refuse a linear-implicit method for a model that was built without its step."""
    if method not in LINEAR_IMPLICIT.values():
        return
    c = library.struct.contents
    stages = 2 if method == LINEAR_IMPLICIT["ROS2"] else 1
    if not c.step or c.step_stages != stages:
        kind = "ros2" if stages == 2 else "velocity-first"
        raise ParameterError(
            f"method {METHOD_NAMES[method]}: model {library.model.name!r} was built without a linear-implicit step "
            f"of this order; build(system.generate(step=Step({kind!r}))) makes one"
        )
