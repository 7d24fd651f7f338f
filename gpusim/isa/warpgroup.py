"""Products of matrices by a warpgroup: what ``sub`` of HGMMA, QGMMA and IGMMA says.

Four warps multiply a matrix of 64 rows, of which each has 16, with one of N columns.  A row of the first one has 32
bytes, whatever its elements are.

Source: NVIDIA, *PTX ISA*, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Operation using wgmma.mma_async
Instruction".
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from enum import IntEnum
from itertools import product
from typing import NamedTuple

WARPS = 4
"""Warps of a warpgroup."""
OWN_ROWS = 16
"""Rows of the first matrix that a warp has."""
ROW_BYTES = 32
"""Bytes of a row of the first matrix, and of a column of the second."""
DESCRIPTOR_WORDS = 2
"""Registers of a descriptor; machine code names the first one's, though the first matrix be in registers."""
TILE = 8
"""Columns that are worked out together: N counts them."""
MOST_TILES = 32

# Places in `sub`
B_TYPE, N_TILES = 3, 7
TYPE_MASK, TILE_MASK = 7, 63
HALF_SUMS = 1 << 6
A_SHARED, A_TRANSPOSED, B_TRANSPOSED, A_NEGATED, B_NEGATED, COMMITS = _FLAGS = tuple(1 << bit for bit in range(13, 19))


class Element(IntEnum):
    """Type of a matrix's elements."""

    F16 = 0
    BF16 = 1
    TF32 = 2
    E4M3 = 3
    E5M2 = 4
    S8 = 5
    U8 = 6


BF16, TF32, E4M3, U8 = (int(e) for e in (Element.BF16, Element.TF32, Element.E4M3, Element.U8))
HALVES = (Element.F16, Element.BF16)
FLOATING_OCTETS = (Element.E4M3, Element.E5M2)
WHOLE_OCTETS = (Element.S8, Element.U8)
INTEGER_TILES = frozenset((1, 2, 3, *range(4, MOST_TILES + 1, 2)))
"""N of integers, in tiles."""


class Product(NamedTuple):
    """A product of matrices by a warpgroup.

    Attributes
    ----------
    a, b : Element
        Types of the two matrices.
    tiles : int
        Columns of the second one, in eights.
    half_sums : bool
        Sums are fp16, two to a register; else fp32, or of integers 32 bits.
    a_shared : bool
        The first matrix lies in shared memory, not in registers.
    a_transposed, b_transposed : bool
        A matrix in shared memory lies with the other one of its dimensions along the rows.
    a_negated, b_negated : bool
    commits : bool
        It ends a group.
    """

    a: Element
    b: Element
    tiles: int
    half_sums: bool = False
    a_shared: bool = True
    a_transposed: bool = False
    b_transposed: bool = False
    a_negated: bool = False
    b_negated: bool = False
    commits: bool = False

    @property
    def sub(self) -> int:
        """As an instruction has it.

        Examples
        --------
        >>> one = Product(Element.BF16, Element.BF16, 32, commits=True)
        >>> product_of(one.sub) == one
        True
        """
        said = sum(bit for bit, flag in zip(_FLAGS, self[4:], strict=True) if flag)
        return self.a | self.b << B_TYPE | HALF_SUMS * self.half_sums | self.tiles << N_TILES | said

    @property
    def depth(self) -> int:
        """Elements of a row of the first matrix."""
        return ROW_BYTES // _BYTES[self.a]

    @property
    def sum_words(self) -> int:
        """Registers of a thread that hold sums."""
        return self.tiles * (2 if self.half_sums else 4)

    def __str__(self) -> str:
        """Shape and types, as machine code names them."""
        sums = [] if self.a in WHOLE_OCTETS else ["F16" if self.half_sums else "F32"]
        types = [self.a.name, self.b.name] if _BYTES[self.a] == 1 else [self.a.name] * (self.a is not Element.F16)
        return ".".join([f"64x{self.tiles * TILE}x{self.depth}", *sums, *types])


_BYTES = {Element.F16: 2, Element.BF16: 2, Element.TF32: 4, **dict.fromkeys((*FLOATING_OCTETS, *WHOLE_OCTETS), 1)}


def product_of(sub: int) -> Product:
    """What ``sub`` says."""
    flags = (bool(sub & bit) for bit in _FLAGS)
    a, b = Element(sub & TYPE_MASK), Element(sub >> B_TYPE & TYPE_MASK)
    return Product(a, b, sub >> N_TILES & TILE_MASK, bool(sub & HALF_SUMS), *flags)


class Products(Container[int]):
    """Every ``sub`` of an opcode.

    Parameters
    ----------
    types : iterable of (Element, Element, bool)
        Types of the two matrices, and whether sums are fp16.
    tiles : collection of int
        What N may be, in eights.
    """

    def __init__(self, types: Iterable[tuple[Element, Element, bool]], tiles: Collection[int]) -> None:
        self._types, self._tiles = frozenset(types), tiles

    def __contains__(self, sub: object) -> bool:
        """Whether there is such a product."""
        if not isinstance(sub, int) or sub & TYPE_MASK > max(Element) or sub >> B_TYPE & TYPE_MASK > max(Element):
            return False
        one = product_of(sub)
        known = (one.a, one.b, one.half_sums) in self._types and one.tiles in self._tiles and one.sub == sub
        return known and _is_possible(one)

    def __iter__(self) -> Iterator[int]:
        """Each of them."""
        for (a, b, half), tiles, flags in product(
            sorted(self._types), sorted(self._tiles), product((False, True), repeat=len(_FLAGS))
        ):
            one = Product(a, b, tiles, half, *flags)
            if _is_possible(one):
                yield one.sub


def _is_possible(one: Product) -> bool:
    """Whether matrices of these types can lie and be negated so."""
    turned, negated = one.a_transposed or one.b_transposed, one.a_negated or one.b_negated
    if (turned and one.a not in HALVES) or (negated and one.a in WHOLE_OCTETS):
        return False
    return one.a_shared or not one.a_transposed


_EVERY = range(1, MOST_TILES + 1)
HALF_PRODUCTS = Products([*((a, a, False) for a in (*HALVES, Element.TF32)), (Element.F16, Element.F16, True)], _EVERY)
"""``sub`` of HGMMA."""
OCTET_PRODUCTS = Products(product(FLOATING_OCTETS, FLOATING_OCTETS, (False, True)), _EVERY)
"""``sub`` of QGMMA."""
INTEGER_PRODUCTS = Products(product(WHOLE_OCTETS, WHOLE_OCTETS, (False,)), INTEGER_TILES)
"""``sub`` of IGMMA."""
