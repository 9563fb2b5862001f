"""The first section of a report."""

import numpy as np

import hpo_explain as hx
from tests.reporting.pages import content_of


def test_names_that_differ_in_the_middle_are_told_apart():
    names = [f"model.encoder.block.{j}.attention.projection.dropout_probability" for j in range(3)]
    space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])
    X = space.sample(24, seed=0)
    run = hx.Run(space, X, X @ np.array([3.0, 2.5, 2.0]), "minimize", proposals=range(12, 24))
    body = str(content_of("short", run).body)
    bars = body[body.index("small-bars") : body.index("What to do next")]
    told = [row.split("</th>")[0] for row in bars.split('<th scope="row">')[1:]]
    assert len(told) == 3
    assert all("…" in name and len(name) <= 48 for name in told)
    assert sorted(str(j) for j in range(3) for name in told if f".{j}." in name) == ["0", "1", "2"]
