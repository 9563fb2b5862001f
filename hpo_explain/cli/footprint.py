"""`hpo-explain footprint`: a map of the configurations."""

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
@chooses_surrogate()
@takes_seed("the surrogate and of what was not tried")
@shows_result
def footprint(source: Source, kind: Kind, seed: int, form: str, plot: Path | None) -> None:
    """Draw the configurations on a map.

    Similar configurations stand near each other, as far as two dimensions show it; beside those
    that were tried stand others, on the border of the space and anywhere in it.
    """
    from hpo_explain.facade.footprint import footprint as footprint_of

    result = footprint_of(read_and_tell(source), kind=kind, seed=seed)
    show(result, result.to_frame(), form, plot)
