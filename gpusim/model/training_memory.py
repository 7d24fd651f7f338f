"""Memory of training: bytes a parameter for weights, gradients and optimizer, and activations of a layer.

What a parameter takes is the sum of what is kept for it: the weight that forward
and backward compute with, its gradient, a gradient in which micro-batches are added
up if that is another array, a master copy of the weight that the optimizer
updates, and the optimizer's moments (Adam: two).

=================================== ==== === ===== ====== ======= =====
configuration                       w    g   added master moments bytes
=================================== ==== === ===== ====== ======= =====
``bf16-fp32-accumulation``          2    2   4     4      4 + 4   20
``bf16-fp32-gradients``             2    4   --    4      4 + 4   18
``bf16``                            2    2   --    4      4 + 4   16
``fp32``                            4    4   --    --     4 + 4   16
``fp8-weights``                     1    2   --    4      4 + 4   15
``deepseek-v3``                     1    4   --    4      2 + 2   13
``adam8bit``                        2    2   --    4      1 + 1   10
``adam8bit-fp8-weights``            1    2   --    4      1 + 1   9
``fp8-lm``                          2    1   --    --     1 + 2   6
=================================== ==== === ===== ====== ======= =====

Sources, row by row:

- 20: Smith et al. 2022, "Megatron-Turing NLG 530B", arXiv 2201.11990, which counts
  20 bytes a parameter: 16-bit weights and gradients, 32-bit gradients, master weights and moments.
  NVIDIA's Megatron Core user guide, "Distributed optimizer", prints 20 for 16-bit weights and
  gradients, 18 where gradients are written in FP32 at once, and 16 for FP32 alone.
- 18: that guide; NVIDIA/Megatron-LM on GitHub, issue 654.
- 16: Rajbhandari et al. 2020, "ZeRO", arXiv 1910.02054, section 3.1: 2 + 2 + K with
  K = 12; master weights after Micikevicius et al. 2018, arXiv 1710.03740, section 3.1.
  Without mixed precision Adam takes 16 as well (Kingma and Ba 2015, arXiv 1412.6980).
- 15, 9: the rows ``bf16`` and ``adam8bit`` with the weights for computing in FP8.  No paper prints these
  sums; they are what keeping the copy for computing in FP8 (DeepSeek-AI 2024, arXiv
  2412.19437, section 3.3) does to the others, gradients in BF16 and the master copy in FP32.
- 13: DeepSeek-AI 2024, section 3.3: FP8 weights for computing, FP32 gradients and master
  weights, and both moments in BF16.  Two other sums for the same model come to 15.  One
  leaves the moments in FP32 and the gradients in BF16 (the row ``fp8-weights``: 4 more and
  2 fewer).  The other counts, beside the FP32 gradients that micro-batches are added up
  in, the BF16 gradients of one micro-batch (2 more).
- 10: Dettmers et al. 2022, "8-bit optimizers via block-wise quantization", arXiv
  2110.02861: both moments take a byte; the rest as in ZeRO.
- 6: Peng et al. 2023, "FP8-LM", arXiv 2310.18313, section 2.2, which counts 6 beside the 16
  of Adam in FP32: a master copy in FP16, gradients in FP8, moments in FP8 and FP16.  The
  forward pass casts the master copy; what it casts to is not counted there.

:attr:`Precision.stated` tells the sums that a source prints from those that follow from its types.

Not in the sums: the scales of FP8 weights (128 x 128 blocks: 0.0002 bytes a parameter; MX
blocks: 0.03, and as much again with the weights if both orientations are kept, see
:mod:`gpusim.model.fp8`) and of 8-bit moments (a 32-bit number for 2048 of them, Dettmers et
al. 2022, section 2: 0.002 bytes each).
"""

from __future__ import annotations

from dataclasses import dataclass

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model.inputs import above_zero, at_least, bytes_of


@dataclass(frozen=True, kw_only=True)
class Precision:
    """In which types a training step keeps what belongs to a parameter.

    Parameters
    ----------
    weights : str
        Type of the weights that forward and backward compute with, as in :data:`gpusim.model.inputs.BYTES`.
    gradients : str
        Of the gradients that the backward pass writes.
    accumulation : str or None
        Of the gradients that micro-batches are added up in; None: in `gradients` themselves.
    master : str or None
        Of the weights that the optimizer updates; None: `weights` themselves.
    moments : tuple of str
        Of the optimizer's states, one type each; Adam has two, plain SGD none.
    source : str
        Who counts so.
    stated : bool
        Whether the source prints the sum; else it follows from types that sources name.

    Examples
    --------
    >>> fp32 = Precision(weights="fp32", gradients="fp32", moments=("fp32", "fp32"))
    >>> fp32.bytes_per_parameter
    16
    """

    weights: str
    gradients: str
    accumulation: str | None = None
    master: str | None = None
    moments: tuple[str, ...] = ()
    source: str = ""
    stated: bool = False

    @property
    def moment_bytes(self) -> tuple[float, ...]:
        """Bytes a parameter of each moment: of Adam m and v."""
        return tuple(bytes_of(dtype) for dtype in self.moments)

    @property
    def breakdown(self) -> dict[str, float]:
        """Bytes a parameter, part by part: ``weights``, ``gradients``, ``accumulation``, ``master``, ``moments``."""
        single = {name: getattr(self, name) for name in ("weights", "gradients", "accumulation", "master")}
        parts = {name: bytes_of(dtype) if dtype else 0 for name, dtype in single.items()}
        return parts | {"moments": sum(self.moment_bytes)}

    @property
    def bytes_per_parameter(self) -> float:
        """The sum of :attr:`breakdown`."""
        return sum(self.breakdown.values())


_ADAM = ("fp32", "fp32")
_ADAM8 = ("fp8", "fp8")

CONFIGURATIONS = {
    "bf16-fp32-accumulation": Precision(
        weights="bf16", gradients="bf16", accumulation="fp32", master="fp32", moments=_ADAM,
        source="Smith et al. 2022, arXiv 2201.11990; NVIDIA, Megatron Core user guide", stated=True,
    ),
    "bf16-fp32-gradients": Precision(
        weights="bf16", gradients="fp32", master="fp32", moments=_ADAM,
        source="NVIDIA, Megatron Core user guide, distributed optimizer: 2 + 4 + 4 + 8", stated=True,
    ),
    "fp32": Precision(
        weights="fp32", gradients="fp32", moments=_ADAM,
        source="Kingma and Ba 2015, arXiv 1412.6980; NVIDIA, Megatron Core user guide", stated=True,
    ),
    "bf16": Precision(
        weights="bf16", gradients="bf16", master="fp32", moments=_ADAM,
        source="Rajbhandari et al. 2020 (ZeRO), arXiv 1910.02054, section 3.1", stated=True,
    ),
    "fp8-weights": Precision(
        weights="fp8", gradients="bf16", master="fp32", moments=_ADAM,
        source="this library: the row bf16 with weights as in arXiv 2412.19437, section 3.3",
    ),
    "deepseek-v3": Precision(
        weights="fp8", gradients="fp32", master="fp32", moments=("bf16", "bf16"),
        source="DeepSeek-AI 2024, arXiv 2412.19437, section 3.3: types; the sum is this library's. 15 is the sum with "
        "FP32 moments and BF16 gradients, or with BF16 gradients beside the FP32 ones",
    ),
    "adam8bit": Precision(
        weights="bf16", gradients="bf16", master="fp32", moments=_ADAM8,
        source="Dettmers et al. 2022, arXiv 2110.02861: moments; the rest as in the row bf16",
    ),
    "adam8bit-fp8-weights": Precision(
        weights="fp8", gradients="bf16", master="fp32", moments=_ADAM8,
        source="this library: the row adam8bit with weights as in arXiv 2412.19437, section 3.3",
    ),
    "fp8-lm": Precision(
        weights="fp16", gradients="fp8", moments=("fp8", "fp16"),
        source="Peng et al. 2023, arXiv 2310.18313, section 2.2: 2 + 1 + 1 + 2", stated=True,
    ),
}  # fmt: skip
"""Configurations by name.  An 8-bit moment counts as ``"fp8"``: a byte, whatever code it is written in."""


def precision(name: str) -> Precision:
    """Give a configuration of :data:`CONFIGURATIONS`.

    Raises
    ------
    UnknownNameError
        If there is none of that name.

    Examples
    --------
    >>> precision("adam8bit").bytes_per_parameter
    10
    """
    if name not in CONFIGURATIONS:
        raise UnknownNameError("configuration", name, CONFIGURATIONS)
    return CONFIGURATIONS[name]


def model_bytes(parameters: float, kept: Precision, *, devices: int = 1, zero_stage: int = 0) -> float:
    """Give the bytes of weights, gradients and optimizer on one device.

    Parameters
    ----------
    parameters : float
        Of the model.
    kept : Precision
    devices : int
        That share the model's data parallel states, N_d.
    zero_stage : int
        What is divided among them: 0 nothing, 1 the optimizer (master copy and moments), 2 gradients too, 3 weights
        too.

    Returns
    -------
    float
        Bytes.  Source: Rajbhandari et al. 2020, section 5.4 and figure 1.

    Examples
    --------
    >>> [round(model_bytes(7.5e9, precision("bf16"), devices=64, zero_stage=s) / 1e9, 1) for s in range(4)]
    [120.0, 31.4, 16.6, 1.9]
    """
    above_zero(parameters=parameters)
    at_least(1, devices=devices)
    if zero_stage not in range(4):
        raise ParameterError(f"zero_stage must be 0, 1, 2 or 3, not {zero_stage}")
    divided_from = {"master": 1, "moments": 1, "gradients": 2, "accumulation": 2, "weights": 3}
    shares = (nbytes / (devices if zero_stage >= divided_from[part] else 1) for part, nbytes in kept.breakdown.items())
    return parameters * sum(shares)


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A transformer layer in training, 16-bit activations: attention, a feed-forward part of 4 h, dropout.

    Parameters
    ----------
    s : int
        Sequence length.
    b : int
        Micro-batch size.
    h : int
        Hidden size.
    a : int
        Attention heads.

    Examples
    --------
    >>> gpt3 = Layer(s=2048, b=1, h=12288, a=96)
    >>> gpt3.linear_bytes // (2048 * 12288), gpt3.quadratic_bytes // (2048 * 12288)
    (34, 80)
    """

    s: int
    b: int
    h: int
    a: int

    def __post_init__(self) -> None:
        at_least(1, s=self.s, b=self.b, h=self.h, a=self.a)

    @property
    def linear_bytes(self) -> int:
        """Activations that grow with s: 34 s b h, of them attention 11, feed-forward 19, layer norms 4.

        Source: Korthikanti et al. 2022, arXiv 2205.05198, section 4.1.
        """
        attention = 2 + 4 + 2 + 2 + 1  # shared input, Q and K, V, input of the projection, dropout's mask
        feed_forward = 2 + 8 + 8 + 1  # input, output of the first product, GeLU's output, dropout's mask
        norms = 2 + 2
        return self.s * self.b * self.h * (attention + feed_forward + norms)

    @property
    def quadratic_bytes(self) -> int:
        """Activations that grow with s^2: 5 a s^2 b.

        Softmax's output 2, dropout's mask 1, dropout's output 2.
        Source: Korthikanti et al. 2022, section 4.1.
        """
        return (2 + 1 + 2) * self.a * self.s**2 * self.b

    @property
    def flash_bytes(self) -> int:
        """What FlashAttention keeps instead: L, the logarithm of each row's sum, 4 a s b.

        Source: Dao 2023, "FlashAttention-2", arXiv 2307.08691, section 3.1.
        """
        return 4 * self.a * self.s * self.b

    def activation_bytes(self, *, flash: bool = False, recompute: bool = False) -> int:
        """Give the bytes of activations that the layer keeps for its backward pass.

        Parameters
        ----------
        flash : bool
            Whether attention is FlashAttention, which computes the s x s matrices again.
        recompute : bool
            Whether the whole layer is computed again: its input alone is kept, 2 s b h.

        Returns
        -------
        int
            Bytes: s b h (34 + 5 a s / h), or s b h 34 + 4 a s b with FlashAttention.  Source: Korthikanti et al.
            2022, equation 1 and table 2.
        """
        if recompute:
            return 2 * self.s * self.b * self.h
        return self.linear_bytes + (self.flash_bytes if flash else self.quadratic_bytes)
