"""`hpo-explain history`: what every trial reached, and the best so far."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--optimum", type=float, help="The best objective there is, for the regret.")
@shows_result
def history(source: Source, optimum: float | None, form: str, plot: Path | None) -> None:
    """Show what every trial reached, and the best so far."""
    from hpo_explain.facade.history import history as history_of

    result = history_of(read_and_tell(source), optimum=optimum)
    show(result, result.to_frame(), form, plot)
