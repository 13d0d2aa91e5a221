"""A chain of inertias that turn, with links between them, stable whatever their stiffness.

A node has an angle q, a speed u = q̇ and an inertia J; a place on it (``Turn``) turns by an angle of its own, φ(q), with
the ratio i = dφ/dq. A link between two places transmits a torque T: -i T on its upper node, +i T on its lower one.

    J u̇ + ½ J' u² = Σ i T                                                                                        (1)

The hand wheel and the rack are heavy and no nodes of this file's own: a hand moves the one, the wheels hang on the
other. What is between them is light, and links such as a mesh make it swing beyond what a step of the car resolves. Its
accelerations are therefore those of a linear-implicit step of length s = 1.25 T_DT, with the stiffness k and damping c
of the links (a W-method, [HairerWanner1996] IV.7):

    (J + s C + s² K) u̇ = Σ i (T + s k φ̇) - ½ J' u²,      q̇ = u + s u̇                                            (2)

which is (1) for a step of zero. Modes with a frequency far above 1/s are held instead of integrated; explicit methods
then see eigenvalues between 0 and -1/s only: AB-2, of all methods the most demanding, is stable down to -1/T_DT.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from jounce.core import units

AHEAD = 1.25  # s in (2) over T_DT


@dataclass(eq=False)
class Node:
    """An inertia that turns."""

    angle: Any
    rate: Any
    act: Callable[[Any], None] | None = None  # where its equation is written elsewhere: takes a torque
    bear: Callable[[Any, Any], None] | None = None  # the same for an inertia with its speed
    inertia: Any = 0.0
    load: Any = 0.0
    states: tuple[Any, Any] | None = None  # of a node of the chain's own

    def push(self, torque: Any) -> None:
        """A torque along its angle."""
        self.load = self.load + torque
        if self.act is not None:
            self.act(torque)


@dataclass(eq=False)
class Turn:
    """A place on a node: its own angle and the ratio of it."""

    node: Node
    angle: Any
    ratio: Any = 1.0

    @property
    def rate(self) -> Any:
        return self.ratio * self.node.rate

    def push(self, torque: Any) -> None:
        self.node.push(self.ratio * torque)

    def carry(self, inertia: Any) -> None:
        """An inertia that turns with this place."""
        if self.node.bear is not None:
            self.node.bear(inertia, self.rate)
        self.node.inertia = self.node.inertia + self.ratio * self.ratio * inertia


@dataclass
class Chain:
    """Nodes between the hand wheel and the rack, and the links on them."""

    scope: Any
    nodes: list[Node] = field(default_factory=list)
    links: list[tuple[Turn, Turn, Any, Any]] = field(default_factory=list)  # s c + s² k, s k φ̇

    @property
    def ahead(self) -> Any:
        return AHEAD * self.scope.system.t_dt

    def node(self, name: str, doc: str, unit: str = "rad") -> Turn:
        """A node of its own."""
        angle = self.scope.state(f"{name}.angle", unit, f"turn of {doc}", role="balance")
        rate = self.scope.state(f"{name}.rate", units.rate_unit(unit), f"speed of {doc}", role="balance")
        found = Node(angle, rate, states=(angle, rate))
        self.nodes.append(found)
        return Turn(found, angle)

    def link(self, upper: Turn, lower: Turn, torque: Any, stiffness: Any, damping: Any, further: Any = 0.0) -> None:
        """A torque from one place to another; ``further``: stiffness that holds for some of the time, of friction."""
        upper.push(-torque)
        lower.push(torque)
        s, rate = self.ahead, upper.rate - lower.rate
        self.links.append((upper, lower, s * damping + s * s * (stiffness + further), s * stiffness * rate))

    def close(self) -> None:
        """Write the equations (2) of all nodes."""
        n = len(self.nodes)
        place = {id(node): i for i, node in enumerate(self.nodes)}
        matrix: list[list[Any]] = [[0.0] * n for _ in range(n)]
        right: list[Any] = [node.load - half_slope(self.scope.system, node) for node in self.nodes]
        for i, node in enumerate(self.nodes):
            matrix[i][i] = node.inertia
        for upper, lower, weight, extra in self.links:
            ends = [(place[id(turn.node)], sign * turn.ratio) for turn, sign in ((upper, 1.0), (lower, -1.0))
                    if id(turn.node) in place]  # fmt: skip
            for i, a in ends:
                right[i] = right[i] - a * extra
                for j, b in ends:
                    matrix[i][j] = matrix[i][j] + a * b * weight
        for node, acceleration in zip(self.nodes, solved(matrix, right), strict=True):
            assert node.states is not None
            angle, rate = node.states
            self.scope.derivative(angle, rate + self.ahead * acceleration)
            self.scope.derivative(rate, acceleration)


def half_slope(system: Any, node: Node) -> Any:
    """½ J' u² of a node whose inertia depends on its angle; zero of one with a constant inertia."""
    if not hasattr(node.inertia, "is_constant") or not hasattr(node.angle, "is_symbolic"):
        return 0.0
    slope = system.calls.jacobian(node.inertia, node.angle)[0, 0]
    return 0.0 if slope.is_zero() else 0.5 * slope * node.rate * node.rate


def solved(matrix: list[list[Any]], right: list[Any]) -> list[Any]:
    """Solution of a symmetric system without exchange of rows; entries that are the number 0 cost nothing."""
    n = len(right)
    a, b = [list(row) for row in matrix], list(right)
    for k in range(n):
        for i in range(k + 1, n):
            if _nothing(a[i][k]):
                continue
            factor = a[i][k] / a[k][k]
            for j in range(k + 1, n):
                if not _nothing(a[k][j]):
                    a[i][j] = a[i][j] - factor * a[k][j]
            b[i] = b[i] - factor * b[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            if not _nothing(a[k][j]):
                b[k] = b[k] - a[k][j] * b[j]
        b[k] = b[k] / a[k][k]
    return b


def _nothing(entry: Any) -> bool:
    return isinstance(entry, float) and entry == 0.0
