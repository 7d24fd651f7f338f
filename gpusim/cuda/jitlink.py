"""nvJitLink, which makes machine code of PTX as the driver does.

Source: nvJitLink 13.0 user guide, https://docs.nvidia.com/cuda/nvjitlink/
"""

from __future__ import annotations

import os
import re

from gpusim.cuda import jitlink_child, targets, toolchain
from gpusim.cuda.cuda_errors import CompileError, CubinError
from gpusim.cuda.library_process import answered
from gpusim.cuda.nvrtc import Compiled

NAME = "nvJitLink"
_TARGET = re.compile(rb"^\s*\.target\s+sm_(\d+)([af]?)", re.MULTILINE)


def is_ptx(data: bytes) -> bool:
    """Whether a text is PTX."""
    head = data[:65536]
    return re.search(rb"^\s*\.version\s+\d", head, re.MULTILINE) is not None and b".address_size" in head


def identity() -> str:
    """What tells this nvJitLink from another."""
    path = toolchain.nvjitlink()
    found = path.stat()
    return f"{NAME} {path.name} {found.st_size} {found.st_mtime_ns}"


def target_of(ptx: bytes, arch: str, filename: str) -> str:
    """What to compile PTX for, so that a GPU of an architecture runs it.

    Parameters
    ----------
    ptx : bytes
    arch : str
        Architecture of the GPU, or one of its targets.
    filename : str
        What messages call it.

    Raises
    ------
    CubinError
        It is for a later architecture, or for another one's own.
    """
    found = _TARGET.search(ptx)
    if found is None:
        raise CubinError(f"{filename} is PTX that names no target")
    number, own = int(found[1]), found[2].decode()
    named = f"sm_{number}{own}"
    if own and named in targets.of_gpu(arch.rstrip("af")):
        return named
    latest = int(arch.strip("smaf_"))  # PTX for it and for every earlier one runs
    if own or number > latest:
        raise CubinError(f"{filename} is PTX for {named}, which {arch} does not run")
    return arch


def compile_ptx(ptx: bytes, filename: str, target: str) -> Compiled:
    """Make machine code of PTX.

    Parameters
    ----------
    ptx : bytes
    filename : str
        What messages call it.
    target : str
        Real architecture.

    Raises
    ------
    CompileError
        What nvJitLink wrote.
    """
    request = {
        "library": str(toolchain.nvjitlink()),
        "ptx": ptx,
        "filename": os.fsencode(filename),
        "options": [f"-arch={target}".encode(), b"-lineinfo"],
    }
    refused = f"{filename} does not compile for {target}"
    answer = answered(jitlink_child.__file__, request, refused, NAME)
    log = answer["log"].rstrip(b"\0").decode(errors="replace").strip()
    if "call" in answer:
        raise CompileError(f"{refused} ({NAME}: {answer['call']} gives {answer['result']}):", log)
    return Compiled(answer["cubin"], log, NAME)
