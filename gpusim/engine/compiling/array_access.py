"""Elements and rows of arrays as few LLVM instructions: most of what the engine does is to look something up.

numba lowers ``array[index]`` for arrays of every layout by way of memory, with some 25 instructions, most of which LLVM
takes away.  For arrays that lie in one piece this is what is left in the end.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.lowering import Lower

_WORD = ir.IntType(64)


def array_value(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
    """An array that lies in one piece, as numba hands it on.

    Parameters
    ----------
    kind : types.Array
    data : ir.Value
        Address of its first element.
    shape : list of ir.Value
    """
    itemsize = _WORD(kind.dtype.bitwidth // 8)
    strides = [itemsize]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    nitems = shape[0]
    for size in shape[1:]:
        nitems = builder.mul(nitems, size)
    made = ir.Constant(context.get_value_type(kind), None)  # without an owner: references are not counted
    for name, value in (("nitems", nitems), ("itemsize", itemsize), ("data", data)):
        made = builder.insert_value(made, value, _field(context, kind, name))
    for name, values in (("shape", shape), ("strides", strides)):
        for axis, value in enumerate(values):
            made = builder.insert_value(made, value, [_field(context, kind, name), axis])
    return made


def _field(context: Any, kind: Any, name: str) -> int:
    """Where in an array's value something is."""
    position: int = context.data_model_manager[kind].get_field_position(name)
    return position


class Lowering(Lower):
    """numba's own, but for elements and rows of arrays that lie in one piece."""

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """An element, or the row of a number of dimensions less."""
        kind = self.typeof(value.name)
        indices = self._indices(index) if _lies_in_one_piece(kind) else None
        if indices is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        place, rest = self._place(kind, value, indices)
        if rest:
            return array_value(self.context, self.builder, resty, place, rest)
        return self.context.cast(self.builder, self.builder.load(place), kind.dtype, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Set an element."""
        kind, given = self.typeof(target_var.name), self.typeof(value_var.name)
        number = isinstance(given, (types.Number, types.Boolean))
        indices = self._indices(index_var) if number and _lies_in_one_piece(kind) else None
        if indices is None or len(indices) < kind.ndim:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        place, _ = self._place(kind, target_var, indices)
        value = self.context.cast(self.builder, self._held(value_var), given, kind.dtype)
        self.builder.store(value, place)
        return None

    def _indices(self, index: Any) -> list[tuple[Any, Any]] | None:
        """Types and values of an index's integers; None where it has something else."""
        kind: Any = self.typeof(index.name)
        several = isinstance(kind, types.BaseTuple)
        kinds = list(kind.types) if several else [kind]
        if not all(isinstance(each, types.Integer) for each in kinds):
            return None
        held = self._held(index)
        values = [self.builder.extract_value(held, k) for k in range(len(kinds))] if several else [held]
        return list(zip(kinds, values, strict=True))

    def _held(self, variable: Any) -> Any:
        """What a variable has here."""
        return self.loadvar(variable.name)

    def _place(self, kind: Any, array: Any, indices: Any) -> tuple[Any, list[Any]]:
        """The address that indices name, and the dimensions that they leave."""
        builder, held = self.builder, self._held(array)
        where = _field(self.context, kind, "shape")
        shape = [builder.extract_value(held, [where, axis]) for axis in range(kind.ndim)]
        first: Any = None
        for axis, (each, value) in enumerate(indices):
            number = self._from_the_start(each, value, shape[axis])
            first = number if first is None else builder.add(builder.mul(first, shape[axis]), number)
        for size in shape[len(indices) :]:
            first = builder.mul(first, size)
        data = builder.extract_value(held, _field(self.context, kind, "data"))
        return builder.gep(data, [first]), shape[len(indices) :]

    def _from_the_start(self, kind: Any, value: Any, size: Any) -> Any:
        """An index counted from the start; one that is negative counts from the end."""
        if not kind.signed:
            return self.context.cast(self.builder, value, kind, types.uintp)
        number = self.context.cast(self.builder, value, kind, types.intp)
        if isinstance(number, ir.Constant) and number.constant >= 0:
            return number
        negative = self.builder.icmp_signed("<", number, _WORD(0))
        return self.builder.select(negative, self.builder.add(number, size), number)


def _lies_in_one_piece(kind: Any) -> bool:
    """Whether a type is of arrays of numbers, of which one follows the other."""
    plain = isinstance(kind, types.Array) and kind.layout == "C" and kind.aligned
    return plain and isinstance(kind.dtype, (types.Integer, types.Float))
