"""Reviews that come with the package: a rule about ratios, and a person at a terminal."""

import math
from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import AgreesWith, ask_in_terminal
from hpo_explain.base.errors import InputError

SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("a", 0.0, 1.0),
        hx.FloatParameter("b", 0.0, 1.0),
        hx.IntParameter("k", 1, 9),
        hx.CategoricalParameter("c", ["one", "two"]),
        hx.FloatParameter("d", 0.0, 1.0, active_when={"c": ["two"]}),
    ]
)


@pytest.fixture(scope="module")
def explained():
    """An explanation of a = 0.25, b = 0.5, k = 3, c = one, whose numbers are replaced."""
    X = SPACE.sample(8, seed=1)
    run = hx.Run(SPACE, X, X[:, 0] + X[:, 1], "minimize")
    config = {"a": 0.25, "b": 0.5, "k": 3, "c": "one"}
    return hx.explain_proposal(run, config, background=20)


@pytest.fixture
def with_contributions(explained):
    def made(**mean):
        """The explanation with these contributions to the mean, and others to the uncertainty."""
        phi = np.zeros((5, 2))
        for name, value in mean.items():
            phi[SPACE.index(name)] = value, 10.0
        return replace(explained, phi=phi)

    return made


# ---------------------------------------------------------------------- the paper's rule


@pytest.mark.parametrize(
    ("a", "b", "agrees"),
    [
        (3.0, 1.0, True),
        (6.0, 1.0, True),
        (6.1, 1.0, False),
        (1.5, 1.0, True),
        (1.4, 1.0, False),
        (-3.0, -1.0, True),  # only the ratio counts
        (-3.0, 1.0, False),
        (3.0, 0.0, False),
        (0.0, 0.0, True),
    ],
)
def test_a_ratio_may_differ_by_the_tolerance_at_most(with_contributions, a, b, agrees):
    rule = AgreesWith({"a": 3.0, "b": 1.0}, term="mean")
    explanation = with_contributions(a=a, b=b)
    assert (rule(explanation) is None) == agrees
    assert rule.contradictions(explanation) == (() if agrees else (("a", "b"),))
    scaled = AgreesWith({"b": 100.0, "a": 300.0}, term="mean")
    assert (scaled(explanation) is None) == agrees


def test_every_pair_is_compared_and_inactive_hyperparameters_are_passed_over(with_contributions):
    rule = AgreesWith({"a": 1.0, "b": 1.0, "k": 1.0, "d": 5.0}, tolerance=1.5, term="mean")
    explanation = with_contributions(a=1.0, b=1.2, k=1.6)
    assert rule.contradictions(explanation) == (("a", "k"),)


def test_the_contributions_to_the_whole_are_compared_by_default(with_contributions):
    explanation = with_contributions(a=8.0, b=-1.0)  # in total 18 and 9
    assert AgreesWith({"a": 2.0, "b": 1.0})(explanation) is None
    assert AgreesWith({"a": 2.0, "b": 1.0}, term="mean")(explanation) == "refuse"


def test_a_belief_may_depend_on_the_proposal_and_the_answer_too(with_contributions):
    rule = AgreesWith(
        lambda explanation: {"a": explanation.config["a"], "b": 1.0},
        term="mean",
        otherwise=lambda explanation: {"a": explanation.config["a"] / 2.0},
    )
    assert rule(with_contributions(a=1.0, b=4.0)) is None
    assert rule(with_contributions(a=4.0, b=1.0)) == {"a": pytest.approx(0.125)}


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        (({"a": 1.0},), "belief"),
        (("a > b",), "belief"),
        (({"a": 1.0, "b": math.nan},), "belief of b"),
        (({"a": 1.0, "b": 1.0}, 0.5), "tolerance"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_named(arguments, argument):
    with pytest.raises(InputError) as raised:
        AgreesWith(*arguments)
    assert raised.value.argument == argument


def test_unknown_names_are_named_when_a_proposal_is_seen(explained):
    with pytest.raises(InputError, match="'z'"):
        AgreesWith({"a": 1.0, "z": 1.0})(explained)
    with pytest.raises(InputError, match="'good'"):
        AgreesWith({"a": 1.0, "b": 1.0}, term="good")(explained)


# ---------------------------------------------------------------------- a person


def answering(monkeypatch, *lines):
    left = list(lines)
    monkeypatch.setattr("builtins.input", lambda prompt: left.pop(0))
    return left


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("", None),
        ("  ", None),
        ("r", "refuse"),
        ("Refuse", "refuse"),
        ("a=0.75", {"a": 0.75}),
        ("a = 0.75, k=4 , c = two,d=0", {"a": 0.75, "k": 4, "c": "two", "d": 0.0}),
        ("k=4.0", {"k": 4}),
    ],
)
def test_a_line_is_read_as_it_is_meant(explained, monkeypatch, capsys, line, answer):
    answering(monkeypatch, line)
    found = ask_in_terminal(explained)
    assert found == answer
    assert isinstance(found, dict) == isinstance(answer, dict)
    if isinstance(found, dict) and "k" in found:
        assert isinstance(found["k"], int)
    assert explained.sentence in capsys.readouterr().out


@pytest.mark.parametrize("line", ["yes", "a=2.0", "k=3.5", "c=three", "e=1", "a=much", "k=10"])
def test_what_cannot_be_read_is_asked_again(explained, monkeypatch, line):
    left = answering(monkeypatch, line, "a=0.5")
    assert ask_in_terminal(explained) == {"a": 0.5}
    assert not left


def test_bars_are_as_long_as_contributions_are_large(with_contributions, monkeypatch, capsys):
    answering(monkeypatch, "")
    ask_in_terminal(with_contributions(a=20.0, b=5.0, k=-16.0))  # in total 30, 15 and -6
    bars = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert [line.split()[0] for line in bars] == ["a", "b", "k", "c"]
    assert [(line.count("█"), line.count("░")) for line in bars] == [
        (30, 0), (15, 0), (0, 6), (0, 0),
    ]  # fmt: skip


def test_where_nobody_can_be_asked_there_is_no_answer(explained, monkeypatch):
    def closed(prompt):
        raise EOFError

    monkeypatch.setattr("builtins.input", closed)
    with pytest.raises(EOFError):
        ask_in_terminal(explained)
