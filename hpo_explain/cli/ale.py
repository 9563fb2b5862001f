"""`hpo-explain ale`: what changes with one or two hyperparameters along the trials."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._names import check_names
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source
from hpo_explain.options import Kind


@click.command()
@takes_source
@click.argument("names", nargs=-1, required=True, metavar="NAME [NAME2]")
@click.option("--grid-size", default=20, show_default=True, type=click.IntRange(min=2),
              help="Most values of a numeric hyperparameter.")  # fmt: skip
@chooses_surrogate()
@takes_seed("the surrogate")
@shows_result
def ale(
    source: Source,
    names: tuple[str, ...],
    grid_size: int,
    kind: Kind,
    seed: int,
    form: str,
    plot: Path | None,
) -> None:
    """Show what changes with a hyperparameter along the trials.

    Accumulates local effects at the configurations that were tried (ALE), in the objective's units,
    relative to their average; of two what both do beyond the sum of both. Lower and upper are the
    95 % band of the surrogate's uncertainty. Tried are values with at least three trials near, best
    those that cannot be told from the best one.
    """
    check_names(names)
    from hpo_explain.facade import accumulated_local_effects

    result = accumulated_local_effects(
        read_and_tell(source), list(names), grid_size=grid_size, kind=kind, seed=seed
    )
    show(result, result.to_frame(), form, plot)
