import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.run import LogTail, thinned
from tests.analytic import unit_cube


def test_the_scale_keeps_the_order_and_has_an_inverse():
    cost = np.sort(np.random.default_rng(0).lognormal(sigma=3.0, size=200)) - 5.0
    tail = LogTail.of(cost)
    scaled = tail(cost)
    assert (np.diff(scaled) > 0.0).all()
    better = cost <= np.median(cost)
    np.testing.assert_allclose(scaled[better], cost[better], rtol=1e-12)
    np.testing.assert_allclose(tail.cost(scaled), cost, rtol=1e-9)
    unit = np.median(cost) - cost[0]
    assert np.isclose(scaled[-1], cost[0] + unit * (1.0 + np.log(np.ptp(cost) / unit)))


def test_costs_may_be_further_apart_than_a_quotient_holds():
    cost = np.array([1e-300, 2e-300, 1.7e308])
    scaled = LogTail.of(cost)(cost)
    assert scaled[2] / 1e-300 == pytest.approx(2.0 + np.log(1.7) + 608 * np.log(10.0))
    tail = LogTail.of(np.array([-1.7e308, 1.5e308, 1.7e308]))
    assert tail(np.array([-1.7e308, 1.5e308])) == pytest.approx([-1.7e308, 1.5e308])
    assert np.isfinite(LogTail(0.0, 1.0).cost(np.array([1e6]))).all()


def test_without_a_spread_in_the_better_half_nothing_is_changed():
    cost = np.array([1.0, 1.0, 1.0, 7.0])
    tail = LogTail.of(cost)
    assert tail(cost).tolist() == tail.cost(cost).tolist() == cost.tolist()


def test_a_thinned_run_holds_trials_of_the_run():
    X = unit_cube(2).sample(50, seed=0)
    run = hx.Run(unit_cube(2), X, X[:, 0], "minimize", proposals=range(10, 50))
    some = thinned(run, 20, seed=1)
    for trial in some.trials.tolist():
        assert some.config(trial) == run.config(trial)
    assert set(some.proposals) == {t for t in some.trials.tolist() if t >= 10}
    assert thinned(run, 50) is run
