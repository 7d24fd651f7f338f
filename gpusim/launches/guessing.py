"""Guesses of what a launch is not told: scalars by their names, sizes by bound checks, a block of 256 threads.

A guess is a text of the command line, so that a user can copy and change it.  It is a size at which a kernel may run,
not the user's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpusim.cuda.layout import vector
from gpusim.cuda.scalars import numpy_name
from gpusim.expressions import ExpressionError, Number, evaluate, names
from gpusim.launches import named

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.cuda.signature import Parameter

ALONE = 1 << 20
"""The only size of a kernel that has one."""
SEVERAL = 1024
"""Each of several sizes."""
BY_NAME = {
    r"b|batch(_?size)?|num_?batch(es)?": 4, r"h|(num_?|n_?)?heads": 8, r"(head_?)?dim|d|dk|dv|head_?size|hs": 64,
    r"\w*(ksize|kernel_?size|radius|filter)\w*": 3,
    r"\w*(offset|start|begin|shift|pad(ding)?|mode|flag|causal|trans)\w*": 0,
    r"\w*(stride|step|dilation|iters?|iterations|repeat)\w*": 1,
}  # fmt: skip
"""Sizes of parameters by name, in lower case; all others are one of the above."""
FLOATS = {r"beta\w*": 0.0, r"eps\w*|epsilon": 1e-5}
"""The same of floating-point numbers; all others are 1."""
THREADS, SIDE = 256, 16
"""Threads of a block along x, and along x and y each where a kernel has both."""
MOST_ELEMENTS = 1 << 26
"""Of an array to begin with."""
MOST_GROWN = 1 << 31
"""The same of one that grew."""

_VARIABLE = re.compile(r"\b(\w+)\s*=\s*([^;=]*?\bblockIdx\.[xyz][^;,=]*)(?=[;,])")
_AXIS = re.compile(r"\b(?:blockIdx|threadIdx)\.([xyz])")
_AXIS_OF = re.compile(r"((?:\w+\s*[*+]\s*)?\bblockIdx\.[xyz][\w\s.*+]*?)\s*(?=<[^<]|>=)")
_DIRECT = ""
_CAST = re.compile(r"\(\s*(?:unsigned\s+)?(?:int|size_t|unsigned|long|uint32_t|int64_t)\s*\)")
_LAUNCHED = r"\b{name}\s*(?:<[^<>;]*>)?\s*<<<([^;]*?)>>>"
_DIM3 = r"\bdim3\s+{name}\s*[({{=]\s*(?:dim3\s*\()?([^;]*?)[)}}]+\s*;"
_BODY = r"\b{name}\s*\("


@dataclass(frozen=True)
class Guess:
    """What a launch is told, with guesses for the rest.

    Attributes
    ----------
    args : tuple of str
        Guessed arguments, as ``--arg`` has them.
    grid, block : str or None
        As ``--grid`` and ``--block`` have them; None where they were given.
    """

    args: tuple[str, ...]
    grid: str | None
    block: str | None

    def enlarged(self, name: str, nbytes: int) -> Guess | None:
        """The same with a guessed array that is so many bytes longer, or twice as long; None if it is none.

        ``*`` are all of them.
        """
        args = tuple(
            _grown(text, nbytes) if text.partition("=")[0] == name or (name == "*" and _COUNTED.search(text)) else text
            for text in self.args
        )
        too_long = any(int(found[1]) > MOST_GROWN for text in args if (found := _COUNTED.search(text)))
        return None if args == self.args or too_long else Guess(args, self.grid, self.block)

    def lines(self) -> list[str]:
        """The guesses as options."""
        sizes = (f"--{name} {size}" for name, size in (("grid", self.grid), ("block", self.block)) if size)
        return [*sizes, *(f"--arg {text}" for text in self.args)]


_COUNTED = re.compile(r"=(?!bytes:)\w+(?::\w+)*:(\d+)$")
"""An array's number of elements."""


def _grown(text: str, nbytes: int) -> str:
    start, _, count = text.rpartition(":")
    return f"{start}:{max(2 * int(count), int(count) + nbytes)}"


def guess(kernel: Kernel, given: Sequence[str], grid: str | None, block: str | None) -> Guess:
    """Guess what a launch is not told.

    Parameters
    ----------
    kernel : Kernel
    given : sequence of str
        Arguments that are told, as ``--arg`` has them; those without a name are of the first parameters.
    grid, block : str or None
        As told.

    Returns
    -------
    Guess
    """
    kernel, told = _opened(kernel, given)
    missing = [p for n, p in zip(kernel.parameter_names, kernel.parameters, strict=True) if n not in told]
    texts = _Texts(kernel, [text for text in given if named.is_named(text)])
    own_block = block or texts.block()
    scalars = [p for p in missing if not _is_array(p)]
    sizes = [p for p in kernel.parameters if numpy_name(p.type)[:3] in ("int", "uin")]
    for parameter in scalars:
        texts.tell(parameter.name, _scalar(parameter, len(sizes)))
    own_grid = grid or texts.grid(own_block)
    count = texts.elements(own_grid, own_block)
    arrays = tuple(_array(p, count, texts) for p in missing if _is_array(p))
    return Guess((*texts.guessed, *arrays), None if grid else own_grid, None if block else own_block)


def _opened(kernel: Kernel, given: Sequence[str]) -> tuple[Kernel, set[str]]:
    """The kernel with all structs opened whose fields are known, and the names of parameters that are told."""
    from gpusim.cuda.cuda_errors import ArgumentError

    whole = {text.partition("=")[0].strip() for text in given if named.is_named(text)}
    for parameter in kernel.parameters:
        if parameter.name and parameter.name not in whole and not _is_array(parameter) and not _is_number(parameter):
            try:
                kernel = kernel.with_fields({parameter.name})
            except ArgumentError:  # its bytes are guessed
                continue
    left = [name for name in kernel.parameter_names if name not in whole]
    return kernel, whole | set(left[: sum(not named.is_named(text) for text in given)])


def _is_array(parameter: Parameter) -> bool:
    return bool(parameter.is_pointer)


def _is_number(parameter: Parameter) -> bool:
    return bool(numpy_name(parameter.type))


def _named(name: str, table: Mapping[str, Number]) -> str:
    """The pattern of a table that a parameter's name fits; empty where there is none."""
    short = name.rpartition(".")[2].lower()
    return next((pattern for pattern in table if re.fullmatch(pattern, short)), "")


def _scalar(parameter: Parameter, sizes: int) -> str:
    """A guess of a number, or the zeros of what is none."""
    kind = numpy_name(parameter.type)
    if parameter.is_array or not kind:
        return "zeros" if numpy_name(parameter.type.partition("[")[0]) else f"bytes:{bytes(parameter.nbytes).hex()}"
    if kind.startswith(("float", "bfloat")):
        pattern = _named(parameter.name, FLOATS)
        return str(FLOATS[pattern] if pattern else 1.0)
    if kind == "bool":
        return "0"
    pattern = _named(parameter.name, BY_NAME)
    size = BY_NAME[pattern] if pattern else ALONE if sizes == 1 else SEVERAL
    return str(min(size, (1 << 8 * parameter.nbytes - 1) - 1))


def _array(parameter: Parameter, count: int, texts: _Texts) -> str:
    """A guess of an array: inputs hold numbers, what is not const zeros."""
    target = re.sub(r"(\*( const)?|&)$", "", parameter.type)
    pair = vector(target.replace("const", "").strip())
    kind = numpy_name(pair.fields[0].type.name if pair else target)
    if not kind:
        return f"{parameter.name}=uint8:zeros:{16 * count}"
    if "const" not in parameter.type:
        return f"{parameter.name}=zeros:{count}"
    fill = "normal" if kind.startswith(("float", "bfloat")) else "ones" if kind == "bool" else texts.randint(kind)
    return f"{parameter.name}={fill}:{count}"


@dataclass
class _Texts:
    """The source of a kernel, and scalars by name, as far as they are told or guessed."""

    kernel: Kernel
    given: list[str]
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
            if len(parts) > 1 and (size := self._size(parts[1], code.max_threads)):
                return size
        if "threadIdx.y" in self._body():
            side = min(SIDE, math.isqrt(code.max_threads))
            return f"{side},{side}"
        return str(min(THREADS, code.max_threads))

    def _size(self, text: str, most: int) -> str:
        """A size in a launch: a number, a constant, a ``dim3`` of such; empty where host code computes it."""
        declared = self.kernel.declared
        name = text.strip()
        inside = re.search(_DIM3.format(name=re.escape(name)), self._source) if name.isidentifier() else None
        direct = re.fullmatch(r"dim3\s*\((.*)\)", name, re.DOTALL)
        numbers = [declared.number(part) for part in _split((inside or direct or [name, name])[1])] if declared else []
        sizes = [n for n in numbers if n is not None]
        whole = 0 < len(sizes) == len(numbers) <= len("xyz")
        return ",".join(map(str, sizes)) if whole and 0 < math.prod(sizes) <= most else ""

    def grid(self, block: str) -> str:
        """As many blocks as bound checks let in; of a kernel without any as many as its first size."""
        threads, body = [*map(int, block.split(",")), 1, 1], self._body()
        bounds, known = self._bounds(body), self.known
        first = next((int(value) for value in known.values() if isinstance(value, int) and value > 1), SEVERAL)
        sizes = []
        for axis, own in zip("xyz", threads, strict=False):
            if f"blockIdx.{axis}" not in body:
                sizes.append("1" if body or axis != "x" else f"ceildiv({first},{own})")
            elif axis in bounds:
                sizes.append(f"ceildiv({bounds[axis]},{own})" if own > 1 else bounds[axis])
            else:
                sizes.append(str(min(first, SEVERAL)))
        values = [str(max(1, math.ceil(evaluate(size, known)))) for size in sizes]
        while len(values) > 1 and values[-1] == "1":
            values.pop()
        return ",".join(values)

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

    def randint(self, kind: str) -> str:
        """Integers below the smallest size, as indices are."""
        sizes = [n for n in self.known.values() if isinstance(n, int) and n > 1]
        most = (1 << int(re.sub(r"\D", "", kind)) - 1) - 1
        return f"randint:{min([*sizes, SEVERAL, most])}"


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


def fitting(first: Guess, run: Callable[[Guess], object], tell: Callable[[str], None]) -> Guess:
    """Enlarge guessed arrays until a launch reaches beyond none of them.

    Parameters
    ----------
    first : Guess
    run : callable
        Runs the launch, and raises what went wrong.
    tell : callable
        Told of each array that grows.

    Returns
    -------
    Guess
        With which it ran.
    """
    from gpusim.simulate.driving import SimulationError

    guessed = first
    while True:
        try:
            run(guessed)
        except SimulationError as error:
            larger = guessed.enlarged(error.array, error.past) if error.array else None
            if larger is None:
                tell(f"guessed: {' '.join(guessed.lines())}")
                raise
            tell(_why(error.array, error.past))
            guessed = larger
        else:
            return guessed


def _why(array: str, past: int) -> str:
    """Why arrays grow."""
    if array == "*":
        return "an array is read or written past its end, in another one: larger ones are taken"
    return f"{array} is read or written {past} bytes past its end: a larger one is taken"
