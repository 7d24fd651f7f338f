"""Running a description the slow way: every thread of the launch side by side in NumPy, statement by statement.

It shares nothing with the lowering and the engine but the tree, so it says what a description means, and how many
elements its threads touch, independently of them.  All threads move in lockstep, which is one of the orders that
barriers allow.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpusim.algorithm import KernelLaunch, numpy_dtype
from gpusim.lang.evaluate import evaluate
from gpusim.lang.tree import (
    Assign,
    Barrier,
    DType,
    Expr,
    For,
    GlobalArray,
    If,
    Let,
    Load,
    LocalArray,
    Read,
    SharedArray,
    Shuffle,
    Stmt,
    Store,
    Var,
)

WARP = 32


class Threads:
    """All threads of a launch.

    Attributes
    ----------
    loads, stores : Counter
        Elements of each global array, by name.
    buffers : dict of ndarray
        Global memory, by array.
    """

    def __init__(self, launch: KernelLaunch, inputs: Mapping[str, np.ndarray]) -> None:
        self.loads: Counter[str] = Counter()
        self.stores: Counter[str] = Counter()
        self.shapes: dict[str, tuple[int, ...]] = {array.name: array.shape for array in launch.arrays}
        self.buffers = {
            array.name: inputs[array.name].copy()
            if array.name in inputs
            else np.zeros(array.shape, numpy_dtype(array.dtype))
            for array in launch.arrays
        }
        self.blocks, self.per_block = math.prod(launch.grid), math.prod(launch.block)
        self.count = self.blocks * self.per_block
        self.known: dict[Any, Any] = dict(launch.params)
        self.known.update(specials(launch))
        self.block = np.arange(self.count) // self.per_block
        self.locals: dict[Any, Any] = {}
        self.shared = {array: self.empty(array) for array in launch.kernel.tree.shared}
        self.run(launch.kernel.tree.body, np.ones(self.count, bool))

    def empty(self, array: SharedArray) -> np.ndarray:
        """Shared memory of every block, never written: NaN, or the most negative int."""
        shape = tuple(int(self.value(extent)) for extent in array.shape)
        self.shapes[array.name] = shape
        dtype = numpy_dtype(array.dtype.value)
        return np.full((self.blocks, *shape), np.nan if array.dtype.is_float else np.iinfo(dtype).min, dtype)

    def value(self, e: Expr) -> Any:
        return evaluate(e, self.known)

    def everywhere(self, e: Expr, dtype: DType | None = None) -> np.ndarray:
        """`e` as an array with an entry a thread."""
        value = np.asarray(self.value(e))
        if dtype is not None:
            value = value.astype(bool if dtype is DType.PRED else numpy_dtype(dtype.value))
        return np.broadcast_to(value, self.count)

    def run(self, body: Sequence[Stmt], active: np.ndarray) -> None:
        if active.any():
            for statement in body:
                self.step(statement, active)

    def step(self, statement: Stmt, active: np.ndarray) -> None:
        match statement:
            case Let(temp=temp, value=Read(target=target, indices=indices)):
                self.known[temp] = self.locals[target, self.place(indices)]
            case Let(temp=temp, value=value):
                self.known[temp] = self.everywhere(value, temp.dtype)
            case Assign(target=target, indices=indices, value=value):
                self.assign(target, self.place(indices), self.everywhere(value, target.dtype), active)
            case Load():
                self.load(statement, active)
            case Store():
                self.store(statement, active)
            case Shuffle():
                self.shuffle(statement, active)
            case Barrier():
                arrived = active.reshape(self.blocks, self.per_block)
                assert (arrived.all(axis=1) | ~arrived.any(axis=1)).all(), f"line {statement.line}: divergent barrier"
            case If(cond=cond, then=then, orelse=orelse):
                taken = self.everywhere(cond)
                self.run(then, active & taken)
                self.run(orelse, active & ~taken)
            case For():
                self.loop(statement, active)
            case _:
                raise NotImplementedError(type(statement).__name__)

    def place(self, indices: tuple[Expr, ...]) -> tuple[int, ...]:
        """Index into a register array, the same for all threads."""
        return tuple(int(self.value(e)) for e in indices)

    def assign(self, target: Var | LocalArray, place: tuple[int, ...], new: np.ndarray, active: np.ndarray) -> None:
        old = self.locals.get((target, place), np.zeros_like(new))
        self.locals[target, place] = np.where(active, new, old)

    # ------------------------------------------------------------ memory

    def touched(self, statement: Load | Store, width: int, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Threads that make an access, and the flat index of their first element, checked against the bounds."""
        array, shape = statement.array, self.shapes[statement.array.name]
        if statement.guard is not None:
            active = active & self.everywhere(statement.guard)
        flat = np.zeros(self.count, np.int64)
        for axis, (e, extent) in enumerate(zip(statement.index, shape, strict=True)):
            index = self.everywhere(e)
            last = index + (width - 1 if axis == len(shape) - 1 else 0)
            inside = (index >= 0) & (last < extent)
            assert (inside | ~active).all(), f"line {statement.line}: {array.name} axis {axis} leaves 0..{extent - 1}"
            flat = flat * extent + index
        assert not (flat[active] % width).any(), f"line {statement.line}: {array.name} accessed out of alignment"
        if isinstance(array, SharedArray):
            flat = flat + self.block * math.prod(shape)
        return active, flat

    def memory(self, array: GlobalArray | SharedArray) -> np.ndarray:
        store = self.shared[array] if isinstance(array, SharedArray) else self.buffers[array.name]
        return store.reshape(-1)

    def load(self, statement: Load, active: np.ndarray) -> None:
        width = len(statement.temps)
        active, flat = self.touched(statement, width, active)
        memory = self.memory(statement.array)
        for lane, temp in enumerate(statement.temps):
            got = np.zeros(self.count, memory.dtype)
            if statement.other is not None:
                got[:] = self.everywhere(statement.other, temp.dtype)
            got[active] = memory[flat[active] + lane]
            self.known[temp] = got
        if isinstance(statement.array, GlobalArray):
            self.loads[statement.array.name] += width * int(active.sum())

    def store(self, statement: Store, active: np.ndarray) -> None:
        width = len(statement.values)
        active, flat = self.touched(statement, width, active)
        memory = self.memory(statement.array)
        for lane, value in enumerate(statement.values):
            memory[flat[active] + lane] = self.everywhere(value)[active]
        if isinstance(statement.array, GlobalArray):
            self.stores[statement.array.name] += width * int(active.sum())

    # ------------------------------------------------------------ warps and loops

    def shuffle(self, statement: Shuffle, active: np.ndarray) -> None:
        lane, value, by = self.known["laneid"], self.everywhere(statement.value), self.everywhere(statement.lane)
        source = {"idx": by, "up": lane - by, "down": lane + by, "xor": lane ^ by}[statement.kind]
        source = np.where((source >= 0) & (source < WARP), source, lane)
        self.known[statement.temp] = value[np.arange(self.count) - lane + source]

    def loop(self, loop: For, active: np.ndarray) -> None:
        place, stop, step = (self.value(e) for e in (loop.start, loop.stop, loop.step))
        while (inside := active & (place < stop)).any():
            self.known[loop.index] = place
            self.run(loop.body, inside)
            place = place * step if loop.geometric else place + step


def specials(launch: KernelLaunch) -> dict[str, Any]:
    """Indices of all threads, blocks in order and each block's threads in order; block b runs on SM b."""
    count, per_block = math.prod(launch.grid) * math.prod(launch.block), math.prod(launch.block)
    places = np.unravel_index(np.arange(count), (*launch.grid[::-1], *launch.block[::-1]))
    found: dict[str, Any] = {}
    for axis, block, thread in zip("zyx", places[:3], places[3:], strict=True):
        found[f"ctaid.{axis}"], found[f"tid.{axis}"] = block, thread
        found[f"nctaid.{axis}"] = launch.grid["xyz".index(axis)]
        found[f"ntid.{axis}"] = launch.block["xyz".index(axis)]
    inside = np.arange(count) % per_block
    return {**found, "laneid": inside % WARP, "warpid": inside // WARP, "smid": np.arange(count) // per_block}
