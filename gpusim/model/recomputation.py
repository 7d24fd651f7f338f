"""Recomputation: what a backward pass moves and keeps if activations are stored, or computed again.

A chain of n pointwise stages y = f_n(... f_1(x)), forward and backward each fused
into one kernel.  The derivative of a stage needs what went into it or what came
out of it; of the first stage its output is to do (as of exp, tanh, sigmoid, ReLU),
so that x itself need not be kept.

- Stored: forward reads x and writes the n - 1 arrays in between and y; backward
  reads those n - 1 arrays and dy and writes dx: (1 + n) + (n + 1) = 2 n + 2.
- Recomputed: forward reads x and writes y; backward reads x and dy, computes the
  arrays in between in registers and writes dx: 2 + 3 = 5, however long the chain.

For n = 3 these are 8 against 5.  (A single stage has no array in between, keeps y and
gains nothing: 5 both ways.)  :func:`stored` and :func:`recomputed` give what
the kernels read and write, and :func:`accesses` counts it, so that the figures are
derived, not stated.

Checkpointing a deep net of n layers in k segments keeps the k inputs of the
segments and, while one segment goes backward, the n / k activations inside it;
k = sqrt(n) keeps least, 2 sqrt(n), for one more forward pass.
Source: Chen, Xu, Zhang and Guestrin 2016, arXiv 1604.06174, section 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from gpusim.errors import ParameterError
from gpusim.hardware.occupancy import ceil_div
from gpusim.model.inputs import at_least


class Access(NamedTuple):
    """What one kernel reads and writes; a list of them is what :func:`gpusim.model.pipeline.build` takes.

    Attributes
    ----------
    kernel : str
    inputs, outputs : tuple of str
        Arrays.
    """

    kernel: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def stored(stages: int) -> list[Access]:
    """Give forward and backward kernel of a chain that stores its activations.

    Parameters
    ----------
    stages : int
        n.

    Returns
    -------
    list of Access

    Examples
    --------
    >>> for kernel in stored(3):
    ...     print(*kernel)
    forward ('x',) ('a1', 'a2', 'y')
    backward ('a1', 'a2', 'dy') ('dx',)
    """
    at_least(1, stages=stages)
    between = tuple(f"a{i}" for i in range(1, stages))
    kept = between or ("y",)
    return [Access("forward", ("x",), (*between, "y")), Access("backward", (*kept, "dy"), ("dx",))]


def recomputed(stages: int) -> list[Access]:
    """Give forward and backward kernel of a chain that computes its activations again.

    Parameters
    ----------
    stages : int
        n; the accesses do not depend on it.

    Returns
    -------
    list of Access

    Examples
    --------
    >>> for kernel in recomputed(3):
    ...     print(*kernel)
    forward ('x',) ('y',)
    backward ('x', 'dy') ('dx',)
    """
    at_least(1, stages=stages)
    return [Access("forward", ("x",), ("y",)), Access("backward", ("x", "dy"), ("dx",))]


def accesses(kernels: Iterable[Access]) -> int:
    """Count the arrays that kernels read and write, each once a kernel.

    Parameters
    ----------
    kernels : iterable of Access

    Returns
    -------
    int
        Arrays; times their elements it is the traffic in elements.

    Examples
    --------
    >>> accesses(stored(3)), accesses(recomputed(3))
    (8, 5)
    """
    return sum(len(set(kernel.inputs)) + len(set(kernel.outputs)) for kernel in kernels)


def stage_evaluations(stages: int, *, recompute: bool) -> int:
    """Count the evaluations of a stage in forward and backward pass, derivatives apart.

    Parameters
    ----------
    stages : int
        n.
    recompute : bool

    Returns
    -------
    int
        n, or 2 n - 1: y is not needed again.
    """
    at_least(1, stages=stages)
    return 2 * stages - 1 if recompute else stages


def checkpoint_memory(layers: int, segments: int) -> int:
    """Give the activations that checkpointing keeps at most: k + ceil(n / k).

    Parameters
    ----------
    layers : int
        n.
    segments : int
        k, 1 to n.

    Returns
    -------
    int
        In activations of one layer.  Source: Chen et al. 2016, section 4.1.

    Examples
    --------
    >>> checkpoint_memory(100, 10), checkpoint_memory(100, 1)
    (20, 101)
    """
    at_least(1, layers=layers, segments=segments)
    if segments > layers:
        raise ParameterError(f"segments must be {layers} or fewer, the layers there are, not {segments}")
    return segments + ceil_div(layers, segments)


def best_segments(layers: int) -> int:
    """Give the number of segments that keeps the fewest activations.

    Parameters
    ----------
    layers : int
        n.

    Returns
    -------
    int
        floor(sqrt(n)): for no n does another number keep less.

    Examples
    --------
    >>> best_segments(100), checkpoint_memory(100, best_segments(100))
    (10, 20)
    """
    at_least(1, layers=layers)
    return math.isqrt(layers)


def checkpoint_slowdown(backward_per_forward: float = 2.0) -> float:
    """Give the time of a training step with checkpointing over that without: (2 f + b) / (f + b).

    Parameters
    ----------
    backward_per_forward : float
        b / f; 2 where matrix products prevail, for each has two in the backward pass.

    Returns
    -------
    float
        4/3 by default.  Source: Chen et al. 2016, section 4.1: one more forward pass.
    """
    at_least(0, backward_per_forward=backward_per_forward)
    return (2 + backward_per_forward) / (1 + backward_per_forward)
