"""Profile: everything predicted of one launch, as it is shown, and as plain dicts and tables."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from gpusim.errors import ParameterError
from gpusim.pictures.notebook import Pictured
from gpusim.results.documents import finite, plain
from gpusim.results.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from gpusim.advice import Advice
    from gpusim.progress import Progress
    from gpusim.results.metric import Metric, Value
    from gpusim.results.touches import Touch
    from gpusim.results.traffic import Traffic


@dataclass(frozen=True, repr=False)
class Profile(Figures, Pictured):
    """Everything predicted of one launch.

    Parameters
    ----------
    kernel : str
        Name of the kernel, as ``gpusim kernels`` lists it.
    params : mapping of str to int, float or str
        Sizes and tile sizes, complete (defaults filled in).
    gpu : str
        Name of the GPU, as ``gpusim gpus`` lists it.
    grid, block : tuple of int
        Blocks and threads in x, y, z.
    metrics : mapping of str to Metric
        Counters under their Nsight Compute names.
    textbook : mapping of str to Formula
        Closed forms to compare with: ``"reads"`` and ``"writes"`` are the global
        traffic the textbook counts, ``"compulsory"`` the bytes of the inputs,
        each read once.  Any of them may be missing.
    cache : str
        ``"cold"`` (empty before the launch), ``"warm"`` or ``"flushed"``.
    flops : int or None
        Floating-point operations of the algorithm (a fused multiply-add is two).
    memory : str
        What the GPU's device memory is called: ``"HBM"``, ``"GDDR"``.
    notes : tuple of str
        What else a reader must know, such as how much of the launch was simulated.
    warp_instructions : int
        How many were simulated.
    lines : tuple of Traffic
        What each line of the source costs, in the order of the source.
    arrays : tuple of Traffic
        The same for each array in global memory.
    timeline : Timeline or None
        What one SM did cycle by cycle, where it was asked for.
    printed : str
        What printf of device code printed: blocks in order, in a block by time, then by thread.
    kept : datetime or None
        When it was simulated, if that was in an earlier run, whose result is kept; None: it was simulated now.
    rerun : callable or None
        Predicts the launch again without some causes of its time; None where the profile was read from a file.

    Examples
    --------
    >>> from gpusim import Claim, Metric
    >>> read = Metric(64 * 2**20, "byte", Claim.MODELLED, 0.01)
    >>> profile = Profile("copy", {"N": 2**24}, "h200", (65536, 1, 1), (256, 1, 1), {"dram__bytes_read.sum": read})
    >>> profile.dram_bytes_read
    67108864
    >>> profile["dram__bytes_read.sum"].claim
    <Claim.MODELLED: 'modelled'>
    """

    @property
    def bound(self) -> str:
        """What binds it: ``compute``, ``memory``, ``latency``, ``barrier``, ``tail``, ``launch``; empty: not known."""
        from gpusim.report.time import bound_by

        return bound_by(self)

    @property
    def sentence(self) -> str:
        """What the numbers say, in one sentence."""
        from gpusim.report.sentence import explain

        return explain(self)

    def advice(self, progress: Progress | None = None) -> Advice:
        """Find what would make the launch faster: it is simulated again without each cause of its time.

        Parameters
        ----------
        progress : callable, optional
            Called with (blocks done, blocks, text).

        Returns
        -------
        Advice

        Raises
        ------
        ParameterError
            The profile was read from a file, or has no time.
        """
        from gpusim.advice import advise

        return advise(self, progress)

    def assert_metric(
        self, metric: str, op: str, value: int | float | str, *, rel: float | None = None, interval: bool = True
    ) -> None:
        """Fail where a quantity of the launch is not as a test says it must be.

        Parameters
        ----------
        metric : str
            As Nsight Compute names it (``"dram__bytes_read.sum"``), as a figure of the profile (``"dram_bytes_read"``)
            or in words (``"HBM reads"``, ``"shared conflicts"``).
        op : str
            ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, or ``≈`` (also ``~=``): equal but for `rel`.
        value : int, float or str
            In the metric's unit, or with one: ``"34 MB"``, ``"10 us"``, ``"45 %"``.
        rel : float, optional
            Of ``≈``: how far off it may be, relative to `value`; 0.05 unless given.
        interval : bool
            Whether ``<`` and ``<=`` must hold for the upper end of a time's interval, ``>`` and ``>=`` for its lower
            one; else, and where there is no interval, the prediction alone decides.

        Raises
        ------
        AssertionError
            It is not; the message has the value, its claim, and the lines that have most of it.
        GpusimError
            A metric, an operator or an amount that is not known.
        """
        __tracebackhide__ = True
        from gpusim.assertions import assert_metric

        assert_metric(self, metric, op, value, rel=rel, interval=interval)

    def touches(self, block: int = 0, warp: int = 0) -> Sequence[Touch]:
        """Find where the lanes of a warp go by each instruction that touches memory.

        Parameters
        ----------
        block : int
            Number of its block in the grid: x goes first.
        warp : int
            Its number in the block.

        Returns
        -------
        sequence of Touch
            In the order of the program.

        Raises
        ------
        ParameterError
            The profile was read from a file, or there is no such warp.
        """
        if self.rerun is None:
            raise ParameterError("what a warp touches is known of a launch that this process predicted")
        return self.rerun.touches(block, warp)

    def plot(
        self, kind: str = "overview", ax: Axes | None = None, *, measured: Figures | None = None,
        line: str | None = None,
    ) -> Axes:  # fmt: skip
        """Draw the launch; ``profile.plot("memory").figure.savefig("memory.svg")`` keeps it.

        Parameters
        ----------
        kind : str
            ``"overview"``, ``"speed-of-light"``, ``"memory"``, ``"roofline"``, ``"occupancy"``, ``"waves"``,
            ``"warp"`` or ``"timeline"``.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a figure of its own unless given.
        measured : Figures, optional
            The same launch as hardware counted it, whose numbers stand beside.
        line : str, optional
            Of ``"warp"``: the line of the source, ``"file.cu:41"`` or ``"41"``; unless given what costs most beyond
            what its words need.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        GpusimError
            There is no such kind, or the profile does not know what it shows.
        """
        from gpusim.pictures.launch import draw

        return draw(self, kind, ax, measured=measured, line=line)

    def __repr__(self) -> str:
        from gpusim.report import as_text

        return as_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Give the profile as plain dicts, lists, strings and numbers, ready for JSON.

        Returns
        -------
        dict
            ``kernel``, ``params``, ``gpu``, ``grid``, ``block``, ``cache``, ``flops``,
            ``metrics`` (name to value, unit, claim, errors, interval), ``derived`` (name to value;
            None where a metric it needs is missing), ``textbook``, ``lines``, ``arrays``,
            ``notes``, ``printed``, ``sentence``, ``bound``, ``kept`` (a date and time of ISO 8601, or None).
        """
        return {
            "kernel": self.kernel,
            "params": {name: plain(value) for name, value in self.params.items()},
            "gpu": self.gpu,
            "grid": [int(n) for n in self.grid],
            "block": [int(n) for n in self.block],
            "cache": self.cache,
            "flops": plain(self.flops),
            "metrics": {name: _metric_dict(metric) for name, metric in self.metrics.items()},
            "derived": {name: finite(getattr(self, name)) for name in DERIVED},
            "textbook": {
                key: {"name": form.name, "formula": form.text, "bytes": finite(form.nbytes)}
                for key, form in self.textbook.items()
            },
            "lines": [_traffic_dict(line) for line in self.lines],
            "arrays": [_traffic_dict(array) for array in self.arrays],
            "notes": list(self.notes),
            "printed": self.printed,
            "sentence": self.sentence,
            "bound": self.bound,
            "kept": None if self.kept is None else self.kept.isoformat(),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Give the metrics as a table, one row each.

        Returns
        -------
        pandas.DataFrame
            Index ``metric``; columns ``kernel``, ``gpu``, one for each parameter,
            then ``value``, ``unit``, ``claim``, ``error``, ``held_out``, ``p90``, ``among``, and the ends of a time's
            interval, ``low`` and ``high``, in the metric's unit.
        """
        import pandas as pd

        launch = {"kernel": self.kernel, "gpu": self.gpu, **self.params}
        rows = [{"metric": name, **launch, **_metric_row(metric)} for name, metric in self.metrics.items()]
        columns = ["metric", *launch, "value", "unit", "claim", "error", "held_out", "p90", "among", "low", "high"]
        return pd.DataFrame(rows, columns=columns).set_index("metric")


DERIVED = (
    "blocks",
    "threads_per_block",
    "blocks_per_sm",
    "occupancy",
    "waves",
    "simt_efficiency",
    "global_load_bytes",
    "global_store_bytes",
    "sectors_per_load",
    "l1_hit_rate",
    "shared_wavefronts",
    "bank_conflicts",
    "global_atomic_bytes",
    "local_load_bytes",
    "local_store_bytes",
    "local_hit_rate",
    "texture_bytes",
    "texture_hit_rate",
    "l2_read_bytes",
    "l2_write_bytes",
    "l2_hit_rate",
    "l2_read_hit_rate",
    "l2_write_hit_rate",
    "l2_dirty_bytes",
    "l2_fabric_bytes",
    "dram_bytes_read",
    "dram_bytes_written",
    "arithmetic_intensity",
)
"""Properties of :class:`Profile` that ``to_dict`` writes under ``derived``."""


def _known(error: float | None) -> Value | None:
    """An error as JSON holds it: None too where it is beyond all bounds."""
    return None if error is None else finite(error)


def _traffic_dict(traffic: Traffic) -> dict[str, Any]:
    """Everything about a line or an array."""
    return {f.name: plain(getattr(traffic, f.name)) for f in fields(traffic)}


def _metric_dict(metric: Metric) -> dict[str, Any]:
    return {
        "value": finite(metric.value),
        "unit": metric.unit,
        "claim": metric.claim.value,
        "error": _known(metric.error),
        "held_out": _known(metric.held_out),
        "p90": _known(metric.p90),
        "among": metric.among,
        "interval": None if metric.interval is None else metric.interval._asdict(),
    }


def _metric_row(metric: Metric) -> dict[str, Any]:
    """The same for a table, which has a number a cell."""
    found = _metric_dict(metric)
    interval = found.pop("interval") or {}
    return {**found, "low": interval.get("low"), "high": interval.get("high")}
