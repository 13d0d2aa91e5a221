"""How much a step costs at most: the account behind "no iteration, a fixed amount of work per step".

Generated functions are straight-line code and every method evaluates them a fixed number of times, so the counts follow
from the model and the method alone, whatever the numbers are.
"""

from __future__ import annotations

import re
from collections import Counter

from jounce.core.errors import ParameterError
from jounce.core.generated import GeneratedModel
from jounce.runtime.bindings import Library
from jounce.runtime.methods import LINEAR_IMPLICIT, METHODS, method_number

# Evaluations in a full step, once the history is full.
_EVALUATIONS = {"Euler": 1, "AB-2": 1, "RK-2": 2, "AM-2": 2, "AM-3": 2, "AM-4": 2, "LI-Euler": 1, "ROS2": 2}
# Steps made with RK-4, of four evaluations each, after every start of the history.
_START_STEPS = {"AB-2": 1, "AM-2": 1, "AM-3": 2, "AM-4": 3}
START_EVALUATIONS = 4

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DEFINITION = re.compile(r"^(?:JN_NOINLINE )?void (\w+)\([^)]*\)\n\{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\(|\.call\(")
_LIBM = frozenset(
    (
        *("exp", "expm1", "log", "log1p", "pow", "erf", "fmod", "hypot"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
        *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    )
)


def work_per_step(
    library: Library | GeneratedModel, method: str | int = "AB-2", *, project: bool = False
) -> dict[str, int]:
    """Return what one full step does at most, the phase program, the recorder and what services do left out.

    Parameters
    ----------
    library : the model
    method : by name or number
    project : whether every step ends with a projection onto the loop constraints

    Returns
    -------
    evaluations : of the right-hand side; with LI-Euler, of the linear-implicit step
    operations : arithmetic operations in them (and in the projection); a table look-up, or a function of the
        mathematics library, counts as one
    table_lookups, service_calls : in them; exact
    library_calls : functions of the mathematics library; at most, as branches that are not taken call none
    start_steps, start_evaluations : how many steps after a start of the history are made with RK-4, and its evaluations
    block_operations : when all sampled blocks of the model are due
    watch_operations : once per step when the phase program looks at watched outputs (twice when a phase begins)
    row_operations : for each row that is recorded
    """
    model = library.model if isinstance(library, Library) else library
    name = next((key for key, number in (METHODS | LINEAR_IMPLICIT).items() if number == method_number(method)), "")
    if name not in _EVALUATIONS:
        raise ParameterError(f"method {method!r}: no account of its work  known: {', '.join(_EVALUATIONS)}")
    evaluations = _EVALUATIONS[name]
    used = Counter({"step" if name in LINEAR_IMPLICIT else "rhs": evaluations})
    if project:
        used.update(["project_position", "project_velocity"])
    calls: Counter[str] = Counter()
    for function, times in used.items():
        for called, count in call_counts(model, function).items():
            calls[called] += times * count
    return {
        "evaluations": evaluations,
        "operations": sum(times * model.operations.get(function, 0) for function, times in used.items()),
        "table_lookups": calls["jn_table_eval"],
        "service_calls": calls["service"],
        "library_calls": sum(calls[function] for function in _LIBM),
        "start_steps": _START_STEPS.get(name, 0),
        "start_evaluations": START_EVALUATIONS if name in _START_STEPS else 0,
        "block_operations": sum(model.operations.get(f"block{k}", 0) for k in range(len(model.blocks))),
        "watch_operations": model.operations.get("watch", 0),
        "row_operations": model.operations.get("outputs", 0),
    }


def call_counts(model: GeneratedModel, function: str) -> Counter[str]:
    """Calls in one evaluation of a generated function, by name, from its C text; "service" for outside functions."""
    bodies: dict[str, str] = {}
    for text in model.sources.values():
        bodies.update(_DEFINITION.findall(_COMMENT.sub("", text)))
    known: dict[str, Counter[str]] = {}

    def total(name: str) -> Counter[str]:
        if name not in known:
            found: Counter[str] = Counter()
            for called in _CALL.findall(bodies[name]):
                if called in bodies:
                    found += total(called)
                else:
                    found[called or "service"] += 1
            known[name] = found
        return known[name]

    top = f"{model.name}_{function}"
    if top not in bodies:
        raise ParameterError(f"model {model.name!r}: its C has no function {top} that could be counted")
    return total(top)
