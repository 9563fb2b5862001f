"""Sphinx's settings; ``python -m docs`` writes the generated pages first."""

from pathlib import Path
from typing import Any

from numpydoc.xref import DEFAULT_LINKS

from docs.pages import SAID, SHOWN_ONLY, documented, inside
from hpo_explain import __version__ as release  # noqa: F401 - Sphinx takes it

HERE = Path(__file__).parent
project = html_title = "hpo_explain"
copyright = "2026, the hpo_explain developers. MIT license"  # noqa: A001 - Sphinx's name
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_sourcelink = html_copy_source = False
html_sidebars = {name: [] for name in ("index", "papers", "how_it_works", "start")}
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": {
        name: [] for name in ("gallery/**", "index", "measured/*", "questions/**")
    },
}
templates_path = ["templates"]
exclude_patterns = ["build", "notebooks", "**/GALLERY_HEADER.rst"]
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["config.cache", "myst.header"]  # of functions; of tables made elsewhere

autosummary_generate = True
default_role = "py:obj"  # single backticks: links in the pages, plain words in --help
autosummary_context = {"inside": inside}
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # numpydoc has the types
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"

# No network is needed: an inventory is used where it is at hand.
intersphinx_mapping = {
    name: (address, str(HERE / "inventories" / f"{name}.inv"))
    for name, address in SAID["inventories"].items()
    if (HERE / "inventories" / f"{name}.inv").exists()
}
# Without Python's inventory, numpydoc's labels of Python's own types lead nowhere.
labels = {} if "python" in intersphinx_mapping else {name: name for name in DEFAULT_LINKS}
numpydoc_xref_aliases = labels | documented()

sphinx_gallery_conf = {
    "examples_dirs": [f"build/scripts/{name}" for name in ("questions", "gallery")],
    "gallery_dirs": ["questions", "gallery"],
    "filename_pattern": rf"/(?!({SHOWN_ONLY})\.py)\w+\.py$",
    "subsection_order": [f"build/scripts/{place}" for place in SAID["galleries"] if "/" in place],
    "within_subsection_order": "docs.pages.in_order",
    "image_scrapers": ("docs.scripts.vector_graphics",),
    "reset_modules": ("matplotlib", "docs.scripts.starts_once"),
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),
    "doc_module": ("hpo_explain",),
    "reference_url": {"hpo_explain": None},
    "download_all_examples": False,
    "parallel": True,  # as many scripts at a time as Sphinx has processes
    "show_signature": False,
    "write_computation_times": False,
    "default_thumb_file": str(HERE / "_static" / "report.png"),
}


def short_names(app: Any, env: Any, node: Any, content: Any) -> Any:
    """Resolve what a docstring calls by its short name, such as ``Run.surrogate``."""
    full, asked = documented(), node.get("reftarget", "")
    owner, _, name = asked.rpartition(".")
    owner = owner.rpartition(".")[2]
    target = f"{full[owner]}.{name}" if owner in full else full.get(name)
    if node.get("refdomain") != "py" or target in (None, asked):
        return None
    domain = env.get_domain("py")
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)


def setup(app: Any) -> None:
    """Connect what Sphinx calls."""
    app.connect("missing-reference", short_names)
