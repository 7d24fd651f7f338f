"""Sides of a comparison from files: what predict, profile, advise and measure have written as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpusim import reading
from gpusim.decide.diff_sides import DiffError, Side, extent, measured_side, side_of
from gpusim.decide.diff_why import costs_of
from gpusim.errors import GpusimError, UnknownNameError
from gpusim.measured import measurement
from gpusim.profiles.chain import ChainProfile
from gpusim.profiles.profile import Profile
from gpusim.results import documents
from gpusim.results.metric import CYCLES, Claim, Interval, Metric
from gpusim.results.traffic import Traffic

KINDS = ("profiles", "chains", "advice", "launches")
"""What a document may hold, by its key."""

BARE = ("advice", "launches")
"""Kinds whose figures have no claims."""

WRITERS = "gpusim predict, profile, sweep, advise and measure write such files with --json"


def read_side(path: Path, which: str = "") -> Side:
    """Read one side from a file.

    Parameters
    ----------
    path : Path
    which : str
        Which of several results: its number, from 1 on, or its name; of a measurement the id of a launch.

    Returns
    -------
    Side

    Raises
    ------
    DiffError
        Unreadable, another kind of file, or several results of which none is chosen.
    """
    return side_in(reading.read_json(path, DiffError), str(path), which)


def side_in(raw: Any, where: str = "A", which: str = "") -> Side:
    """Find one side in what a JSON document holds.

    Parameters
    ----------
    raw : object
        The document, or one of its profiles.
    where : str
        What messages call it.
    which : str
        As for :func:`read_side`.

    Raises
    ------
    DiffError
        As :func:`read_side`; a document of a later schema.
    """
    documents.check_version(raw, where, DiffError)
    if isinstance(raw, Mapping) and raw.get("format") == measurement.FORMAT:
        return _measured(raw, where, which)
    try:
        shared = {key: raw[key] for key in ("gpu", "cache") if key in raw}
        kind = None if "kernel" in raw or "chain" in raw else next((kind for kind in KINDS if kind in raw), None)
        entries = [{**shared, **entry} for entry in raw[kind]] if kind else [raw]
        names = [str(entry.get("id") or entry.get("chain") or entry["kernel"]) for entry in entries]
        entry = entries[_chosen(names, where, which)]
        if entry.get("error"):
            raise DiffError(f"{where}: {entry['id']} could not be predicted: {entry['error']}")
        return replace(_side(entry), tells_trust=kind not in BARE)
    except GpusimError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise DiffError(f"{where}: is neither a prediction nor a measurement: {WRITERS}") from None


def _chosen(names: Sequence[str], where: str, which: str) -> int:
    """The place of the result that is meant."""
    if not names:
        raise DiffError(f"{where}: holds no results")
    if not which:
        if len(names) > 1:
            some = f"{where}#1 to {where}#{len(names)}"
            raise DiffError(f"{where}: holds {len(names)} results: {some} choose one ({names[0]}, ...)")
        return 0
    if names.count(which) == 1:
        return names.index(which)
    if which.isdecimal():
        if not 1 <= int(which) <= len(names):
            raise DiffError(f"{where}#{which}: there are {len(names)} results, from #1 on")
        return int(which) - 1
    if which in names:
        raise DiffError(f"{where}#{which}: {names.count(which)} results have that name: choose one by its number")
    raise UnknownNameError(f"result of {where}", which, dict.fromkeys(names))


def _measured(raw: Mapping[str, Any], where: str, which: str) -> Side:
    """A launch of a measurement."""
    import json

    found = measurement.parse(json.dumps(raw), where)
    launch = found.launches[_chosen([launch.id for launch in found.launches], where, which)]
    return measured_side(launch, found.device.gpu, found.cache)


def _side(entry: Mapping[str, Any]) -> Side:
    """A prediction, or a chain of them, as it was written."""
    if "chain" not in entry:
        return replace(side_of(_profile(entry)), costs=_costs(entry))
    gpu, cache = str(entry["gpu"]), str(entry["cache"])
    if "advice" not in entry and "findings" in entry:
        steps = [_profile({"gpu": gpu, "cache": cache, **step}) for step in entry["steps"]]
    else:
        steps = [_profile(step) for step in entry["steps"]]
    labels = tuple(str(step.get("step") or step["kernel"]) for step in entry["steps"])
    names = tuple(dict(step.get("names", {})) for step in entry["steps"])
    chain = ChainProfile(entry["chain"], dict(entry["params"]), gpu, cache, tuple(steps), labels, {}, (), (), names)
    return replace(side_of(chain), costs=_costs(entry))


def _costs(entry: Mapping[str, Any]) -> dict[str, float] | None:
    """What each cause costs, where advice was written too."""
    if "findings" in entry:
        return costs_of(entry)
    return costs_of({"findings": entry["advice"]}) if "advice" in entry else None


def _profile(entry: Mapping[str, Any]) -> Profile:
    """A profile without what cannot be written: it cannot be predicted again."""
    metrics = {name: _metric(value) for name, value in entry.get("metrics", {}).items()}
    if "cycles" in entry:
        metrics.setdefault(CYCLES, Metric(float(entry["cycles"]), "cycle", Claim.MODELLED))
    gpu = str(entry.get("gpu", ""))
    return Profile(
        kernel=str(entry.get("kernel") or entry["id"]),
        params=dict(entry.get("params", {})),
        gpu=gpu,
        grid=extent(entry.get("grid", ())),
        block=extent(entry.get("block", ())),
        metrics={name: metric for name, metric in metrics.items() if metric is not None},
        cache=str(entry.get("cache", "")),
        memory=_memory(gpu),
        flops=entry.get("flops"),
        notes=tuple(entry.get("notes", ())),
        lines=_traffic(entry, "lines"),
        arrays=_traffic(entry, "arrays"),
    )


def _memory(gpu: str) -> str:
    """What the device memory of a GPU is called."""
    from gpusim import hardware

    try:
        return hardware.load(gpu).memory
    except GpusimError:  # a user's own: its file is not known here
        return "HBM"


def _metric(raw: Any) -> Metric | None:
    """A metric with its claim, or a number alone; None where it is not known."""
    if not isinstance(raw, Mapping):
        return None if raw is None else Metric(raw, "", Claim.MODELLED)
    if raw["value"] is None:
        return None
    of = raw.get("interval")
    return Metric(
        raw["value"], raw["unit"], Claim(raw["claim"]), raw.get("error"), raw.get("held_out"), raw.get("p90"),
        raw.get("among", ""), None if of is None else Interval(**of),
    )  # fmt: skip


def _traffic(entry: Mapping[str, Any], key: str) -> tuple[Traffic, ...]:
    return tuple(Traffic(**one) for one in entry.get(key, ()))
