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


class Lanes(types.Type):
    """``count`` values of one type, bools as single bits."""

    def __init__(self, dtype, count=WIDTH):
        self.dtype, self.count = dtype, count
        super().__init__(f"Lanes({dtype}, {count})")


def _element(dtype):
    """LLVM type of one lane."""
    if dtype == types.boolean:
        return ir.IntType(1)
    if isinstance(dtype, types.Integer):
        return ir.IntType(dtype.bitwidth)
    return ir.FloatType() if dtype == types.float32 else ir.DoubleType()


def _vector(lanes):
    return ir.VectorType(_element(lanes.dtype), lanes.count)


@register_default(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _vector(fe_type))


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
    return [v if isinstance(t, Lanes) else _splat(builder, lanes, v) for t, v in zip(sig.args, args, strict=True)]


def _splat(builder, lanes, value):
    vector = _vector(lanes)
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


def _place(builder, base, index, vector):
    where = builder.gep(base, [index])
    return builder.bitcast(where, ir.PointerType(vector))


@intrinsic
def load(typingctx, base, index, dtype):
    """32 words from ``base[index]`` on, taken as values of ``dtype``."""
    lanes = Lanes(dtype.dtype)

    def lower(context, builder, sig, args):
        return builder.load(_place(builder, args[0], args[1], _vector(lanes)), align=4)

    return lanes(base, types.int64, dtype), lower


@intrinsic
def store(typingctx, base, index, value):
    """Put values at ``base[index]`` and what follows."""

    def lower(context, builder, sig, args):
        builder.store(args[2], _place(builder, args[0], args[1], args[2].type), align=4)
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
        return builder.bitcast(args[0], _vector(sig.return_type))

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
        return _splat(builder, lanes, args[0])

    return lanes(dtype.dtype, dtype), lower


@intrinsic
def view(typingctx, x, dtype):
    """The same bits as another type of the same size."""
    lanes = Lanes(dtype.dtype, x.count)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], _vector(lanes))

    return lanes(x, dtype), lower


def _conversion(builder, old, new):
    """The builder's method from one type to another, or None where their bits are the same."""
    if isinstance(old, types.Float) and isinstance(new, types.Float):
        return None if old == new else builder.fpext if new == types.float64 else builder.fptrunc
    if isinstance(old, types.Float):
        return builder.fptosi if new.signed else builder.fptoui
    if isinstance(new, types.Float):
        return builder.sitofp if _is_signed(old) else builder.uitofp
    before, after = _element(old).width, new.bitwidth
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
        return args[0] if convert is None else convert(args[0], _vector(lanes))

    return lanes(x, dtype), lower


# ------------------------------------------------------------------ LLVM's functions


def _call(builder, name, result, args):
    """Call an LLVM intrinsic overloaded by its result's type."""
    full = f"llvm.{name}.{_mangled(result)}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [a.type for a in args]), full)
    return builder.call(function, args)


def _mangled(vector):
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
        result, kind = _vector(lanes), "fptosi" if lanes.dtype.signed else "fptoui"
        full = f"llvm.{kind}.sat.{_mangled(result)}.{_mangled(args[0].type)}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [args[0].type]), full)
        return builder.call(function, [args[0]])

    return lanes(x, dtype), lower


@intrinsic
def raw(typingctx, x):
    """The bits of floats as signed integers of their size."""
    lanes = Lanes(types.int64 if x.dtype == types.float64 else types.int32, x.count)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], _vector(lanes))

    return lanes(x), lower


@intrinsic
def cooked(typingctx, x):
    """What :func:`raw` took apart."""
    lanes = Lanes(types.float64 if x.dtype.bitwidth == 64 else types.float32, x.count)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], _vector(lanes))

    return lanes(x), lower


# ------------------------------------------------------------------ lanes that change places


def _shuffle(builder, a, b, order):
    indices = ir.Constant(ir.VectorType(ir.IntType(32), len(order)), list(order))
    return builder.shuffle_vector(a, b, indices)


@intrinsic
def store_woven(typingctx, base, index, values):
    """Put the lanes of a tuple of 1, 2 or 4 Lanes in turn: lane 0 of each, lane 1 of each, ..."""

    def lower(context, builder, sig, args):
        parts = cgutils.unpack_tuple(builder, args[2])
        while len(parts) > 1:  # of four, the first with the third, the second with the fourth, then those two
            half, n = len(parts) // 2, parts[0].type.count
            order = [k // 2 + n * (k % 2) for k in range(2 * n)]
            parts = [_shuffle(builder, parts[k], parts[k + half], order) for k in range(half)]
        builder.store(parts[0], _place(builder, args[0], args[1], parts[0].type), align=4)
        return context.get_dummy_value()

    return types.void(base, types.int64, values), lower


@intrinsic
def store_columns(typingctx, base, index, step, value):
    """Lanes 4n + t, n = 0..7, as eight neighbours at ``base[index + t * step]``, for t = 0..3."""

    def lower(context, builder, sig, args):
        for t in range(4):
            column = _shuffle(builder, args[3], args[3], range(t, WIDTH, 4))
            where = builder.add(args[1], builder.mul(args[2], args[2].type(t)))
            builder.store(column, _place(builder, args[0], where, column.type), align=4)
        return context.get_dummy_value()

    return types.void(base, types.int64, types.int64, value), lower


def _alternate(first):
    """An intrinsic that loads every other of 64 values."""

    def load(typingctx, base, index):
        lanes = Lanes(base.dtype)

        def lower(context, builder, sig, args):
            both = ir.VectorType(_element(base.dtype), 2 * WIDTH)
            value = builder.load(_place(builder, args[0], args[1], both), align=4)
            return _shuffle(builder, value, value, range(first, 2 * WIDTH, 2))

        return lanes(base, types.int64), lower

    return intrinsic(load)


load_even, load_odd = _alternate(0), _alternate(1)


def _neighbours(count):
    """An intrinsic that loads so many values from ``base[index]`` on."""

    def load(typingctx, base, index):
        lanes = Lanes(base.dtype, count)

        def lower(context, builder, sig, args):
            align = base.dtype.bitwidth // 8
            return builder.load(_place(builder, args[0], args[1], _vector(lanes)), align=align)

        return lanes(base, types.int64), lower

    return intrinsic(load)


load_eight, load_sixteen = _neighbours(8), _neighbours(16)


def _permuted(builder, eight, places):
    """Values of a vector of eight at ``places``; LLVM knows this form for one instruction where the host has it."""
    number, found = ir.IntType(32), ir.Constant(eight.type, ir.Undefined)
    for k in range(8):
        value = builder.extract_element(eight, builder.extract_element(places, number(k)))
        found = builder.insert_element(found, value, number(k))
    return found


@intrinsic
def look_up(typingctx, base, index, places):
    """Values at ``base[index + k]`` for each ``k``, 0 to 15, of 16 Lanes of 64-bit integers."""

    def lower(context, builder, sig, args):
        eight = ir.VectorType(_element(base.dtype), 8)
        tables = [builder.add(args[1], args[1].type(n)) for n in (0, 8)]
        low, high = (builder.load(_place(builder, args[0], t, eight), align=8) for t in tables)
        found, most = [], ir.Constant(eight, [7] * 8)
        for first in (0, 8):
            k = _shuffle(builder, args[2], args[2], range(first, first + 8))
            within, upper = builder.and_(k, most), builder.icmp_signed(">", k, most)
            found.append(builder.select(upper, _permuted(builder, high, within), _permuted(builder, low, within)))
        return _shuffle(builder, *found, range(16))

    return places(base, types.int64, places), lower


@intrinsic
def numbers(typingctx, like):
    """0, 1, 2, ... of the type of other Lanes of integers."""

    def lower(context, builder, sig, args):
        return ir.Constant(args[0].type, list(range(like.count)))

    return like(like), lower


@intrinsic
def least(typingctx, x):
    """The least of signed integers."""

    def lower(context, builder, sig, args):
        name = f"llvm.vector.reduce.smin.{_mangled(args[0].type)}"
        kind = ir.FunctionType(args[0].type.element, [args[0].type])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)

    return x.dtype(x), lower


@intrinsic
def how_many(typingctx, which):
    """Lanes in which a bool holds."""

    def lower(context, builder, sig, args):
        word = builder.bitcast(args[0], ir.IntType(which.count))
        return builder.zext(builder.ctpop(word), ir.IntType(64))

    return types.int64(which), lower


@intrinsic
def splat_eight(typingctx, base, index):
    """Eight times the number at ``base[index]``."""
    lanes = Lanes(base.dtype, 8)

    def lower(context, builder, sig, args):
        return _splat(builder, lanes, builder.load(builder.gep(args[0], [args[1]]), align=4))

    return lanes(base, types.int64), lower


@intrinsic
def nothing(typingctx, base):
    """Eight zeros of the type of what ``base`` points to."""
    lanes = Lanes(base.dtype, 8)

    def lower(context, builder, sig, args):
        return ir.Constant(_vector(lanes), None)

    return lanes(base), lower


@intrinsic
def pointer_as(typingctx, base, dtype):
    """The same memory as values of another type."""
    kind = types.CPointer(dtype.dtype)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], context.get_value_type(kind))

    return kind(base, dtype), lower


F32, F64, I32, U32, I64, U64 = np.float32, np.float64, np.int32, np.uint32, np.int64, np.uint64
