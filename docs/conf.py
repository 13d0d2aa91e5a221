"""Sphinx with MyST: `make docs`."""

project = "jounce"
author = "The jounce authors"
copyright = author
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_title = "jounce"
