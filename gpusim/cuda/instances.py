"""Kernels of a source that are templates, and the instances of them that it launches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from gpusim.cuda.cuda_errors import MissingToolError
from gpusim.cuda.syntax import namespaces, parse, walk

_KERNEL = "__global__"


def launched(source: str) -> list[str]:
    """Instances of templates that a source launches with ``<<<...>>>``; none where no parser is installed.

    Parameters
    ----------
    source : str

    Examples
    --------
    >>> launched("void g() { f<32, float><<<1, 2>>>(0); h<<<1, 1>>>(); }")  # doctest: +SKIP
    ['f<32, float>']
    """
    if "<<<" not in source or "template" not in source:
        return []
    try:
        return _launched(parse(source.encode(errors="replace")))
    except MissingToolError:
        return []


def _launched(root: Any) -> list[str]:
    calls = [node for node in walk(root) if node.type == "kernel_call_syntax"]
    called = [node.parent.child_by_field_name("function") for node in calls if node.parent is not None]
    texts = [node.text.decode() for node in called if node is not None and b"<" in node.text]
    return list(dict.fromkeys(" ".join(text.split()) for text in texts))


def templates(source: str) -> list[str]:
    """Kernels of a source that are templates, with the instances it launches.

    Parameters
    ----------
    source : str

    Examples
    --------
    >>> text = "template <int T> __global__ void f(int *p) {}  void g() { f<32><<<1, 2>>>(0); }"
    >>> templates(text)  # doctest: +SKIP
    ['f<int T> (launched as f<32>)']
    """
    if "template" not in source:
        return []
    try:
        root = parse(source.encode(errors="replace"))
    except MissingToolError:
        return []
    launches, found = _launched(root), []
    for node in walk(root):
        if node.type == "template_declaration" and (name := _kernel_of(node)):
            parameters = " ".join(node.child_by_field_name("parameters").text.decode()[1:-1].split())
            used = sorted({one for one in launches if one.partition("<")[0].strip().rpartition("::")[2] == name})
            note = f" (launched as {', '.join(used)})" if used else ""
            found.append(f"{name}<{parameters}>{note}")
    return list(dict.fromkeys(found))


def qualified(wanted: str, texts: Iterable[str]) -> str:
    """An instance of a template with the namespace that the template stands in, where its name is without any.

    Parameters
    ----------
    wanted : str
    texts : iterable of str
        The source, and headers of the user's.

    Examples
    --------
    >>> qualified("f<3>", ["namespace a { template <int N> __global__ void f(int *p) {} }"])  # doctest: +SKIP
    'a::f<3>'
    """
    name = wanted.partition("<")[0].strip()
    if not name.isidentifier():
        return wanted
    declares = re.compile(rf"\b{name}\s*\(")
    with suppress(MissingToolError):
        for text in texts:
            for node in walk(parse(text.encode(errors="replace"))) if declares.search(text) else ():
                if node.type == "template_declaration" and _kernel_of(node) == name:
                    return "::".join([*namespaces(node), wanted])
    return wanted


def _kernel_of(template: Any) -> str:
    """Name of the kernel that a template is of; empty where it is of something else."""
    inner = template.named_children[-1]
    declarator = inner.child_by_field_name("declarator")
    if inner.type not in ("function_definition", "declaration") or declarator is None:
        return ""
    head = inner.text[: declarator.end_byte - inner.start_byte].decode()
    if _KERNEL not in head.split("(")[0].split() and _KERNEL not in head:
        return ""
    while (further := declarator.child_by_field_name("declarator")) is not None:
        declarator = further
    name: str = declarator.text.decode()
    return name.rpartition("::")[2]
