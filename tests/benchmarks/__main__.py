"""Measure the promises about speed and write the page: ``python -m tests.benchmarks --help``."""

import argparse
import os
import platform
import sys
from datetime import date
from importlib.metadata import version

from tests.benchmarks import curves
from tests.benchmarks.promises import BEFORE, GOAL, SECTIONS, Growth
from tests.source_tree import ROOT

OUTPUT = ROOT / "examples" / "benchmarks.md"
MEASURED = "measured"
NOT_MEASURED = "not measured"
HEAD = """\
# How fast is it?

Every promise about speed, its goal and what was measured last, and how work grows with a run.
Sizes are trials × hyperparameters. `tests/benchmarks/promises.py` has the rows. Written by

```sh
python -m tests.benchmarks
```

{day}: Python {python}, numpy {numpy}, Optuna {optuna}; {cores} cores. Each row is measured in a
process of its own, in seconds of the clock, after a small warm-up, except where nothing is
compiled. What takes less than 5 s is measured three times, and the median counts. A call ends
after 300 s. Memory is that of all its processes. × and *of Optuna's* are beside
`optuna.importance.FanovaImportanceEvaluator(seed=0)` on 1,000 trials of 10 numbers, once in the
same process, just before (of a whole command, in a process of its own); goals of seconds are those
of a machine where that takes 30 s. In parentheses is the slope of log seconds over log size, from
the size to the left. First answers are processor time of a whole process, imports included.

![Seconds as runs grow; hollow marks are goals](figures/benchmarks.svg)
"""


def rows_of(text):
    """Return the rows that a page has, by section and name: cells by the name of their column."""
    rows, section, columns = {}, "", None
    for line in text.splitlines():
        if line.startswith("## "):
            section, columns = line.removeprefix("## "), None
        elif line.startswith("| "):
            name, *cells = (cell.strip() for cell in line.split("|")[1:-1])
            if columns is None:
                columns = cells
            elif NOT_MEASURED not in cells:
                rows[section, name] = dict(zip(columns, cells, strict=True))
    return rows


def page(measured):
    optuna, numpy = version("optuna"), version("numpy")
    parts = [
        HEAD.format(
            day=date.today(),
            python=platform.python_version(),
            numpy=numpy,
            optuna=optuna,
            cores=os.cpu_count(),
        )
    ]
    for section, (head, rows) in SECTIONS.items():
        columns = (*head, MEASURED)
        first = head[2] if BEFORE in head else head[1]
        table = [columns, ["---", *["--:"] * len(head)]]
        for row in rows:
            cells = measured.get((section, row.name), {first: NOT_MEASURED})
            if BEFORE in head:
                cells = {GOAL: row.limit} | cells | {BEFORE: row.before}
            in_order = [cells.get(column, "") for column in columns[1:]]
            table.append([row.name, *in_order])
        lines = [f"| {' | '.join(cells)} |" for cells in table]
        parts.append("\n".join([f"## {section}\n", *lines, ""]))
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser("python -m tests.benchmarks", description=__doc__)
    some = "rows whose section or name has one of these; the page keeps the others"
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[""], help=some)
    share = "of the trials beyond 100, to try it: nothing is written"
    parser.add_argument("--scale", type=float, default=1.0, help=share)
    asked = parser.parse_args()
    writes = asked.scale == 1.0
    measured = {}
    if writes and OUTPUT.exists():
        measured = rows_of(OUTPUT.read_text(encoding="utf-8"))
    for section, (head, rows) in SECTIONS.items():
        columns = [*(name for name in head[1:] if name != BEFORE), MEASURED]
        for row in rows:
            if any(word.lower() in f"{section}: {row.name}".lower() for word in asked.only):
                try:
                    cells = row.cells(asked.scale)
                    if writes and isinstance(row, Growth):
                        curves.keep(section, row)
                except RuntimeError as error:
                    print(error, file=sys.stderr)
                    cells = ["failed", *[""] * (len(columns) - 2)]
                cells = [*cells, str(date.today())]
                measured[section, row.name] = dict(zip(columns, cells, strict=True))
                print(f"| {' | '.join([row.name, *cells])} |", flush=True)
            if writes:
                OUTPUT.write_text(page(measured), encoding="utf-8")
    if writes:
        curves.draw()


if __name__ == "__main__":
    main()
