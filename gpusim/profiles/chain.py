"""Profile of a chain: one of each of its launches, as it is shown, and as plain dicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.pictures.notebook import Pictured
from gpusim.profiles.profile import Profile
from gpusim.results.chain import ChainFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpusim.advice import ChainAdvice
    from gpusim.progress import Progress


@dataclass(frozen=True, repr=False)
class ChainProfile(ChainFigures, Pictured):
    """What is predicted of the launches of a chain.

    Attributes
    ----------
    chain : str
    params : mapping of str to int
        Complete.
    gpu : str
    cache : str
        ``"cold"``: empty before the first launch; ``"warm"``: as the whole chain left them; ``"flushed"``: with an L2
        full of other data.
    steps : tuple of Profile
        One for each launch, in their order; each finds L2 as the one before left it.
    labels : tuple of str
        A name for each.
    nbytes : mapping of str to int
        Bytes of every array.
    inputs, outputs : tuple of str
        Arrays that are there before, and that are asked for; the others pass from one launch to another.
    names : tuple of mapping of str to str
        Of each launch, what its kernel calls the arrays of the chain.
    """

    steps: tuple[Profile, ...]

    def advice(self, progress: Progress | None = None) -> ChainAdvice:
        """Find what would make the launches faster: one kernel in their place, and each of them by itself.

        Parameters
        ----------
        progress : callable, optional
            Called with (blocks done, blocks, text).

        Returns
        -------
        ChainAdvice

        Raises
        ------
        ParameterError
            It was read from a file.
        """
        from gpusim.advice import advise_chain

        return advise_chain(self, progress)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how long each launch takes, and between what that lies.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a figure of its own unless given.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from gpusim.pictures.times import times

        return times(self.steps, ax, labels=self.labels)

    def __repr__(self) -> str:
        from gpusim.report import chains, text

        return text(chains([self]))

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            ``chain``, ``params``, ``gpu``, ``cache`` and ``steps``: of each launch what ``Profile.to_dict`` gives, its
            ``step``, and ``names``, what its kernel calls the arrays of the chain.
        """
        names = (*self.names, *({} for _ in self.steps[len(self.names) :]))
        return {
            "chain": self.chain,
            "params": dict(self.params),
            "gpu": self.gpu,
            "cache": self.cache,
            "steps": [
                {"step": label, "names": dict(own), **step.to_dict()}
                for label, own, step in zip(self.labels, names, self.steps, strict=True)
            ],
        }
