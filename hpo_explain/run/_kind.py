"""Which kind of surrogate goes with a run."""

from __future__ import annotations

from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import CategoricalParameter, SearchSpace

GP_TRIALS = 1000  # beyond, conditioning a Gaussian process costs too much: O(n³)
GP_DIMENSIONS = 20  # beyond, its distances say little
GP_CHOICES = 100  # of a hyperparameter, beyond: all as far apart, and few tried twice
GP_CATEGORIES = 0.5  # share of categorical hyperparameters beyond which trees fit better


def choose_kind(
    n: int, space: SearchSpace, *, own: bool = False, measured: str | None = None
) -> Fact:
    """Return the kind of surrogate for a run of n trials, and why, as a "surrogate_kind".

    Its values are ``surrogate`` ("gp" or "forest"), ``n``, ``d``, ``categorical`` (the share of
    categorical hyperparameters), ``choices`` (the most that one has), ``beyond`` (which of the four
    is too large for a Gaussian process, with its ``limit``; "failed" where the objective is whether
    a trial failed; empty where nothing speaks against it), and ``own`` as given: whether the
    optimizer's own model comes first.
    """
    d = len(space)
    choices = [p.size for p in space if isinstance(p, CategoricalParameter)]
    categorical = sum(isinstance(p, CategoricalParameter) for p in space) / d
    beyond, limit = next(
        (
            (name, most)
            for name, size, most in (
                ("n", n, GP_TRIALS),
                ("d", d, GP_DIMENSIONS),
                ("categorical", categorical, GP_CATEGORIES),
                ("choices", max(choices, default=0), GP_CHOICES),
            )
            if size > most
        ),
        ("failed" if measured == "failed" else "", None),
    )
    return fact(
        "surrogate_kind",
        surrogate="forest" if beyond else "gp",
        n=n,
        d=d,
        categorical=categorical,
        choices=max(choices, default=0),
        beyond=beyond,
        limit=limit,
        own=own,
    )
