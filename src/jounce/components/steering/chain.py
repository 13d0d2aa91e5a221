"""A chain of inertias that turn, with links between them, stable whatever their stiffness.

A node has an angle q, a speed u = q̇ and an inertia J; a place on it (``Turn``) turns by an angle of its own, φ(q), with
the ratio i = dφ/dq. A link between two places transmits a torque T: -i T on its upper node, +i T on its lower one.

    J u̇ + ½ J' u² = Σ i T                                                                                        (1)

The hand wheel is no node of this file's own (a hand moves it, or its torque), and the rack is a coordinate of the car,
as the nodes are. What is light between them, and a motor behind its gear, swings on stiff links beyond what a step of
the car resolves. A stiff link has therefore, beside its torque T with stiffness k and damping c, the terms of a
linear-implicit step of length s = 1.25 T_DT (a W-method, [HairerWanner1996] IV.7):

    T' = T + s k d + (s c + s² k) ḋ,      d = φ̇_upper - φ̇_lower                                                  (2)

a damper and an inerter across the link, which dissipate and vanish with the step. Modes far above 1/s are held instead
of integrated: for a body of no inertia on such links an explicit method sees eigenvalues of (-1 ± i √3)/2s, which AB-2,
of all methods the most demanding, still damps. The torsion bar is not such a link: its mode is what drivers feel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

AHEAD = 1.25  # s in (2) over T_DT


@dataclass(eq=False)
class Node:
    """An inertia that turns."""

    angle: Any
    rate: Any
    act: Callable[[Any], None] | None = None  # where its equation is written elsewhere: takes a torque
    bear: Callable[[Any, Any], None] | None = None  # the same for an inertia with its speed
    acceleration: Any = 0.0  # where it is given, or held
    inertia: Any = 0.0
    load: Any = 0.0

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
    on: Any  # a frame of the car
    nodes: list[Node] = field(default_factory=list)
    count: int = 0

    @property
    def ahead(self) -> Any:
        return AHEAD * self.scope.system.t_dt

    def bear(self, inertia: Any, rate: Any) -> None:
        """An inertia that turns with a speed."""
        self.count += 1
        self.scope.inerter(f"inertia{self.count}", rate, inertia, on=self.on)

    def coordinate(self, angle: Any, rate: Any) -> Node:
        """A node that is a coordinate of the car."""
        act = partial(self.scope.generalized_force, rate)
        return Node(angle, rate, act=act, bear=self.bear)

    def node(self, name: str, doc: str, unit: str = "rad") -> Turn:
        """A node of its own."""
        angle, rate = self.scope.coordinate(name, unit=unit, doc=f"turn of {doc}", on=self.on, role="balance")
        self.nodes.append(self.coordinate(angle, rate))
        return Turn(self.nodes[-1], angle)

    def link(self, upper: Turn, lower: Turn, torque: Any) -> None:
        """A torque from one place to another."""
        upper.push(-torque)
        lower.push(torque)

    def stiff_link(self, upper: Turn, lower: Turn, torque: Any, stiffness: Any, damping: Any) -> None:
        """The same of a link that a step does not resolve (2); a hand wheel at its end feels the torque itself."""
        self.link(upper, lower, torque)
        s, ends = self.ahead, ((upper, 1.0), (lower, -1.0))
        weight = s * damping + s * s * stiffness
        more = s * stiffness * (upper.rate - lower.rate)
        moved: Any = 0.0
        for turn, sign in ends:
            if turn.node.act is None:
                more = more + sign * weight * turn.ratio * turn.node.acceleration
            else:
                moved = moved + sign * turn.rate
        for turn, sign in ends:
            if turn.node.act is not None:
                turn.node.act(-sign * turn.ratio * more)
        self.bear(weight, moved)


def half_slope(system: Any, node: Node) -> Any:
    """½ J' u² of a node whose inertia depends on its angle; zero of one with a constant inertia."""
    if not hasattr(node.inertia, "is_constant") or not hasattr(node.angle, "is_symbolic"):
        return 0.0
    slope = system.calls.jacobian(node.inertia, node.angle)[0, 0]
    return 0.0 if slope.is_zero() else 0.5 * slope * node.rate * node.rate
