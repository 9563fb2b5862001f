"""`hpo-explain demo`: tune a real model, and explain how."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hpo_explain.cli._errors import debuggable, errors
from hpo_explain.cli.report import write_and_tell


@click.command()
@click.option(
    "--trials",
    default=60,
    show_default=True,
    type=click.IntRange(min=1),
    help="The number of trials.",
)
@click.option(
    "--out",
    default="hpo-explain-demo",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for report.html and the study.",
)
@debuggable
def demo(trials: int, out: Path, debug: bool) -> None:
    """Tune a real model and write a report about it.

    Gradient boosting is tuned on the breast cancer data that ship with scikit-learn; then
    OUT/report.html explains what matters, what to try next, and why each trial was tried.
    """
    from hpo_explain.demo import compiling_meanwhile, run_demo

    with errors(debug=debug):
        out.mkdir(parents=True, exist_ok=True)
        (out / "study.db").unlink(missing_ok=True)  # a demo starts anew
        with (
            compiling_meanwhile(),
            click.progressbar(length=trials, label="tuning", file=sys.stderr) as bar,
        ):
            run = run_demo(out, trials, lambda: bar.update(1))
        write_and_tell({run.objective_name: run}, out / "report.html")
