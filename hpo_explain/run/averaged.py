"""The objective averaged over instances, where not every configuration was tried on all of them."""

from __future__ import annotations

from dataclasses import replace

from hpo_explain.base.facts import fact
from hpo_explain.run._over_instances import OverInstances
from hpo_explain.run.run import Run


def average_instances(run: Run, *, n_trees: int = 64, seed: int = 0) -> Run:
    """Return a run whose objective is what a model predicts on average over all instances.

    A forest of the objective on configuration and instance, the instances in the order of their
    mean objective, fills in what was not evaluated; each configuration then counts with the mean of
    its predictions on all instances. With the plain mean, a configuration that was tried only on
    easy instances would look good. Surrogates of the run are judged on what was observed, not on
    these predictions: configurations are held out from both models, with all their evaluations.

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
    over = OverInstances(run.space, instances, run.direction, n_trees=n_trees, seed=seed)
    k = len(instances.names)
    tried = {(x.tobytes(), int(i)) for x, i in zip(instances.X, instances.index, strict=True)}
    note = fact(
        "instances_averaged",
        objective=run.objective_name,
        instances=k,
        missing=k * len(run) - len(tried),
        evaluations=k * len(run),
    )
    return replace(
        run,
        objective=over.predict(run.X).mean(axis=1),
        instances=None,
        averaged=over,
        notes=[*run.notes, note],
    )
