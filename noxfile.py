"""What takes too long for continuous integration: every Python, and the bounds of dependencies.

``nox --list`` names the sessions, ``nox -s "tests-3.12"`` runs one of them.
"""

import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.error_on_missing_interpreters = False  # skipped by name
nox.options.sessions = ["install", "audit"]  # the others take hours
nox.options.default_venv_backend = "uv|virtualenv"

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PROJECT, max_version="3.14")
USED = """
import hpo_explain as hx, pandas as pd
table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
print(hx.importance(table, objective="loss"))
"""
DECLARED = [
    *PROJECT["project"]["dependencies"],
    *PROJECT["project"]["optional-dependencies"]["optuna"],
]


def lowest(package: str) -> str:
    """Return the lowest version of a package that pyproject.toml allows, as a requirement."""
    (declared,) = [line for line in DECLARED if line.startswith(f"{package}>=")]
    return declared.replace(">=", "==")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run all tests on each Python."""
    session.install(".[all,test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python=PYTHONS)
@nox.parametrize("resolution", ["lowest-direct", "highest"])
def dependencies(session: nox.Session, resolution: str) -> None:
    """Run all tests with the lowest or the newest of every dependency."""
    found = Path(session.create_tmp()) / "requirements.txt"
    extras = ["--extra", "all", "--extra", "test"]
    options = ["--resolution", resolution, "--python", str(session.python), "--quiet"]
    session.install("uv")
    session.run("uv", "pip", "compile", "pyproject.toml", *extras, *options, "-o", str(found))
    session.install("-r", str(found))
    session.install("--no-deps", ".")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
@nox.parametrize("package", ["optuna", "scikit-learn"])
@nox.parametrize("version", ["lowest", "newest"])
def frameworks(session: nox.Session, package: str, version: str) -> None:
    """Run the tests of the adapters with the lowest or the newest of a framework."""
    asked = lowest(package) if version == "lowest" else package
    session.install(".[all,test]", asked)
    session.run("python", "-m", "pytest", "tests/adapters", *session.posargs)


@nox.session
def audit(session: nox.Session) -> None:
    """Look for known weaknesses of the dependencies."""
    session.install("pip-audit", ".[all]")
    session.run("pip-audit", "--skip-editable", *session.posargs)


@nox.session(python=PYTHONS)
def install(session: nox.Session) -> None:
    """Build the wheel and the sdist, and install each alone where nothing else is."""
    folder = Path(session.create_tmp()).resolve()
    shutil.rmtree(folder / "dist", ignore_errors=True)
    session.install("build", "twine")
    session.run("python", "-m", "build", "--outdir", str(folder / "dist"))
    distributions = sorted(map(str, (folder / "dist").iterdir()))
    session.run("twine", "check", "--strict", *distributions)
    python = str(folder / "clean" / ("Scripts" if os.name == "nt" else "bin") / "python")
    session.chdir(folder)  # where the source is not imported
    for distribution in distributions:
        session.run("python", "-m", "venv", "--clear", str(folder / "clean"))
        session.run(python, "-m", "pip", "install", "--quiet", distribution, external=True)
        session.run(python, "-m", "pip", "check", external=True)
        session.run(python, "-c", USED, external=True)
