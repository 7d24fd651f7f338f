"""Memory of attention in training: what a framework keeps for the backward pass, and the peak of each pass.

A framework runs standard attention as one kernel after another.  Autograd keeps, for
each, what its derivative needs, until the backward pass has used it.  Of the N x N
matrices of B H heads it keeps

- softmax's output P (its derivative needs no S, which is freed), and
- with dropout its mask, a byte an element, and its output R, which multiplied V: with 16-bit
  elements 2 + 1 + 2 = 5 bytes an element, 5 a s^2 b in Korthikanti et al. 2022, arXiv
  2205.05198, section 4.1.

The backward pass adds gradients of R, P and S, each freed when the next is there.  So its
peak is 7 bytes an element: P, the mask, and two of R, dR, dP and dS.  Without dropout it
is 6: P, dP and dS.

FlashAttention keeps O and L, one 32-bit number a row, beside Q, K and V; dropout is
drawn again.  The backward pass needs rowsum(dO O), another number a row, and adds up
dQ in FP32, as several blocks add to it.  Source: Dao 2023, arXiv 2307.08691, sections 3.1
and 3.2 and algorithm 2; the FP32 array is that of Dao-AILab/flash-attention on GitHub.

The passes are pipelines (:mod:`gpusim.model.pipeline`): which tensors live when, and so the
peaks, follow from what each kernel reads and writes.  Assumed: the scale is part of Q K^T, no
mask of scores is kept, elements are of one type throughout (PyTorch's autocast has softmax
in FP32: more), freed memory is used again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.model import pipeline
from gpusim.model.attention_memory import STATISTIC_BYTES, Attention
from gpusim.model.inputs import above_zero, bytes_of

if TYPE_CHECKING:
    import networkx as nx

OPERANDS = ("Q", "K", "V", "O", "dO", "dQ", "dK", "dV")
"""Tensors of B H N d elements."""

MATRICES = ("S", "P", "R", "dR", "dP", "dS")
"""Tensors of B H N^2 elements."""

MASK_BYTES = 1
"""Of an element of dropout's mask.  Source: Korthikanti et al. 2022, arXiv 2205.05198, section 4.1."""


@dataclass(frozen=True)
class Training:
    """Attention of one layer, forward and backward.

    Parameters
    ----------
    attention : Attention
        Its sizes and type.
    flash : bool
        FlashAttention, or standard attention as a framework runs it.
    dropout : bool
        Of P.

    Examples
    --------
    >>> standard = Training(Attention(N=4096, d=64), dropout=True)
    >>> (standard.kept_bytes - 4 * 2 * 4096 * 64) / 4096**2
    5.0
    >>> round(Training(Attention(N=4096, d=64), flash=True).kept_bytes / (4 * 2 * 4096 * 64), 4)
    1.0078
    """

    attention: Attention
    flash: bool = False
    dropout: bool = False

    @property
    def nbytes(self) -> dict[str, float]:
        """Bytes of every tensor there can be, by name."""
        of = self.attention
        rows = of.B * of.H * of.N
        element = bytes_of(of.dtype)
        found = dict.fromkeys(OPERANDS, rows * of.d * element) | dict.fromkeys(MATRICES, rows * of.N * element)
        statistics = dict.fromkeys(("L", "rowsum"), float(rows * STATISTIC_BYTES))
        return found | statistics | {"mask": float(rows * of.N * MASK_BYTES), "dQ sum": rows * of.d * bytes_of("fp32")}

    @property
    def kept(self) -> tuple[str, ...]:
        """Tensors that are there between the passes: inputs, output, and what else the backward pass reads."""
        if self.flash:
            return ("Q", "K", "V", "O", "L")
        return ("Q", "K", "V", "O", "P", *(("mask", "R") if self.dropout else ()))

    def forward(self) -> nx.DiGraph:
        """Give the forward pass as a pipeline, which gives out what is kept."""
        weights = "R" if self.dropout else "P"
        steps: list[pipeline.Step] = [("flash", ("Q", "K", "V"), ("O", "L"))]
        if not self.flash:
            steps = [("S = Q K^T", ("Q", "K"), ("S",)), ("P = softmax(S)", ("S",), ("P",))]
            steps += [("dropout", ("P",), ("mask", "R"))] if self.dropout else []
            steps += [("O = P V", (weights, "V"), ("O",))]
        return self._pipeline(steps, self.kept)

    def backward(self) -> nx.DiGraph:
        """Give the backward pass as a pipeline: from dO and what is kept to dQ, dK and dV."""
        if self.flash:
            read = ("Q", "K", "V", "dO", "L", "rowsum")
            whole: pipeline.Step = ("flash backward", read, ("dQ sum", "dK", "dV"))
            first: pipeline.Step = ("rowsum(dO O)", ("dO", "O"), ("rowsum",))
            return self._pipeline([first, whole, ("round dQ", ("dQ sum",), ("dQ",))])
        weights = "R" if self.dropout else "P"
        steps: list[pipeline.Step] = [
            (f"d{weights} = dO V^T", ("dO", "V"), (f"d{weights}",)),
            (f"dV = {weights}^T dO", (weights, "dO"), ("dV",)),
            ("dS of P, dP", ("P", "dP"), ("dS",)),
            ("dQ = dS K", ("dS", "K"), ("dQ",)),
            ("dK = dS^T Q", ("dS", "Q"), ("dK",)),
        ]
        if self.dropout:
            steps.insert(2, ("dropout of dR", ("dR", "mask"), ("dP",)))
        return self._pipeline(steps)

    def _pipeline(self, steps: Sequence[pipeline.Step], outputs: Sequence[str] = ()) -> nx.DiGraph:
        """Build a pipeline whose kernels run in the order given."""
        named = {tensor for _, reads, writes in steps for tensor in (*reads, *writes)}
        graph = pipeline.build(steps, {name: self.nbytes[name] for name in named}, outputs)
        graph.graph["order"] = [name for name, *_ in steps]
        return graph

    @property
    def kept_bytes(self) -> float:
        """Bytes between the passes, of :attr:`kept`."""
        return sum(self.nbytes[name] for name in self.kept)

    @property
    def forward_peak_bytes(self) -> float:
        """The most bytes at once in the forward pass."""
        return _peak(self.forward())

    @property
    def backward_peak_bytes(self) -> float:
        """The most bytes at once in the backward pass."""
        return _peak(self.backward())

    def model_peak_bytes(self, layers: int) -> float:
        """Give the most bytes of attention at once in a model of such layers.

        Parameters
        ----------
        layers : int

        Returns
        -------
        float
            Bytes: all layers' kept tensors when the last one goes backward, or forward.
        """
        above_zero(layers=layers)
        return (layers - 1) * self.kept_bytes + max(self.forward_peak_bytes, self.backward_peak_bytes)


def _peak(graph: nx.DiGraph) -> float:
    return pipeline.peak_bytes(graph, graph.graph["order"])


def longest(fits: Callable[[int], float], nbytes: float) -> int:
    """Give the longest sequence whose memory fits.

    Parameters
    ----------
    fits : callable
        Bytes for a length, which grow with it.
    nbytes : float
        There are.

    Returns
    -------
    int

    Raises
    ------
    ParameterError
        If not even a sequence of 1 fits.

    Examples
    --------
    >>> longest(lambda N: 2 * N * N, 2**21)
    1024
    """
    above_zero(nbytes=nbytes)
    if fits(1) > nbytes:
        raise ParameterError(f"a sequence of 1 takes {fits(1):.0f} bytes, more than {nbytes:.0f}")
    low, high = 1, 2
    while fits(high) <= nbytes:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) <= nbytes else (low, middle)
    return low
