"""`hpo-explain pareto`: the trials that no other one beats in all objectives."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.options import Kind
from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_all_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--loss", default=0.001, show_default=True,
              type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
              help="How much of an objective may be lost to save something in another, as a share "
              "of its best value.")  # fmt: skip
@chooses_surrogate("The models.")
@takes_seed("the models")
@shows_result
def pareto(
    source: Source, loss: float, kind: Kind, seed: int, form: str, plot: Path | None
) -> None:
    """Show the Pareto front.

    Which trials no other one beats in all objectives, with what the models predict for them. Of a
    run with a single objective, how long trials took is the other one.
    """
    from hpo_explain.facade.pareto import pareto as pareto_of

    result = pareto_of(read_all_and_tell(source), loss=loss, kind=kind, seed=seed)
    show(result, result.to_frame().reset_index(), form, plot)
