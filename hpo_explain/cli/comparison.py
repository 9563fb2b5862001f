"""`hpo-explain compare`: several runs side by side."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_sources
from hpo_explain.options import Kind


@click.command()
@takes_sources
@click.option("--surrogate", default="auto", show_default=True,
              type=click.Choice(["auto", "gp", "forest"]),
              help="The model of each run.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0),
              help="Seed of the models.")  # fmt: skip
@shows_result
def compare(
    sources: tuple[Source, ...], surrogate: Kind, seed: int, form: str, plot: Path | None
) -> None:
    """Compare several runs, of other seeds, data sets or seasons.

    Shares of the variance that single hyperparameters explain in each run, their mean and standard
    deviation over the runs, and the configuration that is good in all.
    """
    from hpo_explain.facade import compare as compare_runs

    runs = {source.label: read_and_tell(source) for source in sources}
    result = compare_runs(runs, kind=surrogate, seed=seed)
    show(result, result.to_frame().reset_index(), form, plot)
