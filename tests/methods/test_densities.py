"""The densities shown are those of the sampler, in multiples of chance; words and figures."""

import json
import pickle
from dataclasses import replace

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.methods.proposals.densities import DensityCurve, DensityPath, ProposalDensities
from tests.adapters.spied import every_kind, spied_study
from tests.handmade import subject_of
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
        positions, weights = (np.linspace(0.0, 1.0, 20_001), np.full(20_001, 1 / 20_001))
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
    found = hx.methods.proposal_densities(run, 19)
    terms = run.acquisition(before=19).terms(run.X[[run.row(19)]])
    active = [curve.ratio for curve in found.curves if curve.proposed is not None]
    assert np.log(active).sum() == pytest.approx(terms["good"][0] + terms["bad"][0], rel=1e-9)
    assert found.config == run.config(19)
    assert found["x"].proposed == found.config["x"]
    assert found.joint == ()


def test_densities_tell_their_numbers_as_table_words_and_json(run):
    found = pickle.loads(pickle.dumps(hx.methods.proposal_densities(run, 19)))
    frame = found.to_frame()
    assert list(frame.columns) == ["hyperparameter", "value", "good", "bad", "log_ratio"]
    assert set(frame.hyperparameter) == set(run.space.names)
    leading = [claim for claim in found.claims if claim.kind == "tried"]
    assert [claim.estimate for claim in leading] == [
        found[claim.hyperparameters[0]].ratio for claim in leading
    ]
    assert (found.trial, found.subject.acquisition, found.subject.assumed) == (
        19,
        "log l − log g",
        False,
    )
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(ValueError, match="hyperparameter"):
        found["nothing"]


def test_a_path_holds_the_densities_of_each_proposal(run):
    path = hx.methods.density_path(run, "y", trials=[19, 12])
    assert path.trials == (12, 19)
    for t, number in enumerate(path.trials):
        curve = hx.methods.proposal_densities(run, number)["y"]
        np.testing.assert_array_equal(path.good[t], curve.good)
        np.testing.assert_array_equal(path.bad[t], curve.bad)
        assert path.proposed[t] == curve.proposed
    assert len(path.to_frame()) == 2 * len(path.values)
    (claim,) = path.claims
    assert claim.estimate == pytest.approx(np.exp(path.log_ratio[-1].max()))
    assert claim.values == (path.values[int(path.log_ratio[-1].argmax())],)


# ---------------------------------------------------------------------- words and figures


def densities(*ratios, **changes):
    curves = tuple(
        DensityCurve(
            f"x{k}", ("rbf", "poly"), False, True, np.ones(2), np.ones(2), "rbf", ratio, 1.0
        )
        for k, ratio in enumerate(ratios)
    )
    config = {curve.name: curve.proposed for curve in curves}
    subject = subject_of([*config], trial=42)
    return ProposalDensities(subject=subject, curves=curves, config=config, **changes)


def test_sentences():
    assert densities(2.0, 0.5, 1.5).sentence == (
        "At trial 42 x0 = rbf is 2 times as common and x2 = rbf is 1.5 times as common among good "
        "trials as among the others."
    )
    assert densities(1.05, 0.5).sentence == (
        "At trial 42 no value is clearly more common among good trials than among others."
    )


@pytest.mark.parametrize("kind", ["log", "whole", "category"])
def test_the_figures_hold_the_densities_and_what_was_proposed(kind):
    values = {"log": (1e-4, 1e-2, 1.0), "whole": (1, 2, 3), "category": ("a", "b", "c")}[kind]
    categorical, rng = kind == "category", np.random.default_rng(0)
    good, bad = rng.random((2, 4, 3)) + 0.2
    places = [0, None, 1, 1]
    path = DensityPath(
        subject=subject_of(["m"]),
        name="m",
        trials=(10, 11, 12, 15),
        values=values,
        log=kind == "log",
        categorical=categorical,
        good=good,
        bad=bad,
        proposed=tuple(None if i is None else values[i] for i in places),
    )
    assert path.sentence.endswith("times as common as among the others by trial 15.")
    cells = path.described()
    np.testing.assert_array_equal(cells.values, path.log_ratio)
    assert cells.high == -cells.low == np.abs(path.log_ratio).max()
    assert list(cells.dots[0].x) == [10, 12, 15]
    at = [0.0, 1.0, 1.0] if categorical else [values[0], values[1], values[1]]
    assert list(cells.dots[0].y) == at
    curve = DensityCurve("m", values, kind == "log", categorical, good[0], bad[0], values[1])
    found = densities(2.0, joint=(("m", "x0"),))
    panels = replace(found, curves=(curve, replace(curve, proposed=None))).described()
    first, second = panels.panels
    marks = first.dots if categorical else first.lines
    assert {mark.look: list(mark.y) for mark in marks} == {"0": list(good[0]), "1": list(bad[0])}
    assert [note[0] for note in first.notes] == [1.0 if categorical else values[1]]
    assert second.heading == "m inactive"
    assert panels.footer.startswith("2 hyperparameters were sampled together")
