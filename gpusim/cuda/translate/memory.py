"""Loads, stores, atomics, asynchronous copies, fences.

Addresses are sums: of a register (64 bits wide for global memory, or 32 bits with ``.U32``; in shared and local
memory perhaps scaled, ``.X4``), a uniform register and an offset.  A descriptor (``desc[UR4]``) says nothing that
changes a count.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA*, "Cache Operators" and "Memory Consistency Model":
a load that is strong within the GPU or the system must see what others wrote, so it goes to L2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from gpusim.cuda.operands import Form, Text
from gpusim.cuda.translate.reader import KINDS, ZERO, Reader, Unsupported
from gpusim.isa.instruction import N_SCOREBOARDS, TRUE, Instr, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Atomic, Cache, Flag, Space

WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "32": 4, "64": 8, "128": 16}
SCALES = {"X4": 2, "X8": 3, "X16": 4}
SCOPES = {"CTA": Cache.CA, "SM": Cache.CA, "GPU": Cache.CG, "SYS": Cache.CG, "VC": Cache.CG}
EVICTION = {"EF": Cache.CS, "EL": Cache.CA, "LU": Cache.CG, "EN": Cache.CA, "EU": Cache.CA, "NA": Cache.CG}
PREFETCH = ("LTC64B", "LTC128B", "LTC256B")  # how much L2 fetches at once
ATOMICS = {
    **{a.name: a for a in Atomic if a not in (Atomic.CAST, Atomic.POPC_INC)},
    "CAST": Atomic.CAST,
}
SPACES = {"G": Space.GLOBAL, "S": Space.SHARED, "L": Space.LOCAL, "D": Space.CLUSTER}
COPY_SHIFT = 8  # of the address of ATOMS, in `sub`


class Address(NamedTuple):
    """Where a memory instruction goes."""

    base: Operand
    uniform: Operand | None
    offset: int
    shift: int
    flags: int


def address(r: Reader, *, wide: bool) -> Address:
    """Take an address; ``wide``: of global memory."""
    text = r.next()
    if text.form is not Form.ADDRESS:
        raise Unsupported("an operand is no address")
    registers = [t for t in text.terms if t.form is Form.REG]
    uniforms = [t for t in text.terms if t.form is Form.UREG]
    if len(registers) > 1 or len(uniforms) > 1 or len(registers) + len(uniforms) != len(text.terms):
        raise Unsupported("an address of more than two registers")
    if any(t.neg or t.invert or t.absolute for t in text.terms) or any(t.suffixes for t in uniforms):
        raise Unsupported("an address with signs")
    shift, flags = _size(registers[0], wide) if registers else (0, 0)
    places = [Operand(KINDS[t.form], t.index) for t in (*registers, *uniforms)]
    uniform = places[1] if len(places) > 1 else None
    return Address(places[0] if places else ZERO, uniform, text.offset, shift, flags)


def _size(register: Text, wide: bool) -> tuple[int, int]:
    """Scale and width of the register in an address."""
    shift, flags = 0, 0
    for suffix in register.suffixes:
        if suffix in SCALES and not wide:
            shift = SCALES[suffix]
        elif suffix == "U32" and wide:
            flags = Flag.NARROW
        elif suffix != "64" or not wide:
            raise Unsupported(f"an address with .{suffix}")
    return shift, flags


def _sources(place: Address, *values: Operand) -> tuple[Operand, ...]:
    """Sources a, b, c: an address, a value, a uniform base."""
    if place.uniform is None:
        return (place.base, *values)
    return (place.base, *(values or (ZERO,)), place.uniform)


def _cache(r: Reader) -> tuple[int, int]:
    """Cache operator and flags of a global access."""
    r.skip(*PREFETCH)
    flags = r.flags({"CONSTANT": Flag.CONSTANT})
    cache = r.pick(EVICTION, Cache.CA)
    if r.has("STRONG") or r.has("MMIO"):
        cache = max(cache, r.need(SCOPES), key=lambda c: c == Cache.CG)
    r.skip("WEAK", "SYS", "PRIVATE")  # sm_75 prints .SYS for an access that is not strong
    return cache, flags


def _width(r: Reader) -> tuple[int, int]:
    """Width and, for a narrow load, whether its sign is extended."""
    signed = any(m in r.modifiers for m in ("S8", "S16"))
    return r.pick(WIDTHS, 4), Flag.SIGNED if signed else 0


def _extended(r: Reader) -> int:
    """Whether an address has 64 bits; without E a register of 32 is meant."""
    return 0 if r.has("E") else Flag.NARROW


def _load(r: Reader, op: Op) -> Instr:
    narrow = _extended(r)
    (cache, flags), (width, signed) = _cache(r), _width(r)
    dst, place = r.dst(), address(r, wide=True)
    return r.make(
        op,
        dst,
        _sources(place),
        width=width,
        offset=place.offset,
        flags=flags | signed | narrow | place.flags,
        cache=cache,
    )


def _store(r: Reader, op: Op) -> Instr:
    narrow = _extended(r)
    (cache, flags), (width, _) = _cache(r), _width(r)
    place, value = address(r, wide=True), r.dst()
    return r.make(
        op,
        None,
        _sources(place, value),
        width=width,
        offset=place.offset,
        flags=flags | narrow | place.flags,
        cache=cache,
    )


def ldg(r: Reader) -> Instr:
    """``LDG.E[...] d, [address]``."""
    return _load(r, Op.LDG)


def stg(r: Reader) -> Instr:
    """``STG.E[...] [address], b``."""
    return _store(r, Op.STG)


def ld(r: Reader) -> Instr:
    """``LD.E[...] d, [address]``."""
    return _load(r, Op.LD)


def st(r: Reader) -> Instr:
    """``ST.E[...] [address], b``."""
    return _store(r, Op.ST)


def _near_load(r: Reader, op: Op) -> Instr:
    r.skip("U")  # sm_75; what it says is not known to change a value or a count
    r.skip("LU", "EF")
    width, signed = _width(r)
    dst, place = r.dst(), address(r, wide=False)
    return r.make(op, dst, _sources(place), width=width, offset=place.offset, sub=place.shift, flags=signed)


def _near_store(r: Reader, op: Op) -> Instr:
    width, _ = _width(r)
    place, value = address(r, wide=False), r.dst()
    return r.make(op, None, _sources(place, value), width=width, offset=place.offset, sub=place.shift)


def lds(r: Reader) -> Instr:
    """``LDS[.width] d, [address]``."""
    return _near_load(r, Op.LDS)


def sts(r: Reader) -> Instr:
    """``STS[.width] [address], b``."""
    return _near_store(r, Op.STS)


def ldl(r: Reader) -> Instr:
    """``LDL[.width] d, [address]``."""
    return _near_load(r, Op.LDL)


def stl(r: Reader) -> Instr:
    """``STL[.width] [address], b``."""
    return _near_store(r, Op.STL)


def ldc(r: Reader) -> Instr:
    """``LDC[.width] d, c[bank][offset]``; ULDC, LDCU into uniform registers."""
    width, signed = _width(r)
    dst, text = r.dst(), r.next()
    if text.form is not Form.CONST or text.neg or text.absolute or text.suffixes or len(text.terms) > 1:
        raise Unsupported("an operand is no constant")
    if any(t.suffixes or t.neg or t.form not in KINDS for t in text.terms):
        raise Unsupported("an address with signs")
    base = Operand(KINDS[text.terms[0].form], text.terms[0].index) if text.terms else ZERO
    return r.make(Op.LDC, dst, (base,), width=width, offset=text.offset, sub=text.index, flags=signed)


# ------------------------------------------------------------------ atomics


def _type(r: Reader) -> tuple[int, int]:
    """Width and flags of an atomic's type; 32 bits without a sign where not said."""
    r.skip("RN")
    ftz = r.flags({"FTZ": Flag.FTZ})
    width, flags = r.pick(
        {
            "F32": (4, Flag.FLOAT),
            "F64": (8, Flag.FLOAT),
            "F16x2": (4, Flag.HALF),
            "BF16x2": (4, Flag.HALF | Flag.BF16),
            **{f"F32x{n}": (4 * n, Flag.FLOAT | Flag.VECTOR) for n in (2, 4)},
            **{f"F16x{n}": (2 * n, Flag.HALF | Flag.VECTOR) for n in (4, 8)},
            **{f"BF16x{n}": (2 * n, Flag.HALF | Flag.BF16 | Flag.VECTOR) for n in (4, 8)},
            "S32": (4, 0),
            "S64": (8, 0),
            "U64": (8, Flag.UNSIGNED),
            "64": (8, Flag.UNSIGNED),
            "32": (4, Flag.UNSIGNED),
            "U32": (4, Flag.UNSIGNED),
        },
        (4, Flag.UNSIGNED),
    )
    return width, flags | ftz


def _atomic_sources(place: Address, values: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Sources a, b, c and d: an address, values, a uniform base."""
    if place.uniform is None:
        return (place.base, *values)
    return (place.base, *values, *(ZERO,) * (2 - len(values)), place.uniform)


def _global_atomic(r: Reader, op: Op) -> Instr:
    narrow, sub = _extended(r), r.need(ATOMICS)
    (width, flags), (cache, _) = _type(r), _cache(r)
    done: tuple[Operand, ...] = ()
    dst = None
    if op is not Op.RED:
        done, dst = (r.pred(),), r.dst()
    place = address(r, wide=True)
    values = (r.dst(), r.dst()) if sub == Atomic.CAS else (r.dst(),)
    return r.make(
        op, dst, _atomic_sources(place, values), pdsts=done, sub=sub, width=width, offset=place.offset,
        flags=flags | narrow | place.flags, cache=cache,
    )  # fmt: skip


def atomg(r: Reader) -> Instr:
    """``ATOMG.E.operation[.type].STRONG.scope q0, d, [address], b[, c]``."""
    return _global_atomic(r, Op.ATOMG)


def atom(r: Reader) -> Instr:
    """``ATOM.E...``, at a generic address."""
    return _global_atomic(r, Op.ATOM)


def red(r: Reader) -> Instr:
    """``RED.E.operation[.type].STRONG.scope [address], b``; REDG likewise."""
    return _global_atomic(r, Op.RED)


def atoms(r: Reader) -> Instr:
    """``ATOMS.operation[.type] d, [address], b[, c]``, ``ATOMS.CAST.SPIN d``.

    Without a value: ``ATOMS.POPC.INC.32 d, [address]``, ``ATOMS.ARRIVE.64 d, [address]``.
    """
    r.skip("SPIN")
    counts = r.has("POPC")
    sub = r.need(ATOMICS)
    if counts:
        if sub != Atomic.INC:
            raise Unsupported("ATOMS.POPC of another operation")
        sub = Atomic.POPC_INC
    width, flags = _type(r)
    done, dst = _outcome(r)
    place = address(r, wide=False)
    values = (
        () if counts or sub == Atomic.ARRIVE else (r.dst(), r.dst()) if sub in (Atomic.CAS, Atomic.CAST) else (r.dst(),)
    )
    return r.make(
        Op.ATOMS, dst, _atomic_sources(place, values), pdsts=done, sub=sub | place.shift << COPY_SHIFT, width=width,
        offset=place.offset, flags=flags,
    )  # fmt: skip


def _outcome(r: Reader) -> tuple[tuple[Operand, ...], Operand | None]:
    """What CAST says: a predicate from sm_100 on, a register before."""
    done = r.preds()
    return done, None if done else r.dst()


# ------------------------------------------------------------------ asynchronous copies


def ldgsts(r: Reader) -> Instr:
    """``LDGSTS.E[.BYPASS][.width][.ZFILL] [shared], [global][, p0]``."""
    if not r.has("E"):
        raise Unsupported("a copy from an address of 32 bits")
    bypass = r.has("BYPASS")
    flags = r.flags({"ZFILL": Flag.ZFILL})
    (cache, more), (width, _) = _cache(r), _width(r)
    to, source = address(r, wide=False), address(r, wide=True)
    if to.uniform is not None or to.shift:
        raise Unsupported("a copy to an address of more than a register")
    srcs = (to.base, source.base) if source.uniform is None else (to.base, source.base, source.uniform)
    return r.make(
        Op.LDGSTS, None, srcs, psrcs=r.preds() or (TRUE,), width=width, offset=to.offset, target=source.offset,
        flags=flags | more | source.flags, cache=Cache.CG if bypass else cache,
    )  # fmt: skip


def ldgdepbar(r: Reader) -> Instr:
    """``LDGDEPBAR``."""
    return r.make(Op.LDGDEPBAR)


def depbar(r: Reader) -> Instr:
    """``DEPBAR.LE SB0, count``; ``DEPBAR {5,4,3,2,1,0}`` waits for those scoreboards.

    ``DEPBAR.LE SB5, count`` waits until at most so many texture fetches of a scoreboard are under way; here for all.
    """
    if not r.modifiers and r.line.operands[:1] and r.line.operands[0].startswith("{"):
        return _every_board(r)
    board = r.next()
    if not r.has("LE") or board.form is not Form.SCOREBOARD or board.index >= N_SCOREBOARDS:
        raise Unsupported("a wait for something else than a scoreboard")
    instr = r.make(Op.DEPBAR, sub=r.literal())
    return instr if board.index == 0 else awaiting(instr, board.index)


def awaiting(instr: Instr, board: int) -> Instr:
    """What waits for a scoreboard instead of copies."""
    return replace(instr, op=Op.NOP, sub=0, control=instr.control._replace(wait=instr.control.wait | 1 << board))


def _every_board(r: Reader) -> Instr:
    """A wait for scoreboards that are listed."""
    boards = [text.strip("{}") for text in r.line.operands]
    if not all(text.isdecimal() and int(text) < N_SCOREBOARDS for text in boards):
        raise Unsupported("a wait for something else than scoreboards")
    r.at = len(boards)
    instr = r.make(Op.NOP)
    wait = sum(1 << board for board in {int(text) for text in boards})
    return replace(instr, control=instr.control._replace(wait=instr.control.wait | wait))


# ------------------------------------------------------------------ order, caches, spaces


def fence(r: Reader) -> Instr:
    """``MEMBAR``, ``FENCE``: each orders all that the engine does; but for ``G`` alone it takes a wavefront."""
    wavefronts, scope = 0 if r.has("G") else 1, Flag.OF_BLOCK if r.has("CTA") or r.has("SM") else 0
    r.skip("ALL", "SC", "VC", "CTA", "SM", "GPU", "SYS", "VIEW", "ASYNC", "S")
    return r.make(Op.MEMBAR, sub=wavefronts, flags=scope)


def cctl(r: Reader) -> Instr:
    """``CCTL.IVALL``, a fence; ``CCTL.E.PF1``, ``CCTL.E.PF2`` prefetch."""
    if r.has("IVALL"):
        return r.make(Op.MEMBAR, sub=1)
    narrow, cache = _extended(r), r.need({"PF1": Cache.CA, "PF2": Cache.CG})
    place = address(r, wide=True)
    return r.make(Op.PREFETCH, None, _sources(place), offset=place.offset, cache=cache, flags=narrow | place.flags)


def qspc(r: Reader) -> Instr:
    """``QSPC.E.{G,S,L,D} q0, d, [address]``; the register is not known to be used."""
    narrow, sub = _extended(r), r.need(SPACES)
    found = (r.pred(),)
    if r.dst() != ZERO:
        raise Unsupported("QSPC into a register")
    place = address(r, wide=True)
    return r.make(Op.QSPC, None, _sources(place), pdsts=found, sub=sub, offset=place.offset, flags=narrow | place.flags)


TABLE = {
    "LDG": ldg,
    "STG": stg,
    "LD": ld,
    "ST": st,
    "LDS": lds,
    "STS": sts,
    "LDL": ldl,
    "STL": stl,
    "LDC": ldc,
    "ATOMG": atomg,
    "ATOM": atom,
    "ATOMS": atoms,
    "RED": red,
    "REDG": red,
    "LDGSTS": ldgsts,
    "LDGDEPBAR": ldgdepbar,
    "DEPBAR": depbar,
    "MEMBAR": fence,
    "FENCE": fence,
    "CCTL": cctl,
    "QSPC": qspc,
}
