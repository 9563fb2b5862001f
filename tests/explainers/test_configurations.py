"""Where the trials of a run lie: which were counted, and what was hardly tried."""

import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.run import WithoutResult

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.CategoricalParameter("booster", ["gbtree", "dart", "gblinear"]),
        hx.FloatParameter("rate", 0.0, 1.0, active_when={"booster": ["dart"]}),
    ]
)


def run(n=60, **options):
    X = SPACE.sample(max(n, 1), seed=1)[:n]
    X[:, 0] /= 2.0  # the upper half of lr is never tried
    return hx.Run(SPACE, X, X[:, 0], "minimize", **options)


def test_ranges_that_were_hardly_tried_are_claimed_with_their_share():
    found = hx.configurations(run())
    (claim,) = [claim for claim in found.claims if claim.hyperparameters == ("lr",)]
    assert claim.kind == "untried"
    (low, high) = claim.values[0]
    assert low == pytest.approx(1e-2, rel=1.0)  # of a log scale from 1e-4 to 1, windows are 10 %
    assert high == pytest.approx(1.0, rel=0.05)
    assert 0.35 < claim.estimate <= 0.5
    coverage = found.coverage
    assert coverage.loc["rate", "active"] == (found.X[:, 1] == 1.0).sum()
    assert coverage.loc["booster", "share"] == 1.0
    assert "Hardly tried (fewer than 3 trials near): lr = " in found.sentence


def test_trials_spread_evenly_leave_nothing_untried():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.IntParameter("k", 1, 4)])
    X = space.sample(80, seed=0)
    found = hx.configurations(hx.Run(space, X, X[:, 0], "minimize"))
    assert found.claims == ()
    assert "tried at least three quarters of the range of each" in found.sentence
    assert "concentrated" not in found.sentence


def test_trials_that_crowd_are_said_to():
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xy"])
    X = 0.25 * space.sample(60, seed=0)
    sentence = hx.configurations(hx.Run(space, X, X[:, 0], "minimize")).sentence
    assert "concentrated in a part of the space" in sentence


def test_trials_without_a_result_are_listed_and_cover_nothing():
    X = SPACE.sample(4, seed=3)
    states = ["failed", "pruned", "running", "waiting"]
    without = {5 + k: WithoutResult(state, X[k]) for k, state in enumerate(states)}
    excluded = {t: fact("failed") for t in without}
    found = hx.configurations(run(5, without_result=without, excluded=excluded))
    assert found.states == ("finished",) * 5 + tuple(states)
    assert found.finished.tolist() == [True] * 5 + [False] * 4
    frame = found.to_frame()
    assert frame["state"].tolist() == list(found.states)
    assert frame["lr"].iloc[5] == pytest.approx(SPACE.decode(X)[0]["lr"])
    alone = hx.configurations(run(5))
    assert found.coverage["share"].tolist() == alone.coverage["share"].tolist()


def test_hyperparameters_are_chosen_and_ordered_by_name():
    found = hx.configurations(run(), ["rate", "lr", "rate"])
    assert found.names == ("rate", "lr")
    assert list(found.coverage.index) == ["rate", "lr"]
    assert list(found.to_frame().columns) == ["trial", "rate", "lr", "objective", "state"]
    assert hx.configurations(run(), "lr").names == ("lr",)
    with pytest.raises(hx.InputError, match="names must be a hyperparameter, but 'rats'"):
        hx.configurations(run(), ["rats"])
    with pytest.raises(hx.InputError, match="names is empty"):
        hx.configurations(run(), [])


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_trials_claim_nothing(n):
    found = hx.configurations(run(n))
    assert found.claims == ()
    assert found.bias is None
    assert len(found.to_frame()) == n
