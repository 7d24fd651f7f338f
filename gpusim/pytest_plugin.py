"""A pytest plug-in: ``gpusim_profile`` predicts a launch, so that a test can hold its traffic.

``gpusim_check`` looks for what is wrong with one.

pytest imports this module wherever gpusim is installed, so it imports nothing of gpusim before the fixture is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gpusim.checks.result import CheckResult
    from gpusim.profiles.profile import Profile

GPU = "gpusim_gpu"
"""The ini option, and where the command line's is kept."""

WORKER = "PYTEST_XDIST_WORKER"
"""Variable of the environment that tests have which run side by side."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the GPU that tests predict for.

    Parameters
    ----------
    parser : pytest.Parser
    """
    about = "GPU that gpusim_profile predicts for, as gpusim gpus lists them"
    parser.getgroup("gpusim").addoption("--gpusim-gpu", dest=GPU, metavar="NAME", default=None, help=f"{about}.")
    parser.addini(GPU, f"{about}; h200 unless given.", default="h200")


@pytest.fixture
def gpusim_profile(request: pytest.FixtureRequest) -> Profiler:
    """Predict launches: call it with a kernel's name and parameters, or with CUDA, a grid, a block and arguments."""
    config = request.config
    return Profiler(config.getoption(GPU) or config.getini(GPU), request.path.parent)


@pytest.fixture
def gpusim_check(request: pytest.FixtureRequest) -> Checker:
    """Look for what is wrong with launches: call it as gpusim.check; files are relative to the test's folder."""
    config = request.config
    return Checker(config.getoption(GPU) or config.getini(GPU), request.path.parent)


class Checker:
    """What the fixture ``gpusim_check`` gives a test.

    Parameters
    ----------
    gpu : str
        Where launches run, where a call does not say.
    folder : Path
        Where names of files begin: the test's own.
    """

    def __init__(self, gpu: str, folder: Path) -> None:
        self.gpu, self._folder = gpu, folder

    def __call__(self, kernel: Any, *launch: Any, gpu: str | None = None, **how: Any) -> CheckResult:
        """Check a launch, as :func:`gpusim.check` does.

        Parameters
        ----------
        kernel : str, Path or object
            A file is relative to the test's folder.
        *launch, **how
            As for :func:`gpusim.check`.
        gpu : str, optional
            Else that of ``--gpusim-gpu``, else of the ini option ``gpusim_gpu``, else an H200.

        Returns
        -------
        CheckResult
            With :meth:`gpusim.CheckResult.assert_clean`.
        """
        from gpusim.checks.check import check
        from gpusim.launches.for_tests import source_of

        found = source_of(kernel, self._folder)
        return check(kernel if found is None else found, *launch, gpu=gpu or self.gpu, **how)


class Profiler:
    """What the fixture ``gpusim_profile`` gives a test.

    Parameters
    ----------
    gpu : str
        What is predicted for, where a call does not say.
    folder : Path
        Where names of files begin: the test's own.
    """

    def __init__(self, gpu: str, folder: Path) -> None:
        self.gpu, self._folder = gpu, folder

    def __call__(
        self,
        kernel: Any,
        grid: Any = None,
        block: Any = None,
        args: Sequence[Any] | Mapping[str, Any] = (),
        *,
        gpu: str | None = None,
        name: str | None = None,
        **how: Any,
    ) -> Profile:
        """Predict a launch.

        Parameters
        ----------
        kernel : str, Path or object
            A kernel of the catalogue, by its name, or a description: with its parameters in `how`.  A file with CUDA
            or machine code, relative to the test's folder, or CUDA as text.  A kernel that :func:`gpusim.profile`
            takes.
        grid, block : int, str or sequence of int, optional
            Of CUDA: blocks, and threads of a block.  Texts may be expressions of arguments, ``"ceildiv(n,256)"``.
        args : mapping or sequence
            Of CUDA: ``{"n": 1024, "x": "normal:n"}``, texts as for ``gpusim profile --arg``; or arrays and numbers in
            order, which stay as they are.
        gpu : str, optional
            Else that of ``--gpusim-gpu``, else of the ini option ``gpusim_gpu``, else an H200.
        name : str, optional
            Which kernel of a source with several.
        **how
            Of CUDA ``dynamic_shared``, ``defines``, ``include``, ``options``, ``arch``, ``cluster``, ``symbols``; of
            any launch ``cache`` and ``sample``, as for :func:`gpusim.predict`.

        Returns
        -------
        Profile
            With :meth:`gpusim.Profile.assert_metric`.

        Raises
        ------
        GpusimError
            A launch that cannot be run; one line says why.
        """
        from gpusim.launches.for_tests import predicted

        how = {"jobs": 1, **how} if WORKER in os.environ else how  # the others work beside it
        how |= {"kernel": name} if name is not None else {}
        return predicted(kernel, grid, block, args, gpu or self.gpu, self._folder, how)
