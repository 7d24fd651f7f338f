"""Files that a command writes: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, LackingError

if TYPE_CHECKING:
    from gpusim.advice import Advice, ChainAdvice
    from gpusim.checks.result import CheckResult
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile

LACKING = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
"""Why a file cannot be written although it was named well."""


def check_writable(path: Path | None, option: str = "--json") -> None:
    """Refuse, before any work is done, a file that could not be written."""
    if path is None or is_stdout(path):
        return
    try:
        path.stat()
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENAMETOOLONG):
            raise GpusimError(f"{option} {path}: {error.strerror}") from None
    if path.is_dir():
        raise GpusimError(f"{option} {path}: that is a folder")
    if _is_special(path):
        return
    if not path.parent.is_dir():
        raise GpusimError(f"{option} {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise GpusimError(f"{option} {path}: the folder {path.parent} cannot be written to")


def check_apart(given: Mapping[str, Path | None]) -> None:
    """Refuse, before any work is done, files that could not be written, and one that two options name.

    ``given``: by option.
    """
    known: dict[Path, str] = {}
    for option, path in given.items():
        if path is None:
            continue
        check_writable(path, option)
        before = known.setdefault(path if is_stdout(path) else path.resolve(), option)
        if before != option:
            raise GpusimError(f"{before} and {option} name the same file, {path}")


def is_stdout(path: Path | None) -> bool:
    """Whether a file's name stands for standard output."""
    return str(path) == "-"


def show_profiles(
    profiles: Sequence[Profile],
    path: Path | None,
    advice: Sequence[Advice | ChainAdvice] = (),
    checked: Sequence[CheckResult] = (),
    *,
    with_lines: bool = False,
) -> None:
    """Show what kernels printed and the profiles as a table; write them as one JSON document where a file is given.

    ``advice``: on each of them, where it was asked for, below all tables.  ``checked``: what is wrong, which is written
    alone.  ``with_lines``: of a single profile show where its traffic comes from, too.
    """
    if not is_stdout(path):
        from gpusim import report

        for profile in profiles:
            sys.stdout.write(profile.printed)
        report.show(report.table(profiles))
        if with_lines and len(profiles) == 1:
            report.show(list(report.where(profiles[0])))
        show_advice(advice, apart=True)
    if path is not None:
        found = [profile.to_dict() for profile in profiles]
        for written, one in zip(found, advice, strict=False):
            written["advice"] = one.to_dict()["findings"]
        write_json({"profiles": found, **({"checks": [one.to_dict() for one in checked]} if checked else {})}, path)


def show_advice(advice: Sequence[Advice | ChainAdvice], *, apart: bool = False) -> None:
    """Show advice, with an empty line between each and the next; ``apart``: before the first one, too."""
    from gpusim import report

    for number, one in enumerate(advice):
        report.show([*([""] if number or apart else []), *one.table()])


def show_chains(chains: Sequence[ChainProfile], path: Path | None) -> None:
    """Show chains of launches as a table, and write them as one JSON document where a file is given."""
    if not is_stdout(path):
        from gpusim import report

        report.show(report.chains(chains))
    if path is not None:
        write_json({"chains": [chain.to_dict() for chain in chains]}, path)


def write_json(content: dict[str, Any], path: Path) -> None:
    """Write a JSON document that says which gpusim made it, and which schema it follows."""
    import json

    from gpusim.results.documents import document

    write(json.dumps(document(content), indent=1, allow_nan=False) + "\n", path, "--json")


def write(text: str, path: Path, option: str) -> None:
    """Write a text, whole or not at all; ``option`` is what the file was given with."""
    if is_stdout(path):
        sys.stdout.write(text)
        return
    write_bytes(text.encode(), path, option)


def write_bytes(content: bytes, path: Path, option: str) -> None:
    """Write bytes to a file, whole or not at all; ``option`` is what it was given with."""
    try:
        if _is_special(path):
            _write_into(content, path)
        else:
            _replace(content, path.resolve())
    except OSError as error:
        kind = LackingError if error.errno in LACKING else GpusimError
        raise kind(f"{option} {path}: {error.strerror}") from error


def _is_special(path: Path) -> bool:
    """Whether there is a pipe or a device of that name, which must not give way to a file."""
    return path.exists() and not path.is_file()


def _write_into(content: bytes, path: Path) -> None:
    """Write to a pipe or a device; a pipe that nobody reads is an error, where otherwise one would wait for ever."""
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "wb") as file:
        os.set_blocking(handle, True)
        file.write(content)


def _replace(content: bytes, path: Path) -> None:
    """Write a file beside it first; it then takes its place at once."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
