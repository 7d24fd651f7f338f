"""Sphinx configuration: ``make docs`` builds docs/_build/html."""

import importlib.metadata

project = "gpusim"
author = "The gpusim developers"
release = importlib.metadata.version("gpusim")

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates"]
html_theme = "pydata_sphinx_theme"
html_title = f"gpusim {release}"

autosummary_generate = True
autosummary_context = {"of_python": {name for kind in (str, int, tuple, dict, Exception) for name in dir(kind)}}
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]  # links to files of the repository that are no pages
