"""The same seed gives the same bytes in every process."""

import json
import os
import subprocess
import sys

import pytest

from tests.digests import PAGES, explained
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

QUICK = (
    *(
        f"conditional: {name}"
        for name in (
            "importance",
            "proposal",
            "densities",
            "lime",
            "recommended space",
        )
    ),
    "brief report",
)


@pytest.mark.parametrize(
    "names", [QUICK, pytest.param((*explained(), *PAGES), marks=pytest.mark.thorough)]
)
def test_neither_the_order_of_sets_nor_the_threads_of_blas_change_a_byte(names):
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.digests", *names],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed, threads in (("1", "1"), ("2", "2"))
    ]
    told = [process.communicate(timeout=300.0) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], told
    one, other = (json.loads(stdout) for stdout, _ in told)
    assert sorted(one) == sorted(names)
    assert {name for name in names if one[name] != other[name]} == set()
