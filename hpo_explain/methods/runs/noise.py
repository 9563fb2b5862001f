"""What the noise depends on: explanations of the logarithm of its variance.

The logarithm, because sample variances of few evaluations differ by factors, whatever the noise is.
Shares are those of the functional ANOVA, effects the partial dependence of a model of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base.checks import check_count, check_seed
from hpo_explain.base.errors import InputError
from hpo_explain.base.numbers import ROUNDED_95
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.effects.effect_result import Effect
from hpo_explain.methods.effects.partial_dependence import (
    PartialDependenceExplainer,
)
from hpo_explain.methods.importance.fanova import FanovaExplainer
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.runs.noise_result import Noise
from hpo_explain.models.protocols import Surrogate
from hpo_explain.question.explains import Question, explains
from hpo_explain.run import NoiseModel

_ROWS = 1000  # over which the noise is described
_EFFECT_ROWS = 200
_ENDS = 0.05, 0.95

_OF_ONE = declared_fact(
    "noise_of_one",
    "{text}",
    text=lambda fact: (
        "the noise is that of one evaluation: the mean of k repeats has 1/√k of it"
        if fact["instances"] == 1
        else f"the noise is that of one of {fact['instances']} instances, without what the "
        "instance adds for all configurations; what it adds for some of them only counts as noise"
    ),
)


@explains(of="surrogate", without=("surrogate",))
def noise(question: Question, order: int = 1) -> Noise:
    """Say where results of the same configuration scatter, and what that depends on.

    It needs configurations that were evaluated several times: as repeated trials, or on several
    instances (folds, data sets), whose difficulty is no noise. `kind` is the model of the logarithm
    of the noise's variance.

    Parameters
    ----------
    order : int, default 1
        Size of the largest sets of hyperparameters: 2 adds all pairs.

    Returns
    -------
    Noise
        The standard deviation of one evaluation: at the incumbent, over the space, and the share
        of each hyperparameter in the variance of its logarithm.

    Raises
    ------
    NothingToExplain
        If fewer than two configurations were evaluated several times, or their results are the
        same each time.
    ValueError
        If `order` is larger than the number of hyperparameters, or an option is not allowed.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(np.repeat(rng.random((30, 2)), 5, axis=0), columns=["lr", "width"])
    >>> table["fold"] = np.tile(np.arange(5), 30)
    >>> table["loss"] = table.fold + 10.0**table.lr * rng.standard_normal(150)
    >>> found = hx.methods.noise(table, objective="loss", instance="fold")
    >>> found.main, found.importance.share("lr") > 0.8
    ('lr', True)
    """
    model = question.run.noise(kind=question.kind, seed=question.seed)
    return NoiseExplainer(
        model, subject=Subject.of(question.run), seed=question.seed
    ).explain(order)


class NoiseExplainer:
    """Says where results scatter, and what that depends on.

    Parameters
    ----------
    model : NoiseModel
        The model of the noise, such as ``run.noise()``.
    subject : Subject, optional
        What is explained, such as ``Subject.of(run)``; by default it is made from the model.
    seed : int, default 0
        Seed of samples and draws.

    Raises
    ------
    ValueError
        If `model` is none of the noise, or `subject` is about another space.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629
    .. [2] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(1)
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = np.repeat(space.sample(40, seed=1), 5, axis=0)  # each configuration five times
    >>> run = hx.Run(space, X, np.exp(3.0 * X[:, 1]) * rng.standard_normal(200), "minimize")
    >>> NoiseExplainer(run.noise()).explain().main
    'y'
    """

    def __init__(
        self,
        model: NoiseModel,
        *,
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(model, NoiseModel):
            problem = f"must be a model of the noise, but was {model!r}"
            raise InputError("model", problem, model, "Pass run.noise().")
        given = Subject(model.space) if subject is None else subject
        if given.space.names != model.space.names:
            problem = f"is about {list(given.names)}, but the model has {list(model.space.names)}"
            raise InputError(
                "subject",
                problem,
                given,
                "Give the subject of the model's own run.",
            )
        self._model = model
        self._seed = check_seed(seed)
        self._subject = replace(
            given, model=model.label, bounds=(-np.inf, np.inf)
        )

    @shows_progress
    def explain(self, order: int = 1) -> Noise:
        """Return the noise, and what it depends on.

        Parameters
        ----------
        order : int, default 1
            Size of the largest sets of hyperparameters whose share is computed.

        Returns
        -------
        Noise
            Without shares and effects where the noise is the same everywhere, as far as can be
            told.

        Raises
        ------
        ValueError
            If `order` is larger than the number of hyperparameters.
        """
        model, repeats, subject = (
            self._model,
            self._model.repeats,
            self._subject,
        )
        d, log = len(subject.space), model.log_variance
        if check_count("order", order) > d:
            problem = f"must be at most the number of hyperparameters, {d}, but was {order}"
            raise InputError("order", problem, order)
        std, _ = model.predict(subject.space.sample(_ROWS, seed=self._seed))
        low, high = np.quantile(std, _ENDS)
        about = replace(
            subject,
            objective_name=f"log variance of {subject.objective_name}",
            direction="minimize",
            tried=repeats.X,
            costs=np.empty(0),
        )
        return Noise(
            subject=subject,
            configurations=tuple(subject.space.decode(repeats.X)),
            observed=repeats.std,
            df=repeats.df,
            evaluations=repeats.evaluations,
            instances=repeats.instances,
            pooled=repeats.pooled(),
            at_incumbent=self._at_incumbent(),
            spread=(float(low), float(high)),
            importance=None
            if log is None
            else self._shares(log, about, order),
            effects={} if log is None else self._effects(log, about),
            notes=(_OF_ONE(instances=repeats.instances), *subject.notes),
        )

    def _at_incumbent(self) -> tuple[float, float, float] | None:
        config, model = self._subject.incumbent, self._model
        if not config:
            return None
        if model.log_variance is None:
            return model.repeats.pooled()
        (mean,), (std,) = model.log_variance.predict(
            model.space.encode(config)
        )
        ends = mean + ROUNDED_95 * std * np.array([0.0, -1.0, 1.0])
        here, lower, upper = np.exp(ends / 2.0).tolist()
        return here, lower, upper

    def _shares(
        self, log_variance: Surrogate, about: Subject, order: int
    ) -> FanovaImportance:
        return FanovaExplainer(
            log_variance, subject=about, seed=self._seed
        ).explain(order=order)

    def _effects(
        self, log_variance: Surrogate, about: Subject
    ) -> dict[str, Effect]:
        explainer = PartialDependenceExplainer(
            log_variance,
            sample=_EFFECT_ROWS,
            variance="covariance",
            subject=about,
            seed=self._seed,
        )
        return {name: explainer.explain(name) for name in about.names}
