"""From a description to a Program, the way ptxas would go about it.

The stages, in the order of their modules: ``bind`` (tiles become numbers),
``build`` (unrolled, scalarised, value-numbered), ``address`` (pointers and
constant offsets), ``sink`` (addresses that only some paths need), ``vectorise``
(wide shared loads), ``flow`` and ``place`` (basic blocks, code motion),
``select`` (machine instructions), ``coalesce``, ``schedule``, ``allocate``,
``control`` (scoreboards and stalls), ``emit``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpusim.isa.check import check
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Convert
from gpusim.lang.description_errors import DescriptionError
from gpusim.lang.lower import bind
from gpusim.lang.lower.address import assign_addresses
from gpusim.lang.lower.build import build
from gpusim.lang.lower.coalesce import coalesce
from gpusim.lang.lower.control import assign_control
from gpusim.lang.lower.emit import emit
from gpusim.lang.lower.flow import flatten
from gpusim.lang.lower.place import place
from gpusim.lang.lower.schedule import schedule_and_allocate
from gpusim.lang.lower.select import select
from gpusim.lang.lower.sink import sink_addresses
from gpusim.lang.lower.target import Target
from gpusim.lang.lower.values import Graph
from gpusim.lang.lower.vectorise import join_shared_loads
from gpusim.lang.tree import GlobalArray, SharedArray, Tree

CONST_BASE = {"sm_90": 0x210}
OLD_CONST_BASE = 0x160
LEAST_FP8 = 89  # PTX ISA, cvt to and from .e4m3x2
LEAST_REGISTERS, RESERVED_REGISTERS = 16, 2  # ptxas never reports fewer, and counts two for itself


def lower(tree: Tree, tiles: Mapping[str, int], target: Target) -> Program:
    """Program of a description.

    Parameters
    ----------
    tree : Tree
        The traced description.
    tiles : mapping of str to int
        A value for every tile size.
    target : Target
        Its architecture decides where parameters start in constant bank 0, its latencies how far apart instructions
        are.

    Returns
    -------
    Program

    Raises
    ------
    DescriptionError
        If a tile size is missing or forbidden, shared memory or registers do not suffice, an index into
        registers stays unknown, or 8-bit floats are converted on an architecture without.
    """
    tiles = {**tree.defaults, **tiles}
    bind.check_tiles(tree, tiles)
    base = CONST_BASE.get(target.arch, OLD_CONST_BASE)
    params = bind.parameter_layout(tree, base)
    offsets = {p.name: p.offset for p in params}
    infos, shared_bytes = bind.array_layout(tree, tiles, offsets)
    memories: list[GlobalArray | SharedArray] = [*tree.globals, *tree.shared]
    places = {array: (number, infos[number].offset) for number, array in enumerate(memories)}

    g = Graph()
    body = build(tree, tiles, g, places)
    assign_addresses(g, body)
    sink_addresses(g, body.items)
    blocks = flatten(join_shared_loads(body.items))
    machine = select(blocks, place(blocks), offsets)
    coalesce(machine)
    readonly = [n for n, a in enumerate(tree.globals) if a.intent == "in"]
    allocation = schedule_and_allocate(machine, readonly, tree.name, target)
    control = assign_control(machine, allocation.place, target)
    program = Program(
        name=tree.name,
        instrs=tuple(emit(machine, allocation.place, control)),
        n_registers=max(LEAST_REGISTERS, allocation.used + RESERVED_REGISTERS),
        shared_bytes=shared_bytes,
        params=params,
        arrays=tuple(infos),
        source=tree.source,
        const_base=base,
    )
    check(program)
    _check_fp8(program, target.arch)
    return program


def _check_fp8(program: Program, arch: str) -> None:
    """Refuse conversions that the architecture has no instruction for; bytes that are only moved need none."""
    converted = any(i.op is Op.F2FP and i.sub & 15 in (Convert.E4M3, Convert.E5M2) for i in program.instrs)
    if converted and int(re.sub(r"\D", "", arch)) < LEAST_FP8:
        raise DescriptionError(
            f"{program.name}: {arch} has no instructions that convert 8-bit floats; take a GPU of sm_{LEAST_FP8} or "
            "later (RTX 40, H100 and after), or elements of f16 or bf16"
        )
