"""What instructions are spared in a run without a cause of time that lies in a launch's code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.isa import idioms
from gpusim.isa.by_identity import by_identity
from gpusim.isa.dataflow import Dataflow
from gpusim.isa.encode import F, Image
from gpusim.isa.opcode_info import Pipe
from gpusim.isa.opcodes import Op
from gpusim.isa.program import lines_of
from gpusim.results.causes import Cause, CodeLine
from gpusim.simulate.units import on_fma_pipe
from gpusim.simulate.where import place_name

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program

ALL, HALF = S.LANES, S.LANES // 2
VECTOR = 16
"""Bytes that a thread loads at once at most."""

Shares = Mapping[int, int]
"""Of instructions the lanes of 32 that cost nothing."""


def _doubles(flow: Dataflow) -> Shares:
    conversions, _ = idioms.doubles_among_floats(flow)
    return dict.fromkeys(conversions, ALL)


def _divisions(flow: Dataflow) -> Shares:
    return dict.fromkeys(idioms.divisions(flow), ALL)


def _narrow(flow: Dataflow) -> Shares:
    found: dict[int, int] = {}
    for width in (1, 2):
        loads = {k for k in idioms.narrow_loads(flow) if flow.program.instrs[k].width == width}
        found |= dict.fromkeys(loads | idioms.addresses_of(flow, loads), ALL - ALL * width // VECTOR)
    return found


def _reuse(flow: Dataflow) -> Shares:
    sums = idioms.products(flow, idioms.SHARED_ALONE)
    loads = frozenset().union(*sums.values())
    return dict.fromkeys(loads, HALF) if idioms.served(flow, sums) < idioms.MOST_SERVED else {}


def _tiles(flow: Dataflow) -> Shares:
    if not idioms.products(flow, idioms.SHARED_ALONE):
        return {}
    loads, stores = idioms.loads_for_shared(flow)
    return dict.fromkeys(loads | stores, HALF)


def _products(flow: Dataflow) -> Shares:
    if idioms.uses_tensor_cores(flow):
        return {}
    loads = frozenset().union(*idioms.products(flow, idioms.SHARED_ALONE).values())
    return dict.fromkeys(idioms.products(flow, idioms.MEMORY).keys() | loads, ALL)


_SHARES: dict[Cause, Callable[[Dataflow], Shares]] = {
    Cause.DOUBLES: _doubles,
    Cause.DIVISION: _divisions,
    Cause.NARROW: _narrow,
    Cause.REUSE: _reuse,
    Cause.SMALL_TILES: _tiles,
    Cause.NO_TENSOR: _products,
}


@by_identity(1)
def _flow(program: Program) -> Dataflow:
    return Dataflow(program)


@by_identity(1)
def shares(program: Program, cause: Cause) -> Shares:
    """Find which instructions of a program are spared without a cause, and of how many lanes of 32.

    Parameters
    ----------
    program : Program
    cause : Cause

    Returns
    -------
    mapping of int to int
        None where the cause is none of code, or is not there.
    """
    look = _SHARES.get(cause)
    return look(_flow(program)) if look else {}


@by_identity(1)
def moved(program: Program, cause: Cause) -> frozenset[int]:
    """Find which instructions are issued to the FMA pipe without a cause."""
    if cause is Cause.DOUBLES:
        return frozenset(idioms.doubles_among_floats(_flow(program))[1])
    if cause is Cause.SPECIAL:
        return frozenset(k for k, i in enumerate(program.instrs) if i.op is Op.MUFU and i.op.info.pipe is Pipe.XU)
    return frozenset()


def lines(program: Program, cause: Cause) -> tuple[CodeLine, ...]:
    """Give the lines of the source that a cause of code is in, by their instructions, most first."""
    concerned = shares(program, cause).keys() | moved(program, cause)
    places = Counter(program.place_of(k) for k in concerned)
    texts = dict(zip(places, lines_of(list(places)), strict=True))
    names = {program.place_of(k): place_name(program, k) or "(no line)" for k in concerned}
    ranked = sorted(places, key=lambda place: (-places[place], place))
    return tuple(CodeLine(names[place], texts[place].strip(), places[place]) for place in ranked)


def without(image: Image, program: Program, gpu: Gpu, causes: Collection[Cause]) -> Image:
    """Give the image that takes the time of a program without causes of its code.

    Parameters
    ----------
    image : Image
        That takes its time.
    program : Program
    gpu : Gpu
    causes : collection of Cause
    """
    table = np.zeros(len(program), np.int32)
    elsewhere = set[int]()
    for cause in causes:
        for index, lanes in shares(program, cause).items():
            table[index] = max(table[index], lanes)
        elsewhere |= moved(program, cause)
    if not table.any() and not elsewhere:
        return image
    code = image.code.copy()
    code[:, F.SPARED] = table[code[:, F.INDEX]]
    on_fma_pipe(code, np.isin(code[:, F.INDEX], sorted(elsewhere)), gpu)
    return image._replace(code=code)
