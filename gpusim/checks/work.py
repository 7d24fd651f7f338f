"""What is to be checked -> a launch with all of its arrays: as options tell it, of a description, of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.frontends import cuda, described
from gpusim.frontends.foreign import taken
from gpusim.launches.elements import UNWRITTEN
from gpusim.launches.plain import Filled
from gpusim.launches.spec import AnyLaunch, DescribedLaunch

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.simulate.work import Work


class Given(NamedTuple):
    """A launch, and the parameters whose arrays nobody has written before it."""

    work: Work
    unwritten: tuple[str, ...] = ()


def of_spec(spec: AnyLaunch, gpu: Gpu, seed: int = 0, warn: Callable[[str], None] | None = None) -> Given:
    """Give a launch as a launch file or a command line tells of it; of a described kernel from its description.

    Parameters
    ----------
    spec : LaunchSpec or DescribedLaunch
    gpu : Gpu
    seed : int
        Decides what random arrays hold.
    warn : callable, optional
        Called with the compiler's warnings, where there are any.
    """
    if isinstance(spec, DescribedLaunch):
        return of_description(described.Described(spec.algorithm, spec.bound, spec.folders), gpu, seed)
    module = spec.compile(gpu.arch)
    if warn is not None and module.log:
        warn(module.log)
    kernel = spec.opened(module.kernel())
    grid, block, shared = spec.sizes(kernel)
    given = spec.draw(kernel, seed)
    work = cuda.work(
        kernel, gpu, grid, block, given, shared, spec.cluster, symbols=spec.values(kernel, seed)
    )  # fmt: skip
    names = list(work.launch.arguments)
    blank = [isinstance(one, Filled) and one.init == UNWRITTEN for one in spec.arguments(kernel)]
    return Given(work, tuple(name for name, is_blank in zip(names, blank, strict=False) if is_blank))


def of_description(source: described.Described, gpu: Gpu, seed: int = 0) -> Given:
    """Give a described launch with all of its arrays: outputs hold nothing yet."""
    work = described.work(source, gpu)
    arrays = described.drawn(source.algorithm, source.bound, seed)
    return Given(replace(work, launch=replace(work.launch, arguments={**work.launch.arguments, **arrays})))


def of_kernel(
    kernel: Any, gpu: Gpu, grid: Any, block: Any, args: Sequence[Any], *, dynamic_shared: int = 0,
    cluster: Any = None, name: str | None = None, symbols: Mapping[str, Any] | None = None,
) -> Given:  # fmt: skip
    """Give a launch of a kernel object, as :func:`gpusim.profile` takes it."""
    asked = taken(kernel, gpu, grid, block, args, dynamic_shared, name)
    return Given(
        cuda.work(
            asked.kernel, gpu, asked.grid, asked.block, asked.args, asked.dynamic_shared, cluster, asked.places, symbols
        )
    )
