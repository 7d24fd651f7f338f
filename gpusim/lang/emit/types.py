"""C++ types of element types, and literals."""

from __future__ import annotations

import math

from gpusim.lang.tree import Const, DType

NAMES = {
    DType.I32: "int",
    DType.U32: "unsigned",
    DType.F32: "float",
    DType.F16: "__half",
    DType.BF16: "__nv_bfloat16",
    DType.E4M3: "__nv_fp8_e4m3",
    DType.E5M2: "__nv_fp8_e5m2",
    DType.PRED: "bool",
}
HEADERS = {
    DType.F16: "cuda_fp16.h", DType.BF16: "cuda_bf16.h", DType.E4M3: "cuda_fp8.h", DType.E5M2: "cuda_fp8.h",
}  # fmt: skip
TO_FLOAT = {DType.F16: "__half2float", DType.BF16: "__bfloat162float", DType.E4M3: "float", DType.E5M2: "float"}
FROM_FLOAT = {
    DType.F16: "__float2half", DType.BF16: "__float2bfloat16", DType.E4M3: "__nv_fp8_e4m3", DType.E5M2: "__nv_fp8_e5m2",
}  # fmt: skip
VECTORS = {DType.I32: "int", DType.U32: "uint", DType.F32: "float"}
BITS = {2: "uchar2", 4: "unsigned", 8: "uint2", 16: "uint4"}


def vector(dtype: DType, count: int) -> str:
    """Type of ``count`` elements that move as one, such as ``float4``; of narrow types their bits.

    Examples
    --------
    >>> vector(DType.F32, 4), vector(DType.BF16, 8), vector(DType.F16, 2), vector(DType.E4M3, 2)
    ('float4', 'uint4', 'unsigned', 'uchar2')
    """
    return BITS[count * dtype.nbytes] if dtype.is_narrow else f"{VECTORS[dtype]}{count}"


def literal(c: Const) -> str:
    """A constant.

    Examples
    --------
    >>> literal(Const(0.1, DType.F32)), literal(Const(7, DType.U32)), literal(Const(1 << 31, DType.I32))
    ('0.1f', '7u', '(-2147483647 - 1)')
    """
    if c.dtype is DType.PRED:
        return "true" if c.value else "false"
    if c.dtype.is_float:
        return _real(float(c.value), c.dtype)
    bits = int(c.value) % (1 << 32)
    if c.dtype is DType.U32:
        return f"{bits}u"
    value = bits - (1 << 32) if bits >> 31 else bits
    return str(value) if value != -(1 << 31) else "(-2147483647 - 1)"


def _real(value: float, dtype: DType) -> str:
    if dtype.is_narrow:
        return f"{FROM_FLOAT[dtype]}({_real(value, DType.F32)})"
    if math.isnan(value):
        return "__int_as_float(0x7fffffff)"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}__int_as_float(0x7f800000)"
    text = repr(value)
    return f"{text if '.' in text or 'e' in text else text + '.0'}f"
