"""Leaf functions: a piece of physics that is emitted once as a C function and called many times.

A leaf has its own scope of symbols.  Its arguments come in groups; a group whose arguments are consecutive
parameters of the model is passed as a pointer, without copying.  Derivatives of any order are leaf functions of
their own, made on demand by automatic differentiation and holding only the entries that are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jounce.core.errors import ModelError, did_you_mean
from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.calls import Call, CallRegistry, Differentiator, scalars
from jounce.symbolic.checks import Literals


class Leaf:
    """A function of scalar arguments in groups, and of tables, with its own call registry.

    Parameters
    ----------
    name : C identifier, unique in a model
    groups : argument group -> number of scalars
    body : called once with the arguments, a dict of symbol lists (and ``tables``, a list of callables, when tables are
        declared); returns the list of outputs.  ``arguments.call(leaf, groups, tables)`` calls another leaf function
    tables : (n_in, n_out) of each table the body looks up; the caller passes table handles
    """

    _program: tuple[int, Any] | None = None  # kept by program.leaf_program

    def __init__(
        self,
        name: str,
        groups: Mapping[str, int],
        body: Callable[..., Sequence[Any]],
        tables: Sequence[tuple[int, int]] = (),
    ) -> None:
        if not name.isidentifier():
            raise ModelError(f"leaf function {name!r}: the name must be a plain identifier")
        for group in groups:
            if not group.isidentifier():
                raise ModelError(f"leaf function {name!r}: the group name {group!r} must be a plain identifier")
        if not sum(groups.values()):
            raise ModelError(f"leaf function {name!r} has no arguments: write its expressions where they are used")
        self.name = name
        self.groups = dict(groups)
        self.tables = list(tables)
        self.registry = CallRegistry()
        self.args = [ca.SX.sym(f"{group}[{i}]") for group, n in self.groups.items() for i in range(n)]
        by_group, start = Arguments(self.registry), 0
        for group, n in self.groups.items():
            by_group[group] = self.args[start : start + n]
            start += n
        if self.tables:
            handles = [LeafTable(self, i, n_in, n_out) for i, (n_in, n_out) in enumerate(self.tables)]
            self.outputs = scalars(list(body(by_group, handles)))
        else:
            self.outputs = scalars(list(body(by_group)))
        Literals().check(self.outputs, f"leaf function {name!r}")

    def call(self, registry: CallRegistry, groups: Mapping[str, Any], tables: Sequence[Any] = ()) -> list[SX]:
        """Outputs as symbols of ``registry`` for the given argument expressions."""
        args: list[SX] = []
        unknown = [group for group in groups if group not in self.groups]
        if unknown:
            raise ModelError(
                f"leaf function {self.name!r}: argument group {unknown[0]!r} is unknown"
                f"{did_you_mean(unknown[0], self.groups)}"
            )
        for group, n in self.groups.items():
            if group not in groups:
                raise ModelError(f"leaf function {self.name!r}: argument group {group!r} is missing")
            values = scalars(list(groups[group]) if not hasattr(groups[group], "numel") else groups[group])
            if len(values) != n:
                raise ModelError(
                    f"leaf function {self.name!r}: group {group!r} takes {n} arguments, {len(values)} were given"
                )
            args += values
        if len(tables) != len(self.tables):
            raise ModelError(f"leaf function {self.name!r} takes {len(self.tables)} tables, {len(tables)} were given")
        for i, (table, (n_in, n_out)) in enumerate(zip(tables, self.tables, strict=True)):
            if (table.n_in, table.n_out) != (n_in, n_out):
                raise ModelError(
                    f"leaf function {self.name!r}: table {i} must have {n_in} axes and {n_out} outputs; "
                    f"{table.name!r} has {table.n_in} and {table.n_out}"
                )
        call = LeafCall(registry, self, args, [t.slot for t in tables])
        return [call.symbol(i) for i in range(len(self.outputs))]


class Arguments(dict[str, list[SX]]):
    """What the body of a leaf function gets: its argument symbols by group, and a way to call other leaf functions."""

    def __init__(self, registry: CallRegistry) -> None:
        super().__init__()
        self._registry = registry

    def call(self, leaf: Leaf, groups: Mapping[str, Any], tables: Sequence[Any] = ()) -> list[SX]:
        """Call another leaf function; its tables are table arguments of this one."""
        return leaf.call(self._registry, groups, tables)


class DerivativeLeaf(Leaf):
    """Partial derivatives of another leaf's outputs; entries are added as they are asked for."""

    def __init__(self, of: Leaf) -> None:
        self.name = of.name + "_d"
        self.groups, self.tables, self.registry, self.args = of.groups, of.tables, of.registry, of.args
        self.of = of
        self.outputs: list[SX] = []
        self._differentiator = Differentiator(of.registry, of.args)
        self._rows: dict[int, dict[int, SX]] = {}
        self._entries: dict[tuple[int, int], int] = {}

    def entry(self, output: int, argument: int) -> int | None:
        """Place of ∂output/∂argument among this leaf's outputs; None when it is structurally zero."""
        if output not in self._rows:
            self._rows[output] = self._differentiator.rows([self.of.outputs[output]])[0]
        if argument not in self._rows[output]:
            return None
        if (output, argument) not in self._entries:
            self._entries[output, argument] = len(self.outputs)
            self.outputs.append(self._rows[output][argument])
        return self._entries[output, argument]


class LeafTable:
    """A table argument inside a leaf's body: ``values = table(x, y)``."""

    def __init__(self, leaf: Leaf, slot: int, n_in: int, n_out: int) -> None:
        self.leaf, self.slot, self.n_in, self.n_out = leaf, slot, n_in, n_out
        self.name = f"{leaf.name}.table{slot}"

    def __call__(self, *args: Any) -> list[SX]:
        if len(args) != self.n_in:
            raise ModelError(
                f"leaf function {self.leaf.name!r}: table {self.slot} takes {self.n_in} arguments, "
                f"{len(args)} were given"
            )
        call = self.leaf.registry.tensor_call("table", self.slot, self.name, scalars(args), self.n_out, 3)
        return [call.symbol((i, ())) for i in range(self.n_out)]


class LeafCall(Call):
    """One call of a leaf function; an output index is the place among the leaf's outputs."""

    def __init__(self, registry: CallRegistry, leaf: Leaf, args: Sequence[SX], table_slots: Sequence[int]) -> None:
        super().__init__(registry, leaf.name, args)
        self.leaf = leaf
        self.table_slots = list(table_slots)
        self._derivative: LeafCall | None = None

    def partial(self, index: Any, j: int) -> SX:
        # kept by the registry: which entries exist depends on this system only, not on others that use the leaf
        derivative = self.registry.derivative_leaves.get(id(self.leaf))
        if derivative is None:
            derivative = self.registry.derivative_leaves[id(self.leaf)] = DerivativeLeaf(self.leaf)
        place = derivative.entry(index, j)
        if place is None:
            return ca.SX(0)
        if self._derivative is None:
            self._derivative = LeafCall(self.registry, derivative, self.args, self.table_slots)
        return self._derivative.symbol(place)
