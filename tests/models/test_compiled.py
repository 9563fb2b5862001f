"""Compiled functions in processes that come later."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.merge

CODE = """
import sys
import numpy as np
from hpo_explain.models._compiled import compiled

@compiled()
def double(x):
    for i in range(len(x)):
        x[i] *= 2.0

x = np.arange(3.0)
double(x)
print(x.tolist(), "numba.misc.cffiimpl" in sys.modules)

@compiled()
def halved(x):
    return 0.5 * x

if "halve" in sys.argv:
    print(halved(3.0), "numba.misc.cffiimpl" in sys.modules)
"""


@pytest.mark.thorough
def test_kept_compilations_are_loaded_without_the_compiler_which_comes_when_it_is_needed(tmp_path):
    (program := tmp_path / "program.py").write_text(CODE)
    told = [
        subprocess.run(
            [sys.executable, program, *words],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for words in ([], [], ["halve"])
    ]
    values = "[0.0, 2.0, 4.0]"
    assert told == [[f"{values} True"], [f"{values} False"], [f"{values} False", "1.5 True"]]
