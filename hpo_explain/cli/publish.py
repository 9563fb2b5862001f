"""`hpo-explain publish`: figures, summary and report into optuna-dashboard."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.phrases import printable
from hpo_explain.cli._errors import debuggable, errors, say


@click.command()
@click.argument("storage", metavar="SOURCE")
@click.option("--study-name", help="The study, if there are several.")
@click.option(
    "--artifacts",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="optuna-dashboard's artifact folder; the report and the profiler are uploaded there.",
)
@debuggable
def publish(storage: str, study_name: str | None, artifacts: Path | None, debug: bool) -> None:
    """Publish figures and a summary in optuna-dashboard.

    It writes figures and a note into the study's own storage. SOURCE is an address such as
    sqlite:///study.db, or the file of an SQLite or journal storage. An earlier publication is
    replaced; what a person wrote in the note stays.
    """
    with errors(debug=debug):
        from hpo_explain.adapters.optuna.storage import artifacts_in, study_to_write
        from hpo_explain.adapters.publishing import publish as publish_study

        study = study_to_write(storage, study_name)
        store = None if artifacts is None else artifacts_in(artifacts)
        say("publishing ...")
        names = publish_study(study, artifact_store=store, sampler=None)
        click.echo(printable(f"Published: {', '.join(names)}"))
