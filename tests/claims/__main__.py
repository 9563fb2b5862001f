"""Score the claims of many runs and write the tables: ``python -m tests.claims --help``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from pathlib import Path

from joblib import Parallel, delayed

from tests.claims import judged, settled, summaries, trade_off
from tests.claims.asked import Scored
from tests.claims.goals import Found, goals
from tests.claims.problems import judges, problems
from tests.claims.runs import JUDGED_TRIALS, TRIALS, Setting, settings
from tests.claims.runs import judged as runs_that_judge
from tests.claims.scored import JUDGING, QUESTIONS, score, score_alone
from tests.claims.shares import fanova
from tests.claims.tables import (
    of_better,
    of_boxes,
    of_broken,
    of_claims,
    of_families,
    of_goals,
    of_judges,
    of_noise,
    of_settled,
    of_shares,
    of_trust,
)
from tests.source_tree import ROOT

ALONE = {
    trade_off.trade_off: trade_off.settings,
    trade_off.front: trade_off.settings,
    settled.settled: settled.settings,
}
"""Questions that have runs of their own, and these."""
BESIDE_OPTUNA = """\
## Beside Optuna's importance

The truth of 300 uniform evaluations ([`beside_optuna.py`](beside_optuna.py): a classifier with
eight hyperparameters, five runs of TPE with 60 trials each):

![True shares of the variance, and those of both](figures/beside_optuna.svg)

`alpha` truly matters most, with 56 % of the variance. Its rank by `hx.importance` is 1, 1, 1, 1, 1,
by Optuna's default 5, 4, 5, 4, 2 (after 100 trials 1, 2, 1, 1, 1 and 4, 4, 4, 4, 3). TPE leaves bad
values early. Therefore our shares of it are too small, and three of the five 95 % intervals hold
the true one. Optuna's default asks which hyperparameter makes a trial one of the best. That is
`eta0`, which it ranks first in all five runs, and `hx.importance(study, top=0.1)` in two."""
OUTPUT = ROOT / "examples" / "claims.md"
EXPLAINED = """\
*Certain* claims are stated without a reservation; *right*, after each count, is the share of those
that the truth decides over. *Told*: certain and right claims as a share of what is true and of a
size that matters (more than 2 % of the variance, 0.5 % of two together, 5 % of median minus best).
*Hold*: 95 % intervals that hold the truth (of noise 90 %). *Better exists* is held against the
trial to keep, for what counts being what counts by itself, 5 % and 10 % of median minus best."""
CHOOSE = """\
Every problem is run with noise of 0, 1, 10 and 50 % of its standard deviation unless the kind of
noise is what it is about; whether it is minimized or maximized, and whether what crashes raises or
returns NaN, alternates. scikit-optimize is given 1e6 for what failed. *Between objectives* are
studies of two by Random, TPE and NSGA-II, asked at five weights from one end to the other, and
what matters for their front, which trial to take, and what extends it.
*Settled* are intervals of which a few trials were to leave a share."""
JUDGES = """\
BBOB's functions (instance 7), strings of bits, and classifiers of scikit-learn on its own data
sets. Nothing in the package was chosen by them. Amounts count as covered where their interval holds
the truth within a factor of ten either way; a *Brier* score is a multiple of that of the best
constant; *told* are certain and right claims as a share of what could be told; after each number
stands of how many answers it is."""
CHOSE = """\
Constants that data chose were chosen by the families that choose; how dense trials are near the
best (`methods/advice/optimum.py`) also by instance 3 of BBOB and other strings of bits."""


def of_each(
    some: Sequence[Setting], asked: Callable[[Setting], Iterable[Scored]], jobs: int
) -> list[Found]:
    """Return the answers of each run, and print how long they took."""

    def one(setting: Setting) -> list[Scored]:
        start = time.perf_counter()
        answers = [*asked(setting)]
        print(f"{setting.label}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
        return answers

    each = Parallel(jobs)(map(delayed(one), some))
    return [
        Found(setting, answer)
        for setting, answers in zip(some, each, strict=True)
        for answer in answers
    ]


def page(found: list[Found], command: str) -> str:
    """Return the page: the goals, then the tables behind them, of those that were asked."""
    runs = len({one.setting.label for one in found})
    parts = [
        "# Are the claims right?",
        EXPLAINED.replace("\n", " "),
        f"```sh\n{command}\n```",
        f"{date.today()}, {runs} runs.",
    ]
    if any(one.setting.problem.judges for one in found):
        parts += [
            "## Goals on the families that judge",
            JUDGES.replace("\n", " "),
            of_goals(judged.goals(found)),
            "## The families that judge",
            of_judges(found),
        ]
    chosen_by = [one for one in found if not one.setting.problem.judges]
    if chosen_by:
        parts += _of_choosing(chosen_by)
    parts += [
        BESIDE_OPTUNA,
        "## Who chose, who judges",
        CHOSE.replace("\n", " "),
        of_families([*problems().values(), *judges().values()]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _of_choosing(found: list[Found]) -> list[str]:
    """Return the sections about families that constants were chosen by."""
    return [
        "## Goals on the families that constants were chosen by",
        CHOOSE.replace("\n", " "),
        of_goals(goals(found)),
        of_broken(found),
        "## Claims",
        of_claims(found),
        "## Shares by sampler",
        of_shares(found, lambda one: one.group, "runs by, on"),
        "## Shares by family",
        of_shares(found, lambda one: one.setting.problem.family, "family"),
        "## Something better exists",
        of_better(found),
        "## Recommended spaces",
        of_boxes(found),
        "## Trials to settle a result",
        of_settled(found),
        "## Trust",
        of_trust(found),
        "## Noise as a multiple of the truth",
        of_noise(found),
    ]


def options() -> argparse.ArgumentParser:
    """Return what the program may be asked."""
    parser = argparse.ArgumentParser("python -m tests.claims", description=__doc__)
    parser.add_argument(
        "--on",
        choices=("all", "choosing", "judging"),
        default="all",
        help="families that constants were chosen by, or that only judge",
    )
    parser.add_argument("--samplers", nargs="+", default=tuple(TRIALS), choices=tuple(TRIALS))
    parser.add_argument("--problems", nargs="+", default=(), help="names of problems or families")
    parser.add_argument("--seeds", nargs="+", type=int, default=(0,))
    parser.add_argument(
        "--judging-seeds",
        nargs="+",
        type=int,
        default=(0, 1),
        help="each has one run of every problem that judges",
    )
    parser.add_argument("--every", type=int, default=1, help="only every so many of the runs")
    parser.add_argument("--offset", type=int, default=0, help="from which of them on")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="folder in which runs are kept")
    parser.add_argument("--fanova", action="store_true", help="Optuna's fANOVA beside (slow)")
    parser.add_argument(
        "--summaries",
        type=int,
        metavar="N",
        help="print so many summaries of runs that judge beside the truth",
    )
    parser.add_argument("--all", action="store_true", help="print all tables, not the goals only")
    parser.add_argument("--write", action="store_true", help=f"into {OUTPUT.relative_to(ROOT)}")
    return parser


def choosing(asked: argparse.Namespace) -> list[Found]:
    """Return every answer about runs that constants may be chosen by."""
    some = settings(names=asked.problems, samplers=asked.samplers, seeds=asked.seeds)
    questions = (*QUESTIONS, fanova) if asked.fanova else QUESTIONS
    found = of_each(
        some[asked.offset :: asked.every],
        partial(score, questions=questions, cache=asked.cache),
        asked.jobs,
    )
    for question, own in ALONE.items():
        those = own(asked.problems, asked.seeds)
        found += of_each(
            those[asked.offset :: asked.every], partial(score_alone, question=question), asked.jobs
        )
    return found


def judging(asked: argparse.Namespace) -> list[Setting]:
    """Return the runs of the problems that judge."""
    some = [
        problem
        for problem in judges().values()
        if not asked.problems or {problem.name, problem.family} & {*asked.problems}
    ]
    samplers = [name for name in JUDGED_TRIALS if name in asked.samplers]
    return runs_that_judge(some, samplers=samplers, seeds=asked.judging_seeds)


def main() -> None:
    parser = options()
    asked = parser.parse_args()
    if asked.summaries:
        some = summaries.spread_over(judging(asked), asked.summaries)
        for text in summaries.told(some, asked.cache):
            print(text, flush=True)
        return
    found = [] if asked.on == "judging" else choosing(asked)
    if asked.on != "choosing":
        ask = partial(score, questions=JUDGING, cache=asked.cache)
        found += of_each(judging(asked), ask, asked.jobs)
    command = " ".join(["python -m tests.claims", *sys.argv[1:]])
    if asked.write:
        OUTPUT.write_text(page(found, command), encoding="utf-8")
    elif asked.all:
        print(page(found, command))
    else:
        if asked.on != "choosing":
            print(of_goals(judged.goals(found)), of_judges(found), sep="\n\n")
        if asked.on != "judging":
            print(of_goals(goals(found)))
        print(of_broken(found))


if __name__ == "__main__":
    main()
