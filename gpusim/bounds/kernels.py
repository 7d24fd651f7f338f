"""The least traffic of a described kernel: of its arrays, and of the computation that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gpusim.bounds.computation import Computation, parse
from gpusim.bounds.following import Followed, follow, products
from gpusim.bounds.traffic import Least, least
from gpusim.catalogue.lookup import builtin_folder
from gpusim.lang.description_errors import DescriptionError

if TYPE_CHECKING:
    from gpusim.bounds.levels import Level
    from gpusim.catalogue.algorithm import Algorithm, ArraySpec, KernelLaunch
    from gpusim.lang import Kernel


def computed(algorithm: Algorithm, launch: KernelLaunch) -> Computation | None:
    """The computation of a launch: as its file tells it, or as its description was followed; None where neither does.

    One that was followed is taken only if the launch does as many products as it has.

    Parameters
    ----------
    algorithm : Algorithm
    launch : KernelLaunch
    """
    if algorithm.computation:
        return parse(algorithm.computation)
    tree = algorithm.kernel.tree
    followed = _followed(algorithm.kernel)
    if followed is None:
        return None
    found = parse(followed.text)
    needed = found.points(found.statements[0], found.sizes(launch.params))
    try:
        return found if products(tree, followed.statement, launch.params) >= needed else None
    except DescriptionError:  # how often depends on data
        return None


@lru_cache(maxsize=64)
def _followed(kernel: Kernel) -> Followed | None:
    return follow(kernel.tree)


def given_and_stored(algorithm: Algorithm, launch: KernelLaunch) -> tuple[int, int]:
    """Bytes that a launch must read at least, and write: every element that it touches, once.

    Parameters
    ----------
    algorithm : Algorithm
    launch : KernelLaunch
    """
    read = sum(_touched(algorithm, launch, spec) for spec in launch.arrays if spec.intent != "out")
    inout = {spec.name for spec in launch.arrays if spec.intent == "inout"} & algorithm.touched.keys()
    written = (spec for spec in launch.arrays if spec.intent != "in")
    return read, sum(spec.nbytes if spec.name in inout else _touched(algorithm, launch, spec) for spec in written)


def is_tested(algorithm: Algorithm) -> bool:
    """Whether a kernel comes with gpusim, so that tests have followed which elements its threads touch.

    Parameters
    ----------
    algorithm : Algorithm
    """
    return Path(algorithm.kernel.tree.source).resolve().is_relative_to(builtin_folder().resolve())


def _touched(algorithm: Algorithm, launch: KernelLaunch, spec: ArraySpec) -> int:
    if spec.name not in algorithm.touched:
        return spec.nbytes if is_tested(algorithm) else min(spec.nbytes, _asked(algorithm, launch, spec))
    return int(algorithm.value(algorithm.touched[spec.name], launch.params)) * spec.element_bytes


def _asked(algorithm: Algorithm, launch: KernelLaunch, spec: ArraySpec) -> int:
    """Bytes that threads ask for of an array, or write to it; those of all of it where data decides."""
    try:
        moved = algorithm.kernel.io().evaluate(**launch.params)[spec.name]
    except DescriptionError:
        return spec.nbytes
    return moved[spec.intent == "out"] * spec.element_bytes


def least_of(algorithm: Algorithm, launch: KernelLaunch, level: Level) -> Least:
    """The least traffic of a launch at a level.

    Parameters
    ----------
    algorithm : Algorithm
    launch : KernelLaunch
    level : Level
    """
    given, stored = given_and_stored(algorithm, launch)
    computation = computed(algorithm, launch)
    if computation is None:
        return Least(given, stored, 0.0, 0.0)
    sizes = computation.sizes(launch.params)
    found = least(computation, sizes, level.memory, level.memories, _bytes_of_elements(computation, launch))
    return replace(found, given=given, stored=stored)


def _bytes_of_elements(computation: Computation, launch: KernelLaunch) -> Mapping[str, int]:
    """Of arrays that the launch has not, such as totals of rows, those of the smallest element."""
    known = {spec.name: spec.element_bytes for spec in launch.arrays}
    return {array: known.get(array, min(known.values())) for array in computation.arrays}
