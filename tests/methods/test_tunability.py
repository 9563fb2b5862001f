"""Games of tuning: closed forms, brute force, axioms, HyperSHAP's own numbers, real runs."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.methods._engines.coalitions import all_coalitions
from hpo_explain.methods.importance.interaction_indices import interaction_weights
from hpo_explain.methods.importance.shapley_interactions import interactions_at
from hpo_explain.methods.importance.tunability import shared_game, shared_players, tuning_game
from tests.analytic import AnalyticSurrogate, space_of, unit_cube
from tests.handmade import tuning_run

few_draws = pytest.mark.usefixtures("few_draws_here")
DEFAULT = {"x1": 0.5, "x2": 0.5, "x3": 0.5}


def play(game, mean, default, d=3, **options):
    model = AnalyticSurrogate(unit_cube(d), mean)
    return tuning_game(game, model, default, **options)


def run_of(y, d=3, n=50):
    X = unit_cube(d).sample(n, seed=1)
    return hx.Run(unit_cube(d), X, y(X), "minimize", objective_name="loss")


# ---------------------------------------------------------------------- closed forms


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_tunability_of_a_sum_is_that_of_its_parts(direction):
    """f = 2 x1 + x2: the best values gain 1 and 0.5, in whichever direction; x3 nothing."""
    found = play("tunability", lambda X: 2.0 * X[:, 0] + X[:, 1], DEFAULT, direction=direction)
    np.testing.assert_allclose(found.alone(), [1.0, 0.5, 0.0], atol=1e-9)
    np.testing.assert_allclose(found.values[:3], [1.0, 0.5, 0.0], atol=1e-9)
    np.testing.assert_allclose(found.values[3:], 0.0, atol=1e-9)
    best = 0.0 if direction == "minimize" else 1.0
    assert found.configuration("x1") == {"x1": best, "x2": 0.5, "x3": 0.5}


def test_a_product_gains_only_together_where_the_default_hides_it():
    """f = -x1 x2 from a default at 0: alone nothing, together 1, shared as a pair."""
    found = play("tunability", lambda X: -X[:, 0] * X[:, 1], dict.fromkeys(DEFAULT, 0.0))
    np.testing.assert_allclose(found.alone(), 0.0, atol=1e-12)
    assert found.gain("x1", "x2") == pytest.approx(1.0)
    assert found.value("x1", "x2") == pytest.approx(1.0)
    assert found.value("x3") == pytest.approx(0.0, abs=1e-12)


def test_the_optimum_inside_is_found_on_every_kind_of_hyperparameter():
    space = space_of(lr=(1e-05, 0.1, "log"), layers=range(1, 9), booster=["a", "b", "c"])

    class Model:
        def __init__(self):
            self.space = space

        def predict(self, X):
            layers = np.abs(X[:, 1] - 5.0 / 7.0)
            return (X[:, 0] - 0.3) ** 2 + layers + (X[:, 2] != 1.0), np.zeros(len(X))

    found = tuning_game("tunability", Model(), {"lr": 1e-1, "layers": 1, "booster": "a"})
    best = found.configuration("lr", "layers", "booster")
    assert (best["layers"], best["booster"]) == (6, "b")
    assert space.encode([best])[0, 0] == pytest.approx(0.3, abs=0.01)
    assert found.whole == pytest.approx(0.49 + 5.0 / 7.0 + 1.0, abs=1e-4)


def test_mistunability_is_the_gain_of_the_worst_and_below_zero():
    found = play("mistunability", lambda X: 2.0 * X[:, 0] - X[:, 1], DEFAULT)
    np.testing.assert_allclose(found.alone(), [-1.0, -0.5, 0.0], atol=1e-9)
    assert found.configuration("x1", "x2") == {"x1": 1.0, "x2": 0.0, "x3": 0.5}


def test_the_sensitivity_of_a_sum_and_of_a_product():
    """Var x = 1/12; around 1/2, x1 x2 alone is x1 / 2; Var(x1 x2) = 1/9 - 1/16."""
    found = play("sensitivity", lambda X: X[:, 0] * X[:, 1] + 3.0 * X[:, 2], DEFAULT)
    np.testing.assert_allclose(found.alone(), [1 / 48, 1 / 48, 9 / 12], rtol=0.02)
    assert found.gain("x1", "x2") == pytest.approx(1 / 9 - 1 / 16, rel=0.05)
    i = found.labels.index("x1 × x2")
    expected = (1 / 9 - 1 / 16) - 2 / 48
    assert found.values[i] == pytest.approx(expected, rel=0.05)


def test_what_was_tried_misses_what_was_not():
    """Only x1 <= 0.4 was tried, and the best is 1: 0.6 are missed, whatever the default."""
    X = unit_cube(3).sample(60, seed=2)
    X[:, 0] *= 0.4 / X[:, 0].max()
    run = hx.Run(unit_cube(3), X, -X[:, 0], "minimize")
    model = AnalyticSurrogate(unit_cube(3), lambda X: -X[:, 0])
    found = hx.methods.tunability(
        run, dict.fromkeys(DEFAULT, 0.0), kind="optimizer_bias", surrogate=model
    )
    np.testing.assert_allclose(found.alone(), [-0.6, 0.0, 0.0], atol=1e-9)
    X[0, 0] = 1.0
    reached = hx.Run(unit_cube(3), X, -X[:, 0], "minimize")
    nothing = hx.methods.tunability(reached, 1, kind="optimizer_bias", surrogate=model)
    assert nothing.whole == 0.0
    assert (nothing.claims[0].side, nothing.claims[0].certain) == ("below", False)


# ---------------------------------------------------------------------- brute force and axioms


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_the_search_finds_at_least_what_a_large_random_search_finds(kind):
    run = tuning_run()
    model = run.surrogate(kind=kind)
    found = hx.methods.tunability(run, 3, surrogate=kind)
    sign = 1.0 if run.direction == "minimize" else -1.0
    sample = run.space.sample(4000, seed=9, latent=True)
    default = run.space.encode([found.default])[0]
    for joined, value in zip(all_coalitions(len(found.players)), found.coalitions, strict=True):
        names = [p[0] for p, free in zip(found.players, joined, strict=True) if free]
        free = np.isin(run.space.names, names)
        rows = run.space.project(np.where(free, sample, default))
        rows = rows[run.space.is_valid(rows)]
        if len(rows):
            best = (sign * model.predict(rows)[0]).min()
            gain = sign * found.default_prediction - best
            assert value >= gain - 0.01 * abs(found.whole), names


@pytest.mark.parametrize("game", ["tunability", "mistunability", "sensitivity", "optimizer_bias"])
def test_efficiency_dummies_and_the_sets_of_all_games(game):
    run = run_of(lambda X: X[:, 0] * X[:, 1], n=30)
    model = AnalyticSurrogate(unit_cube(3), lambda X: (X[:, 0] - 0.4) ** 2 * X[:, 1])
    found = hx.methods.tunability(run, 0, kind=game, surrogate=model)
    assert found.values.sum() == pytest.approx(found.whole - found.coalitions[0])
    expected = interaction_weights(3, 2) @ found.coalitions
    np.testing.assert_allclose(found.values, expected)
    for i, members in enumerate(found.sets):
        if 2 in members:  # x3 does nothing
            assert found.values[i] == pytest.approx(0.0, abs=1e-9)


@few_draws
def test_tuning_more_never_gains_less():
    found = hx.methods.tunability(run_of(lambda X: np.sin(5 * X).prod(axis=1)), 2)
    joined = all_coalitions(3)
    for a, smaller in enumerate(joined):
        for b, larger in enumerate(joined):
            if np.all(smaller <= larger):
                assert found.coalitions[a] <= found.coalitions[b] + 1e-12


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@few_draws
def test_each_draw_has_a_best_of_its_own_in_every_coalition(direction):
    """At least what many rows of the space reach, on average, and never less in a larger one."""
    run = run_of(lambda X: np.abs(X[:, 0] - X[:, 1]) + X[:, 2], n=30)
    belief = hx.Run(run.space, run.X, run.objective, direction).belief()
    default = np.full(3, 0.5)
    found = tuning_game("tunability", belief, DEFAULT)
    sample = run.space.sample(1000, seed=5)
    at = belief.costs(default[None, :])
    for free, gains in zip(all_coalitions(3), found.coalition_draws.T, strict=True):
        reached = at[:, 0] - belief.costs(np.where(free, sample, default)).min(axis=1)
        assert (gains >= reached - 0.02 * found.whole).mean() > 0.9
        # numbers have 64 values, and draws single precision: without noise large terms cancel
        assert gains.mean() > 0.97 * reached.mean() - 1e-5
    np.testing.assert_array_equal(found.coalitions, found.coalition_draws.mean(axis=0))
    assert (np.diff(found.coalition_draws[:, [0, 1, 3, 7]], axis=1) >= 0.0).all()
    np.testing.assert_allclose(found.draws, found.coalition_draws @ interaction_weights(3, 2).T)


def test_beyond_eleven_those_that_vary_least_play_as_one():
    d = 14
    found = play(
        "tunability",
        lambda X: X @ np.arange(1.0, d + 1.0),
        {f"x{j + 1}": 0.5 for j in range(d)},
        d=d,
    )
    assert found.players[-1] == ("x1", "x2", "x3", "x4")
    assert found.gain("x14") == pytest.approx(7.0)
    assert found.whole == pytest.approx(0.5 * d * (d + 1) / 2)
    with pytest.raises(InputError, match="count as one"):
        found.gain("x1")


# ---------------------------------------------------------------------- HyperSHAP


def faithful(found):
    """The faithful index of a result's sets, by shapiq on its game."""
    shapiq = pytest.importorskip("shapiq")
    computer = shapiq.ExactComputer(found.to_shapiq(), len(found.players))
    index = computer("FSII", order=2)
    return np.array([index[members] for members in found.sets])


def function(X):
    return 0.7 * X[..., 0] + 2.0 * X[..., 0] * X[..., 1] - (X[..., 2] - 0.3) ** 2


@pytest.mark.parametrize("game", ["tunability", "mistunability", "sensitivity", "ablation"])
def test_hypershap_finds_the_same_to_its_sampling_error(game):
    hypershap = pytest.importorskip("hypershap")
    from ConfigSpace import Configuration, ConfigurationSpace

    class Model:
        def predict(self, X):
            return function(np.atleast_2d(X))

    space = ConfigurationSpace({f"x{j}": (0.0, 1.0) for j in (1, 2, 3)}, seed=0)
    task = hypershap.ExplanationTask.from_base_model(space, Model())
    shap = hypershap.HyperSHAP(task)
    default = Configuration(space, values=DEFAULT)
    best = {"x1": 0.9, "x2": 0.8, "x3": 0.2}
    model = AnalyticSurrogate(unit_cube(3), function)
    if game == "ablation":
        theirs = shap.ablation(Configuration(space, values=best), default)
        ours = interactions_at(model, best, background=DEFAULT, direction="maximize")
    else:
        theirs = getattr(shap, game)(default)
        ours = tuning_game(game, model, DEFAULT, direction="maximize")
    expected = np.array([theirs[members] for members in ours.sets])
    # the best and the worst of 10,000 draws, and a variance of as many; an ablation has no sample
    error = {"ablation": 1e-6, "sensitivity": 0.01}.get(game, 0.1)
    np.testing.assert_allclose(faithful(ours), expected, atol=error)
    if game in ("tunability", "mistunability"):
        sign = 1.0 if game == "tunability" else -1.0
        assert sign * ours.whole >= sign * expected.sum() - 1e-9  # never less than a sample's


# ---------------------------------------------------------------------- real runs and claims


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["auto", "forest"])
@pytest.mark.parametrize(
    ("game", "seed"),
    [
        ("tunability", 0),
        pytest.param("tunability", 1, marks=pytest.mark.thorough),
        pytest.param("tunability", 2, marks=pytest.mark.thorough),
        pytest.param("mistunability", 0, marks=pytest.mark.thorough),
        ("sensitivity", 0),
        pytest.param("optimizer_bias", 0, marks=pytest.mark.thorough),
    ],
)
def test_in_pure_noise_nothing_is_certain(kind, game, seed):
    y = np.random.default_rng(seed).normal(size=40)
    found = hx.methods.tunability(run_of(lambda X: y, n=40), kind=game, surrogate=kind)
    assert not any(claim.certain for claim in found.claims)


@pytest.mark.merge
def test_a_gain_is_told_with_an_interval_that_holds_the_truth():
    found = hx.methods.tunability(run_of(lambda X: X[:, 0] * X[:, 1] + X[:, 2]), DEFAULT)
    whole, *others = found.claims
    assert whole.certain
    assert whole.interval[0] <= 0.75 <= whole.interval[1]
    assert [claim.hyperparameters for claim in others][:1] == [("x3",)]
    assert found.sentence.startswith("Tuning gains 0.7")


@pytest.mark.parametrize("game", ["tunability", "mistunability", "sensitivity", "optimizer_bias"])
@few_draws
def test_a_conditional_run_has_every_game(game):
    found = hx.methods.tunability(tuning_run(), kind=game)
    assert np.isfinite(found.coalitions).all()
    assert found.values.sum() == pytest.approx(found.whole - found.coalitions[0])
    assert any("default" in str(note) for note in found.notes)


@pytest.mark.thorough
@pytest.mark.parametrize("d", [3, 8])
def test_the_sensitivity_is_that_of_each_draw_whatever_the_number_of_players(d):
    run = run_of(lambda X: X[:, 0] + 0.1 * X[:, 1], d=d, n=60)
    found = hx.methods.tunability(run, {f"x{j + 1}": 0.5 for j in range(d)}, kind="sensitivity")
    assert found.values[0] == pytest.approx(1 / 12, abs=found.half(0) + 0.005)
    assert found.model_std[0] < 0.02
    assert found.probability("x1", "x2") > 0.99
    assert [c.hyperparameters for c in found.claims if c.certain][1:2] == [("x1",)]


GAMES = ["tunability", "mistunability", "sensitivity", "optimizer_bias"]
FUNCTIONS = {
    "iris": lambda X: 1.0 * X[..., 0] + 0.5 * X[..., 1],
    "adult": lambda X: 0.5 * X[..., 0] + 3.0 * X[..., 1] * X[..., 2],
    "wine": lambda X: 2.0 * X[..., 1] - (X[..., 2] - 0.3) ** 2,
}


def analytic(game, over):
    models = {name: AnalyticSurrogate(unit_cube(3), f) for name, f in FUNCTIONS.items()}
    players = shared_players(list(models.values()), DEFAULT, seed=0)
    games = {
        name: tuning_game(game, model, DEFAULT, players=players, direction="maximize")
        for name, model in models.items()
    }
    return shared_game(games, over)


def runs_of(functions=None, n=30, noise=0.05):
    X = unit_cube(3).sample(n, seed=0)
    rng = np.random.default_rng(0)
    return {
        name: hx.Run(unit_cube(3), X, -f(X) + noise * rng.normal(size=n), "minimize")
        for name, f in (functions or FUNCTIONS).items()
    }


# ---------------------------------------------------------------------- several runs


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ("mean", (0.5 + 0.25 + 0.0) / 3),  # x1 alone gains half its slope
        ("min", 0.0),
        ("max", 0.5),
    ],
)
def test_a_set_gains_its_mean_least_or_largest_over_the_runs(over, expected):
    found = analytic("tunability", over)
    assert found.gain("x1") == pytest.approx(expected, abs=1e-6)
    of_each = {"iris": 0.75, "adult": 0.25 + 3.0 - 0.75, "wine": 1.0 + 0.04}
    assert {n: game.whole for n, game in found.games.items()} == pytest.approx(of_each, abs=1e-6)
    assert found.values.sum() == pytest.approx(found.whole)


@pytest.mark.parametrize("game", GAMES[:3])
def test_of_a_mean_the_interactions_are_the_means_of_those_of_each_run(game):
    """Linearity: an interaction is linear in the values of coalitions."""
    found = analytic(game, "mean")
    each = np.array([one.values for one in found.games.values()])
    np.testing.assert_allclose(found.values, each.mean(axis=0), atol=1e-12)


@pytest.mark.merge
@few_draws
def test_over_runs_each_draw_of_one_is_joined_with_one_of_the_others():
    found = hx.methods.tunability(runs_of(noise=0.2), DEFAULT)
    each = np.stack([game.coalition_draws for game in found.games.values()])
    np.testing.assert_allclose(found.coalition_draws, each.mean(axis=0))
    assert found.whole == pytest.approx(found.coalition_draws[:, -1].mean())
    assert found.claims[0].certain


# ---------------------------------------------------------------------- HyperSHAP


@pytest.mark.parametrize("game", GAMES[:3])
@pytest.mark.parametrize("over", ["mean", "min", "max"])
def test_hypershap_finds_the_same_over_several_data_sets(game, over):
    """Of functions that are 0 at the default: HyperSHAP joins values, not gains over it."""
    hypershap = pytest.importorskip("hypershap")
    shapiq = pytest.importorskip("shapiq")
    from ConfigSpace import Configuration, ConfigurationSpace

    games, tasks = hypershap.games, hypershap.task

    class Model:
        def __init__(self, f):
            self.f = f

        def predict(self, X):
            return self.f(np.atleast_2d(X)) - self.f(np.full(3, 0.5))

    name = game.capitalize()
    space = ConfigurationSpace(dict.fromkeys(DEFAULT, (0.0, 1.0)), seed=0)
    models = [Model(f) for f in FUNCTIONS.values()]
    several = hypershap.ExplanationTask.from_basemodel_multidata(space, models)
    first = several.get_surrogate_model_list()[0]
    default = Configuration(space, values=DEFAULT)
    asked = getattr(tasks, f"{name}ExplanationTask")(space, first, default)
    way = {"mean": "AVG", "min": "MIN", "max": "MAX"}[over]
    joined = games.MultiDataHPIGame(
        several, getattr(games, f"{name}Game")(asked), hypershap.utils.Aggregation[way]
    )
    theirs = shapiq.ExactComputer(n_players=3, game=joined)("FSII", order=2)
    ours = analytic(game, over)
    expected = np.array([theirs[members] for members in ours.sets])
    # the best and the worst of 10,000 draws, and a variance of as many
    error = 0.02 if game == "sensitivity" else 0.15
    np.testing.assert_allclose(faithful(ours), expected, atol=error)


# ---------------------------------------------------------------------- real runs, words, errors


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        (lambda runs: {"one": runs["iris"]}, {}, "at least two runs"),
        (lambda runs: runs, {"over": "median"}, "over must be one of"),
        (lambda runs: runs, {"default": None}, "default was not given, but there are several"),
        (lambda runs: runs, {"over": 0.5}, "over must be one of"),
        (lambda runs: runs, {"before": 10}, "before was given with several runs"),
        (lambda runs: runs["iris"], {"over": "max"}, "there is a single run"),
    ],
)
def test_what_cannot_be_asked_of_several_runs_is_an_error(runs, options, message):
    with pytest.raises(InputError, match=message):
        hx.methods.tunability(runs(runs_of()), **{"default": DEFAULT, **options})


# ---------------------------------------------------------------------- figures


@few_draws
def test_the_figures_hold_the_values():
    run = run_of(lambda X: X[:, 0] * X[:, 1] + X[:, 2], n=40)
    found = hx.methods.tunability(run, dict.fromkeys(DEFAULT, 1.0))
    steps = found.described()
    assert steps.heading == "What tuning gains over the default"
    assert [step.end - step.begin for step in steps.bars] == pytest.approx(
        list(found.to_frame()["value"])
    )
    assert [step.half for step in steps.bars] == [found.half(i) for i in found.by_size()]
    assert steps.bars[-1].end == steps.dots[0].x[-1] == pytest.approx(found.whole)
