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
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn import datasets, ensemble, linear_model, naive_bayes, neighbors, svm, tree
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hpo_explain as hx
from examples.papers.drawing import GREY
from examples.papers.frame import Profile, Sheet, experiment
from hpo_explain.methods.importance.fanova_result import FanovaImportance

CLASSES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "svm": lambda c: svm.SVC(C=c["C"], gamma=c["gamma"]),
    "forest": lambda c: ensemble.RandomForestClassifier(c["trees"], random_state=0),
    "neighbours": lambda c: neighbors.KNeighborsClassifier(c["neighbours"]),
    "linear": lambda c: linear_model.SGDClassifier(alpha=c["alpha"], random_state=0),
    "bayes": lambda c: naive_bayes.GaussianNB(),
    "tree": lambda c: tree.DecisionTreeClassifier(max_depth=c["depth"], random_state=0),
}
SPACE = hx.SearchSpace(
    [
        hx.CategoricalParameter("class", list(CLASSES)),
        hx.FloatParameter("features", 0.1, 1.0),
        hx.FloatParameter("C", 1e-2, 1e3, log=True, active_when={"class": ["svm"]}),
        hx.FloatParameter("gamma", 1e-4, 1e1, log=True, active_when={"class": ["svm"]}),
        hx.IntParameter("trees", 2, 30, active_when={"class": ["forest"]}),
        hx.IntParameter("neighbours", 1, 20, active_when={"class": ["neighbours"]}),
        hx.FloatParameter("alpha", 1e-5, 1e0, log=True, active_when={"class": ["linear"]}),
        hx.IntParameter("depth", 1, 10, active_when={"class": ["tree"]}),
    ]
)
DATA_SETS = ("wine", "breast_cancer", "digits")
WEKA = "runs of SMAC in Auto-WEKA's space (Thornton et al. 2013), which are no longer published"


def searched(name: str, n: int, seed: int) -> hx.Run:
    """Return random trials on a data set: the error of two-fold cross-validation."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    rows = np.random.default_rng(seed).permutation(len(y))[:300]
    trials = SPACE.sample(n, seed=seed)
    errors = []
    for config in SPACE.decode(trials):
        kept = max(1, round(config["features"] * X.shape[1]))
        chosen = CLASSES[config["class"]](config)
        model = make_pipeline(StandardScaler(), SelectKBest(k=kept), chosen)
        with warnings.catch_warnings():
            # constant pixels, and steps that do not converge
            warnings.simplefilter("ignore")
            errors.append(1.0 - cross_val_score(model, X[rows], y[rows], cv=2).mean())
    return hx.Run(SPACE, trials, errors, "minimize", objective_name="error")


@cache
def importances(profile: Profile) -> dict[str, list[FanovaImportance]]:
    """Return the functional ANOVA of repeated searches on each data set."""
    settings = [(name, profile.size(80, 400)) for name in DATA_SETS]
    searches = profile.over_seeds(searched, settings, 5, 8)
    return {
        name: [explained(run) for run in runs]
        for name, runs in zip(DATA_SETS, searches, strict=True)
    }


def explained(run: hx.Run) -> FanovaImportance:
    """Return the functional ANOVA of a forest."""
    forest = run.surrogate(kind="forest", n_trees=32, seed=0)
    return hx.methods.FanovaExplainer(forest, seed=0).explain(order=1)


BASIS = "a space of scikit-learn's models on its data sets instead of Auto-WEKA's"
of_models = partial(experiment, "fanova", data=importances, basis=BASIS)


@of_models("table1", "What matters most in a space of models", cells=15)
def table_1(sheet: Sheet, found: dict[str, list[FanovaImportance]]) -> None:
    """Name the most important hyperparameter of each data set."""
    for name, results in found.items():
        shares = [result.to_frame()["importance"] for result in results]
        margins = [one["class"] - one.drop("class").max() for one in shares]
        mean = sum(shares) / len(shares)
        first, second = mean.nlargest(2).items()
        sheet.finding(
            f"{name}: the model class matters most",
            margins,
            "{} {:.0%}, then {} {:.0%}".format(*first, *second),
            "class, 31 to 58 %",
        )
    sheet.needs("the three largest of five data sets", WEKA, 15)


@of_models("figure4", "Marginals of the model class on two data sets")
def figure_4(sheet: Sheet, found: dict[str, list[FanovaImportance]]) -> None:
    """Draw the marginals, and compare their orders."""
    axes = sheet.panels([f"error, {name}" for name in DATA_SETS], height=2.4)
    best: dict[str, list[str]] = {}
    for ax, (name, results) in zip(axes, found.items(), strict=True):
        marginal = results[0].marginal("class")
        ax.bar(marginal.grid, marginal.mean, yerr=marginal.std, color=GREY)
        ax.tick_params("x", labelsize=5, rotation=60)
        best[name] = [
            ", ".join(one.grid[k] for k in np.argsort(one.mean)[:3])
            for one in (result.marginal("class") for result in results)
        ]
    orders = zip(*best.values(), strict=True)
    sheet.in_most(
        "the best classes differ between data sets",
        [len({*order}) > 1 for order in orders],
        ", the first: " + "; ".join(f"{name}: {some[0]}" for name, some in best.items()),
    )
    sheet.needs("CIFAR-10 and MNIST", WEKA)
