"""Chain: an algorithm of several kernels, launched one after the other over arrays that they share.

A step names a kernel of the catalog, says which of the chain's arrays its own arrays are, and gives its parameters as
formulas of the chain's.  What the chain loads and stores follows from its steps, so it has no closed form of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from gpusim.catalogue.algorithm import Algorithm, Arrays, ArraySpec, Derive, Draw, KernelLaunch
from gpusim.catalogue.formulas import Elements, Published, evaluate, symbol
from gpusim.catalogue.parameters import Parametrised, Params
from gpusim.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Chain", "ChainLaunch", "Step", "StepLaunch"]


@dataclass(frozen=True)
class Step:
    """One kernel of a chain.

    Parameters
    ----------
    kernel : str or Algorithm
        Name in the catalog, or the algorithm itself.
    arrays : mapping of str to str
        For each array of the kernel the chain's; an array that is not named here is called as in the kernel.
    params : mapping of str to str
        For each parameter of the kernel a formula of the chain's.  A parameter that is not named here is the chain's of
        the same name, or else keeps its default.
    """

    kernel: str | Algorithm
    arrays: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def algorithm(self) -> Algorithm:
        """The kernel, once the catalog has found it by its name."""
        if isinstance(self.kernel, str):
            raise ParameterError(f"the step {self.kernel} is only a name: get the chain from gpusim.catalogue.lookup")
        return self.kernel

    @property
    def name(self) -> str:
        """Name of the kernel."""
        return self.kernel if isinstance(self.kernel, str) else self.kernel.name

    def array(self, name: str) -> str:
        """What the chain calls an array of the kernel."""
        return self.arrays.get(name, name)


class StepLaunch(NamedTuple):
    """A step with all its parameters bound."""

    step: Step
    bound: KernelLaunch

    @property
    def arrays(self) -> Iterator[tuple[str, ArraySpec]]:
        """The kernel's arrays, each with the chain's name for it."""
        return ((self.step.array(spec.name), spec) for spec in self.bound.arrays)


@dataclass(frozen=True)
class ChainLaunch:
    """A chain with all its parameters bound.

    Attributes
    ----------
    params : dict
        The chain's, complete.
    steps : tuple of StepLaunch
    """

    params: Params
    steps: tuple[StepLaunch, ...]

    @property
    def nbytes(self) -> dict[str, int]:
        """Bytes of every array, in the order in which they are first used."""
        return {name: spec.nbytes for step in self.steps for name, spec in step.arrays}

    @property
    def inputs(self) -> tuple[str, ...]:
        """Arrays that a step reads before one has written them."""
        found: dict[str, None] = {}
        written: set[str] = set()
        for step in self.steps:
            read = [name for name, spec in step.arrays if spec.intent != "out"]
            found.update(dict.fromkeys(name for name in read if name not in written))
            written |= {name for name, spec in step.arrays if spec.intent != "in"}
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Chain(Parametrised):
    """An algorithm of several kernels, its reference, its formulas and its parameters.

    Parameters
    ----------
    name, summary : str
        As of :class:`~gpusim.catalogue.algorithm.Algorithm`.
    steps : tuple of Step
        In the order of their launches.
    reference : callable
        ``reference(inputs, **params)`` gives the output arrays by name; `inputs` are those that no step writes before
        another reads them.
    sizes : mapping of str to int
        Every parameter, with its default.
    outputs : tuple of str
        Arrays that are asked for; the others that steps write are on their way only.
    draw : mapping of str to callable
        ``draw(rng, shape, params)`` for inputs that are not to be drawn as the first kernel to read them does.
    derive : callable, optional
        ``derive(drawn, **params)`` gives by name the inputs that follow from others.
    computation : str
        What all kernels together compute.
    scalars, aliases, rules, published, tolerance, family, also, notes, hidden
        As of :class:`~gpusim.catalogue.algorithm.Algorithm`.

    Examples
    --------
    >>> from gpusim.catalogue import lookup
    >>> attention = lookup.chain("attention-standard")
    >>> [step.name for step in attention.steps]
    ['attention-scores', 'softmax-online', 'matmul-batched-nn']
    """

    name: str
    summary: str
    steps: tuple[Step, ...]
    reference: Callable[..., Arrays]
    sizes: Mapping[str, int]
    outputs: tuple[str, ...]
    scalars: Mapping[str, int] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    published: Published | None = None
    computation: str = ""
    draw: Mapping[str, Draw] = field(default_factory=dict)
    derive: Derive | None = None
    tolerance: float = 1e-5
    family: str = "other"
    also: tuple[str, ...] = ()
    notes: str = ""
    hidden: bool = False

    def __repr__(self) -> str:
        return f"<Chain {self.name}: {self.summary}>"

    def linked(self, find: Callable[[str], Algorithm]) -> Chain:
        """Give the same chain with every step's kernel in place of its name.

        Parameters
        ----------
        find : callable
            Gives the algorithm of a name.
        """
        steps = (replace(s, kernel=find(s.kernel)) if isinstance(s.kernel, str) else s for s in self.steps)
        return replace(self, steps=tuple(steps))

    @property
    def defaults(self) -> Params:
        """Every parameter with its default."""
        return {**self.sizes, **self.scalars}

    @property
    def labels(self) -> list[str]:
        """A name for each step: its kernel's, and which time it is where a kernel runs several times."""
        times, seen = Counter(step.name for step in self.steps), Counter[str]()
        labels = []
        for step in self.steps:
            seen[step.name] += 1
            labels.append(f"{step.name} ({seen[step.name]})" if times[step.name] > 1 else step.name)
        return labels

    # ------------------------------------------------------------ launch

    def launch(self, **given: int) -> ChainLaunch:
        """Bind the parameters and work out every step's grid, block and buffers.

        Parameters
        ----------
        **given : int
            As for :meth:`bind`.

        Raises
        ------
        ParameterError
            Besides what :meth:`bind` raises: if two steps take an array for one of different size or type.
        """
        params = self.bind(**given)
        return ChainLaunch(params, tuple(self._steps(params)))

    def _steps(self, params: Params) -> Iterator[StepLaunch]:
        for step in self.steps:
            yield StepLaunch(step, step.algorithm.launch(**self._own(step, params)))

    def _own(self, step: Step, params: Params) -> Params:
        """Parameters of a step, from the chain's."""
        return {name: int(self.value(text, params)) for name, text in self._formulas(step).items()}

    def _formulas(self, step: Step) -> dict[str, str]:
        """Parameters of a step that follow from the chain's, each as a formula of these."""
        same = {name: name for name in step.algorithm.defaults if name in self.defaults}
        return {**same, **step.params}

    def _check(self, params: Params) -> None:
        known: dict[str, tuple[str, int, str]] = {}
        for step in self._steps(params):
            for name, spec in step.arrays:
                dtype, nbytes, first = known.setdefault(name, (spec.dtype, spec.nbytes, step.step.name))
                if (dtype, nbytes) != (spec.dtype, spec.nbytes):
                    raise ParameterError(
                        f"{self.name}: {name} is {nbytes} bytes of {dtype} for {first}, "
                        f"{spec.nbytes} bytes of {spec.dtype} for {step.step.name}"
                    )

    def inputs(self, rng: np.random.Generator, **given: int) -> Arrays:
        """Draw the inputs as the kernels that first read them do, unless :attr:`draw` or :attr:`derive` says otherwise.

        Parameters
        ----------
        rng : numpy.random.Generator
        **given : int
            As for :meth:`bind`.

        Returns
        -------
        dict
            Arrays by the chain's names, each in the shape that the first kernel to read it gives it.
        """
        launch = self.launch(**given)
        found: Arrays = {}
        for step, bound in launch.steps:
            drawn = step.algorithm.inputs(rng, **bound.params)
            found = {**{step.array(name): array for name, array in drawn.items()}, **found}
        own = {name: draw(rng, found[name].shape, launch.params) for name, draw in self.draw.items()}
        drawn = {name: own.get(name, found[name]) for name in launch.inputs}
        return drawn | self.derive(drawn, **launch.params) if self.derive else drawn

    # ------------------------------------------------------------ formulas

    def derived(self) -> dict[str, Elements]:
        """Elements loaded from and stored to every array, over all steps, as sympy expressions of the parameters."""
        return _summed(part for step in self.steps for part in self.derived_step(step).items())

    def derived_step(self, step: Step) -> dict[str, Elements]:
        """Give the same of one step, by the chain's names of arrays.

        Parameters
        ----------
        step : Step
        """
        formulas = self._formulas(step)
        fixed = {name: value for name, value in step.algorithm.defaults.items() if name not in formulas}
        values = {symbol(name): self.formula(text) for name, text in formulas.items()}
        values |= {symbol(name): value for name, value in fixed.items()}
        return _summed(
            (step.array(name), Elements(*(way.subs(values, simultaneous=True) for way in moved)))
            for name, moved in step.algorithm.derived().items()
        )

    def elements_step(self, step: Step, **given: int) -> dict[str, Elements]:
        """Evaluate what a step moves.

        Parameters
        ----------
        step : Step
        **given : int
            The chain's parameters, as for :meth:`bind`.

        Returns
        -------
        dict
            Array name to the elements loaded and stored, as ints.
        """
        params = self.bind(**given)
        return {
            name: Elements(*(int(evaluate(way, params)) for way in moved))
            for name, moved in self.derived_step(step).items()
        }


def _summed(parts: Iterable[tuple[str, Elements]]) -> dict[str, Elements]:
    """Add up what is moved of each array."""
    total: dict[str, Elements] = {}
    for name, moved in parts:
        before = total.get(name, Elements(0, 0))
        total[name] = Elements(before.loads + moved.loads, before.stores + moved.stores)
    return total
