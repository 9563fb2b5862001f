"""Trust: one word that is the same everywhere, and numbers that are true where truth is known."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.belief.trust import trust_in
from tests.analytic import unit_cube

PROCESS = (
    hx.Run(unit_cube(1), np.linspace(0.0, 1.0, 9)[:, None], np.arange(9.0), "minimize")
    .belief()
    .processes[2]
)

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
    assert low <= r2 <= high + 0.01
    assert abs(found.r2 - r2) < 0.1
    assert found.level == "good"


@pytest.mark.parametrize("y", [np.ones(40), np.random.default_rng(3).standard_normal(40)])
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
    assert found.sentence.startswith(f"Reliability: {found.level} (the model ")
    low = found.r2_interval[0]
    assert found.headline == (
        f"Reliability: {found.level} (R² {found.r2:.2f}, at least {low:.2f})."
    )
    assert [claim.estimate for claim in found.claims] == [found.r2, found.rank, found.covered]
    assert found.to_frame()["value"].tolist() == [*found.values]
    assert found.described().heading == f"Reliability: {found.level}"


@pytest.mark.parametrize(
    ("along", "level"), [(0.95, "good"), (0.8, "good"), (0.6, "fair"), (0.5, "poor")]
)
def test_the_level_follows_the_lower_end(along, level):
    """Twenty of 100 draws have a part a along a wave, the others all: c on average.

    Of a draw of variance 1 the mean c has R² = 1 - (1 - 2 a c + c²) over the space. Nine tenths of
    the draws have no less than the twenty.
    """
    phase = 2.0 * np.pi * (np.arange(400) + 0.5) / 400
    parts = np.where(np.arange(100) < 20, along, 1.0)[:, None]
    aside = np.sqrt(1.0 - parts**2) * (-1.0) ** np.arange(100)[:, None]
    values = np.sqrt(2.0) * (parts * np.sin(phase) + aside * np.cos(phase))
    found = trust_in(values, 0.0, 0.0, PROCESS, 40)
    c = parts.mean()
    low = 2.0 * along * c - c**2
    assert found.r2_interval[0] == pytest.approx(low)
    assert found.r2 == pytest.approx(0.2 * low + 0.8 * (2.0 * c - c**2))
    assert found.level == level


@pytest.mark.parametrize(("contradict", "least"), [(5, True), (20, False)])
def test_draws_that_contradict_the_mean_explain_nothing_and_no_less(contradict, least):
    """Some of 100 draws are the wave upside down: of them the mean explains none, as of no model.

    The mean is c of the wave, and has R² = 2 c - c² of the others. A few are no lower end.
    """
    wave = np.sqrt(2.0) * np.sin(np.arange(400) * np.pi / 200)
    signs = np.where(np.arange(100) < contradict, -1.0, 1.0)
    found = trust_in(signs[:, None] * wave, 0.0, 0.0, PROCESS, 40)
    c = signs.mean()
    others = 2.0 * c - c**2
    expected = (1.0 - contradict / 100) * others
    assert found.r2 == pytest.approx(expected)
    assert found.r2_interval == pytest.approx((expected if least else 0.0, others))


def test_what_draws_leave_out_counts_as_missed():
    """Draws that all agree explain var / (var + r²) where r may be the objective's own."""
    values = np.tile(np.sqrt(2.0) * np.sin(np.arange(400) * np.pi / 200), (9, 1))
    for roughness, r2 in ((0.0, 1.0), (0.5, 0.8), (2.0, 0.2)):
        found = trust_in(values, 0.0, roughness, PROCESS, 40)
        assert found.r2 == pytest.approx(r2)
        assert found.r2_interval == pytest.approx((r2, r2))


def test_ripples_that_no_trial_tells_are_no_settled_noise():
    """Ripples of a wave length that 60 trials cannot resolve: R² is told no larger than it is."""

    def rugged(rows):
        ripples = np.sin(611.0 * rows[:, 0]) * np.sin(733.0 * rows[:, 1])
        return bowl(rows) + 0.4 * ripples

    rows = SPACE.sample(60, seed=2)
    run = run_of(rugged(rows), rows)
    anywhere = SPACE.sample(4000, seed=5)
    true, predicted = rugged(anywhere), run.belief().predict(anywhere)[0]
    r2 = 1.0 - ((true - predicted) ** 2).mean() / true.var()
    assert not run.belief().noise.settled
    assert hx.trust(run).r2 < max(r2, 0.0) + 0.15
    costs = run.belief().at_best.costs(anywhere[:200])
    for draws, held in ((costs, 0.0), (run.belief().at_best.at_one(costs), 0.9)):
        low, high = np.quantile(draws, [0.025, 0.975], axis=0)
        covered = (low <= true[:200]) & (true[:200] <= high)
        assert (covered.mean() >= 0.9) == (held > 0.0)


def test_repeats_tell_that_it_is_noise_and_nothing_is_left_out():
    rows = np.repeat(SPACE.sample(20, seed=2), 3, axis=0)
    noise = 0.1 * np.random.default_rng(0).standard_normal(len(rows))
    belief = run_of(bowl(rows) + noise, rows).belief()
    assert belief.noise.settled
    assert belief.roughness == 0.0
    numbers = np.arange(6.0)
    assert belief.at_one(numbers).tolist() == numbers.tolist()


@few_draws
def test_a_printed_result_repeats_the_word_where_it_is_not_good():
    noise = run_of(np.random.default_rng(3).standard_normal(40))
    found = hx.partial_dependence(noise, "x1", sample=40)
    assert found.trust.level == hx.trust(noise).level == "poor"
    assert "Reliability: poor." in str(found)
    assert "Reliability: poor." in found._repr_html_()
    good = hx.partial_dependence(run_of(bowl(X)), "x1", sample=40)
    assert "Reliability" not in str(good)
    assert hx.partial_dependence(noise, "x1", surrogate="gp", sample=40).trust is None
