"""Damaged cubins run to the end of execution, in processes of their own: each is refused in a line, or runs.

By hand: ``python -m tests.profile.fuzz 20000 --seed 1 --jobs 2`` prints what became of them, by kind.
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from subprocess import PIPE, STDOUT
from typing import IO

from gpusim import cuda
from gpusim.children import Child, ended_by, limited
from gpusim.errors import GpusimError

WORKER = (sys.executable, "-m", "tests.profile.fuzz", "--worker")
PATIENCE_S, MEMORY_BYTES = 120, 12 << 30
LIMIT = 100_000  # warp instructions
NVDISASM_S = 5


GPUS = ("h200", "a100-40gb")
SMALL = """base = "{gpu}"
[sources]
small = "a machine that is made in no time"
[identity]
full_name = "two SMs of {gpu}"
sm_count = {{ value = 2, unit = "1", kind = "assumed", source = "small" }}
[l2]
size_bytes = {{ value = 4194304, unit = "byte", kind = "assumed", source = "small" }}
"""


def compiled(folder: Path) -> list[Path]:
    """A cubin for each victim and architecture; beside them a small GPU of each."""
    from tests.profile.victims import VICTIMS

    for gpu in GPUS:
        (folder / f"small-{gpu}.toml").write_text(SMALL.format(gpu=gpu))
    for name, victim in VICTIMS.items():
        for gpu in GPUS:
            made = cuda.compile(victim.text + "\n", gpu=gpu).cubin.data
            (folder / f"{name}.{gpu}.cubin").write_bytes(made)
    return sorted(folder.glob("*.cubin"))


def mutant(files: list[Path], seed: int, number: int) -> tuple[Path, str, bytes, Random]:
    """The ``number``-th damaged cubin: of which file, how, its bytes, and what decides how it is launched."""
    from tests.profile.mutations import mutate

    random = Random(f"{seed}/{number}")
    file = random.choice(files)
    way, data = mutate(file.read_bytes(), random)
    return file, way, data, random


def attempt(files: list[Path], seed: int, number: int, place: Path) -> str:
    """Run one, and say what became of it."""
    file, _, data, random = mutant(files, seed, number)
    place.write_bytes(data)
    return run(place, file, random.random() < 0.5)


def run(place: Path, original: Path, values: bool) -> str:
    """Run the cubin at a place as its original is run, and say what became of it."""
    import gpusim
    from tests.profile.victims import BLOCKS, THREADS, VICTIMS

    name, gpu, _ = original.name.split(".")
    gpu = str(original.with_name(f"small-{gpu}.toml"))
    try:
        with limited(NVDISASM_S):
            kernel = cuda.compile(place, gpu=gpu).kernel()
            kernel.program()
        gpusim.profile(kernel, BLOCKS, THREADS, VICTIMS[name].arguments(), gpu=gpu, values=values, limit=LIMIT)
    except GpusimError as error:
        said = str(error)
        return f"refused: {kind(error)}" if "\n" not in said else f"FAILED: more than a line: {said!r}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"FAILED: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error}".replace(
            "\n", " "
        )
    return "ran"


def kind(error: GpusimError) -> str:
    """What an error is about, whatever its numbers and names."""
    said = re.sub(r"^\S*(cubin|\.cu:\d+): ", "", str(error))
    said = re.sub(r"'[^']*'|\([^()]*\)|\S*\d\S*", "#", said.rpartition(": ")[2] if ": " in said else said)
    return f"{type(error).__name__}: {' '.join(said.split())[:60]}"


def warm_up(files: list[Path]) -> None:
    """Run every kernel as it was compiled, so that the engine has compiled what they need."""
    for file in files:
        for values in (True, False):
            assert (became := run(file, file, values)) == "ran", f"{file.name}: {became}"


def work(files: list[Path], seed: int, numbers: range) -> None:
    """Run some, one after another, saying which one is on and what became of it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "damaged.cubin")
        for number in numbers:
            print(f"at {number}", flush=True)
            print(f"{number} {attempt(files, seed, number, place)}", flush=True)


def watched(folder: Path, seed: int, numbers: range) -> Iterator[tuple[int, str]]:
    """Have some run by processes: one that crashes or hangs costs the mutant that it was at."""
    todo = numbers
    while todo:
        at = todo.start
        command = [*WORKER, str(folder), str(seed), *(str(x) for x in (todo.start, todo.stop, todo.step))]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        with Child(command, memory=MEMORY_BYTES, stdout=PIPE, stderr=STDOUT, text=True, env=environment) as child:
            lines: queue.Queue[str | None] = queue.Queue()
            threading.Thread(target=_pass_on, args=(child.process.stdout, lines), daemon=True).start()
            said, why = [], ""
            while True:
                try:
                    line = lines.get(timeout=PATIENCE_S)
                except queue.Empty:
                    why = f"FAILED: hangs for {PATIENCE_S} s"
                    break
                if line is None:
                    break
                if line.startswith("at "):
                    at = int(line[3:])
                elif line.split(" ")[0] == str(at):
                    yield at, line.rstrip().partition(" ")[2]
                    todo = range(at + todo.step, todo.stop, todo.step)
                else:
                    said.append(line.strip())
        if todo and at == todo.start:
            status = child.process.returncode
            yield at, why or f"FAILED: ends by {ended_by(status) or f'status {status}'} {' '.join(said[-2:])}".rstrip()
            todo = range(at + todo.step, todo.stop, todo.step)


def _pass_on(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for text in stream:
        lines.put(text)
    lines.put(None)


def fuzz(count: int, seed: int, jobs: int, folder: Path) -> dict[int, str]:
    """Damage and run so many; what became of each."""
    files = compiled(folder)
    warm_up(files)
    found: dict[int, str] = {}

    def share(k: int) -> None:
        for number, became in watched(folder, seed, range(k, count, jobs)):
            found[number] = became
            if became.startswith("FAILED"):
                print(f"{number}: {became}", file=sys.stderr, flush=True)

    threads = [threading.Thread(target=share, args=(k,)) for k in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(sorted(found.items()))


def main() -> int:
    """Run the command line; 1 where one of them failed."""
    if sys.argv[1:2] == ["--worker"]:
        folder, seed, *numbers = sys.argv[2:]
        work(sorted(Path(folder).glob("*.cubin")), int(seed), range(*map(int, numbers)))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz(given.count, given.seed, given.jobs, Path(folder))
    for outcome, times in Counter(found.values()).most_common():
        example = next(n for n, what in found.items() if what == outcome)
        print(f"{times:6d}  {outcome}" + (f"  (number {example})" if outcome.startswith("FAILED") else ""))
    failed = sum(what.startswith("FAILED") for what in found.values())
    print(f"{len(found)} of seed {given.seed}: {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
