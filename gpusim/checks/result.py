"""The result of a check, which shows itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpusim.checks.outcome import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class CheckResult(Outcome):
    """What is wrong with a launch, and how much of it was looked at: as :class:`~gpusim.checks.outcome.Outcome` has it.

    Examples
    --------
    >>> print(CheckResult("saxpy", "h200", (4, 1, 1), (256, 1, 1), (), ("memcheck",), 4, 4))
    saxpy  4 x 256  on h200: nothing found
    memcheck; 4 of 4 blocks run
    """

    def table(self) -> list[RenderableType]:
        """Lay it out: what is wrong, on which line, who did it, how often, and what to do.

        Returns
        -------
        list of rich renderables
            Print them with :func:`gpusim.report.show`.
        """
        from gpusim.checks.table import table

        return list(table(self))

    def __repr__(self) -> str:
        from gpusim.report import text

        return text(self.table())

    def assert_clean(self) -> None:
        """Fail where something is wrong with the launch.

        Raises
        ------
        AssertionError
            Something is; the message has the findings.
        """
        __tracebackhide__ = True
        if not self.clean:
            raise AssertionError(repr(self))

    def to_sarif(self) -> dict[str, Any]:
        """Give the findings as a log of SARIF 2.1.0, as editors and code hosts read it.

        Returns
        -------
        dict
            Ready for JSON.
        """
        from gpusim.checks.sarif import log

        return log([self])

    def without_folder(self, folder: Path) -> CheckResult:
        """Give it with files of a folder by their names alone.

        Parameters
        ----------
        folder : Path
        """
        return replace(self, findings=tuple(one.without_folder(folder) for one in self.findings))
