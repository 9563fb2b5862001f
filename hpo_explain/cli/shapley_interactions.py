"""`hpo-explain interactions`: what hyperparameters do alone and together."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from hpo_explain.base.options import Criterion, InteractionIndex, Kind
from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--trial", type=click.IntRange(min=0),
              help="The configuration; by default the best one.")  # fmt: skip
@click.option("--of", default="prediction", show_default=True,
              type=click.Choice(["prediction", "acquisition", "variance"]),
              help="What is explained.")  # fmt: skip
@click.option("--index", default="k-SII", show_default=True,
              type=click.Choice(["k-SII", "STII", "FSII"]),
              help="How what hyperparameters do together is shared out.")  # fmt: skip
@click.option("--order", default=2, show_default=True, type=click.IntRange(min=2),
              help="The size of the largest sets.")  # fmt: skip
@click.option("--background", default=500, show_default=True, type=click.IntRange(min=1),
              help="Number of configurations of the space that it is compared with.")  # fmt: skip
@click.option("--acquisition", default="auto", show_default=True,
              type=click.Choice(["auto", "lcb", "ei", "pi", "logei"]),
              help="auto: the optimizer's own where it is known.")  # fmt: skip
@chooses_surrogate()
@takes_seed("the surrogate and of the background")
@shows_result
def interactions(
    source: Source,
    trial: int | None,
    of: Literal["prediction", "acquisition", "variance"],
    index: InteractionIndex,
    order: int,
    background: int,
    acquisition: Criterion,
    kind: Kind,
    seed: int,
    form: str,
    plot: Path | None,
) -> None:
    """Say what hyperparameters do alone and together.

    Shapley interactions: the values of sets of hyperparameters add up to the difference of what is
    explained from its average over the space.
    """
    from hpo_explain.facade.shapley_interactions import shapley_interactions

    result = shapley_interactions(
        read_and_tell(source), trial, of=of, index=index, order=order, background=background,
        acquisition=acquisition, kind=kind, seed=seed,
    )  # fmt: skip
    show(result, result.to_frame().drop(columns="members").reset_index(), form, plot)
