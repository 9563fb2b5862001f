"""The objective averaged over instances, where not every configuration was tried on all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from hpo_explain.base.options import Direction
from hpo_explain.base.text import declared_fact
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.run.diverged import diverged_above, winsorized
from hpo_explain.run.parts import Instances
from hpo_explain.run.run import Run
from hpo_explain.space import Array, CategoricalParameter, SearchSpace


@dataclass(frozen=True, eq=False)
class OverInstances:
    """What a forest on configuration and instance predicts.

    Attributes
    ----------
    space : SearchSpace
        The space of the configurations.
    instances : Instances
        The evaluations.
    direction : {"minimize", "maximize"}
        Which way the objective is better.
    n_trees, seed : int
        Of the forest.
    """

    space: SearchSpace
    instances: Instances
    direction: Direction
    n_trees: int = 64
    seed: int = 0
    _forest: list[ForestSurrogate] = field(
        default_factory=list, init=False, repr=False
    )

    def predict(self, X: Array) -> Array:
        """Return the predicted objective of configurations (n, d) on each instance, (n, k)."""
        if not self._forest:
            self._forest.append(self._fitted())
        instances = range(len(self.instances.names))
        columns = [
            np.column_stack([X, np.full(len(X), float(i))]) for i in instances
        ]
        return np.column_stack(
            [self._forest[0].predict(rows)[0] for rows in columns]
        )

    def _fitted(self) -> ForestSurrogate:
        both, rows = with_instance(self.space, self.instances)
        return ForestSurrogate.fit(
            both, rows, self._learned(), n_trees=self.n_trees, seed=self.seed
        )

    def _learned(self) -> Array:
        sign = 1.0 if self.direction == "minimize" else -1.0
        cost = sign * self.instances.objective
        return sign * winsorized(cost, diverged_above(cost))


def with_instance(
    space: SearchSpace, instances: Instances
) -> tuple[SearchSpace, Array]:
    """Return Θ × Π, the instance as a further hyperparameter, and the evaluations' rows of it."""
    name = "instance"
    while name in space.names:
        name += "_"
    both = SearchSpace(
        [*space.parameters, CategoricalParameter(name, instances.names)]
    )
    return both, np.column_stack([instances.X, instances.index])


_instances_averaged = declared_fact(
    "instances_averaged",
    "instances: the {objective} of each configuration is its mean over {instances} instances as a "
    "forest on configuration and instance predicts it; {missing} of {evaluations} evaluations "
    "{are} missing",
    are=lambda fact: "is" if fact["missing"] == 1 else "are",
)


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
    >>> rows = [[0.2], [0.2], [0.7]]
    >>> folds = Instances(["easy", "hard"], rows, [0, 1, 0], [1.0, 9.0, 1.0])
    >>> run = hx.Run(space, [[0.2], [0.7]], [5.0, 1.0], "minimize", instances=folds)
    >>> bool(average_instances(run).objective[1] > 3.0)
    True
    """
    instances = run.instances
    if instances is None or len(instances.names) < 2:
        return run
    over = OverInstances(
        run.space, instances, run.direction, n_trees=n_trees, seed=seed
    )
    k = len(instances.names)
    tried = {
        (x.tobytes(), int(i))
        for x, i in zip(instances.X, instances.index, strict=True)
    }
    note = _instances_averaged(
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
