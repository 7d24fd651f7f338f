"""Sources whose PyTorch is not there, or is more than NVRTC takes: what stands for its headers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpusim.cuda import headers

_NAME = r"(?:torch|ATen|c10|THC|TH)/[^>\"\n]*"
_INCLUDE = re.compile(rf'^[ \t]*#[ \t]*include[ \t]*[<"]({_NAME})[>"]', re.MULTILINE)


def declared() -> str:
    """What stands for each of PyTorch's headers: what device code needs of them."""
    return headers.text("pytorch.h")


def is_header(name: str) -> bool:
    """Whether a header is one of PyTorch's, by the name it is included by.

    Parameters
    ----------
    name : str
    """
    return re.fullmatch(_NAME, name) is not None


def asked_for(texts: Iterable[str]) -> list[str]:
    r"""Headers of PyTorch's that texts include, by the names there.

    Parameters
    ----------
    texts : iterable of str

    Examples
    --------
    >>> asked_for(["#include <torch/extension.h>\n#include <vector>"])
    ['torch/extension.h']
    """
    return list(dict.fromkeys(name for text in texts for name in _INCLUDE.findall(text)))
