"""Parameters by name: what a user may call them, and how values given are completed and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gpusim.catalogue.formulas import evaluate, read_formula
from gpusim.errors import ParameterError, UnknownNameError, as_integer, shown

if TYPE_CHECKING:
    import sympy

INT32_MAX = 2**31 - 1
"""Largest size or scalar argument: kernels take them as 32-bit ints."""

Params = dict[str, int]


class Parametrised:
    """What has a name and parameters: each with a default, and words that set one or several of them.

    Attributes
    ----------
    name : str
    scalars : mapping of str to int
        Parameters that may be 0 or negative.
    aliases : mapping of str to tuple of str
        Words that set parameters.
    rules : mapping of str to mapping
        Words from which parameters follow by formulas.
    """

    name: str
    scalars: Mapping[str, int]
    aliases: Mapping[str, tuple[str, ...]]
    rules: Mapping[str, Mapping[str, str]]

    @property
    def defaults(self) -> Params:
        """Every parameter with its default."""
        raise NotImplementedError

    def _check(self, params: Params) -> None:
        """Refuse what cannot be run."""
        raise NotImplementedError

    @property
    def words(self) -> list[str]:
        """What sets parameters: their own names, aliases, and words with rules."""
        return [*self.defaults, *self.aliases, *self.rules]

    def bind(self, **given: int) -> Params:
        """Complete `given` with defaults, after resolving aliases.

        Parameters
        ----------
        **given : int
            Parameters by their own names or by an alias.

        Returns
        -------
        dict
            Every parameter.

        Raises
        ------
        UnknownNameError
            For a name that is neither a parameter nor an alias.
        ParameterError
            For a value that is not an integer, is out of range, or breaks a rule of a kernel.
        """
        params, own = self.defaults, [name for name in given if name not in self.rules]
        self._refuse_twice(own)
        for name in sorted(own, key=self._breadth, reverse=True):
            for target in self._targets(name):
                params[target] = self._checked(name, target, given[name])
        chosen = {target for name in own for target in self._targets(name)}
        for word in (word for word in self.rules if word in given):
            params |= {k: v for k, v in self._following(word, given[word], params).items() if k not in chosen}
        self._check(params)
        return params

    def _refuse_twice(self, words: Iterable[str]) -> None:
        """Refuse two words that set the same."""
        known: dict[tuple[str, ...], str] = {}
        for word in words:
            before = known.setdefault(self._targets(word), word)
            if before != word:
                raise ParameterError(f"{self.name}: {before} and {word} set the same: give one of them")

    def _following(self, word: str, value: Any, params: Params) -> Params:
        """The parameters that follow from a word of `rules`."""
        known = {**params, word: self._checked(word, word, value)}
        return {
            target: self._checked(word, target, self.value(text, known)) for target, text in self.rules[word].items()
        }

    def _breadth(self, name: str) -> float:
        """How many parameters a word sets; a parameter's own name counts least."""
        return 0.5 if name in self.defaults else len(self.aliases.get(name, ()))

    def _targets(self, name: str) -> tuple[str, ...]:
        if name in self.defaults:
            return (name,)
        if name in self.aliases:
            return self.aliases[name]
        raise UnknownNameError(f"parameter of {self.name}", name, self.words)

    def _checked(self, name: str, target: str, value: Any) -> int:
        least = -INT32_MAX if target in self.scalars else 1
        number = as_integer(value)
        if number is None:
            raise ParameterError(f"{self.name}: {name} must be an integer, not {shown(value)}")
        if number < least:
            raise ParameterError(f"{self.name}: {name} must be at least {least}, not {shown(number)}")
        if number > INT32_MAX:
            raise ParameterError(
                f"{self.name}: {name} = {shown(number)} does not fit a 32-bit int (at most {INT32_MAX})"
            )
        return number

    def formula(self, text: str) -> sympy.Expr:
        """Read a formula of the parameters.

        Parameters
        ----------
        text : str
            As in :class:`~gpusim.catalogue.formulas.Traffic`.

        Raises
        ------
        FormulaError
            If it cannot be read, or names anything else than the parameters.
        """
        return read_formula(text, self.name, tuple(self.defaults))

    def value(self, text: str, params: Mapping[str, int]) -> sympy.Expr:
        """Evaluate a formula of the names in `params`.

        Parameters
        ----------
        text : str
            As for :meth:`formula`.
        params : mapping of str to int

        Raises
        ------
        FormulaError
            If it cannot be read, or names anything else.
        """
        return evaluate(read_formula(text, self.name, params), params)
