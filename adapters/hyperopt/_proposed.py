"""Which trials Hyperopt's algorithm chose by its model.

A `Trials` does not record the algorithm. TPE renumbers what it draws, so that the trial numbers in
its records are Python's own integers; points drawn at random, or near good ones by annealing, keep
those of NumPy. Points that a user gave have Python's own integers, too, and come first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, Origin, fact

_NAMES = {
    "hyperopt.tpe": "Hyperopt's TPE",
    "hyperopt.atpe": "Hyperopt's adaptive TPE",
    "hyperopt.rand": "Hyperopt's random search",
    "hyperopt.anneal": "Hyperopt's annealing",
}
_BY_MODEL = ("hyperopt.tpe", "hyperopt.atpe")
_STARTUP = 20  # of tpe.suggest, unless n_startup_jobs says otherwise


@dataclass(frozen=True, eq=False)
class Chosen:
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


def read_chosen(documents: Sequence[Mapping[str, Any]], algo: Any) -> Chosen:
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
    recorded = not all(renumbered)  # a database turns all of them into Python's own
    own = [i for i in range(len(documents)) if i >= given]
    if module is None and recorded and any(renumbered[i] for i in own):
        module = "hyperopt.tpe"
    if module in _BY_MODEL:
        by_model = [i for i in own if (renumbered[i] if recorded else i >= startup)]
        about = [] if recorded else [fact("startup_trials_assumed", count=startup)]
    else:
        by_model = []
        about = [fact("algorithm_not_recorded", drawn=recorded)] if module is None else []
    other = Origin.UNKNOWN if module is None else Origin.INITIAL
    origins = [Origin.ENQUEUED] * given + [other] * len(own)
    for i in by_model:
        origins[i] = Origin.MODEL
    return Chosen(_NAMES.get(module or "", "Hyperopt"), origins, about)


def _read_algo(algo: Any) -> tuple[str | None, int]:
    """Return the module of an algorithm and its number of trials that are drawn at random."""
    if algo is None:
        return None, _STARTUP
    function, options = getattr(algo, "func", algo), getattr(algo, "keywords", {})
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
