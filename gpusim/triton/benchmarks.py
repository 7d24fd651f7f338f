"""What benchmarks give: predicted times, the same for every repetition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpusim.triton.session import Session

MS = 1000  # of a second

BENCHMARKS = ("do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton")
"""Functions of ``triton.testing`` that measure."""


def instead(fn: Callable[[], Any], *args: Any, **how: Any) -> Any:
    """What each of them does while a session is active: its numbers say how often to repeat, the rest what is given.

    Another function runs this code with names of its own, so it imports what it needs.
    """
    from gpusim.triton import benchmarks, session

    active = session.active()
    assert active is not None
    given = [value for value in args if not isinstance(value, int | float)]
    return benchmarks.benchmark(active, fn, **dict(zip(benchmarks.IN_ORDER, given, strict=False)), **how)


IN_ORDER = ("grad_to_none", "quantiles", "return_mode")
"""Arguments of theirs that are no numbers."""


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
    before = len(session.launches)
    with session.benchmarking(computes=computes):
        function()
    launched = session.launches[before:]
    session.untimed += not launched
    milliseconds = MS * float(sum(one.seconds for one in launched)) if launched else math.nan
    if quantiles is not None:
        found = [milliseconds] * len(quantiles)
        return found[0] if len(found) == 1 else found
    return [milliseconds] if return_mode == "all" else milliseconds
