"""Repeat the papers' experiments: ``python -m examples.papers --only shapleymbo table6``.

Without ``--only`` all are repeated, and ``RESULTS.md`` and its figures are written. ``--only``
takes papers, tables and figures; it prints, and writes where ``--out`` says so.
"""

from __future__ import annotations

import argparse
import importlib
import os
import traceback
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from time import perf_counter

from matplotlib.figure import Figure

from examples.papers.frame import (
    DATA,
    EXPERIMENTS,
    Experiment,
    Found,
    Page,
    Profile,
    finding,
    label,
    verdict,
)

HERE = Path(__file__).resolve().parent
MODULES = (
    "fanova_figure6",
    "fanova_ground_truth",
    "fanova_lcbench",
    "fanova_weka",
    "moosbauer_kernel_misspecification",
    "moosbauer_lcbench",
    "moosbauer_synthetic",
    "shapleybo_teams",
    "shapleymbo_ablation_example",
    "shapleymbo_cosine_mixture",
    "shapleymbo_hyper_ellipsoid",
    "shapleymbo_mlp",
)
HEAD = """\
# The papers' experiments

Each table and numbered experiment figure of three papers beside what is found here: Croppi (2021)
(*shapleymbo*), Moosbauer et al. (2021) (*moosbauer*) and Hutter et al. (2014) (*fanova*).
Numbers agree within three standard errors of both sides and the paper's rounding, or within as many
as Student's distribution has at the same level (0.27 %) where repetitions alone say how much they
scatter; then "×" shows how many. Findings agree where they hold. A table agrees where all its
findings do, and no more numbers differ than chance allows at that level in 95 % of tables: none of
up to 18, one of 19 to 131. Rows that need data name them; [README.md](README.md) says how to get
them.
Tables 3 and 5 of *shapleymbo* and 4 to 6 of *moosbauer* (settings, spaces, machines) and Figures 16
and 9 (drawings) have no results. What the papers' programs do where the text says something else is
in the docstrings of the modules.

Written on {date} by `{command}`, seeds from {seed} on.
"""


def experiments() -> list[Experiment]:
    """Return all experiments, in the order of the papers."""
    for name in MODULES:
        importlib.import_module(f"examples.papers.{name}")
    kinds = {"table": 0, "figure": 1}

    def place(one: Experiment) -> tuple[str, int, int]:
        kind = one.name.rstrip("0123456789")
        return one.paper, kinds.get(kind, 2), int(one.name[len(kind) :] or 0)

    return sorted(EXPERIMENTS.values(), key=place)


def chosen(only: Sequence[str] | None) -> list[Experiment]:
    """Return the experiments of the papers, tables and figures that were asked for."""
    found = experiments()
    if only is None:
        return found
    known = {one.paper for one in found} | {one.name for one in found}
    if unknown := [word for word in only if word not in known]:
        raise SystemExit(f"--only: {unknown[0]!r} is none of {', '.join(sorted(known))}")
    papers = {one.paper for one in found} & {*only}
    names = {*only} - papers
    return [
        one
        for one in found
        if (not papers or one.paper in papers) and (not names or one.name in names)
    ]


def save(figure: Figure, path: Path, most: int = 60_000) -> None:
    """Save a figure as a PNG below a size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for dpi in (90, 75, 60, 50, 40, 30):
        figure.savefig(path, dpi=dpi, metadata={"Software": None})
        if path.stat().st_size < most:
            return


def main(arguments: Sequence[str] | None = None) -> None:
    """Run experiments, print their verdicts and write the page."""
    parser = argparse.ArgumentParser(prog="python -m examples.papers", description=__doc__)
    parser.add_argument("--only", nargs="+", help="papers, tables and figures")
    parser.add_argument("--thorough", action="store_true", help="as many repetitions as the papers")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the papers' data")
    parser.add_argument("--out", type=Path, help="folder of RESULTS.md; this one without --only")
    parser.add_argument("--seed", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args(arguments)
    profile = Profile(options.thorough, options.data, options.seed, options.workers)
    command = "python -m examples.papers" + " --thorough" * options.thorough
    page = Page(HEAD.format(date=date.today(), command=command, seed=options.seed))
    out = options.out if options.only or options.out else HERE
    failed = 0
    for one in chosen(options.only):
        start = perf_counter()
        try:
            found = one.found(profile)
        except Exception:  # the others stand
            traceback.print_exc()
            failed += 1
            found = Found((finding("it runs", False, "no", why="it failed"),))
        picture = None
        if out is not None and found.figure is not None:
            picture = f"figures/{one.paper}_{one.name}.png"
            save(found.figure, out / picture)
        page.add(one, found, picture, perf_counter() - start)
        print(f"{label(one)}: {verdict(found.rows)} ({perf_counter() - start:.0f} s)", flush=True)
        if options.only:
            print(page.parts[-1], flush=True)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            (out / "RESULTS.md").write_text(page.text(), encoding="utf-8")
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
