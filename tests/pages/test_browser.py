"""Pages in a real browser: they load without a complaint, sort, fold out when printed, and fit narrow screens.

Needs Chromium (Debian's package ``chromium``, or ``GPUSIM_CHROMIUM``: its path) and Playwright; skipped without.
"""

import os
import shutil
from dataclasses import replace

import pytest

import gpusim
from gpusim.pages.launch import head, launch
from gpusim.pages.launches import program, sweep
from gpusim.pages.page import page
from gpusim.report.program import program as program_table
from gpusim.results.program import Program, ProgramLaunch

QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
EVIL = "<script>document.title='evil'</script><img src=x onerror=\"document.title='evil'\">"


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("GPUSIM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("needs Chromium")
    with playwright.sync_playwright() as running:
        yield running.chromium.launch(executable_path=path, args=[*QUIET])


def tiled():
    profile = gpusim.predict("matmul-tiled", n=256, tile=16, fresh=True)
    return page(*head(profile), launch(profile))


def of_a_program():
    profiles = [gpusim.predict("copy", N=4096 << k) for k in range(10)]
    made = [ProgramLaunch(k, f"kernel<{k}>", (16, 1, 1), (256, 1, 1), one, k) for k, one in enumerate(profiles)]
    found = Program("ten", "h200", tuple(made), 0)
    return page(*program(found, program_table(found)))


def of_a_sweep():
    found = gpusim.sweep("matmul-tiled", {"tile": [8, 16, 32]}, n=128)
    return page(*sweep(found.profiles, found.table(), lambda ax: found.plot(ax=ax)))


def evil():
    profile = gpusim.predict("matmul-tiled", n=64, tile=16)
    found = replace(profile, kernel=EVIL, notes=(EVIL,), params={EVIL: EVIL})
    return page(*head(found), launch(found))


PAGES = {"tiled": tiled, "program": of_a_program, "sweep": of_a_sweep, "evil": evil}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Gives the file of a page, which is made once."""
    folder = tmp_path_factory.mktemp("pages")

    def made(name):
        found = folder / f"{name}.html"
        if not found.exists():
            found.write_text(PAGES[name](), encoding="utf-8")
        return found

    return made


@pytest.fixture
def opened(browser, file):
    """Opens a page; gives it with what it complained of, and what it asked for."""
    found = []

    def open_page(name, width=1600, scheme="light"):
        shown = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        found.append(shown)
        said, asked = [], []
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("dialog", lambda dialog: said.append(dialog.message))
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto(file(name).as_uri())
        return shown, said, asked

    yield open_page
    for shown in found:
        shown.close()


@pytest.mark.parametrize("name", PAGES)
def test_it_loads_and_fits(opened, name):
    for width, scheme in ((400, "light"), (400, "dark"), (1600, "light"), (1600, "dark")):
        shown, said, asked = opened(name, width, scheme)
        assert said == []
        assert len(asked) == 1
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        back, ink = (shown.evaluate(f"getComputedStyle(document.body).{of}") for of in ("backgroundColor", "color"))
        dark, bright = (ink, back) if scheme == "light" else (back, ink)
        assert lightness(dark) < 60 < 190 < lightness(bright)


def lightness(colour):
    return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))) / 3


def test_what_is_written_in_pictures_can_be_read(opened):
    for width in (400, 1600):
        shown, _, _ = opened("tiled", width)
        sizes = shown.evaluate("""
            [...document.querySelectorAll("svg")].filter(svg => svg.getBoundingClientRect().width > 0).map(svg =>
                Math.min(...[...svg.querySelectorAll("text")].map(text => text.getBoundingClientRect().height)))""")
        assert len(sizes) == 5
        assert min(sizes) >= 7  # pixels of a line


def test_narrow_screens_have_pictures_of_their_own(opened):
    seen = 'getComputedStyle(document.querySelector("figure .{}")).display'
    for width, wide, narrow in ((1600, "block", "none"), (400, "none", "block")):
        shown, _, _ = opened("tiled", width)
        assert (shown.evaluate(seen.format("wide")), shown.evaluate(seen.format("narrow"))) == (wide, narrow)


def column(shown, heading):
    """What the cells of a column of the source are sorted by."""
    return shown.evaluate(
        """heading => {
            const named = (table, name) => [...table.querySelectorAll("th")].find(th => th.textContent === name);
            const table = [...document.querySelectorAll("table")].find(one => named(one, "source"));
            return [...table.tBodies[0].rows].map(row => row.cells[named(table, heading).cellIndex].dataset.order);
        }""",
        heading,
    )


def test_a_click_on_a_heading_sorts(opened):
    shown, said, _ = opened("tiled")
    before = column(shown, "source")
    table = "table:has(th:has-text('source'))"
    for downwards in (True, False):
        shown.locator(f"{table} th:has-text('sectors') button").first.click()
        values = [float(value) for value in column(shown, "sectors") if value]
        assert len(values) == 3
        assert values == sorted(values, reverse=downwards)
    for _ in range(2):
        shown.locator(f"{table} th:has-text('line') button").first.click()
    assert column(shown, "source") == before
    assert said == []


def test_printing_opens_what_is_folded(opened, tmp_path):
    shown, said, _ = opened("program")
    assert shown.evaluate('document.querySelectorAll("details:not([open])").length') > 10
    shown.evaluate('window.dispatchEvent(new Event("beforeprint"))')
    assert shown.evaluate('document.querySelectorAll("details:not([open])").length') == 0
    printed = shown.pdf(path=str(tmp_path / "page.pdf"))
    assert printed.startswith(b"%PDF")
    assert len(printed) > 100_000
    assert said == []


def test_what_is_given_is_text(opened):
    shown, said, _ = opened("evil")
    assert shown.title().startswith("<script>")
    assert shown.evaluate("document.querySelectorAll('img').length") == 0
    assert shown.evaluate("document.querySelectorAll('script').length") == 1
    assert EVIL in shown.inner_text("h1")
    assert said == []
