"""What machine code executes and asks for is counted as silicon counts it, where it is the code that ran there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ASKED = [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for what in ("requests", "sectors") for op in ("ld", "st")]
LIMITS = [f"launch__occupancy_limit_{what}" for what in ("registers", "shared_mem", "warps", "blocks")]
EXECUTED = [
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum",
    "smsp__sass_inst_executed_op_branch.sum", "launch__registers_per_thread",
    *(f"smsp__inst_executed_op_{what}.sum" for what in ("global_ld", "global_st", "shared_ld", "shared_st")),
]  # fmt: skip


def differing(
    predicted: Mapping[str, float], measured: Mapping[str, float], metrics: Iterable[str]
) -> dict[str, tuple[float, float]]:
    """Metrics that are not as measured: predicted, measured."""
    return {m: (predicted[m], measured[m]) for m in metrics if predicted[m] != measured[m]}
