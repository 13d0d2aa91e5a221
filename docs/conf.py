"""Sphinx with MyST: `make docs`. The reference (api.md) is made from the docstrings."""

project = "jounce"
author = "The jounce authors"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_title = "jounce"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_ivar = True
autodoc_type_aliases = {"npt.ArrayLike": "ArrayLike", "Array": "Array"}


def escape_bars(app, what, name, obj, options, lines):
    """Docstrings write |x| for an absolute value; to docutils that would be a substitution."""
    lines[:] = [line.replace("|", "\\|") for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars)
