"""Claims are right; ``python -m tests.claims`` asks many more runs and writes the tables."""

import pytest
from scipy.stats import binom

from tests.claims.advised import advised
from tests.claims.asked import BROKEN, Asked
from tests.claims.goals import Found, right_of_certain
from tests.claims.narrowing import narrowing
from tests.claims.problems import named, problems
from tests.claims.runs import Setting, has_gp, make_run
from tests.claims.scored import CLAIMED, score
from tests.claims.shapes import shapes
from tests.claims.shares import shares

RISK = 0.01  # that claims of which 95 % are right fail here, by the bad luck of few
pytestmark = [pytest.mark.merge, pytest.mark.filterwarnings("ignore")]


def setting(name, sampler="tpe", n=60, seed=0, noise=0.1, *, maximize=False, nan=False):
    try:
        problem = named(name)
    except ModuleNotFoundError:
        pytest.skip("the exact tables are not at hand")
    return Setting(problem, sampler, n, seed, noise, maximize, nan)


def answers(*settings):
    return [Found(one, scored) for one in settings for scored in score(one, CLAIMED)]


def asked(one):
    return Asked(make_run(one), one.problem, one)


def enough(found, of=0.95):
    """Assert that no more certain claims are wrong than one in twenty leads to."""
    assert not [one.scored.kind for one in found if one.scored.kind.startswith(BROKEN)]
    _, certain = right_of_certain(found)
    assert certain > 0
    wrong = [
        (one.setting.label, one.scored)
        for one in found
        if one.scored.certain and one.scored.right is False
    ]
    assert binom.sf(len(wrong) - 1, certain, 1.0 - of) > RISK, wrong


def test_certain_claims_about_functions_are_right(request):
    some = [setting("conditional", "random", maximize=True)]
    if request.config.getoption("--thorough"):
        names = [name for name, problem in problems().items() if problem.family != "tables"]
        some += [setting(name, seed=seed) for seed, name in enumerate(names)]
    enough(answers(*some))


@pytest.mark.thorough
@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_certain_claims_about_real_problems_are_right(sampler):
    names = [name for name, problem in problems().items() if problem.family == "tables"]
    enough(answers(*(setting(name, sampler, 50, seed=2) for name in names)))


def test_where_there_is_only_noise_hardly_anything_is_certain(request):
    many = 20 if request.config.getoption("--thorough") else 1
    runs = [setting("pure noise", "random", 50, seed, 1.0) for seed in range(many)]
    wrong = [
        one
        for one in answers(*runs)
        if one.scored.certain and (one.scored.right is False or "best at" in one.scored.kind)
    ]
    assert len(wrong) <= many // 20, wrong


@pytest.mark.parametrize(
    ("name", "sampler", "parted"),
    [
        ("product", "tpe", True),
        *(
            pytest.param(*one, marks=pytest.mark.thorough)
            for one in (
                ("additive", "tpe", False),
                ("pure noise", "random", False),
                ("product", "random", True),
                ("additive", "random", False),
                ("pure noise", "tpe", False),
            )
        ),
    ],
)
def test_regions_by_shape_are_those_of_what_interacts(name, sampler, parted):
    found = list(shapes(asked(setting(name, sampler, 100))))
    assert any(one.kind == "shape differs" for one in found) == parted
    assert not [one for one in found if one.certain and one.right is False]


@pytest.mark.parametrize(
    "name",
    [
        "rastrigin",
        pytest.param("steep learning rate", marks=pytest.mark.thorough),
        pytest.param("rare", marks=pytest.mark.thorough),
    ],
)
def test_what_is_enough_for_less_is_enough_for_more_and_holds_the_trial_to_keep(name):
    found = list(narrowing(asked(setting(name, maximize=True))))
    wrong = [one for one in found if one.kind.startswith(("narrowing", "trial")) and not one.right]
    assert not wrong


@pytest.mark.parametrize("nan", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_what_crashes_is_not_proposed_nor_recommended(nan):
    """Accuracy rises with the learning rate, and the run crashes above .1."""
    run = asked(setting("steep learning rate", maximize=True, nan=nan))
    proposed = [one.right for one in advised(run) if one.kind == "proposal works"]
    assert sum(proposed) >= 0.9 * len(proposed)
    crashing = [one.stated for one in narrowing(run) if one.kind == "box crashes"]
    assert crashing[0] <= 0.15


@pytest.mark.thorough
def test_a_share_that_is_large_is_said_to_be_large_after_skopts_gaussian_process():
    """The share of x1 in x0² + 4 x1² is .94."""
    found = {
        one.known: one
        for one in shares(asked(setting("quadratic", "skopt", 18, noise=0.0)))
        if one.kind == "share of one"
    }
    largest = found[max(found)]
    assert largest.covered
    assert largest.stated > 0.7


@pytest.mark.skipif(not has_gp(), reason="Optuna's Gaussian process needs torch")
@pytest.mark.thorough
def test_certain_claims_about_runs_of_a_gaussian_process_are_right():
    enough(answers(setting("additive", "gp", 25)))


@pytest.mark.thorough
def test_nodes_that_die_at_random_make_no_hole():
    found = list(narrowing(asked(setting("dying nodes", n=150))))
    assert all(one.right for one in found if one.kind.startswith("keep at") and one.made)


def test_of_many_pairs_none_that_does_not_interact_is_certain():
    """66 pairs and 100 trials: what is not explained lies in some of them."""
    pairs = [
        one
        for one in shares(asked(setting("twelve", "random", 100, seed=1)))
        if one.kind == "share of a pair" and one.certain
    ]
    assert any(one.known > 0.25 for one in pairs)
    assert [one for one in pairs if not one.could] == []


def test_what_few_pairs_share_is_certain_where_the_function_is_known():
    pairs = [
        one
        for one in shares(asked(setting("rosenbrock", "random", noise=0.0)))
        if one.kind == "share of a pair" and one.certain
    ]
    assert sum(one.could for one in pairs) >= 2
