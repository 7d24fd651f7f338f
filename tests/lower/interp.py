"""A small, slow, clear interpreter of Programs: an oracle for the lowering and for the numba engine.

One block at a time; every thread has its own program counter, and a *path*: lanes of a warp that run together.
A branch that only some of them take splits the path; only BSYNC joins paths again, so code that relies on lanes
meeting without a convergence barrier shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product

import ml_dtypes
import numpy as np

from gpusim.isa.instruction import PT, RZ, Half, Instr, Kind, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Atomic, Cmp, Convert, Flag, Mufu, Shfl, Shift, Special
from tests.lower import interp_matrices

BASE = 1 << 40
RUNNING, AT_SYNC, AT_BARRIER, GONE = 0, 1, 2, 3
MASK = np.uint64(0xFFFFFFFF)


class Failure(AssertionError):
    """The program did something no correct program does."""


@dataclass
class Memory:
    """Global buffers in one byte array, each on 512 bytes with a gap after it."""

    data: np.ndarray
    address: dict[str, int]
    size: dict[str, int]

    @classmethod
    def of(cls, buffers: Mapping[str, np.ndarray]) -> Memory:
        total, address, size = 0, {}, {}
        for name, buffer in buffers.items():
            address[name], size[name] = BASE + total, buffer.nbytes
            total += (buffer.nbytes // 512 + 2) * 512
        memory = cls(np.zeros(total, np.uint8), address, size)
        for name, buffer in buffers.items():
            memory.view(name)[:] = np.frombuffer(buffer.tobytes(), np.uint8)
        return memory

    def view(self, name: str) -> np.ndarray:
        first = self.address[name] - BASE
        return self.data[first : first + self.size[name]]


@dataclass
class Counts:
    """Warp instructions executed, by opcode, and in all."""

    by_op: dict[Op, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.by_op.values())


def run(
    program: Program,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    buffers: Mapping[str, np.ndarray],
    scalars: Mapping[str, float],
) -> tuple[dict[str, np.ndarray], Counts]:
    """Run a launch.

    Parameters
    ----------
    program : Program
    grid, block : tuple of 3 ints
    buffers : mapping of str to ndarray
        Initial contents, by parameter.
    scalars : mapping of str to number
        Sizes and scalar arguments.

    Returns
    -------
    dict of str to ndarray
        Final contents.
    Counts
        Of warp instructions.
    """
    memory = Memory.of(buffers)
    bank = _bank(program, grid, block, memory, scalars)
    counts = Counts()
    for z, y, x in product(*(range(n) for n in grid[::-1])):
        Block(program, (x, y, z), block, bank, memory, counts).run()
    results = {n: memory.view(n).copy().view(b.dtype).reshape(b.shape) for n, b in buffers.items()}
    return results, counts


def _bank(
    program: Program, grid: tuple[int, ...], block: tuple[int, ...], memory: Memory, scalars: Mapping[str, float]
) -> np.ndarray:
    """Constant bank 0."""
    bank = np.zeros(0x1000, np.uint8)
    bank[:24] = np.array([*block, *grid], np.uint32).view(np.uint8)
    kinds = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}
    for param in program.params:
        if param.kind == "buffer":
            value = np.array([memory.address[param.name]], np.uint64)
        else:
            value = np.array([scalars[param.name]], kinds[param.kind])
        bank[param.offset : param.offset + value.nbytes] = value.view(np.uint8)
    return bank


class Block:
    """The threads of one block."""

    def __init__(
        self,
        program: Program,
        xyz: tuple[int, int, int],
        shape: tuple[int, int, int],
        bank: np.ndarray,
        memory: Memory,
        counts: Counts,
    ) -> None:
        self.program, self.xyz, self.shape = program, xyz, shape
        self.bank, self.memory, self.counts = bank, memory, counts
        n = int(np.prod(shape))
        self.n = n
        self.tid = np.arange(n)
        self.warp = self.tid // 32
        self.r = np.full((256, n), 0xDEADBEEF, np.uint32)  # garbage, so that reading the unset shows
        self.r[RZ] = 0
        self.p = np.zeros((8, n), bool)
        self.p[PT] = True
        self.pc = np.zeros(n, np.int64)
        self.path = np.zeros(n, np.int64)
        self.paths = 0
        self.state = np.full(n, RUNNING)
        self.meeting = np.zeros((16, n), bool)  # lanes that convergence barrier k waits for
        self.waits = np.full(n, -1)
        self.shared = np.zeros(program.shared_bytes + 16, np.uint8)

    def run(self, limit: int = 10_000_000) -> None:
        for _ in range(limit):
            ready = self.state == RUNNING
            if not ready.any():
                if (self.state == GONE).all():
                    return
                self._release()
                continue
            self._step(ready)
        raise Failure("does not end")

    def _step(self, ready: np.ndarray) -> None:
        """One instruction, the one furthest behind, for one path of each warp that is there."""
        pc = self.pc[ready].min()
        at = ready & (self.pc == pc)
        lowest = np.full(self.warp[-1] + 1, np.iinfo(np.int64).max)
        np.minimum.at(lowest, self.warp[at], self.path[at])
        active = at & (self.path == lowest[self.warp])
        instr = self.program.instrs[pc]
        warps = len(np.unique(self.warp[active]))
        self.counts.by_op[instr.op] = self.counts.by_op.get(instr.op, 0) + warps
        mask = active & self._pred(instr.guard)
        if instr.op in FLOW:
            self._flow(instr, active, mask)
            return
        self.pc[active] += 1
        if mask.any():
            handler = HANDLERS.get(instr.op)
            if handler is None:
                raise Failure(f"no interpretation of {instr.op.name}")
            handler(self, instr, mask)

    def _flow(self, i: Instr, active: np.ndarray, mask: np.ndarray) -> None:
        if i.op is Op.EXIT:
            self.state[mask] = GONE
            self.pc[active] += 1
        elif i.op is Op.BRA:
            self.pc[active] += 1
            self.pc[mask] = i.target
            for warp in np.unique(self.warp[active]):
                lanes = active & (self.warp == warp)
                if 0 < (mask & lanes).sum() < lanes.sum():
                    self.paths += 1
                    self.path[mask & lanes] = self.paths
        elif i.op is Op.BSSY:
            self.pc[active] += 1
            lanes = np.isin(self.warp, np.unique(self.warp[active]))
            self.meeting[i.sub] = np.where(lanes, active, self.meeting[i.sub])
        elif i.op is Op.BSYNC:
            self.state[active], self.waits[active] = AT_SYNC, i.sub
            self._meet()
        elif i.op is Op.BAR:
            self.state[active] = AT_BARRIER

    def _meet(self) -> None:
        """Let go of warps all of whose lanes have arrived at their convergence barrier."""
        for number in np.unique(self.waits[self.state == AT_SYNC]):
            here = (self.state == AT_SYNC) & (self.waits == number)
            missing = self.meeting[number] & ~here & (self.state != GONE)
            open_ = here & ~np.isin(self.warp, np.unique(self.warp[missing]))
            self.state[open_] = RUNNING
            self.pc[open_] += 1
            for warp in np.unique(self.warp[open_]):
                self.paths += 1
                self.path[open_ & (self.warp == warp)] = self.paths

    def _release(self) -> None:
        """Nobody can run: everybody must be at the barrier."""
        self._meet()
        if (self.state == RUNNING).any():
            return
        alive = self.state != GONE
        if not (self.state[alive] == AT_BARRIER).all():
            raise Failure("deadlock: some lanes wait at BSYNC, others at BAR")
        if len(np.unique(self.pc[alive])) != 1:
            raise Failure("threads wait at different barriers")
        self.state[alive] = RUNNING
        self.pc[alive] += 1

    # ---------------------------------------------------------- operands

    def _pred(self, o: Operand) -> np.ndarray:
        return self.p[o.index] ^ o.neg

    def psrc(self, i: Instr, which: int) -> np.ndarray:
        return self._pred(i.psrcs[which]) if which < len(i.psrcs) else np.ones(self.n, bool)

    def raw(self, o: Operand) -> np.ndarray:
        """32 bits of a source, modifiers aside."""
        if o.kind is Kind.REG:
            return self.r[o.index]
        word = o.index if o.kind is Kind.IMM else int(self.bank[o.index : o.index + 4].view(np.uint32)[0])
        return np.full(self.n, word, np.uint32)

    def u(self, i: Instr, which: int) -> np.ndarray:
        """An integer source."""
        if which >= len(i.srcs):
            return np.zeros(self.n, np.uint32)
        value = self.raw(i.srcs[which])
        return (0 - value).astype(np.uint32) if i.srcs[which].neg else value

    def s(self, i: Instr, which: int) -> np.ndarray:
        return self.u(i, which).view(np.int32)

    def f(self, i: Instr, which: int) -> np.ndarray:
        o = i.srcs[which]
        value = self.raw(o).view(np.float32)
        value = np.abs(value) if o.abs else value
        return -value if o.neg else value

    def wide(self, i: Instr, which: int) -> np.ndarray:
        o = i.srcs[which]
        if o.index == RZ:
            return np.zeros(self.n, np.uint64)
        return self.r[o.index].astype(np.uint64) | (self.r[o.index + 1].astype(np.uint64) << np.uint64(32))

    def put(self, i: Instr, mask: np.ndarray, value: np.ndarray, word: int = 0) -> None:
        if i.dst is not None and i.dst.index != RZ:
            bits = value.view(np.uint32) if value.dtype in (np.int32, np.float32) else value
            self.r[i.dst.index + word][mask] = (bits.astype(np.uint64) & MASK).astype(np.uint32)[mask]

    def put_pred(self, i: Instr, mask: np.ndarray, value: np.ndarray, which: int = 0) -> None:
        if which < len(i.pdsts) and i.pdsts[which].index != PT:
            self.p[i.pdsts[which].index][mask] = value[mask]


# ------------------------------------------------------------------ integers


def _iadd3(b: Block, i: Instr, m: np.ndarray) -> None:
    total = sum(b.u(i, k).astype(np.uint64) for k in range(3))
    if i.flags & Flag.X:
        total = total + b.psrc(i, 0).astype(np.uint64)
    b.put(i, m, total & MASK)
    b.put_pred(i, m, (total >> np.uint64(32)) != 0)


def _imad_wide(b: Block, i: Instr, m: np.ndarray) -> None:
    read = b.u if i.flags & Flag.UNSIGNED else b.s
    value = (read(i, 0).astype(np.int64) * read(i, 1).astype(np.int64)).view(np.uint64) + b.wide(i, 2)
    b.put(i, m, value & MASK)
    b.put(i, m, value >> np.uint64(32), 1)


def _imad_hi(b: Block, i: Instr, m: np.ndarray) -> None:
    """With nothing added: all that the lowering makes use of."""
    assert i.srcs[2].index == RZ
    if i.flags & Flag.UNSIGNED:
        high = (b.u(i, 0).astype(np.uint64) * b.u(i, 1).astype(np.uint64)) >> np.uint64(32)
    else:
        high = ((b.s(i, 0).astype(np.int64) * b.s(i, 1).astype(np.int64)) >> 32).view(np.uint64)
    b.put(i, m, high)


def _shf(b: Block, i: Instr, m: np.ndarray) -> None:
    n = np.minimum(b.u(i, 1), 63).astype(np.uint64)
    a = b.u(i, 0).astype(np.uint64)
    if i.sub == Shift.L:
        b.put(i, m, a << n)
    elif i.sub == Shift.R_U32:
        b.put(i, m, a >> n)
    elif i.sub == Shift.R_S32:
        b.put(i, m, (b.s(i, 0).astype(np.int64) >> np.minimum(n, 31).astype(np.int64)).view(np.uint64))
    else:
        raise Failure(f"shift {i.sub}")


def lut(table: int, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Bitwise function of three operands."""
    total = np.zeros_like(a)
    for k in range(8):
        if table >> k & 1:
            total = total | ((a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c))
    return total


def _imnmx(b: Block, i: Instr, m: np.ndarray) -> None:
    read = b.u if i.flags & Flag.UNSIGNED else b.s
    x, y = read(i, 0), read(i, 1)
    b.put(i, m, np.where(b.psrc(i, 0), np.minimum(x, y), np.maximum(x, y)))


COMPARE = {
    Cmp.LT: np.less, Cmp.LE: np.less_equal, Cmp.GT: np.greater, Cmp.GE: np.greater_equal, Cmp.EQ: np.equal,
    Cmp.NE: np.not_equal,
}  # fmt: skip


def _setp(b: Block, i: Instr, m: np.ndarray) -> None:
    read = b.f if i.op is Op.FSETP else b.u if i.flags & Flag.UNSIGNED else b.s
    value = COMPARE[Cmp(i.sub & 7)](read(i, 0), read(i, 1))
    combine = (np.logical_and, np.logical_or, np.logical_xor)[i.sub >> 4]
    other = b.psrc(i, 0).copy()
    b.put_pred(i, m, combine(value, other))
    b.put_pred(i, m, combine(~value, other), 1)


# ------------------------------------------------------------------ floats


def _ffma(b: Block, i: Instr, m: np.ndarray) -> None:
    x, y, z = (b.f(i, k).astype(np.float64) for k in range(3))
    b.put(i, m, (x * y + z).astype(np.float32))


def _fmnmx(b: Block, i: Instr, m: np.ndarray) -> None:
    x, y = b.f(i, 0), b.f(i, 1)
    b.put(i, m, np.where(b.psrc(i, 0), np.fmin(x, y), np.fmax(x, y)))


SPECIALS = {
    Mufu.RCP: lambda x: 1 / x, Mufu.RSQ: lambda x: 1 / np.sqrt(x), Mufu.SQRT: np.sqrt, Mufu.EX2: np.exp2,
    Mufu.LG2: np.log2, Mufu.SIN: lambda x: np.sin(2 * np.pi * x), Mufu.COS: lambda x: np.cos(2 * np.pi * x),
    Mufu.TANH: np.tanh,
}  # fmt: skip


def _i2f(b: Block, i: Instr, m: np.ndarray) -> None:
    value = (b.s(i, 0) if i.sub & 15 == Convert.S32 else b.u(i, 0)).astype(np.float64)
    result = value.astype(np.float32)
    if i.sub >> 4 == 2:
        result = np.where(result < value, np.nextafter(result, np.float32(np.inf)), result)
    b.put(i, m, result)


def _f2i(b: Block, i: Instr, m: np.ndarray) -> None:
    low, high = (-(2.0**31), 2.0**31 - 1) if i.sub & 15 == Convert.S32 else (0.0, 2.0**32 - 1)
    value = np.nan_to_num(b.f(i, 0).astype(np.float64), nan=0.0, posinf=high, neginf=low)
    b.put(i, m, np.clip(np.trunc(value), low, high).astype(np.int64).view(np.uint64))


EIGHT = {Convert.E4M3: ml_dtypes.float8_e4m3fn, Convert.E5M2: ml_dtypes.float8_e5m2}


def to_octet(x: np.ndarray, kind: Convert) -> np.ndarray:
    """Bits of fp32 rounded to fp8; what is too large becomes the largest number."""
    most = float(ml_dtypes.finfo(EIGHT[kind]).max)
    return np.clip(x, -most, most).astype(EIGHT[kind]).view(np.uint8).astype(np.uint32)


def to_half(x: np.ndarray, bf16: bool) -> np.ndarray:
    """Bits of fp32 rounded to half precision."""
    if not bf16:
        return x.astype(np.float16).view(np.uint16).astype(np.uint32)
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)).astype(np.uint32)


def _hadd2(b: Block, i: Instr, m: np.ndarray) -> None:
    """``HADD2.F32 d, -RZ, b.Hn_Hn``: the only form that lowering makes, an fp16 number as fp32."""
    nothing, number = i.srcs
    assert (i.flags, nothing.index, nothing.neg) == (Flag.F32, RZ, True)
    bits = b.u(i, 1) >> np.uint32({Half.LOW: 0, Half.HIGH: 16}[Half(number.half)])
    b.put(i, m, bits.astype(np.uint16).view(np.float16).astype(np.float32))


def _f2fp(b: Block, i: Instr, m: np.ndarray) -> None:
    if i.flags & Flag.UNPACK:
        bits = b.u(i, 0) >> np.uint32({Half.BOTH: 0, Half.HIGH: 16}[Half(i.srcs[0].half)])
        octets = bits.astype(np.uint16).view(np.uint8).view(EIGHT[Convert(i.sub)])
        b.put(i, m, octets.astype(np.float16).view(np.uint32))
    elif i.sub in EIGHT:
        assert i.flags == Flag.SAT
        high, low = (to_octet(b.f(i, k), Convert(i.sub)) for k in (0, 1))
        b.put(i, m, (b.u(i, 2) << np.uint32(16)) | (high << np.uint32(8)) | low)
    else:
        high, low = (to_half(b.f(i, k), i.sub == Convert.BF16) for k in (0, 1))
        b.put(i, m, (high << np.uint32(16)) | low)


# ------------------------------------------------------------------ lanes, memory


def _s2r(b: Block, i: Instr, m: np.ndarray) -> None:
    x, y, _ = b.shape
    values = {
        Special.TID_X: b.tid % x, Special.TID_Y: b.tid // x % y, Special.TID_Z: b.tid // (x * y),
        Special.CTAID_X: b.xyz[0], Special.CTAID_Y: b.xyz[1], Special.CTAID_Z: b.xyz[2],
        Special.LANEID: b.tid % 32, Special.WARPID: b.tid // 32, Special.SMID: 0,
    }  # fmt: skip
    b.put(i, m, np.broadcast_to(values[Special(i.sub)], b.n).astype(np.uint32))


def _shfl(b: Block, i: Instr, m: np.ndarray) -> None:
    lane, by = b.tid % 32, b.u(i, 1).astype(np.int64)
    source = {Shfl.IDX: by & 31, Shfl.UP: lane - by, Shfl.DOWN: lane + by, Shfl.BFLY: lane ^ by}[Shfl(i.sub)]
    source = np.where((source < 0) | (source > 31), lane, source)
    b.put(i, m, b.u(i, 0)[np.minimum(b.tid - lane + source, b.n - 1)])


def _address(b: Block, i: Instr, m: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The byte array and each active lane's place in it, checked."""
    info = b.program.arrays[i.array]
    if info.space == "shared":
        place = b.s(i, 0).astype(np.int64)[m] + i.offset
        data, first, size = b.shared, info.offset, info.nbytes
    else:
        place = b.wide(i, 0).astype(np.int64)[m] + i.offset - BASE
        data, first, size = b.memory.data, b.memory.address[info.name] - BASE, b.memory.size[info.name]
    if ((place < first) | (place + width > first + size)).any():
        reach = f"{place.min() - first} .. {place.max() + width - first} of {size}"
        raise Failure(f"{info.name} (line {i.line}): outside, bytes {reach}")
    if (place % width).any():
        raise Failure(f"{info.name} (line {i.line}): misaligned {width}-byte access")
    return data, place


def _load(b: Block, i: Instr, m: np.ndarray) -> None:
    data, place = _address(b, i, m, i.width)
    for word in range(max(i.width // 4, 1)):
        nbytes = min(i.width, 4)
        value = np.zeros(b.n, np.uint32)
        value[m] = sum(data[place + 4 * word + k].astype(np.uint32) << np.uint32(8 * k) for k in range(nbytes))
        b.put(i, m, value, word)


def _store(b: Block, i: Instr, m: np.ndarray) -> None:
    data, place = _address(b, i, m, i.width)
    for word in range(max(i.width // 4, 1)):
        index = i.srcs[1].index
        value = b.r[RZ if index == RZ else index + word][m] if i.srcs[1].kind is Kind.REG else b.u(i, 1)[m]
        for k in range(min(i.width, 4)):
            data[place + 4 * word + k] = (value >> np.uint32(8 * k)).astype(np.uint8)


def _atomic(b: Block, i: Instr, m: np.ndarray) -> None:
    data, place = _address(b, i, m, i.width)
    kind = np.float32 if i.flags & Flag.FLOAT else np.uint32 if i.flags & Flag.UNSIGNED else np.int32
    combine = {Atomic.ADD: np.add, Atomic.MIN: np.minimum, Atomic.MAX: np.maximum}[Atomic(i.sub)]
    for lane, where in zip(np.flatnonzero(m), place, strict=True):
        old = data[where : where + 4].view(kind)[0]
        one = np.zeros(b.n, np.uint32)
        one[lane] = np.array([old]).view(np.uint32)[0]
        new = combine(old, b.u(i, 1)[lane : lane + 1].view(kind)[0])
        data[where : where + 4] = np.array([new], kind).view(np.uint8)
        b.put(i, np.arange(b.n) == lane, one)


def _ldc(b: Block, i: Instr, m: np.ndarray) -> None:
    for word in range(i.width // 4):
        first = i.offset + 4 * word
        b.put(i, m, np.full(b.n, b.bank[first : first + 4].view(np.uint32)[0], np.uint32), word)


FLOW = (Op.EXIT, Op.BRA, Op.BSSY, Op.BSYNC, Op.BAR)
HANDLERS: dict[Op, Callable[[Block, Instr, np.ndarray], None]] = {
    Op.NOP: lambda b, i, m: None,
    Op.MOV: lambda b, i, m: b.put(i, m, b.u(i, 0)),
    Op.SEL: lambda b, i, m: b.put(i, m, np.where(b.psrc(i, 0), b.u(i, 0), b.u(i, 1))),
    Op.FSEL: lambda b, i, m: b.put(i, m, np.where(b.psrc(i, 0), b.f(i, 0), b.f(i, 1))),
    Op.S2R: _s2r,
    Op.IADD3: _iadd3,
    Op.IMAD: lambda b, i, m: b.put(i, m, b.u(i, 0) * b.u(i, 1) + b.u(i, 2)),
    Op.IMAD_WIDE: _imad_wide,
    Op.IMAD_HI: _imad_hi,
    Op.LEA: lambda b, i, m: b.put(i, m, (b.u(i, 0) << np.uint32(i.sub)) + b.u(i, 1)),
    Op.SHF: _shf,
    Op.LOP3: lambda b, i, m: b.put(i, m, lut(i.sub, b.u(i, 0), b.u(i, 1), b.u(i, 2))),
    Op.IMNMX: _imnmx,
    Op.IABS: lambda b, i, m: b.put(i, m, np.abs(b.s(i, 0))),
    Op.ISETP: _setp,
    Op.FSETP: _setp,
    Op.PLOP3: lambda b, i, m: b.put_pred(i, m, lut(i.sub, b.psrc(i, 0), b.psrc(i, 1), b.psrc(i, 2))),
    Op.FADD: lambda b, i, m: b.put(i, m, b.f(i, 0) + b.f(i, 1)),
    Op.FMUL: lambda b, i, m: b.put(i, m, b.f(i, 0) * b.f(i, 1)),
    Op.FFMA: _ffma,
    Op.FMNMX: _fmnmx,
    Op.MUFU: lambda b, i, m: b.put(i, m, SPECIALS[Mufu(i.sub)](b.f(i, 0).astype(np.float64)).astype(np.float32)),
    Op.I2F: _i2f,
    Op.F2I: _f2i,
    Op.HADD2: _hadd2,
    Op.F2FP: _f2fp,
    Op.SHFL: _shfl,
    Op.LDG: _load,
    Op.LDS: _load,
    Op.STG: _store,
    Op.STS: _store,
    Op.ATOMG: _atomic,
    Op.ATOMS: _atomic,
    Op.RED: _atomic,
    Op.LDC: _ldc,
    **interp_matrices.HANDLERS,
}
