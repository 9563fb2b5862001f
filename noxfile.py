"""What takes too long for continuous integration: every Python, and the bounds of dependencies.

``nox --list`` names the sessions, ``nox -s "tests-3.12"`` runs one of them.
"""

import json
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
LINES = 95.0  # percent that tests reach
MUTATED = {  # the tests of each, those first that find most
    "hpo_explain.methods.importance.fanova": [
        "tests/methods/test_fanova.py",
        "tests/methods/test_importance.py",
    ],
    "hpo_explain.methods.proposals.shapley": [
        "tests/methods/test_shapley.py",
        "tests/methods/test_drawn_contributions.py",
        "tests/methods/test_walks.py",
        "tests/methods/test_sample_size.py",
    ],
    "hpo_explain.methods.effects.regional_partial_dependence": [
        "tests/methods/test_regional_partial_dependence.py"
    ],
    "hpo_explain.base.claim": ["tests/base/test_claims.py"],
    "hpo_explain.belief.decisions": ["tests/belief/test_belief.py"],
    "hpo_explain.belief.functionals": ["tests/belief/test_belief.py"],
    "hpo_explain.space.search_space": [
        "tests/space/test_search_space.py",
        "tests/test_shown.py",
        "tests/adapters/test_optuna_advice.py",
    ],
}
DECLARED = [
    *PROJECT["project"]["dependencies"],
    *PROJECT["project"]["optional-dependencies"]["optuna"],
]


def lowest(package: str) -> str:
    """Return the lowest version of a package that pyproject.toml allows, as a requirement."""
    (declared,) = [line for line in DECLARED if line.startswith(f"{package}>=")]
    return declared.replace(">=", "==")


def run_both_tiers(session: nox.Session, *options: str) -> None:
    """Run the tests of a commit, and those of a merge."""
    for tier in ([], ["--merge"]):
        command = ["python", "-m", "pytest", *tier, *options]
        # 5: none of the files that are named has a test of the tier
        session.run(*command, *session.posargs, success_codes=[0, 5])


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests of a commit and of a merge on each Python."""
    session.install(".[all,test]")
    run_both_tiers(session)


@nox.session(python=PYTHONS)
@nox.parametrize("resolution", ["lowest-direct", "highest"])
def dependencies(session: nox.Session, resolution: str) -> None:
    """Run the tests of both with the lowest or the newest of every dependency."""
    found = Path(session.create_tmp()) / "requirements.txt"
    extras = ["--extra", "all", "--extra", "test"]
    options = ["--resolution", resolution, "--python", str(session.python), "--quiet"]
    session.install("uv")
    session.run("uv", "pip", "compile", "pyproject.toml", *extras, *options, "-o", str(found))
    session.install("-r", str(found))
    session.install("--no-deps", ".")
    run_both_tiers(session)


@nox.session
@nox.parametrize("package", ["optuna", "scikit-learn"])
@nox.parametrize("version", ["lowest", "newest"])
def frameworks(session: nox.Session, package: str, version: str) -> None:
    """Run the tests of the adapters with the lowest or the newest of a framework."""
    asked = lowest(package) if version == "lowest" else package
    session.install(".[all,test]", asked)
    run_both_tiers(session, "tests/adapters")


@nox.session(python=False)
def same(session: nox.Session) -> None:
    """Compare the bytes of all results between Pythons, with the same dependencies in each."""
    folder = Path(session.create_tmp()).resolve()
    found = [version for version in PYTHONS if shutil.which(f"python{version}")]
    for version in sorted({*PYTHONS} - {*found}):
        session.warn(f"Python {version} is missing")
    asked = folder / "requirements.txt"
    oldest = ["--extra", "optuna", "--python-version", found[0], "--quiet"]
    session.run("uv", "pip", "compile", "pyproject.toml", *oldest, "-o", str(asked), external=True)
    told = {}
    for version in found:
        place = folder / version
        python = str(place / ("Scripts" if os.name == "nt" else "bin") / "python")
        session.run("uv", "venv", "--clear", "--quiet", "-p", version, str(place), external=True)
        session.run(
            "uv", "pip", "install", "--quiet", "-p", python, "-r", str(asked), external=True
        )
        printed = session.run(
            python,
            "-m",
            "tests.digests",
            *session.posargs,
            external=True,
            silent=True,
            stderr=None,
            env={"PYTHONHASHSEED": version.replace(".", "")},
        )
        told[version] = json.loads(str(printed).strip().splitlines()[-1])
    first, *others = told
    differing = {
        name for other in others for name in told[first] if told[first][name] != told[other][name]
    }
    if differing:
        session.error(f"not the same on Python {', '.join(found)}: {', '.join(sorted(differing))}")
    session.log(f"{len(told[first])} results are the same on Python {', '.join(found)}")


@nox.session
def coverage(session: nox.Session) -> None:
    """Report which lines and branches no test reaches; of the lines, 95 % are."""
    session.install("-e", ".[all,test]", "pytest-cov>=6")
    report = str(Path(session.create_tmp()).resolve() / "coverage.json")
    Path(".coverage").unlink(missing_ok=True)
    run_both_tiers(
        session,
        "--cov=hpo_explain",
        "--cov-branch",
        "--cov-append",
        "--cov-report=term-missing:skip-covered",
        f"--cov-report=json:{report}",
    )
    totals = json.loads(Path(report).read_text(encoding="utf-8"))["totals"]
    lines = 100.0 * totals["covered_lines"] / totals["num_statements"]
    branches = 100.0 * totals["covered_branches"] / totals["num_branches"]
    session.log(f"{lines:.1f} % of the lines, {branches:.1f} % of the branches")
    if lines < LINES:
        session.error(f"less than {LINES} % of the lines")


@nox.session
def mutants(session: nox.Session) -> None:
    """Change the code in a sample of places, and name those where no test fails."""
    session.install("-e", ".[all,test]")
    for module, files in MUTATED.items():
        session.run("python", "-m", "tests.mutants", module, "--tests", *files, *session.posargs)


@nox.session
def random(session: nox.Session) -> None:
    """Run the tests of random examples with many of them."""
    session.install("-e", ".[all,test]")
    files = [
        str(path)
        for path in sorted(Path("tests").rglob("test_*.py"))
        if "@given" in path.read_text(encoding="utf-8")
    ]
    options = ["--thorough", "--hypothesis-profile=long"]
    session.run("python", "-m", "pytest", *options, *(session.posargs or files))


@nox.session
def hostile(session: nox.Session) -> None:
    """Test all that SECURITY.md promises, what takes long included."""
    session.install("-e", ".[all,test]")
    options = ["--thorough", "tests/hostile"]
    session.run("python", "-m", "pytest", *options, *session.posargs)


@nox.session
def audit(session: nox.Session) -> None:
    """Look for known weaknesses of the dependencies; skipped where no database is reached."""
    session.install("pip-audit", ".[all]")
    found = Path(session.create_tmp()).resolve() / "audit.json"
    found.unlink(missing_ok=True)
    options = ["--skip-editable", "--format", "json", "--output", str(found)]
    session.run("pip-audit", *options, *session.posargs, success_codes=[0, 1])
    if not found.exists():
        session.skip("the database of weaknesses cannot be reached")
    audited = json.loads(found.read_text(encoding="utf-8"))["dependencies"]
    weak = {f"{one['name']} {one['version']}": one["vulns"] for one in audited if one.get("vulns")}
    if weak:
        session.error(f"known weaknesses: {json.dumps(weak, indent=1)}")


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


@nox.session
def newcomer(session: nox.Session) -> None:
    """Do what the README and the pages of the frameworks say, each with nothing but the wheel."""
    session.install("build", "setuptools>=77", ".")
    session.run("python", "-m", "tests.installation.pages", *session.posargs)
