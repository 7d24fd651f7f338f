"""Quantities of a launch by name: a counter as Nsight Compute names it, a figure as Python has it, or plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gpusim.errors import UnknownNameError
from gpusim.results.metric import CYCLES, DURATION, Claim, Value

if TYPE_CHECKING:
    from gpusim.results.figures import Figures
    from gpusim.results.metric import Interval

_L1 = "l1tex__t_sectors_pipe_lsu_mem_{}.sum"
_L2 = "lts__t_sectors_srcunit_tex_{}.sum"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
_COPIED = _CONFLICTS.format("ldgsts")
_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"


class Figure(NamedTuple):
    """A figure of :class:`gpusim.Profile`, and what people call it.

    Attributes
    ----------
    name : str
        The property; with spaces for underscores it is a name, too.
    unit : str
        Empty: a number of its own kind, such as a ratio.
    of : tuple of str
        Metrics that it follows from: the weakest of their claims is its own.
    words : tuple of str
        Other names.
    line : str
        What it is called of a line of the source (:class:`gpusim.results.traffic.Traffic`); empty where lines have no
        part in it.
    """

    name: str
    unit: str
    of: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    line: str = ""


def _l1(what: str) -> tuple[str, ...]:
    return (_L1.format(what),)


def _hits(what: str) -> tuple[str, ...]:
    return _L1.format(what), _L1.format(what).replace(".sum", "_lookup_hit.sum")


FIGURES = (
    Figure("seconds", "s", (DURATION,), ("time", "duration")),
    Figure("cycles", "cycle", (CYCLES,)),
    Figure("instructions", "inst", ("smsp__inst_executed.sum",), ("warp instructions",)),
    Figure("simt_efficiency", "share", ("smsp__thread_inst_executed.sum", "smsp__inst_executed.sum")),
    Figure("blocks", "block"),
    Figure("threads_per_block", "thread"),
    Figure("blocks_per_sm", "block", ("launch__occupancy_limit_registers",)),
    Figure("registers_per_thread", "register/thread", ("launch__registers_per_thread",), ("registers",)),
    Figure("occupancy", "share", ("sm__maximum_warps_per_active_cycle_pct",), ("theoretical occupancy",)),
    Figure("achieved_occupancy", "share", ("sm__warps_active.avg.pct_of_peak_sustained_active",)),
    Figure("waves", "wave", ("launch__waves_per_multiprocessor",)),
    Figure("global_load_bytes", "byte", _l1("global_op_ld"), ("global loads", "l1 global loads"), "load_sectors"),
    Figure("global_store_bytes", "byte", _l1("global_op_st"), ("global stores", "l1 global stores")),
    Figure("sectors_per_load", "sector/request", _l1("global_op_ld"), ("sectors per request",), "load_sectors"),
    Figure("excess_sectors", "sector", _l1("global_op_ld"), ("uncoalesced sectors",), "excess_sectors"),
    Figure("l1_hit_rate", "share", _hits("global_op_ld"), ("l1 hits",)),
    Figure("shared_wavefronts", "wavefront", (_WAVEFRONTS,), (), "wavefronts"),
    Figure("shared_requests", "request", ("smsp__inst_executed_op_shared_ld.sum",), (), "wavefronts"),
    Figure(
        "bank_conflicts", "wavefront", tuple(map(_CONFLICTS.format, ("ld", "st"))),
        ("shared conflicts", "shared bank conflicts", "conflicts"), "conflicts",
    ),
    Figure("copy_conflict_bytes", "byte", (_COPIED,), ("copy conflicts",)),
    Figure("global_atomic_bytes", "byte", _l1("global_op_red"), ("global atomics",)),
    Figure("local_load_bytes", "byte", _l1("local_op_ld"), ("local loads", "spill loads")),
    Figure("local_store_bytes", "byte", _l1("local_op_st"), ("local stores", "spill stores")),
    Figure("local_hit_rate", "share", _hits("local_op_ld")),
    Figure("texture_bytes", "byte", ("l1tex__t_sectors_pipe_tex_mem_texture.sum",)),
    Figure("texture_hit_rate", "share", ("l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum",)),
    Figure("l2_read_bytes", "byte", (_L2.format("op_read"),), ("l2 reads", "l2 bytes read")),
    Figure("l2_write_bytes", "byte", (_L2.format("op_write"),), ("l2 writes", "l2 bytes written")),
    Figure("l2_hit_rate", "share", (_L2.format("lookup_hit"),), ("l2 hits",)),
    Figure("l2_read_hit_rate", "share", (_L2.format("op_read_lookup_hit"),)),
    Figure("l2_write_hit_rate", "share", (_L2.format("op_write_lookup_hit"),)),
    Figure("l2_dirty_bytes", "byte", ("gpusim__l2_bytes_left_dirty.sum",)),
    Figure("l2_fabric_bytes", "byte", ("lts__t_sectors_srcunit_ltcfabric.sum",)),
    Figure(
        "dram_bytes_read", "byte", ("dram__bytes_read.sum",),
        ("hbm reads", "hbm bytes read", "dram reads", "device memory reads"), "dram_bytes",
    ),
    Figure(
        "dram_bytes_written", "byte", ("dram__bytes_write.sum",),
        ("hbm writes", "hbm bytes written", "dram writes", "device memory writes"),
    ),
    Figure(
        "dram_bytes", "byte", ("dram__bytes_read.sum", "dram__bytes_write.sum"), ("hbm bytes", "device memory bytes"),
    ),
    Figure("arithmetic_intensity", "FLOP/byte", ("dram__bytes_read.sum",)),
)  # fmt: skip
"""Figures that a test may name."""


class Quantity(NamedTuple):
    """A quantity of one launch.

    Attributes
    ----------
    name : str
        As it was asked for.
    value : int or float
        NaN where it is not known.
    unit : str
    trust : str
        Its claim, with its errors where it is a counter's own.
    interval : Interval or None
        Of a time.
    line : str
        As :attr:`Figure.line`.
    """

    name: str
    value: Value
    unit: str
    trust: str
    interval: Interval | None = None
    line: str = ""


def named(profile: Figures, name: str) -> Quantity:
    """Find a quantity of a launch.

    Parameters
    ----------
    profile : Profile
    name : str
        ``"dram__bytes_read.sum"``, ``"dram_bytes_read"`` or ``"HBM reads"``; letter case does not matter in words.

    Raises
    ------
    UnknownNameError
        There is none of that name; it offers the nearest.
    """
    known = {_plain(word): figure for figure in FIGURES for word in (figure.name, *figure.words)}
    if name in profile.metrics:
        return _of_metric(profile, name)
    figure = known.get(_plain(name))
    if figure is None:
        raise UnknownNameError("metric", name, [*_offered(name, known), *profile.metrics])
    metrics = [profile.metrics[of] for of in figure.of if of in profile.metrics]
    alone = metrics[0] if len(metrics) == 1 else None
    claims = [*Claim]
    weakest = max((metric.claim for metric in metrics), key=claims.index, default=Claim.EXACT)
    trust = alone.claim_text if alone and figure.unit != "share" else weakest.value
    interval = alone.interval if alone else None
    return Quantity(name, getattr(profile, figure.name), figure.unit, trust, interval, figure.line)


def _of_metric(profile: Figures, name: str) -> Quantity:
    """A counter by Nsight Compute's name."""
    metric = profile.metrics[name]
    line = next((figure.line for figure in FIGURES if name in figure.of and figure.line), "")
    return Quantity(name, metric.value, metric.unit, metric.claim_text, metric.interval, line)


def _offered(name: str, known: dict[str, Figure]) -> Iterator[str]:
    """Names of figures as the one that was not known is written: with underscores or with spaces."""
    yield from (word.replace(" ", "_") if "_" in name else word for word in known)


def _plain(name: str) -> str:
    """A name in small letters, with spaces between words."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())
