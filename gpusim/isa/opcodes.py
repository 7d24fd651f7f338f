"""The opcodes of the one warp-level instruction set: a row of the table says all that is static of one.

The set follows NVIDIA's machine code (SASS) closely, so that a disassembled
kernel translates one instruction to one, and the lowering of a description
produces what a compiler would have produced.

Source: NVIDIA, *CUDA Binary Utilities*, "Instruction Set Reference"
(Ampere/Ada and Hopper tables), for the names; semantics as stated beside each.
"""

from __future__ import annotations

from enum import IntEnum
from functools import partial

from gpusim.isa.opcode_info import CONSTANT, GENERIC, GLOBAL, LOCAL, SHARED, Form, OpInfo, Pipe, Says, Takes
from gpusim.isa.variants import (
    DIMENSIONS_AT,
    MULTICAST,
    TEXELS,
    UNIFORM_PREDICATES,
    Arrival,
    Atomic,
    Flag,
    Mma,
    Round,
    Scale,
    Space,
    Special,
    Wait,
)
from gpusim.isa.warpgroup import HALF_PRODUCTS, INTEGER_PRODUCTS, OCTET_PRODUCTS

WORD, BITS, REAL, HALVES, PAIR, DOUBLE, WIDE, WIDTH, COUNT, INTEGER, FLOAT = (
    Takes.WORD, Takes.BITS, Takes.REAL, Takes.HALVES, Takes.PAIR, Takes.DOUBLE, Takes.WIDE, Takes.WIDTH, Takes.COUNT,
    Takes.INTEGER, Takes.FLOAT,
)  # fmt: skip
SHORT, ADDRESS, LONG, CODE = Takes.SHORT_ADDRESS, Takes.ADDRESS, Takes.LONG_ADDRESS, Takes.CODE_ADDRESS
COMMAND = Takes.COMMAND
MATRICES = Takes.MATRIX_A, Takes.MATRIX_B, Takes.MATRIX_C

BARRIERS = range(16)  # convergence barriers of a warp
BANKS = range(32)  # constant banks
SCALES = range(5)  # of an address in shared or local memory, as a shift
PLACES = range(32)  # of a bit in a word
COUNTS = (1, 2, 4)  # of matrices
SPECIALS = frozenset(Special)
FETCHES = frozenset(channels | how for channels in range(1, 16) for how in (0, TEXELS))
REDUCTIONS = frozenset(Atomic) - {Atomic.EXCH, Atomic.CAS, Atomic.CAST, Atomic.POPC_INC, Atomic.ARRIVE}
SCALINGS = frozenset(scale | how << 4 for scale in (0, *Scale) for how in Round)
BOXES = frozenset(dimensions << DIMENSIONS_AT for dimensions in range(1, 6))
LOADED_BOXES = frozenset(box | several for box in BOXES for several in (0, MULTICAST))
REDUCED_BOXES = frozenset(box | operation for box in BOXES for operation in REDUCTIONS)
ARRIVALS = frozenset(
    how | drop | where for how in (1, 2, 4, 8, 12, 1 | 8) for drop in (0, Arrival.DROP) for where in (0, Arrival.REMOTE)
)
PREDICATES = (0, UNIFORM_PREDICATES)  # where a thread's and where a warp's begin
BYTES_OF_PREDICATES = frozenset(first | byte << 4 for first in PREDICATES for byte in range(4))
HALF_SHAPES = frozenset(shape for shape in Mma if shape.name.startswith(("F16", "BF16", "TF32")))
DOUBLE_SHAPES = frozenset(shape for shape in Mma if shape.name.startswith("F64"))
BYTE_SHAPES = frozenset(shape for shape in Mma if shape.name.startswith(("S8", "U8")))

_FTZ = {"FTZ": Flag.FTZ}
_REAL = {"FTZ": Flag.FTZ, "SAT": Flag.SAT}
_HALF = {"BF16_V2": Flag.BF16, "RELU": Flag.RELU, "SAT": Flag.SAT, "FTZ": Flag.FTZ}
_EXTREME = {"FTZ": Flag.FTZ, "NAN": Flag.NAN}

_control = partial(OpInfo, Pipe.CONTROL)
_meeting = partial(OpInfo, Pipe.CONTROL, says=Says.CONVERGENCE, subs=BARRIERS)
_alu = partial(OpInfo, Pipe.ALU)
_product = partial(OpInfo, Pipe.FMA, multiplies=True)
_real = partial(OpInfo, Pipe.FMA, result=REAL, routine="floating.arithmetic", says=Says.ROUNDING)
_special = partial(OpInfo, Pipe.XU, variable_latency=True)
_conversion = partial(
    OpInfo, Pipe.XU, routine="convert.convert", says=Says.CONVERSION, variable_latency=True,
)  # fmt: skip
_packed = partial(OpInfo, Pipe.FP16, routine="packed.packed")
_double = partial(
    OpInfo, Pipe.FP64, result=DOUBLE, routine="floating.doubles", says=Says.ROUNDING, variable_latency=True,
)  # fmt: skip
_product_of_matrices = partial(
    OpInfo, Pipe.TENSOR, MATRICES, Takes.MATRIX_C, routine="tensor.tensor", says=Says.SHAPE, across_lanes=True,
)  # fmt: skip
_product_of_warpgroup = partial(
    OpInfo, Pipe.TENSOR, (Takes.DESCRIPTORS, Takes.WARPGROUP_A, Takes.WARPGROUP_C), Takes.WARPGROUP_C,
    says=Says.PRODUCT, described=SHARED, across_lanes=True, always_runs=True, out_of_line=True,
)  # fmt: skip
_lsu = partial(OpInfo, Pipe.LSU)
_exchange = partial(OpInfo, Pipe.LSU, across_lanes=True, variable_latency=True)
_load = partial(OpInfo, Pipe.LSU, result=WIDTH, reads_memory=True, variable_latency=True)
_store = partial(OpInfo, Pipe.LSU, variable_latency=True)
_atomic = partial(
    OpInfo, Pipe.LSU, says=Says.ATOMIC, reads_memory=True, variable_latency=True, out_of_line=True,
)  # fmt: skip
_mbarrier = partial(OpInfo, Pipe.LSU, variable_latency=True, out_of_line=True, moves_lanes=True)
_cluster = partial(OpInfo, Pipe.LSU, out_of_line=True, always_runs=True, queued=False)
_mbarrier_store = partial(
    OpInfo, Pipe.LSU, (LONG, WIDTH), space=SHARED, stores_to=SHARED, variable_latency=True, out_of_line=True,
    moves_lanes=True,
)  # fmt: skip
_bulk = partial(OpInfo, Pipe.LSU, variable_latency=True, out_of_line=True, queued=False)
_reduction = partial(_bulk, says=Says.ATOMIC, reads_memory=True)


class Op(IntEnum):
    """The table.  Numbers are what the engine dispatches on (dense, stable within a version)."""

    info: OpInfo

    def __new__(cls, number: int, *info: OpInfo) -> Op:
        """One row: the number that the member is, and what is static of it."""
        op = int.__new__(cls, number)
        op._value_, (op.info,) = number, info
        return op

    # ------------------------------------------------------------------ control flow

    # `sub` 1: YIELD, lets lanes that wait at convergence barriers go on where this is a loop that spins
    NOP = 0, _control()
    # active lanes that pass the guard, and in which p0 holds, leave the kernel
    EXIT = 1, _control(ends=True)
    # active lanes that pass the guard and p0 go to `target`; `sub` 1 (ANY): all active lanes do where one of those does
    BRA = 2, _control((WORD,), is_branch=True, has_target=True, ends=True)
    # convergence barrier `sub` <- active lanes; reconvergence point `target`
    BSSY = 3, _meeting(has_target=True)
    # wait until all lanes of convergence barrier `sub` have arrived
    BSYNC = 4, _meeting()
    # barrier number `sub` bits 0-3 plus a (of a register: its bits 0-3); thread count b (none: the whole block; of a
    # register: its bits 16-27); ARRIVE flag: do not wait; `sub` bits 8-11 (BarRed): what B2R gives afterwards, of p0
    # over all threads
    BAR = 5, _control((WORD, WORD), says=Says.BARRIER)
    # lanes of mask a (without a: all), which may be different in each, wait for one another
    WARPSYNC = 6, _control((WORD,), out_of_line=True)

    # ------------------------------------------------------------------ moves and special registers

    # d = a
    MOV = 7, _alu((WIDE,), WIDE, "integer.mov")
    # d = special register `sub` (Special), through the load/store pipe
    S2R = 8, _lsu(result=WORD, says=Says.SPECIAL, subs=SPECIALS, variable_latency=True, always_runs=True)
    # d = p ? a : b
    SEL = 9, _alu((WIDE, WIDE), WIDE, "integer.sel")

    # ------------------------------------------------------------------ integers

    # d = a + b + c; X flag: negated sources are inverted instead, carries p0 and p1 come in; carries q0, q1 out.
    # `sub` (Piece), here and of minima and IABSDIFF: each piece of a word on its own; then IADD3 adds a and b alone
    IADD3 = 10, _alu((WIDE, WIDE, WIDE), WIDE, "integer.iadd3")
    # d = lo32(a * b) + c; X flag adds carry-in p0
    IMAD = 11, _product((WORD, WORD, WORD), WORD, "integer.imad")
    # d:d+1 = a * b + c:c+1 (signed unless UNSIGNED); X flag adds carry-in p0; carry-out q0
    IMAD_WIDE = 12, _product((WORD, WORD, PAIR), PAIR, "integer.imad_wide")
    # d = hi32(a * b + c:c+1) (signed unless UNSIGNED); carry-out q0
    IMAD_HI = 13, _product((WORD, WORD, PAIR), WORD, "integer.imad_hi")
    # d = (a << sub) + b; X flag: as IADD3; carry-out q0
    LEA = 14, _alu((WORD, WORD), WORD, "integer.lea", says=Says.NUMBER, subs=PLACES)
    # d = hi32((c:a) << sub) + b + carry-in p0 (X flag); SIGNED flag: c is a's sign; carry-out q0
    LEA_HI_X = 15, _alu(
        (WORD, WORD, WORD), WORD, "integer.lea_hi_x", says=Says.NUMBER, subs=PLACES, absent_false=True,
    )  # fmt: skip
    # d = funnel shift of c:a by b (`sub` = Shift); WRAP flag: b modulo 32 (64 for HI/LO of 64) else clamped
    SHF = 16, _alu((WORD, WORD, WORD), WORD, "bitwise.shf", says=Says.SHIFT)
    # d = lut(a, b, c), bitwise (`sub` = 8-bit truth table); q0 = (d != 0) or p0 (and, with PAND flag)
    LOP3 = 17, _alu((WORD, WORD, WORD), WORD, "bitwise.lop3", says=Says.NUMBER, absent_false=True)
    # d = p ? min(a, b) : max(a, b) (signed unless UNSIGNED); RELU flag: 0 where that is negative
    IMNMX = 18, _alu((WIDE, WIDE, WORD), WIDE, "integer.imnmx")
    # d = |a|
    IABS = 19, _alu((WORD,), WORD, "integer.iabs", Form(uniform=True))
    # d = number of bits set in a
    POPC = 20, _special((BITS,), WORD, "bitwise.popc", Form(uniform=True))
    # index of the highest set bit (SIGNED: that differs from the sign), -1 if none; SHIFT flag: 31 - index
    FLO = 21, _special((BITS,), WORD, "bitwise.flo")
    # d = bits of a in reverse
    BREV = 22, _special((BITS,), WORD, "bitwise.brev", Form(uniform=True))
    # byte permute of c:a by selector b (`sub` = Permute)
    PRMT = 23, _alu((WORD, WORD, WORD), WORD, "bitwise.prmt", Form(uniform=True), says=Says.PERMUTE)
    # q0 = (a cmp b) boolop p0; q1 = !(a cmp b) boolop p0; EX flag: p1 is the verdict on the lower words
    ISETP = 24, _alu((WIDE, WIDE), None, "setp.isetp", says=Says.COMPARISON)

    # ------------------------------------------------------------------ fp32

    # FTZ flag; FADD, FMUL, FFMA: rounding in `sub` bits 4-5, SAT flag clamps to [0, 1]; FMUL: Scale in bits 0-3
    FADD = 25, _real((REAL, REAL), form=Form(flags=_REAL, uniform=True))
    FMUL = 26, _real((REAL, REAL), form=Form(flags=_REAL, uniform=True), says=Says.SCALING, subs=SCALINGS)
    # d = fma(a, b, c)
    FFMA = 27, _real((REAL, REAL, REAL), form=Form(flags=_REAL, uniform=True))
    # d = p ? min(a, b) : max(a, b); the other one where one is NaN (NAN flag: NaN); `sub` Piece.THIRD: of a, b and c
    FMNMX = 28, _alu(
        (REAL, REAL, REAL), REAL, "floating.fmnmx", Form(flags=_EXTREME, sources=2, conditions=1, uniform=True),
    )  # fmt: skip
    # d = p ? a : b
    FSEL = 29, _alu((REAL, REAL), REAL, "floating.fsel", Form(flags=_FTZ, conditions=1, uniform=True))
    # as ISETP on floats; `sub` bit 3: true as well where an operand is NaN (LTU, GEU, NEU, ...)
    FSETP = 30, _alu(
        (REAL, REAL), None, "setp.fsetp", Form(flags=_FTZ, verdicts=2, conditions=1, uniform=True),
        says=Says.COMPARISON,
    )  # fmt: skip
    # d = approximate `sub` (Mufu) of a; HALF flag: on fp16 in the low half
    MUFU = 31, _special((REAL,), REAL, "transcendental.mufu", says=Says.FUNCTION)
    # d = a rounded to an integer
    FRND = 32, _special((FLOAT,), FLOAT, "convert.convert", says=Says.ROUNDED_TYPE)

    # ------------------------------------------------------------------ conversions (`sub` = Convert)

    # integers of 8 and 16 bits lie at the bottom of a, or where Operand.half says; ON_ALU flag: done by the ALU's pipe
    I2F = 33, _conversion((INTEGER,), FLOAT)
    # NaN gives 0; NAN flag: the sign bit alone
    F2I = 34, _conversion((FLOAT,), INTEGER)
    F2F = 35, _conversion((Takes.F2F_SOURCE,), Takes.F2F_RESULT)
    # pack two fp32 into one register as fp16/bf16: d = (hi=a, lo=b); RELU flag.  To fp8: (low half of c, a, b).
    # UNPACK flag: fp16 pair <- the two fp8 in the low half of a
    F2FP = 36, _alu((WORD, WORD, WORD), WORD, "convert.convert", says=Says.CONVERSION)

    # ------------------------------------------------------------------ fp16x2 / bf16x2

    # sources pick their halves (Operand.half); BF16, RELU, SAT, FTZ flags; HADD2 with F32 flag: d = a + b as fp32
    HADD2 = 37, _packed((HALVES, HALVES), HALVES, form=Form(flags={**_HALF, "F32": Flag.F32}))
    HMUL2 = 38, _packed((HALVES, HALVES), HALVES, form=Form(flags=_HALF))
    HFMA2 = 39, _packed((HALVES, HALVES, HALVES), HALVES, form=Form(flags=_HALF, ignored=("MMA",)))
    # p0 ? min : max; NAN flag as FMNMX; `sub` Piece.THIRD: of a, b and c
    HMNMX2 = 40, _packed(
        (HALVES, HALVES, HALVES), HALVES,
        form=Form(flags={**_EXTREME, "BF16_V2": Flag.BF16}, sources=2, conditions=1),
    )  # fmt: skip
    # q0 from the low halves, q1 from the high ones (`sub` as FSETP)
    HSETP2 = 41, _packed(
        (HALVES, HALVES), form=Form(flags={**_FTZ, "BF16_V2": Flag.BF16}, verdicts=2, conditions=1),
        says=Says.COMPARISON,
    )  # fmt: skip

    # ------------------------------------------------------------------ fp64

    # register pairs; an immediate is the upper word, the lower one is 0
    DADD = 42, _double((DOUBLE, DOUBLE), form=Form())
    DMUL = 43, _double((DOUBLE, DOUBLE), form=Form())
    DFMA = 44, _double((DOUBLE, DOUBLE, DOUBLE), form=Form())
    # as FSETP.  `sub` bit 6 (MIN) or 7 (MAX): q0 = min(a, b) or max(a, b) is a, where NaN loses to a number;
    # q1 = both are NaN
    DSETP = 45, _double((DOUBLE, DOUBLE), result=None, routine="setp.dsetp", says=Says.COMPARISON)

    # ------------------------------------------------------------------ predicates and warp-wide operations

    # q0 = lut(p0, p1, p2) (`sub` bits 0-7: truth table); q1 likewise (bits 8-15)
    PLOP3 = 46, _alu((), None, "bitwise.plop3", says=Says.NUMBER)
    # d = ballot(p0); q0 = all/any/eq (`sub` = Vote)
    VOTE = 47, _alu((), WORD, across_lanes=True)
    # d = a of lane picked by b, c (`sub` = Shfl); q0 = in range
    SHFL = 48, _exchange((WORD, WORD, WORD), WORD, says=Says.SHUFFLE, always_runs=True)
    # d = mask of lanes with the same a (width 8: a:a+1); `sub` 1 (ALL): mask if all agree, else 0; q0 = all agree
    MATCH = 49, _exchange((WIDTH,), WORD, out_of_line=True)
    # d = reduction of a over the active lanes (`sub` = Atomic; signed unless UNSIGNED)
    REDUX = 50, _alu((WORD,), WORD, variable_latency=True, out_of_line=True, across_lanes=True)

    # ------------------------------------------------------------------ memory

    # Address = a + c + offset.  Global: a is a 64-bit pair, or 32 bits zero-extended (NARROW flag), c an
    # optional 64-bit uniform base; elsewhere a is 32 bits shifted left by `sub`, c an optional uniform base.
    # SIGNED flag: loads of 1 and 2 bytes are sign-extended.  Value of a store in b.
    LDG = 51, _load((ADDRESS, WORD, LONG), space=GLOBAL)
    STG = 52, _store((ADDRESS, WIDTH, LONG), space=GLOBAL, stores_to=GLOBAL)
    LDS = 53, _load((SHORT, WORD, SHORT), space=SHARED, subs=SCALES)
    STS = 54, _store((SHORT, WIDTH, SHORT), space=SHARED, stores_to=SHARED, subs=SCALES)
    LDL = 55, _load((SHORT, WORD, SHORT), space=LOCAL, subs=SCALES, out_of_line=True)
    STL = 56, _store((SHORT, WIDTH, SHORT), space=LOCAL, stores_to=LOCAL, subs=SCALES, out_of_line=True)
    # constant bank `sub` at offset, plus a if it is a register
    LDC = 57, _load((SHORT, WORD, SHORT), space=CONSTANT, says=Says.BANK, subs=BANKS)
    # atomics: d = old value (RED: none), `sub` bits 0-3 = Atomic, value b (compare-and-swap: what is expected in b,
    # new value in c), width 4 or 8, type by UNSIGNED, FLOAT (of width 8: fp64), HALF (with BF16) flags; the
    # uniform base of the address is a fourth source, not c; the shift of ATOMS in `sub` bits 8-10
    ATOMG = 58, _atomic((ADDRESS, WIDTH, WIDTH, LONG), WIDTH, space=GLOBAL, stores_to=GLOBAL)
    ATOMS = 59, _atomic((SHORT, WIDTH, WIDTH, SHORT), WIDTH, space=SHARED, stores_to=SHARED)
    RED = 60, _atomic((ADDRESS, WIDTH, WIDTH, LONG), space=GLOBAL, stores_to=GLOBAL)
    # cp.async: shared[a + offset] <- global[b (pair) + c + target]; p0 false: zeros instead; cache as LDG.  ZFILL flag:
    # the global address is aligned, and the bits below its alignment say how many bytes at the end are zero instead
    LDGSTS = 61, _store(
        (SHORT, ADDRESS, LONG), space=GLOBAL, reads_memory=True, stores_to=SHARED, out_of_line=True,
    )  # fmt: skip
    # a group of LDGSTS ends
    LDGDEPBAR = 62, _lsu(out_of_line=True, always_runs=True, queued=False)
    # wait until at most `sub` groups of LDGSTS (a group ends at an LDGDEPBAR) are under way
    DEPBAR = 63, _control(out_of_line=True)
    # `sub` (1, 2, 4) 8x8 matrices of 16-bit elements, a row of 16 bytes at each lane's a + c; TRANSPOSE flag
    LDSM = 64, _exchange(
        (SHORT, WORD, SHORT), COUNT, space=SHARED, reads_memory=True, subs=COUNTS, out_of_line=True,
    )  # fmt: skip
    # fences and cache controls: order only, in `sub` wavefronts
    MEMBAR = 65, _lsu(queued=False, says=Says.NUMBER, always_runs=True)

    # ------------------------------------------------------------------ tensor cores

    # d = a b + c on the fragments PTX documents for mma.sync (`sub` = Mma).  HMMA: exact products and
    # c, cut to 25 bits below the largest one's first bit, are added up, and the sum cut to fp32 or rounded to fp16
    HMMA = 66, _product_of_matrices(subs=HALF_SHAPES)
    IMMA = 67, _product_of_matrices(subs=BYTE_SHAPES)

    # ------------------------------------------------------------------ control flow that needs a register

    # a holds a byte address in the program (16 an instruction), 64 bits wide: go to a + offset; lanes that disagree
    # go separately
    BRX = 68, _control((CODE,), out_of_line=True, is_branch=True, ends=True)
    # go to `target`, or to a + offset where there is a source
    CALL = 69, _control((CODE,), out_of_line=True, is_branch=True, has_target=True)
    # go to a + offset
    RET = 70, _control((CODE,), out_of_line=True, is_branch=True, ends=True)
    # active lanes that pass the guard and p0 no longer take part in convergence barrier `sub`
    BREAK = 71, _meeting(out_of_line=True)

    # ------------------------------------------------------------------ what fewer programs have

    # d (width 8: a pair) = special register `sub`, not through the load/store pipe
    CS2R = 72, _alu((), WIDTH, says=Says.SPECIAL, subs=SPECIALS, out_of_line=True)
    # uniform d = a of the first active lane that passes the guard; q0 = a differs from it, or (`sub` 1) p0
    R2UR = 73, _alu((WORD,), WORD, subs=(0, 1), variable_latency=True, out_of_line=True)
    # d = (P0..P6 as bits 0-6 & b) | (a & ~b); `sub` UNIFORM_PREDICATES: of UP0..UP6;
    # bits 4-5 of `sub`: the byte of a that both are about
    P2R = 74, _alu((WORD, WORD), WORD, subs=BYTES_OF_PREDICATES, out_of_line=True)
    # P0..P6 = bits 0-6 of a, those set in b; `sub` as P2R
    R2P = 75, _alu((WORD, WORD), subs=PREDICATES, out_of_line=True)
    # d = b ones from bit a on (WRAP flag: both modulo 32)
    BMSK = 76, _alu((WORD, WORD), WORD, "bitwise.bmsk", Form(flags={"W": Flag.WRAP}, uniform=True))
    # d = the low b bits of a, sign-extended (UNSIGNED: zero-extended)
    SGXT = 77, _alu(
        (WORD, WORD), WORD, "bitwise.sgxt", Form(flags={"W": Flag.WRAP, "U32": Flag.UNSIGNED}, uniform=True),
    )  # fmt: skip
    # d = dot product of 4 bytes of a and b, plus c (UNSIGNED: both are; `sub`: Dot)
    IDP = 78, _product((WORD, WORD, WORD), WORD, "integer.idp")
    # q0 = division a / b needs the slow path
    FCHK = 79, _alu((REAL, REAL), None, "setp.fchk", Form(ignored=("DIVIDE",), verdicts=1))
    # as FSETP, into d as 1.0 or 0.0 (ONE flag) or all ones
    FSET = 80, _alu(
        (REAL, REAL), WORD, "setp.fset", Form(flags={**_FTZ, "BF": Flag.ONE}, conditions=1, uniform=True),
        says=Says.COMPARISON,
    )  # fmt: skip
    # as HSETP2, into the halves of d
    HSET2 = 81, _packed(
        (HALVES, HALVES), HALVES, form=Form(flags={**_FTZ, "BF16_V2": Flag.BF16, "BF": Flag.ONE}, conditions=1),
        says=Says.COMPARISON,
    )  # fmt: skip
    # generic address: global, or shared in its window
    LD = 82, _load((ADDRESS, WORD, LONG), space=GENERIC, out_of_line=True)
    ST = 83, _store((ADDRESS, WIDTH, LONG), space=GENERIC, stores_to=GENERIC, out_of_line=True)
    # as LDSM, the matrices in b and after
    STSM = 84, _exchange((SHORT, COUNT, SHORT), space=SHARED, stores_to=SHARED, subs=COUNTS, out_of_line=True)
    # d = 8x8 matrix of 16-bit elements in a, transposed
    MOVM = 85, _alu((WORD,), WORD, out_of_line=True, across_lanes=True, always_runs=True)
    # as HMMA, on fp64
    DMMA = 86, _product_of_matrices(subs=DOUBLE_SHAPES)
    # d = result of the last BAR with a reduction; q0 = it is not 0
    B2R = 87, _alu((), WORD, out_of_line=True)
    # d = |a - b| + c
    IABSDIFF = 88, _alu(
        (WORD, WORD, WORD), WORD, "integer.iabsdiff", Form("VABSDIFF", flags={"U32": Flag.UNSIGNED, "S32": 0}),
    )  # fmt: skip
    # the kernel stops with an error
    TRAP = 89, _control(out_of_line=True, ends=True)
    # an instruction the engine does not know: an error when executed
    UNKNOWN = 90, _control(out_of_line=True)
    # as ATOMG, at a generic address; q0 = done (HALF: false outside of global memory, where nothing is done)
    ATOM = 91, _atomic((ADDRESS, WIDTH, WIDTH, LONG), WIDTH, space=GENERIC, stores_to=GENERIC)
    # line of global address a + offset into L2, with Cache.CA into L1 as well
    PREFETCH = 92, _lsu((ADDRESS, WORD, LONG), space=GLOBAL, out_of_line=True)
    # q0 = generic address a + offset (NARROW flag, c as in memory) lies in space `sub` (Space)
    QSPC = 93, _lsu(
        (ADDRESS, WORD, LONG), WORD, space=GENERIC, subs=frozenset(Space), variable_latency=True, out_of_line=True,
        queued=False,
    )  # fmt: skip
    # d = lanes of convergence barrier `sub` (CLEAR flag: and none are left in it); without d: they become a
    BMOV = 94, _alu(
        (WORD,), WORD, says=Says.CONVERGENCE, subs=BARRIERS, out_of_line=True, moves_lanes=True,
    )  # fmt: skip
    # d = p ? min(a + b, c) : max(a + b, c) (signed unless UNSIGNED); RELU flag as IMNMX
    IADDMNMX = 95, _alu((WORD, WORD, WORD), WORD, "integer.iaddmnmx")
    # d = a clamped to `sub` (Convert: S8, U8, S16, U16); UNSIGNED flag: a is unsigned
    I2I = 96, _alu((WORD,), WORD, "convert.convert", says=Says.CONVERSION)
    # d = (low half of c, a, b), a and b converted to bytes as by F2I
    F2IP = 97, _alu((REAL, REAL, WORD), WORD, "convert.convert", says=Says.CONVERSION)
    # stands after the last instruction where that does not end a program: an error when executed
    END = 98, _control()

    # ------------------------------------------------------------------ warpgroups (`sub`: gpusim.isa.warpgroup)

    # d = a b + c (where p0 is false a b), a in b or at the first of two descriptors a, b at the last; the tensor core
    # works while the warp goes on.  HGMMA: sums as of HMMA; QGMMA: likewise, of fewer bits; IGMMA: as IMMA
    HGMMA = 99, _product_of_warpgroup(tile="warpgroup.hgmma", subs=HALF_PRODUCTS)
    QGMMA = 100, _product_of_warpgroup(tile="warpgroup.qgmma", subs=OCTET_PRODUCTS)
    IGMMA = 101, _product_of_warpgroup(tile="warpgroup.igmma", subs=INTEGER_PRODUCTS)
    # wait until at most `sub` groups of these are under way
    WARPGROUP_DEPBAR = 102, _control(out_of_line=True, says=Says.NUMBER)
    # each thread of the warp has `sub` registers from now on.  CLEAR flag: those beyond go back to the block; else more
    # are taken of what has gone back, q0 = they were there
    USETMAXREG = 103, _alu(says=Says.NUMBER, subs=range(257), always_runs=True, out_of_line=True)
    # d = the first of the active lanes in which p0 holds, q0 = this is that lane
    ELECT = 104, _alu((), WORD, out_of_line=True, across_lanes=True)
    # the warp waits for the other three of its warpgroup: their products begin together
    WARPGROUP_ARRIVE = 105, _control(out_of_line=True)

    # ------------------------------------------------------------------ mbarriers, bulk copies, tensor maps

    # An mbarrier is 8 bytes of shared memory at a + c + offset (gpusim.engine.core.mbarriers).
    # d = what lies there, which becomes b
    SYNCS_EXCH = 106, _mbarrier((SHORT, PAIR, SHORT), PAIR)
    # each lane arrives, or says how many bytes are expected or have come (`sub` = Arrival); d = what it was before
    SYNCS_ARRIVE = 107, _mbarrier((SHORT, WORD, SHORT), PAIR, says=Says.ARRIVAL, subs=ARRIVALS)
    # q0 = the phase whose parity is bit 31 of b is complete (`sub` = Wait)
    SYNCS_PHASECHK = 108, _mbarrier((SHORT, WORD, SHORT), subs=frozenset(Wait))
    # it is an mbarrier no more
    SYNCS_CCTL = 109, _mbarrier((SHORT, WORD, SHORT))
    # each lane does what `sub` says (Arrival: ONE, PLAIN, or one byte has come) once its warp's LDGSTS so far are done
    ARRIVES = 110, _mbarrier((SHORT, WORD, SHORT), says=Says.ARRIVAL, subs=(Arrival.NONE, Arrival.ONE, Arrival.PLAIN))
    # a warp's bulk copies.  Source a names shared memory where it is a COMMAND: a place there, then an mbarrier that
    # hears of the bytes where they go there.  16 bytes times the low half of the last source; S_G: shared <- global,
    # `sub` 1 (MULTICAST): of each block of the cluster whose bit is set in the upper half of the last source
    UBLKCP_S_G = 111, _bulk(
        (COMMAND, ADDRESS, SHORT), space=GLOBAL, reads_memory=True, stores_to=SHARED, subs=(0, MULTICAST),
    )  # fmt: skip
    UBLKCP_G_S = 112, _bulk((ADDRESS, SHORT, SHORT), space=GLOBAL, stores_to=GLOBAL, copies_from=SHARED)
    UBLKCP_S_S = 113, _bulk((COMMAND, SHORT, SHORT), space=SHARED, reads_memory=True, stores_to=SHARED)
    # the same, of elements that are put to those which are there: `sub`, width and flags as of RED
    UBLKRED_G_S = 114, _reduction(
        (ADDRESS, SHORT, SHORT), space=GLOBAL, stores_to=GLOBAL, copies_from=SHARED, subs=REDUCTIONS,
    )  # fmt: skip
    UBLKRED_S_S = 115, _reduction((COMMAND, SHORT, SHORT), space=SHARED, stores_to=SHARED, subs=REDUCTIONS)
    UBLKPF = 116, _bulk((ADDRESS, SHORT), space=GLOBAL)
    # boxes of the tensor whose map lies at b (gpusim.engine.load_store.tensor_maps): its coordinates are the last of
    # the registers in a, bits 4-6 of `sub` say how many; before them of a load a place and an mbarrier, else a place;
    # c: as the last of UBLKCP_S_G where `sub` says MULTICAST
    UTMALDG = 117, _bulk(
        (COMMAND, ADDRESS, SHORT), space=GLOBAL, reads_memory=True, stores_to=SHARED, subs=LOADED_BOXES,
    )  # fmt: skip
    UTMASTG = 118, _bulk((COMMAND, ADDRESS), space=GLOBAL, stores_to=GLOBAL, copies_from=SHARED, subs=BOXES)
    UTMAREDG = 119, _reduction(
        (COMMAND, ADDRESS), space=GLOBAL, stores_to=GLOBAL, copies_from=SHARED, subs=REDUCED_BOXES,
    )  # fmt: skip
    UTMAPF = 120, _bulk((COMMAND, ADDRESS), space=GLOBAL, subs=BOXES)
    # a group of bulk copies from shared memory ends
    UTMACMDFLUSH = 121, _lsu(out_of_line=True, always_runs=True, queued=False)

    # ------------------------------------------------------------------ clusters

    # Addresses of shared memory have the place of a block in its cluster in their upper 8 bits.
    # the warp arrives at the barrier of its cluster; waits until all warps of the cluster have
    CLUSTER_ARRIVE = 122, _cluster(moves_lanes=True)
    CLUSTER_WAIT = 123, _cluster(moves_lanes=True)
    # what was written before is seen by the other blocks of the cluster
    CLUSTER_FENCE = 124, _cluster()
    # each lane stores b at the first register of a, or puts it to what is there (`sub` as of RED); the mbarrier at the
    # second, of the same block, hears of the bytes
    STAS = 125, _mbarrier_store()
    REDAS = 126, _mbarrier_store(says=Says.ATOMIC, reads_memory=True, subs=REDUCTIONS)

    # ------------------------------------------------------------------ calls of functions of CUDA's own

    # Each stands for a call, with all that the function does (gpusim.engine.core.system_calls).
    # d = arguments printed: those from local address a on, whose generic address has upper word c, by the format at b
    VPRINTF = 127, _lsu(
        (SHORT, PAIR, WORD), WORD, space=LOCAL, reads_memory=True, out_of_line=True, always_runs=True, queued=False,
    )  # fmt: skip
    # an assertion whose text is at a does not hold, in file b, line c, function d
    ASSERTFAIL = 128, _control((PAIR, PAIR, WORD, PAIR), out_of_line=True, ends=True)
    # d = address of a bytes of the device's heap, 0 where it has no room for them
    MALLOC = 129, _control((PAIR,), PAIR, out_of_line=True)
    # what MALLOC gave at a goes back
    FREE = 130, _control((PAIR,), out_of_line=True)

    # ------------------------------------------------------------------ textures

    # d, and from the third on in d (the fourth source): channels (`sub` bits 0-3) of the texture of handle a at (b, c);
    # TEXELS in `sub`: these are integers
    TEX = 131, _load(
        (ADDRESS, SHORT, SHORT, WORD), space=GLOBAL, result=Takes.CHANNELS, subs=FETCHES, out_of_line=True,
    )  # fmt: skip


COPIES = range(Op.UBLKCP_S_G, Op.UTMAPF + 1)
"""Copies that go on beside the warps."""
SYSTEM_CALLS = range(Op.VPRINTF, Op.FREE + 1)
"""Calls of functions of CUDA's own."""
HEAP_CALLS = (Op.MALLOC, Op.FREE)
