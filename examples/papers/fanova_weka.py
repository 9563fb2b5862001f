"""Table 1 and Figure 4 of Hutter et al. (2014): what matters in a space of models.

The paper explains runs of SMAC in Auto-WEKA's space of 768 hyperparameters; those data are not at
hand. Here a space in its image is searched at random: a model class with hyperparameters of its own
and a selection of features, from scikit-learn, on data sets that scikit-learn brings along, with as
many trials as the paper has of its smaller data sets.

Set as in the paper: a forest (`kind="forest"`), with leaves of one trial, not capped.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import hpo_explain as hx
from examples.papers.frame import (
    GREY,
    Found,
    Profile,
    experiment,
    finding,
    needs,
    panels,
    shared,
)

CLASSES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "svm": lambda c: SVC(C=c["C"], gamma=c["gamma"]),
    "forest": lambda c: RandomForestClassifier(c["trees"], random_state=0),
    "neighbours": lambda c: KNeighborsClassifier(c["neighbours"]),
    "linear": lambda c: SGDClassifier(alpha=c["alpha"], random_state=0),
    "bayes": lambda c: GaussianNB(),
    "tree": lambda c: DecisionTreeClassifier(max_depth=c["depth"], random_state=0),
}


def of(name: str) -> dict[str, list[str]]:
    """Return the condition that a class is chosen."""
    return {"class": [name]}


SPACE = hx.SearchSpace(
    [
        hx.CategoricalParameter("class", list(CLASSES)),
        hx.FloatParameter("features", 0.1, 1.0),
        hx.FloatParameter("C", 1e-2, 1e3, log=True, active_when=of("svm")),
        hx.FloatParameter("gamma", 1e-4, 1e1, log=True, active_when=of("svm")),
        hx.IntParameter("trees", 2, 30, active_when=of("forest")),
        hx.IntParameter("neighbours", 1, 20, active_when=of("neighbours")),
        hx.FloatParameter("alpha", 1e-5, 1e0, log=True, active_when=of("linear")),
        hx.IntParameter("depth", 1, 10, active_when=of("tree")),
    ]
)
DATA_SETS = ("wine", "breast_cancer", "digits")
WEKA = "runs of SMAC in Auto-WEKA's space (Thornton et al. 2013), which are no longer published"


def searched(name: str, seed: int, n: int) -> hx.Run:
    """Return random trials on a data set: the error of two-fold cross-validation."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    rows = np.random.default_rng(seed).permutation(len(y))[:300]
    trials = SPACE.sample(n, seed=seed)
    errors = []
    for config in SPACE.decode(trials):
        kept = max(1, round(config["features"] * X.shape[1]))
        model = make_pipeline(
            StandardScaler(), SelectKBest(k=kept), CLASSES[config["class"]](config)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # constant pixels, and steps that do not converge
            errors.append(1.0 - cross_val_score(model, X[rows], y[rows], cv=2).mean())
    return hx.Run(SPACE, trials, errors, "minimize", objective_name="error")


@shared
def importances(profile: Profile) -> dict[str, hx.methods.FanovaImportance]:
    """Return the functional ANOVA on each data set."""
    work = [(name, profile.seed, profile.size(80, 400)) for name in DATA_SETS]
    found = {}
    for name, run in zip(DATA_SETS, profile.repeated(searched, work), strict=True):
        forest = run.surrogate(kind="forest", n_trees=32, seed=0)
        found[name] = hx.methods.FanovaExplainer(forest, seed=0).explain(order=1)
    return found


BASIS = "a space of scikit-learn's models on its data sets instead of Auto-WEKA's"


@experiment("fanova", "table1", "What matters most in a space of models", basis=BASIS)
def table_1(profile: Profile) -> Found:
    """Name the most important hyperparameter of each data set."""
    rows = []
    for name, result in importances(profile).items():
        first, second = result.to_frame()["importance"].nlargest(2).items()
        rows.append(
            finding(f"{name}: the model class matters most", first[0] == "class",
                    f"{first[0]} {first[1]:.0%}, then {second[0]} {second[1]:.0%}",
                    "class, 31 to 58 %")
        )  # fmt: skip
    return Found((*rows, needs("the paper's five data sets", WEKA)))


@experiment("fanova", "figure4", "Marginals of the model class on two data sets", basis=BASIS)
def figure_4(profile: Profile) -> Found:
    """Draw the marginals, and compare their orders."""
    figure, axes = panels(1, len(DATA_SETS), height=2.4)
    means = {}
    for ax, (name, result) in zip(axes[0], importances(profile).items(), strict=True):
        marginal = result.marginal("class")
        means[name] = dict(zip(marginal.grid, marginal.mean, strict=True))
        ax.bar(range(len(marginal.mean)), marginal.mean, yerr=marginal.std, color=GREY)
        ax.set_xticks(range(len(marginal.mean)), marginal.grid, fontsize=5, rotation=60)
        ax.set_title(f"error, {name}", fontsize=8)
    orders = {name: sorted(mean, key=mean.__getitem__) for name, mean in means.items()}
    return Found(
        (
            finding("the best classes differ between data sets",
                    len({tuple(order[:3]) for order in orders.values()}) > 1,
                    "; ".join(f"{name}: {', '.join(order[:3])}" for name, order in orders.items())),
            needs("CIFAR-10 and MNIST", WEKA),
        ),
        figure,
    )  # fmt: skip
