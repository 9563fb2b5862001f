"""Hyperopt's Trials, turned into a Run.

A `Trials` does not record the algorithm. TPE renumbers what it draws, so that the trial numbers in
its records are Python's own integers; points drawn at random, or near good ones by annealing, keep
those of NumPy. Points that a user gave have Python's own integers, too, and come first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import numpy as np

from hpo_explain.adapters._domain import plain, tried_values
from hpo_explain.adapters._evaluations import Evaluation, Source, outcome, run_of, seconds
from hpo_explain.adapters.hyperopt._space import read_graph
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, Option, Origin, fact
from hpo_explain.base.phrases import counted
from hpo_explain.run import FAILED, RUNNING, WAITING, Run
from hpo_explain.space import SearchSpace

_STATES = {0: WAITING, 1: RUNNING, 3: FAILED, 4: FAILED}  # JOB_STATE_...
_STATUS = {"new": WAITING, "running": RUNNING, "suspended": RUNNING, "fail": FAILED}
_NAMES = {
    "hyperopt.tpe": "Hyperopt's TPE",
    "hyperopt.atpe": "Hyperopt's adaptive TPE",
    "hyperopt.rand": "Hyperopt's random search",
    "hyperopt.anneal": "Hyperopt's annealing",
}
_BY_MODEL = ("hyperopt.tpe", "hyperopt.atpe")
_STARTUP = 20  # of tpe.suggest, unless n_startup_jobs says otherwise


def from_hyperopt(
    trials: Any,
    *,
    space: Any = None,
    algo: Callable[..., Any] | None = None,
    bounds: tuple[float, float] | None = None,
) -> Run:
    """Read the trials of Hyperopt, with their search space.

    Trial numbers are Hyperopt's `tid` and the objective is the loss. Trials whose status is not
    "ok" are excluded. Tested with Hyperopt 0.3.

    Parameters
    ----------
    trials : hyperopt.Trials
        The trials of `fmin`.
    space : dict, hyperopt expression or SearchSpace, optional
        The `space` of `fmin`, which `trials` does not record. Hyperparameters inside an
        ``hp.choice`` are active if their branch was chosen. Branches are named by their values,
        by a word under a key they share, such as "svm" for ``{"type": "svm", ...}``, or by their
        numbers. By default the space is inferred from the values, with choices as numbers.
    algo : callable, optional
        The `algo` of `fmin`, such as ``tpe.suggest``. By default TPE is recognized by what it
        records; random search and annealing record nothing.
    bounds : tuple of (float, float), optional
        The objective's natural range; by default derived from the name of the metric.

    Returns
    -------
    Run
        The run. Proposals are the trials that TPE chose by its model.

    Raises
    ------
    InputError
        If `trials` is something else, or `space` does not fit.
    NothingToExplain
        If no trial has a finite loss.

    Examples
    --------
    >>> import numpy as np
    >>> from hyperopt import Trials, fmin, hp, tpe
    >>> import hpo_explain as hx
    >>> space = {
    ...     "lr": hp.loguniform("lr", np.log(1e-4), np.log(1.0)),
    ...     "model": hp.choice("model", ["linear", {"trees": hp.uniformint("trees", 1, 9)}]),
    ... }
    >>> trials = Trials()
    >>> best = fmin(
    ...     lambda config: (np.log(config["lr"]) + 5.0) ** 2,
    ...     space,
    ...     algo=tpe.suggest,
    ...     max_evals=24,
    ...     trials=trials,
    ...     rstate=np.random.default_rng(0),
    ...     show_progressbar=False,
    ... )
    >>> run = hx.from_hyperopt(trials, space=space)
    >>> run.optimizer, run.proposals, dict(run.space["trees"].active_when)
    ("Hyperopt's TPE", (20, 21, 22, 23), {'model': (1,)})
    """
    documents = _documents(trials)
    if not documents:
        raise NothingToExplain(fact("trials has no trial yet. Run fmin first."))
    chosen = _read_chosen(documents, algo)
    values = [_values(document) for document in documents]
    notes = list(chosen.notes)
    if space is not None and not isinstance(space, SearchSpace):
        graph = read_graph(space, tried_values(values))
        values = [graph.active(config) for config in values]
        space, notes = graph.space, notes + graph.notes
    return run_of(
        _evaluations(documents, values, chosen),
        space,
        Source("trials", chosen.optimizer, objective_name="loss"),
        bounds=bounds,
        notes=notes,
    )


def _documents(trials: Any) -> list[Mapping[str, Any]]:
    """Return Hyperopt's records in the order of the trials."""
    listed = getattr(trials, "trials", None)
    if listed is None or not hasattr(trials, "miscs"):
        problem = f"must be a hyperopt.Trials, but was a {type(trials).__name__!r}"
        remedy = "Give the one that fmin was given, as in fmin(..., trials=trials)."
        raise InputError("trials", problem, type(trials).__name__, remedy)
    # those whose evaluation raised an error are not listed
    every = getattr(trials, "_dynamic_trials", [])
    key = getattr(trials, "_exp_key", None)
    raised = [d for d in every if _STATES.get(d["state"]) == FAILED]
    found = [*listed, *(d for d in raised if key is None or d["exp_key"] == key)]
    return sorted(found, key=lambda document: int(document["tid"]))


def _evaluations(
    documents: Sequence[Mapping[str, Any]], configs: Sequence[Mapping[str, Any]], chosen: _Chosen
) -> dict[int, Evaluation]:
    return {
        int(document["tid"]): Evaluation(
            config,
            *outcome(document["result"].get("loss"), _reason(document)),
            origin,
            _seconds(document.get("book_time")),
            _seconds(document.get("refresh_time")),
        )
        for document, config, origin in zip(documents, configs, chosen.origins, strict=True)
    }


def _values(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a trial by label; a hyperparameter that is inactive has none."""
    found = {}
    for name, listed in document["misc"]["vals"].items():
        value = listed[0] if isinstance(listed, (list, tuple, np.ndarray)) and len(listed) else None
        if value is not None:
            found[str(name)] = plain(value)
    return found


def _reason(document: Mapping[str, Any]) -> Fact | None:
    return _STATES.get(document["state"]) or _STATUS.get(document["result"].get("status"))


def _seconds(time: datetime | None) -> float:
    """Return a time of Hyperopt, which is UTC without saying so, in seconds since the epoch."""
    return seconds(time and time.replace(tzinfo=timezone.utc))


# ---------------------------------------------------------------------- who chose


@dataclass(frozen=True, eq=False)
class _Chosen:
    """Who chose the trials.

    Attributes
    ----------
    optimizer : str
        What ran the optimization.
    origins : list of Origin
        Who chose each trial.
    notes : list of Fact
        How that is known.
    """

    optimizer: str
    origins: list[Origin]
    notes: list[Fact]


def _read_chosen(documents: Sequence[Mapping[str, Any]], algo: Any) -> _Chosen:
    """Return who chose the trials.

    Parameters
    ----------
    documents : sequence of mapping
        Hyperopt's records, in the order of the trials.
    algo : callable or None
        The algorithm that `fmin` was given, if it is known.

    Raises
    ------
    InputError
        If it is no function of an algorithm.
    """
    module, startup = _read_algo(algo)
    given = _given(documents)
    renumbered = [_is_renumbered(document) for document in documents]
    # a database turns all of them into Python's own
    recorded = not all(renumbered)
    own = [i for i in range(len(documents)) if i >= given]
    if not module and recorded and any(renumbered[i] for i in own):
        module = "hyperopt.tpe"
    by_model, about = [], []
    if module in _BY_MODEL:
        by_model = [i for i in own if (renumbered[i] if recorded else i >= startup)]
        if not recorded:
            text = (
                f"proposals: the first {counted(startup, 'trial')} count as drawn at random, as "
                "the algorithm does; the trials' own marks are lost"
            )
            about.append(fact(text))
    elif not module:
        seen = "none has the marks of TPE, so that" if recorded else "their marks are lost, and"
        text = (
            "proposals: Hyperopt does not record the algorithm that chose the trials; "
            f"{seen} none counts as a proposal; "
        )
        about.append(fact(text, Option("algo"), " tells it"))
    other = Origin.INITIAL if module else Origin.UNKNOWN
    origins = [Origin.ENQUEUED] * given + [other] * len(own)
    for i in by_model:
        origins[i] = Origin.MODEL
    return _Chosen(_NAMES.get(module, "Hyperopt"), origins, about)


def _read_algo(algo: Any) -> tuple[str, int]:
    """Return the module of an algorithm and its number of trials that are drawn at random."""
    if algo is None:
        return "", _STARTUP
    function, options = (getattr(algo, "func", algo), getattr(algo, "keywords", {}))
    if not callable(function):
        problem = f"must be what fmin was given, but was {algo!r}"
        raise InputError("algo", problem, algo, "Give hyperopt.tpe.suggest, say.")
    return str(function.__module__), int(options.get("n_startup_jobs", _STARTUP))


def _given(documents: Sequence[Mapping[str, Any]]) -> int:
    """Return how many points a user gave before the search (points_to_evaluate)."""
    count = 0
    for document in documents:
        values = [
            value for listed in document["misc"]["vals"].values() for value in _listed(listed)
        ]
        if any(isinstance(value, np.generic) for value in values) or not _is_renumbered(document):
            break
        count += 1
    return count if count < len(documents) else 0


def _is_renumbered(document: Mapping[str, Any]) -> bool:
    ids = [i for listed in document["misc"]["idxs"].values() for i in _listed(listed)]
    return not any(isinstance(i, np.generic) for i in ids)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
