"""Check a launch: of a CUDA source, a kernel object or a described kernel."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.checks.how import MOST_BLOCKS, CheckHow, tools_of
from gpusim.checks.run import checked
from gpusim.checks.work import Given, of_description, of_kernel, of_spec
from gpusim.errors import ParameterError, UnknownNameError, check_flags, listed, shown
from gpusim.frontends import described
from gpusim.launches.for_tests import COMPILED, TOLD, demand_sizes, is_described, source_of, told_by_texts

if TYPE_CHECKING:
    from gpusim.checks.result import CheckResult
    from gpusim.progress import Progress


def check(
    kernel: Any,
    grid: Any = None,
    block: Any = None,
    args: Sequence[Any] | Mapping[str, Any] = (),
    *,
    gpu: str | hardware.Gpu = "h200",
    tools: str | Sequence[str] | None = None,
    schedules: int = 0,
    seed: int = 0,
    all_blocks: bool = False,
    unwritten: Collection[str] = (),
    limit: int | None = None,
    progress: Progress | None = None,
    **how: Any,
) -> CheckResult:
    """Look for what is wrong with a launch: accesses, races, reads of what nothing wrote, barriers.

    Parameters
    ----------
    kernel : str, Path or object
        A file with CUDA or machine code, or CUDA as text.  A kernel that :func:`gpusim.profile` takes.  A described
        kernel, by its name or as ``@gl.kernel`` makes it, with its parameters in `how`.
    grid, block : int, str or sequence of int, optional
        Of CUDA: blocks, and threads of a block, in x, y, z.  Texts may be expressions of arguments.
    args : sequence or mapping
        Of CUDA: an array or a number for each parameter, as for :func:`gpusim.profile`; of a source also texts, as for
        ``gpusim profile --arg``, or values by the name of their parameter.  Arrays stay as they are.
    gpu : str or Gpu
        Name as in ``gpusim gpus``, path of a TOML file, or a loaded specification.
    tools : str or sequence of str, optional
        What is looked for: ``"memcheck"``, ``"racecheck"``, ``"initcheck"``, ``"synccheck"``; all unless given.
    schedules : int
        So many other legal orders of warps and blocks are run, and their results compared.
    seed : int
        Decides what random arrays hold, and the orders.
    all_blocks : bool
        Run all blocks of a large grid, not only some of each class.
    unwritten : collection of str
        Parameters whose arrays nobody has written before the launch: reading them is a finding.
    limit : int, optional
        Warp instructions beyond which the kernel is taken not to end.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    **how
        Of CUDA ``dynamic_shared``, ``cluster``, ``symbols`` and ``name``, which kernel; of a source also ``defines``,
        ``include``, ``options`` and ``arch``.  Of a described kernel its sizes and tiles, and ``kernels``, folders to
        look for it in.

    Returns
    -------
    CheckResult

    Raises
    ------
    GpusimError
        A source that does not compile, arguments that do not fit, a launch that the GPU cannot hold, ...

    Examples
    --------
    >>> found = check("race.cu", 1, 64, {"b": "arange:64"})  # doctest: +SKIP
    >>> found.clean, [finding.kind for finding in found.findings]  # doctest: +SKIP
    (False, ['race-raw'])
    """
    check_flags(all_blocks=all_blocks)
    asked = CheckHow(tools_of(tools), schedules, seed, None if all_blocks else MOST_BLOCKS, limit, progress)
    spec = hardware.given(gpu)
    with _given(kernel, spec, (grid, block, args), seed, dict(how)) as given:
        blank = _known(given, unwritten)
        return checked(given.work, spec, asked, unwritten=blank)


def _known(given: Given, unwritten: Collection[str]) -> tuple[str, ...]:
    """Parameters whose arrays hold nothing yet, if there are such parameters."""
    names = listed(unwritten, "unwritten is a list of names of parameters", ParameterError, str)
    for name in names:
        if name not in given.work.launch.arguments:
            raise UnknownNameError(f"parameter of {given.work.name}", name, given.work.launch.arguments)
    return (*given.unwritten, *names)


def _given(
    kernel: Any, gpu: hardware.Gpu, launch: tuple[Any, Any, Any], seed: int, how: dict[str, Any]
) -> AbstractContextManager[Given]:
    """The launch, as long as its source is there."""
    source = source_of(kernel, Path())
    if source is None and (isinstance(kernel, str) or is_described(kernel)):
        return nullcontext(_of_described(kernel, gpu, launch, seed, how))
    grid, block, args = launch
    demand_sizes(grid, block, source)
    if "name" in how:
        how["kernel"] = how.pop("name")
    _refuse_unknown(how)
    if isinstance(args, Mapping) or (source is not None and args and all(isinstance(one, str) for one in args)):
        return _Told(source, launch, gpu, seed, how)
    return nullcontext(_with_arrays(kernel if source is None else source, gpu, launch, how))


def _refuse_unknown(how: Mapping[str, Any]) -> None:
    for name in how:
        if name not in TOLD:
            raise UnknownNameError("argument of gpusim.check", name, [*TOLD, "name", "tools", "schedules"])


def _of_described(
    kernel: Any, gpu: hardware.Gpu, launch: tuple[Any, Any, Any], seed: int, how: dict[str, Any]
) -> Given:
    grid, block, args = launch
    if grid is not None or block is not None or len(args):
        raise ParameterError(f"{shown(kernel)} is described: its parameters say its grid: n=512, tile=32")
    folders = how.pop("kernels", None)
    algorithm = described.algorithm_of(kernel, folders)
    return of_description(described.Described(algorithm, algorithm.launch(**how), folders), gpu, seed)


class _Told:
    """A launch whose arguments are texts, or values by name."""

    def __init__(self, source: Any, launch: tuple[Any, Any, Any], gpu: hardware.Gpu, seed: int, how: Any) -> None:
        grid, block, args = launch
        self._told = told_by_texts(source, grid, block, args, how)
        self._gpu, self._seed = gpu, seed

    def __enter__(self) -> Given:
        return of_spec(self._told.__enter__(), self._gpu, self._seed)

    def __exit__(self, *how: Any) -> None:
        self._told.__exit__(*how)


def _with_arrays(what: Any, gpu: hardware.Gpu, launch: tuple[Any, Any, Any], how: dict[str, Any]) -> Given:
    """A launch whose arguments are arrays and numbers, in order."""
    from gpusim import cuda

    grid, block, args = launch
    args = listed(args, "args is a list with an argument for each parameter", ParameterError)
    name = how.pop("kernel", None)
    if isinstance(what, Path | str):
        compiled = {one: how.pop(one) for one in COMPILED if one in how}
        what, name = cuda.compile(what, gpu=gpu.arch, kernel=name, **compiled).kernel(), None
    return of_kernel(what, gpu, grid, block, args, name=name, **how)
