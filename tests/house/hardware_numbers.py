"""Numbers of hardware, and comparisons of architectures, in code outside ``gpusim/hardware``.

``python -m tests.house.hardware_numbers`` prints them.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gpusim import hardware
from gpusim.hardware import library

ROOT = Path(__file__).parents[2]
TELLING = 256
"""A larger number that is neither round, nor a power of two, nor one less, is seldom anything else."""

VERSIONS = {"arch", "capability", "compute_capability", "major", "minor"}
ARCHITECTURE = re.compile(r"\b(sm|compute)_\d{2,3}")


class Found(NamedTuple):
    """A place in the code and what stands there."""

    file: str
    line: int
    text: str


def telling() -> set[int]:
    """Numbers of architectures and GPUs that show where they come from."""
    generations = (hardware.architecture(path.stem) for path in library.ARCHITECTURES.glob("*.toml"))
    gpus = ({key: entry.value for key, entry in hardware.load(name).sources} for name in hardware.names())
    values = {n for known in (*generations, *gpus) for value in known.values() for n in integers(value)}
    return {n for n in values if n > TELLING and n % 100 and n & (n - 1) and n & (n + 1)}


def integers(value: Any) -> Iterator[int]:
    """Integers in a value, or in a list of them."""
    if isinstance(value, tuple):
        for part in value:
            yield from integers(part)
    elif isinstance(value, int):
        yield value


def folded(node: ast.AST) -> int | None:
    """The integer that an expression of constants is, such as ``227 * 1024``."""
    if not isinstance(node, ast.Constant | ast.BinOp):
        return None
    if any(not isinstance(part, ast.Constant | ast.BinOp | ast.operator) for part in ast.walk(node)):
        return None
    try:
        value = eval(compile(ast.Expression(node), "", "eval"), {})  # type: ignore[arg-type]  # constants alone
    except (TypeError, ValueError, ArithmeticError):
        return None
    return value if isinstance(value, int) else None


def docstrings(tree: ast.AST) -> set[int]:
    """Strings that stand by themselves: what they say runs nowhere."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _compares_versions(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    names = {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node)}
    ordered = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
    return ordered and bool(names & VERSIONS)


def found(text: str, file: str, numbers: set[int]) -> Iterator[Found]:
    """What a file has of them.

    Parameters
    ----------
    text : str
        Python.
    file : str
        What it is called.
    numbers : set of int
        Those that tell where they come from.
    """
    tree = ast.parse(text)
    said = docstrings(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if folded(node) in numbers or _compares_versions(node):
            yield Found(file, line, ast.unparse(node))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield from (Found(file, line, match[0]) for match in ARCHITECTURE.finditer(node.value))


def everywhere(root: Path = ROOT) -> list[Found]:
    """All that the package has outside the room of hardware."""
    numbers, places = telling(), (root / "gpusim").rglob("*.py")
    outside = sorted(path for path in places if "hardware" not in path.relative_to(root).parts)
    return [
        one
        for path in outside
        for one in found(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix(), numbers)
    ]


def main() -> None:
    """Print them."""
    for one in everywhere():
        print(f"{one.file}:{one.line}: {one.text}")


if __name__ == "__main__":
    main()
