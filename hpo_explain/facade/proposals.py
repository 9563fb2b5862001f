"""Why the optimizer proposed a configuration, and how its reasons changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from hpo_explain.base.checks import check_flag
from hpo_explain.base.options import Criterion, Estimator, WhichTrial
from hpo_explain.base.progress import progress_of, shows_progress
from hpo_explain.explainers.path import explain_path
from hpo_explain.explainers.proposal import ProposalExplainer
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.facade._asked import read
from hpo_explain.methods._engines.proposed import HasNumber
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.given import as_surrogate
from hpo_explain.space import Config


@shows_progress
def explain_proposal(
    run: Any,
    trial: int | WhichTrial | Config | HasNumber = "latest",
    *,
    acquisition: Criterion | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Any = None,
    estimator: Estimator = "auto",
    orders: int = 1000,
    precision: float = 0.01,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> ProposalExplanation:
    """Explain why the optimizer tried a configuration, or whether it would try one next.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
        The proposal. "latest" is the latest finished one, "best" the best feasible one,
        "best-predicted" the one that the surrogate of all trials predicts to be best. "pending" is
        the latest one that runs: it has been asked for, and has no result yet. A trial that
        runs, failed or was pruned may be named by its number too, and one that waits, which is
        explained as the next one. So is a configuration (dict): why would the optimizer choose
        it, or not? With an `acquisition` other than "auto" any trial may be named, such as an
        enqueued one.
    acquisition : {"auto", "lcb", "ei", "pi", "logei"} or Acquisition, default "auto"
        "auto" is the optimizer's own acquisition where it is known, else the confidence bound
        with κ = 1.96, as the notes say. The others use the surrogate of the trials finished when
        the proposal was made.
    background : str, int, dict or ndarray of shape (n, d), default "auto"
        What the proposal is compared with, as in :class:`ShapleyExplainer`: "global" (the same as
        "auto"), "local", "hybrid", "candidates" (what TPE itself compared it with), "thesis", a
        number of rows, one configuration such as a default, encoded rows; or "incumbent", the
        best configuration known by then.
    surrogate : Surrogate or object, optional
        Another model's view: the same criterion with this model, such as ``run.surrogate()`` or
        one of your own, as in :meth:`Run.explained_by`.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        As in :class:`ShapleyExplainer`.
    orders : int, default 1000
        Number of orders that the sampling estimator draws, each with a background row.
    precision : float, default 0.01
        How wide half a 95 % interval may be, relative to the largest contribution, where the
        background grows, as in :class:`ShapleyExplainer`; between 0 and 1.
    seed : int, default 0
        Seed of the surrogate, of the background and of orders.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    ProposalExplanation
        Contributions of the hyperparameters, larger is more desirable.

    Raises
    ------
    NothingToExplain
        If no model chose the trial, or until then the objective was constant or fewer than two
        trials were finished.
    ValueError
        If the trial does not exist, or an option is not allowed.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 5.2; reference sets and other models: Section 8.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> round(abs(explanation.efficiency_gap["total"]), 9)
    0.0

    A trial that is asked for, before it is paid for:

    >>> import optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> trial = study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
    >>> hx.explain_proposal(study, trial).trial, hx.explain_proposal(study, {"x": 0.9}).trial
    (12, None)
    """
    run = read(explain_proposal, run, reading)
    model = None if surrogate is None else as_surrogate(surrogate, run.space)
    explainer = ProposalExplainer(
        acquisition, background, model, estimator, orders, precision, seed, draws
    )
    return explainer.explain(run, trial)


def desirability_path(
    run: Any,
    trials: Sequence[int] | None = None,
    *,
    pending: bool = False,
    acquisition: Criterion | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Any = None,
    estimator: Estimator = "auto",
    orders: int = 1000,
    precision: float = 0.05,
    n_jobs: int | None = 1,
    progress: bool = True,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> DesirabilityPath:
    """Show how the reasons for the optimizer's proposals changed over a run.

    Each proposal is explained with the surrogate of its own iteration: the optimizer's where it
    is stored, else one fitted to the trials finished by then. Whether it can be trusted is judged
    anew once a quarter more trials are known.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    trials : sequence of int, optional
        The proposals to explain; by default all that are finished.
    pending : bool, default False
        Whether to explain by default those without a result as well: those that run, failed or
        were pruned.
    acquisition, background, surrogate, estimator, orders, seed
        As in :func:`explain_proposal`.
    precision : float, default 0.05
        As in :func:`explain_proposal`, which takes longer for one proposal than is needed to
        compare many.
    n_jobs : int or None, default 1
        Number of joblib's workers, -1 for one per core. None takes what
        ``joblib.parallel_config(backend=..., n_jobs=...)`` says, such as a dask cluster. The
        numbers do not depend on it.
    progress : bool, default True
        Show a progress bar on a terminal.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    DesirabilityPath
        An explanation per proposal.

    Raises
    ------
    NothingToExplain
        If no proposal can be explained, or one of `trials` was not chosen by a model.
    ValueError
        If one of `trials` does not exist, or an option is not allowed.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 7, Figures 6 and 12.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> path = hx.desirability_path(
    ...     table, objective="loss", optimizer="Ax", background=50, progress=False
    ... )
    >>> path.trials.tolist()
    [2, 3, 4]
    """
    with progress_of("desirability_path", shown=check_flag("progress", progress)):
        run = read(desirability_path, run, reading)
        model = None if surrogate is None else as_surrogate(surrogate, run.space)
        explainer = ProposalExplainer(
            acquisition, background, model, estimator, orders, precision, seed, draws
        )
        return explain_path(run, explainer, trials, pending=pending, n_jobs=n_jobs)
