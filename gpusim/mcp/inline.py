"""Source that comes as text: it may include CUDA's headers, and no file of the user's."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath, PureWindowsPath

from gpusim.cuda import included
from gpusim.errors import GpusimError

_OTHERS = re.compile(rb"(?:#|%:)(?:" + included.GAP + rb"|\n)*(?:import|embed)\b|__has_embed\b|\?\?=", re.DOTALL)
"""Other ways to read a file: GCC's import, C23's embed; and a trigraph, behind which any directive hides."""


def check_alone(source: str) -> None:
    r"""Refuse a source that may read a file outside the folders of the compiler's headers.

    A compiler's message quotes what it reads.  Beside the text there is no file, so a name that neither is absolute nor
    climbs is found in folders of headers, or not at all.

    Parameters
    ----------
    source : str

    Raises
    ------
    GpusimError

    Examples
    --------
    >>> check_alone("#include <cuda_fp16.h>\n__global__ void k() {}")
    >>> check_alone('#include "/etc/passwd"')
    Traceback (most recent call last):
    gpusim.errors.GpusimError: source: includes '/etc/passwd': only headers of CUDA can be included, by their names
    """
    text = source.encode(errors="replace")
    if included.has_unnamed(text):
        raise GpusimError("source: includes a file whose name is a macro: name it, as in #include <cuda_fp16.h>")
    if _OTHERS.search(included.CONTINUED.sub(b"", text)):
        raise GpusimError("source: #import, #embed and trigraphs are not taken: #include <...> names CUDA's headers")
    for name in map(os.fsdecode, included.names(text)):
        if _leaves(name):
            raise GpusimError(f"source: includes {name!r}: only headers of CUDA can be included, by their names")


def _leaves(name: str) -> bool:
    """Whether a name leads out of the folders that are searched."""
    paths = PurePosixPath(name), PureWindowsPath(name)
    return any(path.is_absolute() or ".." in path.parts for path in paths) or name.startswith(("/", "\\", "~"))
