"""X-DOF as a transfer function, such as one that was identified from a force sweep.

    X(s)/F(s) = (b0 + b1 s + b2 s² + b3 s³)/(m (a0 + a1 s + a2 s² + a3 s³ + a4 s⁴))                                (1)

of order 1 to 4: that of the highest a that is given; the numerator is of a lower order. With the states z, z₁ to z_n,

    ż_j = z_{j+1},   a_n ż_n = F/m - Σ a_{j-1} z_j,   x = Σ b_j z_{j+1},   ẋ = Σ b_j z_{j+2}                        (2)

F is the longitudinal force in the axes of the contact, all of the tires of the wheel. The contact moves with x and ẋ;
where the force depends on ẋ (a standing tire: F = F₀ - d ẋ) and ẋ on the force (b_{n-1} ≠ 0) both are solved for:

    ẋ = (p + β F₀)/(1 + σ β d),   p: ẋ of (2) at F = 0,   β = b_{n-1}/(m a_n)                                        (3)

Bodies go along with x without inertia: what the coefficients say is all there is, the body of the vehicle feels F.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.suspension.series_stiffness import is_rigid
from jounce.components.suspension.x_dof import XDof
from jounce.core.fields import choice, part, problem, quantity

UNITS_A = ("1/s2", "1/s", "-", "s", "s2")
UNITS_B = ("-", "s", "s2", "s3")


class XDofTransfer(XDof):
    """What gives way along x by a transfer function from the longitudinal force, per unit of mass."""

    kind: Literal["transfer_function"] = choice("transfer_function", doc="static, dynamic or transfer_function")
    mass: float = quantity("kg", gt=0, typical=(0.5, 1500.0), doc="by which the transfer function is divided")
    b0: float = quantity("-", 1.0, doc="numerator: constant")
    b1: float | None = quantity("s", None, doc="numerator: factor of s")
    b2: float | None = quantity("s2", None, doc="numerator: factor of s²")
    b3: float | None = quantity("s3", None, doc="numerator: factor of s³")
    a0: float = quantity("1/s2", gt=0, doc="denominator: constant")
    a1: float = quantity("1/s", doc="denominator: factor of s")
    a2: float | None = quantity("-", None, doc="denominator: factor of s²")
    a3: float | None = quantity("s", None, doc="denominator: factor of s³")
    a4: float | None = quantity("s2", None, doc="denominator: factor of s⁴")
    right: XDofTransfer | None = part(None, doc="what differs on the right side")

    @property
    def denominator(self) -> tuple[float, ...]:
        """a0 to that of the order; those between that are not given are zero."""
        return _up_to_last(self.a0, self.a1, self.a2, self.a3, self.a4)

    @property
    def numerator(self) -> tuple[float, ...]:
        return _up_to_last(self.b0, self.b1, self.b2, self.b3)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        a, b = self.denominator, self.numerator
        last = f"a{len(a) - 1}"
        if a[-1] == 0:
            raise problem("must not be 0: it is the highest coefficient of the denominator", last)
        if len(b) >= len(a):
            text = f"order {len(b) - 1} of the numerator; must be below that of the denominator, {len(a) - 1}"
            raise problem(text, f"b{len(b) - 1}")
        roots = np.roots(a[::-1])
        if roots.real.max() >= 0:
            raise problem(f"the denominator has the root {_said(roots[roots.real.argmax()])} 1/s; x would grow", last)
        return self

    @model_validator(mode="after")
    def _one_order(self) -> Self:
        other = self.right
        if other is not None and (len(other.denominator), len(other.numerator)) != (
            len(self.denominator),
            len(self.numerator),
        ):
            raise problem("both sides have transfer functions of one order", "right")
        return self

    def frames(self, at: WheelModel, p: Symbols) -> None:
        if is_rigid(at):
            return
        scope, n = at.system.scope(p.own_name), len(self.denominator) - 1
        z = [
            scope.state(f"z{j + 1}", unit, "of the transfer function of x", role="balance", massless=True)
            for j, unit in zip(range(n), ("m", "m/s", "m/s2", "m/s3"), strict=False)
        ]
        p.kept["z"] = z
        b = self._of(p, "b", self.numerator)
        x = p.share * sum(c * state for c, state in zip(b, z, strict=False))
        at.followed = x

    def _of(self, p: Symbols, letter: str, values: tuple[float, ...]) -> list[Any]:
        """Coefficients as symbols; zero where none is given."""
        names = [f"{letter}{j}" for j in range(len(values))]
        return [0.0 if getattr(self, name) is None else getattr(p, name) for name in names]

    def rate_along(self, at: WheelModel, p: Symbols) -> Any:
        """(3), times the share"""
        if "rate" not in p.kept:
            from jounce.components.suspension.compliance import loads

            z, a, b = p.kept["z"], self._of(p, "a", self.denominator), self._of(p, "b", self.numerator)
            n = len(z)
            held = loads(at)["fx"]
            mounted = [at.tire, *([at.twin] if at.twin is not None else [])]
            d: Any = 0.0
            if at.yielding is not None and at.yielding.slip and not at.tire.changed:
                d = sum(item.values.get("damping_x", 0.0) for item in mounted)
                maps = at.axle.place.data.suspension.compliance
                held = held - d * maps.rates(at).get("x", 0.0)  # what maps of other loads move
            inner = -sum(c * state for c, state in zip(a, z, strict=False)) / a[-1]  # ż_n at F = 0
            last = b[n - 1] if len(b) == n else 0.0
            beta = last / (p.mass * a[-1])
            free = sum(c * state for c, state in zip(b, z[1:], strict=False)) + last * inner
            rate = (free + beta * held) / (1 + p.share * beta * d)  # (3)
            force = held - p.share * d * rate
            p.kept["rates"] = [*z[1:], inner + force / (p.mass * a[-1])]  # (2)
            p.kept["rate"] = p.share * rate
        return p.kept["rate"]

    def close(self, at: WheelModel, p: Symbols) -> None:
        if at.followed is None:
            return
        rate = self.rate_along(at, p)
        at.along = (at.followed, rate)
        scope = at.system.scope(p.own_name)
        for state, value in zip(p.kept["z"], p.kept["rates"], strict=True):
            scope.derivative(state, value)

    def remarks(self) -> Iterator[tuple[str, str]]:
        fastest = float(np.abs(np.roots(self.denominator[::-1])).max())
        if fastest > 1000.0:
            yield "a0", f"has a mode of {fastest:.4g} 1/s, faster than steps of 1 ms resolve"


def _up_to_last(*values: float | None) -> tuple[float, ...]:
    given = [i for i, value in enumerate(values) if value is not None]
    return tuple(value or 0.0 for value in values[: given[-1] + 1])


def _said(root: complex) -> str:
    return f"{root.real:.4g}" if root.imag == 0 else f"{root.real:.4g} ± {abs(root.imag):.4g}j"
