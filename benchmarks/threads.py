"""How much faster one launch is by several threads: ``python benchmarks/threads.py 1 2 4 8 16`` (a minute each).

Prints seconds by the clock for each launch and number of processors, and how many times faster that is than in the
first column.  The numbers of every prediction are held against those of the first.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ |= {"GPUSIM_QUIET": "1"}

LAUNCHES = {
    "matmul-tiled": {"n": 1088, "tile": 32},
    "matmul-register-tiled": {"n": 1536},
    "flash-attention-2": {"N": 1024},
    "transpose-naive": {"n": 4096},
    "copy": {"N": 1 << 26},
}
"""Three of 10⁸ warp instructions and more, and two that live in the memory hierarchy."""


def main() -> None:
    """Time them, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="*", type=int, default=[1, 2], help="numbers of processors")
    parser.add_argument("--only", default="", help="part of a launch's name")
    given = parser.parse_args()
    import gpusim

    print(f"{'seconds by processors':24}", *(f"{jobs:>12}" for jobs in given.jobs), "  million instructions", sep="")
    for name, sizes in LAUNCHES.items():
        if given.only not in name:
            continue
        gpusim.predict(name, jobs=1, **sizes)  # what is lowered and loaded is kept
        row, seen, first = f"{name:24}", set(), 0.0
        for jobs in given.jobs:
            began = time.perf_counter()
            found = gpusim.predict(name, jobs=jobs, fresh=True, **sizes)
            took = time.perf_counter() - began
            first = first or took
            row += f"{took:6.2f} {first / took:4.1f}×"
            seen.add(str([(key, metric.value) for key, metric in found.metrics.items()]))
        print(row, f"{found.warp_instructions / 1e6:10.0f}", "" if len(seen) == 1 else "  DIFFERS", flush=True)


if __name__ == "__main__":
    main()
