"""What is asked twice is computed once, and never answered by what is no longer true."""

import gc

import numpy as np
import optuna
import pytest
from optuna.samplers import TPESampler
from sklearn.linear_model import LinearRegression

import hpo_explain as hx
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import fact
from hpo_explain.question import Question, answers, explains
from hpo_explain.question.answers import answers_about_trials, key_of
from tests.analytic import unit_cube

CALLS = []


@explains(of="surrogate")
def counted(question, *, option=None, n_jobs=1):
    """Count how often it is computed.

    Parameters
    ----------
    option : object, optional
        Anything.
    n_jobs : int, default 1
        Nothing depends on it.

    Returns
    -------
    int
        How often.
    """
    CALLS.append(option)
    if isinstance(option, str) and option == "nothing":
        raise NothingToExplain(fact("there is nothing"))
    return len(CALLS)


@explains(of="optimizer")
def by_the_optimizer(question):
    """Count how often it is computed.

    Returns
    -------
    int
        How often.
    """
    CALLS.append(None)
    return len(CALLS)


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def run_of(n=12, seed=0, **options):
    X = unit_cube(2).sample(n, seed=seed)
    return hx.Run(unit_cube(2), X, X[:, 0], "minimize", **options)


def study_of(n=6):
    study = optuna.create_study(sampler=TPESampler(seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n)
    return study


@pytest.mark.parametrize("option", [None, 1, "a", (1.0, 2.0), {"x": [1]}, np.arange(3.0)], ids=str)
def test_asked_twice_computed_once(option):
    question = Question(run_of())
    first = question.ask(counted, option=option)
    assert question.ask(counted, option=option, n_jobs=2) == first
    assert counted(question.run, option=option) == first
    assert len(CALLS) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"option": 1}, {"option": True}),
        ({"option": 1}, {"option": 1.0}),
        ({"option": [1]}, {"option": [2]}),
        ({"option": {"x": 1}}, {"option": {"y": 1}}),
        ({"option": np.zeros(2)}, {"option": np.zeros((2, 1))}),
        ({}, {"seed": 1}),
        ({}, {"kind": "forest"}),
    ],
    ids=str,
)
def test_another_question_has_another_answer(one, other):
    run = run_of()
    assert counted(run, **one) != counted(run, **other)


def test_a_wrong_seed_is_refused_before_anything_is_read_or_computed():
    for source in (run_of(), "no-such.db"):
        with pytest.raises(InputError, match=r"seed must be .* was \[1\]"):
            counted(source, seed=[1])
    assert not CALLS


def test_an_object_of_the_users_may_change_and_is_asked_anew():
    run, option = run_of(), object()
    assert counted(run, option=option) != counted(run, option=option)


def test_that_there_is_nothing_is_an_answer_too():
    for _ in range(2):
        with pytest.raises(NothingToExplain, match="there is nothing"):
            counted(run_of(), option="nothing")
    assert len(CALLS) == 1


def test_questions_about_the_same_trials_find_each_other():
    study = study_of()
    first = counted(study)
    assert counted(study) == counted(hx.from_optuna(study)) == first
    assert counted(run_of()) == counted(run_of()) != first
    assert counted(run_of(objective_name="loss")) != counted(run_of())
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), 1)
    assert counted(study) != first


def test_what_the_optimizer_knew_is_that_of_one_reading():
    run = hx.from_optuna(study_of())
    assert by_the_optimizer(run) == by_the_optimizer(run) == 1
    assert by_the_optimizer(hx.from_optuna(study_of())) == 2


def test_a_model_of_the_users_answers_each_time_it_is_given():
    run = run_of()
    model = LinearRegression().fit(run.X, run.objective)
    before = hx.importance(run, surrogate=model).share("x1")
    model.fit(run.X, run.X[:, 1])
    after = hx.importance(run, surrogate=model).share("x1")
    assert before > 0.9 > 0.1 > after


def test_answers_end_with_their_run_but_for_the_latest(monkeypatch):
    answers.forget()
    monkeypatch.setattr(answers, "_MOST", 5)
    run = run_of()
    for option in range(9):
        counted(run, option=option)
    assert len(answers_about_trials(run)._found) == 5
    for seed in range(1, 6):
        counted(run_of(seed=seed))
    del run
    gc.collect()
    assert len(answers._OF_TRIALS) == 3


@pytest.mark.merge
def test_one_of_several_has_its_own_answers():
    a, b = run_of(seed=1), run_of(seed=2)
    found = hx.summary({"a": a, "b": b})
    assert found.front is None
    assert [*found.summaries] == ["a", "b"]
    assert found.summaries["a"].lines == hx.summary(a).lines
    assert found.lines == (*hx.summary(a).lines, *hx.summary(b).lines)


@pytest.mark.merge
def test_several_objectives_are_summarized_front_first():
    run = run_of()
    size = hx.Run(run.space, run.X, -run.X[:, 0], "minimize", objective_name="size")
    found = hx.summary({"loss": run, "size": size})
    front = hx.pareto({"loss": run, "size": size})
    assert len(front.front) == len(run)  # each trial is better in one
    assert found.lines[0] == front.headline
    assert found.said.startswith(f"{front.headline}\n\nloss:\nBest ")
    assert found.to_frame().shape == (10, 3)
    assert found.plot().get_xlabel()


def test_a_key_is_of_values_and_refuses_objects():
    assert key_of(run_of().space) == key_of(run_of().space)
    assert key_of([None, {"a": (1, 2)}]) == key_of([None, {"a": (1, 2)}])
    with pytest.raises(TypeError, match="may change"):
        key_of([object()])


def test_an_option_of_single_runs_is_refused_for_several():
    runs = {"a": run_of(), "b": run_of(seed=1)}
    with pytest.raises(InputError, match="each has its own"):
        hx.methods.tunability(runs, {"x1": 0.1, "x2": 0.1}, before=3)
