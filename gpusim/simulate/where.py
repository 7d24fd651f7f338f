"""Counts of instructions and arrays -> what each line of the source and each array costs."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import counts as C
from gpusim.isa.program import lines_of
from gpusim.results.figures import SECTOR_BYTES
from gpusim.results.metric import Value
from gpusim.results.traffic import Traffic
from gpusim.simulate.launch import arrays_of, in_memory, lay_out

if TYPE_CHECKING:
    from gpusim.isa.program import Program
    from gpusim.simulate.launch import Launch


def by_line(program: Program, sites: np.ndarray) -> tuple[Traffic, ...]:
    """What each line of the source costs.

    Parameters
    ----------
    program : Program
    sites : float64 array, shape (instructions, N_SITE_COUNTS)

    Returns
    -------
    tuple of Traffic
        In the order of the source; lines that touch no memory are left out.
    """
    sums: dict[tuple[str, int], np.ndarray] = defaultdict(lambda: np.zeros(C.N_SITE_COUNTS))
    loaded: dict[tuple[str, int], float] = defaultdict(float)
    for index in np.flatnonzero(sites.any(axis=1)):
        place = program.place_of(int(index))
        sums[place] += sites[index]
        loaded[place] += sites[index, C.S_SECTORS] if _loads(program, int(index)) else 0
    own = sorted(sums, key=lambda place: (place[0] != program.source, *place))
    return tuple(_line(place, text, sums[place], loaded[place]) for place, text in zip(own, lines_of(own), strict=True))


def _loads(program: Program, index: int) -> bool:
    """Whether sectors of an instruction are loads from global memory, which L1 may hold."""
    info = program.instrs[index].op.info
    return info.is_load and info.may_be_global


def place_name(program: Program, index: int) -> str:
    """File and line of an instruction, as ``"file.cu:41"``; empty where the line is not known."""
    return _name(*program.place_of(index))


def _name(file: str, line: int) -> str:
    return f"{Path(file).name or '?'}:{line}" if line else ""


def _line(place: tuple[str, int], text: str, row: np.ndarray, loaded: float) -> Traffic:
    return Traffic(
        _name(*place) or "(no line)",
        text.strip(),
        requests=_number(row[C.S_REQ]),
        sectors=_number(row[C.S_SECTORS]),
        ideal_sectors=_number(row[C.S_IDEAL]),
        l1_hits=_number(row[C.S_HIT]),
        l2_bytes=_number(row[C.S_L2] * SECTOR_BYTES),
        dram_bytes=_number(row[C.S_HBM] * SECTOR_BYTES),
        wavefronts=_number(row[C.S_WAVES]),
        ideal_wavefronts=_number(row[C.S_WAVES_IDEAL]),
        load_sectors=_number(loaded),
    )


def by_array(launch: Launch, arrays: np.ndarray) -> tuple[Traffic, ...]:
    """What each array in global memory costs, loads and stores together.

    Parameters
    ----------
    launch : Launch
    arrays : float64 array, shape (arrays, N_ARRAY_COUNTS)

    Returns
    -------
    tuple of Traffic
        In the order of the parameters; arrays that share memory are one.  A program's own variables are left out
        where nothing touches them: headers of libraries declare dozens.
    """
    known, found = arrays_of(launch), {}
    variables = {variable.name for variable in launch.program.variables}
    for group in in_memory(launch, lay_out(launch)):
        numbers = sorted(one.number for one in group)
        names, row = [known[k].name for k in numbers], arrays[numbers].sum(axis=0)
        if row.any() or not variables.issuperset(names):
            found[numbers[0]] = _array(", ".join(names), known[numbers[0]].dtype, row)
    return tuple(found[k] for k in sorted(found))


def _array(name: str, dtype: str, row: np.ndarray) -> Traffic:
    return Traffic(
        name,
        dtype,
        requests=_number(row[C.A_LD_REQ] + row[C.A_ST_REQ]),
        sectors=_number(row[C.A_LD_SECTORS] + row[C.A_ST_SECTORS]),
        ideal_sectors=_number(row[C.A_LD_IDEAL] + row[C.A_ST_IDEAL]),
        l1_hits=_number(row[C.A_HIT]),
        l2_bytes=_number(row[C.A_L2] * SECTOR_BYTES),
        dram_bytes=_number(row[C.A_HBM] * SECTOR_BYTES),
        load_sectors=_number(row[C.A_LD_SECTORS]),
    )


def _number(value: float) -> Value:
    """A whole number where it is one."""
    return int(value) if float(value).is_integer() else float(value)
