"""Counters of real launches, from Nsight Compute."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpusim.measure.measurement_errors import MeasureError
from gpusim.measure.processes import Line, Lost, start
from gpusim.measure.worker import Job
from gpusim.measured import nsight

PROFILER = "ncu"
_ONE = """
gpc__cycles_elapsed.max gpc__cycles_elapsed.avg.per_second gpu__time_duration.sum
sm__cycles_active.avg sm__cycles_active.max sm__warps_active.avg.pct_of_peak_sustained_active
smsp__inst_executed.sum smsp__thread_inst_executed.sum smsp__thread_inst_executed_pred_on.sum
smsp__sass_inst_executed_op_branch.sum
l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum l1tex__t_set_accesses.sum l1tex__data_pipe_lsu_wavefronts.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum
lts__t_requests_srcunit_tex_op_read.sum lts__t_requests_srcunit_tex_op_write.sum
lts__t_sectors_srcunit_tex_op_read.sum lts__t_sectors_srcunit_tex_op_write.sum
lts__t_sectors_srcunit_tex_lookup_hit.sum lts__t_sectors_srcunit_tex_lookup_miss.sum
lts__t_sectors_srcunit_ltcfabric.sum
dram__bytes_read.sum dram__bytes_write.sum
launch__registers_per_thread launch__occupancy_limit_registers launch__occupancy_limit_shared_mem
launch__occupancy_limit_warps launch__occupancy_limit_blocks sm__maximum_warps_per_active_cycle_pct
"""
_MEMORY = "global_op_ld global_op_st global_op_atom global_op_red local_op_ld local_op_st"
_GROUPS = {
    "smsp__inst_executed_op_{}.sum": "global_ld global_st shared_ld shared_st local_ld local_st "
    "ldgsts ldsm shared_atom",
    "l1tex__t_requests_pipe_lsu_mem_{}.sum": _MEMORY,
    "l1tex__t_sectors_pipe_lsu_mem_{}.sum": _MEMORY,
    "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio": "wait short_scoreboard long_scoreboard barrier "
    "math_pipe_throttle mio_throttle lg_throttle not_selected no_instruction",
}
METRICS = (*_ONE.split(), *(text.format(name) for text, names in _GROUPS.items() for name in names.split()))
"""What is read of a launch unless something else is asked for: what gpusim predicts, and the clock."""

NOT_PERMITTED = "ERR_NVGPUCTRPERM"
PERMISSION = (
    "counters are not permitted to this user: run as root, or have the driver loaded with "
    "NVreg_RestrictProfilingToAdminUsers=0 (https://developer.nvidia.com/ERR_NVGPUCTRPERM)"
)


def version() -> str:
    """Which Nsight Compute there is: ``"Nsight Compute 2025.3.1"``; empty where there is none."""
    path = shutil.which(PROFILER)
    if path is None:
        return ""
    said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    words = [line.split()[1] for line in said.splitlines() if line.startswith("Version")]
    return f"Nsight Compute {words[0].rsplit('.', 1)[0]}" if words else "Nsight Compute"


def command(metrics: Sequence[str], *, warm: bool = False) -> list[str]:
    """Give what runs a program under the profiler, which sees it while the program lets it.

    Parameters
    ----------
    metrics : sequence of str
        By Nsight Compute's names; they come in base units, a row a launch.
    warm : bool
        Leave the caches as they are, rather than flush them before each pass.
    """
    return [
        PROFILER, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control",
        "none" if warm else "all", "--profile-from-start", "off", "--target-processes", "application-only",
        "--metrics", ",".join(metrics),
    ]  # fmt: skip


class Counted:
    """Starts a job under the profiler, and keeps what it read.

    Parameters
    ----------
    metrics : tuple of str
        By Nsight Compute's names.
    limit : float
        Seconds that a launch may have the GPU, each pass of the profiler counted in.

    Attributes
    ----------
    launches : list of Launched
        What was read, in the order of the launches, ``job.repeats`` of each.
    """

    def __init__(self, metrics: tuple[str, ...], limit: float) -> None:
        self._metrics, self._limit = metrics, limit
        self.launches: list[nsight.Launched] = []

    def __call__(self, job: Job) -> Iterator[Line]:
        """Lines of the worker.

        Raises
        ------
        Lost
            The process was lost.
        MeasureError
            The profiler is not permitted to read counters, or does not know a metric.
        """
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log.csv")
            done: list[Line] = []
            try:
                before = [*command(self._metrics, warm=job.cache == "warm"), "--log-file", str(log)]
                for line in start(job, before=before, limit=self._limit):
                    done += [line] if "done" in line and "error" not in line else []
                    yield line
            except Lost as lost:
                self._keep(log, len(done) * job.repeats, str(lost))
                raise
            self._keep(log, len(done) * job.repeats, "")

    def _keep(self, log: Path, wanted: int, lost: str) -> None:
        """Read the log, of which the last launches may be missing where the process was lost."""
        text = log.read_text(errors="replace") if log.exists() else ""
        if NOT_PERMITTED in text:
            raise MeasureError(PERMISSION)
        if not wanted:
            return
        found = nsight.parse(text, "Nsight Compute")
        if len(found) < wanted:
            raise MeasureError(
                f"Nsight Compute saw {len(found)} launches, not {wanted}" + (f" ({lost})" if lost else "")
            )
        self.launches += found[:wanted]
