"""Single instructions as an H100 ran them, and programs that run them here.

On the GPU each instruction stood in a kernel like the one that :func:`program` makes: 16 words are loaded into R16
to R31 and eight constants into UR8 to UR15, R32 to R35 get the values of R28 to R31 and the predicates the bits of
R28; the instruction reads R16, R20, R24 (uniform: UR8, UR10, UR12) and writes R32 (UR16); then R32 to R35 and the
predicates are stored.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpusim import hardware
from gpusim.cuda import nvdisasm, toolchain
from gpusim.cuda.nvdisasm import Line
from gpusim.cuda.translate import translate, translate_line
from gpusim.cuda.translate.reader import Unsupported
from gpusim.hardware.programming import Abi
from gpusim.isa.instruction import INSTRUCTION_BYTES, Instr
from gpusim.isa.program import Program
from tests.cuda.running import run

DATA = Path(__file__).parent / "data" / "forms-h100.npz"
LANES, WORDS, KEPT = 32, 16, 5
CONSTANTS = np.array(
    [0x40490FDB, 0x3FF80000, 0x00000005, 0xC2280000, 0x3C004248, 0x80000000, 0xFFFFFFF3, 0x0000001F], np.uint32
)
UNIFORM_PREDICATES = (1, 0, 1, 1, 0, 1, 0)
CONST_BASE = hardware.of_architecture("sm_90", Abi).parameters
NO_SCOREBOARDS = 1 << 41 | 7 << 46 | 7 << 49  # of the encoding's upper word


_AT = re.compile(r"at address 0x([0-9a-f]+)")  # in what nvdisasm says of what is no instruction
_READ = re.compile(r"\s*/\*([0-9a-f]+)\*/\s+(?:@(!?U?P[0-6T])\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")


class Form(NamedTuple):
    """An instruction, and what it left in each lane: R32 to R35 (or UR16 to UR19), and the predicates."""

    line: Line
    uniform: bool
    result: np.ndarray

    @property
    def opcode(self) -> str:
        return self.line.opcode.partition(".")[0]


@cache
def inputs() -> np.ndarray:
    """Words (16, 32): random ones, floats of all sizes, special values, small integers."""
    return np.load(DATA)["inputs"]


@cache
def measured() -> dict[str, list[Form]]:
    """Every instruction that was run, by opcode."""
    data = np.load(DATA)
    lines = disassembled([int(low) | int(high) << 64 for low, high in data["words"]])
    found = defaultdict(list)
    for line, uniform, result in zip(lines, data["uniform"], data["results"], strict=True):
        form = Form(line, bool(uniform), result)
        found[form.opcode].append(form)
    return dict(found)


def translated(line: Line) -> Instr | str:
    """The instruction, or why there is none."""
    try:
        return translate_line(line)
    except Unsupported as reason:
        return str(reason)


def changed(found: list[Form], bits: Iterable[int]) -> list[tuple[Form, Line]]:
    """Each form with each of these bits of its encoding changed: what nvdisasm reads then, if it reads anything."""
    words = [(form, (form.line.low | form.line.high << 64) ^ 1 << bit) for form in found for bit in bits]
    bad = {int(at, 16) // INSTRUCTION_BYTES for at in _AT.findall(_nvdisasm([word for _, word in words]).stderr)}
    good = [pair for n, pair in enumerate(words) if n not in bad]
    texts = {int(m[1], 16): m for m in map(_READ.match, _nvdisasm([word for _, word in good]).stdout.splitlines()) if m}
    lines = []
    for number, (form, word) in enumerate(good):
        if (text := texts.get(number * INSTRUCTION_BYTES)) is not None:
            operands = tuple(part.strip() for part in text[4].split(",")) if text[4] else ()
            lines.append((form, Line(0, text[2] or "", text[3], operands, word & (1 << 64) - 1, word >> 64)))
    return lines


def disassembled(words: list[int]) -> list[Line]:
    """Instructions of sm_90 as nvdisasm prints them, all of which must be readable."""
    done = _nvdisasm(words)
    assert not done.returncode, done.stderr
    return nvdisasm.parse(f".section .text.forms,\n{done.stdout}")["forms"]


def _nvdisasm(words: list[int]) -> subprocess.CompletedProcess[str]:
    with tempfile.NamedTemporaryFile() as image:
        image.write(b"".join(word.to_bytes(INSTRUCTION_BYTES, "little") for word in words))
        image.flush()
        command = [str(toolchain.nvdisasm()), "--binary", "SM90", "-hex", image.name]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def results(forms: list[Form]) -> np.ndarray:
    """What the engine leaves of each form, (forms, 5, 32)."""
    out = np.zeros(len(forms) * KEPT * LANES, np.uint32)
    constants = (CONSTANTS[:4].tobytes(), CONSTANTS[4:].tobytes())
    after = run(program(forms), 1, LANES, inputs().ravel(), out, *constants)
    return after[1].view(np.uint32).reshape(len(forms), KEPT, LANES)


def program(forms: list[Form]) -> Program:
    """A kernel (words, results, eight constants) that runs instructions one after another."""
    lines = [*_begin(), *(line for n, form in enumerate(forms) for line in _around(form, n)), _line("EXIT")]
    parameters = [(0, 8), (8, 8), (16, 16), (32, 16)]
    return translate(
        "forms", lines, registers=64, shared_bytes=0, local_bytes=0, max_threads=LANES, parameters=parameters,
        arch="sm_90", banks={},
    )  # fmt: skip


def _line(opcode: str, *operands: str) -> Line:
    return Line(0, "", opcode, operands, 0, NO_SCOREBOARDS)


def _begin() -> list[Line]:
    loads = (_line("LDG.E", f"R{16 + n}", f"[R2.64+{n * LANES * 4:#x}]") for n in range(WORDS))
    constants = (_line("ULDC", f"UR{8 + n}", f"c[0x0][{CONST_BASE + 16 + 4 * n:#x}]") for n in range(len(CONSTANTS)))
    return [
        _line("S2R", "R4", "SR_TID.X"),
        _line("IMAD.WIDE.U32", "R2", "R4", "0x4", f"c[0x0][{CONST_BASE:#x}]"),
        _line("IMAD.WIDE.U32", "R6", "R4", "0x4", f"c[0x0][{CONST_BASE + 8:#x}]"),
        *constants,
        *loads,
    ]


def _around(form: Form, number: int) -> list[Line]:
    """A form with what comes before and after it."""
    before = [_line("MOV", f"R{32 + n}", f"R{28 + n}") for n in range(4)]
    before.append(_line("R2P", "PR", "R28", "0x7f"))
    after = []
    if form.uniform:
        before += [
            _line("UISETP.NE.U32.AND", f"UP{n}", "UPT", "URZ", hex(value), "UPT")
            for n, value in enumerate(UNIFORM_PREDICATES)
        ]
        before += [_line("UMOV", f"UR{16 + n}", f"UR{12 + n}") for n in range(4)]
        after = [_line("MOV", f"R{32 + n}", f"UR{16 + n}") for n in range(4)]
    after.append(_line("P2R", "R36", "PR", "RZ", "0x7f"))
    first = number * KEPT * LANES * 4
    stores = [_line("STG.E", f"[R6.64+{first + n * LANES * 4:#x}]", f"R{32 + n}") for n in range(KEPT)]
    return [*before, form.line, *after, *stores]
