"""The five lines: each is what the method says that answers it, short enough to be read."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base import Claim, fact
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.figures import PALE
from hpo_explain.catalog.methods import METHODS
from hpo_explain.methods.advice.advise_result import Action, changed_to
from hpo_explain.methods.advice.summary_result import alike, in_words
from hpo_explain.question import WhatCounts
from tests.analytic import Known, unit_cube
from tests.handmade import tuning_run

few_draws = pytest.mark.usefixtures("few_draws_here")


@pytest.fixture(scope="module")
def run():
    return tuning_run(40)


@few_draws
def test_each_line_tells_what_the_function_of_its_question_says(run):
    found = hx.summary(run)
    more, matters, where, what, far = found.claims
    optimum, space, trust = (hx.optimum(run), hx.recommended_space(run), hx.trust(run))
    assert more.estimate == optimum.expected_gain
    assert more.interval == optimum.expected_gain_interval
    assert optimum.more_trials in found.lines[0]
    assert (matters.hyperparameters, matters.estimate) == (
        hx.importance(run).claims[0].hyperparameters,
        hx.importance(run).claims[0].estimate,
    )
    assert where.hyperparameters == space.claims[0].hyperparameters
    (first,) = hx.advise(run).chosen("first")
    assert first.kind != "narrow"
    assert what.term == first.kind
    assert far.estimate == trust.r2
    assert found.lines[4].startswith(
        f"Reliability: {trust.level} (the model explains {100 * trust.r2:.0f} % of the variation"
    )
    assert str(found) == "\n".join(found.lines)
    assert found.to_frame()["answer"].tolist() == [*found.lines]


def few_trials(n, d, seed=0):
    space = unit_cube(d)
    X = space.sample(n, seed=seed)
    return hx.Run(space, X, X[:, 0], "minimize")


@few_draws
@pytest.mark.parametrize(("n", "d"), [(2, 4), (4, 1), (5, 6), (9, 10)])
def test_of_too_few_trials_nothing_is_told_or_proposed(n, d):
    run = few_trials(n, d)
    text = f"{n} trials: too few to tell what matters."
    found = hx.summary(run)
    assert found.lines[1] == text
    assert found.lines[0].endswith(f"(trial {run.incumbent_trial}).")
    assert found.lines[2] == "No range can be narrowed safely yet."
    assert found.lines[3] == "Go on as it is."
    importance = hx.importance(run)
    assert [claim.text for claim in importance.claims] == [text]
    assert not importance.claims[0].certain
    assert [action.kind for action in hx.advise(run).actions] == ["go_on"]
    assert hx.recommended_space(run).volume == 1.0
    assert hx.optimum(run).keep == run.incumbent_trial


@few_draws
@pytest.mark.parametrize(("n", "d"), [(3, 4), (4, 2), (5, 6)])
def test_no_function_names_a_leader_by_too_few_trials(n, d):
    run = few_trials(n, d)
    text, named = f"{n} trials: too few to tell what matters.", set()
    for method in METHODS:
        try:
            result = getattr(hx, method.name, getattr(hx.methods, method.name, None))(run)
        except (ValueError, TypeError):  # nothing to explain, or another argument is needed
            continue
        if result.trust is None and method.name != "optimum":
            continue
        named.add(method.name)
        assert result.sentence == result.headline == text, method.name
        for shown in (str(result), result._repr_html_()):
            assert text in shown
            assert not any(name in shown for name in run.space.names), method.name
        assert result.printed_cells() == []
    assert {"importance", "optimum", "changes", "explain_prediction", "lime"} <= named


@few_draws
@pytest.mark.parametrize(("n", "d"), [(5, 1), (5, 5), (10, 10)])
def test_of_as_many_trials_as_hyperparameters_something_may_be_told(n, d):
    assert "too few" not in hx.summary(few_trials(n, d)).said


def test_hyperparameters_that_do_not_vary_need_no_trials():
    run = few_trials(6, 8)
    X = np.array(run.X)
    X[:, 2:] = 0.5
    assert "too few" not in hx.summary(replace(run, X=X)).said


LONG = ["x" * 200, "model.encoder." * 14, "学習率" * 30, "a b" * 40]


@pytest.mark.merge
@few_draws
def test_no_phrase_depends_on_the_length_of_a_name_and_none_is_cut():
    """With long names the lines are those with short ones, names apart."""
    short = [f"<{i}>" for i in range(4)]
    lines = [hx.summary(tuning_run(30, names=names)).lines for names in (short, LONG)]
    for brief, long in zip(*lines, strict=True):
        for name, other in zip(short, LONG, strict=True):
            brief = brief.replace(name, other)
        assert brief == long
        assert "…" not in long


@few_draws
@pytest.mark.parametrize(
    ("r2", "low", "said"),
    [
        (0.83, 0.08, "83 % of the variation, at least 8 %)."),
        (0.67, 0.0, "67 % of the variation, perhaps none of it)."),
        (1.0, 0.9996, "100 % of the variation)."),
        (0.001, 0.0, "0 % of the variation)."),
    ],
)
def test_the_last_line_says_a_lower_end_where_it_is_another_number(run, r2, low, said):
    found = hx.summary(run)
    trusted = replace(found.trusted, r2=r2, r2_interval=(low, 1.0))
    line = replace(found, trusted=trusted).lines[4]
    assert line.endswith(f"(the model explains {said}")


def test_what_is_to_be_repeated_says_what_for():
    rng = np.random.default_rng(0)
    space = unit_cube(2)
    run = hx.Run(space, space.sample(40, seed=0), rng.standard_normal(40), "minimize")
    line = hx.summary(run).lines[3]
    assert line.startswith("Repeat trials ")
    assert line.endswith(" once more: that tells how much of the variation is noise.")


@few_draws
def test_what_the_third_line_says_the_fourth_does_not_say_again(run):
    """Where the first action is the narrowing, the next one is named, or to go on in that space."""
    found = hx.summary(run)
    part = run.space.parameters[0]
    narrow = changed_to("narrow", [replace(part, high=(part.low + part.high) / 2)])
    again = Action("repeat", trials=(3,), configurations=(run.config(3),))
    less = replace(found.recommended_space, volume=0.3)

    def line(*actions, space=less):
        advice = replace(found.advice, actions=actions)
        said = replace(found, recommended_space=space, advice=advice)
        return said.lines[3], said.claims[3].term

    assert line(narrow, again) == ("Repeat trial 3 once more.", "repeat")
    assert line(narrow) == ("Go on in that space.", "narrow")
    assert line(narrow, Action("go_on")) == ("Go on in that space.", "narrow")
    # what gives up next to nothing is not said in the third line, and said here if it is advised
    more = replace(found.recommended_space, volume=0.92)
    assert line(narrow, again, space=more)[1] == "narrow"
    third = replace(found, recommended_space=more).lines[2]
    assert third == "Hardly anything of the search space can be given up yet."


@few_draws
def test_where_more_trials_hardly_help_nothing_more_is_advised(run):
    found = hx.summary(run)
    reason = fact("No trial is likely to be better", kind="nothing_likely")
    advice = replace(found.advice, actions=(Action("go_on", evidence=(reason,)),))
    gained = replace(found.optimum.gained, estimate=1.0, interval=(0.0, 5.0))
    for enough, said in (
        (6.0, f"Keep trial {found.optimum.keep}."),
        (2.0, "Go on as it is: no trial is likely to be better."),
    ):
        counts = WhatCounts(enough, "user")
        optimum = replace(found.optimum, gained=gained, counts=counts)
        line = replace(found, advice=advice, optimum=optimum).lines[3]
        assert line == said


def totals_told(totals):
    """The second line of a belief of which each draw has these shares with interactions."""
    names = [f"x{j}" for j in range(1, totals.shape[1] + 1)]
    found = SimpleNamespace(
        names=names, functions=totals, totals=totals, claims=(Claim("share", ("x1",)),)
    )
    return alike(found)


def test_what_differs_by_little_matters_about_equally():
    """Within 15 % of the first in at least half of the draws, all named in the same ones."""
    third = np.full((10, 3), 1 / 3)
    assert totals_told(third) == (("x1", "x2", "x3"), 1.0)
    apart = np.tile([0.5, 0.3, 0.2], (10, 1))
    assert totals_told(apart) == (("x1",), 1.0)
    mixed = np.array([[0.5, 0.45, 0.1]] * 7 + [[0.5, 0.3, 0.1]] * 3)
    assert totals_told(mixed) == (("x1", "x2"), 0.7)
    # each is near in 60 % of the draws, both in 20 %
    never_both = np.array([[0.4, 0.4, 0.1]] * 4 + [[0.4, 0.1, 0.4]] * 4 + [[0.4, 0.4, 0.4]] * 2)
    assert totals_told(never_both) == (("x1", "x2"), 0.6)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.34, "about a third of all variation"),
        (0.98, "nearly all variation"),
        (0.01, "less than a twentieth of all variation"),
    ],
)
def test_a_share_of_the_variation_in_words(share, said):
    assert in_words(share) == said


@pytest.mark.thorough
def test_where_everything_matters_alike_it_is_said_in_the_line():
    space = unit_cube(3)
    X = space.sample(60, seed=0)
    run = hx.Run(space, X, ((X - 0.5) ** 2).sum(axis=1), "minimize")
    line = hx.summary(run).lines[1]
    assert " matter about equally (" in line
    assert line.endswith(": each about a third of all variation, with its interactions.")
    assert all(name in line for name in space.names)


def line_of(found, **changes):
    """The first line of a summary whose optimum says something else."""
    return replace(found, optimum=replace(found.optimum, **changes)).lines[0]


@few_draws
def test_the_first_line_says_ties_and_an_amount_with_its_interval(run):
    found = hx.summary(run)
    best = found.history.incumbent_trial
    others = [t for t in run.trials.tolist() if t > best][:5]
    gained = replace(found.optimum.gained, estimate=0.0012, interval=(0.0, 0.0041))
    counts = WhatCounts(0.0018, "step", 0.0018)
    told = {"tied": (best, *others), "counts": counts, "why_another": ()}
    way = "-" if run.direction == "minimize" else "+"
    assert line_of(found, **told, gained=gained).endswith(
        f" (six trials tie; trial {best} is the first). 20 more trials: expect {way}0.0012 "
        f"(0 to {'-' if way == '-' else ''}0.004)."
    )
    hardly = replace(gained, interval=(0.0, 0.0008), estimate=0.0001)
    assert line_of(found, **told, gained=hardly).endswith(
        "is the first). More trials of this search will hardly help."
    )


@few_draws
def test_what_matters_is_the_share_that_importance_says_with_interactions(run):
    found, importance = hx.summary(run), hx.importance(run)
    (most,) = found.claims[1].hyperparameters
    assert found.claims[1].estimate == importance.claims[0].estimate
    line = found.lines[1]
    assert line.startswith(f"{most} matters most (")
    assert "% sure): about " in line
    assert "of all variation, with its interactions" in line


@few_draws
def test_where_nothing_can_be_told_a_line_says_so():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    same = hx.summary(hx.Run(space, space.sample(20, seed=0), np.ones(20), "minimize"))
    assert same.lines[1] == "Nothing is known to matter yet."


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[0.5]], "run has 1 finished trial; "),
        ([[0.5]] * 3, "no hyperparameter varies: all 3 trials have x = 0.5, "),
    ],
)
@pytest.mark.parametrize(
    "function", [hx.summary, hx.importance, hx.recommended_space, hx.advise, hx.optimum]
)
def test_a_run_of_which_nothing_can_be_learned_is_told_in_a_sentence(function, X, said):
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    objective = np.arange(len(X))
    run = hx.Run(space, X, objective, "minimize")
    with pytest.raises(NothingToExplain) as caught:
        function(run)
    assert str(caught.value).startswith(said)


@pytest.mark.thorough
def test_of_pure_noise_nothing_is_said_to_matter_for_certain():
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "abcd"])
    noise = np.random.default_rng(3).normal(size=40)
    found = hx.summary(hx.Run(space, space.sample(40, seed=1), noise, "minimize"))
    assert not found.claims[1].certain or found.lines[1].startswith("Nothing")
    assert found.trusted.level == "poor"


@few_draws
def test_the_figure_is_that_of_what_matters(run):
    found = hx.summary(run)
    drawn = found.described()
    assert drawn.bars == found.importance.described().bars
    # the share that the line about it tells is that of a bar
    most = found.importance.claims[0]
    row = [label[0] for label in drawn.labels].index(most.hyperparameters[0])
    (pale,) = [bar for bar in drawn.bars if bar.row == row and bar.fill == PALE]
    assert pale.end == pytest.approx(most.estimate, abs=1e-12)


@pytest.mark.thorough
def test_what_acts_as_a_pair_is_named_as_one_with_its_own_share():
    space = unit_cube(3)
    X = space.sample(120, seed=3)
    # all of the variance is that of the pair, but for what x3 adds: 1/144 and 0.02² / 12
    y = (X[:, 0] - 0.5) * (X[:, 1] - 0.5) + 0.02 * X[:, 2]
    found = hx.summary(hx.Run(space, X, y, "minimize"))
    most = found.importance.claims[0]
    (reason,) = [one for one in most.because if one.kind == "matters_in_a_pair"]
    assert {*most.hyperparameters, reason.names[1]} == {"x1", "x2"}
    assert ", mostly with x" in found.lines[1]
    assert most.estimate == pytest.approx(1.0, abs=0.1)
    alone = hx.Run(space, X, X[:, 0] + 0.1 * X[:, 1], "minimize")
    assert hx.importance(alone).claims[0].because == ()


@few_draws
@pytest.mark.parametrize("is_another", [False, True])
def test_its_line_names_the_trial_to_keep_where_that_is_another_than_the_best(is_another):
    space = unit_cube(2)
    X = space.sample(60, seed=0)

    def bowl(X):
        return ((X - 0.4) ** 2).sum(axis=1)

    observed = bowl(X)
    best, lucky = int(observed.argmin()), int(observed.argmax())
    if is_another:
        observed[lucky] = -1e-3
    run = hx.Run(space, X, observed, "minimize")
    known = Known(space, [bowl, lambda X: 1.1 * bowl(X)])
    known.noise_std = 0.2
    run = run.explained_by(known)
    trials = [lucky, best] if is_another else [best]
    result = hx.summary(run)
    for text in (result.headline, result.lines[0]):
        assert [place.trial for place in text.places] == trials
    assert ("; keep trial " in result.lines[0]) == is_another
