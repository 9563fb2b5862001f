"""`hpo-explain configurations`: where the trials lie."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option("--highlight", multiple=True, type=int, metavar="TRIAL",
              help="Draw this trial in a color of its own; may be repeated.")  # fmt: skip
@shows_result
def configurations(
    source: Source,
    names: tuple[str, ...],
    highlight: tuple[int, ...],
    form: str,
    plot: Path | None,
) -> None:
    """Show where the trials lie, and what was hardly tried.

    NAMEs choose hyperparameters; by default all are shown, and the first ones drawn.
    """
    from hpo_explain.facade.history import configurations as configurations_of

    result = configurations_of(read_and_tell(source), names or None, highlight=highlight)
    show(result, result.to_frame(), form, plot)
