"""Aerodynamics of a program: a Python callable or a C function that gives forces, asked once per step.

The vehicle says where forces act and ride heights are measured (``kind: user``); the run brings the function:

    jounce.run(car, event, blocks=[user.block(my_aero)])

    def my_aero(air, modifiers):            # air: Air; modifiers: by component, smoothing_time, shift, scale
        return {"center_drag": 0.4 * air.speed * abs(air.speed)}

Signs are those of the channels: drag rearwards, side force to the left, downforce downwards, roll right side down,
pitch nose down, yaw to the left. What comes back acts as it is: modifiers are told, the function applies them.

A C function has the signature

    void f(int id, int simulation, int computation, char *file, double *in, double *modifiers, double *out, int *error,
           double *work)

with the numbers of ``Air`` (SI), 36 modifiers (smoothing time, shift, scale of every component of ``COMPONENTS``), the
twelve components back, and an error number that is 0 when all is well. ``computation`` is 0 once at the beginning, then
1.

The function does not act in the search for equilibrium. Beside another kind of aerodynamics its forces are added to the
built-in ones, unless the run sets ``Subsystem_Activation.Internal_Aero_Activity`` to 0.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import model_validator

from jounce.components.aero.air import FORCES, MOMENTS, Modifiers, PointedAir
from jounce.components.basics import Array
from jounce.components.model import UnitModel
from jounce.components.part import Symbols
from jounce.components.places import UnitPlace
from jounce.core.errors import ModelError, ParameterError, did_you_mean
from jounce.core.fields import choice, problem, text
from jounce.runtime.blocks import OutsideBlock

COMPONENTS = (*FORCES, *MOMENTS)
# what a function is asked with: its name, channel and unit
INPUTS = {
    "speed": "aero_forces.longitudinal_velocity",
    "across": "aero_forces.lateral_velocity",
    "rising": "aero_forces.vertical_velocity",
    "side_slip": "aero_forces.side_slip",
    "pitch": "aero_forces.pitch",
    "roll": "aero_forces.roll",
    "steer": "aero_forces.steer",
    "front_height": "aero_forces.height_front",
    "rear_height": "aero_forces.height_rear",
    "drag_arm": "aero_forces.drag_arm",
}
PORTS = {
    **{f"{word}_drag": (f"fx_{word}", -1.0) for word in ("front", "rear", "center")},
    **{f"{word}_side": (f"fy_{word}", 1.0) for word in ("front", "rear", "center")},
    **{f"{word}_downforce": (f"fz_{word}", -1.0) for word in ("front", "rear", "center")},
    "roll": ("mx", 1.0),
    "pitch": ("my", 1.0),
    "yaw": ("mz", 1.0),
}


class Air(NamedTuple):
    """What a function of the air is asked with; SI, angles in rad. Speeds are through the air, wind included."""

    time: float
    speed: float
    across: float
    rising: float
    side_slip: float
    pitch: float
    roll: float
    steer: float
    front_height: float
    rear_height: float
    drag_arm: float
    air_density: float


AirFunction = Callable[[Air, Modifiers], Mapping[str, float]]


class UserAero(PointedAir):
    """Forces of a function that a run brings."""

    family: ClassVar[str] = "aero"

    kind: Literal["user"] = choice("user", doc="kind of model")
    function: str = text(doc="the function that is meant, for readers: 'library::function'")
    file: str = text(doc="file with its parameters, handed to a C function")
    pitch_compensation: bool = choice(False, doc="not here: the function gives the pitch moment")
    side_arm: Literal["compensate", "manual", "none"] = choice(
        "none", doc="not here: the function gives the roll moment"
    )

    @model_validator(mode="after")
    def _by_the_function(self) -> Self:
        for name in ("drs", "pitch_compensation"):
            if getattr(self, name):
                raise problem("does nothing here: the function does this itself", name)
        if self.side_arm != "none":
            raise problem("does nothing here: the function does this itself", "side_arm")
        return self

    def still_drag(self, place: UnitPlace, speeds: Array, heights: tuple[float, float]) -> Array:
        raise ParameterError("aero, kind user: the drag of a function that a run brings is not known here")

    def connect(self, at: UnitModel, p: Symbols) -> None:
        places = {"front": p.front_place, "rear": p.rear_place, "center": p.center_place}
        flow = self.flow(at, p, places["center"])
        given = self.add(at, flow.ahead, flow.up, places)
        done = {name: sign * given.get(port, 0.0) for name, (port, sign) in PORTS.items()}
        p.kept |= {"flow": flow, "arm": self.arm(at, p, places["center"]), "done": done}


def block(
    function: AirFunction,
    aero: PointedAir | None = None,
    *,
    air_density: float | None = None,
    modifiers: Modifiers | None = None,
    name: str = "",
    **options: Any,
) -> OutsideBlock:
    """A block that asks a function for the forces of the air at every step; further options as `jounce.OutsideBlock`.

    Parameters
    ----------
    function : from `Air` and `Modifiers` to components by name; those it leaves out are zero
    aero : of the vehicle, whose air density and modifiers are handed to it
    air_density : instead, kg/m³; 1.2 where neither is given
    modifiers : instead; none where neither is given
    name : for messages
    """
    label = name or str(getattr(function, "__name__", type(function).__name__))
    if modifiers is None:
        modifiers = Modifiers.model_validate({}) if aero is None else aero.modifiers
    if air_density is None:
        air_density = 1.2 if aero is None else aero.air_density
    given, density = modifiers, air_density

    def call(t: float, values: Any) -> list[float]:
        found = function(Air(*(float(value) for value in (t, *values, density))), given)
        if not isinstance(found, Mapping):
            raise ParameterError(f"aero function {label}: returned {type(found).__name__}; expected components by name")
        for key in found:
            if key not in PORTS:
                raise ParameterError(f"aero function {label}: component {key!r} is not known{did_you_mean(key, PORTS)}")
        return [sign * float(found.get(key, 0.0)) for key, (_, sign) in PORTS.items()]

    writes = tuple(f"Aerodynamic.{port}" for port, _ in PORTS.values())
    options = {"stateless": True, **options}
    return OutsideBlock(call, reads=tuple(INPUTS.values()), writes=writes, name=label, **options)


def c_function(library: str | Path, function: str, file: str | Path = "", identity: int = 1) -> AirFunction:
    """A function of a shared library (see the module) as one that `block` takes."""
    path = Path(library)
    if not path.is_file():
        raise ParameterError(f"aero function {function!r}: no library {str(library)!r}")
    try:
        called = getattr(ctypes.CDLL(str(path.resolve())), function)
    except OSError as error:
        raise ParameterError(f"aero function {function!r}: {path} cannot be loaded: {error}") from None
    except AttributeError:
        raise ParameterError(f"{path}: has no function {function!r}") from None
    called.restype = None
    whole, real = ctypes.c_int, ctypes.c_double
    called.argtypes = [whole, whole, whole, ctypes.c_char_p, *([ctypes.POINTER(real)] * 3), ctypes.POINTER(whole)]
    called.argtypes = [*called.argtypes, ctypes.POINTER(real)]
    begun: list[bool] = []
    numbers, out, work = (real * (len(Air._fields)))(), (real * len(COMPONENTS))(), (real * 1)()

    def ask(air: Air, modifiers: Modifiers) -> dict[str, float]:
        parts = [getattr(modifiers, name) for name in COMPONENTS]
        listed = [value for m in parts for value in (m.smoothing_time, m.shift, m.scale)]
        for computation in (0, 1) if not begun else (1,):
            numbers[:], out[:] = list(air), [0.0] * len(COMPONENTS)
            error = whole(0)
            called(
                identity, 1, computation, str(file).encode(), numbers, (real * len(listed))(*listed), out,
                ctypes.byref(error), work,
            )  # fmt: skip
            if error.value:
                stage = "at the beginning" if computation == 0 else f"at t = {air.time:g} s"
                raise ModelError(f"{path}: {function!r} reports error {error.value} {stage}")
        begun.append(True)
        return dict(zip(COMPONENTS, out, strict=True))

    ask.__name__ = function
    return ask
