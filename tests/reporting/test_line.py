"""A result in a few words: the preview of its section, and its line on a terminal."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.question import Question
from hpo_explain.reporting._sections import SHOWN
from tests.analytic import unit_cube
from tests.handmade import tuning_run

pytestmark = pytest.mark.usefixtures("few_draws")
MOST = 10  # words, the name of the section included


def constant():
    X = unit_cube(2).sample(12, seed=0)
    return hx.Run(unit_cube(2), X, np.full(12, 0.5), "minimize")


def noise():
    X = unit_cube(3).sample(30, seed=0)
    y = np.random.default_rng(1).normal(size=30)
    return hx.Run(unit_cube(3), X, y, "maximize", objective_name="accuracy")


def repeated():
    X = np.repeat(unit_cube(2).sample(15, seed=0), 2, axis=0)
    y = X[:, 0] + X[:, 1] * np.random.default_rng(0).normal(size=30)
    return hx.Run(unit_cube(2), X, y, "minimize", objective_name="loss")


@pytest.mark.merge
@pytest.mark.parametrize(
    "make",
    [
        tuning_run,
        constant,
        *(pytest.param(one, marks=pytest.mark.thorough) for one in (noise, repeated)),
    ],
)
def test_an_answer_has_a_whole_headline_of_a_few_words(make):
    question = Question(make())
    for method in SHOWN:
        try:
            headline = question.ask(method.function).headline
        except NothingToExplain:
            continue
        words = f"{method.called} {headline}".split()
        assert len(words) <= MOST, headline
        assert headline.endswith("."), headline
        assert "{" not in headline
