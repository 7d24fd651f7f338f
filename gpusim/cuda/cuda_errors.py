"""What can go wrong between a .cu file and its machine code."""

from __future__ import annotations

from gpusim.errors import GpusimError


class CudaError(GpusimError):
    """Base of the errors of this room."""


class MissingToolError(CudaError):
    """A compiler, disassembler or header that is not installed; the message names the command that installs it."""


class OptionError(CudaError):
    """A compiler option, definition or architecture that cannot be used."""


class CompileError(CudaError):
    """The compiler refused the source: one line of ours, then what the compiler wrote.

    Attributes
    ----------
    log : str
        What the compiler wrote, word for word.
    """

    def __init__(self, message: str, log: str = "") -> None:
        self.log = log
        super().__init__(f"{message}\n{log.rstrip()}" if log.strip() else message)


class CubinError(CudaError):
    """A file that is no cubin, or a truncated or corrupted one."""


class UnknownInstructionError(CudaError):
    """A kernel with instructions that are not simulated; the message names all of them."""


class KernelNameError(CudaError):
    """A kernel's name that is missing, unknown or ambiguous; the message lists the kernels there are."""


class ArgumentError(CudaError):
    """Arguments that do not fit a kernel's parameters."""


class SymbolError(CudaError):
    """A ``__constant__`` or ``__device__`` variable that there is not, or whose value does not fit it."""
