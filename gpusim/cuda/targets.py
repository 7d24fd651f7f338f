"""Which target a source is compiled for: an architecture, or one of those that have its own instructions.

Code for ``sm_90a`` has instructions that no later architecture has, and runs on no other.  Sources ask for it by
macros, or just use such instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from gpusim.cuda.cuda_errors import OptionError
from gpusim.cuda.included import included
from gpusim.errors import shown
from gpusim.hardware import SpecError, of_architecture
from gpusim.hardware.programming import Instructions

_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LATER = re.compile(r"error\s*: Feature '([^']+)' requires \.target (sm_\w+) or higher")
_ANY = rb"__CUDA_ARCH_(?:FAMILY_)?SPECIFIC__"


def of_gpu(arch: str) -> tuple[str, ...]:
    """Targets whose code a GPU of an architecture runs: the architecture itself, then those of its own.

    Examples
    --------
    >>> of_gpu("sm_90"), of_gpu("sm_80")
    (('sm_90', 'sm_90a'), ('sm_80',))
    """
    named: tuple[str, ...] = ()
    with suppress(SpecError):  # an architecture of which nothing is known is the compiler's to refuse
        named = of_architecture(arch, Instructions).targets or ()
    return (arch, *(target for target in named if target.rstrip("af") == arch))  # and none of its base's


def checked(target: str, arch: str) -> str:
    """A target that a user names, if a GPU of an architecture runs its code.

    Raises
    ------
    OptionError
    """
    known = of_gpu(arch)
    if target not in known:
        raise OptionError(f"arch: code for {shown(target)} does not run on {arch}: it runs {' and '.join(known)}")
    return target


def asked_for(source: str, folders: Iterable[Path], arch: str) -> str | None:
    """The target of an architecture's own that a source, or a header of the user's that it includes, asks about.

    Compiled for the architecture alone it would silently be other code.

    Parameters
    ----------
    source : str
    folders : iterable of Path
        Where the user's headers are searched.
    arch : str
        Architecture of the GPU.

    Returns
    -------
    str or None
        None where there is no such target, or nothing asks for it.
    """
    first = _first(arch)
    if first is None:
        return None
    number = arch.removeprefix("sm_").encode()
    own = rb"__CUDA_ARCH_FEAT_SM" + number + rb"_ALL|NV_HAS_FEATURE_SM_" + number + rb"a"
    macro = re.compile(rb"\b(?:" + _ANY + rb"|" + own + rb")\b")
    asks = any(macro.search(_COMMENT.sub(b"", text)) for text in _texts(source, folders))
    return first if asks else None


def lacking(log: str, arch: str) -> str | None:
    """The target of an architecture's own to try, where a compiler refused an instruction that the architecture lacks.

    Parameters
    ----------
    log : str
        What the compiler wrote.
    arch : str
        What it compiled for.
    """
    refused = re.search(rf"\.target '?{re.escape(arch)}(?!\w)", log)
    return _first(arch) if refused else None


def refusal(log: str) -> str | None:
    """What to tell a user whose source has instructions that only later architectures have; None where it has none.

    Parameters
    ----------
    log : str
        What the compiler wrote.

    Examples
    --------
    >>> refusal("ptxas ptx input, line 8; error : Feature 'mul.f32x2' requires .target sm_100 or higher")
    'mul.f32x2 needs sm_100 or higher: name a GPU that has it (gpu, --gpu)'
    """
    found = _LATER.search(log)
    return f"{found[1]} needs {found[2]} or higher: name a GPU that has it (gpu, --gpu)" if found else None


def _first(arch: str) -> str | None:
    """The target with all instructions of an architecture's own; None for such a target itself."""
    return next(iter(of_gpu(arch)[1:]), None) if arch[-1:].isdecimal() else None


def _texts(source: str, folders: Iterable[Path]) -> Iterator[bytes]:
    """A source and the user's headers; those whose names are macros are not found."""
    text = source.encode("utf-8", "surrogatepass")
    yield text
    for _, content in included(text, list(folders)):
        yield content
