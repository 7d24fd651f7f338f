"""Where the time to compile the engine goes: ``python benchmarks/compiling.py`` (CPU seconds; half a minute).

Compiles all of it into an empty folder, and prints the steps, the wholes that LLVM optimises, and the functions that
took longest, without those they call; that of a whole has LLVM's work for all of it.  Steps do not count what they
call of other steps.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

FOLDER = tempfile.TemporaryDirectory()
os.environ["GPUSIM_CACHE_DIR"] = FOLDER.name


class Clock:
    """CPU seconds by name, each without those of what is timed within it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.times: dict[str, int] = defaultdict(int)
        self._within: list[float] = []

    def watch(self, owner: Any, method: str, name: Callable[..., str]) -> None:
        """Time a method; ``name`` makes of its arguments what it counts for."""
        before = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            began, key = time.process_time(), name(*args, **kwargs)
            self._within.append(0.0)
            try:
                return before(*args, **kwargs)
            finally:
                took = time.process_time() - began
                self.seconds[key] += took - self._within.pop()
                self.times[key] += 1
                if self._within:
                    self._within[-1] += took

        setattr(owner, method, timed)

    def table(self, title: str, most: int) -> None:
        """Print what took longest."""
        print(f"\n{title}\n{'seconds':>8} {'times':>6}")
        for name, seconds in sorted(self.seconds.items(), key=lambda item: -item[1])[:most]:
            print(f"{seconds:8.2f} {self.times[name]:6}  {name}")


def watched() -> tuple[Clock, Clock, Clock]:
    """Clocks of the steps, of the wholes in LLVM, and of the functions in numba."""
    from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
    from numba.core.compiler_machinery import PassManager

    from gpusim.engine.compiling import kept_code, parts

    steps, wholes, functions = Clock(), Clock(), Clock()
    steps.watch(PassManager, "_runPass", lambda manager, index, each, state: f"numba: {each.name().replace('_', ' ')}")
    functions.watch(PassManager, "run", lambda manager, state: state.func_id.func_qualname)
    steps.watch(CPUCodeLibrary, "add_ir_module", lambda *_: "LLVM: text of the code, read")
    steps.watch(CPUCodeLibrary, "_optimize_functions", lambda *_: "LLVM: passes over a function")
    steps.watch(parts._PartLibrary, "_get_module_for_linking", lambda *_: "LLVM: parts put together")
    for library in (CPUCodeLibrary, parts._WholeLibrary):
        steps.watch(library, "_optimize_final_module", lambda *_: "LLVM: passes over a whole")
    steps.watch(JITCodeLibrary, "_finalize_specific", lambda *_: "LLVM: machine code")
    steps.watch(kept_code.Kept, "save_overload", lambda *_: "written to disk")
    wholes.watch(parts._WholeLibrary, "_optimize_final_module", lambda library: f"passes: {library.name}")
    wholes.watch(JITCodeLibrary, "_finalize_specific", lambda library: f"machine code: {library.name}")
    return steps, wholes, functions


def main() -> None:
    """Compile, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=25, help="of each table")
    rows = parser.parse_args().rows
    from gpusim.engine.compiling import parts
    from gpusim.engine.core.ready import every_instruction, make_ready

    steps, wholes, functions = watched()
    began = time.process_time()
    make_ready(every_instruction(), lambda _: nullcontext())
    took = time.process_time() - began
    n_parts, n_kinds = len(parts._PARTS), sum(len(part.overloads) for part in parts._PARTS.values())
    print(f"{took:.1f} s of CPU: {n_parts} functions, compiled for {n_kinds} kinds of arguments")
    steps.seconds["all else"] = took - sum(steps.seconds.values())
    for clock, title in ((steps, "Steps"), (wholes, "Wholes in LLVM"), (functions, "Functions")):
        clock.table(title, rows)


if __name__ == "__main__":
    main()
