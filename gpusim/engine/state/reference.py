"""The machine as jitted code has it: one pointer, to a table of where its arrays lie and how large they are.

A named tuple of arrays would be passed on by value, some 250 words at every call that is not inlined, and every
function would be compiled with as many arguments.  Here an array is looked up in the table when it is named; the
table does not change while jitted code runs, which the compiler is told, so it looks up once.
"""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model
from numba.np.numpy_support import from_dtype

from gpusim.engine.compiling.array_access import array_value
from gpusim.engine.state.arrays import Machine

_WORD = ir.IntType(64)


def _array_types() -> dict[str, Any]:
    hints = {name: get_args(hint) for name, hint in get_type_hints(Machine, include_extras=True).items()}
    return {name: types.Array(from_dtype(np.dtype(dtype)), ndim, "C") for name, (_, dtype, ndim) in hints.items()}


_ARRAYS = _array_types()
_FIRST = dict(zip(_ARRAYS, np.cumsum([0] + [1 + a.ndim for a in _ARRAYS.values()]).tolist(), strict=False))
"""Word of the table at which each array's address and shape begin."""


def table(m: Machine) -> np.ndarray:
    """Address and shape of each array of a machine, which must outlive the table.

    Returns
    -------
    int64 array

    Raises
    ------
    TypeError
        If an array is not of the type that :class:`Machine` says.
    """
    words: list[int] = []
    for name, array in m._asdict().items():
        want = _ARRAYS[name]
        if from_dtype(array.dtype) != want.dtype or array.ndim != want.ndim or not array.flags.c_contiguous:
            raise TypeError(f"Machine.{name} is {array.dtype} of {array.ndim} dimensions, {want} is wanted")
        words += [array.ctypes.data, *array.shape]
    return np.array(words, np.int64)


class _MachineType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Machine")


MACHINE = _MachineType()


@register_model(_MachineType)
class _Model(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _WORD.as_pointer())


@infer_getattr
class _Attributes(AttributeTemplate):
    key = _MachineType

    def generic_resolve(self, value: Any, attr: str) -> Any:  # type: ignore[override]
        return _ARRAYS.get(attr)


@lower_getattr_generic(_MachineType)  # type: ignore[untyped-decorator]
def _lookup(context: Any, builder: Any, typ: Any, value: Any, attr: str) -> Any:
    """An array, from its words in the table."""
    kind = _ARRAYS[attr]
    where, *shape = (_word(builder, value, _FIRST[attr] + k) for k in range(1 + kind.ndim))
    data = builder.inttoptr(where, context.get_value_type(kind.dtype).as_pointer())
    return array_value(context, builder, kind, data, shape)


def _word(builder: Any, base: Any, index: int) -> Any:
    loaded = builder.load(builder.gep(base, [ir.Constant(_WORD, index)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


@intrinsic
def machine_of(typingctx: Any, words: Any) -> Any:
    """The machine whose table this is."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return MACHINE(words), lower
