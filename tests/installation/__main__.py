"""Build the sdist, and the wheel from it; install that alone, and check what it holds and does.

``python -m tests`` runs this before the tests.
"""

import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import hpo_explain
from tests.source_tree import PACKAGE, ROOT


def run(*command: object, cwd: Path, path: Path | None = None) -> str:
    """What a command prints; `path` is searched for modules before the environment's own."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


def build(folder: Path) -> Path:
    """A wheel, built from an sdist of a copy: a build leaves its files in the source."""
    kept_out = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    ignored = shutil.ignore_patterns(".git", *(pattern.rstrip("/") for pattern in kept_out))
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=ignored)
    targets = ["--outdir", folder / "dist"]
    run(sys.executable, "-m", "build", "--no-isolation", *targets, folder / "source", cwd=folder)
    return next((folder / "dist").glob("*.whl"))


def install(distribution: Path, target: Path) -> None:
    """Install a distribution into a folder that holds nothing else."""
    options = ["--no-deps", "--no-build-isolation", "--target", target]
    run(sys.executable, "-m", "pip", "install", *options, distribution, cwd=target.parent)


def files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def check_files(installed: Path) -> None:
    """Every file of the package is installed, and no other."""
    source = {f"adapters/{name}" for name in files(ROOT / "adapters")} | files(PACKAGE)
    assert {"adapters/__init__.py", "adapters/optuna/__init__.py", "py.typed"} <= source
    difference = files(installed / "hpo_explain") ^ source
    assert not difference, f"only in the source or only installed: {sorted(difference)}"
    others = {path.name for path in installed.iterdir()} - {"hpo_explain", "bin", "Scripts"}
    others = {name for name in others if not name.endswith(".dist-info")}
    assert not others, f"installed beside the package: {sorted(others)}"


def check_metadata(installed: Path) -> None:
    """Version and license are those of the source."""
    (found,) = metadata.distributions(name="hpo_explain", path=[str(installed)])
    assert found.version == hpo_explain.__version__
    assert found.metadata["License-Expression"] == "MIT"
    assert found.read_text("licenses/LICENSE") == (ROOT / "LICENSE").read_text(encoding="utf-8")


def check_command(installed: Path) -> None:
    """The command that users type is there and helps."""
    places = os.pathsep.join(str(installed / name) for name in ("bin", "Scripts"))
    command = shutil.which("hpo-explain", path=places)
    assert command, "the command hpo-explain is not installed"
    text = run(command, "--help", cwd=installed.parent, path=installed)
    assert "demo" in text, text
    assert "report" in text, text


LOOK = """
import sys
import hpo_explain
import hpo_explain.adapters
assert hpo_explain.adapters.__file__.startswith(sys.argv[1]), hpo_explain.adapters.__file__
assert hpo_explain.from_frame.__module__.startswith("hpo_explain.adapters.")
try:
    import adapters
except ModuleNotFoundError:
    print("one name")
"""


def check_imports(installed: Path) -> None:
    """The installation imports itself, and adapters have one name, by which they are pickled."""
    told = run(sys.executable, "-c", LOOK, installed, cwd=installed.parent, path=installed)
    assert told.strip() == "one name", told


def main() -> None:
    with TemporaryDirectory() as folder:
        installed = Path(folder) / "installed"
        install(build(Path(folder)), installed)
        check_files(installed)
        check_metadata(installed)
        check_command(installed)
        check_imports(installed)


if __name__ == "__main__":
    main()
