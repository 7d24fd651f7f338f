"""From a TOML file and the bases it names to a Gpu."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from gpusim import reading
from gpusim.hardware import consistency, inherit
from gpusim.hardware.edge import check
from gpusim.hardware.errors import SpecError
from gpusim.hardware.inherit import Sheet
from gpusim.hardware.programming import ARCHITECTURE_SECTIONS
from gpusim.hardware.quantities import required, rules
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import TOP, Gpu, Provenance, key_of, place_of
from gpusim.names import suggest


@dataclass(frozen=True)
class Shelf:
    """The files that a name can mean.

    Attributes
    ----------
    files : mapping of str to Path
        Built-in GPUs.
    architectures : mapping of str to Path
        What GPUs of a generation have in common, by ``"sm_90"``.
    """

    files: Mapping[str, Path]
    architectures: Mapping[str, Path]

    def find(self, base: str, beside: Path) -> Path | None:
        """Find a base: a built-in name, or a ``.toml`` file beside the file that names it."""
        if base.endswith(".toml"):
            path = beside / base
            return path if path.is_file() else None
        return self.files.get(base)


def read(path: Path, shelf: Shelf) -> Gpu:
    """Read a specification file with its bases.

    Parameters
    ----------
    path : Path
    shelf : Shelf
        Where bases are looked up.

    Returns
    -------
    Gpu

    Raises
    ------
    SpecError
        If a file is broken, says something that is not allowed, or leaves something out.
    """
    sheet, origin = _complete(path, shelf, ()), _origin(path)
    _demand(sheet, origin, ["arch"])
    arch = sheet.texts["arch"]
    if arch not in shelf.architectures:
        raise SpecError(f"{origin}: arch: no architecture {arch!r}: {suggest(arch, shelf.architectures)}")
    return build(inherit.laid_under(sheet, generation(arch, shelf)), origin)


def texts(path: Path, shelf: Shelf) -> Iterator[tuple[Path, str]]:
    """What a user's file and its bases say, as far as they can be read: all that decides what :func:`read` makes of it.

    Parameters
    ----------
    path : Path
    shelf : Shelf
        Where bases are looked up; what is on it does not change.
    """
    seen, file = {*shelf.files.values()}, path
    while file not in seen:
        seen.add(file)
        try:
            text = reading.read_text(file, SpecError)
            base = tomllib.loads(text).get("base")
        except (SpecError, ValueError, RecursionError):  # which is said when it is read
            return
        yield file, text
        file = (isinstance(base, str) and shelf.find(base, file.parent)) or file


def generation(arch: str, shelf: Shelf) -> Sheet:
    """Read what the GPUs of an architecture have in common.

    Parameters
    ----------
    arch : str
        ``"sm_90"``; one of those on the shelf.
    shelf : Shelf

    Returns
    -------
    Sheet
    """
    path = shelf.architectures[arch]
    sheet = parse(reading.read_text(path, SpecError), _origin(path))
    sheet.texts["arch"] = arch
    return sheet if sheet.base is None else inherit.generation_over(generation(sheet.base, shelf), sheet)


def parse(text: str, origin: str) -> Sheet:
    """Read one file's text, without its base.

    Parameters
    ----------
    text : str
        TOML.
    origin : str
        The file, for messages.

    Returns
    -------
    Sheet

    Raises
    ------
    SpecError
        If it is broken or says something that is not allowed.
    """
    try:
        raw = tomllib.loads(text)
    except ValueError as error:
        raise SpecError(f"{origin}: {_toml_mistake(str(error))}") from None
    except RecursionError:
        raise SpecError(f"{origin}: not TOML of a GPU: lists or tables are nested too deeply") from None
    said = check(raw, origin)
    documents: Any = said.get("sources", {})
    sheet = Sheet(base=raw.get("base"))
    for section in SECTIONS:
        for name, entry in said.get(section, {}).items():
            key = key_of(section, name)
            if isinstance(entry, dict):
                source = documents.get(entry["source"], entry["source"])
                sheet.numbers[key] = Provenance(entry["value"], entry["unit"], entry["kind"], source)
            else:
                sheet.texts[key] = entry
    return sheet


def build(sheet: Sheet, origin: str) -> Gpu:
    """Make a Gpu of a sheet that has everything.

    Parameters
    ----------
    sheet : Sheet
        Changed: layouts that it leaves out are derived into it.
    origin : str
        The file, for messages.

    Returns
    -------
    Gpu

    Raises
    ------
    SpecError
        If something is missing or two numbers contradict each other.
    """
    _demand(sheet, origin, [key for key in _needed() if key not in inherit.DERIVED])
    consistency.check_layout(sheet, origin)
    inherit.derive(sheet)
    _demand(sheet, origin, _needed())
    parts: dict[str, Any] = {name: kind(**_fields(sheet, name)) for name, kind in SECTIONS.items() if name != TOP}
    gpu = Gpu(**_fields(sheet, TOP), **parts, sources=_ordered(sheet))
    consistency.check(gpu, origin)
    return gpu


def _complete(path: Path, shelf: Shelf, chain: tuple[Path, ...]) -> Sheet:
    """Read a file and lay it over its base."""
    origin = _origin(path)
    if path.resolve() in chain:
        names = " -> ".join(_origin(step) for step in [*chain, path])
        raise SpecError(f"{origin}: base: the files name each other: {names}")
    sheet = parse(reading.read_text(path, SpecError), origin)
    _refuse_architecture_sections(sheet, origin)
    sheet.texts.setdefault("name", path.stem)
    sheet.texts.setdefault("full_name", sheet.texts["name"])
    sheet.texts.setdefault("measured", False)
    if sheet.base is None:
        return sheet
    found = shelf.find(sheet.base, path.parent)
    if found is None:
        raise SpecError(f"{origin}: base: no GPU or file {sheet.base!r}: {suggest(sheet.base, shelf.files)}")
    return inherit.over(_complete(found, shelf, (*chain, path.resolve())), sheet)


def _refuse_architecture_sections(sheet: Sheet, origin: str) -> None:
    """Refuse what code relies on that is compiled for an architecture."""
    said = [key for key in sheet.numbers if place_of(key)[0] in ARCHITECTURE_SECTIONS]
    if said:
        raise SpecError(f"{origin}: {said[0]}: is the same for every GPU of an architecture: its file says it")


def _toml_mistake(message: str) -> str:
    """Put the line first: ``line 3, column 5: Expected '=' ...``."""
    found = re.search(r" \((at [^()]*)\)$", message)
    if found is None:
        return f"not TOML: {message}"
    return f"{found[1].removeprefix('at ')}: not TOML: {message[: found.start()]}"


def _origin(path: Path) -> str:
    return path.name


def _needed() -> list[str]:
    return [key_of(section, name) for section, kind in SECTIONS.items() for name in required(kind)]


def _demand(sheet: Sheet, origin: str, keys: list[str]) -> None:
    missing = [key for key in keys if key not in sheet.numbers and key not in sheet.texts]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise SpecError(f"{origin}: {missing[0]}: is missing{more}: give it, or name a base GPU that has it")


def _fields(sheet: Sheet, section: str) -> dict[str, Any]:
    """Give a section's values by field name, leaving out what the sheet does not have."""
    kind = SECTIONS[section]
    keys = {f.name: key_of(section, f.name) for f in fields(kind)}
    numbers = {name: sheet.numbers[key].value for name, key in keys.items() if key in sheet.numbers}
    texts = {name: sheet.texts[key] for name, key in keys.items() if key in sheet.texts}
    return texts | numbers


def _ordered(sheet: Sheet) -> tuple[tuple[str, Provenance], ...]:
    keys = [key_of(section, name) for section, kind in SECTIONS.items() for name in rules(kind)]
    return tuple((key, sheet.numbers[key]) for key in keys if key in sheet.numbers)
