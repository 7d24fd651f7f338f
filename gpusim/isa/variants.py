"""What the fields of an instruction beside its opcode say: variants (``sub``), flags, cache operators.

Source: NVIDIA, *PTX ISA*, for the variants; their numbers are gpusim's own.
"""

from __future__ import annotations

from enum import IntEnum

UNIFORM_PREDICATES = 8
"""``sub`` of P2R and R2P: where UP0 stands among a warp's predicates."""

MULTICAST = 1
"""Bit 0 of ``sub`` of UBLKCP_S_G and UTMALDG: to several blocks of the cluster."""

TEXELS = 1 << 4
"""Bit of ``sub`` of TEX: coordinates are numbers of texels."""

DIMENSIONS_AT = 4
"""``sub`` of copies of boxes: the bit from which on it says how many dimensions the tensor has."""


class Special(IntEnum):
    """Special registers readable by ``S2R`` (``sub`` field)."""

    TID_X = 0
    TID_Y = 1
    TID_Z = 2
    CTAID_X = 3
    CTAID_Y = 4
    CTAID_Z = 5
    LANEID = 6
    WARPID = 7
    SMID = 8
    CLOCK_LO = 9
    CLOCK_HI = 10
    LANEMASK_EQ = 11
    LANEMASK_LT = 12
    LANEMASK_LE = 13
    LANEMASK_GT = 14
    LANEMASK_GE = 15
    ZERO = 16
    NTID_X = 17
    NTID_Y = 18
    NTID_Z = 19
    NCTAID_X = 20
    NCTAID_Y = 21
    NCTAID_Z = 22
    GLOBALTIMER_LO = 23
    GLOBALTIMER_HI = 24
    SHARED_WINDOW_HI = 25  # upper word of the address at which shared memory appears in the generic space
    CLUSTER_RANK = 26  # the block's place in its cluster
    WARPSIZE = 27
    VIRTID = 28  # bits 8-14: the warp's slot in its SM (what PTX's %warpid is read from)
    SHARED_SIZE = 30  # bytes of shared memory of the block
    CLUSTER_SIZE = 31  # blocks of the cluster
    LOCAL_WINDOW_HI = 32  # as SHARED_WINDOW_HI


class Cmp(IntEnum):
    """Comparison in ``sub`` bits 0-2 of ISETP/FSETP/HSETP2/DSETP."""

    LT = 0
    LE = 1
    GT = 2
    GE = 3
    EQ = 4
    NE = 5
    NUM = 6  # neither operand is NaN
    NAN = 7  # at least one operand is NaN


class Space(IntEnum):
    """``sub`` of QSPC."""

    GLOBAL = 0
    SHARED = 1
    LOCAL = 2
    CLUSTER = 3  # shared memory of any block of the cluster


class BoolOp(IntEnum):
    """How a comparison combines with the predicate source (``sub`` bits 4-5)."""

    AND = 0
    OR = 1
    XOR = 2


class Shift(IntEnum):
    """``sub`` of SHF.  L: (c:a << b) upper word is SHL_HI; 32-bit shifts use L and R."""

    L = 0  # d = a << b            (b > 31 gives 0)
    R_U32 = 1  # d = a >> b, logical   (b > 31 gives 0)
    R_S32 = 2  # d = a >> b, arithmetic (b > 31 gives the sign)
    L_HI = 3  # d = upper word of (c:a) << b
    R_LO = 4  # d = lower word of (c:a) >> b, logical
    R_HI_U32 = 5  # d = c >> b, logical: upper word of the 64-bit shift
    R_HI_S32 = 6  # d = c >> b, arithmetic
    R_LO_S32 = 7  # d = lower word of (c:a) >> b, arithmetic
    L_HI_32 = 8  # as L_HI and R_LO, but b is clamped to 32 (WRAP: modulo 32)
    R_LO_32 = 9


class Piece(IntEnum):
    """``sub`` of IADD3, IMNMX, IADDMNMX, IABSDIFF, FMNMX: what a word is taken as, in bits 0-1; and THIRD."""

    WORD = 0
    HALVES = 1  # two of 16 bits
    BYTES = 2  # four of 8 bits
    THIRD = 4  # IMNMX, FMNMX: of a, b and c; IABSDIFF: what the pieces give is added up


class Dot(IntEnum):
    """Bits of ``sub`` of IDP."""

    A_UNSIGNED = 1
    B_UNSIGNED = 2
    HALVES = 4  # two halves of a with two bytes of b, the lower ones
    UPPER = 8  # the upper ones


class Permute(IntEnum):
    """``sub`` of PRMT: how the selector picks bytes (PTX ISA, ``prmt``)."""

    IDX = 0
    F4E = 1
    B4E = 2
    RC8 = 3
    ECL = 4
    ECR = 5
    RC16 = 6


class Mufu(IntEnum):
    """Multi-function unit operations (``sub`` of MUFU)."""

    RCP = 0
    RSQ = 1
    SQRT = 2
    EX2 = 3
    LG2 = 4
    SIN = 5  # argument in revolutions (after RRO-style multiply by 1/2pi)
    COS = 6
    TANH = 7
    RCP64H = 8  # upper word of an approximate fp64 reciprocal
    RSQ64H = 9


class Convert(IntEnum):
    """``sub`` of I2F, F2I, F2F, F2FP, FRND, F2IP: bits 0-3 type, bits 4-5 rounding, bits 8-11 the float's type.

    The float's type is 0 for fp32, else F16, BF16 or F64: what I2F makes, F2I reads, FRND rounds; of F2F the other
    one of the two types, where that is not fp32.
    """

    S32 = 0
    U32 = 1
    F16 = 2  # F2F: fp32 <- fp16 (low half); F2FP: fp16 pair
    BF16 = 3
    TO_F16 = 4  # F2F: fp16 (low half) <- fp32
    TO_BF16 = 5
    S64 = 6
    U64 = 7
    F64 = 8  # F2F: fp32 <- fp64
    TO_F64 = 9  # F2F: fp64 <- fp32
    S8 = 10
    U8 = 11
    S16 = 12
    U16 = 13
    E4M3 = 14  # F2FP: two fp32 to two fp8; F16 pair <- two fp8 with UNPACK flag
    E5M2 = 15


class Round(IntEnum):
    """Rounding mode, in bits 4-5 of a conversion's ``sub``."""

    NEAREST = 0
    DOWN = 1
    UP = 2
    ZERO = 3


class Scale(IntEnum):
    """What FMUL multiplies its product by before it is rounded, in ``sub`` bits 0-3: the power of two."""

    D8 = 13
    D4 = 14
    D2 = 15
    M2 = 1
    M4 = 2
    M8 = 3


class Shfl(IntEnum):
    """``sub`` of SHFL."""

    IDX = 0
    UP = 1
    DOWN = 2
    BFLY = 3


class Vote(IntEnum):
    """``sub`` of VOTE."""

    ALL = 0
    ANY = 1
    EQ = 2


class Atomic(IntEnum):
    """``sub`` of ATOMG/ATOMS/RED: bits 0-3 operation; FLOAT in flags."""

    ADD = 0
    MIN = 1
    MAX = 2
    AND = 3
    OR = 4
    XOR = 5
    EXCH = 6
    CAS = 7
    INC = 8
    DEC = 9
    CAST = 10  # as CAS, d = 1 (width 8: a pair) where it put the new value, else 0; q0 likewise
    POPC_INC = 11  # shared: 1 for each lane, there is no value; d = what was there before the instruction
    ARRIVE = 12  # shared, width 8: at an mbarrier that counts no bytes (gpusim.isa.mbarrier), there is no value


class Arrival(IntEnum):
    """``sub`` of SYNCS_ARRIVE: bits 0-1 arrivals, bits 2-3 bytes, bits 4, 5; of ARRIVES: ONE, PLAIN, or NONE: bytes."""

    NONE = 0
    ONE = 1
    COUNTED = 2  # as many as b says
    EXPECT_ONE = 4  # one byte more is expected
    EXPECT = 8  # as many bytes more as b says are expected
    COMPLETE = 12  # as many have come
    DROP = 16  # whoever arrives is expected no more
    REMOTE = 32  # at an mbarrier of any block of the cluster
    PLAIN = 64  # one, at an mbarrier that counts no bytes


class Wait(IntEnum):
    """``sub`` of SYNCS_PHASECHK."""

    TEST = 0
    TRY = 1  # the warp sleeps until the phase is complete


class BarRed(IntEnum):
    """Reduction of a barrier, in ``sub`` bits 8-11 of BAR."""

    NONE = 0
    POPC = 1  # threads with p0
    AND = 2  # all ones if every thread has p0, else 0
    OR = 3  # all ones if any has


class Cache(IntEnum):
    """Cache operator of a global access."""

    CA = 0  # L1 and L2
    CG = 1  # L2 only
    CS = 2  # streaming: as CA, but for a store, of which L1 keeps nothing


class Flag(IntEnum):
    """Bits of :attr:`Instr.flags`."""

    UNSIGNED = 1
    X = 2  # use carry-in
    FTZ = 4
    FLOAT = 8  # atomics on fp32
    SAT = 16
    EX = 32  # extended (second word of a 64-bit comparison)
    CONSTANT = 64  # LDG.CONSTANT (read-only path)
    SIGNED = 128
    NARROW = 256  # global address of 32 bits
    WRAP = 512
    PAND = 1024
    SHIFT = 2048
    BF16 = 4096
    RELU = 8192
    F32 = 16384
    HALF = 1 << 15  # atomics on fp16 (BF16: bf16) pairs
    TRANSPOSE = 1 << 16
    ARRIVE = 1 << 17  # BAR: do not wait
    UNPACK = 1 << 18  # F2FP: of two fp8 a pair of fp16; with SAT the other way round
    MERGE = 1 << 19  # F2FP: the upper half is one of c
    UNIFORM_TARGET = 1 << 20  # BRA.U: the predicate is uniform
    DIVERGED = 1 << 21  # BRA.DIV: all go there where not all lanes of mask a (without a: all) would take the branch
    CONVERGED = 1 << 22  # BRA.CONV: who would take it does, where all lanes of the mask would
    NAN = 1 << 23
    ONE = 1 << 24  # FSET, HSET2: 1.0 instead of all ones
    ON_ALU = 1 << 25
    ZFILL = 1 << 26
    CLEAR = 1 << 27
    EXCLUSIVE = 1 << 28  # WARPSYNC: lanes of one mask alone do what follows, those of another one after them
    OF_BLOCK = 1 << 30  # MEMBAR: for the threads of a block alone
    VECTOR = 1 << 29  # atomics on neighbouring fp32 or pairs of 16-bit floats, each word for itself


class Mma(IntEnum):
    """``sub`` of HMMA, IMMA, DMMA: shape M x N x K and types (PTX ISA, ``mma.sync``)."""

    F16_16816_F32 = 0  # fp16 inputs, fp32 accumulator
    F16_16816_F16 = 1
    F16_1688_F32 = 2
    F16_1688_F16 = 3
    BF16_16816_F32 = 4
    BF16_1688_F32 = 5
    TF32_1684_F32 = 6
    TF32_1688_F32 = 7
    S8_16816 = 8
    S8_16832 = 9
    U8_16816 = 10
    U8_16832 = 11
    F64_884 = 12
    S8_8816 = 13
    U8_8816 = 14
    F64_1684 = 15
    F64_1688 = 16
    F64_16816 = 17
