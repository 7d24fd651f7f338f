"""A Launch: a program with grid, block and arguments, laid out in memory as a driver would."""

from __future__ import annotations

import bisect
import itertools
import math
import mmap
import struct
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state.columns import GLOBAL_BASE, LANES, LOCAL_WINDOW_HI, PARAMETERS_HI, SHARED_WINDOW_HI
from gpusim.errors import GpusimError, ParameterError, shown
from gpusim.hardware import of_architecture
from gpusim.hardware.programming import NOWHERE, Abi
from gpusim.host_memory import enough_memory
from gpusim.isa.program import GRID_WORKSPACE, ArrayInfo, ParamInfo, Program
from gpusim.isa.variants import Atomic
from gpusim.simulate.tensor_maps import TensorMap
from gpusim.simulate.textures import Texture, table

if TYPE_CHECKING:
    from gpusim.results.causes import Cause

ALIGNMENT = 512  # bytes; what CUDA's allocators give (CUDA C++ Programming Guide: at least 256)
POINTER = 8  # bytes

MAP_NORESERVE = 0x4000  # of Linux; Python's mmap names it from 3.13 on
GRANTED = 1 << 28  # bytes that any host has
MOST_BYTES = 1 << 46  # of all buffers together: there begin the windows of shared and local memory


class Buffer(NamedTuple):
    """A global array of which only the size matters."""

    nbytes: int


class Layout(NamedTuple):
    """Where each buffer lies.

    Attributes
    ----------
    address : dict
        First byte of each buffer.
    nbytes : dict
    total : int
        Bytes from ``GLOBAL_BASE`` to the end.
    """

    address: dict[str, int]
    nbytes: dict[str, int]
    total: int


class Memory:
    """Global memory that outlives a launch, as a program has it that launches several kernels.

    Parameters
    ----------
    words : uint32 array
        All of it, from ``GLOBAL_BASE`` on; launches change it.
    arrays : sequence of (str, int, int)
        What lies in it: a name, the address of the first byte, bytes.
    heap : int64 array, optional
        What malloc of device code has handed out of the heap there, where there is one; launches change it.
    textures : int64 array, optional
        What texture objects read, as :func:`~gpusim.simulate.textures.table` has it.
    """

    def __init__(
        self, words: np.ndarray, arrays: Sequence[tuple[str, int, int]], heap: np.ndarray | None = None,
        textures: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.words, self.heap, self.textures = words, heap, table(()) if textures is None else textures
        address = {name: first for name, first, _ in arrays}
        self.layout = Layout(address, {name: nbytes for name, _, nbytes in arrays}, words.nbytes)
        self.infos = tuple(ArrayInfo(name, "global", "u8", -1, 0) for name, _, _ in arrays)
        self._in_order = sorted(arrays, key=lambda one: one[1])
        self._firsts = [first for _, first, _ in self._in_order]

    def array_at(self, address: int) -> str | None:
        """Name of the array in which an address lies, or just past which it does; None where there is none."""
        place = bisect.bisect_right(self._firsts, address) - 1
        if place < 0:
            return None
        name, first, nbytes = self._in_order[place]
        return name if address <= first + nbytes else None

    def pointed_to(self, passed: bytes) -> frozenset[str]:
        """Arrays to which the bytes of an argument may hold pointers, or handles of textures."""
        words = [word for (word,) in struct.iter_unpack("<Q", passed[: len(passed) // POINTER * POINTER])]
        pointers = [word for word in words if word >= GLOBAL_BASE]
        read = [int(self.textures[word, S.TEXTURE_ADDRESS]) for word in words if 0 < word < len(self.textures)]
        return frozenset(name for name in map(self.array_at, pointers + read) if name is not None)


Describing = TensorMap | Texture
"""Arguments that are no pointers, and say where an array lies."""
Argument = np.ndarray | Buffer | TensorMap | Texture | np.generic | bytes | int | float


def memory_of(value: object) -> np.ndarray | None:
    """The array that an argument has the launch hold, None where it is passed by value alone."""
    if isinstance(value, Describing):
        return value.memory
    return value if isinstance(value, np.ndarray) else None


class ArgumentError(GpusimError):
    """An argument that does not fit its parameter."""


@dataclass(frozen=True)
class Launch:
    """What to run.

    Attributes
    ----------
    program : Program
    grid, block : tuple of int
        Blocks, and threads of a block, in x, y, z.
    arguments : mapping of str to ndarray, Buffer, TensorMap, Texture, NumPy scalar, bytes, int or float
        By parameter name.  An ndarray or Buffer is passed by its address; bytes as they are (a struct by value); a
        TensorMap as the 128 bytes that describe its array; a Texture by its handle.
    dynamic_shared : int
        Bytes.
    outputs : tuple of str
        Buffers that hold nothing yet (reading one before writing it is an error in checked runs).
    places : mapping of str to int
        Bytes from the start of global memory at which buffers lie that several launches share; of all buffers, or of
        none, which then lie one after another.
    registers : int, optional
        Registers that a thread is given, where the compiler of what really runs gives it others than `program` names.
    nulls : tuple of str
        Parameters that are null pointers, where it is known which are pointers.
    cluster : tuple of int, optional
        Blocks of a cluster in x, y, z; None: blocks are in no clusters.
    memory : Memory, optional
        Global memory that was there before, to which arguments, passed as bytes, point; None: that of the arguments.
    constants : mapping of int to bytes
        Constant banks with other contents than the program's.
    besides : mapping of str to ndarray
        Arrays in memory that no parameter points to; `places` has theirs, too.  A kernel comes to them by pointers that
        it finds in other arrays.
    without : tuple of Cause
        Causes of time that it is run without.
    free : tuple of str
        Arrays whose loads and stores cost nothing beyond their instructions, as if registers held them.
    once : tuple of str
        Arrays of which L1 keeps nothing, as if their loads were marked so.
    """

    program: Program
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: Mapping[str, Argument]
    dynamic_shared: int = 0
    outputs: tuple[str, ...] = field(default=())
    places: Mapping[str, int] = field(default_factory=dict)
    registers: int | None = None
    nulls: tuple[str, ...] = ()
    cluster: tuple[int, int, int] | None = None
    memory: Memory | None = None
    constants: Mapping[int, bytes] = field(default_factory=dict)
    besides: Mapping[str, np.ndarray] = field(default_factory=dict)
    without: tuple[Cause, ...] = ()
    free: tuple[str, ...] = ()
    once: tuple[str, ...] = ()

    @property
    def registers_per_thread(self) -> int:
        """Registers that a thread is given, before they are rounded up to what a warp's are allotted by."""
        return self.program.n_registers if self.registers is None else self.registers

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return math.prod(self.grid)

    @property
    def cluster_blocks(self) -> int:
        """Blocks of a cluster, 1 where there are none."""
        return math.prod(self.cluster or (1,))

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return -(-self.threads // LANES)

    @property
    def shared_bytes(self) -> int:
        """Static and dynamic shared memory of a block."""
        return self.program.shared_bytes + self.dynamic_shared


def _is_buffer(launch: Launch, param: ParamInfo) -> bool:
    return param.kind == "buffer" or isinstance(launch.arguments[param.name], np.ndarray | Buffer | Describing)


def lay_out(launch: Launch) -> Layout:
    """Place the program's variables and then the buffers one after another, or where the launch says.

    Raises
    ------
    ParameterError
        More than there are addresses for.
    """
    if launch.memory is not None:
        return launch.memory.layout
    address = {v.name: int(GLOBAL_BASE) + v.offset for v in launch.program.variables}
    nbytes = {v.name: v.nbytes for v in launch.program.variables}
    end = variables_end(launch.program)
    for param in launch.program.params:
        if not _is_buffer(launch, param):
            continue
        value = launch.arguments[param.name]
        nbytes[param.name] = int(getattr(memory_of(value), "nbytes", 0) or value.nbytes)  # type: ignore[union-attr]
        address[param.name] = int(GLOBAL_BASE) + launch.places[param.name] if launch.places else end
        end = max(end, address[param.name] + _padded(nbytes[param.name]))
    for name, array in launch.besides.items():
        nbytes[name], address[name] = array.nbytes, int(GLOBAL_BASE) + launch.places[name]
        end = max(end, address[name] + _padded(array.nbytes))
    if end - int(GLOBAL_BASE) > MOST_BYTES:
        raise ParameterError(
            f"the arrays have {end - int(GLOBAL_BASE)} bytes together: a launch has {MOST_BYTES} at most"
        )
    return Layout(address, nbytes, end - int(GLOBAL_BASE))


def variables_end(program: Program) -> int:
    """First address after a program's device variables, where nothing lies yet."""
    ends = (int(GLOBAL_BASE) + v.offset + _padded(v.nbytes) for v in program.variables)
    return max(ends, default=int(GLOBAL_BASE))


def place(nbytes: Mapping[str, int]) -> dict[str, int]:
    """Place buffers that several launches share one after another, each on a 512-byte boundary.

    Parameters
    ----------
    nbytes : mapping of str to int

    Returns
    -------
    dict of str to int
        Bytes from the start of global memory.

    Examples
    --------
    >>> place({"x": 100, "y": 4096, "z": 4})
    {'x': 0, 'y': 512, 'z': 4608}
    """
    ends = itertools.accumulate((_padded(size) for size in nbytes.values()), initial=0)
    return dict(zip(nbytes, ends, strict=False))


def _padded(nbytes: int, unit: int = ALIGNMENT) -> int:
    return -(-nbytes // unit) * unit


def arrays_of(launch: Launch) -> tuple[ArrayInfo, ...]:
    """The program's arrays, and the buffers given for parameters of which the program does not say what they are."""
    if launch.memory is not None:
        return (*launch.program.arrays, *launch.memory.infos)
    known = {a.name for a in launch.program.arrays}
    found = []
    for param in launch.program.params:
        if _is_buffer(launch, param) and param.name not in known:
            value = memory_of(launch.arguments[param.name])
            dtype = "u8" if value is None else f"{value.dtype.kind}{8 * value.dtype.itemsize}"
            found.append(ArrayInfo(param.name, "global", dtype, param.offset, 0))
    elsewhere = [*(v.name for v in launch.program.variables), *launch.besides]
    return (*launch.program.arrays, *found, *(ArrayInfo(name, "global", "u8", -1, 0) for name in elsewhere))


class Placed(NamedTuple):
    """An array of global memory: its number among :func:`arrays_of`, its first byte and one past its last."""

    number: int
    first: int
    end: int


SWAPPED = 4
"""Bytes of the word by which compilers change one of 16 bits atomically: they swap all of it."""


def _swaps_words(program: Program) -> bool:
    """Whether atomics compare and swap words of global memory."""
    swaps = (i for i in program.instrs if i.op.info.is_atomic and i.sub & 15 == Atomic.CAS and i.width == SWAPPED)
    return any(i.op.info.may_be_global for i in swaps)


def in_memory(launch: Launch, layout: Layout) -> list[list[Placed]]:
    """Global arrays in the order of memory, those that share some together.

    Where words are swapped, the word in which an array ends is all its own, as memory is on a GPU.
    """
    unit = SWAPPED if _swaps_words(launch.program) else 1
    found = sorted(
        (
            Placed(k, layout.address[a.name], layout.address[a.name] + _padded(layout.nbytes[a.name], unit))
            for k, a in enumerate(arrays_of(launch))
            if a.space == "global"
        ),
        key=lambda one: one.first,
    )
    groups: list[list[Placed]] = []
    for one in found:
        if groups and one.first < max(other.end for other in groups[-1]):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def constant_bank(launch: Launch, layout: Layout) -> bytes:
    """Constant bank 0: launch dimensions and windows where the architecture has them, and the parameters."""
    program = launch.program
    bank = bytearray(program.bank_bytes[0])
    if program.arch:
        abi = of_architecture(program.arch, Abi)
        put_abi(bank, launch, abi)
        if program.variable(GRID_WORKSPACE) is not None:
            place = layout.address[GRID_WORKSPACE]
            struct.pack_into("<2I", bank, abi.grid_workspace, place >> 32, place & 0xFFFFFFFF)
    for param in program.params:
        value = argument_bytes(param, _passed(launch, param.name), layout)
        bank[param.offset : param.offset + len(value)] = value
    return bytes(bank)


def banks_of(launch: Launch, layout: Layout) -> dict[int, bytes]:
    """Contents of every constant bank."""
    return {**launch.program.banks, **launch.constants, 0: constant_bank(launch, layout)}


def put_abi(bank: bytearray, launch: Launch, abi: Abi) -> None:
    """Write what the driver puts beside the parameters.

    Parameters
    ----------
    bank : bytearray
        Constant bank 0.
    launch : Launch
    abi : Abi
        Of the program's architecture.
    """
    struct.pack_into("<3I", bank, abi.block, *launch.block)
    struct.pack_into("<3I", bank, abi.grid, *launch.grid)
    struct.pack_into("<I", bank, abi.stack, launch.program.local_bytes)
    struct.pack_into("<I", bank, abi.dynamic_shared, launch.dynamic_shared)
    struct.pack_into("<Q", bank, abi.local_window, LOCAL_WINDOW_HI << 32)
    if abi.parameter_address != NOWHERE:
        struct.pack_into("<Q", bank, abi.parameter_address, PARAMETERS_HI << 32 | abi.parameters)
    if abi.cluster != NOWHERE:
        shape = launch.cluster or (1, 1, 1)
        over, clusters = (1 / own for own in shape), (n // own for n, own in zip(launch.grid, shape, strict=True))
        struct.pack_into("<4I3f3I", bank, abi.cluster, launch.cluster is not None, *shape, *over, *clusters)
    if abi.cluster_blocks != NOWHERE:
        struct.pack_into("<I", bank, abi.cluster_blocks, launch.cluster_blocks)
    if abi.shared_window is not None:
        struct.pack_into("<Q", bank, abi.shared_window, SHARED_WINDOW_HI << 32)


_FORMATS = {"i32": "<i", "u32": "<I", "f32": "<f"}


def textures_of(launch: Launch) -> list[tuple[str, Texture]]:
    """Textures of a launch, by parameter; the handle of one is its place here, from 1 on."""
    given = ((param.name, launch.arguments[param.name]) for param in launch.program.params)
    return [(name, value) for name, value in given if isinstance(value, Texture)]


def texture_table(launch: Launch, layout: Layout) -> np.ndarray:
    """Textures of a launch as the engine has them."""
    if launch.memory is not None:
        return launch.memory.textures
    return table([texture.row(layout.address[name]) for name, texture in textures_of(launch)])


def _passed(launch: Launch, name: str) -> Argument:
    """An argument, a texture as its handle."""
    value = launch.arguments[name]
    if isinstance(value, Texture):
        return struct.pack("<Q", 1 + [param for param, _ in textures_of(launch)].index(name))
    return value


def argument_bytes(param: ParamInfo, value: Argument, layout: Layout) -> bytes:
    """An argument as it lies in the constant bank.

    Parameters
    ----------
    param : ParamInfo
    value : Argument
    layout : Layout

    Raises
    ------
    ArgumentError
        If the argument has another size than the parameter.
    """
    if isinstance(value, TensorMap):
        data = value.encode(layout.address[param.name])
    elif isinstance(value, bytes):
        data = value
    elif param.name in layout.address:
        data = struct.pack("<Q", layout.address[param.name])
    elif param.kind in _FORMATS:
        return struct.pack(_FORMATS[param.kind], value)
    else:
        data = _raw_bytes(param, value)
    if param.kind == "raw" and len(data) != param.nbytes:
        raise ArgumentError(f"argument {param.name} has {len(data)} bytes, its parameter {param.nbytes}")
    return data


def _raw_bytes(param: ParamInfo, value: Argument) -> bytes:
    """Bytes of a scalar; a Python number takes the size of its parameter."""
    if isinstance(value, np.generic):
        return value.tobytes()
    if isinstance(value, float) and param.nbytes in (4, 8):
        return struct.pack("<f" if param.nbytes == 4 else "<d", value)
    if isinstance(value, int):
        try:
            return value.to_bytes(param.nbytes, "little", signed=value < 0)
        except OverflowError:
            raise ArgumentError(f"argument {param.name} = {shown(value)} does not fit {param.nbytes} bytes") from None
    raise ArgumentError(f"argument {param.name} of type {type(value).__name__}: no way to pass it")


def as_passed(arguments: Sequence[object]) -> list[object]:
    """Arguments, tensor maps and textures as so many bytes."""
    return [bytes(a.passed_bytes) if isinstance(a, Describing) else a for a in arguments]


def pointers(launch: Launch, layout: Layout) -> list[frozenset[str]]:
    """Parameters that are pointers to arrays, those of arrays that share memory together."""
    if launch.memory is not None:
        return [frozenset(names) for names, _ in pointing(launch)]
    names, given = [a.name for a in arrays_of(launch)], {p.name for p in launch.program.params}
    groups = (frozenset(names[one.number] for one in group) & given for group in in_memory(launch, layout))
    return [group for group in groups if group]


def pointing(launch: Launch) -> list[tuple[set[str], set[str]]]:
    """Parameters that point into memory that was there before, with the arrays that they may point to.

    Parameters that point to the same array are together, with all arrays of each of them.
    """
    assert launch.memory is not None
    groups: list[tuple[set[str], set[str]]] = []
    for param in launch.program.params:
        arrays = set(launch.memory.pointed_to(bytes(launch.arguments[param.name])))  # type: ignore[arg-type]
        if not arrays:
            continue
        joined = [group for group in groups if group[1] & arrays]
        groups = [group for group in groups if group not in joined]
        names = {param.name}.union(*(group[0] for group in joined))
        groups.append((names, arrays.union(*(group[1] for group in joined))))
    return groups


def arrays_of_parameters(launch: Launch, names: Collection[str] | None) -> frozenset[str] | None:
    """Arrays that some parameters point to, by the names that :func:`arrays_of` gives them; None: any."""
    if launch.memory is None or names is None:
        return names if names is None else frozenset(names)
    return frozenset(array for some, arrays in pointing(launch) if some & set(names) for array in arrays)


def fill_memory(launch: Launch, layout: Layout, reads: Collection[str] | None = None) -> np.ndarray:
    """Global memory with the contents of arrays, as 32-bit words.

    Parameters
    ----------
    launch : Launch
    layout : Layout
    reads : collection of str, optional
        Arrays whose contents are read, by their parameters; the others take no memory. Unless given, all.

    Raises
    ------
    NotEnoughMemoryError
        The host has not so much.
    """
    held = {v.name: v for v in launch.program.variables if v.data}
    contents: dict[str, object] = {name: np.frombuffer(v.data, np.uint8) for name, v in held.items()}
    contents |= {**launch.arguments, **launch.besides}
    arrays = {name: memory_of(value) for name, value in contents.items() if reads is None or name in reads}
    given = {name: array for name, array in arrays.items() if array is not None}
    with enough_memory(sum(layout.nbytes[name] for name in given)):
        memory = zeros(layout.total, np.uint8)
        for name, value in given.items():
            memory[_bytes(layout, name)] = bytes_of(value)
    return memory.view(np.uint32)


def copied(launch: Launch, layout: Layout, memory: np.ndarray, reads: Collection[str] | None) -> np.ndarray:
    """Global memory that holds what another one does, of the arrays whose contents are read.

    Parameters
    ----------
    launch, layout, reads
        As for :func:`fill_memory`.
    memory : uint32 array
    """
    names = [name for name in layout.address if reads is None or name in reads]
    with enough_memory(sum(layout.nbytes[name] for name in names)):
        found, raw = zeros(layout.total, np.uint8), memory.view(np.uint8)
        for name in names:
            found[_bytes(layout, name)] = raw[_bytes(layout, name)]
    return found.view(np.uint32)


def _bytes(layout: Layout, name: str) -> slice:
    """Where an array lies in global memory."""
    start = layout.address[name] - int(GLOBAL_BASE)
    return slice(start, start + layout.nbytes[name])


def bytes_of(array: np.ndarray) -> np.ndarray:
    """The bytes of an array, one after another, as a launch has them."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def zeros(count: int, dtype: type[np.generic]) -> np.ndarray:
    """Zeros that take up memory only where they are written to, however many there are.

    NumPy's do so too, but the host's kernel does not grant more of them than there is memory.
    """
    nbytes = count * np.dtype(dtype).itemsize
    if nbytes < GRANTED or sys.platform != "linux":
        return np.zeros(count, dtype)
    try:
        pages = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    except OSError as error:
        raise MemoryError(f"{nbytes} bytes: {error.strerror}") from None
    with suppress(OSError):  # a host that has but one size of pages
        pages.madvise(mmap.MADV_NOHUGEPAGE)  # one that is written to is all that is taken
    return np.frombuffer(pages, dtype)


def read_back(launch: Launch, layout: Layout, memory: np.ndarray) -> dict[str, np.ndarray]:
    """Contents of every array after a run, in the shapes given; of variables the bytes."""
    raw = memory.view(np.uint8)
    found = {v.name: raw[_bytes(layout, v.name)].copy() for v in launch.program.variables}
    given = {**launch.arguments, **launch.besides}
    for name in layout.address:
        value = memory_of(given.get(name))
        if value is not None:
            found[name] = raw[_bytes(layout, name)].copy().view(value.dtype).reshape(value.shape)
    return found
