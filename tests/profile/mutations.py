"""Ways to damage a cubin."""

from __future__ import annotations

import struct
from random import Random

from gpusim.cuda import elf

_TABLE, _COUNT = 40, 60  # of an ELF header: where the table of sections is, how many there are
_ROW = 64  # bytes of a section's header, and of these where its fields lie
_OFFSET, _SIZE = 24, 32


def _sections(data: bytes) -> list[tuple[str, int, int]]:
    """Name, first byte and size of every section that lies in the file."""
    table, count = struct.unpack_from("<Q", data, _TABLE)[0], struct.unpack_from("<H", data, _COUNT)[0]
    names = [section.name for section in elf.read(data).sections]
    rows = [struct.unpack_from("<QQ", data, table + _ROW * k + _OFFSET) for k in range(count)]
    found = [(name, first, size) for name, (first, size) in zip(names, rows, strict=True)]
    return [(name, first, size) for name, first, size in found if size and first + size <= len(data)]


def _flip(data: bytearray, random: Random, first: int, size: int) -> None:
    """Flip a few bits of a stretch, mostly one; or put in a byte of no sense."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        at = first + random.randrange(size)
        if random.random() < 0.8:
            data[at] ^= 1 << random.randrange(8)
        else:
            data[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))


def _number(data: bytearray, random: Random, first: int, size: int) -> None:
    """Put a number of four bytes into a stretch that is none that a compiler would write."""
    at = first + random.randrange(max(size // 4, 1)) * 4
    value = random.choice((0, 1, 4, 7, 8, 255, 256, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF))
    data[at : min(at + 4, first + size)] = value.to_bytes(4, "little")[: max(first + size - at, 0)]


def _in(data: bytearray, random: Random, *starts: str) -> None:
    """Damage a section whose name starts so."""
    chosen = [row for row in _sections(bytes(data)) if row[0].startswith(starts)]
    if chosen:
        _, first, size = random.choice(chosen)
        random.choice((_flip, _number))(data, random, first, size)


def _code(data: bytearray, random: Random) -> None:
    """Flip bits of an instruction, mostly of one that does something."""
    _, first, size = random.choice([row for row in _sections(bytes(data)) if row[0].startswith(".text")])
    useful = max(size - 128, 16)
    _flip(data, random, first, useful if random.random() < 0.9 else size)


def _word(data: bytearray, random: Random) -> None:
    """Put an instruction in another one's place."""
    _, first, size = random.choice([row for row in _sections(bytes(data)) if row[0].startswith(".text")])
    to, source = (first + 16 * random.randrange(size // 16) for _ in range(2))
    data[to : to + 16] = data[source : source + 16]


def _headers(data: bytearray, random: Random) -> None:
    table, count = struct.unpack_from("<Q", data, _TABLE)[0], struct.unpack_from("<H", data, _COUNT)[0]
    random.choice((_flip, _number))(data, random, table, _ROW * count)


def _cut(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data)) :]


def _anything(data: bytearray, random: Random) -> None:
    _flip(data, random, 0, len(data))


WAYS = {
    "code": (_code, 50),
    "instruction": (_word, 8),
    "info": (lambda data, random: _in(data, random, ".nv.info"), 12),
    "symbols": (lambda data, random: _in(data, random, ".symtab", ".strtab", ".shstrtab"), 8),
    "constants": (lambda data, random: _in(data, random, ".nv.constant", ".nv.global", ".rel"), 8),
    "headers": (_headers, 8),
    "cut": (_cut, 2),
    "anything": (_anything, 4),
}
"""What is damaged, and how often."""


def mutate(cubin: bytes, random: Random) -> tuple[str, bytes]:
    """A damaged cubin, and in what way it is."""
    way = random.choices(list(WAYS), [weight for _, weight in WAYS.values()])[0]
    data = bytearray(cubin)
    WAYS[way][0](data, random)
    return way, bytes(data)
