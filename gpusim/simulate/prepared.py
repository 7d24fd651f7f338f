"""What a program is made into before it runs: of each once, however often it is launched."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state.checks import ALL_MEET, FIRST_MASK
from gpusim.isa.array_use import array_of_each
from gpusim.isa.by_identity import by_identity
from gpusim.isa.dataflow import Dataflow
from gpusim.isa.encode import CHECKED_PIPE, F, Image, bind_constants, closed, encode
from gpusim.isa.idioms import compared_loads
from gpusim.isa.opcodes import Op
from gpusim.isa.slice import counting_and_timed
from gpusim.isa.variants import Cache
from gpusim.simulate.launch import Launch, Layout, arrays_of_parameters, banks_of
from gpusim.simulate.units import add_units

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program

Groups = tuple[frozenset[str], ...]
"""Parameters that are pointers, those of arrays that share memory together."""


class Images(NamedTuple):
    """Images of a program.

    Attributes
    ----------
    counting : Image
        Counts the same with less work.
    in_time : Image
        Takes its time.
    """

    counting: Image
    in_time: Image


@by_identity(1)
def whole(program: Program) -> Image:
    """The image that computes all values, its constants still zero."""
    return closed(encode(program))


LOOKED_AT = (Op.LDG, Op.STG, Op.LDS, Op.STS, Op.SHFL, Op.MEMBAR, Op.BAR, Op.EXIT, Op.NOP)
"""Instructions of the interpreter's loop that are looked at in checked runs; so are all that are out of it."""


@by_identity(1)
def looked_at(program: Program) -> Image:
    """The image that computes all values, and looks at what touches memory and by which threads meet.

    Loads whose value an atomic compares are strong, as that is.  A NOP that the compiler has made of a ``__syncwarp``
    says whose mask it has.
    """
    image = whole(program)
    code = image.code.copy()
    for index, register in program.masks.items():
        if index < len(program) and program.instrs[index].op is Op.NOP and (register or 0) < program.n_registers:
            code[image.place[index], F.OFFSET] = ALL_MEET if register is None else FIRST_MASK + register
    code[np.isin(code[:, F.OP], LOOKED_AT), F.PIPE] = CHECKED_PIPE
    code[image.place[sorted(compared_loads(Dataflow(program)))], F.CACHE] = Cache.CG
    return image._replace(code=code)


@by_identity(1)
def arrays_touched(program: Program, groups: Groups) -> list[frozenset[str]]:
    """Of each instruction the arrays that it may touch, by parameter; nothing where it may be any."""
    return array_of_each(program, groups)


@by_identity(2)
def images(program: Program, gpu: Gpu, groups: Groups) -> Images:
    """Images of which those values are moved that addresses depend on, their constants still zero."""
    counting, timed = (closed(one) for one in counting_and_timed(program, groups))
    return Images(counting, add_units(timed, program, gpu))


@by_identity(2)
def whole_in_time(program: Program, gpu: Gpu) -> Image:
    """The image that computes all values in their time, its constants still zero."""
    return add_units(whole(program), program, gpu)


def bound(launch: Launch, layout: Layout, image: Image) -> Image:
    """An image with the constants that a launch passes, and with the arrays that it reads by their own names."""
    reads = arrays_of_parameters(launch, image.reads)
    return bind_constants(image, banks_of(launch, layout))._replace(reads=reads)
