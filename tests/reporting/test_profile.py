"""The picture that stands in the page before a script moves it: whose numbers it has."""

import re

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.belief import STRETCH, interval
from hpo_explain.question import Question
from hpo_explain.reporting.panel import data_of, what_if
from hpo_explain.reporting.profile import Frame, Profile
from tests.handmade import Page

pytestmark = [pytest.mark.usefixtures("few_draws"), pytest.mark.usefixtures("answers_stay")]


def run_with_all(n=40, **options):
    """A run with a category, a condition, steps and trials that failed."""
    space = hx.SearchSpace(
        [
            hx.FloatParameter("lr", 1e-4, 1.0, log=True),
            hx.IntParameter("layers", 1, 4),
            hx.CategoricalParameter("kind", ["a", "b"]),
            hx.FloatParameter("drop", 0.0, 1.0, active_when={"kind": ["b"]}),
            *(hx.FloatParameter(f"idle {k}", 0.0, 1.0) for k in range(6)),
        ]
    )
    X = space.sample(n, seed=2)
    X[X[:, 0] > 0.6, 4] *= 0.3  # of idle 0 nobody tried both
    objective = (X[:, 0] - 0.3) ** 2 + 0.2 * X[:, 1] + 0.1 * X[:, 2]
    return hx.Run(
        space,
        X,
        objective,
        "minimize",
        feasible=X[:, 5] < 0.9,
        default={"lr": 0.1, "layers": 2, "kind": "a", **{f"idle {k}": 0.5 for k in range(6)}},
        framework="optuna",
        **options,
    )


@pytest.fixture(scope="module")
def profile():
    question = Question(run_with_all())
    return Profile(question, question.decision, question.belief.whole)


def points(path):
    """The points of a curve, in pixels, (G, 2)."""
    each = re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)
    return np.array(each, float)


def test_panels_have_the_shares_of_importance_in_its_order(profile):
    found = hx.importance(profile.run)
    panels = [*profile.panels]
    in_order = found.to_frame()
    assert [panel.name for panel in panels] == [*in_order.index]
    for panel, row in zip(panels, in_order.itertuples(), strict=True):
        assert panel.share == f"{row.with_interactions:.0%}"
        assert panel.range == f"{row.with_lower:.0%} to {row.with_upper:.0%}"


def test_a_curve_is_what_is_predicted_with_one_value_changed(profile):
    run, decision = profile.run, profile.decision
    frame, keep = profile.frame, decision.row_to_keep
    for j in (0, 1):
        curve, parameter = profile.curves[j], run.space.parameters[j]
        for x, said in zip(profile.positions[j], curve.T, strict=True):
            row = keep.copy()
            row[j] = x
            predicted = decision.predicted(row)
            known = predicted.estimate, *predicted.interval
            # draws are of single precision, and rows of one block are summed otherwise
            near = 0.01 * predicted.half
            np.testing.assert_allclose(said, known, atol=near)
        (panel,) = [p for p in profile.panels if p.name == parameter.name]
        drawn = points(panel.paths["mean"])
        np.testing.assert_allclose(drawn[:, 1], frame.y(curve[0]), atol=0.06)
        np.testing.assert_allclose(drawn[:, 0], frame.x(parameter, profile.positions[j]), atol=0.06)


def test_the_average_is_the_partial_dependence(profile):
    effects = hx.partial_dependence(profile.run)
    panels = {panel.name: panel for panel in profile.panels}
    drawn = {n: p.paths["average"] for n, p in panels.items()}
    assert {n for n, d in drawn.items() if d} == {n for (n,) in effects.names}
    for effect in effects:
        (name,) = effect.names
        at = points(drawn[name])[:, 1]
        np.testing.assert_allclose(at, profile.frame.y(effect.mean), atol=0.06)


def test_the_kept_range_is_that_of_the_recommended_space(profile):
    found, space = hx.recommended_space(profile.run), profile.run.space
    narrowed = {row.hyperparameter: row for row in found.rows if row.share < 1}
    assert "lr" in narrowed
    for panel in profile.panels:
        path = panel.paths["kept"]
        if panel.kind == "joined":
            assert bool(path) == (panel.name in narrowed)
    (panel,) = [p for p in profile.panels if p.name == "lr"]
    x = points(panel.paths["kept"])[0, 0]
    low, high = space["lr"].encode(list(narrowed["lr"].after))
    ends = profile.frame.x(space["lr"], np.array([low, high]))
    assert x == pytest.approx(ends[0], abs=0.06)
    assert f"H{ends[1]:.1f}" in panel.paths["kept"]


def test_brackets_are_what_tolerance_says_of_the_trial_to_keep(profile):
    found, space = hx.methods.tolerance(profile.run), profile.run.space
    each = zip(found.names, found.alone, strict=True)
    alone = {name: one for name, one in each if len({*one.values}) > 1}
    assert alone
    for panel in profile.panels:
        path = panel.paths["tolerated"]
        assert bool(path) == (panel.name in alone)
        if path and panel.kind == "joined":
            low, high = profile.frame.x(
                space[panel.name], space[panel.name].encode(alone[panel.name].values)
            )
            assert path.startswith(f"M{low:.1f},")
            assert f"H{high:.1f}" in path


def test_of_noise_neither_a_bracket_nor_a_recommended_space_is_drawn_or_explained():
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "abcdefgh"])
    y = np.random.default_rng(0).normal(size=30)
    question = Question(hx.Run(space, space.sample(30, seed=0), y, "minimize"))
    profile = Profile(question, question.decision, question.belief.whole)
    for mark in ("tolerated", "kept"):
        assert not any(panel.paths[mark] for panel in profile.panels)
        assert mark not in {name for name, *_ in profile.legend}


def test_values_of_a_list_are_told_where_there_is_room():
    values = [16, 32, 64, 250, 512, 1024]
    space = hx.SearchSpace([hx.IntParameter("batch", 16, 1024, values=values)])
    X = space.sample(12, seed=0)
    question = Question(hx.Run(space, X, X[:, 0], "minimize"))
    (panel,) = Profile(question, question.decision, question.belief.whole).panels
    ticks = [float(x) for x in re.findall(r"M([\d.]+),[\d.]+v5", panel.paths["axis"])]
    frame = Frame(0.0, 1.0)
    expected = frame.left + (frame.right - frame.left) * (np.array(values) - 16) / (1024 - 16)
    np.testing.assert_allclose(ticks, expected, atol=0.06)
    below = sorted((x, text) for x, y, _, text in panel.texts if y > frame.bottom)
    # 32 and 64 have no room beside 16
    assert [text for _, text in below] == ["16", "250", "512", "1024"]


def test_it_may_start_from_what_is_kept_tried_next_best_and_the_default(profile):
    run, starts = profile.run, profile.starts
    advice = hx.advise(run)
    tried = [a for a in advice.actions if a.kind == "try"]
    assert {"keep", "default"} <= {*starts}
    assert ("next" in starts) == bool(tried)
    for kind, config in [
        ("keep", run.config(advice.actions[0].trials[0]))
        if advice.actions[0].kind == "keep"
        else ("keep", run.config(profile.decision.keep)),
        ("default", run.default),
        *([("next", tried[0].configurations[0])] if tried else []),
    ]:
        np.testing.assert_allclose(starts[kind][1], run.space.encode(config)[0])
    marks = {m.kind for p in profile.panels for m in p.marks}
    assert marks == {*starts} - {"default"}


def test_where_nobody_tried_the_curve_says_so(profile):
    support = hx.space.Support(profile.run.space, profile.run.tried)
    for panel in profile.panels:
        j, parameter = panel.j, profile.run.space[panel.name]
        tried = support.at(panel.name, parameter.decode(profile.positions[j]))
        marked = panel.paths["untried"].count("M")
        shown = np.isfinite(profile.curves[j][0])
        assert marked == (~tried & shown).sum()


def test_failed_trials_are_crosses_and_inactive_panels_say_why(profile):
    run = profile.run
    panels = {panel.name: panel for panel in profile.panels}
    failed = int((~np.asarray(run.feasible)).sum())
    assert failed
    assert panels["lr"].paths["failed"].count("M") == failed
    assert panels["lr"].paths["others"].count("M") == len(run) - failed
    drop = panels["drop"]
    assert drop.inactive == "Inactive: active when kind is 'b'." or (
        run.space.condition_text("drop") in drop.inactive
    )
    assert drop.is_inactive == (run.config(profile.decision.keep)["kind"] == "a")


def test_without_a_script_the_page_has_the_whole_picture(tmp_path):
    run = run_with_all(name="My study")
    path = hx.what_if(run).write(tmp_path / "w.html")
    html = path.read_text("utf-8")
    page = Page(html)
    assert "<h1>My study</h1>" in html
    assert html.count('class="profile-plot') == len(run.space)
    assert "2 more hyperparameters" in html
    decision = Question(run).decision
    predicted = decision.predicted(decision.row_to_keep)
    text = re.search(r"<dd><strong>([^<]*)", html)[1]
    numbers = [float(x) for x in re.findall(r"-?[\d.]+(?:e-?\d+)?", text)]
    half = predicted.half
    known = predicted.estimate, *predicted.interval
    np.testing.assert_allclose(numbers, known, atol=0.6 * half)
    assert page


def test_the_script_is_given_what_it_starts_from(profile):
    data = data_of(profile, profile.draws)
    run, decision = profile.run, profile.decision
    assert data["keep"] == decision.keep
    assert data["between"] == decision.counts.between
    assert data["copies"] == ["enqueue_trial", "dict"]  # no x: conditions
    assert [len(at) for at in data["positions"]][:4] == [21, 4, 2, 21]
    at = decision.draws.at_one(decision.draws.draws(decision.row_to_keep[None])[:, 0])
    predicted = decision.predicted(decision.row_to_keep)
    if decision.whole is decision.draws:
        assert interval(at, stretch=STRETCH["average"]) == predicted.interval
    assert what_if(profile.question).finding
    assert run.name == ""
