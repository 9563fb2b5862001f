"""The run history of SMAC3, turned into a Run.

Who chose a configuration its `origin` says. But SMAC's local search starts from configurations that
were tried before, and where it ends at the same one it overwrites the origin of that. The initial
design is on record in the facade; random configurations are known by the forest that SMAC had then,
under which they promise little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import number, plain
from hpo_explain.adapters._evaluations import Source, encoded, objective_among, run_of
from hpo_explain.adapters._reading import mean_over_instances, with_default
from hpo_explain.adapters.configspace import read_configspace
from hpo_explain.adapters.smac._history import Configuration, History, Result
from hpo_explain.adapters.smac._record import SmacRecord
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.run import Instances, Run
from hpo_explain.space import SearchSpace

_CHOSEN_BY_MODEL = (
    "Acquisition Function Maximizer: Local Search",
    "Acquisition Function Maximizer: Random Search (sorted)",
    "Acquisition Function Maximizer: Differential Evolution",
)
_DRAWN = ("Initial ", "Random Search", "Acquisition Function Maximizer: Random Search")
_TOLD = "Custom"  # told without being asked for


def from_smac(
    smac: Any,
    *,
    objective: str | None = None,
    level: float | None = None,
    space: SearchSpace | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read a facade or a run history of SMAC3.

    A trial is a configuration, numbered from 0 in the order of SMAC's `config_id`. Its objective is
    the mean over instances and seeds, adjusted for missing ones. Tested with SMAC 2.4.

    Parameters
    ----------
    smac : smac facade or smac.runhistory.RunHistory
        The facade that optimized, or its run history.
    objective : str, optional
        The objective to explain, if there are several: a name in the scenario, or "objective 0",
        "objective 1", ... for a run history.
    level : float, optional
        The budget at which results are compared; by default the highest. Configurations without
        a result at this budget are excluded.
    space : SearchSpace, optional
        The search space; by default that of the configurations, with its conditions.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run, minimized. Proposals are the configurations that maximized the acquisition
        function, not those of the initial design or random ones. ``run.instances`` holds the
        result on each instance and seed.

    Raises
    ------
    InputError
        If `smac` is something else, or the `objective` or `level` does not exist.
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
    history = smac if isinstance(smac, History) else _history_of(smac)
    if not history.configurations:
        raise NothingToExplain(fact("run history has no trial yet. Call optimize first."))
    names = history.names
    at = names.index(objective_among(names, objective, "objective"))
    configurations = history.configurations
    notes: list[Fact] = []
    own_space = space is None
    if space is None:
        space, notes = history.space, [*history.notes]
    budgets = history.budgets()
    wanted = max(budgets, default=np.nan) if level is None else level
    origins = _origins_of(smac, configurations)
    record = None
    of_a_model = Origin.MODEL in origins.values()
    is_alive = smac is not history and bool(history.facade)
    if own_space and space and of_a_model and is_alive and len(names) == 1:
        record = _record(smac, space, configurations, origins, wanted)
    notes += _overwritten(smac, origins, record)
    evaluations = {t: c.evaluation(at, wanted, origins[t]) for t, c in configurations.items()}
    source = Source(
        "run history",
        f"SMAC3's {history.facade}" if history.facade else "SMAC3",
        objective_name=names[at],
        fidelity="budget" if any(not np.isnan(budget) for budget in budgets) else "",
    )
    run = run_of(evaluations, space, source, level=level, bounds=bounds, notes=notes, record=record)
    run = with_default(run, history.default)
    return _with_instances(run, configurations, at, wanted)


def several_objectives(smac: Any) -> list[str]:
    """Return the names of the objectives where there are several, else nothing."""
    history = smac if isinstance(smac, History) else _history_of(smac)
    return history.names if len(history.names) > 1 else []


def _history_of(smac: Any) -> History:
    """Return what a facade or its run history knows.

    Raises
    ------
    InputError
        If it is something else.
    """
    history = getattr(smac, "runhistory", smac)
    if not hasattr(history, "ids_config"):
        kind = type(smac).__name__
        problem = f"must be a facade of SMAC or its run history, but was a {kind!r}"
        raise InputError("smac", problem, kind, "Give the object whose optimize was called.")
    configurations = _configurations(history)
    if not configurations:
        return History({})
    configspace = next(iter(configurations.values())).own.config_space
    given = getattr(getattr(smac, "scenario", None), "objectives", ())
    space, notes = read_configspace(configspace)
    return History(
        configurations,
        [given] if isinstance(given, str) else [*map(str, given)],
        space,
        notes,
        dict(configspace.get_default_configuration()),
        type(smac).__name__ if history is not smac else "",
    )


def _configurations(history: Any) -> dict[int, Configuration]:
    """Return the configurations by the number of their trial."""
    found: dict[int, Configuration] = {}
    for key, value in history.items():
        trial = int(key.config_id) - 1
        if trial not in found:
            own = history.ids_config[key.config_id]
            values = {str(n): plain(v) for n, v in dict(own).items()}
            found[trial] = Configuration(values, own.origin or "", own=own)
        costs = np.atleast_1d(np.asarray(value.cost, dtype=float))
        found[trial].results.append(
            Result(
                key.instance,
                key.seed,
                number(key.budget),
                tuple(costs.tolist()),
                str(value.status.name),
                float(value.starttime),
                float(value.endtime),
            )
        )
    return dict(sorted(found.items()))


def _record(
    facade: Any,
    space: SearchSpace,
    configurations: Mapping[int, Configuration],
    origins: Mapping[int, Origin],
    budget: float,
) -> SmacRecord | None:
    """Return what SMAC's models are made of again, if this release has the same parts."""
    read = encoded(space, [c.values for c in configurations.values()])
    if read.outside:
        return None
    initial = _initial_of(facade, configurations)
    chosen = [t for t in configurations if t not in initial and origins[t] is not Origin.ADDED]
    try:
        return SmacRecord.of(
            facade,
            space,
            dict(zip(configurations, read.X, strict=True)),
            chosen,
            None if np.isnan(budget) else budget,
        )
    except AttributeError:
        return None


# ---------------------------------------------------------------------- who chose


def _origins_of(smac: Any, configurations: Mapping[int, Configuration]) -> dict[int, Origin]:
    """Return who chose the configurations of trials, as far as SMAC has it on record.

    Parameters
    ----------
    smac : smac facade or smac.runhistory.RunHistory
        What holds them.
    configurations : mapping of int to Configuration
        The configurations by the number of their trial.
    """
    initial = _initial_of(smac, configurations)
    return {
        trial: Origin.INITIAL if trial in initial else origin_of(config.origin)
        for trial, config in configurations.items()
    }


def _initial_of(smac: Any, configurations: Mapping[int, Configuration]) -> set[int]:
    """Return the trials of the initial design, none where it is not on record."""
    initial = getattr(getattr(smac, "_config_selector", None), "_initial_design_configs", None)
    return {trial for trial, config in configurations.items() if config.own in (initial or ())}


def _overwritten(smac: Any, origins: dict[int, Origin], record: SmacRecord | None) -> list[Fact]:
    """Correct origins that SMAC overwrote, and say what is not certain about them.

    What its local search is said to have found is no proposal where many configurations drawn at
    random have a larger acquisition under the model of that time.
    """
    if Origin.MODEL not in origins.values():
        return []
    notes = [record.note()] if record else []
    if record and record.batches:
        drawn = record.drawn_among([t for t, o in origins.items() if o is Origin.MODEL])
        origins |= dict.fromkeys(drawn, Origin.INITIAL)
        if record.knows_who_chose():
            return notes
    known = hasattr(getattr(smac, "_config_selector", None), "_initial_design_configs")
    which = "a random" if known else "an initial"
    text = (
        "proposals: SMAC's local search marks the configurations that it starts from as its own, "
        f"so that {which} configuration may count as a proposal"
    )
    return [*notes, fact(text)]


def origin_of(origin: str) -> Origin:
    """Return who chose a configuration.

    Examples
    --------
    >>> origin_of("Initial Design: Sobol"), origin_of("Random Search")
    (<Origin.INITIAL: 'initial'>, <Origin.INITIAL: 'initial'>)
    >>> origin_of("Acquisition Function Maximizer: Local Search")
    <Origin.MODEL: 'model'>
    """
    if origin in _CHOSEN_BY_MODEL:
        return Origin.MODEL
    if origin == _TOLD:
        return Origin.ADDED
    return Origin.INITIAL if origin.startswith(_DRAWN) else Origin.UNKNOWN


# ---------------------------------------------------------------------- instances


def _with_instances(
    run: Run, configurations: Mapping[int, Configuration], at: int, budget: float
) -> Run:
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
            objective.append(result.cost(at))
    if len(names) < 2:
        return run
    column = "instance" if len(kinds) > 1 else "seed"
    notes = [mean_over_instances(run.objective_name, column, names)]
    instances = Instances(names, run.X[rows], np.array(index), np.array(objective))
    return replace(run, instances=instances, notes=[*run.notes, *notes])


def _name(result: Result, *, several_seeds: bool, several_instances: bool) -> Any:
    if several_seeds and several_instances:
        return f"{result.instance}, seed {result.seed}"
    return result.instance if several_instances else result.seed
