"""Memory of attention: N x N matrices against what FlashAttention keeps.

For each of B H heads standard attention writes S = Q K^T and P = softmax(S), both
N x N, beside Q, K, V and O of N x d.  FlashAttention keeps neither: beside O it
writes L, one 32-bit number a row, from which the backward pass computes P again.

So one N x N matrix is N / d times as large as Q, and S and P together are N / (2 d)
times as large as Q, K, V and O together: at N = 4096, d = 64, 32 times.

Sources: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, algorithm 0 (standard)
and theorem 1 (O(N) memory beyond inputs and output); Dao 2023, "FlashAttention-2",
arXiv 2307.08691, section 3.1 (L alone instead of row sums and maxima).
"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.model.inputs import at_least, bytes_of

STATISTIC_BYTES = 4
"""Bytes of an entry of L: FP32.  Source: Dao 2023, arXiv 2307.08691, section 3.1."""


@dataclass(frozen=True)
class Attention:
    """Self-attention of one layer, forward.

    Parameters
    ----------
    N : int
        Sequence length.
    d : int
        Of a head.
    B : int
        Batch size.
    H : int
        Heads.
    dtype : str
        Of Q, K, V, O and of S and P, as in :data:`gpusim.model.inputs.BYTES`.

    Examples
    --------
    >>> layer = Attention(N=4096, d=64, B=1, H=16)
    >>> layer.score_bytes // 2**20, layer.statistics_bytes // 2**10, layer.operand_bytes // 2**20
    (1024, 256, 32)
    """

    N: int
    d: int
    B: int = 1
    H: int = 1
    dtype: str = "fp16"

    def __post_init__(self) -> None:
        at_least(1, N=self.N, d=self.d, B=self.B, H=self.H)
        bytes_of(self.dtype)

    @property
    def operand_bytes(self) -> float:
        """Q, K, V and O: 4 B H N d elements; both ways of computing have them."""
        return 4 * self.B * self.H * self.N * self.d * bytes_of(self.dtype)

    @property
    def score_bytes(self) -> float:
        """S and P: 2 B H N^2 elements; what standard attention has beyond the operands."""
        return 2 * self.B * self.H * self.N**2 * bytes_of(self.dtype)

    @property
    def score_trips_bytes(self) -> float:
        """What standard attention moves of S and P: S written and read, P written and read, four matrices.

        Source: Dao et al. 2022, arXiv 2205.14135, algorithm 0.
        """
        return 2 * self.score_bytes

    @property
    def statistics_bytes(self) -> int:
        """L: B H N numbers of 4 bytes; what FlashAttention has beyond the operands."""
        return self.B * self.H * self.N * STATISTIC_BYTES

    @property
    def standard_bytes(self) -> float:
        """All that standard attention has in memory, bytes."""
        return self.operand_bytes + self.score_bytes

    @property
    def flash_bytes(self) -> float:
        """All that FlashAttention has in memory, bytes."""
        return self.operand_bytes + self.statistics_bytes

    @property
    def matrix_ratio(self) -> float:
        """One N x N matrix over one of N x d: N / d."""
        return self.N / self.d

    @property
    def saving(self) -> float:
        """Standard over FlashAttention, operands included; near 1 + N / (2 d)."""
        return self.standard_bytes / self.flash_bytes

    @property
    def extra_saving(self) -> float:
        """S and P over L: what lies beyond the operands; 2 N bytes_of(dtype) / 4."""
        return self.score_bytes / self.statistics_bytes
