"""Does the picture of the start page show what gpusim says today?"""

import re

import pytest

import gpusim
from gpusim.pictures.canvas import content
from tests.docs.prose import ROOT

PICTURE = ROOT / "docs" / "_static" / "overview.svg"


def written(svg: str) -> list[str]:
    """What is written in a picture: matplotlib notes each text beside its outlines."""
    return re.findall(r"<!-- (.*?) -->", svg)


def test_its_numbers_are_those_of_the_command_beside_it():
    drawn = content(gpusim.predict("matmul-tiled", n=512, tile=16).plot(), "svg").decode()
    assert len(written(drawn)) > 30
    assert written(PICTURE.read_text(encoding="utf-8")) == written(drawn)


@pytest.mark.parametrize(("page", "link"), [("README.md", "docs/_static/"), ("docs/index.md", "_static/")])
def test_pages_show_it(page, link):
    assert f"({link}{PICTURE.name})" in (ROOT / page).read_text(encoding="utf-8")
