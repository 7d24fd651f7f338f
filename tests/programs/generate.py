"""From a source of choices to a program: a tree of statements, which can be left out one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.programs.grammar import BASIC, DECLARED, FIRST, THEMES, Theme

TOKEN = re.compile(r"<(=?)(\w+)>|<#(\d+)>|<([*+L])>|<@>")
LOOP = re.compile(r"unsigned (i\d+) = ")
MOST_DEEP = 4  # blocks inside one another
FLOATS = ["0.0f", "(-0.0f)", "1.0f", "(-1.5f)", "3.1415927f", "1e-40f", "16777220.0f", "3e38f", "(-7e-20f)", "0.1f"]
DOUBLES = ["0.0", "(-0.0)", "1.0", "(-2.75)", "3.141592653589793", "5e-324", "9007199254740996.0", "1e308", "(-1e-200)"]


@dataclass
class Statement:
    """Text and blocks of statements in turn."""

    parts: list[str | list[Statement]]

    def __str__(self) -> str:
        return "".join(part if isinstance(part, str) else indented(part) for part in self.parts)


def indented(block: list[Statement]) -> str:
    """A block of statements, each on a line of its own."""
    lines = [line for statement in block for line in str(statement).splitlines()]
    return "\n" + "".join(f"    {line}\n" for line in lines)


@dataclass
class Program:
    """One random kernel.

    Attributes
    ----------
    number : int
        Of its names.
    themes : tuple of str
    before : str
        Constants and functions.
    variables : list of (str, str)
        Type and name.
    body : list of Statement
    """

    number: int
    themes: tuple[str, ...]
    before: str
    variables: list[tuple[str, str]]
    body: list[Statement]

    @property
    def headers(self) -> set[str]:
        """CUDA's headers that it needs."""
        return {header for name in self.themes for header in THEMES[name].headers}

    def __str__(self) -> str:
        first = "".join(
            f"    {DECLARED[kind]} {name} = {FIRST[kind].format(f'((t * 5 + {k}) & 255)')};\n"
            for k, (kind, name) in enumerate(self.variables)
        )
        last = "".join(f"    out[{k} * THREADS + t] = bits({name});\n" for k, (_, name) in enumerate(self.variables))
        return (
            f"{self.before}__global__ void p{self.number}"
            "(const unsigned* in, unsigned* out, Global* g, const Arg arg) {\n"
            "    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;\n"
            f"    Own* own = &g->own[t];\n{self._arrays()}{first}{indented(self.body)[1:]}{last}}}\n"
        )

    def _arrays(self) -> str:
        found = ""
        if "shared" in self.themes:
            found += (
                "    __shared__ Shared sh;\n    sh.w[threadIdx.x] = t; sh.h[threadIdx.x] = 1; sh.b[threadIdx.x] = 2;\n"
                "    sh.v[threadIdx.x] = make_uint4(t, 1, 2, 3);\n"
            )
        if "union" in self.themes:
            found += "    Union un; un.q[0] = in[lane]; un.q[1] = u64(in[t]) << 9;\n"
        if "local" in self.themes:
            found += (
                "    unsigned loc[8]; double locd[4] = {1, 2, 3, 4}; unsigned char locb[16];\n"
                "    for (int k = 0; k < 8; ++k) loc[k] = in[(t + k) & 255];\n"
                "    for (int k = 0; k < 16; ++k) locb[k] = (unsigned char)(in[k] + t);\n"
            )
        return found


@dataclass
class Writer:
    """Expands templates; each choice is one of ``rng``'s."""

    rng: Random
    themes: tuple[str, ...]
    number: int
    variables: list[tuple[str, str]] = field(default_factory=list)
    readable: list[str] = field(default_factory=list)  # loop counters, arguments of a function
    inner: bool = True
    names: int = 0
    left: int = 0

    def __post_init__(self) -> None:
        found: list[Theme] = [BASIC, *(THEMES[name] for name in self.themes)]
        self.tables = [theme.expressions for theme in found] + [theme.inner for theme in found if self.inner]
        self.statements = [text for theme in found for text in theme.statements] if self.inner else []

    def expression(self, kind: str, depth: int) -> str:
        """An expression of a type."""
        choices = [text for table in self.tables for text in table.get(kind, ())]
        if depth <= 0 or not choices or self.rng.random() < 0.25:
            return self.leaf(kind)
        return self.expand(self.rng.choice(choices), depth - 1)

    def leaf(self, kind: str) -> str:
        """A variable or a literal."""
        names = [name for of, name in self.variables if of == kind] + (self.readable if kind == "u32" else [])
        if names and self.rng.random() < 0.75:
            return self.rng.choice(names)
        return self.literal(kind)

    def literal(self, kind: str) -> str:
        """A literal, or what makes a value of one."""
        number = self.rng.choice([self.rng.randrange(16), self.rng.getrandbits(32), 1 << self.rng.randrange(32)])
        made = {
            "bool": ("true", "false")[number & 1], "u32": f"{number:#x}u", "i32": f"int({number:#x}u)",
            "u64": f"{number * 0x9E3779B97F4A7C15 % 2**64:#x}ull",
            "i64": f"(long long){number * 0xC2B2AE3D27D4EB4F % 2**64:#x}ull",
            "u16": f"(unsigned short){number & 0xFFFF}", "i8": f"(signed char){number & 0x7F}",
            "f32": self.rng.choice(FLOATS), "f64": self.rng.choice(DOUBLES),
            "h2": f"half2_of({number:#x}u)", "b2": f"bfloat2_of({number:#x}u)",
            "v4": f"make_uint4({number:#x}u, 1u, 2u, ~0u)", "w4": "make_float4(1.0f, -0.0f, 1e30f, 0.1f)",
            "c4": f"make_uchar4({number & 255}, 1, 2, 255)", "s4": f"make_short4({number & 32767}, 1, -2, -32768)",
            "d2": "make_double2(1.0, -0.5)",
        }  # fmt: skip
        return made[kind]

    def expand(self, text: str, depth: int) -> str:
        """Fill the places of a template that has no blocks."""

        def filled(found: re.Match[str]) -> str:
            if found[3]:
                return str(self.rng.randint(0, int(found[3])))
            if found[2] == "f":
                return str(self.number)
            if found[1]:
                return self.rng.choice([name for of, name in self.variables if of == found[2]])
            return self.expression(found[2], depth)

        return TOKEN.sub(filled, text)

    def block(self, together: bool, loop: bool, deep: int) -> list[Statement]:
        """Some statements, as long as there are any left."""
        found = []
        for _ in range(self.rng.randint(1, 3) if deep else self.left):
            if self.left <= 0:
                break
            self.left -= 1
            found.append(self.statement(together, loop, deep))
        return found

    def statement(self, together: bool, loop: bool, deep: int) -> Statement:
        """An assignment, or a statement of a theme."""
        choices = [s for s in self.statements if self.allowed(s, together, loop, deep)]
        if not choices or self.rng.random() < 0.45:
            kind, name = self.rng.choice(self.variables)
            return Statement([f"{name} = {self.expression(kind, 4)};"])
        return self.compound(self.rng.choice(choices), together, deep)

    @staticmethod
    def allowed(text: str, together: bool, loop: bool, deep: int) -> bool:
        """Whether a statement may stand here."""
        if (text.startswith("together: ") and not together) or (text.startswith("loop: ") and not loop):
            return False
        return deep < MOST_DEEP or not re.search("<[*+L]>", text)

    def compound(self, text: str, together: bool, deep: int) -> Statement:
        """A statement with its blocks."""
        self.names += 1
        text = text.removeprefix("together: ").removeprefix("loop: ").replace("<@>", str(self.names))
        counters = LOOP.findall(text) if re.search("<[*+L]>", text) else []
        pieces = re.split(r"(<[*+L]>)", text)
        parts: list[str | list[Statement]] = []
        for piece in pieces:
            if not re.fullmatch("<[*+L]>", piece):
                parts.append(self.expand(piece, 3))
                continue
            self.readable += counters
            parts.append(self.block(piece == "<+>" and together, piece == "<L>", deep + 1))
            del self.readable[len(self.readable) - len(counters) :]
        return Statement(parts)


def generate(rng: Random, number: int, themes: list[str], size: int) -> Program:
    """A program.

    Parameters
    ----------
    rng : Random
        Source of all choices.
    number : int
        For its names.
    themes : list of str
        What it may be made of.
    size : int
        Statements at most.
    """
    picked = tuple(rng.sample(themes, min(len(themes), rng.randint(1, 4))))
    if "octets" in picked and "half" not in picked:
        picked = (*picked, "half")
    writer = Writer(rng, picked, number)
    kinds = [*BASIC.variables, *(kind for name in picked for kind in THEMES[name].variables)]
    writer.variables = [(kind, f"{kind}_{k}") for k, kind in enumerate(kinds)]
    writer.left = rng.randint(min(6, size), size)
    body = writer.block(True, False, 0)
    return Program(number, picked, "".join(_before(rng, picked, number)), writer.variables, body)


def _before(rng: Random, themes: tuple[str, ...], f: int) -> Iterator[str]:
    """Constants and functions of a program."""
    pure = tuple(name for name in themes if THEMES[name].expressions)
    if "constant" in themes:
        yield f"__constant__ unsigned table{f}[16] = {{{', '.join(f'{rng.getrandbits(32)}u' for _ in range(16))}}};\n"
        yield f"__constant__ float weights{f}[4] = {{{', '.join(rng.choice(FLOATS) for _ in range(4))}}};\n"
        yield f"__constant__ double wide{f}[2] = {{{', '.join(rng.choice(DOUBLES) for _ in range(2))}}};\n"
        yield f"__constant__ unsigned char octets{f}[8] = {{1, 2, 250, 4, 5, 127, 128, {rng.randrange(256)}}};\n"
        yield f"__device__ unsigned device{f}[8] = {{{', '.join(f'{rng.getrandbits(32)}u' for _ in range(8))}}};\n"
    if "calls" not in themes:
        return

    def body(kind: str, *names: str) -> str:
        return Writer(rng, pure, f, readable=list(names), inner=False).expression(kind, 4)

    def function(name: str, of: str, text: str, how: str = "__noinline__") -> str:
        return f"__device__ {how} {of} {name}{f}(unsigned x, unsigned y) {{ {text} }}\n"

    yield function("one", "unsigned", f"return {body('u32', 'x', 'y')};")
    yield function("two", "unsigned", f"if ({body('bool', 'x', 'y')}) return x; return {body('u32', 'x', 'y')};")
    yield function(
        "three", "unsigned", f"for (unsigned k = 0; k < (y & 3); ++k) x = {body('u32', 'x', 'k')}; return x;"
    )
    yield function("four", "unsigned", f"return one{f}({body('u32', 'x', 'y')}, x) + y;")
    yield function(
        "deep",
        "unsigned",
        f"return x == 0 ? y : {body('u32', 'x', 'y')} + 3 * deep{f}(x - 1, {body('u32', 'x', 'y')});",
    )
    yield function(
        "tree", "unsigned", f"if (x == 0) return y; return tree{f}(x - 1, y ^ x) * 5 + tree{f}(x - 1, y + x);"
    )
    yield f"__device__ unsigned odd{f}(unsigned x);\n"
    yield f"__device__ __noinline__ unsigned even{f}(unsigned x) {{ return x == 0 ? 1 : odd{f}(x - 1) + 2; }}\n"
    yield f"__device__ __noinline__ unsigned odd{f}(unsigned x) {{ return x == 0 ? 0 : even{f}(x - 1) * 3; }}\n"
    yield f"__device__ __noinline__ double real{f}(double x, unsigned y) "
    yield "{ return DIV(MUL(x, 0.7), double(y) + 1.0); }\n"
    yield function("paired", "uint2", f"uint2 r; r.x = x + y; r.y = {body('u32', 'x', 'y')}; return r;")
    yield f"__device__ __noinline__ void change{f}(unsigned* x, unsigned y) {{ *x = *x * 7 + {body('u32', 'y')}; }}\n"
    yield f"__device__ Function chosen{f}[4] = {{one{f}, two{f}, three{f}, four{f}}};\n"
