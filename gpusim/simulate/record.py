"""The timeline of one SM: asked of a machine before it runs, read from it afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.engine.state.arrays import Machine
from gpusim.errors import ParameterError
from gpusim.isa.encode import F, Image
from gpusim.results.timeline import BLOCKS, Event, Recording, Timeline
from gpusim.simulate.clock import REASONS
from gpusim.simulate.where import place_name

if TYPE_CHECKING:
    from gpusim.hardware.spec import Gpu
    from gpusim.isa.program import Program

UNITS = {S.ON_LSU: "load/store pipe", S.ON_TAGS: "tag stage", S.ON_FILL: "wire from L2", S.ON_OUT: "wire to L2"}
"""Tracks of the SM's units.  The wire from L2 is booked when a request leaves, not when its data arrives."""


def check(recording: Recording | None, gpu: Gpu) -> None:
    """Refuse an SM that the GPU does not have.

    Raises
    ------
    ParameterError
    """
    if recording is not None and not hasattr(recording, "events"):
        raise ParameterError(f"a timeline is asked for by a gpusim.Recording, not by {type(recording).__name__}")
    if recording is not None and (recording.sm or 0) >= gpu.sm_count:
        raise ParameterError(f"a timeline of SM {recording.sm}: {gpu.name} has SMs 0 to {gpu.sm_count - 1}")


def recorded(m: Machine, recording: Recording | None) -> Machine:
    """A machine that records as asked."""
    if recording is None:
        return m
    first = 1 + int(m.shape[S.N_SCHEDULERS])
    trace = np.zeros((first + recording.events, S.N_TRACE), np.int64)
    trace[0, S.T_NEXT], trace[0, S.T_FROM] = first, recording.start * S.TICKS
    m.shape[S.SHOWN] = m.order[0] if recording.sm is None else recording.sm
    return m._replace(trace=trace)


def timeline(m: Machine, image: Image, program: Program, gpu: Gpu, note: str) -> Timeline | None:
    """What a machine has recorded, None where nothing was asked for.

    Parameters
    ----------
    m : Machine
        That has run.
    image : Image
        What it ran.
    program : Program
    gpu : Gpu
    note : str
        What part of the launch it ran.

    Raises
    ------
    ParameterError
        If the SM did nothing in that time.
    """
    sm = int(m.shape[S.SHOWN])
    if sm < 0:
        return None
    schedulers = int(m.shape[S.N_SCHEDULERS])
    rows = m.trace[1 + schedulers : m.trace[0, S.T_NEXT]]
    if not len(rows):
        raise ParameterError(f"a timeline of SM {sm} from cycle {m.trace[0, S.T_FROM] // S.TICKS} on: it does nothing")
    stays = list(_stays(rows[rows[:, S.T_TRACK] < schedulers]))
    events = (*stays, *_events(rows, image.code[:, F.INDEX], program))
    slots = sorted({event.track for event in stays}, key=lambda track: (len(track), track))
    tracks = (*slots, *(f"scheduler {k}" for k in range(schedulers)), *UNITS.values())
    return Timeline(program.name, gpu.name, sm, gpu.clock.sm_hz, tracks, events, int(m.trace[0, S.T_LOST]), note)


def _cycles(ticks: int) -> float:
    """Cycles to a thousandth, whole ones as they are."""
    return ticks // S.TICKS if ticks % S.TICKS == 0 else round(ticks / S.TICKS, 3)


def _events(rows: np.ndarray, of: np.ndarray, program: Program) -> Iterator[Event]:
    """Issues and units, in the order in which they were recorded; ``of``: the program's instruction of each row."""
    names = [instr.op.name for instr in program.instrs]
    lines = [place_name(program, k) for k in range(len(program))]
    for row in rows[rows[:, S.T_TAKES] > 0].tolist():
        track, begin, index = row[S.T_TRACK], _cycles(row[S.T_AT]), int(of[row[S.T_PC]])
        issue = track < S.ON_LSU
        waits = issue and row[S.T_WAITED] > 0
        yield Event(
            f"scheduler {track}" if issue else UNITS[track], "issue" if issue else "unit", names[index], begin,
            round(_cycles(row[S.T_AT] + row[S.T_TAKES]) - begin, 3), row[S.T_BLOCK], row[S.T_WARP], index, lines[index],
            REASONS[row[S.T_WHY]] if waits else "", _cycles(row[S.T_WAITED]) if waits else 0.0,
        )  # fmt: skip


def _stays(issues: np.ndarray) -> Iterator[Event]:
    """Each block from its start to the last issue recorded of it, in the first row that is free."""
    blocks, first, whose = np.unique(issues[:, S.T_BLOCK], return_index=True, return_inverse=True)
    begins, last = issues[first, S.T_SINCE], np.zeros(len(blocks), np.int64)
    np.maximum.at(last, whose, issues[:, S.T_AT] + S.TICKS)
    ends: list[int] = []
    for k in np.lexsort((blocks, begins)):
        begin, end = int(begins[k]), int(last[k])
        slot = next((s for s, until in enumerate(ends) if until <= begin), len(ends))
        ends[slot : slot + 1] = [end]
        at = _cycles(begin)
        yield Event(f"blocks {slot}", BLOCKS, f"block {blocks[k]}", at, round(_cycles(end) - at, 3), int(blocks[k]))
