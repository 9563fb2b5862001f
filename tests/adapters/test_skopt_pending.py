"""Points that skopt was asked for and has not been told: explained by what chose them."""

import pickle

import numpy as np
import pytest
from skopt import BayesSearchCV, Optimizer
from skopt.acquisition import gaussian_ei, gaussian_lcb, gaussian_pi
from skopt.space import Categorical, Real

import hpo_explain as hx
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Origin
from tests.noted import noted, the_note

pytestmark = [
    pytest.mark.merge,
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning"),
]

QUICK = {"n_points": 300, "n_restarts_optimizer": 1}
ROWS = 30


def smooth(point):
    return (point[0] - 0.3) ** 2 + 0.5 * abs(point[1] - 0.6)


def optimizer_of(acq_func, base="GP", told=7, **options):
    dimensions = [Real(0.0, 1.0, name="x"), Real(0.0, 1.0, name="y")]
    optimizer = Optimizer(
        dimensions,
        base_estimator=base,
        n_initial_points=5,
        acq_func=acq_func,
        acq_optimizer_kwargs=QUICK,
        random_state=0,
        **options,
    )
    for _ in range(told):
        point = optimizer.ask()
        optimizer.tell(point, smooth(point))
    return optimizer


def skopts_own(source, acq_func, point, model=None, values=None):
    """skopt's acquisition at a point, with its defaults: larger is more desirable."""
    Z, model = (source.space.transform([point]), source.models[-1] if model is None else model)
    if acq_func == "LCB":
        return -float(gaussian_lcb(Z, model)[0])
    best = np.min(source.yi if values is None else values)
    criterion = {"EI": gaussian_ei, "PI": gaussian_pi}[acq_func]
    return float(criterion(Z, model, y_opt=best)[0])


# ---------------------------------------------------------------------- one point


@pytest.mark.parametrize(
    ("acq_func", "base"),
    [
        ("LCB", "GP"),
        ("EI", "GP"),
        ("PI", "GP"),
        ("gp_hedge", "GP"),
        pytest.param("PI", "RF", marks=pytest.mark.thorough),
    ],
)
def test_the_next_point_has_skopts_own_value(acq_func, base):
    optimizer = optimizer_of(acq_func, base)
    point = optimizer.ask()
    explanation = hx.explain_proposal(optimizer, "pending", background=ROWS)
    assert (explanation.trial, explanation.subject.state) == (7, "running")
    assert the_note(explanation.notes, "this is the point that it returns next")
    assert list(explanation.config.values()) == pytest.approx(point)
    drawn = acq_func
    if acq_func == "gp_hedge":
        drawn = str(the_note(explanation.notes, "gp_hedge drew ")).split()[2].rstrip(",")
        at = [
            optimizer.space.inverse_transform(x.reshape(1, -1))[0] == point
            for x in optimizer.next_xs_
        ]
        assert at[optimizer.cand_acq_funcs_.index(drawn)]
    own = skopts_own(optimizer, drawn, point)
    assert explanation.prediction["total"] == pytest.approx(own, rel=1e-5, abs=1e-12)
    assert not explanation.assumed


def test_the_numbers_stay_when_it_is_told():
    optimizer = optimizer_of("EI")
    point = optimizer.ask()
    before = hx.explain_proposal(optimizer, 7, background=ROWS)
    run = pickle.loads(pickle.dumps(hx.from_skopt(optimizer)))
    assert (run.pending, run.origin(7), len(run)) == ((7,), Origin.MODEL, 7)
    assert run.excluded == {}
    optimizer.tell(point, smooth(point))
    told = hx.explain_proposal(optimizer, 7, background=ROWS)
    np.testing.assert_array_equal(before.phi, told.phi)
    assert (before.prediction, before.baseline) == (told.prediction, told.baseline)
    np.testing.assert_array_equal(hx.explain_proposal(run, 7, background=ROWS).phi, before.phi)


def test_no_point_is_pending_where_skopt_will_draw_it_or_a_result_is_all_there_is():
    optimizer = optimizer_of("EI", told=3)
    optimizer.ask()
    for source in (optimizer, optimizer_of("EI").get_result()):
        with pytest.raises(InputError, match="'pending'"):
            hx.explain_proposal(source, "pending")
    same = optimizer_of("EI")
    same.tell(same.ask(), 0.1)
    # evaluated before: skopt will draw another one
    same._next_x = list(same.Xi[0])
    same.next_xs_ = [same.space.transform([same.Xi[0]])[0]]
    assert hx.from_skopt(same).pending == ()


# ---------------------------------------------------------------------- batches


@pytest.mark.parametrize("strategy", ["cl_min", pytest.param("cl_max", marks=pytest.mark.thorough)])
def test_points_of_a_batch_are_explained_by_models_that_were_told_lies(strategy, monkeypatch):
    seen = []
    optimizer = optimizer_of("EI")
    tell = Optimizer._tell

    def spied(self, x, y, fit=True):
        result = tell(self, x, y, fit)
        if self.models:
            seen.append((self.models[-1], list(self.yi)))
        return result

    monkeypatch.setattr(Optimizer, "_tell", spied)
    points = optimizer.ask(n_points=3, strategy=strategy)
    monkeypatch.undo()
    run = hx.from_skopt(optimizer)
    assert run.pending == (7, 8, 9)
    for k, point in enumerate(points):
        explanation = hx.explain_proposal(run, 7 + k, background=ROWS)
        # of skopt's own copy, before this point was asked for
        model, values = seen[k]
        own = skopts_own(optimizer, "EI", point, model, values)
        assert explanation.prediction["total"] == pytest.approx(own, rel=1e-4, abs=1e-9)
        assert bool(noted(explanation.notes, "that model is fitted again")) == (k > 0)
        assert list(explanation.config.values()) == pytest.approx(point)
    lie = f"the results of 2 points before it in its batch skopt told its model {values[-1]:.6g};"
    assert the_note(explanation.notes, lie)
    assert hx.explain_proposal(run, "pending", background=ROWS).trial == 9


def test_points_of_an_initial_batch_were_chosen_by_no_model():
    optimizer = optimizer_of("LCB", told=3)
    optimizer.ask(n_points=4)
    run = hx.from_skopt(optimizer)
    assert [run.origin(t) for t in run.pending] == [Origin.INITIAL] * 2 + [Origin.MODEL] * 2
    with pytest.raises(NothingToExplain):
        hx.explain_proposal(run, 3)
    assert not hx.explain_proposal(run, 6, background=ROWS).assumed


# ---------------------------------------------------------------------- a search


def test_a_search_explains_configurations_as_the_next_one():
    from sklearn.datasets import make_classification
    from sklearn.svm import SVC

    X, y = make_classification(40, 4, random_state=0)
    space = {"C": Real(1e-2, 1e2, prior="log-uniform"), "shrinking": Categorical([True, False])}
    options = {"n_initial_points": 3, "acq_func": "EI", "acq_optimizer_kwargs": QUICK}
    search = BayesSearchCV(
        SVC(), space, n_iter=5, cv=2, optimizer_kwargs=options, random_state=0
    ).fit(X, y)
    with pytest.raises(InputError, match="'pending'"):
        hx.explain_proposal(search, "pending")
    given = hx.explain_proposal(search, {"C": 1.0, "shrinking": True}, background=ROWS)
    result = search.optimizer_results_[0]
    own = skopts_own(result, "EI", [1.0, True], values=result.func_vals)
    assert given.prediction["total"] == pytest.approx(own, rel=1e-5, abs=1e-12)
    assert (given.assumed, given.subject.state) == (False, "given")
