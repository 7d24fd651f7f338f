"""Lanes that change places, and what is found among them: shuffles, tables, the least of sixteen."""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from gpusim.engine.compiling.lanes import (
    WIDTH,
    Lanes,
    element_type,
    mangled,
    place_of,
    splatted,
    vector_type,
)


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
        builder.store(parts[0], place_of(builder, args[0], args[1], parts[0].type), align=4)
        return context.get_dummy_value()

    return types.void(base, types.int64, values), lower


@intrinsic
def store_columns(typingctx, base, index, step, value):
    """Lanes 4n + t, n = 0..7, as eight neighbours at ``base[index + t * step]``, for t = 0..3."""

    def lower(context, builder, sig, args):
        for t in range(4):
            column = _shuffle(builder, args[3], args[3], range(t, WIDTH, 4))
            where = builder.add(args[1], builder.mul(args[2], args[2].type(t)))
            builder.store(column, place_of(builder, args[0], where, column.type), align=4)
        return context.get_dummy_value()

    return types.void(base, types.int64, types.int64, value), lower


def _alternate(first):
    """An intrinsic that loads every other of 64 values."""

    def load(typingctx, base, index):
        lanes = Lanes(base.dtype)

        def lower(context, builder, sig, args):
            both = ir.VectorType(element_type(base.dtype), 2 * WIDTH)
            value = builder.load(place_of(builder, args[0], args[1], both), align=4)
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
            return builder.load(place_of(builder, args[0], args[1], vector_type(lanes)), align=align)

        return lanes(base, types.int64), lower

    return intrinsic(load)


SIXTEEN = 16
"""Values that :func:`load_sixteen` gives, for whoever goes through more of them."""
load_eight, load_sixteen = _neighbours(8), _neighbours(SIXTEEN)


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
        eight = ir.VectorType(element_type(base.dtype), 8)
        tables = [builder.add(args[1], args[1].type(n)) for n in (0, 8)]
        low, high = (builder.load(place_of(builder, args[0], t, eight), align=8) for t in tables)
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
        name = f"llvm.vector.reduce.smin.{mangled(args[0].type)}"
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
        return splatted(builder, lanes, builder.load(builder.gep(args[0], [args[1]]), align=4))

    return lanes(base, types.int64), lower


@intrinsic
def nothing(typingctx, base):
    """Eight zeros of the type of what ``base`` points to."""
    lanes = Lanes(base.dtype, 8)

    def lower(context, builder, sig, args):
        return ir.Constant(vector_type(lanes), None)

    return lanes(base), lower


@intrinsic
def pointer_as(typingctx, base, dtype):
    """The same memory as values of another type."""
    kind = types.CPointer(dtype.dtype)

    def lower(context, builder, sig, args):
        return builder.bitcast(args[0], context.get_value_type(kind))

    return kind(base, dtype), lower
