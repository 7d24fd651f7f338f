"""Arguments that are arrays with a shape and a way to reach them: tensor maps and textures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, UnknownNameError, shown
from gpusim.host_memory import enough_memory
from gpusim.launches.elements import ArgumentError, numpy_dtype, plain_number
from gpusim.launches.plain import Filled, filled

if TYPE_CHECKING:
    import numpy as np

    from gpusim.simulate.tensor_maps import TensorMap
    from gpusim.simulate.textures import Texture

MAP, TEXTURE = "tensormap", "texture"
MAP_SIZES, MAP_NUMBERS = ("shape", "box", "strides", "element_strides"), ("swizzle", "l2_promotion")
"""Keys of a tensor map that are sizes, and that are numbers."""
TEXTURE_WORDS, TEXTURE_NUMBERS = ("filter", "read"), ("channels", "normalized")
"""Keys of a texture that are words, and that are numbers, besides ``shape``, ``init``, ``address`` and ``border``."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A tensor map: an array of its own, and the box of it that a copy moves.

    Attributes
    ----------
    array : Filled
        Of as many elements as ``shape`` has.
    shape, box : tuple of int
        The outermost dimension first.
    more : tuple of (str, object)
        What else :class:`gpusim.TensorMap` is told.
    """

    array: Filled
    shape: tuple[int, ...]
    box: tuple[int, ...]
    more: tuple[tuple[str, Any], ...] = ()

    def make(self, rng: np.random.Generator) -> TensorMap:
        """The map, of an array that ``rng`` fills."""
        return self._of(self.array.make(rng))

    def blank(self) -> TensorMap:
        """The map of an array of zeros, for where only sizes matter."""
        return self._of(_zeros(self.array))

    def _of(self, array: np.ndarray) -> TensorMap:
        from gpusim.simulate.tensor_maps import TensorMap

        return TensorMap(array.reshape(self.shape), self.box, **dict(self.more))

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in self.more}
        named = {"tensormap": self.array.dtype, "shape": list(self.shape), "box": list(self.box)}
        return {**named, "init": self.array.init, **told}

    def __str__(self) -> str:
        told = (f":{name}={_crossed(value)}" for name, value in self.more)
        shape, box = _crossed(self.shape), _crossed(self.box)
        return f"{MAP}:{self.array.dtype}:{self.array.init}:{shape}:box={box}{''.join(told)}"


@dataclass(frozen=True, slots=True)
class Textured:
    """A texture: an array of its own, and how it is read.

    Attributes
    ----------
    array : Filled
        Of as many elements as ``shape`` has.
    shape : tuple of int
        The outermost dimension first; the last one is the channels, where there are several.
    more : tuple of (str, object)
        What else :class:`gpusim.Texture` is told.
    """

    array: Filled
    shape: tuple[int, ...]
    more: tuple[tuple[str, Any], ...] = ()

    def make(self, rng: np.random.Generator) -> Texture:
        """The texture, of an array that ``rng`` fills."""
        return self._of(self.array.make(rng))

    def blank(self) -> Texture:
        """The texture of an array of zeros, for where only sizes matter."""
        return self._of(_zeros(self.array))

    def _of(self, array: np.ndarray) -> Texture:
        from gpusim.simulate.textures import Texture

        return Texture(array.reshape(self.shape), **dict(self.more))

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in self.more}
        return {TEXTURE: self.array.dtype, "shape": list(self.shape), "init": self.array.init, **told}

    def __str__(self) -> str:
        told = (f":{name}={_listed(value)}" for name, value in self.more)
        return f"{TEXTURE}:{self.array.dtype}:{self.array.init}:{_crossed(self.shape)}{''.join(told)}"


def _zeros(array: Filled) -> np.ndarray:
    import numpy as np

    dtype = numpy_dtype(array.dtype)
    with enough_memory(array.count * dtype.itemsize):
        return np.zeros(array.count, dtype)


def _listed(value: Any) -> str:
    """Several words or numbers as the command line has them."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(int(value) if value is True else value)


def _crossed(value: Any) -> str:
    """Sizes as the command line has them."""
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


def map_of_text(parts: Sequence[str], where: str) -> dict[str, Any]:
    """What a launch file would say of ``DTYPE:INIT:SHAPE:NAME=VALUE:...``."""
    plain = [part for part in parts if "=" not in part]
    if len(plain) < 3 or parts[: len(plain)] != plain or parts == plain:
        raise ArgumentError(
            f"{where}: a tensor map is tensormap:DTYPE:INIT:SHAPE:box=BOX (...:normal:64x128:box=16x64)"
        )
    told = {"shape": plain[-1], **dict(part.split("=", 1) for part in parts[len(plain) :])}
    sizes = {name: _sizes_of_text(text, where) for name, text in told.items() if name in MAP_SIZES}
    numbers = {name: plain_number(text, where) for name, text in told.items() if name in MAP_NUMBERS}
    return {MAP: plain[0], "init": ":".join(plain[1:-1]), **told, **sizes, **numbers}


def _sizes_of_text(text: str, where: str) -> list[int | float]:
    if "," in text:
        raise ArgumentError(f"{where}: {shown(text)}: sizes have an x between them, such as 64x128")
    return [plain_number(part, where) for part in text.split("x")]


def mapped(value: Mapping[str, Any], where: str) -> Mapped:
    """Check a tensor map as a launch file has it."""
    if unknown := set(value) - {MAP, "init", *MAP_SIZES, *MAP_NUMBERS, "fill"}:
        raise UnknownNameError(f"key in {where}", sorted(unknown)[0], (MAP, "init", *MAP_SIZES, *MAP_NUMBERS, "fill"))
    dtype, init = value[MAP], value.get("init", "zeros")
    if not isinstance(dtype, str) or not isinstance(init, str):
        raise ArgumentError(f"{where}: tensormap and init are names")
    sizes = {name: _sizes(value[name], f"{where}: {name}") for name in MAP_SIZES if name in value}
    if "shape" not in sizes or "box" not in sizes:
        raise ArgumentError(f"{where}: a tensor map needs the shape of its array and a box")
    array = filled(dtype, init, math.prod(sizes["shape"]), where)
    more = {**sizes, **{name: value[name] for name in (*MAP_NUMBERS, "fill") if name in value}}
    found = Mapped(array, more.pop("shape"), more.pop("box"), tuple(more.items()))
    try:
        found.blank()
    except GpusimError as error:
        raise ArgumentError(f"{where}: {error}") from None
    return found


def texture_of_text(parts: Sequence[str], where: str) -> dict[str, Any]:
    """What a launch file would say of ``DTYPE:INIT:SHAPE:NAME=VALUE:...``."""
    plain = [part for part in parts if "=" not in part]
    if len(plain) < 3 or parts[: len(plain)] != plain:
        raise ArgumentError(
            f"{where}: a texture is texture:DTYPE:INIT:SHAPE (texture:float32:normal:64x128:filter=linear)"
        )
    told: dict[str, Any] = dict(part.split("=", 1) for part in parts[len(plain) :])
    told |= {name: plain_number(told[name], where) for name in TEXTURE_NUMBERS if name in told}
    if "address" in told and "," in told["address"]:
        told["address"] = told["address"].split(",")
    if "border" in told:
        told["border"] = [plain_number(part, where) for part in told["border"].split(",")]
    return {TEXTURE: plain[0], "init": ":".join(plain[1:-1]), "shape": _sizes_of_text(plain[-1], where), **told}


def textured(value: Mapping[str, Any], where: str) -> Textured:
    """Check a texture as a launch file has it."""
    keys = (TEXTURE, "init", "shape", *TEXTURE_WORDS, *TEXTURE_NUMBERS, "address", "border")
    if unknown := set(value) - {*keys}:
        raise UnknownNameError(f"key in {where}", sorted(unknown)[0], keys)
    dtype, init = value[TEXTURE], value.get("init", "zeros")
    if not isinstance(dtype, str) or not isinstance(init, str) or "shape" not in value:
        raise ArgumentError(f"{where}: a texture needs an element type and the shape of its array")
    shape = _sizes(value["shape"], f"{where}: shape")
    more = {name: value[name] for name in keys[3:] if name in value}
    more |= {name: tuple(more[name]) for name in ("address", "border") if isinstance(more.get(name), list)}
    if "normalized" in more:
        more["normalized"] = bool(more["normalized"])
    found = Textured(filled(dtype, init, math.prod(shape), where), shape, tuple(more.items()))
    try:
        found.blank()
    except (GpusimError, TypeError, ValueError) as error:
        raise ArgumentError(f"{where}: {error}") from None
    return found


def _sizes(value: Any, where: str) -> tuple[int, ...]:
    """Whole numbers, one a dimension."""
    if not isinstance(value, list) or not value or not all(type(n) is int and n > 0 for n in value):
        raise ArgumentError(f"{where} is a positive whole number for each dimension, not {shown(value)}")
    return tuple(value)
