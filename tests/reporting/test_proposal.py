"""The report compares TPE's proposals with the search space and with TPE's own candidates."""

import math
import re

import optuna
import pytest
from optuna.samplers import RandomSampler, TPESampler

import hpo_explain as hx
from tests.reporting.pages import content_of

pytestmark = pytest.mark.usefixtures("empty_figures")


def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    return (x - 0.3) ** 2 + 0.1 * (trial.suggest_categorical("c", ["a", "b"]) == "b")


@pytest.fixture(autouse=True)
def quiet():
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(verbosity)


def section_of(sampler):
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=14)
    run = hx.from_optuna(study)
    return run, " ".join(content_of("best", run).body.split())


def test_both_backgrounds_are_shown_with_the_reason():
    run, text = section_of(TPESampler(seed=0))
    assert "A uniform background therefore flatters every proposal" in text
    assert "Where good trials were, and where the others, when this was proposed." in text
    payouts = [
        hx.explain_proposal(run, "best", background=background, precision=0.05).payout["total"]
        for background in ("auto", "candidates")
    ]
    told = re.search(
        r"the contributions add up to (\S+), against TPE's own candidates ([+−][\d.]+\d)", text
    )
    shown = [float(number.replace("−", "-")) for number in told.groups()]
    # to three digits of the larger
    last_digit = 10.0 ** (math.floor(math.log10(max(map(abs, payouts)))) - 2)
    assert shown == pytest.approx(payouts, abs=0.5001 * last_digit)


def test_without_candidates_there_is_nothing_to_add():
    _, text = section_of(RandomSampler(seed=0))
    assert "flatters" not in text
    assert "no acquisition function chose this" in text
