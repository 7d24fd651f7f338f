"""Answers that a model can read: the verdict first, then numbers with units and claims, within so many characters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gpusim.mcp.call import Answer
from gpusim.results.metric import CYCLES, DURATION

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gpusim.advice import Advice, ChainAdvice
    from gpusim.bounds.result import Bound
    from gpusim.checks.result import CheckResult
    from gpusim.decide.diff import Diff
    from gpusim.decide.tuning import Tuning
    from gpusim.profiles.chain import ChainProfile
    from gpusim.profiles.profile import Profile

SHORT, FULL = 6_000, 60_000
"""Characters of a text, or of the JSON beside it: usually, and where all was asked for."""

MORE = "... (cut: detail='full' has the rest)"

LINES = 6
"""Lines of the source, and arrays, that a short answer's JSON has: those that cost most."""

TEXT = 400
"""Characters that are kept of what a kernel printed."""

KEPT = (
    CYCLES, DURATION, "smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "lts__t_sectors_srcunit_tex_op_read.sum",
    "dram__bytes_read.sum", "dram__bytes_write.sum",
)  # fmt: skip
"""Counters of a short answer's JSON."""


def of_prediction(found: Profile | ChainProfile, remark: str, *, full: bool) -> Answer:
    """Answer with a launch, or with launches that follow one another.

    Parameters
    ----------
    found : Profile or ChainProfile
    remark : str
        What stands below the verdict; may be empty.
    full : bool
        With every counter.
    """
    from gpusim import report
    from gpusim.profiles.chain import ChainProfile

    if isinstance(found, ChainProfile):
        text = as_text([remark, *report.chains([found])], full=full)
        steps = [*found.to_dict()["steps"]]
        chain = found.to_dict() | {"steps": [step if full else _trimmed(step, len(steps)) for step in steps]}
        return Answer(text, documented({"chains": [chain]}, full=full))
    shown = [*report.table(found), *report.where(found)] if full else [*_in_short(found)]
    return Answer(
        as_text([*verdict(found), remark, *shown], full=full),
        documented({"profiles": [found.to_dict() if full else _trimmed(found.to_dict())]}, full=full),
    )


def verdict(profile: Profile) -> list[str]:
    """Say how long a launch takes, and what binds it.

    Parameters
    ----------
    profile : Profile
    """
    from gpusim import report
    from gpusim.report.time import duration

    return [f"{line[0].upper()}{line[1:]}." for line in (duration(profile), report.why(profile)) if line]


def _in_short(profile: Profile) -> Iterable[RenderableType]:
    """The launch, its table by level, and sentences."""
    from rich.text import Text

    from gpusim.report import tables
    from gpusim.report.claims import legend
    from gpusim.report.kept import kept_line
    from gpusim.report.sentence import explain
    from gpusim.report.shared import wavefronts
    from gpusim.report.where import verdicts

    printed = f"It prints: {profile.printed[:TEXT]}" if profile.printed else ""
    yield from (Text(line) for line in ("", tables.heading(profile), tables.launch_line(profile), ""))
    yield tables.memory_table(profile)
    said = (
        explain(profile), *verdicts(profile), *wavefronts(profile), *profile.notes, printed,
        legend(tables.shown_metrics(profile)), kept_line([profile.kept]),
    )  # fmt: skip
    yield from (Text(line) for line in ("", *filter(None, said)))


def of_advice(advice: Advice | ChainAdvice, remark: str, *, full: bool) -> Answer:
    """Answer with what would make a launch faster.

    Parameters
    ----------
    advice : Advice or ChainAdvice
    remark : str
        What stands below the verdict; may be empty.
    full : bool
        With causes that cost nothing.
    """
    document = advice.to_dict()
    if not full:
        document["findings"] = [one for one in document["findings"] if one["gain"] > 0]
    return Answer(
        as_text([_first(advice), remark, "", *advice.table()], full=full), documented({"advice": [document]}, full=full)
    )


def _first(advice: Advice | ChainAdvice) -> str:
    """The finding that costs most, in a line."""
    from gpusim.report.units import format_factor, format_share

    if not advice.worth:
        return "Nothing that was looked at costs 5 % of the time: little is left to gain."
    most = advice.worth[0]
    ends = most.interval
    sure = f"; 80 %: {format_factor(ends.low)} to {format_factor(ends.high)} times" if ends else ""
    where = f" at {most.places[0].name}" if most.places else ""
    limit = "at most " if most.at_most else ""
    share, factor = f"{limit}{format_share(most.gain)}", f"{limit}{format_factor(most.speedup)}"
    return (
        f"Most is lost to {most.cause.value}{where}: {share} of the time. Without it the launch is {factor} times as "
        f"fast{sure}. {most.edit}"
    )


def of_check(found: CheckResult, *, full: bool) -> Answer:
    """Answer with what is wrong with a launch.

    Parameters
    ----------
    found : CheckResult
    full : bool
    """
    return Answer(
        as_text([_worst(found), "", *found.table()], full=full),
        documented({"checks": [found.to_dict()], "failed": []}, full=full),
    )


def _worst(found: CheckResult) -> str:
    """The worst finding, in a line."""
    if found.ended:
        return f"The run came to no end: {found.ended}."
    if found.clean:
        some = "" if found.blocks_run == found.blocks else f" in {found.blocks_run} of {found.blocks} blocks"
        return f"Nothing was found{some}."
    first = found.findings[0]
    where = f" at {first.spot.name}" if first.spot else ""
    return f"Worst: {first.title}{where}: {first.what}. {first.edit}"


def of_diff(found: Diff, remark: str, *, full: bool) -> Answer:
    """Answer with what changed between two launches.

    Parameters
    ----------
    found : Diff
    remark : str
        What stands below the verdict; may be empty.
    full : bool
        With every counter, and figures that did not change.
    """
    verdict, *shown = found.table()
    document = found.to_dict()
    if not full:
        document["metrics"] = [one for one in document["metrics"] if one["figure"] in KEPT]
        document["levels"] = [one for one in document["levels"] if one["a"] != one["b"]]
        document |= {key: document[key][:LINES] for key in ("lines", "arrays")}
    return Answer(
        as_text([verdict, remark, "", *shown], full=full), documented({"diff": document, "exceeded": []}, full=full)
    )


def of_tuning(found: Tuning, remark: str, *, full: bool) -> Answer:
    """Answer with the best points of a space.

    Parameters
    ----------
    found : Tuning
    remark : str
        What stands below the verdict; may be empty.
    full : bool
        With as many points as there is room for.
    """
    shown = [line for line in found.table() if line != found.verdict]
    return Answer(
        as_text([found.verdict, remark, "", *shown], full=full), documented({"tuning": found.to_dict()}, full=full)
    )


def of_bound(found: Bound, remark: str, *, full: bool) -> Answer:
    """Answer with the least traffic of any schedule.

    Parameters
    ----------
    found : Bound
    remark : str
        What stands below the verdict; may be empty.
    full : bool
    """
    return Answer(
        as_text([_least(found), remark, "", *found.table()], full=full),
        documented({"bounds": [found.to_dict()]}, full=full),
    )


def _least(found: Bound) -> str:
    """What every schedule moves from each level, and how many times that this one does."""
    from gpusim.report.units import format_bytes, format_factor

    said = []
    for level in found.levels:
        times = level.counted / level.bound if level.counted is not None and level.bound else None
        beside = f" (this one {format_factor(times)} times that)" if times else ""
        where = f" at {level.level.name}" if found.gpu else ""
        said.append(f"{format_bytes(level.bound)}{where}{beside}")
    return f"No schedule moves less than {', '.join(said)}."


def as_text(lines: Sequence[RenderableType], *, full: bool) -> str:
    """Lay lines and tables out, within the characters of an answer.

    Parameters
    ----------
    lines : sequence of rich renderables
        An empty remark among them leaves no gap.
    full : bool
        Whether all was asked for.
    """
    from rich.text import Text

    from gpusim import report

    whole = report.text([Text(line) if isinstance(line, str) else line for line in lines])
    return cut(re.sub(r"\n{3,}", "\n\n", whole).strip("\n"), FULL if full else SHORT)


def cut(text: str, most: int) -> str:
    r"""End a text that is too long at the end of a line, and say so.

    Examples
    --------
    >>> cut("one\ntwo\nthree", 100)
    'one\ntwo\nthree'
    >>> len(cut("four\n" * 100, 60)) <= 60
    True
    """
    if len(text) <= most:
        return text
    kept = text[: most - len(MORE) - 1]
    return f"{kept.rpartition(chr(10))[0] or kept}\n{MORE}"


def documented(content: dict[str, Any], *, full: bool) -> dict[str, Any]:
    """Give results as a document of the published schema, shortened where it is too long.

    Parameters
    ----------
    content : dict
    full : bool
        Whether all was asked for.
    """
    from gpusim.results.documents import document

    return bounded(document(content), FULL if full else SHORT)


def bounded(found: dict[str, Any], most: int) -> dict[str, Any]:
    """Shorten the longest list of a document, over and over, until its JSON fits.

    Parameters
    ----------
    found : dict
        Changed.
    most : int
        Characters.

    Examples
    --------
    >>> bounded({"profiles": [{"lines": ["a"] * 100, "gpu": "h200"}]}, 60)
    {'profiles': [{'lines': ['a', 'a', 'a'], 'gpu': 'h200'}]}
    """
    while len(json.dumps(found)) > most:
        longest = max(_lists(found), key=lambda one: (len(one) > 1, len(json.dumps(one))), default=None)
        if not longest:
            break
        del longest[len(longest) // 2 :]
    return found


def _lists(of: Any) -> Iterable[list[Any]]:
    """Every list inside, but for sizes in x, y, z."""
    if isinstance(of, list) and not all(isinstance(one, int) for one in of):
        yield of
    for inner in of.values() if isinstance(of, dict) else of if isinstance(of, list) else ():
        yield from _lists(inner)


def _trimmed(profile: dict[str, Any], among: int = 1) -> dict[str, Any]:
    """A profile as plain dicts with the counters and lines that matter most; ``among`` so many."""
    metrics = [name for name in KEPT if name in profile["metrics"]][: max(len(KEPT) // among, 2)]
    short = {"metrics": {name: profile["metrics"][name] for name in metrics}, "printed": profile["printed"][:TEXT]}
    for key in ("lines", "arrays"):
        costly = sorted(profile[key], key=lambda one: -(one["sectors"] + one["wavefronts"]))
        short[key] = costly[: LINES // among]
    return profile | short
