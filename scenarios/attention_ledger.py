"""How many bytes does attention move, and how many of them does HBM see?

Claim: standard attention writes and reads two N x N matrices a head, N/(2d) times its inputs and
output, FlashAttention neither; but HBM sees them only where they outgrow L2.
Formula: S and P are 2 N^2 elements a head, Q, K, V and O 4 N d; three kernels move 4 N^2 + 4 N d,
and FlashAttention 4 N d and N statistics. One matrix is N/d times Q: 64 times at N = 8192, d = 128.
"""

import argparse

import gpusim
from gpusim.progress import ProgressLine
from gpusim.report import show
from gpusim.report.listings import table_of
from gpusim.report.units import NOTHING, format_bytes, format_factor

LENGTHS = (128, 256, 512, 1024, 2048, 4096, 8192, 16384)
GPUS = ("h200", "v100")  # 50 MB of L2, and 6
HEADS = 4


def moved(gpu: str, N: int, d: int) -> list[str]:
    """Predict what HBM moves for standard attention, kernel after kernel, and for FlashAttention-2."""
    with ProgressLine() as progress:
        standard = gpusim.predict_chain("attention-standard", gpu, H=HEADS, N=N, d=d, progress=progress)
        flash = gpusim.predict("flash-attention-2", gpu, H=HEADS, N=N, d=d, progress=progress)
    return [format_bytes(standard.dram_bytes), format_bytes(flash.dram_bytes)]


def row(N: int, d: int, most: int) -> list[str]:
    """Give the table's row for one length."""
    ledger = gpusim.model.attention_memory.Attention(N=N, d=d, H=HEADS, dtype="fp32")
    seen = [cell for gpu in GPUS for cell in (moved(gpu, N, d) if most >= N else [NOTHING] * 2)]
    return [
        str(N),
        format_factor(ledger.matrix_ratio),
        format_bytes(ledger.operand_bytes),
        format_bytes(ledger.score_bytes),
        format_factor((2 * ledger.score_bytes + ledger.operand_bytes) / ledger.flash_bytes),
        *seen,
    ]


def main() -> None:
    """Print claim, formula and prediction."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--d", type=int, default=64, help="of a head [64]")
    parser.add_argument("--predicted", type=int, default=512, help="longest sequence that is predicted [512]")
    given = parser.parse_args()
    heading = ["N", "N/d", "Q, K, V, O", "S, P", "standard/flash"]
    heading += [f"{gpu} {how}" for gpu in GPUS for how in ("HBM", "flash")]
    rows = [row(N, given.d, given.predicted) for N in LENGTHS]
    why = (
        "By the formula standard attention moves more the longer the sequence. What HBM moves is less: S is written by "
        "one kernel and read by the next, and as long as L2 holds it, HBM sees little more than Q, K and V. The "
        "V100's 6 MB are outgrown first. Results that L2 still holds at the end are not counted."
    )
    about = f"{HEADS} heads of fp32, d = {given.d}; HBM is predicted up to N = {given.predicted}:"
    show([__doc__, about, "", *table_of([heading, *rows], right=range(9)), "", why])


if __name__ == "__main__":
    main()
