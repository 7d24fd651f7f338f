"""What wavefronts of shared memory are for, in words."""

import pytest

from gpusim.profiles.profile import Profile
from gpusim.report.shared import BY_WIDTH, wavefronts
from gpusim.results.metric import Claim, Metric

WAVES, CONFLICTS = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared{}.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum",
)


def profile(others=0, **accesses):
    """A launch by kind of access (``ld``, ``st``, ``ldgsts``, ``gmma``): instructions, wavefronts, conflicts."""
    inst = {"ld": "shared_ld", "st": "shared_st", "ldgsts": "ldgsts", "gmma": "gmma"}
    values = {}
    for op, (count, waves, conflicts) in ({"ld": (0, 0, 0), "st": (0, 0, 0)} | accesses).items():
        values |= {f"smsp__inst_executed_op_{inst[op]}.sum": count, WAVES.format(f"_op_{op}"): waves}
        values[CONFLICTS.format(op)] = conflicts
    total = others + sum(waves for _, waves, _ in accesses.values())
    values[WAVES.format("")] = total
    metrics = {name: Metric(value, "", Claim.MODELLED) for name, value in values.items()}
    return Profile("mine", {}, "h200", (1, 1, 1), (32, 1, 1), metrics)


@pytest.mark.parametrize(
    ("accesses", "said"),
    [
        ({"ld": (4, 128, 112)}, "Shared loads take 128 wavefronts, 16 for their width and 112 for bank conflicts."),
        ({"ld": (4, 16, 0)}, "Shared loads take 16 wavefronts for their width."),
        ({"st": (10, 320, 310)}, "Shared stores take 320 wavefronts, 10 for their width and 310 for bank conflicts."),
        ({"ldgsts": (16, 128, 64)}, "Copies to shared memory take 128 wavefronts, 64 for their width and 64 for bank"),
    ],
)
def test_width_and_conflicts_are_told_apart(accesses, said):
    (sentence,) = wavefronts(profile(**accesses))
    assert sentence.startswith(said)
    assert sentence.endswith(BY_WIDTH)


def test_nothing_is_said_of_accesses_of_one_wavefront():
    assert list(wavefronts(profile(ld=(100, 100, 0), st=(50, 51, 1)))) == []


def test_nothing_is_said_of_copies_that_take_no_wavefront():
    assert list(wavefronts(profile(ldgsts=(100, 0, 0)))) == []


def test_what_is_no_access_is_named():
    (sentence,) = wavefronts(profile(others=100, ld=(100, 100, 0)))
    assert sentence.startswith("100 of the shared wavefronts (50 %) are shuffles, barriers and reads of thread numbers")


def test_matrices_that_warpgroups_multiply_are_accesses():
    (sentence,) = wavefronts(profile(others=100, gmma=(10, 900, 0), ld=(100, 100, 0)))
    assert sentence.startswith("100 of the shared wavefronts (9.1 %) are shuffles")


def test_of_a_launch_without_shared_memory_nothing_is_said():
    assert list(wavefronts(profile(others=100))) == []
    assert not profile(others=100).uses_shared_memory
