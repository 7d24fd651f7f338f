"""How far off predictions are known to be: errors of each metric over the launches that were measured on a GPU."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache as remembered
from importlib import resources
from typing import Any, Literal, NamedTuple

from gpusim.results.metric import DURATION

Way = Literal["description", "machine_code", "program", "other"]
"""How a launch came about: lowered from a description, compiled from CUDA, launched by a program that finds caches as
earlier launches and copies left them, or in a way that nobody measured."""


ENOUGH = 5
"""Launches of a family of kernels from which on its errors stand for it; of fewer, those of all launches do."""

PUBLISHED = "validated against published times"
"""What errors are said to be where nothing was measured by ourselves."""

_WAY_WORDS: dict[Way, str] = {"description": "by description", "machine_code": "by machine code"}


class Errors(NamedTuple):
    """Errors of a metric: see :class:`gpusim.results.metric.Metric`, whose fields these are."""

    error: float | None = None
    held_out: float | None = None
    p90: float | None = None
    among: str = ""


@remembered
def _table(of: str) -> dict[str, Any]:
    source = resources.files("gpusim") / "data" / f"{of}.json"
    table: dict[str, Any] = json.loads(source.read_text()) if source.is_file() else {}
    return table


@remembered
def known_errors(gpu: str, way: Way, family: str = "", *, sampled: bool = False) -> dict[str, Errors]:
    """Errors of each metric over the launches measured on a GPU, else over published times; empty where none were.

    Parameters
    ----------
    gpu : str
        Name of the GPU, as in ``gpusim gpus``.
    way : str
    family : str
        Of the kernel, as in ``gpusim kernels``: where :data:`ENOUGH` of its launches were measured, over these alone.
        Empty, by machine code: a user's own, over launches of public repositories.
    sampled : bool
        Over launches of which only part was run, of whatever family.
    """
    if way == "other":
        return {}
    if way == "program":
        return {} if sampled else _errors_in_programs(gpu)
    table = _table(f"validation-{gpu}")
    if not table:
        return _errors_of_published(gpu, way, family)
    if sampled:
        return _errors(table.get("sampled", {}), f"{{}} launches on {gpu}, each sampled")
    found = _errors(table.get(way, {}), f"{{}} launches of all kernels on {gpu}, {_WAY_WORDS[way]}")
    if way == "machine_code" and not family:
        return found | _errors_in_strangers(gpu)
    own = table.get("families", {}).get(way, {}).get(family, {})
    known = {name: row for name, row in own.items() if row["n"] >= ENOUGH}
    return found | _errors(known, f"{{}} launches of {family} kernels on {gpu}, {_WAY_WORDS[way]}")


@remembered
def errors_of_quick(gpu: str, family: str = "", way: Way = "other") -> dict[str, Errors]:
    """How far quick predictions are from full ones, over launches of several kinds; empty where none were compared.

    Parameters
    ----------
    gpu : str
        Name of the GPU, as in ``gpusim gpus``.
    family : str
        Of the kernel: where :data:`ENOUGH` of its launches were compared, over these alone.
    way : str
        Decides which published times stand for a GPU that was not measured.
    """
    table = _table(f"quick-{gpu}")
    if not table:
        return _errors_of_published(gpu, way, family)
    of, own = (
        "quick predictions of {{}} launches of {} kernels, against full ones",
        table.get("families", {}).get(family),
    )
    if own:
        return _errors(own, of.format(family))
    return _errors(table.get("all", {}), of.format("all"))


def _errors_of_published(gpu: str, way: Way, family: str) -> dict[str, Errors]:
    """Errors over times that others published of kernels of this family, at clocks at which some of them were taken."""
    name = gpu.partition("@")[0]
    own = _table(f"published-{name}").get(way, {}).get(family, {})
    return {
        metric: Errors(row["median"], None, row["p90"], f"{row['n']} launches of {row['of']} on {name}, {PUBLISHED}")
        for metric, row in own.items()
        if row["n"] >= ENOUGH and gpu in row["gpus"]
    }


class Behind(NamedTuple):
    """What predictions for a GPU were held against.

    Attributes
    ----------
    launches : int
        Those that come with gpusim, measured on it.
    published : int
        Times of it, at its clock, that others published.
    """

    launches: int
    published: int


def behind(gpu: str) -> Behind:
    """Say how many launches and published times predictions for a GPU were held against.

    Parameters
    ----------
    gpu : str
        Name of the GPU, with its clock.

    Examples
    --------
    >>> behind("v100"), behind("h200@1410MHz").launches
    (Behind(launches=0, published=0), 0)
    """
    families = [rows for way in _table(f"published-{gpu.partition('@')[0]}").values() for rows in way.values()]
    times = (row["n"] for rows in families for metric, row in rows.items() if metric == DURATION and gpu in row["gpus"])
    return Behind(_table(f"validation-{gpu}").get("launches", 0), sum(times))


def _errors_in_strangers(gpu: str) -> dict[str, Errors]:
    table = _table(f"strangers-{gpu}")
    return _errors(table.get("all", {}), f"{{}} launches of {table.get('repositories')} public repositories on {gpu}")


def _errors_in_programs(gpu: str) -> dict[str, Errors]:
    table = _table(f"programs-{gpu}")
    return _errors(table.get("all", {}), f"{{}} launches of {table.get('programs')} programs on {gpu}")


def _errors(rows: Mapping[str, Mapping[str, Any]], among: str) -> dict[str, Errors]:
    return {
        name: Errors(row["median"], row.get("held_out"), row["p90"], among.format(row["n"]))
        for name, row in rows.items()
    }


def validated(gpu: str) -> str:
    """Say in a word whether predictions for a GPU were held against launches measured on it, or against times of it.

    Parameters
    ----------
    gpu : str

    Examples
    --------
    >>> validated("h200"), validated("p100")
    ('measured', 'no')
    """
    found = behind(gpu)
    return "measured" if found.launches else "published" if found.published else "no"


def held_against(gpu: str) -> str:
    """Say the same in a sentence, with the command that shows it.

    Parameters
    ----------
    gpu : str
    """
    found, command = behind(gpu), f"(gpusim compare {gpu.partition('@')[0]})"
    if found.launches:
        return f"Predictions for it were held against {found.launches} launches that were measured on it {command}."
    if found.published:
        return f"Predictions for it were held against {found.published} times that others published {command}."
    return f"Predictions for it were held against nothing{' at this clock' if '@' in gpu else ''}."
