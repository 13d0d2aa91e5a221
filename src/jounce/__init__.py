"""jounce: real-time vehicle dynamics, written once in symbolic Python and run as generated C.

Names are loaded on first use, so that ``import jounce`` stays quick and a model from the cache never imports the
symbolic layer.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# The public names and the module that holds each; a module that holds no such name is meant itself (ops).
_LAZY = {
    "BlockState": "jounce.runtime.blocks",
    "Case": "jounce.events.batch",
    "Leaf": "jounce.symbolic.leaf",
    "Lineariser": "jounce.sim.linear",
    "OutsideBlock": "jounce.runtime.blocks",
    "Part": "jounce.components.part",
    "Run": "jounce.results.run",
    "Simulation": "jounce.runtime.simulation",
    "Step": "jounce.symbolic.step",
    "System": "jounce.symbolic.system",
    "Table": "jounce.core.tables",
    "Variant": "jounce.sim.batch",
    "Vehicle": "jounce.vehicle.schema",
    "batch": "jounce.events.batch",
    "build": "jounce.sim.build",
    "compare": "jounce.results.compare",
    "coulomb": "jounce.symbolic.friction",
    "events": "jounce.events",
    "export_c": "jounce.runtime.export",
    "load": "jounce.vehicle.reading",
    "find_equilibrium": "jounce.sim.equilibrium",
    "ops": "jounce.symbolic.ops",
    "read_run": "jounce.results.measured",
    "recipe": "jounce.sim.build",
    "register_part": "jounce.core.part_registry",
    "run": "jounce.events.engine",
    "setup": "jounce.sim.setup",
    "trim": "jounce.sim.setup",
    # the phase program
    **dict.fromkeys(
        (
            *("Program", "Phase", "Open", "Feedback", "Free", "End", "When", "Next", "Goto", "Stop"),
            *("Constant", "Hold", "Ramp", "Rate", "Sine", "Sweep", "Pulse", "FromTable"),
            *("Over", "Slope", "Swept", "Polynomial", "FromInput", "FromWatch", "Integral", "SetParameter"),
            *("SetState", "AddState", "SetMemory", "SetInput", "Write", "Iprint", "RestartHistory"),
        ),
        "jounce.runtime.program",
    ),
}

__all__ = ["__version__", *_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        from difflib import get_close_matches

        close = get_close_matches(name, _LAZY, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name)
    module = importlib.import_module(_LAZY[name])
    is_module = module.__name__.endswith(f".{name}") and not hasattr(module, name)
    value = module if is_module else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
