"""Cubins: what a compiler made of each kernel, as Python objects.

A cubin is an ELF file with a section ``.text.<kernel>`` for each kernel, ``.nv.info.<kernel>`` for its
attributes, ``.nv.constant<bank>[.<kernel>]`` for its constant banks, ``.nv.shared.<kernel>`` for the size of
its static shared memory; ``.nv.global`` and ``.nv.global.init`` are the module's ``__device__`` variables.

Source: CUDA Binary Utilities 13.0, https://docs.nvidia.com/cuda/cuda-binary-utilities/, and what its
``cuobjdump -elf -res-usage`` prints of the same files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from gpusim import hardware
from gpusim.cuda import elf
from gpusim.cuda.attributes import Attribute, Entry, Parameter, all_words, entries, parameter, words
from gpusim.cuda.cuda_errors import CubinError
from gpusim.cuda.relocations import FIELDS, Field, Relocation, relocation
from gpusim.hardware.programming import Abi

_MACHINE_CUDA = 190
_RELOCATABLE = 1  # e_type
_ABI_CUDA_12, _ABI_CUDA_13 = (0x33, 7), (0x41, 8)
_ACCELERATED = 0x800  # EF_CUDA_ACCELERATORS in e_flags
_ENTRY = 0x10  # STO_CUDA_ENTRY in st_other
_MOST_BYTES = 1 << 38  # of variables; more than any GPU has
_WORD = Field(0, 4)


@dataclass(frozen=True)
class Variable:
    """A variable of the module.

    Attributes
    ----------
    name : str
        Symbol.
    nbytes : int
    data : bytes
        What it holds at first; empty where that is zeros.
    relocations : tuple of Relocation
        Pointers in it; offsets from its first byte.
    """

    name: str
    nbytes: int
    data: bytes = b""
    relocations: tuple[Relocation, ...] = ()


@dataclass(frozen=True)
class Constant:
    """A ``__constant__`` variable: so many bytes at an offset of constant bank 3."""

    name: str
    offset: int
    nbytes: int


@dataclass(frozen=True)
class KernelCode:
    """One kernel.

    Attributes
    ----------
    name : str
        Symbol.
    code : bytes
        Machine code, the functions it calls included.
    registers : int
        Registers a thread.
    shared_bytes : int
        Static shared memory a block, without what the system keeps.
    shared_alignment : int
        Alignment of its shared memory, dynamic included, in bytes.
    local_bytes : int
        Stack a thread (of recursive functions only the least).
    max_threads : int
        Threads a block may have: the launch bounds, or as many as a block has at most.
    block : tuple of int or None
        Threads of a block in x, y, z, where the code is for blocks of that shape alone.
    barriers : int
        Barriers a block uses.
    cluster : tuple of int or None
        Blocks of a cluster along x, y, z, where the source says how many.
    most_in_cluster : int or None
        Blocks that a cluster may have, where the launch bounds say so.
    grid_of_clusters : bool
        Whether a launch counts its grid in clusters.
    parameters : tuple of Parameter
        In order; offsets count from the first one.
    param_bytes : int
        Bytes of all parameters.
    banks : mapping
        Contents of the other constant banks by number (2 and 4 the compiler's, 3 ``__constant__``).
    relocations : tuple of Relocation
        Places in `code` and `banks` that hold addresses.
    masks : mapping
        Of instructions by which lanes of a warp meet, by their bytes from the start of `code`, the register that names
        these lanes; None where it is all of them.
    """

    name: str
    code: bytes
    registers: int
    shared_bytes: int
    shared_alignment: int
    local_bytes: int
    max_threads: int
    block: tuple[int, ...] | None
    barriers: int
    cluster: tuple[int, int, int] | None
    most_in_cluster: int | None
    grid_of_clusters: bool
    parameters: tuple[Parameter, ...]
    param_bytes: int
    banks: Mapping[int, bytes]
    relocations: tuple[Relocation, ...]
    masks: Mapping[int, int | None]


@dataclass(frozen=True)
class Cubin:
    """A compiled module.

    Attributes
    ----------
    arch : str
        Real architecture, such as ``"sm_90"``.
    kernels : mapping
        :class:`KernelCode` by symbol.
    variables : tuple of Variable
        ``__device__`` variables and what the compiler made of strings.
    constants : tuple of Constant
    data : bytes
        The whole file.
    """

    arch: str
    kernels: Mapping[str, KernelCode]
    variables: tuple[Variable, ...] = ()
    constants: tuple[Constant, ...] = ()
    data: bytes = field(default=b"", repr=False)


def is_cubin(data: bytes) -> bool:
    """Whether a file begins as a cubin does: ELF for a CUDA device."""
    return data.startswith(elf.MAGIC) and int.from_bytes(data[18:20], "little") == _MACHINE_CUDA


def parse(data: bytes, filename: str = "cubin") -> Cubin:
    """Take a cubin apart.

    Parameters
    ----------
    data : bytes
        The file.
    filename : str
        What messages call it.

    Returns
    -------
    Cubin

    Raises
    ------
    CubinError
        Where it is no cubin, truncated or corrupted.
    """
    try:
        return _parse(data)
    except CubinError as error:
        raise CubinError(f"{filename} is no cubin that can be read: {error}") from None


def _parse(data: bytes) -> Cubin:
    file = elf.read(data)
    if file.machine != _MACHINE_CUDA:
        raise CubinError("it is an ELF file, but not for a CUDA device")
    if file.kind == _RELOCATABLE:
        raise CubinError("it is not linked: compile it without -rdc=true or -dc")
    arch = _architecture(file)
    _demand_known(arch)
    module = _entries(file, ".nv.info")
    names = [symbol.name for symbol in file.symbols if symbol.is_function and symbol.other & _ENTRY and symbol.section]
    kernels = {name: _kernel(file, name, module, arch) for name in names}
    return Cubin(arch, kernels, tuple(_variables(file)), tuple(_constants(file)), data)


def _architecture(file: elf.Elf) -> str:
    """``sm_90``; the letter of ``sm_90a`` is in the note the assembler leaves, before CUDA 13 in a flag."""
    if (file.os_abi, file.abi_version) == _ABI_CUDA_13:
        number, accelerated = file.flags >> 8 & 0xFF, False
    elif (file.os_abi, file.abi_version) == _ABI_CUDA_12:
        number, accelerated = file.flags & 0xFF, bool(file.flags & _ACCELERATED)
    else:
        raise CubinError(f"its format (ABI {file.os_abi:#x}, version {file.abi_version}) is not that of CUDA 12 or 13")
    note = file.section(".note.nv.tkinfo")
    named = re.search(rb"-arch (sm_(\d+)[af]?)\b", note.data) if note else None
    if named and int(named[2]) == number:
        return named[1].decode()
    return f"sm_{number}{'a' if accelerated else ''}"


def _demand_known(arch: str) -> None:
    """Refuse machine code of which nobody said where it finds what the driver prepares."""
    try:
        hardware.architecture(arch)
    except hardware.SpecError as error:
        raise CubinError(str(error)) from None


def _entries(file: elf.Elf, name: str) -> list[Entry]:
    section = file.section(name)
    return list(entries(section.data)) if section else []


def _kernel(file: elf.Elf, name: str, module: list[Entry], arch: str) -> KernelCode:
    """Everything about one kernel."""
    text = file.section(f".text.{name}")
    if text is None or not text.data:
        raise CubinError(f"kernel {name} has no code")
    own = _entries(file, f".nv.info.{name}")
    abi = hardware.of_architecture(arch, Abi)
    param_bytes = _parameter_bytes(own, name, abi)
    shared = _shared(file, name, abi)
    return KernelCode(
        name=name,
        code=text.data,
        registers=_of_symbol(file, module, Attribute.REGCOUNT, name),
        shared_bytes=shared[0],
        shared_alignment=shared[1],
        local_bytes=_stack(file, module, name),
        max_threads=_max_threads(own) or hardware.architecture(arch)["sm.max_threads_per_block"],
        block=_block(own),
        barriers=_barriers(own, text),
        cluster=_cluster(own),
        most_in_cluster=next((words(e, 1)[0] for e in own if e.attribute == Attribute.MAX_CLUSTER_RANK), None),
        grid_of_clusters=any(entry.attribute == Attribute.BLOCKS_ARE_CLUSTERS for entry in own),
        parameters=_parameters(own, param_bytes, name),
        param_bytes=param_bytes,
        banks=_banks(file, name),
        relocations=tuple(_relocations(file, name)),
        masks=dict(_masks(own)),
    )


_EVERY_LANE, _REGISTER = 0xFFFFFFFF, 0x05


def _masks(own: list[Entry]) -> Iterator[tuple[int, int | None]]:
    """Offsets at which lanes meet, each with the register that names them: its kind is in the upper byte."""
    offsets = all_words(own, Attribute.COOP_GROUP_INSTR_OFFSETS)
    for offset, named in zip(offsets, all_words(own, Attribute.COOP_GROUP_MASK_REGIDS), strict=False):
        if named == _EVERY_LANE:
            yield offset, None
        elif named >> 24 == _REGISTER:
            yield offset, named & 0xFFFFFF


def _stack(file: elf.Elf, module: list[Entry], name: str) -> int:
    """Stack of a kernel, or of a function in its code where that is more (as recursive ones may be)."""
    called = [symbol.name for symbol in file.symbols if symbol.name.startswith(f"${name}$")]
    stacks = [_of_symbol(file, module, Attribute.FRAME_SIZE, one) for one in (name, *called)]
    return max(*stacks, _of_symbol(file, module, Attribute.MIN_STACK_SIZE, name))


_NOT_KNOWN = 0xFFFFFFFF  # the stack of functions that recurse, since CUDA 13.5


def _of_symbol(file: elf.Elf, module: list[Entry], attribute: Attribute, name: str) -> int:
    """Number that a module's attribute gives for a function; 0 where there is none, or it is not known."""
    for entry in module:
        if entry.attribute == attribute:
            index, number = words(entry, 2)
            if index < len(file.symbols) and file.symbols[index].name == name:
                return 0 if number == _NOT_KNOWN else number
    return 0


def _max_threads(own: list[Entry]) -> int:
    """Launch bounds: a limit, or the exact shape of the block; 0 where there are none."""
    for entry in own:
        if entry.attribute in (Attribute.MAX_THREADS, Attribute.REQNTID):
            return prod(words(entry, 3))
    return 0


def _cluster(own: list[Entry]) -> tuple[int, int, int] | None:
    """Blocks of a cluster, None where the launch says how many."""
    for entry in own:
        if entry.attribute == Attribute.CTA_PER_CLUSTER:
            x, y, z = words(entry, 3)
            return (x, y, z) if x * y * z else None
    return None


def _block(own: list[Entry]) -> tuple[int, ...] | None:
    """The only shape of a block, where there is one."""
    return next((words(entry, 3) for entry in own if entry.attribute == Attribute.REQNTID), None)


def _barriers(own: list[Entry], text: elf.Section) -> int:
    """Barriers: an attribute, before CUDA 13 a field of the section's flags."""
    told = [entry.number & 0xFF for entry in own if entry.attribute == Attribute.NUM_BARRIERS]
    return told[0] if told else text.flags >> 20 & 0x7F


def _parameter_bytes(own: list[Entry], name: str, abi: Abi) -> int:
    """Size of all parameters, which must lie in constant bank 0 where the architecture has them."""
    areas = [words(entry, 2)[1] for entry in own if entry.attribute == Attribute.PARAM_CBANK]
    if not areas:
        return 0
    first, nbytes = areas[0] & 0xFFFF, areas[0] >> 16
    if first != abi.parameters:
        what = f"the parameters of kernel {name} are at {first:#x}, not at {abi.parameters:#x}"
        raise CubinError(f"{what}, as in code of an instruction set that gpusim does not read (Pascal's and earlier)")
    return nbytes


def _parameters(own: list[Entry], area: int, name: str) -> tuple[Parameter, ...]:
    kinds = (Attribute.KPARAM_INFO, Attribute.KPARAM_INFO_V2)
    found = dict(parameter(entry) for entry in own if entry.attribute in kinds)
    if sorted(found) != list(range(len(found))) or any(p.offset + p.nbytes > area for p in found.values()):
        raise CubinError(f"the parameters of kernel {name} are damaged")
    return tuple(found[position] for position in range(len(found)))


def _shared(file: elf.Elf, name: str, abi: Abi) -> tuple[int, int]:
    """Static shared bytes and their alignment.

    A section counts the bytes that the system keeps in front of the kernel's own.
    """
    section = file.section(f".nv.shared.{name}")
    if section is None:
        return 0, 1
    return max(section.size - abi.shared_base, 0), max(section.alignment, 1)


def _banks(file: elf.Elf, name: str) -> dict[int, bytes]:
    """Constant banks but for bank 0: the module's, and over them the kernel's own."""
    pattern = re.compile(rf"\.nv\.constant([1-9]\d?)({re.escape('.' + name)})?")
    found = [(match, section) for section in file.sections if (match := pattern.fullmatch(section.name))]
    ordered = sorted(found, key=lambda pair: bool(pair[0][2]))
    return {int(match[1]): section.data for match, section in ordered}


def _relocations(file: elf.Elf, name: str) -> Iterable[Relocation]:
    """What must be filled in of a kernel's code and banks."""
    pattern = re.compile(rf"\.nv\.constant([1-9]\d?)({re.escape('.' + name)})?")
    for section in file.sections:
        bank = pattern.fullmatch(section.name)
        if bank or section.name == f".text.{name}":
            place = f"bank{bank[1]}" if bank else "code"
            for patch in file.patches(section.name):
                yield relocation(file, section, patch, place)


def _variables(file: elf.Elf) -> Iterable[Variable]:
    """Variables in ``.nv.global`` (zeros) and ``.nv.global.init``."""
    for index, section in enumerate(file.sections):
        if section.name not in (".nv.global", ".nv.global.init"):
            continue
        fixes = [relocation(file, section, patch, "variable") for patch in file.patches(section.name)]
        for symbol in _of_section(file, index, section):
            end = symbol.value + symbol.size
            own = [fix for fix in fixes if symbol.value <= fix.offset < end]
            if any(fix.offset + FIELDS.get(fix.kind, _WORD).end > end for fix in own):
                raise CubinError(f"an address in variable {symbol.name} lies partly beyond it")
            yield Variable(
                symbol.name,
                symbol.size,
                section.data[symbol.value : end],
                tuple(fix._replace(offset=fix.offset - symbol.value) for fix in own),
            )


def _constants(file: elf.Elf) -> Iterable[Constant]:
    """Variables in ``.nv.constant3``."""
    for index, section in enumerate(file.sections):
        if section.name == ".nv.constant3":
            for symbol in _of_section(file, index, section):
                yield Constant(symbol.name, symbol.value, symbol.size)


def _of_section(file: elf.Elf, index: int, section: elf.Section) -> Iterable[elf.Symbol]:
    """Objects that lie in a section, by address."""
    objects = (symbol for symbol in file.symbols if symbol.section == index and not symbol.is_section)
    for symbol in sorted(objects, key=lambda symbol: symbol.value):
        if symbol.value + symbol.size > min(section.size, _MOST_BYTES):
            raise CubinError(f"variable {symbol.name} lies beyond its section")
        yield symbol
