"""What the source of a kernel tells of a launch: sizes of blocks, bounds of indices, textures, shared memory."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpusim.cuda.included import quoted
from gpusim.cuda.layout import vector
from gpusim.cuda.scalars import numpy_name
from gpusim.expressions import ExpressionError, Number, evaluate, names
from gpusim.launches import named

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.cuda.signature import Parameter


THREADS = 256
"""Threads of a block that nothing tells."""
LANES = 32
"""Threads of a warp, which a block of two axes has in a row where it is no square."""
FURTHER = 4
"""Blocks along an axis that nothing tells, but for the first such axis."""
MOST_ELEMENTS = 1 << 22
"""Of an array to begin with."""


@dataclass(frozen=True)
class Sizes:
    """What sizes are taken to be that no name tells.

    Attributes
    ----------
    alone : int
        The only size of a kernel that has one.
    several : int
        Each of two; of more a quarter of it.
    threads : int
        Threads of a block that nothing tells.
    """

    alone: int
    several: int
    threads: int = THREADS


_VARIABLE = re.compile(r"\b(\w+)\s*=\s*([^;=]*?\bblockIdx\.[xyz][^;,=]*)(?=[;,])")
_AXIS = re.compile(r"\b(?:blockIdx|threadIdx)\.([xyz])")
_AXIS_OF = re.compile(r"((?:\w+\s*[*+]\s*)?\bblockIdx\.[xyz][\w\s.*+]*?)\s*(?=<[^<]|>=)")
_DIRECT = ""
_CAST = re.compile(r"\(\s*(?:unsigned\s+)?(?:int|size_t|unsigned|long|uint32_t|int64_t)\s*\)")
_LAUNCHED = r"\b{name}\s*(?:<[^<>;]*>)?\s*<<<([^;]*?)>>>"
_DIM3 = r"\bdim3\b[^;]*?\b{name}\s*[({{=]\s*(?:dim3\s*\()?([^;]*?)[)}}]+\s*;"
_NUMBER = r"(?:#\s*define\s+{name}\s+\(?|\b(?:int|unsigned|size_t|uint32_t|auto)\s+{name}\s*=\s*)(\d+)\b"
_DYNAMIC = re.compile(r"\bextern\b[^;{}]*?\b__shared__\b")
_BODY = r"\b{name}\s*\("


@dataclass
class Clues:
    """The source of a kernel, and scalars by name, as far as they are told or guessed.

    Attributes
    ----------
    kernel : Kernel
    given, guessed : list of str
        Arguments by name, as ``--arg`` has them.
    sizes : Sizes
        What is taken where nothing tells.
    """

    kernel: Kernel
    given: list[str]
    sizes: Sizes
    guessed: list[str] = field(default_factory=list)

    @property
    def known(self) -> dict[str, Number]:
        """Values of the scalars."""
        return named.read([*self.given, *self.guessed], {})[1]

    @property
    def _source(self) -> str:
        text = self.kernel.origin.text if self.kernel.origin else ""
        return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)

    @property
    def _name(self) -> str:
        return re.escape(self.kernel.name.name.rpartition("::")[2])

    def tell(self, name: str, value: str) -> None:
        """Note a guess."""
        self.guessed.append(f"{name}={value}")

    def texture(self, parameter: Parameter) -> str:
        """A texture, where a parameter is one, of what the source fetches; empty where it is none."""
        name = re.escape(parameter.name)
        if not re.search(rf"\bcudaTextureObject_t\s+(?:const\s+)?{name}\b", self._source):
            return ""
        fetched = re.search(rf"\btex([123]D)\w*\s*(?:<([^<>;]*)>)?\s*\([^,;]*?\b{name}\b", self._source)
        target = (fetched[2] if fetched and fetched[2] else "float").strip()
        pair = vector(target)
        kind = numpy_name(pair.fields[0].type.name if pair else target) or "float32"
        fill = "normal" if kind.startswith("float") else "ones"
        side = str(self.sizes.several)
        shape = side if fetched and fetched[1] == "1D" else f"{side}x{side}"
        channels = {2: "x2", 3: "x4", 4: "x4"}.get(len(pair.fields), "") if pair else ""
        return f"texture:{kind}:{fill}:{shape}{channels}" + (f":channels={channels[1:]}" if channels else "")

    def declares_shared(self) -> bool:
        """Whether the source, or a header of the user's, declares dynamic shared memory."""
        origin = self.kernel.origin
        if origin is None:
            return False
        headers = (text for _, text in quoted(origin.text, origin.folders))
        return any(_DYNAMIC.search(text) for text in (origin.text, *headers))

    def _body(self) -> str:
        """What stands between the braces of the kernel."""
        for head in re.finditer(_BODY.format(name=self._name), self._source):
            start = self._source.find("{", head.end())
            semicolon = self._source.find(";", head.end())
            if start >= 0 and not 0 <= semicolon < start:
                return self._source[start : _closing(self._source, start)]
        return ""

    def block(self) -> str:
        """The block of the kernel's code, of a launch in the source, or one of 256 threads."""
        code = self.kernel.code
        if code.block:
            return ",".join(map(str, code.block))
        for launch in re.findall(_LAUNCHED.format(name=self._name), self._source):
            parts = _split(launch)
            if len(parts) > 1 and (size := self._size(parts[1], code.max_threads)) and self._is_usual(size):
                return size
        if "threadIdx.y" in self._body():
            threads = min(self.sizes.threads, code.max_threads)
            side = math.isqrt(threads)
            return f"{side},{side}" if side**2 == threads or threads < LANES else f"{LANES},{threads // LANES}"
        return str(min(self.sizes.threads, code.max_threads))

    def _is_usual(self, size: str) -> bool:
        """Whether a block of the source is taken as it is; small ones are tried where it does not do."""
        threads = math.prod(map(int, size.split(",")))
        return self.sizes.threads >= THREADS or threads <= self.sizes.threads

    def _size(self, text: str, most: int) -> str:
        """A size in a launch: a number, a constant, a ``dim3`` of such; empty where host code computes it."""
        name = text.strip()
        inside = re.search(_DIM3.format(name=re.escape(name)), self._source) if name.isidentifier() else None
        direct = re.fullmatch(r"dim3\s*\((.*)\)", name, re.DOTALL)
        numbers = [self._number(part) for part in _split((inside or direct or [name, name])[1])]
        sizes = [n for n in numbers if n is not None]
        whole = 0 < len(sizes) == len(numbers) <= len("xyz")
        return ",".join(map(str, sizes)) if whole and 0 < math.prod(sizes) <= most else ""

    def _number(self, text: str) -> int | None:
        """A number, a constant, or a variable or macro that is defined as one, of several definitions the last."""
        declared = self.kernel.declared
        found = declared.number(text) if declared else None
        if found is None and text.isidentifier():
            defined = re.findall(_NUMBER.format(name=text), self._source)
            found = int(defined[-1]) if defined else None
        return found

    def grid(self, block: str) -> str:
        """As many blocks as bound checks let in; of a kernel without any as many as its first size."""
        threads, body = [*map(int, block.split(",")), 1, 1], self._body()
        bounds, known = self._bounds(body), self.known
        first = next(
            (int(value) for value in known.values() if isinstance(value, int) and value > 1), self.sizes.several
        )
        sizes, first_axis = list[str](), True
        for axis, own in zip("xyz", threads, strict=False):
            if f"blockIdx.{axis}" not in body:
                sizes.append("1" if body or axis != "x" else f"ceildiv({first},{own})")
            elif axis in bounds:
                sizes.append(f"ceildiv({bounds[axis]},{own})" if own > 1 else bounds[axis])
            elif known and (step := self._step(body, axis, own)):
                sizes.append(f"ceildiv({self._extent()},{step})")
            else:
                sizes.append(str(min(first, self.sizes.several if first_axis else FURTHER)))
                first_axis = False
        values = [str(max(1, math.ceil(evaluate(size, known)))) for size in sizes]
        while len(values) > 1 and values[-1] == "1":
            values.pop()
        return ",".join(values)

    def _step(self, body: str, axis: str, threads: int) -> int:
        """By how much an index grows from one block to the next along an axis, where blocks take turns; otherwise 0."""
        at = rf"\bblockIdx\.{axis}"
        for factors in re.findall(rf"{at}\s*\*\s*([\w.]+)|([\w.]+)\s*\*\s*{at}", body):
            factor = "".join(factors)
            step = threads if factor == f"blockDim.{axis}" else self._number(factor)
            if step and step > 1:
                return step
        return 0

    def _extent(self) -> int:
        """How far indices go where no bound says so: the first size that is none of a few, such as a batch."""
        return next(iter(self._large()), self.sizes.several)

    def _large(self) -> list[int]:
        """Sizes that are no number of batches, heads or the like; all sizes if there are no others."""
        sizes = [n for n in self.known.values() if isinstance(n, int) and n > 1]
        return [n for n in sizes if n >= self.sizes.several // 4] or sizes

    def _bounds(self, body: str) -> dict[str, str]:
        """Along each axis the expression below which an index of it must lie."""
        found: dict[str, str] = {}
        for variable, value in [*_VARIABLE.findall(body), *((_DIRECT, text) for text in _AXIS_OF.findall(body))]:
            axes = set(_AXIS.findall(value))
            where = re.escape(value) if variable == _DIRECT else rf"\b{variable}"
            for check in re.finditer(rf"{where}\s*(?:<|>=)(?!<)", body):
                text = _CAST.sub("", _expression(body[check.end() :]))
                if len(axes) == 1 and self._is_known(text):
                    found.setdefault(axes.pop(), text)
                    break
        return found

    def _is_known(self, text: str) -> bool:
        try:
            return bool(names(text)) and evaluate(text, self.known) > 0
        except ExpressionError:
            return False

    def elements(self, grid: str, block: str) -> int:
        """Elements of an array: one for each thread, or as many as the sizes multiplied."""
        threads = math.prod(math.ceil(evaluate(n, self.known)) for n in [*_split(grid), *_split(block)])
        found = 1
        for size in sorted((n for n in self.known.values() if isinstance(n, int) and n > 1), reverse=True):
            found *= size if found * size <= MOST_ELEMENTS else 1
        return max(min(threads, MOST_ELEMENTS), found)

    def of_axes(self, name: str) -> int:
        """Elements of a pointer in a struct that also says how many there are along each axis; 0 of any other."""
        sizes = re.compile(rf"{re.escape(name.rpartition('.')[0])}\.\w*size\w*=\[([\d,]+)\]")
        found = [sizes.fullmatch(text) for text in self.guessed] if "." in name else []
        return max((math.prod(map(int, one[1].split(","))) for one in found if one), default=0)

    def randint(self, kind: str) -> str:
        """Integers below the smallest size, as indices are."""
        most = (1 << int(re.sub(r"\D", "", kind)) - 1) - 1
        return f"randint:{min(*(self._large() or [self.sizes.several]), most)}"


def _split(text: str) -> list[str]:
    """Parts between commas outside of brackets."""
    return [part.strip() for part in re.split(r",(?![^(<]*[)>])", text)]


def _expression(text: str) -> str:
    """The expression that a text begins with."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0 or (character in ";{}?,&|<>=" and depth == 0):
            return text[:at].strip()
    return text.strip()


def _closing(text: str, start: int) -> int:
    """Where the brace closes that opens at a place."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    return len(text)
