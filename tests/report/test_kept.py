"""Is it said which results are from earlier runs, and not said of others?"""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from gpusim import report
from gpusim.report.kept import kept_line
from tests.report.profiles import tiled_matmul

DAY = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


def test_nothing_is_said_of_what_was_simulated_now():
    assert kept_line([]) == kept_line([None, None]) == ""
    assert "kept" not in report.as_text(tiled_matmul()).lower()


def test_one_has_its_date_in_local_time():
    assert kept_line([DAY]) == f"Kept from a run of {DAY.astimezone():%Y-%m-%d %H:%M}; --fresh simulates anew."


def test_of_several_the_oldest_is_named():
    later = DAY + timedelta(hours=1)
    assert kept_line([None, later, DAY]) == (
        f"2 of 3 are kept from earlier runs, the oldest of {DAY.astimezone():%Y-%m-%d %H:%M}; --fresh simulates anew."
    )


def test_tables_end_with_it():
    kept = replace(tiled_matmul(), kept=DAY)
    assert re.fullmatch(r"Kept from a run of .*", report.as_text(kept).splitlines()[-1])
    both = report.as_text([kept, tiled_matmul(tile=16)])
    assert re.fullmatch(r"1 of 2 are kept .*", both.splitlines()[-1])
