"""``--timeline``: what one SM does, cycle by cycle, as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gpusim.cli.files import is_stdout, write
from gpusim.errors import GpusimError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpusim.profiles.profile import Profile
    from gpusim.results.timeline import Recording


class Wanted(NamedTuple):
    """What the options say: where to, which SM, from which cycle on."""

    file: Path | None
    sm: int | None
    start: int | None

    def recording(self, launches: int) -> Recording | None:
        """What to record, None where no file is named.

        Raises
        ------
        GpusimError
            A file that cannot be written, options without a file, more than one launch.
        """
        from gpusim.results.timeline import Recording

        if self.file is None:
            for option, value in (("--timeline-sm", self.sm), ("--timeline-from", self.start)):
                if value is not None:
                    raise GpusimError(f"{option} needs --timeline FILE")
            return None
        if is_stdout(self.file):
            raise GpusimError("--timeline -: a timeline goes to a file")
        if launches != 1:
            raise GpusimError(f"--timeline is of one launch, not of {launches}")
        return Recording(self.sm, self.start or 0)

    def save(self, profiles: Sequence[Profile]) -> None:
        """Write the timeline, whole or not at all, and say what it shows."""
        found = profiles[0].timeline if self.file is not None else None
        if self.file is None or found is None:
            return
        import json

        from gpusim import __version__

        content = found.to_dict()
        content["otherData"]["gpusim"] = __version__
        write(json.dumps(content, separators=(",", ":"), allow_nan=False), self.file, "--timeline")
        print(f"{self.file}: {found.summary}", file=sys.stderr)
