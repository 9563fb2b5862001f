"""Count contradictions in the answers about many runs: ``python -m tests.contradictions``."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from joblib import Parallel, delayed

from tests.claims.runs import Setting, make_run, settings
from tests.contradictions.answers import Answers
from tests.contradictions.doors import through_a_file
from tests.contradictions.rules import RULES, contradictions


def of_setting(setting: Setting, cache: Path | None) -> list[tuple[str, str]]:
    """Return the contradictions in the answers about one run; an error is one, too."""
    warnings.simplefilter("ignore")
    try:
        run = make_run(setting, cache)
        broken = contradictions(Answers(run))
        with TemporaryDirectory() as folder:
            said = through_a_file(run, Path(folder))
        broken += [("all doors", one) for one in said]
    except Exception as error:
        broken = [("an error", f"{type(error).__name__}: {error}")]
    for rule, said in broken:
        print(f"{setting.label} | {rule}: {said}", file=sys.stderr, flush=True)
    return broken


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.contradictions", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="how many")
    parser.add_argument("--first", type=int, default=0, help="from which on")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--problems", nargs="+", default=(), help="problems or families")
    parser.add_argument("--cache", type=Path, help="folder in which runs are kept")
    asked = parser.parse_args()
    some = settings(names=asked.problems)[asked.first :][: asked.runs]
    of_each = Parallel(asked.jobs)(delayed(of_setting)(setting, asked.cache) for setting in some)
    counts = Counter(rule for broken in of_each for rule, _ in broken)
    print(f"{sum(counts.values())} contradictions in {len(some)} runs")
    for name in [*(rule.__name__ for rule in RULES), "all doors", "an error"]:
        runs = sum(name in dict(broken) for broken in of_each)
        print(f"{counts[name]:5} in {runs:3} runs: {name.replace('_', ' ')}")


if __name__ == "__main__":
    main()
