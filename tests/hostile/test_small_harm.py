"""What garbles a sentence, is lost in silence, or is taken for what it is not."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters.formats import runs_in
from tests.source_tree import ROOT

PRINTS = """
from hpo_explain.base.workers import Workers
print(Workers(1).submit(print, 1, flush=True).result())
"""


@pytest.mark.usefixtures("few_draws")
def test_an_objective_that_is_called_as_a_gap_in_a_sentence():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((20, 2)), columns=["x", "y"])
    name = "loss {each}"
    table = X.assign(**{name: (X["x"] - 0.3) ** 2})
    run = hx.from_frame(table, name, "minimize", hyperparameters=["x", "y"])
    result = hx.methods.local_importance(run)
    assert f"{name} depends most on x" in result.sentence


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.merge
def test_an_interpreter_answers_where_standard_error_is_closed():
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", PRINTS],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        timeout=60,
        text=True,
        check=False,
    )
    assert done.stdout == "None\n"


def test_an_empty_file_is_a_storage_only_where_it_is_called_so(tmp_path):
    for name in ("notes", "empty.md", "__init__.py", "new.log", "new.db"):
        (tmp_path / name).touch()
    assert [Path(run.path).name for run in runs_in(tmp_path)] == ["new.db", "new.log"]
