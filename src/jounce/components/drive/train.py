"""A train of shafts: which speed each one has, where torques go.

Shafts are nodes, parts join them. A rigid part is a linear relation of speeds,

    Σ c_k ω_k = 0                                                                                               (1)

which determines one of its shafts from the others, ω_s = Σ a_k ω_k with a_k = −c_k/c_s. Hubs of wheels have a speed of
their own; a shaft that no relation determines becomes a freedom of the model. An inertia J on a shaft is ½ J ω²: as ω
is linear in the speeds of the model, Kane's method reflects it (symbolic/kane.py (3)),

    M = diag(I) + Σ J_s g_sᵀ g_s,   ω_s = g_s·w                                                                 (2)

Torques on a shaft are summed. The sum T_s passes the relation that determines the shaft by virtual power,

    T_k = a_k f T_s,   f = 1 − (1 − η) w  with T_s ω_s > 0,  1 + (1/η − 1) w  else,   w = |P|/√(P² + P₀²)          (3)

P = T_s ω_s. Power into the relation loses the part 1 − η, power that comes back 1/η − 1 of what is left of it; both
fade below the power P₀, so that the loss P (1 − f) is smooth and never negative. Inertia is not scaled by η. A
relation of hubs and freedoms only, which nothing is left to follow, is a constraint of the model and loses nothing.

The bound of the mobility, ∂ω̇/∂T of a shaft with all else at rest, that stiff couplings ask for (``coupling``): with the
inertia J on the shaft itself,

    μ_s ≤ 1/J  of a freedom,   1/(J + 1/Σ a_k² μ_k)  of a shaft that follows others                                 (4)

Virtual power and reflected inertia: [KaneLevinson1985]; the blend in (3) and (4) are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jounce.core.errors import ModelError, did_you_mean
from jounce.symbolic.ops import fabs, if_else, sqrt

FADES = 1.0  # W, P₀ in (3)


@dataclass(frozen=True)
class Hub:
    """Where a train ends: a wheel, or whatever a rig has in its place."""

    name: str
    speed: Any  # of what the shaft is fixed to, an expression linear in speeds of the model
    symbol: Any  # the speed of the model that a constraint may take
    act: Callable[[Any], None]
    inertia: Any
    rolling: Any = 0.0  # its speed when the vehicle rolls freely


@dataclass
class Relation:
    """(1), with the part that makes it."""

    part: str
    terms: list[tuple[Any, Shaft]]
    efficiency: Any = None  # None: nothing is lost
    solved: Shaft | None = None
    power: Any = 0.0  # into it, at the shaft it determines
    factor: Any = 1.0  # f in (3)
    lost: Any = 0.0
    kept: Any = 1.0  # 0 where a run replaces the part: nothing passes, speeds stay related
    passing: Callable[[], None] | None = None  # what its part does once the torque on the determined shaft is known

    @property
    def followed(self) -> list[tuple[Any, Shaft]]:
        """a_k and the shafts that the determined one follows."""
        own = next(c for c, shaft in self.terms if shaft is self.solved)
        return [(-c / own, shaft) for c, shaft in self.terms if shaft is not self.solved]


@dataclass(eq=False)
class Shaft:
    """A shaft: everything that turns with one speed."""

    name: str
    hub: Hub | None = None
    parts: list[str] = field(default_factory=list)
    speed: Any = None
    rolling: Any = 0.0
    inertias: list[tuple[str, Any]] = field(default_factory=list)
    torque: Any = 0.0  # sum of all that acts on it, without inertia
    relation: Relation | None = None  # what determines it
    symbol: Any = None  # of a freedom
    angle: Any = None  # turned since the start, where somebody wants to know

    @property
    def inertia(self) -> Any:
        return sum((j for _, j in self.inertias), 0.0)


class Train:
    """Shafts and what joins them.

    Parameters
    ----------
    hubs : ends of the train
    scope : where freedoms are declared: ``<shaft>.speed``
    on : a frame of the unit that all belongs to
    """

    def __init__(self, hubs: Iterable[Hub], scope: Any, on: Any) -> None:
        self.scope, self.on = scope, on
        self.shafts: dict[str, Shaft] = {}
        for hub in hubs:
            self.shafts[hub.name] = Shaft(hub.name, hub, speed=hub.speed, rolling=hub.rolling)
        self.relations: list[Relation] = []
        self.edges: list[tuple[str, str, list[str]]] = []  # part, what it is, its shafts
        self._order: list[Relation] = []

    def join(self, part: str, kind: str, shafts: Sequence[str]) -> list[Shaft]:
        """Put a part between shafts; those nobody knows yet are new."""
        self.edges.append((part, kind, list(shafts)))
        found = [self.shafts.setdefault(name, Shaft(name)) for name in shafts]
        for shaft in found:
            shaft.parts.append(part)
        return found

    def relate(self, part: str, terms: Sequence[tuple[Any, Shaft]], efficiency: Any = None) -> Relation:
        """Σ c_k ω_k = 0 (1)."""
        relation = Relation(part, list(terms), efficiency)
        self.relations.append(relation)
        return relation

    # -- speeds ----------------------------------------------------------------------------------------------------

    def solve(self, initial: Callable[[Shaft], float] = lambda shaft: 0.0) -> None:
        """Speeds of all shafts; ``initial``: that of a freedom at the start."""
        waiting = list(self.relations)
        while True:
            ready = next((r for r in waiting if len(_open(r)) == 1), None)
            if ready is None:
                # nothing follows from what is known: a shaft becomes a freedom, those of no relation first
                loose = [s for s in self.shafts.values() if s.speed is None]
                if not loose:
                    break
                bound = {id(s) for r in waiting for _, s in r.terms}
                heavy = [s for s in loose if s.inertias]
                choice = next((s for s in loose if id(s) not in bound), None) or next(iter(reversed(heavy)), None)
                if choice is None or not choice.inertias:
                    raise self.refused(
                        f"the shaft {(choice or loose[0]).name!r} moves no inertia: give one of the parts on it, "
                        f"{', '.join((choice or loose[0]).parts)}, an inertia"
                    )
                self._free(choice, initial(choice))
                continue
            waiting.remove(ready)
            (ready.solved,) = _open(ready)
            shaft = ready.solved
            shaft.relation = ready
            shaft.speed = sum(a * other.speed for a, other in ready.followed)
            shaft.rolling = sum(a * other.rolling for a, other in ready.followed)
            self._order.append(ready)
        for relation in waiting:
            self._constrain(relation)
        for shaft in self.shafts.values():
            for name, inertia in shaft.inertias:
                self.scope.inerter(f"{name}.rotor", shaft.speed, inertia, on=self.on)  # (2)

    def _free(self, shaft: Shaft, initial: float) -> None:
        name = f"{shaft.name}.speed"
        shaft.symbol = self.scope.declare_speed(name, "rad/s", self.on, initial, f"of shaft {shaft.name}", "drift")
        shaft.speed = shaft.symbol

    def _constrain(self, relation: Relation) -> None:
        """A relation between shafts that all have a speed: the last hub in it follows the others."""
        hubs = [shaft for _, shaft in relation.terms if shaft.hub is not None]
        if not hubs:
            raise self.refused(f"{relation.part} joins shafts whose speeds other parts determine already")
        total = sum(c * shaft.speed for c, shaft in relation.terms)
        last = hubs[-1].hub
        assert last is not None
        self.scope.velocity_constraint(f"{relation.part}.lock", [total], [last.symbol])

    # -- torques ---------------------------------------------------------------------------------------------------

    def push(self, shaft: Shaft, torque: Any) -> None:
        """A torque on a shaft."""
        shaft.torque = shaft.torque + torque

    def flow(self) -> None:
        """Let all torques pass down to hubs and freedoms (3)."""
        for relation in reversed(self._order):
            shaft = relation.solved
            assert shaft is not None
            relation.power = shaft.torque * shaft.speed
            factor: Any = 1.0
            if relation.efficiency is not None:
                factor = passed(relation.efficiency, relation.power)
                relation.lost = relation.power * (1 - factor)
            relation.factor = factor
            if relation.passing is not None:
                relation.passing()
            for a, other in relation.followed:
                self.push(other, a * factor * relation.kept * shaft.torque)
        for shaft in self.shafts.values():
            if shaft.hub is not None:
                shaft.hub.act(shaft.torque)
            elif shaft.symbol is not None:
                self.scope.generalized_force(shaft.symbol, shaft.torque)

    def mobility(self, shaft: Shaft) -> Any:
        """A bound of ∂ω̇/∂T (4)."""
        if shaft.hub is not None:
            return 1 / (shaft.hub.inertia + shaft.inertia)
        if shaft.relation is None:
            return 1 / shaft.inertia
        beyond = sum(a * a * self.mobility(other) for a, other in shaft.relation.followed)
        return 1 / (shaft.inertia + 1 / beyond)

    # -- what can work ---------------------------------------------------------------------------------------------

    def check_ends(self) -> None:
        """Raise where the train hangs together badly: parts that reach no wheel, shafts that end nowhere."""
        if not self.edges:
            raise self.refused("there is no part in it")
        groups = {name: {name} for name in self.shafts}
        for _, _, names in self.edges:
            joined = set().union(*(groups[name] for name in names))
            for name in joined:
                groups[name] = joined
        for part, kind, names in self.edges:
            if not any(self.shafts[name].hub for name in groups[names[0]]):
                hubs = [name for name, shaft in self.shafts.items() if shaft.hub]
                hint = did_you_mean(names[-1], hubs)
                raise self.refused(f"{part} ({kind}) reaches no wheel over the shafts {', '.join(names)}{hint}")

    def refused(self, why: str) -> ModelError:
        return ModelError(f"this driveline cannot work: {why}\n{self.drawing()}")

    def drawing(self) -> str:
        """The chain as text, one part a line, shafts in brackets."""
        lines = []
        for part, kind, names in self.edges:
            shown = [f"({name})" if name in self.shafts and self.shafts[name].hub else f"[{name}]" for name in names]
            first, rest = (shown[0], shown[1:]) if len(shown) > 1 else ("", shown)
            text = kind if part == kind else f"{part}: {kind}"
            lines.append(f"    {first}--{{ {text} }}--{', '.join(rest)}" if first else f"    {{ {text} }}--{rest[0]}")
        return "\n".join(lines)


def passed(efficiency: Any, power: Any, fades: Any = FADES) -> Any:
    """The factor f on a torque of this power that passes a lossy part (3)."""
    weight = fabs(power) / sqrt(power * power + fades * fades)
    return if_else(power > 0, 1 - (1 - efficiency) * weight, 1 + (1 / efficiency - 1) * weight)


def _open(relation: Relation) -> list[Shaft]:
    return [shaft for _, shaft in relation.terms if shaft.speed is None]
