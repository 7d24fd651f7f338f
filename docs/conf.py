"""Sphinx configuration: ``make docs`` builds docs/_build/html."""

import importlib.metadata

project = "gpusim"
author = "The gpusim developers"
release = importlib.metadata.version("gpusim")

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
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
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository that are no pages
