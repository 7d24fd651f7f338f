"""Kernel arguments as text or JSON: scalars, arrays filled in one of a few ways, and tensor maps of such arrays.

A launch file says ``{"int32": 512}`` and ``{"buffer": "float32", "count": 262144, "init": "normal"}``;
the command line says the same as ``int32:512`` and ``float32:normal:262144``.  A map of a tensor
is ``{"tensormap": "float16", "shape": [64, 128], "box": [16, 64]}`` and ``tensormap:float16:zeros:64x128:box=16x64``.
A texture is ``{"texture": "float32", "shape": [64, 128], "filter": "linear"}`` and
``texture:float32:zeros:64x128:filter=linear``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gpusim.errors import UnknownNameError
from gpusim.launches.elements import ArgumentError, Number, demand_known, number, whole_number
from gpusim.launches.plain import RAW, Filled, Given, Raw, Scalar, filled, given_of_json, raw, scalar
from gpusim.launches.shaped import MAP, TEXTURE, Mapped, Textured, map_of_text, mapped, texture_of_text, textured

LONGEST = 80  # characters of an argument that a message repeats
Drawn = Filled | Mapped | Textured
"""Arguments whose arrays are filled when they are made."""
Argument = Scalar | Given | Raw | Drawn


def from_text(text: str, known: Mapping[str, Number] | None = None, option: str = "--arg") -> Argument:
    """Read an argument as the command line has it.

    Parameters
    ----------
    text : str
        ``DTYPE:VALUE`` for a scalar, ``DTYPE:INIT:COUNT`` for an array, ``tensormap:DTYPE:INIT:SHAPE:box=BOX`` for the
        map of one, ``texture:DTYPE:INIT:SHAPE`` for a texture, ``bytes:HEX`` for
        anything else.  ``VALUE`` and ``COUNT`` may be expressions.
    known : mapping of str to int or float
        What names in expressions mean.
    option : str
        What messages call the option.

    Raises
    ------
    GpusimError
        One line that says what was wrong.

    Examples
    --------
    >>> from_text("int32:512")
    Scalar(dtype='int32', value=512)
    >>> from_text("int32:randint:100:4096")
    Filled(dtype='int32', init='randint:100', count=4096)
    """
    parts = text.split(":")
    known, where = known or {}, f"{option} {text if len(text) <= LONGEST else text[:LONGEST] + '...'}"
    if len(parts) < 2:
        raise ArgumentError(
            f"{where}: an argument is DTYPE:VALUE (int32:512) or DTYPE:INIT:COUNT (float32:normal:4096)"
        )
    if parts[0] == RAW:
        return raw(":".join(parts[1:]), where)
    if parts[0] == MAP:
        return mapped(map_of_text(parts[1:], where), where)
    if parts[0] == TEXTURE:
        return textured(texture_of_text(parts[1:], where), where)
    demand_known(parts[0], where)
    if len(parts) == 2:
        return scalar(parts[0], number(parts[1], where, known), where)
    count = whole_number(parts[-1], where, known)
    return filled(parts[0], ":".join(parts[1:-1]), count, where)


def from_json(value: Any, where: str) -> Argument:
    """Read an argument as a launch file has it.

    Parameters
    ----------
    value : object
        ``{DTYPE: VALUE}``, ``{"buffer": DTYPE, "count": N, "init": INIT}``, ``{"buffer": DTYPE, "values": [...]}``,
        ``{"tensormap": DTYPE, "shape": [...], "box": [...]}``, ``{"texture": DTYPE, "shape": [...]}`` or
        ``{"bytes": HEX}``.
    where : str
        Path of the value in its file, for messages.

    Raises
    ------
    GpusimError
        One line that says what was wrong.

    Examples
    --------
    >>> from_json({"buffer": "float32", "count": 8, "init": "zeros"}, "args[0]")
    Filled(dtype='float32', init='zeros', count=8)
    """
    if not isinstance(value, Mapping) or not value:
        raise ArgumentError(f'{where}: an argument is {{"int32": 512}} or {{"buffer": "float32", "count": 4096}}')
    if "values" in value:
        return given_of_json(value, where)
    if MAP in value:
        return mapped(value, where)
    if TEXTURE in value:
        return textured(value, where)
    if "buffer" in value:
        unknown = set(value) - {"buffer", "count", "init"}
        if unknown:
            raise UnknownNameError(f"key in {where}", sorted(unknown)[0], ("buffer", "count", "init"))
        dtype, init = value["buffer"], value.get("init", "zeros")
        if not isinstance(dtype, str) or not isinstance(init, str):
            raise ArgumentError(f"{where}: buffer and init are names")
        return filled(dtype, init, value.get("count"), where)
    ((dtype, told),) = list(value.items())[:1]
    if dtype == RAW and len(value) == 1:
        return raw(told, where)
    if len(value) > 1 or isinstance(told, bool) or not isinstance(told, int | float):
        raise ArgumentError(f'{where}: a scalar is one element type with its value, such as {{"int32": 512}}')
    return scalar(dtype, told, where)


def make(arguments: Sequence[Argument], seed: int = 0, *, contents: Collection[int] | None = None) -> list[Any]:
    """Draw every argument, each from a generator of its own.

    Parameters
    ----------
    arguments : sequence
    seed : int
    contents : collection of int, optional
        Positions of the arrays to fill; the others are zeros that cannot be written to and take no memory.  Unless
        given, all.

    Returns
    -------
    list of ndarray, NumPy scalars, bytes, TensorMap and Texture
    """
    import numpy as np

    return [
        a.make(np.random.default_rng([seed, i]))
        if contents is None or i in contents or not isinstance(a, Drawn)
        else a.blank()
        for i, a in enumerate(arguments)
    ]
