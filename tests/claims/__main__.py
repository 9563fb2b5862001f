"""Score the claims of many runs, and write the table: ``python -m tests.claims --help``."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from joblib import delayed

from hpo_explain.base.workers import by_workers, workers_of
from tests.claims.runs import NOISE, OPTIMIZERS, SEEDS, TRIALS, Setting, all_settings
from tests.claims.scored import ROOT, ScoredRun, score
from tests.claims.table import worst, written

OUTPUT = ROOT / "examples" / "claims.md"
AT_ONCE = 10  # runs, after which the table is written


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser("python -m tests.claims", description=__doc__)
    problems = sorted({setting.problem for setting in all_settings()})
    several = partial(parser.add_argument, nargs="+")
    several("--problems", default=problems, choices=problems)
    several("--optimizers", default=OPTIMIZERS, choices=OPTIMIZERS)
    several("--trials", default=TRIALS, type=int)
    several("--noise", default=NOISE, type=float)
    several("--seeds", default=SEEDS, type=int)
    several("--methods", default=(), help="ask only these methods")
    parser.add_argument("--every", default=1, type=int, help="take one of so many runs")
    parser.add_argument("--first", default=0, type=int, help="the first of them that is taken")
    parser.add_argument("--ready", action="store_true", help="only runs that the cache holds")
    parser.add_argument("--kinds", nargs="*", help="show only these kinds of claims")
    parser.add_argument("--paths", action="store_true", help="also explain all proposals of a run")
    parser.add_argument("--seconds", default=120.0, type=float, help="for a run, at most")
    parser.add_argument("--jobs", type=int, help="processes, by default one")
    parser.add_argument("--scheduler", help="address of one of dask, whose workers score the runs")
    parser.add_argument("--cache", type=Path, help="folder that keeps runs and scored claims")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--worst", type=Path, help="a file for examples of wrong certain claims")
    return parser.parse_args(arguments)


def chosen(asked: argparse.Namespace) -> list[Setting]:
    """The settings that are asked for."""
    found = [
        s
        for s in all_settings()
        if s.problem in asked.problems
        and s.optimizer in asked.optimizers
        and s.n in asked.trials
        and s.noise in asked.noise
        and s.seed in asked.seeds
    ]
    if asked.ready:
        found = [s for s in found if asked.cache and (asked.cache / f"{s.label}.pkl").exists()]
    return found[asked.first :: asked.every]


def scores(settings: list[Setting], n_jobs: int | None, **how: Any) -> Iterator[ScoredRun]:
    """Score runs by joblib's workers, such as those of a dask cluster with a thread each."""
    return by_workers(n_jobs, (delayed(score)(setting, **how) for setting in settings))


def main(arguments: list[str]) -> int:
    asked = options(arguments)
    settings = chosen(asked)
    folder = None if asked.cache is None else asked.cache.absolute()  # a worker may be elsewhere
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    how = {"folder": folder, "paths": asked.paths, "only": asked.methods, "seconds": asked.seconds}
    runs: list[ScoredRun] = []
    with workers_of(asked.scheduler, module="tests.claims"):
        for i, run in enumerate(scores(settings, asked.jobs, **how), 1):
            runs.append(run)
            print(f"{i}/{len(settings)} {run.setting.label} {run.seconds:.1f} s", flush=True)
            for method, error in run.errors:
                print(f"  {method} failed:\n{error}", flush=True)
            if asked.kinds:
                run.claims = [c for c in run.claims if c.kind.split()[0] in asked.kinds]
                run.could = Counter({k: n for k, n in run.could.items() if k[0] in asked.kinds})
            if i % AT_ONCE == 0 or i == len(settings):  # whoever stops it has a table
                asked.output.write_text(written(runs, _command(arguments)), encoding="utf-8")
    if asked.worst is not None:
        asked.worst.write_text(worst(runs) + "\n", encoding="utf-8")
    return int(any(run.errors for run in runs))


def _command(arguments: list[str]) -> str:
    """The command without what does not change the table: folders and processes."""
    kept, skip = [], False
    for argument in arguments:
        if skip or argument in ("--cache", "--jobs", "--scheduler", "--output", "--worst"):
            skip = not skip
            continue
        kept.append(argument)
    return shlex.join(["python", "-m", "tests.claims", *kept])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
