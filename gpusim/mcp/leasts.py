"""A bound as it is asked for: of a kernel of the catalogue, or of a computation as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gpusim.errors import ParameterError

if TYPE_CHECKING:
    from gpusim.bounds.result import Bound
    from gpusim.progress import Progress

ELEMENT_BYTES = 4
"""Of a computation's arrays, where nobody says otherwise."""

Computation = Annotated[
    str | None,
    Field(
        description="Instead of a kernel, a computation: 'C[m,n] += A[m,k] * B[k,n]'; "
        "params say how far its loops run.",
        max_length=1_000,
    ),
]
Extents = Annotated[
    dict[str, int | float] | None,
    Field(description="Sizes and tiles of the kernel, or extents of the computation's loops: {'m': 4096}."),
]
MemoryBytes = Annotated[
    float | None,
    Field(description="Of a computation: bytes of one fast memory, instead of the levels of a GPU.", gt=0),
]
ElementBytes = Annotated[
    int | None, Field(description="Of a computation: bytes of an element; 4 unless given.", ge=1, le=16)
]


def least(
    kernel: str | None, computation: str | None, params: Mapping[str, Any], gpu: str, memory: float | None,
    element_bytes: int | None, count: bool, progress: Progress,
) -> Bound:  # fmt: skip
    """Bound what is asked for.

    Parameters
    ----------
    kernel : str or None
        Of the catalogue.
    computation : str or None
        Instead of it.
    params : mapping
    gpu : str
    memory : float or None
        Bytes of one fast memory, of a computation.
    element_bytes : int or None
        Of a computation.
    count : bool
        Simulate the kernel, too.
    progress : callable

    Raises
    ------
    GpusimError
        Neither or both; a name that is not known, a computation that is none.
    """
    from gpusim.bounds.answer import bound, of_text
    from gpusim.catalogue import lookup

    if computation is not None and kernel is None:
        return of_text(computation, gpu, memory, element_bytes or ELEMENT_BYTES, params)
    if kernel is None or computation is not None:
        raise ParameterError("give kernel (and params), or computation, such as 'C[m,n] += A[m,k] * B[k,n]'")
    if element_bytes is not None:
        raise ParameterError("element_bytes is of a computation: a kernel has its own")
    found = lookup.find(kernel)
    found.launch(**params)  # names that are none of its own are refused here
    return bound(found, gpu, count=count, progress=progress, memory=memory, **params)
