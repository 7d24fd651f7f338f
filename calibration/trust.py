"""How far off predictions are, in two tables: by metric, and by kind of kernel.

``python -m calibration.trust`` writes the tables of ``docs/trust.md`` from the errors that the package carries.  Run it
after what writes those: ``calibration.refresh``, ``strangers``, ``programs``, ``h100``, ``quick_predictions``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calibration import page_parts

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "trust.md"
DATA = ROOT / "gpusim" / "data"
METRICS = {
    "requests of global loads": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "sectors of global loads": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "shared wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "L2 reads": "lts__t_sectors_srcunit_tex_op_read.sum",
    "L2 writes": "lts__t_sectors_srcunit_tex_op_write.sum",
    "HBM reads": "dram__bytes_read.sum",
    "HBM writes": "dram__bytes_write.sum",
    "cycles": "gpc__cycles_elapsed.max",
    "achieved occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
Errors = dict[str, dict[str, Any]]


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


def _per_cent(share: float) -> str:
    """A share as a reader wants it: one digit behind the point below ten per cent, none above, 0 below 0.05 %."""
    return "0" if share < 0.0005 else f"{100 * share:.{1 if share < 0.0995 else 0}f}"


def _cell(errors: Errors, metric: str) -> str:
    """Errors of a metric: half within the first, nine in ten within the second."""
    found = errors.get(METRICS[metric])
    return f"{_per_cent(found['median'])} / {_per_cent(found['p90'])}" if found else "–"


def _table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|".join(["", "---", *["--:"] * (len(head) - 1), ""])
    yield from (f"| {' | '.join(row)} |" for row in rows)


def by_metric() -> Iterator[str]:
    """The first table: a row a metric, a column a way to predict."""
    described, strangers = _read("validation-h200.json"), _read("strangers-h200.json")
    ways = {
        "public repositories": strangers["all"],
        "gpusim's kernels, as CUDA": described["machine_code"],
        "the same by description": described["description"],
    }
    launches = [f"{name} ({errors[METRICS['cycles']]['n']})" for name, errors in ways.items()]
    yield from _table(["metric", *launches], [[m, *(_cell(e, m) for e in ways.values())] for m in METRICS])


def by_kind() -> Iterator[str]:
    """The second table: a row a kind of launch."""
    head = ["launches", "how many", "cycles", "L2 reads", "HBM reads"]
    rows = [
        [kind, str(errors[METRICS["cycles"]]["n"]), *(_cell(errors, metric) for metric in ("cycles", *head[3:]))]
        for kind, errors in kinds()
    ]
    yield from _table(head, rows)


def kinds() -> Iterator[tuple[str, Errors]]:
    """Kinds of launches that were measured, each with its errors."""
    families = _read("validation-h200.json")["families"]
    yield from families["machine_code"].items()
    yield from ((f"{family}, by description", errors) for family, errors in families["description"].items())
    yield "of public repositories", _read("strangers-h200.json")["all"]
    yield "of whole programs", _read("programs-h200.json")["all"]
    yield "hand-written and of other kinds, on an H100", _read("validation-h100-sxm.json")["machine_code"]
    yield "quick, against full predictions", _read("quick-h200.json")["all"]


PARTS = {"by metric": by_metric, "by kind": by_kind}


def marks(part: str) -> tuple[str, str]:
    """What stands on the page before a part and after it."""
    return f"<!-- {part} -->\n", f"<!-- end of {part} -->\n"


def written(part: str) -> str:
    """A part as it ought to stand on the page."""
    return "\n" + "\n".join(PARTS[part]()) + "\n\n"


def main() -> None:
    """Write both tables."""
    for part in PARTS:
        page_parts.write_part(PAGE, *marks(part), written(part))


if __name__ == "__main__":
    main()
