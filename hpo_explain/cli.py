"""The command line: `hpo-explain demo` and `hpo-explain report`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from hpo_explain.run import Run


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hpo_explain")
def main() -> None:
    """Explain hyperparameter optimization: why the optimizer tried what it tried."""


@main.command()
@click.option("--trials", default=None, show_default="80, or 40 with skopt",
              type=click.IntRange(min=1), help="Number of trials.")  # fmt: skip
@click.option("--sampler", default="tpe", show_default=True,
              type=click.Choice(["tpe", "random"]), help="How trials are chosen.")  # fmt: skip
@click.option("--framework", default="optuna", show_default=True,
              type=click.Choice(["optuna", "skopt"]), help="What tunes.")  # fmt: skip
@click.option("--out", default="hpo-explain-demo", show_default=True,
              type=click.Path(file_okay=False, path_type=Path),
              help="Folder for report.html and the study.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Seed of the optimizer.")
def demo(trials: int | None, sampler: str, framework: str, out: Path, seed: int) -> None:
    """Tune a real model, and explain how.

    Gradient boosting is tuned on the breast cancer data that ship with scikit-learn; then
    OUT/report.html says why the optimizer tried what it tried.
    """
    from hpo_explain.demo import TRIALS, run_demo

    n_trials = TRIALS[framework] if trials is None else trials
    with _errors():
        out.mkdir(parents=True, exist_ok=True)
        (out / "study.db").unlink(missing_ok=True)  # a demo starts anew
        with click.progressbar(length=n_trials, label="tuning", file=sys.stderr) as bar:
            run = run_demo(
                out,
                framework=framework,
                sampler=sampler,
                n_trials=n_trials,
                seed=seed,
                on_trial=lambda: bar.update(1),
            )
        _write(run, out / "report.html")


@main.command()
@click.argument("storage")
@click.option("--study-name", default=None, help="Name of the study, if there are several.")
@click.option("--out", default="report.html", show_default=True,
              type=click.Path(dir_okay=False, path_type=Path),
              help="File to write.")  # fmt: skip
def report(storage: str, study_name: str | None, out: Path) -> None:
    """Write a report about a study of yours.

    STORAGE is given as Optuna takes it (sqlite:///study.db, postgresql://...), or a journal file.
    """
    with _errors():
        from hpo_explain.adapters.optuna import from_optuna
        from hpo_explain.adapters.optuna.storage import load_study

        _write(from_optuna(load_study(storage, study_name)), out)


def _write(run: Run, path: Path) -> None:
    """Write the report, and print what matters most and where it is."""
    from hpo_explain.explanations import format_value
    from hpo_explain.reporting import make_report

    click.echo("writing the report ...", err=True)
    report = make_report(run)
    written = report.write(path)
    if len(run):
        values = (f"{name} = {format_value(value)}" for name, value in run.incumbent.items())
        click.echo(f"Best configuration (trial {run.incumbent_trial}): {', '.join(values)}")
    for card in report.cards:
        click.echo(f"{card.title.rstrip('?')}: {card.finding}")
    click.echo(f"Report: {written}")


@contextmanager
def _errors() -> Iterator[None]:
    """Turn the user's mistakes into one line on stderr and exit code 1."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        raise click.ClickException(str(error)) from error
