"""How many points of a statement fit into so much traffic: the best inequality of Hölder, Brascamp and Lieb.

A segment of a schedule that has X bytes of values at hand does at most chi(X) points.  For every allowed choice of
exponents ``chi(X) <= C X^sigma``; the least of them is a convex problem of a dozen unknowns, solved by Newton steps
inside its bounds.  Every point inside is a valid choice, so rounding cannot make a bound wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gpusim.bounds.computation import Access, Computation, Statement
from gpusim.bounds.exponents import Inequality, inequalities
from gpusim.bounds.roles import groups, mirrored, sharing

MOST_EXPONENT = 2.0
"""No exponent need be above 1; a wall for Newton's steps."""

STEPS = tuple(4.0 * 32**power for power in range(5))
"""How steep the walls are, one after the other: the last leaves an error of 1e-5."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """``chi(X) <= exp(log_factor) X^power`` points, X in bytes; of computations by rows, no less than X over `carried`.

    Attributes
    ----------
    log_factor, power : float
    carried : float
        Bytes of a partial result that a point may leave for another segment; 0 where that is counted already.
    exponents : tuple of float
        Of the accesses.
    """

    log_factor: float
    power: float
    carried: float
    exponents: tuple[float, ...]

    def log_points(self, log_bytes: float) -> float:
        """Logarithm of the points that fit into bytes of which this is the logarithm."""
        fit = self.log_factor + self.power * log_bytes
        return max(fit, log_bytes - math.log(self.carried)) if self.carried else fit


class Problem:
    """What exponents of a statement may be, and what they are worth.

    Parameters
    ----------
    computation : Computation
    statement : Statement
    sizes : mapping of str to int
        Extents of loops.
    element_bytes : mapping of str to int
        Of each array.
    """

    def __init__(
        self,
        computation: Computation,
        statement: Statement,
        sizes: Mapping[str, int],
        element_bytes: Mapping[str, int],
    ) -> None:
        self.groups, shared = groups(computation, statement), sharing(computation)
        self._accesses = [(n, access) for n, group in enumerate(self.groups) for access in group.patterns]
        rules = _rules(statement.loops, tuple(access for _, access in self._accesses))
        self._weights = np.array([g.weight(sizes, element_bytes) / shared[g.name] for g in self.groups], float)
        self._extents = np.array([math.log(sizes[loop]) for loop in statement.loops])
        convex = (*(1.0 for _ in self._accesses), *(0.0 for _ in statement.loops))  # sigma >= 1: several parts of X do
        self._rows = np.array(
            [*((*rule.accesses, *rule.loops) for rule in rules), convex], float
        )  # less than X at once
        self._least = np.array([*(rule.least for rule in rules), 1], float)
        self._member = np.array([[float(n == m) for m, _ in self._accesses] for n in range(len(self.groups))])
        self._half = mirrored(computation, statement)
        by_rows = any(group.whole for group in self.groups)
        self._carried = float(min(element_bytes[group.array] for group in self.groups)) if by_rows else 0.0

    def capacity(self, log_bytes: float) -> Capacity:
        """The best exponents for so much traffic.

        Parameters
        ----------
        log_bytes : float
            Logarithm of X.
        """
        x = self._inside(log_bytes)
        value, _, _ = self._worth(x, 0.0)
        exponents = x[: len(self._accesses)]
        return Capacity(float(value), float(exponents.sum()), self._carried, tuple(map(float, exponents)))

    def _inside(self, log_bytes: float) -> np.ndarray:
        """Newton's steps from the middle, against ever steeper walls."""
        x = np.full(self._rows.shape[1], 0.9 * MOST_EXPONENT)
        for steep in STEPS:
            for _ in range(40):
                step, decrement = self._step(x, log_bytes, steep)
                x = self._moved(x, step, log_bytes, steep)
                if decrement < 1e-9:
                    break
        return x

    def _step(self, x: np.ndarray, log_bytes: float, steep: float) -> tuple[np.ndarray, float]:
        _, slope, curve = self._worth(x, log_bytes)
        room, left, above = self._rows @ x - self._least, 1 / x, 1 / (MOST_EXPONENT - x)
        slope = steep * slope - self._rows.T @ (1 / room) - left + above
        curve = steep * curve + (self._rows.T / room**2) @ self._rows + np.diag(left**2 + above**2)
        step = -np.linalg.solve(curve, slope)
        return step, float(-slope @ step)

    def _moved(self, x: np.ndarray, step: np.ndarray, log_bytes: float, steep: float) -> np.ndarray:
        """As far along a step as gains something, and stays inside."""
        length, before, slope = 1.0, self._walled(x, log_bytes, steep), 0.0
        for _ in range(60):
            if self._walled(x + length * step, log_bytes, steep) <= before + slope:
                return x + length * step
            length /= 2
        return x

    def _walled(self, x: np.ndarray, log_bytes: float, steep: float) -> float:
        room = np.concatenate([self._rows @ x - self._least, x, MOST_EXPONENT - x])
        if room.min() <= 0:
            return math.inf
        return steep * self._worth(x, log_bytes)[0] - float(np.log(room).sum())

    def _worth(self, x: np.ndarray, log_bytes: float) -> tuple[float, np.ndarray, np.ndarray]:
        """Logarithm of chi for exponents, its slope and its curvature.

        At best a group of exponent s has the share s / sigma of X.
        """
        accesses = len(self._accesses)
        s, t = x[:accesses], x[accesses:]
        of_group, total = self._member @ s, s.sum()
        prices = np.log(of_group / total) - np.log(self._weights) + log_bytes
        value = float(of_group @ prices + t @ self._extents)
        slope = np.concatenate([self._member.T @ prices, self._extents])
        curve = np.zeros((len(x), len(x)))
        curve[:accesses, :accesses] = self._member.T @ np.diag(1 / of_group) @ self._member - 1 / total
        if self._half:
            value += float(s[0] - 1) * math.log(2)
            slope[0] += math.log(2)
        return value, slope, curve


@lru_cache(maxsize=256)
def _rules(loops: tuple[str, ...], accesses: tuple[Access, ...]) -> tuple[Inequality, ...]:
    """Inequalities for the exponents of accesses."""
    return tuple(inequalities(loops, accesses))
