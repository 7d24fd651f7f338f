"""Lowered programs, kept on disk under what they are lowered from."""

from __future__ import annotations

import hashlib
import pickle
from typing import TYPE_CHECKING

from gpusim.kept.store import PROGRAMS

if TYPE_CHECKING:
    from gpusim.isa.program import Program
    from gpusim.lang.lower.target import Target
    from gpusim.lang.tree import Tree


def tree_digest(tree: Tree) -> str | None:
    """What tells a tree from every other one.

    A pickled tree is all of it, with which arrays and variables are the same ones: two may have one name.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str or None
        64 hexadecimal digits; None where something in it cannot be pickled.
    """
    try:
        return hashlib.sha256(pickle.dumps(tree, pickle.HIGHEST_PROTOCOL)).hexdigest()
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
        return None


def lowered(tree: Tree, tiles: tuple[tuple[str, int], ...], target: Target) -> Program:
    """Program of a description: as it was lowered before, or lowered now.

    Parameters
    ----------
    tree : Tree
    tiles : tuple of (str, int)
        A value for every tile size.
    target : Target
    """

    def lower_now() -> Program:
        from gpusim.lang.lower.pipeline import lower

        return lower(tree, dict(tiles), target)

    digest = tree_digest(tree)
    return lower_now() if digest is None else PROGRAMS.remembered((digest, tiles, target), lower_now)
