"""Several runs side by side, in the hyperparameters that all have.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
m_r        a function that the trials of run r allow, as a cost: smaller is better
b_r        its least value
a_r        its average over the search space
l_r(x)     ``(m_r(x) - b_r) / (a_r - b_r)``: 0 is the best, 1 an average configuration
=========  ============================================================================

Runs on other data sets have objectives on other scales, so losses are shares of what tuning gains
over an average configuration of the same run [1]_. The default is the candidate with the least mean
loss over the runs; candidates are each run's best trials, and a Latin hypercube. A run's own
hyperparameters, which others do not have, are averaged over. Losses are those in functions that the
trials of each run allow, of which each has its own best.

.. [1] Probst, P., Boulesteix, A.-L. and Bischl, B. (2019). Tunability: Importance of
   hyperparameters of machine learning algorithms. JMLR 20 (53).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hpo_explain.base import (
    KINDS,
    Fact,
    InputError,
    Kind,
    Subject,
    by_workers,
    check_jobs,
    check_option,
    fact,
    join_names,
    join_words,
    shows_progress,
    steps,
)
from hpo_explain.belief import Draws, Trust, Within, as_draws, equally_many, in_own_order
from hpo_explain.methods.importance.fanova import FanovaExplainer
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.runs.compare_result import Comparison, Default
from hpo_explain.models import Surrogate
from hpo_explain.question import Explained, several_runs, shared_subject, surrogate_of
from hpo_explain.run import Run
from hpo_explain.space import Array, Parameter, SearchSpace, Shared, still_possible, values_of

_ROWS = 200  # configurations over which a run's own hyperparameters, and effects, are averaged
_OVER = 30  # those over which a candidate is averaged
_GRID = 15
_BEST, _SPREAD = 20, 200  # candidates: each run's best trials, and others
# of all runs together, at most, or one of each: every run is asked for the loss of all candidates
_FROM_RUNS = 400


@shows_progress
def compare(
    runs: Mapping[str, Any],
    *,
    kind: Kind = "auto",
    n_jobs: int | None = 1,
    seed: int = 0,
    **reading: Any,
) -> Comparison:
    """Compare several runs: what matters in each, and which configuration is good in all.

    Runs with different seeds show how much an explanation depends on chance. Runs on different data
    sets show what matters everywhere, and which configuration is a good default. If the search
    spaces differ, their common hyperparameters and values are compared.

    Parameters
    ----------
    runs : mapping of str to run
        The runs by name, each an optuna.Study or any other source of a run.
    kind : {"auto", "gp", "forest"}, default "auto"
        The model of each run, as in `importance`.
    n_jobs : int or None, default 1
        Number of joblib workers, as in `desirability_path`; each takes one run at a time.
    seed : int, default 0
        Seed of the models and of all random draws.
    **reading
        Options of the adapter for all runs, such as ``objective=`` for tables.

    Returns
    -------
    Comparison
        The comparison of the runs.

    Raises
    ------
    InputError
        If there are fewer than two runs, or they have no hyperparameter in common.

    References
    ----------
    .. [1] van Rijn, J. N. and Hutter, F. (2018). Hyperparameter importance across datasets. KDD.

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
    ('share', ('x',))
    """
    if not isinstance(runs, Mapping):
        problem = f"must be a dict of runs by their names, but was a {type(runs).__name__}"
        remedy = 'Give {"seed 0": run, "seed 1": other}.'
        raise InputError("runs", problem, type(runs).__name__, remedy)
    from joblib import delayed

    check_option("kind", kind, KINDS)
    read = several_runs(compare, "runs", runs, reading)
    shared = Shared.of([run.space for run in read.values()])
    if shared.space is None:
        names = {name: run.space.names for name, run in read.items()}
        raise InputError("runs", "share no hyperparameter", names, "Compare others.")
    within = {name: shared.space[name] for name in shared.narrowed}
    work = (delayed(_compared)(name, run, within, kind, seed) for name, run in read.items())
    each = tuple(steps(by_workers(check_jobs(n_jobs), work), "runs", total=len(read)))
    return _Comparing(each, shared, shared.space, seed).compared()


def _compared(
    name: str, run: Run, within: Mapping[str, Parameter], kind: Kind, seed: int
) -> ComparedRun:
    """Return a run with its model and its shares, within the values that all runs allow."""
    narrower = {n: p for n, p in within.items() if values_of(p) != values_of(run.space[n])}
    model, _ = surrogate_of(run, None, kind, seed)
    draws = as_draws(model, run.direction, seed=seed)
    if not (narrower and draws.joint):
        given = {n: values_of(p) for n, p in narrower.items()}
        shares = importance(run, kind=kind, seed=seed, given=given or None)
    else:
        parameters = [
            replace(narrower[p.name], active_when=p.active_when, optional=p.optional)
            if p.name in narrower
            else p
            for p in run.space
        ]
        part = SearchSpace(still_possible(parameters)[0])
        about = replace(Subject.of(run), space=part, tried=np.empty((0, len(part))))
        shares = FanovaExplainer(Within(draws, part), subject=about, seed=seed).explain()
    return ComparedRun(name, model, Subject.of(run), shares)


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """One of the runs that are compared.

    Attributes
    ----------
    name : str
        What it is called.
    surrogate : Surrogate
        Its model.
    subject : Subject
        What it is about, with its trials.
    importance : FanovaImportance
        What matters in it.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> part = ComparedRun("seed 0", run.surrogate(), hx.base.Subject.of(run), hx.importance(run))
    >>> part.cost(run.X).round().tolist()
    [1.0, 9.0, 4.0, 2.0]
    """

    name: str
    surrogate: Surrogate
    subject: Subject
    importance: FanovaImportance

    def __getstate__(self) -> dict[str, Any]:
        # Asked in the process that has costs at all rows, which do not leave it.
        return {**vars(self), "least": self.least, "trust": self.trust}

    @cached_property
    def draws(self) -> Draws:
        """Functions that its trials allow."""
        return as_draws(self.surrogate, self.subject.direction)

    def cost(self, X: Array) -> Array:
        """Return the predicted cost at encoded rows."""
        return self.draws.costs(X).mean(axis=0)

    @cached_property
    def trust(self) -> Trust | None:
        """How well its objective is known, where its model is the belief."""
        return Explained.of(self.surrogate, self.subject.direction).trust

    @cached_property
    def least(self) -> Array:
        """The least cost of each function, (k,)."""
        return self.draws.landscape.least

    def rows(self, config: dict[str, Any], latent: Array) -> Array:
        """Return encoded rows that have the values of a configuration, other values as they are."""
        own = self.surrogate.space
        X = latent.copy()
        for name, value in config.items():
            X[:, own.index(name)] = own[name].encode([value])[0]
        return own.project(X)


@dataclass(frozen=True, eq=False)
class _Comparing:
    """The runs, and what their spaces have in common."""

    runs: tuple[ComparedRun, ...]
    shared: Shared
    space: SearchSpace
    seed: int

    def compared(self) -> Comparison:
        """Return shares, effects, where the optimizers went, and one configuration for all."""
        grid = tuple(tuple(p.decode(_positions(p))) for p in self.space)
        default, scales = self._default()
        scaled = [*zip(self.runs, scales, strict=True)]
        effects = tuple(
            np.array([self._effect(run, j, values, scale) for run, scale in scaled])
            for j, values in steps([*enumerate(grid)], "hyperparameters")
        )
        notes = tuple(self._notes())
        return Comparison(
            subject=shared_subject(
                self.space, [replace(run.subject, trust=run.trust) for run in self.runs], notes
            ),
            runs=tuple(run.name for run in self.runs),
            importances=tuple(run.importance for run in self.runs),
            grid=grid,
            effects=effects,
            went=np.stack([self._went(run) for run in self.runs]),
            default=default,
            notes=notes,
        )

    def _notes(self) -> list[Fact]:
        notes = []
        if not self.shared.same:
            left = {
                run.name: [n for n in run.surrogate.space.names if n not in self.space.names]
                for run in self.runs
            }
            each = "; ".join(f"{run}: {', '.join(names)}" for run, names in left.items() if names)
            text = f"the runs are compared in {join_words(self.space.names)}"
            text += f"; averaged over, as not all have them: {each}" if each else ""
            notes.append(fact(text, names=self.space.names))
        if narrowed := self.shared.narrowed:
            text = (
                "compared in the values that all runs allow; shares are those within these values"
            )
            notes.append(fact(f"{join_names(narrowed)}: {text}", names=narrowed))
        return notes

    # ------------------------------------------------------------------ effects

    def _effect(
        self, run: ComparedRun, j: int, values: tuple[Any, ...], scale: tuple[float, float]
    ) -> Array:
        """Return the mean loss at values of a hyperparameter; NaN where it is never active."""
        own = run.surrogate.space
        column = own.index(self.space.names[j])
        latent = own.sample(_ROWS, self.seed, latent=True)
        # together: rows share most of their values
        latent = np.tile(latent, (len(values), 1))
        latent[:, column] = np.repeat(own.parameters[column].encode(values), _ROWS)
        rows = own.project(latent)
        active = ~np.isnan(rows[:, column])
        at = np.repeat(np.arange(len(values)), _ROWS)[active]
        cost = run.cost(rows[active]) if active.any() else np.empty(0)
        count, total = (np.bincount(at, weight, len(values)) for weight in (None, cost))
        effect = np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)
        best, average = scale
        return (effect - best) / (average - best)

    def _went(self, run: ComparedRun) -> Array:
        """Return quartiles of the later half of the trials on the shared scale, (d, 3)."""
        own = run.surrogate.space
        tried = run.subject.tried
        later = own.decode(tried[len(tried) // 2 :])
        columns = np.full((len(self.space), 3), np.nan)
        for j, parameter in enumerate(self.space):
            if parameter.is_category:
                continue
            places = []
            for config in later:
                if parameter.name in config:
                    try:
                        places.append(float(parameter.encode([config[parameter.name]])[0]))
                    except ValueError:
                        continue  # a value that not all runs allow
            if places:
                columns[j] = np.quantile(places, [0.25, 0.5, 0.75])
        return columns

    # ------------------------------------------------------------------ one for all

    def _default(self) -> tuple[Default, list[tuple[float, float]]]:
        """Return the default, and the best and the average cost of each run."""
        candidates, losses, scales = self._candidates(), [], []
        for run in steps(self.runs, "runs"):
            space = run.surrogate.space
            # the values of a run's own hyperparameters over which a candidate is averaged
            latent = space.sample(1 if self.shared.same else _OVER, self.seed, latent=True)
            rows = np.concatenate([run.rows(config, latent) for config in candidates])
            costs = run.draws.costs(rows).reshape(-1, len(candidates), len(rows) // len(candidates))
            cost = costs.mean(axis=2)
            average = run.draws.costs(space.sample(_ROWS, self.seed)).mean(axis=1)
            least = np.minimum(cost.min(axis=1), run.least)
            gap = np.where(average > least, average - least, np.inf)
            losses.append((cost - least[:, None]) / gap[:, None])
            best, mean = float(least.mean()), float(average.mean())
            scales.append((best, mean if mean > best else np.inf))
        mean_losses = np.array([loss.mean(axis=0) for loss in losses])
        chosen = int(np.argmin(mean_losses.mean(axis=0)))
        losses_of = equally_many([loss[:, chosen] for loss in losses])
        ranks = np.argsort(np.argsort([run.name for run in self.runs])).tolist()
        draws = np.column_stack([*map(in_own_order, losses_of, ranks)])
        return Default(candidates[chosen], mean_losses[:, chosen], draws), scales

    def _candidates(self) -> list[dict[str, Any]]:
        configs = list(self.space.decode(self.space.sample(_SPREAD, self.seed)))
        of_each = min(_BEST, max(_FROM_RUNS // len(self.runs), 1))
        for run in self.runs:
            tried = run.subject.tried
            if not len(tried):
                continue
            order = np.argsort(run.cost(tried), kind="stable")[:of_each]
            for config in run.surrogate.space.decode(tried[order]):
                if self.shared.same or self._allowed(config):
                    configs.append({n: config[n] for n in self.space.names if n in config})
        return configs

    def _allowed(self, config: dict[str, Any]) -> bool:
        """Say whether a configuration has a value that all runs allow of each hyperparameter."""
        try:
            self.space.encode({name: config[name] for name in self.space.names})
        except (KeyError, ValueError):
            return False
        return True


def _positions(parameter: Any) -> Array:
    """Return positions along a hyperparameter: every value of a few, else a grid."""
    if hasattr(parameter, "choices"):
        return np.arange(len(parameter.choices), dtype=float)
    values = parameter.decode(np.linspace(0.0, 1.0, _GRID))
    return np.unique(parameter.encode(list(dict.fromkeys(values))))
