"""Importances as Optuna's importance evaluators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import optuna
from optuna.importance import BaseImportanceEvaluator
from optuna.trial import FrozenTrial

from hpo_explain.adapters.optuna._trials import INFEASIBLE, PRUNED
from hpo_explain.adapters.optuna.study import from_optuna
from hpo_explain.base.checks import check_count, check_name, check_option, check_sequence
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.progress import shows_progress
from hpo_explain.methods.importance.fanova import check_top
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.importance import importance
from hpo_explain.run import Run
from hpo_explain.space import Array, SearchSpace, asked_as


class _Evaluator(BaseImportanceEvaluator):
    """How a study is read, and what is asked of it."""

    def __init__(
        self,
        *,
        seed: int = 0,
        pruned: str = "drop",
        infeasible: str = "keep",
        space: SearchSpace | None = None,
    ) -> None:
        self._seed = check_count("seed", seed, minimum=0)
        self._pruned = check_option("pruned", pruned, PRUNED)
        self._infeasible = check_option("infeasible", infeasible, INFEASIBLE)
        self._space = space

    def _shares(self, run: Run) -> Array:
        """Return the share of each hyperparameter."""
        raise NotImplementedError

    @shows_progress
    def evaluate(
        self,
        study: optuna.Study,
        params: list[str] | None = None,
        *,
        target: Callable[[FrozenTrial], float] | None = None,
    ) -> dict[str, float]:
        """Return the share of the variance that each hyperparameter explains by itself.

        Parameters
        ----------
        study : optuna.Study
            The study.
        params : list of str, optional
            The hyperparameters to return, by default all. The shares are those of the whole
            search space either way.
        target : callable, optional
            A function of a trial that returns a number; needed where the study has several
            objectives.

        Returns
        -------
        dict of str to float
            Shares between 0 and 1, the largest first. As of Optuna's own evaluators they are all 0
            where one trial counts or no hyperparameter varies, and there are none where no trial
            counts.

        Raises
        ------
        ValueError
            If a name in `params` is unknown, or the study has several objectives and there is no
            target.
        """
        try:
            run = from_optuna(
                study,
                target=_of_reported(target) if target else None,
                space=self._space,
                pruned=self._pruned,
                infeasible=self._infeasible,
            )
        except NothingToExplain:
            if params:
                raise
            return {}
        known = tuple(dict.fromkeys(map(asked_as, run.space)))
        names = known if params is None else check_sequence("params", params, "names")
        for name in names:
            check_name("params", name, known, "hyperparameter")
        try:
            run.check_learnable()
        except NothingToExplain:
            shares = np.zeros(len(known))
        else:
            # of parts of a hyperparameter one is active at a time
            of_name = dict.fromkeys(known, 0.0)
            for parameter, share in zip(run.space, self._shares(run).tolist(), strict=True):
                of_name[asked_as(parameter)] += share
            shares = np.array([*of_name.values()])
        ranking = np.argsort(-shares, kind="stable")
        return {known[j]: float(shares[j]) for j in ranking if known[j] in set(names)}


class FanovaImportanceEvaluator(_Evaluator):
    """Importance evaluator for Optuna: ``hpo_explain.importance(study)``.

    For ``optuna.importance.get_param_importances(study, evaluator=...)`` and
    ``optuna.visualization.plot_param_importances(study, evaluator=...)``. The importance of a
    hyperparameter is the share of the variance that it explains by itself. Conditional
    hyperparameters, which Optuna's own evaluator leaves out, are included.

    Parameters
    ----------
    n_trees : int, optional
        Number of trees of a random forest, as in the paper; by default functions that the trials
        allow the objective to be answer.
    seed : int, default 0
        Seed of the forest, or of the functions.
    pruned : {"drop", "last"}, default "drop"
        As in :func:`from_optuna`.
    infeasible : {"keep", "drop"}, default "keep"
        As in :func:`from_optuna`.
    space : SearchSpace, optional
        The search space, as in :func:`from_optuna`; by default read from the trials.

    Raises
    ------
    ValueError
        If an option is unknown, or a number is not a whole one.

    Notes
    -----
    By default Optuna divides the shares by their sum, and shows equal ones where all are zero, as
    for a constant objective; ``get_param_importances(..., normalize=False)`` gives the shares
    themselves. Trials without a finite value never count.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Algorithm 2.

    Examples
    --------
    >>> import optuna
    >>> from hpo_explain.adapters.optuna import FanovaImportanceEvaluator
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> def objective(trial):
    ...     return trial.suggest_float("x", 0.0, 1.0) + 0.1 * trial.suggest_float("y", 0.0, 1.0)
    >>> study.optimize(objective, n_trials=30)
    >>> list(optuna.importance.get_param_importances(study, evaluator=FanovaImportanceEvaluator()))
    ['x', 'y']
    """

    def __init__(
        self,
        *,
        n_trees: int | None = None,
        seed: int = 0,
        pruned: str = "drop",
        infeasible: str = "keep",
        space: SearchSpace | None = None,
    ) -> None:
        super().__init__(seed=seed, pruned=pruned, infeasible=infeasible, space=space)
        self._n_trees = None if n_trees is None else check_count("n_trees", n_trees)

    def _shares(self, run: Run) -> Array:
        shares: FanovaImportance = importance(run, n_trees=self._n_trees, seed=self._seed)
        return shares.estimate


class TopImportanceEvaluator(_Evaluator):
    """Importance evaluator for Optuna: ``hpo_explain.importance(study, top=0.1)``.

    The importance of a hyperparameter is its share in whether a configuration is among the best
    `top` of the search space, by functions that the trials allow the objective to be. Conditional
    hyperparameters are included.

    Parameters
    ----------
    top : float, default 0.1
        The share of the space that counts as best.
    within : float, optional
        The better share of the space in which the best are looked for; by default all of it.
    seed : int, default 0
        Seed of the functions.
    pruned : {"drop", "last"}, default "drop"
        As in :func:`from_optuna`.
    infeasible : {"keep", "drop"}, default "keep"
        As in :func:`from_optuna`.
    space : SearchSpace, optional
        The search space, as in :func:`from_optuna`; by default read from the trials.

    Raises
    ------
    ValueError
        If an option is unknown, or `top` and `within` are no shares of which the first is smaller.

    Notes
    -----
    ``optuna.importance.PedAnovaImportanceEvaluator`` asks the same question: the Pearson divergence
    of the best configurations' density of a hyperparameter from that of all is the share times
    (1 - p) / p, where p is `top`, so that both, normalized, have the same truth. It estimates the
    densities by kernels at the best tenth of the trials, of which there are few, and which lie
    where the sampler went. Here they follow from all trials through functions of the whole
    space, so trials of TPE do not bias them as much, and ``hpo_explain.importance`` tells how
    uncertain they are.

    References
    ----------
    .. [1] Watanabe, S., Bansal, A. and Hutter, F. (2023). PED-ANOVA: efficiently quantifying
       hyperparameter importance in arbitrary subspaces. IJCAI.

    Examples
    --------
    >>> import optuna
    >>> from hpo_explain.adapters.optuna import TopImportanceEvaluator
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> def objective(trial):
    ...     return trial.suggest_float("x", 0.0, 1.0) + 0.1 * trial.suggest_float("y", 0.0, 1.0)
    >>> study.optimize(objective, n_trials=30)
    >>> list(optuna.importance.get_param_importances(study, evaluator=TopImportanceEvaluator()))
    ['x', 'y']
    """

    def __init__(
        self,
        *,
        top: float = 0.1,
        within: float | None = None,
        seed: int = 0,
        pruned: str = "drop",
        infeasible: str = "keep",
        space: SearchSpace | None = None,
    ) -> None:
        super().__init__(seed=seed, pruned=pruned, infeasible=infeasible, space=space)
        check_top(top, within)
        self._top, self._within = top, within

    def _shares(self, run: Run) -> Array:
        shares: FanovaImportance = importance(
            run, top=self._top, within=self._within, seed=self._seed
        )
        return shares.estimate


def _of_reported(target: Callable[[FrozenTrial], float]) -> Callable[[FrozenTrial], float | None]:
    """Return a target for all trials: Optuna asks its own only about completed ones."""

    def value(trial: FrozenTrial) -> float | None:
        return target(trial) if trial.values else None

    return value
