"""Which kind of surrogate goes with a run."""

from __future__ import annotations

from hpo_explain._words import counted
from hpo_explain.space import CategoricalParameter, SearchSpace

KINDS = ("auto", "gp", "forest")

GP_TRIALS = 1000  # beyond, conditioning a Gaussian process costs too much: O(n³)
GP_DIMENSIONS = 20  # beyond, its distances say little
GP_CATEGORIES = 0.5  # share of categorical hyperparameters beyond which trees fit better


def choose_kind(n: int, space: SearchSpace) -> tuple[str, str]:
    """Return the kind of surrogate for a run of n trials, and why."""
    d = len(space)
    categorical = sum(isinstance(p, CategoricalParameter) for p in space) / d
    if n > GP_TRIALS:
        return "forest", f"a forest, because {n} trials are more than {GP_TRIALS}"
    if d > GP_DIMENSIONS:
        return "forest", f"a forest, because {d} hyperparameters are more than {GP_DIMENSIONS}"
    if categorical > GP_CATEGORIES:
        return (
            "forest",
            f"a forest, because {categorical:.0%} of the hyperparameters are categories",
        )
    return "gp", (
        f"a Gaussian process, as there {'is' if n == 1 else 'are'} {counted(n, 'trial')}, "
        f"{counted(d, 'hyperparameter')}, {categorical:.0%} of them categories"
    )
