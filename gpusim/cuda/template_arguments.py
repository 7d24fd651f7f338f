"""Arguments of templates: a type's name apart, and which parameter has which argument."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_OPENING, _CLOSING = "<([{", ">)]}"
_WORD = re.compile(r"(?<!::)\b[A-Za-z_]\w*\b")
_OF_TYPE, _OF_TEMPLATES = "type_parameter_declaration", "template_template_parameter_declaration"
_KINDS = (_OF_TYPE, "optional_type_parameter_declaration", "parameter_declaration", "optional_parameter_declaration")
"""Parameters that stand for one argument."""


def parts(name: str) -> list[str]:
    """A qualified name apart.

    Examples
    --------
    >>> parts("a::Pair<b::Int, 3>::First")
    ['a', 'Pair<b::Int, 3>', 'First']
    """
    return divided(name, "::")


def arguments(name: str) -> tuple[str, tuple[str, ...]]:
    """A template's name and the arguments behind it; none behind what is no template.

    Examples
    --------
    >>> arguments("Pair<Int<4>, 3>")
    ('Pair', ('Int<4>', '3'))
    """
    first, opened, rest = name.partition("<")
    if not opened or not name.endswith(">"):
        return name, ()
    return first.strip(), tuple(part.strip() for part in divided(rest[:-1], ","))


def divided(text: str, by: str) -> list[str]:
    """Text between separators outside of brackets.

    Examples
    --------
    >>> divided("Pair<int, 3> p, int n[2]", ",")
    ['Pair<int, 3> p', ' int n[2]']
    """
    found, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0 and text.startswith(by, at):
            found.append(text[start:at])
            start = at + len(by)
    return [*found, text[start:]]


def replaced(text: str, bound: Mapping[str, str]) -> str:
    """A text with arguments in the place of parameters.

    Examples
    --------
    >>> replaced("Pair<T, N>", {"T": "float", "N": "4"})
    'Pair<float, 4>'
    """
    return _WORD.sub(lambda word: bound.get(word[0], word[0]), text)


def bind(template: Any, given: Sequence[str]) -> dict[str, str] | None:
    """The argument of each parameter of a template.

    Parameters
    ----------
    template : tree-sitter Node
        Of type ``template_declaration``.
    given : sequence of str
        Arguments; of parameters behind them the defaults are taken.

    Returns
    -------
    dict or None
        None where they do not fit, or a parameter stands for any number of arguments.
    """
    found: dict[str, str] = {}
    parameters = [
        node.named_children[-1] if node.type == _OF_TEMPLATES else node
        for node in template.child_by_field_name("parameters").named_children
        if node.type != "comment"
    ]
    if len(given) > len(parameters) or any(node.type not in _KINDS for node in parameters):
        return None
    for position, node in enumerate(parameters):
        default = node.child_by_field_name("default_type") or node.child_by_field_name("default_value")
        if position >= len(given) and default is None:
            return None
        argument = given[position] if position < len(given) else replaced(default.text.decode(), found)
        if name := _name(node):
            found[name] = argument
    return found


def _name(parameter: Any) -> str:
    """What a parameter of a template is called; empty where it has no name."""
    node = parameter.child_by_field_name("name") or parameter.child_by_field_name("declarator")
    if node is None and parameter.type == _OF_TYPE:
        node = next(iter(parameter.named_children), None)
    text: str = node.text.decode() if node is not None else ""
    return text if text.isidentifier() else ""
