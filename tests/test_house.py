"""The rules of the house: who may import whom, what is public, types and lint."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from importlib import import_module

import numpy as np
import pytest

import hpo_explain
from tests.source_tree import ROOT, Import, all_imports, imports, modules

# A module may import what stands to its left, and what belongs to the same entry.
LAYERS = [
    "_checks",
    "_html",
    "_width",
    "_words",
    "space",
    "surrogates",
    "acquisition",
    "densities",
    "run",
    "diagnostics",
    "explanations",
    "explainers",
    "plotting",
    "facade",
    "reporting",
    "demo",
    "cli",
]
# Adapters stand beside the line: what takes a study in place of a Run asks them, and they build
# on everything but the programs.
TAKES_STUDIES = {"facade", "reporting", "demo", "cli"}
PROGRAMS = {"demo", "cli"}
# Loaded when called: what draws an explanation, and the adapter that knows a source.
LATE = ("explanations", "plotting")
LOOKUPS = {"hpo_explain.adapters", "hpo_explain.adapters.sources"}
FRAMEWORKS = {"optuna", "skopt"}
DRAWING = {"plotting", "reporting"}
HEAVY = ["optuna", "skopt", "shap", "sklearn", "pandas", "matplotlib"]


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def is_late(module: str, found: Import) -> bool:
    here, there = layer(module), layer(found.target or "")
    if module in LOOKUPS and there == "adapters":
        return found.in_function or found.for_types_only
    return found.in_function and (here, there) == LATE


def may_import(here: str, there: str) -> bool:
    if here == there:
        return True
    if there == "adapters":
        return here in TAKES_STUDIES
    if here == "adapters":
        return there not in PROGRAMS
    return LAYERS.index(there) < LAYERS.index(here)


def complaints(module: str, found: Iterable[Import]) -> list[str]:
    """What the house has against the imports of one module."""
    texts = []
    for item in found:
        here, target = layer(module), item.target
        where = f"{module}:{item.line}"
        if target is None:
            if module not in {"hpo_explain", "hpo_explain.adapters"}:
                texts.append(f"{where} imports a module whose name only running the code tells")
            continue
        top = target.split(".")[0]
        if top in FRAMEWORKS and here != "adapters":
            texts.append(f"{where} imports {target}: only adapters import a framework")
        if top == "matplotlib" and here not in DRAWING and not item.for_types_only:
            texts.append(f"{where} imports {target}: computing never loads it")
        if target.startswith("matplotlib.pyplot"):
            texts.append(f"{where} imports pyplot, which keeps figures in a global state")
        if top != "hpo_explain" or module == "hpo_explain" or is_late(module, item):
            continue
        there = layer(target)
        if not {here, there} <= {*LAYERS, "adapters"}:
            texts.append(f"{where} imports {target}: one of the two has no place among {LAYERS}")
        elif not may_import(here, there):
            texts.append(f"{where} imports {target}, which does not stand to its left")
    return texts


def test_every_module_has_a_place_in_the_line_and_every_place_a_module():
    assert {layer(name) for name in modules()} - {""} == {*LAYERS, "adapters"}


def test_modules_import_only_what_stands_to_their_left():
    assert [text for name, found in all_imports().items() for text in complaints(name, found)] == []


def test_no_modules_import_each_other():
    tree = all_imports()
    graph = {
        name: {item.target for item in found if item.target in tree and not is_late(name, item)}
        - {name}
        for name, found in tree.items()
        if name != "hpo_explain"
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("run", "from hpo_explain.explainers.shapley import X", "to its left"),
        ("run", "from hpo_explain import explainers", "to its left"),
        ("run", "import hpo_explain.explainers", "to its left"),
        ("run", "from . import explainers", "to its left"),
        ("run", "from .explainers import shapley", "to its left"),
        (
            "run",
            "def f():\n    from hpo_explain.explainers import shapley",
            "to its left",
        ),
        ("run", "if TYPE_CHECKING:\n    from hpo_explain.cli import main", "to its left"),
        (
            "run",
            "import importlib\nimportlib.import_module('hpo_explain.cli')",
            "to its left",
        ),
        ("run", "from importlib import import_module\nimport_module(x)", "only running the code"),
        ("run", "import hpo_explain as hx", "no place"),
        ("run", "from hpo_explain import SearchSpace", "no place"),
        ("run", "from hpo_explain.adapters import from_optuna", "to its left"),
        ("plotting.html", "from ..adapters import from_optuna", "to its left"),
        ("adapters.frame", "from hpo_explain.cli import main", "to its left"),
        ("facade", "from hpo_explain.reporting import report", "to its left"),
        ("explanations", "from hpo_explain.plotting import proposal", "to its left"),
        (
            "explanations",
            "def plot():\n    from hpo_explain.cli import main",
            "to its left",
        ),
        ("cli", "import optuna", "only adapters"),
        ("cli", "def demo():\n    from optuna.trial import Trial", "only adapters"),
        ("explainers.shapley", "def f():\n    import matplotlib", "computing never"),
        ("plotting.proposal", "from matplotlib import pyplot", "pyplot"),
        ("plotting.proposal", "import matplotlib.pyplot as plt", "pyplot"),
    ],
)
def test_a_forbidden_import_is_noticed(module, source, complaint):
    known = {*modules(), "hpo_explain.explainers.shapley", "matplotlib.pyplot"}
    found = imports(f"hpo_explain.{module}", source, is_package=False, known=known)
    assert any(complaint in text for text in complaints(f"hpo_explain.{module}", found))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("run", "from hpo_explain.space import SearchSpace"),
        ("run", "import numpy as np"),
        ("explanations", "def plot():\n    from hpo_explain.plotting.proposal import f"),
        ("explanations", "if TYPE_CHECKING:\n    from matplotlib.axes import Axes"),
        ("plotting.proposal", "from matplotlib.figure import Figure"),
        ("adapters.optuna.study", "import optuna\nfrom hpo_explain.run import Run"),
        ("facade", "from hpo_explain.adapters import from_optuna"),
        ("adapters.optuna.callback", "from hpo_explain.reporting import write_report"),
    ],
)
def test_a_proper_import_is_left_in_peace(module, source):
    found = imports(f"hpo_explain.{module}", source, is_package=False, known=set(modules()))
    assert complaints(f"hpo_explain.{module}", found) == []


def run_python(code: str) -> str:
    """What a new interpreter prints that starts in the project's root."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_loads_nothing_heavy():
    loaded = run_python(
        f"import sys, hpo_explain; print([name for name in {HEAVY} if name in sys.modules])"
    )
    assert loaded.strip() == "[]"


@pytest.mark.parametrize("name", hpo_explain.__all__)
def test_every_public_name_can_be_loaded_and_is_listed(name):
    assert getattr(hpo_explain, name) is not None
    assert name in dir(hpo_explain)


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'SearchSpaces'"):
        hpo_explain.SearchSpaces  # noqa: B018


def test_type_checkers_see_the_public_names_where_they_are_loaded_from():
    tree = ast.parse(modules()["hpo_explain"].read_text(encoding="utf-8"))
    seen = {
        alias.asname: node.module
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"hpo_explain.{home}" for name, home in hpo_explain._MODULE_OF.items()}


def test_no_public_name_is_shadowed_by_a_module():
    """Importing hpo_explain.x sets the attribute x of hpo_explain, whatever it was before."""
    assert {name for name in hpo_explain.__all__ if f"hpo_explain.{name}" in modules()} == set()


def public_classes() -> list[tuple[str, str]]:
    """(module, class) of every public class of every public module."""
    return [
        (module, node.name)
        for module, path in modules().items()
        if not any(part.startswith("_") for part in module.split("."))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


@pytest.mark.parametrize(("module", "name"), public_classes())
def test_every_public_class_is_listed_by_its_package(module, name):
    package = module
    while modules()[package].name != "__init__.py":
        package = package.rpartition(".")[0]
    assert name in getattr(import_module(package), "__all__", [])
    if layer(module) == "explainers":
        assert name in hpo_explain.__all__


@pytest.mark.parametrize("module", sorted(modules()))
def test_every_listed_name_exists(module):
    loaded = import_module(module)
    listed = getattr(loaded, "__all__", [])
    assert [name for name in listed if not hasattr(loaded, name)] == []
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("name", sorted(set(hpo_explain.__all__) - {"__version__"}))
def test_every_public_function_and_class_shows_an_example(name):
    value = getattr(hpo_explain, name)
    if getattr(value, "_is_protocol", False):
        pytest.skip("a Protocol has nothing to run")
    assert "Examples\n--------\n>>> " in inspect.getdoc(value)


def test_the_examples_of_every_folder_are_collected():
    """Those of adapters/ too, which only the link makes collectable."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "hpo_explain"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    collected = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    shown = {
        path.relative_to(ROOT).as_posix()
        for path in modules().values()
        if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert any(name.startswith("hpo_explain/adapters/") for name in shown)
    assert collected == shown


OTHER_STUBS = pytest.mark.skipif(
    tuple(map(int, np.__version__.split(".")[:2])) < (2, 4),
    reason="numpy before 2.4 gives the same expressions other types",
)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["mypy", "--strict"], marks=OTHER_STUBS, id="types"),
        pytest.param(["ruff", "check", "."], id="lint"),
        pytest.param(["ruff", "format", "--check", "."], id="format"),
    ],
)
def test_the_source_is_clean(arguments):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_study_that_a_test_runs_is_given_its_sampler():
    unseeded = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            names = [getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls]
            unseeded += [
                f"{path.relative_to(ROOT)}:{call.lineno}"
                for call, name in zip(calls, names, strict=True)
                if name == "create_study"
                and {"optimize", "tune"} & {*names}
                and "sampler" not in [keyword.arg for keyword in call.keywords]
            ]
    assert unseeded == []
