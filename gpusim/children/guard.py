"""Runs a command for as long as the process lives that asked for it, and ends as the command did.

Started by path, as ``guard.py LIFELINE MEMORY COMMAND ...``, so it imports nothing that takes time.  LIFELINE is the
reading end of a pipe that only the process that asked holds open: when it is closed, by that process or by its death,
the command and all that it started are killed.  MEMORY is how many bytes the command may address, 0: as many as it
likes.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

CANNOT_RUN = 127


def _become(command: list[str], memory: int) -> None:
    """Be the command, in a process group of its own."""
    try:
        os.setpgid(0, 0)
        if memory:
            _limit(memory)
        os.execvp(command[0], command)
    except Exception as error:  # the process ends here, so nobody else would tell
        os.write(2, f"{command[0]}: {getattr(error, 'strerror', None) or repr(error)}\n".encode())
    finally:
        os._exit(CANNOT_RUN)


def _limit(memory: int) -> None:
    """Let this process address no more than so many bytes, or than it may already."""
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    memory = memory if most == resource.RLIM_INFINITY else min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _kill(group: int) -> None:
    """Kill what is left of a group of processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _end_like(status: int) -> None:
    """End with the exit status, or by the signal, that a command ended by."""
    if os.WIFSIGNALED(status):
        which = os.WTERMSIG(status)
        if which != signal.SIGKILL:
            signal.signal(which, signal.SIG_DFL)
        os.kill(os.getpid(), which)
    os._exit(os.waitstatus_to_exitcode(status))


def _no_core() -> None:
    """Leave no image of memory where a command crashes."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def main() -> None:
    """Run the command of this process's arguments."""
    lifeline, memory, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    _no_core()
    woken, bell = os.pipe()
    child = os.fork()
    if not child:
        _become(command, memory)
    with contextlib.suppress(OSError):  # the child may have done so, or be another program by now
        os.setpgid(child, child)
    os.set_blocking(bell, False)
    signal.set_wakeup_fd(bell)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    done, status = os.waitpid(child, os.WNOHANG)
    while not done:
        ready, _, _ = select.select([lifeline, woken], [], [])
        if lifeline in ready:
            _kill(child)
            os._exit(CANNOT_RUN)
        os.read(woken, 64)
        done, status = os.waitpid(child, os.WNOHANG)
    _kill(child)
    _end_like(status)


if __name__ == "__main__":
    main()
