"""Values of ``__constant__`` and ``__device__`` variables, as Python has them, and their bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim.cuda.cuda_errors import ArgumentError, SymbolError
from gpusim.cuda.fields import packed
from gpusim.cuda.layout import Type
from gpusim.cuda.signature import is_array
from gpusim.cuda.symbols import Images, Symbol, find
from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.errors import shown

if TYPE_CHECKING:
    from gpusim.cuda import Kernel


def images(kernel: Kernel, given: Mapping[str, Any] | Images | None) -> Images:
    """What the variables of a kernel's module hold when it begins.

    Parameters
    ----------
    kernel : Kernel
    given : mapping of str to object, Images or None
        Values by name; the others hold what their initialisers say.

    Raises
    ------
    SymbolError
        A name that no variable has, a value that does not fit.
    """
    if isinstance(given, Images):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise SymbolError(f"symbols are told as a dict, such as {{'coef': array}}, not {shown(given)}")
    found = Images(kernel.cubin, kernel.program(int(GLOBAL_BASE)))
    for name, value in (given or {}).items():
        one = find(name, kernel.cubin, kernel.filename)
        found.write(one.symbol, _bytes(one, type_of(one, kernel), value))
    return found


def type_of(symbol: Symbol, kernel: Kernel) -> Type | None:
    """The type of a variable, where the source says so and it has the size that the code gives it."""
    found = kernel.declared.variable(symbol.name) if kernel.declared else None
    return found if found and found.nbytes == symbol.nbytes else None


def is_initialised(symbol: Symbol, kernel: Kernel) -> bool:
    """Whether the source gives a variable its value."""
    return kernel.declared is not None and kernel.declared.is_initialised(symbol.name)


def warning(symbol: Symbol) -> str:
    """What a user has to know of a ``__constant__`` variable that is 0 because nobody filled it."""
    return f"warning: {symbol} is read, and is all zeros: fill it with --set {symbol.name}=... (symbols= in Python)"


def take_back(kernel: Kernel, held: Images, given: Mapping[str, Any]) -> None:
    """Put what a launch has left in ``__device__`` variables into the arrays that were given for them."""
    for name, value in given.items():
        one = find(name, kernel.cubin, kernel.filename)
        if not one.is_constant and isinstance(value, np.ndarray) and value.flags.writeable:
            value[...] = np.frombuffer(held.read(one.symbol), value.dtype).reshape(value.shape)


def _bytes(symbol: Symbol, kind: Type | None, value: Any) -> bytes:
    """A value of a variable as it lies in memory."""
    if kind is not None and kind.is_pointer and is_array(value):
        raise SymbolError(f"{symbol} is a pointer ({kind.name}): gpusim gives it no array; pass one as an argument")
    if kind is not None and kind.is_scalar and is_array(value):  # of one element, so that it can hold a result
        kind = Type(kind.name, kind.nbytes, kind.alignment, (), kind)
    try:
        data = _raw(value) if kind is None else packed(symbol.name, kind, value)
    except ArgumentError as error:
        raise SymbolError(str(error)) from None
    if data is None:
        raise SymbolError(f"{symbol}: its type is not known: give a NumPy array, number or bytes, not {shown(value)}")
    if len(data) != symbol.nbytes:
        raise SymbolError(f"{symbol} takes {symbol.nbytes} bytes, not {len(data)}")
    return data


def _raw(value: Any) -> bytes | None:
    """Bytes of what says itself how many it has."""
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    return value.tobytes() if isinstance(value, np.ndarray | np.generic) else None
