"""What is attached to a run from outside: tables, services, and the first exception of outside code."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError, SimulationError, did_you_mean
from jounce.core.generated import ServiceSlot
from jounce.core.tables import JnTable, PackedTable, Table
from jounce.runtime.bindings import SERVICE, JnService, Library
from jounce.runtime.blocks import External

Array = npt.NDArray[np.float64]
ServiceFunction = Callable[[Array, int], npt.ArrayLike]

_C_FUNCTION: Any = SERVICE.__mro__[1]  # the base of all ctypes functions


class Faults:
    """The first exception of outside code. It cannot cross C: it is kept, the run ends, and it is raised afterwards."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.part = ""
        self.blocks: Sequence[External] = ()  # told to go on after an exception

    def keep(self, error: BaseException, part: str) -> None:
        """Keep an exception of a part of the model, unless an earlier one is kept."""
        if self.error is None:
            self.error, self.part = error, part

    def clear(self) -> None:
        """Forget what is kept."""
        self.error = None

    def raise_kept(self, time: float) -> None:
        """Raise what was kept, if anything."""
        error, self.error = self.error, None
        for block in self.blocks:
            block.record.failed = 0
        if isinstance(error, Exception):
            raise SimulationError(f"{self.part} failed at t = {time:.9g} s: {error}") from error
        if error is not None:
            raise error


class Attachments:
    """Tables and services of one run."""

    def __init__(self, library: Library, faults: Faults, tables: Mapping[str, Table]) -> None:
        self.model, self.faults = library.model, faults
        c = library.struct.contents
        self.table_structs = (JnTable * max(c.n_tables, 1))()
        self.service_structs = (JnService * max(c.n_services, 1))()
        self.tables: dict[str, Table] = {}
        self.bound: dict[str, tuple[Any, int | None]] = {}  # as given: a copy of the simulation wraps them anew
        self._packed: dict[str, PackedTable] = {}
        self._callbacks: dict[str, Any] = {}
        # those that are given take the place of the default ones, which are not even made then
        own = {name: library.model.tables[name] for name in library.model.tables if name not in tables}
        self.set_tables({**tables, **own})

    def set_tables(self, tables: Mapping[str, Table]) -> None:
        """Replace tables by name; number of axes and outputs must stay."""
        slots = list(self.model.tables)
        for name, table in tables.items():
            if name not in slots:
                raise ParameterError(f"table {name!r}: unknown in model {self.model.name!r}{did_you_mean(name, slots)}")
            n_axes, n_out = self.model.table_shape(name)
            if (table.n_axes, table.n_out) != (n_axes, n_out):
                raise ParameterError(
                    f"table {name!r}: has {table.n_axes} axes and {table.n_out} outputs; "
                    f"the model needs {n_axes} and {n_out}"
                )
        for name, table in tables.items():
            packed = table.packed()
            packed.fill(self.table_structs[slots.index(name)])
            self.tables[name], self._packed[name] = table, packed

    def bind(self, name: str, function: Any, context: int | None) -> None:
        """Bind a service to a C function, its address, or a Python callable."""
        names = [s.name for s in self.model.services]
        if name not in names:
            raise ParameterError(f"service {name!r}: unknown in model {self.model.name!r}{did_you_mean(name, names)}")
        k = names.index(name)
        self.bound[name] = (function, context)
        if isinstance(function, int):
            pointer: Any = function
        else:
            if not isinstance(function, _C_FUNCTION):
                function = self._callback(self.model.services[k], function)
            pointer = ctypes.cast(function, ctypes.c_void_p).value
        self._callbacks[name] = function
        self.service_structs[k].call = pointer
        self.service_structs[k].context = context

    def service_address(self, name: str) -> int:
        """Where the structure of a service stands: what is bound later is found there."""
        k = [slot.name for slot in self.model.services].index(name)
        return ctypes.addressof(self.service_structs) + k * ctypes.sizeof(JnService)

    def check(self) -> None:
        """Raise when a service is not bound."""
        missing = [s.name for s in self.model.services if s.name not in self._callbacks]
        if missing:
            raise ParameterError(f"services not bound: {', '.join(missing)}; call bind(name, function) before a run")

    def _callback(self, slot: ServiceSlot, function: ServiceFunction) -> Any:
        faults = self.faults

        # an exception cannot cross C: it is kept, nan stops the run, and the exception is raised afterwards
        def call(_context: Any, arguments: Any, order: int, out: Any) -> None:
            size = sum(slot.n_out * math.comb(slot.n_in + k - 1, k) for k in range(order + 1))
            result = np.ctypeslib.as_array(out, (size,))
            try:
                values = np.ctypeslib.as_array(arguments, (slot.n_in,)).copy() if slot.n_in else np.zeros(0)
                result[:] = np.asarray(function(values, order), dtype=float).reshape(size)
            except BaseException as error:
                faults.keep(error, "a service")
                result[:] = math.nan

        return SERVICE(call)
