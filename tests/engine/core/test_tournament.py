"""A tournament tree: the least leaf is known, of several the first."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.engine.core.tournament import empty_tree, tree_first, tree_set
from gpusim.engine.state.columns import NEVER


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 20), st.data())
def test_the_first_of_the_least_leaves_is_found(n, data):
    tree, leaves = empty_tree(n), [int(NEVER)] * n
    for leaf, value in data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, 9)), min_size=1)):
        tree_set(tree, len(tree) // 2, leaf, value)
        leaves[leaf] = value
        assert tree_first(tree, len(tree) // 2) == leaves.index(min(leaves))
        assert tree[1] == min(leaves)
