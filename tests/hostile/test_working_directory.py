"""No Python file of the working directory is run by an interpreter that we start."""

import os
import subprocess
import sys

import pytest

from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

OTHERS = """
attr cloudpickle click filelock hpo_explain jinja2 joblib lazy_loader markupsafe matplotlib numba
numpy pandas scipy sitecustomize sklearn sqlalchemy threadpoolctl tqdm usercustomize wcwidth yaml
"""
HOSTILE = """
import os
with open(os.environ["RAN"], "a") as file:
    print(__name__, file=file)
raise ImportError
"""
# leaves its page when it ends: by an interpreter that is started late
PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import optuna
from joblib import delayed
from hpo_explain.adapters.optuna import ExplanationCallback
from hpo_explain.base.workers import by_workers
def main():
    print([*by_workers(2, [delayed(abs)(-1)] * 2)])
    callback = ExplanationCallback("r.html", sections=["history"])
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3, callbacks=[callback])
main()
"""


@pytest.mark.parametrize("options", [["-I"], pytest.param([], marks=pytest.mark.thorough)])
def test_what_strangers_left_where_a_program_runs_is_not_run(options, tmp_path):
    program, folder = tmp_path / "program.py", tmp_path / "strangers"
    program.write_text(PROGRAM)
    folder.mkdir()
    for name in [*sys.stdlib_module_names, *OTHERS.split()]:
        (folder / f"{name}.py").write_text(HOSTILE)
    done = subprocess.run(
        [sys.executable, *options, program],
        cwd=folder,
        env=os.environ | {"RAN": str(tmp_path / "ran")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[1, 1]\n"
    assert "3 trials" in (folder / "r.html").read_text(encoding="utf-8")
    assert not (tmp_path / "ran").exists()


def test_of_a_notebook_the_working_directory_is_looked_at_last(tmp_path):
    """Its own modules are found there, and shadow nothing."""
    (tmp_path / "pickle.py").write_text(HOSTILE)
    (tmp_path / "mine.py").write_text("def three():\n    return 3\n")
    code = """
import sys
sys.path.remove("")
from hpo_explain.base.workers import Workers, dumped
dumped(0)
sys.path.insert(0, "")
import mine
workers = Workers(1)
print(workers.submit(mine.three).result())
workers.end()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"RAN": str(tmp_path / "ran"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "3\n"
    assert not (tmp_path / "ran").exists()
