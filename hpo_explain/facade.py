"""What users type: each function picks the surrogate and the defaults, and calls an explainer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain import diagnostics
from hpo_explain._checks import check_count, check_number, check_option
from hpo_explain.acquisition import Acquisition
from hpo_explain.adapters import as_run
from hpo_explain.diagnostics import Trust
from hpo_explain.explainers.ablation import AblationExplainer
from hpo_explain.explainers.densities import densities_at, density_path_of
from hpo_explain.explainers.fanova import FanovaExplainer
from hpo_explain.explainers.interaction import InteractionExplainer
from hpo_explain.explainers.lime import LimeExplainer
from hpo_explain.explainers.local_importance import LocalImportanceExplainer
from hpo_explain.explainers.next_experiments import choose_experiments
from hpo_explain.explainers.partial_dependence import PartialDependenceExplainer
from hpo_explain.explainers.path import explain_path
from hpo_explain.explainers.prediction import PredictionExplainer
from hpo_explain.explainers.proposals import ProposalExplainer, acquisition_of, proposal_of
from hpo_explain.explainers.regional import RegionalPartialDependenceExplainer
from hpo_explain.explanations import (
    Ablation,
    DensityPath,
    DesirabilityPath,
    FanovaImportance,
    InteractionStrength,
    LimeExplanation,
    LocalImportance,
    PartialDependence,
    PredictionExplanation,
    PredictionOverview,
    ProposalDensities,
    ProposalExplanation,
    Region,
    RegionalPartialDependence,
    questions_text,
)
from hpo_explain.run import Run, average_instances
from hpo_explain.space import Config, FloatParameter
from hpo_explain.surrogates import Surrogate


def explain_proposal(
    source: Any,
    trial: int | str = "latest",
    *,
    acquisition: str | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Surrogate | None = None,
    estimator: str = "auto",
    draws: int = 1000,
    seed: int = 0,
    **reading: Any,
) -> ProposalExplanation:
    """Explain why the optimizer tried a configuration.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    trial : int, "latest", "best" or "best-predicted", default "latest"
        The proposal; "best" is the best feasible one, "best-predicted" the one that the surrogate
        of all trials predicts to be best. With an `acquisition` other than "auto" any finished
        trial may be named, such as an enqueued one.
    acquisition : {"auto", "lcb", "ei", "pi", "logei"} or Acquisition, default "auto"
        "auto" is the optimizer's own acquisition where it is known, else the confidence bound
        with κ = 1.96, as the notes say. The others are looked at through the surrogate of the
        trials finished when the proposal was made.
    background : str, int, dict or ndarray of shape (n, d), default "auto"
        What the proposal is compared with, as in :class:`ShapleyExplainer`: "global" (the same as
        "auto"), "local", "hybrid", "candidates" (what TPE itself compared it with), "thesis", a
        number of rows, one configuration such as a default, encoded rows; or "incumbent", the
        best configuration known by then.
    surrogate : Surrogate, optional
        Another model's view: the same criterion through this model, such as ``run.surrogate()``.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        As in :class:`ShapleyExplainer`.
    draws : int, default 1000
        Number of draws of the sampling estimator.
    seed : int, default 0
        Seed of the surrogate, of the background and of draws.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    ProposalExplanation
        Contributions of the hyperparameters, larger is more desirable.

    Raises
    ------
    ValueError
        If the trial does not exist or no model chose it, the objective is constant, fewer than
        two trials were finished by then, or an option is not allowed.

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
    """
    run = as_run(source, **reading)
    explainer = ProposalExplainer(acquisition, background, surrogate, estimator, draws, seed)
    number = proposal_of(run, trial, seed=seed, any_trial=acquisition != "auto")
    return explainer.explain(run, number)


def desirability_path(
    source: Any,
    trials: Sequence[int] | None = None,
    *,
    acquisition: str | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Surrogate | None = None,
    estimator: str = "auto",
    draws: int = 1000,
    n_jobs: int | None = 1,
    progress: bool = True,
    seed: int = 0,
    **reading: Any,
) -> DesirabilityPath:
    """Show how the reasons for the optimizer's proposals changed over a run.

    Each proposal is explained with the surrogate of its own iteration: the optimizer's where it
    is stored, else fitted anew to what was known by then.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    trials : sequence of int, optional
        The proposals to explain; by default all of them.
    acquisition, background, surrogate, estimator, draws, seed
        As in :func:`explain_proposal`.
    n_jobs : int or None, default 1
        Number of joblib's workers, -1 for one per core. None takes what
        ``joblib.parallel_config(backend=..., n_jobs=...)`` says, such as a dask cluster. The
        numbers do not depend on it.
    progress : bool, default True
        Show a progress bar on a terminal.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    DesirabilityPath
        An explanation per proposal.

    Raises
    ------
    ValueError
        If no model chose any trial, a trial of `trials` was not chosen by a model, nothing can be
        said of any, or an option is not allowed.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 7, Figures 6 and 12.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> path = hx.desirability_path(table, objective="loss", background=50, progress=False)
    >>> path.trials.tolist()
    [2, 3, 4]
    """
    run = as_run(source, **reading)
    explainer = ProposalExplainer(acquisition, background, surrogate, estimator, draws, seed)
    return explain_path(run, explainer, trials, n_jobs=n_jobs, progress=progress)


def proposal_densities(
    source: Any, trial: int | str = "latest", **reading: Any
) -> ProposalDensities:
    """Show where good and where other trials lay when TPE proposed a configuration.

    Parameters
    ----------
    source : optuna.Study or Run
        The optimization run, by Optuna's TPESampler.
    trial : int, "latest", "best" or "best-predicted", default "latest"
        The proposal.
    **reading
        Options of the adapter, such as ``sampler=``.

    Returns
    -------
    ProposalDensities
        The sampler's own densities of each hyperparameter, with the proposed value.

    Raises
    ------
    ValueError
        If the trial does not exist, or TPE's model did not choose it.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> hx.proposal_densities(study, 11)["x"].proposed == study.trials[11].params["x"]
    True
    """
    return densities_at(as_run(source, **reading), trial)


def density_path(
    source: Any, name: str, trials: Sequence[int] | None = None, **reading: Any
) -> DensityPath:
    """Show how TPE's densities of one hyperparameter moved over a run.

    Parameters
    ----------
    source : optuna.Study or Run
        The optimization run, by Optuna's TPESampler.
    name : str
        The hyperparameter.
    trials : sequence of int, optional
        The proposals; by default all of them.
    **reading
        Options of the adapter, such as ``sampler=``.

    Returns
    -------
    DensityPath
        The densities when each of them was proposed.

    Raises
    ------
    ValueError
        If there is no such hyperparameter, or TPE's model chose none of the trials.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=14)
    >>> hx.density_path(study, "x").trials
    (10, 11, 12, 13)
    """
    return density_path_of(as_run(source, **reading), name, trials)


def importance(
    source: Any,
    order: int = 1,
    *,
    n_trees: int = 64,
    seed: int = 0,
    cap: float | str | Config | None = None,
    given: Mapping[str, Sequence[Any]] | None = None,
    **reading: Any,
) -> FanovaImportance:
    """Say which hyperparameters matter, exactly for a forest, with interactions and error bars.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    order : int, default 1
        Size of the largest sets of hyperparameters: 2 adds all pairs.
    n_trees : int, default 64
        Number of trees.
    seed : int, default 0
        Seed of the forest.
    cap : float, str or dict, optional
        Only the good region: predictions worse than this count as this. A number in the
        objective's units, a quantile of the observed trials from the best on (``"25%"``), or a
        configuration such as a default (its observed objective, else the predicted one).
    given : mapping of str to sequence, optional
        Sub-space, as in :meth:`FanovaExplainer.explain`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    FanovaImportance
        Shares of the variance of ``run.surrogate(kind="forest", n_trees=n_trees, seed=seed)``;
        of a run with instances, after :func:`hpo_explain.run.average_instances`.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, `order` is larger than the number of
        hyperparameters, `cap` is outside the observed objective, or `given` leaves nothing.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.importance(table, objective="loss").share("x")
    1.0
    """
    read = as_run(source, **reading)
    run = average_instances(read, n_trees=n_trees, seed=seed)
    forest = run.surrogate(kind="forest", n_trees=n_trees, seed=seed)
    explainer = FanovaExplainer(forest, direction=run.direction, seed=seed)
    result = explainer.explain(order=order, cap=_cap(run, forest, cap), given=given, tried=run.X)
    return replace(
        result,
        objective_name=run.objective_name,
        incumbent=_incumbent(run, given or {}),
        notes=(*result.notes, *[note for note in run.notes if note not in read.notes]),
    )


def _incumbent(run: Run, given: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the best feasible configuration of a sub-space; empty if none was tried."""
    inside = np.array(run.feasible, dtype=bool)
    for name, values in given.items():
        column, ends = run.X[:, run.space.index(name)], run.space[name].encode(values)
        if isinstance(run.space[name], FloatParameter):
            inside &= (ends[0] <= column) & (column <= ends[1])
        else:
            inside &= np.isclose(column[:, None], ends).any(axis=1)
    trials = np.asarray(run.trials)[inside]
    return run.config(run.best(trials.tolist())) if len(trials) else {}


def _cap(run: Run, forest: Surrogate, cap: float | str | Config | None) -> float | None:
    """Return the objective beyond which predictions are clipped."""
    if cap is None:
        return None
    best, worst = float(run.cost.min()), float(run.cost.max())
    sign = 1.0 if run.direction == "minimize" else -1.0
    if isinstance(cap, Mapping):
        x = run.space.encode(cap)
        same = np.flatnonzero((np.isclose(run.X, x, equal_nan=True)).all(axis=1))
        value = float(run.objective[same[0]] if len(same) else forest.predict(x)[0][0])
    elif isinstance(cap, str):
        try:
            share = float(cap.removesuffix("%")) / 100.0
        except ValueError:
            share = np.nan
        if not cap.endswith("%") or not 0.0 < share <= 1.0:
            raise ValueError(
                f"cap must be a number, a quantile such as '25%', or a configuration, "
                f"but was {cap!r}."
            )
        value = sign * float(np.quantile(run.cost, share))
    else:
        value = check_number("cap", cap)
    if not best < sign * value <= worst:
        raise ValueError(
            f"cap = {value:.6g} must lie within the observed {run.objective_name}, beyond the best "
            f"({sign * best:.6g}) and up to the worst ({sign * worst:.6g}). Choose a value between."
        )
    return value


def partial_dependence(
    source: Any,
    names: str | Sequence[str],
    *,
    sample: int | npt.ArrayLike = 1000,
    grid_size: int = 20,
    variance: str = "average",
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> PartialDependence:
    """Show the effect of one or two hyperparameters, and how sure the surrogate is of it.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    names : str or pair of str
        The hyperparameters.
    sample, grid_size, variance, seed
        As in :class:`PartialDependenceExplainer`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    PartialDependence
        Curve or surface with its band, in the objective's units.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> effect = hx.partial_dependence(table, "x", objective="loss", sample=10)
    >>> bool(effect.mean[-1] > effect.mean[0])
    True
    """
    run = as_run(source, **reading)
    explainer = PartialDependenceExplainer(
        run.surrogate(kind=kind, seed=seed),
        sample=sample,
        grid_size=grid_size,
        variance=variance,
        seed=seed,
    )
    return _of_run(run, explainer.explain(names))


def regional_partial_dependence(
    source: Any,
    names: str | Sequence[str],
    *,
    sample: int | npt.ArrayLike = 1000,
    grid_size: int = 20,
    max_depth: int = 3,
    criterion: str = "l2",
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> RegionalPartialDependence:
    """Show the effect of one or two hyperparameters in regions of like certainty.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    names : str or pair of str
        The hyperparameters.
    sample, grid_size, max_depth, criterion, seed
        As in :class:`RegionalPartialDependenceExplainer`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    RegionalPartialDependence
        The regions, the incumbent's first.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + table.y
    >>> result = hx.regional_partial_dependence(table, "x", objective="loss", sample=100)
    >>> result.regions[0].holds(result.incumbent)
    True
    """
    run = as_run(source, **reading)
    explainer = RegionalPartialDependenceExplainer(
        run.surrogate(kind=kind, seed=seed),
        sample=sample,
        grid_size=grid_size,
        max_depth=max_depth,
        criterion=criterion,
        seed=seed,
    )
    incumbent = run.incumbent if np.any(run.feasible) else None
    found = explainer.explain(names, incumbent=incumbent)
    named = {
        id(node): replace(node, effect=_of_run(run, node.effect, within=node))
        for node in found.tree
    }
    return replace(
        found,
        tree=tuple(named[id(node)] for node in found.tree),
        regions=tuple(named[id(node)] for node in found.regions),
    )


def _of_run(
    run: Run, effect: PartialDependence, *, within: Region | None = None
) -> PartialDependence:
    """Return a partial dependence with what the run knows of its hyperparameters."""
    members = [run.space.index(name) for name in effect.names]
    active = ~np.isnan(run.X[:, members]).any(axis=1)
    if within is not None:
        active &= np.array([within.holds(config) for config in run.space.decode(run.X)], dtype=bool)
    incumbent = run.incumbent if np.any(run.feasible) else {}
    return replace(
        effect,
        incumbent=tuple(incumbent[name] for name in effect.names)
        if all(name in incumbent for name in effect.names)
        else None,
        tried=tuple(tuple(run.space.parameters[j].decode(run.X[active, j])) for j in members),
        objective_name=run.objective_name,
        direction=run.direction,
    )


def next_experiments(
    source: Any,
    names: str | Sequence[str],
    n: int = 5,
    *,
    sample: int = 200,
    grid_size: int = 15,
    candidates: int = 500,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> list[dict[str, Any]]:
    """Return the experiments that would tighten a partial dependence most.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    names : str or pair of str
        The hyperparameters.
    n : int, default 5
        Number of experiments.
    sample, grid_size, candidates, seed
        As in :func:`hpo_explain.explainers.next_experiments.choose_experiments`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`. Without a joint posterior the experiments are
        those where it is least sure, with a warning.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    list of dict
        Configurations, the most useful first, as ``study.enqueue_trial`` takes them.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> [sorted(config) for config in hx.next_experiments(table, "x", n=2, objective="loss")]
    [['x'], ['x']]
    """
    run = as_run(source, **reading)
    rows = choose_experiments(
        run.surrogate(kind=kind, seed=seed),
        names,
        n,
        sample=sample,
        grid_size=grid_size,
        candidates=candidates,
        seed=seed,
    )
    return run.space.decode(rows)


def ablation(
    run: Any,
    source: Config | int | None = None,
    target: Config | int | None = None,
    *,
    acquisition: str | Acquisition | None = None,
    before: int | None = None,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> Ablation:
    """Say which changes lead from one configuration to a better one, and what each is worth.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    source : dict or int, optional
        Where the path starts, such as a default: a configuration, or the number of a trial. By
        default the first trial; where that is the target, the trial in the middle of the ranking.
    target : dict or int, optional
        Where it leads; by default to the incumbent.
    acquisition : {"auto", "lcb", "ei", "pi", "logei"} or Acquisition, optional
        Explain this in place of the objective, as in :func:`explain_proposal`.
    before : int, optional
        Look through what was known when this trial was proposed; by default through every trial.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate of the objective, as in :meth:`Run.surrogate`.
    seed : int, default 0
        Seed of the surrogate, and of coalitions where they are sampled.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Ablation
        Gains along the path, positive where it improves, and Shapley values of the same steps.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a configuration is not one of the space, or source
        and target are the same.

    References
    ----------
    .. [1] Biedenkapp, A. et al. (2017). Efficient parameter importance analysis via ablation with
       surrogates. AAAI.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> result = hx.ablation(table, source=1, objective="loss")
    >>> result.source, result.target
    ({'x': 0.9}, {'x': 0.1})
    """
    run = as_run(run, **reading)
    model, notes = _model(run, acquisition, before, kind, seed)
    end = _config(run, "target", target)
    start = _default_source(run, end) if source is None else source
    explainer = AblationExplainer(model, direction=run.direction, seed=seed)
    found = explainer.explain(_config(run, "source", start), end)
    if source is None:
        notes = (f"source: trial {start}, since none was given", *notes)
    return replace(found, objective_name=run.objective_name, notes=(*found.notes, *notes))


def local_importance(
    run: Any,
    config: Config | int | None = None,
    *,
    acquisition: str | Acquisition | None = None,
    before: int | None = None,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> LocalImportance:
    """Say which hyperparameters matter around one configuration.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    config : dict or int, optional
        The configuration, or the number of a trial; by default the incumbent.
    acquisition, before, kind, seed
        As in :func:`ablation`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    LocalImportance
        Shares of the variance along each hyperparameter.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or the configuration is not one of the space.

    References
    ----------
    .. [1] Biedenkapp, A. et al. (2018). CAVE: Configuration assessment, visualization and
       evaluation. LION 12. https://doi.org/10.1007/978-3-030-05348-2_10

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.local_importance(table, objective="loss").config
    {'x': 0.1}
    """
    run = as_run(run, **reading)
    model, notes = _model(run, acquisition, before, kind, seed)
    found = LocalImportanceExplainer(model, seed=seed).explain(_config(run, "config", config))
    return replace(
        found,
        trial=_trial(run, config),
        objective_name=run.objective_name,
        direction=run.direction,
        notes=(*found.notes, *notes),
    )


def _trial(run: Run, given: Config | int | None) -> int | None:
    """Return the number of the trial that was asked for, None for a configuration."""
    if isinstance(given, Mapping):
        return None
    return run.incumbent_trial if given is None else int(given)


def lime(
    run: Any,
    config: Config | int | None = None,
    model: str = "linear",
    *,
    sampling: str = "uniform",
    sample: int = 1000,
    kernel_width: float | None = None,
    max_features: int = 10,
    max_depth: int = 3,
    acquisition: str | Acquisition | None = None,
    before: int | None = None,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> LimeExplanation:
    """Explain a prediction by a model one can read, which holds around the configuration.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    config : dict or int, optional
        The configuration, or the number of a trial; by default the incumbent.
    model : {"linear", "tree"}, default "linear"
        A sparse linear model, or a small tree.
    sampling : {"uniform", "local", "tried"}, default "uniform"
        Where the readable model is fitted: in the whole space, around the configuration, or at the
        configurations that were tried.
    sample, kernel_width, max_features, max_depth
        As in :class:`LimeExplainer`.
    acquisition, before, kind, seed
        As in :func:`ablation`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    LimeExplanation
        What changes the prediction, with the weighted R² that says how far to read it.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the configuration is not one of the space, or an
        option is not allowed.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.lime(table, objective="loss", sampling="tried").statements[0].text
    'x from 0.1 to 0.9'
    """
    run = as_run(run, **reading)
    check_option("sampling", sampling, ("uniform", "local", "tried"))
    explained, notes = _model(run, acquisition, before, kind, seed)
    explainer = LimeExplainer(
        explained,
        model=model,
        sample=run.X if sampling == "tried" else sample,
        sampling="uniform" if sampling == "tried" else sampling,
        kernel_width=kernel_width,
        max_features=max_features,
        max_depth=max_depth,
        seed=seed,
    )
    found = explainer.explain(_config(run, "config", config))
    return replace(
        found,
        trial=_trial(run, config),
        objective_name=run.objective_name,
        direction=run.direction,
        notes=(*found.notes, *notes),
    )


def interactions(
    run: Any,
    name: str | None = None,
    *,
    sample: int | npt.ArrayLike = 100,
    acquisition: str | Acquisition | None = None,
    before: int | None = None,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> InteractionStrength:
    """Say which hyperparameters act together, by the H-statistic.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    name : str, optional
        Only the pairs of this hyperparameter; by default all pairs.
    sample : int or ndarray of shape (n, d), default 100
        The points it is estimated from, as in :class:`InteractionExplainer`.
    acquisition, before, kind, seed
        As in :func:`ablation`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    InteractionStrength
        H of pairs, and of every hyperparameter with any others.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, the name is unknown, or the sample is too small.

    References
    ----------
    .. [1] Friedman, J. H. and Popescu, B. E. (2008). Predictive learning via rule ensembles. Annals
       of Applied Statistics 2(3), 916-954. https://doi.org/10.1214/07-AOAS148

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> hx.interactions(table, objective="loss", sample=20).sample_size
    20
    """
    run = as_run(run, **reading)
    model, notes = _model(run, acquisition, before, kind, seed)
    found = InteractionExplainer(model, sample=sample, seed=seed).explain(name)
    return replace(
        found,
        objective_name=run.objective_name,
        direction=run.direction,
        notes=(*found.notes, *notes),
    )


def _model(
    run: Run, acquisition: str | Acquisition | None, before: int | None, kind: str, seed: int
) -> tuple[Surrogate | Acquisition, tuple[str, ...]]:
    """Return what is explained around a configuration, and what to say about it."""
    if acquisition is None:
        return run.surrogate(before=before, kind=kind, seed=seed), ()
    built, _, notes = acquisition_of(run, before, acquisition, seed)
    return built, notes


def _config(run: Run, name: str, given: Config | int | None) -> Config:
    """Return a configuration: one given, that of a trial, or by default the incumbent."""
    if given is None:
        return run.incumbent
    if isinstance(given, Mapping):
        return given
    try:
        return run.config(check_count(name, given, minimum=0))
    except ValueError as error:
        raise ValueError(
            f"{name} must be a configuration (a dict) or the number of a trial: {error}"
        ) from None


def _default_source(run: Run, target: Config) -> int:
    """Return the first trial, or one in the middle of the ranking if that is the target."""
    end = run.space.encode(target)
    ranking = np.argsort(run.cost, kind="stable")
    for row in (0, *ranking[len(ranking) // 2 :].tolist()):
        if not np.allclose(run.X[[row]], end, rtol=0.0, atol=1e-9, equal_nan=True):
            break
    return int(np.asarray(run.trials)[row])


def explain_prediction(
    run: Any,
    config: Config | int | None = None,
    *,
    background: int | str | npt.ArrayLike = "auto",
    before: int | None = None,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> PredictionExplanation:
    """Explain why the surrogate predicts what it does for a configuration.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    config : dict or int, optional
        The configuration, or the number of a trial; by default the incumbent.
    background : "auto", "thesis", int or ndarray of shape (n, d), default "auto"
        As in :class:`ShapleyExplainer`.
    before, kind, seed
        As in :func:`ablation`.
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
    run = as_run(run, **reading)
    explainer = PredictionExplainer(
        run.surrogate(before=before, kind=kind, seed=seed),
        direction=run.direction,
        background=background,
        seed=seed,
    )
    return replace(
        explainer.explain(_config(run, "config", config)),
        trial=_trial(run, config),
        objective_name=run.objective_name,
    )


def explain_predictions(
    run: Any,
    trials: Sequence[int] | None = None,
    *,
    background: int | str | npt.ArrayLike = "auto",
    before: int | None = None,
    kind: str = "auto",
    seed: int = 0,
    **reading: Any,
) -> PredictionOverview:
    """Explain what the surrogate predicts for many trials, compared with the same background.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    trials : sequence of int, optional
        Numbers of the trials; by default all.
    background, before, kind, seed
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
    run = as_run(run, **reading)
    chosen = np.asarray(run.trials).tolist() if trials is None else list(trials)
    explainer = PredictionExplainer(
        run.surrogate(before=before, kind=kind, seed=seed),
        direction=run.direction,
        background=background,
        seed=seed,
    )
    return replace(
        explainer.explain_all([run.config(number) for number in chosen]),
        trials=tuple(chosen),
        objective_name=run.objective_name,
    )


def guide() -> None:
    """Print which explanation answers which question, and what it cannot tell.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> hx.guide()  # doctest: +ELLIPSIS
    Why did the optimizer try this configuration?
        hx.explain_proposal
        cannot tell whether it was right: it explains what the optimizer's model hoped for
    ...
    """
    print(questions_text())  # noqa: T201 - this is what it is for


def trust(source: Any, **reading: Any) -> Trust:
    """Say whether the surrogate of a run is good enough to be explained.

    Parameters
    ----------
    source : optuna.Study, skopt result, pandas.DataFrame or Run
        The optimization run.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Trust
        The verdict on ``run.surrogate()``: level, held-out R² and coverage, with reasons.

    Raises
    ------
    ValueError
        If fewer than two trials are finished.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.trust(table, objective="loss").n_trials
    5
    """
    return diagnostics.trust(as_run(source, **reading).surrogate())
