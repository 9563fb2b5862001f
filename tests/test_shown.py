"""What a notebook shows of every public result, and of what holds the trials."""

import dataclasses
import inspect

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.diagnostics import SamplingBias
from tests.handmade import Page, subject_of, tuning_run

QUICK = {"grid_size": 4, "sample": 40}
NASTY = '<script>alert("1")</script> & co.'


def curve():
    good, bad = np.array([1.6, 0.4]), np.array([0.8, 1.2])
    return hx.DensityCurve("kernel", ("rbf", "poly"), False, True, good, bad, "rbf", 1.6, 0.8)


def density_path():
    good, bad = np.array([[1.6, 0.4], [1.4, 0.6]]), np.array([[0.8, 1.2], [1.0, 1.0]])
    return hx.DensityPath(
        subject=subject_of(["kernel"]), name="kernel", trials=(18, 19), values=("rbf", "poly"),
        log=False, categorical=True, good=good, bad=bad, proposed=("rbf", None),
    )  # fmt: skip


def densities():
    return hx.ProposalDensities(
        subject=subject_of(["kernel"], trial=1), curves=(curve(),), config={"kernel": "rbf"}
    )


def several_runs(run):
    found = [hx.explain_proposal(run, trial, background=40) for trial in (17, 18)]
    return hx.aggregate(found)


def sizes(run):
    return hx.check_sample_size(hx.explain_proposal(run, background=40))


MADE = {
    "Ablation": hx.ablation,
    "DensityPath": lambda run: density_path(),
    "DesirabilityPath": lambda run: hx.desirability_path(
        run, [17, 18], background=40, progress=False
    ),
    "FanovaImportance": lambda run: hx.importance(run, 2, n_trees=8),
    "Instances": lambda run: hx.Instances(["a", "b"], run.X[:4], [0, 1, 0, 1], np.arange(4.0)),
    "InteractionStrength": lambda run: hx.interactions(run, sample=10),
    "LimeExplanation": lambda run: hx.lime(run, sample=100),
    "LocalImportance": hx.local_importance,
    "Marginal": lambda run: hx.importance(run, n_trees=8).marginal("lr"),
    "PartialDependence": lambda run: hx.partial_dependence(run, "lr", **QUICK),
    "PredictionExplanation": lambda run: hx.explain_prediction(run, background=40),
    "PredictionOverview": lambda run: hx.explain_predictions(run, [1, 2], background=40),
    "ProposalDensities": lambda run: densities(),
    "ProposalExplanation": lambda run: hx.explain_proposal(run, background=40),
    "Recommendation": lambda run: hx.importance(run, n_trees=8).recommended_space(),
    "RegionalPartialDependence": lambda run: hx.regional_partial_dependence(
        run, "lr", max_depth=1, **QUICK
    ),
    "RepeatedRuns": several_runs,
    "Run": lambda run: run,
    "SampleSizeCheck": sizes,
    "SamplingBias": lambda run: SamplingBias(0.5, 0.1, 0.005, 0.4, 60, 1000),
    "SearchSpace": lambda run: run.space,
    "Subspace": lambda run: hx.importance(run, n_trees=8).subspace(),
}


@pytest.fixture(scope="module")
def run():
    return tuning_run(20)


def test_every_public_result_is_made_here():
    public = {name: getattr(hx, name) for name in hx.__all__}
    results = {
        name
        for name, kind in public.items()
        if inspect.isclass(kind) and (hasattr(kind, "sentence") or hasattr(kind, "to_frame"))
    }
    assert results | {"Run", "SearchSpace", "Instances"} == MADE.keys()


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("name", MADE)
def test_a_notebook_shows_text_plot_and_table(name, run):
    result = MADE[name](run)
    page = Page(result._repr_html_())
    assert page.misnested == []
    text = result.sentence if hasattr(result, "sentence") else None
    if text is not None:
        assert flat(text) in flat(page.text)
    assert ("svg" in page.tags()) == hasattr(result, "plot")
    if hasattr(result, "to_frame"):
        assert "table" in page.tags()
        assert not {"NaN", "nan"} & set(page.text.split())
        assert all(str(label) in page.text for label in result.to_frame().index[:5])


@pytest.mark.parametrize("name", MADE)
def test_what_a_cell_prints_is_short(name, run):
    assert len(repr(MADE[name](run))) < 1000


def test_columns_of_numbers_that_hold_none_are_not_shown(run):
    found = hx.importance(run, n_trees=8).recommended_space()
    empty = [name for name, column in found.to_frame().items() if column.isna().all()]
    assert empty
    for shown in (str(found).split("\n")[2], Page(found._repr_html_()).text):
        assert not set(empty) & set(shown.split())
        assert "reason" in shown


def rounded(result, phi):
    """A result with these contributions of its first hyperparameters, the others 0."""
    whole = np.zeros_like(result.phi)
    whole[..., : len(phi), 0] = phi
    return dataclasses.replace(result, phi=whole)


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


def test_a_value_is_shown_however_small_it_is(run):
    found = rounded(hx.explain_proposal(run, background=40), [0.25, 0.125])
    config = {**found.config, "lr": 1e-300, "layers": 1e300}
    for words in cells(dataclasses.replace(found, config=config)):
        assert "1e-300" in words


@pytest.mark.parametrize("name", ["PredictionExplanation", "PredictionOverview", "RepeatedRuns"])
def test_rounding_is_shown_as_0_whatever_is_explained(name, run):
    found = MADE[name](run)
    if name == "RepeatedRuns":
        mean = np.zeros_like(found.mean)
        mean[:, :2, :] = np.array([[0.25], [7.293e-16]])
        found = dataclasses.replace(found, mean=mean)
    else:
        phi = np.zeros_like(found.phi)
        phi[..., :2] = 0.25, 7.293e-16
        found = dataclasses.replace(found, phi=phi)
    for words in cells(found):
        assert "0.25" in words
        assert "7.293e-16" not in words
    assert 7.293e-16 in found.to_frame()["contribution"].tolist()


def test_effects_of_a_readable_model_that_are_rounding_are_shown_as_0(run):
    made = [hx.LimeStatement(("lr",), "lr", size, 0.0, 1.0) for size in (0.25, 7.293e-16)]
    found = dataclasses.replace(MADE["LimeExplanation"](run), statements=tuple(made))
    for words in cells(found):
        assert "0.25" in words
        assert "7.293e-16" not in words


def nasty_run():
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter(NASTY, [NASTY, None, *range(30)]),
            hx.IntParameter("k", 0, 8, step=2),
            hx.FloatParameter("z", 0.1, 1.0, log=True, active_when={NASTY: [NASTY], "k": [2, 4]}),
            hx.FloatParameter("w", 0.0, 1.0, optional=0.5),
        ]
    )
    X = space.sample(60, seed=0)
    return hx.Run(space, X, np.arange(60.0), "minimize", objective_name=NASTY, excluded={60: NASTY})


def test_a_run_is_one_line_in_a_list_and_its_whole_text_in_a_cell():
    run = nasty_run()
    assert repr(run) == f"<Run: {str(run).splitlines()[0]}>"
    html = run._repr_html_()
    assert "<script" not in html
    assert flat(str(run)) == flat(Page(html).text)
    assert "left out: 1 (60)" in Page(html).text


def test_a_space_is_a_line_in_a_list_and_a_table_in_a_cell():
    space = nasty_run().space
    assert repr(space) == f"<SearchSpace: 4 hyperparameters ({NASTY}, k, z, w)>"
    assert str(space).count("\n") == 5  # as it is written in code
    html = space._repr_html_()
    assert "<script" not in html
    text = Page(html).text
    for part in (
        "k 0 to 8 integer, step 2 always",
        f"z 0.1 to 1.0 float, log {NASTY} = {NASTY} and k in {{2, 4}}",
        "w 0.0 to 1.0 float at a frequency of 0.5",
        "None, 0, 1",
        ", ... categories",
    ):
        assert part in flat(text)


def test_one_is_singular():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    run = hx.Run(space, [[0.5]], [1.0], "minimize")
    assert str(run).startswith("1 trial of 1 hyperparameter, ")
    assert "there is 1 trial, 1 hyperparameter, 0% of them categories" in str(run)
    with pytest.raises(ValueError, match="run has 1 finished trial; a surrogate"):
        run.surrogate()
    with pytest.raises(ValueError, match="none of its 1 finished trial by a model"):
        hx.explain_proposal(hx.Run(space, [[0.5]], [1.0], "minimize", proposals=[]))
    assert repr(space) == "<SearchSpace: 1 hyperparameter (x)>"
    assert repr(hx.Instances(["fold"], [[0.5]], [0], [1.0])) == "<Instances: 1 evaluation on fold>"


def test_one_configuration_is_singular(run):
    sentence = hx.explain_predictions(run, [1], background=40).sentence
    assert sentence.startswith("Over 1 configuration the ")


def test_a_frame_is_not_changed_by_being_shown(run):
    found = hx.importance(run, n_trees=8).recommended_space()
    before = found.to_frame()
    found._repr_html_()
    pd.testing.assert_frame_equal(found.to_frame(), before)
