"""Guesses of what a launch is not told: scalars by their names, sizes by bound checks, a block of 256 threads.

A guess is a text of the command line, so that a user can copy and change it.  It is a size at which a kernel may run,
not the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpusim.cuda.layout import vector
from gpusim.cuda.scalars import numpy_name
from gpusim.launches import named
from gpusim.launches.clues import MOST_ELEMENTS, Clues, Sizes

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.cuda.signature import Parameter


SIZES = (
    Sizes(1 << 20, 1024), Sizes(1 << 12, 256, 128), Sizes(512, 64, 64), Sizes(64, 32, 32), Sizes(16, 16, 16),
    Sizes(1, 1, 32),
)  # fmt: skip
"""Those to begin with, and smaller ones for a kernel that does not run with them."""
MOST_GROWN = 1 << 31
"""Elements of an array that grew."""
MANY = 3
"""So many sizes that work may grow with all of them."""
DYNAMIC_SHARED = tuple(1 << n for n in range(14, 18))
"""Bytes of dynamic shared memory, one after the other, for a kernel that reaches beyond what it has."""
BY_NAME = {
    r"b|batch(_?size)?|num_?batch(es)?": 4, r"h|(num_?|n_?)?heads": 8, r"(head_?)?dim|d|dk|dv|head_?size|hs": 64,
    r"(n|num)_?dims?|dims|rank": 1, r"b[cr]": 32, r"t[cr]": 4,
    r"\w*(ksize|kernel_?size|radius|filter)\w*": 3, r"\w*channels?\w*|c_?in|c_?out|groups?": 16,
    r"(op|idx|index|id|which|kind|type)(_?id)?|\w*(offset|start|begin|shift|pad(ding)?|mode|flag|causal|trans)\w*": 0,
    r"\w*(stride|step|dilation|iters?|iterations|repeat|rounds?|epochs?|reps|ratio)\w*": 1,
}  # fmt: skip
"""Sizes of parameters by name, in lower case; all others are one of the above."""
FLOATS = {r"beta\w*": 0.0, r"eps\w*|epsilon": 1e-5}
"""The same of floating-point numbers; all others are 1."""
SIZES_OF_AXES, STRIDES = r"\w*(size|shape|dim|extent|len)\w*", r"\w*stride\w*"
AXES = (STRIDES, SIZES_OF_AXES)
MOST_AXES = 8
"""Of an array of a struct that is for any number of axes one is used."""
"""Arrays of integers that say how an array of several axes lies, by name."""


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

        ``*`` are all of them: shorter ones become as long as the longest.  ``most`` elements is how long one may be.
        """
        counts = [int(found["count"]) for text in self.args if (found := _COUNTED.search(text))]
        longest = max(counts, default=0)
        if name == "*" and min(counts, default=0) < longest:
            args = tuple(_COUNTED.sub(rf"\g<fill>{longest}", text) for text in self.args)
        else:
            args = tuple(
                _grown(text, nbytes, times)
                if text.partition("=")[0] == name or (name == "*" and _COUNTED.search(text))
                else text
                for text in self.args
            )
        too_long = any(int(found["count"]) > most for text in args if (found := _COUNTED.search(text)))
        return None if args == self.args or too_long else replace(self, args=args)

    def with_more_shared(self) -> Guess | None:
        """The same with more dynamic shared memory; None if there is none, or no more."""
        more = next((size for size in DYNAMIC_SHARED if self.shared is not None and size > self.shared), None)
        return None if more is None else replace(self, shared=more)

    def names(self) -> list[str]:
        """What is guessed, by name."""
        sizes = (("grid", self.grid), ("block", self.block), ("dynamic shared memory", self.shared))
        return [*(name for name, size in sizes if size), *(text.partition("=")[0] for text in self.args)]

    def lines(self) -> list[str]:
        """The guesses as options."""
        sizes = (f"--{name} {size}" for name, size in (("grid", self.grid), ("block", self.block)) if size)
        shared = [f"--dynamic-shared {self.shared}"] if self.shared else []
        return [*sizes, *shared, *(f"--arg {text}" for text in self.args)]


_COUNTED = re.compile(r"(?P<fill>=(?!bytes:)\w+(?::\w+)*:)(?P<count>\d+)$")
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
    called = zip(kernel.parameter_names, kernel.parameters, strict=True)
    missing = [replace(p, name=name) for name, p in called if name not in told]
    clues = Clues(kernel, [text for text in given if named.is_named(text)], sizes)
    own_block = block or clues.block()
    scalars = [p for p in missing if not _is_array(p)]
    whole = [p for p in kernel.parameters if numpy_name(p.type)[:3] in ("int", "uin")]
    unknown = sum(not _named(p.name, BY_NAME) for p in whole)
    size = sizes.alone if len(whole) == 1 else sizes.several if unknown < MANY else max(1, sizes.several // 4)
    for parameter in scalars:
        clues.tell(parameter.name, clues.texture(parameter) or _scalar(parameter, size))
    own_grid = grid or clues.grid(own_block)
    count = clues.elements(own_grid, own_block)
    arrays = tuple(_array(p, max(count, clues.of_axes(p.name)), clues) for p in missing if _is_array(p))
    dynamic = 0 if shared is None and clues.declares_shared() else None
    return Guess((*clues.guessed, *arrays), None if grid else own_grid, None if block else own_block, dynamic)


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


def _named(name: str, patterns: Iterable[str]) -> str:
    """The first pattern that a parameter's name fits; empty where there is none."""
    short = name.rpartition(".")[2].lower()
    return next((pattern for pattern in patterns if re.fullmatch(pattern, short)), "")


def _scalar(parameter: Parameter, usual: int) -> str:
    """A guess of a number, or the zeros of what is none."""
    kind = numpy_name(parameter.type)
    if parameter.is_array or not kind:
        element, _, count = parameter.type.partition("[")
        if numpy_name(element)[:3] in ("int", "uin") and "[" not in count:
            return _axes(parameter.name, int(count.rstrip("]")), usual)
        return "zeros" if numpy_name(element) else f"bytes:{bytes(parameter.nbytes).hex()}"
    if kind.startswith(("float", "bfloat")):
        pattern = _named(parameter.name, FLOATS)
        return str(FLOATS[pattern] if pattern else 1.0)
    if kind == "bool":
        return "0"
    pattern = _named(parameter.name, BY_NAME)
    size = min(BY_NAME[pattern], usual) if pattern else usual
    return str(min(size, (1 << 8 * parameter.nbytes - 1) - 1))


def _axes(name: str, count: int, usual: int) -> str:
    """Sizes or strides of an array of so many axes, as its name says; zeros for other integers."""
    axes = count if count <= MOST_AXES else 1
    size = max(1, round(min(usual ** min(1, 2 / axes), MOST_ELEMENTS ** (1 / axes))))
    strides = [size ** max(0, axes - 1 - axis) for axis in range(count)]
    told = {SIZES_OF_AXES: [size] * axes + [1] * (count - axes), STRIDES: strides}
    return str(told.get(_named(name, AXES), "zeros")).replace(" ", "")


def _array(parameter: Parameter, count: int, clues: Clues) -> str:
    """A guess of an array: inputs hold numbers, what is not const zeros."""
    target = re.sub(r"(\*( const)?|&)$", "", parameter.type)
    pair = vector(target.replace("const", "").strip())
    kind = numpy_name(pair.fields[0].type.name if pair else target)
    if not kind:
        return f"{parameter.name}=uint8:zeros:{16 * count}"
    if "const" not in parameter.type:
        return f"{parameter.name}=zeros:{count}"
    fill = "normal" if kind.startswith(("float", "bfloat")) else "ones" if kind == "bool" else clues.randint(kind)
    return f"{parameter.name}={fill}:{count}"
