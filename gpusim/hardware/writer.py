"""From a Gpu back to TOML."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from gpusim.hardware.programming import ARCHITECTURE_SECTIONS
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import Gpu, Provenance, key_of, values


def to_toml(gpu: Gpu) -> str:
    """Write a GPU as a specification file that stands by itself, without a base.

    Parameters
    ----------
    gpu : Gpu

    Returns
    -------
    str
        Loading it gives an equal Gpu.  What its architecture promises programs is not in it.

    Examples
    --------
    >>> from gpusim.hardware import load
    >>> print(to_toml(load("h200")).splitlines()[5])
    sm_count = { value = 132, unit = "1", kind = "datasheet", source = "cudaDeviceProp of an H200, driver 580.159" }
    """
    known, said = dict(gpu.sources), values(gpu)
    lines: list[str] = []
    own = {section: kind for section, kind in SECTIONS.items() if section not in ARCHITECTURE_SECTIONS}
    for section, kind in own.items():
        lines += ["", f"[{section}]"] if lines else [f"[{section}]"]
        for name in (f.name for f in fields(kind)):
            key = key_of(section, name)
            if key in known:
                lines.append(f"{name} = {_entry(known[key])}")
            elif said[key] is not None:
                lines.append(f"{name} = {_value(said[key])}")
    return "\n".join(lines) + "\n"


def _entry(entry: Provenance) -> str:
    inside = ", ".join(f"{name} = {_value(value)}" for name, value in entry._asdict().items())
    return f"{{ {inside} }}"


def _value(value: Any) -> str:
    """Write a value; JSON's text, numbers and flags are TOML's too."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
