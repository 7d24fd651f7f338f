"""Statements of docs/language.md in a kernel of their own: what they become, what they are told."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import MappingProxyType

import gpusim.lang as gl

FIRST = MappingProxyType({
    "N": "N = gl.sizes('N')",
    "i": "i = gl.tid.x",
    "a": "a = x[gl.tid.x]",
    "b": "b = x[gl.tid.x + 1]",
    "v": "v = gl.var(gl.f32, 0.0)",
    "s": "s = gl.shared(gl.f32, B); s[gl.tid.x] = 1.0; gl.barrier()",
})  # fmt: skip
"""What stands before a statement that uses a name."""
KERNEL = """import gpusim.lang as gl


@gl.kernel(grid=lambda p: 1, block=lambda p: p.B)
def written(
    x: gl.In[gl.f32, "N"], y: gl.Out[gl.f32, "N"], n: gl.Out[gl.i32, "N"], z: gl.InOut[gl.f32, "N"], B: gl.Tile = 64
):
    gl.sizes("N")
"""


def kernel(statement: str, folder: Path) -> gl.Kernel:
    """A kernel that does what is written, and before that what its names need."""
    used = set(re.findall(r"\w+", statement))
    lines = [line for name, line in FIRST.items() if name in used]
    path = folder / "written.py"
    path.write_text(KERNEL + "".join(f"    {line}\n" for line in [*lines, statement]), encoding="utf-8")
    made = runpy.run_path(str(path))["written"]
    assert isinstance(made, gl.Kernel)
    return made


def message(statement: str, folder: Path) -> str:
    """What a statement is told, without the place; empty where it is right."""
    try:
        kernel(statement, folder).tree  # noqa: B018 (traced when looked at)
    except gl.DescriptionError as error:
        place, _, said = str(error).partition(".py:")
        assert place.endswith("written")
        return said.partition(": ")[2]
    return ""


def mnemonics(statement: str, folder: Path) -> set[str]:
    """Names of the instructions that it becomes, without their variants."""
    listing = str(kernel(statement, folder).lower())
    return set(re.findall(r"^ *\d+  (?:@!?P\d+ )?([A-Z]\w*)", listing, re.MULTILINE))
