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

from tests.claims import settled, trade_off
from tests.claims.asked import Scored
from tests.claims.goals import Found, goals
from tests.claims.runs import TRIALS, Setting, settings
from tests.claims.scored import QUESTIONS, score, score_alone
from tests.claims.shares import fanova
from tests.claims.tables import (
    of_better,
    of_boxes,
    of_broken,
    of_claims,
    of_goals,
    of_noise,
    of_settled,
    of_shares,
    of_trust,
)
from tests.source_tree import ROOT

ALONE = {
    trade_off.trade_off: trade_off.settings,
    settled.settled: settled.settings,
}
"""Questions that have runs of their own, and these."""
OUTPUT = ROOT / "examples" / "claims.md"
EXPLAINED = """\
*Certain* claims are stated without a reservation; *right*, after each count, is the share of those
that the truth decides over. *Told*: certain and right claims as a share of what is true and of a
size that matters (more than 2 % of the variance, 0.5 % of two together, 5 % of median minus best).
*Hold*: 95 % intervals that hold the truth (of noise 90 %). *Better exists* is held against the
trial to keep, for what counts being the noise (at least 1 %), 5 % and 10 % of median minus best.
Every problem is run with noise of 0, 1, 10 and 50 % of its standard deviation unless the kind of
noise is what it is about; whether it is minimized or maximized, and whether what crashes raises or
returns NaN, alternates. scikit-optimize is given 1e6 for what failed. *Between objectives* are
studies of two by Random, TPE and NSGA-II, asked at five weights from one end to the other.
*Settled* are intervals of which a few trials were to leave a share."""
TODAY = """\
Of the belief with two scales, on the nine tables (90 runs) certain and right claims were, of what
could be told, Random / TPE / GP: share of one 55 / 41 / 39 %, share of a pair 23 / 9 / 4 %, best at
52 / 28 / 21 %, difference 53 / 28 / 21 %, share in the best 10 % 45 / 36 / 33 %, order there
15 / 11 / 5 %, narrowing at 5 % 78 / 89 / 83 %, all changes gain 73 / 73 / 75 %."""


def scored(
    some: Sequence[Setting], jobs: int, cache: Path | None, beside_fanova: bool
) -> list[Found]:
    """Return every answer about some runs."""
    questions = (*QUESTIONS, fanova) if beside_fanova else QUESTIONS
    return of_each(
        some, partial(score, questions=questions, cache=cache), jobs
    )


def of_each(
    some: Sequence[Setting],
    asked: Callable[[Setting], Iterable[Scored]],
    jobs: int,
) -> list[Found]:
    """Return the answers of each run, and print how long they took."""

    def one(setting: Setting) -> list[Scored]:
        start = time.perf_counter()
        answers = [*asked(setting)]
        print(
            f"{setting.label}: {time.perf_counter() - start:.1f} s",
            file=sys.stderr,
            flush=True,
        )
        return answers

    each = Parallel(jobs)(map(delayed(one), some))
    return [
        Found(setting, answer)
        for setting, answers in zip(some, each, strict=True)
        for answer in answers
    ]


def page(found: list[Found], command: str) -> str:
    """Return the page: the goals, then the tables behind them."""
    runs = len({one.setting.label for one in found})
    parts = [
        "# Are the claims right?",
        EXPLAINED.replace("\n", " "),
        f"```sh\n{command}\n```",
        f"{date.today()}, {runs} runs.",
        "## Goals",
        of_goals(goals(found)),
        of_broken(found),
        "## What was told before",
        TODAY.replace("\n", " "),
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
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m tests.claims", description=__doc__
    )
    parser.add_argument(
        "--samplers", nargs="+", default=tuple(TRIALS), choices=tuple(TRIALS)
    )
    parser.add_argument(
        "--problems",
        nargs="+",
        default=(),
        help="names of problems or families",
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=(0,))
    parser.add_argument(
        "--every", type=int, default=1, help="only every so many of the runs"
    )
    parser.add_argument(
        "--offset", type=int, default=0, help="from which of them on"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--cache", type=Path, help="folder in which runs are kept"
    )
    parser.add_argument(
        "--fanova", action="store_true", help="Optuna's fANOVA beside (slow)"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="print all tables, not the goals only",
    )
    parser.add_argument(
        "--write", action="store_true", help=f"into {OUTPUT.relative_to(ROOT)}"
    )
    asked = parser.parse_args()
    some = settings(
        names=asked.problems, samplers=asked.samplers, seeds=asked.seeds
    )
    found = scored(
        some[asked.offset :: asked.every],
        asked.jobs,
        asked.cache,
        asked.fanova,
    )
    for question, own in ALONE.items():
        those = own(asked.problems, asked.seeds)
        found += of_each(
            those[asked.offset :: asked.every],
            partial(score_alone, question=question),
            asked.jobs,
        )
    if asked.write:
        command = " ".join(["python -m tests.claims", *sys.argv[1:]])
        OUTPUT.write_text(page(found, command), encoding="utf-8")
    elif asked.all:
        print(page(found, "python -m tests.claims"))
    else:
        print(of_goals(goals(found)), of_broken(found), sep="\n\n")


if __name__ == "__main__":
    main()
