"""Build the wheel and the sdist, install each alone, and check what is there and what it does.

``python -m tests`` runs this before the tests.
"""

import os
import pickle
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import hpo_explain
from tests.source_tree import PACKAGE, ROOT

HERE = Path(__file__).parent


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


def build(folder: Path) -> dict[str, Path]:
    """A wheel and an sdist, built from a copy: a build leaves its files in the source."""
    kept_out = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    ignored = shutil.ignore_patterns(".git", *(pattern.rstrip("/") for pattern in kept_out))
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=ignored)
    targets = ["--sdist", "--wheel", "--outdir", folder / "dist"]
    run(sys.executable, "-m", "build", "--no-isolation", *targets, folder / "source", cwd=folder)
    return {
        "wheel": next((folder / "dist").glob("*.whl")),
        "sdist": next((folder / "dist").glob("*.tar.gz")),
    }


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


def run_inside(installed: Path, script: str, *arguments: object) -> None:
    """Run a script of this folder where only the installation can be imported."""
    # Its own folder comes first where modules are searched for: there is nothing else in it.
    with TemporaryDirectory() as folder:
        copy = shutil.copy(HERE / script, folder)
        run(sys.executable, copy, installed, *arguments, cwd=Path(folder), path=installed)


def check_command(installed: Path) -> None:
    """The command that users type is there and helps."""
    places = os.pathsep.join(str(installed / name) for name in ("bin", "Scripts"))
    command = shutil.which("hpo-explain", path=places)
    assert command, "the command hpo-explain is not installed"
    text = run(command, "--help", cwd=installed.parent, path=installed)
    assert "demo" in text, text
    assert "report" in text, text


def check_imports(installed: Path) -> None:
    """Adapters have one name, and what the source pickles an installation loads, and back."""
    space = hpo_explain.SearchSpace(
        [
            hpo_explain.FloatParameter("lr", 1e-5, 1e-1, log=True),
            hpo_explain.CategoricalParameter("booster", ["gbtree", "dart"]),
            hpo_explain.FloatParameter("rate", 0.0, 1.0, active_when={"booster": ["dart"]}),
        ]
    )
    here, back = (installed.parent / f"{name}.pickle" for name in ("here", "back"))
    here.write_bytes(pickle.dumps((space, hpo_explain.from_frame)))
    run_inside(installed, "look.py", here, back)
    again, from_frame = pickle.loads(back.read_bytes())
    assert from_frame is hpo_explain.from_frame
    config = {"lr": 1e-3, "booster": "dart", "rate": 0.25}
    assert again.encode(config).tolist() == space.encode(config).tolist()


def main() -> None:
    with TemporaryDirectory() as folder:
        for kind, distribution in build(Path(folder)).items():
            installed = Path(folder) / kind / "installed"
            installed.parent.mkdir()
            install(distribution, installed)
            check_files(installed)
            check_metadata(installed)
            check_command(installed)
            check_imports(installed)


if __name__ == "__main__":
    main()
