"""The sentence under a table: how device memory traffic compares with the formula, and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gpusim.report.units import format_bytes, format_factor, format_share

if TYPE_CHECKING:
    from gpusim.results.figures import Figures

AGREES = 0.05
"""Relative difference below which two amounts of traffic are called the same."""

WORTH_NAMING = 0.01
"""Share of the loaded bytes below which a level is not mentioned."""


def explain(profile: Figures) -> str:
    """Say how what device memory reads compares with the textbook, and what accounts for it.

    Parameters
    ----------
    profile : Profile

    Returns
    -------
    str
        One or two sentences; empty where the profile does not know its device memory traffic.
    """
    if math.isnan(profile.dram_bytes_read):
        return ""
    verdict, reasons = _verdict(profile), _reasons(profile)
    said = f"{verdict}: {'; '.join(reasons)}." if reasons else f"{verdict}."
    return " ".join(filter(None, (said, _writes(profile))))


def compare(profiles: Sequence[Figures], label: Callable[[Figures], str]) -> str:
    """Say how device memory reads change over several profiles, and how the formula does.

    Parameters
    ----------
    profiles : sequence of Profile
    label : callable
        Gives the words that tell one profile from the others, such as ``"T=32"``.

    Returns
    -------
    str
        One sentence; empty where there are not two amounts to compare.
    """
    known = [p for p in profiles if p.dram_bytes_read > 0]
    if len(known) < 2:
        return ""
    most = max(known, key=lambda p: p.dram_bytes_read)
    least = min(known, key=lambda p: p.dram_bytes_read)
    factor = most.dram_bytes_read / least.dram_bytes_read
    top = f"{format_bytes(most.dram_bytes_read)} ({label(most)})"
    if factor < 1 + AGREES:
        ends = max(known, key=_textbook_reads), min(known, key=_textbook_reads)
        return f"{most.memory} reads hardly differ, {top} at most{_formula_factor(*ends)}."
    bottom = f"{format_bytes(least.dram_bytes_read)} ({label(least)})"
    said = f"{most.memory} reads run from {top} down to {bottom}, a factor of {format_factor(factor)}"
    return f"{said}{_formula_factor(most, least)}."


def _verdict(profile: Figures) -> str:
    """First half: the amount read, beside the textbook's."""
    read = f"{profile.memory} reads {format_bytes(profile.dram_bytes_read)}"
    book = profile.textbook.get("reads")
    if book is None or not book.nbytes > 0:
        return read
    says = f"{format_bytes(book.nbytes)} that {book.text} says"
    ratio = profile.dram_bytes_read / book.nbytes
    if abs(ratio - 1) <= AGREES:
        return f"{read}, as much as the {says}"
    if ratio < 1:
        return f"{read}, {format_share(ratio)} of the {says}"
    return f"{read}, {format_factor(ratio)} times the {says}"


def _reasons(profile: Figures) -> list[str]:
    """Second half: where the bytes were gained or saved on the way from the lanes to device memory."""
    reasons = [reason for reason in (_spread(profile), _served(profile)) if reason]
    if once := _compulsory(profile):
        reasons.append(f"what is left is {once}" if reasons else once)
    return reasons


def _spread(profile: Figures) -> str:
    """Bytes of the sectors that loads touch, beside the bytes that the textbook says they need."""
    book = profile.textbook.get("reads")
    loaded = profile.global_load_bytes
    if book is None or not book.nbytes > 0 or not loaded > 0:
        return ""
    ratio = loaded / book.nbytes
    if ratio > 1 + AGREES:
        return f"loads touch {format_factor(ratio)} times the bytes they need ({format_bytes(loaded)} of sectors)"
    if ratio < 1 - AGREES:
        return f"lanes of a warp that read the same sectors share them, which leaves {format_bytes(loaded)} to load"
    return ""


def _served(profile: Figures) -> str:
    """What share of the loaded bytes each level in front of device memory serves, the largest first."""
    loaded = profile.global_load_bytes
    missed = loaded * (1 - profile.l1_hit_rate)
    asked = profile.l2_read_bytes
    shares = [
        ("L1", loaded - missed),
        ("merging of misses in front of L2", missed - asked),
        ("L2", asked - profile.dram_bytes_read),
    ]
    named = [(who, saved / loaded) for who, saved in shares if loaded > 0 and saved / loaded >= WORTH_NAMING]
    if not named:
        return ""
    named.sort(key=lambda pair: -pair[1])
    return ", ".join(
        f"{who} {'serves ' if i == 0 else ''}{format_share(share)}" for i, (who, share) in enumerate(named)
    ) + (" of the loads" if _spread(profile) or "reads" not in profile.textbook else "")


def _compulsory(profile: Figures) -> str:
    """Whether what is read is each input byte once, which no cache can avoid."""
    least = profile.textbook.get("compulsory")
    book = profile.textbook.get("reads")
    if least is None or not least.nbytes > 0 or abs(profile.dram_bytes_read / least.nbytes - 1) > AGREES:
        return ""
    if book is not None and abs(least.nbytes / book.nbytes - 1) <= AGREES:
        return ""
    return "every input byte once"


def _writes(profile: Figures) -> str:
    """A word on writes where L2 keeps the result, or a part of it."""
    stored, written, kept = profile.l2_write_bytes, profile.dram_bytes_written, profile.l2_dirty_bytes
    if not stored > 0 or math.isnan(written):
        return ""
    writes = f"{profile.memory} writes {format_bytes(written)}"
    if written <= AGREES * stored:
        return f"{writes}: L2 still holds the result when the kernel ends."
    return f"{writes}: L2 still holds {format_bytes(kept)} when the kernel ends." if kept > AGREES * written else ""


def _textbook_reads(profile: Figures) -> float:
    book = profile.textbook.get("reads")
    return 0 if book is None else book.nbytes


def _formula_factor(most: Figures, least: Figures) -> str:
    """Continue a sentence with what the textbook says of the same two profiles; empty where it says nothing."""
    if not _textbook_reads(least) > 0 or not _textbook_reads(most) > 0:
        return ""
    factor = _textbook_reads(most) / _textbook_reads(least)
    if abs(factor - 1) <= AGREES:
        return "; the formula says they are the same"
    return f"; {most.textbook['reads'].text} says a factor of {format_factor(factor)}"
