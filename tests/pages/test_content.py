"""What a page says: tables as reports print them, everything escaped, no path of the host, nothing from the network."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.text import Text

import gpusim
from gpusim.pages.content import Paragraph, Table, items, order_of
from gpusim.pages.launch import head, launch
from gpusim.pages.launches import launches, program, sweep
from gpusim.pages.page import page, without_paths
from gpusim.report.grid import Grid
from gpusim.results.program import Program, ProgramLaunch
from gpusim.results.traffic import Traffic

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def profile():
    return gpusim.predict("matmul-tiled", n=128, tile=16, fresh=True)


def made(profile, **changed):
    found = replace(profile, **changed)
    return page(*head(found), launch(found))


def test_a_page_has_what_is_asked_of_it(profile):
    text = made(profile)
    for part in ("What binds it", "What moves", "How near the roof", "Where it comes from", "All counters"):
        assert f">{part}</" in text
    assert text.count("<svg") == 2 * 5
    assert "acc += sA[r, k] * sB[k, c]" in text
    assert "launch__registers_per_thread" in text
    assert profile["dram__bytes_read.sum"].claim_text in text


def test_each_line_of_the_source_has_its_counters(profile):
    (table,) = [item for section in launch(profile) if section.title == "Where it comes from" for item in section.items
                if isinstance(item, Table) and item.headings[0] == "line"]  # fmt: skip
    by_line = {row[0].text: row for row in table.rows}
    for line in profile.lines:
        if line.sectors:
            assert by_line[line.name][2].order == float(line.sectors)
    assert len(by_line) > len(profile.lines)
    assert [row[0].order for row in table.rows] == sorted(row[0].order for row in table.rows)


@pytest.mark.parametrize(
    "changed",
    [
        {"kernel": EVIL}, {"gpu": EVIL}, {"params": {EVIL: EVIL}}, {"notes": (EVIL,)}, {"memory": EVIL},
        {"lines": (Traffic(f"{EVIL}.cu:3", EVIL, requests=1, sectors=9, ideal_sectors=1),)},
        {"arrays": (Traffic(EVIL, EVIL, requests=1, sectors=9, ideal_sectors=1),)},
    ],
)  # fmt: skip
def test_nothing_that_is_given_becomes_markup(profile, changed):
    text = made(profile, rerun=None, **changed)
    assert text.count("<script>") == 1
    assert "alert(1)" not in re.search(r"<script>.*?</script>", text, re.DOTALL)[0]
    assert "&lt;script&gt;alert(1)" in text


def test_a_page_asks_nothing_of_the_network(profile):
    text = made(profile)
    assert "default-src 'none'" in text
    links = set(re.findall(r"https?://[^\s\"'<>]+", text))
    assert all("w3.org" in link for link in links)  # names of the SVG vocabulary
    assert not re.search(r"<(link|img|iframe|object|embed)\b", text)
    assert not re.search(r"url\((?!#)", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/srv/a/work/mm.cu:41 is slow", "mm.cu:41 is slow"), ("/srv/a/work/sub/mm.cu", "sub/mm.cu"),
        ("at /usr/include/cuda/mma.h", "at …/mma.h"), ("--html=/tmp/x.html", "--html=…/x.html"),
        ("'/home/ada/my file'", "'…/my file'"), ("~/secret/x.cu", "…/x.cu"), ("10 B/s and 1/2", "10 B/s and 1/2"),
        ("https://a.b/c/d", "https://a.b/c/d"), ("a//b", "a//b"),
    ],
)  # fmt: skip
def test_of_paths_outside_the_folder_the_last_part_is_left(text, shown):
    assert without_paths(text, "/srv/a/work") == shown.replace("my file", "my file")


def test_a_page_of_sources_elsewhere_names_no_folder(profile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = replace(profile, notes=(f"see {Path(gpusim.__file__)}",))
    text = page(*head(found), launch(found), f"gpusim profile {tmp_path}/here.cu /opt/elsewhere/there.cu")
    assert str(Path(gpusim.__file__).parent) not in text
    assert "see …/__init__.py" in text
    assert "gpusim profile here.cu …/there.cu" in text


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("8 192", 8192.0), ("2.10 M", 2.1e6), ("67.1 MB", 67.1e6), ("84 %", 0.84), ("42.9 us", 42.9e-6), ("1.5x", 1.5),
        ("–", "–"), ("exact", "exact"), ("-7", -7.0), ("+4.5 %", 0.045), ("11 to 13 us", 11.0), ("", ""),
    ],
)  # fmt: skip
def test_cells_sort_by_what_they_show(text, order):
    assert order_of(text) == (pytest.approx(order) if isinstance(order, float) else order)


def test_what_a_report_prints_becomes_tables_and_paragraphs():
    grid = Grid()
    grid.add_column("name", "name")
    grid.add_column("share")
    grid.add_column("", "bar", full=10)
    grid.add_row("a", ("50 %", "50"), 0.5)
    title, table, below = items([Text("head", style="bold"), grid, "", "one\ntwo"])
    assert title == Paragraph("head", is_title=True)
    assert table.kinds == ["name", "number", "bar"]
    assert [cell.order for cell in table.rows[0]] == ["a", 0.5, 0.5]
    assert below.text.split() == ["one", "two"]


def test_several_launches_have_a_part_each():
    profiles = [gpusim.predict("matmul-tiled", n=64, tile=tile) for tile in (8, 16)]
    title, _, (beside, each) = launches(profiles)
    assert title.startswith("matmul-tiled")
    assert [part.title.split(":")[0] for part in each.parts] == ["T=8", "T=16"]
    assert all(part.folded for part in each.parts)
    assert len([item for item in beside.items if isinstance(item, Table)]) == 1


def test_a_program_has_a_part_for_each_launch_that_was_timed(profile):
    made = [ProgramLaunch(k, "mm", (8, 8, 1), (16, 16, 1), profile, 0 if k < 2 else k) for k in range(3)]
    title, _, (where, timed) = program(Program("prog", "h200", tuple(made), 0), [Text("head"), Text("below")])
    assert title == "prog on h200"
    assert [part.title.split(",")[0] for part in timed.parts] == ["launch 0", "launch 2"]
    assert len(where.items) == 3


def test_a_sweep_has_its_figure_and_its_points():
    found = gpusim.sweep("matmul-tiled", {"tile": [8, 16]}, n=64)
    title, _, (beside, each) = sweep(found.profiles, found.table(), lambda ax: found.plot(ax=ax))
    assert title == "Sweep of matmul-tiled: 2 points"
    assert len(each.parts) == 2
    assert any(isinstance(item, Table) for item in beside.items)
