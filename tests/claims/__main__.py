"""Score the claims of many runs and write the table: ``python -m tests.claims --help``."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import spearmanr

from tests.claims.problems import narrow_optimum, pure_noise
from tests.claims.runs import SAMPLERS, TRIALS, Setting, has_gp, settings
from tests.claims.scored import Scored, cuts_the_best, score
from tests.source_tree import ROOT

OUTPUT = ROOT / "examples" / "claims.md"
BEFORE = "\n## Before"
"""Where the page keeps what was measured of the version before; nothing below is rewritten."""
Found = list[tuple[Setting, Scored]]

EXPLAINED = """\
*Certain* claims are stated without a reservation; *right*, after each count, is the share of those
that the truth decides over. *Told*: certain and right claims as a share of what is true and of a
size that matters (more than 2 % of the variance, 0.5 % of two together, 5 % of median minus best).
*Hold*: 95 % intervals that hold the truth. Narrowing may lose 5 % of median minus best; that of
advice one evaluation's noise, which what is gained must exceed, too."""


def share(those: Iterable[bool | None]) -> str:
    """How many of some are true, as a percentage; empty of none."""
    known = [bool(one) for one in those if one is not None]
    return f"{np.mean(known):.0%}" if known else ""


def row(several: Sequence[Scored]) -> list[str]:
    """Made, right of these, certain, right of these, told of what is true, intervals that hold."""
    made, true = [s for s in several if s.made], [s for s in several if s.true]
    certain = [s for s in made if s.certain]
    return [
        f"{len(made)}", share(s.right for s in made),
        f"{len(certain)}", share(s.right for s in certain),
        share(s.certain and bool(s.right) for s in true), share(s.covered for s in several),
    ]  # fmt: skip


def table(head: Sequence[str], texts: int, rows: Iterable[Sequence[object]]) -> str:
    """Rows as Markdown, the first columns texts and the others numbers."""
    rule = ["---"] * texts + ["--:"] * (len(head) - texts)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (head, rule, *rows))


def of_claims(found: Found) -> str:
    """The claims by kind, by sampler, and by number of trials."""
    groups = defaultdict(list)
    for setting, one in found:
        if not one.kind.startswith("trust"):
            for n in (0, setting.n):
                groups[one.kind, setting.sampler, n].append(one)
    order = sorted(groups, key=lambda key: (key[0], SAMPLERS.index(key[1]), key[2]))
    head = ("kind", "sampler", "trials", "made", "right", "certain", "right", "told", "hold")
    return table(head, 2, [(*key[:2], key[2] or "all", *row(groups[key])) for key in order])


def of_trust(found: Found) -> str:
    """What trust says of R² beside its truth, and how good "good" is."""
    rows = []
    for sampler in dict.fromkeys(setting.sampler for setting, _ in found):
        those = [one for s, one in found if s.sampler == sampler and one.kind.startswith("trust")]
        stated, known = (np.array([getattr(s, x) for s in those]) for x in ("stated", "known"))
        levels = [
            f"{level.size}: {np.median(level):.2f}" if level.size else "0"
            for word in ("good", "fair", "poor")
            for level in [known[[s.kind == f"trust {word}" for s in those]]]
        ]
        rows.append((sampler, len(those), f"{np.median(stated - known):+.2f}",
                     f"{spearmanr(stated, known).statistic:.2f}",
                     share(s.covered for s in those), *levels))  # fmt: skip
    head = ("sampler", "runs", "stated minus true R², median", "rank correlation",
            "intervals hold", "good: true R²", "fair", "poor")  # fmt: skip
    return table(head, 1, rows)


def of_noise(runs: int, jobs: int) -> str:
    """How many certain claims pure noise makes, and how often an unseen optimum is cut."""
    noise = [Setting(pure_noise(), s, 50, i) for s in SAMPLERS[:2] for i in range(runs // 2)]
    unseen = [Setting(narrow_optimum(), s, 60, i) for s in SAMPLERS[:2] for i in range(runs // 2)]
    claims = [one for _, one in scored(noise, jobs) if one.certain and one.right is False]
    cut = Parallel(jobs)(delayed(cuts_the_best)(s) for s in unseen)
    return (
        f"Under pure noise {len(noise)} runs of 50 trials made {len(claims)} certain claims that "
        f"are wrong{_listed(claims)}. A narrow optimum at the far end of a bowl was cut by the "
        f"recommended space in {sum(cut)} of {len(cut)} runs of 60 trials: where no trial is in "
        "it, trials are those of the bowl alone, which is narrowed (goal: one run in 20, missed)."
    )


def _listed(claims: Sequence[Scored]) -> str:
    return f" ({', '.join(sorted({one.kind for one in claims}))})" if claims else ""


def scored(some: Sequence[Setting], jobs: int) -> Found:
    """Every claim of some runs, with the run."""
    found = Parallel(jobs)(delayed(lambda s: list(score(s)))(s) for s in some)
    return [(s, one) for s, several in zip(some, found, strict=True) for one in several]


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.claims", description=__doc__)
    parser.add_argument("--samplers", nargs="+", default=SAMPLERS, choices=SAMPLERS)
    parser.add_argument("--trials", nargs="+", type=int, default=TRIALS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(0,))
    parser.add_argument("--noise", type=int, default=20, help="runs of pure noise")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"into {OUTPUT.relative_to(ROOT)}")
    asked = parser.parse_args()
    command = " ".join(["python -m tests.claims", *sys.argv[1:]])
    parts = ["# Are the claims right?", EXPLAINED.replace("\n", " "), f"```sh\n{command}\n```"]
    process = "Optuna's" if has_gp() else "absent here"
    seeds = " ".join(map(str, asked.seeds))
    parts.append(f"{date.today()}, seeds {seeds}. A Gaussian process ({process}) makes runs of 25 "
                 "and 50 trials; functions have runs of 50.")  # fmt: skip
    for title, functions in (("Exact tables of real problems", False), ("Functions", True)):
        some = settings(functions=functions, samplers=tuple(asked.samplers),
                        trials=tuple(asked.trials), seeds=tuple(asked.seeds))  # fmt: skip
        if functions:
            some = [s for s in some if s.n == 50 and s.sampler != "gp"]
        found = scored(some, asked.jobs)
        parts += [f"## {title}: {len(some)} runs", of_claims(found)]
        parts += [f"### Trust in these {len(some)} runs", of_trust(found)]
    if asked.noise:
        parts += ["## Noise, and what nobody saw", of_noise(asked.noise, asked.jobs)]
    text = "\n\n".join(parts) + "\n"
    if asked.write:
        _, mark, before = OUTPUT.read_text(encoding="utf-8").partition(BEFORE)
        OUTPUT.write_text(text + mark + before, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
