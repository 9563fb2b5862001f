"""The objective averaged over instances, where not every configuration was tried on all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.facts import fact
from hpo_explain.run.diverged import diverged_above, winsorized
from hpo_explain.run.run import Run
from hpo_explain.space import CategoricalParameter, SearchSpace
from hpo_explain.surrogates import ForestSurrogate


def average_instances(run: Run, *, n_trees: int = 64, seed: int = 0) -> Run:
    """Return a run whose objective is what a model predicts on average over all instances.

    A forest of the objective on configuration and instance, the instances in the order of their
    mean objective, fills in what was not evaluated; each configuration then counts with the mean of
    its predictions on all instances. With the plain mean, a configuration that was tried only on
    easy instances would look good.

    Parameters
    ----------
    run : Run
        The run.
    n_trees : int, default 64
        Number of trees.
    seed : int, default 0
        Seed of the forest.

    Returns
    -------
    Run
        The run without instances; the run itself where there are none, or only one.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 3.3.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> folds = hx.Instances(["easy", "hard"], [[0.2], [0.2], [0.7]], [0, 1, 0], [1.0, 9.0, 1.0])
    >>> run = hx.Run(space, [[0.2], [0.7]], [5.0, 1.0], "minimize", instances=folds)
    >>> bool(average_instances(run).objective[1] > 3.0)
    True
    """
    instances = run.instances
    if instances is None or len(instances.names) < 2:
        return run
    k = len(instances.names)
    name = "instance"
    while name in run.space.names:
        name += "_"
    both = SearchSpace([*run.space.parameters, CategoricalParameter(name, range(k))])
    sign = 1.0 if run.direction == "minimize" else -1.0
    cost = sign * instances.objective
    forest = ForestSurrogate.fit(
        both,
        np.column_stack([instances.X, instances.index]),
        sign * winsorized(cost, diverged_above(cost)),
        n_trees=n_trees,
        seed=seed,
    )
    columns = [np.column_stack([run.X, np.full(len(run), float(i))]) for i in range(k)]
    mean = np.mean([forest.predict(X)[0] for X in columns], axis=0)
    tried = {(x.tobytes(), int(i)) for x, i in zip(instances.X, instances.index, strict=True)}
    missing = k * len(run) - len(tried)
    note = fact(
        "instances_averaged",
        objective=run.objective_name,
        instances=k,
        missing=missing,
        evaluations=k * len(run),
    )
    return replace(run, objective=mean, instances=None, notes=[*run.notes, note])
