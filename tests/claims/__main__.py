"""Score the claims of many runs and write the table: ``python -m tests.claims --help``."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable

from joblib import Parallel, delayed

from tests.claims.runs import SAMPLERS, TRIALS, Setting, settings
from tests.claims.scored import Scored, score
from tests.source_tree import ROOT

OUTPUT = ROOT / "examples" / "claims.md"
Row = tuple[str, ...]


def rows(scored: Iterable[Scored]) -> dict[str, tuple[int, int, float, float, float]]:
    """For each kind: made, certain, right of these, told of what is true, covered."""
    found = defaultdict(list)
    for one in scored:
        found[one.kind].append(one)
    table = {}
    for kind, several in sorted(found.items()):
        certain = [s for s in several if s.certain and s.right is not None]
        covered = [s.covered for s in several if s.covered is not None]
        true = [s for s in several if s.true]
        table[kind] = (
            sum(s.made for s in several),
            len(certain),
            sum(bool(s.right) for s in certain) / max(len(certain), 1),
            sum(s.certain and bool(s.right) for s in true) / max(len(true), 1),
            sum(covered) / max(len(covered), 1) if covered else float("nan"),
        )
    return table


def written(title: str, scored: list[tuple[Setting, Scored]]) -> str:
    """The table of each sampler as Markdown."""
    lines = [f"## {title}", "", "| kind | sampler | made | certain | right | told of what is true "
             "| intervals hold |", "|---|---|--:|--:|--:|--:|--:|"]  # fmt: skip
    for sampler in dict.fromkeys(s.sampler for s, _ in scored):
        for kind, row in rows(one for s, one in scored if s.sampler == sampler).items():
            made, certain, right, told, covered = row
            shown = f"{right:.0%}" if certain else ""
            hold = "" if covered != covered else f"{covered:.0%}"
            cells = (kind, sampler, made, certain, shown, f"{told:.0%}", hold)
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.claims", description=__doc__)
    parser.add_argument("--samplers", nargs="+", default=SAMPLERS[:2], choices=SAMPLERS)
    parser.add_argument("--trials", nargs="+", type=int, default=TRIALS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(0, 1))
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    parts = []
    for title, functions in (("Exact tables of real problems", False), ("Functions", True)):
        some = settings(functions=functions, samplers=tuple(asked.samplers),
                        trials=tuple(asked.trials), seeds=tuple(asked.seeds))  # fmt: skip
        found = Parallel(asked.jobs)(delayed(lambda s: list(score(s)))(s) for s in some)
        parts.append(written(f"{title}: {len(some)} runs",
                             [(s, one) for s, several in zip(some, found, strict=True)
                              for one in several]))  # fmt: skip
    print("\n\n".join(parts))


if __name__ == "__main__":
    main()
