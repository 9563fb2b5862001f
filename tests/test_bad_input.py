"""What users get wrong: errors say which argument, what it was, what is wrong, and the remedy.

``REFUSED`` has a row (call, argument, value) per mistake, under the public name that refuses it.
Whatever is added to the package and refuses input gets its rows there; a method stands under its
class. ``ANY`` stands for a value that is not compared: a model, a table.
"""

import inspect
import math
from dataclasses import replace
from unittest.mock import ANY

import numpy as np
import optuna
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.model_selection import GridSearchCV

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.base.subject import Subject
from hpo_explain.methods._engines.background import l1_neighbourhood
from hpo_explain.models.columns import KernelColumns, OrderedColumns
from hpo_explain.models.densities.kernels import CategoryKernels
from hpo_explain.models.densities.mixture import ProductMixture
from hpo_explain.models.densities.ratio import DensityBlock, DensityRatio
from hpo_explain.space import Range
from tests.analytic import AnalyticSurrogate, nested_space, unit_cube
from tests.handmade import explanation
from tests.public import names, public
from tests.test_wrong_values import FUNCTIONS


def study_of(n_trials, objective=None, **options):
    sampler = optuna.samplers.TPESampler(seed=0)
    study = optuna.create_study(sampler=sampler, **options)
    study.optimize(objective or (lambda trial: trial.suggest_float("x", 0, 1)), n_trials=n_trials)
    return study


def with_failures():
    def sometimes(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number == 12:
            raise RuntimeError
        return x

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(sometimes, n_trials=15, catch=(RuntimeError,))
    study.ask()  # trial 15 is never told
    return study


def two_objectives():
    return study_of(
        15, lambda trial: (trial.suggest_float("x", 0, 1), 1.0), directions=["minimize", "maximize"]
    )


TABLE = pd.DataFrame({"x": np.linspace(0, 1, 12), "loss": np.linspace(1, 2, 12) ** 2})
SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
X, Y = TABLE[["x"]].to_numpy(), TABLE["loss"].to_numpy()
RUN = hx.Run(SPACE, X, Y, "minimize")
REPEATED = hx.Run(SPACE, [[0.1], [0.1], [0.9], [0.9]], [1.0, 1.2, 3.0, 2.9], "minimize")
TREES = RUN.surrogate(kind="forest")
CURVED = replace(RUN, curves=hx.run.Curves(range(12), X, [1, 2], np.column_stack([Y, Y])))
NESTED = nested_space()
CONFIG = {"optimizer": "lion", "n_layers": 1, "units_0": 8, "lr": 1e-3}
MODEL = AnalyticSurrogate(SPACE, lambda X: X[:, 0], 0.1)
BOUND = hx.models.LowerConfidenceBound(MODEL)
FOREST = RandomForestRegressor(2, random_state=0).fit(X, Y)
NAN = math.nan


def space_of(**active_when):
    """A space whose hyperparameter "y" depends on the others."""
    return hx.SearchSpace(
        [
            hx.FloatParameter("x", 0, 1),
            hx.CategoricalParameter("c", ["a"]),
            hx.IntParameter("k", 1, 3),
            hx.FloatParameter("y", 0, 1, active_when=active_when),
        ]
    )


def circle():
    return hx.SearchSpace(
        [
            hx.IntParameter("a", 1, 2, active_when={"b": [1]}),
            hx.IntParameter("b", 1, 2, active_when={"a": [1]}),
        ]
    )


def ratio_of(*columns):
    even = ProductMixture(np.array([1.0]), (CategoryKernels(np.array([[0.5, 0.5]])),))
    return DensityRatio(SPACE, [DensityBlock(c, even, even) for c in columns])


class Model:
    """A surrogate of somebody's own, which returns what it was told to."""

    space = SPACE

    def __init__(self, *returned):
        self.returned = returned

    def predict(self, X):
        parts = [part * np.ones(len(X)) if np.isscalar(part) else part for part in self.returned]
        return parts[0] if len(parts) == 1 else tuple(parts)


def forest_of(model, y):
    return hx.models.ForestSurrogate(SPACE, model.fit(X, y))


def process_of(space, y):
    gp = GaussianProcessRegressor(optimizer=None)
    return hx.models.GaussianProcessSurrogate(space, gp.fit(X, y))


def shapley_of(model):
    return hx.methods.ShapleyExplainer(hx.models.LowerConfidenceBound(model), background=10)


REFUSED = {
    # ------------------------------------------------------------------ the search space
    "FloatParameter": [
        (lambda: Range(1, 1), "high of Range", 1.0),
        (lambda: Range("a"), "low of Range", "a"),
        (lambda: Range(high=NAN), "high of Range", NAN),
        (lambda: hx.FloatParameter("", 0, 1), "name", ""),
        (lambda: hx.FloatParameter("x", 2, 1), "low of 'x'", 2.0),
        (lambda: hx.FloatParameter("x", -1e308, 1e308), "range of 'x'", (-1e308, 1e308)),
        (lambda: hx.FloatParameter("x", NAN, 1), "low of 'x'", NAN),
        (lambda: hx.FloatParameter("x", "0", 1), "low of 'x'", "0"),
        (lambda: hx.FloatParameter("x", 0, 1, log=True), "low of 'x'", 0.0),
        (lambda: hx.FloatParameter("x", 0, 1, step=0), "step of 'x'", 0.0),
        (lambda: hx.FloatParameter("x", 1, 2, log=True, step=0.1), "step of 'x'", 0.1),
        (lambda: hx.FloatParameter("x", 0, 1, optional=0), "optional of 'x'", 0),
        (
            lambda: hx.FloatParameter("x", 0, 1, active_when={"c": "dart"}),
            "active_when of 'x'",
            "dart",
        ),
        (lambda: hx.FloatParameter("x", 0, 1, active_when={"c": []}), "active_when of 'x'", ()),
    ],
    "IntParameter": [
        (lambda: hx.IntParameter("k", 5, 1), "low of 'k'", 5),
        (lambda: hx.IntParameter("k", 1.5, 3), "low of 'k'", 1.5),
        (lambda: hx.IntParameter("k", True, 3), "low of 'k'", True),
        (lambda: hx.IntParameter("k", 1, 2**60), "high of 'k'", 2**60),
        (lambda: hx.IntParameter("k", 1, 9, log=True, step=2), "step of 'k'", 2),
    ],
    "CategoricalParameter": [
        (lambda: hx.CategoricalParameter("c", []), "choices of 'c'", ()),
        (lambda: hx.CategoricalParameter("c", "abc"), "choices of 'c'", "abc"),
        (lambda: hx.CategoricalParameter("c", ["a", "b", "a"]), "choices of 'c'", "a"),
        (lambda: hx.CategoricalParameter("c", [NAN, NAN]), "choices of 'c'", NAN),
        (lambda: hx.CategoricalParameter("c", ["a"]).encode(["b"]), "c", "b"),
    ],
    "SearchSpace": [
        (lambda: hx.SearchSpace([]), "parameters", ()),
        (lambda: hx.SearchSpace(["lr"]), "parameters", "lr"),
        (lambda: hx.SearchSpace([*SPACE, *SPACE]), "parameters", ["x"]),
        (lambda: space_of(boster=["dart"]), "active_when of 'y'", "boster"),
        (lambda: space_of(x=[0]), "active_when of 'y'", [0]),
        (lambda: space_of(x=Range(2)), "active_when of 'y'", Range(2)),
        (lambda: space_of(c=Range(2)), "active_when of 'y'", Range(2)),
        (lambda: space_of(c=["b"]), "active_when of 'y'", "b"),
        (lambda: space_of(k=[4]), "active_when of 'y'", 4),
        (circle, "active_when", ["a", "b"]),
        (lambda: NESTED.index("momentun"), "name", "momentun"),
        (lambda: NESTED.encode({**CONFIG, "lrr": 1}), "configs", "lrr"),
        (lambda: NESTED.encode({**CONFIG, "lr": 1.0}), "lr", 1.0),
        (lambda: NESTED.encode({**CONFIG, "optimizer": "adamw"}), "optimizer", "adamw"),
        (lambda: NESTED.encode([CONFIG, {**CONFIG, "lr": None}]), "lr", None),
        (lambda: NESTED.encode([{**CONFIG, "units_1": 8}]), "units_1", ANY),
        (lambda: NESTED.encode([CONFIG, 3]), "configs", 3),
        (lambda: NESTED.decode(np.zeros((2, 3))), "X", np.zeros((2, 3))),
        (lambda: NESTED.project([CONFIG]), "X", ANY),
        (lambda: NESTED.from_latent(np.zeros((1, 2))), "U", np.zeros((1, 2))),
        (lambda: SPACE.decode([[1.5]]), "X", 1.5),
        (lambda: hx.SearchSpace([NESTED["optimizer"]]).decode([[0], [-1]]), "X", -1.0),
        (lambda: NESTED.sample(0), "n", 0),
        (lambda: NESTED.sample(3, method="sobol"), "method", "sobol"),
    ],
    # ------------------------------------------------------------------ surrogates
    "ForestSurrogate": [
        (lambda: hx.models.ForestSurrogate(SPACE, RandomForestRegressor()), "forest", ANY),
        (lambda: hx.models.ForestSurrogate(unit_cube(2), FOREST), "forest", FOREST),
        (lambda: forest_of(RandomForestRegressor(2), np.c_[Y, Y]), "forest", ANY),
        (lambda: forest_of(RandomForestRegressor(2, criterion="absolute_error"), Y), "forest", ANY),
        (lambda: forest_of(RandomForestClassifier(2), Y > 2), "forest", ANY),
        (lambda: forest_of(GradientBoostingRegressor(n_estimators=2), Y), "forest", ANY),
        (lambda: hx.models.ForestSurrogate(SPACE, FOREST).tuned(), "forest", FOREST),
        (lambda: hx.models.ForestSurrogate.fit(SPACE, X, Y, n_trees=0), "n_trees", 0),
        (
            lambda: hx.models.ForestSurrogate(SPACE, FOREST).predict(np.zeros((2, 3))),
            "X",
            np.zeros((2, 3)),
        ),
        (lambda: OrderedColumns(SPACE, X, Y)(np.zeros((3, 2))), "X", np.zeros((3, 2))),
    ],
    "ModelSurrogate": [(lambda: hx.models.ModelSurrogate(SPACE, "gp"), "model", "gp")],
    "GaussianProcessSurrogate": [
        (lambda: hx.models.GaussianProcessSurrogate(SPACE, GaussianProcessRegressor()), "gp", ANY),
        (lambda: process_of(unit_cube(3), Y), "gp", ANY),
        (lambda: process_of(SPACE, np.c_[Y, -Y]), "gp", ANY),
        (lambda: RUN.surrogate().predict(np.zeros((3, 5))), "X", np.zeros((3, 5))),
        (lambda: RUN.surrogate().posterior_covariance(np.zeros(2)), "X", np.zeros(2)),
        (lambda: KernelColumns(NESTED)(np.zeros((3, 2))), "X", np.zeros((3, 2))),
    ],
    # ------------------------------------------------------------------ acquisition functions
    "LowerConfidenceBound": [
        (lambda: hx.models.LowerConfidenceBound(MODEL, kappa=-1), "kappa", -1),
        (lambda: hx.models.LowerConfidenceBound(MODEL, kappa="2"), "kappa", "2"),
        (lambda: hx.models.LowerConfidenceBound(MODEL, direction="min"), "direction", "min"),
    ],
    "ExpectedImprovement": [
        (lambda: hx.models.ExpectedImprovement(MODEL, best=NAN), "best", NAN),
        (lambda: hx.models.ExpectedImprovement(MODEL, best=0, xi=NAN), "xi", NAN),
        (
            lambda: hx.models.ProbabilityOfImprovement(MODEL, best=0, direction=None),
            "direction",
            None,
        ),
        (lambda: hx.models.LogExpectedImprovement(MODEL, best=math.inf), "best", math.inf),
    ],
    "DensityRatio": [
        (lambda: ratio_of((0,), (0,)), "blocks", [(0,), (0,)]),
        (lambda: ratio_of((7,)), "blocks", [(7,)]),
        (lambda: ratio_of((0,)).candidates(0), "n", 0),
    ],
    # ------------------------------------------------------------------ runs
    "Run": [
        (lambda: hx.Run(SPACE, X, ["good"] * 12, "minimize"), "objective", ANY),
        (lambda: hx.methods.sampling_bias(RUN, size=1), "size", 1),
    ],
    "Instances": [
        (lambda: hx.run.Instances(X=[["a"]], objective=[1.0], index=[0], names=("i",)), "X", ANY)
    ],
    "from_frame": [
        (lambda: hx.from_frame(TABLE, objective="los"), "objective", "los"),
        (lambda: hx.from_frame(TABLE, objective="loss", direction="min"), "direction", "min"),
        (lambda: hx.from_frame(TABLE, objective="loss", initial=-1), "initial", -1),
        (lambda: hx.from_frame(TABLE, objective="loss", proposed="lr?"), "proposed", "lr?"),
    ],
    "from_hyperopt": [(lambda: hx.from_hyperopt(TABLE), "trials", "DataFrame")],
    "from_sklearn": [(lambda: hx.from_sklearn(GridSearchCV(None, {})), "search", "GridSearchCV")],
    "from_ax": [(lambda: hx.from_ax(TABLE), "client", "DataFrame")],
    "from_keras_tuner": [(lambda: hx.from_keras_tuner(TABLE), "tuner", "DataFrame")],
    "from_flaml": [(lambda: hx.from_flaml(TABLE), "analysis", "DataFrame")],
    "from_ray": [(lambda: hx.from_ray(TABLE), "results", "DataFrame")],
    "from_smac": [(lambda: hx.from_smac(TABLE), "smac", "DataFrame")],
    "from_optuna": [
        (lambda: hx.from_optuna(study_of(3), pruned="some"), "pruned", "some"),
        (lambda: hx.from_optuna(study_of(3), infeasible="some"), "infeasible", "some"),
        (lambda: hx.from_optuna(two_objectives(), target=-1), "target", -1),
    ],
    # ------------------------------------------------------------------ explainers
    "ShapleyExplainer": [
        (lambda: hx.methods.ShapleyExplainer(BOUND, estimator="fast"), "estimator", "fast")
    ],
    "PredictionExplainer": [
        (lambda: hx.methods.PredictionExplainer(MODEL, direction="down"), "direction", "down")
    ],
    "FanovaExplainer": [
        (lambda: hx.methods.FanovaExplainer(RUN.surrogate(), direction="up"), "direction", "up"),
        (lambda: hx.methods.FanovaExplainer(TREES).explain(given={"y": [0]}), "given", "y"),
    ],
    "PartialDependenceExplainer": [
        (lambda: hx.methods.PartialDependenceExplainer(MODEL, grid_size=1), "grid_size", 1),
        (lambda: hx.methods.PartialDependenceExplainer(MODEL).explain(0), "names", 0),
    ],
    "RegionalPartialDependenceExplainer": [
        (lambda: hx.methods.RegionalPartialDependenceExplainer(MODEL, min_leaf=0), "min_leaf", 0)
    ],
    "publish": [
        (lambda: hx.publish(RUN), "study", RUN),
        (lambda: hx.publish(RUN, to="mlflow"), "to", "mlflow"),
    ],
    "report": [
        (lambda: hx.report(RUN, "never.html", sections=["importanc"]), "sections", "importanc"),
        (lambda: hx.report(RUN, "never.html", n_jobs=0), "n_jobs", 0),
    ],
    "watch": [
        (lambda: hx.watch(RUN, "never.html", every=0), "every", 0),
        (lambda: hx.watch(TABLE, "never.html", objective="los"), "objective", "los"),
    ],
    "what_if": [(lambda: hx.what_if(TABLE, objective="los"), "objective", "los")],
    "AblationExplainer": [
        (lambda: hx.methods.AblationExplainer(MODEL, direction="down"), "direction", "down")
    ],
    "LocalImportanceExplainer": [
        (lambda: hx.methods.LocalImportanceExplainer(MODEL, direction="down"), "direction", "down"),
        (
            lambda: hx.methods.LocalImportanceExplainer(MODEL, subject=Subject(NESTED)).explain(
                {"x": 0.5}
            ),
            "subject",
            ANY,
        ),
        (lambda: hx.methods.local_importance(RUN).share("y"), "name", "y"),
    ],
    "LimeExplainer": [(lambda: hx.methods.LimeExplainer(MODEL, model="spline"), "model", "spline")],
    "InteractionExplainer": [
        (lambda: hx.methods.InteractionExplainer(MODEL, direction="down"), "direction", "down")
    ],
    "noise": [(lambda: hx.methods.noise(REPEATED, kind="tree"), "kind", "tree")],
    "check_sample_size": [
        (
            lambda: hx.methods.check_sample_size(explanation([[1.0, 0.0]]), "thesis"),
            "error",
            "thesis",
        )
    ],
    "local_background": [
        (
            lambda: hx.methods.local_background(SPACE, {"x": 0.5}, 5, radius="wide"),
            "radius",
            "wide",
        ),
        (lambda: l1_neighbourhood(SPACE, X, {"x": 0.5}, n=0), "n", 0),
    ],
    "hybrid_background": [(lambda: hx.methods.hybrid_background(SPACE, {"x": 0.5}, 1), "n", 1)],
    "shapley_interactions": [(lambda: hx.methods.shapley_interactions(RUN, order=0), "order", 0)],
    "tunability": [(lambda: hx.methods.tunability(RUN, order=0), "order", 0)],
    "Curves": [
        (lambda: hx.run.Curves([0, 0], [[0.1], [0.2]], [1], [[1.0], [2.0]]), "trials", ANY),
        (lambda: hx.run.Curves([0], [[0.1]], [2, 1], [[1.0, 2.0]]), "steps", ANY),
        (lambda: hx.run.Curves([0], [[0.1]], [1, 2], [[1.0]]), "values", ANY),
    ],
}

ROWS = [
    pytest.param(*row, id=f"{name}-{i}")
    for name, rows in REFUSED.items()
    for i, row in enumerate(rows)
]


@pytest.mark.parametrize(("call", "argument", "value"), ROWS)
def test_an_error_carries_argument_value_problem_and_remedy(call, argument, value):
    with pytest.raises(InputError) as caught:
        call()
    error = caught.value
    assert error.argument == argument
    assert error.problem
    assert not error.problem.endswith(".")
    assert not error.remedy or error.remedy.endswith(".")
    assert str(error) == f"{argument} {error.problem}. {error.remedy}".rstrip()
    if value is not ANY:
        assert repr(error.value) == repr(value)  # NaN is NaN, and True is not 1
        assert all(part in str(error) for part in shown(value))


def shown(value):
    """What a text says of a value: the shape of an array, each entry of a list."""
    if isinstance(value, np.ndarray):
        return [str(value.shape)]
    if isinstance(value, (list, tuple)):
        return [str(entry) for entry in value]
    return [repr(value)] if isinstance(value, (str, int, float)) else []


# Errors without attributes: (call, words of the text). A row whose error becomes an InputError
# moves to REFUSED.
TEXTS = {
    "a surrogate for an acquisition": (
        lambda: hx.methods.ShapleyExplainer(RUN.surrogate()),
        ["acquisition must be an acquisition function", "has no terms", "LowerConfidenceBound"],
    ),
    "a quantile at the best objective": (
        lambda: hx.importance(
            hx.Run(SPACE, RUN.X, np.r_[np.zeros(9), 1.0, 2.0, 3.0], "minimize"), cap="50%"
        ),
        ["cap is '50%'", "is the best objective itself", "larger quantile"],
    ),
    "a surrogate that predicts nothing": (
        lambda: shapley_of(Model(np.nan, 0.1)),
        ["surrogate of acquisition", "predict(X)", "mean is nan"],
    ),
    "a surrogate without uncertainty": (
        lambda: hx.methods.PartialDependenceExplainer(Model(1.0, None)),
        ["surrogate must", "predict(X)", "standard deviation has shape ()"],
    ),
    "an empty study": (lambda: hx.from_optuna(optuna.create_study()), ["study", "no", "trial"]),
    "a trial that has chosen nothing yet": (
        lambda: hx.explain_proposal(with_failures(), 15),
        ["trial 15 is running", "no value of any hyperparameter"],
    ),
    "a trial that failed, among finished ones": (
        lambda: hx.methods.desirability_path(with_failures(), [99]),
        ["trial 99 does not exist", "0-11, 13-14"],
    ),
    "a trial of the initial design": (
        lambda: hx.explain_proposal(study_of(14), 3),
        ["trial 3", "initial design", "Proposals: 10-13"],
    ),
    "a constant objective": (
        lambda: hx.explain_proposal(
            study_of(14, lambda trial: 0 * trial.suggest_float("x", 0, 1) + 0.5), 12
        ),
        ["constant", "0.5", "nothing to explain"],
    ),
    "a frame without saying what the objective is": (
        lambda: hx.trust(TABLE.rename(columns={"loss": "y"})),
        ["objective is missing", "Give objective='"],
    ),
    "an objective that is no number": (
        lambda: hx.from_frame(TABLE.assign(loss="good"), objective="loss"),
        ["objective", "'loss'", "good"],
    ),
}


@pytest.mark.parametrize(("call", "words"), TEXTS.values(), ids=TEXTS.keys())
def test_a_text_names_what_is_wrong_and_the_remedy(call, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are checked below
        call()
    text = str(caught.value)
    for word in words:
        assert word in text
    assert text.strip().endswith((".", ")"))


# No row yet: their errors have no attributes, or are among TEXTS.
TO_COME = {"from_skopt"}


def test_every_public_name_that_refuses_input_has_a_row():
    """Functions of runs are called with wrong values of each option by `test_wrong_values`."""
    refusing = {
        name for name in names() if "\nRaises\n------\n" in (inspect.getdoc(public(name)) or "")
    }
    assert refusing - {*REFUSED} - {*FUNCTIONS} == TO_COME
