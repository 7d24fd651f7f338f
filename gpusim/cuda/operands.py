"""Operands of machine code, from text to structure.

What a suffix or a sign means depends on the opcode; here they are only taken apart.

Source: NVIDIA, *CUDA Binary Utilities*, "Instruction Set Reference", and what nvdisasm 13 prints.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from gpusim.errors import GpusimError
from gpusim.isa.instruction import PT, RZ, URZ
from gpusim.isa.variants import UNIFORM_PREDICATES


class Form(IntEnum):
    """What an operand is."""

    REG = 0
    UREG = 1
    PRED = 2
    UPRED = 3
    INTEGER = 4  # written in hexadecimal
    FLOAT = 5  # written in decimal, or as +INF, -QNAN, ...
    CONST = 6  # c[bank][offset], with `terms` where registers are added
    ADDRESS = 7  # [terms + offset]
    LABEL = 8  # an address in the program, or a name outside of it
    SPECIAL = 9  # SR_TID.X, SRZ
    BARRIER = 10  # a convergence barrier, B0
    SCOREBOARD = 11  # SB0
    PREDICATES = 12  # PR, UPR: all predicates together
    DESCRIPTORS = 13  # gdesc[UR4]: where matrices lie, in `terms`
    GROUP = 14  # gsb0, groups of products by a warpgroup
    DESCRIPTOR = 15  # desc[UR4]


class Text(NamedTuple):
    """An operand taken apart.

    Attributes
    ----------
    form : Form
    index : int
        Number of the register, predicate or barrier (of ``PR`` and ``UPR`` where the first stands among a warp's
        predicates); value of an integer; bank of a constant; address of a label.
    neg, absolute, invert : bool
        Written with ``-``, ``|...|``, and ``~`` or ``!``.
    suffixes : tuple of str
        What follows a point, without ``reuse``: ``("H0_H0",)``, ``("64",)``, ``("X4",)``.
    value : float
        Of a float; NaN for a quiet NaN.
    name : str
        Of a special register, or a label that has no address; else as written.
    terms : tuple of Text
        Registers added up in an address.
    offset : int
        Bytes added in an address, a constant, or to the register of an indirect branch.
    """

    form: Form
    index: int = 0  # type: ignore[assignment]
    neg: bool = False
    absolute: bool = False
    invert: bool = False
    suffixes: tuple[str, ...] = ()
    value: float = 0.0
    name: str = ""
    terms: tuple[Text, ...] = ()
    offset: int = 0


class OperandError(GpusimError):
    """An operand of a form that is not known; whoever translates the instruction reports it."""


_MODIFIED = re.compile(r"([-~!]?)(\|?)(.*?)((?:\.\w+)*)(\|?)((?:\.\w+)*)")
_REGISTER = re.compile(r"(U?R|U?P|B|SB)([0-9]{1,3}|Z|T)")
_HEX = re.compile(r"(-?)0x([0-9a-f]{1,16})")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|INF|[QS]NAN)")
_CONSTANT = re.compile(r"c\[0x([0-9a-f]{1,4})\] ?\[([^\[\]]*)\]")  # with a space where a half is taken of it
_ADDRESS = re.compile(r"(?:desc\[UR[0-9]+\])?\[([^\[\]]*)\]")
_MATRICES = re.compile(r"gdesc\[(UR\w+)\]")
_DESCRIPTOR = re.compile(r"desc\[UR([0-9]+)\]")
_LABEL = re.compile(r"`(?:(0x[0-9a-f]{1,16})|\((.+)\))")
_JUMP = re.compile(r"(U?R\w+) (?:(-?0x[0-9a-f]{1,16})|`(0x[0-9a-f]{1,16}))")
_FORMS = {
    "R": Form.REG,
    "UR": Form.UREG,
    "P": Form.PRED,
    "UP": Form.UPRED,
    "B": Form.BARRIER,
    "SB": Form.SCOREBOARD,
}
_NAMED = {("R", "Z"): RZ, ("UR", "Z"): URZ, ("P", "T"): PT, ("UP", "T"): PT}


@lru_cache(maxsize=1 << 16)
def parse(text: str) -> Text:
    """Take an operand apart.

    Parameters
    ----------
    text : str
        As nvdisasm prints it, labels resolved.

    Returns
    -------
    Text

    Raises
    ------
    OperandError
        If its form is not known.

    Examples
    --------
    >>> parse("-|R7|.reuse.H1_H1").suffixes
    ('H1_H1',)
    >>> parse("desc[UR4][R2.64+UR6+-0x10]").offset
    -16
    """
    if (found := _HEX.fullmatch(text)) is not None:
        value = int(found[2], 16)
        return Text(Form.INTEGER, -value if found[1] else value)
    if (found := _DECIMAL.fullmatch(text)) is not None:
        return _number(text)
    if (found := _DESCRIPTOR.fullmatch(text)) is not None:
        return Text(Form.DESCRIPTOR, int(found[1]))
    if (found := _ADDRESS.fullmatch(text)) is not None:
        terms, offset = _sum(found[1])
        return Text(Form.ADDRESS, terms=terms, offset=offset)
    if (found := _LABEL.fullmatch(text)) is not None:
        return Text(Form.LABEL, int(found[1], 16)) if found[1] else Text(Form.LABEL, -1, name=found[2])
    if (found := _JUMP.fullmatch(text)) is not None:
        return _jump(found)
    return _modified(text)


def _number(text: str) -> Text:
    if text.endswith("NAN"):
        return Text(Form.FLOAT, neg=text[0] == "-", value=float("nan"), name=text)
    return Text(Form.FLOAT, neg=text[0] == "-", value=float(text), name=text)


def _jump(found: re.Match[str]) -> Text:
    """``R6 -0x140``: relative to the next instruction; ``R6 `0x80``: to an address in the program."""
    place = _plain(found[1], ())
    offset = int(found[2] or found[3], 16)
    return Text(Form.ADDRESS, terms=(place,), offset=offset, name="" if found[2] else "absolute")


def _modified(text: str) -> Text:
    """A register, constant or special register, with signs around it and suffixes after it."""
    found = _MODIFIED.fullmatch(text)
    if found is None or bool(found[2]) != bool(found[5]):
        raise OperandError(f"operand {text!r}")
    sign, bar, core, within, _, after = found.groups()
    suffixes = tuple(s for s in (within + after).split(".") if s not in ("", "reuse"))
    plain = _plain(core, suffixes)
    return plain._replace(neg=sign == "-", absolute=bool(bar), invert=sign in ("~", "!") and bool(sign))


def _plain(core: str, suffixes: tuple[str, ...]) -> Text:
    if (found := _REGISTER.fullmatch(core)) is not None:
        key = (found[1], found[2])
        if found[2].isdecimal():
            return Text(_FORMS[found[1]], int(found[2]), suffixes=suffixes)
        if key in _NAMED:
            return Text(_FORMS[found[1]], _NAMED[key], suffixes=suffixes)
    if (found := _CONSTANT.fullmatch(core)) is not None:
        terms, offset = _sum(found[2])
        return Text(Form.CONST, int(found[1], 16), suffixes=suffixes, terms=terms, offset=offset)
    if (found := _MATRICES.fullmatch(core)) is not None:
        return Text(Form.DESCRIPTORS, suffixes=suffixes, terms=(_modified(found[1]),))
    if core == "gsb0":
        return Text(Form.GROUP, name=core)
    if core in ("PR", "UPR"):
        return Text(Form.PREDICATES, UNIFORM_PREDICATES if core == "UPR" else 0, suffixes=suffixes)
    if core.startswith("SR"):
        return Text(Form.SPECIAL, name=".".join((core, *suffixes)))
    raise OperandError(f"operand {core!r}")


def _sum(inside: str) -> tuple[tuple[Text, ...], int]:
    """Registers and bytes that an address adds up; registers that are zero are left out."""
    terms, offset = [], 0
    for part in inside.split("+"):
        if not part:
            continue
        if (found := _HEX.fullmatch(part)) is not None:
            offset += int(found[1] + found[2], 16)
            continue
        term = _modified(part)
        if (term.form, term.index) not in ((Form.REG, RZ), (Form.UREG, URZ)):
            terms.append(term)
    return tuple(terms), offset
