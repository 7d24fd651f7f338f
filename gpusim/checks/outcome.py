"""What checking a launch has come to, as a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.checks.finding import listed
from gpusim.checks.kinds import Level

if TYPE_CHECKING:
    from gpusim.checks.finding import Finding, Size


@dataclass(frozen=True, repr=False)
class Outcome:
    """What is wrong with a launch, and how much of it was looked at.

    Attributes
    ----------
    kernel : str
    gpu : str
    grid, block : tuple of int or None
        None of a program as a whole.
    findings : tuple of Finding
        The worst first.
    tools : tuple of str
        What was looked for: ``"memcheck"``, ``"racecheck"``, ...
    blocks_run, blocks : int
        Blocks that were run, and those of the grid; of several launches together.
    ended : str
        Why the run came to no end, in words; empty where it did.
    unseen : tuple of str
        What was not looked at, in words.
    orders : int
        Other orders of warps and blocks whose results were compared.
    launches : int
        How many launches it is of.
    id : str
        Of a launch of a launch file.
    notes : tuple of str
        What else a reader must know, such as variables that nobody has filled.
    """

    kernel: str
    gpu: str
    grid: Size | None
    block: Size | None
    findings: tuple[Finding, ...]
    tools: tuple[str, ...]
    blocks_run: int = 0
    blocks: int = 0
    ended: str = ""
    unseen: tuple[str, ...] = ()
    orders: int = 0
    launches: int = 1
    id: str = ""
    notes: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether the launch came to its end and nothing is wrong with it; a note is no fault."""
        return not self.ended and all(one.level is Level.NOTE for one in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            The attributes, and ``clean``.
        """
        return {
            "id": self.id, "kernel": self.kernel, "gpu": self.gpu, "grid": listed(self.grid),
            "block": listed(self.block), "clean": self.clean,
            "findings": [finding.to_dict() for finding in self.findings], "tools": list(self.tools),
            "blocks_run": self.blocks_run, "blocks": self.blocks, "ended": self.ended, "unseen": list(self.unseen),
            "orders": self.orders, "launches": self.launches,
            "notes": list(self.notes),
        }  # fmt: skip


def is_clean(results: Sequence[Outcome]) -> bool:
    """Whether nothing is wrong with any of some launches."""
    return all(one.clean for one in results)
