"""A section of the report is what its function answers with its own defaults."""

import math
from functools import partial

import optuna
import pytest
from optuna.samplers import NSGAIISampler, TPESampler

import hpo_explain as hx
from hpo_explain.adapters.sources import as_runs
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.catalog.methods import METHODS
from hpo_explain.question import answers
from hpo_explain.reporting import SECTIONS, Report, Status
from hpo_explain.reporting.panel import WHAT_IF

pytestmark = pytest.mark.usefixtures("empty_figures", "few_draws", "quiet_optuna")


def single():
    """A study of one objective, in which two of three hyperparameters act together."""

    def objective(trial):
        x, y, z = (trial.suggest_float(name, 0.0, 1.0) for name in "xyz")
        return (x - 0.3) ** 2 + 2.0 * x * y + 0.1 * z

    study = optuna.create_study(sampler=TPESampler(seed=1))
    study.optimize(objective, n_trials=16)
    return study


def conditional():
    """A study with a hyperparameter that is active in a branch only, and trials that fail."""

    def objective(trial):
        kernel = trial.suggest_categorical("kernel", ["linear", "rbf"])
        C = trial.suggest_float("C", 1e-2, 1e2, log=True)
        loss = 0.1 * abs(math.log10(C))
        if kernel == "linear":
            return loss + 0.6
        gamma = trial.suggest_float("gamma", 1e-3, 1e1, log=True)
        if gamma > 5.0 or trial.number % 9 == 5:
            raise ValueError("this one fails")
        return loss + abs(math.log10(gamma) + 1.0) / 3.0

    study = optuna.create_study(sampler=TPESampler(seed=2))
    study.optimize(objective, n_trials=18, catch=(ValueError,))
    return study


def two():
    """A study of two objectives."""

    def objective(trial):
        width, rate = (trial.suggest_float(n, 0.0, 1.0) for n in ("w", "l"))
        return (1.0 - width) ** 2 + (rate - 0.5) ** 2, width + 0.1 * rate

    sampler = NSGAIISampler(seed=3, population_size=10)
    study = optuna.create_study(directions=["minimize"] * 2, sampler=sampler)
    study.optimize(objective, n_trials=14)
    return study


FUNCTIONS = {method.called: method.function for method in METHODS}


@pytest.mark.merge
@pytest.mark.parametrize(
    "study", [single, conditional, pytest.param(two, marks=pytest.mark.thorough)]
)
def test_every_section_is_what_its_function_answers(study, pytestconfig):
    source = study()
    runs = as_runs(source)
    report = Report.of(runs)
    named = {tab.name: tab.cards for tab in report.tabs}
    found = [hx.pareto(source).sentence] if len(runs) > 1 else []
    assert [card.finding for card in report.joint] == found
    if study is single or pytestconfig.getoption("--thorough"):
        answers.forget()  # what a function answers by itself
    for name, cards in named.items():
        shown = {card.title: card for card in cards}
        for section in SECTIONS:
            if section is WHAT_IF:
                continue
            function = FUNCTIONS[section.name]
            if section.name == "importance":  # it has pairs
                function = partial(function, order=2)
            card = shown.get(section.title)
            if not section.concerns(runs[name]):
                assert card is None
                continue
            try:
                result = function(runs[name])
            except NothingToExplain:
                assert card is None
                continue
            assert card.status is Status.SHOWN
            assert (section.name, card.finding) == (section.name, result.sentence)
            assert card.headline == result.headline
