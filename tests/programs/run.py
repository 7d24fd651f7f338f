"""Random programs, compiled for a GPU and for the host, and run by gpusim and by the host."""

from __future__ import annotations

import ctypes
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np

import gpusim
from gpusim import cuda, hardware
from gpusim.errors import GpusimError
from tests.host.build import aligned, library
from tests.programs.generate import Program, Statement, generate
from tests.programs.grammar import THEMES

HERE = Path(__file__).parent
PRELUDE = (HERE / "prelude.h").read_text(encoding="utf-8")
RECORDED = HERE / "recorded.json"
BLOCKS, THREADS = 2, 64
GLOBAL_BYTES = 1 << 16
ARG = np.dtype([("u", "u4", 4), ("f", "f4", 2), ("d", "f8"), ("q", "u8"), ("c", "u1", 4), ("s", "i2")], align=True)
SPECIAL = np.array([0, 1, 2, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000,
                    0x00000001, 0x00800000, 0x7F7FFFFF, 0x3C003C00, 0x7C00FBFF, 0x80000001, 0x4B000000, 0xC2480000],
                   np.uint32)  # fmt: skip


@dataclass(frozen=True)
class How:
    """How programs are compiled, and for which GPU.

    Attributes
    ----------
    gpu : str
    options : tuple of str
        Of the compiler.
    explicit : bool
        Products and sums are intrinsics, which the compiler never contracts; else it is told not to.
    """

    gpu: str = "h200"
    options: tuple[str, ...] = ()
    explicit: bool = False

    @property
    def arch(self) -> int:
        """Number of the architecture."""
        return int(hardware.load(self.gpu).arch.removeprefix("sm_"))

    def command(self) -> list[str]:
        """Options of the compiler."""
        return [f"-fmad={str(self.explicit).lower()}", *self.options]


@dataclass
class Failure:
    """A program on which gpusim and the host disagree.

    Attributes
    ----------
    program : Program
    how : How
    reason : str
        What differs, or what gpusim refuses.
    """

    program: Program
    how: How
    reason: str

    def __str__(self) -> str:
        options = " ".join(self.how.command())
        return f"{self.reason}\n// {self.how.gpu}, {options}\n{cuda_source([self.program], self.how)}"


@dataclass
class Buffers:
    """What every program is given."""

    words: np.ndarray
    out: np.ndarray = field(default_factory=lambda: np.zeros(64 * BLOCKS * THREADS, np.uint32))
    memory: np.ndarray = field(default_factory=lambda: np.zeros(GLOBAL_BYTES // 4, np.uint32))
    arg: np.ndarray = field(default_factory=lambda: np.zeros(1, ARG))


def buffers(seed: int) -> Buffers:
    """Inputs from a seed: words of every kind, among them patterns that mean something as floats."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**32, 512, dtype=np.uint32)
    words[::3] &= np.uint32(0xFF)
    words[1::5] = rng.standard_normal(len(words[1::5])).astype(np.float32).view(np.uint32)
    words[4::7] = rng.choice(SPECIAL, len(words[4::7]))
    made = Buffers(aligned(words))
    made.arg["u"], made.arg["f"], made.arg["d"] = rng.integers(0, 2**32, 4), (1.5, -0.1), 2.75
    made.arg["q"], made.arg["c"], made.arg["s"] = rng.integers(0, 2**63), rng.integers(0, 256, 4), -300
    made.out, made.memory = aligned(made.out), aligned(made.memory)
    return made


def batch(seed: int, count: int, how: How, size: int = 14) -> list[Program]:
    """Programs from a seed, of a few themes in common so that the headers that all need are few."""
    rng = Random(seed)
    able = [name for name, theme in THEMES.items() if theme.least_arch <= how.arch]
    narrow = {"half", "brain", "octets"}
    themes = able if rng.random() < 0.4 else [name for name in able if name not in narrow]
    return [generate(rng, number, themes, size) for number in range(count)]


# ------------------------------------------------------------------ sources


def _defines(programs: Sequence[Program], how: How) -> str:
    headers = {header for program in programs for header in program.headers}
    known = {"cuda_fp16.h": "HALVES", "cuda_bf16.h": "BRAINS", "cuda_fp8.h": "OCTETS"}
    words = [word for header, word in known.items() if header in headers] + ["EXPLICIT"] * how.explicit
    return "".join(f"#define {word}\n" for word in words)


def cuda_source(programs: Sequence[Program], how: How) -> str:
    """CUDA C++ of some programs."""
    headers = sorted({header for program in programs for header in program.headers})
    includes = "".join(f"#include <{header}>\n" for header in headers)
    return includes + _defines(programs, how) + PRELUDE + "\n".join(map(str, programs))


def host_source(programs: Sequence[Program], how: How) -> str:
    """C++ of some programs for the host."""
    starts = "".join(
        f'extern "C" void start{p.number}(const unsigned* shape, void** args) {{ launch(p{p.number}, shape, args); }}\n'
        for p in programs
    )
    includes = '#include "floats.h"\n#include "warps.h"\n#include "halves.h"\n'
    return includes + _defines(programs, how) + PRELUDE + "\n".join(map(str, programs)) + starts


# ------------------------------------------------------------------ runs


def on_host(programs: Sequence[Program], how: How, seed: int) -> list[Buffers]:
    """What each program leaves, run by the host."""
    with tempfile.TemporaryDirectory(prefix="gpusim-programs-") as folder:
        path = Path(folder) / "programs.cpp"
        path.write_text(host_source(programs, how), encoding="utf-8")
        made, found = library(path), []
        for program in programs:
            given = buffers(seed)
            places = [given.words.ctypes.data, given.out.ctypes.data, given.memory.ctypes.data]
            pointers = [ctypes.c_void_p(place) for place in places]
            args = (ctypes.c_void_p * 4)(*map(ctypes.addressof, pointers), given.arg.ctypes.data)
            getattr(made, f"start{program.number}")((ctypes.c_uint * 6)(BLOCKS, 1, 1, THREADS, 1, 1), args)
            found.append(given)
        return found


def on_gpu(module: cuda.Module, program: Program, how: How, seed: int) -> Buffers:
    """What a program leaves, run by gpusim."""
    given = buffers(seed)
    kernel = module.kernel(f"p{program.number}")
    args = [given.words, given.out, given.memory, given.arg.tobytes()]
    gpusim.profile(kernel, BLOCKS, THREADS, args, gpu=how.gpu, limit=50_000_000)
    return given


def compare(programs: Sequence[Program], how: How, seed: int) -> list[Failure]:
    """Run programs both ways; those that differ, or that gpusim refuses; of one that crashes NVRTC it is only told."""
    if (module := _compiled(programs, how, seed)) is None:
        middle = len(programs) // 2
        parts = (programs[:middle], programs[middle:]) if middle else ()
        return [failure for part in parts for failure in compare(part, how, seed)]
    wanted = dict(zip((p.number for p in programs), on_host(programs, how, seed), strict=True))
    return _failures(module, programs, how, seed, lambda program, got: difference(program, got, wanted[program.number]))


def _compiled(programs: Sequence[Program], how: How, seed: int) -> cuda.Module | None:
    """What NVRTC makes of some programs; None where it crashes."""
    try:
        return cuda.compile(cuda_source(programs, how), gpu=how.gpu, options=how.command())
    except cuda.CompileError as error:
        if "crashes" not in str(error):
            raise
        if len(programs) == 1:
            print(f"seed {seed}, program {programs[0].number}, for {how}: {error}", file=sys.stderr)
        return None


def _failures(
    module: cuda.Module, programs: Sequence[Program], how: How, seed: int, differs: Callable[[Program, Buffers], str]
) -> list[Failure]:
    failures = []
    for program in programs:
        try:
            reason = differs(program, on_gpu(module, program, how, seed))
        except GpusimError as error:
            reason = str(error)
        if reason:
            failures.append(Failure(program, how, reason))
    return failures


# ------------------------------------------------------------------ without a compiler for the host


def digest(left: Buffers) -> str:
    """What tells what a program left from anything else."""
    return sha256(left.out.tobytes() + left.memory.tobytes()).hexdigest()[:16]


def _key(seed: int, how: How) -> str:
    """By what the record of a seed's programs is found: all that decides what the host computes."""
    return f"{seed} {how.gpu} {how.explicit}"


def record(runs: Iterable[tuple[int, int, How]]) -> None:
    """Write what the host computes of some (seed, programs, how)."""
    found = {
        _key(seed, how): [digest(left) for left in on_host(batch(seed, count, how), how, seed)]
        for seed, count, how in runs
    }
    RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def recorded(seed: int, how: How) -> list[str]:
    """What the host computes of the programs of a seed, by program."""
    found: list[str] = json.loads(RECORDED.read_text(encoding="utf-8"))[_key(seed, how)]
    return found


def compare_with_recorded(seed: int, count: int, how: How) -> list[Failure]:
    """Run programs of which it is recorded what the host computes; those that differ, or that gpusim refuses."""
    programs, wanted = batch(seed, count, how), recorded(seed, how)
    module = _compiled(programs, how, seed)
    assert module is not None

    def differs(program: Program, got: Buffers) -> str:
        return "" if digest(got) == wanted[program.number] else "what it leaves is not what the host's leaves"

    return _failures(module, programs, how, seed, differs)


def difference(program: Program, got: Buffers, wanted: Buffers) -> str:
    """Which words differ; empty if none does."""
    threads, said = BLOCKS * THREADS, []
    for place in np.flatnonzero(got.out != wanted.out)[:6]:
        name = program.variables[place // threads][1]
        said.append(f"{name} of thread {place % threads}: {got.out[place]:#x}, on the host {wanted.out[place]:#x}")
    said += [
        f"word {place} of memory: {got.memory[place]:#x}, on the host {wanted.memory[place]:#x}"
        for place in np.flatnonzero(got.memory != wanted.memory)[: 6 - len(said)]
    ]
    return "; ".join(said)


# ------------------------------------------------------------------ smaller programs


def reduced(failure: Failure, seed: int, tries: int = 60) -> Failure:
    """The same failure with as many statements left out as can be."""
    found = failure
    for statements, place in _places(found.program.body):
        if tries <= 0:
            break
        tries -= 1
        taken = statements.pop(place)
        again = compare([found.program], found.how, seed)
        if again:
            found = again[0]
        else:
            statements.insert(place, taken)
    return found


def _places(body: list[Statement]) -> list[tuple[list[Statement], int]]:
    """Every statement by the block that it is in and its place there; the last and outermost first."""
    found: list[tuple[list[Statement], int]] = [(body, k) for k in reversed(range(len(body)))]
    for statement in reversed(body):
        for part in statement.parts:
            if isinstance(part, list):
                found += _places(part)
    return found
