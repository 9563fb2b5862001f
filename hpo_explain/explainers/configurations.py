"""The configurations of a run: where its trials lie, and how much of each range was tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hpo_explain.base.checks import check_name, check_sequence
from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import spans
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics._sampling_bias import sampling_bias
from hpo_explain.explanations.configurations import Configurations
from hpo_explain.run import Run

MOST_HIGHLIGHTED = 10


def configurations_of(
    run: Run,
    names: Sequence[str] | None = None,
    *,
    highlight: Sequence[int] = (),
    seed: int = 0,
) -> Configurations:
    """Return where the trials of a run lie, those without a result included.

    Parameters
    ----------
    run : Run
        The run.
    names : sequence of str, optional
        The hyperparameters; by default all, in the order of the space.
    highlight : sequence of int, default ()
        Numbers of at most ten finished trials.
    seed : int, default 0
        Seed of the uniform sample that the trials are compared with.

    Raises
    ------
    ValueError
        If a hyperparameter or a trial does not exist, or more than ten trials are highlighted.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5]], [1.0, 9.0, 4.0], "minimize")
    >>> configurations_of(run).to_frame()["x"].tolist()
    [0.1, 0.9, 0.5]
    """
    rows = {int(t): (run.X[i], run.objective[i], _state(run, i)) for i, t in enumerate(run.trials)}
    for trial, chosen in run.without_result.items():
        rows[trial] = (chosen.x, np.nan, chosen.state)
    trials = sorted(rows)
    return Configurations(
        subject=replace(Subject.of(run), notes=()),
        names=_names(run, names),
        trials=np.array(trials, dtype=np.int64),
        X=np.array([rows[t][0] for t in trials]).reshape(len(trials), len(run.space)),
        objective=np.array([rows[t][1] for t in trials], dtype=float),
        states=tuple(rows[t][2] for t in trials),
        highlighted=_highlighted(run, highlight),
        bias=sampling_bias(run, seed=seed) if len(run) >= 2 else None,
    )


def _state(run: Run, row: int) -> str:
    return "finished" if run.feasible is None or run.feasible[row] else "infeasible"


def _names(run: Run, given: Sequence[str] | None) -> tuple[str, ...]:
    if given is None:
        return run.space.names
    asked = [given] if isinstance(given, str) else check_sequence("names", given, "hyperparameters")
    if not asked:
        raise InputError("names", "is empty", given, "Name at least one hyperparameter.")
    found = [check_name("names", name, run.space.names, "hyperparameter") for name in asked]
    return tuple(dict.fromkeys(found))


def _highlighted(run: Run, highlight: Sequence[int]) -> tuple[int, ...]:
    """Return the highlighted trials, each once."""
    chosen = check_sequence("highlight", highlight, "numbers of trials")
    finished = {*np.asarray(run.trials).tolist()}
    for trial in chosen:
        if isinstance(trial, bool) or trial not in finished:
            raise InputError(
                "highlight",
                f"must name finished trials, but trial {trial!r} does not exist or has no result",
                trial,
                f"Finished trials: {spans(run.trials)}.",
            )
    once = tuple(dict.fromkeys(int(trial) for trial in chosen))
    if len(once) > MOST_HIGHLIGHTED:
        raise InputError(
            "highlight",
            f"must name at most {MOST_HIGHLIGHTED} trials, which can be told apart, but named "
            f"{len(once)}",
            highlight,
            "Name fewer.",
        )
    return once
