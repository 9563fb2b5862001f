"""The table of questions: its functions exist, and the README has the same rows."""

import hpo_explain as hx
from hpo_explain.wording.guide import QUESTIONS
from tests.source_tree import ROOT


def test_every_question_is_answered_by_a_public_function():
    for question in QUESTIONS:
        assert callable(getattr(hx, question.function))
        assert question.asks.endswith("?")
        assert not question.limitations.endswith(".")
    functions = [question.function for question in QUESTIONS]
    assert len(set(functions)) == len(functions)


def test_the_readme_has_the_same_table():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| question | function | limitations |\n|---|---|---|\n")[2]
    rows = table.partition("\n\n")[0].splitlines()
    assert rows == [f"| {q.asks} | `hx.{q.function}` | {q.limitations} |" for q in QUESTIONS]


def test_the_guide_prints_every_question(capsys):
    hx.guide()
    printed = capsys.readouterr().out
    assert all(len(line) <= 88 for line in printed.splitlines())
    told = " ".join(printed.split())
    for question in QUESTIONS:
        assert f"{question.asks} hx.{question.function} Limitations: {question.limitations}" in told
