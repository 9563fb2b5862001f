"""Measure the promises about speed and write the page: ``python -m tests.benchmarks --help``."""

import argparse
import os
import platform
import sys
from datetime import date
from importlib.metadata import version

from tests.benchmarks import curves
from tests.benchmarks.promises import SECTIONS, Growth
from tests.source_tree import ROOT

OUTPUT = ROOT / "examples" / "benchmarks.md"
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
same process, just before. In parentheses is the slope of log seconds over log size, from the size
to the left. First answers are of processor time, imports included: × is beside a process that only
does `import numpy, scipy.linalg`, or, where nothing is compiled, beside the same one once all is.
"""


def lines_of(text):
    """The rows that a page has, by section and name."""
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| "):
            found[section, line.split(" | ")[0].removeprefix("| ")] = line
    return found


def page(lines):
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
        unknown = f" | not measured{' | ' * (len(head) - 1)}|"
        told = [
            lines.get((section, row.name), f"| {row.name}{unknown}")
            for row in rows
        ]
        rule = ["---", *["--:"] * len(head)]
        columns = [
            f"| {' | '.join(cells)} |" for cells in ((*head, "measured"), rule)
        ]
        parts.append("\n".join([f"## {section}\n", *columns, *told, ""]))
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(
        "python -m tests.benchmarks", description=__doc__
    )
    some = "rows whose section or name has one of these; the page keeps the others"
    parser.add_argument(
        "--only", nargs="+", metavar="WORD", default=[""], help=some
    )
    share = "of the trials beyond 100, to try it: nothing is written"
    parser.add_argument("--scale", type=float, default=1.0, help=share)
    asked = parser.parse_args()
    writes = asked.scale == 1.0
    lines = (
        lines_of(OUTPUT.read_text(encoding="utf-8"))
        if writes and OUTPUT.exists()
        else {}
    )
    for section, (head, rows) in SECTIONS.items():
        for row in rows:
            if any(
                word.lower() in f"{section}: {row.name}".lower()
                for word in asked.only
            ):
                try:
                    cells = row.cells(asked.scale)
                    if writes and isinstance(row, Growth):
                        curves.keep(section, row)
                except RuntimeError as error:
                    print(error, file=sys.stderr)
                    cells = ["failed", *[""] * (len(head) - 2)]
                line = (
                    f"| {' | '.join([row.name, *cells, str(date.today())])} |"
                )
                lines[section, row.name] = line
                print(line, flush=True)
            if writes:
                OUTPUT.write_text(page(lines), encoding="utf-8")
    if writes:
        curves.draw()


if __name__ == "__main__":
    main()
