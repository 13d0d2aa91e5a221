"""From a system to a generated model: checks, equations, functions, C files."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ModelError
from jounce.core.generated import BlockSlot, FunctionSlot, GeneratedModel, ServiceSlot, Variable
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.blocks import arrange
from jounce.symbolic.calls import Call, CallRegistry, TimeDerivative, key
from jounce.symbolic.constraints import solve_dependent_speeds
from jounce.symbolic.emit import CHUNKS_PER_FILE, Access, CFunction, Directions, FunctionEmitter, leaf_access
from jounce.symbolic.kane import Solved, solve
from jounce.symbolic.leaf import Leaf, LeafCall
from jounce.symbolic.loops import check_independent
from jounce.symbolic.program import Program, build_program, leaf_program, run, split
from jounce.symbolic.step import Step, projected_states, step_rates

if TYPE_CHECKING:
    from jounce.symbolic.system import Declared, System


log = logging.getLogger(__name__)

# fields of jn_model
STANDARD_FUNCTIONS = (
    "rhs",
    "outputs",
    "watch",
    "kinematics",
    "prepare",
    "step",
    "project_position",
    "project_velocity",
)


# A pivot below this part of the inertia before elimination is rounding (some hundred operations of 1e-16 each).
SINGULAR = 1e-12


@dataclass
class Equations:
    """The solved system: rates of all states and next memories."""

    system: System
    states: list[Declared]  # coordinates, independent speeds, other states
    rates: list[SX]
    memories: list[SX]
    solved: Solved
    dependent: set[int]  # keys of speeds defined by velocity constraints
    stage_symbols: dict[int, SX] = field(default_factory=dict)  # key of a state -> r of a Rosenbrock stage
    block_delays: list[str] = field(default_factory=list)  # "signal -> block": read one sample late


def derive(system: System) -> Equations:
    """Check the declarations and solve for the rates of all states (once per system)."""
    if system.equations is not None:
        return system.equations
    _check(system)
    # before accelerations are known: what comes back through them is no port of a block
    delays = arrange(system)
    for delay in delays:
        log.info("system %s: blocks read each other in a loop; one sample late: %s", system.name, delay)
    dependent = solve_dependent_speeds(system)
    check_independent(system, dependent)
    solved = solve(system, dependent)
    for k, expression in solved.multipliers.items():
        system.multiplier_aliases[k].args = [expression]
    for solution in solved.units:
        for symbol, value in zip(
            solution.unit.root_load, solution.load if solution.unit.root_load else (), strict=True
        ):
            system.load_aliases[key(symbol)].args = [value]
    independent = [s for s in system.speeds if key(s.symbol) not in dependent]
    for speed in independent:
        system.acceleration_aliases[key(speed.symbol)].args = [solved.accelerations[key(speed.symbol)]]
    if dependent:
        moving = {key(s.symbol): s.acceleration for s in independent}
        allowed = {k: why for k, why in system.unmoving.items() if k not in dependent}
        rate = TimeDerivative(system.calls, {**system.rates, **moving}, allowed)
        for speed in system.speeds:
            if key(speed.symbol) in dependent:
                system.acceleration_aliases[key(speed.symbol)].args = [rate(speed.symbol)]
    states = [*system.coordinates, *independent, *system.states]
    rates = (
        [system.coordinate_rates[key(q.symbol)] for q in system.coordinates]
        + [solved.accelerations[key(s.symbol)] for s in independent]
        + [system.state_rates[key(s.symbol)] for s in system.states]
    )
    memories = [system.memory_updates[key(m.symbol)] for m in system.memories]
    stage = {key(s.symbol): ca.SX.sym(f"r of {s.name}") for s in states}
    equations = Equations(system, states, rates, memories, solved, dependent, stage, delays)
    _check_mass(equations)
    system.equations = equations
    return equations


def _check(system: System) -> None:
    problems = [
        f"state {s.name!r} has no derivative: call derivative(...)"
        for s in system.states
        if key(s.symbol) not in system.state_rates
    ]
    problems += [
        f"memory {m.name!r} has no update: call next_memory(...)"
        for m in system.memories
        if key(m.symbol) not in system.memory_updates
    ]
    problems += [
        f"coordinate {q.name!r} has no rate" for q in system.coordinates if key(q.symbol) not in system.coordinate_rates
    ]
    problems += [problem for block in system.blocks for problem in block.problems()]
    if problems:
        raise ModelError(f"system {system.name!r}: " + "; ".join(problems))


def _check_mass(equations: Equations) -> None:
    """Every pivot of the mass matrix must be positive at the initial state with the default parameters."""
    pivots = equations.solved.pivots
    if equations.system.services:  # what depends on a service is unknown before it is bound
        pivots = [p for p in pivots if not _asks_service(equations.system, p[1])]
    if not pivots:
        return
    values = evaluate(equations.system, [x for _, pivot, diagonal in pivots for x in (pivot, diagonal)])
    for (name, _, _), value, diagonal in zip(pivots, values[::2], values[1::2], strict=True):
        if not value > SINGULAR * abs(diagonal):
            raise ModelError(
                f"singular mass matrix: the inertia seen by speed {name!r} is {value:g} at the initial state; "
                "give the bodies that move with it a positive mass and inertia, or start from another position"
            )


def _asks_service(system: System, expression: SX) -> bool:
    owners = (system.calls.owner(symbol) for symbol in system.calls.reachable(expression).values())
    return any(owner is not None and getattr(owner[0], "kind", "") == "service" for owner in owners)


def initial_values(system: System) -> dict[int, float]:
    """Default numbers of all base symbols."""
    values = {key(system.time): 0.0, key(system.elapsed): 0.0, key(system.t_dt): 0.0005}
    groups = (system.parameter_list, system.inputs, system.coordinates, system.speeds, system.states, system.memories)
    for group in groups:
        values.update({key(item.symbol): item.default for item in group})
    values.update({key(item.symbol): item.default for item in block_values(system)})
    values.update({key(b.period): values[key(system.t_dt)] for b in system.blocks if b.default_period == 0.0})
    if system.derived_parameters:
        numbers = run(derived_program(system), values, lambda slot: _table(system, slot))
        values.update({key(d.symbol): v for (d, _), v in zip(system.derived_parameters, numbers, strict=True)})
    return values


def evaluate(system: System, expressions: Sequence[SX], values: dict[int, float] | None = None) -> list[float]:
    """Numbers of expressions at the initial state (or at ``values``), without compiling."""
    numbers = initial_values(system)
    if values:
        numbers.update(values)
    return run(build_program(system.calls, list(expressions)), numbers, lambda slot: _table(system, slot))


def _table(system: System, slot: int) -> Any:
    return list(system.tables.values())[slot].table


def block_values(system: System) -> list[Declared]:
    """What jn_point.b holds: the signals of all blocks, then the periods."""
    return [*(s for block in system.blocks for s in block.signals), *(block.period_item for block in system.blocks)]


def kinematic_inputs(system: System) -> list[tuple[int, ...]]:
    """Per kinematic output the inputs it depends on; an output that needs accelerations or multipliers is refused."""
    dynamic = {key(s.acceleration): f"the acceleration of {s.name!r}" for s in system.speeds}
    dynamic.update({k: call.label for k, call in (system.multiplier_aliases | system.load_aliases).items()})
    result = []
    for item in system.kinematics:
        found = system.calls.reachable(item.symbol)
        needed = next((what for k, what in dynamic.items() if k in found), None)
        if needed is not None:
            raise ModelError(
                f"output {item.name!r} is declared kinematic but depends on {needed}, which is known only after all "
                "forces; declare it without kinematic=True"
            )
        result.append(tuple(i for i, u in enumerate(system.inputs) if key(u.symbol) in found))
    return result


class _WithDerived(CallRegistry):
    """The calls of a system, in which derived parameters stand for their expressions."""

    def __init__(self, system: System) -> None:
        super().__init__()
        self._base = system.calls
        for item, expression in system.derived_parameters:
            self.late_alias(item.name, item.symbol).args = [expression]

    def owner(self, symbol: SX) -> tuple[Call, Any] | None:
        return super().owner(symbol) or self._base.owner(symbol)


def derived_program(system: System) -> Program:
    """Derived parameters from free ones, chains through tables included; made once per number of them."""
    known, count = system.derived_made, len(system.derived_parameters)
    if known is None or known[0] != count:
        program = build_program(_WithDerived(system), [d.symbol for d, _ in system.derived_parameters])
        known = system.derived_made = (count, program)
    return known[1]


class ModelWriter:
    """Collects emitted functions and leaves into C files."""

    def __init__(self, system: System, states: Sequence[Declared], suffix: str = "", rarely: bool = False) -> None:
        self.system = system
        self.rarely = rarely  # whether all of it is called a few times only, and should compile quickly
        self.prefix = system.name + suffix
        self.access = symbol_access(system, states)
        self.emitter = FunctionEmitter(self.prefix, self.access)
        self.functions: dict[str, CFunction] = {}
        self.low_effort: set[str] = set()
        self.step_stages = 0
        self.leaves: dict[str, CFunction] = {}

    def add(
        self, name: str, arrays: Sequence[Sequence[SX]], *, low_effort: bool = False, program: Program | None = None
    ) -> None:
        """Emit a function that writes the given expressions to out[0], out[1], ..."""
        flat = [e for array in arrays for e in array]
        places = [(a, i) for a, array in enumerate(arrays) for i in range(len(array))]
        program = program or build_program(self.system.calls, flat)
        self.functions[name] = self.emitter.model_function(name, program, places)
        if low_effort:
            self.low_effort.add(name)
        self._add_leaves(program)

    def add_directions(self, name: str, arrays: Sequence[Sequence[SX]], along: Sequence[SX]) -> None:
        """Emit a function that writes the given expressions for each unit vector ``along`` as columns, one by one."""
        for i, symbol in enumerate(along):
            self.access[key(symbol)] = Access("at->r", i, f"r{i}", str(symbol))
        program, first = split(
            build_program(self.system.calls, [e for array in arrays for e in array]), {key(s) for s in along}
        )
        places = [(a, i) for a, array in enumerate(arrays) for i in range(len(array))]
        directions = Directions(len(along), tuple(map(len, arrays)), first)
        self.functions[name] = self.emitter.model_function(name, program, places, directions)
        self.low_effort.add(name)
        self._add_leaves(program)

    def add_prepare(self) -> None:
        """Emit ``prepare``, which computes the derived parameters."""
        symbols = [d.symbol for d, _ in self.system.derived_parameters]
        self.add("prepare", [symbols], low_effort=True, program=derived_program(self.system))

    def _add_leaves(self, program: Program) -> None:
        for site in program.sites:
            if isinstance(site.call, LeafCall):
                self._add_leaf(site.call.leaf)

    def _add_leaf(self, leaf: Leaf) -> None:
        if leaf.name in self.leaves and self.emitter.leaves.get(leaf.name) is leaf:
            return
        inner = FunctionEmitter(self.prefix, leaf_access(leaf))
        inner.leaves = self.emitter.leaves
        self.leaves[leaf.name] = inner.leaf_function(leaf)
        self._add_leaves(leaf_program(leaf))

    @property
    def n_work(self) -> int:
        return max((f.n_work for f in self.functions.values()), default=0)

    def files(self, model_text: str) -> dict[str, str]:
        everything = [*self.leaves.values(), *self.functions.values()]
        header = [
            f"/* {self.prefix}: generated by jounce; do not edit. */",
            f"#ifndef {self.prefix.upper()}_H",
            f"#define {self.prefix.upper()}_H",
            '#include "jn_math.h"',
            '#include "jounce.h"',
        ]
        for function in everything:
            header += [function.prototype, *function.chunk_prototypes]
        header += ["#endif", ""]
        include = f'#include "{self.prefix}.h"\n\n'
        files = {f"{self.prefix}.h": "\n".join(header)}
        fast: list[str] = []
        slow: list[str] = []
        for function in self.leaves.values():
            fast += [*function.chunks, function.wrapper]
        for name, function in self.functions.items():
            (slow if name in self.low_effort else fast).extend([*function.chunks, function.wrapper])
        kinds = {"_rarely": [*fast, *slow]} if self.rarely else {"": fast, "_outputs": slow}
        for kind, parts in kinds.items():
            for i in range(0, len(parts), CHUNKS_PER_FILE):
                number = i // CHUNKS_PER_FILE
                files[f"{self.prefix}_{number}{kind}.c"] = include + "\n".join(parts[i : i + CHUNKS_PER_FILE])
        files[f"{self.prefix}.c"] = include + model_text
        return files


def symbol_access(system: System, states: Sequence[Declared]) -> dict[int, Access]:
    """How generated functions read each base symbol."""
    access = {
        key(system.time): Access("at->t", -1, "t", "time"),
        key(system.elapsed): Access("at->elapsed", -1, "elapsed", "since the last committed evaluation"),
        key(system.t_dt): Access("at->t_dt", -1, "t_dt", "T_DT"),
    }
    arrays = (
        ("at->x", "x", states),
        ("at->m", "m", system.memories),
        ("at->u", "u", system.inputs),
        ("at->b", "b", block_values(system)),
        ("env->p", "p", [*system.parameter_list, *(d for d, _ in system.derived_parameters)]),
    )
    for array, local, items in arrays:
        for i, item in enumerate(items):
            access[key(item.symbol)] = Access(array, i, f"{local}{i}", item.name)
    return access


def generate(system: System, step: Step | None = None) -> GeneratedModel:
    """The complete model: rhs, outputs, watch, prepare; with loops the projections, with ``step`` its rates."""
    equations = derive(system)
    writer = ModelWriter(system, equations.states)
    writer.add("rhs", [equations.rates, equations.memories])
    if step is not None:
        for i, state in enumerate(equations.states):
            symbol = equations.stage_symbols[key(state.symbol)]
            writer.access[key(symbol)] = Access("at->r", i, f"r{i}", f"stage right-hand side of {state.name}")
        writer.step_stages = 2 if step.kind == "ros2" else 1
        writer.add("step", [step_rates(equations, step), equations.memories])
    if any(unit.loops for unit in system.units):
        writer.add("project_position", [projected_states(equations, "position")])
        writer.add("project_velocity", [projected_states(equations, "velocity")])
    writer.add("outputs", [[o.symbol for o in system.outputs]], low_effort=True)
    writer.add("watch", [[o.symbol for o in system.watches]])
    if system.kinematics:
        writer.add("kinematics", [[o.symbol for o in system.kinematics]])
    for i, block in enumerate(system.blocks):
        writer.add(f"block{i}", [[block.updates[key(s.symbol)] for s in block.signals]])
    writer.add_prepare()
    return finish(system, equations, writer)


def finish(
    system: System,
    equations: Equations,
    writer: ModelWriter,
    *,
    functions: Sequence[FunctionSlot] = (),
    notes: dict[str, Any] | None = None,
) -> GeneratedModel:
    """The metadata, the model struct and the files."""
    position = {key(s.symbol): i for i, s in enumerate(equations.states)}
    quaternions = tuple(position[key(q[0])] for q, _ in system.quaternions)
    rate = tuple(link[0] for link in system.input_links)
    acceleration = tuple(link[1] for link in system.input_links)
    remarks = {
        "dependent_speeds": [s.name for s in system.speeds if key(s.symbol) in equations.dependent],
        "block_delays": equations.block_delays,
    }
    model = GeneratedModel(
        name=writer.prefix,
        states=_variables(equations.states),
        memories=_variables(system.memories),
        inputs=_variables(system.inputs),
        parameters=_variables(system.parameter_list),
        derived=_variables([d for d, _ in system.derived_parameters]),
        outputs=_variables(system.outputs) if "outputs" in writer.functions else (),
        watches=_variables(system.watches) if "watch" in writer.functions else (),
        kinematics=_variables(system.kinematics) if "kinematics" in writer.functions else (),
        kinematic_inputs=tuple(kinematic_inputs(system)) if "kinematics" in writer.functions else (),
        signals=_variables([s for block in system.blocks for s in block.signals]),
        block_periods=tuple(block.default_period for block in system.blocks),
        blocks=_block_slots(system) if "block0" in writer.functions else (),
        tables={name: handle.table for name, handle in system.tables.items()},
        services=tuple(ServiceSlot(s.name, s.n_in, s.n_out, s.order, s.doc) for s in system.services),
        functions=tuple(functions),
        quaternions=quaternions,
        input_rate=rate,
        input_acceleration=acceleration,
        aliases=dict(system.input_aliases),
        operations={name: f.operations for name, f in writer.functions.items()},
        notes={**system.notes, **(notes or {}), **{name: found for name, found in remarks.items() if found}},
    )
    return replace(model, sources=writer.files(_model_text(model, writer)))


def _variables(items: Sequence[Declared]) -> tuple[Variable, ...]:
    return tuple(
        Variable(i.name, i.unit, i.doc, i.default, i.low, i.high, i.above, i.role, i.in_statics) for i in items
    )


def _block_slots(system: System) -> tuple[BlockSlot, ...]:
    slots: list[BlockSlot] = []
    for block in system.blocks:
        first = slots[-1].first + slots[-1].n if slots else 0
        slots.append(BlockSlot(block.name, block.default_period, block.offset, first, len(block.signals), block.doc))
    return tuple(slots)


def _model_text(model: GeneratedModel, writer: ModelWriter) -> str:
    def integers(name: str, values: Sequence[int]) -> str:
        body = ", ".join(str(v) for v in values) or "-1"
        return f"static const int32_t {name}[] = {{{body}}};\n"

    n_p_free = len(model.parameters)
    prefix = writer.prefix
    lines = [integers("u_rate", model.input_rate), integers("u_acceleration", model.input_acceleration)]
    if model.functions:
        lines.append("static const jn_named_fn fns[] = {\n")
        lines += [f'    {{"{f.name}", {prefix}_{f.name}}},\n' for f in model.functions]
        lines.append("};\n")
    if model.blocks:
        lines.append("static const jn_block blocks[] = {\n")
        for i, b in enumerate(model.blocks):
            numbers = f"{b.period!r}, {b.offset!r}, {b.first}, {b.n}, {len(model.signals) + i}"
            lines.append(f'    {{"{b.name}", {numbers}, {prefix}_block{i}}},\n')
        lines.append("};\n")
    entries = {
        "abi": "JN_ABI",
        "n_x": len(model.states),
        "n_m": len(model.memories),
        "n_u": len(model.inputs),
        "n_p": n_p_free + len(model.derived),
        "n_p_free": n_p_free,
        "n_y": len(model.outputs),
        "n_watch": len(model.watches),
        "n_tables": len(model.tables),
        "n_services": len(model.services),
        "n_work": max(writer.n_work, 1),
        "u_rate": "u_rate",
        "u_acceleration": "u_acceleration",
        **{name: f"{prefix}_{name}" if name in writer.functions else "NULL" for name in STANDARD_FUNCTIONS},
        "step_stages": writer.step_stages,
        "n_fns": len(model.functions),
        "fns": "fns" if model.functions else "NULL",
        "n_k": len(model.kinematics),
        "n_b": len(model.signals) + len(model.block_periods),
        "n_blocks": len(model.blocks),
        "blocks": "blocks" if model.blocks else "NULL",
    }
    body = "".join(f"    .{name} = {value},\n" for name, value in entries.items())
    lines.append(f"static const jn_model model = {{\n{body}}};\n\n")
    lines.append("JN_EXPORT const jn_model *jn_get_model(void) { return &model; }\n")
    return "#include <stddef.h>\n\n" + "".join(lines)
