"""The numbers of a description without its equations.

A compiled model is found by the structure of what it describes; the numbers (parameters, tables) of another vehicle of
the same structure are then needed without deriving anything. ``Numbers`` is a stand-in for a ``System`` that the same
description is written to: it keeps parameters and tables and swallows all else, in milliseconds and without CasADi::

    numbers = Numbers()
    assemble(vehicle, tires, system=numbers)
    simulation.set_parameters(numbers.parameters)
    simulation.set_tables(numbers.tables)

What a description does must not depend on the value of a number, or the two would not agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jounce.core import units
from jounce.core.errors import ModelError
from jounce.core.tables import Table


class Void:
    """Swallows every operation: whatever is done with it gives itself, and taken apart it is a vector of three."""

    # NumPy functions and operators with arrays or numbers
    __array_priority__ = 1e9

    def __array_ufunc__(self, *args: Any, **options: Any) -> Void:
        return self

    def __array_function__(self, *args: Any, **options: Any) -> Void:
        return self

    def __getattr__(self, name: str) -> Void:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **options: Any) -> Void:
        return self

    def __getitem__(self, index: Any) -> Void:
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        pass

    def __iter__(self) -> Iterator[Void]:
        return iter((self, self, self))

    def __len__(self) -> int:
        return 3

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Void:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def _swallow(self, *args: Any) -> Void:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _swallow
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _swallow


VOID = Void()


class NumberScope:
    """Stands in for a ``Scope``; see the module."""

    def __init__(self, root: Numbers, prefix: str) -> None:
        self.system = root
        self.prefix = prefix

    def __getattr__(self, name: str) -> Void:
        if name.startswith("__"):
            raise AttributeError(name)
        return VOID

    def scope(self, name: str) -> NumberScope:
        return NumberScope(self.system, f"{self.prefix}{name}.")

    def parameter(
        self,
        name: str,
        default: float | str = 0.0,
        unit: str = "-",
        doc: str = "",
        *,
        low: float | None = None,
        high: float | None = None,
    ) -> Void:
        full = self.prefix + name
        if full in self.system.parameters:
            raise ModelError(f"{full!r} is declared twice: use another name or scope")
        self.system.parameters[full] = units.parse(default, unit, name=full)
        return VOID

    def table(self, name: str, table: Table) -> Void:
        self.system.tables[self.prefix + name] = table
        return VOID

    def coordinate(self, *args: Any, **options: Any) -> tuple[Void, Void]:
        return VOID, VOID

    def service(self, name: str, n_in: int, n_out: int, order: int = 1, doc: str = "") -> Any:
        return lambda *arguments: VOID if n_out == 1 else [VOID] * n_out

    def slow(self, name: str, *values: Any) -> list[Void]:
        return [VOID] * len(values)


class Numbers(NumberScope):
    """Parameters and tables of a description, by name."""

    def __init__(self) -> None:
        self.parameters: dict[str, float] = {}
        self.tables: dict[str, Table] = {}
        super().__init__(self, "")
