"""Python's view of the C runtime: structures of ``jounce.h`` and ``jn_sim.h``, and the loaded `Library`.

The structures are compared with the library's own sizes when it is loaded, so a stale mirror is an error
at once and not a wrong number later.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from jounce.core.errors import ModelError, did_you_mean
from jounce.core.generated import GeneratedModel, Variable
from jounce.core.tables import JnTable
from jounce.runtime.compile import loaded

ABI = 4  # JN_ABI
SIM_ABI = 4  # JN_SIM_ABI

_int = ctypes.c_int32
_double = ctypes.c_double
_address = ctypes.c_void_p


class Status(IntEnum):
    """What ``jn_advance`` returns."""

    OK = 0
    STOPPED = 1
    FULL = 2
    NONFINITE = 3
    EXTERNAL = 4
    BAD_CALL = -1


class Header(IntEnum):
    """Places in the header of the state array; see ``jn_sim.h``."""

    ABI = 0
    SIZE = 1
    MODEL_ID = 2
    PROGRAM_ID = 3
    N_X = 4
    N_M = 5
    N_U = 6
    METHOD = 7
    H = 8
    T0 = 9
    I0 = 10
    STEP = 11
    EVALUATED = 12
    LAST = 13
    HISTORY = 14
    HEAD = 15
    DONE = 16
    IPRINT = 17
    OPT_WRITE = 18
    ROWS = 19
    PHASE = 20
    PHASE_STEP = 21
    PHASE_TIME = 22
    TRANSITIONS = 23
    STATUS = 24
    REASON = 25
    FAILED = 26
    BAD_KIND = 27
    BAD_INDEX = 28
    BAD_TIME = 29
    BAD_STEP = 30
    BAD_VALUE = 31
    IO_SYNC_FM = 32
    IO_UPDATE = 33
    EXTERNAL_ID = 34
    INPUT_TIME = 35
    TRIGGERS = 36
    PROJECT = 39


HEADER_SIZE = 40  # JN_S_HEADER
TRIGGERS, TRIGGER_SLOTS, TRIGGER_VALUES = 64, 8, 4  # JN_TRIGGERS, …

SERVICE = ctypes.CFUNCTYPE(None, _address, ctypes.POINTER(_double), ctypes.c_int, ctypes.POINTER(_double))


# addresses instead of typed pointers: a callback from C makes no objects for them
EXTERNAL = ctypes.CFUNCTYPE(None, _address, _double, _address, _address)
SAVE = ctypes.CFUNCTYPE(None, _address, _address)  # also the type of load


class JnService(ctypes.Structure):
    _fields_ = (("call", _address), ("context", _address))


class JnEnv(ctypes.Structure):
    _fields_ = (("p", _address), ("tables", ctypes.POINTER(JnTable)), ("services", _address), ("w", _address))


class JnPoint(ctypes.Structure):
    _fields_ = (
        ("t", _double),
        ("elapsed", _double),
        ("t_dt", _double),
        ("x", _address),
        ("m", _address),
        ("u", _address),
        ("b", _address),
        ("r", _address),
    )


FUNCTION = ctypes.CFUNCTYPE(None, ctypes.POINTER(JnEnv), ctypes.POINTER(JnPoint), ctypes.POINTER(_address))


class JnNamedFn(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("call", FUNCTION))


class JnBlock(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("period", _double),
        ("offset", _double),
        ("first", _int),
        ("n", _int),
        ("dt", _int),
        ("update", FUNCTION),
    )


class JnModel(ctypes.Structure):
    _fields_ = (
        *((name, _int) for name in ("abi", "n_x", "n_m", "n_u", "n_p", "n_p_free", "n_y", "n_watch", "n_tables")),
        ("n_services", _int),
        ("n_work", _int),
        ("u_rate", ctypes.POINTER(_int)),
        ("u_acceleration", ctypes.POINTER(_int)),
        ("rhs", FUNCTION),
        ("outputs", FUNCTION),
        ("watch", FUNCTION),
        ("prepare", FUNCTION),
        ("step", FUNCTION),
        ("project_position", FUNCTION),
        ("project_velocity", FUNCTION),
        ("n_fns", _int),
        ("fns", ctypes.POINTER(JnNamedFn)),
        ("kinematics", FUNCTION),
        ("n_k", _int),
        ("n_b", _int),
        ("n_blocks", _int),
        ("blocks", ctypes.POINTER(JnBlock)),
        ("step_stages", _int),
    )


class JnLayout(ctypes.Structure):
    _fields_ = tuple(
        (name, _int)
        for name in (
            *("x", "m", "u", "b", "history", "block", "channel", "held", "counter"),
            *("trigger", "parameter", "n_state"),
            *("w_f", "w_g", "w_sum", "w_xs", "w_xn", "w_ma", "w_mb", "w_u", "w_y", "w_watch", "w_table"),
            *("w_b", "w_k", "w_p", "n_work"),
        )
    )


class JnRecorder(ctypes.Structure):
    _fields_ = (
        ("rows", _address),
        ("capacity", ctypes.c_int64),
        ("n_rows", ctypes.c_int64),
        ("columns", _address),
        ("n_columns", _int),
        ("check", _int),
    )


class JnChannel(ctypes.Structure):
    _fields_ = (
        *((name, _int) for name in ("input", "mode", "kind", "flags", "watch", "table", "column", "entry")),
        *((name, _int) for name in ("over", "rate")),
        ("p", _double * 8),
        *((name, _double) for name in ("kp", "ki", "ff", "ff_value", "ff_rate", "low", "high", "blend")),
    )


class JnCondition(ctypes.Structure):
    _fields_ = (
        *((name, _int) for name in ("source", "index", "op", "flags")),
        *((name, _double) for name in ("a", "b", "hold")),
    )


class JnGroup(ctypes.Structure):
    _fields_ = (
        *((name, _int) for name in ("first_condition", "n_conditions", "jump", "target")),
        *((name, _int) for name in ("limit", "reason", "failed", "reserved")),
        ("delay", _double),
    )


class JnAction(ctypes.Structure):
    _fields_ = (("kind", _int), ("index", _int), ("value", _double))


class JnPhase(ctypes.Structure):
    _fields_ = (
        *((f"{part}_{noun}", _int) for noun in ("channel", "group", "condition", "action") for part in ("first", "n")),
        *((name, _int) for name in ("id", "reserved")),
        ("sample", _double),
    )


class JnProgram(ctypes.Structure):
    _fields_ = (
        ("id", _double),
        *((name, _int) for name in ("n_phases", "n_groups", "n_tables", "max_channels", "max_conditions")),
        *((name, _int) for name in ("n_parameters", "chosen", "shown", "unknown_reason", "reserved")),
        ("phases", ctypes.POINTER(JnPhase)),
        ("channels", ctypes.POINTER(JnChannel)),
        ("groups", ctypes.POINTER(JnGroup)),
        ("conditions", ctypes.POINTER(JnCondition)),
        ("actions", ctypes.POINTER(JnAction)),
        ("tables", ctypes.POINTER(JnTable)),
        ("parameters", ctypes.POINTER(_int)),
    )


class JnExternal(ctypes.Structure):
    _fields_ = (
        ("call", _address),
        ("context", _address),
        ("period", _double),
        ("offset", _double),
        *((name, _int) for name in ("exchange", "before", "n_in", "n_out")),
        *((name, _address) for name in ("source", "index", "input", "in_", "out")),
        *((name, _int) for name in ("state", "sent", "failed", "reserved")),
    )


class JnExternals(ctypes.Structure):
    _fields_ = (("id", _double), ("n", _int), ("n_state", _int), ("blocks", ctypes.POINTER(JnExternal)))


class JnSim(ctypes.Structure):
    _fields_ = (
        ("model", ctypes.POINTER(JnModel)),
        ("env", ctypes.POINTER(JnEnv)),
        ("program", ctypes.POINTER(JnProgram)),
        ("recorder", ctypes.POINTER(JnRecorder)),
        ("state", _address),
        ("work", _address),
        ("externals", ctypes.POINTER(JnExternals)),
    )


_SIZED = (
    *(JnLayout, JnRecorder, JnChannel, JnCondition, JnGroup, JnAction, JnPhase, JnProgram, JnSim),
    *(JnBlock, JnExternal, JnExternals),
)


def fingerprint(*parts: bytes) -> float:
    """Return 48 bits of a hash as a number a double holds exactly; never 0."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return float(int.from_bytes(digest.digest()[:6], "little") or 1)


class Library:
    """A compiled model: the shared library and what its arrays mean. Immutable; shared by many simulations.

    Parameters
    ----------
    path : the shared library (model and runtime in one)
    model : its metadata
    """

    def __init__(self, path: str | os.PathLike[str], model: GeneratedModel) -> None:
        self.path = Path(path)
        self.model = model
        self.c = loaded(self.path)
        self._declare()
        self.struct: Any = self.c.jn_get_model()
        c = self.struct.contents
        if c.abi != ABI or self.c.jn_sim_abi() != SIM_ABI:
            raise ModelError(
                f"{self.path}: built for interface {c.abi}/{self.c.jn_sim_abi()}, this package has {ABI}/{SIM_ABI}; "
                "build the model again"
            )
        sizes = (_int * len(_SIZED))()
        self.c.jn_sim_sizes(sizes)
        for kind, size in zip(_SIZED, sizes, strict=True):
            if ctypes.sizeof(kind) != size:
                raise ModelError(f"{self.path}: {kind.__name__} has {size} bytes in C, {ctypes.sizeof(kind)} here")
        for what, expected, found in (
            ("states", len(model.states), c.n_x),
            ("memories", len(model.memories), c.n_m),
            ("inputs", len(model.inputs), c.n_u),
            ("free parameters", len(model.parameters), c.n_p_free),
            ("parameters", len(model.parameters) + len(model.derived), c.n_p),
            ("outputs", len(model.outputs), c.n_y),
            ("watches", len(model.watches), c.n_watch),
            ("tables", len(model.tables), c.n_tables),
            ("services", len(model.services), c.n_services),
            ("kinematic outputs", len(model.kinematics), c.n_k),
            ("block signals", len(model.signals) + len(model.block_periods), c.n_b),
            ("blocks", len(model.blocks), c.n_blocks),
        ):
            if expected != found:
                raise ModelError(
                    f"{self.path}: {found} {what} compiled in, {expected} described; the library and its "
                    "description are not of the same model"
                )
        self.functions: dict[str, Any] = {c.fns[k].name.decode(): c.fns[k].call for k in range(c.n_fns)}
        self.model_id = fingerprint(
            *(
                "\n".join(_names(part)).encode()
                for part in (model.states, model.memories, model.inputs, *((model.signals,) if model.signals else ()))
            )
        )

    def __repr__(self) -> str:
        return f"<Library {self.model.name}: {self.model.summary()}>"

    @cached_property
    def index(self) -> dict[str, dict[str, int]]:
        """Number of every variable in the array of its kind; inputs also by an alias."""
        model = self.model
        found = {
            kind: {v.name: k for k, v in enumerate(variables)}
            for kind, variables in (
                ("state", model.states),
                ("memory", model.memories),
                ("input", model.inputs),
                ("parameter", model.parameters + model.derived),
                ("output", model.outputs),
                ("watch", model.watches),
                ("signal", model.signals),
            )
        }
        found["input"] |= {alias: found["input"][name] for alias, name in model.aliases.items()}
        return found

    @cached_property
    def defaults(self) -> list[float]:
        """Of the free parameters."""
        return [v.default for v in self.model.parameters]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What each name of the model is, in words; outputs last, as a state may have an output of its name."""
        model = self.model
        return {
            **{v.name: "a derived parameter" for v in model.derived},
            **{v.name: "a parameter" for v in model.parameters},
            **{v.name: "a signal of a block" for v in model.signals},
            **{v.name: "an input" for v in model.inputs},
            **{alias: f"an alias of input {name!r}" for alias, name in model.aliases.items()},
            **{v.name: "a memory" for v in model.memories},
            **{v.name: "a state" for v in model.states},
            **dict.fromkeys(model.notes.get("dependent_speeds", ()), "a speed computed by a velocity constraint"),
            **{v.name: "an output" for v in model.outputs},
        }

    def no_output(self, name: str) -> str:
        """The end of a message about a channel that is not an output."""
        kind = self.kinds.get(name)
        if kind is not None and kind != "an output":
            return f"is {kind}, not an output; declare one to record it: s.output({name!r}, …)"
        if not self.model.outputs:
            return f"unknown; model {self.model.name!r} declares no outputs: add s.output(…)"
        return f"not an output of the model{did_you_mean(name, [v.name for v in self.model.outputs])}"

    def _declare(self) -> None:
        c = self.c
        sim = ctypes.POINTER(JnSim)
        program = ctypes.POINTER(JnProgram)
        for name, result, arguments in (
            ("jn_get_model", ctypes.POINTER(JnModel), ()),
            ("jn_sim_abi", _int, ()),
            ("jn_sim_sizes", None, (ctypes.POINTER(_int),)),
            ("jn_sim_layout", None, (ctypes.POINTER(JnModel), program, ctypes.POINTER(JnLayout))),
            ("jn_start", ctypes.c_int, (sim, _double, _double, ctypes.c_int)),
            ("jn_set_step", ctypes.c_int, (sim, _double, ctypes.c_int)),
            ("jn_set_block", ctypes.c_int, (sim, _int, _double, _double)),
            ("jn_misfit", _int, (sim,)),
            ("jn_instant", ctypes.c_int, (sim,)),
            ("jn_advance", ctypes.c_int, (sim, ctypes.c_int64)),
            ("jn_point_now", ctypes.c_int, (sim, ctypes.POINTER(JnPoint))),
            ("jn_repeat_rhs", None, (sim, ctypes.c_int64)),
            (
                "jn_reference",
                None,
                (program, ctypes.POINTER(JnChannel), _double, _double, _double, _address, ctypes.POINTER(_double)),
            ),
        ):
            function = getattr(c, name)
            function.restype = result
            function.argtypes = arguments


def _names(variables: Sequence[Variable]) -> list[str]:
    return [v.name for v in variables]
