"""Trust in what TPE saw: are its densities more than chance?"""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.diagnostics._narrow import trust_of_densities
from hpo_explain.models.densities.kernels import NumericKernels
from hpo_explain.models.densities.mixture import Group, ProductMixture
from hpo_explain.models.densities.ratio import DensityBlock, DensityRatio

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])


def mixture(x):
    """A kernel for each trial, and that of the prior."""
    mu, sigma = np.append(x, 0.5), np.append(np.full(len(x), 0.2), 1.0)
    kernels = NumericKernels(mu, sigma, 0.0, 1.0, 0.0, 1.0)
    return ProductMixture(np.full(len(mu), 1.0 / len(mu)), (kernels,))


def ratio_of(x, cost, n_good=6):
    order = np.argsort(cost)
    good, bad = np.sort(order[:n_good]), np.sort(order[n_good:])
    return DensityRatio(
        SPACE,
        [DensityBlock((0,), mixture(x[good]), mixture(x[bad]))],
        good=Group(x[good, None], cost[good]),
        bad=Group(x[bad, None], cost[bad]),
    )


def study_of(objective, seed, n=60):
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=n)
    return study


def test_densities_of_a_draw_are_those_of_its_kernels_as_often_as_drawn():
    rng = np.random.default_rng(3)
    x, cost = rng.random(20), rng.random(20)
    ratio = ratio_of(x, cost)
    draws = ratio.bootstrap(3, seed=7)
    assert draws.trials == 20
    (block,) = ratio.blocks
    rows = np.concatenate([block.good.kernels[0].mu[:-1], block.bad.kernels[0].mu[:-1]])
    again = np.random.default_rng(7)
    for left in draws.left:
        drawn = [again.choice(np.arange(6), 6), again.choice(np.arange(6, 20), 14)]
        out = np.setdiff1d(np.arange(20), np.concatenate(drawn))
        alone = [
            mixture(np.repeat(rows[part], 1)) for part in drawn
        ]  # a trial drawn twice has two kernels
        utility = sum(
            DensityRatio(SPACE, [DensityBlock((0,), *alone)]).terms(rows[out, None]).values()
        )
        np.testing.assert_allclose(left.utility, utility)
        place = [int(np.flatnonzero(x == value)[0]) for value in rows[out]]
        np.testing.assert_array_equal(left.cost, cost[place])


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_not_trusted(seed):
    rng = np.random.default_rng(seed)
    study = study_of(lambda trial: trial.suggest_float("x", 0, 1) * 0.0 + rng.normal(), seed)
    explanation = hx.explain_proposal(study, 59, background=30)
    assert explanation.verdict.level == "poor"
    assert explanation.trust.level == "unknown"  # there is no model of the objective


@pytest.mark.parametrize("seed", range(2))
def test_densities_that_find_what_is_good_are_trusted(seed):
    rng = np.random.default_rng(seed)
    x = rng.random(60)
    verdict = trust_of_densities(ratio_of(x, (x - 0.3) ** 2, n_good=10)).proposals
    assert verdict.level == "good"
    assert [reason.kind for reason in verdict.reasons] == ["trust_densities"]
    mixed = trust_of_densities(ratio_of(x, rng.permutation((x - 0.3) ** 2), n_good=10))
    assert mixed.proposals.level == "poor"


def test_what_cannot_be_drawn_again_is_unknown():
    x = np.linspace(0.0, 1.0, 20)
    ratio = ratio_of(x, x)
    without = DensityRatio(SPACE, ratio.blocks)
    assert trust_of_densities(without).proposals.level == "unknown"
    others = Group(x[:3, None], x[:3])  # not those of the kernels
    assert DensityRatio(SPACE, ratio.blocks, good=others, bad=others).bootstrap(5) is None
    nobody = ratio_of(x, x)
    nobody._good, nobody._bad = (Group(g.rows, np.full(len(g), np.nan)) for g in (others, others))
    assert trust_of_densities(nobody).proposals.level == "unknown"
    assert trust_of_densities(hx.LowerConfidenceBound(object())) is None


def test_optunas_trials_are_those_of_its_kernels():
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["a", "b"])
        rate = trial.suggest_float("rate", 1e-3, 1.0, log=True)
        deep = trial.suggest_int("depth", 1, 9) if kind == "b" else 0
        return np.log(rate) ** 2 + deep

    study = study_of(objective, 0, n=40)
    run = hx.from_optuna(study)
    ratio = run.own_acquisition(None).acquisition
    draws = ratio.bootstrap(2)
    assert draws.trials == 40
    for block in ratio.blocks:
        for group, density in ((ratio._good, block.good), (ratio._bad, block.bad)):
            rows = group.rows[:, list(block.columns)]
            rows = rows[~np.isnan(rows).any(axis=1)]
            for j, column, kernels in zip(block.columns, rows.T, density.kernels, strict=True):
                parameter = run.space.parameters[j]
                if parameter.name == "kind":
                    centres = kernels.weights.argmax(axis=1)[: len(column)]
                    np.testing.assert_array_equal(centres, column)
                else:
                    values = np.array(parameter.decode(column), dtype=float)
                    values = np.log(values) if parameter.name == "rate" else values
                    np.testing.assert_allclose(kernels.mu[: len(column)], values)
