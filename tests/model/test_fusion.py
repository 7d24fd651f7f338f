"""Does fusion save what lies between the stages, counted, as a pipeline, and simulated?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim.errors import ParameterError
from gpusim.model import pipeline
from gpusim.model.fusion import PointwiseChain
from tests.model.kernels import THREE_STAGES

stages = st.integers(1, 8)
chains = stages.flatmap(
    lambda n: st.builds(
        PointwiseChain,
        stages=st.just(n),
        elements=st.integers(1, 10_000),
        element_bytes=st.sampled_from([1, 2, 4]),
        extra_inputs=st.one_of(st.just(()), st.lists(st.integers(0, 3), min_size=n, max_size=n).map(tuple)),
    )
)


@given(stages, st.integers(1, 10_000))
def test_apart_2n_arrays_move_and_fused_two(n, elements):
    chain = PointwiseChain(n, elements)
    assert chain.unfused_elements == 2 * n * elements
    assert chain.fused_elements == 2 * elements
    assert chain.speedup == n


def graph_of(chain):
    """The chain as a pipeline."""
    extra = chain.extra_inputs or (0,) * chain.stages
    steps = [(f"k{i}", [f"t{i}", *(f"e{i}.{j}" for j in range(count))], [f"t{i + 1}"]) for i, count in enumerate(extra)]
    names = {name for _, reads, writes in steps for name in (*reads, *writes)}
    return pipeline.build(steps, dict.fromkeys(names, chain.elements * chain.element_bytes))


@given(chains)
def test_a_pipeline_counts_the_same(chain):
    graph = graph_of(chain)
    fused = pipeline.fuse(graph, [pipeline.kernels(graph)])
    assert pipeline.traffic(graph).total_bytes == chain.unfused_elements * chain.element_bytes
    assert pipeline.traffic(fused).total_bytes == chain.fused_elements * chain.element_bytes
    saved = pipeline.seconds(graph, 1e9, launch_s=2e-6) - pipeline.seconds(fused, 1e9, launch_s=2e-6)
    assert saved == pytest.approx(chain.saved_seconds(1e9, launch_s=2e-6))


@given(chains)
def test_what_is_saved_is_a_write_and_a_read_of_all_but_one_stage(chain):
    assert chain.saved_elements == 2 * (chain.stages - 1) * chain.elements
    assert chain.speedup >= 1


def moved(profile):
    return profile.global_load_bytes + profile.global_store_bytes


def test_simulated_kernels_move_as_much():
    n = 1 << 16
    chain = PointwiseChain(stages=3, elements=n)
    one = gpusim.predict("copy", gpu="h200", sample=False, N=n)  # moves what any stage with one input does
    assert 3 * moved(one) == chain.unfused_elements * 4
    assert moved(gpusim.predict(THREE_STAGES, gpu="h200", sample=False, N=n)) == chain.fused_elements * 4
    added = gpusim.predict("vector-add", gpu="h200", sample=False, N=n)
    assert moved(added) == PointwiseChain(1, n, extra_inputs=(1,)).fused_elements * 4


@pytest.mark.parametrize(
    ("message", "make"),
    [
        ("stages must be 1 or more", lambda: PointwiseChain(0, 1)),
        ("element_bytes must be above 0", lambda: PointwiseChain(1, 1, 0)),
        ("extra_inputs must have a number for each of 2 stages", lambda: PointwiseChain(2, 1, extra_inputs=(1,))),
        ("extra_inputs must be 0 or more", lambda: PointwiseChain(1, 1, extra_inputs=(-1,))),
        ("launch_s must be 0 or more", lambda: PointwiseChain(1, 1).saved_seconds(1, launch_s=-1)),
    ],
)
def test_bad_input_is_told_in_a_line(message, make):
    with pytest.raises(ParameterError, match=message):
        make()
