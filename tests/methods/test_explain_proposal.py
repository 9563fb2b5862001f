"""Whose eyes, which reference set, which trial: the choices of `explain_proposal`."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.methods.proposals.explainable import explainable, why_unexplained
from tests.analytic import unit_cube
from tests.handmade import NASTY, explained, explanation, warns_of_glyphs
from tests.methods.test_desirability_path import run_of
from tests.noted import noted, the_note

few_draws = pytest.mark.usefixtures("few_draws_here")


def test_another_models_view_is_the_same_criterion_through_that_model():
    run = run_of(proposals=[6, 9, 13])
    final = run.surrogate()
    found = hx.explain_proposal(run, 6, surrogate=final, background=60)
    expected = explained(final, run.config(6), background=60)
    np.testing.assert_array_equal(found.phi, expected.phi)
    assert found.subject.assumed
    assert noted(found.notes, "another model's view: LCB (κ = 1.96) through")
    own = hx.explain_proposal(run, 6, background=60)
    assert (own.phi != found.phi).any()


def test_a_proposal_that_was_made_before_is_named_as_such():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    X = [[0.1, 0.2], [0.9, 0.5], [0.4, 0.1], [0.1, 0.2], [0.1, 0.5]]
    run = hx.Run(space, X, [1.0, 9.0, 4.0, 1.5, 2.0], "minimize")
    again = "it repeats trial 0, which had finished"
    assert again in map(str, hx.explain_proposal(run, 3, background=20).notes)
    assert again not in map(str, hx.explain_proposal(run, 4, background=20).notes)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@few_draws
def test_the_best_predicted_proposal_is_the_trial_to_keep(direction):
    run = run_of(direction=direction)
    keep = hx.optimum(run).keep
    among = replace(run, proposals=[*{3, 6, 9, 13, keep}])
    found = hx.explain_proposal(among, "best-predicted", background=20)
    assert found.trial == keep


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@few_draws
def test_where_that_is_none_it_is_the_one_with_the_best_expected_objective(direction):
    run = run_of(direction=direction)
    keep = hx.optimum(run).keep
    others = [trial for trial in (3, 6, 9, 13) if trial != keep]
    drawn = run.belief().at_best.draws(run.X[others]).mean(axis=0)
    sign = 1.0 if direction == "minimize" else -1.0
    among = replace(run, proposals=others)
    found = hx.explain_proposal(among, "best-predicted", background=20)
    assert found.trial == others[int(np.argmin(sign * drawn))]


def test_the_incumbent_of_the_time_is_the_adaptive_baseline():
    run = run_of(proposals=[6, 9, 13])
    found = hx.explain_proposal(run, 9, background="incumbent")
    best = int(np.argmin(run.objective[:9]))
    expected = hx.methods.ShapleyExplainer(run.acquisition(before=9), background=run.config(best))
    np.testing.assert_allclose(found.phi, expected.explain(run.config(9)).phi)
    assert the_note(found.notes, "the best one by then").trials == (best,)
    assert found.background_size == 1


@pytest.mark.parametrize("word", ["global", "local", "hybrid", "thesis"])
def test_every_reference_set_can_be_named(word):
    run = run_of(8, 2, proposals=[6])
    found = hx.explain_proposal(run, 6, background=word)
    assert abs(found.efficiency_gap["total"]) < 1e-9
    assert found.standard_error is not None
    if word != "thesis":
        place = {"global": "whole space", "local": "close to it", "hybrid": "half of them close"}
        grown = str(the_note(found.notes, f"compared with {found.background_size} configurations"))
        assert place[word] in grown
    if word == "global":
        np.testing.assert_array_equal(found.phi, hx.explain_proposal(run, 6).phi)
    if word == "thesis":
        assert found.background_size == 2000


def test_a_default_configuration_is_a_baseline():
    run = run_of(8, 2, proposals=[6])
    default = {"x1": 0.5, "x2": 0.5}
    found = hx.explain_proposal(run, 6, background=default)
    acquisition = run.acquisition(before=6)
    at = {
        key: sum(acquisition.terms(run.space.encode(config)).values())[0]
        for key, config in (("here", run.config(6)), ("default", default))
    }
    assert found.payout["total"] == pytest.approx(at["here"] - at["default"])


# ---------------------------------------------------------------------- what cannot be explained


def reason_of(function, *arguments):
    with pytest.raises(NothingToExplain) as caught:
        function(*arguments)
    return caught.value.reason


def test_a_trial_that_no_model_chose_has_no_explanation_but_by_an_assumed_acquisition():
    run = run_of(proposals=[6, 9])
    reason = reason_of(hx.explain_proposal, run, 7)
    assert reason.trials == (7,)
    assert str(reason).startswith("no model selected trial 7: it belongs to the initial design")
    assert str(reason).endswith("Proposals: 6, 9.")
    assert hx.explain_proposal(run, 7, acquisition="lcb", background=20).subject.assumed
    reason = reason_of(hx.explain_proposal, run_of(proposals=[]))
    assert "chose none of its 14 finished trials by a model" in str(reason)
    with pytest.raises(ValueError, match="trial 99 does not exist"):
        hx.explain_proposal(run, 99)


def test_nothing_is_explained_where_too_little_was_known():
    run = run_of(6)
    reason = reason_of(hx.explain_proposal, run, 1)
    assert reason.trials == (1,)
    assert str(reason).startswith("only one trial was finished before trial 1")
    assert why_unexplained(run, 1, "lcb") == reason
    # a given acquisition function rests on nothing else
    mine = hx.models.LowerConfidenceBound(run.surrogate())
    assert why_unexplained(run, 1, mine) is None
    assert hx.explain_proposal(run, 1, acquisition=mine, background=20).trial == 1


def test_nothing_is_explained_where_the_objective_was_constant():
    flat = hx.Run(unit_cube(1), [[0.1], [0.5], [0.7], [0.9]], [1.0, 1.0, 1.0, 2.0], "minimize")
    reason = reason_of(hx.explain_proposal, flat, 3)
    assert "is constant (1 in all 3 trials finished before trial 3)" in str(reason)
    assert str(reason_of(explainable, flat)) == (
        "none of the run's proposals can be explained: 0-1: fewer than two trials were finished "
        "before; 2-3: the objective was constant until then. Run more trials."
    )


def test_the_best_of_the_run_is_named_where_no_model_proposed_it():
    run = run_of(12)
    best = run.incumbent_trial
    others = [trial for trial in range(4, 12) if trial != best]
    lucky = run_of(12, proposals=others)
    found = hx.explain_proposal(lucky, "best", background=20)
    assert found.trial == lucky.best(others)
    assert the_note(found.notes, "best_not_proposed").trials == (found.trial, best)
    assert str(found).count(f"the run's best trial, {best}, was not") == 1
    for trial in ("latest", found.trial):
        kinds = [note.kind for note in hx.explain_proposal(lucky, trial, background=20).notes]
        assert "best_not_proposed" not in kinds


# ---------------------------------------------------------------------- words

PHI = [[0.5, 0.125], [0.25, -0.25], [-0.25, 0.0]]


@pytest.mark.parametrize(
    ("phi", "changes", "text"),
    [
        (
            PHI,
            {},
            "For a GP with LCB (κ = 1.96), trial 42 would have been 0.38 more desirable than an "
            "average configuration because of x0 = 0 (a better loss is predicted). Against it: "
            "x2 = 0.25 (a worse loss is predicted).",
        ),
        (
            [[0.0, 0.4], [0.0, 0.5], [0.3, 0.0]],
            {"assumed": False, "optimizer": "skopt's gp_minimize", "trial": None},
            "For skopt's gp_minimize (a GP with LCB (κ = 1.96)), this configuration was 1.2 more "
            "desirable than an average configuration because of x1 = 0.125 (the model is unsure "
            "there) and x0 = 0 (the model is unsure there).",
        ),
        (
            [[-0.5, 0.0], [0.0, -0.1], [0.2, 0.0]],
            {"terms": ("good", "bad"), "model": "", "acquisition": "log l − log g"},
            "For log l − log g, trial 42 would have been 0.4 less desirable than an average "
            "configuration because of x0 = 0 (unlikelier than average among good trials). For it: "
            "x2 = 0.25 (likelier than average among good trials).",
        ),
        (
            [[0.0, 0.0], [0.0, 0.0]],
            {},
            "For a GP with LCB (κ = 1.96), trial 42 would have been no better and no worse than an "
            "average configuration.",
        ),
        (
            [[0.5, 0.0], [0.1, 0.0]],
            {"config": {"x1": 0.5}, "not_chosen": ("x0",)},
            "For a GP with LCB (κ = 1.96), trial 42, as far as it is chosen, would have been 0.6 "
            "more desirable than an average configuration because of x0 = not chosen (a better "
            "loss is predicted).",
        ),
        (
            PHI,
            {"unsure": 0.16},
            "For a GP with LCB (κ = 1.96), trial 42 would have been 0.38 more desirable than an "
            "average configuration because of x0 = 0 (a better loss is predicted). Against it: "
            "x2 = 0.25 (a worse loss is predicted). According to the trials at that time, x0 = 0 "
            "improves the loss by 0.5 ± 0.5. Unclear effect on the loss at that time: x2 = 0.25.",
        ),
    ],
)
def test_sentences(phi, changes, text):
    assert explanation(phi, **changes).sentence == text


def test_an_acquisition_is_certain_of_itself_but_for_integration_and_draws_decide_the_rest():
    claims = explanation(PHI, unsure=0.2).claims
    assert [(c.kind, c.term, c.certain) for c in claims] == [
        ("contribution", "mean", True),
        ("contribution", "mean", True),
        ("contribution", "objective", True),
        ("contribution", "objective", False),
    ]
    assert claims[2].estimate == pytest.approx(-0.5)
    assert claims[3].probability == pytest.approx(norm.cdf(0.25 / 0.2), abs=0.005)
    wide = explanation(PHI, error=0.3)
    assert not any(claim.certain for claim in wide.claims)
    assert "Not certain: the contribution of x0 is within the error" in wide.sentence


# ---------------------------------------------------------------------- the figure

T_975_9 = 2.2621571628  # Student's t, 9 degrees of freedom, 97.5 %: any printed table


def test_bars_are_the_contributions_without_whiskers_the_largest_total_on_top():
    figure = explanation([[0.1, -0.02], [-0.5, 0.1], [0.3, 0.05]]).described()
    assert figure.labels == [("x1", "= 0.125"), ("x2", "= 0.25"), ("x0", "= 0")]
    assert [(bar.row, bar.place, bar.end) for bar in figure.bars] == [
        (0, 0, -0.5),
        (0, 1, 0.1),
        (1, 0, 0.3),
        (1, 1, 0.05),
        (2, 0, 0.1),
        (2, 1, -0.02),
    ]
    assert all(bar.bare for bar in figure.bars)
    (totals,) = figure.dots
    np.testing.assert_allclose(totals.x, [-0.4, 0.35, 0.08])
    np.testing.assert_array_equal(totals.y, [0, 1, 2])
    assert np.isnan(totals.half).all()
    assert figure.fills == {0: "mean", 1: "uncertainty"}
    assert figure.heading == (
        "Why trial 42? As a GP with LCB (κ = 1.96) would have seen it (assumed)"
    )
    assert figure.subtitle == (
        "0.03 more desirable than an average configuration\npredicted loss 0.123 (sd 0.03), on "
        "average 0.21 (lower is better)"
    )
    assert figure.footer == ""


def test_what_is_not_known_is_not_drawn_and_said():
    figure = explanation(PHI, error=None).described()
    assert all(bar.bare for bar in figure.bars)
    assert figure.footer == ""
    gap = {"mean": 0.0, "uncertainty": 0.0, "total": 0.004}
    told = explanation(PHI, efficiency_gap=gap).described().footer
    assert "The contributions miss +0.004 of the payout" in told
    single = explanation([[0.2], [-0.1]], terms=("log EI",), assumed=False).described()
    assert (len(single.bars), len(single.dots)) == (2, 0)
    assert single.heading == "Why trial 42? As the optimizer saw it: a GP with LCB (κ = 1.96)"


def test_what_has_no_value_comes_last_in_grey_and_without_a_bar():
    phi = [[0.1, 0.0], [0.0, 0.0], [0.2, 0.0], [0.0, 0.0]]
    figure = explanation(
        phi, names=["a", "b", "c", "d"], config={"a": 1, "c": 2}, not_chosen=("d",)
    ).described()
    assert figure.labels[2:] == [("d: not chosen",), ("b: inactive",)]
    assert (figure.quiet, len(figure.bars)) == (2, 4)
    many = explanation(np.eye(9, 2), config={"x0": 1.0}).described()
    assert many.labels[1:] == [("8 inactive",)]


@warns_of_glyphs
def test_names_are_drawn_as_they_are():
    phi = np.linspace(-1.0, 1.0, 2 * len(NASTY)).reshape(-1, 2)
    made = explanation(phi, names=NASTY, terms=NASTY[:2], acquisition=NASTY[2])
    ax = made.plot()
    ax.figure.draw_without_rendering()
    assert not any(text.get_parse_math() for text in [*ax.texts, *ax.get_yticklabels()])
    assert made.to_plotly().data
