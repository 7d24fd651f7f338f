"""A program under way: its process, and what its runtime asks for."""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import IntEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gpusim.children import Child, ended_by
from gpusim.engine.state import error_codes as E
from gpusim.errors import EndlessError, GpusimError, NotEnoughMemoryError, ParameterError
from gpusim.hardware.occupancy import occupancy
from gpusim.programs import device, products, runtime_library
from gpusim.programs.launches import Launches, Wanted
from gpusim.programs.memory import DeviceMemory
from gpusim.programs.modules import Loaded
from gpusim.programs.program_errors import ProgramError
from gpusim.programs.request import Request
from gpusim.programs.textures import texture_object
from gpusim.results.program import Program as Ran
from gpusim.simulate.counted import Moved
from gpusim.simulate.driving import SimulationError

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.programs.checks import Checks
    from gpusim.programs.program import Program
    from gpusim.progress import Progress
    from gpusim.simulate.work import How

_HEAD, _ANSWER = struct.Struct("<II"), struct.Struct("<iI")
_LAUNCH, _MOVED = struct.Struct("<18I"), struct.Struct("<3Q")
_STOP = -1
"""An answer after which the program ends: gpusim lacks what it asked for, and has said so."""


class Ask(IntEnum):
    """What the runtime asks for: as ``runtime.h`` has it."""

    HELLO = 1
    MODULE = 2
    PLACED = 3
    LAUNCH = 4
    OCCUPANCY = 5
    REFUSED = 6
    CATCH_UP = 7
    LIBRARY = 8
    PRODUCT = 9
    TEXTURE = 10
    LEFT = 11
    ALLOCATED = 12
    FAILED = 13


class CudaStatus(IntEnum):
    """Errors that a program is told of.  Source: ``driver_types.h`` of CUDA 13.0."""

    SUCCESS = 0
    ILLEGAL_ADDRESS = 700
    LAUNCH_OUT_OF_RESOURCES = 701
    ASSERT = 710
    MISALIGNED_ADDRESS = 716
    LAUNCH_FAILURE = 719


_STATUS = {
    E.GLOBAL_BOUNDS: CudaStatus.ILLEGAL_ADDRESS,
    E.SHARED_BOUNDS: CudaStatus.ILLEGAL_ADDRESS,
    E.LOCAL_BOUNDS: CudaStatus.ILLEGAL_ADDRESS,
    E.MISALIGNED: CudaStatus.MISALIGNED_ADDRESS,
    E.SHARED_MISALIGNED: CudaStatus.MISALIGNED_ADDRESS,
    E.LOCAL_MISALIGNED: CudaStatus.MISALIGNED_ADDRESS,
    E.TRAPPED: CudaStatus.LAUNCH_FAILURE,
    E.ASSERTED: CudaStatus.ASSERT,
}
"""What a GPU calls what went wrong in a kernel; what is not here ends the program."""

Complain = Callable[[str], None]
Showing = Callable[[], AbstractContextManager["Progress | None"]]


class Session:
    """A program that runs.

    Parameters
    ----------
    program : Program
    gpu : Gpu
    wanted : Wanted
    how : How
    complain : callable
        Given each line about what went wrong.
    showing : callable
        Gives what shows the progress of a launch, as a context manager.
    skips_libraries : bool
        Compute what the program calls of cuBLAS, untimed; otherwise such a call ends the program.
    checks : Checks, optional
        Check launches, and time none.
    """

    def __init__(
        self, program: Program, gpu: Gpu, wanted: Wanted, how: How, complain: Complain, showing: Showing = nullcontext,
        *, skips_libraries: bool = False, checks: Checks | None = None,
    ) -> None:  # fmt: skip
        self._program, self._gpu, self._complain = program, gpu, complain
        self._memory = DeviceMemory(device.memory_bytes(gpu))
        self._launches, self._checks = Launches(gpu, self._memory, wanted, how, checks), checks
        self._modules: list[Loaded] = []
        self._showing = showing
        self._skips_libraries, self._skipped = skips_libraries, Counter[str]()
        self._failed = False
        self._answers = {
            Ask.HELLO: self._hello, Ask.MODULE: self._load, Ask.PLACED: self._place, Ask.LAUNCH: self._launch,
            Ask.OCCUPANCY: self._occupancy, Ask.REFUSED: self._refuse, Ask.CATCH_UP: self._catch_up,
            Ask.LIBRARY: self._library, Ask.PRODUCT: self._product, Ask.TEXTURE: self._texture,
            Ask.LEFT: self._leave, Ask.ALLOCATED: self._allocated, Ask.FAILED: self._call_failed,
        }  # fmt: skip

    def run(self, arguments: Sequence[str]) -> Ran:
        """Run the program to its end.

        Parameters
        ----------
        arguments : sequence of str
            The program's own.

        Returns
        -------
        gpusim.results.program.Program
        """
        try:
            status = self._run(arguments)
        finally:
            self._memory.close()
        if died := ended_by(status):
            self._complain(f"{self._program.path} was ended by {died}")
            status = 128 - status
        if self._failed and not status:
            status = 2
        return Ran(str(self._program.path), self._gpu.name, tuple(self._launches.done), status, dict(self._skipped))

    def _run(self, arguments: Sequence[str]) -> int:
        ours, theirs = socket.socketpair()
        with TemporaryDirectory(prefix="gpusim-") as folder, ours:
            command = [str(self._prepared(Path(folder))), *arguments]
            handed = (theirs.fileno(), self._memory.file)
            environment = self._environment(folder, handed)
            with Child(command, stdin=None, pass_fds=handed, env=environment) as child:
                theirs.close()
                self._attend(ours)
                status = child.process.wait()
            if self._checks is not None:
                self._checks.ended(Path(command[0]))
            return status

    def _prepared(self, folder: Path) -> Path:
        """The executable, with our runtime in a folder."""
        release = self._program.release
        for name in ("cudart", *self._program.libraries):
            folder.joinpath(f"lib{name}.so.{release}").write_bytes(runtime_library.library(release, name))
        if self._program.executable is None:
            return self._program.path.resolve()
        path = folder / self._program.path.stem
        path.write_bytes(self._program.executable)
        path.chmod(0o700)
        return path

    def _environment(self, folder: str, handed: tuple[int, int]) -> dict[str, str]:
        """The program's: it finds our runtime, and what it has been handed."""
        searched = [folder, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        own = {"GPUSIM_RUN_SOCKET": str(handed[0]), "GPUSIM_RUN_MEMORY": str(handed[1])}
        own |= {} if self._checks is None else {"GPUSIM_RUN_CHECKED": "1"}
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(searched), **own}

    def _attend(self, ours: socket.socket) -> None:
        """Answer until the program has ended."""
        while head := _received(ours, _HEAD.size):
            what, nbytes = _HEAD.unpack(head)
            status, body = self._answered(Ask(what), _received(ours, nbytes))
            try:
                ours.sendall(_ANSWER.pack(status, len(body)) + body)
            except OSError:
                return

    def _answered(self, what: Ask, body: bytes) -> tuple[int, bytes]:
        """An answer; what cannot be answered ends the program."""
        try:
            return self._answers[what](body)
        except (GpusimError, NotEnoughMemoryError) as error:
            self._failed = True
            self._complain(str(error))
            return _STOP, b""

    def _hello(self, body: bytes) -> tuple[int, bytes]:
        return CudaStatus.SUCCESS, device.described(self._gpu).encode()

    def _load(self, body: bytes) -> tuple[int, bytes]:
        with self._showing():
            module = Loaded(len(self._modules), body, self._gpu.arch, str(self._program.path), self._program.text)
        self._modules.append(module)
        if module.calls_heap:
            self._memory.with_heap()
        return CudaStatus.SUCCESS, module.described().encode()

    def _place(self, body: bytes) -> tuple[int, bytes]:
        number, base = struct.unpack("<QQ", body)
        self._modules[number].place(base, self._memory)
        return CudaStatus.SUCCESS, b""

    def _launch(self, body: bytes) -> tuple[int, bytes]:
        n = _LAUNCH.unpack_from(body)
        end = _LAUNCH.size + n[14]
        rest = end + n[17] * _MOVED.size
        if n[15]:
            self._memory.allocated(body[rest:])
        params, moved = body[_LAUNCH.size : end], tuple(map(Moved._make, _MOVED.iter_unpack(body[end:rest])))
        request = Request(n[0], n[1], n[2:5], n[5:8], n[8:11], n[11], bool(n[12]), n[13], n[16], params, moved)
        try:
            with self._showing() as progress:
                done = self._launches.run(self._modules[request.module], request, progress)
        except (ParameterError, SimulationError, EndlessError) as error:
            return self._gone_wrong(error)
        return CudaStatus.SUCCESS, (
            struct.pack("<d?", done.seconds or 0.0, self._launches.values.behind) + done.printed.encode()
        )

    def _catch_up(self, body: bytes) -> tuple[int, bytes]:
        with self._showing() as progress:
            self._launches.values.catch_up(progress)
        return CudaStatus.SUCCESS, b""

    def _gone_wrong(self, error: GpusimError) -> tuple[int, bytes]:
        """What the program is told of a launch that failed, as on a GPU, after the user has been told why."""
        if isinstance(error, ParameterError):
            status: int | None = CudaStatus.LAUNCH_OUT_OF_RESOURCES
        else:
            status = _STATUS.get(getattr(error, "code", E.OK))
        if status is None:
            raise error
        if self._checks is None or isinstance(error, ParameterError):  # else it is a finding
            self._failed = True
            self._complain(str(error))
        return status, b""

    def _occupancy(self, body: bytes) -> tuple[int, bytes]:
        number, index, threads, dynamic = struct.unpack("<4I", body)
        code = self._modules[number].kernels[index].code
        try:
            blocks = occupancy(self._gpu, threads, code.registers, code.shared_bytes + dynamic).blocks_per_sm
        except GpusimError:
            blocks = 0
        return CudaStatus.SUCCESS, struct.pack("<i", blocks)

    def _library(self, body: bytes) -> tuple[int, bytes]:
        """A call of a library that gpusim computes where the user wants that."""
        call = body.decode()
        if not self._skips_libraries:
            raise ProgramError(
                f"{self._program.path} calls {call}, which is a library's that gpusim does not time: with "
                "--skip-library NumPy computes it, in no time"
            )
        self._skipped[call] += 1
        return CudaStatus.SUCCESS, b""

    def _product(self, body: bytes) -> tuple[int, bytes]:
        products.compute(products.product(body), self._memory)
        return CudaStatus.SUCCESS, b""

    def _leave(self, body: bytes) -> tuple[int, bytes]:
        """What has not been freed, of a program that is checked and has come to its end."""
        self._memory.allocated(body)
        if self._checks is not None:
            self._checks.leave(self._memory)
        return CudaStatus.SUCCESS, b""

    def _allocated(self, body: bytes) -> tuple[int, bytes]:
        """Who has asked for an allocation, of a program that is checked."""
        number, *code = struct.unpack(f"<{len(body) // 8}Q", body)
        if self._checks is not None:
            self._checks.allocated(number, tuple(code))
        return CudaStatus.SUCCESS, b""

    def _call_failed(self, body: bytes) -> tuple[int, bytes]:
        """A call of the runtime that has failed, of a program that is checked."""
        (n,) = struct.unpack_from("<Q", body)
        code, end = struct.unpack_from(f"<{n}Q", body, 8), 8 + 8 * n
        if self._checks is not None:
            call, error = body[end:].decode().split()
            self._checks.failed(call, error, code)
        return CudaStatus.SUCCESS, b""

    def _texture(self, body: bytes) -> tuple[int, bytes]:
        return CudaStatus.SUCCESS, struct.pack("<Q", self._memory.texture(texture_object(body).row()))

    def _refuse(self, body: bytes) -> tuple[int, bytes]:
        call = body.decode()
        whose = "gpusim's CUDA runtime does not have" if call.startswith("cuda") else "is a library's that gpusim lacks"
        raise ProgramError(f"{self._program.path} calls {call}, which {whose}")


def _received(ours: socket.socket, nbytes: int) -> bytes:
    """So many bytes; nothing where the program has ended."""
    found = bytearray()
    while len(found) < nbytes:
        try:
            part = ours.recv(nbytes - len(found))
        except ConnectionResetError:
            return b""
        if not part:
            return b""
        found += part
    return bytes(found)


def to_standard_error(message: str) -> None:
    """Show what went wrong as gpusim shows its errors."""
    print("gpusim:", " ".join(message.split()), file=sys.stderr, flush=True)
