"""What a row of the table of opcodes says (:class:`gpusim.isa.opcodes.Op`), and the words it says it in."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto

GENERIC, GLOBAL, SHARED, LOCAL, CONSTANT = "generic", "global", "shared", "local", "constant"
ANY_SUB = range(1 << 31)


class Pipe(IntEnum):
    """Execution pipe an opcode issues to."""

    CONTROL = 0
    ALU = 1
    FMA = 2
    XU = 3
    LSU = 4
    TENSOR = 5
    FP64 = 6
    FP16 = 7
    UNIFORM = 8


class Takes(Enum):
    """What an operand is, and so how many registers it takes; :mod:`gpusim.isa.widths` counts them."""

    WORD = auto()  # a register
    BITS = auto()  # a register, which a sign inverts
    REAL = auto()  # an fp32
    HALVES = auto()  # two 16-bit floats in a register
    PAIR = auto()  # a 64-bit integer
    DOUBLE = auto()  # an fp64
    WIDE = auto()  # a word, or a pair where the instruction's width is 8
    WIDTH = auto()  # as many bytes as the instruction's width says
    COUNT = auto()  # as many registers as `sub` says
    CHANNELS = auto()  # the first two of the channels that `sub` says
    INTEGER = auto()  # an integer of the type in `sub` bits 0-3 (Convert)
    FLOAT = auto()  # a float of the type in `sub` bits 8-11 (Convert)
    F2F_SOURCE = auto()  # a float of the type that `sub` of F2F names, as for `F2F_RESULT`
    F2F_RESULT = auto()
    MATRIX_A = auto()  # a fragment of the shape in `sub` (Mma)
    MATRIX_B = auto()
    MATRIX_C = auto()
    DESCRIPTORS = auto()  # uniform: where matrices lie in shared memory, 64 bits each (gpusim.isa.warpgroup)
    WARPGROUP_A = auto()  # a fragment of the first matrix of the product in `sub`
    WARPGROUP_C = auto()  # a fragment of its sums
    SHORT_ADDRESS = auto()  # 32 bits: in shared, local or constant memory
    ADDRESS = auto()  # 64 bits, or 32 (NARROW flag)
    LONG_ADDRESS = auto()  # 64 bits
    CODE_ADDRESS = auto()  # 64 bits: of an instruction
    COMMAND = auto()  # uniform registers in a row that say where a bulk copy goes, as many as its opcode needs


class Says(Enum):
    """What ``sub`` says, and so how it is listed and read."""

    NOTHING = auto()  # nothing that is shown
    NUMBER = auto()  # a number, listed after the sources
    COMPARISON = auto()  # Cmp and BoolOp
    ROUNDING = auto()  # Round in bits 4-5
    SCALING = auto()  # the same, and Scale in bits 0-3
    PERMUTE = auto()
    SHAPE = auto()  # Mma
    PRODUCT = auto()  # a product by a warpgroup (gpusim.isa.warpgroup)
    FUNCTION = auto()  # Mufu
    SHIFT = auto()
    SHUFFLE = auto()  # Shfl
    CONVERSION = auto()  # Convert
    ROUNDED_TYPE = auto()  # of Convert the float's type and the rounding
    ATOMIC = auto()
    SPECIAL = auto()  # a special register
    BANK = auto()  # a constant bank
    BARRIER = auto()  # a barrier of a block
    ARRIVAL = auto()  # Arrival
    CONVERGENCE = auto()  # a convergence barrier of a warp


@dataclass(frozen=True, slots=True)
class Form:
    """Machine code of the form ``NAME[.modifier] [q0, q1,] [d,] a, b, c[, p0]``, which is read by its row alone.

    Attributes
    ----------
    name : str
        As machine code has it; empty: the opcode's own name.
    flags : mapping of str to int
        Modifiers and their :class:`~gpusim.isa.variants.Flag`.
    ignored : tuple of str
        Modifiers that change neither what is computed nor what is counted.
    sources : int
        How many of the row's sources are written.
    verdicts, conditions : int
        Predicates written and read.
    uniform : bool
        Whether the uniform datapath has it too, as ``UNAME``.
    """

    name: str = ""
    flags: Mapping[str, int] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    sources: int = 3
    verdicts: int = 0
    conditions: int = 0
    uniform: bool = False


@dataclass(frozen=True, slots=True)
class OpInfo:
    """Static facts of an opcode.

    Attributes
    ----------
    pipe : Pipe
    sources : tuple of Takes
        What sources a, b, c and d are.
    result : Takes or None
        What the result is; None where there is none in a register.
    routine : str
        Module and function of :mod:`gpusim.engine.alu` that compute it; empty where the engine's core or what
        touches memory does.
    form : Form or None
        How machine code writes it, where that is a common form.
    says : Says
        What ``sub`` says.
    subs : container of int
        What ``sub`` may be where the engine finds its way by it.
    space : str
        Where its address lies: global, shared, local, generic or constant memory; empty where it has none.
    reads_memory : bool
    stores_to : str
        The space that it writes to; empty where it writes to none.
    copies_from : str
        The space that it copies from, where that is not the one of its address.
    variable_latency : bool
        Whether its result is waited for through a scoreboard.
    out_of_line : bool
        Few kernels have it: the engine keeps it out of its inner loop, and compiles it when first needed.
    is_branch : bool
        Whether it counts as a branch instruction (``smsp__sass_inst_executed_op_branch``); only BRA is calibrated.
    has_target : bool
        Whether ``target`` names an instruction.
    ends : bool
        Whether nothing after it is executed by lanes that pass its guard, but where a jump leads there.
    moves_lanes : bool
        Whether it is control flow, though another pipe than that of control flow runs it.
    across_lanes : bool
        Whether lanes read what other lanes wrote, whose guard may be another.
    always_runs : bool
        Whether it costs something or is waited for, whatever becomes of its result.
    queued : bool
        Of the load/store pipe: whether it takes a place in a queue.
    multiplies : bool
        Whether it is an integer product, which half of the FMA pipe alone makes.
    absent_false : bool
        Whether a predicate source that is not there reads as false (with the PAND flag: as true).
    described : str
        The space in which its descriptors say that matrices lie; empty where it has none.
    tile : str
        As ``routine``, what computes a tile of a product of such matrices.
    """

    pipe: Pipe
    sources: tuple[Takes, ...] = ()
    result: Takes | None = None
    routine: str = ""
    form: Form | None = None
    says: Says = Says.NOTHING
    subs: Container[int] = ANY_SUB
    space: str = ""
    reads_memory: bool = False
    stores_to: str = ""
    copies_from: str = ""
    variable_latency: bool = False
    out_of_line: bool = False
    is_branch: bool = False
    has_target: bool = False
    ends: bool = False
    moves_lanes: bool = False
    across_lanes: bool = False
    always_runs: bool = False
    queued: bool = True
    multiplies: bool = False
    absent_false: bool = False
    described: str = ""
    tile: str = ""

    @property
    def writes_memory(self) -> bool:
        """Whether it writes to memory."""
        return bool(self.stores_to)

    @property
    def touches_memory(self) -> bool:
        """Whether its address is one of memory other than constant."""
        return self.space not in ("", CONSTANT)

    @property
    def may_be_global(self) -> bool:
        """Whether its address may be one of global memory."""
        return self.space in (GLOBAL, GENERIC)

    @property
    def may_be_local(self) -> bool:
        """Whether it loads from or stores to local memory, or may; atomics do not."""
        return self.space in (LOCAL, GENERIC) and self.reads_memory != self.writes_memory

    @property
    def is_atomic(self) -> bool:
        """Whether it changes memory where it lies."""
        return self.reads_memory and self.stores_to == self.space

    @property
    def adds_pair(self) -> bool:
        """Whether it adds 64 bits to a product."""
        return self.multiplies and Takes.PAIR in self.sources

    @property
    def is_load(self) -> bool:
        """Whether it only reads the memory that its address names."""
        return self.reads_memory and not self.is_atomic

    @property
    def is_store(self) -> bool:
        """Whether it writes where its address says, and gives nothing back."""
        return self.stores_to == self.space != "" and self.result is None

    @property
    def is_control(self) -> bool:
        """Whether it decides which lanes go on, and where."""
        return self.pipe is Pipe.CONTROL or self.moves_lanes

    @property
    def may_jump_by_register(self) -> bool:
        """Whether a register may say where it goes."""
        return Takes.CODE_ADDRESS in self.sources
