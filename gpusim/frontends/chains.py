"""Front end of chains: a chain and its parameters -> launches, with their arrays where the chain has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.errors import ParameterError, shown
from gpusim.frontends import described
from gpusim.frontends.described import Described
from gpusim.profiles.chain import ChainProfile
from gpusim.simulate.launch import place
from gpusim.simulate.prediction import predict as simulated
from gpusim.simulate.work import How, Sample, Work

if TYPE_CHECKING:
    from gpusim.catalogue.chain import Chain, ChainLaunch
    from gpusim.progress import Progress


def predict_chain(
    chain: str | Chain,
    gpu: str | hardware.Gpu = "h200",
    *,
    cache: str = "cold",
    sample: Sample = None,
    progress: Progress | None = None,
    kernels: Sequence[str] | None = None,
    limit: int | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    **params: int,
) -> ChainProfile:
    """Predict what the kernels of a chain move and how long they take, one launched after the other.

    Each finds L2 as the launch before left it.

    Parameters
    ----------
    chain : str or Chain
        Name as in ``gpusim kernels``, or a chain of your own.
    gpu, sample, progress, kernels, limit, fresh, jobs
        As for :func:`gpusim.predict`.
    cache : {"cold", "warm", "flushed"}
        Caches before the first launch: empty, as the last left them, or with an L2 full of other data.
    **params : int
        Sizes and tiles of the chain.

    Returns
    -------
    ChainProfile

    Raises
    ------
    GpusimError
        As :func:`gpusim.predict`.

    Examples
    --------
    >>> found = predict_chain("attention-standard", "h200", H=1, N=128, d=32)
    >>> found.labels
    ('attention-scores', 'softmax-online', 'matmul-batched-nn')
    >>> found.dram_bytes_read  # Q, K, V, the code of three kernels: S and P come and go in L2
    62720.0
    """
    how = How(cache, sample, limit=limit, progress=progress, fresh=fresh, jobs=jobs)
    if sample == "quick":
        raise ParameterError("a quick prediction is of one kernel: it does not tell what a launch leaves in L2")
    known, spec = chain_of(chain, kernels), hardware.given(gpu)
    bound, labels = known.launch(**params), tuple(known.labels)
    profiles = simulated(list(works(bound, labels, spec, kernels)), spec, how)
    names = tuple({name: spec.name for name, spec in step.arrays} for step in bound.steps)
    arrays = bound.nbytes, bound.inputs, known.outputs, names
    return ChainProfile(known.name, bound.params, spec.name, cache, tuple(profiles), labels, *arrays)


def works(
    bound: ChainLaunch, labels: Sequence[str], gpu: hardware.Gpu, folders: Sequence[Any] | None = None
) -> Iterator[Work]:
    """Every launch of a chain, in their order.

    Parameters
    ----------
    bound : ChainLaunch
    labels : sequence of str
        A name for each.
    gpu : Gpu
    folders : sequence, optional
        The user's folders in which the chain was looked for.
    """
    at = place(bound.nbytes)
    for step, label in zip(bound.steps, labels, strict=True):
        places = {spec.name: at[name] for name, spec in step.arrays}
        source = Described(step.step.algorithm, step.bound, folders)
        yield described.work(source, gpu, places=places, step=label)


def chain_of(chain: Any, folders: Sequence[str] | None = None) -> Chain:
    """The chain of a name, or as given.

    Raises
    ------
    ParameterError
        It is neither of these.
    """
    from gpusim.catalogue.chain import Chain

    if isinstance(chain, str):
        return lookup.chain(chain, () if folders is None else folders)
    if not isinstance(chain, Chain):
        raise ParameterError(f"a chain is a name or a Chain, not {shown(chain)}")
    return chain
