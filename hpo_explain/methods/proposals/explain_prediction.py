"""Shapley values of the predicted objective, at one configuration or at many.

The game is that of `shapley`, with the surrogate's mean m̂ in the user's units in place of an
acquisition: v(S) is the mean of m̂(z_S) over the background, and contributions add up to m̂(x) minus
the mean over the background. They are not a utility: where the objective is minimized, negative
contributions are good.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Estimator,
    InputError,
    Subject,
    check_direction,
    check_seed,
    each_of,
    shows_progress,
    steps,
)
from hpo_explain.belief import Draws, as_draws
from hpo_explain.methods._engines.background import global_background
from hpo_explain.methods.proposals.contributions_result import PredictionExplanation
from hpo_explain.methods.proposals.explain_predictions_result import PredictionOverview
from hpo_explain.methods.proposals.shapley import ShapleyExplainer
from hpo_explain.models import Surrogate
from hpo_explain.question import (
    PredictedObjective,
    Question,
    accepted_surrogate,
    explains,
    predictions_at,
)
from hpo_explain.space import Config

_ROWS_FOR_MANY = 100


@explains(without=("acquisition",))
def explain_prediction(
    question: Question,
    config: Config | int | None = None,
    *,
    background: int | str | npt.ArrayLike = "auto",
    estimator: Estimator = "auto",
) -> PredictionExplanation:
    """Explain what the surrogate predicts for a configuration, by Shapley values.

    Parameters
    ----------
    config : dict or int, optional
        The configuration, or the number of a trial; by default the one to keep.
    background : "auto", "thesis", int or ndarray of shape (n, d), default "auto"
        As in `ShapleyExplainer`.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        As in `ShapleyExplainer`.

    Returns
    -------
    PredictionExplanation
        Contributions in the objective's units.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or the configuration is not in the space.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_prediction(table, 1, objective="loss", background=50)
    >>> found.trial, bool(found.phi[0] > 0)
    (1, True)
    """
    at, model = question.config("config", config), question.model
    subject = question.subject(question.trial(config))
    return PredictionExplainer(
        model, background=background, estimator=estimator, subject=subject, seed=question.seed
    ).explain(at)


@explains(without=("acquisition",))
def explain_predictions(
    question: Question,
    trials: Sequence[int] | None = None,
    *,
    background: int | str | npt.ArrayLike = "auto",
) -> PredictionOverview:
    """Explain what the surrogate predicts for many trials, compared with the same background.

    Parameters
    ----------
    trials : sequence of int, optional
        Numbers of the trials; by default all. For more than 2,000 trials it takes 500: the best
        one and its neighbours, the latest ones, and some spread evenly over the run.
    background : "auto", "thesis", int or ndarray of shape (n, d), default "auto"
        As in `ShapleyExplainer`; "auto" is 100 rows.

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
    >>> hx.methods.explain_predictions(table, [0, 1], objective="loss", background=20).trials
    (0, 1)
    """
    run, seed = question.run, question.seed
    chosen, notes = question.some_trials() if trials is None else (trials, ())
    configs = each_of("trials", chosen, "numbers of trials", run.config)
    if not configs:
        raise InputError("trials", "is empty", trials, "Name at least one trial.")
    explainer = PredictionExplainer(
        question.model, background=background, subject=question.subject(notes=notes), seed=seed
    )
    return explainer.explain_all(configs, chosen)


class PredictionExplainer:
    """Divides a prediction among the hyperparameters, by Shapley values.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective. It changes the wording only.
    background : "auto", "thesis", int or ndarray of shape (n, d), default "auto"
        As in `ShapleyExplainer`; for many configurations "auto" is 100 rows.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        As in `ShapleyExplainer`.
    subject : Subject, optional
        Names for plots and sentences, such as ``Subject.of(run)``; by default made from the model
        and `direction`.
    seed : int, default 0
        Seed of the background.

    Raises
    ------
    ValueError
        If `direction` or `estimator` is unknown, or `background` is neither a positive number nor
        rows of the space.

    References
    ----------
    .. [1] Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model
       predictions. NeurIPS. https://arxiv.org/abs/1705.07874

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> explainer = hx.methods.PredictionExplainer(surrogate, background=100)
    >>> found = explainer.explain({"x": 1.0, "y": 0.0})
    >>> found.phi.round(1).tolist()
    [1.5, -0.5]
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        direction: str = "minimize",
        background: int | str | npt.ArrayLike = "auto",
        estimator: Estimator = "auto",
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        self._game = PredictedObjective(
            accepted_surrogate(surrogate),
            check_direction(direction if subject is None else subject.direction),
        )
        self._background = background
        self._estimator = estimator
        self._subject = subject
        self._seed = check_seed(seed)
        self._belief = as_draws(surrogate, self._game.direction, seed=seed)
        self._explainer = self._over(background, self._belief)

    def _over(
        self, background: int | str | npt.ArrayLike, belief: Draws | None = None
    ) -> ShapleyExplainer:
        return ShapleyExplainer(
            self._game,
            background=background,
            estimator=self._estimator,
            subject=self._subject,
            belief=belief,
            seed=self._seed,
        )

    @shows_progress
    def explain(self, config: Config) -> PredictionExplanation:
        """Return the Shapley values of the prediction for a configuration.

        Parameters
        ----------
        config : dict
            The configuration, in the user's units, without inactive hyperparameters.

        Returns
        -------
        PredictionExplanation
            Contributions by hyperparameter, in the objective's units.

        Raises
        ------
        ValueError
            If the configuration is not in the space.
        """
        explanation = self._explainer.explain(config)
        # what draws leave out of the objective only the whole configuration has: active
        # hyperparameters have equal parts of it. Of constant draws nothing contributes: all that
        # trials scatter by is noise
        draws, active = explanation.draws, explanation.active
        left_out = draws.any(axis=1) * self._belief.at_one(np.zeros(len(draws)))
        draws = draws + left_out[:, None] * active / max(int(active.sum()), 1)
        row = self._game.space.row(config, "config")
        bounds = explanation.subject.bounds
        return PredictionExplanation(
            subject=explanation.subject,
            config=explanation.config,
            phi=explanation.phi[:, 0],
            half_width=explanation.half_width()[:, 0],
            prediction=explanation.prediction["mean"],
            interval=predictions_at(self._belief, row[None], bounds)[0].interval,
            baseline=explanation.baseline["mean"],
            efficiency_gap=explanation.efficiency_gap["mean"],
            background_size=explanation.background_size,
            estimator=explanation.estimator,
            draws=draws,
            notes=explanation.notes,
        )

    @shows_progress
    def explain_all(
        self, configs: Sequence[Config], trials: Sequence[int] = ()
    ) -> PredictionOverview:
        """Return the Shapley values of the predictions for many configurations.

        Parameters
        ----------
        configs : sequence of dict
            The configurations, in the user's units.
        trials : sequence of int, default ()
            Their trial numbers, if the configurations are trials.

        Returns
        -------
        PredictionOverview
            Contributions by configuration and hyperparameter, compared with the same background.

        Raises
        ------
        ValueError
            If there is no configuration, or one is not in the space.
        """
        space = self._game.space
        X = space.encode(list(configs))
        if not len(X):
            raise InputError("configs", "is empty", configs, "Give at least one configuration.")
        background = self._background
        if isinstance(background, str) and background == "auto":
            background = global_background(space, _ROWS_FOR_MANY, seed=self._seed)
        explainer = self._over(background)
        explanations = [
            explainer.explain(config) for config in steps(space.decode(X), "configurations")
        ]
        positions = X.copy()
        for j, parameter in enumerate(space.parameters):
            if parameter.is_category:
                positions[:, j] = X[:, j] / max(parameter.size - 1, 1)
        first = explanations[0]
        return PredictionOverview(
            subject=first.subject,
            configs=tuple(dict(one.config) for one in explanations),
            phi=np.array([one.phi[:, 0] for one in explanations]),
            positions=positions,
            predictions=np.array([one.prediction["mean"] for one in explanations]),
            baseline=first.baseline["mean"],
            trials=tuple(int(trial) for trial in trials),
            background_size=first.background_size,
            notes=first.notes,
        )
