"""Several runs side by side: shares and losses in closed form, and what changes nothing."""

import pickle

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods.runs import compare
from hpo_explain.space import Shared
from tests.noted import the_note

few_draws = pytest.mark.usefixtures("few_draws_here")
X, Y = (hx.FloatParameter(name, 0.0, 1.0) for name in "xy")
SPACE = hx.SearchSpace([X, Y])
QUICK = {"kind": "gp"}


def linear(a, b, n=40, seed=0, space=SPACE, noise=0.0):
    """A run whose objective is a x + b y."""
    rows = space.sample(n, seed=seed)
    values = a * rows[:, 0] + b * rows[:, 1]
    values = values + noise * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(space, rows, values, "minimize")


def claims(found, kind):
    return [claim for claim in found.claims if claim.kind == kind]


def test_shares_and_effects_of_linear_functions():
    """Var(a x + b y) = (a² + b²) / 12, and the mean effect of x is a line."""
    coefficients = {"one": (3.0, 1.0), "two": (2.0, 1.0)}
    found = hx.compare({name: linear(*c) for name, c in coefficients.items()}, **QUICK)
    expected = [[a * a, b * b] / np.array(a * a + b * b) for a, b in coefficients.values()]
    np.testing.assert_allclose(found.shares, expected, atol=0.02)
    np.testing.assert_allclose(found.spread, np.std(expected, axis=0, ddof=1), atol=0.02)
    for r, (a, b) in enumerate(coefficients.values()):
        # the loss is 0 at the best configuration (0, 0) and 1 on average, at (a + b) / 2
        line = (a * np.array(found.grid[0]) + b / 2.0) / ((a + b) / 2.0)
        np.testing.assert_allclose(found.effects[0][r], line, atol=0.06)
    assert [claim.hyperparameters for claim in claims(found, "share")] == [("x",), ("y",)]
    assert all(claim.certain for claim in claims(found, "share"))


@pytest.mark.merge
def test_a_worker_sends_no_costs_at_all_rows():
    """192 functions at 4,096 rows take 6 MB each time: 41 MB of a run; what is read is the same."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(8)])
    run = linear(3.0, 1.0, n=100, space=space, noise=0.1)
    here = compare._compared("one", run, {}, "auto", 0)
    sent = pickle.dumps(here)
    # what functions are made of, and their values at 100 trials
    assert len(sent) < 6_000_000
    there = pickle.loads(sent)
    # asked before, so that it is not computed again
    assert {"least", "trust"} <= vars(there).keys()
    assert there.trust == here.trust
    grid = np.linspace(0.0, 1.0, 5)
    ones, twos = here.importance.anova, there.importance.anova
    for one, two in (
        (here.least, there.least),
        (here.draws.costs(run.X), there.draws.costs(run.X)),
        (here.draws.landscape.values, there.draws.landscape.values),
        (ones.totals, twos.totals),
        (ones.surface(0, 1, grid, grid), twos.surface(0, 1, grid, grid)),
    ):
        np.testing.assert_array_equal(one, two)


@few_draws
@pytest.mark.parametrize(("most", "of_each"), [(400, 20), (6, 3), (1, 1)])
def test_of_many_runs_fewer_trials_of_each_are_candidates(monkeypatch, most, of_each):
    """Each run is asked for the loss of all candidates: else their work would grow squared."""
    monkeypatch.setattr(compare, "_FROM_RUNS", most)
    rows_of_losses = []
    whole = compare.ComparedRun.rows

    def seen(self, config, latent):
        rows_of_losses.append(config)
        return whole(self, config, latent)

    monkeypatch.setattr(compare.ComparedRun, "rows", seen)
    runs = {"one": linear(3.0, 1.0), "two": linear(1.0, 2.0, seed=1)}
    found = hx.compare(runs, **QUICK)
    n_candidates = compare._SPREAD + 2 * of_each
    assert len(rows_of_losses) == 2 * n_candidates
    # x = y = 0 is the best of both, and the nearest candidate is found
    assert max(found.default.configuration.values()) < 0.2


@pytest.mark.thorough
@few_draws
def test_scale_units_and_direction_of_a_run_change_nothing():
    runs = {"one": linear(3.0, 1.0), "two": linear(1.0, 2.0, seed=1)}
    other = hx.Run(SPACE, runs["two"].X, 7.0 - 1000.0 * runs["two"].objective, "maximize")
    found, same = (hx.compare(runs, **QUICK), hx.compare(runs | {"two": other}, **QUICK))
    np.testing.assert_allclose(found.shares, same.shares, atol=1e-3)
    np.testing.assert_allclose(found.effects[0], same.effects[0], atol=1e-3)
    np.testing.assert_allclose(found.default.upper, same.default.upper, atol=2e-2)


@few_draws
def test_the_order_of_the_runs_changes_nothing_but_their_order():
    runs = {"one": linear(3.0, 1.0), "two": linear(1.0, 2.0, seed=1)}
    found, turned = (hx.compare(runs, **QUICK), hx.compare(dict([*runs.items()][::-1]), **QUICK))
    np.testing.assert_allclose(found.shares, turned.shares[::-1])
    np.testing.assert_allclose(found.effects[1], turned.effects[1][::-1])
    assert found.default.loss.mean() == pytest.approx(turned.default.loss.mean(), abs=1e-9)


@pytest.mark.thorough
def test_workers_compare_as_one_process_does():
    runs = {"one": linear(3.0, 1.0, n=20), "two": linear(1.0, 2.0, n=20, seed=1)}
    found, alone = hx.compare(runs, n_jobs=2), hx.compare(runs)
    np.testing.assert_array_equal(found.shares, alone.shares)
    np.testing.assert_array_equal(found.default.upper, alone.default.upper)
    assert str(found) == str(alone)
    with pytest.raises(ValueError, match="n_jobs"):
        hx.compare(runs, n_jobs=0)


@pytest.mark.merge
def test_shares_that_differ_are_named_with_the_runs():
    found = hx.compare({"A": linear(1.0, 0.0), "B": linear(1.0, 2.0), "C": linear(1.0, 0.1)})
    differing = claims(found, "difference")
    assert {claim.hyperparameters for claim in differing} == {("x",), ("y",)}
    of_y = next(claim for claim in differing if claim.hyperparameters == ("y",))
    assert of_y.values == (("B", "A"),)
    assert of_y.interval[0] < 0.8 < of_y.interval[1]


@pytest.mark.thorough
def test_of_noise_nothing_is_claimed():
    runs = {}
    for seed in range(3):
        rows = SPACE.sample(40, seed=seed)
        noise = np.random.default_rng(seed).standard_normal(40)
        runs[f"seed {seed}"] = hx.Run(SPACE, rows, noise, "minimize")
    found = hx.compare(runs, kind="forest")
    assert not any(claim.certain for claim in found.claims)
    assert "No hyperparameter is known to matter in all 3 runs" in found.sentence
    assert "No configuration is known to be good in all 3 runs" in found.sentence


@pytest.mark.alike
@pytest.mark.parametrize("seed", range(2))
def test_what_the_default_loses_lies_below_its_bound(seed):
    """Quadratics with other minima, seen through noise: their true losses are known."""
    minima = np.array([[0.3, 0.5], [0.5, 0.4], [0.4, 0.7]])
    runs = {}
    for k, minimum in enumerate(minima):
        rows = SPACE.sample(40, seed=10 * seed + k)
        noise = np.random.default_rng(10 * seed + k).standard_normal(40)
        values = ((rows - minimum) ** 2).sum(axis=1) + 0.02 * noise
        runs[str(k)] = hx.Run(SPACE, rows, values, "minimize")
    found = hx.compare(runs, **QUICK)
    (claim,) = claims(found, "keep")
    assert claim.certain
    x = np.array(claim.values)
    # E (u - m)², u uniform
    average = (1.0 / 3.0 - minima + minima**2).sum(axis=1)
    loss = ((x - minima) ** 2).sum(axis=1) / average
    assert (loss < found.default.upper).all()
    # the best for all is the mean of the minima, weighted by 1 / average
    best = (minima / average[:, None]).sum(axis=0) / (1.0 / average).sum()
    np.testing.assert_allclose(x, best, atol=0.12)


@pytest.mark.thorough
def test_other_spaces_are_compared_in_what_all_have():
    other = hx.SearchSpace([hx.FloatParameter("x", 0.5, 2.0), hx.FloatParameter("z", 0.0, 1.0)])
    runs = {"one": linear(1.0, 1.0, n=60), "two": linear(1.0, 0.5, n=60, space=other)}
    found = hx.compare(runs)
    assert found.names == ("x",)
    assert (found.grid[0][0], found.grid[0][-1]) == (0.5, 1.0)
    assert found.default.configuration["x"] == pytest.approx(0.5, abs=0.05)
    # within x in [0.5, 1]: Var = 0.25/12 and 1/12; of two, encoded x spans a third of its range
    assert found.shares[0, 0] == pytest.approx(0.2, abs=0.1)
    assert str(the_note(found.notes, "the runs are compared in")) == (
        "the runs are compared in x; averaged over, as not all have them: one: y; two: z"
    )


def test_what_spaces_share():
    a = hx.CategoricalParameter("a", ["u", "v", "w"])
    k = hx.IntParameter("k", 1, 9)
    log = hx.FloatParameter("x", 0.1, 1.0, log=True)
    one = hx.SearchSpace([a, k, X])
    two = hx.SearchSpace(
        [hx.IntParameter("k", 3, 20), hx.CategoricalParameter("a", ["w", "v"]), log]
    )
    found = Shared.of([one, two])
    assert found.space.names == ("a", "k")  # x has another scale
    assert list(found.space["a"].choices) == ["v", "w"]
    assert (found.space["k"].low, found.space["k"].high) == (3, 9)
    assert Shared.of([hx.SearchSpace([X]), hx.SearchSpace([Y])]).space is None
    assert Shared.of([one, one]).same


@few_draws
def test_the_figures_hold_the_shares_and_the_effects_of_each_run():
    space = hx.SearchSpace([X, hx.CategoricalParameter("c", ["u", "v"])])
    rows = [space.sample(40, seed=seed) for seed in range(2)]
    runs = {
        f"run {k}": hx.Run(space, x, x[:, 0] + k * x[:, 1], "minimize") for k, x in enumerate(rows)
    }
    found = hx.compare(runs, **QUICK)
    order = np.argsort(-found.shares.mean(axis=0))
    figure = found.described()
    assert figure.labels == [(found.names[j],) for j in order]
    np.testing.assert_allclose([bar.end for bar in figure.bars], found.shares.mean(axis=0)[order])
    np.testing.assert_array_equal([dots.x for dots in figure.dots], found.shares.T[order])
    panels = found.described("effects").panels
    assert [panel.heading for panel in panels] == [found.names[j] for j in order]
    for panel, j in zip(panels, order, strict=True):
        one, other, mean = panel.lines[:3]
        np.testing.assert_array_equal([one.y, other.y], found.effects[j])
        np.testing.assert_allclose(mean.y, found.effects[j].mean(axis=0))
        assert len(panel.lines) == (3 if found.names[j] == "c" else 5)  # where the later trials lie
        assert panel.means["1"] == "run 1"
