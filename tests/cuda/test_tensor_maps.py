"""Do boxes of tensors move as NumPy's slices say, whatever is out of the tensor, and ask for what they need?"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusim
from gpusim import cuda
from gpusim.isa import tensor_map as bits
from gpusim.simulate.tensor_maps import TYPES
from tests.cuda.conftest import SOURCES

TYPE_NAMES = sorted(set(TYPES) - {"bool"})
READ, WRITTEN = "lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum"
NAN = {2: 0x7FFF, 4: 0x7FFFFFFF, 8: 0x7FFFFFFFFFFFFFFF}
SHARED = 64 << 10


def dtype_of(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


@pytest.fixture(scope="module")
def module(compiler: None) -> cuda.Module:
    return cuda.compile(SOURCES / "tensors.cu", gpu="h200")


# ------------------------------------------------------------------ what boxes are


class Case(NamedTuple):
    """A tensor map and where its box begins, in NumPy's order."""

    map: gpusim.TensorMap
    start: tuple[int, ...]

    def __repr__(self) -> str:
        m = self.map
        return f"{m.array.dtype} {m.shape} box {m.box} steps {m.element_strides} {m.swizzle} {m.fill} at {self.start}"

    @property
    def counts(self) -> tuple[int, ...]:
        steps = self.map.element_strides or ()
        return (*(-(-n // step) for n, step in zip(self.map.box[:-1], steps[:-1], strict=True)), self.map.box[-1])

    def elements(self) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Indices of the box's elements in the tensor, and which of them are in it."""
        steps = (*(self.map.element_strides or ())[:-1], 1)
        along = [s + k * np.arange(n) for s, k, n in zip(self.start, steps, self.counts, strict=True)]
        grid = np.meshgrid(*along, indexing="ij")
        inside = np.logical_and.reduce([(g >= 0) & (g < n) for g, n in zip(grid, self.map.shape, strict=True)])
        return tuple(np.where(inside, g, 0) for g in grid), inside

    def words(self) -> np.ndarray:
        """The box as it lies in shared memory."""
        where, inside = self.elements()
        unsigned = np.dtype(f"u{self.map.array.itemsize}")
        fill = NAN[unsigned.itemsize] if self.map.fill == "nan" else 0
        flat = np.where(inside, np.ascontiguousarray(self.map.array).view(unsigned)[where], unsigned.type(fill))
        return swizzle(flat.reshape(-1).view(np.uint32), self.map.swizzle)


def swizzle(words: np.ndarray, span: int | None) -> np.ndarray:
    """Pieces of 16 bytes, the number of each mixed with that of its 128 bytes."""
    if span is None:
        return words
    place = np.arange(len(words) // 4)
    out = np.zeros_like(words).reshape(-1, 4)
    out[place ^ (place >> 3 & (span // 16 - 1))] = words.reshape(-1, 4)
    return out.reshape(-1)


@st.composite
def cases(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(TYPE_NAMES)) -> Case:
    kind = dtype_of(draw(st.sampled_from(kinds)))
    unit = 16 // kind.itemsize
    rank, span = draw(st.integers(1, 5)), draw(st.sampled_from([None, None, 32, 64, 128]))
    inner = unit * draw(st.integers(1, min(256 // unit, (span or 256) // 16)))
    outer = [draw(st.integers(1, 8 if rank < 4 else 3)) for _ in range(rank - 1)]
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3, 8])) for _ in range(rank)]
    shape = [draw(st.integers(1, 12 if rank < 4 else 4)) for _ in range(rank - 1)]
    last = draw(st.integers(1, 80))
    room = -(-last // unit) * unit
    if span is not None and inner * int(np.prod(outer)) * kind.itemsize % 1024:
        outer = [8 if k == 0 else 1 for k in range(rank - 1)] or outer
        span = span if rank > 1 and inner * 8 * kind.itemsize % 1024 == 0 else None
    raw = np.random.default_rng(draw(st.integers(0, 9))).integers(0, 256, (*shape, room * kind.itemsize), np.uint8)
    array = raw.view(kind)[..., :last]
    fill = draw(st.sampled_from(["zeros", "nan"])) if TYPES[kind.name][0] in "fb" else "zeros"
    box = [min(n * step, 256) for n, step in zip(outer, steps, strict=False)]
    found = gpusim.TensorMap(array, (*box, inner), element_strides=steps, swizzle=span, fill=fill)
    start = [draw(st.integers(-4, n + 1)) for n in shape] + [draw(st.integers(-8, last + 1))]
    return Case(found, tuple(start))


def coordinates(start: tuple[int, ...]) -> list[np.int32]:
    return [np.int32(x) for x in (*start[::-1], *(0,) * (5 - len(start)))]


def load(module: cuda.Module, case: Case, **more: Any) -> tuple[np.ndarray, gpusim.Profile]:
    n = case.map.box_bytes
    out = np.zeros(n // 4, np.uint32)
    found = gpusim.profile(
        module.kernel(f"load{len(case.start)}"), 1, 64,
        [case.map, out, *coordinates(case.start), np.int32(n // 4), np.int32(n)], dynamic_shared=SHARED, **more,
    )  # fmt: skip
    return out, found


@settings(max_examples=60, deadline=None)
@given(cases())
def test_a_box_is_what_numpy_says(module: cuda.Module, case: Case) -> None:
    got, _ = load(module, case)
    np.testing.assert_array_equal(got, case.words())


@settings(max_examples=40, deadline=None)
@given(cases())
def test_a_box_goes_back_where_it_is_in_the_tensor(module: cuda.Module, case: Case) -> None:
    words = np.random.default_rng(1).integers(0, 1 << 32, case.map.box_bytes // 4, np.uint32)
    before = case.map.memory.copy()
    own = np.ascontiguousarray(case.map.array).view(f"u{case.map.array.itemsize}")
    gpusim.profile(
        module.kernel(f"store{len(case.start)}"), 1, 64,
        [case.map, words, *coordinates(case.start), np.int32(len(words))], dynamic_shared=SHARED,
    )  # fmt: skip
    where, inside = case.elements()
    unsigned = np.dtype(f"u{case.map.array.itemsize}")
    straight = swizzle(words, case.map.swizzle).view(unsigned).reshape(case.counts)  # its own inverse
    own[tuple(index[inside] for index in where)] = straight[inside]
    np.testing.assert_array_equal(np.ascontiguousarray(case.map.array).view(unsigned), own)
    if case.map.array.flags.c_contiguous:
        return
    gaps = case.map.memory.view(np.uint8) != before.view(np.uint8)
    assert gaps.sum() <= inside.sum() * case.map.array.itemsize


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(cases(("float32",)))
def test_sectors_are_those_of_its_rows(module: cuda.Module, case: Case) -> None:
    """A request for each line of a row; nothing is asked for what is out of the tensor."""
    where, inside = case.elements()
    strides = (*(case.map.strides or ()), 4)
    address = sum(index.astype(np.int64) * stride for index, stride in zip(where, strides, strict=True))
    rows, there = address.reshape(-1, case.counts[-1]), inside.reshape(-1, case.counts[-1])
    sectors = sum(len(set(row[ok] // 32)) for row, ok in zip(rows, there, strict=True))
    _, counted = load(module, case, values=False, fresh=True)
    assert counted[READ].value == sectors
    _, valued = load(module, case)
    assert valued[READ].value == sectors


OPERATIONS = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "inc": lambda old, value: np.where(old >= value, 0, old + 1),
    "dec": lambda old, value: np.where((old == 0) | (old > value), value, old - 1),
}  # fmt: skip
OF_FLOATS = ("add", "min", "max")


REDUCED = [
    (operation, kind)
    for operation in OPERATIONS
    for kind in ("uint32", "int32", "uint64", "float32", "float16", "bfloat16", "float64")
    if (operation in OF_FLOATS or TYPES[kind][0] not in "fb") and (operation not in ("inc", "dec") or kind == "uint32")
]


@pytest.mark.parametrize(("operation", "kind"), REDUCED)
def test_a_box_is_reduced(module: cuda.Module, operation: str, kind: str) -> None:
    dtype = dtype_of(kind)
    rng = np.random.default_rng(3)
    tensor = rng.integers(0, 100, (12, 32)).astype(dtype)
    box = rng.integers(0, 100, (8, 16)).astype(dtype)
    want = tensor.copy()
    want[6:, 20:] = OPERATIONS[operation](want[6:, 20:], box[:6, :12])
    gpusim.profile(
        module.kernel(f"reduce_{operation}"), 1, 32,
        [gpusim.TensorMap(tensor, (8, 16)), box.view(np.uint32).reshape(-1), np.int32(20), np.int32(6),
         np.int32(box.nbytes // 4)], dynamic_shared=SHARED,
    )  # fmt: skip
    np.testing.assert_array_equal(tensor, want)


# ------------------------------------------------------------------ bulk copies

BULK = {
    "add_u32": ("uint32", np.add), "add_u64": ("uint64", np.add), "add_f16": ("float16", np.add),
    "add_bf16": ("bfloat16", np.add), "add_f32": ("float32", np.add), "add_f64": ("float64", np.add),
    "min_s32": ("int32", np.minimum), "max_s64": ("int64", np.maximum), "min_f16": ("float16", np.minimum),
    "inc_u32": ("uint32", OPERATIONS["inc"]), "dec_u32": ("uint32", OPERATIONS["dec"]),
    "xor_b64": ("uint64", np.bitwise_xor),
}  # fmt: skip


@pytest.mark.parametrize("name", BULK)
def test_a_stretch_is_reduced(module: cuda.Module, name: str) -> None:
    kind, operation = BULK[name]
    rng = np.random.default_rng(4)
    to, value = (rng.integers(0, 50, 64).astype(dtype_of(kind)) for _ in range(2))
    want = operation(to, value)
    gpusim.profile(
        module.kernel(f"bulk_{name}"), 1, 32,
        [to.view(np.uint32), value.view(np.uint32), np.int32(value.nbytes // 4)], dynamic_shared=SHARED,
    )  # fmt: skip
    np.testing.assert_array_equal(to, want)


@pytest.mark.parametrize("name", ["min_f16", "max_f16", "min_bf16", "max_bf16"])
def test_the_other_one_of_a_nan_is_the_least_and_the_greatest(module: cuda.Module, name: str) -> None:
    """Whichever of the two it is; and -0 lies below 0."""
    operation, kind = name.split("_")
    special = np.array([np.nan, -np.inf, -2, -0.0, 0.0, 3, np.inf]).astype(
        dtype_of({"bf16": "bfloat16"}.get(kind, "f2"))
    )
    old, value = (np.resize(x.reshape(-1), 64) for x in np.meshgrid(special, special))
    order = np.where(np.isnan(old.astype(float)), value, old), np.where(np.isnan(value.astype(float)), old, value)
    ranks = [np.where(x == 0, np.where(np.signbit(x), -0.5, 0.5), x.astype(float)) for x in order]
    first = ranks[0] <= ranks[1] if operation == "min" else ranks[0] >= ranks[1]
    want = np.where(first | np.isnan(ranks[0]), *order)
    gpusim.profile(
        module.kernel(f"bulk_{name}"), 1, 32, [old.view(np.uint32), value.view(np.uint32), np.int32(32)],
        dynamic_shared=SHARED,
    )  # fmt: skip
    both = np.isnan(want.astype(float))
    assert np.array_equal(np.isnan(old.astype(float)), both)
    np.testing.assert_array_equal(old.view(np.uint16)[~both], want.view(np.uint16)[~both])


def test_copies_within_shared_memory(module: cuda.Module) -> None:
    source, out = np.arange(256, dtype=np.uint32), np.zeros(512, np.uint32)
    gpusim.profile(module.kernel("bulk_within"), 1, 32, [source, out, np.int32(256)], dynamic_shared=SHARED)
    np.testing.assert_array_equal(out, np.concatenate([source, 2 * source]))


def test_each_lane_copies_its_own(module: cuda.Module) -> None:
    source, out = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
    gpusim.profile(module.kernel("divergent"), 1, 32, [source, out], dynamic_shared=SHARED)
    np.testing.assert_array_equal(out, np.where(np.arange(128) // 4 % 3 == 0, source, 7))


# ------------------------------------------------------------------ in time


def pipeline(module: cuda.Module, blocks: int, **how: Any) -> gpusim.Profile:
    source = np.arange(blocks * 6 * 512, dtype=np.uint32)
    out = np.zeros_like(source)
    found = gpusim.profile(
        module.kernel("pipeline"), blocks, 160, [source, out, np.int32(6)], dynamic_shared=4096, fresh=True, **how
    )
    if how.get("values", True):
        np.testing.assert_array_equal(out, source + 1)
    return found


def test_producer_and_consumers_take_turns(module: cuda.Module) -> None:
    pipeline(module, 5)


def test_counts_are_those_of_a_run_with_values(module: cuda.Module) -> None:
    with_values, without = pipeline(module, 40), pipeline(module, 40, values=False)
    for name in ("smsp__inst_executed.sum", READ, WRITTEN, "gpc__cycles_elapsed.max"):
        assert with_values[name].value == without[name].value, name
    assert without[READ].value == 40 * 6 * 2048 // 32


@pytest.mark.long
def test_part_of_a_launch_stands_for_it(module: cuda.Module) -> None:
    blocks = 6000
    found = pipeline(module, blocks, values=False, sample=True)
    assert found[READ].value == pytest.approx(blocks * 6 * 2048 // 32, rel=1e-3)
    one = pipeline(module, 40, values=False)["smsp__inst_executed.sum"].value / 40
    assert found["smsp__inst_executed.sum"].value == pytest.approx(blocks * one, rel=0.05)


def test_a_quick_prediction_counts_all_copies(module: cuda.Module) -> None:
    blocks = 2000
    found = pipeline(module, blocks, values=False, sample="quick")
    assert found[READ].value == pytest.approx(blocks * 6 * 2048 // 32, rel=1e-3)


def test_threads_change_nothing(module: cuda.Module) -> None:
    one, two = (pipeline(module, 300, jobs=jobs).to_dict() for jobs in (1, 3))
    assert {**one, "provenance": None} == {**two, "provenance": None}


# ------------------------------------------------------------------ what may not be

TENSOR = np.zeros((64, 128), np.float16)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "box too large": ({"box": (257, 64)}, "a dimension of the box has 257 elements: 1 to 256 may be"),
    "empty box": ({"box": (0, 64)}, "a dimension of the box has 0 elements"),
    "dimensions": ({"box": (64,)}, "box has 1 numbers, the tensor 2 dimensions: 2 are needed"),
    "row": ({"box": (16, 4)}, "a row of the box has 8 bytes: a multiple of 16 is needed"),
    "swizzle too small": ({"box": (8, 128), "swizzle": 128}, "a row of the box has 256 bytes, more than are swizzled"),
    "no swizzle": ({"box": (8, 8), "swizzle": 96}, "swizzle is None, 32, 64 or 128, not 96"),
    "stride": ({"box": (8, 8), "strides": (200,)}, "a stride has 200 bytes: a multiple of 16"),
    "element stride": ({"box": (8, 8), "element_strides": (9, 1)}, "an element stride is 9: 1 to 8 may be"),
    "interleave": ({"box": (8, 8), "interleave": 16}, "interleaved tensors are not simulated"),
    "fill": ({"box": (8, 8), "fill": "ones"}, "fill is zeros or nan"),
    "promotion": ({"box": (8, 8), "l2_promotion": 32}, "l2_promotion is 0, 64, 128 or 256, not 32"),
    "fraction": ({"box": (8, 8.5)}, "box is a whole number for each dimension"),
    "neighbours": ({"array": TENSOR.T, "box": (8, 8)}, "bytes apart, not neighbours"),
    "NaN of integers": ({"array": np.zeros((8, 8), int), "box": (8, 8), "fill": "nan"}, "NaN fills tensors of floats"),
    "no array": ({"array": [1], "box": (8,)}, "a tensor is a NumPy array of 1 to 5 dimensions, not list"),
    "type": ({"array": np.zeros((8, 8), complex), "box": (8, 8)}, "complex128"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_driver_refuses_is_refused(name: str) -> None:
    given, told = REFUSED[name]
    with pytest.raises(gpusim.GpusimError, match="ensor map") as error:
        gpusim.TensorMap(**{"array": TENSOR, **given})
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_copy_needs_a_map_of_its_dimensions(module: cuda.Module) -> None:
    args = [np.zeros(64, np.uint32), *coordinates((0, 0)), np.int32(64), np.int32(256)]
    for wrong in (gpusim.TensorMap(np.zeros((8, 8, 8), np.float32), (1, 8, 8)), bytes(128)):
        with pytest.raises(gpusim.GpusimError, match="no tensor map that this instruction can use lies at byte 0x240"):
            gpusim.profile(module.kernel("load2"), 1, 32, [wrong, *args], dynamic_shared=SHARED)


def test_an_array_is_no_map_and_what_is_one_is_said(module: cuda.Module) -> None:
    args = [np.zeros(64, np.uint32), *coordinates((0, 0)), np.int32(64), np.int32(256)]
    with pytest.raises(gpusim.GpusimError, match="a tensor map is a gpusim"):
        gpusim.profile(module.kernel("load2"), 1, 32, [np.zeros((8, 8), np.float32), *args], dynamic_shared=SHARED)


IMAGE = """struct __align__(64) Map { unsigned long long words[16]; };
__global__ void image(const __grid_constant__ Map m) {
    extern __shared__ __align__(1024) char box[];
    unsigned s = __cvta_generic_to_shared(box);
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %2, %2}], [%0], {%3};" ::"r"(s), "l"(&m), "r"(0), "h"((short)0) : "memory");
}"""


@pytest.mark.usefixtures("compiler")
def test_a_box_of_an_image_is_refused_by_name() -> None:
    kernel = cuda.compile(IMAGE, gpu="h200").kernel()
    with pytest.raises(
        gpusim.GpusimError, match=r"kernel.cu: kernel image cannot be run: .* UTMALDG.3D.IM2COL \(once, line 6\)"
    ):
        gpusim.profile(kernel, 1, 32, [bytes(128)], dynamic_shared=SHARED)


def test_a_box_is_within_shared_memory_and_memory(module: cuda.Module) -> None:
    tensor = gpusim.TensorMap(np.zeros((64, 64), np.float32), (64, 64))
    args = [np.zeros(64, np.uint32), *coordinates((0, 0)), np.int32(64), np.int32(1 << 14)]
    with pytest.raises(gpusim.GpusimError, match=r"out of bounds of shared memory: shared address 0x\w+, 16384 bytes"):
        gpusim.profile(module.kernel("load2"), 1, 32, [tensor, *args], dynamic_shared=4096)
    larger = gpusim.TensorMap(np.zeros((64, 64), np.float32), (64, 64), strides=(512,))
    with pytest.raises(gpusim.GpusimError, match="out of bounds: address"):
        gpusim.profile(module.kernel("load2"), 1, 32, [larger, *args], dynamic_shared=SHARED)


@pytest.mark.usefixtures("compiler")
def test_a_box_begins_at_a_multiple_of_128() -> None:
    text = IMAGE.replace("[%0], [%1, {%2, %2, %2}], [%0], {%3};", "[%0], [%1, {%2, %2}], [%4];")
    text = text.replace("3d.", "2d.").replace("im2col", "tile").replace('"h"((short)0)', '"h"((short)0), "r"(s + 4096)')
    kernel = cuda.compile(text.replace('"r"(s),', '"r"(s + 64),'), gpu="h200").kernel()
    tensor = gpusim.TensorMap(np.zeros((8, 8), np.float32), (8, 8))
    with pytest.raises(gpusim.GpusimError, match=r"kernel.cu:6: image: .*: misaligned: .* is no multiple of 128"):
        gpusim.profile(kernel, 1, 32, [tensor], dynamic_shared=SHARED)


def test_what_is_swizzled_is_within_shared_memory(module: cuda.Module) -> None:
    """The only piece of a row that ends the block's memory would lie behind it."""
    tensor = gpusim.TensorMap(np.ones((16, 8), np.float32), (15, 4), swizzle=128)
    args = [tensor, np.zeros(60, np.uint32), *coordinates((0, 0)), np.int32(60), np.int32(240)]
    with pytest.raises(gpusim.GpusimError, match="out of bounds of shared memory"):
        gpusim.profile(module.kernel("load2"), 1, 32, args, dynamic_shared=240)
    gpusim.profile(module.kernel("load2"), 1, 32, args, dynamic_shared=256)


def test_bytes_that_never_come_are_named(module: cuda.Module) -> None:
    tensor = gpusim.TensorMap(np.zeros((8, 8), np.float32), (8, 8))
    args = [tensor, np.zeros(64, np.uint32), *coordinates((0, 0)), np.int32(64), np.int32(256 + 16)]
    with pytest.raises(gpusim.GpusimError, match="lacks 0 of 1 arrivals and 16 bytes of its phase of parity 0"):
        gpusim.profile(module.kernel("load2"), 1, 32, args, dynamic_shared=SHARED)


def test_the_map_may_be_given_as_it_lies(module: cuda.Module) -> None:
    """The bytes of a captured launch, whose array lies where that of another argument does."""
    out = np.zeros(64, np.uint32)
    tensor = np.arange(64, dtype=np.uint32).reshape(8, 8)
    found = gpusim.TensorMap(out.reshape(8, 8), (8, 8))
    out[:] = tensor.reshape(-1)
    args = [found.encode(1 << 40), out, *coordinates((2, 0)), np.int32(64), np.int32(256)]
    gpusim.profile(module.kernel("load2"), 1, 32, args, dynamic_shared=SHARED)
    np.testing.assert_array_equal(out.reshape(8, 8), np.vstack([tensor[2:], np.zeros((2, 8), np.uint32)]))


def given_as_it_lies(module: cuda.Module, word: int, bits_set: int, values: bool = True) -> None:
    """A copy by a map, some bits of a word of it changed."""
    out = np.zeros(64, np.uint32)
    words = np.frombuffer(gpusim.TensorMap(out.reshape(8, 8), (8, 8)).encode(1 << 40), np.uint32).copy()
    words[word] |= bits_set
    args = [words.tobytes(), out, *coordinates((0, 0)), np.int32(64), np.int32(256)]
    gpusim.profile(module.kernel("load2"), 1, 32, args, dynamic_shared=SHARED, values=values, fresh=True)


@pytest.mark.parametrize(
    ("word", "bits_set"), [(0, 4), (0, 8), (bits.TYPE_WORD, 15 << 7), (bits.TYPE_WORD, 1 << 11)],
    ids=["address by 4", "address by 8", "type", "interleaved"],
)  # fmt: skip
@pytest.mark.parametrize("values", [True, False])
def test_a_map_that_no_driver_makes_is_refused(module: cuda.Module, word: int, bits_set: int, values: bool) -> None:
    with pytest.raises(gpusim.GpusimError, match="no tensor map that this instruction can use lies at byte 0x240"):
        given_as_it_lies(module, word, bits_set, values)


def test_rows_longer_than_what_is_swizzled_are_refused(module: cuda.Module) -> None:
    words = np.frombuffer(gpusim.TensorMap(np.zeros((8, 16), "u4"), (8, 16)).encode(1 << 40), np.uint32).copy()
    words[bits.TYPE_WORD] |= bits.SWIZZLES[32] << bits.SWIZZLE_AT
    args = [words.tobytes(), np.zeros(128, np.uint32), *coordinates((0, 0)), np.int32(128), np.int32(512)]
    with pytest.raises(gpusim.GpusimError, match="no tensor map that this instruction can use"):
        gpusim.profile(module.kernel("load2"), 1, 32, args, dynamic_shared=SHARED)


def test_elements_of_tf32_are_not_copied_as_they_are(module: cuda.Module) -> None:
    """The hardware rounds them.  Nothing depends on how where only counts matter."""
    f32 = (bits.NAMES.index("f32") ^ bits.NAMES.index("u32")) << bits.TYPE_AT | 1 << bits.TF32_AT
    with pytest.raises(gpusim.GpusimError, match="copies a tensor of tf32, whose elements the hardware rounds: use a"):
        given_as_it_lies(module, bits.TYPE_WORD, f32)
    given_as_it_lies(module, bits.TYPE_WORD, f32, values=False)


@pytest.mark.parametrize("values", [True, False])
def test_the_map_may_lie_in_global_memory(module: cuda.Module, values: bool) -> None:
    """Arrays lie one after another, 512 bytes apart at least, from 2**40 on."""
    tensor, out = np.arange(64, dtype=np.uint32).reshape(8, 8), np.zeros(64, np.uint32)
    words = np.frombuffer(gpusim.TensorMap(tensor, (8, 8)).encode((1 << 40) + 1024), np.uint64).copy()
    tail = np.concatenate([out, np.zeros(64, np.uint32), tensor.reshape(-1)])
    found = gpusim.profile(
        module.kernel("by_pointer"), 1, 32, [words, tail, np.int32(64)], dynamic_shared=SHARED, values=values
    )
    assert found[READ].value > 0
    if values:
        np.testing.assert_array_equal(tail[:64], tensor.reshape(-1))


def test_fields_lie_where_compiled_code_puts_them() -> None:
    """As ``tensormap.replace`` for sm_90a writes them, one word of it each."""
    array = np.zeros((3, 5, 7, 9, 16), np.float32)
    found = gpusim.TensorMap(
        array,
        (2, 3, 4, 5, 8),
        element_strides=(8, 7, 6, 5, 4),
        swizzle=64,
        fill="nan",
    )
    words = np.frombuffer(found.encode(0x123456789A0), np.uint32)
    assert len(words) * 4 == bits.NBYTES
    assert int(words[0]) | int(words[1]) << 32 == 0x123456789A0
    assert words[2] == 4 << 4 | 7 << 7 | 2 << 13 | 1 << 15
    assert words[3:7].tolist() == [s >> 4 for s in array.strides[-2::-1]]
    assert words[8:13].tolist() == [15, 8, 6, 4, 2]
    assert words[13] == 3 | 4 << 3 | 5 << 6 | 6 << 9 | 7 << 12 | 7 << 24
    assert words[14] == 4 | 3 << 8 | 2 << 16 | 1 << 24
    assert not words[15:].any()
    assert words[7] == 0
    high = gpusim.TensorMap(np.zeros((1, 16), np.float32), (1, 8), strides=((1 << 40) - 16,))
    assert np.frombuffer(high.encode(0), np.uint32)[[3, 7]].tolist() == [0xFFFFFFFF, 0xF]


def test_every_combination_of_edges() -> None:
    """Coordinates before, in and after a tensor along both dimensions: elements are those of NumPy's slices."""
    for y, x in itertools.product((-9, -8, -1, 0, 3, 7, 8), repeat=2):
        case = Case(gpusim.TensorMap(np.ones((8, 8), np.float32), (8, 8)), (y, x))
        _, inside = case.elements()
        assert inside.sum() == max(0, 8 - abs(y)) * max(0, 8 - abs(x))
