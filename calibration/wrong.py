"""The suite of wrong kernels: each with its corrected twin, and the lines at which it is wrong.

``calibration/data/wrong`` has a folder for each tool of NVIDIA's compute-sanitizer.  A file there holds two kernels of
the same parameters, ``wrong`` and ``right``.  Its first line is their launch, in the options of ``gpusim profile``; its
second says what is wrong.  A line that is wrong ends in ``// here: KIND``, or in several kinds with commas between.
A fault of two lines, such as a race, has the mark on both, and what compilers put on one of several lines has it on
each: who names one of its marks has found a case.  Where nothing orders two accesses, a race is named by the order of
the program's text.  What takes a host program is in ``programs``, in two files; their first line names the tool.

``python -m calibration.wrong list`` lists the cases; ``check`` has gpusim check them: :mod:`calibration.wrong_checked`;
``sanitizer --json FILE`` runs them on a GPU under compute-sanitizer: :mod:`calibration.sanitizer`.  With no word it
writes the table of ``docs/check.md``: :mod:`calibration.wrong_table`.  Nothing here needs more than Python's own
library.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "data" / "wrong"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
PROGRAMS = "programs"
MEMORY_KINDS = (
    *(f"out-of-bounds-{space}" for space in ("global", "shared", "local", "constant")),
    "misaligned", "null", "wild-pointer", "use-after-free", "double-free", "leak", "stack-overflow",
)  # fmt: skip
RACE_KINDS = tuple(
    f"race-{order}-{space}-{scope}"
    for order, space, scope in product(("RAW", "WAR", "WAW"), ("shared", "global"), ("warp", "warps", "blocks"))
)
"""Read after write, write after read, two writes; where; in a warp, between warps of a block, between blocks."""
INITIAL_KINDS = tuple(f"uninitialized-{space}" for space in ("shared", "local", "global"))
BARRIER_KINDS = (
    "divergent-barrier", "exited-barrier", "barrier-count", "absent-lanes", "unawaited-copy", "mbarrier-misuse",
    "cluster-exit",
)  # fmt: skip
KINDS = (*MEMORY_KINDS, *RACE_KINDS, *INITIAL_KINDS, *BARRIER_KINDS)
"""All words that a mark may have."""

_MARK = re.compile(r"//\s*here:\s*(.+?)\s*$")
_SIGNATURE = r"__global__\s+void\s+(?:__cluster_dims__\([^)]*\)\s*)?{}\s*\(([^)]*)\)"


class SuiteError(ValueError):
    """A file of the suite that is not as its form says."""


class Mark(NamedTuple):
    """A place at which a wrong kernel is wrong: a line of its file, from 1, and what it is."""

    line: int
    kind: str


class Parameter(NamedTuple):
    """A parameter of a kernel: its type without ``const``, ``*`` if it is a pointer, its name."""

    type: str
    pointer: bool
    name: str


@dataclass(frozen=True)
class Case:
    """A wrong kernel, or program, and its twin.

    Attributes
    ----------
    tool : str
        Whose matter it is, of compute-sanitizer's tools.
    name : str
        That of its file.
    wrong, right : Path
        Where they are: one file with two kernels, or two programs.
    """

    tool: str
    name: str
    wrong: Path
    right: Path

    @property
    def is_program(self) -> bool:
        """Whether these are whole programs, for ``gpusim run``."""
        return self.wrong != self.right

    @property
    def id(self) -> str:
        """Its folder and name."""
        return f"{self.wrong.parent.name}/{self.name}"

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the wrong one's file."""
        return self.wrong.read_text(encoding="utf-8").splitlines()

    @property
    def words(self) -> str:
        """What is wrong."""
        return self.lines[1].removeprefix("//").strip()

    @property
    def launch(self) -> list[str]:
        """The launch of both kernels, as options of ``gpusim profile``; of a program nothing."""
        return [] if self.is_program else shlex.split(self.lines[0].removeprefix("//"))

    @property
    def marks(self) -> list[Mark]:
        """Where it is wrong."""
        found = ((number, _MARK.search(line)) for number, line in enumerate(self.lines, 1))
        return [Mark(number, kind.strip()) for number, mark in found if mark for kind in mark[1].split(",")]

    @property
    def kinds(self) -> set[str]:
        """What is wrong with it."""
        return {mark.kind for mark in self.marks}

    @property
    def told(self) -> argparse.Namespace:
        """The same by the names of options: ``grid``, ``block``, ``dynamic_shared``, and ``arg`` by parameter."""
        parser = argparse.ArgumentParser(exit_on_error=False)
        for option in ("--grid", "--block"):
            parser.add_argument(option, required=True)
        parser.add_argument("--dynamic-shared", default="0")
        parser.add_argument("--arg", action="append", default=[])
        told = parser.parse_args(self.launch)
        told.arg = dict(text.split("=", 1) for text in told.arg)
        return told

    def parameters(self, kernel: str) -> list[Parameter]:
        """Those of one of its kernels.

        Raises
        ------
        SuiteError
            There is no such kernel.
        """
        found = re.search(_SIGNATURE.format(kernel), "\n".join(self.lines))
        if found is None:
            raise SuiteError(f"{self.wrong}: no kernel {kernel}")
        return [_parameter(text) for text in found[1].split(",")]


def _parameter(text: str) -> Parameter:
    kind, name = re.sub(r"\b(const|volatile)\b", "", text).rsplit(maxsplit=1)
    return Parameter(kind.replace("*", "").strip(), "*" in kind, name)


def cases(folder: Path = FOLDER) -> list[Case]:
    """All of the suite, tool by tool, programs last."""
    return [*_kernels(folder), *_programs(folder / PROGRAMS)]


def _kernels(folder: Path) -> Iterator[Case]:
    for tool in TOOLS:
        for path in sorted((folder / tool).glob("*.cu")):
            yield Case(tool, path.stem, path, path)


def _programs(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*_wrong.cu")):
        tool = path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("//").strip()
        name = path.stem.removesuffix("_wrong")
        yield Case(tool, name, path, path.with_name(f"{name}_right.cu"))


def _list() -> None:
    for case in cases():
        print(f"{case.id}: {', '.join(sorted(case.kinds))}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table, list the suite, or run it: by gpusim, or on a GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("list", help="list the cases, with what is wrong")
    check = commands.add_parser("check", help="check all with gpusim, and keep what it says")
    run = commands.add_parser("sanitizer", help="run all under compute-sanitizer, on this machine's GPU")
    run.add_argument("--json", type=Path, required=True, help="what was found; beside it FILE.log has the tools' words")
    run.add_argument(
        "--seconds", type=float, default=500, help="after these nothing new is started; run again to go on"
    )
    run.add_argument("--dry", action="store_true", help="print the commands")
    run.add_argument("--parse", action="store_true", help="run nothing: read the log again")
    for command, jobs in ((check, 2), (run, 16)):
        command.add_argument("--jobs", type=int, default=jobs, help="processes at a time")
        command.add_argument("--only", default="*", help="cases whose id fits, such as 'racecheck/*'")
    _do(parser.parse_args(arguments))


def _do(told: argparse.Namespace) -> None:
    if told.command == "list":
        _list()
    elif told.command == "sanitizer":
        from calibration import sanitizer

        sanitizer.run(told.json, told.only, told.jobs, told.seconds, dry=told.dry, parse=told.parse)
    elif told.command == "check":
        from calibration import wrong_checked

        wrong_checked.run(told.only, told.jobs)
    else:
        from calibration import wrong_table

        wrong_table.write()


if __name__ == "__main__":
    main()
