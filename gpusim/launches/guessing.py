"""Guesses of what a launch is not told: scalars by their names, sizes by bound checks, a block of 256 threads.

A guess is a text of the command line, so that a user can copy and change it.  It is a size at which a kernel may run,
not the user's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gpusim.cuda.included import quoted
from gpusim.cuda.layout import vector
from gpusim.cuda.scalars import numpy_name
from gpusim.errors import EndlessError, GpusimError, ParameterError
from gpusim.expressions import ExpressionError, Number, evaluate, names
from gpusim.launches import named

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.cuda.signature import Parameter


THREADS = 256
"""Threads of a block that nothing tells."""


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


SIZES = (
    Sizes(1 << 20, 1024), Sizes(1 << 12, 256, 128), Sizes(512, 64, 64), Sizes(64, 32, 32), Sizes(16, 16, 16),
    Sizes(1, 1, 32),
)  # fmt: skip
"""Those to begin with, and smaller ones for a kernel that does not run with them."""
MANY = 3
"""So many sizes that work may grow with all of them."""
PATIENCE_S = 30.0
"""Seconds that a launch may take while smaller sizes may do."""
DYNAMIC_SHARED = tuple(1 << n for n in range(14, 18))
"""Bytes of dynamic shared memory, one after the other, for a kernel that reaches beyond what it has."""
BY_NAME = {
    r"b|batch(_?size)?|num_?batch(es)?": 4, r"h|(num_?|n_?)?heads": 8, r"(head_?)?dim|d|dk|dv|head_?size|hs": 64,
    r"b[cr]": 32, r"t[cr]": 4,
    r"\w*(ksize|kernel_?size|radius|filter)\w*": 3, r"\w*channels?\w*|c_?in|c_?out|groups?": 16,
    r"(op|idx|index|id|which|kind|type)(_?id)?|\w*(offset|start|begin|shift|pad(ding)?|mode|flag|causal|trans)\w*": 0,
    r"\w*(stride|step|dilation|iters?|iterations|repeat|rounds?|epochs?|reps|ratio)\w*": 1,
}  # fmt: skip
"""Sizes of parameters by name, in lower case; all others are one of the above."""
FLOATS = {r"beta\w*": 0.0, r"eps\w*|epsilon": 1e-5}
"""The same of floating-point numbers; all others are 1."""
FURTHER = 4
"""Blocks along an axis that nothing tells, but for the first such axis."""
MOST_ELEMENTS = 1 << 22
"""Of an array to begin with."""
MOST_GROWN = 1 << 31
"""The same of one that grew."""
GROWN = 1 << 27
"""The same while smaller sizes may do."""
TIMES = 16
"""So many times as long is an array whose first growth was not enough."""
GROWTHS = 3
"""So often do arrays grow while smaller sizes may do."""

_VARIABLE = re.compile(r"\b(\w+)\s*=\s*([^;=]*?\bblockIdx\.[xyz][^;,=]*)(?=[;,])")
_AXIS = re.compile(r"\b(?:blockIdx|threadIdx)\.([xyz])")
_AXIS_OF = re.compile(r"((?:\w+\s*[*+]\s*)?\bblockIdx\.[xyz][\w\s.*+]*?)\s*(?=<[^<]|>=)")
_DIRECT = ""
_CAST = re.compile(r"\(\s*(?:unsigned\s+)?(?:int|size_t|unsigned|long|uint32_t|int64_t)\s*\)")
_LAUNCHED = r"\b{name}\s*(?:<[^<>;]*>)?\s*<<<([^;]*?)>>>"
_DIM3 = r"\bdim3\s+{name}\s*[({{=]\s*(?:dim3\s*\()?([^;]*?)[)}}]+\s*;"
_NUMBER = r"(?:#\s*define\s+{name}\s+\(?|\b(?:int|unsigned|size_t|uint32_t|auto)\s+{name}\s*=\s*)(\d+)\b"
_DYNAMIC = re.compile(r"\bextern\b[^;{}]*?\b__shared__\b")
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
    shared : int or None
        As ``--dynamic-shared`` has it; None where it was given, or the kernel declares none.
    """

    args: tuple[str, ...]
    grid: str | None
    block: str | None
    shared: int | None = None

    def enlarged(self, name: str, nbytes: int, times: int = 2, most: int = MOST_GROWN) -> Guess | None:
        """The same with a guessed array that is so many bytes longer, or so many times as long; None if it is none.

        ``*`` are all of them; ``most`` elements is how long one may become.
        """
        args = tuple(
            _grown(text, nbytes, times)
            if text.partition("=")[0] == name or (name == "*" and _COUNTED.search(text))
            else text
            for text in self.args
        )
        too_long = any(int(found[1]) > most for text in args if (found := _COUNTED.search(text)))
        return None if args == self.args or too_long else replace(self, args=args)

    def with_more_shared(self) -> Guess | None:
        """The same with more dynamic shared memory; None if there is none, or no more."""
        more = next((size for size in DYNAMIC_SHARED if self.shared is not None and size > self.shared), None)
        return None if more is None else replace(self, shared=more)

    def lines(self) -> list[str]:
        """The guesses as options."""
        sizes = (f"--{name} {size}" for name, size in (("grid", self.grid), ("block", self.block)) if size)
        shared = [f"--dynamic-shared {self.shared}"] if self.shared else []
        return [*sizes, *shared, *(f"--arg {text}" for text in self.args)]


_COUNTED = re.compile(r"=(?!bytes:)\w+(?::\w+)*:(\d+)$")
"""An array's number of elements."""


def _grown(text: str, nbytes: int, times: int) -> str:
    start, _, count = text.rpartition(":")
    return f"{start}:{max(times * int(count), int(count) + nbytes)}"


def guesses(
    kernel: Kernel, given: Sequence[str], grid: str | None, block: str | None, shared: int | None = None
) -> Iterator[Guess]:
    """Guess what a launch is not told, with ever smaller sizes; see :func:`guess`."""
    found: list[Guess] = []
    for sizes in SIZES:
        one = guess(kernel, given, grid, block, shared, sizes)
        if one not in found:
            found.append(one)
            yield one


def guess(
    kernel: Kernel,
    given: Sequence[str],
    grid: str | None,
    block: str | None,
    shared: int | None = None,
    sizes: Sizes = SIZES[0],
) -> Guess:
    """Guess what a launch is not told.

    Parameters
    ----------
    kernel : Kernel
    given : sequence of str
        Arguments that are told, as ``--arg`` has them; those without a name are of the first parameters.
    grid, block : str or None
        As told.
    shared : int or None
        Dynamic shared memory, as told.
    sizes : Sizes
        What sizes are taken to be that no name tells.

    Returns
    -------
    Guess
    """
    kernel, told = _opened(kernel, given)
    missing = [p for n, p in zip(kernel.parameter_names, kernel.parameters, strict=True) if n not in told]
    texts = _Texts(kernel, [text for text in given if named.is_named(text)], sizes)
    own_block = block or texts.block()
    scalars = [p for p in missing if not _is_array(p)]
    whole = [p for p in kernel.parameters if numpy_name(p.type)[:3] in ("int", "uin")]
    unknown = sum(not _named(p.name, BY_NAME) for p in whole)
    size = sizes.alone if len(whole) == 1 else sizes.several if unknown < MANY else max(1, sizes.several // 4)
    for parameter in scalars:
        texts.tell(parameter.name, texts.texture(parameter) or _scalar(parameter, size))
    own_grid = grid or texts.grid(own_block)
    count = texts.elements(own_grid, own_block)
    arrays = tuple(_array(p, count, texts) for p in missing if _is_array(p))
    dynamic = 0 if shared is None and texts.declares_shared() else None
    return Guess((*texts.guessed, *arrays), None if grid else own_grid, None if block else own_block, dynamic)


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


def _scalar(parameter: Parameter, usual: int) -> str:
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
    size = min(BY_NAME[pattern], usual) if pattern else usual
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
            side = math.isqrt(min(self.sizes.threads, code.max_threads))
            return f"{side},{side}"
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
            else:
                sizes.append(str(min(first, self.sizes.several if first_axis else FURTHER)))
                first_axis = False
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
        return f"randint:{min([*sizes, self.sizes.several, most])}"


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


Run = Callable[[Guess, "float | None"], object]


def fitting(tries: Iterable[Guess], run: Run, tell: Callable[[str], None]) -> Guess:
    """Take the first guess with which a launch runs, its arrays enlarged until the launch reaches beyond none of them.

    Parameters
    ----------
    tries : iterable of Guess
        With ever smaller sizes.
    run : callable
        Runs the launch for so many seconds at most, if a number is given, and raises what went wrong.
    tell : callable
        Told of each array that grows, and when smaller sizes are tried.

    Returns
    -------
    Guess
        With which it ran.
    """
    first: tuple[Guess, GpusimError] | None = None
    left = list(tries)
    while left:
        guessed = left.pop(0)
        done, error = _fitted(guessed, run, tell, is_last=not left)
        if error is None:
            return done
        first = first or (done, error)
        if left:
            tell("smaller sizes are tried")
    assert first is not None
    tell(f"guessed: {' '.join(first[0].lines())}")
    raise first[1]


def _fitted(
    guessed: Guess, run: Run, tell: Callable[[str], None], *, is_last: bool
) -> tuple[Guess, GpusimError | None]:
    """A guess with arrays as long as a launch needs; and what went wrong all the same."""
    from gpusim.launches.profiling import TimeLimitError
    from gpusim.simulate.driving import SimulationError

    growths = 0
    while True:
        try:
            run(guessed, None if is_last else PATIENCE_S)
        except (SimulationError, EndlessError, ParameterError, TimeLimitError) as error:
            larger, why = _enlarged(guessed, error, TIMES if growths else 2, MOST_GROWN if is_last else GROWN)
            growths += 1
            if larger is None or (growths > GROWTHS and not is_last):
                return guessed, error
            tell(why)
            guessed = larger
        else:
            return guessed, None


def _enlarged(guessed: Guess, error: GpusimError, times: int, most: int) -> tuple[Guess | None, str]:
    """A guess with more of what a launch reaches beyond, and what to say of it."""
    from gpusim.simulate.driving import SimulationError

    if not isinstance(error, SimulationError):
        return None, ""
    if error.is_of_shared:
        more = guessed.with_more_shared()
        return more, f"shared memory is read or written past its end: {more.shared} bytes are dynamic" if more else ""
    if not error.array:
        return None, ""
    return guessed.enlarged(error.array, error.past, times, most), _why(error.array, error.past)


def _why(array: str, past: int) -> str:
    """Why arrays grow."""
    if array == "*":
        return "an array is read or written past its end, in another one: larger ones are taken"
    return f"{array} is read or written {past} bytes past its end: a larger one is taken"
