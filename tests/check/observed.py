"""A kernel, and faults of it as a run would note them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpusim.results.faults import Access, Checked, Fault, Observed, Space
from gpusim.simulate.launch import lay_out

SOURCE = """\
__global__ void reverse(const float* a, float* b, int n) {
    __shared__ float s[64];
    __shared__ float t[8];
    t[threadIdx.x % 8] = n;
    s[threadIdx.x] = a[threadIdx.x + n];
    b[threadIdx.x] = s[63 - threadIdx.x] + t[n];
}
"""
WRITE, READ = 5, 6
"""Lines that write to s, and read from it."""

ARGUMENTS = {"a": "normal:128", "b": "empty:128", "n": 3}
WORDS = ["--grid", "2", "--block", "64", *(w for name, v in ARGUMENTS.items() for w in ("--arg", f"{name}={v}"))]


def at(launch: Any, line: int, *, shared: bool = False) -> int:
    """Index of the first instruction of a line that loads or stores, in shared or in global memory."""
    names = ("LDS", "STS") if shared else ("LDG", "STG")
    for index, instr in enumerate(launch.program.instrs):
        if instr.line == line and instr.op.name in names:
            return index
    raise AssertionError(f"line {line} has none of {names}")


def race(launch: Any, fault: Fault = Fault.RAW, times: int = 32, *, warp: int = 1, block: int = 1) -> Observed:
    """Lines 5 and 6 meet at word 32 of s: threads of two warps, or of one where `warp` is 0."""
    writer = Access(at(launch, WRITE, shared=True), block, 32 * warp + 8, value=0x3F800000)
    reader = Access(at(launch, READ, shared=True), 1, 31)
    if fault is Fault.WAR:
        return Observed(fault, writer, reader, Space.SHARED, 128, 4, times)
    if fault is Fault.WAW:
        reader = replace(writer, thread=31, value=7)
    return Observed(fault, reader, writer, Space.SHARED, 128, 4, times)


def beyond(launch: Any, times: int = 3) -> Observed:
    """Line 5 reads 3 bytes past the end of a."""
    address = lay_out(launch).address["a"] + 512 + 3
    return Observed(Fault.OUT_OF_BOUNDS, Access(at(launch, WRITE), 1, 62), None, Space.GLOBAL, address, 4, times)


def unwritten(launch: Any) -> Observed:
    """Line 6 reads a word past the end of t."""
    return Observed(Fault.UNWRITTEN, Access(at(launch, READ, shared=True), 0, 4), None, Space.SHARED, 256 + 36, 4, 2)


class Checks(list[dict[str, Any]]):
    """Stands in for a run: notes what it is asked, and finds what `faults` gives of a launch."""

    def __init__(self, faults: Any = lambda launch: (), **more: Any) -> None:
        self.faults, self.more = faults, more

    def __call__(self, launch: Any, gpu: Any, held: Any, **how: Any) -> Checked:
        self.append({"launch": launch, "gpu": gpu, **how})
        faults: Sequence[Observed] = tuple(self.faults(launch))
        return Checked(faults, **{"blocks_run": launch.blocks, "blocks": launch.blocks, **self.more})
