"""Pipelines of kernels: what they move, launch and keep, and what fusing some of them changes.

A pipeline is a directed graph with two kinds of nodes, kernels and the tensors
between them (with their bytes): an edge leads from a tensor to a kernel that
reads it, and from a kernel to a tensor that it writes.

Counted is traffic to device memory: a tensor is read once by every kernel that
reads it, and written once.  A tensor that lives inside a fused kernel is neither,
unless the pipeline is to give it out.  Caches are not modelled: a tensor that
stays in L2 until it is read again costs less than is counted here.

Source: the counts are those of Dao et al. 2022, arXiv 2205.14135, section 2.2
(attention as three kernels), and of Ivanov et al. 2021, "Data movement is all you
need", arXiv 2007.00072, section 3, whose dataflow graphs have the same two kinds of nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model.inputs import above_zero, at_least

if TYPE_CHECKING:
    import networkx as nx

KERNEL, TENSOR = "kernel", "tensor"
"""Kinds of nodes, their attribute ``kind``."""

Step = tuple[str, Sequence[str], Sequence[str]]
"""A kernel: its name, the tensors that it reads, the tensors that it writes."""


def build(kernels: Iterable[Step], nbytes: Mapping[str, float], outputs: Collection[str] | None = None) -> nx.DiGraph:
    """Build a pipeline.

    Parameters
    ----------
    kernels : iterable of (str, sequence of str, sequence of str)
        Name, tensors read, tensors written, in any order.
    nbytes : mapping of str to float
        Bytes of every tensor.
    outputs : collection of str, optional
        Tensors to give out, which fusion must not remove; those that no kernel reads are among them anyway.

    Returns
    -------
    networkx.DiGraph
        Nodes have the attribute ``kind``, tensors also ``nbytes`` and ``output``.

    Raises
    ------
    ParameterError
        If a name is used twice, a tensor is written twice or has no bytes, a kernel has no tensor, or there is a cycle.

    Examples
    --------
    >>> pipe = build([("double", ["x"], ["y"]), ("square", ["y"], ["z"])], {"x": 8, "y": 8, "z": 8})
    >>> traffic(pipe)
    Traffic(read_bytes=16, written_bytes=16)
    >>> traffic(fuse(pipe, [["double", "square"]]))
    Traffic(read_bytes=8, written_bytes=8)
    """
    import networkx as nx

    graph = nx.DiGraph()
    for name, reads, writes in kernels:
        if name in graph:
            raise ParameterError(f"there are two kernels called {name}")
        _check_step(name, reads, writes, nbytes)
        graph.add_node(name, kind=KERNEL)
        graph.add_edges_from((tensor, name) for tensor in reads)
        graph.add_edges_from((name, tensor) for tensor in writes)
    _describe_tensors(graph, nbytes, outputs or ())
    _check(graph)
    return graph


def _check_step(name: str, reads: Sequence[str], writes: Sequence[str], nbytes: Mapping[str, float]) -> None:
    """Refuse a kernel that writes nothing, is called as a tensor is, or has a tensor without bytes."""
    if name in nbytes:
        raise ParameterError(f"there are a kernel and a tensor called {name}")
    if not writes:
        raise ParameterError(f"the kernel {name} must write a tensor")
    for tensor in (*reads, *writes):
        if tensor not in nbytes:
            raise ParameterError(f"the bytes of the tensor {tensor} are not given")


def _describe_tensors(graph: nx.DiGraph, nbytes: Mapping[str, float], outputs: Collection[str]) -> None:
    """Give every tensor its kind, bytes, and whether it is an output."""
    names = [node for node, kind in graph.nodes(data="kind") if kind is None]
    for name in names:
        at_least(0, **{f"bytes of {name}": nbytes[name]})
        graph.nodes[name].update(kind=TENSOR, nbytes=nbytes[name], output=not graph[name] or name in outputs)
    for name in outputs:
        if name not in names:
            raise UnknownNameError("tensor", name, names)


def _check(graph: nx.DiGraph) -> None:
    """Refuse tensors with two writers, and cycles."""
    import networkx as nx

    for name in tensors(graph):
        writers = list(graph.predecessors(name))
        if len(writers) > 1:
            raise ParameterError(f"the tensor {name} is written by {' and by '.join(writers)}")
    if not nx.is_directed_acyclic_graph(graph):
        raise ParameterError(f"a cycle: {' -> '.join(_cycle(graph))}")


def _cycle(graph: nx.DiGraph) -> list[str]:
    import networkx as nx

    edges = nx.find_cycle(graph)
    return [edge[0] for edge in edges] + [edges[-1][1]]


def kernels(graph: nx.DiGraph) -> list[str]:
    """Give the kernels in an order in which they can run (of several, the first by name)."""
    import networkx as nx

    return [node for node in nx.lexicographical_topological_sort(graph) if graph.nodes[node]["kind"] == KERNEL]


def tensors(graph: nx.DiGraph) -> list[str]:
    """Give the tensors, in the order in which they came."""
    return [node for node, kind in graph.nodes(data="kind") if kind == TENSOR]


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a pipeline moves to and from device memory.

    Attributes
    ----------
    read_bytes, written_bytes : float
    """

    read_bytes: float
    written_bytes: float

    @property
    def total_bytes(self) -> float:
        """Bytes, both ways."""
        return self.read_bytes + self.written_bytes


def traffic(graph: nx.DiGraph) -> Traffic:
    """Count what a pipeline moves: a read for each edge into a kernel, a write for each edge out of one.

    Parameters
    ----------
    graph : networkx.DiGraph

    Returns
    -------
    Traffic
    """
    steps = kernels(graph)
    return Traffic(
        sum(graph.nodes[tensor]["nbytes"] for kernel in steps for tensor in graph.predecessors(kernel)),
        sum(graph.nodes[tensor]["nbytes"] for kernel in steps for tensor in graph.successors(kernel)),
    )


def launch_seconds(graph: nx.DiGraph, launch_s: float) -> float:
    """Give what launching costs: kernels times what a launch costs.

    Parameters
    ----------
    graph : networkx.DiGraph
    launch_s : float
        Of one, seconds.

    Returns
    -------
    float
        Seconds.
    """
    at_least(0, launch_s=launch_s)
    return len(kernels(graph)) * launch_s


def seconds(graph: nx.DiGraph, bytes_per_s: float, launch_s: float = 0.0) -> float:
    """Give the least time of a pipeline whose kernels do nothing but wait for device memory, one after another.

    Parameters
    ----------
    graph : networkx.DiGraph
    bytes_per_s : float
        Bandwidth of device memory.
    launch_s : float
        Of one launch, seconds.

    Returns
    -------
    float
        Seconds: traffic over bandwidth, and the launches.
    """
    above_zero(bytes_per_s=bytes_per_s)
    return traffic(graph).total_bytes / bytes_per_s + launch_seconds(graph, launch_s)


def live_bytes(graph: nx.DiGraph, order: Sequence[str] | None = None) -> list[float]:
    """Give the bytes of the tensors that must exist while each kernel runs.

    A tensor lives from the kernel that writes it to the last one that reads it;
    inputs live from the start, outputs to the end.

    Parameters
    ----------
    graph : networkx.DiGraph
    order : sequence of str, optional
        In which the kernels run; that of :func:`kernels` unless given.

    Returns
    -------
    list of float
        Bytes, a number for each kernel, in their order.

    Raises
    ------
    ParameterError
        If the order is not one in which they can run.
    """
    steps = kernels(graph) if order is None else list(order)
    place = {kernel: step for step, kernel in enumerate(steps)}
    _check_order(graph, place, len(steps))
    live = [0.0] * len(steps)
    for tensor in tensors(graph):
        first = min((place[kernel] for kernel in graph.predecessors(tensor)), default=0)
        ends = [len(steps) - 1] if graph.nodes[tensor]["output"] else [place[kernel] for kernel in graph[tensor]]
        for step in range(first, max(ends) + 1):
            live[step] += graph.nodes[tensor]["nbytes"]
    return live


def _check_order(graph: nx.DiGraph, place: Mapping[str, int], count: int) -> None:
    """Refuse an order that leaves a kernel out or runs one before what it reads is written."""
    if sorted(place) != sorted(kernels(graph)) or len(place) != count:
        raise ParameterError(f"order must name each of {', '.join(sorted(kernels(graph)))} once")
    for tensor in tensors(graph):
        for writer in graph.predecessors(tensor):
            for reader in graph.successors(tensor):
                if place[reader] < place[writer]:
                    raise ParameterError(f"order must have {writer} before {reader}, which reads {tensor}")


def peak_bytes(graph: nx.DiGraph, order: Sequence[str] | None = None) -> float:
    """Give the most bytes of tensors that must exist at once.

    Parameters
    ----------
    graph : networkx.DiGraph
    order : sequence of str, optional
        As of :func:`live_bytes`; another order may need less.

    Returns
    -------
    float
        Bytes.
    """
    return max(live_bytes(graph, order), default=0.0)


def fuse(graph: nx.DiGraph, groups: Iterable[Collection[str]]) -> nx.DiGraph:
    """Merge groups of kernels into one kernel each.

    The merged kernel reads what its members read and none of them writes, and
    writes what is read outside or given out.  It is called as its members are,
    joined by ``+``.  Members need not be neighbours: two kernels that read the same
    tensor read it once when fused.

    Parameters
    ----------
    graph : networkx.DiGraph
        Stays as it is.
    groups : iterable of collection of str
        Kernels, each in one group at most.

    Returns
    -------
    networkx.DiGraph

    Raises
    ------
    ParameterError
        If a kernel outside a group would have to run in the middle of it, or a kernel is in two groups.
    UnknownNameError
        If there is no such kernel.
    """
    members = _members(graph, groups)
    steps: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for kernel in kernels(graph):
        reads, writes = steps.setdefault(members.get(kernel, kernel), ({}, {}))
        reads.update(dict.fromkeys(graph.predecessors(kernel)))
        writes.update(dict.fromkeys(graph.successors(kernel)))
    inside = _inside(graph, members)
    merged = [
        (name, [t for t in reads if t not in writes], [t for t in writes if t not in inside])
        for name, (reads, writes) in steps.items()
    ]
    return _rebuilt(graph, merged)


def _rebuilt(graph: nx.DiGraph, steps: list[tuple[str, list[str], list[str]]]) -> nx.DiGraph:
    """Build the pipeline of the merged kernels, with the tensors that are left."""
    left = {tensor for _, reads, writes in steps for tensor in (*reads, *writes)}
    nbytes = {tensor: graph.nodes[tensor]["nbytes"] for tensor in left}
    outputs = [tensor for tensor in left if graph.nodes[tensor]["output"]]
    try:
        return build(steps, nbytes, outputs)
    except ParameterError as error:
        raise ParameterError(f"these kernels cannot be fused, for others must run between them: {error}") from None


def _members(graph: nx.DiGraph, groups: Iterable[Collection[str]]) -> dict[str, str]:
    """Give the name of the merged kernel for each kernel of a group."""
    order = kernels(graph)
    found: dict[str, str] = {}
    for group in groups:
        for kernel in group:
            if kernel not in order:
                raise UnknownNameError("kernel", kernel, order)
            if kernel in found:
                raise ParameterError(f"{kernel} is in two groups")
        name = "+".join(kernel for kernel in order if kernel in group)
        found |= dict.fromkeys(group, name)
    return found


def _inside(graph: nx.DiGraph, members: Mapping[str, str]) -> set[str]:
    """Give the tensors that a merged kernel writes and nobody else needs."""

    def home(kernel: Any) -> str:
        return members.get(kernel, kernel)

    return {
        tensor
        for tensor in tensors(graph)
        if not graph.nodes[tensor]["output"]
        for writer in graph.predecessors(tensor)
        if {home(reader) for reader in graph.successors(tensor)} == {home(writer)}
    }
