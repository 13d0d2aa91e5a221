"""Another simulation of the same numbers, for those who run many or write one down."""

from __future__ import annotations

from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Library, Simulation


def duplicate(source: Simulation | Library) -> Simulation:
    """Return a new simulation: of a library with its defaults, of a simulation as it stands now.

    Parameters, tables, services, program, state and history are the same; nothing done to one is seen by the other. A
    simulation with external blocks is refused: the code behind them exists once.
    """
    if not isinstance(source, Simulation):
        return Simulation(source)  # refuses, in words, what is no library
    external = [block.name for block in source.blocks if block.kind != "compiled"]
    if external:
        raise ParameterError(
            f"the simulation has an external block, {external[0]!r}, which cannot be doubled; remove it with "
            "remove_block, and add one of its own to each run (Variant(setup=...)), or compile it into the model"
        )
    copy = Simulation(source.library, method=source.method, step=source.step, program=source.program)
    # arrays as they are: by name, one by one, this would take longer than some runs
    copy.values.parameters[:] = source.values.parameters
    copy.set_tables({name: table for name, table in source.tables.items() if table is not source.model.tables[name]})
    for name, (function, context) in source.values.attachments.bound.items():
        copy.bind(name, function, context)
    copy.block_set.rhythm.update(source.block_set.rhythm)
    copy.restore(source.snapshot())
    return copy
