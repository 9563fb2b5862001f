"""`hpo-explain symbolic`: a short formula for the effect of one to three hyperparameters."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.options import Kind
from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.argument("names", nargs=-1, required=True, metavar="NAME [NAME2 [NAME3]]")
@chooses_surrogate()
@takes_seed("the surrogate, points and draws")
@shows_result
def symbolic(
    source: Source,
    names: tuple[str, ...],
    kind: Kind,
    seed: int,
    form: str,
    plot: Path | None,
) -> None:
    """Describe an effect by a short formula.

    A sum of powers, logarithms and products of one to three hyperparameters, on average over all
    others. No formula is given where none fits, or where the effect is not certain.
    """
    from hpo_explain.facade.symbolic import symbolic as symbolic_of

    result = symbolic_of(read_and_tell(source), list(names), kind=kind, seed=seed)
    show(result, result.to_frame(), form, plot)
