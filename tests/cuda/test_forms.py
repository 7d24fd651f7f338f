"""Every operand form of an instruction: is it translated, and does it give what an H100 gives?

Forms are what nvdisasm prints: registers, immediates, constants, negated, absolute, inverted, halves, predicates.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from tests.cuda import forms
from tests.cuda.forms import Form

MOST = 40  # forms of an opcode that are run unless all are asked for (-m long)
CHANGED_BITS = (62, 63, *range(72, 92))  # of an encoding: where signs, halves, predicates and modifiers are
INVALID = re.compile(r"INVALID|\?\?\?|cx\[")  # no instruction, or bindless constants, which CUDA has not
OPCODES = """
BMSK BREV DADD DFMA DMMA DMUL DSETP F2F F2FP F2I F2IP FADD FCHK FFMA FLO FMNMX FMUL FRND FSEL FSET FSETP HADD2
HFMA2 HMMA HMNMX2 HMUL2 HSET2 HSETP2 I2F I2FP IABS IADD3 IDP IMAD IMMA ISETP LEA LOP3 MATCH MOV MOVM MUFU P2R PLOP3
POPC PRMT R2P R2UR REDUX SEL SGXT SHF SHFL UFLO UIADD3 UIMAD UISETP ULEA ULOP3 UMOV UPOPC UPRMT USEL USGXT USHF
VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 VOTE VOTEU
""".split()


@pytest.fixture(scope="module")
def measured(compiler: None) -> dict[str, list[Form]]:
    return forms.measured()


def known(found: list[Form]) -> list[Form]:
    """Forms that have a translation."""
    return [form for form in found if not isinstance(forms.translated(form.line), str)]


# ------------------------------------------------------------------ values


def near(form: Form, got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Words that are right: the same; of a MUFU, whose tables nobody has published, nearly; any NaN of an F2F."""
    same = got == want
    if form.opcode == "MUFU":
        half = ".F16" in form.line.opcode
        x, y = (w.astype(np.uint16).view(np.float16) if half else w.view(np.float32) for w in (got, want))
        with np.errstate(invalid="ignore", over="ignore"):
            return same | (np.abs(x.astype(float) - y) <= 2.0**-9 * np.abs(y.astype(float)) + 2.0**-20)
    if form.line.opcode.startswith("F2F."):
        bits = 0x7FFFFFFF if ".F16." not in form.line.opcode.replace("F32.F16", "").replace("F64.F16", "") else 0x7FFF
        return same | ((got & bits == want & bits) & (want & 0x7C00 if bits == 0x7FFF else want & 0x7FF00000) > 0)
    return same


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


REFUSED: dict[tuple[str, str], int] = {}
"""Forms that the hardware runs and no compiler was seen to make: how many, by opcode and why they are refused."""


def changed(words: list[int]) -> list[tuple[int, int]]:
    """Every word with one bit changed, and the word it was."""
    return [(word ^ 1 << bit, word) for word in words for bit in CHANGED_BITS]
