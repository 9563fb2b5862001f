"""What the noise depends on: explanations of the logarithm of its variance.

The logarithm, because sample variances of few evaluations differ by factors, whatever the noise is.
Shares are those of the functional ANOVA, effects the partial dependence of a model of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import ROUNDED_95, InputError, Subject, check_count, fact
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from hpo_explain.methods.importance.fanova import FanovaExplainer
from hpo_explain.methods.runs.noise_result import Noise
from hpo_explain.question import Question, explains
from hpo_explain.run import NoiseModel

_ROWS = 1000  # over which the noise is described
_EFFECT_ROWS = 200
_ENDS = 0.05, 0.95


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
    .. [2] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML.

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
    return noise_of(model, order, subject=Subject.of(question.run), seed=question.seed)


def noise_of(model: NoiseModel, order: int = 1, *, subject: Subject, seed: int = 0) -> Noise:
    """Return the noise as a model has it, and what it depends on; see :func:`noise`."""
    d, log = len(subject.space), model.log_variance
    if check_count("order", order) > d:
        problem = f"must be at most the number of hyperparameters, {d}, but was {order}"
        raise InputError("order", problem, order)
    subject = replace(subject, model=model.label, bounds=(-np.inf, np.inf))
    std, _ = model.predict(subject.space.sample(_ROWS, seed=seed))
    low, high = np.quantile(std, _ENDS)
    repeats = model.repeats
    of_one = "the noise is that of one evaluation: the mean of k repeats has 1/√k of it"
    if repeats.instances > 1:
        of_one = (
            f"the noise is that of one of {repeats.instances} instances, without what the instance "
            "adds for all configurations; what it adds for some of them only counts as noise"
        )
    importance, effects = None, dict[str, Effect]()
    if log is not None:
        about = replace(
            subject,
            objective_name=f"log variance of {subject.objective_name}",
            direction="minimize",
            tried=repeats.X,
            costs=np.empty(0),
        )
        importance = FanovaExplainer(log, subject=about, seed=seed).explain(order=order)
        explainer = PartialDependenceExplainer(
            log, sample=_EFFECT_ROWS, variance="covariance", subject=about, seed=seed
        )
        effects = {name: explainer.explain(name) for name in about.names}
    return Noise(
        subject=subject,
        configurations=tuple(subject.space.decode(repeats.X)),
        observed=repeats.std,
        df=repeats.df,
        evaluations=repeats.evaluations,
        instances=repeats.instances,
        pooled=repeats.pooled(),
        at_incumbent=_at(subject.incumbent, model),
        spread=(float(low), float(high)),
        importance=importance,
        effects=effects,
        notes=(fact(of_one), *subject.notes),
    )


def _at(config: Mapping[str, Any], model: NoiseModel) -> tuple[float, float, float] | None:
    """Return the standard deviation at a configuration, and its interval; None without one."""
    if not config:
        return None
    if model.log_variance is None:
        return model.repeats.pooled()
    (mean,), (std,) = model.log_variance.predict(model.space.encode(config))
    ends = mean + ROUNDED_95 * std * np.array([0.0, -1.0, 1.0])
    here, lower, upper = np.exp(ends / 2.0).tolist()
    return here, lower, upper
