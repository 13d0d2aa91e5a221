"""Exact linearisation: A, B, C, D of a system by name, at any point.

    δẋ = A δx + B δu,   δy = C δx + D δu

Inputs may be parameters of the model as well, where they are named: what a set-up adjusts.

States are the model's, except that the four components of a quaternion are replaced by three tangent angles δθ in the
turned axes, q = q0 ∘ (1, δθ/2), whose rate is δθ̇ = δω - ω × δθ.  Memories are held.  The derivatives are taken through
tables, services and leaf functions; with map-guided bodies that needs the third derivatives of the maps.

For statics and steady running the library also knows what the roles of states (``core/roles.py``) refer to: matrices S
and T with the slopes of the speeds that strain contacts and that friction opposes, and a function ``rest`` with the
most that each friction element bears and the speeds of freely rolling wheels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jounce.core.errors import ModelError, did_you_mean
from jounce.core.generated import FunctionSlot, GeneratedModel
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import TimeDerivative, key, scalars
from jounce.symbolic.frames import quaternion_rate
from jounce.symbolic.generate import ModelWriter, derive, finish
from jounce.symbolic.joints import TILT_ROLES
from jounce.symbolic.sensitivity import acceleration_slopes

if TYPE_CHECKING:
    from jounce.symbolic.system import Declared, System, Unit


def generate_linear(
    system: System, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None
) -> GeneratedModel:
    """A library with ``linearise``, the columns of [A B], [C D], S and T one after the other, and ``rest``."""
    equations = derive(system)
    # of parameters, too: what a set-up adjusts. Unless they are named, nothing is differentiated over them.
    adjustable = system.inputs if inputs is None else [*system.inputs, *system.parameter_list]
    chosen_inputs = _choose(adjustable, inputs, "input")
    _check_derived(system, chosen_inputs)
    chosen_outputs = _choose(system.outputs, outputs, "output")

    # tangent space: name, and which state columns it moves by how much
    names: list[str] = []
    roles: list[str] = []
    columns: list[list[tuple[int, SX]]] = []
    tangent_start: dict[int, int] = {}  # quaternion number -> first tangent
    position = {key(s.symbol): i for i, s in enumerate(equations.states)}
    first = {position[key(q[0])]: number for number, (q, _) in enumerate(system.quaternions)}
    inside = {position[key(q[i])] for q, _ in system.quaternions for i in range(1, 4)}
    free = {key(body.quaternion[0]) for body in system.free_bodies}
    rates: list[SX] = []
    accelerations = {key(s.symbol): s.acceleration for s in system.speeds}
    for i, state in enumerate(equations.states):
        if i in inside:
            continue
        if i in first:
            q, w = system.quaternions[first[i]]
            tangent_start[first[i]] = len(names)
            for a, axis in enumerate("xyz"):
                unit = [ca.SX(1 if a == b else 0) for b in range(3)]
                moves = quaternion_rate(q, unit)
                names.append(f"{state.name.rsplit('.', 1)[0]}.r{axis}")
                roles.append(TILT_ROLES[a] if key(q[0]) in free else "")
                columns.append([(i + c, moves[c]) for c in range(4)])
                rates.append(w[a])
        else:
            names.append(state.name)
            roles.append(state.role)
            columns.append([(i, ca.SX(1))])
            rates.append(accelerations.get(key(state.symbol), equations.rates[i]))

    # One direction through the tangent space and the inputs, of which the library takes all in turn: differentiating
    # once and evaluating often is a quarter of the code of all derivatives written out (decision 0052).
    size = len(names) + len(chosen_inputs)
    along = [ca.SX.sym(f"along {name}") for name in (*names, *(u.name for u in chosen_inputs))]
    direction: dict[int, SX] = {}
    for c, moves in enumerate(columns):
        for i, factor in moves:
            k = key(equations.states[i].symbol)
            direction[k] = direction[k] + factor * along[c] if k in direction else factor * along[c]
    direction |= {key(u.symbol): d for u, d in zip(chosen_inputs, along[len(names) :], strict=True)}
    solved = acceleration_slopes(equations, direction)
    # accelerations and multipliers move as found: what reads them is differentiated up to them, not through
    symbols = {key(s.symbol): key(s.acceleration) for s in system.speeds}
    slope = TimeDerivative(system.calls, direction | {symbols.get(k, k): value for k, value in solved.items()})

    def slopes(expressions: list[SX]) -> list[SX]:
        return scalars(slope(ca.vertcat(*expressions))) if expressions else []

    rate_slopes = slopes(rates)
    for number, start in tangent_start.items():
        w = system.quaternions[number][1]
        for i, j, value in ((0, 1, w[2]), (0, 2, -w[1]), (1, 0, -w[2]), (1, 2, w[0]), (2, 0, w[1]), (2, 1, -w[0])):
            rate_slopes[start + i] = rate_slopes[start + i] + value * along[start + j]
    rows = {
        "rates": rate_slopes,
        "outputs": slopes([o.symbol for o in chosen_outputs]),
        "strains": slopes([speed for _, speed in system.strains]),
        "sticks": slopes([speed for _, speed, _ in system.stuck]),
    }

    writer = ModelWriter(system, equations.states, suffix="_linear", rarely=True)
    writer.add_directions("linearise", list(rows.values()), along)
    functions = [FunctionSlot("linearise", tuple(size * len(row) for row in rows.values()))]
    if system.stuck or system.rolling:
        limits, rolling = (
            [limit for _, _, limit in system.stuck],
            [value for speed, value in system.rolling if speed.name in names],
        )
        writer.add("rest", [limits, rolling], low_effort=True)
        functions.append(FunctionSlot("rest", (len(limits), len(rolling))))
    writer.add_prepare()
    notes = {
        "states": names,
        "inputs": [u.name for u in chosen_inputs],
        "outputs": [o.name for o in chosen_outputs],
        "rows": {name: len(row) for name, row in rows.items()},
        "rest": _rest(system, equations.states, names, roles),
    }
    return finish(system, equations, writer, functions=functions, notes=notes)


def _rest(system: System, states: Sequence[Declared], names: Sequence[str], roles: Sequence[str]) -> dict[str, Any]:
    """What statics and steady running ask: roles and relations of the tangent states, by number."""
    place = {name: i for i, name in enumerate(names)}
    symbol_names = {key(s.symbol): s.name for s in states}
    memories = {key(m.symbol): i for i, m in enumerate(system.memories)}

    def number(symbol: SX) -> int:
        return place[symbol_names[key(symbol)]]

    speeds = {key(s.symbol): s.name for s in system.speeds if s.name in place}
    partners = {  # coordinate -> the speed that is its rate
        place[c.name]: place[speeds[key(rate)]]
        for c in system.coordinates
        if c.name in place and (rate := system.coordinate_rates.get(key(c.symbol))) is not None and key(rate) in speeds
    }
    bodies = []
    for body in system.free_bodies:
        if not all(key(s) in symbol_names for s in (*body.position, *body.velocity, *body.turning)):
            continue  # constraints make one of its speeds depend on others: it stands on no ground by itself
        tilt = [place[f"{body.name}.r{axis}"] for axis in "xyz"]
        velocity, turning = ([number(s) for s in group] for group in (body.velocity, body.turning))
        position = [number(s) for s in body.position]
        partners |= dict(zip((*position, *tilt), (*velocity, *turning), strict=True))
        bodies.append({"name": body.name, "position": position, "tilt": tilt, "velocity": velocity, "turning": turning})
        bodies[-1]["swings"] = []
    for i, role in enumerate(roles):
        if role == "swing":
            owner = next(s.unit_owner for s in system.speeds if s.name == names[partners[i]])
            _carrier(owner, bodies)["swings"].append(partners[i])
    return {
        "roles": list(roles),
        "partners": [list(pair) for pair in partners.items()],
        "bodies": bodies,
        "strains": [number(state) for state, _ in system.strains],
        "sticks": [memories[key(memory)] for memory, _, _ in system.stuck],
        "rolling": [place[speed.name] for speed, _ in system.rolling if speed.name in place],
    }


def _carrier(unit: Unit | None, bodies: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The free body that carries a unit."""
    assert unit is not None
    frame = unit.hitch
    known = {body["name"]: body for body in bodies}
    while frame is not None and frame.name not in known:
        frame = frame.parent
    if frame is None:
        raise ModelError(f"unit {unit.name!r}: a coordinate of role swing is carried by a free body; none carries it")
    return known[frame.name]


def _check_derived(system: System, chosen: Sequence[Declared]) -> None:
    """Refuse a parameter from which others are computed before a run: what is differentiated holds those."""
    names = {key(item.symbol): item.name for item in chosen}
    for item, value in system.derived_parameters:
        for symbol in system.calls.reachable(value).values():
            if key(symbol) in names:
                raise ModelError(
                    f"no derivatives over {names[key(symbol)]!r}: the derived parameter {item.name!r} is computed from "
                    "it, once before a run"
                )


def _choose(items: Sequence[Declared], names: Sequence[str] | None, kind: str) -> list[Declared]:
    if names is None:
        return list(items)
    known = {item.name: item for item in items}
    for name in names:
        if name not in known:
            raise ModelError(f"unknown {kind} {name!r}{did_you_mean(name, known)}")
    return [known[name] for name in names]
