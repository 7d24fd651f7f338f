"""Is whatever a user may get wrong, in words, numbers and files, one line and an exit status, and never a traceback?"""

import contextlib
import io
import os

import pytest
from hypothesis import given, settings

from gpusim.cli import main
from tests.cli import malformed

EXAMPLES = int(os.environ.get("GPUSIM_EXAMPLES", "0"))
"""More than the tests search by themselves, by hand."""


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """A folder with every kind of file, where the commands run."""
    place = tmp_path_factory.mktemp("malformed")
    malformed.files(place)
    with contextlib.chdir(place):
        yield place


def run(arguments):
    """Status, and the lines on standard error that are no progress."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    return status, [line for line in err.getvalue().splitlines() if not line.endswith(" ...")]


@settings(max_examples=EXAMPLES or 150)
@given(arguments=malformed.command_lines())
def test_a_command_line_of_anything_ends_in_one_line(arguments):
    status, said = run(arguments)
    assert status in (0, 1, 2)
    if status:
        assert said[0].startswith("gpusim: ")
        assert len(said) == 1 or "does not compile" in said[0], said
