"""Names that C++ accepts, each with one meaning wherever it is visible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast constexpr
    continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto
    if inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq threadIdx blockIdx blockDim gridDim warpSize min max abs rsqrtf fminf fmaxf fabsf fmaf exp2f float2 float4
    int2 int4 uint2 uint4
"""
TAKEN = frozenset(WORDS.split())


def identifier(name: str) -> str:
    """``name`` as C++ has it: the same unless it is a word of the language or uses other letters.

    Examples
    --------
    >>> identifier("row"), identifier("_"), identifier("new"), identifier("größe")
    ('row', 'i', 'new_', 'gr_e')
    """
    plain = re.sub(r"[^A-Za-z0-9_]+|__+", "_", name)
    plain = plain.lstrip("_0123456789") or "i"
    return f"{plain}_" if plain in TAKEN else plain


class Scope:
    """The names visible at this point of the code."""

    def __init__(self) -> None:
        self._blocks: list[set[str]] = [set()]

    @contextmanager
    def block(self) -> Iterator[None]:
        """For a block: what is declared in it is forgotten after it."""
        self._blocks.append(set())
        yield
        self._blocks.pop()

    def declare(self, wanted: str) -> str:
        """A name like ``wanted`` that means nothing else here."""
        base = name = identifier(wanted)
        number = 2
        while any(name in block for block in self._blocks):
            name, number = f"{base.rstrip('_')}_{number}", number + 1
        self._blocks[-1].add(name)
        return name
