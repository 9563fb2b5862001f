"""Repeat the papers' experiments, and write ``RESULTS.md`` and its figures.

``--only shapleymbo table6`` prints some of them, and writes nothing.
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
from threadpoolctl import threadpool_limits

from examples.papers.frame import DATA, EXPERIMENTS, Experiment, Profile, Sheet
from examples.papers.page import Section, page

HERE = Path(__file__).resolve().parent
HEAD = """\
# The papers' experiments

Tables and experiment figures of three papers beside what is found here: Croppi (2021)
(*shapleymbo*), Moosbauer et al. (2021) (*moosbauer*) and Hutter et al. (2014) (*fanova*). *Numbers*
are those that a paper prints, *signs* the findings that it states, such as which of two is larger.

- A number *agrees* if a difference of 20 % of its effect would have been noticed with a probability
  of 80 % ("tells" is the smallest one that would), and none was. The effect is the distance from
  what the number would be if nothing were there, 0 unless a row says otherwise.
- A finding *agrees* if it holds by more than chance explains.
- A row *differs* if it is farther off than chance, and the rounding of what is printed, explain in
  1 % of sections, all rows of a section taken together. Few repetitions have the errors of
  Student's distribution.
- *Not contradicted* is what more repetitions could tell, and *undecided* what none can: the paper's
  number is that of a single run, or has too few digits. What is undecided counts in no section.
- Numbers of one table share repetitions. Their common multiple of the paper's numbers is judged as
  well, and decides for all of them; a section differs if one row does.
- *Narrowly* is what lies within one standard error of its limit, or within it by the rounding of
  what is printed. Other draws may turn it, and other draws may come of the rounding of a sum, where
  many trials follow one another.
- The column *paper* has what the paper prints, with its sign. Where that is not what is judged, a
  footnote says why. Every cell of a printed table has a row, or is left out with a reason.

**Moosbauer et al. split regions by the criterion of their program**, the variance of curves of ŝ;
their Eq. 6 prints ŝ². All tables here use the program's. What Eq. 6 gives stands beside it: with 10
runs, of which there are fewer here, Table 10 differed by it (L2 gained 7.5 ± 1.7 % less MC than the
mean's own criterion), and of what Table 11 finds nothing was left (28 % of MC in either region).

What is not repeated, and counts nowhere:

| table or figure | why |
|---|---|
| fanova, Table 1, Figure 4 | needs data: runs of SMAC in Auto-WEKA's space, which are no longer published |
| fanova, Figure 5 | needs data: runs of configuration scenarios of SAT, MIP and ASP solvers, which are not published |
| fanova, Figure 6 | single runs of SMAC on two problems that are not published. What an important subspace yields is measured by `python -m examples.scoreboard` |
| moosbauer, Table 9 | needs data: counts over 35 tasks of LCBench, of which one is at hand |
| moosbauer, Tables 4 to 6, Figure 9 | settings, spaces and a drawing |
| shapleymbo, Tables 3 and 5, Figures 2 and 16 | settings, a space and drawings |
| shapleymbo, Table 1, proposals 2 and 3; Figures 9, 12, 13 | a single run. Others differ from it by chance |
| shapleymbo, Figure 14 | not tested: why the proposal of iteration 108 was made. Its learning rate has 2 % of the mean's payout and 6 % of the sacrifice, through a model that learned values that are not published |
| Rodemann, Croppi et al. (2024), teams | needs people and an exosuit. With a simulated person, on three functions chosen here and 20 seeds, the team with explanations was better than the optimizer alone on two after 4 proposals, on none after 12, and then worse on one |

Written on {date} by `{command}`, with seeds from {seed} on. [README.md](README.md) says how to get
the data.

"""  # noqa: E501


def experiments() -> list[Experiment]:
    """Return all experiments, in the order of the papers."""
    for path in HERE.glob("[a-z]*_*.py"):
        importlib.import_module(f"examples.papers.{path.stem}")

    def place(x: Experiment) -> tuple:  # tables first, and 2 before 10
        first = x.names[0]
        return x.paper, not first.startswith("table"), len(first), first

    return sorted(EXPERIMENTS, key=place)


def chosen(only: Sequence[str], among: Sequence[Experiment]) -> list[Experiment]:
    """Return the experiments of the papers, tables and figures that were asked for."""
    papers = {one.paper for one in among} & {*only}
    names = {name for one in among for name in one.names} & {*only}
    some = [one for one in among if not papers or one.paper in papers]
    return [one for one in some if not names or names & {*one.names}]


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


def repeated(one: Experiment, profile: Profile) -> tuple[Sheet, float]:
    """Return what an experiment finds, and the seconds of a processor that it takes."""
    start = processor_seconds()
    try:
        with threadpool_limits(1):
            found = one.found(profile)
    except Exception:  # the others stand
        traceback.print_exc()
        found = Sheet(profile)
        found.exact("it runs", False, "no", why="it failed")
    return found, processor_seconds() - start


def main(arguments: Sequence[str] | None = None) -> None:
    """Run experiments, and print their sections or write the page."""
    parser = argparse.ArgumentParser(prog="python -m examples.papers", description=__doc__)
    every = experiments()
    names = sorted({name for one in every for name in (one.paper, *one.names)})
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
    parser.add_argument("--seed", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args(arguments)
    profile = Profile(options.thorough, options.data, options.seed, options.workers)
    sections = []
    for one in chosen(options.only, every):
        found, seconds = repeated(one, profile)
        files = [f"figures/{one.paper}_{one.names[0]}_{k}.png" for k in range(len(found.figures))]
        sections.append(Section(one, found.rows, files, seconds))
        if options.only:
            print(sections[-1].text, end="\n\n", flush=True)
            continue
        for figure, file in zip(found.figures, files, strict=True):
            save(figure, options.out / file)
        print(f"{one.label} ({seconds:.0f} s)", flush=True)
    if not options.only:
        command = "python -m examples.papers" + " --thorough" * options.thorough
        head = HEAD.format(date=date.today(), command=command, seed=options.seed)
        (options.out / "RESULTS.md").write_text(page(head, sections), encoding="utf-8")
    raise SystemExit(any(row.why == "it failed" for one in sections for row in one.rows))


if __name__ == "__main__":
    main()
