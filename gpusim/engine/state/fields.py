"""The numbers of instruction columns, opcodes and variants as plain ints, under the names that they have in isa.

numba folds a module's ints into the code it makes; members of an IntEnum it would box.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from gpusim.isa import encode, variants
from gpusim.isa.encode import F
from gpusim.isa.opcode_info import Pipe
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import (
    Arrival,
    Atomic,
    BarRed,
    BoolOp,
    Cache,
    Cmp,
    Convert,
    Dot,
    Flag,
    Mma,
    Mufu,
    Permute,
    Piece,
    Round,
    Shfl,
    Shift,
    Space,
    Special,
    Vote,
    Wait,
)

NO_ROW, ASYNC, OUT_OF_LINE_PIPE = encode.NO_ROW, encode.ASYNC, encode.OUT_OF_LINE_PIPE
CHECKED_PIPE = encode.CHECKED_PIPE
DIMENSIONS_AT, MULTICAST, TEXELS = variants.DIMENSIONS_AT, variants.MULTICAST, variants.TEXELS
PT, PRED_SINK = encode.PRED_TRUE, encode.PRED_SINK


def _numbers(members: type[IntEnum], prefix: str = "", **others: str) -> dict[str, int]:
    """Members by name; ``others``: those that go by another one here, since another enum has one of their name."""
    return {others.get(member.name, prefix + member.name): int(member) for member in members}


TABLES = (
    _numbers(F, C="C_"),
    _numbers(Op),
    _numbers(Pipe),
    _numbers(Special, ZERO="ZERO_REGISTER"),
    _numbers(Atomic, ARRIVE="ATOMIC_ARRIVE"),
    _numbers(Cache),
    _numbers(Cmp),
    _numbers(Convert),
    _numbers(Dot),
    _numbers(Mma),
    _numbers(Mufu),
    _numbers(Shfl),
    _numbers(Flag, BF16="BF16_FLAG", F32="F32_RESULT", FLOAT="IS_FLOAT", NAN="NAN_FLAG"),
    _numbers(Permute, IDX="PERMUTE_IDX"),
    _numbers(Piece, HALVES="PIECE_HALVES"),
    _numbers(Vote, EQ="VOTE_EQ"),
    _numbers(BarRed, "RED_"),
    _numbers(BoolOp, "BOOL_"),
    _numbers(Round, "ROUND_"),
    _numbers(Shift, "SHIFT_"),
    _numbers(Arrival, ONE="ARRIVE_ONE", NONE="ARRIVE_NONE", REMOTE="REMOTE_ARRIVAL"),
    _numbers(Wait, "WAIT_"),
    _numbers(Space, "IN_"),
)
for _table in TABLES:
    globals().update(_table)

if TYPE_CHECKING:

    def __getattr__(name: str) -> int: ...
