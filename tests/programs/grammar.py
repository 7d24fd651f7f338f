# ruff: noqa: E501 (a template is a line)
"""What random programs are made of: for every theme, variables, expressions and statements.

``<u32>`` is an expression of that type, ``<=u32>`` a variable of it, ``<#7>`` a number from 0 to 7, ``<@>`` a number of
its own, ``<f>`` the number of the program.  Blocks of a statement are ``<*>``, ``<L>`` inside a loop, where ``break``
and ``continue`` may come, and ``<+>`` where all threads of the block that came here go on together.  A statement that
starts with ``together:`` is only for such a place, ``loop:`` for the body of a loop.

No expression is undefined: integers are added and multiplied without a sign, shifts and indices masked, divisors not 0,
floats are clamped before they become integers, and a NaN becomes one bit pattern before its bits are looked at
(``bits``, ``plain``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

Expressions = dict[str, list[str]]


@dataclass(frozen=True)
class Theme:
    """One area of CUDA.

    Attributes
    ----------
    variables : tuple of str
        Types of which programs of this theme have variables.
    expressions : dict
        By type; of variables and literals alone.
    inner : dict
        By type; that name what only a kernel has: its arguments, arrays, thread.
    statements : list of str
    headers : tuple of str
        CUDA's headers.
    least_arch : int
        Oldest architecture that has all of it.
    """

    variables: tuple[str, ...] = ()
    expressions: Expressions = field(default_factory=dict)
    inner: Expressions = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    headers: tuple[str, ...] = ()
    least_arch: int = 70


DECLARED = {
    "bool": "bool", "u32": "unsigned", "i32": "int", "u64": "u64", "i64": "long long", "u16": "unsigned short",
    "i8": "signed char", "f32": "float", "f64": "double", "h2": "__half2", "b2": "__nv_bfloat162", "v4": "uint4",
    "w4": "float4", "c4": "uchar4", "d2": "double2", "s4": "short4",
}  # fmt: skip
"""How C++ writes each type of a variable."""

FIRST = {
    "bool": "(in[{0}] & 1) != 0", "u32": "in[{0}]", "i32": "int(in[{0}])", "u64": "u64(in[{0}]) << 32 | in[{0} ^ 1]",
    "i64": "(long long)(u64(in[{0}]) << 32 | in[{0} ^ 1])", "u16": "(unsigned short)in[{0}]",
    "i8": "(signed char)in[{0}]", "f32": "__uint_as_float(in[{0}])", "f64": "double_of(in[{0}], in[{0} ^ 1])",
    "h2": "half2_of(in[{0}])", "b2": "bfloat2_of(in[{0}])",
    "v4": "((const uint4*)in)[{0} / 4]", "w4": "((const float4*)in)[{0} / 4]", "c4": "((const uchar4*)in)[{0}]",
    "d2": "((const double2*)in)[{0} / 4]", "s4": "((const short4*)in)[{0} / 2]",
}  # fmt: skip
"""What a variable starts with; 0: an index."""

BASIC = Theme(
    variables=("u32", "u32", "u32", "bool"),
    expressions={
        "bool": [
            "(<u32> < <u32>)", "(<u32> == <u32>)", "(<u32> >= <u32>)", "((<u32> & <#15>u) != 0)", "!<bool>",
            "(<bool> && <bool>)", "(<bool> || <bool>)", "(<bool> != <bool>)",
        ],
        "u32": [
            "(<u32> + <u32>)", "(<u32> - <u32>)", "(<u32> * <u32>)", "(<u32> & <u32>)", "(<u32> | <u32>)",
            "(<u32> ^ <u32>)", "(~<u32>)", "(-<u32>)", "(<u32> << (<u32> & 31))", "(<u32> >> (<u32> & 31))",
            "(<u32> << <#31>)", "(<u32> >> <#31>)", "(<bool> ? <u32> : <u32>)", "unsigned(<bool>)",
            "(<u32> * <#9>u + <u32>)",
        ],
    },
    inner={"u32": ["t", "lane", "threadIdx.x", "blockIdx.x", "in[<u32> & 255]", "__ldg(&in[<u32> & 255])"]},
    statements=[
        "if (<bool>) { <*> }", "if (<bool>) { <*> } else { <*> }", "if (<bool>) { <*> } else if (<bool>) { <*> }",
        "if (blockIdx.x & 1) { <+> } else { <+> }", "if (arg.u[<#3>] & <#7>u) { <+> }",
        "for (unsigned i<@> = 0; i<@> < <#4>u + 1; ++i<@>) { <+> }",
        "for (unsigned i<@> = 0; i<@> < (<u32> & 7); ++i<@>) { <L> }",
        "for (unsigned i<@> = 7; i<@>-- > (<u32> & 3);) { <L> }",
        "{ unsigned i<@> = 0; while (i<@> < 6 && <bool>) { ++i<@>; <L> } }",
        "{ unsigned i<@> = 0; do { ++i<@>; <L> } while (i<@> < 5 && <bool>); }",
        "switch (<u32> & 7) { case 0: <*> break; case 1: <*>; case 2: case 3: <*> break; case 6: <*> break; default: <*>; }",
        "switch (<u32> % 5) { case 0: <*> break; case 1: <*> break; case 2: <*> break; case 3: <*> break; }",
        "loop: if (<bool>) break;", "loop: if (<bool>) continue;", "loop: if (<bool>) { <*> break; }",
    ],
)  # fmt: skip

INTEGER = Theme(
    variables=("i32", "u16", "i8"),
    expressions={
        "bool": ["(<i32> < <i32>)", "(<i32> <= <#40>)", "(<i32> > <i32>)", "(<u16> > <u16>)", "(<i8> < <i8>)"],
        "i32": [
            "int(<u32>)", "(<i32> >> (<u32> & 31))", "(<i32> >> <#31>)", "(<i32> / (<#30> + 1))", "(<i32> % (<#30> + 1))",
            "(<i32> / int(<u32> >> 8 | 1))", "(<i32> % int(<u32> >> 3 | 1))", "min(<i32>, <i32>)", "max(<i32>, <i32>)",
            "abs(<i32> >> 1)", "__mulhi(<i32>, <i32>)", "__mul24(<i32> >> 16, <i32> >> 17)", "__hadd(<i32>, <i32>)",
            "__rhadd(<i32>, <i32>)", "__dp4a(<i32>, <i32>, <i32>)", "__dp2a_lo(<i32>, <i32>, <i32>)",
            "__dp2a_hi(<i32>, <i32>, <i32>)", "(<bool> ? <i32> : <i32>)", "int(short(<u32>))", "int(<i8>)", "int(<u16>)",
            "max(min(<i32>, 100), -100)", "(int(<u32> << 8) >> 24)", "(int(<u32> << <#31>) >> <#31>)",
            "(<i32> / -8)", "(<i32> % 1000)", "(<i32> < 0 ? -1 : 1)",
        ],
        "u32": [
            "unsigned(<i32>)", "(<u32> / (<#99>u + 1))", "(<u32> % (<#99>u + 1))", "(<u32> / (<u32> | 1))",
            "(<u32> % (<u32> | 1))", "min(<u32>, <u32>)", "max(<u32>, <u32>)", "unsigned(__popc(<u32>))",
            "unsigned(__clz(int(<u32>)))", "unsigned(__clz(int(~<u32>)))", "unsigned(__ffs(int(<u32>)))",
            "unsigned(__popc(~<u32>))", "__brev(<u32>)", "__brev(~<u32>)",
            "__byte_perm(<u32>, <u32>, <u32>)", "__byte_perm(<u32>, <u32>, 0x5410)", "__byte_perm(<u32>, 0, 0x4321)",
            "__funnelshift_l(<u32>, <u32>, <u32>)", "__funnelshift_r(<u32>, <u32>, <u32>)",
            "__funnelshift_lc(<u32>, <u32>, <u32> & 63)", "__funnelshift_rc(<u32>, <u32>, <u32> & 63)",
            "__funnelshift_l(<u32>, <u32>, <#31>)", "__umulhi(<u32>, <u32>)", "__umul24(<u32> >> 16, <u32> & 0xffffu)",
            "__sad(<i32>, <i32>, <u32>)", "__usad(<u32>, <u32>, <u32>)", "__uhadd(<u32>, <u32>)",
            "__urhadd(<u32>, <u32>)", "__dp4a(<u32>, <u32>, <u32>)", "__dp2a_lo(<u32>, <u32>, <u32>)",
            "__dp2a_hi(<u32>, <u32>, <u32>)", "(<u32> >> <#31> & ((1u << <#16>) - 1))", "unsigned(<u16>)",
            "unsigned(<i8>)", "(<u32> & 0xff00ff00u | <u32> & 0x00ff00ffu)", "(<u32> & ~<u32>)",
            "(<i32> > <i32> ? <u32> : 0u)", "((<u32> << 5) + <u32>)",
        ],
        "u16": ["(unsigned short)<u32>", "(unsigned short)(<u16> + <u16>)", "(unsigned short)(<u16> * <u16>)"],
        "i8": ["(signed char)<u32>", "(signed char)(<i8> * <i8>)", "(signed char)(<i8> >> <#7>)"],
    },
)  # fmt: skip

PIECES = Theme(
    expressions={
        "u32": [
            *(f"{name}(<u32>, <u32>)" for name in (
                "__vadd4", "__vsub4", "__vaddss2", "__vaddss4", "__vaddus2", "__vaddus4",
                "__vsubss2", "__vsubus4", "__vabsdiffu2", "__vavgu4", "__vhaddu2",
                "__vmaxu4", "__vmins4", "__vmaxs2", "__vminu2", "__vcmpeq4", "__vcmpltu4", "__vcmpgts2", "__vcmpleu2",
                "__vseteq2", "__vsetgtu4", "__vimax_s16x2_relu",
            )),
            *(f"{name}(<u32>, <u32>, <u32>)" for name in (
                "__vimax3_s16x2", "__vimin3_u16x2", "__viaddmax_s16x2_relu", "__viaddmin_u16x2", "__viaddmin_u32",
            )),
            # Not of a constant, which ptxas 13.0 takes for 0 where only the lower half of the result is read.
            "__vadd2(<u32>, <u32> ^ threadIdx.x)", "__vsub2(<u32>, <u32> ^ threadIdx.x)",
            # Plus lest g++ takes int(x) for a declaration; halves, for a sum that overflows is not defined.
            *(f"unsigned({name}(int(+<u32>) >> 1, int(+<u32>) >> 1, int(+<u32>)))" for name in (
                "__viaddmax_s32", "__viaddmin_s32_relu",
            )),
            # Not of -x in the middle, whose sign ptxas 13.0 loses in a VIMNMX3.
            "__vimin3_u32(<u32>, <u32> ^ 2u, <u32>)",
            *(f"unsigned({name}(int(+<u32>), int(<u32> ^ 2u), int(+<u32>)))" for name in (
                "__vimax3_s32", "__vimin3_s32_relu",
            )),
            "__vneg4(<u32>)", "__vabs2(<u32> & 0x7fff7fffu)",
        ],
    },
)  # fmt: skip

BYTES = Theme(
    # For sm_80 ptxas 13.0 writes VABSDIFF4 of Rn where it means URn.
    least_arch=90,
    expressions={
        "u32": [
            *(f"{name}(<u32>, <u32>)" for name in ("__vabsdiffu4", "__vabsdiffs4", "__vsadu4", "__vsads4")),
            "__vabs4(<u32> & 0x7f7f7f7fu)",
        ],
    },
)  # fmt: skip

WIDE = Theme(
    variables=("u64", "u64", "i64"),
    expressions={
        "bool": ["(<u64> < <u64>)", "(<i64> < <i64>)", "(<u64> == <u64>)", "(<i64> >= <i64>)", "(<u64> != 0)"],
        "u64": [
            "u64(<u32>)", "u64(<i64>)", "(u64(<u32>) << 32 | <u32>)", "(<u64> + <u64>)", "(<u64> - <u64>)",
            "(<u64> * <u64>)", "(<u64> & <u64>)", "(<u64> ^ <u64>)", "(<u64> | <u64>)", "(~<u64>)", "(-<u64>)",
            "(<u64> << (<u32> & 63))", "(<u64> >> (<u32> & 63))", "(<u64> << <#63>)", "(<u64> >> <#63>)",
            "(<u64> / (<u64> | 1))", "(<u64> % (<u64> | 1))", "(<u64> / (<#99>ull + 1))", "(<u64> % 1000003ull)",
            "__umul64hi(<u64>, <u64>)", "__brevll(<u64>)", "(<bool> ? <u64> : <u64>)", "(u64(<u32>) * <u32>)",
            "(u64(<u32>) * <u32> + <u64>)", "min(<u64>, <u64>)", "max(<u64>, <u64>)", "(<u64> + <u32>)",
            "(<u64> * <#99>ull + <u64>)",
        ],
        "i64": [
            "(long long)<u64>", "(long long)int(<u32>)", "(<i64> >> (<u32> & 63))", "(<i64> >> <#63>)",
            "(<i64> / (long long)(<u64> >> 8 | 1))", "(<i64> % (<#99>ll + 1))", "__mul64hi(<i64>, <i64>)",
            "((long long)int(<u32>) * int(<u32>))", "min(<i64>, <i64>)", "max(<i64>, <i64>)",
            "(<bool> ? <i64> : <i64>)", "((long long)int(<u32>) * int(<u32>) + (<i64> >> 2))",
        ],
        "u32": [
            "unsigned(<u64>)", "unsigned(<u64> >> 32)", "unsigned(__popcll(<u64>))",
            "unsigned(__clzll((long long)<u64>))", "unsigned(__ffsll((long long)<u64>))", "unsigned(<i64>)",
        ],
    },
)  # fmt: skip

DIRECTED = ("rn", "rz", "ru", "rd")
FLOAT = Theme(
    variables=("f32", "f32", "f32"),
    expressions={
        "bool": [
            "(<f32> < <f32>)", "(<f32> <= <f32>)", "(<f32> == <f32>)", "(<f32> != <f32>)", "!(<f32> > <f32>)",
            "!(<f32> >= <f32>)", "(<f32> != <f32> || <f32> > 1.0f)", "(fabsf(<f32>) < 2.0f)",
        ],
        "f32": [
            "ADD(<f32>, <f32>)", "SUB(<f32>, <f32>)", "MUL(<f32>, <f32>)", "DIV(<f32>, <f32>)", "(-<f32>)",
            "fabsf(<f32>)", "(-fabsf(<f32>))", "fmaf(<f32>, <f32>, <f32>)", "fmaf(-<f32>, <f32>, <f32>)",
            "fmaf(<f32>, <f32>, -<f32>)", "fminf(<f32>, <f32>)", "fmaxf(<f32>, <f32>)", "sqrtf(fabsf(<f32>))",
            "sqrtf(<f32>)", "floorf(<f32>)", "ceilf(<f32>)", "truncf(<f32>)", "rintf(<f32>)", "float(<u32>)",
            "float(int(<u32>))", "(<bool> ? <f32> : <f32>)", "__saturatef(<f32>)", "DIV(<f32>, 3.0f)",
            "MUL(<f32>, 0.3333f)", "ADD(<f32>, 1e-40f)", "__uint_as_float(<u32>)", "copysignf(<f32>, plain(<f32>))",
            "ADD(<f32>, fabsf(<f32>))", "MUL(-<f32>, <f32>)", "fminf(-<f32>, fabsf(<f32>))", "DIV(1.0f, <f32>)",
            *(f"__f{name}_{how}({', '.join(['<f32>'] * n)})" for how in DIRECTED for name, n in (
                ("add", 2), ("sub", 2), ("mul", 2), ("div", 2), ("maf", 3), ("rcp", 1), ("sqrt", 1),
            )),
            *(f"__int2float_{how}(int(<u32>))" for how in DIRECTED),
            *(f"__uint2float_{how}(<u32>)" for how in DIRECTED),
        ],
        "u32": [
            "bits(<f32>)", "unsigned(fminf(fmaxf(<f32>, 0.0f), 4e9f))", "unsigned(int(fminf(fmaxf(<f32>, -2e9f), 2e9f)))",
            *(f"unsigned(__float2int_{how}(number(<f32>)))" for how in DIRECTED),
            *(f"__float2uint_{how}(number(<f32>))" for how in DIRECTED),
            "unsigned(<f32> < <f32>)",
        ],
    },
)  # fmt: skip

DOUBLE = Theme(
    variables=("f64", "f64"),
    expressions={
        "bool": ["(<f64> < <f64>)", "(<f64> == <f64>)", "(<f64> != <f64>)", "!(<f64> >= <f64>)", "(fabs(<f64>) < 3.5)"],
        "f64": [
            "ADD(<f64>, <f64>)", "SUB(<f64>, <f64>)", "MUL(<f64>, <f64>)", "DIV(<f64>, <f64>)", "(-<f64>)",
            "fabs(<f64>)", "fma(<f64>, <f64>, <f64>)", "fma(-<f64>, <f64>, <f64>)",
            # Which zero is the lesser one is left open.
            "ADD(fmin(<f64>, <f64>), 0.0)", "ADD(fmax(<f64>, <f64>), 0.0)", "sqrt(fabs(<f64>))", "floor(<f64>)", "ceil(<f64>)", "trunc(<f64>)", "rint(<f64>)",
            "double(<u32>)", "double(int(<u32>))", "(<bool> ? <f64> : <f64>)", "DIV(<f64>, 4.120347)",
            "DIV(<f64>, 1e300)", "DIV(1.0, <f64>)", "DIV(<f64>, 3.0)", "MUL(<f64>, 1e-310)", "ADD(<f64>, 0.1)",
            "double_of(<u32>, <u32>)", "double(__uint_as_float(<u32>))", "MUL(-<f64>, fabs(<f64>))",
            "sqrt(<f64>)", "copysign(<f64>, plain(<f64>))",
            *(f"__{name}_{how}({', '.join(['<f64>'] * n)})" for how in DIRECTED for name, n in (
                ("dadd", 2), ("dsub", 2), ("dmul", 2), ("ddiv", 2), ("fma", 3), ("drcp", 1), ("dsqrt", 1),
            )),
        ],
        "u32": [
            "bits(<f64>)", "unsigned(__double2hiint(plain(<f64>)))", "unsigned(__double2loint(plain(<f64>)))",
            "bits(float(<f64>))", *(f"bits(__double2float_{how}(<f64>))" for how in DIRECTED),
            *(f"unsigned(__double2int_{how}(number(<f64>)))" for how in DIRECTED),
            *(f"__double2uint_{how}(number(<f64>))" for how in DIRECTED),
            *(f"unsigned(__double2ll_{how}(number(<f64>)) >> 7)" for how in DIRECTED),
            *(f"unsigned(__double2ull_{how}(number(<f64>)) >> 7)" for how in DIRECTED),
        ],
    },
)  # fmt: skip

BETWEEN = Theme(
    variables=("f32", "f64", "u64"),
    expressions={
        "f32": [
            "float(<f64>)", *(f"__double2float_{how}(<f64>)" for how in DIRECTED), "float(<u64>)",
            "float((long long)<u64>)", *(f"__ll2float_{how}((long long)<u64>)" for how in DIRECTED),
            *(f"__ull2float_{how}(<u64>)" for how in DIRECTED), "float(short(<u32>))", "float((unsigned char)<u32>)",
            "float((signed char)(<u32> >> 8))", "float((unsigned short)(<u32> >> 16))", "float((<u32> >> 16) & 255)",
        ],
        "f64": [
            "double(<f32>)", "double(<u64>)", "double((long long)<u64>)",
            *(f"__ll2double_{how}((long long)<u64>)" for how in DIRECTED),
            *(f"__ull2double_{how}(<u64>)" for how in DIRECTED), "double((signed char)<u32>)", "double(short(<u32>))",
        ],
        "u64": [
            *(f"u64(__float2ll_{how}(number(<f32>)))" for how in DIRECTED),
            *(f"__float2ull_{how}(number(<f32>))" for how in DIRECTED),
            *(f"u64(__double2ll_{how}(number(<f64>)))" for how in DIRECTED),
            *(f"__double2ull_{how}(number(<f64>))" for how in DIRECTED),
            "u64(__double_as_longlong(plain(<f64>)))", "u64(<u32>)", "(<u64> ^ <u64> >> 7)",
        ],
        "u32": [
            "unsigned(<u64> >> 20)", "unsigned((signed char)(fminf(fmaxf(<f32>, -128.0f), 127.0f)))",
            "unsigned((unsigned char)(fminf(fmaxf(<f32>, 0.0f), 255.0f)))",
            "unsigned(short(fminf(fmaxf(<f32>, -32768.0f), 32767.0f)))",
            "unsigned((unsigned short)(fminf(fmaxf(<f32>, 0.0f), 65535.0f)))",
            "unsigned(short(fmin(fmax(<f64>, -32768.0), 32767.0)))",
        ],
    },
)  # fmt: skip


def _pairs(t: str) -> list[str]:
    """Expressions that fp16 and bf16 pairs have in common."""
    two = ("__hmin2", "__hmax2", "__hmin2_nan", "__hmax2_nan", "__hadd2_sat", "__hmul2_sat")
    three = ("__hfma2", "__hfma2_sat", "__hfma2_relu")
    compared = [
        f"__h{name}2(<{t}>, <{t}>)" for name in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "gtu")
    ]
    return [
        *(f"{name}(<{t}>, <{t}>)" for name in ("HADD2", "HSUB2", "HMUL2")),
        *(f"{name}(<{t}>, <{t}>)" for name in two), *(f"{name}(<{t}>, <{t}>, <{t}>)" for name in three),
        *(f"{name}(<{t}>)" for name in ("__hneg2", "__habs2", "h2floor", "h2ceil", "h2trunc", "h2rint")),
        *compared, f"(<bool> ? <{t}> : <{t}>)", f"__hfma2(__hneg2(<{t}>), <{t}>, __habs2(<{t}>))",
        f"HADD2(__habs2(<{t}>), __hneg2(<{t}>))",
    ]  # fmt: skip


HALF = Theme(
    variables=("h2", "h2"),
    expressions={
        "h2": [
            *_pairs("h2"), "half2_of(<u32>)", "__halves2half2(__low2half(<h2>), __high2half(<h2>))",
            "__half2half2(__low2half(<h2>))", "__half2half2(__high2half(<h2>))", "__lowhigh2highlow(<h2>)",
            "__lows2half2(<h2>, <h2>)", "__highs2half2(<h2>, <h2>)", "__half2half2(__int2half_rn(int(<u32>) >> 14))",
            "__half2half2(__short2half_rn(short(<u32>)))", "__half2half2(__uint2half_rz(<u32> >> 15))",
            "__halves2half2(__float2half_rn(float(<u32> & 0xffff)), __float2half_rz(float(int(<u32>)) / 65536.0f))",
            # Not of a bare 0 or 1: ptxas 13.0 takes __float2half_rd(__uint_as_float(unsigned(b))) for b ? 1.0 : 0.0.
            "__halves2half2(__float2half_ru(float(int(<u32>))), __float2half_rd(__uint_as_float(<u32> ^ 0x33000000u)))",
            "__floats2half2_rn(__uint_as_float(<u32> ^ 0x33000000u), float(int(<u32>)))",
        ],
        "bool": [
            *(f"__hb{name}2(<h2>, <h2>)" for name in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "gtu")),
            *(f"__h{name}(__low2half(<h2>), __high2half(<h2>))" for name in ("eq", "ne", "lt", "le", "gt", "ge", "neu")),
            "__hisnan(__high2half(<h2>))",
        ],
        "u32": [
            "bits(<h2>)", *(f"__h{name}2_mask(<h2>, <h2>)" for name in ("eq", "ne", "lt", "le", "gt", "ge", "neu")),
            "bits(__half22float2(<h2>).x)", "bits(__half22float2(<h2>).y)",
            "unsigned(__half2int_rz(number(__low2half(<h2>))))", "unsigned(__half2int_rn(number(__high2half(<h2>))))",
            "__half2uint_rd(number(__low2half(<h2>)))", "unsigned(__half2short_rz(number(__high2half(<h2>))))",
            "unsigned(__half2ushort_rn(number(__low2half(<h2>))))", "unsigned(__half2ll_rz(number(__low2half(<h2>))))",
        ],
    },
    headers=("cuda_fp16.h",),
    least_arch=80,
)  # fmt: skip

BRAIN = Theme(
    variables=("b2", "b2"),
    expressions={
        "b2": [
            *_pairs("b2"), "bfloat2_of(<u32>)", "__bfloat162bfloat162(__low2bfloat16(<b2>))",
            "__halves2bfloat162(__high2bfloat16(<b2>), __low2bfloat16(<b2>))",
            "__floats2bfloat162_rn(__uint_as_float(<u32> ^ 0x33000000u), float(int(<u32>)))",
            "__bfloat162bfloat162(__float2bfloat16_rn(__uint_as_float(<u32> ^ 0x33000000u)))",
            "__bfloat162bfloat162(__float2bfloat16_rz(float(<u32>)))", "__bfloat162bfloat162(__int2bfloat16_rn(int(<u32>)))",
        ],
        "bool": [
            *(f"__hb{name}2(<b2>, <b2>)" for name in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "gtu")),
            *(f"__h{name}(__low2bfloat16(<b2>), __high2bfloat16(<b2>))" for name in ("eq", "ne", "lt", "ge")),
        ],
        "u32": [
            "bits(<b2>)", *(f"__h{name}2_mask(<b2>, <b2>)" for name in ("eq", "lt", "ge", "neu")),
            "bits(__bfloat1622float2(<b2>).x)", "bits(__bfloat1622float2(<b2>).y)",
            "unsigned(__bfloat162int_rz(number(__low2bfloat16(<b2>))))",
        ],
    },
    headers=("cuda_fp16.h", "cuda_bf16.h"),
    least_arch=80,
)  # fmt: skip

OCTETS = Theme(
    expressions={
        "u32": [
            *(f"octet(__nv_cvt_float_to_fp8(__uint_as_float(<u32>), __NV_SATFINITE, __NV_{kind}), __NV_{kind})"
              for kind in ("E4M3", "E5M2")),
            *(f"octet(__nv_cvt_float_to_fp8(float(int(<u32>)) / 4194304.0f, __NV_SATFINITE, __NV_{kind}), __NV_{kind})"
              for kind in ("E4M3", "E5M2")),
            *(f"unsigned(__nv_cvt_float2_to_fp8x2(make_float2(number(__uint_as_float(<u32>)), float(<u32> & 511) / 8.0f), "
              f"__NV_SATFINITE, __NV_{kind}))" for kind in ("E4M3", "E5M2")),
            *(f"half_bits(__nv_cvt_fp8_to_halfraw((unsigned char)<u32>, __NV_{kind}).x)" for kind in ("E4M3", "E5M2")),
            *(f"half_bits(__nv_cvt_fp8x2_to_halfraw2((unsigned short)<u32>, __NV_{kind}).y)" for kind in ("E4M3", "E5M2")),
            *(f"octet(__nv_cvt_halfraw_to_fp8(raw_half(<u32>), __NV_SATFINITE, __NV_{kind}), __NV_{kind})"
              for kind in ("E4M3", "E5M2")),
            *(f"octet(__nv_cvt_double_to_fp8(double(int(<u32>)) / 16777216.0, __NV_SATFINITE, __NV_{kind}), __NV_{kind})"
              for kind in ("E4M3", "E5M2")),
        ],
    },
    headers=("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"),
    least_arch=80,
)  # fmt: skip

VECTOR = Theme(
    variables=("v4", "w4", "c4", "s4"),
    expressions={
        "v4": ["make_uint4(<u32>, <u32>, <u32>, <u32>)", "(<bool> ? <v4> : <v4>)"],
        "w4": ["make_float4(float(<u32>), __uint_as_float(<u32>), float(int(<u32>)), 0.5f)", "(<bool> ? <w4> : <w4>)"],
        "c4": ["make_uchar4(<u32>, <u32>, <u32>, <u32>)"],
        "s4": ["make_short4(short(<u32>), short(<u32>), short(<u32> >> 16), short(<u32>))"],
        "u32": [
            "<v4>.x", "<v4>.w", "<v4>.y", "unsigned(<c4>.x)", "unsigned(<c4>.z)", "unsigned(<c4>.w)", "unsigned(<s4>.y)",
            "unsigned(<s4>.w)", "bits(<w4>.x)", "bits(<w4>.z)", "bits(ADD(<w4>.x, <w4>.y))",
        ],
    },
    inner={
        "v4": ["((const uint4*)in)[<u32> & 63]", "__ldg((const uint4*)in + (<u32> & 63))"],
        "w4": ["((const float4*)in)[<u32> & 63]"],
        "c4": ["((const uchar4*)in)[<u32> & 255]", "own->c"],
        "s4": ["((const short4*)in)[<u32> & 127]"],
        "u32": ["unsigned(((const unsigned char*)in)[<u32> & 1023])", "unsigned(((const signed char*)in)[<u32> & 1023])",
                "unsigned(((const short*)in)[<u32> & 511])", "unsigned(own->bytes[<u32> & 15])", "own->v.y"],
    },
    statements=[
        "<=v4>.y = <u32>;", "<=v4>.z ^= <u32>;", "<=w4>.y = __uint_as_float(<u32>);", "<=c4>.y = <u32>;",
        "<=s4>.z = short(<u32>);", "own->v = <v4>;", "own->w = plain4(<w4>);", "own->c = <c4>;", "own->s = <s4>;",
        "own->bytes[<u32> & 15] = (unsigned char)<u32>;", "own->shorts[<u32> & 7] = (unsigned short)<u32>;",
        "own->v.z = <u32>;",
    ],
)  # fmt: skip

UNION = Theme(
    expressions={},
    inner={
        "u32": ["un.w[<u32> & 3]", "un.w[<#3>]", "unsigned(un.h[<u32> & 7])", "unsigned(un.b[<u32> & 15])",
                "unsigned(un.q[<#1>] >> 16)", "unsigned(un.c[<#15>])", "un.p.low", "unsigned(un.p.part)", "unsigned(un.p.sign)"],
    },
    statements=[
        "un.w[<u32> & 3] = <u32>;", "un.h[<u32> & 7] = (unsigned short)<u32>;", "un.b[<u32> & 15] = (unsigned char)<u32>;",
        "un.q[<u32> & 1] = u64(<u32>) << 24;", "un.w[<#3>] ^= <u32>;", "un.b[<#15>] += (unsigned char)<u32>;",
        "un.p.part = <u32>;", "un.p.sign = int(<u32>) >> 25;",
    ],
)  # fmt: skip

LOCAL = Theme(
    inner={
        "u32": ["loc[<u32> & 7]", "loc[<#7>]", "unsigned(locd[<u32> & 3])", "unsigned(locb[<u32> & 15])"],
    },
    statements=[
        "loc[<u32> & 7] = <u32>;", "loc[<#7>] += <u32>;", "locd[<u32> & 3] = double(<u32>);",
        "locb[<u32> & 15] = (unsigned char)<u32>;",
        "for (unsigned i<@> = 0; i<@> < 8; ++i<@>) loc[i<@>] = loc[(i<@> + <#7>) & 7] * 3 + <u32>;",
        "{ unsigned* p<@> = <bool> ? &loc[<u32> & 7] : &own->a; *p<@> += <u32>; }",
        "{ struct Part part<@> = own->part; part<@>.b ^= <u32>; part<@>.d = double(part<@>.b); own->part = part<@>; }",
    ],
)  # fmt: skip

CONSTANT = Theme(
    inner={
        "u32": [
            "table<f>[<u32> & 15]", "table<f>[<#15>]", "bits(weights<f>[<u32> & 3])", "bits(weights<f>[<#3>])",
            "unsigned(octets<f>[<u32> & 7])", "arg.u[<#3>]", "arg.u[<u32> & 3]", "bits(arg.f[<#1>])", "bits(arg.d)",
            "unsigned(arg.q)", "unsigned(arg.q >> 32)", "unsigned(arg.c[<u32> & 3])", "unsigned(arg.s)",
            "(<u32> * arg.u[<#3>] + arg.u[<#3>])", "(arg.u[<#3>] - <u32>)", "(<u32> & ~arg.u[<#3>])",
            "unsigned(arg.q * <u32> >> 9)", "bits(ADD(arg.f[0], float(<u32>)))", "bits(fmaf(arg.f[1], -arg.f[0], 1.0f))",
            "bits(MUL(arg.d, double(<u32>)))", "bits(DIV(arg.d, wide<f>[<#1>]))", "bits(wide<f>[<u32> & 1])",
            "unsigned(__clz(int(arg.u[<#3>])))", "unsigned(int(arg.u[<#3>]) / 7)", "unsigned(int(arg.q >> 3) >> <#31>)",
            "__funnelshift_l(<u32>, arg.u[<#3>], <#31>)", "min(arg.u[<#3>], <u32>)", "(<u32> << (arg.u[<#3>] & 31))",
            "device<f>[<u32> & 7]",
        ],
    },
)  # fmt: skip

CALLS = Theme(
    inner={
        "u32": [
            "one<f>(<u32>, <u32>)", "two<f>(<u32>, <u32>)", "deep<f>(<u32> & 7, <u32>)", "tree<f>(<u32> & 3, <u32>)",
            "chosen<f>[<u32> & 3](<u32>, <u32>)", "bits(real<f>(double(<u32>), <u32>))", "paired<f>(<u32>, <u32>).y",
            "even<f>(<u32> & 15)",
        ],
    },
    statements=["{ Function p<@> = <bool> ? one<f> : two<f>; <=u32> = p<@>(<u32>, <u32>); }",
                "change<f>(&<=u32>, <u32>);"],
)  # fmt: skip

GROUPED = [
    "__ballot_sync(GROUP(<#3>), <bool>)", "unsigned(__any_sync(GROUP(<#3>), <bool>))",
    "unsigned(__all_sync(GROUP(<#3>), <bool>))", "__match_any_sync(GROUP(<#3>), <u32> & <#7>u)",
    *(f"__reduce_{name}_sync(GROUP(<#3>), <u32>)" for name in ("add", "max", "xor")),
    "__shfl_xor_sync(GROUP(<#3>), <u32>, 1)",
]  # fmt: skip
"""Of groups of lanes, each with a mask of its own.  What they give goes to memory, for ptxas 13.0 takes the BSSY and
the BSYNC away around a WARPSYNC.EXCLUSIVE after which nothing is needed, and takes the warp for whole after it."""

WARP = Theme(
    expressions={},
    inner={"u32": ["(lane * <#9>u)"]},
    statements=[
        "together: <=u32> = __shfl_sync(LANES, <u32>, <u32> & 31);",
        "together: <=u32> = __shfl_sync(LANES, <u32>, <#31>);",
        *(f"together: <=u32> = __shfl_{how}_sync(LANES, <u32>, <#31>{width});" for how in ("up", "down", "xor")
          for width in ("", ", 16", ", 4", ", 8")),
        "together: <=u32> = __shfl_sync(LANES, <u32>, <u32>, 8);",
        "together: <=u32> += __shfl_down_sync(LANES, <u32>, <u32> & 31);",
        "together: <=u32> = unsigned(__shfl_xor_sync(LANES, u64(<u32>) * <u32>, <#31>) >> 16);",
        "together: <=u32> = bits(__shfl_up_sync(LANES, plain(__uint_as_float(<u32>)), <#31>));",
        "together: <=u32> = bits(__shfl_sync(LANES, double(<u32>), <#31>));",
        "together: <=u32> = __ballot_sync(LANES, <bool>);",
        "together: <=bool> = __any_sync(LANES, <bool>);", "together: <=bool> = __all_sync(LANES, <bool>);",
        "together: if (__any_sync(LANES, <bool>)) { <*> }",
        "together: <=u32> = __match_any_sync(LANES, <u32> & <#7>u);",
        "together: <=u32> ^= __match_any_sync(LANES, u64(<u32> & 3) << 33);",
        "together: { int agree<@>; <=u32> = __match_all_sync(LANES, <u32> & <#1>u, &agree<@>) + unsigned(agree<@>); }",
        *(f"together: <=u32> = __reduce_{name}_sync(LANES, <u32>);" for name in ("add", "min", "max", "and", "or", "xor")),
        *(f"together: <=u32> = unsigned(__reduce_{name}_sync(LANES, int(<u32>)));" for name in ("add", "min", "max")),
        "together: __syncwarp();",
        *(f"together: {{ const unsigned r<@> = {one}; atomicXor(&g->odd[<#15>], r<@> * (lane + 1)); <=u32> = r<@>; }}"
          for one in GROUPED),
        "together: __syncwarp(GROUP(<#3>));",
        ("together: { const unsigned m<@> = __match_any_sync(LANES, <u32> & <#7>u), r<@> = __reduce_add_sync(m<@>, <u32>) ^ "
        "__ballot_sync(m<@>, <bool>) ^ __shfl_sync(m<@>, <u32>, __ffs(int(m<@>)) - 1); "
        "atomicXor(&g->odd[<#15>], r<@> * (lane + 1)); <=u32> = r<@>; }"),
        ("together: { const bool c<@> = <bool>; const unsigned m<@> = __ballot_sync(LANES, c<@>); if (c<@>) { "
        "<=u32> = __shfl_sync(m<@>, <u32>, __ffs(int(m<@>)) - 1); <*> } }"),
        ("together: { const bool c<@> = <bool>; const unsigned m<@> = __ballot_sync(LANES, c<@>); if (c<@>) { "
        "<=u32> = __reduce_add_sync(m<@>, <u32>); } else { <*> <=u32> = __reduce_max_sync(~m<@>, <u32>); } }"),
        ("together: { const bool c<@> = <bool>; const unsigned m<@> = __ballot_sync(LANES, c<@>); if (c<@>) { "
        "<=u32> = __ballot_sync(m<@>, <bool>); <=bool> = __all_sync(m<@>, <bool>); } "
        "else { <=u32> = __match_any_sync(~m<@>, <u32> & 3); } }"),
    ],
    least_arch=80,
)  # fmt: skip

SHARED = Theme(
    inner={"u32": ["sh.w[threadIdx.x]", "unsigned(sh.h[threadIdx.x])", "unsigned(sh.b[threadIdx.x])"]},
    statements=[
        "sh.w[threadIdx.x] = <u32>;", "sh.h[threadIdx.x] = (unsigned short)<u32>;", "sh.b[threadIdx.x] = (unsigned char)<u32>;",
        "sh.v[threadIdx.x].y = <u32>;",
        "together: sh.w[threadIdx.x] = <u32>; __syncthreads(); <=u32> = sh.w[(threadIdx.x + <#63>) & 63]; __syncthreads();",
        ("together: { const unsigned v<@> = <u32>; __syncthreads(); sh.w[threadIdx.x ^ <#63>] = v<@>; __syncthreads(); } "
        "<=u32> ^= sh.w[<u32> & 63]; __syncthreads();"),
        ("together: sh.v[threadIdx.x] = make_uint4(<u32>, <u32>, <u32>, <u32>); __syncthreads(); "
        "<=u32> = sh.v[<u32> & 63].z + sh.v[(threadIdx.x + <#63>) & 63].x; __syncthreads();"),
        "together: sh.d[threadIdx.x] = double(<u32>); __syncthreads(); <=u32> = bits(sh.d[threadIdx.x ^ <#63>]); __syncthreads();",
        ("together: sh.b[threadIdx.x] = (unsigned char)<u32>; __syncthreads(); "
        "<=u32> = ((unsigned*)sh.b)[<u32> & 15]; __syncthreads();"),
        "together: <=u32> = unsigned(__syncthreads_count(<bool>));",
        "together: <=bool> = __syncthreads_or(<bool>);", "together: <=bool> = __syncthreads_and(<bool>);",
        ("together: for (unsigned i<@> = 32; i<@> > 0; i<@> /= 2) { sh.w[threadIdx.x] = <=u32>; __syncthreads(); "
        "if (threadIdx.x < i<@>) sh.w[threadIdx.x] += sh.w[threadIdx.x + i<@>]; __syncthreads(); }"),
        *(f"together: if (threadIdx.x < 16) sh.a[threadIdx.x] = {first}; __syncthreads(); {what}; "
          "__syncthreads(); <=u32> += sh.a[<u32> & 15]; __syncthreads();"
          for first, what in (
              ("0", "atomicAdd(&sh.a[<u32> & 15], <u32>)"), ("0", "atomicAdd(&sh.a[<u32> & 15], 1u)"),
              ("~0u", "atomicMin(&sh.a[<u32> & 15], <u32>)"), ("0", "if (<bool>) atomicMax(&sh.a[<u32> & 7], <u32>)"),
              ("~0u", "atomicAnd(&sh.a[<u32> & 15], <u32>)"), ("0", "atomicOr(&sh.a[<u32> & 15], 1u << (<u32> & 31))"),
              ("0", "atomicXor(&sh.a[<u32> & 3], <u32>)"), ("0", "atomicInc(&sh.a[<u32> & 3], 5u)"),
              ("3", "atomicDec(&sh.a[<u32> & 3], 6u)"), ("9", "atomicMin((int*)&sh.a[<u32> & 15], int(<u32>))"),
              ("0", "atomicAdd((float*)&sh.a[<u32> & 15], float(<u32> & 255))"),
              # Not of x << 31, which ptxas 13.0 takes for 0 where an atomic adds its negative.
              ("0", "atomicSub(&sh.a[<u32> & 15], <u32> ^ 1u)"),
          )),
        ("together: if (threadIdx.x < 8) sh.q[threadIdx.x] = 0; __syncthreads(); atomicAdd(&sh.q[<u32> & 7], u64(<u32>) << 20); "
        "__syncthreads(); <=u32> += unsigned(sh.q[<u32> & 7] >> 18); __syncthreads();"),
        ("together: if (threadIdx.x < 8) sh.q[threadIdx.x] = 1; __syncthreads(); atomicMax(&sh.q[<u32> & 7], u64(<u32>) << 20); "
        "__syncthreads(); <=u32> += unsigned(sh.q[<u32> & 7] >> 18); __syncthreads();"),
        ("together: if (threadIdx.x < 8) sh.q[threadIdx.x] = 0; __syncthreads(); "
        "atomicAdd((double*)&sh.q[<u32> & 7], double(<u32> & 1023)); "
        "__syncthreads(); <=u32> += unsigned(sh.q[<u32> & 7] >> 32); __syncthreads();"),
        *(f"sh.w[threadIdx.x] = <u32>; <=u32> = atomic{name}(&sh.w[threadIdx.x], <u32>) + sh.w[threadIdx.x];"
          for name in ("Add", "Min", "Max", "And", "Or", "Xor", "Exch", "Inc", "Dec")),
        "sh.w[threadIdx.x] = <u32> & 3; <=u32> = atomicCAS(&sh.w[threadIdx.x], <u32> & 3, <u32>) ^ sh.w[threadIdx.x];",
    ],
)  # fmt: skip

ATOMICS = Theme(
    statements=[
        "atomicAdd(&g->add[<u32> & 15], <u32>);", "atomicAdd(&g->add[t & 7], <u32>);", "atomicSub(&g->add[<u32> & 15], <u32> ^ 1u);",
        "atomicMin(&g->least[<u32> & 15], int(<u32>));", "atomicMax(&g->most[<u32> & 15], <u32>);",
        "atomicAnd(&g->all[<u32> & 15], <u32> | 0xffff);", "atomicOr(&g->any[<u32> & 15], <u32> & 0xff0f);",
        "atomicXor(&g->odd[<u32> & 15], <u32>);", "atomicInc(&g->turns[<u32> & 3], 9u);",
        "atomicAdd(&g->wide[<u32> & 7], u64(<u32>) * <u32>);", "atomicMax(&g->widest[<u32> & 7], u64(<u32>) << 17);",
        "atomicMin(&g->narrowest[<u32> & 7], (long long)int(<u32>) << 9);",
        "atomicXor(&g->wideodd[<u32> & 7], u64(<u32>) << 13);",
        "atomicAdd(&g->real[<u32> & 7], float(<u32> & 63));", "atomicAdd(&g->real2[<u32> & 7], double(<u32> & 4095));",
        *(f"<=u32> = atomic{name}(&own->a, <u32>);" for name in (
            "Add", "Min", "Max", "And", "Or", "Xor", "Exch", "Inc", "Dec", "Sub")),
        *(f"<=u32> = unsigned(atomic{name}(&own->i, int(<u32>)));" for name in ("Add", "Min", "Max", "Exch")),
        *(f"<=u32> = unsigned(atomic{name}(&own->q, u64(<u32>) << (<u32> & 31)) >> 5);" for name in (
            "Add", "Min", "Max", "And", "Or", "Xor", "Exch")),
        *(f"<=u32> = unsigned(atomic{name}(&own->j, (long long)int(<u32>)));" for name in ("Min", "Max")),
        "<=u32> = atomicCAS(&own->a, <u32> & 1, <u32>);", "<=u32> = atomicCAS(&own->a, own->a, <u32>);",
        "<=u32> = unsigned(atomicCAS(&own->q, own->q & ~u64(<#1>), u64(<u32>)));",
        "<=u32> = (unsigned)atomicCAS(&own->h, (unsigned short)<u32>, (unsigned short)<u32>);",
        "<=u32> = bits(atomicAdd(&own->f, float(int(<u32>))));", "<=u32> = bits(atomicAdd(&own->d, double(<u32>)));",
        "<=u32> = bits(atomicExch(&own->f, float(<u32>)));",
        "{ unsigned* p<@> = <bool> ? &own->a : &own->b; <=u32> = atomicAdd(p<@>, <u32>) + *p<@>; }",
        (
            "{ unsigned *p<@> = &g->most2[<#3>], old<@> = *p<@>, seen<@>; const unsigned v<@> = <u32>; do { seen<@> = old<@>; "
            "if (seen<@> >= v<@>) break; old<@> = atomicCAS(p<@>, seen<@>, v<@>); } while (old<@> != seen<@>); }"
        ),
    ],
)  # fmt: skip

THEMES = {
    "integer": INTEGER, "pieces": PIECES, "bytes": BYTES, "wide": WIDE, "float": FLOAT, "double": DOUBLE, "between": BETWEEN,
    "half": HALF, "brain": BRAIN, "octets": OCTETS, "vector": VECTOR, "union": UNION, "local": LOCAL,
    "constant": CONSTANT, "calls": CALLS, "warp": WARP, "shared": SHARED, "atomics": ATOMICS,
}  # fmt: skip
