"""Games of several runs: closed forms, HyperSHAP's multi-data games, axioms, real runs."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import InputError
from hpo_explain.explainers._shared_games import shared_game, shared_players
from tests.analytic import AnalyticSurrogate, unit_cube

DEFAULT = {"x1": 0.5, "x2": 0.5, "x3": 0.5}
GAMES = ["tunability", "mistunability", "sensitivity", "optimizer_bias"]
FUNCTIONS = {
    "iris": lambda X: 1.0 * X[..., 0] + 0.5 * X[..., 1],
    "adult": lambda X: 0.5 * X[..., 0] + 3.0 * X[..., 1] * X[..., 2],
    "wine": lambda X: 2.0 * X[..., 1] - (X[..., 2] - 0.3) ** 2,
}


def analytic(game, over, index="k-SII"):
    models = {name: AnalyticSurrogate(unit_cube(3), f) for name, f in FUNCTIONS.items()}
    options = {"index": index, "direction": "maximize"}
    asked = {name: hx.GameExplainer(model, **options) for name, model in models.items()}
    players = shared_players(asked, DEFAULT)
    games = {
        name: getattr(hx.GameExplainer(model, players=players, **options), game)(DEFAULT)
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


# ---------------------------------------------------------------------- closed forms


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ("mean", (0.5 + 0.25 + 0.0) / 3),  # x1 alone gains half its slope
        ("min", 0.0),
        ("max", 0.5),
        (0.5, 0.25),
    ],
)
def test_a_set_gains_its_mean_least_largest_or_quantile_over_the_runs(over, expected):
    found = analytic("tunability", over)
    assert found.gain("x1") == pytest.approx(expected, abs=1e-6)
    of_each = {"iris": 0.75, "adult": 0.25 + 3.0 - 0.75, "wine": 1.0 + 0.04}
    assert {n: game.whole for n, game in found.games.items()} == pytest.approx(of_each, abs=1e-6)
    assert found.total.values.sum() == pytest.approx(found.whole)


@pytest.mark.parametrize("game", GAMES[:3])
def test_of_a_mean_the_interactions_are_the_means_of_those_of_each_run(game):
    """Linearity: an interaction is linear in the values of coalitions."""
    found = analytic(game, "mean")
    each = np.array([one.total.values for one in found.games.values()])
    np.testing.assert_allclose(found.total.values, each.mean(axis=0), atol=1e-12)


def test_the_same_run_twice_is_that_run():
    (name, run), *_ = runs_of().items()
    one = hx.tunability(run, DEFAULT, kind="gp")
    for over in ("mean", "min", 0.3):
        both = hx.tunability({"a": run, "b": run}, DEFAULT, kind="gp", over=over)
        np.testing.assert_allclose(both.coalitions, one.coalitions, atol=1e-3 * one.whole)
    assert name == "iris"


def test_the_std_of_a_mean_over_independent_runs_is_smaller_than_that_of_each():
    found = hx.tunability(runs_of(noise=0.2), DEFAULT, kind="gp")
    each = np.array([game.total.model_std for game in found.games.values()])
    np.testing.assert_allclose(found.total.model_std, np.sqrt((each**2).sum(axis=0)) / 3)
    np.testing.assert_allclose(found.posterior.values.std(axis=0), found.total.model_std, rtol=0.15)
    assert found.whole_std < max(game.whole_std for game in found.games.values())


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
    ours = analytic(game, over, "FSII")
    expected = np.array([theirs[members] for members in ours.total.sets])
    # the best and the worst of 10,000 draws, and a variance of as many
    error = 0.02 if game == "sensitivity" else 0.15
    np.testing.assert_allclose(ours.total.values, expected, atol=error)


# ---------------------------------------------------------------------- real runs, words, errors


@pytest.mark.parametrize("game", GAMES)
def test_every_game_of_several_runs_has_words_a_table_and_plots(game):
    found = getattr(hx, game)(runs_of(), DEFAULT, kind="gp")
    assert found.sentence.startswith("On average over 3 runs: ")
    frame = found.to_frame()
    assert {"in iris", "in adult", "in wine"} <= set(frame.columns)
    np.testing.assert_allclose(
        frame[["in iris", "in adult", "in wine"]].mean(axis=1), frame["value"], atol=1e-9
    )
    assert "on average over 3 runs" in found.plot().get_title(loc="left").replace("\n", " ")
    assert found.to_dict()["runs"].keys() == found.games.keys()


def test_what_is_gained_at_least_is_gained_in_every_run():
    least = hx.tunability(runs_of(), DEFAULT, kind="gp", over="min")
    assert least.whole == min(game.whole for game in least.games.values())
    assert least.sentence.startswith("At least, in each of 3 runs: tuning gains")
    worst = hx.mistunability(runs_of(), DEFAULT, kind="gp", over="min")
    assert worst.sentence.startswith("At most, in any of 3 runs: the worst values lose")
    with pytest.raises(InputError, match=r"games\['iris'\]"):
        least.configuration("x1")
    assert least.games["iris"].configuration("x1")["x1"] == pytest.approx(1.0, abs=0.05)


def test_without_a_default_tuning_is_compared_with_the_one_that_is_good_in_all():
    found = hx.tunability(runs_of(), kind="gp")
    assert found.default == hx.compare(runs_of(), kind="gp").default.configuration
    assert any(note.kind == "default_of_all" for note in found.notes)
    assert found.whole < hx.tunability(runs_of(), DEFAULT, kind="gp").whole


def test_a_run_that_makes_up_most_of_the_average_is_named():
    functions = {"small": FUNCTIONS["iris"], "large": lambda X: 100.0 * X[..., 0]}
    found = hx.tunability(runs_of(functions), DEFAULT, kind="gp")
    (note,) = [note for note in found.notes if note.kind == "runs_uneven"]
    assert str(note).startswith("large makes up 9")
    assert not hx.tunability(runs_of(), DEFAULT, kind="gp").notes


def test_studies_are_read():
    def study(slope):
        made = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        made.optimize(
            lambda t: slope * t.suggest_float("lr", 0.0, 1.0) + t.suggest_float("wd", 0.0, 1.0), 15
        )
        return made

    found = hx.tunability({"a": study(1.0), "b": study(3.0)}, {"lr": 1.0, "wd": 1.0}, kind="gp")
    assert found.gain("lr") == pytest.approx(2.0, abs=0.2)
    assert found.gain("wd") == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        (lambda runs: {"one": runs["iris"]}, {}, "at least two runs"),
        (lambda runs: runs, {"over": "median"}, "over must be one of"),
        (lambda runs: runs, {"over": 1.5}, "over must lie between 0 and 1"),
        (lambda runs: runs, {"before": 10}, "before was given with several runs"),
        (lambda runs: runs["iris"], {"over": "max"}, "there is a single run"),
    ],
)
def test_what_cannot_be_asked_of_several_runs_is_an_error(runs, options, message):
    with pytest.raises(InputError, match=message):
        hx.tunability(runs(runs_of()), DEFAULT, **options)


def test_runs_of_other_spaces_or_directions_are_errors():
    runs = runs_of()
    space = hx.SearchSpace([hx.FloatParameter("y", 0.0, 1.0)])
    other = hx.Run(space, space.sample(10), np.arange(10.0), "minimize")
    with pytest.raises(InputError, match="not of the same search space"):
        hx.tunability({**runs, "other": other}, DEFAULT)
    iris = runs["iris"]
    turned = hx.Run(iris.space, iris.X, -iris.objective, "maximize")
    with pytest.raises(InputError, match="not of the same direction"):
        hx.tunability({**runs, "turned": turned}, DEFAULT)
    with pytest.raises(InputError, match="ensemble"):
        hx.optimizer_bias(runs, DEFAULT, ensemble=[iris])
