"""A cache saves time and is never needed: nothing can be written, or nobody is at home."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from hpo_explain.base import cache_folder
from tests.source_tree import ROOT

pytestmark = [pytest.mark.merge, pytest.mark.skipif(os.name != "posix", reason="needs POSIX users")]

# root without its rights, for whom what nobody may write to is read-only
POWERLESS = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
NOWHERE = "/proc/nowhere"  # which nobody can make, not even root
IMPORTS = """
import sys
from hpo_explain.adapters.optuna import ExplanationCallback
import hpo_explain.models._kernels as kernels
assert kernels.__file__.startswith(sys.argv[1]), kernels.__file__
import numpy as np
one = np.ones(1)
print(kernels.overlaps(one, 0.0 * one[None], 0.5 * one[None]))
"""
SUMMARY = """
import numpy as np, pandas as pd, hpo_explain as hx
x = np.random.default_rng(0).random((30, 2))
table = pd.DataFrame({"x": x[:, 0], "y": x[:, 1], "loss": (x[:, 0] - 0.3) ** 2})
print(hx.summary(table, objective="loss", direction="minimize").said)
"""
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as on a full disk, files stay empty
"""


@pytest.fixture(scope="module")
def read_only():
    """A copy of the package that its user cannot write to, without anything compiled."""
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place)
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "hpo_explain", tree / "hpo_explain", ignore=skip)
        for path in [tree, *tree.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield tree
        for path in [tree, *tree.rglob("*")]:
            path.chmod(0o755)


def ran(tree, code, **environment):
    """What a program prints whose user may write to no folder of the package."""
    command = [sys.executable, "-c", code, str(tree)]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("nothing is read-only for root")
        command = [*POWERLESS, *command]
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("XDG", "NUMBA", "HOME", "TMPDIR"))
    }
    settings = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": NOWHERE}
    done = subprocess.run(
        command, env=clean | settings | environment, cwd="/", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_imports_and_compiles_where_nothing_can_be_written(read_only):
    nowhere = {"HOME": NOWHERE, "TMPDIR": NOWHERE}
    assert ran(read_only, FULL + IMPORTS, **nowhere) == "0.25"


@pytest.mark.thorough
def test_keeps_what_it_compiles_in_a_private_temporary_folder(read_only):
    with tempfile.TemporaryDirectory() as place:
        ran(read_only, IMPORTS, HOME=NOWHERE, TMPDIR=place)
        (own,) = Path(place).glob("hpo_explain-*")
        assert own.stat().st_mode & 0o777 == 0o700
        assert [*own.rglob("*overlaps*.nbc")]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "environment",
    [{"HOME": NOWHERE, "TMPDIR": NOWHERE}, {"HOME": NOWHERE}, {}],
    ids=["nothing", "temporary files", "no HOME"],
)
def test_a_summary_where_nothing_can_be_written(read_only, environment):
    assert "loss" in ran(read_only, SUMMARY, **environment)


def test_a_disk_that_is_full_in_the_middle():
    code = f"""
import numpy as np
from hpo_explain.cli import _cache
from hpo_explain.models._compiled import compiled
{FULL}
@compiled()
def twice(x):
    return 2.0 * x
assert twice(2.0) == 4.0
_cache.store("key", "answer")
assert _cache.cached("key") == ""
"""
    with tempfile.TemporaryDirectory() as place:
        (file := Path(place, "program.py")).write_text(code)
        caches = {"XDG_CACHE_HOME": place, "NUMBA_CACHE_DIR": place}
        done = subprocess.run(
            [sys.executable, file], env=os.environ | caches, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_a_damaged_cache_is_compiled_anew(tmp_path):
    code = """
from hpo_explain.models._compiled import compiled
@compiled()
def twice(x):
    return 2.0 * x
print(twice(2.0))
"""
    (file := tmp_path / "program.py").write_text(code)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, file],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (0, "4.0\n"), done.stderr
        damaged = [*tmp_path.rglob("*.nb?")]
        assert damaged
        for path in damaged:
            path.write_bytes(path.read_bytes()[:20])


def test_without_a_home_no_folder_is_called_by_a_tilde(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    place = cache_folder.cache_folder("answers")
    assert place.is_relative_to(tmp_path)
    assert not (tmp_path / "~").exists()
