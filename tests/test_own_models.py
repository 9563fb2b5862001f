"""A model of the user's own is explained by every function in place of one fitted to the run."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hpo_explain as hx
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.noted import noted, the_note
from tests.public import functions, public

few_draws = pytest.mark.usefixtures("few_draws_here")

SPACE = unit_cube(2)
X = SPACE.sample(30, seed=0)
RUN = hx.Run(SPACE, X, X[:, 0] ** 2, "minimize")  # x1 alone matters
# to this model x2 alone does
OWN = AnalyticSurrogate(SPACE, lambda X: X[:, 1], 0.1)
NO_MODEL = {
    "Analysed",
    "compare",
    "density_path",
    "guide",
    "history",
    "luck",  # of what the belief says
    "noise",
    "pareto",  # a model for each objective
    "proposal_densities",
    "pruning",
    "publish",
    "sampling_bias",
    "timeline",
    "summary",  # of what the belief says
    "trust",  # in the belief
}


@pytest.mark.parametrize("name", sorted({*functions(), "report"} - NO_MODEL))
def test_every_function_that_explains_a_model_takes_one(name):
    takes_one = "surrogate" in inspect.signature(public(name)).parameters
    assert takes_one, "it takes a model, or is named in NO_MODEL of tests/test_own_models.py"


# ---------------------------------------------------------------------- what is explained


def test_effects_are_those_of_the_model_given():
    effect = hx.partial_dependence(RUN, "x2", surrogate=OWN, sample=40)
    np.testing.assert_allclose(effect.mean, effect.grid)
    np.testing.assert_allclose(hx.partial_dependence(RUN, "x1", surrogate=OWN).std, 0.1)
    regions = hx.partial_dependence(RUN, "x2", regions=True, surrogate=OWN, sample=40).regions
    np.testing.assert_allclose(regions[0].effect.mean, regions[0].effect.grid)
    both = AnalyticSurrogate(SPACE, lambda X: X[:, 0] * X[:, 1])
    assert hx.methods.h_statistic(RUN, surrogate=both).to_frame()["H"].max() > 0.1
    assert hx.methods.h_statistic(RUN, surrogate=OWN).to_frame()["H"].max() < 1e-6


@few_draws
def test_importance_is_that_of_the_model_given():
    found = hx.importance(RUN, surrogate=OWN)
    assert found.share("x2") > 0.99
    assert found.subject.model == "a model of yours"
    assert hx.importance(RUN).share("x1") > 0.9


def test_around_a_configuration_it_is_the_model_given():
    steps = hx.changes(RUN, {"x1": 0.9, "x2": 0.9}, {"x1": 0.1, "x2": 0.1}, surrogate=OWN)
    gains = steps.to_frame()["contribution"]
    np.testing.assert_allclose([gains["x1"], gains["x2"]], [0.0, 0.8], atol=1e-9)
    assert hx.methods.local_importance(RUN, surrogate=OWN).subject.model == "a model of yours"
    first, second = hx.methods.lime(RUN, surrogate=OWN).statements
    assert (first.names, second.names) == (("x2",), ("x1",))
    assert abs(second.effect) < 1e-9 < abs(first.effect)
    found = hx.explain_prediction(RUN, 3, surrogate=OWN, background=20)
    np.testing.assert_allclose(found.phi[0], 0.0, atol=1e-9)
    many = hx.methods.explain_predictions(RUN, [1, 2], surrogate=OWN, background=20)
    assert many.subject.model == "a model of yours"


def test_where_to_search_on_is_that_of_the_model_given():
    model = hx.models.GaussianProcessSurrogate.fit(SPACE, X, (X[:, 1] - 0.1) ** 2)
    space = hx.recommended_space(RUN, surrogate=model).space
    assert space["x2"].high < 0.8
    assert space["x1"].high - space["x1"].low > 0.8


@pytest.mark.merge
@few_draws
def test_advice_is_that_of_the_model_given():
    some = X[:12]  # so few leave something to gain
    model = hx.models.GaussianProcessSurrogate.fit(SPACE, some, (some[:, 1] - 0.1) ** 2)
    actions = {action.kind: action for action in hx.advise(RUN, surrogate=model, n=5).actions}
    assert actions["narrow"].hyperparameters == ("x2",)
    assert min(abs(config["x2"] - 0.1) for config in actions["try"].configurations) < 0.05


# ---------------------------------------------------------------------- whatever predicts


def by_function(X):
    return X[:, 1], np.full(len(X), 0.1)


CLASSES = {
    "partial dependence": lambda model: hx.methods.PartialDependenceExplainer(
        model, space=SPACE, sample=20, grid_size=4
    ).explain("x2"),
    "regions": lambda model: hx.methods.RegionalPartialDependenceExplainer(
        model, space=SPACE, sample=40, grid_size=4, criterion="interaction"
    ).explain("x2"),
    "fanova": lambda model: hx.methods.FanovaExplainer(model, space=SPACE, n_trees=4).explain(),
    "interactions": lambda model: hx.methods.InteractionExplainer(model, space=SPACE).explain(),
    "ablation": lambda model: hx.methods.AblationExplainer(model, space=SPACE).explain(
        {"x1": 0.1, "x2": 0.1}, {"x1": 0.9, "x2": 0.9}
    ),
    "local importance": lambda model: hx.methods.LocalImportanceExplainer(
        model, space=SPACE
    ).explain({"x1": 0.5, "x2": 0.5}),
    "lime": lambda model: hx.methods.LimeExplainer(model, space=SPACE).explain(
        {"x1": 0.5, "x2": 0.5}
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_takes_a_model_beside_a_space(name):
    linear = LinearRegression().fit(X, X[:, 1])
    for model in (by_function, linear, lambda X: X[:, 1]):
        assert CLASSES[name](model) is not None


def test_a_model_without_a_space_is_told_to_have_one_beside_it():
    with pytest.raises(hx.base.InputError, match=r"Give space=run\.space beside"):
        hx.methods.PartialDependenceExplainer(LinearRegression().fit(X, X[:, 1]))


def test_a_function_is_a_model_and_has_the_width_it_returns():
    effect = hx.partial_dependence(RUN, "x2", surrogate=by_function, sample=40)
    np.testing.assert_allclose(effect.mean, effect.grid)
    np.testing.assert_allclose(effect.std, 0.1)
    bare = hx.partial_dependence(RUN, "x2", surrogate=lambda X: X[:, 1], sample=40)
    assert noted(bare.notes, "has no uncertainty") or np.isnan(bare.std).all()


def fitted_process():
    """A Gaussian process of BoTorch, fitted on the run."""
    torch = pytest.importorskip("torch")
    models = pytest.importorskip("botorch.models")
    y = torch.tensor((X[:, 1] ** 2)[:, None])
    return models.SingleTaskGP(torch.tensor(X), y, torch.full_like(y, 1e-4))


@pytest.mark.merge
def test_a_joint_posterior_is_that_of_botorch():
    model = fitted_process()
    surrogate = hx.models.as_surrogate(model, SPACE)
    rows = SPACE.sample(6, seed=3)
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        posterior = model.posterior(torch.tensor(rows))
    mean, std = surrogate.predict(rows)
    np.testing.assert_allclose(mean, posterior.mean.numpy()[:, 0])
    covariance = posterior.distribution.covariance_matrix.numpy()
    np.testing.assert_allclose(surrogate.posterior_covariance(rows), covariance, atol=1e-9)
    np.testing.assert_allclose(std**2, np.diag(covariance), atol=1e-9)
    both = surrogate.covariance_with(rows[:2], rows[2:])
    np.testing.assert_allclose(both, covariance[:2, 2:], atol=1e-6)
    # the mean over rows scatters as their covariance says
    of_mean = surrogate.std_of_mean(rows, np.array([0]), np.array([[0.2], [0.7]]))
    moved = rows.copy()
    moved[:, 0] = 0.7
    expected = np.sqrt(surrogate.posterior_covariance(moved).mean())
    assert of_mean[1] == pytest.approx(expected)


@pytest.mark.merge
@few_draws
def test_a_model_of_botorch_decides_what_is_certain():
    model = fitted_process()
    found = hx.importance(RUN, surrogate=model)
    assert found.share("x2") > 0.9
    assert any(claim.certain for claim in found.claims)
    assert CLASSES["partial dependence"](model).std.max() > 0.0


def test_proposals_of_a_run_keep_the_model_of_their_time():
    explained = RUN.explained_by(OWN)
    assert explained.surrogate() is OWN
    assert explained.surrogate(before=12).label == RUN.surrogate(before=12).label
    assert explained.surrogate(kind="forest").label == "a forest"


# ---------------------------------------------------------------------- what is taken


def fitted(model):
    return model.fit(X, X[:, 1])


def test_a_gaussian_process_of_scikit_learn_is_wrapped_by_itself():
    gp = fitted(GaussianProcessRegressor(alpha=1e-4, optimizer=None))
    found = RUN.explained_by(gp).surrogate()
    assert isinstance(found, hx.models.GaussianProcessSurrogate)
    mean, std = gp.predict(X, return_std=True)
    np.testing.assert_allclose(found.predict(X)[0], mean, atol=1e-9)
    np.testing.assert_allclose(found.predict(X)[1], std, atol=1e-6)


def test_a_forest_of_scikit_learn_is_wrapped_by_itself():
    forest = fitted(RandomForestRegressor(5, random_state=0))
    found = RUN.explained_by(forest).surrogate()
    assert isinstance(found, hx.models.ForestSurrogate)
    np.testing.assert_allclose(found.predict(X)[0], forest.predict(X))
    absolute = fitted(RandomForestRegressor(5, criterion="absolute_error", random_state=0))
    assert isinstance(RUN.explained_by(absolute).surrogate(), hx.models.ModelSurrogate)


def test_whatever_predicts_is_given_the_space():
    ridge = fitted(BayesianRidge())
    found = RUN.explained_by(ridge).surrogate()
    for got, expected in zip(found.predict(X), ridge.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(got, expected)
    boosted = fitted(GradientBoostingRegressor(n_estimators=3))
    mean, std = RUN.explained_by(boosted).surrogate().predict(X)
    np.testing.assert_allclose(mean, boosted.predict(X))
    assert np.isnan(std).all()


def test_a_model_fitted_on_a_table_receives_one_in_the_users_units():
    table = pd.DataFrame({"lr": 10.0 ** np.linspace(-5, -1, 30), "n": np.tile([1, 2, 3], 10)})
    run = hx.from_frame(
        table.assign(loss=table["lr"]), objective="loss", hyperparameters=["lr", "n"]
    )
    columns = table[["n", "lr"]]  # in another order
    for model in (
        make_pipeline(StandardScaler(), LinearRegression()),
        RandomForestRegressor(4, random_state=0),
        GaussianProcessRegressor(alpha=1e-2, optimizer=None),
    ):
        model.fit(columns, table["lr"])
        mean, _ = run.explained_by(model).surrogate().predict(run.X)
        np.testing.assert_allclose(mean, model.predict(columns), rtol=1e-6, atol=1e-9)


def test_what_is_no_model_of_the_run_says_what_to_do():
    other = AnalyticSurrogate(unit_cube(3), 0.0)
    wider = AnalyticSurrogate(hx.SearchSpace([hx.FloatParameter("x1", 0.0, 2.0), SPACE["x2"]]), 0.0)
    for model, problem, remedy in (
        (LinearRegression, "a fitted model", "run.surrogate()"),
        ("gp", "a fitted model", "returns mean and"),
        (RandomForestRegressor(), "must be fitted", "fit"),
        (GaussianProcessRegressor(), "must be fitted", "fit"),
        (LinearRegression(), "not fitted", "run.X"),
        (LinearRegression().fit(np.zeros((3, 5)), [1, 2, 3]), "features", "columns="),
        (other, "is a model of ['x1', 'x2', 'x3']", "run's space"),
        (wider, "other ranges or choices of x1", "run's space"),
    ):
        with pytest.raises(hx.base.InputError) as caught:
            hx.importance(RUN, surrogate=model)
        assert caught.value.argument == "surrogate"
        assert problem in caught.value.problem
        assert remedy in caught.value.remedy


def test_a_model_and_a_kind_of_model_are_two_answers_to_one_question():
    with pytest.raises(hx.base.InputError, match="surrogate is a model itself"):
        hx.importance(RUN, kind="gp", surrogate=OWN)


# ---------------------------------------------------------------------- what is said of it


def test_a_model_without_uncertainty_says_so():
    found = hx.partial_dependence(RUN, "x2", surrogate=LinearRegression().fit(X, RUN.objective))
    assert the_note(found.notes, "your LinearRegression has no uncertainty")
    found = hx.partial_dependence(RUN, "x2", surrogate=BayesianRidge().fit(X, RUN.objective))
    assert not noted(found.notes, "has no uncertainty")


# trials as they are, and advice and paths, which rest on no model of the objective here
SAYS_NOTHING_OF_IT = {"advise", "desirability_path"}


@few_draws
@pytest.mark.parametrize("name", sorted({*functions()} - NO_MODEL - {"optimum"}))
def test_nothing_is_known_with_certainty_by_a_model_without_uncertainty(name):
    model = GradientBoostingRegressor(n_estimators=20, random_state=0)
    run = hx.Run(SPACE, X, RUN.objective, "minimize", proposals=range(10, 30))
    function, more = public(name), {}
    if name == "explain_predictions":
        more["trials"] = [0, 1]
    found = function(run, surrogate=model.fit(X, RUN.objective), **more)
    assert len(noted(found.notes, "has no uncertainty")) == (name not in SAYS_NOTHING_OF_IT)
    assert "has no uncertainty" not in found.sentence  # a note says it
    for claim in found.claims:
        # of integrating, and of how much of the space was tried
        integrated = name in {"explain_proposal", "footprint"}
        assert claim.interval is None or integrated, claim
        assert np.isnan(claim.probability)
    cells = dict(found.cells())
    if "mean" in cells and "std" in cells:  # predictions, and effects
        assert np.isnan(np.asarray(cells["std"], float)).all()
        for end in ("lower", "upper"):
            assert np.isnan(np.asarray(cells.get(end, [np.nan]), float)).all()


def test_no_part_is_known_better_by_a_model_without_uncertainty():
    model = LinearRegression().fit(X, RUN.objective)
    with pytest.raises(hx.base.NothingToExplain, match="no uncertainty"):
        hx.partial_dependence(RUN, "x2", regions=True, surrogate=model)
    shapes = hx.partial_dependence(
        RUN, "x2", regions=True, surrogate=model, criterion="interaction"
    )
    assert not any(claim.certain for claim in shapes.claims)
    shapes.described()


def test_a_model_of_another_scale_says_so():
    for model in (
        BayesianRidge().fit(X, -RUN.objective),
        BayesianRidge().fit(X, 10.0 + RUN.objective),
        BayesianRidge().fit(100.0 * X, RUN.objective),
    ):
        found = hx.partial_dependence(RUN, "x2", surrogate=model)
        assert noted(found.notes, "misses the trials")


def test_a_model_that_predicts_the_mean_does_not_miss_the_trials():
    skewed = hx.Run(
        SPACE, X, np.exp(2.0 * np.random.default_rng(0).standard_normal(30)), "minimize"
    )
    mean = AnalyticSurrogate(SPACE, float(skewed.objective.mean()), 1.0)
    assert skewed.explained_by(mean).model_notes == ()


@pytest.mark.parametrize(
    "explain",
    [hx.explain_prediction, hx.methods.local_importance, hx.changes, hx.methods.lime],
)
def test_a_model_that_has_learned_from_later_trials_knows_the_future(explain):
    note = the_note(
        explain(RUN, before=20, surrogate=RUN.surrogate()).notes, "the model given has learned"
    )
    assert note.trials == tuple(range(20, 30))
    known = explain(RUN, before=20, surrogate=RUN.surrogate(before=20)).notes
    unasked = explain(RUN, surrogate=RUN.surrogate()).notes
    assert not noted([*known, *unasked], "the model given has learned")


# ------------------------------------------------------------------ in whatever form it predicts


class _Own:
    """A model with a space, whose predictions are those of `OWN` in another form."""

    space = SPACE


class Lists(_Own):
    def predict(self, X):
        return [part.tolist() for part in OWN.predict(np.asarray(X))]


class Columns(_Own):
    def predict(self, X):
        return tuple(part[:, None] for part in OWN.predict(np.asarray(X)))


class MayReturnStd(_Own):
    def predict(self, X, return_std=False):
        mean, std = OWN.predict(np.asarray(X))
        return (mean, std) if return_std else mean


class MeanOnly(_Own):
    def predict(self, X):
        return OWN.predict(np.asarray(X))[0]


THETA = {"x1": 0.25, "x2": 0.75}
EXPLAINERS = {
    "PartialDependenceExplainer": lambda model: (
        hx.methods.PartialDependenceExplainer(model, sample=20).explain("x2").mean
    ),
    "RegionalPartialDependenceExplainer": lambda model: (
        hx.methods.RegionalPartialDependenceExplainer(model, sample=60, criterion="interaction")
        .explain("x2")
        .whole.mean
    ),
    "LocalImportanceExplainer": lambda model: (
        hx.methods.LocalImportanceExplainer(model).explain(THETA).variance
    ),
    "AblationExplainer": lambda model: (
        hx.methods.AblationExplainer(model)
        .explain(THETA, {"x1": 0.5, "x2": 0.1})
        .to_frame()["contribution"]
        .to_numpy()
    ),
    "FanovaExplainer": lambda model: (
        hx.methods.FanovaExplainer(model, n_trees=4).explain().estimate
    ),
    "ShapleyExplainer": lambda model: (
        hx.methods.ShapleyExplainer(hx.models.LowerConfidenceBound(model), background=20)
        .explain(THETA)
        .phi
    ),
    "LowerConfidenceBound": lambda model: hx.models.LowerConfidenceBound(model).terms(
        X[:4].tolist()
    )["mean"],
    "ExpectedImprovement": lambda model: hx.models.ExpectedImprovement(model, best=0.2).terms(
        X[:4]
    )["exploitation"],
    "partial_dependence": lambda model: (
        hx.partial_dependence(RUN, "x2", surrogate=model, sample=20).mean
    ),
    "explain_proposal": lambda model: hx.explain_proposal(RUN, surrogate=model, background=20).phi,
}


@pytest.mark.parametrize("explain", EXPLAINERS.values(), ids=EXPLAINERS)
@pytest.mark.parametrize("form", [Lists, Columns, MayReturnStd, MeanOnly])
def test_classes_and_functions_read_the_same_forms_of_prediction(form, explain):
    known = OWN if form is not MeanOnly else AnalyticSurrogate(SPACE, OWN.mean)
    np.testing.assert_allclose(explain(form()), explain(known))


def test_two_means_are_not_a_mean_and_a_deviation():
    class AList(_Own):
        def predict(self, X):
            return [row[1] for row in X]

    model = hx.models.ModelSurrogate(SPACE, AList())
    mean, std = model.predict(X[:2])
    np.testing.assert_allclose(mean, X[:2, 1])
    assert np.isnan(std).all()


@pytest.mark.parametrize(
    "criterion",
    [
        hx.models.LowerConfidenceBound,
        lambda model: hx.models.ExpectedImprovement(model, best=0.0),
        hx.models.MeanResponse,
    ],
)
def test_an_acquisition_names_its_model_where_that_has_no_space(criterion):
    model = LinearRegression().fit(X, X[:, 0])
    expected = pytest.raises(hx.base.InputError, match=r"^surrogate must be")
    with expected as raised:
        criterion(model)
    assert raised.value.value is model
    assert "ModelSurrogate(space, model)" in raised.value.remedy


def test_a_forest_is_fitted_to_lists():
    rows, values = X.tolist(), X[:, 0].tolist()
    fitted = hx.models.ForestSurrogate.fit(SPACE, rows, values, n_trees=3)
    again = hx.models.ForestSurrogate.fit(SPACE, X, X[:, 0], n_trees=3)
    np.testing.assert_array_equal(fitted.predict(X), again.predict(X))


def test_a_model_says_that_noise_is_in_its_deviation():
    class Noisy(Lists):
        std_with_noise = True

    for model, said in ((Noisy(), "included"), (Lists(), "without")):
        effect = hx.partial_dependence(RUN, "x2", surrogate=model, sample=20, variance="average")
        [band] = [note for note in effect.notes if note.kind == "effect_band"]
        assert said in str(band)
