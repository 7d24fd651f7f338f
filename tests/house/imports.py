"""Which file of gpusim imports which, also for types alone or inside a function; the rooms, floors and circles of that.

``python -m tests.house.imports`` prints them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[2]
PACKAGE = "gpusim"


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Modules among the known ones that a file imports, wherever in it that stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield from (name for name in (below if below in known else node.module,) if name in known)


def files(root: Path = ROOT) -> nx.DiGraph:
    """An arrow from each module to each that it imports."""
    known = modules(root)
    graph = nx.DiGraph()
    graph.add_nodes_from(known)
    for name, path in known.items():
        graph.add_edges_from((name, other) for other in imported(path, known) if other != name)
    return graph


def room(module: str) -> str:
    """The folder of the package that a module lies in, or the module, if it lies in none."""
    return ".".join(module.split(".")[:2])


def rooms(graph: nx.DiGraph) -> nx.DiGraph:
    """An arrow from each room to each that it imports; what the package itself offers lazily is no room."""
    found = nx.DiGraph()
    found.add_nodes_from(room(module) for module in graph if module != PACKAGE)
    arrows = ((room(a), room(b)) for a, b in graph.edges if PACKAGE not in (a, b))
    found.add_edges_from((a, b) for a, b in arrows if a != b)
    return found


def circles(graph: nx.DiGraph) -> list[list[str]]:
    """Modules that import each other, directly or through others."""
    return sorted(sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1)


def floors(graph: nx.DiGraph) -> list[list[str]]:
    """Rooms by floor: each imports rooms of floors below alone; rooms of a circle share one."""
    whole = nx.condensation(graph)
    height: dict[int, int] = {}
    for node in reversed(list(nx.topological_sort(whole))):
        height[node] = 1 + max((height[below] for below in whole.successors(node)), default=-1)
    levels = [[n for n in height if height[n] == level] for level in range(max(height.values(), default=-1) + 1)]
    return [sorted(name for n in level for name in whole.nodes[n]["members"]) for level in levels]


def main() -> None:
    """Print rooms by floor, the highest first, each with what it imports; then the circles."""
    graph = files()
    between = rooms(graph)
    for number, floor in reversed(list(enumerate(floors(between)))):
        print(f"floor {number}")
        for name in floor:
            below = sorted(other.removeprefix(f"{PACKAGE}.") for other in between.successors(name))
            print(f"  {name.removeprefix(f'{PACKAGE}.')}: {', '.join(below) or 'nothing'}")
    for kind, found in (("files", circles(graph)), ("rooms", circles(between))):
        print(f"circles of {kind}: {len(found) or 'none'}")
        for circle in found:
            print(f"  {', '.join(circle)}")


if __name__ == "__main__":
    main()
