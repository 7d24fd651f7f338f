"""Operands as nvdisasm prints them, taken apart."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpusim.cuda.operands import Form, OperandError, Text, parse
from gpusim.isa.instruction import PT, RZ, URZ

REG, UREG = Form.REG, Form.UREG
KNOWN = {
    "R7": Text(REG, 7),
    "RZ": Text(REG, RZ),
    "UR4": Text(UREG, 4),
    "URZ": Text(UREG, URZ),
    "P3": Text(Form.PRED, 3),
    "!P0": Text(Form.PRED, 0, invert=True),
    "PT": Text(Form.PRED, PT),
    "!PT": Text(Form.PRED, PT, invert=True),
    "UP1": Text(Form.UPRED, 1),
    "!UPT": Text(Form.UPRED, PT, invert=True),
    "B5": Text(Form.BARRIER, 5),
    "SB0": Text(Form.SCOREBOARD, 0),
    "PR": Text(Form.PREDICATES),
    "R7.reuse": Text(REG, 7),
    "-R7": Text(REG, 7, neg=True),
    "~R7": Text(REG, 7, invert=True),
    "|R7|": Text(REG, 7, absolute=True),
    "-|R7|.reuse": Text(REG, 7, neg=True, absolute=True),
    "R7.H0_H0": Text(REG, 7, suffixes=("H0_H0",)),
    "-R7.reuse.H1_H1": Text(REG, 7, neg=True, suffixes=("H1_H1",)),
    "R7.B3": Text(REG, 7, suffixes=("B3",)),
    "R7.64": Text(REG, 7, suffixes=("64",)),
    "0x10": Text(Form.INTEGER, 16),
    "-0x80000000": Text(Form.INTEGER, -(1 << 31)),
    "0xffffffff": Text(Form.INTEGER, 0xFFFFFFFF),
    "1": Text(Form.FLOAT, value=1.0, name="1"),
    "-0.5": Text(Form.FLOAT, neg=True, value=-0.5, name="-0.5"),
    "1.175494350822287508e-38": Text(Form.FLOAT, value=2.0**-126, name="1.175494350822287508e-38"),
    "+INF": Text(Form.FLOAT, value=math.inf, name="+INF"),
    "-INF": Text(Form.FLOAT, neg=True, value=-math.inf, name="-INF"),
    "c[0x0][0x210]": Text(Form.CONST, 0, offset=0x210),
    "-c[0x3][0x8]": Text(Form.CONST, 3, neg=True, offset=8),
    "|c[0x4][0x0]|": Text(Form.CONST, 4, absolute=True),
    "c[0x3][R2+0x40]": Text(Form.CONST, 3, terms=(Text(REG, 2),), offset=0x40),
    "c[0x0][UR4+-0x8]": Text(Form.CONST, 0, terms=(Text(UREG, 4),), offset=-8),
    "[R2]": Text(Form.ADDRESS, terms=(Text(REG, 2),)),
    "[RZ]": Text(Form.ADDRESS),
    "[0x400]": Text(Form.ADDRESS, offset=0x400),
    "[R2.64+0x10]": Text(Form.ADDRESS, terms=(Text(REG, 2, suffixes=("64",)),), offset=16),
    "[R2.U32+UR4+-0x4]": Text(Form.ADDRESS, terms=(Text(REG, 2, suffixes=("U32",)), Text(UREG, 4)), offset=-4),
    "[R0.X4+UR5]": Text(Form.ADDRESS, terms=(Text(REG, 0, suffixes=("X4",)), Text(UREG, 5))),
    "desc[UR4][R2.64]": Text(Form.ADDRESS, terms=(Text(REG, 2, suffixes=("64",)),)),
    "desc[UR4][R2.64+UR6+-0x10]": Text(Form.ADDRESS, terms=(Text(REG, 2, suffixes=("64",)), Text(UREG, 6)), offset=-16),
    "`0x260": Text(Form.LABEL, 0x260),
    "`(vprintf)": Text(Form.LABEL, -1, name="vprintf"),
    "R6 -0x140": Text(Form.ADDRESS, terms=(Text(REG, 6),), offset=-0x140),
    "UR6 `0x80": Text(Form.ADDRESS, terms=(Text(UREG, 6),), offset=0x80, name="absolute"),
    "SR_TID.X": Text(Form.SPECIAL, name="SR_TID.X"),
    "SRZ": Text(Form.SPECIAL, name="SRZ"),
}


@pytest.mark.parametrize("text", KNOWN)
def test_an_operand_means_what_it_says(text):
    assert parse(text) == KNOWN[text]


@pytest.mark.parametrize("text", ["+QNAN", "-QNAN", "+SNAN"])
def test_a_nan_keeps_its_name_and_sign(text):
    found = parse(text)
    assert (found.form, found.name, found.neg) == (Form.FLOAT, text, text[0] == "-")
    assert math.isnan(found.value)


UNKNOWN = [
    "", " ", "R", "R1000", "r7", "RT", "PZ", "P", "X7", "|R7", "R7|", "--R7", "c[0x0]", "c[0][0x10]", "c[0x0][0x10",
    "[R2", "R2]", "[R2++]x", "[[R2]]", "[desc[UR4][R2]]", "`", "`0x", "`0xfg", "`()", "0x", "0xg", "1e", "X6 -0x140",
    "tex[R1]", "gdesc[R4]", "R7.", "R\N{ARABIC-INDIC DIGIT THREE}", "1\N{ARABIC-INDIC DIGIT THREE}",
]  # fmt: skip


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_no_operand_is_refused(text):
    with pytest.raises(OperandError):
        parse(text)


REGISTERS = st.sampled_from(["R", "UR"]).flatmap(lambda kind: st.integers(0, 62).map(lambda n: (kind, n)))


@given(
    REGISTERS, st.sampled_from(["", "-", "~"]), st.booleans(), st.sampled_from(["", "H0_H0", "B2", "64"]), st.booleans()
)
def test_a_register_keeps_its_signs_and_suffixes(register, sign, absolute, suffix, reused):
    kind, number = register
    core = f"|{kind}{number}|" if absolute else f"{kind}{number}"
    found = parse(sign + core + (".reuse" if reused else "") + (f".{suffix}" if suffix else ""))
    want = Text(REG if kind == "R" else UREG, number, sign == "-", absolute, sign == "~", (suffix,) if suffix else ())
    assert found == want


@given(st.integers(0, 254), st.integers(0, 62), st.integers(-(1 << 23), (1 << 23) - 1))
def test_an_address_is_a_sum(register, uniform, offset):
    found = parse(f"desc[UR4][R{register}.64+UR{uniform}{f'+{offset:#x}'}]")
    assert [term.index for term in found.terms] == [register, uniform]
    assert found.offset == offset


# ------------------------------------------------------------------ anything else

SIGNS = "- ~ ! | . + [ ] ` ( ) , 1 7 e INF QNAN .reuse .64".split()
CORES = "R UR P UP B SB RZ URZ PT UPT PR SR_ 0x 0x10 c[0x0] desc[UR4]".split()
PIECES = st.sampled_from([*SIGNS, *CORES, " ", "\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}"])


@settings(max_examples=1000)
@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=20))
@example("[" * 1000 + "]" * 1000)
@example("R" + "1" * 5000)
@example("1e" + "9" * 400)
def test_any_text_is_an_operand_or_refused(text):
    try:
        found = parse(text)
    except OperandError:
        return
    assert isinstance(found.form, Form)
