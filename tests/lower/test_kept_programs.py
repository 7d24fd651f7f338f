"""Is a program that is kept the one that would be lowered?"""

import pytest

from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.kept.store import FORGET
from gpusim.lang import kept_programs
from gpusim.lang.kept_programs import lowered, tree_digest
from gpusim.lang.lower import pipeline
from gpusim.lang.lower.target import Target
from gpusim.lang.tree import DType, Tree, Var

KERNELS = "matmul-tiled", "softmax-online", "flash-attention-2", "gather"


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """One entry for each lowering; with a cache folder of the test's own."""
    monkeypatch.delenv(FORGET, raising=False)
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path))
    made, lower = [], pipeline.lower
    monkeypatch.setattr(pipeline, "lower", lambda *what: made.append(1) or lower(*what))
    return made


def parts(name, gpu="h200", **tiles):
    kernel = lookup.get(name).kernel
    return kernel.tree, tuple(sorted(kernel.tiles(**tiles).items())), Target.of(hardware.load(gpu))


@pytest.mark.parametrize("name", KERNELS)
def test_a_kept_program_is_the_lowered_one(runs, name):
    first, second = (lowered(*parts(name)) for _ in range(2))
    assert len(runs) == 1
    assert second == first
    assert second is not first


def test_tiles_and_targets_have_programs_of_their_own(runs):
    asked = [{}, {"T": 16}, {"gpu": "a100"}, {"gpu": "b200"}]
    for _ in range(2):
        found = [lowered(*parts("matmul-tiled", **how)) for how in asked]
    assert len(runs) == len(asked)
    assert len({str(program.listing(control=True)) + program.arch for program in found}) == len(asked)


def test_lowering_leaves_a_tree_as_it_is(runs):
    tree, tiles, target = parts("flash-attention-2")
    before = tree_digest(tree)
    lowered(tree, tiles, target)
    assert tree_digest(tree) == before


def tree(first, second):
    return Tree("k", (), (), (), (first, second), (), (), (), (), "", {})


def test_which_variables_are_the_same_one_is_told():
    x, y = Var("v", DType.F32), Var("v", DType.F32)
    assert tree_digest(tree(x, x)) != tree_digest(tree(x, y))


def test_what_cannot_be_told_is_lowered_every_time(runs, monkeypatch):
    monkeypatch.setattr(kept_programs, "tree_digest", lambda tree: None)
    for _ in range(2):
        lowered(*parts("gather"))
    assert len(runs) == 2
