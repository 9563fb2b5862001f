"""Score methods of importance against the truth: ``python -m examples.scoreboard``.

`rules.md` says how. ``--profile quick`` prints what 13 runs say; ``--profile full`` writes
`examples/scoreboard.md` and its figure. Runs and truths are made once, and stored in the folder
`scoreboard` of the user's cache: delete it after a change of a problem, an estimand or a run.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence

from matplotlib import rc_context

from examples.scoreboard import tables
from examples.scoreboard.figure import drawn
from examples.scoreboard.measures import Score, scored, truth_of
from examples.scoreboard.runs import run_of, settings
from tests.source_tree import ROOT

PAGE = ROOT / "examples" / "scoreboard.md"
FIGURE = ROOT / "examples" / "figures" / "scoreboard.svg"


def page(scores: list[Score], profile: str, seconds: float) -> str:
    """Return what was measured as Markdown."""
    problems = dict.fromkeys(score.setting.problem for score in scores)
    of_runs = sum(run_of(score.setting).seconds for score in scores) / 60.0
    of_truths = sum(truth_of(name).seconds for name in problems) / 60.0
    ceiling = tables.of_ceilings(scores)
    return f"""\
# Importance against the truth

{len(scores)} runs of {len(problems)} problems by which nothing in the package was chosen, each
method against **its own estimand on the true function**. The [rules](scoreboard/rules.md) were
written before the first full run. Written by

```sh
python -m examples.scoreboard --profile {profile}
```

in {seconds / 60:.0f} CPU minutes; the runs took {of_runs:.0f} and the truths {of_truths:.0f} more.

![Errors by sampler, and how often what matters most is right](figures/scoreboard.svg)

Error is half the L1 distance of normalized shares, and bars are two standard errors. The fANOVA
of a forest of 2,000 uniform evaluations, the ceiling, has an error of {ceiling}.

{tables.of_methods(scores)}

## Errors: wins, ties and losses

Ours minus the other, over problems, with a 95 % interval; a tie is in parentheses, a loss is bold.
Each is held against what it estimates itself, which is harder to know for some than for others.
Optuna's fANOVA and MDI leave out what is conditional, so differences are there without it, too.

{tables.of_comparisons(scores, tables.error)}

{tables.of_problems(scores, tables.error)}

## Tuning only the two named first: regret

This is the currency that all have in common. From the default:

{tables.of_comparisons(scores, tables.from_default)}

From the incumbent:

{tables.of_comparisons(scores, tables.from_incumbent)}

Equal shares have the mean over all pairs.

## Searching on in the recommended space

{tables.of_boxes(scores)}

## How sure ours is

{tables.of_intervals(scores)}

{tables.of_reliability(scores)}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Score all runs of a profile; the full one is written."""
    parser = argparse.ArgumentParser("python -m examples.scoreboard", description=__doc__)
    parser.add_argument("--profile", choices=("quick", "full"), default="quick")
    profile = parser.parse_args(arguments).profile
    runs = settings(profile)
    for setting in runs:  # what is stored is not counted
        run_of(setting), truth_of(setting.problem)
    begun, scores = time.process_time(), []
    for setting in runs:
        scores.append(scored(setting))
        print(".", end="", file=sys.stderr, flush=True)
    text = page(scores, profile, time.process_time() - begun)
    print(f"\n{text}")
    if profile == "full":
        written(scores, text)


def written(scores: list[Score], text: str) -> None:
    """Write the page and its figure, the same bytes from the same scores."""
    PAGE.write_text(text, encoding="utf-8")
    file = io.StringIO()
    with rc_context({"svg.hashsalt": "scoreboard"}):
        drawn(scores).savefig(file, format="svg", metadata={"Date": None})
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    FIGURE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
