import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.explanations import Result
from tests.handmade import tuning_run

QUICK = {"grid_size": 4, "sample": 40}
RESULTS = {
    "proposal": lambda run: hx.explain_proposal(run, background=40),
    "path": lambda run: hx.desirability_path(run, [17, 18], background=40, progress=False),
    "importance": lambda run: hx.importance(run, 2, n_trees=8),
    "marginal": lambda run: hx.importance(run, n_trees=8).marginal("lr"),
    "subspace": lambda run: hx.importance(run, n_trees=8).subspace(),
    "recommendation": lambda run: hx.importance(run, n_trees=8).recommended_space(),
    "effect": lambda run: hx.partial_dependence(run, "lr", **QUICK),
    "regions": lambda run: hx.regional_partial_dependence(run, "lr", max_depth=1, **QUICK),
    "ablation": lambda run: hx.ablation(run),
    "local importance": lambda run: hx.local_importance(run),
    "lime": lambda run: hx.lime(run, sample=100),
    "interactions": lambda run: hx.interactions(run, sample=10),
    "prediction": lambda run: hx.explain_prediction(run, background=40),
    "predictions": lambda run: hx.explain_predictions(run, [1, 2], background=40),
}


@pytest.fixture(scope="module")
def run():
    return tuning_run(20)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_printed_as_its_sentence_and_its_table(name, run):
    result = RESULTS[name](run)
    assert isinstance(result, Result)
    text, frame = str(result), result.to_frame()
    sentence, blank, *table = text.split("\n")
    assert sentence == result.sentence
    assert blank == ""
    told = frame.loc[:, frame.notna().any()]
    assert all(str(column) in table[0] for column in told.columns)
    assert len(table) >= min(len(frame), 30)
    assert repr(result) == f"<{type(result).__name__}: {result.sentence}>"


def test_a_long_table_is_cut(run):
    long = hx.partial_dependence(run, "lr", grid_size=100, sample=20)
    assert len(str(long).split("\n")) < 45
    assert "..." in str(long)
    assert np.isfinite(long.mean).all()
