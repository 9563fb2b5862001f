"""Large runs: what else they are asked than `promises.py` says, each in a process of its own.

    python -m pytest tests/benchmarks/test_scale.py -o addopts= --benchmark-only -s

`SCALE=0.1` measures runs of a tenth of the trials. The aims are for two cores with nothing else to
do. Memory is that of the process and its workers.
"""

import os

import pytest

from tests.benchmarks.measure import alone
from tests.benchmarks.promises import scaled, shown

SCALE = float(os.environ.get("SCALE", "1"))
# seconds and megabytes
AIMS = {
    ("pairs", 20_000, 10, 3): (15, 1000),
    ("changes", 100, 500, 3): (20, 1000),
    ("h_statistic", 100, 500, 3): (20, 1000),
    ("explain_predictions", 100, 500, 3): (20, 1000),
    ("partial_dependence", 1_000, 6, 5_000): (10, 1000),
    ("partial_dependence", 1_000, 6, 3): (10, 1000),
    ("importance", 1_000, 6, 5_000): (10, 1000),
    ("importance", 1_000, 6, 3): (10, 1000),
    ("report", 1_000, 6, 5_000): (60, 1000),
}


@pytest.mark.parametrize("case", AIMS, ids=lambda case: " ".join(map(str, case)))
def test_a_large_run(benchmark, case):
    what, n, d, categories = case
    n = scaled(n, SCALE)
    found = benchmark.pedantic(alone, (what, n, d, categories), rounds=1)
    benchmark.extra_info |= found
    most, megabytes = AIMS[case]
    print(
        f"\n{what}, {n} x {d}, {categories} categories: {shown(found['seconds'])} (aim {most}), "
        f"{found['memory']:.0f} MB (aim {megabytes})"
    )
