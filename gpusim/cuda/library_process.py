"""Libraries of compilers, asked in processes of their own: one that crashes takes nothing else along."""

from __future__ import annotations

import marshal
import sys
import tempfile
from pathlib import Path
from typing import Any

from gpusim import children
from gpusim.cuda import toolchain
from gpusim.cuda.cuda_errors import CompileError


def answered(child: str, request: dict[str, Any], refused: str, compiler: str) -> dict[str, Any]:
    """Have a program answer a request, both dictionaries in Python's ``marshal`` format.

    Parameters
    ----------
    child : str
        Path of the program, which takes the files of the request and of the answer.
    request : dict
    refused : str
        What a message says first where there is no answer.
    compiler : str
        What it calls the compiler.

    Raises
    ------
    CompileError
        The process crashed, or took too long.
    """
    with tempfile.TemporaryDirectory(prefix="gpusim-") as folder:
        asked, given = Path(folder, "request"), Path(folder, "answer")
        asked.write_bytes(marshal.dumps(request))
        command = [sys.executable, "-I", "-S", child, str(asked), str(given)]
        try:
            ended = children.run(command, seconds=toolchain.COMPILE_S)
        except children.ChildError as error:
            raise CompileError(f"{refused}: {compiler} {error}") from None
        if ended.status:
            said = ended.errors.decode(errors="replace").strip().splitlines() or [f"status {ended.status}"]
            raise CompileError(f"{refused}: {compiler} fails: {said[-1]}")
        found: dict[str, Any] = marshal.loads(given.read_bytes())
        return found
