"""Trust: one word that is the same everywhere, and numbers that are true where truth is known."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")

SPACE = unit_cube(2)
X = SPACE.sample(40, seed=1)


def run_of(y, rows=X, direction="minimize"):
    return hx.Run(SPACE, rows, np.asarray(y, float), direction)


def bowl(rows):
    return (rows[:, 0] - 0.3) ** 2 + 0.3 * rows[:, 1]


def test_the_expected_skill_is_that_over_the_space():
    run = run_of(bowl(X[:12]), X[:12])
    found = hx.trust(run)
    rows = SPACE.sample(4000, seed=5)
    true, predicted = bowl(rows), run.belief().predict(rows)[0]
    r2 = 1.0 - ((true - predicted) ** 2).mean() / true.var()
    low, high = found.r2_interval
    assert low <= r2 <= high
    assert abs(found.r2 - r2) < 0.1
    assert found.level == "good"


@pytest.mark.parametrize(
    "y", [np.ones(40), np.random.default_rng(3).standard_normal(40)]
)
def test_of_nothing_and_of_noise_nothing_is_known(y):
    assert hx.trust(run_of(y)).level == "poor"


@pytest.mark.parametrize("seed", range(3))
def test_a_part_of_the_space_leaves_the_rest_open(seed):
    # beside no noise at all everything is open, however well it is known
    noise = 0.1 * np.random.default_rng(seed).standard_normal(len(X))
    everywhere = hx.trust(run_of(np.sin(9 * X[:, 0]) + noise))
    part = X * [0.2, 1.0]
    corner = hx.trust(run_of(np.sin(9 * part[:, 0]) + noise, part))
    assert corner.open > everywhere.open
    assert corner.r2 < everywhere.r2 - 0.3


def test_the_word_follows_from_the_numbers_and_is_told_with_them():
    found = hx.trust(run_of(bowl(X)))
    assert found.sentence.startswith(f"Trust in the model is {found.level}: ")
    assert [claim.estimate for claim in found.claims] == [
        found.r2,
        found.rank,
        found.covered,
    ]
    assert found.to_frame()["value"].tolist() == [*found.values]
    assert found.described().heading == f"Trust in the model is {found.level}"


@few_draws
def test_a_printed_result_repeats_the_word_where_it_is_not_good():
    noise = run_of(np.random.default_rng(3).standard_normal(40))
    found = hx.partial_dependence(noise, "x1", sample=40)
    assert found.trust.level == hx.trust(noise).level == "poor"
    assert "Trust in the model is poor." in str(found)
    assert "Trust in the model is poor." in found._repr_html_()
    good = hx.partial_dependence(run_of(bowl(X)), "x1", sample=40)
    assert "Trust" not in str(good)
    assert (
        hx.partial_dependence(noise, "x1", surrogate="gp", sample=40).trust
        is None
    )
