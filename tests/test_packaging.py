"""What an installed hpo_explain consists of, from the wheel and from the sdist."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import hpo_explain
from tests.source_tree import PACKAGE, ROOT, all_imports, imports

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]


def run(*command: object, cwd: Path, path: Path | None = None) -> str:
    """What a command prints; `path` is searched for modules before the environment's own."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    """A wheel and an sdist, built from a copy: a build leaves its files in the source."""
    folder = tmp_path_factory.mktemp("distributions")
    kept_out = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    ignored = shutil.ignore_patterns(".git", *(pattern.rstrip("/") for pattern in kept_out))
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=ignored)
    required = next(Requirement(text) for text in PROJECT["build-system"]["requires"])
    found = Version(metadata.version("setuptools"))
    isolation = [] if found not in required.specifier else ["--no-isolation"]
    targets = ["--sdist", "--wheel", "--outdir", folder / "dist"]
    run(sys.executable, "-m", "build", *isolation, *targets, folder / "source", cwd=folder)
    return {
        "wheel": next((folder / "dist").glob("*.whl")),
        "sdist": next((folder / "dist").glob("*.tar.gz")),
        "isolation": ["--no-build-isolation"] if isolation else [],
    }


@pytest.fixture(scope="session", params=["wheel", "sdist"])
def installed(request, distributions, tmp_path_factory):
    """A folder that holds nothing but the installed project."""
    target = tmp_path_factory.mktemp("installed") / request.param
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-deps"]
    source = distributions[request.param]
    run(*pip, *distributions["isolation"], "--target", target, source, cwd=target.parent)
    return target


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_an_installation_holds_every_file_of_the_package_and_no_other(installed):
    source = {f"adapters/{name}" for name in files(ROOT / "adapters")} | files(PACKAGE)
    assert {"adapters/__init__.py", "adapters/optuna/__init__.py", "py.typed"} <= source
    assert files(installed / "hpo_explain") == source
    others = {path.name for path in installed.iterdir()} - {"hpo_explain", "bin", "Scripts"}
    assert [name for name in others if not name.endswith(".dist-info")] == []


def test_the_installed_adapters_are_found_under_their_own_name_only(installed, tmp_path):
    code = (
        "import hpo_explain.adapters as adapters\n"
        "print(adapters.__file__)\n"
        "try:\n"
        "    import adapters\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error)\n"
    )
    place, error = run(sys.executable, "-c", code, cwd=tmp_path, path=installed).splitlines()
    assert Path(place) == installed / "hpo_explain" / "adapters" / "__init__.py"
    assert error == "No module named 'adapters'"


def test_the_source_folder_of_the_adapters_names_the_package_to_import_instead():
    code = (
        "try:\n"
        "    import adapters\n"
        "except ModuleNotFoundError as error:\n"
        "    print('not found')\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    assert "import them as 'hpo_explain.adapters'" in run(sys.executable, "-c", code, cwd=ROOT)


def test_what_the_source_pickles_an_installation_loads_and_back(installed, tmp_path):
    space = hpo_explain.SearchSpace(
        [
            hpo_explain.FloatParameter("lr", 1e-5, 1e-1, log=True),
            hpo_explain.CategoricalParameter("booster", ["gbtree", "dart"]),
            hpo_explain.FloatParameter("rate", 0.0, 1.0, active_when={"booster": ["dart"]}),
        ]
    )
    here, back = tmp_path / "here.pickle", tmp_path / "back.pickle"
    here.write_bytes(pickle.dumps((space, hpo_explain.from_frame)))
    code = (
        "import pickle, sys, pathlib\n"
        "space, from_frame = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "print(sys.modules[type(space).__module__].__file__)\n"
        "print(sys.modules[from_frame.__module__].__file__)\n"
        "pathlib.Path(sys.argv[2]).write_bytes(pickle.dumps((space, from_frame)))\n"
    )
    places = run(sys.executable, "-c", code, here, back, cwd=tmp_path, path=installed)
    assert all(Path(place).is_relative_to(installed) for place in places.splitlines())
    again, from_frame = pickle.loads(back.read_bytes())
    assert from_frame is hpo_explain.from_frame
    config = {"lr": 1e-3, "booster": "dart", "rate": 0.25}
    assert again.encode(config).tolist() == space.encode(config).tolist()


def test_the_installed_command_and_its_metadata_belong_to_this_version(installed, tmp_path):
    (found,) = metadata.distributions(name="hpo_explain", path=[str(installed)])
    assert found.version == hpo_explain.__version__
    assert found.metadata["License-Expression"] == "MIT"
    assert found.read_text("licenses/LICENSE") == (ROOT / "LICENSE").read_text(encoding="utf-8")
    (command,) = found.entry_points.select(group="console_scripts")
    assert (command.name, command.value) == ("hpo-explain", "hpo_explain.cli:main")
    code = f"import sys; sys.argv = ['hpo-explain', '--help']; import {command.module} as module;"
    help_text = run(
        sys.executable, "-c", f"{code} module.{command.attr}()", cwd=tmp_path, path=installed
    )
    assert "demo" in help_text
    assert "report" in help_text


def test_every_folder_with_an_init_file_is_a_listed_package():
    inits = [*PACKAGE.rglob("__init__.py"), *(PACKAGE / "adapters").rglob("__init__.py")]
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in inits}
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert listed == sorted(found)


def test_every_folder_of_tests_is_a_package_so_that_equal_file_names_do_not_collide():
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert {folder for folder in folders if not (folder / "__init__.py").is_file()} == set()


def installed_modules() -> dict[str, str]:
    """The distribution that each importable top-level name belongs to.

    `importlib.metadata.packages_distributions` of Python 3.10 knows only those few distributions
    that list their top-level names.
    """
    return {
        path.parts[0].removesuffix(".py"): distribution.name
        for distribution in metadata.distributions()
        for path in distribution.files or []
        if path.suffix in {".py", ".so", ".pyd"}
    }


DISTRIBUTIONS = installed_modules()


def third_party(targets: set[str]) -> set[str]:
    """The distributions that imported modules come from."""
    tops = {target.split(".")[0] for target in targets}
    return {
        canonicalize_name(DISTRIBUTIONS.get(top, top))
        for top in tops - sys.stdlib_module_names - {"hpo_explain", "tests", "tomllib"}
    }


def declared(*requirement_lists: list[str]) -> set[str]:
    return {
        canonicalize_name(Requirement(text).name) for texts in requirement_lists for text in texts
    }


CORE = PROJECT["project"]["dependencies"]


def imported_by(prefix: str) -> set[str]:
    return {
        item.target
        for module, found in all_imports().items()
        if f"{module}.".startswith(f"{prefix}.")
        for item in found
        if item.target is not None
    }


def test_every_package_imported_by_the_core_is_declared_and_every_declared_one_imported():
    extras = {f"hpo_explain.adapters.{extra}" for extra in EXTRAS}
    core = {
        item.target
        for module, found in all_imports().items()
        if not any(f"{module}.".startswith(f"{extra}.") for extra in extras)
        for item in found
        if item.target is not None
    }
    assert third_party(core) == declared(CORE)


@pytest.mark.parametrize("extra", ["optuna", "skopt"])
def test_an_adapter_imports_the_core_and_its_own_extra_only(extra):
    found = third_party(imported_by(f"hpo_explain.adapters.{extra}"))
    assert found <= declared(CORE, EXTRAS[extra])
    assert declared(EXTRAS[extra]) <= found


@pytest.mark.parametrize(("extra", "module"), [("optuna", "optuna"), ("skopt", "skopt")])
def test_an_extra_that_is_not_installed_is_named_with_the_command_that_installs_it(extra, module):
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "import hpo_explain\n"
        f"try: hpo_explain.from_{extra}\n"
        "except ImportError as error: print(error)\n"
    )
    told = run(sys.executable, "-c", code, cwd=ROOT)
    assert f'pip install "hpo_explain[{extra}]"' in told


def test_the_extra_all_is_every_extra_that_users_need():
    (every,) = (Requirement(text) for text in EXTRAS["all"])
    assert every.name == PROJECT["project"]["name"]
    assert every.extras == set(EXTRAS) - {"all", "test"}


def test_every_package_imported_by_the_tests_is_declared():
    found = {
        item.target
        for path in (ROOT / "tests").rglob("*.py")
        for item in imports("tests", path.read_text(encoding="utf-8"), is_package=True, known=set())
        if item.target is not None
    } - {path.stem for path in (ROOT / "examples").rglob("*.py")}
    assert third_party(found) <= declared(CORE, *EXTRAS.values())


END_TO_END = """
import json, logging, pathlib
import numpy as np, optuna, skopt
import hpo_explain as hx
from hpo_explain.reporting import BRIEF

def loss(lr, momentum):
    return (np.log10(lr) + 2.0) ** 2 + momentum

def study(sampler):
    found = optuna.create_study(sampler=sampler)
    found.optimize(
        lambda trial: loss(
            trial.suggest_float("lr", 1e-4, 1.0, log=True),
            trial.suggest_float("momentum", 0.0, 1.0),
        ),
        n_trials=20,
    )
    return found

def minimized(minimize):
    lr = skopt.space.Real(1e-4, 1.0, prior="log-uniform", name="lr")
    momentum = skopt.space.Real(0.0, 1.0, name="momentum")
    return minimize(lambda x: loss(*x), [lr, momentum], n_calls=14, random_state=0)

for name, run in {
    "TPESampler": hx.from_optuna(study(optuna.samplers.TPESampler(seed=0))),
    "RandomSampler": hx.from_optuna(study(optuna.samplers.RandomSampler(seed=0))),
    "gp_minimize": hx.from_skopt(minimized(skopt.gp_minimize)),
    "forest_minimize": hx.from_skopt(minimized(skopt.forest_minimize)),
}.items():
    explanation = hx.explain_proposal(run)
    written = hx.report(run, f"{name}.html", sections=BRIEF).read_text(encoding="utf-8")
    print(json.dumps({
        "name": name,
        "place": hx.__file__,
        "by": explanation.optimizer,
        "payout": explanation.payout["total"],
        "sum": float(explanation.contributions["total"].sum()),
        "named": all(name in written for name in ("lr", "momentum")),
    }))
"""


@pytest.mark.thorough  # everything is compiled again
@pytest.mark.parametrize("installed", ["wheel"], indirect=True)
def test_what_the_frameworks_return_is_explained_by_an_installation(installed, tmp_path):
    printed = run(sys.executable, "-c", END_TO_END, cwd=tmp_path, path=installed)
    found = [json.loads(line) for line in printed.splitlines()]
    assert len(found) == 4
    for each in found:
        assert Path(each["place"]).is_relative_to(installed)
        assert each["name"] in each["by"]
        assert each["sum"] == pytest.approx(each["payout"], rel=1e-9)  # efficiency
        assert each["named"]
