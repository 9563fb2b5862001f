"""Repeat the papers' experiments: ``python -m examples.papers --only shapleymbo table6``.

They write ``RESULTS.md`` and its figures. ``--only`` takes papers, tables and figures; their
sections take the place of those that are there.
"""

from __future__ import annotations

import argparse
import importlib
import os
import traceback
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

from examples.papers.frame import DATA, EXPERIMENTS, Experiment, Page, Profile, Saved, Sheet, judged

HERE = Path(__file__).resolve().parent
HEAD = """\
# The papers' experiments

Each table and numbered experiment figure of three papers beside what is found here: Croppi (2021)
(*shapleymbo*), Moosbauer et al. (2021) (*moosbauer*) and Hutter et al. (2014) (*fanova*).

- A row *agrees* if it would have been noticed otherwise: the smallest difference that this run
  tells with a probability of 80 % ("tells") is at most half of the effect that the paper has (after
  "of"; for a number its distance from 0, the margin for a finding).
- It is *not contradicted* if there are too few repetitions, or too few printed digits, to tell.
- It *differs* if it is farther off than chance is in 1 % of tables, all rows of a table taken
  together, or than five standard errors: of an error that few repetitions tell, as many as
  Student's distribution exceeds as rarely. Findings have the errors of their repetitions, too.
- Rows of a table share repetitions, so their signs are tested together: by the multiple of the
  paper's numbers that fits each repetition best.
- A table differs if one row does, and agrees if its findings do and its numbers together.
- Every cell of a printed table has a row, or is left out with a reason.

Rows that need data name them; [README.md](README.md) says how to get them. Tables 3 and 5 of
*shapleymbo* and 4 to 6 of *moosbauer* (settings, spaces, machines) and Figures 16 and 9 (drawings)
have no results. What the papers' programs do where the text says something else is in the
docstrings of the modules.

Written on {date} by `{command}`, with the {profile} profile and seeds from {seed} on. What `--only`
leaves out is as it was. Seconds are of one processor; of stored repetitions those that are stored
with them count. Repetitions that a row would need are those that would tell with a probability of
80 %, if its margin and its errors are what they are here; where they are few, it takes some more.
"""


def experiments() -> list[Experiment]:
    """Return all experiments, in the order of the papers."""
    for path in HERE.glob("[a-z]*_*.py"):
        importlib.import_module(f"examples.papers.{path.stem}")

    def place(x: Experiment) -> tuple:  # tables first, and 2 before 10
        return x.paper, not x.name.startswith("table"), len(x.name), x.name

    return sorted(EXPERIMENTS.values(), key=place)


def chosen(only: Sequence[str], among: Sequence[Experiment]) -> list[Experiment]:
    """Return the experiments of the papers, tables and figures that were asked for."""
    papers = {one.paper for one in among} & {*only}
    names = {one.name for one in among} & {*only}
    some = [one for one in among if not papers or one.paper in papers]
    return [one for one in some if not names or one.name in names]


def processor_seconds() -> float:
    """Return the time of processors that this process and the workers that ended have taken."""
    times = os.times()
    own, of_workers = times.user + times.system, times.children_user
    return own + of_workers + times.children_system


def save(figure: Figure, path: Path, most: int = 60_000) -> None:
    """Save a figure as a PNG of 64 colors below a size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for dpi in (110, 90, 75, 60, 50, 40, 30):
        figure.savefig(path, dpi=dpi, metadata={"Software": None})
        Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)
        if path.stat().st_size < most:
            return


def main(arguments: Sequence[str] | None = None) -> None:
    """Run experiments, print their verdicts and write the page."""
    parser = argparse.ArgumentParser(prog="python -m examples.papers", description=__doc__)
    every = experiments()
    names = sorted({name for one in every for name in (one.paper, one.name)})
    parser.add_argument(
        "--only",
        nargs="+",
        choices=names,
        metavar="WORD",
        default=[],
        help="papers, tables and figures: " + ", ".join(names),
    )
    parser.add_argument("--thorough", action="store_true", help="as many repetitions as the papers")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the papers' data")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of RESULTS.md")
    parser.add_argument(
        "--stored",
        type=Path,
        help="folder in which repetitions are stored, and from which they are judged again",
    )
    parser.add_argument("--seed", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args(arguments)
    profile = Profile(
        options.thorough, options.data, options.seed, options.workers, options.stored, Saved()
    )
    words = ["python -m examples.papers"]
    if options.thorough:
        words.append("--thorough")
    if options.only:
        words += ["--only", *options.only]
    if options.stored:
        words.append("--stored FOLDER")
    path = options.out / "RESULTS.md"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    page = Page(
        HEAD.format(
            date=date.today(),
            command=" ".join(words),
            profile="thorough" if options.thorough else "quick",
            seed=options.seed,
        ),
        before,
    )
    failed = 0
    for one in chosen(options.only, every):
        start, saved = processor_seconds(), profile.saved.seconds
        try:
            found = one.found(profile)
        except Exception:  # the others stand
            traceback.print_exc()
            failed += 1
            found = Sheet(profile)
            found.exact("it runs", False, "no", why="it failed")
        picture = f"figures/{one.paper}_{one.name}.png" if found.figure else None
        if picture:
            save(found.figure, options.out / picture)
        seconds = processor_seconds() - start
        seconds += profile.saved.seconds - saved
        section = page.add(one, found, picture, seconds)
        print(f"{one.label}: {judged(found.rows)} ({seconds:.0f} s)", flush=True)
        if options.only:
            print(section, flush=True)
        options.out.mkdir(parents=True, exist_ok=True)
        path.write_text(page.text([x.label for x in every]), encoding="utf-8")
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
