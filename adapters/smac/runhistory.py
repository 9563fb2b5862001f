"""The run history of SMAC3, turned into a Run."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Evaluation, Source, encoded, run_of
from hpo_explain.adapters.configspace import read_configspace
from hpo_explain.adapters.smac._origins import initial_of, origins_of, overwritten
from hpo_explain.adapters.smac._record import SmacRecord
from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.run import Instances, Run
from hpo_explain.space import SearchSpace

_RUNNING = "RUNNING"
_SUCCESS = "SUCCESS"


def from_smac(
    smac: Any,
    *,
    objective: str | None = None,
    level: float | None = None,
    space: SearchSpace | None = None,
) -> Run:
    """Read what SMAC3 evaluated, with its search space and who chose each configuration.

    A trial is a configuration, numbered from 0 in the order of SMAC's `config_id`. Its objective is
    the mean over the instances and seeds that it was evaluated on. Read with SMAC 2.4.

    Parameters
    ----------
    smac : smac facade or smac.runhistory.RunHistory
        The facade that optimized, or its run history.
    objective : str, optional
        The objective to be explained, where there are several: a name of the scenario, or
        "objective 0", "objective 1", ... of a run history.
    level : float, optional
        The budget at which results are compared; by default the highest. Configurations that were
        not evaluated with it are left out.
    space : SearchSpace, optional
        The search space; by default that of the configurations, conditions included.

    Returns
    -------
    Run
        The run, minimized. Proposals are the configurations that maximized the acquisition
        function; those of the initial design and random ones between them are not.
        ``run.instances`` holds the result on each instance and seed.

    Raises
    ------
    InputError
        If it is neither, or has no such `objective` or `level`.
    NothingToExplain
        If no configuration was evaluated successfully.

    Examples
    --------
    >>> from ConfigSpace import ConfigurationSpace
    >>> from smac.runhistory.runhistory import RunHistory
    >>> import hpo_explain as hx
    >>> space = ConfigurationSpace({"lr": (0.0, 1.0)}, seed=0)
    >>> history = RunHistory()
    >>> for config in space.sample_configuration(3):
    ...     history.add(config, cost=config["lr"] ** 2, seed=0, starttime=1.0, endtime=2.0)
    >>> run = hx.from_smac(history)
    >>> run.space["lr"].high, len(run), run.proposals
    (1.0, 3, ())
    """
    history = getattr(smac, "runhistory", smac)
    if not hasattr(history, "ids_config"):
        kind = type(smac).__name__
        problem = f"must be a facade of SMAC or its run history, but was a {kind!r}"
        raise InputError("smac", problem, kind, "Give the object whose optimize was called.")
    if not len(history):
        raise NothingToExplain(fact("runhistory_empty"))
    names = _objectives(smac, history)
    if objective is None and len(names) > 1:
        shown = ", ".join(map(repr, names))
        problem = f"must be given, as there are {len(names)}"
        raise InputError("objective", problem, None, f"Choose one of {shown}.")
    at = (
        0
        if objective is None
        else names.index(check_name("objective", objective, names, "objective"))
    )
    configurations = _configurations(history, at)
    first = next(iter(configurations.values()))
    notes: list[Fact] = []
    own_space = space is None
    if space is None:
        space, notes = read_configspace(first.config.config_space)
    budgets = sorted({r.budget for c in configurations.values() for r in c.results if r.succeeded})
    wanted = level if level is not None else (budgets[-1] if budgets else np.nan)
    origins = origins_of(smac, {t: c.config for t, c in configurations.items()})
    record = None
    of_a_model = Origin.MODEL in origins.values()
    if own_space and of_a_model and history is not smac and len(names) == 1:
        record = _record(smac, space, configurations, origins, wanted)
    notes += overwritten(smac, origins, record)
    evaluations = {t: c.evaluation(wanted, origins[t]) for t, c in configurations.items()}
    facade = type(smac).__name__ if history is not smac else "SMAC"
    source = Source(
        "run history",
        f"SMAC3's {facade}" if facade != "SMAC" else "SMAC3",
        objective_name=names[at],
        fidelity="budget" if any(not np.isnan(budget) for budget in budgets) else "",
    )
    run = run_of(evaluations, space, source, level=level, notes=notes, record=record)
    return _with_instances(run, configurations, wanted)


def several_objectives(smac: Any) -> list[str]:
    """Return the names of the objectives where there are several, else nothing."""
    names = _objectives(smac, getattr(smac, "runhistory", smac))
    return names if len(names) > 1 else []


def _objectives(smac: Any, history: Any) -> list[str]:
    given = getattr(getattr(smac, "scenario", None), "objectives", None)
    if given is not None:
        return [given] if isinstance(given, str) else list(map(str, given))
    n = max((np.size(result.cost) for result in history.values()), default=1)
    return ["cost"] if n == 1 else [f"objective {i}" for i in range(n)]


def _record(
    facade: Any,
    space: SearchSpace,
    configurations: Mapping[int, _Configuration],
    origins: Mapping[int, Origin],
    budget: float,
) -> SmacRecord | None:
    """Return what SMAC's models are made of again; None where this release has other parts."""
    X, outside = encoded(space, [c.plain for c in configurations.values()])
    if outside:
        return None
    initial = initial_of(facade, {t: c.config for t, c in configurations.items()})
    chosen = [t for t in configurations if t not in initial and origins[t] is not Origin.ADDED]
    try:
        return SmacRecord.of(
            facade,
            space,
            dict(zip(configurations, X, strict=True)),
            chosen,
            None if np.isnan(budget) else budget,
        )
    except AttributeError:
        return None


# ---------------------------------------------------------------------- configurations


@dataclass(frozen=True)
class _Result:
    """One evaluation of a configuration; the budget is NaN where there is none."""

    instance: Hashable
    seed: Hashable
    budget: float
    cost: float
    status: str
    started: float
    finished: float

    @property
    def succeeded(self) -> bool:
        return self.status == _SUCCESS

    def is_at(self, budget: float) -> bool:
        return self.budget == budget or bool(np.isnan(self.budget) and np.isnan(budget))


@dataclass(frozen=True, eq=False)
class _Configuration:
    """A configuration of ConfigSpace, and its evaluations."""

    config: Any
    results: list[_Result] = field(default_factory=list)

    @property
    def plain(self) -> dict[str, Any]:
        """The values of the hyperparameters that are active."""
        return {str(name): _plain(value) for name, value in dict(self.config).items()}

    def at(self, budget: float) -> list[_Result]:
        """Return the results with a budget; without any, those with the highest."""
        found = [result for result in self.results if result.is_at(budget)]
        if found:
            return found
        highest = max(result.budget for result in self.results)
        return [result for result in self.results if result.is_at(highest)]

    def evaluation(self, budget: float, origin: Origin) -> Evaluation:
        """Return the mean of the results with a budget as one evaluation."""
        results = self.at(budget)
        done = [result.cost for result in results if result.succeeded]
        states = {result.status for result in results}
        reason = None
        if states - {_SUCCESS}:
            reason = fact("running") if _RUNNING in states else fact("failed")
        return Evaluation(
            self.plain,
            float(np.mean(done)) if done else np.nan,
            reason,
            origin,
            min(result.started for result in self.results),
            np.inf if _RUNNING in states else max(result.finished for result in results),
            results[0].budget,
        )


def _configurations(history: Any, objective: int) -> dict[int, _Configuration]:
    """Return the configurations by the number of their trial."""
    found: dict[int, _Configuration] = {}
    for key, value in history.items():
        trial = int(key.config_id) - 1
        configuration = found.setdefault(trial, _Configuration(history.ids_config[key.config_id]))
        costs = np.atleast_1d(np.asarray(value.cost, dtype=float))
        configuration.results.append(
            _Result(
                key.instance,
                key.seed,
                np.nan if key.budget is None else float(key.budget),
                float(costs[min(objective, len(costs) - 1)]),
                str(value.status.name),
                float(value.starttime) or np.nan,
                float(value.endtime) or np.nan,
            )
        )
    return dict(sorted(found.items()))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# ---------------------------------------------------------------------- instances


def _with_instances(run: Run, configurations: dict[int, _Configuration], budget: float) -> Run:
    """Return a run with the results on each instance and seed, where there are several."""
    trials: Sequence[int] = np.asarray(run.trials).tolist()
    results = [configurations[trial].at(budget) for trial in trials]
    seeds = {result.seed for found in results for result in found}
    kinds = {result.instance for found in results for result in found}
    names: list[Any] = []
    rows, index, objective = [], [], []
    for i, found in enumerate(results):
        for result in found:
            name = _name(result, several_seeds=len(seeds) > 1, several_instances=len(kinds) > 1)
            if name not in names:
                names.append(name)
            rows.append(i)
            index.append(names.index(name))
            objective.append(result.cost)
    if len(names) < 2:
        return run
    column = "instance" if len(kinds) > 1 else "seed"
    notes = [fact("mean_over_instances", names=[run.objective_name, column], instances=names)]
    partly = [t for t, found in zip(trials, results, strict=True) if len(found) < len(names)]
    if partly:
        notes.append(fact("instances_missing", trials=partly))
    instances = Instances(names, run.X[rows], np.array(index), np.array(objective))
    return replace(run, instances=instances, notes=[*run.notes, *notes])


def _name(result: _Result, *, several_seeds: bool, several_instances: bool) -> Any:
    if several_seeds and several_instances:
        return f"{result.instance}, seed {result.seed}"
    return result.instance if several_instances else result.seed
