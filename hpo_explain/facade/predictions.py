"""Why the surrogate predicts what it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from hpo_explain.base.checks import each_of
from hpo_explain.base.errors import InputError
from hpo_explain.base.options import Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.prediction import PredictionExplainer
from hpo_explain.explanations.prediction import PredictionExplanation
from hpo_explain.explanations.prediction_overview import PredictionOverview
from hpo_explain.facade._asked import config_of, read, some_trials, surrogate_of, trial_of
from hpo_explain.space import Config


@shows_progress
def explain_prediction(
    run: Any,
    config: Config | int | None = None,
    *,
    background: int | str | npt.ArrayLike = "auto",
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> PredictionExplanation:
    """Explain why the surrogate predicts what it does for a configuration.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    config : dict or int, optional
        The configuration, or the number of a trial; by default the incumbent.
    background : "auto", "thesis", int or ndarray of shape (n, d), default "auto"
        As in :class:`ShapleyExplainer`.
    before, kind, surrogate, seed
        As in :func:`ablation`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    PredictionExplanation
        Contributions in the objective's units.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or the configuration is not one of the space.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_prediction(table, 1, objective="loss", background=50)
    >>> found.trial, bool(found.phi[0] > 0)
    (1, True)
    """
    run = read(explain_prediction, run, reading, surrogate, kind)
    asked = config_of(run, "config", config)
    model, notes = surrogate_of(run, before, kind, seed)
    return PredictionExplainer(
        model,
        background=background,
        subject=Subject.of(run, trial=trial_of(run, config), draws=draws, notes=notes),
        seed=seed,
    ).explain(asked)


@shows_progress
def explain_predictions(
    run: Any,
    trials: Sequence[int] | None = None,
    *,
    background: int | str | npt.ArrayLike = "auto",
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
) -> PredictionOverview:
    """Explain what the surrogate predicts for many trials, compared with the same background.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    trials : sequence of int, optional
        Numbers of the trials; by default all, of more than 2,000 the best one and those nearest to
        it, the latest, and some drawn evenly over the run: 500 together.
    background, before, kind, surrogate, seed
        As in :func:`explain_prediction`; "auto" is 100 rows.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    PredictionOverview
        Contributions by trial and hyperparameter, drawn as a beeswarm.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or a trial does not exist.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.explain_predictions(table, [0, 1], objective="loss", background=20).trials
    (0, 1)
    """
    run = read(explain_predictions, run, reading, surrogate, kind)
    chosen, told = some_trials(run, seed=seed) if trials is None else (trials, ())
    configs = each_of("trials", chosen, "numbers of trials", run.config)
    if not configs:
        raise InputError("trials", "is empty", trials, "Name at least one trial.")
    model, notes = surrogate_of(run, before, kind, seed)
    return PredictionExplainer(
        model,
        background=background,
        subject=Subject.of(run, notes=(*told, *notes)),
        seed=seed,
    ).explain_all(configs, chosen)
