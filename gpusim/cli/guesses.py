"""``--guess``: grid, block and arguments that are not given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpusim.cli import sources

if TYPE_CHECKING:
    from gpusim.launches import guessing

Guess = Annotated[
    bool, typer.Option("--guess", help="Guess grid, block and arguments that are not given, and show them.")
]


def guessed(
    single: sources.Given, gpu: str, how: dict[str, Any], command: str
) -> tuple[sources.Given, tuple[str, ...]]:
    """The options of a launch, with guesses for those that are not given, and a note that names these.

    Standard error shows the guesses as options.

    Parameters
    ----------
    single : dict
        Options of the launch by name, and the source as ``FILE``.
    gpu : str
        That a guess must run on.
    how : dict
        As for :func:`gpusim.launches.profiling.profile`.
    command : str
        Whose options they are.
    """
    from gpusim.launches import fitting, guessing
    from gpusim.launches.profiling import Deadline, profile

    sources.demand({"FILE": single["FILE"]}, command)
    kernel = sources.spec({**single, "--grid": "1", "--block": "1", "--arg": None}, command).kernel_of(gpu)
    given = list(single["--arg"] or ())

    def told(guess: guessing.Guess) -> dict[str, Any]:
        sizes = {"--grid": guess.grid or single["--grid"], "--block": guess.block or single["--block"]}
        if guess.shared is not None:
            sizes["--dynamic-shared"] = guess.shared
        return {**single, **sizes, "--arg": [*given, *guess.args]}

    def say(text: str) -> None:
        print(text, file=sys.stderr)

    tries = guessing.guesses(kernel, given, single["--grid"], single["--block"], single["--dynamic-shared"])

    def run(guess: guessing.Guess, seconds: float | None) -> None:
        until = None if seconds is None else Deadline(seconds, None)
        profile(sources.spec(told(guess), command), gpu, progress=until, **{**how, "timeline": None})

    fitted = fitting.first_that_runs(tries, run, say)
    say("guessed: " + " ".join(fitted.lines()))
    names = ", ".join(fitted.names())
    return told(fitted), (f"not given, and guessed: {names}",) if names else ()
