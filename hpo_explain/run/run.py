"""An optimization run: its record, and the models that are fitted to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hpo_explain.base import (
    KINDS,
    Criterion,
    Fact,
    Kind,
    NothingToExplain,
    Option,
    check_count,
    check_option,
    check_seed,
    counted,
    fact,
    format_value,
    join_names,
    join_words,
    shorten,
    text_html,
)
from hpo_explain.base.options import CRITERIA
from hpo_explain.belief import Belief
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.models import Acquisition, Surrogate, as_surrogate
from hpo_explain.run.acquisitions import (
    ChosenAcquisition,
    KnowsWhyNot,
    OwnAcquisition,
    acquisition_assumed,
    criterion_of,
)
from hpo_explain.run.description import describe, summary
from hpo_explain.run.failures import failures
from hpo_explain.run.fits import (
    believed,
    classified,
    doubts_of_model,
    fitted,
    kind_for,
    learned_from_some,
    learned_rows,
    most_learned,
)
from hpo_explain.run.noise import NoiseModel, no_repeats
from hpo_explain.run.record import Record
from hpo_explain.run.repeats import Repeats, noise_of
from hpo_explain.space import Array, Ints, SearchSpace


class Run(Record):
    """The trials of an optimization run, and what is known about how they were chosen.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        The trials' configurations, encoded.
    objective : ndarray of shape (n,)
        Their objective values, in the user's units; all finite.
    direction : {"minimize", "maximize"}
        Direction of the optimization.
    trials : sequence of int, optional
        Their numbers, in the order in which they were proposed; by default 0, 1, ...
    proposals : sequence of int, optional
        The numbers of the trials that the optimizer's model chose; by default all.
    origins : mapping of int to Origin, optional
        Who chose each trial, if more is known than `proposals` says.
    excluded : mapping of int to Fact or str, optional
        The excluded trials with the reason.
    notes : sequence of Fact or str, optional
        Assumptions made while reading.
    started, finished : ndarray of shape (n,), optional
        Times in seconds since the epoch; NaN where unknown.
    durations : ndarray of shape (n,), optional
        Duration of each trial, in seconds; NaN where unknown. By default the time from start to
        finish.
    excluded_times : mapping of int to (float, float), optional
        Start and finish of excluded trials, where known; the finish is infinite while a trial
        runs.
    without_result : mapping of int to WithoutResult, optional
        The configurations of trials that are running or waiting, failed or were pruned.
    reviewed : mapping of int to Reviewed, optional
        The proposals that a person changed or rejected, with what was proposed.
    feasible : ndarray of bool, shape (n,), optional
        Whether the constraints were met; by default everywhere.
    objective_name : str, default "objective"
        Name of the objective in texts and plots.
    name : str, default ""
        Name of the run, such as that of its study.
    optimizer : str, default "the optimizer"
        Name of the optimizer, such as "Optuna's TPESampler".
    framework : str, default ""
        The package that ran it, such as "optuna" or "skopt"; empty for tables.
    record : OptimizerRecord, optional
        What only the framework knows.
    instances : Instances, optional
        The objective on each instance, if `objective` is the mean over several. If some are
        missing, the run's objective is the average over all, by :meth:`Instances.averages`.
    curves : Curves, optional
        The values that trials reported step by step, also those without a result.
    ranges_from : mapping of str to sequence of int, optional
        The hyperparameters whose range or choices were inferred from the trials. Each has the
        trials without which it would be narrower; these may be excluded ones.
    measured : {"duration", "failed", "infeasible", "joined"}, optional
        What the objective is, if it is not what was optimized; set by :func:`measured` or
        :class:`Objectives`.
    bounds : tuple of (float, float), optional
        The objective's natural range, such as (0, 1) for an accuracy. Predictions stay within it.
    epsilon : float, optional
        The smallest improvement that counts, in the objective's units; by default what the metric
        can resolve, and at least its noise.
    default : mapping, optional
        The default configuration, such as an estimator's own parameters.
    attributes : mapping of str to ndarray of shape (n,)
        Other measurements of the trials, such as a test score; NaN where missing.
    model : Surrogate, optional
        A model of your own that ``surrogate()`` returns in place of one fitted to the trials; see
        :meth:`explained_by`.

    Raises
    ------
    InputError
        If shapes disagree, an objective is not finite, or a row is not in the space.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> run = Run(space, np.array([[0.2], [0.7]]), np.array([3.0, 1.0]), "minimize")
    >>> run.incumbent, run.incumbent_trial
    ({'x': 0.7}, 1)
    """

    def __repr__(self) -> str:
        return f"<Run: {summary(self)}>"

    def _repr_html_(self) -> str:
        return text_html(str(self))

    def __str__(self) -> str:
        return describe(self)

    def surrogate(
        self, before: int | None = None, kind: Kind = "auto", *, n_trees: int = 64, seed: int = 0
    ) -> Surrogate:
        """Return a surrogate of the objective.

        Parameters
        ----------
        before : int, optional
            Use only what was known when this trial was proposed; by default all trials.
        kind : {"auto", "gp", "forest"}, default "auto"
            "auto" takes the first of these that exists: the model of :meth:`explained_by` (for
            all trials), the optimizer's stored model, a Gaussian process. For many trials, many
            hyperparameters or mostly categories it takes a forest.
        n_trees : int, default 64
            Number of trees of a forest.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        Surrogate
            The surrogate.

        Raises
        ------
        NothingToExplain
            If fewer than two trials were finished at that time.
        """
        check_option("kind", kind, KINDS)
        n_trees = check_count("n_trees", n_trees)
        seed = check_seed(seed)
        fit: Surrogate = self.remembered(self._surrogate, before, kind, n_trees, seed)
        return fit

    def remembered(self, make: Callable[..., Any], *arguments: Any) -> Any:
        """Return the value of a function; the latest few are remembered."""
        return self._fits.of((make.__name__, *arguments), lambda: make(*arguments))

    def _surrogate(self, before: int | None, kind: Kind, n_trees: int, seed: int) -> Surrogate:
        if self.model is not None and before is None and kind == "auto":
            return self.model
        rows = self.known_before(before)
        self._check_learnable(rows, before)
        if kind == "auto":
            own = None if self.record is None else self.record.surrogate(before)
            # the one that is next to choose took numbers that stand for failures for results
            if own is not None and not (before is None and self.has_sentinels):
                return own
            kind = kind_for(len(rows), self.space, self.measured)
            return self.surrogate(before, kind, n_trees=n_trees, seed=seed)
        y = self.sign * self.learned_cost(before)
        some, notes = self._learned(rows, before, kind, seed)
        return fitted(
            self._space_at(rows, before),
            kind,
            0 if kind == "gp" else n_trees,
            seed,
            self.X[rows[some]],
            y[some],
            tuned=self.measured in ("failed", "infeasible"),
            notes=notes,
        )

    def _space_at(self, rows: Ints, before: int | None) -> SearchSpace:
        """Return the space in the order that the known trials lead to, whatever came later."""
        if before is None:
            return self.space
        return self.space.in_order_of(self.X[rows], self.known_cost(before))

    def _learned(
        self, rows: Ints, before: int | None, kind: Literal["gp", "forest"], seed: int
    ) -> tuple[Ints, tuple[Fact, ...]]:
        """Return which of the known rows a model learns from, and that they are not all."""
        most = most_learned(kind, before)
        if len(rows) <= most:
            return np.arange(len(rows)), ()
        in_order = np.argsort(self.trials[rows], kind="stable")
        rows = rows[in_order]
        cost = self.known_cost(before)[in_order]
        cost = np.where(self.feasible[rows], cost, np.inf)
        some = learned_rows(self.space, self.X[rows], cost, most, seed=seed)
        return np.sort(in_order[some]), (learned_from_some(len(rows), most, seed=seed),)

    def check_learnable(self) -> None:
        """Raise NothingToExplain if there is nothing to learn from the trials.

        This is so with fewer than two trials, and if no hyperparameter varies.
        """
        self._check_learnable(self.known_before(None), None)

    def _check_learnable(self, rows: Ints, before: int | None) -> None:
        if len(rows) < 2:
            raise NothingToExplain(self._too_few(rows, before))
        X = self.X[rows]
        if before is None and len(self.space.distinct(X)) == 1:
            config = self.space.decode(X[:1])[0]
            values = [f"{name} = {format_value(value)}" for name, value in config.items()]
            raise NothingToExplain(
                fact(
                    f"no hyperparameter varies: all {counted(len(rows), 'trial')} have "
                    f"{join_words(values)}, so nothing can be explained. Try other values."
                )
            )

    def _too_few(self, rows: Ints, before: int | None) -> Fact:
        """Return that too few trials count, and the fidelities at which there are more."""
        count = counted(len(rows), "finished trial")
        others = [why for why in self.excluded.values() if why.kind == "another_fidelity"]
        levels = [why["value"] for why in others if why["value"] is not None]
        several = sorted({level for level in levels if levels.count(level) > 1}, reverse=True)
        if before is not None or not several:
            when = "" if before is None else f" before trial {before} was proposed"
            later = "" if before is None else ", or choose a later one"
            return fact(
                f"run has {count}{when}; a surrogate needs at least 2. Run more trials{later}."
            )
        there = join_words([f"{levels.count(level)} at {level:g}" for level in several])
        return fact(
            f"run has {count} at the highest {join_names(others[0].names)}; a surrogate needs at "
            f"least 2. There are {there}: ",
            Option("level", several[0]),
            f" reads the {levels.count(several[0])}.",
        )

    def explained_by(self, model: Any) -> Run:
        """Return the run with a model of your own as its surrogate.

        Every explanation of the run then explains this model. Only explanations of a past trial
        still use a surrogate that is fitted to the trials finished at that time.

        Parameters
        ----------
        model : Surrogate or object
            A surrogate, a fitted regressor of scikit-learn, or any object with ``predict``, as in
            :func:`hpo_explain.models.as_surrogate`.

        Raises
        ------
        InputError
            If it is not a model, is not fitted, has another space, or fails to predict.

        Examples
        --------
        >>> from sklearn.linear_model import LinearRegression
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> run = Run(space, [[0.2], [0.7], [0.4]], [3.0, 1.0, 2.0], "minimize")
        >>> own = LinearRegression().fit(run.X, run.objective)
        >>> run.explained_by(own).surrogate().label
        'your LinearRegression'
        """
        return replace(self, model=as_surrogate(model, self.space))

    @cached_property
    def model_notes(self) -> tuple[Fact, ...]:
        """Notes about the model of :meth:`explained_by`; empty if there is none."""
        if self.model is None:
            return ()
        return doubts_of_model(self.model, self.X, self.objective)

    def belief(self, before: int | None = None, *, seed: int = 0) -> Belief:
        """Return the posterior distribution of the objective, given the trials, as draws.

        Parameters
        ----------
        before : int, optional
            Use only what was known when this trial was proposed; by default all trials.
        seed : int, default 0
            Seed of all random draws.

        Returns
        -------
        Belief
            The draws. It is a surrogate: ``predict(X)`` returns their mean and standard deviation.

        Raises
        ------
        NothingToExplain
            If fewer than two trials were finished at that time.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> x = np.linspace(0.0, 1.0, 20)
        >>> run = Run(space, x[:, None], (x - 0.4) ** 2, "minimize")
        >>> run.belief().draws(space.encode({"x": 0.4})).shape
        (192, 1)
        """
        fit: Belief = self.remembered(self._belief, before, check_seed(seed))
        return fit

    def _belief(self, before: int | None, seed: int) -> Belief:
        rows = self.known_before(before)
        self._check_learnable(rows, before)
        ended = failures(self, before)
        cost = np.concatenate([self.learned_cost(before), ended.cost_pruned])
        return believed(
            self._space_at(rows, before),
            np.concatenate([self.X[rows], ended.X_pruned]),
            self.sign * cost,
            self.direction,
            noise_std=noise_of(self.X[rows], self.known_cost(before)),
            bounds=self.bounds,
            feasibility=self.feasibility(before, seed=seed),
            seed=seed,
        )

    @property
    def tried(self) -> Array:
        """Encoded rows of all trials that were made, those without a result too."""
        return np.vstack([self.X, *(trial.x[None, :] for trial in self.without_result.values())])

    @property
    def under_way(self) -> Array:
        """Encoded rows of trials that may still get a result, of those that are complete."""
        rows = [trial.x for trial in self.without_result.values() if trial.under_way]
        X = np.array(rows).reshape(-1, len(self.space))
        return X[self.space.is_valid(X)]

    def feasibility(self, before: int | None = None, *, seed: int = 0) -> Feasibility | None:
        """Return a model of the probability that a configuration is feasible.

        A trial is infeasible if it crashed, returned no number, was pruned without a value or
        violates a constraint.

        Parameters
        ----------
        before : int, optional
            Use only what was known when this trial was proposed; by default all trials.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        Feasibility or None
            Its ``probability(X)`` has shape (n,); None if all trials are feasible.

        Raises
        ------
        InputError
            If the trial does not exist.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("memory", 0.0, 10.0)])
        >>> X = np.linspace(0.0, 1.0, 21)[:, None]
        >>> run = Run(space, X, 1.0 - X[:, 0], "minimize", feasible=X[:, 0] < 0.5)
        >>> run.feasibility().probability(space.encode([{"memory": 8.0}])).round(1).tolist()
        [0.0]
        """
        fit: Feasibility | None = self.remembered(self._feasibility, before, check_seed(seed))
        return fit

    def _feasibility(self, before: int | None, seed: int) -> Feasibility | None:
        rows = self.known_before(before)
        failed = failures(self, before).X
        feasible = np.concatenate([self.feasible[rows], np.zeros(len(failed), bool)])
        if feasible.all():
            return None
        X = np.concatenate([self.X[rows], failed])
        space = self._space_at(rows, before)
        return classified(space, X, feasible, seed)

    def noise(self, before: int | None = None, kind: Kind = "auto", *, seed: int = 0) -> NoiseModel:
        """Return a model of the noise: how much the results of one configuration scatter.

        It learns from configurations that were evaluated several times, as repeated trials or on
        several instances. The difficulty of an instance does not count as noise.

        Parameters
        ----------
        before : int, optional
            Use only what was known when this trial was proposed; by default all trials.
        kind : {"auto", "gp", "forest"}, default "auto"
            As in :meth:`surrogate`.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        NoiseModel
            A surrogate of the noise's standard deviation, in the objective's units.

        Raises
        ------
        NothingToExplain
            If fewer than two configurations were evaluated several times, or their results never
            differ.

        Examples
        --------
        >>> from hpo_explain import FloatParameter, SearchSpace
        >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
        >>> X = [[0.1], [0.1], [0.5], [0.5], [0.9], [0.9]]
        >>> run = Run(space, X, [1.0, 1.2, 3.0, 3.1, 2.0, 1.9], "minimize")
        >>> noise, _ = run.noise().predict([[0.3]])
        >>> noise.round(1).tolist()
        [0.1]
        """
        check_option("kind", kind, KINDS)
        fit: NoiseModel = self.remembered(self._noise, before, kind, check_seed(seed))
        return fit

    def _noise(self, before: int | None, kind: Kind, seed: int) -> NoiseModel:
        rows = self.known_before(before)
        repeats = self._repeats(rows)
        if len(repeats.df) < 2:
            raise NothingToExplain(no_repeats(self.objective_name, len(repeats.df)))
        if not repeats.std.any():
            name = shorten(self.objective_name, 200)
            raise NothingToExplain(
                fact(f"repeated evaluations have the same {name} each time: there is no noise")
            )
        space = self._space_at(rows, before)
        return NoiseModel.fit(space, repeats, kind=kind, seed=seed)

    def _repeats(self, rows: Ints) -> Repeats:
        """Return what repeats say: on instances, or where those say nothing, of trials."""
        if self.instances is not None:
            by_then = self.instances.of(self.X[rows])
            repeats = Repeats.of(by_then.X, by_then.index, by_then.objective)
            if len(repeats.df):
                return repeats
        no_instance = np.zeros(len(rows), dtype=int)
        return Repeats.of(self.X[rows], no_instance, self.objective[rows])

    def own_acquisition(self, before: int | None = None) -> OwnAcquisition | None:
        """Return the optimizer's own acquisition function, if it is known."""
        return None if self.record is None else self.record.acquisition(before)

    def chosen_acquisition(
        self,
        before: int | None = None,
        acquisition: Criterion | Acquisition = "auto",
        *,
        seed: int = 0,
    ) -> ChosenAcquisition:
        """Return the acquisition function that explains a trial, and its origin.

        Parameters
        ----------
        before : int, optional
            The trial; by default the next one.
        acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition
            "auto", the default, is the optimizer's own if it is known, else the lower confidence
            bound with κ = 1.96. The other names use ``surrogate(before)``.
        seed : int, default 0
            Seed of the surrogate.

        Returns
        -------
        ChosenAcquisition
            The acquisition function, whether it is assumed, and the assumptions.

        Raises
        ------
        ValueError
            If the name is unknown, or fewer than two trials were finished at that time.
        """
        later = self._ranges_of_later_trials(before)
        if not isinstance(acquisition, str):
            return ChosenAcquisition(acquisition, notes=later)
        check_option("acquisition", acquisition, CRITERIA)
        own = self.own_acquisition(before) if acquisition == "auto" else None
        if own is not None:
            return ChosenAcquisition(own.acquisition, False, (*own.notes, *later))
        surrogate = self.surrogate(before, seed=seed)
        cost = self.known_cost(before)
        feasible = self.feasible[self.known_before(before)]
        among = cost[feasible] if feasible.any() else cost
        best = float(self.sign * among.min())
        built = criterion_of(acquisition, surrogate, best, self.direction)
        why = None
        if acquisition == "auto" and isinstance(self.record, KnowsWhyNot):
            why = self.record.why_not(before)
        model = getattr(surrogate, "label", "a model of yours")
        assumed = acquisition_assumed(self.optimizer, built.label, model, why)
        return ChosenAcquisition(built, notes=(assumed, *later))

    def _ranges_of_later_trials(self, before: int | None) -> tuple[Fact, ...]:
        """Return the hyperparameters whose range was narrower before a trial, as a fact."""
        if before is None or not self.ranges_from:
            return ()
        earlier = {*self.trials[self.known_before(before)].tolist()}
        earlier |= {t for t in self.excluded if t < before}
        names = [name for name, trials in self.ranges_from.items() if {*trials} - earlier]
        if not names:
            return ()
        return (
            fact(
                f"range: that of {', '.join(names)} was read from all trials; those known before "
                f"trial {before} span less (give ",
                Option("space"),
                " if the optimizer knew it)",
                names=names,
            ),
        )

    def acquisition(self, before: int | None = None) -> Acquisition:
        """Return the acquisition function for a trial: the optimizer's own, else an assumed one.

        The assumed one is the lower confidence bound with κ = 1.96 of ``surrogate(before)``.
        `chosen_acquisition` says which of the two it is.

        Raises
        ------
        ValueError
            If fewer than two trials were finished at that time.
        """
        return self.chosen_acquisition(before).acquisition
