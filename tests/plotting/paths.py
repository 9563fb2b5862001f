"""Paths made by hand, for the tests of their plots."""

import numpy as np

import hpo_explain as hx
from tests.handmade import explanation


def path(phis, *, trials=None, names=None, each=None, objective=None, incumbent=None, **changes):
    """A path of proposals with these contributions (T, d, terms), the latest `T` of all trials."""
    phis = [np.asarray(phi, dtype=float) for phi in phis]
    trials = list(range(5, 5 + len(phis))) if trials is None else trials
    names = tuple(names or (f"x{j}" for j in range(len(phis[0]))))
    each = each or [{}] * len(phis)
    explanations = tuple(
        explanation(phi, names=names, trial=trial, **{**changes, **own})
        for phi, trial, own in zip(phis, trials, each, strict=True)
    )
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    n = max(trials) + 1
    X = space.sample(n)
    objective = np.linspace(1, 0, n) if objective is None else np.array(objective, dtype=float)
    best = {} if incumbent is None else space.decode(X[[incumbent]])[0]
    return hx.DesirabilityPath(explanations, space, X, np.arange(n), objective, best)


def random_path(T, d, seed=0, **changes):
    return path(np.random.default_rng(seed).normal(size=(T, d, 2)), **changes)


def words(panel):
    """All texts around panels: heading, subtitle, labels and footer."""
    part = panel.figure
    texts = [*part.texts, part._suptitle, part._supxlabel, part._supylabel]
    return " ".join(" ".join(text.get_text() for text in texts).split())


def texts_of(ax):
    """All texts around single axes."""
    found = [ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
    return " ".join(" ".join([*found, *(text.get_text() for text in ax.texts)]).split())
