"""The commands put together, and how each ends."""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from gpusim.cli.advise import advise
from gpusim.cli.bound import bound
from gpusim.cli.check import check
from gpusim.cli.compare import compare
from gpusim.cli.complaint import INTERRUPTED, complain
from gpusim.cli.diff import diff
from gpusim.cli.emit import emit
from gpusim.cli.files import LACKING
from gpusim.cli.gpus import gpus
from gpusim.cli.lists import formula, list_kernels
from gpusim.cli.mcp import mcp
from gpusim.cli.measure import measure
from gpusim.cli.predict import predict
from gpusim.cli.profile import profile
from gpusim.cli.roofline import roofline
from gpusim.cli.run import run as run_program
from gpusim.cli.scenarios import scenario
from gpusim.cli.schema import schema
from gpusim.cli.sweep import sweep
from gpusim.cli.tune import tune
from gpusim.errors import GpusimError, LackingError

FREE_FORM = {"ignore_unknown_options": True}
"""Commands that take a kernel's own parameters as options."""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(context_settings=FREE_FORM)(predict)
app.command()(profile)
app.command(name="run", context_settings={"allow_extra_args": True, "allow_interspersed_args": False})(run_program)
app.command(context_settings=FREE_FORM)(check)
app.command(context_settings=FREE_FORM)(advise)
app.command(context_settings=FREE_FORM)(sweep)
app.command(context_settings=FREE_FORM)(tune)
app.command(context_settings=FREE_FORM)(diff)
app.command(context_settings=FREE_FORM)(bound)
app.command(context_settings=FREE_FORM)(roofline)
app.command(context_settings=FREE_FORM)(measure)
app.command()(compare)
app.command(context_settings=FREE_FORM)(formula)
app.command(name="kernels")(list_kernels)
app.command(context_settings=FREE_FORM)(emit)
app.command(context_settings={"allow_extra_args": True, "allow_interspersed_args": False})(scenario)
app.command()(gpus)
app.command()(schema)
app.command()(mcp)


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line, for :func:`gpusim.cli.main`; raises KeyboardInterrupt when interrupted."""
    _prepare_streams()
    sys.unraisablehook = _interrupt_again
    _warn_in_one_line()
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    try:
        return _run_command(arguments)
    except TyperException as error:
        return complain(error.format_message().replace("Value error, ", ""), error.exit_code)
    except LackingError as error:
        return complain(str(error), 1)
    except GpusimError as error:
        return complain(str(error), 2, as_written=bool(getattr(error, "log", "")))
    except typer.Abort:
        raise KeyboardInterrupt from None
    except MemoryError as error:
        return complain(f"not enough memory: {error}", 1)
    except OSError as error:
        _print_no_more()
        if isinstance(error, BrokenPipeError):  # head has seen enough: no fault, and nobody to tell
            return 1
        if error.errno is None:  # a library that cannot be loaded
            return complain(str(error), 1)
        theirs = error.filename and error.errno not in LACKING
        return complain(f"{error.filename or 'cannot write what is printed'}: {error.strerror}", 2 if theirs else 1)


def _run_command(arguments: list[str]) -> int:
    """Run a command and see that what it printed has arrived."""
    try:
        status = app(args=arguments, prog_name="gpusim", standalone_mode=False)
    except SystemExit as ended:  # a scenario's, which has said why
        status = ended.code
    sys.stdout.flush()
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def _print_version(wanted: bool) -> None:
    if wanted:
        from gpusim import __version__

        typer.echo(f"gpusim {__version__}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Predict what a GPU kernel moves through the memory hierarchy, on a machine with no GPU."""


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "gpusim"


def _warn_in_one_line() -> None:
    """Show what gpusim itself warns of as its errors are shown."""
    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **how: Any) -> None:
        if _is_ours(category):
            print("gpusim:", message, file=sys.stderr)
        else:
            shown(message, category, *where, **how)

    warnings.showwarning = show


def _interrupt_again(lost: Any) -> None:
    """Have Ctrl-C arrive once more where it met code that raises nothing, such as what LLVM calls back."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(0.05, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)


def _print_no_more() -> None:
    """Let what is still to be printed go nowhere: the interpreter would try again at its end, and complain."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_streams() -> None:
    """Print a question mark for what a terminal's encoding lacks, nowhere if a stream is closed; do not fail.

    Files of closed streams are taken, lest a pipe to another program is given such a number.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 (for as long as the process lives)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
