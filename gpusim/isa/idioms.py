"""What instructions of a program do together: divide, multiply what was loaded, swap what was compared, and more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpusim.isa.dataflow import Dataflow
from gpusim.isa.effects import address_reads, registers_of
from gpusim.isa.instruction import Instr, Kind
from gpusim.isa.opcode_info import GLOBAL, SHARED, Pipe
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Atomic, Convert, Mufu, Round
from gpusim.isa.widths import source_words

TYPE, ROUNDING = 15, 3
"""Bits of a conversion's ``sub`` that say its type, and from bit 4 on how it rounds."""

MOVES = {Op.MOV, Op.PRMT, Op.SEL, Op.F2F, Op.HADD2, Op.I2F, Op.SHF, Op.LOP3}
"""Instructions that take a loaded value to where it is used, or convert it."""

PRODUCTS = {Op.FFMA, Op.HFMA2, Op.DFMA}

SHARED_ALONE, MEMORY = (SHARED,), (SHARED, GLOBAL)
"""Memories that factors may come from."""

MOST_SERVED = 4
"""Products that a word from shared memory serves from which registers hold as much as they can."""

_OF_ADDRESSES = {Op.IADD3, Op.IMAD, Op.IMAD_WIDE, Op.LEA, Op.LEA_HI_X, Op.SHF, Op.LOP3, Op.MOV}
_COPIES = {Op.MOV, Op.IMAD, Op.HFMA2}
_SWAPS = (Atomic.CAS, Atomic.CAST)


def divisions(flow: Dataflow) -> set[int]:
    """Find what a division of integers takes because the compiler does not know its divisor.

    It takes a reciprocal by the special functions, and corrects the quotient twice.  By a known one it multiplies,
    takes the upper word and shifts; that multiplication, and the one that gives the remainder, are left out here.

    Parameters
    ----------
    flow : Dataflow

    Returns
    -------
    set of int
        Instructions.
    """
    found: set[int] = set()
    for k, instr in enumerate(flow.program.instrs):
        if instr.op is Op.MUFU and instr.sub == Mufu.RCP:
            found |= _division_by(flow, k)
    return found


def _division_by(flow: Dataflow, reciprocal: int) -> set[int]:
    """Instructions of the divisions by a divisor whose reciprocal is approximated there."""
    instrs = flow.program.instrs
    begins = {k for k in flow.writers(reciprocal) if instrs[k].op is Op.I2F and _rounds(instrs[k]) == Round.UP}
    adds = _read_by(flow, {reciprocal}, Op.IADD3)
    ends = _read_by(flow, adds, Op.F2I)
    if not begins or not ends:
        return set()
    negated = _read_by(flow, ends, Op.IADD3, Op.IMAD)
    errors = negated | _read_by(flow, negated, Op.IMAD)
    exact = _read_by(flow, ends, Op.IMAD_HI) & _read_by(flow, errors, Op.IMAD_HI)
    quotients = _read_by(flow, exact, Op.IMAD_HI) - exact
    corrections = _corrections(flow, quotients)
    if not corrections:
        return set()
    marked = begins | adds | ends | errors | exact | {reciprocal} | corrections
    marked |= _for_nothing(flow, marked, quotients, {Op.IADD3, Op.IMAD})
    chosen = _read_by(flow, corrections, Op.SEL)
    return marked | chosen | _for_nothing(flow, marked | chosen, quotients, {Op.LOP3, Op.ISETP})


def _corrections(flow: Dataflow, quotients: set[int]) -> set[int]:
    """Comparisons of remainders with the divisor, and what is added where these are not less."""
    remainders = _read_by(flow, quotients | _read_by(flow, quotients, Op.IADD3, Op.IMAD), Op.IMAD)
    found = compared = _read_by(flow, remainders, Op.ISETP)
    while compared:
        guarded = {k for k in _read_by(flow, compared, Op.IADD3, Op.IMAD) if flow.effects[k].partial}
        compared = _read_by(flow, guarded, Op.ISETP) - found
        found = found | guarded | compared
    return found if any(flow.effects[k].partial for k in found) else set()


def _rounds(instr: Instr) -> int:
    return int(instr.sub) >> 4 & ROUNDING


def _read_by(flow: Dataflow, indices: Iterable[int], *ops: Op) -> set[int]:
    """Instructions of some opcodes that may read what others write."""
    return {k for index in indices for k in flow.readers[index] if flow.program.instrs[k].op in ops}


def addresses_of(flow: Dataflow, accesses: set[int]) -> set[int]:
    """Find what is computed for the addresses of some accesses alone.

    Parameters
    ----------
    flow : Dataflow
    accesses : set of int
    """
    return _for_nothing(flow, accesses, set(), _OF_ADDRESSES)


def _for_nothing(flow: Dataflow, marked: set[int], kept: set[int], ops: set[Op]) -> set[int]:
    """Instructions of some opcodes whose results only those marked read, or themselves, however often removed."""
    found, waiting = set[int](), list(marked)
    while waiting:
        for k in flow.writers(waiting.pop()) - marked - found - kept:
            if flow.program.instrs[k].op in ops and flow.readers[k] <= marked | found | {k}:
                found.add(k)
                waiting.append(k)
    return found


def doubles_among_floats(flow: Dataflow) -> tuple[set[int], set[int]]:
    """Find what is computed in doubles though it comes from floats and goes to floats.

    Nothing of it is loaded, stored or passed as a double.

    Parameters
    ----------
    flow : Dataflow

    Returns
    -------
    conversions, operations : set of int
        Instructions.
    """
    instrs = flow.program.instrs
    doubles = {k for k, instr in enumerate(instrs) if instr.op.info.pipe is Pipe.FP64}
    widened, narrowed = (
        {k for k, instr in enumerate(instrs) if instr.op is Op.F2F and instr.sub & TYPE == kind and not instr.sub >> 8}
        for kind in (Convert.TO_F64, Convert.F64)
    )
    known = doubles | widened | narrowed
    meant = {k for k in doubles if not _is_among(flow, k, known)}
    while more := {k for k in doubles - meant if (flow.writers(k) | flow.readers[k]) & meant}:
        meant |= more
    found = doubles - meant
    conversions = {k for k in widened if flow.readers[k] & found}
    conversions |= {k for k in narrowed if flow.writers(k) & found}
    return (conversions, found) if conversions & widened else (set(), set())


def _is_among(flow: Dataflow, index: int, known: set[int]) -> bool:
    """Whether a double comes from floats and constants, and goes on to doubles and floats."""
    instr = flow.program.instrs[index]
    passed = any(o.kind is Kind.CONST and o.place[0] == 0 for o in instr.srcs)
    values = flow.writers(index, flow.effects[index].reads & ((1 << 512) - 1))
    sources = all(k in known or _is_constant(flow.program.instrs[k]) for k in values)
    return not passed and sources and (instr.dst is None or flow.readers[index] <= known)


def _is_constant(instr: Instr) -> bool:
    """Whether it writes a constant."""
    return instr.op in _COPIES and all(o.kind is Kind.IMM or o.index == 255 for o in instr.srcs)


def products(flow: Dataflow, spaces: Iterable[str]) -> dict[int, frozenset[int]]:
    """Find multiply-adds that sum up products of two loaded values.

    Parameters
    ----------
    flow : Dataflow
    spaces : iterable of str
        Memories that both factors may come from.

    Returns
    -------
    dict of int to frozenset of int
        Of each such instruction the loads that its factors come from.
    """
    found = {}
    instrs, wanted = flow.program.instrs, set(spaces)
    for k, instr in enumerate(instrs):
        if instr.op not in PRODUCTS or len(instr.srcs) < 3:
            continue
        first, second = (_loads_behind(flow, k, position, wanted) for position in range(2))
        sums = flow.writers(k, registers_of(instr.srcs[2], source_words(instr, 2)))
        if first and second and any(instrs[s].op is instr.op for s in sums):
            found[k] = first | second
    return found


def _loads_behind(flow: Dataflow, index: int, position: int, spaces: set[str]) -> frozenset[int]:
    """Loads that an operand comes from, straight or by moves; none where it may come from elsewhere."""
    instr, instrs = flow.program.instrs[index], flow.program.instrs
    words = registers_of(instr.srcs[position], source_words(instr, position))
    found, seen, waiting = set[int](), set[int](), list(flow.writers(index, words))
    while waiting:
        k = waiting.pop()
        if k in seen:
            continue
        seen.add(k)
        info = instrs[k].op.info
        if info.is_load and info.space in spaces:
            found.add(k)
        elif instrs[k].op in MOVES:
            waiting.extend(flow.writers(k))
        else:
            return frozenset()
    return frozenset(found)


def served(flow: Dataflow, sums: Mapping[int, frozenset[int]]) -> float:
    """Products that the average word serves which a thread loads for them."""
    loads = frozenset().union(*sums.values())
    words = sum(max(flow.program.instrs[k].width // 4, 1) for k in loads)
    return len(sums) / words if words else 0.0


def loads_for_shared(flow: Dataflow) -> tuple[set[int], set[int]]:
    """Find loads from global memory whose values are stored to shared memory, and no more; and these stores."""
    instrs = flow.program.instrs
    loads, stores = set[int](), set[int]()
    for k, instr in enumerate(instrs):
        if instr.op is Op.LDG and (own := flow.readers[k]) and all(instrs[s].op is Op.STS for s in own):
            loads.add(k)
            stores |= own
    return loads, stores


def narrow_loads(flow: Dataflow) -> set[int]:
    """Find loads of bytes and half words whose addresses no loaded value decides, so that they may be joined."""
    instrs = flow.program.instrs
    return {
        k for k, instr in enumerate(instrs)
        if instr.op is Op.LDG and instr.width < 4 and not _asks_memory(flow, k)
    }  # fmt: skip


def _asks_memory(flow: Dataflow, index: int) -> bool:
    """Whether what a load from memory gave decides an address."""
    seen, waiting = set[int](), list(flow.writers(index, address_reads(flow.program.instrs[index])))
    while waiting:
        k = waiting.pop()
        if k not in seen:
            seen.add(k)
            info = flow.program.instrs[k].op.info
            if info.reads_memory and info.touches_memory:
                return True
            waiting.extend(flow.writers(k))
    return False


def uses_tensor_cores(flow: Dataflow) -> bool:
    """Whether a program has products of matrices."""
    return any(i.op.info.pipe is Pipe.TENSOR or i.op.info.described for i in flow.program.instrs)


def compared_loads(flow: Dataflow) -> set[int]:
    """Find the loads whose value an atomic compares before it swaps: what they miss, the atomic notices.

    So does the loop that compilers and programmers make of an atomic that a GPU has not, such as a sum of doubles.

    Parameters
    ----------
    flow : Dataflow

    Returns
    -------
    set of int
        By index.
    """
    instrs = flow.program.instrs
    swaps = [k for k, i in enumerate(instrs) if i.op in (Op.ATOMS, Op.ATOMG, Op.ATOM) and i.sub in _SWAPS]
    waiting = [w for k in swaps for w in flow.writers(k, registers_of(instrs[k].srcs[1], source_words(instrs[k], 1)))]
    seen: set[int] = set()
    while waiting:
        k = waiting.pop()
        if k not in seen:
            seen.add(k)
            waiting += flow.writers(k) if instrs[k].op in _COPIES else ()
    return {k for k in seen if instrs[k].op in (Op.LDS, Op.LDG, Op.LD)}
