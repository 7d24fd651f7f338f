"""The tree of a C++ or CUDA text, by a tolerant parser (tree-sitter with its CUDA grammar)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from gpusim.cuda import toolchain
from gpusim.cuda.conditionals import flattened
from gpusim.cuda.cuda_errors import MissingToolError
from gpusim.cuda.edits import DIRECTIVES, beside_directives, blanks


@cache
def _parser() -> Any:
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ImportError:
        raise MissingToolError(
            f"tree-sitter-cuda, which finds device code, is not installed: {toolchain.INSTALL}"
        ) from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


_BOUNDS = rb"__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__"
_INSIDE = rb")\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_BOUND = re.compile(rb"\b(?:" + _BOUNDS + _INSIDE)
_ALIGNED = re.compile(rb"\b(?:__align__|__CUDA_ALIGN__|alignas|" + _BOUNDS + _INSIDE)
"""What may stand between a keyword and the name that it declares, which the grammar does not always know."""
_FRIEND = re.compile(rb"(?<=__)\s+friend\b(?=[^;{}()]*\()")
"""After a mark of the device and before a function, which is to the grammar sometimes a friend of its type."""


def parse(data: bytes, *, alignment: bool = False, unknown: frozenset[bytes] = frozenset()) -> Any:
    """Root of the tree of a text.

    Parameters
    ----------
    data : bytes
    alignment : bool
        Keep ``alignas`` in it.
    unknown : frozenset of bytes
        Macros that the tree is without.
    """
    flat = _LONG_DIRECTIVE.sub(_uncommented, (_BOUND if alignment else _ALIGNED).sub(blanks, flattened(data)))
    flat = _FRIEND.sub(blanks, flat)
    if unknown:
        named = re.compile(DIRECTIVES + rb"|\b(?:%s)\b" % b"|".join(sorted(unknown)), re.MULTILINE)
        flat = beside_directives(named, flat, blanks)
    return _parser().parse(flat).root_node


_LONG_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n]*\\\r?\n)+[^\n]*", re.MULTILINE)
_INNER_COMMENT = re.compile(rb"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/")


def _uncommented(directive: re.Match[bytes]) -> bytes:
    """A directive of several lines without comments in it, at which the grammar takes it to end."""
    return _INNER_COMMENT.sub(_blanks_of_comment, directive[0])


def _blanks_of_comment(found: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n\\]", b" ", found[0])


def walk(node: Any) -> Iterator[Any]:
    """Nodes of a tree, a parent before its children."""
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        todo.extend(reversed(one.children))


def namespaces(node: Any) -> list[str]:
    """Named namespaces that a node stands in, the outermost first."""
    found: list[str] = []
    while (node := node.parent) is not None:
        name = node.child_by_field_name("name") if node.type == "namespace_definition" else None
        if name is not None:
            found.insert(0, name.text.decode())
    return found
