"""Swizzled shared arrays: where the elements of a row lie, so that a column of 16-byte pieces is in all banks.

Piece ``c`` of row ``r`` lies at ``c ^ (r mod 8)`` where a row has eight pieces or a multiple of them.  Rows of four
and two pieces fill 128 bytes together: their pieces change places by ``r / 2 mod 4`` and ``r / 4 mod 2``.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.evaluate import binary, evaluate
from gpusim.lang.tree import Expr, SharedArray

PIECE, PIECES = 16, 8  # bytes that stay together, and how many of them have all banks


def swizzled(array: object, index: tuple[Expr, ...], tiles: Mapping[str, int]) -> tuple[Expr, ...]:
    """Where element ``index`` of an array lies; ``index`` itself where the array is not swizzled."""
    moved = turn(array, index, tiles)
    return index if moved is None else (*index[:-1], binary("xor", index[-1], moved))


def turn(array: object, index: tuple[Expr, ...], tiles: Mapping[str, int]) -> Expr | None:
    """What an element's column is joined with by exclusive or, below 128 bytes; None where nothing moves."""
    if not isinstance(array, SharedArray) or not array.swizzled:
        return None
    pieces = min(_pieces(array, tiles), PIECES)
    if pieces == 1:
        return None
    by = binary("mod", binary("floordiv", index[-2], PIECES // pieces), pieces)
    return binary("mul", by, PIECE // array.dtype.nbytes)


def _pieces(array: SharedArray, tiles: Mapping[str, int]) -> int:
    """Pieces of a row."""
    nbytes = int(evaluate(array.shape[-1], tiles)) * array.dtype.nbytes
    whole = nbytes % (PIECE * PIECES) == 0 or nbytes in (PIECE, 2 * PIECE, 4 * PIECE)
    if not whole:
        raise DescriptionError(
            f"{array.name} is swizzled, but a row has {nbytes} bytes; make it 16, 32, 64 or a multiple of 128"
        )
    return nbytes // PIECE
