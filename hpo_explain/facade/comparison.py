"""Several runs, or what explains them, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from hpo_explain.asked.given import several_runs
from hpo_explain.base.checks import check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.options import KINDS, Kind
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.comparison import ComparedRun, ComparisonExplainer
from hpo_explain.explainers.repeated_runs import aggregate
from hpo_explain.explanations.comparison import Comparison
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.explanations.repeated_runs import RepeatedRuns
from hpo_explain.methods.importance._candidates import candidates
from hpo_explain.methods.importance.importance import importance
from hpo_explain.run import Run
from hpo_explain.space import Shared, values_of

_TREES = 64


@overload
def compare(
    runs: Mapping[str, DesirabilityPath] | Mapping[str, ProposalExplanation],
) -> RepeatedRuns: ...


@overload
def compare(
    runs: Mapping[str, Any],
    *,
    kind: Kind = "auto",
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> Comparison: ...


@shows_progress
def compare(
    runs: Mapping[str, Any],
    *,
    kind: Kind = "auto",
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> Comparison | RepeatedRuns:
    """Compare several runs: what matters in each, where the good values are, what is a default.

    Runs that differ in nothing but their seed show how far an explanation depends on chance; those
    on other data sets, or of other seasons, what matters everywhere and which configuration is good
    in all. Runs with other search spaces are compared in the hyperparameters and values that all
    have.

    Parameters
    ----------
    runs : mapping of str to run, or to DesirabilityPath or ProposalExplanation
        The runs by name, each an optuna.Study or whatever else is read. Of explanations of the
        proposals of repeated runs, one for each run, the mean and the spread over the runs are
        returned; paths are laid side by side from their first proposal on.
    kind : {"auto", "gp", "forest"}, default "auto"
        The model of each run, as in :func:`importance`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    seed : int, default 0
        Seed of models and samples.
    **reading
        Options of the adapter, such as ``objective=`` for tables, the same for all runs.

    Returns
    -------
    Comparison or RepeatedRuns
        The comparison of runs; of explanations of proposals their mean and standard deviation.

    Raises
    ------
    InputError
        If there are fewer than two runs, they share no hyperparameter, or explanations are of
        other spaces, criteria or directions.

    References
    ----------
    .. [1] van Rijn, J. N. and Hutter, F. (2018). Hyperparameter importance across datasets. KDD.
    .. [2] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 6.1 (explanations of repeated runs).

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> tables = {}
    >>> for seed in range(2):
    ...     rng = np.random.default_rng(seed)
    ...     table = pd.DataFrame({"x": rng.random(40), "y": rng.random(40)})
    ...     tables[f"seed {seed}"] = table.assign(loss=(table.x - 0.3) ** 2)
    >>> found = hx.compare(tables, objective="loss")
    >>> found.claims[0].kind, found.claims[0].hyperparameters
    ('everywhere', ('x',))
    """
    if not isinstance(runs, Mapping):
        problem = f"must be a dict of runs by their names, but was a {type(runs).__name__}"
        remedy = 'Give {"seed 0": run, "seed 1": other}.'
        raise InputError("runs", problem, type(runs).__name__, remedy)
    explanations = [
        r for r in runs.values() if isinstance(r, (DesirabilityPath, ProposalExplanation))
    ]
    if explanations:
        return aggregate(runs)
    check_option("kind", kind, KINDS)
    read = several_runs(compare, "runs", runs, reading, seed)
    shared = Shared.of([run.space for run in read.values()])
    parts = [_compared(name, run, shared, kind, draws, seed) for name, run in read.items()]
    return ComparisonExplainer(parts, seed=seed).explain()


def _compared(
    name: str, run: Run, shared: Shared, kind: Kind, draws: int | None, seed: int
) -> ComparedRun:
    """Return a run with its model and its shares, within the values that all runs allow."""
    given = {
        n: values_of(shared.space[n])
        for n in shared.narrowed
        if shared.space is not None and values_of(shared.space[n]) != values_of(run.space[n])
    }
    model = candidates(run, kind, n_trees=_TREES, seed=seed)[0].surrogate
    shares = importance(
        run,
        kind="auto" if given and kind == "gp" else kind,
        draws=draws,
        seed=seed,
        given=given or None,
    )
    return ComparedRun(name, model, Subject.of(run, draws=draws), shares)
