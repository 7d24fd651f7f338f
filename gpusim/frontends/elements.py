"""Elements of arrays that threads load and store, counted lane by lane as a kernel or a chain runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpusim import hardware
from gpusim.catalogue.chain import Chain
from gpusim.errors import ParameterError
from gpusim.frontends.described import algorithm_of, assemble, drawn, lower
from gpusim.simulate.counting import count
from gpusim.simulate.guard import fitting

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm
    from gpusim.isa.program import Program
    from gpusim.lang import Kernel

Moved = dict[str, tuple[float, float]]


def count_elements(kernel: str | Algorithm | Kernel | Chain, gpu: str | hardware.Gpu = "h200", **params: int) -> Moved:
    """Count the elements of each global array that the threads load and store as the launch runs, lane by lane.

    An atomic is one load and one store.

    Parameters
    ----------
    kernel : str, Algorithm or Kernel, or a Chain
        Of a chain all its kernels, array by array of the chain.
    gpu : str or Gpu
    **params : int

    Returns
    -------
    dict of str to (float, float)
        Elements loaded and stored.

    Examples
    --------
    >>> count_elements("vector-add", N=1000)["c"]
    (0.0, 1000.0)
    """
    if isinstance(kernel, Chain):
        return _of_chain(kernel, gpu, params)
    from gpusim.catalogue.algorithm import numpy_dtype
    from gpusim.engine.state import counts as C

    algorithm, spec = algorithm_of(kernel), hardware.given(gpu)
    bound = algorithm.launch(**params)
    launch = assemble(bound, lower(bound, spec), drawn(algorithm, bound))
    rows = count(launch, spec, fitting(launch, spec, algorithm.name), sample=False).arrays
    rows[:, C.A_LD_BYTES] += rows[:, C.A_ST_BYTES] * _updated(launch.program)  # the engine counts atomics as stores
    moved = {array.name: row for array, row in zip(launch.program.arrays, rows, strict=True)}
    sizes = {array.name: numpy_dtype(array.dtype).itemsize for array in bound.arrays}
    return {
        name: (float(moved[name][C.A_LD_BYTES] / size), float(moved[name][C.A_ST_BYTES] / size))
        for name, size in sizes.items()
    }


def _of_chain(chain: Chain, gpu: str | hardware.Gpu, params: dict[str, int]) -> Moved:
    """The same of all kernels of a chain, by the chain's names."""
    total: dict[str, np.ndarray] = {}
    for step, bound in chain.launch(**params).steps:
        for name, moved in count_elements(step.algorithm, gpu, **bound.params).items():
            total[step.array(name)] = total.get(step.array(name), np.zeros(2)) + moved
    return {name: (float(loaded), float(stored)) for name, (loaded, stored) in total.items()}


def _updated(program: Program) -> np.ndarray:
    """Say of every array whether it is written by atomics; no array may be by stores as well."""
    from gpusim.isa.opcode_info import GLOBAL

    in_memory = [i for i in program.instrs if i.op.info.space == GLOBAL and i.op.info.writes_memory]
    updated = {i.array for i in in_memory if i.op.info.is_atomic}
    stored = {i.array for i in in_memory if not i.op.info.is_atomic}
    if stored & updated:
        names = ", ".join(program.arrays[number].name for number in sorted(stored & updated))
        raise ParameterError(f"{program.name}: stores to {names} cannot be told from its atomics")
    return np.array([number in updated for number in range(len(program.arrays))])
