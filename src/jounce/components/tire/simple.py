"""The base of short tire models: state stiffnesses and forces, get the rest.

A model that derives from ``SimpleTire`` says which numbers it has (``own``), how stiff it is (``stiffness``) and
which forces slips make (``slip_forces``).  Wheel load, rolling radius, use modes, relaxation, standstill, fading at low
speed and small load, ranges, mirroring and the compiled function come from here.  The whole of a tire with a straight
line up to the friction limit::

    @dataclass(frozen=True)
    class MyTire(SimpleTire):
        kind: ClassVar[str] = "mine"
        own: ClassVar[Sequence[Coefficient]] = (
            Coefficient("STIFFNESS", "-", "slope over load, both directions", 15.0, "PARAMETER"),
            Coefficient("GRIP", "-", "friction", 1.0, "PARAMETER"),
            Coefficient("RELAXATION", "m", "relaxation length", 0.3, "PARAMETER"),
        )

        def stiffness(self, p, load, gamma, friction):
            slope = p["STIFFNESS"] * load
            slides = p["GRIP"] * friction / p["STIFFNESS"]
            return Stiffness(slope, -slope, slides, slides, p["RELAXATION"], p["RELAXATION"])

        def slip_forces(self, p, load, gamma, friction, kappa, alpha, way):
            k, limit = p["STIFFNESS"] * load, p["GRIP"] * friction * load
            return Forces(clip(k * kappa, -limit, limit), clip(-k * alpha, -limit, limit), 0.0, 0.0, 0.0)

    register("mine", MyTire)

In a property file: PROPERTY_FILE_FORMAT = 'USER', FUNCTION_NAME = 'jounce::mine'.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

from jounce.components.tire import vertical as spring
from jounce.components.tire.base import (
    AtLoad,
    Coefficient,
    Curve,
    Forces,
    Numbers,
    TireModel,
    Turn,
    direction,
    rolling_way,
)
from jounce.components.tire.magic import LOAD_FLOOR, MODES, SIGMA_FLOOR, off_zero
from jounce.core.errors import JounceError, ModelError, ParameterError
from jounce.symbolic.ops import clip, cos, fabs, fmax, fmin, pi

# The vertical numbers of files for simple models stand in [PARAMETER] or [VERTICAL]; a key counts wherever it stands.
COMMON: tuple[Coefficient, ...] = (
    *spring.MODEL,
    *(c for c in spring.LOAD if c.name != "FNOMIN"),
    Coefficient("FNOMIN", "N", "nominal wheel load", 4000.0, "VERTICAL"),
    *spring.RANGES,
)


class Stiffness(NamedTuple):
    """How a tire at a load begins to slip, and where it slides."""

    slope_x: Any  # dFx/dκ, N
    slope_y: Any  # dFy/dα, N/rad, negative
    kappa_slide: Any  # longitudinal slip at which the contact slides
    alpha_slide: Any  # tangent of the slip angle at which it slides
    sigma_kappa: Any  # relaxation lengths, m
    sigma_alpha: Any
    grip: Any = None  # largest lateral force, N; friction times load where it is not told


@dataclass(frozen=True)
class SimpleTire(TireModel):
    """See the module.

    Parameters
    ----------
    mode : use mode: 0 load, 1 longitudinal, 2 lateral, 3 both, 4 combined; plus 10 with relaxation
    lonslip : 1 relates slip to the larger of rolling and travelling speed
    nonlinear : relaxation lengths fall with slip
    """

    modes: ClassVar[Sequence[int]] = MODES
    own: ClassVar[Sequence[Coefficient]] = ()

    mode: int = 14
    lonslip: int = 0
    nonlinear: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ParameterError(f"use mode {self.mode}: unknown; allowed: {', '.join(map(str, MODES))}")

    # -- for the model that derives --------------------------------------------------------------------------
    @abstractmethod
    def stiffness(self, p: Numbers, load: Any, gamma: Any, friction: Any) -> Stiffness:
        """Slopes, sliding slips and relaxation lengths at a load."""

    @abstractmethod
    def slip_forces(self, p: Numbers, load: Any, gamma: Any, friction: Any, kappa: Any, alpha: Any, way: Any) -> Forces:
        """Forces and moments; ``way`` is the sign of the spin, for rolling resistance."""

    # -- what every tire has ---------------------------------------------------------------------------------
    @property
    def coefficients(self) -> Sequence[Coefficient]:
        return (*COMMON, *self.own)

    @property
    def sideways(self) -> bool:
        return self.mode % 10 in (2, 3, 4)

    @property
    def transient(self) -> bool:
        return self.mode > 10

    def derived(self, p: Numbers) -> dict[str, Any]:
        return {**spring.derived(p), "PER_FZMIN": 1 / fmax(p["FZMIN"], LOAD_FLOOR)}

    @property
    def derived_docs(self) -> Mapping[str, tuple[str, str]]:
        return {**spring.DERIVED, "PER_FZMIN": ("1/N", "one over the smallest load of evaluation")}

    def vertical(
        self,
        p: Numbers,
        rho: Any,
        rho_rate: Any,
        curves: Mapping[str, Curve] | None = None,
        *,
        gamma: Any = 0.0,
        spin: Any = 0.0,
        vx: Any = 0.0,
    ) -> Any:
        return spring.total(p, p["VERTICAL_STIFFNESS"] * fmax(rho, 0.0), rho, rho_rate, curves)

    def effective_radius(self, p: Numbers, rho: Any, spin: Any = 0.0) -> Any:
        return spring.rolling_radius(p, rho)

    def at_load(
        self,
        p: Numbers,
        load: Any,
        gamma: Any,
        friction: Any = 1.0,
        *,
        turn: Turn | None = None,
        curves: Mapping[str, Curve] | None = None,
    ) -> AtLoad:
        a = SimpleNamespace(friction=fmax(friction, 1e-3), curves=curves)
        a.Fz = clip(load, fmax(p["FZMIN"], LOAD_FLOOR), p["FZMAX"])
        a.scale = clip(load * p["PER_FZMIN"], 0.0, 1.0)
        a.gamma = clip(gamma, p["CAMMIN"], p["CAMMAX"])
        found = self._stiffness(p, a)
        return AtLoad(
            fmax(found.sigma_kappa, SIGMA_FLOOR),
            fmax(found.sigma_alpha, SIGMA_FLOOR),
            off_zero(found.slope_x),
            off_zero(found.slope_y),
            1 / found.kappa_slide,
            1 / found.alpha_slide,
            a.friction * a.Fz if found.grip is None else found.grip,
            a,
        )

    def _stiffness(self, p: Numbers, a: Any) -> Stiffness:
        return _asked(self, "stiffness", self.stiffness, Stiffness, p, a.Fz, a.gamma, a.friction)

    def _slip_forces(self, p: Numbers, a: Any, kappa: Any, alpha: Any, way: Any) -> Forces:
        given = (p, a.Fz, a.gamma, a.friction, kappa, alpha, way)
        return _asked(self, "slip_forces", self.slip_forces, Forces, *given)

    def forces(
        self,
        p: Numbers,
        at: AtLoad,
        kappa: Any,
        alpha: Any,
        vx: Any = None,
        spin: Any = None,
        belt: Any = 0.0,
        rolls: Any = None,
    ) -> Forces:
        a = at.own
        vx = p["LONGVL"] if vx is None else vx
        spin = p["LONGVL"] / p["UNLOADED_RADIUS"] if spin is None else spin
        kappa = clip(kappa, p["KPUMIN"], p["KPUMAX"])
        alpha = clip(alpha, p["ALPMIN"], p["ALPMAX"])
        way = rolling_way(p, spin) if rolls is None else rolls
        slip, zero = self.mode % 10, 0.0 * a.Fz
        f = Forces(zero, zero, zero, zero, zero)
        if slip == 4:
            f = self._slip_forces(p, a, kappa, alpha, way)
        if slip in (1, 3):
            along = self._slip_forces(p, a, kappa, 0.0 * alpha, way)
            f = f._replace(fx=along.fx, my=along.my)
        if slip in (2, 3):
            across = self._slip_forces(p, a, 0.0 * kappa, alpha, way)
            f = f._replace(fy=across.fy, mx=across.mx, mz=across.mz)
        s = a.scale
        if not self.transient and slip:
            s = s * (0.5 - 0.5 * cos(pi * fmin(fabs(vx) * p["PER_VXLOW"], 1.0)))
        trail = direction(vx * p["PER_VXLOW"])  # in reverse the trail changes side
        return Forces(s * f.fx, s * f.fy, s * f.mx, s * f.my, s * f.mz * trail)


# --- what goes wrong in the code of somebody else --------------------------------------------------------------------

OWN = __name__.partition(".")[0]


def _asked(model: SimpleTire, name: str, method: Callable[..., Any], kind: type[Any], *arguments: Any) -> Any:
    """What a method of the deriving model gives; its mistakes are told with its file and line."""
    try:
        found = method(*arguments)
    except JounceError:
        raise
    except Exception as error:
        if type(model).__module__.partition(".")[0] == OWN:
            raise
        raise ModelError(_blame(model, name, error)) from error
    if not isinstance(found, kind):
        wanted = f"{kind.__name__}({', '.join(kind._fields)})"
        raise ModelError(f"tire model {model.kind!r}: {name} gives {type(found).__name__}; expected {wanted}")
    return found


def _blame(model: SimpleTire, name: str, error: Exception) -> str:
    """Where the code of a model fails: the innermost line that is in its own file."""
    file = getattr(sys.modules.get(type(model).__module__), "__file__", None)
    place, trace = file or type(model).__module__, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == file or code.co_name == name:
            place = f"{code.co_filename}, line {trace.tb_lineno}"
        trace = trace.tb_next
    hint = ""
    if "truth value" in str(error):
        hint = "; a condition on symbols or arrays is written if_else(condition, then, otherwise) (jounce.symbolic.ops)"
    return f"tire model {model.kind!r}: {place}, in {name}: {type(error).__name__}: {str(error).strip()}{hint}"
