"""From a description to CUDA C++, the way a person would write it.

In the order of their modules: ``named`` (values that the description names are
computed once, under that name), ``inline`` (which other values are written
where they are used), ``expressions``, ``accesses`` and ``statements`` (their
text), ``declarations`` (what surrounds the body), ``lines`` (layout).
"""

from __future__ import annotations

from collections.abc import Mapping

from gpusim.lang.emit.accesses import Accesses
from gpusim.lang.emit.declarations import Declarations
from gpusim.lang.emit.identifiers import Scope
from gpusim.lang.emit.inline import inlined
from gpusim.lang.emit.named import with_names
from gpusim.lang.emit.statements import Statements
from gpusim.lang.lower import bind
from gpusim.lang.tree import Tree


def emit(tree: Tree, tiles: Mapping[str, int], name: str | None = None) -> str:
    """CUDA C++ source of a description: one ``extern "C"`` kernel.

    It takes what the lowered Program takes, in the same order: a pointer for
    every global array, then sizes and scalar arguments.  Indices are 32-bit, as
    they are there.

    Parameters
    ----------
    tree : Tree
        The traced description.
    tiles : mapping of str to int
        A value for every tile size; defaults apply.
    name : str, optional
        The function's name, instead of the description's.

    Returns
    -------
    str
        The source.  Compiled with ``-ftz=true`` it has the special functions of
        the Program without a detour for denormal numbers.

    Raises
    ------
    DescriptionError
        If a tile size is missing or forbidden, shared memory does not suffice,
        or CUDA C++ has no word for something.
    """
    tiles = {**tree.defaults, **tiles}
    bind.check_tiles(tree, tiles)
    body, names = with_names(tree)
    accesses = Accesses(tree, tiles, Scope(), names, inlined(body, names))
    around = Declarations(tree, tiles, body, accesses, name or tree.name)
    return around.source(Statements(tree, accesses, body).text())
