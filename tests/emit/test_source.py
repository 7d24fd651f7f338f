"""Is emitted source what a person would write: names kept, nothing said twice, in the Program's order?"""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim.lang as gl
from gpusim.catalogue import lookup
from gpusim.lang.emit import emit
from gpusim.lang.emit.identifiers import Scope, identifier
from gpusim.lang.emit.lines import WIDTH, wrapped
from tests.emit import constructs
from tests.kernels.cases import CASES, REPRESENTATIVE
from tests.marks import most_by_hand

GOLDEN = Path(__file__).parent / "golden"
POINTERS = {
    "f32": "float", "f16": "__half", "bf16": "__nv_bfloat16", "e4m3": "__nv_fp8_e4m3", "i32": "int", "u32": "unsigned",
}  # fmt: skip


def words(source):
    """Without line breaks, for what may be broken anywhere."""
    return " ".join(source.split())


@pytest.mark.parametrize("name", ["matmul-tiled", "reduce-shuffle"])
def test_the_whole_text(name):
    wanted = (GOLDEN / f"{name}.cu").read_text(encoding="utf-8")
    assert lookup.get(name).kernel.emit(name=name.replace("-", "_")) == wanted


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE))
@settings(max_examples=2)
@given(data=st.data())
def test_parameters_are_those_of_the_program_in_its_order(name, data):
    kernel = lookup.get(name).kernel
    params = data.draw(CASES[name])
    tiles = {tile: value for tile, value in params.items() if tile in kernel.defaults}
    signature = re.search(r"^\w+\((.*?)\) \{", kernel.emit(**tiles), re.DOTALL | re.MULTILINE)
    intents = {a.name: a.intent for a in kernel.arrays}
    dtypes = {a.name: a.dtype.value for a in kernel.arrays}
    wanted = []
    for param in kernel.lower(**tiles).params:
        const = "const " if intents.get(param.name) == "in" else ""
        pointer = param.kind == "buffer"
        kind = f"{const}{POINTERS[dtypes[param.name]]}* __restrict__" if pointer else POINTERS[param.kind]
        wanted.append(f"{kind} {param.name}")
    assert words(signature[1]) == ", ".join(wanted)


@pytest.mark.parametrize("name", CASES)
def test_lines_are_short_indented_and_without_trailing_space(name):
    for line in lookup.get(name).kernel.emit().splitlines():
        assert len(line) <= WIDTH
        assert line == line.rstrip()
        assert (len(line) - len(line.lstrip())) % 4 == 0


def test_emitting_twice_gives_the_same():
    kernel = lookup.get("matmul-register-tiled").kernel
    assert kernel.emit(BK=16) == emit(kernel.tree, {"BK": 16})


def test_a_value_named_in_one_place_is_declared_there_under_that_name():
    source = lookup.get("matmul-coarsened").kernel.emit()
    assert source.count("const int row = blockIdx.y * T + r;") == 1
    assert source.count("const int col = first + j * T;") == 2


def test_a_wide_load_is_called_what_the_description_calls_its_values():
    assert "const float4 quad = " in lookup.get("matmul-register-tiled-vec4").kernel.emit()


def test_neighbouring_stores_under_one_guard_share_it():
    assert constructs.neighbours.emit().count("if (inside)") == 1


def test_names_that_mean_something_in_c_give_way():
    source = words(constructs.clashes.emit())
    assert "new_(const float* __restrict__ float_, float* __restrict__ y, int int_)" in source
    assert "const int threadIdx_ = threadIdx.x;" in source


def test_hardware_numbers_keep_their_sign_where_it_matters():
    source = constructs.negatives.emit()
    assert "if (int(threadIdx.x) - 4 < 0)" in source
    assert "(3 - int(blockIdx.x)) >> 1" in source


def test_loads_stay_on_their_side_of_a_barrier_and_of_a_condition():
    lines = [line.strip() for line in constructs.order.emit().splitlines()]
    assert lines.index("const int got = s[63 - t] + 1;") < lines.index("s[t] = 0;")
    assert "const int s_value = s[t];" in lines  # not under the guard of the store that takes it


def test_a_guarded_load_joins_the_store_whose_guard_it_implies():
    assert "y[t] = ((t > 2 && t < 60) ? x[t] : -1) + got;" in constructs.order.emit()


def test_shuffles_name_all_lanes_unless_some_may_be_away():
    source = constructs.diverging.emit()
    assert "__shfl_xor_sync(0xffffffff, v, 16)" in source
    assert "__shfl_xor_sync(__activemask(), v, 2)" in source


def test_large_shared_memory_is_dynamic_and_the_header_says_how_much():
    source = constructs.spacious.emit()
    assert "extern __shared__" in source
    assert "51456 bytes of dynamic shared memory" in source
    assert "extern __shared__" not in constructs.spacious.emit(S=2)


def test_a_block_that_depends_on_sizes_may_have_as_many_threads_as_any():
    @gl.kernel(grid=lambda p: 1, block=lambda p: p.N)
    def any_block(y: gl.Out[gl.i32, "N"]):  # noqa: F821
        y[gl.tid.x] = 1

    assert "__launch_bounds__(1024)" in any_block.emit()


def test_what_c_has_no_word_for_is_told_with_its_line():
    with pytest.raises(gl.DescriptionError, match=r"constructs\.py:\d+: CUDA C\+\+ has no atomic max of floats"):
        constructs.float_extreme.emit()


def test_tiles_are_checked_as_for_lowering():
    kernel = lookup.get("matmul-tiled").kernel
    with pytest.raises(gl.DescriptionError, match="no tile 'Q'"):
        kernel.emit(Q=1)
    with pytest.raises(gl.DescriptionError, match="T is at most 32"):
        kernel.emit(T=64)


@given(st.lists(st.sampled_from(["x", "_", "__", "new", "α", "a__b", "x_2", "int", "i"]), max_size=12))
def test_declared_names_are_legal_and_differ(wanted):
    scope = Scope()
    names = [scope.declare(name) for name in wanted]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z]\w*", name) and "__" not in name for name in names)
    assert all(identifier(name) == name for name in names)


@given(st.lists(st.sampled_from(["abc", "f(x, y)", "(a + b)", "x[i]"]), min_size=1, max_size=60), st.integers(0, 40))
def test_breaking_a_line_changes_nothing_but_white_space(parts, indent):
    text = f"y = {' + '.join(parts)};"
    lines = wrapped(text, indent)
    assert words(" ".join(lines)) == text
    assert max(map(len, lines)) <= WIDTH
