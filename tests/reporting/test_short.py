"""The first section of a report."""

import numpy as np
import optuna

import hpo_explain as hx
from hpo_explain.reporting import Context
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


def test_the_verdict_on_proposals_is_that_of_the_densities_that_chose_them():
    """As beside each trial: the surrogate's own may be another one."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(lambda trial: (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2, n_trials=16)
    context = Context(hx.from_optuna(study))
    beside = context.proposal("latest").verdict
    shown = context.trust_of_proposals.proposals
    assert (shown.level, shown.reasons) == (beside.level, beside.reasons)
    assert Context(run_of_surrogate()).trust_of_proposals is None


def run_of_surrogate():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    X = space.sample(12, seed=0)
    return hx.Run(space, X, X[:, 0], "minimize", proposals=range(6, 12))
