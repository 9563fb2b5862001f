"""What every public result prints, and what a notebook shows of it."""

import inspect
import json
import pickle
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.base.result import Result
from hpo_explain.base.subject import Subject
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.methods.proposals.densities import DensityCurve, DensityPath, ProposalDensities
from hpo_explain.run.subsets import some_rows
from tests.handmade import Page, tuning_run
from tests.public import names, public

pytestmark = pytest.mark.usefixtures("few_draws")

QUICK = {"grid_size": 4, "sample": 40}


def densities(run):
    good, bad = np.array([1.6, 0.4]), np.array([0.8, 1.2])
    curve = DensityCurve("booster", ("gbtree", "dart"), False, True, good, bad, "dart", 1.6, 0.8)
    subject = Subject.of(run, trial=1)
    return ProposalDensities(subject=subject, curves=(curve,), config=run.config(1))


def density_path(run):
    return DensityPath(
        subject=Subject.of(run),
        name="booster",
        trials=(18, 19),
        values=("gbtree", "dart"),
        log=False,
        categorical=True,
        good=np.array([[1.6, 0.4], [1.4, 0.6]]),
        bad=np.array([[0.8, 1.2], [1.0, 1.0]]),
        proposed=("gbtree", None),
    )


def of_another_objective(run):
    return replace(run, objective=run.X[:, 0], objective_name="time", record=None)


def repeated(run):
    """Each configuration three times, with more noise where lr is larger."""
    X = np.repeat(run.X, 3, axis=0)
    noise = 10.0 ** (3.0 * X[:, 0]) * np.random.default_rng(0).standard_normal(len(X))
    return replace(
        hx.Run(run.space, X, np.repeat(run.objective, 3) + noise, run.direction),
        objective_name=run.objective_name,
    )


def timed(run):
    """Two workers, each trial a minute."""
    started = 60.0 * (np.arange(len(run)) // 2)
    return replace(run, started=started, finished=started + 60.0)


def with_curves(run):
    """Every trial reported three values; the last five were pruned after the first."""
    values = run.objective[:, None] + np.array([0.5, 0.1, 0.0]) * run.X[:, [1]]
    values[15:, 1:] = np.nan
    curves = hx.run.Curves(run.trials, run.X, [1, 2, 3], values, "epoch")
    return some_rows(run, np.arange(15), proposals=range(8, 15), curves=curves)


MADE = {
    "Effect along trials": lambda run: hx.partial_dependence(run, "lr", kind="accumulated"),
    "Advice": hx.advise,
    "Changes": hx.changes,
    "Contours": lambda run: hx.methods.contours(run, ["lr", "layers"]),
    "Comparison": lambda run: hx.compare({"one": run, "two": tuning_run(21)}, kind="forest"),
    "DensityPath": density_path,
    "DesirabilityPath": lambda run: hx.methods.desirability_path(
        run, [17, 18], background=40, progress=False
    ),
    "FanovaImportance": lambda run: hx.importance(run, 2, n_trees=8),
    "TradeOffImportance": lambda run: hx.importance(
        {"a": run, "b": replace(run, objective=-(run.objective**2))}, target="trade-off"
    ),
    "History": lambda run: hx.history(run),
    "GameExplanation": hx.methods.tunability,
    "InteractionStrength": lambda run: hx.methods.h_statistic(run),
    "Luck": lambda run: hx.methods.luck(
        replace(run, attributes={"test": run.objective}), test="test"
    ),
    "Pruning": lambda run: hx.pruning(with_curves(run)),
    "LimeExplanation": lambda run: hx.methods.lime(run, sample=100),
    "LocalImportance": hx.methods.local_importance,
    "Noise": lambda run: hx.methods.noise(repeated(run)),
    "Effect of a marginal": lambda run: hx.importance(run, n_trees=8).marginal("lr"),
    "Optimum": hx.optimum,
    "ParetoFront": lambda run: hx.pareto({"loss": run, "time": of_another_objective(run)}),
    "Effect": lambda run: hx.partial_dependence(run, "lr", **QUICK),
    "PartialDependences": lambda run: hx.partial_dependence(run, ["lr", ("lr", "layers")], **QUICK),
    "PredictionExplanation": lambda run: hx.explain_prediction(run, background=40),
    "PredictionOverview": lambda run: hx.methods.explain_predictions(run, [1, 2], background=40),
    "ProposalDensities": densities,
    "ProposalExplanation": lambda run: hx.explain_proposal(run, background=40),
    "Recommendation": lambda run: hx.recommended_space(run),
    "RegionalPartialDependence": lambda run: hx.partial_dependence(
        run, "lr", regions=True, max_depth=1, **QUICK
    ),
    "SampleSizeCheck": lambda run: hx.methods.check_sample_size(
        hx.explain_proposal(run, background=40)
    ),
    "RunTrust": hx.trust,
    "ShapleyInteractions": lambda run: hx.methods.shapley_interactions(run, background=20),
    "Slices": lambda run: hx.methods.slices(run, most=2),
    "Summary": hx.summary,
    "Tolerance": lambda run: hx.methods.tolerance(run, epsilon=0.01),
    "Timeline": lambda run: hx.methods.timeline(timed(run)),
}


@pytest.fixture(scope="module")
def run():
    return tuning_run(20)


@pytest.fixture(scope="module", params=MADE)
def result(request, run):
    return MADE[request.param](run)


def flat(text):
    return " ".join(text.split())


def test_every_public_result_is_made_here():
    results = {
        name
        for name in names()
        for kind in [public(name)]
        if inspect.isclass(kind) and issubclass(kind, Result) and kind is not Result
    }
    results -= {"PartialDependence"}  # an Effect by the name of its function
    made = MADE.keys() - {"Effect of a marginal", "Effect along trials"}
    assert results == made, "MADE in tests/base/test_result.py makes one result of each kind"


def test_a_result_is_printed_as_its_sentence_and_its_table(result):
    if isinstance(result, Summary):
        pytest.skip("printed as its five lines: test_summary")
    sentence, blank, *table = str(result).split("\n")
    assert sentence == result.sentence
    assert blank == ""
    frame = result.to_frame()
    told = frame.loc[:, frame.notna().any()]
    assert all(str(column) in table[0] for column in told.columns)
    assert len(table) >= min(len(frame), 30)
    assert repr(result) == f"<{type(result).__name__}: {result.sentence}>"
    assert len(repr(result)) < 1000


def test_the_cells_of_a_result_are_those_of_its_frame(result):
    frame = result.to_frame()
    if frame.index.name is not None:
        frame = frame.reset_index(allow_duplicates=True)
    cells = result.cells()
    assert [name for name, _ in cells] == [*frame.columns]
    for (_, values), (_, column) in zip(cells, frame.items(), strict=True):
        pd.testing.assert_series_equal(
            pd.Series(values, dtype=column.dtype, index=column.index), column, check_names=False
        )
        assert not any(isinstance(value, np.generic) for value in values)


def test_a_notebook_shows_text_plot_and_table(result):
    page = Page(result._repr_html_())
    assert page.misnested == []
    assert flat(result.sentence) in flat(page.text)
    assert {"svg", "table"} <= page.tags()
    assert not {"NaN", "nan"} & set(page.text.split())
    assert all(str(label) in page.text for label in result.to_frame().index[:5])


def test_a_dict_holds_the_sentence_the_claims_and_the_subject(result):
    held = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert held["sentence"] == result.sentence
    assert [claim["kind"] for claim in held["claims"]] == [claim.kind for claim in result.claims]
    assert [note["kind"] for note in held["notes"]] == [note.kind for note in result.notes]
    assert held["direction"] == result.subject.direction
    again = pickle.loads(pickle.dumps(result))
    assert again.sentence == result.sentence
    np.testing.assert_equal(*([c.estimate for c in one.claims] for one in (again, result)))


def test_a_result_is_saved_by_the_ending_of_a_path(result, tmp_path):
    starts = {
        "png": b"\x89PNG",
        "svg": b"<?xml",
        "html": b"<!doctype html>",
        "json": b"{",
        "pdf": b"%PDF",
    }
    for ending in ("svg", "csv", "json", "html"):
        path = tmp_path / f"result.{ending}"
        result.save(path)
        assert path.read_bytes().startswith(starts.get(ending, b""))
    table = pd.read_csv(tmp_path / "result.csv")
    assert len(table) == len(result.to_frame())
    assert json.loads((tmp_path / "result.json").read_text()) == result.to_dict()


def test_pictures_leave_no_figure_open_and_other_endings_are_refused(run, tmp_path):
    history = hx.history(run)
    before = plt.get_fignums()
    for ending, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        history.save(str(tmp_path / f"history.{ending}"))
        assert (tmp_path / f"history.{ending}").read_bytes().startswith(start)
    assert plt.get_fignums() == before
    with pytest.raises(hx.base.InputError, match=r"path must end in \.png"):
        history.save(tmp_path / "history.gif")


def test_every_view_is_drawn_by_both_renderers(result):
    for view in result.views_of:
        assert result.plot(view=view) is not None  # every mark is seen: draw/test_pixels
        pytest.importorskip("plotly")
        assert result.to_plotly(view=view).data


def test_a_long_table_is_cut(run):
    long = hx.partial_dependence(run, "lr", grid_size=100, sample=20)
    assert len(str(long).split("\n")) < 45
    assert "..." in str(long)
    assert np.isfinite(long.mean).all()


def test_columns_of_numbers_that_hold_none_are_not_shown(run):
    whole = MADE["Recommendation"](run)
    found = replace(whole, rows=tuple(replace(row, share=np.nan) for row in whole.rows))
    empty = [name for name, column in found.to_frame().items() if column.isna().all()]
    assert empty
    for shown in (str(found).split("\n")[2], Page(found._repr_html_()).text):
        assert not set(empty) & set(shown.split())


def test_a_frame_is_not_changed_by_being_shown(run):
    found = MADE["Recommendation"](run)
    before = found.to_frame()
    found._repr_html_()
    pd.testing.assert_frame_equal(found.to_frame(), before)


# ---------------------------------------------------------------------- rounding


def rounded(result, phi):
    """A result with these contributions of its first hyperparameters, the others 0."""
    whole = np.zeros_like(result.phi)
    whole[..., : len(phi), 0] = phi
    return replace(result, phi=whole)


def cells(result):
    """What is printed of a result, and what a notebook shows of it, word by word."""
    html = result._repr_html_()
    table = Page(html[html.rindex("<table") :].replace("<br>", " "))
    return (str(result).split(), flat(table.text).split())


def test_contributions_that_are_rounding_are_shown_as_0_and_kept_in_the_data(run):
    found = rounded(hx.explain_proposal(run, background=40), [0.25, 7.293e-16, -3e-9])
    for words in cells(found):
        assert "0.25" in words
        assert "-3e-09" in words
        assert not [word for word in words if word.endswith("e-16")]
    assert found.to_frame()["total"]["layers"] == 7.293e-16
    tiny = rounded(found, [2.5e-13, 1e-14])
    assert all("1e-14" in words for words in cells(tiny))  # small beside nothing


def test_a_view_that_a_result_does_not_have_is_refused_with_those_that_it_has():
    found = hx.history(tuning_run())
    for draw in (found.plot, found.to_plotly):
        with pytest.raises(hx.base.InputError, match="view must be one of ''"):
            draw(view="misspelt")


def test_numbers_of_a_narrow_range_are_told_apart_in_a_printed_table():
    values = np.linspace(0.5, 0.5001, 12)
    table = pd.DataFrame({"x": values, "loss": (values - 0.50003) ** 2 * 1e9})
    found = hx.methods.slices(table, objective="loss", hyperparameters=["x"])
    column = [line.split()[1] for line in str(found).splitlines()[-12:]]
    assert len({*column}) == 12
    assert np.allclose([*map(float, column)], values, atol=1e-6, rtol=0.0)


def test_a_sentence_in_a_cell_loses_whole_words():
    names = [f"a_long_name_{i}" for i in range(5)]
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    X = space.sample(40, seed=0)
    advice = hx.advise(hx.Run(space, X, ((X - 0.3) ** 2).sum(axis=1), "minimize"))
    whole = {word.rstrip(",") for action in advice.actions for word in action.title.split()}
    table = str(advice).split("\n\n")[1]
    shown = [word for line in table.splitlines() for word in line.split() if word.endswith("…")]
    assert shown
    assert {word.removesuffix("…").rstrip(",") for word in shown} <= whole


def test_categories_are_told_apart_in_a_printed_table():
    rng = np.random.default_rng(0)
    choices = [True, "True", None, "None", "", " "]
    space = hx.SearchSpace(
        [hx.CategoricalParameter("a", choices), hx.FloatParameter("x", 0.0, 1.0)]
    )
    X = np.column_stack([np.arange(24) % 6, rng.random(24)])
    run = hx.Run(space, X, X[:, 0] + X[:, 1], "minimize")
    _, _, table = str(hx.partial_dependence(run, "a")).rpartition("\n\n")
    cells = [line.rstrip() for line in table.splitlines()[1:]]
    for name in ("True", "'True'", "None", "'None'", "''", "' '"):
        assert sum(line.lstrip().startswith(f"{name} ") for line in cells) == 1
