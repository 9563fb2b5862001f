"""Hyperopt's Trials, turned into a Run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

import numpy as np

from hpo_explain.adapters._evaluations import Evaluation, Source, run_of
from hpo_explain.adapters.hyperopt._proposed import Chosen, read_chosen
from hpo_explain.adapters.hyperopt._space import read_graph
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, fact
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_FAILED, _RUNNING, _WAITING = fact("failed"), fact("running"), fact("waiting")
_STATES = {0: _WAITING, 1: _RUNNING, 3: _FAILED, 4: _FAILED}  # JOB_STATE_...
_STATUS = {"new": _WAITING, "running": _RUNNING, "suspended": _RUNNING, "fail": _FAILED}


def from_hyperopt(trials: Any, *, space: Any = None, algo: Callable[..., Any] | None = None) -> Run:
    """Read the trials of Hyperopt, with the space that they were drawn from.

    Trial numbers are Hyperopt's `tid`, the objective is the loss, and trials whose status is not
    "ok" are left out. Read with Hyperopt 0.3.

    Parameters
    ----------
    trials : hyperopt.Trials
        What `fmin` filled.
    space : dict, hyperopt expression or SearchSpace, optional
        The space that `fmin` was given, which a `Trials` does not record: what an ``hp.choice``
        holds is active where it was chosen. The choices of an ``hp.choice`` are its values, a word
        that its dicts have at the same key, such as "svm" of ``{"type": "svm", ...}``, or their
        numbers. By default hyperparameters are inferred from their values, where choices are the
        numbers that Hyperopt records.
    algo : callable, optional
        The algorithm that `fmin` was given, such as ``tpe.suggest``. By default it is known by the
        marks that TPE leaves on trials; the trials of random searches and annealing have none.

    Returns
    -------
    Run
        The run. Proposals are the trials that TPE chose by its model.

    Raises
    ------
    InputError
        If it is not a `Trials`, or `space` does not fit it.
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
        raise NothingToExplain(fact("trials_empty"))
    chosen = read_chosen(documents, algo)
    values = [_values(document) for document in documents]
    notes = list(chosen.notes)
    if space is not None and not isinstance(space, SearchSpace):
        tried: dict[str, list[Any]] = {}
        for config in values:
            for name, value in config.items():
                tried.setdefault(name, []).append(value)
        graph = read_graph(space, tried)
        values = [graph.active(config) for config in values]
        space, notes = graph.space, notes + graph.notes
    return run_of(
        _evaluations(documents, values, chosen),
        space,
        Source("trials", chosen.optimizer, objective_name="loss"),
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
    raised = [d for d in every if _STATES.get(d["state"]) == _FAILED]
    found = [*listed, *(d for d in raised if key is None or d["exp_key"] == key)]
    return sorted(found, key=lambda document: int(document["tid"]))


def _evaluations(
    documents: Sequence[Mapping[str, Any]], configs: Sequence[Mapping[str, Any]], chosen: Chosen
) -> dict[int, Evaluation]:
    return {
        int(document["tid"]): Evaluation(
            config,
            _loss(document),
            _reason(document),
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
            found[str(name)] = value.item() if isinstance(value, np.generic) else value
    return found


def _loss(document: Mapping[str, Any]) -> float:
    loss = document["result"].get("loss")
    return np.nan if loss is None else float(loss)


def _reason(document: Mapping[str, Any]) -> Fact | None:
    state = _STATES.get(document["state"]) or _STATUS.get(document["result"].get("status"))
    if state is None and document["result"].get("loss") is None:
        return fact("no_value")
    return state


def _seconds(time: datetime | None) -> float:
    """Return a time of Hyperopt, which is UTC without saying so, in seconds since the epoch."""
    return np.nan if time is None else time.replace(tzinfo=timezone.utc).timestamp()
