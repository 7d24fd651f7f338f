"""mbarriers, bulk copies, copies of boxes that tensor maps describe, clusters.

What the pieces of ``SYNCS.ARRIVE`` say follows from the code of PTX's ``mbarrier`` instructions: ``A0``, ``A1``, ``AR``
how many arrive (none, one, what a register says), ``T0``, ``T1``, ``TR``, ``TX`` how many bytes are expected (none,
one, a register's) or have come (a register's); without either it is one that arrives and expects a register's.

Source: NVIDIA, *CUDA Binary Utilities*, for the names; *PTX ISA* 9.0, "mbarrier", "cp.async.bulk".
"""

from __future__ import annotations

from collections.abc import Callable

from gpusim.cuda.operands import Form
from gpusim.cuda.translate.memory import WIDTHS, Address, address
from gpusim.cuda.translate.reader import KINDS, ZERO, Reader, Unsupported
from gpusim.isa.instruction import RZ, URZ, Instr, Kind, Operand, ureg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import DIMENSIONS_AT, MULTICAST, Arrival, Atomic, Flag, Wait

ARRIVALS = {
    "A1T0": Arrival.ONE,
    "ART0": Arrival.COUNTED,
    "A0T1": Arrival.EXPECT_ONE,
    "A0TR": Arrival.EXPECT,
    "A0TX": Arrival.COMPLETE,
}
AFTER_COPIES = {"ARVCNT": Arrival.ONE, "TRANSCNT": Arrival.NONE}
TYPES = {  # width and flags of elements that are reduced
    "U64": (8, Flag.UNSIGNED),
    "S64": (8, 0),
    "S32": (4, 0),
    "F16": (2, Flag.HALF),
    "BF16": (2, Flag.HALF | Flag.BF16),
    "F32": (4, Flag.FLOAT),
    "F64": (8, Flag.FLOAT),
}
NO_REDUCTIONS = (Atomic.EXCH, Atomic.CAS, Atomic.CAST, Atomic.POPC_INC, Atomic.ARRIVE)
REDUCTIONS = {a.name: a for a in Atomic if a not in NO_REDUCTIONS}
DIMENSIONS = {f"{n}D": n for n in range(1, 6)}


def _shared(place: Address, *values: Operand) -> tuple[Operand, ...]:
    """Sources a, b, c: an address in shared memory, a value, a uniform base."""
    if place.shift:
        raise Unsupported("an mbarrier at a scaled address")
    uniform = () if place.uniform is None else (place.uniform,)
    return (place.base, *(values or ((ZERO,) if uniform else ())), *uniform)


def syncs(r: Reader) -> Instr:
    """``SYNCS.{EXCH,ARRIVE,PHASECHK,CCTL}``."""
    for word, make in {"EXCH": _exchange, "ARRIVE": _arrive, "PHASECHK": _phase, "CCTL": _invalidate}.items():
        if r.has(word):
            return make(r)
    raise Unsupported("SYNCS of a kind that is not known")


def _exchange(r: Reader) -> Instr:
    """``SYNCS.EXCH.64 d, [address], b``."""
    if not r.has("64"):
        raise Unsupported("an mbarrier that is not of 64 bits")
    dst, place, value = _result(r), address(r, wide=False), r.dst()
    return r.make(Op.SYNCS_EXCH, dst, _shared(place, value), offset=place.offset)


def _result(r: Reader) -> Operand | None:
    """A destination, none where it swallows what is written."""
    found = r.dst()
    return None if found.index == (URZ if found.kind is Kind.UREG else RZ) else found


def _arrive(r: Reader) -> Instr:
    """``SYNCS.ARRIVE.TRANS64[.RED][.OPTOUT][.kind] d, [address], b``: RED is for blocks of a cluster."""
    if not r.has("TRANS64"):
        raise Unsupported("an mbarrier that counts no bytes")
    sub = (Arrival.REMOTE if r.has("RED") else 0) | (Arrival.DROP if r.has("OPTOUT") else 0)
    sub |= r.pick(ARRIVALS, Arrival.ONE | Arrival.EXPECT)
    dst, place, value = _result(r), address(r, wide=False), r.integer()
    return r.make(Op.SYNCS_ARRIVE, dst, _shared(place, value), sub=sub, offset=place.offset)


def _phase(r: Reader) -> Instr:
    """``SYNCS.PHASECHK.TRANS64[.TRYWAIT] q0, [address], b``."""
    if not r.has("TRANS64"):
        raise Unsupported("an mbarrier that counts no bytes")
    sub = Wait.TRY if r.has("TRYWAIT") else Wait.TEST
    done, place, value = r.pred(), address(r, wide=False), r.integer()
    return r.make(Op.SYNCS_PHASECHK, None, _shared(place, value), pdsts=(done,), sub=sub, offset=place.offset)


def _invalidate(r: Reader) -> Instr:
    """``SYNCS.CCTL.IV [address]``."""
    if not r.has("IV"):
        raise Unsupported("SYNCS.CCTL of a kind that is not known")
    place = address(r, wide=False)
    return r.make(Op.SYNCS_CCTL, None, _shared(place), offset=place.offset)


def arrives(r: Reader) -> Instr:
    """``ARRIVES.LDGSTSBAR.64[.{ARVCNT,TRANSCNT}] [address]``: without either the mbarrier counts no bytes."""
    if not (r.has("LDGSTSBAR") and r.has("64")):
        raise Unsupported("ARRIVES of a kind that is not known")
    sub, place = r.pick(AFTER_COPIES, Arrival.PLAIN), address(r, wide=False)
    return r.make(Op.ARRIVES, None, _shared(place), sub=sub, offset=place.offset)


# ------------------------------------------------------------------ bulk copies


def _registers(r: Reader) -> Operand:
    """The first of some uniform registers in brackets."""
    text = r.next()
    if text.form is not Form.ADDRESS or len(text.terms) != 1 or text.offset or text.terms[0].form is not Form.UREG:
        raise Unsupported("an operand is no uniform register in brackets")
    return Operand(KINDS[Form.UREG], text.terms[0].index)


def _skip_hint(r: Reader) -> None:
    """What L2 is told of how long it will be needed changes no count."""
    text = r.peek()
    if text is not None and text.form is Form.DESCRIPTOR:
        r.next()


def _way(r: Reader) -> str:
    """``S.G``, ``G.S`` or ``S.S``: where to, and where from."""
    if len(r.modifiers) < 2 or {*r.modifiers[:2]} - {"S", "G"}:
        raise Unsupported("a copy between other memories")
    found = "_".join(r.modifiers[:2])
    del r.modifiers[:2]
    return found


def ublkcp(r: Reader) -> Instr:
    """``UBLKCP.{S.G,G.S,S.S}[.MULTICAST] [to], [from], size[, desc]``."""
    op, sub = Op[f"UBLKCP_{_way(r)}"], MULTICAST if r.has("MULTICAST") else 0
    srcs = (_registers(r), _registers(r), r.dst())
    _skip_hint(r)
    return r.make(op, None, srcs, sub=sub)


def ublkred(r: Reader) -> Instr:
    """``UBLKRED.{G.S,S.S}.operation[.type][.RN] [to], [from], size[, desc]``."""
    op, sub = Op[f"UBLKRED_{_way(r)}"], r.need(REDUCTIONS)
    width, flags = r.pick(TYPES, (4, Flag.UNSIGNED))
    r.skip("RN")
    srcs = (_registers(r), _registers(r), r.dst())
    _skip_hint(r)
    return r.make(op, None, srcs, sub=sub, width=width, flags=flags)


def ublkpf(r: Reader) -> Instr:
    """``UBLKPF.L2 [from], size[, desc]``."""
    r.skip("L2")
    srcs = (_registers(r), r.dst())
    _skip_hint(r)
    return r.make(Op.UBLKPF, None, srcs)


def _box(op: Op) -> Callable[[Reader], Instr]:
    """``UTMA....nD[.operation][.MULTICAST] [places and coordinates], [map][, blocks][, desc]``."""

    def read(r: Reader) -> Instr:
        r.skip("L2")
        if r.has("IM2COL"):
            raise Unsupported("a box of an image (im2col)")
        sub = r.need(DIMENSIONS) << DIMENSIONS_AT
        if op is Op.UTMAREDG:
            sub |= r.need(REDUCTIONS)
        srcs: tuple[Operand, ...] = (_registers(r), _registers(r))
        if op is Op.UTMALDG:
            sub |= MULTICAST if (several := r.has("MULTICAST")) else 0
            srcs = (*srcs, r.dst() if several else ureg(URZ))
        _skip_hint(r)
        return r.make(op, None, srcs, sub=sub)

    return read


def flush(r: Reader) -> Instr:
    """``UTMACMDFLUSH``."""
    return r.make(Op.UTMACMDFLUSH)


def map_cache(r: Reader) -> Instr:
    """``UTMACCTL.{PF,IV} [map]``: a map is read where it lies, whenever it is needed."""
    r.need({"PF": 0, "IV": 0})
    _registers(r)
    return r.make(Op.MEMBAR)


# ------------------------------------------------------------------ clusters


def _alone(op: Op) -> Callable[[Reader], Instr]:
    """An instruction of no operands."""
    return lambda r: r.make(op)


def _lanes_registers(r: Reader) -> Operand:
    """The first of a pair of registers in brackets, ``[R8.64]``."""
    place = address(r, wide=True)
    if place.uniform is not None or place.offset or place.flags:
        raise Unsupported("an operand is no pair of registers in brackets")
    return place.base


def stas(r: Reader) -> Instr:
    """``STAS[.width] [place and mbarrier], b``."""
    width, srcs = r.pick(WIDTHS, 4), (_lanes_registers(r), r.dst())
    return r.make(Op.STAS, None, srcs, width=width)


def redas(r: Reader) -> Instr:
    """``REDAS.operation[.type] [place and mbarrier], b``."""
    sub, (width, flags) = r.need(REDUCTIONS), r.pick({**TYPES, "64": (8, Flag.UNSIGNED)}, (4, Flag.UNSIGNED))
    return r.make(Op.REDAS, None, (_lanes_registers(r), r.dst()), sub=sub, width=width, flags=flags)


TABLE = {
    "SYNCS": syncs,
    "ARRIVES": arrives,
    "UBLKCP": ublkcp,
    "UBLKRED": ublkred,
    "UBLKPF": ublkpf,
    "UTMALDG": _box(Op.UTMALDG),
    "UTMASTG": _box(Op.UTMASTG),
    "UTMAREDG": _box(Op.UTMAREDG),
    "UTMAPF": _box(Op.UTMAPF),
    "UTMACMDFLUSH": flush,
    "UTMACCTL": map_cache,
    "UCGABAR_ARV": _alone(Op.CLUSTER_ARRIVE),
    "UCGABAR_WAIT": _alone(Op.CLUSTER_WAIT),
    "ERRBAR": _alone(Op.MEMBAR),
    "CGAERRBAR": _alone(Op.CLUSTER_FENCE),
    "STAS": stas,
    "REDAS": redas,
    "PREEXIT": _alone(Op.MEMBAR),  # who depends on the launch runs after it
    "ACQBULK": _alone(Op.MEMBAR),
}
