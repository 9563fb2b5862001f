"""`hpo-explain learning-curves`: how early ranks are known, and what pruners would cost."""

from __future__ import annotations

from pathlib import Path

import click

from hpo_explain.cli._model import takes_seed
from hpo_explain.cli._output import show, shows_result
from hpo_explain.cli._reading import read_and_tell
from hpo_explain.cli._source import Source, takes_source


@click.command()
@takes_source
@click.option("--enough", default=0.8, show_default=True,
              type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
              help="The rank correlation with the final values that is asked for.")  # fmt: skip
@takes_seed("random orders and models")
@shows_result
def learning_curves(source: Source, enough: float, seed: int, form: str, plot: Path | None) -> None:
    """Say how early the final rank of trials is known.

    The rank correlation of the values reported at each step with the final ones, with its 95 %
    interval, and the final rank of the trial that is best at the step.
    """
    from hpo_explain.facade.learning_curves import learning_curves as learning_curves_of

    result = learning_curves_of(read_and_tell(source), enough=enough, seed=seed)
    show(result, result.to_frame(), form, plot)
