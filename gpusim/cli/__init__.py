"""The command line: ``gpusim predict | profile | formula | kernels | emit | scenario | gpus``.

Every command imports what it needs when it runs, so that ``gpusim --help``
answers at once.  What a user can get wrong ends in one line on standard error
and exit status 2, what the machine lacks (room on a disk, memory) in one line and
1; what a compiler wrote is shown as it wrote it; an interrupted command ends with
130, one whose output nobody reads any more quietly with 1.
"""

from __future__ import annotations

from gpusim.cli.app import main

__all__ = ["main"]
