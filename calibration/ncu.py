"""Counters of the launches of a program, from Nsight Compute, and tables of what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpusim.measure.counters import command
from gpusim.measured import nsight


def counters(program: Sequence[str], metrics: Sequence[str]) -> list[dict[str, float]]:
    """Metrics of each launch that a Python program makes while the profiler is on, in order.

    Parameters
    ----------
    program : sequence of str
        What follows ``python`` on the command line.
    metrics : sequence of str
        By Nsight Compute's names; values come in base units.

    Raises
    ------
    SystemExit
        With what was printed, where the program fails.
    """
    done = subprocess.run([*command(metrics), sys.executable, *program], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(done.stdout)
    launches = nsight.parse(done.stdout, "Nsight Compute")
    return [{name: _whole(launch.metrics[name]) for name in metrics} for launch in launches]


def _whole(value: float) -> float:
    return int(value) if value.is_integer() else value


def write_table(path: Path, head: Mapping[str, Any], **rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table: what it is of, then lists of rows, a line each."""
    lists = (f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, listed)) + "\n ]" for name, listed in rows.items())
    path.write_text(json.dumps(head, indent=1)[:-2] + ",\n" + ",\n".join(lists) + "\n}\n")
