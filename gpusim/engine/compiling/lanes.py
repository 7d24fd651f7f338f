"""Values of 32 lanes as one: a numba type that LLVM turns into vector instructions.

``a + b`` on two :class:`Lanes` adds lane by lane; a plain number beside one stands for 32 of it.  Operands are
loaded before a result is stored, so a destination may be a source; no loop has to be vectorised, which is what
would take most of the time to compile.
"""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic

WIDTH = 32
F32, F64, I32, U32, I64, U64 = np.float32, np.float64, np.int32, np.uint32, np.int64, np.uint64


class Lanes(types.Type):
    """``count`` values of one type, bools as single bits."""

    def __init__(self, dtype, count=WIDTH):
        self.dtype, self.count = dtype, count
        super().__init__(f"Lanes({dtype}, {count})")


def element_type(dtype):
    """LLVM type of one lane."""
    if dtype == types.boolean:
        return ir.IntType(1)
    if isinstance(dtype, types.Integer):
        return ir.IntType(dtype.bitwidth)
    return ir.FloatType() if dtype == types.float32 else ir.DoubleType()


def vector_type(lanes):
    """LLVM type of all lanes."""
    return ir.VectorType(element_type(lanes.dtype), lanes.count)


@register_default(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, vector_type(fe_type))


# ------------------------------------------------------------------ operators


def _common(args):
    """The Lanes type that operands of an operator share, or None."""
    found = [a for a in args if isinstance(a, Lanes)]
    plain = all(isinstance(a, (Lanes, types.Number, types.Boolean)) for a in args)
    return found[0] if found and plain and all(a == found[0] for a in found) else None


def _operands(lanes, args):
    """Types the operands are converted to: a number to one lane's type."""
    return [a if isinstance(a, Lanes) else lanes.dtype for a in args]


def _widened(builder, lanes, sig, args):
    """Operands as vectors."""
    return [v if isinstance(t, Lanes) else splatted(builder, lanes, v) for t, v in zip(sig.args, args, strict=True)]


def splatted(builder, lanes, value):
    """A value in every lane."""
    vector = vector_type(lanes)
    if value.type != vector.element:  # a bool is a byte outside
        value = builder.trunc(value, vector.element)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes.count), [0] * lanes.count)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)


_SIGNED = {
    operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.and_: "and_", operator.or_: "or_",
    operator.xor: "xor", operator.lshift: "shl", operator.rshift: "ashr",
}  # fmt: skip
_UNSIGNED = _SIGNED | {operator.rshift: "lshr"}
_FLOAT = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}
_COMPARE = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}


def _is_signed(dtype):
    return isinstance(dtype, types.Integer) and dtype.signed


def _arithmetic(builder, op, lanes, x, y):
    if isinstance(lanes.dtype, types.Float):
        return getattr(builder, _FLOAT[op])(x, y)
    return getattr(builder, (_SIGNED if _is_signed(lanes.dtype) else _UNSIGNED)[op])(x, y)


def _compare(builder, op, lanes, x, y):
    sign = _COMPARE[op]
    if isinstance(lanes.dtype, types.Float):
        return builder.fcmp_unordered(sign, x, y) if sign == "!=" else builder.fcmp_ordered(sign, x, y)
    return (builder.icmp_signed if _is_signed(lanes.dtype) else builder.icmp_unsigned)(sign, x, y)


def _define(op, apply, compares):
    """Teach numba one operator on Lanes."""
    in_place = getattr(operator, f"i{op.__name__.strip('_')}", op)

    class Template(AbstractTemplate):
        def generic(self, args, kws):
            lanes = _common(args) if len(args) == 2 else None
            if lanes is None:
                return None
            return signature(Lanes(types.boolean, lanes.count) if compares else lanes, *_operands(lanes, args))

    def lower(context, builder, sig, args):
        lanes = _common(sig.args)
        return apply(builder, op, lanes, *_widened(builder, lanes, sig, args))

    for form in {op, in_place}:
        infer_global(form)(Template)
        for pair in ((Lanes, Lanes), (Lanes, types.Any), (types.Any, Lanes)):
            lower_builtin(form, *pair)(lower)


for _op in sorted({*_SIGNED, *_FLOAT}, key=repr):
    _define(_op, _arithmetic, compares=False)
for _op in _COMPARE:
    _define(_op, _compare, compares=True)


@infer_global(operator.invert)
class _Invert(AbstractTemplate):
    def generic(self, args, kws):
        return signature(args[0], args[0]) if isinstance(args[0], Lanes) else None


@lower_builtin(operator.invert, Lanes)
def _invert(context, builder, sig, args):
    return builder.not_(args[0])


@infer_global(operator.neg)
class _Negate(AbstractTemplate):
    def generic(self, args, kws):
        return signature(args[0], args[0]) if isinstance(args[0], Lanes) else None


@lower_builtin(operator.neg, Lanes)
def _negate(context, builder, sig, args):
    return builder.fneg(args[0]) if isinstance(sig.return_type.dtype, types.Float) else builder.neg(args[0])


# ------------------------------------------------------------------ memory and masks


@intrinsic
def pointer(typingctx, array):
    """Where an array's data begins."""

    def lower(context, builder, sig, args):
        return context.make_array(sig.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), lower


def place_of(builder, base, index, vector):
    """Where in memory a vector begins."""
    where = builder.gep(base, [index])
    return builder.bitcast(where, ir.PointerType(vector))


@intrinsic
def load(typingctx, base, index, dtype):
    """32 words from ``base[index]`` on, taken as values of ``dtype``."""
    lanes = Lanes(dtype.dtype)

    def lower(context, builder, sig, args):
        return builder.load(place_of(builder, args[0], args[1], vector_type(lanes)), align=4)

    return lanes(base, types.int64, dtype), lower


@intrinsic
def store(typingctx, base, index, value):
    """Put values at ``base[index]`` and what follows."""

    def lower(context, builder, sig, args):
        builder.store(args[2], place_of(builder, args[0], args[1], args[2].type), align=4)
        return context.get_dummy_value()

    return types.void(base, types.int64, value), lower


@intrinsic
def bits(typingctx, lanes):
    """32 bools as the bits of a word."""

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], ir.IntType(32))

    return types.uint32(lanes), lower


@intrinsic
def lanes_of(typingctx, word):
    """The bits of a word as 32 bools."""

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], vector_type(sig.return_type))

    return Lanes(types.boolean)(types.uint32), lower


@intrinsic
def select(typingctx, which, a, b):
    """``a`` in the lanes where ``which`` holds, else ``b``."""
    lanes = _common((a, b))

    def lower(context, builder, sig, args):
        x, y = _widened(builder, lanes, signature(lanes, *sig.args[1:]), args[1:])
        return builder.select(args[0], x, y)

    return lanes(which, *_operands(lanes, (a, b))), lower


# ------------------------------------------------------------------ types


@intrinsic
def splat(typingctx, value, dtype):
    """32 times one number."""
    lanes = Lanes(dtype.dtype)

    def lower(context, builder, sig, args):
        return splatted(builder, lanes, args[0])

    return lanes(dtype.dtype, dtype), lower


@intrinsic
def view(typingctx, x, dtype):
    """The same bits as another type of the same size."""
    lanes = Lanes(dtype.dtype, x.count)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], vector_type(lanes))

    return lanes(x, dtype), lower


def _conversion(builder, old, new):
    """The builder's method from one type to another, or None where their bits are the same."""
    if isinstance(old, types.Float) and isinstance(new, types.Float):
        return None if old == new else builder.fpext if new == types.float64 else builder.fptrunc
    if isinstance(old, types.Float):
        return builder.fptosi if new.signed else builder.fptoui
    if isinstance(new, types.Float):
        return builder.sitofp if _is_signed(old) else builder.uitofp
    before, after = element_type(old).width, new.bitwidth
    if before == after:
        return None
    if before > after:
        return builder.trunc
    return builder.sext if _is_signed(old) else builder.zext


@intrinsic
def cast(typingctx, x, dtype):
    """Values converted: integers truncated or extended, floats rounded to nearest, bools to 0 and 1."""
    lanes = Lanes(dtype.dtype, x.count)

    def lower(context, builder, sig, args):
        convert = _conversion(builder, x.dtype, lanes.dtype)
        return args[0] if convert is None else convert(args[0], vector_type(lanes))

    return lanes(x, dtype), lower


# ------------------------------------------------------------------ LLVM's functions


def _call(builder, name, result, args):
    """Call an LLVM intrinsic overloaded by its result's type."""
    full = f"llvm.{name}.{mangled(result)}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [a.type for a in args]), full)
    return builder.call(function, args)


def mangled(vector):
    """A vector's type as it stands in the names of LLVM's functions."""
    kind = vector.element
    text = f"i{kind.width}" if isinstance(kind, ir.IntType) else "f32" if isinstance(kind, ir.FloatType) else "f64"
    return f"v{vector.count}{text}"


def _function(name, n, *flags):
    """An intrinsic of ``n`` Lanes of one type that gives the same type."""

    def lower(context, builder, sig, args):
        return _call(builder, name, args[0].type, [*args, *(ir.IntType(1)(f) for f in flags)])

    if n == 1:
        return intrinsic(lambda typingctx, x: (x(x), lower))
    if n == 2:
        return intrinsic(lambda typingctx, x, y: (x(x, y), lower))
    return intrinsic(lambda typingctx, x, y, z: (x(x, y, z), lower))


@intrinsic
def fma(typingctx, x, y, z):
    """``x * y + z``, of floats rounded once, whatever the processor has."""

    def lower(context, builder, sig, args):
        if isinstance(x.dtype, types.Float):
            return _call(builder, "fma", args[0].type, args)
        return builder.add(builder.mul(args[0], args[1]), args[2])

    return x(x, x, x), lower


sqrt = _function("sqrt", 1)
floor = _function("floor", 1)
ceil = _function("ceil", 1)
trunc = _function("trunc", 1)
rint = _function("roundeven", 1)
magnitude = _function("fabs", 1)
population = _function("ctpop", 1)
leading_zeros = _function("ctlz", 1, 0)
reversed_bits = _function("bitreverse", 1)
sum_saturated = _function("sadd.sat", 2)


@intrinsic
def saturated(typingctx, x, dtype):
    """Floats truncated to integers of ``dtype``, clamped to what it holds; NaN gives 0."""
    lanes = Lanes(dtype.dtype, x.count)

    def lower(context, builder, sig, args):
        result, kind = vector_type(lanes), "fptosi" if lanes.dtype.signed else "fptoui"
        full = f"llvm.{kind}.sat.{mangled(result)}.{mangled(args[0].type)}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [args[0].type]), full)
        return builder.call(function, [args[0]])

    return lanes(x, dtype), lower


@intrinsic
def raw(typingctx, x):
    """The bits of floats as signed integers of their size."""
    lanes = Lanes(types.int64 if x.dtype == types.float64 else types.int32, x.count)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], vector_type(lanes))

    return lanes(x), lower


@intrinsic
def cooked(typingctx, x):
    """What :func:`raw` took apart."""
    lanes = Lanes(types.float64 if x.dtype.bitwidth == 64 else types.float32, x.count)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], vector_type(lanes))

    return lanes(x), lower
