"""Sphinx configuration: ``make docs`` builds docs/_build/html."""

import importlib.metadata
import re
from pathlib import Path

project = "gpusim"
author = "The gpusim developers"
release = importlib.metadata.version("gpusim")

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_static", "_templates"]
html_theme = "pydata_sphinx_theme"
html_title = f"gpusim {release}"
html_static_path = ["_static"]
html_sidebars = {page: [] for page in ("index", "reading-a-result", "language", "glossary")}  # no pages below them
html_css_files = ["site.css"]
html_theme_options = {"header_links_before_dropdown": 7}

autosummary_generate = True
autosummary_context = {"of_python": {name for kind in (str, int, tuple, dict, Exception) for name in dir(kind)}}
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120  # seconds a cell

LINK = re.compile(r"\[([^]]+)\]\(([^)\s]+)\)")


def on_the_site(link):
    """Have a link of CONTRIBUTING.md as a page of the site has it; what is no page is text alone."""
    text, target = link.groups()
    if target.startswith(("https:", "#", "docs/")):
        return f"[{text}]({target.removeprefix('docs/')})"
    return text


def from_the_root(app, docname, source):
    """Have CONTRIBUTING.md as the page that stands for it, and links to it lead there."""
    if docname == "contributing":
        text = (Path(app.srcdir).parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
        source[0] = LINK.sub(on_the_site, text)
    else:
        page = "../" * docname.count("/") + "contributing.md"
        source[0] = re.sub(r"\]\((?:\.\./)+CONTRIBUTING\.md", f"]({page}", source[0])


def setup(app):
    """Register it."""
    app.connect("source-read", from_the_root)
