import base64
import io
import json
import re
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.reporting._render import downloads, estimates
from tests.explainers.test_path import run_of
from tests.reporting.pages import page_of

pytestmark = pytest.mark.usefixtures("empty_figures")


def tables_of(page):
    """The tables that a page hands over, by file name."""
    found = {}
    links = [link for link in page.values("href") if not link.startswith("#")]
    for link, name in zip(links, page.values("download"), strict=True):
        kind, _, data = link.partition(",")
        text = unquote(data)
        if kind == "data:text/csv;charset=utf-8":
            found[name] = pd.read_csv(io.StringIO(text.removeprefix("\ufeff")))
        else:
            assert kind == "data:application/json;charset=utf-8"
            split = json.loads(text)
            found[name] = pd.DataFrame(split["data"], columns=split["columns"])
    return found


def narrow_run():
    """A run whose objective rises steeply with x1 and does not depend on x3."""
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("x1", "x2", "x3")])
    X = space.sample(80, seed=0)
    return hx.Run(space, X, 10.0 * X[:, 0] + X[:, 1], "minimize")


def test_a_narrower_space_the_fixed_rest_and_trials_worth_their_cost(tmp_path):
    run = narrow_run()
    page = page_of(run, tmp_path, "next")
    recommendation, subspace = hx.recommended_space(run), hx.subspace(run)
    assert recommendation.sentence in page.text
    assert subspace.sentence in page.text
    for _, row in recommendation.to_frame().iterrows():
        if row["kept"] < 1.0:
            assert row["reason"] in page.text
            assert row["after"] in page.text
    assert "Trials that would reduce the uncertainty of x1 most" in page.text
    assert " hyperparameter trial 1 trial 2 trial 3 x1 " in " ".join(page.text.split())
    tables = tables_of(page)
    names = ["recommended_space", "subspace", "experiments"]
    assert list(tables) == [f"{name}.{kind}" for name in names for kind in ("csv", "json")]
    experiments = tables["experiments.csv"].to_dict("records")
    assert len(experiments) == 3
    assert run.space.is_valid(run.space.encode(experiments)).all()


@pytest.mark.parametrize(
    ("objective", "text"), [([1.0, 1.0, 1.0], "constant"), ([1.0], "needs at least 2")]
)
def test_without_differences_there_is_nothing_to_do(objective, text, tmp_path):
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    X = np.linspace(0.0, 1.0, len(objective))[:, None]
    run = hx.Run(space, X, objective, "minimize")
    assert text in page_of(run, tmp_path, "next").text


def test_a_forest_proposes_no_experiments(tmp_path):
    space = hx.SearchSpace([hx.CategoricalParameter(f"c{j}", list("abcdef")) for j in range(6)])
    X = space.sample(60, seed=0)
    run = hx.Run(space, X, X[:, 0] + X[:, 1], "minimize")
    page = page_of(run, tmp_path, "next")
    assert run.surrogate().label == "a forest"
    assert "Trials that would reduce" not in page.text
    assert not page.misnested


def test_the_tables_of_a_section_are_those_of_its_result(tmp_path):
    run = run_of(10, proposals=range(7, 10))
    tables = tables_of(page_of(run, tmp_path, "importance", "path"))
    importance = hx.importance(run, order=2).to_frame()
    path = hx.desirability_path(run, progress=False).to_frame()
    for kind in ("csv", "json"):  # seven digits of each number
        found = tables[f"importance.{kind}"]["importance"]
        np.testing.assert_allclose(found, importance["importance"], rtol=1e-6)
        found = tables[f"path.{kind}"]["contribution"].astype(float)
        np.testing.assert_allclose(found, path["contribution"], rtol=1e-6)


def test_a_large_table_is_handed_over_once_and_estimates_of_it_are_shorter():
    values = np.random.default_rng(0).normal(size=4_000)
    frame = pd.DataFrame({"which": np.arange(4_000), "value": values})
    for table, precision in ((frame, 5e-7), (estimates(frame), 5e-5)):
        link = str(downloads("large", table))
        assert re.findall(r'download="([^"]*)"', link) == ["large.csv.gz"]
        packed = base64.b64decode(link.partition("base64,")[2].partition('"')[0])
        found = pd.read_csv(io.BytesIO(packed), compression="gzip", encoding="utf-8-sig")
        assert [*found["which"]] == [*range(4_000)]
        np.testing.assert_allclose(found["value"], values, rtol=precision)
    assert estimates(frame[:100]).equals(frame[:100])
