"""``gpusim profile --launches``: a launch file's launches, and what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from gpusim.cli.files import is_stdout, write_json
from gpusim.errors import GpusimError


class Request(NamedTuple):
    """What to run, and where the numbers go."""

    file: Path
    only: str | None
    gpu: str
    json: Path | None
    jobs: int | None


def run(request: Request, how: dict[str, Any]) -> None:
    """Profile the launches, write every number and show a line for each launch.

    Raises
    ------
    GpusimError
        An unknown GPU, a malformed launch file, no CUDA tools, or not one launch that could be run.
    """
    from gpusim import hardware, report
    from gpusim.cuda import toolchain
    from gpusim.launches import file
    from gpusim.report import listings

    device = hardware.load(request.gpu)
    specs = file.select(file.read(request.file), request.only)
    toolchain.nvdisasm()  # without it nothing can be run, and one complaint is enough
    records = _records(specs, request, how)
    if request.json is not None:
        write_json({"gpu": device.name, "cache": how["cache"], "launches": records}, request.json)
    if not is_stdout(request.json):
        report.show(listings.launches(records, device.name, device.memory, written=request.json is not None))
    if all(record["error"] for record in records):
        raise GpusimError(f"none of {len(records)} launches could be run: {records[0]['error'].partition(chr(10))[0]}")


def _records(specs: list[Any], request: Request, how: dict[str, Any]) -> list[dict[str, Any]]:
    from gpusim.launches.profiling import record_all
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        return record_all(specs, request.gpu, jobs=request.jobs, progress=progress, **how)
