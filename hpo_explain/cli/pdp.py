"""`hpo-explain pdp`: the effects that matter most, or that of one or two hyperparameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpo_explain.base.options import Kind
from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._names import check_names
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source

if TYPE_CHECKING:
    from hpo_explain.explanations.result import Result


@click.command()
@takes_source
@click.argument("names", nargs=-1, metavar="[NAME [NAME2]]")
@click.option("--most", default=6, show_default=True, type=click.IntRange(min=1),
              help="Without NAME: how many hyperparameters.")  # fmt: skip
@click.option("--pairs", default=0, show_default=True, type=click.IntRange(min=0),
              help="Without NAME: how many pairs, those that interact most.")  # fmt: skip
@click.option("--grid-size", default=20, show_default=True, type=click.IntRange(min=2),
              help="Number of values of a numeric hyperparameter.")  # fmt: skip
@chooses_surrogate()
@takes_seed("the surrogate and of the sample")
@shows_result
def pdp(
    source: Source,
    names: tuple[str, ...],
    most: int,
    pairs: int,
    grid_size: int,
    kind: Kind,
    seed: int,
    form: str,
    plot: Path | None,
) -> None:
    """Show the effects that matter most, or a given one.

    Averages over all others (partial dependence), in the objective's units; lower and upper are
    the 95 % band of the surrogate's uncertainty. Tried are values with at least three trials near,
    best those that cannot be told from the best one.
    """
    check_names(names)
    from hpo_explain.facade.effects import partial_dependences
    from hpo_explain.methods.effects.partial_dependence import partial_dependence

    run = read_and_tell(source)
    result: Result
    if names:
        result = partial_dependence(run, list(names), grid_size=grid_size, kind=kind, seed=seed)
    else:
        result = partial_dependences(
            run, most=most, pairs=pairs, grid_size=grid_size, kind=kind, seed=seed
        )
    show(result, result.to_frame(), form, plot)
