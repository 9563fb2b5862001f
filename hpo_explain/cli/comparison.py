"""`hpo-explain compare`: several runs side by side."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.base.options import Kind
from hpo_explain.cli._model import chooses_surrogate, takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_sources


@click.command()
@takes_sources
@chooses_surrogate("The model of each run.")
@takes_seed("the models")
@shows_result
def compare(
    sources: dict[str, Source], kind: Kind, seed: int, form: str, plot: Path | None
) -> None:
    """Compare several runs, such as other seeds or data sets.

    Shares of the variance that single hyperparameters explain in each run, their mean and standard
    deviation over the runs, and the configuration that is good in all.
    """
    from hpo_explain.facade.comparison import compare as compare_runs

    runs = {label: read_and_tell(source) for label, source in sources.items()}
    result = compare_runs(runs, kind=kind, seed=seed)
    show(result, result.to_frame().reset_index(), form, plot)
