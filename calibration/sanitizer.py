"""The suite of wrong kernels under NVIDIA's compute-sanitizer, on this machine's GPU.

``python -m calibration.wrong sanitizer --json FILE`` compiles each case into a program of its own, whose arrays are
exactly as large as the case's arguments say, and runs it under each of the four tools, the wrong kernel and the right
one.  What the tools print goes to ``FILE.log`` as it comes, so a run that was stopped goes on where it was; ``FILE``
follows from it.  It needs nvcc and compute-sanitizer on the path, and no package.
"""

from __future__ import annotations

import fnmatch
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from calibration.sanitizer_words import findings, is_whole
from calibration.wrong import TOOLS, Case, Parameter, SuiteError, cases

FORMS = ("wrong", "right")
SECONDS_EACH = 20
"""After these a program is ended: a barrier that nobody comes to waits for ever."""
MOST_TEXT = 40_000
"""Characters of what a tool prints that are kept."""
SANITIZER = "compute-sanitizer"
NVCC = ("nvcc", "-std=c++17", "-arch=sm_90", "-lineinfo", "-g")
ALWAYS = ("--print-limit", "20")
WHERE_KNOWN = (("--max-connections", "128"), ("--launch-timeout", "60"))
"""Options that not every release has, for many processes at a time."""
OF_TOOL = {
    "memcheck": (("--leak-check", "full"),),
    "racecheck": (("--racecheck-report", "analysis"),),
    "initcheck": (("--initcheck-address-space", "all"),),
    "synccheck": (),
}
FILLS = {"zeros": (0, 0), "ones": (0, 1), "arange": (1, 0)}
"""Element k of an array: the first number times k, and the second."""
HOST = """\
#include "{source}"
#include <cstdio>
#include <vector>

template <class T> T* filled(size_t count, int step, int first) {{
    std::vector<T> host(count);
    for (size_t k = 0; k < count; ++k) host[k] = static_cast<T>(step * k + first);
    T* device = nullptr;
    cudaMalloc(&device, count * sizeof(T));
    cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}}

int main(int, char** words) {{
    auto kernel = words[1][0] == 'w' ? wrong : right;
{arrays}
    kernel<<<dim3({grid}), dim3({block}), {shared}>>>({arguments});
    cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
    printf("status: %s, %s\\n", cudaGetErrorName(launched), cudaGetErrorName(ended));
{frees}
    cudaDeviceReset();
    return launched != cudaSuccess || ended != cudaSuccess;
}}
"""
_MARK = "==> "


class Run(NamedTuple):
    """A program under a tool."""

    case: Case
    form: str
    tool: str

    @property
    def key(self) -> str:
        """What the log calls it."""
        return f"{self.case.id} {self.form} {self.tool}"

    def program(self, folder: Path) -> list[str]:
        """The executable, and the form that it is to take."""
        name = f"{self.case.wrong.parent.name}-{self.case.name}"
        return [str(folder / f"{name}-{self.form}")] if self.case.is_program else [str(folder / name), self.form]


def host_program(case: Case) -> str:
    """C++ that launches a case's kernels, ``wrong`` or ``right`` by its first word.

    Raises
    ------
    SuiteError
        The launch has what this does not know, or misses a parameter.
    """
    told = case.told
    given: dict[str, str] = told.arg
    parameters = case.parameters("wrong")
    if list(given) != [one.name for one in parameters]:
        raise SuiteError(f"{case.wrong}: arguments {list(given)} for parameters {[one.name for one in parameters]}")
    pointers = [one for one in parameters if one.pointer]
    return HOST.format(
        source=case.wrong.resolve(), grid=told.grid, block=told.block, shared=told.dynamic_shared,
        arrays="\n".join(f"    {one.type}* {one.name} = {_array(case, one, given[one.name])};" for one in pointers),
        arguments=", ".join(one.name if one.pointer else given[one.name] for one in parameters),
        frees="\n".join(f"    cudaFree({one.name});" for one in pointers),
    )  # fmt: skip


def _array(case: Case, parameter: Parameter, told: str) -> str:
    if told == "null":
        return "nullptr"
    fill, count = told.split(":")
    if fill not in FILLS:
        raise SuiteError(f"{case.wrong}: {parameter.name}: fill {fill}, known are {', '.join(FILLS)}")
    step, first = FILLS[fill]
    return f"filled<{parameter.type}>({int(count)}, {step}, {first})"


def compilations(case: Case, folder: Path) -> Iterator[tuple[list[str], str | None]]:
    """Commands that make a case's executables, with the host program that they read, if it is not the case itself."""
    if case.is_program:
        for form, source in zip(FORMS, (case.wrong, case.right), strict=True):
            yield [*NVCC, "-o", Run(case, form, "").program(folder)[0], str(source)], None
    else:
        target = Run(case, "wrong", "").program(folder)[0]
        yield [*NVCC, "-o", target, f"{target}.cu"], host_program(case)


def command(one: Run, folder: Path, known: str) -> list[str]:
    """compute-sanitizer with a case's executable; ``known`` is what its ``--help`` says."""
    options = [word for pair in (*WHERE_KNOWN, *OF_TOOL[one.tool]) if pair[0] in known for word in pair]
    frames = "yes" if one.case.is_program else "device"
    return [
        "compute-sanitizer",
        "--tool",
        one.tool,
        *ALWAYS,
        "--show-backtrace",
        frames,
        *options,
        *one.program(folder),
    ]


def runs(chosen: Iterable[Case]) -> list[Run]:
    """All of them: each case by its own tool first, wrong before right, then by the others."""
    every = [Run(case, form, tool) for form in FORMS for case in chosen for tool in TOOLS]
    return sorted(every, key=lambda one: (one.tool != one.case.tool, one.form != "wrong"))


def ended(words: Sequence[str], seconds: float) -> tuple[str, str]:
    """Run a command; how it ended, and what it and its children printed."""
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace",
        start_new_session=True,
    )  # fmt: skip
    try:
        text, _ = process.communicate(timeout=seconds)
        return f"exit {process.returncode}", text
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text, _ = process.communicate()
        return f"ended after {seconds:g} s", text


class Log:
    """A file with what each run printed, behind a line with its key and how it ended."""

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.Lock()

    def add(self, key: str, status: str, text: str) -> None:
        """Write down a run."""
        if len(text) > MOST_TEXT:
            text = f"{text[: MOST_TEXT // 2]}\n[...]\n{text[-MOST_TEXT // 2 :]}"
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(f"{_MARK}{key}: {status}\n{text.rstrip()}\n")

    def read(self) -> dict[str, tuple[str, str]]:
        """Runs by key: how each ended, what it printed; a later one replaces one before it."""
        if not self.path.exists():
            return {}
        parts = f"\n{self.path.read_text(encoding='utf-8')}".split(f"\n{_MARK}")[1:]
        heads = (part.partition("\n") for part in parts)
        return {head.rpartition(": ")[0]: (head.rpartition(": ")[2], text) for head, _, text in heads}


def found(log: Log, chosen: Iterable[Case]) -> dict[str, Any]:
    """What the log says, by case, form and tool; how a run ended that has no summary is a finding too."""
    kept = log.read()
    result: dict[str, Any] = {}
    for one in runs(chosen):
        if one.key not in kept:
            continue
        status, text = kept[one.key]
        file = (one.case.wrong if one.form == "wrong" else one.case.right).name
        rows = findings(text, file)
        if not is_whole(text):
            rows.append({"kind": f"no summary: {status}", "line": None, "lines": [], "detail": "", "count": 1})
        result.setdefault(one.case.id, {form: {} for form in FORMS})[one.form][one.tool] = rows
    return dict(sorted(result.items()))


def _write(path: Path, log: Log, chosen: Sequence[Case]) -> None:
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(json.dumps(found(log, chosen), indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def run(path: Path, only: str, jobs: int, seconds: float, *, dry: bool = False, parse: bool = False) -> None:
    """Run the suite, or what of it was not run yet.

    Parameters
    ----------
    path : Path
        Where findings are written, as JSON.
    only : str
        A pattern of ids.
    jobs : int
        Processes at a time.
    seconds : float
        After which nothing new is started.
    dry : bool
        Print the commands alone.
    parse : bool
        Run nothing; read the log again.
    """
    chosen = [case for case in cases() if fnmatch.fnmatch(case.id, only)]
    log = Log(path.with_name(f"{path.name}.log"))
    if dry:
        _show(chosen)
        return
    if not parse:
        for tool in (NVCC[0], SANITIZER):
            if shutil.which(tool) is None:
                raise SystemExit(f"{tool} is not on the path")
        with tempfile.TemporaryDirectory() as folder:
            _run_all(chosen, log, Path(folder), jobs, seconds, lambda: _write(path, log, chosen))
    _write(path, log, chosen)


def _show(chosen: Sequence[Case]) -> None:
    known = " ".join(
        option for pair in (*WHERE_KNOWN, *(pair for of in OF_TOOL.values() for pair in of)) for option in pair
    )
    for case in chosen:
        for words, _ in compilations(case, Path("build")):
            print(shlex.join(words))
    for one in runs(chosen):
        print(shlex.join(command(one, Path("build"), known)))


def _compiled(case: Case, folder: Path, log: Log) -> bool:
    for words, host in compilations(case, folder):
        if host is not None:
            Path(words[-1]).write_text(host, encoding="utf-8")
        status, text = ended(words, 300)
        if status != "exit 0":
            log.add(f"{case.id} nvcc", status, text)
            print(f"{case.id} does not compile: {text[:500]}", flush=True)
            return False
    return True


def _run_all(chosen: Sequence[Case], log: Log, folder: Path, jobs: int, seconds: float, write: Any) -> None:
    start, kept = time.monotonic(), log.read()
    left = [one for one in runs(chosen) if one.key not in kept]
    needed = list({one.case.id: one.case for one in left}.values())
    _, known = ended([SANITIZER, "--help"], 60)
    with ThreadPoolExecutor(jobs) as pool:
        compiled = dict(
            zip([case.id for case in needed], pool.map(lambda case: _compiled(case, folder, log), needed), strict=True)
        )
        print(
            f"{sum(compiled.values())} of {len(compiled)} cases compiled, {time.monotonic() - start:.0f} s", flush=True
        )
        done = threading.Lock(), [0]

        def one_run(one: Run) -> None:
            if time.monotonic() - start > seconds or not compiled[one.case.id]:
                return
            log.add(one.key, *ended(command(one, folder, known), SECONDS_EACH))
            with done[0]:
                done[1][0] += 1
                if done[1][0] % 100 == 0:
                    write()
                    print(f"{done[1][0]} of {len(left)} runs, {time.monotonic() - start:.0f} s", flush=True)

        list(pool.map(one_run, left))
    print(f"{done[1][0]} of {len(left)} runs, {time.monotonic() - start:.0f} s", flush=True)
