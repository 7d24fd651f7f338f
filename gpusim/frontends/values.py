"""Kernels and chains executed for what they compute: arrays by name -> arrays by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim import hardware
from gpusim.errors import ParameterError, UnknownNameError, check_flags
from gpusim.frontends.chains import chain_of
from gpusim.frontends.described import algorithm_of, assemble, lower
from gpusim.simulate.execution import execute
from gpusim.simulate.guard import fitting

if TYPE_CHECKING:
    from gpusim.catalogue.algorithm import Algorithm, Arrays, KernelLaunch
    from gpusim.catalogue.chain import Chain, StepLaunch
    from gpusim.lang import Kernel


def run(
    kernel: str | Algorithm | Kernel, arrays: dict[str, np.ndarray] | None = None, gpu: str | hardware.Gpu = "h200", *,
    checked: bool = True, limit: int | None = None, **params: Any,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Execute a described kernel for its values.

    Parameters
    ----------
    kernel : str, Algorithm or Kernel
        As for :func:`predict`.
    arrays : dict of str to ndarray, optional
        Every input by name; outputs not given start as zeros.
    gpu : str or Gpu
    checked : bool
        Look for races and for reads of what was never written.
    limit : int, optional
        Warp instructions beyond which the run is taken not to end; by default only one that gets nowhere is.
    **params : int, float or ndarray
        Sizes, tiles and scalars; arrays may be given here as well.  A size that is not given is taken from the shape
        of an array.

    Returns
    -------
    dict of str to ndarray
        Every array after the launch.

    Raises
    ------
    GpusimError
        Unknown name, impossible parameter, array of another shape or type, wrong description.

    Examples
    --------
    >>> ones = np.ones(4, np.float32)
    >>> run("vector-add", a=ones, b=ones)["c"]
    array([2., 2., 2., 2.], dtype=float32)
    """
    check_flags(checked=checked)
    algorithm = algorithm_of(kernel)
    given, own = _by_name(algorithm.name, arrays), {array.name for array in algorithm.kernel.arrays}
    given |= {name: value for name, value in params.items() if name in own or isinstance(value, np.ndarray)}
    spec = hardware.given(gpu)
    numbers = {name: value for name, value in params.items() if name not in given}
    bound = algorithm.launch(**_sizes(algorithm, given, numbers), **numbers)
    launch = assemble(bound, lower(bound, spec), {**_zeros(bound), **_accepted(algorithm, bound, given)})
    return execute(launch, spec, fitting(launch, spec, algorithm.name), checked=checked, limit=limit)


def _sizes(algorithm: Algorithm, arrays: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, int]:
    """Sizes that no word sets, as the shapes of arrays have them."""
    from gpusim.lang.tree import Param

    chosen = {target for word in given for target in (word, *algorithm.aliases.get(word, ()))}
    found: dict[str, int] = {}
    for spec in algorithm.kernel.arrays:
        shape = getattr(arrays.get(spec.name), "shape", ())
        for extent, length in zip(spec.shape, shape, strict=False):
            if isinstance(extent, Param) and extent.role == "size" and extent.name not in chosen and length:
                found.setdefault(extent.name, length)
    return found


def _by_name(kernel: str, arrays: Any) -> dict[str, Any]:
    """Arrays by name as given, in a dict of their own; none for None.

    Raises
    ------
    ParameterError
        If they are not given by name.
    """
    if arrays is None:
        return {}
    if not isinstance(arrays, Mapping):
        raise ParameterError(f"{kernel}: arrays are given by name, in a dict, not as {type(arrays).__name__}")
    return dict(arrays)


def _accepted(algorithm: Algorithm, bound: KernelLaunch, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays, if they are those that the launch takes."""
    from gpusim.catalogue.algorithm import numpy_dtype

    wanted = {spec.name: (numpy_dtype(spec.dtype), tuple(spec.shape)) for spec in bound.arrays}
    for name, array in arrays.items():
        if name not in wanted:
            raise UnknownNameError(f"array of {algorithm.name}", name, wanted)
        dtype, shape = wanted[name]
        if not isinstance(array, np.ndarray):
            raise ParameterError(f"{algorithm.name}: {name} must be a NumPy array, not {type(array).__name__}")
        if (array.dtype, array.shape) != (dtype, shape):
            raise ParameterError(f"{algorithm.name}: {name} must be {dtype} {shape}, not {array.dtype} {array.shape}")
    missing = [spec.name for spec in bound.arrays if spec.intent != "out" and spec.name not in arrays]
    if missing:
        raise ParameterError(f"{algorithm.name}: no array given for {', '.join(missing)}")
    return arrays


def _zeros(bound: KernelLaunch) -> dict[str, np.ndarray]:
    from gpusim.catalogue.algorithm import numpy_dtype

    return {spec.name: np.zeros(spec.shape, numpy_dtype(spec.dtype)) for spec in bound.arrays}


def run_chain(chain: str | Chain, arrays: Arrays, gpu: str | hardware.Gpu = "h200", **params: int) -> Arrays:
    """Execute the kernels of a chain for their values, one after the other.

    Parameters
    ----------
    chain : str or Chain
    arrays : dict of str to ndarray
        Every input by name, in the shape that the first kernel to read it gives it.
    gpu : str or Gpu
    **params : int

    Returns
    -------
    dict of str to ndarray
        Every array after the last launch.

    Raises
    ------
    GpusimError
        As :func:`gpusim.run`.
    """
    known = chain_of(chain)
    found: Arrays = _by_name(known.name, arrays)
    for step in known.launch(**params).steps:
        found |= _run_step(step, found, gpu)
    return found


def _run_step(launch: StepLaunch, found: Arrays, gpu: str | hardware.Gpu) -> Arrays:
    """Arrays of a step after it, by the chain's names."""
    own = {spec.name: _shaped(name, found[name], spec.shape) for name, spec in launch.arrays if name in found}
    after = run(launch.step.algorithm, own, gpu, checked=True, **launch.bound.params)
    return {launch.step.array(name): array for name, array in after.items()}


def _shaped(name: str, array: Any, shape: tuple[int, ...]) -> np.ndarray:
    """An array of a chain in the shape that a kernel gives it."""
    if not isinstance(array, np.ndarray):
        raise ParameterError(f"{name} must be a NumPy array, not {type(array).__name__}")
    if array.size != math.prod(shape):
        raise ParameterError(f"{name} must have the elements of {shape}, not of {array.shape}")
    return array.reshape(shape)
