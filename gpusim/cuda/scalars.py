"""Scalar types of CUDA C++: their sizes, and what NumPy calls them."""

from __future__ import annotations

SCALARS = {
    "bool": 1, "char": 1, "short": 2, "int": 4, "long": 8, "long long": 8, "float": 4, "double": 8, "size_t": 8,
    "half": 2, "__half": 2, "__nv_bfloat16": 2, "nv_bfloat16": 2, "int8_t": 1, "int16_t": 2, "int32_t": 4,
    "int64_t": 8, "uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "uint": 4, "uchar": 1, "ushort": 2,
    "ulong": 8, "__nv_fp8_e4m3": 1, "__nv_fp8_e5m2": 1, "ptrdiff_t": 8, "intptr_t": 8, "uintptr_t": 8,
}  # fmt: skip
"""Bytes of each, without sign and qualifiers.  Source: CUDA C++ Programming Guide 13.0, 10.3, on 64-bit Linux."""
REAL = frozenset(("float", "double", "half", "__half"))
BFLOAT16 = frozenset(("__nv_bfloat16", "nv_bfloat16"))
_FLOATS = {
    "float": "float32", "double": "float64", "half": "float16", "__half": "float16", "bool": "bool",
    "__nv_bfloat16": "bfloat16", "nv_bfloat16": "bfloat16", "__nv_fp8_e4m3": "float8_e4m3fn",
    "__nv_fp8_e5m2": "float8_e5m2",
}  # fmt: skip
_UNSIGNED = frozenset(("size_t", "uint", "uchar", "ushort", "ulong", "uintptr_t"))


def plain(kind: str) -> str:
    """A type without qualifiers and sign.

    Examples
    --------
    >>> plain("const unsigned long")
    'long'
    """
    if not kind:
        return ""
    words = [word for word in kind.split() if word not in ("const", "volatile", "unsigned", "signed", "std::")]
    if words in ([], ["long", "int"], ["short", "int"], ["long", "long", "int"]):
        words = words[:-1] or ["int"]
    return " ".join(words).removeprefix("std::")


def is_unsigned(kind: str) -> bool:
    """Whether an integer type has no sign."""
    short = plain(kind)
    return "unsigned" in kind.split() or short in _UNSIGNED or short.startswith("uint")


def numpy_name(kind: str) -> str:
    """What NumPy calls a scalar type; empty where it is none.

    Examples
    --------
    >>> numpy_name("const unsigned int"), numpy_name("float"), numpy_name("Foo")
    ('uint32', 'float32', '')
    """
    short = plain(kind)
    if short not in SCALARS:
        return ""
    return _FLOATS.get(short) or f"{'uint' if is_unsigned(kind) else 'int'}{8 * SCALARS[short]}"
