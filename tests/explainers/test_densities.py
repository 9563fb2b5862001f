"""The densities shown are those of the sampler, in multiples of chance."""

import json
import pickle

import numpy as np
import optuna
import pytest
from optuna.samplers import RandomSampler

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from tests.adapters.spied import every_kind, spied_study
from tests.models.densities.blocks import CONDITIONAL, MIXED, ratio_of

pytestmark = [
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
UNIVARIATE = {"multivariate": False, "constant_liar": False}


@pytest.fixture(scope="module")
def run():
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study, _ = spied_study(every_kind, 20, options=UNIVARIATE)
    optuna.logging.set_verbosity(verbosity)
    return hx.from_optuna(study)


@pytest.mark.parametrize(
    "groups", [[[0], [1], [2], [3], [4]], [[0, 1, 2, 3, 4]]], ids=["alone", "joint"]
)
def test_marginals_average_to_1_over_the_measure(groups):
    """A density in multiples of chance integrates to 1 over chance."""
    ratio = ratio_of(MIXED, *groups)
    for j, parameter in enumerate(MIXED):
        positions, weights = np.linspace(0.0, 1.0, 20_001), np.full(20_001, 1 / 20_001)
        if parameter.size is not None:
            positions, weights = parameter.grid()
        for density in ratio.marginal(j, positions):
            assert weights @ density == pytest.approx(
                1.0, rel=1e-3 if parameter.size is None else 1e-9
            )


def test_what_is_in_no_block_is_as_common_as_by_chance():
    ratio = ratio_of(CONDITIONAL, [0, 2])
    good, bad = ratio.marginal(1, np.array([0.0, 0.5]))
    assert good.tolist() == bad.tolist() == [1.0, 1.0]


def test_ratios_at_a_proposal_multiply_to_what_tpe_maximized(run):
    found = hx.proposal_densities(run, 19)
    terms = run.acquisition(before=19).terms(run.X[[run.row(19)]])
    active = [curve.ratio for curve in found.curves if curve.proposed is not None]
    assert np.log(active).sum() == pytest.approx(terms["good"][0] + terms["bad"][0], rel=1e-9)
    assert found.config == run.config(19)
    assert found["x"].proposed == found.config["x"]
    assert found.joint == ()


def test_densities_tell_their_numbers_as_table_words_and_json(run):
    found = pickle.loads(pickle.dumps(hx.proposal_densities(run, 19)))
    frame = found.to_frame()
    assert list(frame.columns) == ["hyperparameter", "value", "good", "bad", "log_ratio"]
    assert set(frame.hyperparameter) == set(run.space.names)
    leading = [claim for claim in found.claims if claim.kind == "common"]
    assert [claim.estimate for claim in leading] == [
        found[claim.hyperparameters[0]].ratio for claim in leading
    ]
    assert (found.trial, found.subject.acquisition, found.subject.assumed) == (
        19, "log l − log g", False,
    )  # fmt: skip
    json.dumps(found.to_dict(), allow_nan=False)
    assert "<svg" in found._repr_html_()
    with pytest.raises(ValueError, match="hyperparameter"):
        found["nothing"]


def test_a_path_holds_the_densities_of_each_proposal(run):
    path = hx.density_path(run, "y", trials=[19, 12])
    assert path.trials == (12, 19)
    for t, number in enumerate(path.trials):
        curve = hx.proposal_densities(run, number)["y"]
        np.testing.assert_array_equal(path.good[t], curve.good)
        np.testing.assert_array_equal(path.bad[t], curve.bad)
        assert path.proposed[t] == curve.proposed
    assert len(path.to_frame()) == 2 * len(path.values)
    json.dumps(path.to_dict(), allow_nan=False)
    (claim,) = path.claims
    assert claim.estimate == pytest.approx(np.exp(path.log_ratio[-1].max()))
    assert claim.values == (path.values[int(path.log_ratio[-1].argmax())],)
    assert "<svg" in path._repr_html_()


def test_other_samplers_have_no_densities_and_say_why():
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(every_kind, n_trials=12)
    for ask in (hx.proposal_densities, lambda s: hx.density_path(s, "x")):
        with pytest.raises(NothingToExplain) as caught:
            ask(study)
        assert (caught.value.reason.kind, caught.value.reason.trials) == ("no_densities", (11,))
        assert caught.value.reason["why"] is not None
