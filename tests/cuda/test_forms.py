"""Every operand form of an instruction: is it translated, and does it give what an H100 gives?

Forms are what nvdisasm prints: registers, immediates, constants, negated, absolute, inverted, halves, predicates.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from gpusim.cuda.nvdisasm import Line
from gpusim.isa.instruction import NO_CONTROL, Instr
from tests.cuda import forms
from tests.cuda.forms import Form

MOST = 40  # forms of an opcode that are run unless all are asked for (-m long)
CHANGED_BITS = (62, 63, *range(72, 92))  # of an encoding: where signs, halves, predicates and modifiers are
INVALID = re.compile(r"INVALID|\?\?\?|cx\[")  # no instruction, or bindless constants, which CUDA has not
OPCODES = """
BMSK BREV DADD DFMA DMUL DSETP F2F F2I F2IP FADD FCHK FFMA FLO FMNMX FMUL FRND FSEL FSET FSETP HADD2 HFMA2 HMMA
HMNMX2 HMUL2 HSET2 HSETP2 I2F I2FP IABS IADD3 IDP IMAD IMMA ISETP LEA LOP3 MATCH MOV MOVM MUFU P2R PLOP3 POPC PRMT
R2P R2UR SEL SGXT SHF SHFL UFLO UIADD3 UIMAD UISETP ULEA ULOP3 UMOV UPOPC UPRMT USEL USGXT USHF VABSDIFF
VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 VOTE VOTEU
""".split()


@pytest.fixture(scope="module")
def measured(compiler: None) -> dict[str, list[Form]]:
    return forms.measured()


def known(found: list[Form]) -> list[Form]:
    """Forms that have a translation."""
    return [form for form in found if not isinstance(forms.translated(form.line), str)]


# ------------------------------------------------------------------ values


def near(form: Form, got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Words that are right: the same; of a MUFU, whose tables are not known, nearly; of an F2F any NaN's sign."""
    same = got == want
    if form.opcode == "F2F":
        sign = np.uint32(0x8000 if ".F16.F64" in form.line.opcode else 0x80000000)
        return same | ((got | sign) == (want | sign)) & nan(want, sign)
    if form.opcode == "MUFU":
        if form.line.opcode.endswith("64H"):
            return np.abs(got.astype(np.int64) - want.astype(np.int64)) <= 1
        half = ".F16" in form.line.opcode or ".BF16" in form.line.opcode
        x, y = (w.astype(np.uint16).view(np.float16) if half else w.view(np.float32) for w in (got, want))
        with np.errstate(invalid="ignore", over="ignore"):
            close = np.abs(x.astype(float) - y) <= 2.0**-9 * np.abs(y.astype(float)) + 2.0**-20
        return same | close | (np.isnan(x) & np.isnan(y))
    return same


def nan(words: np.ndarray, sign: np.uint32) -> np.ndarray:
    """Whether words are fp16 NaNs, or the upper words of fp64 ones."""
    infinite = 0x7C00 if sign == 0x8000 else 0x7FF00000
    return (words & infinite) == infinite


def wrong(found: list[Form]) -> list[str]:
    """What differs from the hardware, a line a form."""
    said = []
    for form, got in zip(found, forms.results(found), strict=True):
        want = form.result
        bad = np.argwhere(~near(form, got, want))
        if len(bad):
            row, lane = bad[0]
            said.append(f"{form.line.text}: row {row}, lane {lane}: {got[row, lane]:08x}, not {want[row, lane]:08x}")
    return said


def test_every_opcode_that_was_measured_is_compared(measured):
    assert sorted(measured) == OPCODES


@pytest.mark.parametrize("opcode", OPCODES)
def test_forms_give_what_the_hardware_gives(measured, opcode):
    found = known(measured[opcode])
    assert wrong(found[:: -(-len(found) // MOST)]) == []


@pytest.mark.long
@pytest.mark.parametrize("opcode", OPCODES)
def test_all_forms_give_what_the_hardware_gives(measured, opcode):
    found = known(measured[opcode])
    assert [line for first in range(0, len(found), MOST) for line in wrong(found[first : first + MOST])] == []


# ------------------------------------------------------------------ what is translated


def test_what_is_refused_is_known(measured):
    refused = Counter(
        (opcode, re.sub(r"operand (?=[^a-z]).*", "operand", reason))
        for opcode, found in measured.items()
        for form in found
        if isinstance(reason := forms.translated(form.line), str)
    )
    assert dict(refused) == REFUSED


REFUSED = {
    ("F2IP", "F2IP of another type"): 13,
    ("F2IP", "a part of a register that this instruction is not known to take"): 5,
    ("F2IP", "modifier RELU"): 2,
    ("FLO", "an operand of an unexpected kind"): 44,
    ("HFMA2", "magnitudes of a pair that is turned"): 7,
    ("HFMA2", "operand"): 101,
    ("HSET2", "a modifier is missing"): 1,
    ("HSETP2", "a modifier is missing"): 4,
    ("SHF", "lower word of a 64-bit shift that wraps"): 7,
    ("UFLO", "an operand of an unexpected kind"): 20,
    ("USHF", "lower word of a 64-bit shift that wraps"): 7,
    ("VABSDIFF", "an operand of an unexpected kind"): 18,
    ("VABSDIFF4", "a modifier is missing"): 36,
    ("VABSDIFF4", "an operand of an unexpected kind"): 18,
    ("VIMNMX", "a minimum that is at least 0 and sets predicates"): 19,
}
"""Forms that the hardware runs and no compiler was seen to make: how many, by opcode and why they are refused."""


def test_what_nvdisasm_tells_apart_is_translated_apart(measured):
    """One bit of an encoding changed: the text is another one, so the instruction is, or there is none."""
    kinds: dict[tuple[str, int], Form] = {}
    for opcode, found in measured.items():
        for form in known(found):
            kinds.setdefault((opcode, form.line.low & 0xFFF), form)
    silent = Counter()
    for form, line in forms.changed(list(kinds.values()), CHANGED_BITS):
        if not INVALID.search(line.text) and said(line) != said(form.line):
            silent[form.opcode] += same(forms.translated(line), forms.translated(form.line))
    assert {opcode for opcode, n in silent.items() if n} <= SAYS_NOTHING


SAYS_NOTHING = {"SHF", "USHF", "VABSDIFF4"}
"""Shifts to the left and of one word, whose sign or other word changes nothing; distances of all bytes, likewise."""


def said(line: Line) -> str:
    return re.sub(r"\.reuse|\bU?RZ\b", "", line.text)


def same(one: Instr | str, other: Instr | str) -> bool:
    """Whether two lines are one instruction; what is refused is none."""
    if isinstance(one, str) or isinstance(other, str):
        return False
    return replace(one, control=NO_CONTROL) == replace(other, control=NO_CONTROL)
