"""How importance changes between two objectives: closed forms, the ends, the sum, a real run."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.base import Subject
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.methods.importance.trade_off import TradeOffImportance
from hpo_explain.methods.importance.trade_off_show import VIEWS
from tests.analytic import unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")
SPACE = unit_cube(3)
X = SPACE.sample(40, seed=1)
LOSS, SIZE = np.array([2.0, 1.0, 0.0]), np.array([0.0, -1.0, 3.0])


def run_of(values, name, direction="minimize", **known):
    return hx.Run(SPACE, X, values, direction, objective_name=name, **known)


RUNS = {"loss": run_of(X @ LOSS, "loss"), "size": run_of(X @ SIZE, "size")}


def between(runs, **options):
    return hx.importance(runs, target="trade-off", **options)


@pytest.fixture(scope="module")
def linear():
    return between(RUNS)


def test_shares_of_two_lines_are_those_of_their_weighted_sum(linear):
    ranges = [np.ptp(run.objective) for run in RUNS.values()]
    for weight, share in zip(linear.weights, linear.estimate, strict=True):
        slopes = (1.0 - weight) * LOSS / ranges[0] + weight * SIZE / ranges[1]
        true = slopes**2 / (slopes**2).sum()
        assert share == pytest.approx(true, abs=0.02)
    assert linear.weights.tolist() == pytest.approx(np.arange(11) / 10)


def test_at_either_end_is_the_importance_of_one_objective(linear):
    for end, run in ((0, RUNS["loss"]), (-1, RUNS["size"])):
        alone = hx.importance(run)
        assert linear.estimate[end] == pytest.approx(alone.estimate, abs=1e-6)
        for j in range(3):
            found = [float(ends[end, j]) for ends in linear.ends]
            assert found == pytest.approx(alone.bounds(j), abs=1e-4)


def curved(rng):
    """Return two runs of the same trials with noise, of which the truth is known."""
    first = np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2
    second = X[:, 0] * X[:, 2] + 0.5 * X[:, 1]
    noise = 0.02 * rng.standard_normal((2, len(X)))
    return {"a": run_of(first + noise[0], "a"), "b": run_of(second + noise[1], "b")}


@pytest.mark.merge
def test_a_belief_of_the_sum_itself_says_the_same():
    runs = curved(np.random.default_rng(0))
    found = between(runs)
    ranges = [np.ptp(run.objective) for run in runs.values()]
    for place in (3, 7):
        weight = found.weights[place]
        costs = [run.cost for run in runs.values()]
        summed = (1.0 - weight) * costs[0] / ranges[0] + weight * costs[1] / ranges[1]
        alone = hx.importance(run_of(summed, "sum"))
        assert found.estimate[place] == pytest.approx(alone.estimate, abs=0.06)


def test_the_direction_of_an_objective_changes_no_share(linear):
    turned = {"loss": run_of(-X @ LOSS, "loss", "maximize"), "size": RUNS["size"]}
    assert between(turned).estimate == pytest.approx(linear.estimate)


def test_what_is_told_is_the_difference_between_the_ends(linear):
    assert linear.finding == (
        "From loss to size, x3 matters more (0% to 90% alone), x1 matters less (80% to 0% alone) "
        "and x2 matters less (20% to 10% alone)."
    )
    shares = {claim.hyperparameters[0]: claim for claim in linear.claims}
    assert {name: claim.kind for name, claim in shares.items()} == (
        dict.fromkeys(["x1", "x2", "x3"], "difference")
    )
    for j, name in enumerate(["x1", "x2", "x3"]):
        change = linear.estimate[-1, j] - linear.estimate[0, j]
        assert shares[name].estimate == pytest.approx(change)
        assert shares[name].certain


def test_objectives_that_depend_on_the_same_are_not_told_apart():
    same = {"loss": RUNS["loss"], "other": run_of(5.0 * RUNS["loss"].objective + 1.0, "other")}
    found = between(same)
    assert not any(claim.certain for claim in found.claims)
    assert found.finding.startswith("Nothing is known to matter more for one")
    # of changes that nobody knows none is told
    assert [bool(claim.text) for claim in found.claims] == [True, False, False]
    assert found.caution == ""


def result_of(before, after):
    """Return a result of draws of one share at either end."""
    shares = np.stack([before, after])[:, :, None]
    space = unit_cube(1)
    run = hx.Run(space, space.sample(2), [0.0, 1.0], "minimize")
    return TradeOffImportance(
        subject=Subject.of(run),
        objectives=("loss", "size"),
        weights=np.array([0.0, 1.0]),
        shares=shares,
    )


def test_what_surely_matters_less_mattered_before_by_its_interval():
    # 4 % or more in all draws: the interval, which is wider, holds 0
    low = np.linspace(0.04, 0.76, 192)
    found = result_of(low, np.zeros(192))
    (claim,) = found.claims
    assert found.ends[0][0, 0] == 0.0
    assert not claim.certain
    assert claim.interval[0] < -0.5
    assert claim.interval[1] == pytest.approx(0.0, abs=0.02)
    (claim,) = result_of(low + 0.2, np.zeros(192)).claims
    assert claim.certain
    assert claim.interval[1] < 0.0


@pytest.mark.parametrize("seed", range(5))
def test_a_certain_change_agrees_with_the_intervals_of_both_ends(seed):
    rng = np.random.default_rng(seed)
    certain = 0
    for _ in range(200):
        first, second = rng.beta(*rng.exponential(5.0, (2, 2, 1)), (2, 192))
        found = result_of(first, second)
        (claim,) = found.claims
        low, high = found.ends
        larger, smaller = (1, 0) if claim.estimate > 0.0 else (0, 1)
        if claim.certain:
            certain += 1
            assert low[larger, 0] > 0.02
            assert high[smaller, 0] < 1.0
            assert np.sign(claim.interval[0]) == np.sign(claim.interval[1])
    assert certain > 20


@pytest.mark.thorough
def test_certain_differences_are_true():
    dense = SPACE.sample(20_000, seed=5)
    truths = [
        np.sin(4.0 * dense[:, 0]) + dense[:, 1] ** 2,
        dense[:, 0] * dense[:, 2] + 0.5 * dense[:, 1],
    ]
    shares = [explained(dense, values) for values in truths]
    right = []
    for seed in range(2):
        found = between(curved(np.random.default_rng(seed)))
        for claim in found.claims:
            j = SPACE.names.index(claim.hyperparameters[0])
            change = shares[1][j] - shares[0][j]
            if claim.certain:
                right.append(np.sign(change) == np.sign(claim.estimate))
    assert len(right) >= 4
    assert all(right)


def explained(rows, values):
    """Return the share of the variance between 50 slices of each column."""
    share = []
    for x in rows.T:
        part = (x * 50).astype(int)
        means = np.bincount(part, values) / np.bincount(part)
        share.append(np.var(means[part]) / np.var(values))
    return share


@few_draws
def test_a_study_of_two_objectives_is_asked_by_its_target():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        y = trial.suggest_float("y", 0.0, 1.0)
        return x, y

    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(objective, n_trials=25)
    found = between(study)
    assert found.estimate[[0, -1]] == pytest.approx(np.eye(2), abs=0.02)
    assert found.objectives == tuple(hx.pareto(study).objectives)


@few_draws
def test_of_one_objective_the_other_one_is_how_long_trials_took():
    timed = run_of(X @ LOSS, "loss", started=np.zeros(40), finished=1.0 + X[:, 2])
    found = between(timed)
    assert found.objectives == ("loss", "duration in seconds")
    assert found.estimate[-1, 2] > 0.9
    with pytest.raises(NothingToExplain):
        between(RUNS["loss"])


def test_the_table_has_a_row_for_each_weight_and_hyperparameter(linear):
    table = linear.to_frame()
    assert len(table) == 33
    last = table[table.weight == 1.0]
    assert last.index.tolist() == ["x1", "x2", "x3"]
    assert last.importance.tolist() == linear.estimate[-1].tolist()
    assert (table.lower <= table.importance).all()
    assert (table.importance <= table.upper).all()


def test_the_figure_has_a_curve_with_its_band_for_each_hyperparameter(linear):
    drawn = VIEWS[""].describe(linear)
    for line in drawn.lines:
        j = SPACE.names.index(drawn.means[line.look])
        assert line.y.tolist() == linear.estimate[:, j].tolist()
        down, up = line.half
        assert (line.y - down).tolist() == pytest.approx(linear.ends[0][:, j])
        assert (line.y + up).tolist() == pytest.approx(linear.ends[1][:, j])


def test_what_cannot_be_asked_between_objectives_is_refused():
    three = {**RUNS, "third": run_of(X[:, 2], "third")}
    for options, problem in [
        ({"order": 2}, "but order was given. Leave one of them out"),
        ({"top": 0.1}, "but top was given"),
        ({"within": 0.0}, "but within was given"),
        ({"n_trees": 0}, "but n_trees was given"),
        ({"cap": 0.0}, "but cap was given"),
        ({"given": {"x1": [0.0]}}, "but given was given"),
        ({"instances": True}, "but instances was given"),
        ({"kind": "forest"}, "functions drawn from the posterior"),
        ({"surrogate": RUNS["loss"].surrogate()}, "several runs"),
    ]:
        with pytest.raises(InputError, match=problem):
            between(RUNS, **options)
    with pytest.raises(InputError, match="there are 3"):
        between(three)
