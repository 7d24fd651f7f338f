"""The stages of the lowering, one after the other: a tree -> a Program."""

from __future__ import annotations

from collections.abc import Mapping

from gpusim import hardware
from gpusim.isa.check import check
from gpusim.isa.classes import needed
from gpusim.isa.program import Program
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
from gpusim.lang.lower.target import Target, launch_offsets
from gpusim.lang.lower.values import Graph
from gpusim.lang.lower.vectorise import join_shared_loads
from gpusim.lang.tree import GlobalArray, Mma, SharedArray, Tree


def lower(tree: Tree, tiles: Mapping[str, int], target: Target) -> Program:
    """Program of a description.

    Parameters
    ----------
    tree : Tree
        The traced description.
    tiles : mapping of str to int
        A value for every tile size.
    target : Target
        Says where parameters start in constant bank 0, how far apart instructions are, and what a program may ask for.

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
    _check_products(tree, target)
    params = bind.parameter_layout(tree, target.abi.parameters)
    offsets = {p.name: p.offset for p in params}
    infos, shared_bytes = bind.array_layout(tree, tiles, offsets, target.max_shared_bytes)
    memories: list[GlobalArray | SharedArray] = [*tree.globals, *tree.shared]
    places = {array: (number, infos[number].offset) for number, array in enumerate(memories)}

    g = Graph(tree.name)
    body = build(tree, tiles, g, places, target.limits)
    assign_addresses(g, body)
    sink_addresses(g, body.items)
    blocks = flatten(join_shared_loads(body.items))
    machine = select(blocks, place(blocks), offsets | launch_offsets(target.abi))
    coalesce(machine)
    readonly = [n for n, a in enumerate(tree.globals) if a.intent == "in"]
    allocation = schedule_and_allocate(machine, readonly, tree.name, target)
    control = assign_control(machine, allocation.place, target)
    program = Program(
        name=tree.name,
        instrs=tuple(emit(machine, allocation.place, control)),
        n_registers=max(target.limits.fewest_registers, allocation.used + target.abi.compiler_registers),
        shared_bytes=shared_bytes,
        params=params,
        arrays=tuple(infos),
        source=tree.source,
        const_base=target.abi.parameters,
        arch=target.arch,
    )
    check(program)
    _check_instructions(program, target)
    return program


def _check_products(tree: Tree, target: Target) -> None:
    """Refuse products of types for which the architecture has instructions that the engine does not know."""
    for s in bind.walk(tree.body):
        if isinstance(s, Mma) and s.kind.value in (target.instructions.own_products or ()):
            raise DescriptionError(
                f"{tree.source}:{s.line}: {target.arch} multiplies {s.kind.value} by instructions of its own, which "
                "gpusim does not know; take f16 or bf16, or a GPU such as an H100"
            )


def _check_instructions(program: Program, target: Target) -> None:
    """Refuse what the architecture has no instruction for; 8-bit floats that are only moved need none."""
    for lacking in sorted(needed(program.instrs) - set(target.instructions.classes)):
        purpose, remedy = _LACKING.get(lacking, (f"for {lacking.replace('_', ' ')}", ""))
        raise DescriptionError(
            f"{program.name}: {target.arch} has no instructions {purpose}; take a GPU of "
            f"{hardware.having(lacking)[0]} or later{remedy}"
        )


_LACKING = {
    "fp8_conversion": (
        "that convert 8-bit floats", " (RTX 40, H100 and after), or elements of f16 or bf16"
    ),
}  # fmt: skip
"""How a class of instructions is called, and what to do without it."""
