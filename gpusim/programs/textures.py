"""Texture objects of a program: what the runtime says of one, as the engine has it."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

from gpusim.simulate.textures import FILTERS, MODES, OF_SHARES, READINGS, Sampling, row_of

_OBJECT = struct.Struct("<13Q4f")


class Channel(IntEnum):
    """What a channel is: ``cudaChannelFormatKind``."""

    SIGNED = 0
    UNSIGNED = 1
    FLOAT = 2


_WORDS = {Channel.SIGNED: "int", Channel.UNSIGNED: "uint", Channel.FLOAT: "float"}


class TextureObject(NamedTuple):
    """A texture object, as ``textures.cpp`` tells of it; sizes in texels, ``pitch`` and ``tiles`` in bytes."""

    address: int
    width: int
    height: int
    pitch: int
    tiles: int
    bits: int
    channels: int
    channel: int
    normalized: int
    linear: int
    reads_shares: int
    mode_x: int
    mode_y: int
    border: tuple[float, ...]

    @property
    def modes(self) -> tuple[str, str]:
        """What is read beyond it; without normalised coordinates it neither wraps nor mirrors."""
        names = list(MODES)
        found = (names[self.mode_x], names[self.mode_y])
        if self.normalized:
            return found
        x, y = ("clamp" if name in OF_SHARES else name for name in found)
        return x, y

    def row(self) -> tuple[int, ...]:
        """What the engine is told of it."""
        dtype = f"{_WORDS[Channel(self.channel)]}{self.bits}"
        reads = READINGS[self.reads_shares]
        how = Sampling(self.channels, FILTERS[self.linear], self.modes, bool(self.normalized), reads, self.border)
        return tuple(row_of(self.address, (self.width, self.height), self.pitch, dtype, how, self.tiles))


def texture_object(body: bytes) -> TextureObject:
    """A texture object as the runtime sends it."""
    *numbers, r, g, b, a = _OBJECT.unpack(body)
    return TextureObject(*numbers, border=(r, g, b, a))  # type: ignore[misc]
