"""Chains of kernels: what they compute, what passes between them, and what is wrong with some."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import Algorithm
from gpusim.catalogue.chain import Chain, Step
from gpusim.errors import ParameterError
from gpusim.frontends.elements import count_elements
from tests.kernels.cases import CHAINS
from tests.marks import most_by_hand

ALL = lookup.chains()
SMALL = {"B": 1, "H": 2, "N": 64, "d": 16, "T": 16}


def copies(**others):
    """Copy x to y and y to z."""
    twice = (Step("copy"), Step("copy", {"x": "y", "y": "z"}))
    options = {"steps": twice, "reference": lambda x, **p: {"z": x["x"]}, "sizes": {"N": 1 << 20}, "outputs": ("z",)}
    return Chain(name="copies", summary="twice", **{**options, **others}).linked(lookup.get)


def test_every_chain_is_tried():
    assert {chain.name for chain in ALL} == set(CHAINS)


@pytest.mark.parametrize("name", most_by_hand(CHAINS, list(CHAINS)[::2]))
@settings(max_examples=3)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_outputs_match_the_reference(name, data, seed):
    chain = lookup.chain(name)
    params = data.draw(CHAINS[name])
    inputs = chain.inputs(np.random.default_rng(seed), **params)
    after = gpusim.run_chain(chain, inputs, **params)
    reference = chain.reference(inputs, **chain.bind(**params))
    assert set(reference) == set(chain.outputs)
    for array, wanted in reference.items():
        np.testing.assert_allclose(
            after[array].reshape(wanted.shape), wanted, rtol=chain.tolerance, atol=chain.tolerance
        )


@pytest.mark.parametrize("name", most_by_hand(CHAINS, list(CHAINS)[::3]))
@settings(max_examples=2)
@given(data=st.data())
def test_what_it_moves_follows_from_its_kernels(name, data):
    chain = lookup.chain(name)
    params = data.draw(CHAINS[name])
    total = {}
    for step in chain.steps:
        for array, moved in chain.elements_step(step, **params).items():
            before = total.get(array, (0, 0))
            total[array] = before[0] + moved.loads, before[1] + moved.stores
    assert count_elements(chain, **params) == total


# ------------------------------------------------------------------ L2 between launches


def test_what_a_kernel_leaves_in_l2_the_next_one_reads_there():
    profile = gpusim.predict_chain("attention-standard", **SMALL)
    inputs = 3 * 4 * 2 * 64 * 16
    assert [of_arrays(step) for step in profile.steps] == [inputs * 2 / 3, 0, inputs / 3]
    of_code = [step.dram_bytes_read - of_arrays(step) for step in profile.steps]
    assert of_code == [2304 + 256 * pieces for pieces in (7, 8, 6)]
    assert of_arrays(gpusim.predict("softmax-online", M=128, N=64, B=256)) == 4 * 128 * 64


def of_arrays(profile):
    """Bytes of arrays that are read from HBM."""
    return sum(array.dram_bytes for array in profile.arrays)


def test_what_does_not_fit_l2_goes_through_device_memory():
    """Arrays of 24 MB, and the 4 MB of a P100's L2."""
    n = 6 << 20
    found = gpusim.predict_chain(copies(), "p100", N=n)
    assert found.dram_bytes_read == pytest.approx(2 * 4 * n, rel=0.1)
    assert found.dram_bytes_written == pytest.approx(2 * 4 * n, rel=0.2)


def test_a_warm_chain_finds_its_inputs_too():
    assert gpusim.predict_chain("attention-standard", cache="warm", **SMALL).dram_bytes_read == 0


def test_totals_are_sums_over_the_launches():
    profile = gpusim.predict_chain("attention-standard", **SMALL)
    assert profile.seconds == sum(step.seconds for step in profile.steps)
    assert profile.flops == sum(step.flops for step in profile.steps)
    assert profile.between == ("S", "P")
    assert [step["step"] for step in profile.to_dict()["steps"]] == list(profile.labels)
    assert "together" in str(profile)


# ------------------------------------------------------------------ mistakes


def test_arrays_that_do_not_fit_one_another():
    wrong = copies(steps=(Step("copy"), Step("copy", {"x": "y", "y": "z"}, {"N": "2*N"})))
    with pytest.raises(ParameterError, match="copies: y is 400 bytes of f32 for copy, 800 bytes of f32 for copy"):
        wrong.launch(N=100)


def test_a_kernel_that_is_not_there():
    with pytest.raises(lookup.UnknownKernelError, match="unknown kernel 'copi': did you mean copy"):
        copies(steps=(Step("copi"),))


def test_a_chain_where_a_kernel_is_wanted_and_the_other_way_round():
    with pytest.raises(lookup.WrongKindError, match="attention-standard is a chain of 3 kernels: attention-scores, "):
        gpusim.predict("attention-standard")
    with pytest.raises(lookup.WrongKindError, match="copy is a kernel"):
        gpusim.predict_chain("copy")
    with pytest.raises(ParameterError, match="only a name"):
        Step("copy").algorithm  # noqa: B018


def test_a_parameter_that_no_kernel_takes():
    with pytest.raises(ParameterError, match="T is at most 32"):
        lookup.chain("attention-standard").bind(T=33)
    with pytest.raises(ParameterError, match="cache must be 'cold', 'warm' or 'flushed', not 'hot'"):
        gpusim.predict_chain("attention-standard", cache="hot")


def test_a_kernel_that_runs_twice_is_numbered():
    assert copies().labels == ["copy (1)", "copy (2)"]
    assert isinstance(copies().steps[0].algorithm, Algorithm)
