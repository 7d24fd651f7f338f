"""``python -m tests.programs 5000 --seed 1``: many random programs, held against the host."""

from __future__ import annotations

import argparse
import time

from tests.programs.run import How, batch, compare, record, reduced

BATCH = 25


def main() -> None:
    """Run batches of programs and print what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=BATCH, help="programs")
    parser.add_argument("--seed", type=int, default=1, help="of the first batch; the next one has the next number")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--option", action="append", default=[], help="of the compiler, such as -Xptxas=-O1")
    parser.add_argument("--explicit", action="store_true", help="with -fmad=true and intrinsics for sums and products")
    parser.add_argument("--size", type=int, default=14, help="statements of a program")
    parser.add_argument("--whole", action="store_true", help="do not look for a smaller program that differs, too")
    parser.add_argument("--record", action="store_true", help="write what the host computes of the tests' programs")
    args = parser.parse_args()
    if args.record:
        from tests.programs.test_random import RUNS

        record(RUNS)
        return
    how, run, differ, start = How(args.gpu, tuple(args.option), args.explicit), 0, 0, time.monotonic()
    for seed in range(args.seed, args.seed + -(-args.count // BATCH)):
        programs = batch(seed, min(BATCH, args.count - run), how, args.size)
        failures = compare(programs, how, seed)
        run, differ = run + len(programs), differ + len(failures)
        for failure in failures:
            print(f"// seed {seed}, program {failure.program.number}: ", end="")
            print(failure if args.whole else reduced(failure, seed), flush=True)
        print(f"seed {seed}: {run} programs, {differ} differ, {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
