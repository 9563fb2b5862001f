"""What hyperparameters do together, by Shapley interactions."""

from __future__ import annotations

from typing import Any, Literal

import numpy.typing as npt

from hpo_explain.base.checks import check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.options import Criterion, InteractionIndex, Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.shapley_interactions import ShapleyInteractionExplainer
from hpo_explain.explanations.shapley_interactions import ShapleyInteractions
from hpo_explain.facade._asked import config_of, model_of, read, trial_of
from hpo_explain.methods._engines.explained import accepted_criterion
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.space import Config


@shows_progress
def shapley_interactions(
    run: Any,
    config: Config | int | None = None,
    *,
    of: Literal["prediction", "acquisition", "variance"] = "prediction",
    index: InteractionIndex = "k-SII",
    order: int = 2,
    background: int | Config | npt.ArrayLike = 500,
    acquisition: Criterion | Acquisition = "auto",
    before: int | None = None,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> ShapleyInteractions:
    """Say what hyperparameters do to a prediction, acquisition or variance, alone and together.

    With a default as `background` and a good trial as `config` this is the ablation game of
    HyperSHAP; with several baselines, their mean.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    config : dict or int, optional
        The configuration, or the number of a trial; by default the incumbent.
    of : {"prediction", "acquisition", "variance"}, default "prediction"
        What is explained: the predicted objective, the acquisition function by which the optimizer
        chose the trial, with its terms, or the variance of the predicted objective over the space
        (Shapley effects), which is of no configuration and has no background; of more than 8
        hyperparameters, those that explain least of it alone play as one.
    index : {"k-SII", "STII", "FSII"}, default "k-SII"
        How what hyperparameters do together is shared out: "k-SII" aggregates Shapley interaction
        values, "STII" is Shapley-Taylor's, "FSII" the faithful index. With hyperparameters that
        act together in sets of at most `order` they agree.
    order : int, default 2
        The size of the largest sets, at least 2.
    background : int, dict or ndarray of shape (n, d), default 500
        What the configuration is compared with, as in :class:`ShapleyInteractionExplainer`: a
        number of rows, one configuration such as a default, or encoded rows.
    acquisition : {"auto", "lcb", "ei", "pi", "logei"} or Acquisition, default "auto"
        Which acquisition, as in :func:`explain_proposal`.
    before : int, optional
        Use what was known when this trial was proposed; by default every trial for a prediction,
        and for an acquisition the trial itself.
    kind, surrogate, seed
        As in :func:`ablation`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    ShapleyInteractions
        Values of sets of hyperparameters that add up to the difference from the background.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the configuration is not one of the space, or an
        option is not allowed.

    References
    ----------
    .. [1] Muschalik, M. et al. (2024). shapiq: Shapley interactions for machine learning. NeurIPS.
       https://arxiv.org/abs/2410.01649
    .. [2] Wever, M. et al. (2025). HyperSHAP: Shapley values and interactions for explaining
       hyperparameter optimization. https://arxiv.org/abs/2502.01276

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.shapley_interactions(table, 1, objective="loss", background={"x": 0.1, "y": 0.1})
    >>> round(abs(found.efficiency_gap), 9)
    0.0
    """
    run = read(shapley_interactions, run, reading, surrogate, kind)
    check_option("of", of, ("prediction", "acquisition", "variance"))
    accepted_criterion(acquisition)
    if of == "variance" and config is not None:
        problem = f"was {config!r}, but the variance is that over the whole space"
        raise InputError("config", problem, config, "Leave it out, or explain the prediction.")
    asked, trial = config_of(run, "config", config), trial_of(run, config)
    criterion: Criterion | Acquisition | None = None
    if of == "acquisition":
        criterion = acquisition
        before = trial if before is None else before
    model, notes = model_of(run, criterion, before, kind, seed)
    explainer = ShapleyInteractionExplainer(
        model,
        index=index,
        order=order,
        background=background,
        subject=Subject.of(
            run, trial=None if of == "variance" else trial, draws=draws, notes=notes
        ),
        seed=seed,
    )
    return explainer.explain_variance() if of == "variance" else explainer.explain(asked)
