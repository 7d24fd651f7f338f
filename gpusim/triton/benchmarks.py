"""What benchmarks give: predicted times, the same for every repetition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpusim.triton.session import Session

MS = 1000  # of a second


def benchmark(
    session: Session, function: Callable[[], Any], *, computes: bool = True, quantiles: Sequence[float] | None = None,
    return_mode: str = "mean", grad_to_none: Sequence[Any] | None = None, **repetitions: Any,
) -> Any:  # fmt: skip
    """Time the launches of a function, in the place of ``triton.testing.do_bench``.

    Parameters
    ----------
    session : Session
    function : callable
        It is called once.
    computes : bool
        Whether its launches compute values.
    quantiles, return_mode, grad_to_none
        As for ``do_bench``.
    **repetitions
        How often it would be called; no prediction depends on that.

    Returns
    -------
    float or list of float
        Milliseconds; NaN where it launches nothing that is simulated.
    """
    for tensor in grad_to_none or ():
        tensor.grad = None
    began, launched = session.time, len(session.launches)
    with session.benchmarking(computes=computes):
        function()
    milliseconds = (session.time - began) * MS if len(session.launches) > launched else math.nan
    if math.isnan(milliseconds):
        session.untimed += 1
    if quantiles is not None:
        found = [milliseconds] * len(quantiles)
        return found[0] if len(found) == 1 else found
    return [milliseconds] if return_mode == "all" else milliseconds
