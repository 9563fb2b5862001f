"""What an assistant's server opens is what it lists, and no call keeps it busy for ever."""

import pytest

from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import printable
from hpo_explain.catalog.methods import METHODS
from hpo_explain.mcp.places import Places
from hpo_explain.mcp.tools import Tool

TOOLS = {method.name: Tool(method) for method in METHODS}


@pytest.fixture
def places(tmp_path):
    table = "x,loss\n0.1,1.0\n0.5,3.0\n0.9,4.0\n0.7,3.5\n"
    for name in ("run.csv", ".env", ".hidden/run.csv", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{table}TOKEN=sEcRet,1\n")
    return Places.of([str(tmp_path)])


def test_what_is_opened_is_what_is_listed(places):
    assert places.names() == ["run.csv"]
    for name in (".env", "notes.md", ".hidden/run.csv", "./run.csv", "."):
        with pytest.raises(InputError, match="not started with") as caught:
            TOOLS["history"].answer(places, {"study": name})
        assert "sEcRet" not in str(caught.value)


@pytest.mark.parametrize(
    ("tool", "option", "value", "words"),
    [
        ("optimum", "more", 10**30, "at most"),
        ("importance", "n_trees", 10**8, "."),
        ("optimum", "more", "20", "type"),
        ("importance", "top", "x", "."),
        ("history", "figure", 5, "type boolean"),
        ("history", "study", "x" * 50_000_000, r"\.\.\."),
        ("history", "study", 5, "type string"),
    ],
)
def test_values_that_no_call_may_have(places, tool, option, value, words):
    given = {"study": "run.csv", "objective": "loss", option: value}
    with pytest.raises(InputError, match=words) as caught:
        TOOLS[tool].answer(places, given)
    assert len(str(caught.value)) < 2_000


@pytest.mark.parametrize(
    "character",
    ["\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\U000e0041"],
)
def test_characters_that_are_not_seen_are_shown(character):
    shown = printable(f"a{character}b")
    assert shown.isascii()
    assert shown.startswith("a\\")
