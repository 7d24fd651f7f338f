"""What four warps do together: products of matrices, waiting for them, sharing out registers.

Source: NVIDIA, *PTX ISA*, "wgmma.mma_async", "wgmma.wait_group", "setmaxnreg", and what nvdisasm 13 prints for them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gpusim.cuda.operands import Form, Text
from gpusim.cuda.translate.reader import KINDS, ZERO, Reader, Unsupported
from gpusim.isa.instruction import RZ, URZ, Instr, Kind, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Flag
from gpusim.isa.warpgroup import DESCRIPTOR_WORDS, MOST_TILES, OWN_ROWS, TILE, WARPS, Element, Product

TYPES = {element.name: element for element in Element}
OF = {"negA": "a_negated", "negB": "b_negated", "tnspA": "a_transposed", "tnspB": "b_transposed"}
"""What is said of the matrices that descriptors describe."""
MOST_DIGITS, MOST_GROUPS = 3, 255


def product(op: Op, r: Reader) -> Instr:
    """``HGMMA.64xNxK.sums[.inputs] d, [a,] gdesc[descriptors], c[, p0][, gsb0]``; QGMMA, IGMMA."""
    tiles, depth = _shape(r)
    half_sums = op is not Op.IGMMA and r.need({"F32": False, "F16": True})
    a, b = _types(op, r)
    flags = r.flags({"SAT": Flag.SAT}) if op is Op.IGMMA else 0
    dst = r.dst()
    first, place = _first(r), _descriptors(r)
    sums = r.dst()
    conditions = r.preds()
    product = Product(
        a, b, tiles, half_sums, first is None, commits=_ends_group(r),
        **{OF[word]: True for word in place.suffixes},
    )  # fmt: skip
    if first is not None:
        product = product._replace(a_negated=first.neg)
    if product.sub not in op.info.subs or depth != product.depth:
        raise Unsupported("a product of a shape or of types that are not known")
    register = place.terms[0]
    srcs = (
        Operand(Kind.UREG, register.index + (0 if product.a_shared else DESCRIPTOR_WORDS)),
        ZERO if first is None else Operand(KINDS[first.form], first.index),
        sums,
    )  # fmt: skip
    if dst.index == RZ:  # a group that ends without a product
        return r.make(op, sub=product.sub, flags=flags)
    if register.index == URZ:
        raise Unsupported("a product of matrices that nothing describes")
    return r.make(op, dst, srcs, psrcs=conditions, sub=product.sub, flags=flags)


def _shape(r: Reader) -> tuple[int, int]:
    """Columns in tiles, and elements of a row."""
    shape = r.modifiers.pop(0).split("x") if r.modifiers else []
    if len(shape) != 3 or not all(part.isdecimal() and len(part) <= MOST_DIGITS for part in shape):
        raise Unsupported("a product of a shape that is not known")
    rows, columns, depth = map(int, shape)
    if rows != WARPS * OWN_ROWS or columns % TILE or columns > TILE * MOST_TILES:
        raise Unsupported("a product of a shape that is not known")
    return columns // TILE, depth


def _types(op: Op, r: Reader) -> tuple[Element, Element]:
    """Types of the two matrices: of halves and words both the same, fp16 where not said."""
    if op is Op.HGMMA:
        both = r.pick({name: TYPES[name] for name in ("BF16", "TF32")}, Element.F16)
        return both, both
    return r.need(TYPES), r.need(TYPES)


def _first(r: Reader) -> Text | None:
    """The first matrix where it is in registers."""
    text = r.peek()
    if text is None or text.form is not Form.REG:
        return None
    if text.absolute or text.invert or text.suffixes:
        raise Unsupported("a fragment is no plain register")
    return r.next()


def _descriptors(r: Reader) -> Text:
    text = r.next()
    if text.form is not Form.DESCRIPTORS or not set(text.suffixes) <= OF.keys():
        raise Unsupported("an operand describes no matrices")
    return text


def _ends_group(r: Reader) -> bool:
    """Take the group that a product ends, if it ends one."""
    text = r.peek()
    if text is None or text.form is not Form.GROUP:
        return False
    r.next()
    return True


def warpgroup(r: Reader) -> Instr:
    """``WARPGROUP.ARRIVE``, which comes before products; ``WARPGROUP.DEPBAR.LE gsb0, groups``."""
    if r.has("ARRIVE"):
        return r.make(Op.WARPGROUP_ARRIVE)
    if not (r.has("DEPBAR") and r.has("LE")) or not _ends_group(r):
        raise Unsupported("warps that wait for something else")
    left = r.literal()
    if not 0 <= left <= MOST_GROUPS:
        raise Unsupported("more groups than there are")
    return r.make(Op.WARPGROUP_DEPBAR, sub=left)


def usetmaxreg(r: Reader) -> Instr:
    """``USETMAXREG.TRY_ALLOC.CTAPOOL q0, registers``, ``USETMAXREG.DEALLOC.CTAPOOL registers``."""
    r.skip("CTAPOOL")
    flags = r.need({"TRY_ALLOC": 0, "DEALLOC": Flag.CLEAR})
    verdict = r.preds()
    return r.make(Op.USETMAXREG, pdsts=verdict, sub=r.literal(), flags=flags)


TABLE: dict[str, Callable[[Reader], Instr]] = {
    **{op.name: partial(product, op) for op in (Op.HGMMA, Op.QGMMA, Op.IGMMA)},
    "WARPGROUP": warpgroup,
    "USETMAXREG": usetmaxreg,
}
