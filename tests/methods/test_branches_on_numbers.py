"""An objective that branches on a real number: ``if c < 0.5: x ... else: y ...``.

In the first branch the objective is (x - 0.3)², in the second 1 + (y - 0.3)², each with the
variance v = (0.7⁵ + 0.3⁵) / 5 - (1/3 - 0.3 + 0.09)². Over the product measure of c, x and y

    V_c = 1/4,  V_x = V_y = v/4,  V_cx = V_cy = v/4,  V = 1/4 + v.
"""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain

WITHIN = (0.7**5 + 0.3**5) / 5 - (1 / 3 - 0.3 + 0.09) ** 2
WHOLE = 0.25 + WITHIN
SHARES = {
    ("c",): 0.25 / WHOLE,
    ("x",): 0.25 * WITHIN / WHOLE,
    ("y",): 0.25 * WITHIN / WHOLE,
    ("c", "x"): 0.25 * WITHIN / WHOLE,
    ("c", "y"): 0.25 * WITHIN / WHOLE,
}


def branching(trial):
    if trial.suggest_float("c", 0.0, 1.0) < 0.5:
        return (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2
    return 1.0 + (trial.suggest_float("y", 0.0, 1.0) - 0.3) ** 2


SAMPLERS = {
    "random": optuna.samplers.RandomSampler(seed=0),
    "tpe": optuna.samplers.TPESampler(seed=0),
}


@pytest.fixture(scope="module", params=["tpe", pytest.param("random", marks=pytest.mark.thorough)])
def study(request):
    study = optuna.create_study(sampler=SAMPLERS[request.param])
    study.optimize(branching, 100)
    return study


def test_shares_of_a_branch_are_those_of_the_closed_form(study):
    found = hx.importance(study, order=2)
    for members, share in SHARES.items():
        assert found.share(*members) == pytest.approx(share, abs=0.03)


def test_shares_of_a_branch_by_a_forest_are_those_of_the_closed_form(study):
    found = hx.importance(study, kind="forest")
    assert found.share("c") == pytest.approx(SHARES["c",], abs=0.1)


@pytest.mark.merge
def test_what_is_proposed_in_a_branch_is_what_is_active_there(study):
    space = hx.from_optuna(study).space
    configs = [hx.optimum(study).config, hx.optimum(study).incumbent]
    configs += [
        dict(zip(action.hyperparameters, action.values, strict=True))
        for action in hx.advise(study).actions
        if action.kind in ("keep", "try")
    ]
    assert len(configs) > 2
    for config in configs:
        assert {*config} == ({"c", "x"} if config["c"] < 0.5 else {"c", "y"})
        assert space.is_valid(space.encode(config)).all()


def test_the_space_that_is_recommended_leaves_the_worse_branch_out(study):
    space = hx.recommended_space(study, lose=0.5).space
    assert space["c"].high <= 0.6
    branches = {"x", "y"} if space["c"].high > 0.5 else {"x"}
    assert {*space.names} == {*space.to_optuna()} == {"c"} | branches


@pytest.mark.merge
def test_effects_in_a_branch_are_those_where_it_is_taken(study):
    along_c = hx.partial_dependence(study, "c")
    grid, mean = np.asarray(along_c.grid, float), along_c.mean
    step = np.where(grid < 0.5, 0.0, 1.0) + 1 / 3 - 0.3 + 0.09
    beside = np.abs(grid - 0.5) > 0.05
    np.testing.assert_allclose(mean[beside], step[beside], atol=0.1)
    along_x = hx.partial_dependence(study, "x")
    curve = (np.asarray(along_x.grid, float) - 0.3) ** 2
    np.testing.assert_allclose(along_x.mean, curve, atol=0.1)
    with pytest.raises(NothingToExplain, match=r"x when c < 0\.5, y when c >= 0\.5"):
        hx.partial_dependence(study, ["x", "y"])


@pytest.mark.usefixtures("few_draws_here", "empty_figures_here")
def test_the_page_tells_the_branch(study, tmp_path):
    page = tmp_path / "report.html"
    asked = ["importance", "what-if"]
    hx.report(study, page, sections=asked, progress=False)
    assert "active when c &lt; 0.5" in page.read_text()
