"""Shapley values from walks: exact values, efficiency, coverage, and studies of many dimensions."""

import tracemalloc

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.methods._engines import game as _game
from hpo_explain.methods._engines import orders as _orders
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.orders import walked_shapley
from tests.handmade import explained
from tests.methods.test_shapley import cube
from tests.models.densities.blocks import CONDITIONAL, MIXED, ratio_of
from tests.noted import the_note

optuna.logging.set_verbosity(optuna.logging.ERROR)


def exact(ratio, x, background):
    """Shapley values (player, term) from the values of all coalitions."""
    game = CoalitionGame.of(ratio, x, estimator="exact", seed=0)
    return game.shapley([background])[0][0]


def check_walks(acquisition, x, players, background, expected):
    """The mean of walks is the exact value, up to its error, and that is small."""
    repeated = np.concatenate(
        [walked_shapley(acquisition, x, players, [background], seed=seed) for seed in range(40)]
    )
    error = repeated.std(axis=0, ddof=1) / np.sqrt(len(repeated))
    # 22 numbers at most: 4.5 standard errors with 39 degrees of freedom
    assert (np.abs(repeated.mean(axis=0) - expected) <= 4.5 * error + 1e-9).all()
    assert error.max() < 0.05 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("space", "groups"),
    [
        (MIXED, [[0, 1, 2, 3, 4]]),
        (CONDITIONAL, [[0, 1, 2, 3, 4, 5]]),
        (CONDITIONAL, [[0, 3, 4], [1, 2, 5]]),
        (cube(11), [range(11)]),
    ],
    ids=["mixed", "conditional", "groups", "eleven"],
)
def test_walks_come_close_to_all_coalitions(space, groups):
    ratio = ratio_of(space, *groups)
    background = space.sample(20, seed=3, latent=True)
    (x,) = space.sample(1, seed=5)
    players = np.flatnonzero(~np.isnan(x))
    expected = exact(ratio, x, background)
    check_walks(ratio, x, players, background, expected)


@pytest.mark.parametrize("d", [12, 50])
def test_contributions_are_efficient_and_have_intervals(d):
    space = cube(d)
    ratio = ratio_of(space, range(d), kernels=(6, 25))
    config = space.decode(space.sample(1, seed=2))[0]
    found = hx.methods.ShapleyExplainer(ratio, background=100, seed=1).explain(config)
    assert str(found.estimator) == f"sampled orders of {d} hyperparameters"
    assert found.estimator["sampled"]
    for term, gap in found.efficiency_gap.items():
        assert abs(gap) <= 1e-9 * max(1.0, abs(found.payout[term]))
    assert found.standard_error.max() > 0.0
    again = hx.methods.ShapleyExplainer(ratio, background=100, seed=1).explain(config)
    np.testing.assert_array_equal(found.phi, again.phi)
    other = hx.methods.ShapleyExplainer(ratio, background=100, seed=2).explain(config)
    assert (found.phi != other.phi).any()


def test_what_makes_no_difference_contributes_nothing():
    """A hyperparameter with the background's own value in every row."""
    space = cube(13)
    ratio = ratio_of(space, range(13))
    background = space.sample(10, seed=4)
    background[:, 3] = 0.25
    config = space.decode(np.full((1, 13), 0.25))[0]
    found = hx.methods.ShapleyExplainer(ratio, background=background).explain(config)
    np.testing.assert_allclose(found.phi[3], 0.0, atol=1e-12)
    assert np.abs(found.total).min(initial=1.0, where=np.arange(13) != 3) > 1e-9


@pytest.mark.parametrize("space", [cube(5), CONDITIONAL], ids=["cube", "conditional"])
def test_walks_of_composed_rows_come_close_to_all_coalitions(space):
    X = space.sample(30, seed=2)
    known = np.nan_to_num(X, nan=0.5)
    y = np.sin(6.0 * known.prod(axis=1)) + known @ np.arange(X.shape[1])
    acquisition = hx.models.LowerConfidenceBound(
        hx.models.GaussianProcessSurrogate.fit(space, X, y)
    )
    background = space.sample(15, seed=3, latent=True)
    x = space.sample(1, seed=5)[0]
    game = CoalitionGame.of(acquisition, x, estimator="exact", seed=0)
    expected = game.shapley([background])[0][0]
    check_walks(acquisition, x, game.players, background, expected)


@pytest.mark.parametrize(("d", "walked"), [(7, False), (8, True), (12, True)])
def test_a_growing_background_is_walked_from_eight_hyperparameters_on(d, walked):
    space = cube(d)
    X = space.sample(20, seed=2)
    surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, (X**2).sum(axis=1))
    found = explained(surrogate, space.decode(X[:1])[0], background="auto", precision=0.2)
    assert str(found.estimator).startswith("sampled orders") == walked
    assert found.half_width()[:, -1].max() <= 0.2 * np.abs(found.total).max()
    for term, gap in found.efficiency_gap.items():
        assert abs(gap) <= 1e-9 * max(1.0, abs(found.payout[term]))


@pytest.mark.thorough
def test_its_95_percent_intervals_cover_about_as_often(monkeypatch):
    space = cube(5)
    ratio = ratio_of(space, range(5), kernels=(3, 5))
    config = dict.fromkeys(space.names, 0.3)
    x = space.encode(config)[0]
    expected = exact(ratio, x, space.sample(20_000, seed=9)).sum(axis=1)
    monkeypatch.setattr(_game, "EXACT_PLAYERS", 0)
    covered = []
    for seed in range(100):
        found = explained(ratio, config, background=20, seed=seed)
        covered.append(np.abs(found.total - expected) <= found.half_width(0.95)[:, -1])
    # 500 intervals, those of a seed not independent: about 3 standard errors
    assert 0.89 <= np.mean(covered) <= 0.99


def test_the_background_grows_until_the_precision_is_reached():
    space = cube(14)
    ratio = ratio_of(space, range(14), kernels=(4, 8))
    config = space.decode(space.sample(1, seed=2))[0]
    coarse, fine = (
        hx.methods.ShapleyExplainer(ratio, background="auto", precision=precision).explain(config)
        for precision in (0.2, 0.05)
    )
    for found, precision in ((coarse, 0.2), (fine, 0.05)):
        largest = np.abs(found.total).max()
        assert found.half_width()[:, -1].max() <= precision * largest
    assert coarse.background_size < fine.background_size
    grown = the_note(fine.notes, f"compared with {fine.background_size} configurations")
    assert "the most that are drawn" not in str(grown)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize(("d", "group"), [(50, False), (20, True)])
def test_a_study_of_many_hyperparameters(d, group):
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(
            seed=0, multivariate=True, group=group, n_startup_trials=15
        )
    )

    def objective(trial):
        values = [trial.suggest_float(f"x{j}", 0.0, 1.0) for j in range(d - 2)]
        kind = trial.suggest_categorical("kind", ["a", "b"])
        return values[0] + (kind == "a") * values[1] + 0.1 * trial.suggest_int("n", 1, 5)

    study.optimize(objective, n_trials=25)
    found = hx.explain_proposal(study, 24, background=100)
    assert found.estimator["sampled"]
    assert not found.subject.assumed
    assert abs(found.efficiency_gap["total"]) <= 1e-9 * abs(found.payout["total"])
    (path,) = hx.methods.desirability_path(study, [24], precision=0.3, progress=False).explanations
    assert path.half_width()[:, -1].max() <= 0.3 * np.abs(path.total).max()


@pytest.mark.parametrize("space", [cube(12), CONDITIONAL], ids=["cube", "if"])
def test_rows_walked_in_parts_are_those_walked_at_once(space, monkeypatch):
    ratio = ratio_of(space, range(len(space)), kernels=(3, 4))
    background = space.sample(40, seed=3, latent=True)
    x = space.sample(1, seed=5)[0]
    players = np.flatnonzero(~np.isnan(x))
    cubes = [background[:15], background[15:]]
    at_once = walked_shapley(ratio, x, players, cubes)
    monkeypatch.setattr(_orders, "COMPOSED_ROWS", 100)
    in_parts = walked_shapley(ratio, x, players, cubes)
    np.testing.assert_array_equal(in_parts, at_once)


@pytest.mark.thorough
def test_200_000_background_rows_take_less_than_512_mb():
    """What walks hold grows by the rows themselves only: it is extrapolated."""
    space = cube(14)
    ratio = ratio_of(space, range(14), kernels=(2, 3))
    x = space.sample(1, seed=2)[0]

    def peak(n_rows):
        background = space.sample(n_rows, seed=3)
        tracemalloc.start()
        walked_shapley(ratio, x, np.arange(14), [background])
        largest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return largest / 2**20

    peak(2_500)  # what is made once does not grow
    few, many = peak(5_000), peak(20_000)
    each = (many - few) / 15_000
    assert many + 180_000 * each < 512.0
