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
from tests.methods.test_desirability_path import run_of
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


def test_a_narrower_space_and_the_fixed_rest_are_sections_with_their_tables(tmp_path):
    run = narrow_run()
    page = page_of(run, tmp_path, "recommended-space", "subspace")
    recommendation, subspace = hx.recommended_space(run), hx.subspace(run)
    assert recommendation.sentence in page.text
    assert subspace.sentence in page.text
    tables = tables_of(page)
    names = ["recommended_space", "subspace"]
    assert list(tables) == [f"{name}.{kind}" for name in names for kind in ("csv", "json")]
    assert tables["recommended_space.csv"]["reason"].tolist() == [
        str(row.reason) for row in recommendation.rows
    ]


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
