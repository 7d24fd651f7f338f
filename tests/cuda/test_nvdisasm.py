"""Machine code as text: listings read line by line, whole, odd and damaged."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import cuda
from gpusim.cuda import nvdisasm, toolchain
from gpusim.cuda.nvdisasm import NOWHERE, DisassemblyError, Line, Place, control, disassemble, parse
from gpusim.cuda.translate import translate_line
from gpusim.cuda.translate.reader import Unsupported
from gpusim.errors import GpusimError
from tests.cuda.conftest import SOURCES
from tests.cuda.running import listing, program

LISTING = """\
\t.headerflags\t@"EF_CUDA_SM90"
//--------------------- .text.copy    --------------------------
\t.section\t.text.copy,"ax",@progbits
\t.align\t128
        .global         copy
.text.copy:
\t//## File "/a b/k.cu", line 7 inlined at "/a b/k.cu", line 12
\t//## File "/a b/k.cu", line 12
        /*0000*/              @!P0 LDG.E.64 R2, desc[UR4][R2.64+0x8] ;   /* 0x0000000402007981 */
                                                                   /* 0x000ea4000c1e1900 */
.L_x_1:
        /*0010*/                   FADD R5, R0, -|R0|.reuse ;      /* 0x0000000000057221 */
                                                                   /* 0x004fca0000000000 */
\t//## File "/a b/other.h", line 3
        /*0020*/              @P1  BRA `(.L_x_1) ;                 /* 0xfffffffc00fc7947 */
                                                                   /* 0x000fc0000383ffff */
        /*0030*/                   CALL.REL.NOINC `($copy$helper) ; /* 0x0000000000007918 */
                                                                   /* 0x000fc00000000000 */
        /*0040*/                   BRX R6 -0x50 (*"BRANCH_TARGETS .L_x_1"*) ; /* 0x0000000000007918 */
                                                                   /* 0x000fc00000000000 */
        /*0050*/                   NOP;                            /* 0x0000000000007918 */
                                                                   /* 0x000fc00000000000 */
//--------------------- .nv.constant0.copy --------------------------
\t.section\t.nv.constant0.copy,"a",@progbits
        /*0000*/ \t.byte\t0x00, 0x00
"""


def test_a_listing_is_read_whole():
    lines = parse(LISTING)["copy"]
    assert [one.text for one in lines] == [
        "@!P0 LDG.E.64 R2, desc[UR4][R2.64+0x8]", "FADD R5, R0, -|R0|.reuse", "@P1 BRA `0x10",
        "CALL.REL.NOINC `($copy$helper)", "BRX R6 -0x50", "NOP",
    ]  # fmt: skip
    assert lines[0] == Line(
        0, "!P0", "LDG.E.64", ("R2", "desc[UR4][R2.64+0x8]"), 0x0000000402007981, 0x000EA4000C1E1900, "/a b/k.cu", 7,
        (Place("/a b/k.cu", 12),),
    )  # fmt: skip
    assert (lines[1].file, lines[1].line, lines[1].callers) == ("/a b/k.cu", 7, lines[0].callers)
    assert (lines[2].file, lines[2].line, lines[2].callers) == ("/a b/other.h", 3, ())


def test_without_lines_a_place_is_unknown():
    plain = "\n".join(text for text in LISTING.splitlines() if "//##" not in text)
    assert all(Place(one.file, one.line) == NOWHERE for one in parse(plain)["copy"])


def without(number: int) -> str:
    """The listing less one of its lines."""
    lines = LISTING.splitlines()
    return "\n".join(lines[:number] + lines[number + 1 :])


@pytest.mark.parametrize(
    ("listing", "message"),
    [
        (without(8), "an encoding without an instruction"),
        (without(9), "an instruction is missing before"),
        ("\n".join(without(12).splitlines()[:12]), "an encoding without an instruction|ends within the instruction"),
        ("\n".join(LISTING.splitlines()[:9]), "copy: the listing ends within the instruction '@!P0 LDG"),
        (LISTING.replace("/*0020*/", "/*0030*/"), "an instruction is missing before"),
        (LISTING.replace("@P1 ", "@P9 "), "line 15 of the listing is no instruction that can be read"),
        (LISTING.replace("0xfffffffc00fc7947", "0xfffffffc"), "line 15 of the listing is no instruction"),
    ],
)
def test_a_damaged_listing_is_refused(listing, message):
    with pytest.raises(DisassemblyError, match=message):
        parse(listing)


@given(
    st.integers(0, 15), st.integers(0, 7), st.integers(0, 7), st.integers(0, 63), st.integers(0, (1 << 41) - 1),
    st.integers(0, 31),
)  # fmt: skip
def test_scheduling_lies_in_bits_41_to_61(stall, write, read, wait, below, above):
    bits = below | stall << 41 | write << 46 | read << 49 | wait << 52
    for hint in (0, 1 << 45):
        assert control(bits | hint | above << 58) == (stall, write, read, wait, above & 15)


# ------------------------------------------------------------------ what the disassembler prints

PLAIN = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("arch", PLAIN)
def test_every_instruction_of_every_kernel_is_listed(arch):
    module = cuda.compile(SOURCES / "plain.cu", gpu=arch)
    lines = listing(module)
    for symbol, kernel in module.kernels.items():
        words = [word for one in lines[symbol] for word in (one.low, one.high)]
        assert struct.pack(f"<{len(words)}Q", *words) == kernel.code.code


@pytest.mark.usefixtures("compiler")
def test_instructions_know_their_lines():
    text = "__device__ int twice(int x) {\n  return x * 2;\n}\n__global__ void k(int *p) {\n  *p = twice(*p);\n}\n"
    lines = listing(cuda.compile(text, gpu="sm_90"))["_Z1kPi"]
    places = {(one.line, tuple(place.line for place in one.callers)) for one in lines}
    assert {(5, ()), (2, (5,))} <= places
    assert {one.file.rpartition("/")[2] for one in lines if one.line} == {"kernel.cu"}


@pytest.fixture(scope="module")
def cubin(compiler: None) -> bytes:
    """A small cubin, its functions and variables."""
    return cuda.compile(SOURCES / "variables.cu", gpu="sm_90").cubin.data


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"no cubin at all" * 10])
def test_what_is_no_cubin_is_refused(compiler, data):
    with pytest.raises(DisassemblyError, match="nvdisasm fails: "):
        disassemble(data, toolchain.nvdisasm())


def test_a_program_that_cannot_be_run_is_named(tmp_path):
    with pytest.raises(DisassemblyError, match=r"nvdisasm cannot be started: .*nothing: No such file"):
        disassemble(b"", tmp_path / "nothing")


def script(folder: Path, text: str) -> Path:
    """A program that does as a shell says."""
    path = folder / "nvdisasm"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_crash_and_an_endless_run_are_told_apart(tmp_path, monkeypatch):
    with pytest.raises(DisassemblyError, match=r"nvdisasm crashes \(SIGSEGV\)"):
        disassemble(b"", script(tmp_path, "kill -SEGV $$"))
    monkeypatch.setattr(nvdisasm, "TIMEOUT_S", 0.2)
    with pytest.raises(DisassemblyError, match=r"does not end within 0\.2 s"):
        disassemble(b"", script(tmp_path, "exec sleep 20"))


def test_bytes_that_are_no_text_do_no_harm(tmp_path):
    assert disassemble(b"", script(tmp_path, r"printf '.section .text.k,\n//## File \"\377\", line 3\n'")) == {}


# ------------------------------------------------------------------ damaged files


@settings(max_examples=12)
@given(data=st.data())
def test_a_damaged_cubin_is_refused_or_becomes_a_program(cubin, data):
    whole = bytearray(cubin)
    if data.draw(st.booleans()):
        del whole[data.draw(st.integers(0, len(whole) - 1)) :]
    for _ in range(data.draw(st.integers(0, 8)) if whole else 0):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    run_through(bytes(whole))


@settings(max_examples=12)
@given(data=st.data())
def test_any_machine_code_becomes_a_program(cubin, data):
    """Damage within the instructions of a kernel alone."""
    code = cuda.cubin.parse(cubin).kernels["lookup"].code
    start = cubin.index(code)
    whole = bytearray(cubin)
    for _ in range(data.draw(st.integers(1, 20))):
        whole[start + data.draw(st.integers(0, len(code) - 1))] = data.draw(st.integers(0, 255))
    run_through(bytes(whole))


def translate_all(lines: list[Line]) -> None:
    """Every instruction, or the reason why not."""
    for one in lines:
        with contextlib.suppress(Unsupported):
            translate_line(one)


def run_through(data: bytes) -> None:
    """From a file to programs, as far as that goes."""
    try:
        parsed = cuda.cubin.parse(data)
        lines = disassemble(data, toolchain.nvdisasm())
    except GpusimError:
        return
    for found in lines.values():
        translate_all(found)
    assert parsed.arch.startswith("sm_")


LINES = LISTING.splitlines()


@pytest.mark.long
@settings(max_examples=500)
@given(st.lists(st.sampled_from(LINES) | st.text(max_size=30), max_size=25), st.integers(0, 200), st.text(max_size=3))
def test_any_listing_is_read_or_refused(lines, at, inserted):
    text = "\n".join([*LINES[:4], *lines])
    try:
        found = parse(text[:at] + inserted + text[at:])
    except DisassemblyError:
        return
    for section in found.values():
        translate_all(section)


# ------------------------------------------------------------------ sources that are none


@pytest.mark.usefixtures("no_nvcc", "compiler")
@settings(max_examples=10)
@given(st.text(max_size=80))
def test_any_text_compiles_or_is_refused(text):
    try:
        module = cuda.compile(f"{text}\n__global__ void k() {{}}\n", gpu="sm_90")
    except GpusimError:
        return
    assert program(module.kernels["_Z1kv"], listing(module)).instrs
