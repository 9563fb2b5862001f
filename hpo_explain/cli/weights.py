"""`hpo-explain weights`: what matters to several objectives, whatever their weights."""

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
@click.option("--divisions", type=click.IntRange(min=1),
              help="Number of steps from one objective alone to another; by default 10 for two "
              "objectives, else 3.")  # fmt: skip
@chooses_surrogate("The models.", default="forest")
@takes_seed("the models")
@shows_result
def weights(
    source: Source, divisions: int | None, kind: Kind, seed: int, form: str, plot: Path | None
) -> None:
    """Say what matters to the weighted sum of several objectives.

    Shares of the variance for all weights, with 95 % intervals (lower, upper).
    """
    from hpo_explain.facade.weights import weighted_importance

    result = weighted_importance(
        read_all_and_tell(source), divisions=divisions, kind=kind, seed=seed
    )
    show(result, result.to_frame(), form, plot)
