"""The pages that follow from the package: the questions, the API, and the gallery of examples."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import sys
import textwrap
from functools import cache
from importlib import import_module
from pathlib import Path

from hpo_explain.base.result import Result
from hpo_explain.catalog.entry import Method
from hpo_explain.catalog.methods import METHODS
from tests.stubs import results

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
SAID = tomllib.loads((ROOT / "docs" / "pages.toml").read_text(encoding="utf-8"))
SHOWN_ONLY = "beside_optuna|callback"  # they write files, or take long
# Of a result, what users ask it for; the rest of its base is for those who write a method.
ASKED = frozenset(
    (
        "acquisition",
        "caution",
        "claims",
        "details",
        "direction",
        "notes",
        "objective_name",
        "optimizer",
        "plot",
        "posterior",
        "probability",
        "sentence",
        "subject",
        "to_dict",
        "to_frame",
        "to_plotly",
        "trial",
        "trust",
    )
)
OWN = (
    "all_names",
    "columns",
    "few",
    "keys",
    "lead",
    "leading",
    "records",
    "says",
    "shown",
    "table",
    "texts",
)
# Of a package, what users meet; others are the house's own.
PARTS = {
    "hpo_explain.run": ("Curves", "Instances", "NoiseModel"),
    "hpo_explain.base": (
        "Claim",
        "Estimate",
        "Fact",
        "InputError",
        "NothingToExplain",
        "Origin",
        "PosteriorDraws",
        "Result",
        "Subject",
    ),
}
METHODS_HOME = "hpo_explain.methods"


def write(folder: Path) -> None:
    """Write all of them below a folder."""
    for made in ("api", "gallery", "measured", "questions"):
        shutil.rmtree(folder / made, ignore_errors=True)
    scripts = folder / "build" / "scripts"
    for place, title in SAID["galleries"].items():
        line = "-" if "/" in place else "="
        _put(scripts / place / "GALLERY_HEADER.rst", f"{title}\n{line * len(title)}\n")
    for method in METHODS:  # shap imports a module called lime, and scripts can be imported
        _put(scripts / "questions" / topic_of(method) / f"ask_{method.name}.py", question(method))
    for path in (folder / "notebooks").glob("*.py"):
        _put(scripts / "gallery" / "notebooks" / path.name, path.read_text(encoding="utf-8"))
    for path in (ROOT / "examples").glob("*.py"):
        text = example(path.read_text(encoding="utf-8"))
        _put(scripts / "gallery" / "scripts" / path.name, text)
    for name, page in api_pages().items():
        _put(folder / "api" / f"{name}.rst", page)
    _put(folder / "build" / "tools.md", tools())
    for name, file in SAID["tables"].items():
        path = ROOT / file
        there = path.exists()
        text = table(path) if there else f"# {name.title()}\n\nNot written yet.\n"
        _put(folder / "measured" / f"{name}.md", text)


def table(path: Path) -> str:
    """Return a page that is made elsewhere, for the folder `measured`.

    Its vector graphics are shown; of other files, which are not in the site, the words are left.
    """
    place = path.parent.relative_to(ROOT).as_posix()
    text = re.sub(
        r"!\[([^]]*)\]\(([\w/]+\.svg)\)",
        rf"```{{image}} ../../{place}/\2\n:alt: \1\n:class: shown\n```",
        path.read_text(encoding="utf-8"),
    )
    return re.sub(r"!?\[([^]]*)\]\((?!https?:|#)[^)]*\)", r"\1", text)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def in_order(path: str) -> tuple[int, str]:
    """Return where the gallery lists a script: questions as the catalog has them."""
    names, name = ([method.name for method in METHODS], Path(path).stem.removeprefix("ask_"))
    return (names.index(name) if name in names else len(names), name)


def heading(title: str) -> str:
    """Return a title of reStructuredText."""
    return f"{title}\n{'=' * len(title)}\n\n"


def topic_of(method: Method) -> str:
    """Return the folder of methods that a question belongs to."""
    return method.module.split(".")[2]


def question(method: Method) -> str:
    """Return the script of one question, from its entry in the catalog."""
    more = {"study": "svm", "code": f"found = {method.path}(study)", "reading": ""}
    more |= SAID["answers"].get(method.name, {})
    load = f'study = optuna.load_study(study_name="{more["study"]}", storage=STORAGE)\n'
    doc = (inspect.getdoc(method.function) or "").partition("\n")[0]
    command = f"On the command line: ``hpo-explain {method.called}``." if method.called else ""
    arguments = f"All arguments: :func:`{documented()[method.name]}`. {command}"
    return "\n".join(
        [
            f'"""\n{heading(method.asks)}{_rst(doc)}\n"""',
            "import optuna\n\nimport hpo_explain as hx\n",
            f'STORAGE = "sqlite:///study.db"  # or yours\n{load if more["study"] else ""}',
            f"{more['code']}\nprint(found.sentence)\nfound.plot()\n",
            *(f'# %%\nfound.plot(view="{name}")\n' for name in method.views if name),
            _text("How to read it", method.how_to_read or more["reading"]),
            _text("Limitations", f"{method.limits[0].upper()}{method.limits[1:]}."),
            _text("All numbers", arguments) + "found.to_frame()\n",
        ]
    )


def _text(title: str, text: str) -> str:
    """Return a block of text of a script."""
    lines = [title, "-" * len(title), "", *textwrap.wrap(_rst(text), 96)]
    return "# %%\n" + "\n".join(f"# {line}".rstrip() for line in lines) + "\n"


def _rst(text: str) -> str:
    """Return the catalog's text with its code as reStructuredText has it."""
    text = re.sub(r"(?<![:`])`hx\.([\w.]+)`", r":func:`hpo_explain.\1`", text)
    return re.sub(r"(?<![:`\w])`([^`]+)`(?!`)", r"``\1``", text)


def example(text: str) -> str:
    """Return an example whose first sentence is its title, as a gallery needs it."""
    title, _, rest = (ast.get_docstring(ast.parse(text)) or "").partition("\n")
    rest = re.sub(r"^ *(python examples/.*)$", r"``\1``", rest, flags=re.MULTILINE)
    body = text.split('"""', 2)[2]
    return f'"""\n{heading(title.rstrip("."))}{textwrap.dedent(rest)}\n"""{body}'


@cache
def by_home() -> dict[str, list[str]]:
    """Return the public names by the package that they are imported from."""
    found: dict[str, list[str]] = {}
    seen = set[int]()
    for home in SAID["api"]:
        package = import_module(home)
        listed = {name: getattr(package, name) for name in PARTS.get(home, package.__all__)}
        objects = {name: value for name, value in listed.items() if not inspect.ismodule(value)}
        found[home] = [name for name in objects if id(objects[name]) not in seen]
        seen.update(map(id, objects.values()))
    for name, module in results().items():
        found.setdefault(module, []).append(name)
    return found


@cache
def documented() -> dict[str, str]:
    """Return the full name of each public name that has a page."""
    return {name: f"{home}.{name}" for home, names in by_home().items() for name in names}


def inside(home: str, name: str) -> str:
    """Return those members of a public class that are no concern of its users."""
    value = getattr(import_module(home), name)
    hidden = set[str]()
    if issubclass(value, BaseException):
        hidden = {*dir(BaseException)}
    elif issubclass(value, Result) and value is not Result:
        hidden = {*dir(Result), *OWN} - ASKED
    return ", ".join(sorted(one for one in hidden if one[0] != "_"))


def api_pages() -> dict[str, str]:
    """Return the pages of the API by their names: a page per topic, and per package."""
    pages = {}
    for topic, full in by_topic().items():
        title = SAID["galleries"][f"questions/{topic}"]
        of_names = {f"~{name}": name for name in full}
        pages[f"methods/{topic}"] = _api_page(title, SAID["topic"], "../", of_names)
    for home, names in by_home().items():
        if not home.startswith(METHODS_HOME):
            # Of the module that a page is about, Sphinx takes short names only.
            of_names = {name: f"{home}.{name}" for name in names}
            about = f".. module:: {home}\n\n{SAID['api'][home]}"
            pages[home] = _api_page(home, about, "", of_names)
    topics = [f"methods/{topic}" for topic in by_topic()]
    homes = [home for home in by_home() if not home.startswith(METHODS_HOME)]
    trees = [_toctree("By topic", topics), _toctree("By package", homes)]
    about = f".. module:: {METHODS_HOME}\n\n{SAID['api'][METHODS_HOME]}"
    pages["index"] = heading("API") + "\n\n".join([about, *trees])
    return pages


def by_topic() -> dict[str, list[str]]:
    """Return the full names of all that belongs to a topic, in the order of the questions."""
    topics: dict[str, list[str]] = {
        place.partition("/")[2]: [] for place in SAID["galleries"] if place.startswith("questions/")
    }
    for home, names in by_home().items():
        for name in names:
            module = getattr(
                getattr(import_module(home), name), "__module__", ""
            )  # values have none
            if module.startswith(f"{METHODS_HOME}."):
                topic = SAID["shared"].get(name) or module.split(".")[2]
                topics[topic].append(f"{home}.{name}")
    return topics


def _api_page(title: str, about: str, up: str, names: dict[str, str]) -> str:
    """Return a page that lists names with their first sentences, by what they are.

    The names are given as they are listed, each with its full name.
    """
    kinds: dict[str, list[str]] = {}
    for name, full in names.items():
        kinds.setdefault(kind_of(full), []).append(name)
    tables = [
        "\n".join(
            [
                f"{kind}\n{'-' * len(kind)}\n",
                f".. autosummary::\n   :toctree: {up}names\n   :nosignatures:\n",
                *(f"   {name}" for name in sorted(kinds[kind])),
            ]
        )
        for kind in KINDS
        if kind in kinds
    ]
    return heading(title) + "\n\n".join([about, *tables]) + "\n"


KINDS = ("Functions", "Explainers", "Results", "Classes", "Protocols", "Errors", "Values")


def kind_of(name: str) -> str:
    """Return what something is called that has a full name."""
    home, _, last = name.rpartition(".")
    value = getattr(import_module(home), last)
    if not inspect.isclass(value):
        return "Functions" if callable(value) else "Values"
    if getattr(value, "_is_protocol", False):
        return "Protocols"
    if issubclass(value, BaseException):
        return "Errors"
    if last.endswith("Explainer"):
        return "Explainers"
    return "Results" if issubclass(value, Result) else "Classes"


def _toctree(caption: str, pages: list[str]) -> str:
    lines = [
        f".. toctree::\n   :caption: {caption}\n   :maxdepth: 1\n",
        *(f"   {page}" for page in pages),
    ]
    return "\n".join(lines)


def tools() -> str:
    """Return the table of the tools that an assistant has."""
    rows = [f"| `{method.name}` | {method.asks} |" for method in METHODS if method.for_assistants]
    return "\n".join(["| tool | question |", "|---|---|", *rows]) + "\n"
