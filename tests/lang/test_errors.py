"""A wrong description gets one line: where, what is wrong, what would be right."""

import re
from pathlib import Path

import pytest

import gpusim.lang as gl
from gpusim.lang import DescriptionError

X, Y = gl.In[gl.f32, "N"], gl.Out[gl.f32, "N"]


def bool_of_expression(x: X, y: Y):
    if gl.tid.x < 3:  # wrong
        y[0] = x[0]


def and_of_conditions(x: X, y: Y):
    with gl.if_(gl.tid.x < 3 and gl.tid.x > 1):  # wrong
        y[0] = x[0]


def store_to_in(x: X):
    x[0] = 1.0  # wrong


def load_from_out(y: Y):
    y[0] = y[1]  # wrong


def too_many_indices(x: X, y: Y):
    y[0] = x[0, 1]  # wrong


def float_index(x: X, y: Y):
    y[0] = x[x[0]]  # wrong


def float_into_ints(y: gl.Out[gl.i32, "N"], x: X):
    y[0] = x[0]  # wrong


def mixed_types(x: X, y: Y):
    y[0] = x[0] * gl.tid.x  # wrong


def true_division(y: gl.Out[gl.i32, "N"]):
    y[0] = gl.tid.x / 2  # wrong


def division_by_nothing(y: gl.Out[gl.i32, "N"]):
    y[0] = gl.tid.x // 0  # wrong


def number_as_condition(y: Y):
    with gl.if_(gl.tid.x % 2):  # wrong
        y[0] = 1.0


def barrier_in_divergent_branch(y: Y):
    with gl.if_(gl.tid.x < 16):
        gl.barrier()  # wrong


def barrier_in_divergent_loop(y: Y):
    for _ in gl.range(gl.tid.x, 100):
        gl.barrier()  # wrong


def barrier_after_divergent_assignment(y: Y):
    go = gl.var(gl.i32, 0)
    for _ in gl.range(3):
        with gl.if_(go == 0):
            gl.barrier()  # wrong
        with gl.if_(gl.laneid == 5):
            go.set(1)


def barrier_under_divergent_data(x: X, y: Y):
    with gl.if_(x[gl.tid.x] > 0.0):
        gl.barrier()  # wrong


def shared_never_stored(y: Y):
    s = gl.shared(gl.f32, 32)
    y[0] = s[gl.tid.x]  # wrong


def escaped_value(x: X, y: Y):
    for i in gl.range(4):
        v = x[i]
    y[0] = v  # wrong


def escaped_index(y: Y):
    for i in gl.range(4):
        y[i] = 0.0
    y[i] = 1.0  # wrong


def updated_in_a_loop(x: X, y: Y):
    v = x[0]
    for i in gl.range(4):  # wrong
        v = v + i * 0 + 1.0 if False else v * 2.0
    y[0] = v


def updated_in_a_branch(x: X, y: Y):
    v = x[0] * 2.0
    with gl.if_(gl.tid.x < 3):  # wrong
        v += 1.0
    y[0] = v


def early_break(y: Y):
    for i in gl.range(4):
        y[i] = 1.0
        break  # wrong


def early_continue(y: Y):
    for i in gl.range(4):
        with gl.if_(i < 2):
            continue  # wrong
        y[i] = 1.0


def early_return(y: Y):
    with gl.if_(gl.tid.x > 2):
        return  # wrong
    y[0] = 1.0


def else_without_if(y: Y):
    y[0] = 1.0
    with gl.else_():  # wrong
        y[0] = 2.0


def unrolled_size(y: Y):
    for i in gl.unroll(gl.sizes("N")):  # wrong
        y[i] = 1.0


def runtime_register_index(y: Y):
    a = gl.local(gl.f32, 4)
    for i in gl.range(4):
        a[i] = 1.0  # wrong


def shared_of_size(y: Y):
    gl.shared(gl.f32, gl.sizes("N"))  # wrong


def tile_as_size(y: Y, T: gl.Tile = 2):
    gl.sizes("T")  # wrong


def vector_too_wide(x: X, y: Y):
    y.store(0, x.load(0, vec=8))  # wrong


def unknown_cache(x: X, y: Y):
    y[0] = x.load(0, cache="l1")  # wrong


def sliced(x: X, y: Y):
    y[0] = x[0:4]  # wrong


def array_as_number(x: X, y: Y):
    y[0] = x + 1.0  # wrong


def negative_step(y: Y):
    for i in gl.range(4, 0, -1):  # wrong
        y[i] = 1.0


def python_range(y: Y):
    for i in range(gl.sizes("N")):  # wrong
        y[i] = 1.0


def atomic_on_out(y: Y):
    gl.atomic_add(y, 0, 1.0)  # wrong


def half_register(y: Y):
    gl.var(gl.f16, 0.0)  # wrong


def float_to_int_variable(y: Y):
    v = gl.var(gl.i32, 0)
    v.set(1.5)  # wrong


CASES = [
    (bool_of_expression, "gl.if_"),
    (and_of_conditions, "& | ~"),
    (store_to_in, "gl.Out or gl.InOut"),
    (load_from_out, "gl.InOut"),
    (too_many_indices, "x takes 1 index, got 2"),
    (float_index, "index of x must be an integer"),
    (float_into_ints, "gl.cast(gl.i32"),
    (mixed_types, "gl.cast(gl.f32"),
    (true_division, "use //"),
    (division_by_nothing, "'//' by 0"),
    (number_as_condition, "!= 0"),
    (barrier_in_divergent_branch, "part ways"),
    (barrier_in_divergent_loop, "part ways"),
    (barrier_after_divergent_assignment, "part ways"),
    (barrier_under_divergent_data, "part ways"),
    (shared_never_stored, "never stored"),
    (escaped_value, "gl.var"),
    (escaped_index, "'i' is used outside"),
    (updated_in_a_loop, "gl.var(dtype, init)"),
    (updated_in_a_branch, "gl.var(dtype, init)"),
    (early_break, "gl.if_"),
    (early_continue, "gl.if_"),
    (early_return, "gl.if_"),
    (else_without_if, "right after"),
    (unrolled_size, "gl.range"),
    (runtime_register_index, "gl.unroll"),
    (shared_of_size, "gl.Tile"),
    (tile_as_size, "tile, not a size"),
    (vector_too_wide, "at most 4"),
    (unknown_cache, "'cg'"),
    (sliced, "slices"),
    (array_as_number, "index it"),
    (negative_step, "positive"),
    (python_range, "gl.range"),
    (atomic_on_out, "gl.InOut"),
    (half_register, "gl.f32"),
    (float_to_int_variable, "int"),
]


def wrong_line(function):
    """Line of ``function`` marked wrong."""
    lines = Path(__file__).read_text().splitlines()
    first = function.__code__.co_firstlineno
    return next(n for n in range(first, len(lines)) if lines[n - 1].endswith("# wrong"))


@pytest.mark.parametrize(("function", "remedy"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_a_mistake_is_named_with_its_line_and_remedy(function, remedy):
    kernel = gl.kernel(grid=lambda p: 1, block=lambda p: 32)(function)
    with pytest.raises(DescriptionError, match=re.escape(remedy)) as caught:
        kernel.tree  # noqa: B018 (traced when looked at)
    message = str(caught.value)
    assert "\n" not in message
    if not message.startswith(f"{__file__}:{wrong_line(function)}:"):
        # Updates are found when the body ends; Python then runs the line that began it, or the one after.
        assert "is updated in a" in message
        assert message.startswith(__file__)


def made_for(element):
    """What a kernel file does that describes one algorithm for several types of elements."""

    def made(x: gl.In[element, "N"], y: gl.Out[element, "N"]):
        y[0] = x[0] + gl.tid.x  # wrong

    return made


@pytest.mark.parametrize("element", [gl.f32, gl.f16])
def test_a_description_made_by_a_function_names_its_line_too(element):
    function = made_for(element)
    with pytest.raises(DescriptionError, match="between f32 and i32") as caught:
        gl.kernel(grid=lambda p: 1, block=lambda p: 32)(function).tree  # noqa: B018 (traced when looked at)
    assert str(caught.value).startswith(f"{__file__}:{wrong_line(function)}:")


def test_uniform_branches_may_hold_barriers():
    def kernel(x: X, y: Y):
        with gl.if_((gl.ctaid.x < 3) & (x[gl.ctaid.x] > 0.0)):
            gl.barrier()
        for _ in gl.range(gl.ctaid.x, gl.sizes("N")):
            gl.barrier()

    assert gl.kernel(grid=lambda p: 1, block=lambda p: 32)(kernel).tree.body


def test_reusing_a_name_is_no_update():
    def kernel(x: X, y: Y):
        i = gl.tid.x
        for _ in gl.range(3):
            i = gl.tid.x + 1
            y[i] = x[i]
        with gl.if_(i < 2):
            i = gl.tid.x + 2
            y[i] = 0.0

    assert gl.kernel(grid=lambda p: 1, block=lambda p: 32)(kernel).tree.body


def test_variables_belong_to_their_kernel():
    kept = []

    def first(y: Y):
        kept.append(gl.var(gl.f32, 0.0))
        kept.append(y)

    def second(y: Y):
        y[0] = kept[0] + 1.0

    def third(z: Y):
        kept[1][0] = 1.0

    make = gl.kernel(grid=lambda p: 1, block=lambda p: 32)
    assert make(first).tree
    with pytest.raises(DescriptionError, match="belongs to kernel 'first'"):
        make(second).tree  # noqa: B018
    with pytest.raises(DescriptionError, match="belongs to kernel 'first'"):
        make(third).tree  # noqa: B018


def test_the_vocabulary_outside_of_a_kernel():
    with pytest.raises(DescriptionError, match="outside of a kernel"):
        gl.barrier()
    with pytest.raises(DescriptionError, match="outside of a kernel"):
        gl.sizes("N")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": lambda p: p.M}, "p.M: no such parameter"),
        ({"grid": lambda p: (1, 1, 1, 1)}, "one to three"),
        ({"grid": lambda p: 1.5}, "integer"),
        ({"requires": lambda p: [(p.N, "no condition")]}, "condition"),
    ],
)
def test_a_wrong_launch_shape(options, message):
    def kernel(y: Y):
        y[0] = 1.0

    with pytest.raises(DescriptionError, match=message):
        gl.kernel(**{"grid": lambda p: 1, "block": lambda p: 1, **options})(kernel).tree  # noqa: B018


def test_wrong_annotations():
    def bare(y):
        pass

    def with_default(y: Y = 3):
        pass

    def bad_extent(y: gl.Out[gl.f32, "N +"]):
        pass

    def float_extent(y: gl.Out[gl.f32, 2.5]):
        pass

    make = gl.kernel(grid=lambda p: 1, block=lambda p: 1)
    for function, message in (
        (bare, "annotate it"), (with_default, "default of 'y'"), (bad_extent, "extent"), (float_extent, "extent")
    ):  # fmt: skip
        with pytest.raises(DescriptionError, match=message):
            make(function).tree  # noqa: B018
    with pytest.raises(DescriptionError, match="element type"):
        gl.In["N"]
    with pytest.raises(DescriptionError, match=r"gl\.i32"):
        gl.Scalar[gl.f16]
