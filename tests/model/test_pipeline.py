"""Do pipelines move, launch and keep what counting by hand gives, and does fusion never cost traffic?"""

import random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.errors import GpusimError
from gpusim.model import pipeline
from gpusim.model.pipeline import Traffic


def attention(N, d):
    """Attention of one head as three kernels, bytes in elements."""
    nbytes = dict.fromkeys("QKVO", N * d) | dict.fromkeys("SP", N * N)
    return pipeline.build([("QK", "QK", "S"), ("softmax", "S", "P"), ("PV", "PV", "O")], nbytes)


ALL = ["QK", "softmax", "PV"]


@pytest.mark.parametrize(("N", "d"), [(1024, 64), (4096, 128), (16, 64)])
def test_attention_apart_and_fused(N, d):
    graph = attention(N, d)
    assert pipeline.traffic(graph).total_bytes == 4 * N * d + 4 * N * N
    assert pipeline.traffic(pipeline.fuse(graph, [ALL])) == Traffic(3 * N * d, N * d)
    assert pipeline.traffic(pipeline.fuse(graph, [ALL[:2]])).total_bytes == 4 * N * d + 2 * N * N


def test_attention_keeps_both_matrices_while_softmax_runs():
    N, d = 1024, 64
    assert pipeline.live_bytes(attention(N, d)) == [3 * N * d + N * N, N * d + 2 * N * N, 2 * N * d + N * N]
    assert pipeline.peak_bytes(pipeline.fuse(attention(N, d), [ALL])) == 4 * N * d


def test_the_ends_of_attention_cannot_be_fused_without_the_middle():
    with pytest.raises(GpusimError, match=r"cannot be fused, for others must run between them: a cycle: .*softmax"):
        pipeline.fuse(attention(64, 64), [["QK", "PV"]])


def test_two_groups_that_wait_for_each_other_cannot_both_be_fused():
    steps = [("a", "x", "p"), ("b", "y", "q"), ("c", "q", "r"), ("d", "p", "s")]
    graph = units(*steps)
    pipeline.fuse(graph, [["a", "c"]])
    pipeline.fuse(graph, [["b", "d"]])
    with pytest.raises(GpusimError, match="a cycle"):
        pipeline.fuse(graph, [["a", "c"], ["b", "d"]])


def test_an_output_in_the_middle_is_still_written():
    steps = [("first", "x", "y"), ("second", "y", "z")]
    sizes = {"x": 1, "y": 10, "z": 100}
    assert pipeline.traffic(pipeline.fuse(pipeline.build(steps, sizes), [["first", "second"]])) == Traffic(1, 100)
    kept = pipeline.fuse(pipeline.build(steps, sizes, outputs=["y"]), [["first", "second"]])
    assert pipeline.traffic(kept) == Traffic(1, 110)


def test_neighbours_that_share_an_input_read_it_once():
    graph = units(("a", "xy", "p"), ("b", "xz", "q"))
    assert pipeline.traffic(graph) == Traffic(4, 2)
    assert pipeline.traffic(pipeline.fuse(graph, [["a", "b"]])) == Traffic(3, 2)


def test_order_decides_the_peak():
    """Two long branches: one after the other needs one large tensor at a time, side by side two."""
    steps = [("a1", "x", "A"), ("a2", "A", "p"), ("b1", "x", "B"), ("b2", "B", "q")]
    graph = pipeline.build(steps, {"x": 1, "A": 100, "B": 100, "p": 1, "q": 1})
    assert pipeline.peak_bytes(graph, ["a1", "a2", "b1", "b2"]) == 102
    assert pipeline.peak_bytes(graph, ["a1", "b1", "a2", "b2"]) == 201


def test_time_is_traffic_and_launches():
    graph = attention(1024, 64)
    assert pipeline.launch_seconds(graph, 2e-6) == pytest.approx(6e-6)
    assert pipeline.seconds(graph, 1e12, 2e-6) == pytest.approx(6e-6 + (4 * 1024 * 64 + 4 * 1024**2) / 1e12)


@st.composite
def pipelines(draw):
    """A random pipeline: each kernel reads some of the tensors that there are and writes new ones."""
    there = [f"in{i}" for i in range(draw(st.integers(1, 3)))]
    sizes = {name: draw(st.integers(0, 100)) for name in there}
    steps = []
    for k in range(draw(st.integers(1, 7))):
        reads = draw(st.lists(st.sampled_from(there), min_size=1, max_size=3, unique=True))
        writes = [f"t{k}.{j}" for j in range(draw(st.integers(1, 2)))]
        sizes |= {name: draw(st.integers(0, 100)) for name in writes}
        steps.append((f"k{k}", reads, writes))
        there += writes
    outputs = draw(st.lists(st.sampled_from(sorted({t for _, _, w in steps for t in w})), unique=True))
    return steps, sizes, outputs


def groups_of(draw, names):
    """Some of the kernels, in up to three groups."""
    homes = draw(st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))
    groups = [[name for name, home in zip(names, homes, strict=True) if home == g] for g in range(3)]
    return [group for group in groups if group]


@given(pipelines(), st.data())
def test_fused_kernels_never_move_more(case, data):
    graph = pipeline.build(*case)
    before, names = pipeline.traffic(graph), pipeline.kernels(graph)
    groups = groups_of(data.draw, names)
    try:
        fused = pipeline.fuse(graph, groups)
    except GpusimError:
        assert not convex(case[0], groups)
        return
    assert convex(case[0], groups)
    after = pipeline.traffic(fused)
    assert after.read_bytes <= before.read_bytes
    assert after.written_bytes <= before.written_bytes
    assert len(pipeline.kernels(fused)) == len(names) - sum(len(group) - 1 for group in groups)
    assert {t for t in graph if graph.nodes[t].get("output")} <= set(fused)
    assert pipeline.traffic(graph) == before


def convex(steps, groups):
    """Whether the groups, each shrunk to a point, leave no cycle among kernels."""
    writer = {tensor: name for name, _, writes in steps for tensor in writes}
    home = {name: i for i, group in enumerate(groups) for name in group}
    pairs = {
        (home.get(writer[t], writer[t]), home.get(name, name)) for name, reads, _ in steps for t in reads if t in writer
    }
    graph = nx.DiGraph((a, b) for a, b in pairs if a != b)
    return nx.is_directed_acyclic_graph(graph)


@given(pipelines())
def test_all_kernels_in_one_read_the_inputs_and_write_the_outputs(case):
    graph = pipeline.build(*case)
    after = pipeline.traffic(pipeline.fuse(graph, [pipeline.kernels(graph)]))
    data = dict(graph.nodes(data=True))
    assert after.read_bytes == sum(data[t]["nbytes"] for t in pipeline.tensors(graph) if not graph.in_degree(t))
    outputs = [t for t in pipeline.tensors(graph) if data[t]["output"] and graph.in_degree(t)]
    assert after.written_bytes == sum(data[t]["nbytes"] for t in outputs)


@given(pipelines(), st.randoms(use_true_random=False))
def test_in_any_order_the_peak_holds_what_any_kernel_touches(case, rng):
    graph = pipeline.build(*case)
    order = shuffled(graph, rng)
    peak, everything = pipeline.peak_bytes(graph, order), sum(graph.nodes[t]["nbytes"] for t in pipeline.tensors(graph))
    for kernel in order:
        touched = {*graph.predecessors(kernel), *graph.successors(kernel)}
        assert sum(graph.nodes[t]["nbytes"] for t in touched) <= peak <= everything


@given(pipelines(), st.randoms(use_true_random=False))
def test_what_lives_is_what_a_run_that_frees_early_holds(case, rng):
    """Played through: each kernel's tensors come when it runs, and go once nobody will read them."""
    steps, sizes, outputs = case
    graph = pipeline.build(*case)
    order = shuffled(graph, rng)
    reads = {name: set(r) for name, r, _ in steps}
    writes = {name: set(w) for name, _, w in steps}
    read = set().union(*reads.values())
    held, seen = read - set().union(*writes.values()), []
    for place, name in enumerate(order):
        held |= writes[name]
        seen.append(sum(sizes[tensor] for tensor in held))
        needed = set().union(*(reads[later] for later in order[place + 1 :])) | set(outputs)
        held = {tensor for tensor in held if tensor in needed or tensor not in read}
    assert pipeline.live_bytes(graph, order) == seen


def shuffled(graph, rng: random.Random):
    """Some order in which the kernels can run."""
    names = pipeline.kernels(graph)
    rank = {node: rng.random() for node in graph}
    order = nx.lexicographical_topological_sort(graph, key=rank.get)
    return [node for node in order if node in names]


def units(*steps):
    """A pipeline of tensors of a byte each."""
    return pipeline.build(steps, {tensor: 1 for _, reads, writes in steps for tensor in (*reads, *writes)})


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("there are two kernels called a", lambda: units(("a", "x", "y"), ("a", "y", "z"))),
        ("there are a kernel and a tensor called x", lambda: pipeline.build([("x", "x", "y")], {"x": 1, "y": 1})),
        ("the kernel a must write a tensor", lambda: pipeline.build([("a", "x", "")], {"x": 1})),
        ("the bytes of the tensor y are not given", lambda: pipeline.build([("a", "x", "y")], {"x": 1})),
        ("bytes of x must be 0 or more, not -1", lambda: pipeline.build([("a", "x", "y")], {"x": -1, "y": 1})),
        ("the tensor y is written by a and by b", lambda: units(("a", "x", "y"), ("b", "x", "y"))),
        ("a cycle: ", lambda: units(("a", "x", "y"), ("b", "y", "x"))),
        ("unknown tensor 'Q'", lambda: pipeline.build([("a", "x", "y")], {"x": 1, "y": 1}, outputs=["Q"])),
        ("unknown kernel 'PVV': did you mean PV", lambda: pipeline.fuse(attention(4, 4), [["PVV"]])),
        ("softmax is in two groups", lambda: pipeline.fuse(attention(4, 4), [["QK", "softmax"], ["softmax", "PV"]])),
        ("order must name each of PV, QK, softmax once", lambda: pipeline.peak_bytes(attention(4, 4), ["QK", "PV"])),
        ("order must name each of", lambda: pipeline.peak_bytes(attention(4, 4), [*ALL, "QK"])),
        ("order must have softmax before PV, which reads P",
         lambda: pipeline.peak_bytes(attention(4, 4), ["QK", "PV", "softmax"])),
        ("launch_s must be 0 or more", lambda: pipeline.launch_seconds(attention(4, 4), -1)),
        ("bytes_per_s must be above 0", lambda: pipeline.seconds(attention(4, 4), 0)),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_a_line(message, call):
    with pytest.raises(GpusimError) as told:
        call()
    assert message in str(told.value)
    assert "\n" not in str(told.value)
