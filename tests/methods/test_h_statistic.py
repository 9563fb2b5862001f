"""The H-statistic: known values, Eq. 44 and 45 written out, and figures."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.claim import UNKNOWN
from hpo_explain.base.subject import Subject
from hpo_explain.methods.importance.h_statistic_result import InteractionStrength
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")


def test_additive_effects_do_not_interact():
    surrogate = AnalyticSurrogate(
        unit_cube(3), lambda X: 1e3 + np.sin(5 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2]
    )
    found = hx.methods.InteractionExplainer(surrogate).explain()
    np.testing.assert_allclose(found.values, 0.0, atol=1e-6)
    np.testing.assert_allclose(found.total, 0.0, atol=1e-6)
    assert [(claim.kind, claim.side) for claim in found.claims] == [("share", "below")]


def test_a_product_has_its_known_strength():
    """u = x1 + x2 x3: H_23² = (1/144) / (7/144), H_2² = (1/144) / (19/144)."""
    surrogate = AnalyticSurrogate(unit_cube(3), lambda X: X[:, 0] + X[:, 1] * X[:, 2])
    found = hx.methods.InteractionExplainer(surrogate).explain()
    assert found.strength("x2", "x3") == pytest.approx(np.sqrt(1 / 7), rel=0.05)
    assert found.strength("x1", "x2") == pytest.approx(0.0, abs=1e-6)
    assert found.strength("x2") == pytest.approx(np.sqrt(1 / 19), rel=0.05)
    assert found.strength("x1") == pytest.approx(0.0, abs=1e-6)
    pair = found.place("x2", "x3")
    assert found.absolute[pair] == pytest.approx(1 / 12, rel=0.05)
    assert np.isnan(found.half_width[pair])
    (claim,) = found.claims
    assert (claim.kind, claim.hyperparameters) == ("share", ("x2", "x3"))
    assert claim.estimate == found.strength("x2", "x3")
    assert claim.interval is None
    assert not claim.certain
    assert UNKNOWN in claim.because


def by_loops(f, X):
    """H of pairs and totals as Eq. 44 and 45 are written."""
    n, d = X.shape

    def dependence(members):
        F = np.empty(n)
        for i in range(n):
            rows = X.copy()
            rows[:, members] = X[i, members]
            F[i] = f(rows).mean()
        return F - F.mean()

    alone = [dependence([j]) for j in range(d)]
    pairs, total = np.full((d, d), np.nan), np.zeros(d)
    for j, k in combinations(range(d), 2):
        F = dependence([j, k])
        pairs[j, k] = pairs[k, j] = np.sqrt(((F - alone[j] - alone[k]) ** 2).sum() / (F**2).sum())
    F = f(X) - f(X).mean()
    for j in range(d):
        rest = dependence([k for k in range(d) if k != j])
        total[j] = np.sqrt(((F - alone[j] - rest) ** 2).sum() / (F**2).sum())
    return pairs, total


@pytest.mark.parametrize("acquisition", [False, True])
def test_the_anova_of_one_function_gives_equations_44_and_45(acquisition):
    """They are of a sample, and the functional ANOVA of the whole space."""
    space = space_of(x=(0.0, 1.0), c=list("abc"), k=range(1, 5))
    X = space.sample(40, seed=1)
    y, sample = (X[:, 0] * X[:, 1] + np.sin(4 * X[:, 2]) * X[:, 0], space.sample(300, seed=7))
    surrogate = hx.models.ForestSurrogate.fit(space, X, y)
    lcb = hx.models.LowerConfidenceBound(hx.models.GaussianProcessSurrogate.fit(space, X, y))
    found = hx.methods.InteractionExplainer(lcb if acquisition else surrogate).explain()
    pairs, total = by_loops(
        lambda rows: sum(lcb.terms(rows).values()) if acquisition else surrogate.predict(rows)[0],
        sample,
    )
    expected = [pairs[pair] for pair in found.sets]
    np.testing.assert_allclose(found.values, expected, atol=0.03)
    np.testing.assert_allclose(found.total, total, atol=0.03)


def test_a_child_interacts_with_what_decides_whether_it_is_active():
    space = nested_space()
    X = space.sample(60, seed=1)
    y = np.nan_to_num(X[:, 1], nan=0.0) * 3.0 + X[:, 7]
    forest = hx.models.ForestSurrogate.fit(space, X, y)
    found = hx.methods.InteractionExplainer(forest).explain("momentum")
    first = found.members[found.by_size()[0]]
    assert first == ("optimizer", "momentum")
    assert np.isfinite(found.total).all()
    json.dumps(found.to_dict(), allow_nan=False)
    whose, condition = map(str, found.notes)
    assert whose == "H is that of one function"
    assert condition.startswith("a conditional hyperparameter interacts with ")


def test_functions_drawn_interact_where_a_condition_makes_them():
    space = space_of(
        optimizer=["adam", "sgd"],
        momentum=(0.0, 1.0),
        lr=(0.0, 1.0),
        when={"momentum": {"optimizer": ["sgd"]}},
    )
    X = space.sample(60, seed=1)
    y = np.nan_to_num(X[:, 1], nan=0.5) * 3.0 + X[:, 2]
    process = hx.models.GaussianProcessSurrogate.fit(space, X, y)
    found = hx.methods.InteractionExplainer(process).explain("momentum")
    drawn, condition = map(str, found.notes)
    assert drawn.startswith(f"H is that of {len(found.draws)} functions drawn from the posterior")
    assert condition.startswith("a conditional hyperparameter interacts with ")
    with pytest.raises(hx.base.InputError, match="no number of these"):
        found.strength("optimizer", "lr")  # was not asked for
    # half of all configurations: V_momentum = 9/48, and so is what the optimizer decides
    assert found.strength("momentum", "optimizer") == pytest.approx(np.sqrt(0.5), abs=0.01)
    with_optimizer, with_lr = found.shares.T
    assert with_lr.max() < 0.01 < with_optimizer.min()
    json.dumps(found.to_dict(), allow_nan=False)


def noisy_run(f, d=3, n=50, noise=0.1):
    space = unit_cube(d)
    X = space.sample(n, seed=3)
    y = f(X)
    y = y + noise * y.std() * np.random.default_rng(3).standard_normal(n)
    return hx.Run(space, X, y, "minimize")


@pytest.mark.parametrize(
    ("f", "side", "names"),
    [
        (lambda X: np.sin(5 * X[:, 0]) + X[:, 1] ** 2, "below", ("x1", "x2", "x3")),
        (lambda X: (X[:, 0] - 0.5) * (X[:, 2] - 0.5), "above", ("x1", "x3")),
    ],
)
@few_draws
def test_what_a_run_shows_is_certain_by_draws_and_not_by_a_forest(f, side, names):
    run = noisy_run(f)
    for kind in ("auto", "gp"):
        (claim,) = hx.methods.h_statistic(run, kind=kind).claims
        assert (claim.kind, claim.side, claim.certain) == ("share", side, True)
        assert claim.hyperparameters == names
    (claim,) = hx.methods.h_statistic(run, kind="forest").claims
    assert not claim.certain
    assert claim.because[0] == UNKNOWN


def test_h_of_functions_is_that_of_the_function():
    """x1 + x2 x3: H_23² = (1/144) / (7/144), H_2² = (1/144) / (19/144)."""
    space = unit_cube(3)
    X = space.sample(80, seed=0)
    found = hx.methods.h_statistic(hx.Run(space, X, X[:, 0] + X[:, 1] * X[:, 2], "minimize"))
    assert found.strength("x2", "x3") == pytest.approx(np.sqrt(1 / 7), abs=0.03)
    assert found.strength("x2") == pytest.approx(np.sqrt(1 / 19), abs=0.03)
    pair = found.place("x2", "x3")
    assert found.absolute[pair] == pytest.approx(1 / 12, rel=0.1)
    assert found.probability("x2 × x3", "x1 × x3") > 0.95
    assert len(found.posterior) == len(found.draws)


# ---------------------------------------------------------------------- figures


def strengths(focus=None, d=3):
    """H of the pair (j, k) is (j + 2 k) / 100, the same in absolute terms."""
    names = tuple(f"x{j}" for j in range(d))
    pairs = tuple(
        pair for pair in combinations(range(d), 2) if focus is None or names.index(focus) in pair
    )
    H = np.array([(j + 2.0 * k) / 100.0 for j, k in pairs])
    total = np.arange(d) / 50.0
    return InteractionStrength(
        subject=Subject(hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])),
        players=tuple((name,) for name in names),
        sets=pairs,
        values=H,
        draws=H[None],
        draws_beside=H[None],
        shares=H[None] ** 2,
        half_width=np.full(len(H), 1.96 * 0.01),
        absolute=H,
        total=total,
        focus=focus,
    )


def drawn(focus=None, sure=True):
    """As `strengths`, but functions have the largest H where the interaction is smallest."""
    found = strengths(focus=focus)
    H = 0.5 - found.values
    draws = H + np.linspace(-0.1, 0.2, 201)[:, None]
    shares = np.tile(found.absolute, (201, 1))
    if not sure:
        shares[::2] = shares[::2].max(initial=0.0, where=shares[::2] > 0.0) - shares[::2]
    return replace(found, values=H, draws=draws, draws_beside=draws, shares=shares)


def test_what_functions_leave_out_may_be_the_pairs_interaction(monkeypatch):
    """Of x + y the pair has nothing of what functions vary by, and all that they leave out or none.

    Where that is a quarter of the objective's variance, it has up to a quarter, and H, the root of
    its share of the joint effect, is up to 1/2.
    """
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
    X = space.sample(40, seed=1)
    run = hx.Run(space, X, X[:, 0] + X[:, 1], "minimize")
    belief = run.belief()
    rough = np.sqrt(1.0 / 3.0 * 1.0 / 6.0)  # beside a variance of 1/6
    monkeypatch.setattr(type(belief), "roughness", rough)
    assert belief.anova.left_out.mean() == pytest.approx(0.25, abs=0.01)
    found = hx.methods.InteractionExplainer(belief).explain()
    assert found.interval(0) == pytest.approx((0.0, 0.5), abs=0.05)
    shares = hx.importance(run, order=2)
    ends = shares.bounds(shares.members.index((0, 1)))
    assert ends == pytest.approx((0.0, 0.25), abs=0.03)
    (claim,) = shares.interactions
    assert claim.interval == pytest.approx(ends)
    # of one hyperparameter trials tell the effect
    assert shares.bounds(0) == pytest.approx((0.5, 0.5), abs=0.05)


def test_the_interval_of_h_is_stretched_as_that_of_a_pairs_share():
    """Draws of H from .3 to .5 in the middle: 1.8 times as far about the median, inside 0 to 1."""
    found = drawn()
    for i, draws in enumerate(found.draws.T):
        low, middle, high = np.quantile(draws, [0.025, 0.5, 0.975])
        ends = middle - 1.8 * (middle - low), middle + 1.8 * (high - middle)
        assert found.interval(i) == pytest.approx(np.clip(ends, 0.0, 1.0))
    wide = replace(found, draws=np.clip(5.0 * found.draws, 0.0, 1.0))
    assert wide.ends.min() >= 0.0
    assert wide.ends.max() <= 1.0


def test_pairs_are_bars():
    rows = strengths().described()
    assert rows.labels == [("x1 × x2",), ("x0 × x2",), ("x0 × x1",)]
    assert [bar.end for bar in rows.bars] == [0.05, 0.04, 0.02]
    of_one = strengths(focus="x0").described()
    assert (of_one.labels, [bar.end for bar in of_one.bars]) == ([("x2",), ("x1",)], [0.04, 0.02])
    assert (rows.label, of_one.label) == ("H", "H with x0")


def test_functions_drawn_are_shown_in_the_order_of_the_sentence():
    found = drawn("x0")
    rows = found.described()
    assert rows.labels == [("x2",), ("x1",)]
    assert [bar.end for bar in rows.bars] == [0.46, 0.48]
    low, high = rows.bars[0].half
    assert (low, high) == (pytest.approx(0.2065), pytest.approx(0.3065))
    assert "x0 and x2" in found.sentence.partition(":")[0]
    assert "H is larger for x0 and x1 (0.48)" in found.sentence
    told = drawn("x0", sure=False).sentence
    assert "x0 and x2 seem to interact most" in told
    assert "H is between 0.25 and 0.77." in told
