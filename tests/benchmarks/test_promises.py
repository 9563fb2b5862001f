"""The rows of `examples/benchmarks.md`, one by one.

python -m pytest tests/benchmarks/test_promises.py -o addopts= --benchmark-only -s
"""

import pytest

from tests.benchmarks.promises import SECTIONS

ROWS = [(section, row) for section, (_, rows) in SECTIONS.items() for row in rows]


@pytest.mark.parametrize(("section", "row"), ROWS, ids=[f"{s}: {row.name}" for s, row in ROWS])
def test_a_row(benchmark, section, row):
    cells = benchmark.pedantic(row.cells, rounds=1)
    benchmark.extra_info["cells"] = cells
    print(f"\n{section}: {row.name}:", *cells, sep="  ")
