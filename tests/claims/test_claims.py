"""Certain claims are right; ``python -m tests.claims`` asks many more runs and writes the table."""

import pytest
from scipy.stats import binom

from tests.claims.problems import PROBLEMS, narrow_optimum, pure_noise, tables
from tests.claims.runs import Setting
from tests.claims.scored import score

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
    every = list(tables())
    if not every:
        pytest.skip("the exact tables are not at hand")
    some = every if request.config.getoption("--thorough") else every[::4]
    enough(*wrong([Setting(problem, sampler, 50, 2) for problem in some]))


def test_where_there_is_only_noise_hardly_anything_is_certain():
    certain, _ = wrong([Setting(pure_noise(), "random", 50, seed) for seed in range(2)])
    assert [one for one in certain if one[1].kind != "no difference"] == []


def test_a_narrow_optimum_that_no_trial_saw_makes_few_claims_wrong():
    enough(*wrong([Setting(narrow_optimum(), "tpe", 60, 0)]))
