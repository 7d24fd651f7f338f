"""A finding: what is wrong with a launch, on which line, who did it, how often, and what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gpusim.checks.kinds import KINDS, Level
from gpusim.isa.instruction import INSTRUCTION_BYTES

Size = tuple[int, int, int]


def listed(size: Size | None) -> list[int] | None:
    """Give a size, or a place in x, y, z, ready for JSON."""
    return None if size is None else [int(n) for n in size]


@dataclass(frozen=True)
class Spot:
    """A thread at an instruction, or a line of a program's own code.

    Attributes
    ----------
    file : str
        As the compiler was given it.
    line : int
        0 where it is not known.
    text : str
        The line itself, where it is known.
    thread, block : tuple of int or None
        In x, y, z; None of a program's own code.
    value : int or None
        Lowest word that the thread wrote, where that is known.
    index : int
        Of the instruction in its program.
    """

    file: str
    line: int
    text: str
    thread: Size | None = None
    block: Size | None = None
    value: int | None = None
    index: int = 0

    @property
    def name(self) -> str:
        """``"file.cu:41"``; of an instruction whose line is not known where it lies in the code."""
        if self.line:
            return f"{Path(self.file).name or '?'}:{self.line}"
        return f"instruction at {self.index * INSTRUCTION_BYTES:#x}"

    def without_folder(self, folder: Path) -> Spot:
        """Give it with a file of a folder by its name alone."""
        path = Path(self.file)
        return replace(self, file=path.name) if path.parent == folder else self

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists, strings and numbers."""
        return {
            "file": self.file, "line": self.line, "text": self.text,
            "thread": listed(self.thread), "block": listed(self.block), "value": self.value,
        }  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """What is wrong with a launch: all faults of a kind between the same lines, at the same array.

    Attributes
    ----------
    kind : str
        Of :data:`gpusim.checks.KINDS`: ``"out-of-bounds"``, ``"race-raw"``, ...
    kernel : str
    what : str
        What happens, who does it and where, in words.
    edit : str
        What to do.
    spot : Spot or None
        Who did it first, the later one of a race; None where it is of no line.
    other : Spot or None
        The earlier one of a race, or who started the copy.
    space : str
        ``"global"``, ``"shared"``, ``"local"``, ``"constant"``; empty where it is about no memory.
    array : str
        The array or shared variable, where it is known.
    address, nbytes : int
        Of the first access, in its memory.
    times : int
        How often, each thread for itself.
    level : Level
    """

    kind: str
    kernel: str
    what: str
    edit: str
    spot: Spot | None = None
    other: Spot | None = None
    space: str = ""
    array: str = ""
    address: int = 0
    nbytes: int = 0
    times: int = 1
    level: Level = Level.ERROR

    @property
    def tool(self) -> str:
        """The group of faults that it is of: ``"memcheck"``, ``"racecheck"``, ..."""
        return KINDS[self.kind].tool

    @property
    def title(self) -> str:
        """What a table calls it."""
        return KINDS[self.kind].title

    def without_folder(self, folder: Path) -> Finding:
        """Give it with files of a folder by their names alone."""
        spot, other = (None if one is None else one.without_folder(folder) for one in (self.spot, self.other))
        return replace(self, spot=spot, other=other)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            The attributes and ``tool``; ``spot`` is called ``place``.
        """
        plain = asdict(self) | {"level": self.level.value, "kind": str(self.kind), "tool": str(self.tool)}
        del plain["spot"]
        return plain | {
            "place": None if self.spot is None else self.spot.to_dict(),
            "other": None if self.other is None else self.other.to_dict(),
        }
