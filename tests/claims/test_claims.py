"""Certain claims are right; ``python -m tests.claims`` asks many more runs and writes the table."""

import pytest
from scipy.stats import binom

import hpo_explain as hx
from examples.scoreboard import tables
from tests.claims.problems import (
    PROBLEMS,
    additive,
    categorical,
    conditional,
    narrow_optimum,
    plateau,
    pure_noise,
)
from tests.claims.runs import Setting, has_gp, make_run
from tests.claims.scored import cuts_the_best, score

RISK = 0.01  # that claims of which 95 % are right fail here, by the bad luck of few


def wrong(settings):
    """Certain claims, and those of them that are wrong."""
    certain = [
        (s.label, claim) for s in settings for claim in score(s)
        if claim.certain and claim.right is not None
    ]  # fmt: skip
    return certain, [one for one in certain if not one[1].right]


def enough(certain, false):
    """Assert that no more are wrong than one in twenty leads to."""
    assert binom.sf(len(false) - 1, len(certain), 0.05) > RISK, false


def test_certain_claims_about_functions_are_right(request):
    thorough = request.config.getoption("--thorough")
    some = [
        Setting(make(), sampler, n, seed)
        for i, make in enumerate(PROBLEMS)
        for sampler, n, seed in (("random", 50, i), ("tpe", 60, i))[: 2 if thorough else 1]
    ]
    certain, false = wrong(some if thorough else some[::3])
    assert len(certain) > 10
    enough(certain, false)


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_certain_claims_about_real_problems_are_right(sampler, request):
    every = list(tables.every())
    if not every:
        pytest.skip("the exact tables are not at hand")
    some = every if request.config.getoption("--thorough") else every[::4]
    enough(*wrong([Setting(problem, sampler, 50, 2) for problem in some]))


def test_where_there_is_only_noise_hardly_anything_is_certain(request):
    many = 20 if request.config.getoption("--thorough") else 2
    _, false = wrong([Setting(pure_noise(), "random", 50, seed) for seed in range(many)])
    assert len(false) <= many // 20, false


def test_a_narrow_optimum_that_no_trial_saw_makes_few_claims_wrong():
    """The recommended space may miss it: its trials are those of the bowl beside it."""
    enough(*wrong([Setting(narrow_optimum(), "tpe", 60, 0)]))


def test_where_half_of_the_space_fails_with_one_value_certain_claims_are_right():
    enough(*wrong([Setting(plateau(), "tpe", 60, 0)]))


def test_a_category_of_twenty_values_that_does_not_matter_has_hardly_a_share():
    found = hx.importance(make_run(Setting(categorical(), "random", 60, 0))).to_frame()
    assert found.loc["irrelevant", "importance"] < 0.04


def test_of_a_branch_with_ten_trials_nothing_certain_is_wrong():
    setting = Setting(conditional(), "random", 30, 3)
    assert 8 <= (make_run(setting).X[:, 0] == 1.0).sum() <= 12  # the branch with the best
    certain, false = wrong([setting])
    enough(certain, false)
    assert not cuts_the_best(setting)


@pytest.mark.skipif(not has_gp(), reason="Optuna's Gaussian process needs torch")
def test_certain_claims_about_runs_of_a_gaussian_process_are_right():
    enough(*wrong([Setting(additive(), "gp", 25, 0)]))
