"""Products of matrices by a warpgroup, for tests: kernels of one product each, matrices as descriptors have them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import ml_dtypes
import numpy as np

ROWS, ROW_BYTES, PIECE, CORE = 64, 32, 16, 8

TYPES = {
    "f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16), "tf32": np.dtype(np.float32),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn), "e5m2": np.dtype(ml_dtypes.float8_e5m2), "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
}  # fmt: skip
SUMS = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "s32": np.dtype(np.int32)}
BODY = """
extern "C" __global__ void NAME(const uint4* image, int pieces, u64 da, u64 db, int keeps, const TYPE* c, const u32* a,
                                TYPE* out) {
  extern __shared__ __align__(1024) uint4 shared[];
  for (int k = threadIdx.x; k < pieces; k += blockDim.x) shared[k] = image[k];
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  u64 base = (u32)__cvta_generic_to_shared(shared) >> 4;
  da += base; db += base;
  TYPE r[WORDS];
  u32 x[4];
  for (int k = 0; k < WORDS; k++) r[k] = c[threadIdx.x * WORDS + k];
  for (int k = 0; k < 4; k++) x[k] = a[threadIdx.x * 4 + k];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %KEEPS, 0; PRODUCT }" : OUT : "l"(da), "l"(db), "r"(keeps), FIRST);
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int k = 0; k < WORDS; k++) out[threadIdx.x * WORDS + k] = r[k];
}
"""
HEAD = "typedef unsigned u32; typedef unsigned long long u64;\n"


@dataclass(frozen=True)
class Case:
    """A product: types of its matrices and sums, N, and how matrices are given."""

    a: str
    b: str
    sums: str
    n: int
    in_registers: bool = False
    a_turned: bool = False
    b_turned: bool = False
    a_sign: int = 1
    b_sign: int = 1
    clamps: bool = False

    @property
    def depth(self) -> int:
        """Elements of a row of the first matrix."""
        return ROW_BYTES // TYPES[self.a].itemsize

    @property
    def words(self) -> int:
        """Registers of a thread that hold sums."""
        return self.n // CORE * (2 if self.sums == "f16" else 4)

    @property
    def name(self) -> str:
        """Of its kernel."""
        turned = ("r" if self.in_registers else "s") + "a" * self.a_turned + "b" * self.b_turned
        signs = "".join("n" if sign < 0 else "p" for sign in (self.a_sign, self.b_sign))
        return f"k_{self.a}_{self.b}_{self.sums}_{self.n}_{turned}_{signs}{'_sat' * self.clamps}"

    @property
    def source(self) -> str:
        """Its kernel."""
        da, db, keeps, *first = (f"%{self.words + k}" for k in range(7))
        sums = ", ".join(f"%{k}" for k in range(self.words))
        given = f"{{{', '.join(first)}}}" if self.in_registers else da
        more = "" if self.sums == "s32" else f", {self.a_sign}, {self.b_sign}"
        if self.a in ("f16", "bf16"):
            more += ("" if self.in_registers else f", {int(self.a_turned)}") + f", {int(self.b_turned)}"
        kind = f"m64n{self.n}k{self.depth}.{self.sums}.{self.a}.{self.b}{'.satfinite' * self.clamps}"
        letter, name = ("f", "float") if self.sums == "f32" else ("r", "u32")
        filled = {
            "NAME": self.name, "WORDS": str(self.words), "TYPE": name, "%KEEPS": keeps,
            "PRODUCT": f"wgmma.mma_async.sync.aligned.{kind} {{{sums}}}, {given}, {db}, p{more};",
            "OUT": ", ".join(f'"+{letter}"(r[{k}])' for k in range(self.words)),
            "FIRST": ", ".join(f'"r"(x[{k}])' for k in range(4)),
        }  # fmt: skip
        made = BODY
        for word, text in filled.items():
            made = made.replace(word, text)
        return made


def source(cases: Iterable[Case]) -> str:
    """One file with all their kernels."""
    return HEAD + "".join(case.source for case in dict.fromkeys(cases))


@dataclass(frozen=True)
class Lie:
    """How a matrix lies in shared memory: rows of ``swizzle`` bytes, and bytes between cores in both directions."""

    swizzle: int  # 16 (none), 32, 64, 128
    leading: int
    stride: int
    turned: bool = False
    start: int = 0
    offset: int = 0

    @property
    def descriptor(self) -> int:
        """Its 64 bits, from the start of shared memory."""
        kind = {16: 0, 128: 1, 64: 2, 32: 3}[self.swizzle]
        return self.start >> 4 | self.leading >> 4 << 16 | self.stride >> 4 << 32 | self.offset << 49 | kind << 62

    def address(self, row: int, byte: int, elements: int) -> int:
        """Where an element lies: of a row, ``byte`` from its start; ``elements`` in 16 bytes."""
        if self.turned:
            deep = byte * elements // PIECE
            piece, inside = row // elements, row % elements * (PIECE // elements)
            pieces = self.swizzle // PIECE
            place = piece % pieces * PIECE + deep % CORE * self.swizzle
            if self.swizzle > PIECE:
                place += piece // pieces * self.leading + deep // CORE * self.stride
            else:
                place += piece * self.stride + deep // CORE * self.leading
        else:
            step = self.leading if self.swizzle == PIECE else PIECE
            place, inside = row % CORE * self.swizzle + row // CORE * self.stride + byte // PIECE * step, byte % PIECE
        place += self.start
        return (place ^ (((place >> 7) - self.offset) % (self.swizzle // PIECE)) * PIECE) + inside


def put(image: np.ndarray, matrix: np.ndarray, lie: Lie) -> None:
    """Write a matrix, a row of 32 bytes each, to an image of shared memory."""
    size = matrix.dtype.itemsize
    for row, line in enumerate(matrix):
        for k, value in enumerate(line):
            at = lie.address(row, k * size, PIECE // size)
            image[at : at + size] = np.frombuffer(value.tobytes(), np.uint8)


def fragments(matrix: np.ndarray) -> np.ndarray:
    """The registers of each of 128 threads that hold the first matrix, shape (128, 4)."""
    words = np.ascontiguousarray(matrix).view(np.uint32)
    lane = np.arange(128) % 32
    row = np.arange(128) // 32 * 16 + lane // 4
    return np.stack([words[row + 8 * (r % 2), lane % 4 + 4 * (r // 2)] for r in range(4)], axis=1)


def gathered(registers: np.ndarray, case: Case) -> np.ndarray:
    """The matrix that sums in registers are, shape (64, N)."""
    lane = np.arange(128) % 32
    row, column = np.arange(128) // 32 * 16 + lane // 4, 2 * (lane % 4)
    found = np.zeros((ROWS, case.n), SUMS[case.sums])
    per = 2 if case.sums == "f16" else 1
    values = np.ascontiguousarray(registers).view(SUMS[case.sums]).reshape(128, case.words * per)
    for k in range(case.words * per):
        tile, r = divmod(k, 4)
        found[row + 8 * (r // 2), CORE * tile + column + r % 2] = values[:, k]
    return found


def scattered(matrix: np.ndarray, case: Case) -> np.ndarray:
    """Registers that hold sums: the way back."""
    lane = np.arange(128) % 32
    row, column = np.arange(128) // 32 * 16 + lane // 4, 2 * (lane % 4)
    per = 2 if case.sums == "f16" else 1
    values = np.zeros((128, case.words * per), SUMS[case.sums])
    for k in range(case.words * per):
        tile, r = divmod(k, 4)
        values[:, k] = matrix[row + 8 * (r // 2), CORE * tile + column + r % 2]
    return values.view(np.uint32).reshape(128, case.words)
