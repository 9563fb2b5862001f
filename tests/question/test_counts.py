"""What counts as better, who says so, which trials tie, and which one to keep."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import hpo_explain as hx
from hpo_explain.adapters.sources import as_runs
from hpo_explain.base import InputError
from hpo_explain.belief import Noise
from hpo_explain.belief.noise import resolution, step_of
from hpo_explain.cli import main
from hpo_explain.question import Question, RunDecision, WhatCounts
from hpo_explain.question.decision import predictions_at
from tests.analytic import Known, space_of, unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")
LINE = space_of(a=range(100))


def fold_accuracies(n, sizes, seed=0):
    """The mean accuracy of folds where some samples are wrong, most of them few."""
    rng = np.random.default_rng(seed)
    chance = 0.4 * rng.random(n) ** 3
    wrong = rng.binomial(sizes, chance[:, None])
    return (1.0 - wrong / sizes).mean(axis=1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sizes", [[36, 36, 36, 35, 35], [114, 114, 114, 114, 113], [50, 50, 50]])
def test_of_fold_accuracies_one_sample_is_the_step(sizes, seed):
    """Folds of 35 and 36 have steps of 1/175 and 1/180: the mean is what one sample makes."""
    found = resolution(-fold_accuracies(60, np.array(sizes), seed))
    assert found == pytest.approx(1.0 / sum(sizes), rel=0.05)


def test_of_one_set_of_samples_the_step_is_exact():
    rng = np.random.default_rng(0)
    cost = rng.integers(0, 40, 50) / 569
    assert resolution(cost) == pytest.approx(1 / 569)
    assert resolution(cost) == pytest.approx(step_of(cost))


@pytest.mark.parametrize("seed", range(20))
def test_what_does_not_count_has_no_step(seed):
    """Nor has what ties at the bottom of a plateau only, or has few levels."""
    rng = np.random.default_rng(seed)
    cost = rng.random(60) ** 3
    assert resolution(cost) == 0.0
    assert resolution(np.maximum(cost, 0.01)) == 0.0


def run_of(observed, at=None, **known):
    X = LINE.encode([{"a": a} for a in at or range(len(observed))])
    return hx.Run(LINE, X, observed, "minimize", **known)


def decided(run, *functions, noise=None):
    """What is decided where these functions are allowed."""
    draws = Known(LINE, functions)
    if noise is not None:
        draws.__class__ = type("Noisy", (Known,), {"noise": noise})
    return RunDecision(run, draws, WhatCounts.of(run, draws))


# without ties; the median is 50 above the best
SLOPE = np.arange(100.0) + 0.3 * np.sin(np.arange(100.0))


def slope(X):
    return 99.0 * X[:, 0]


@pytest.mark.parametrize(
    ("noise", "epsilon", "whose"),
    [
        (Noise.known(0.0), 0.5, "share"),
        (Noise.known(2.0), 2.0, "noise"),
        (Noise(2.0, 0.1, 9.0, settled=False), 0.5, "share"),
    ],
)
def test_the_largest_of_step_settled_noise_and_a_hundredth_counts(noise, epsilon, whose):
    found = decided(run_of(SLOPE), slope, noise=noise).counts
    assert (found.whose, found.step) == (whose, 0.0)
    assert found.epsilon == pytest.approx(epsilon, abs=0.02)
    counted = decided(run_of(np.rint(SLOPE / 3)), slope, noise=noise).counts
    assert counted.step == 1.0
    assert counted.epsilon == max(1.0, found.epsilon)


def test_the_user_has_the_last_word_about_what_counts():
    found = decided(run_of(SLOPE, epsilon=7.5), slope, noise=Noise.known(9.0))
    assert (found.epsilon, found.counts.whose) == (7.5, "user")
    assert found.counts.in_words == "as given"


def test_on_a_lattice_a_gain_is_one_of_whole_steps():
    counts = WhatCounts(0.03, "user", step=0.02)
    assert counts.least == pytest.approx(0.04)
    assert 0.02 < counts.between < 0.04
    assert WhatCounts(0.02, "step", step=0.02).least == pytest.approx(0.02)
    assert WhatCounts(0.001, "user", step=0.02).least == pytest.approx(0.02)
    assert WhatCounts(0.03, "user").least == 0.03


def test_that_a_better_one_exists_is_told_of_whole_steps():
    """By 2 at the median, where accuracies have steps of 1: half a step is what decides."""
    observed = np.rint(SLOPE[10:60] / 3) + 2.0
    run = run_of(observed, at=range(10, 60))
    found = decided(run, at([observed[0] - 2.0] + 99 * [observed[0]]))
    assert (found.counts.whose, found.counts.least) == ("step", 1.0)
    assert found.better.estimate == pytest.approx(2.0)
    assert found.better.probability == pytest.approx(2.0 / 2.5)


@pytest.mark.parametrize(("roughness", "certain"), [(0.0, True), (4.0, True), (156.0, False)])
def test_what_draws_leave_out_is_noise_or_the_objective(roughness, certain):
    """The best may be a quarter of it beyond the draws, and as much counts at least."""
    values = np.full(100, 40.0)
    values[0] = 1.0
    run = run_of(SLOPE[2:52], at=range(2, 52), epsilon=1.0)
    draws = Known(LINE, [at(values)])
    draws.__class__ = type("Rough", (Known,), {"roughness": roughness})
    better = RunDecision(run, draws, WhatCounts.of(run, draws)).better
    median = float(np.hypot(39.0, roughness / 4.0))
    assert better.estimate == pytest.approx(median)
    assert better.interval == pytest.approx((median / 10, 10 * median))
    counts = max(1.0, roughness / 4.0)
    assert better.probability == pytest.approx(median / (median + counts))
    assert better.certain == certain


def test_trials_tie_that_differ_by_less_than_counts():
    observed = np.array([5.0, 2.0, 2.4, 2.6, 2.0, 9.0])
    run = run_of(observed, epsilon=0.5, feasible=np.array([True, True, True, True, False, True]))
    assert decided(run, slope).tied == (1, 2)


def at(values):
    """A function that has these values."""
    return lambda X: np.asarray(values)[np.rint(99.0 * X[:, 0]).astype(int)]


@pytest.mark.parametrize(("other", "keep"), [(0.0, 1), (1.9, 0), (2.1, 0), (4.1, 0)])
def test_another_trial_is_kept_only_where_it_is_better_by_what_counts(other, keep):
    """As half of what is seen beside the draws is noise, half of it counts."""
    values = np.full(100, 20.0)
    values[:2] = 6.0, other
    # trial 0 was lucky, trial 1 unlucky: expected are 3 and (other + 4) / 2
    observed = np.array([0.0, 4.0, 20.3, 21.7])
    run = run_of(observed, epsilon=0.9)
    beside = observed - values[:4]
    half = Noise.known(float(np.sqrt((beside**2).mean() / 2.0)))
    found = decided(run, at(values), at(values), noise=half)
    assert found.keep == keep
    assert len(found.why_another) == (keep != 0)
    for why in found.why_another:
        assert "is expected to be worse than trial" in str(why)
        assert " by 1, which" in str(why)


def test_another_trial_is_kept_only_where_it_is_probably_better():
    """By some of ten functions it is better by 20, by the others worse by 4."""
    first = np.full(100, 50.0)
    first[:2] = 20.0, 0.0
    second = np.full(100, 50.0)
    second[:2] = 0.0, 4.0
    run = run_of(np.array([10.0, 10.1, 50.0]), epsilon=0.5)
    noise = Noise.known(90.0)
    for count, keep in ((5, 0), (7, 0), (9, 1)):
        functions = count * [at(first)] + (10 - count) * [at(second)]
        assert decided(run, *functions, noise=noise).keep == keep


def test_without_noise_the_best_observed_trial_is_kept():
    values = np.full(100, 20.0)
    values[:2] = 6.0, 0.0
    run = run_of(np.array([0.0, 4.0, 20.3, 21.7]), epsilon=0.1)
    assert decided(run, at(values)).keep == 0


@few_draws
def test_epsilon_settles_for_all_who_ask_what_counts():
    space = unit_cube(2)
    X = space.sample(40, seed=0)
    run = hx.Run(space, X, ((X - 0.4) ** 2).sum(axis=1), "minimize")
    usual = hx.optimum(run).epsilon
    epsilon = 20.0 * usual
    optimum = hx.optimum(run, epsilon=epsilon)
    assert optimum.epsilon == epsilon
    assert "(as given)" in optimum.sentence
    assert hx.recommended_space(run, epsilon=epsilon).lose == epsilon
    lose = hx.recommended_space(run, lose=usual, epsilon=epsilon).lose
    assert lose == usual
    summary = hx.summary(run, epsilon=epsilon)
    assert summary.optimum.epsilon == epsilon
    assert summary.recommended_space.lose == epsilon
    enough = [
        fact["enough"]
        for action in summary.advice.actions
        for fact in action.evidence
        if "enough" in dict(fact.values)
    ]
    assert set(enough) == {epsilon}
    assert len(optimum.tied) > len(hx.optimum(run).tied)


@few_draws
def test_the_command_and_the_page_take_it(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.random(30)})
    table["loss"] = (table.x - 0.4) ** 2
    place = tmp_path / "trials.csv"
    table.to_csv(place, index=False)
    options = ["--objective", "loss", "--epsilon", "0.05", "--json"]
    shown = CliRunner().invoke(main, ["optimum", str(place), *options])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["epsilon"] == 0.05
    page = tmp_path / "page.html"
    hx.report(table, page, objective="loss", epsilon=0.05, sections=["what-if"])
    assert '"counts":"0.05"' in page.read_text(encoding="utf-8")


def test_of_several_objectives_each_has_its_own_amount():
    space = unit_cube(1)
    X = space.sample(20, seed=1)
    loss = hx.Run(space, X, X[:, 0], "minimize", objective_name="loss")
    time = hx.Run(space, X, 9.0 - X[:, 0], "minimize", objective_name="time")
    runs = as_runs({"loss": loss, "time": time}, epsilon={"loss": 0.1})
    assert [run.epsilon for run in runs.values()] == [0.1, None]
    with pytest.raises(InputError, match="there are 2 objectives"):
        as_runs({"loss": loss, "time": time}, epsilon=0.1)


@pytest.mark.parametrize("wrong", [0.0, -1.0, "x", np.nan])
def test_what_counts_is_more_than_nothing(wrong):
    space = unit_cube(1)
    run = hx.Run(space, space.sample(9), np.arange(9.0), "minimize")
    with pytest.raises(InputError, match="epsilon"):
        hx.optimum(run, epsilon=wrong)


def test_a_prediction_has_its_whole_interval_where_that_holds_0():
    """Of 99 values from -.2 to 9.6 two lie below 0: the objective is no difference to decide."""
    ends = np.linspace(-0.2, 9.6, 99)
    draws = Known(LINE, [lambda X, end=end: 0.0 * X[:, 0] + end for end in ends])
    (predicted,) = predictions_at(draws, np.array([[0.5]]), None)
    middle = np.median(ends)
    assert predicted.interval[0] < 0.0
    assert predicted.interval[1] - middle == pytest.approx(middle - predicted.interval[0])


@few_draws
def test_configurations_predicted_together_are_those_predicted_one_by_one():
    space = unit_cube(2)
    X = space.sample(20)
    run = hx.Run(space, X, X[:, 0] + (X[:, 1] - 0.4) ** 2, "minimize")
    decision = Question(run).decision
    for row, together in zip(X, decision.predictions(X), strict=True):
        alone = decision.predicted(row)
        found = [together.estimate, *together.interval]
        # draws are of single precision
        assert found == pytest.approx([alone.estimate, *alone.interval], abs=1e-3 * alone.half)
