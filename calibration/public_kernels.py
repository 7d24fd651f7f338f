"""Launches of kernels of public repositories under ``gpusim check``: what is found, and whether it is there.

``python -m calibration.public_kernels`` writes the second table of ``docs/check.md``, from what is kept in
``calibration/data/public``.  With ``--sources FOLDER`` it first checks all launches anew: the folder has a clone of
each repository that ``repositories.json`` lists, at its commit; the code of others is no part of this project.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from calibration import page_parts
from gpusim.errors import GpusimError
from gpusim.launches import file
from gpusim.launches.spec import LaunchSpec
from gpusim.progress import ProgressLine

FOLDER = Path(__file__).parent / "data" / "public"
LAUNCHES, REPOSITORIES, KEPT = (FOLDER / f"{name}.json" for name in ("launches", "repositories", "checked"))
PAGE = Path(__file__).parents[1] / "docs" / "check.md"
BEGIN, END = "<!-- public kernels -->\n", "<!-- end of public kernels -->\n"
GPU, MOST_BLOCKS, LIMIT = "h200", 64, 3_000_000
INCLUDE = {"cuda-samples": "cuda-samples/Common"}
"""Folders with headers, by repository."""

_PLACES = "the loop asks for stages up to i + 4, and there are four places: the fifth goes to the one that is read next"
FAULTS = {
    "cuda-samples: reduction_kernel.cu:reduce7<float,128,false>":
        "four lanes shuffle down by 16: those read from have not come, and what they give is undefined",
    "cuda-samples: globalToShmemAsyncCopy.cu:MatrixMulAsyncCopyMultiStageLargeChunk<16>": _PLACES,
    "cuda-samples: globalToShmemAsyncCopy.cu:MatrixMulAsyncCopyMultiStage<16>": _PLACES,
    "cuda-samples: globalToShmemAsyncCopy.cu:MatrixMulAsyncCopyLargeChunkAWBarrier<16>":
        "`threadIdx.x == 0` holds for one thread of each row: sixteen begin the barrier",
    "llm.c: softmax_forward.cu:softmax_forward_kernel4":
        "no barrier stands between the broadcast of the maximum and the first store of the sums",
    "llm.c: softmax_forward.cu:softmax_forward_kernel7":
        "lanes beyond the row read its last element, which its own thread divides; the value is not used",
    "llm.c: attention_forward.cu:attention_forward_fused1":
        "lanes read what other lanes wrote to global memory, with no `__syncwarp()` between",
    "llm.c: layernorm_backward.cu:layernorm_backward_kernel10":
        "the last block reads partial sums; no fence stands between these stores and the atomic that counts blocks",
}  # fmt: skip
"""Launches with findings that were looked into and are right: why it is a fault there."""


class Said(NamedTuple):
    """What a check says of a launch.

    Attributes
    ----------
    id : str
    findings : list of dict
        Of each its kind, and its lines.
    stopped : str
        Why there is no result; empty where there is.
    """

    id: str
    findings: list[dict[str, Any]]
    stopped: str

    @property
    def repository(self) -> str:
        """The one that it is of."""
        return self.id.partition(":")[0]

    @property
    def is_clean(self) -> bool:
        """Whether it ran, and nothing was found."""
        return not self.findings and not self.stopped


# ---------------------------------------------------------------- checking


def check(folder: Path, entry: Mapping[str, Any]) -> Said:
    """Check a launch, its source in a folder of clones."""
    from gpusim import hardware
    from gpusim.checks import work
    from gpusim.checks.how import CheckHow, tools_of
    from gpusim.checks.run import checked

    gpu, name = hardware.load(GPU), entry["id"]
    how = CheckHow(tools_of(None), most_blocks=MOST_BLOCKS, limit=LIMIT)
    include = INCLUDE.get(name.partition(":")[0])
    try:
        (spec,) = file.launches([dict(entry)], folder, str(LAUNCHES))
        if include and isinstance(spec, LaunchSpec):
            spec = replace(spec, include=(folder / include,))
        given = work.of_spec(spec, gpu)
        found = checked(given.work, gpu, how, unwritten=given.unwritten, name=name)
    except GpusimError as error:
        return Said(name, [], str(error).partition("\n")[0].replace(f"{folder}/", ""))
    rows = [_row(one) for one in found.to_dict()["findings"] if one["level"] != "note"]
    return Said(name, rows, found.ended.replace(f"{folder}/", ""))


def _row(finding: Mapping[str, Any]) -> dict[str, Any]:
    lines = sorted({spot["line"] for spot in (finding["place"], finding["other"]) if spot})
    return {"kind": finding["kind"], "lines": lines}


def check_all(folder: Path, jobs: int) -> None:
    """Check all launches, and keep what is said of them."""
    entries = json.loads(LAUNCHES.read_text())["launches"]
    found = []
    with ProcessPoolExecutor(jobs) as pool, ProgressLine() as progress:
        for said in pool.map(partial(check, folder.resolve()), entries):
            found.append(said)
            progress(len(found), len(entries), "checked")
    rows = ",\n".join(json.dumps(one._asdict()) for one in found)
    KEPT.write_text(f"[\n{rows}\n]\n")


# ---------------------------------------------------------------- what is kept


@cache
def kept() -> list[Said]:
    """What was said of each launch."""
    return [Said(**one) for one in json.loads(KEPT.read_text())]


def alarms() -> list[Said]:
    """Launches with findings of which nobody has shown that they are right."""
    return [one for one in kept() if one.findings and one.id not in FAULTS]


def text() -> str:
    """What stands between the markers of the page."""
    return "\n".join([*_by_repository(), "", *_faults(), ""])


def _by_repository() -> Iterator[str]:
    yield "| repository | commit | launches | nothing found | a fault found | false alarms |"
    yield "|---|---|--:|--:|--:|--:|"
    for name, where in json.loads(REPOSITORIES.read_text()).items():
        own = [one for one in kept() if one.repository == name and not one.stopped]
        counts = (len(own), sum(one.is_clean for one in own), sum(one.id in FAULTS for one in own))
        false = sum(bool(one.findings) and one.id not in FAULTS for one in own)
        yield f"| {where['repository']} | `{where['commit']}` | " + " | ".join(map(str, (*counts, false))) + " |"


def _faults() -> Iterator[str]:
    yield "| launch | finding | why it is a fault |"
    yield "|---|---|---|"
    for one in kept():
        if one.findings:
            kinds = ", ".join(dict.fromkeys(f"`{row['kind']}`" for row in one.findings))
            yield f"| {one.id} | {kinds} | {FAULTS.get(one.id, 'a false alarm')} |"


def write() -> None:
    """Put it into the page."""
    page_parts.write_part(PAGE, BEGIN, END, text())


def main() -> None:
    """Check, if that is asked for, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sources", type=Path, metavar="FOLDER", help="check anew; clones are there")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.sources is not None:
        check_all(given.sources, given.jobs)
    write()


if __name__ == "__main__":
    main()
