"""The only math that components use.

Every function takes symbols (CasADi SX) or numbers (floats, NumPy arrays) alike, so that a component is
compiled, unit-tested and plotted from one text.  ``math.tanh(symbol)`` returns nan without an error and
Python's ``if``, ``min``, ``max`` cannot be traced: hence this module.

Smoothness: ``fabs``, ``fmin``, ``fmax``, ``clip``, ``sign`` and ``if_else`` have kinks or jumps where the names
say; the ``smooth_`` ones are C-infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jounce.symbolic._casadi import ca, is_symbolic

pi = float(np.pi)


def _unary(name: str, numeric: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return getattr(ca, name)(x) if is_symbolic(x) else numeric(x)

    function.__name__ = name
    function.__doc__ = f"{name}(x) of a symbol, a number or an array."
    return function


def _binary(name: str, numeric: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def function(x: Any, y: Any) -> Any:
        return getattr(ca, name)(x, y) if is_symbolic(x) or is_symbolic(y) else numeric(x, y)

    function.__name__ = name
    function.__doc__ = f"{name}(x, y) of symbols, numbers or arrays."
    return function


sin = _unary("sin", np.sin)
cos = _unary("cos", np.cos)
tan = _unary("tan", np.tan)
asin = _unary("asin", np.arcsin)
acos = _unary("acos", np.arccos)
atan = _unary("atan", np.arctan)
sinh = _unary("sinh", np.sinh)
cosh = _unary("cosh", np.cosh)
tanh = _unary("tanh", np.tanh)
exp = _unary("exp", np.exp)
log = _unary("log", np.log)
sqrt = _unary("sqrt", np.sqrt)
fabs = _unary("fabs", np.abs)
floor = _unary("floor", np.floor)
ceil = _unary("ceil", np.ceil)
sign = _unary("sign", np.sign)
atan2 = _binary("atan2", np.arctan2)
fmin = _binary("fmin", np.minimum)
fmax = _binary("fmax", np.maximum)
fmod = _binary("fmod", np.fmod)
hypot = _binary("hypot", np.hypot)
copysign = _binary("copysign", np.copysign)


def if_else(condition: Any, then: Any, otherwise: Any) -> Any:
    """``then`` where ``condition`` holds, else ``otherwise``; only the chosen value is used, both are computed."""
    if is_symbolic(condition) or is_symbolic(then) or is_symbolic(otherwise):
        return ca.if_else(condition, then, otherwise)
    return np.where(condition, then, otherwise)[()]


def logic_and(a: Any, b: Any) -> Any:
    """Logical and of two conditions."""
    return ca.logic_and(a, b) if is_symbolic(a) or is_symbolic(b) else np.logical_and(a, b)


def logic_or(a: Any, b: Any) -> Any:
    """Logical or of two conditions."""
    return ca.logic_or(a, b) if is_symbolic(a) or is_symbolic(b) else np.logical_or(a, b)


def logic_not(a: Any) -> Any:
    """Logical negation of a condition."""
    return ca.logic_not(a) if is_symbolic(a) else np.logical_not(a)


def clip(x: Any, low: Any, high: Any) -> Any:
    """x kept within [low, high] (C0)."""
    return fmin(fmax(x, low), high)


def smooth_abs(x: Any, width: Any) -> Any:
    """sqrt(x² + width²): |x| away from zero, ``width`` at zero."""
    return sqrt(x * x + width * width)


def smooth_max(x: Any, y: Any, width: Any) -> Any:
    """The larger of two values, rounded over ``width`` around their crossing."""
    return 0.5 * (x + y + smooth_abs(x - y, width))


def vector(*components: Any) -> Any:
    """A column of components (symbols or numbers)."""
    if any(is_symbolic(c) for c in components):
        return ca.vertcat(*components)
    return np.array(components, dtype=float)


def dot(a: Any, b: Any) -> Any:
    """Scalar product of two 3-vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Any, b: Any) -> Any:
    """Vector product of two 3-vectors."""
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a: Any) -> Any:
    """Euclidean length of a 3-vector; its derivative is singular at zero length."""
    return sqrt(dot(a, a))
