"""Desirability paths: whose models, which numbers, on any number of workers."""

import joblib
import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import InputError, NothingToExplain
from tests.analytic import unit_cube
from tests.methods.paths import path, random_path


def run_of(n=14, d=3, *, proposals=None, direction="minimize", seed=0):
    space = unit_cube(d)
    X = space.sample(n, seed=seed)
    y = ((X - 0.3) ** 2 * np.arange(1.0, d + 1.0)).sum(axis=1)
    objective = y if direction == "minimize" else -y
    return hx.Run(space, X, objective, direction, proposals=proposals)


def path_of(run, **options):
    return hx.methods.desirability_path(run, **{"background": 60, "progress": False} | options)


def test_a_path_is_the_explanation_of_every_proposal():
    run = run_of(proposals=[6, 9, 13])
    path = path_of(run)
    assert path.trials.tolist() == [6, 9, 13]
    for trial in path.trials.tolist():
        alone = hx.explain_proposal(run, trial, background=60)
        np.testing.assert_array_equal(path.explanation(trial).phi, alone.phi)
        assert path.explanation(trial).notes == alone.notes
    assert path.phi.shape == (3, 3, 2)
    np.testing.assert_allclose(path.total, path.phi.sum(axis=2))
    with pytest.raises(InputError, match=r"but was 5\. They are 6, 9, 13"):
        path.explanation(5)
    latest = path.explanations[-1].subject
    assert path.trial is None
    assert (path.subject.model, path.subject.incumbent) == (latest.model, run.incumbent)
    np.testing.assert_array_equal(path.subject.tried, run.X)


def test_trials_before_which_nothing_was_known_are_left_out_and_named():
    path = path_of(run_of(6))
    assert path.trials.tolist() == [2, 3, 4, 5]
    (note,) = path.notes
    assert (note.kind, note.trials) == ("proposals_left_out", (0, 1))
    assert str(note) == "left out: 0-1: fewer than two trials were finished before"
    flat = hx.Run(unit_cube(1), [[0.1], [0.5], [0.7], [0.9]], [1.0, 1.0, 1.0, 2.0], "minimize")
    with pytest.raises(NothingToExplain) as caught:
        path_of(flat)
    assert str(caught.value).startswith("none of the run's proposals can be explained")


# ---------------------------------------------------------------------- workers


def test_the_numbers_do_not_depend_on_the_workers():
    run = run_of(12, proposals=[5, 7, 9, 11])
    alone = path_of(run, n_jobs=1)
    together = path_of(run, n_jobs=2)
    np.testing.assert_array_equal(alone.phi, together.phi)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        threads = path_of(run, n_jobs=None)
    np.testing.assert_array_equal(alone.phi, threads.phi)


# ---------------------------------------------------------------------- tables


def test_the_long_table_holds_every_number_once():
    path = path_of(run_of(proposals=[6, 9, 13]))
    frame = path.to_frame()
    assert list(frame.columns) == [
        "trial",
        "hyperparameter",
        "term",
        "contribution",
        "lower",
        "upper",
    ]
    assert len(frame) == 3 * 3 * 3
    wide = frame.pivot(index="trial", columns=["term", "hyperparameter"], values="contribution")
    np.testing.assert_allclose(wide["total"].to_numpy(), path.total)
    np.testing.assert_allclose(
        (wide["mean"] + wide["uncertainty"]).to_numpy(), wide["total"].to_numpy(), atol=1e-12
    )
    assert (frame.lower <= frame.contribution).all()
    assert (frame.contribution <= frame.upper).all()


def test_percentiles_are_those_of_the_proposals_until_then():
    run = run_of(proposals=[6, 9, 13])
    predictions = path_of(run).predictions()
    assert predictions.index.tolist() == [6, 9, 13]
    np.testing.assert_array_equal(predictions.objective, run.objective[[6, 9, 13]])
    for i, trial in enumerate([6, 9, 13]):
        mean, std = run.surrogate(before=trial).predict(run.X[[trial]])
        assert predictions["mean"].iloc[i] == pytest.approx(mean[0])
        assert predictions["std"].iloc[i] == pytest.approx(std[0])
        ranks = (predictions["mean"].iloc[: i + 1] <= predictions["mean"].iloc[i]).mean()
        assert predictions["percentile of mean"].iloc[i] == pytest.approx(100.0 * ranks)


# ---------------------------------------------------------------------- made paths


def made(mean, uncertainty, *, trials=None):
    """A path of given contributions (T, d)."""
    names = [f"x{j + 1}" for j in range(np.shape(mean)[1])]
    trials = [*(range(len(mean)) if trials is None else trials)]
    return path(np.dstack([mean, uncertainty]), trials=trials, names=names, error=None)


def test_a_turning_point_is_where_the_mean_takes_over():
    mean = np.array([[0.0, 1.0, -1.0]] * 5 + [[2.0, 1.0, 1.0]] * 7)
    uncertainty = np.array([[1.0, 0.5, 0.0]] * 12)
    path = made(mean, uncertainty, trials=range(20, 32))
    assert path.turning_points() == {"x1": 25, "x2": None, "x3": 25}
    turns = [claim for claim in path.claims if claim.kind == "order"]
    assert [(turn.hyperparameters, turn.values) for turn in turns] == [
        (("x1",), (25,)),
        (("x3",), (25,)),
    ]


def test_the_balance_is_the_share_of_uncertainty_in_the_latest_contributions():
    path = made([[9.0, 9.0], [3.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, -1.0], [1.0, -1.0]])
    assert path.balance(last=2) == pytest.approx({"exploring": 0.375, "exploiting": 0.625})
    assert path.balance(last=1) == pytest.approx({"exploring": 0.5, "exploiting": 0.5})
    with pytest.raises(ValueError, match="last"):
        path.balance(last=0)
    first, second, balance = path.claims
    assert (first.kind, first.hyperparameters) == ("contribution", ("x1",))
    assert first.estimate == pytest.approx(np.abs(path.total[:, 0]).mean())
    assert second.hyperparameters == ("x2",)
    assert (balance.kind, balance.estimate) == ("form", path.balance()["exploring"])
    (nothing,) = made(np.zeros((3, 2)), np.zeros((3, 2))).claims
    assert nothing.side == "below"


def test_contributions_for_another_kappa_are_those_of_the_criterion_with_it():
    run = run_of(proposals=[6, 9, 13])
    path = path_of(run)
    assert path.kappa == 1.96
    for kappa in (1.0, 3.0):
        others = [
            hx.methods.ShapleyExplainer(
                hx.models.LowerConfidenceBound(run.surrogate(before=trial), kappa=kappa),
                background=60,
            ).explain(run.config(trial))
            for trial in (6, 9, 13)
        ]
        mine = hx.methods.desirability_path(run, background=60, progress=False)
        exploring = np.array([np.abs(e.phi[:, 1]).sum() for e in others])
        whole = np.array([np.abs(e.phi).sum() for e in others])
        assert mine.balance(3, kappa)["exploring"] == pytest.approx((exploring / whole).mean())


def test_a_turning_point_is_certain_if_it_hardly_moves_with_kappa():
    mean = np.array([[0.1, 0.9, 0.1]] * 6 + [[5.0, 1.2, 0.6]] * 2 + [[5.0, 1.2, 2.0]] * 6)
    path = made(mean, np.ones((14, 3)))
    by_hand = {kappa: path.turning_points(kappa) for kappa in (1.0, 1.96, 3.0)}
    assert by_hand[1.0] == {"x1": 6, "x2": None, "x3": 6}
    assert by_hand[1.96] == {"x1": 6, "x2": 6, "x3": 8}
    assert by_hand[3.0] == {"x1": 6, "x2": None, "x3": 8}
    turns = path.turns
    assert (turns["x1"].span, turns["x1"].certain) == ((6, 6), True)
    assert (turns["x2"].span, turns["x2"].certain) == (None, False)
    assert (turns["x3"].span, turns["x3"].certain) == ((6, 8), False)
    claims = {c.hyperparameters[0]: c for c in path.claims if c.kind == "order"}
    assert [claims[name].certain for name in ("x1", "x2", "x3")] == [True, False, False]
    assert claims["x3"].interval == (6, 8)
    (reason,) = claims["x3"].because
    assert "it depends on κ, which is assumed to be" in str(reason)


def test_the_balance_is_certain_if_the_same_side_leads_for_every_kappa():
    for mean, certain in ((9.0, True), (1.0, False), (0.1, True)):
        path = made(np.full((4, 1), mean), np.ones((4, 1)))
        claim = next(c for c in path.claims if c.kind == "form")
        low, high = (k / 1.96 / (k / 1.96 + mean) for k in (1.0, 3.0))
        assert claim.interval == pytest.approx((low, high))
        assert claim.certain is certain


# ---------------------------------------------------------------------- words


def test_sentences():
    # uncertainty leads in trials 5 to 8, the mean in 9 to 12
    phi = [[[0.1, 0.5], [0.2, 0.1]]] * 4 + [[[0.5, 0.1], [0.2, 0.1]]] * 4
    assert path(phi).sentence == (
        "Over 8 proposals (κ = 1.96 is assumed) x0 and x1 mattered most. The predicted objective "
        "outweighed uncertainty for x0 from trial 9 on. 31% of the contributions to the latest "
        "proposals are about uncertainty (20% to 39% for κ from 1 to 3)."
    )
    assert path(phi, assumed=False).sentence.endswith("proposals are about uncertainty.")
    assert path([[[0.0, 0.0]]] * 2, assumed=False).sentence == (
        "Over 2 proposals no hyperparameter stands out from an average configuration."
    )


# ---------------------------------------------------------------------- figures


def test_each_hyperparameter_has_a_panel_with_its_total_and_terms_the_largest_first():
    phi = np.zeros((4, 3, 2))
    phi[:, 0] = [[0.1, 0.0], [-0.1, 0.05], [0.1, 0.1], [0.0, 0.0]]
    phi[:, 1] = [[1.0, 0.5], [-2.0, 0.5], [1.0, -0.5], [1.0, 0.0]]
    phi[:, 2] = [[0.5, 0.0], [0.5, 0.0], [-0.6, 0.0], [0.5, 0.0]]
    figure = path(phi).described()
    assert [panel.heading for panel in figure.panels] == ["x1", "x2", "x0"]
    for panel, j in zip(figure.panels, (1, 2, 0), strict=True):
        total, mean, uncertainty = panel.lines
        np.testing.assert_array_equal(total.x, [5, 6, 7, 8])
        np.testing.assert_allclose(total.y, phi[:, j].sum(axis=1))
        np.testing.assert_allclose(mean.y, phi[:, j, 0])
        np.testing.assert_allclose(uncertainty.y, phi[:, j, 1])
        assert np.isnan([total.half, mean.half, uncertainty.half]).all()
        assert [line.look for line in panel.lines] == ["total", "0", "1"]
    assert figure.means == {
        "total": "total",
        "0": "mean",
        "1": "uncertainty",
        "turn": "the mean outweighs uncertainty from here on",
    }
    assert (figure.same_x, figure.same_y) == (True, True)
    assert figure.heading == (
        "Why trials 5-8? As a GP with LCB (κ = 1.96) would have seen them (assumed)"
    )
    alone = path(np.ones((4, 1, 1)), terms=("improvement",), error=None).described()
    assert [line.look for line in alone.panels[0].lines] == ["total"]
    assert alone.footer == ""


def test_turning_points_are_marked_and_inactive_values_leave_gaps():
    phi = [[[0.1, 0.5], [0.1, 0.1]]] * 4 + [[[0.5, 0.1], [0.1, 0.1]]] * 4
    first, second = path(phi).described().panels
    assert [(note.x, note.text) for note in first.notes] == [(9, "from 9")]
    assert second.notes == []
    config = [{"x0": 0.5, "x1": 0.1}, {"x0": 0.5}, {"x0": 0.5, "x1": 0.2}]
    phi = [[[1.0, 0.5], [0.2, 0.1] if "x1" in c else [0.0, 0.0]] for c in config]
    figure = path(phi, each=[{"config": c} for c in config]).described()
    np.testing.assert_allclose(figure.panels[1].lines[0].y, [0.3, np.nan, 0.3])
    assert "broken where the hyperparameter is inactive" in figure.footer
    never = path(np.ones((3, 2, 2)), config={"x0": 0.5}).described()
    assert len(never.panels) == 1
    assert "Inactive in every proposal: x1." in never.footer
    many = random_path(6, 30).described()
    assert len(many.panels) == 6
    assert "and 16 more." in many.footer


def test_the_objective_and_what_was_predicted_have_a_panel_each():
    each = [{"objective_prediction": {"mean": m, "std": 0.1 * m}} for m in (3.0, 2.0, 4.0)]
    found = path(np.ones((3, 1, 2)), each=each)
    panels = found.described("predictions").panels
    assert [panel.heading for panel in panels] == ["reached", "predicted mean", "predicted std"]
    # three of eight values from 1 to 0
    for panel, y in zip(panels, (found.observed, [3.0, 2.0, 4.0], [0.3, 0.2, 0.4]), strict=True):
        (line,) = panel.lines
        np.testing.assert_array_equal(line.x, [5, 6, 7])
        np.testing.assert_allclose(line.y, y)
