"""An assistant asks the server as the SDK's own client does: over stdin and stdout."""

import base64
import inspect
import json
import os
import shutil
import sys

import anyio
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters.sources import as_run
from hpo_explain.base.errors import InputError
from hpo_explain.catalog.methods import METHODS
from hpo_explain.mcp.answers import TOOLS
from hpo_explain.mcp.places import Places
from tests.cli.conftest import tuned  # noqa: F401

pytestmark = pytest.mark.merge

pytest.importorskip("mcp")

ASKED = {
    "studies": ("studies", {}),
    "importance": ("importance", {"study": "first.db", "figure": True}),
    "of a table": ("history", {"study": "inside/t.csv", "objective": "loss"}),
    "several": ("compare", {"studies": ["first.db", "second.db"]}),
    "an address": ("history", {"study": "sqlite:///first.db", "study_name": "first"}),
    "a whole number": ("optimum", {"study": "first.db", "more": 10.0, "objective": None}),
    "outside": ("history", {"study": "../secret.db"}),
    "absolute": ("history", {"study": "/etc/passwd"}),
    "linked": ("history", {"study": "linked.db"}),
    "no study": ("history", {}),
    "misspelled": ("importance", {"study": "first.db", "tpo": 0.1}),
    "wrong value": ("importance", {"study": "first.db", "top": 7}),
    "a pickle": ("history", {"study": "result.pkl"}),
    "no option": ("history", {"study": "first.db", "trust_pickle": True}),
    "no tool": ("publish", {"study": "first.db"}),
    "still there": ("history", {"study": "first.db"}),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory, tuned):  # noqa: F811
    """A folder of studies beside one that is nobody's business."""
    outside = tmp_path_factory.mktemp("outside")
    folder = outside / "studies"
    (folder / "inside").mkdir(parents=True)
    for name in ("first.db", "second.db", "../secret.db"):
        shutil.copy(tuned, folder / name)
    frame = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "loss": [1.0, 9.0, 4.0, 2.0]})
    frame.to_csv(folder / "inside" / "t.csv", index=False)
    frame.to_pickle(folder / "result.pkl")
    (folder / "linked.db").symlink_to(outside / "secret.db")
    (folder / "notes.md").write_text("no study", encoding="utf-8")
    return folder


def asked(place, calls):
    """The tools of a server in a process of its own, and what it answers to calls by their name."""
    from mcp import Client, StdioServerParameters, stdio_client

    code = "from hpo_explain.cli import main; main()"
    started = StdioServerParameters(
        command=sys.executable, args=["-c", code, "mcp", str(place)], env={**os.environ}
    )

    async def ask():
        async with Client(stdio_client(started)) as client:
            tools = (await client.list_tools()).tools
            found = {key: await client.call_tool(*call) for key, call in calls.items()}
            return {tool.name: tool for tool in tools}, found

    return anyio.run(ask)


@pytest.fixture(scope="module")
def answers(place):
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    found = asked(place, ASKED)
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before  # only read
    return found


# ---------------------------------------------------------------------- over stdio


def test_every_method_is_a_tool_that_says_what_it_takes(answers):
    tools, _ = answers
    for_assistants = [one for one in METHODS if one.for_assistants]
    assert {*tools} == {"studies", *(one.name for one in for_assistants)}
    for method in for_assistants:
        tool, taken = (tools[method.name], tools[method.name].input_schema["properties"])
        assert method.asks in tool.description
        assert tool.annotations.read_only_hint
        own = [
            p.name
            for p in [*inspect.signature(method.function).parameters.values()][1:]
            if p.kind is not p.VAR_KEYWORD and p.name != "surrogate"
        ]
        assert {*own} - {"n_jobs", "progress"} == {*taken} & {*own}
        said = tools["studies"].description
        assert all(
            f"{name}: " in said or f"{name}, " in said or one["description"]
            for name, one in taken.items()
        )


def test_all_schemas_together_are_short(answers):
    listed = [
        one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in answers[0].values()
    ]
    assert len(json.dumps({"tools": listed})) <= 25_000


def test_what_may_be_opened_is_listed_with_the_studies_in_it(answers):
    assert said_in(answers[1]["studies"]) == {
        "studies": [
            {"study": "first.db", "study_names": ["first"]},
            {"study": "inside/t.csv"},
            {"study": "second.db", "study_names": ["first"]},
        ]
    }


def said_in(told):
    """The one answer to a call: every assistant shows text to its model, none shows it twice."""
    assert not told.is_error, told.content
    assert told.structured_content is None
    (text,) = [part.text for part in told.content if part.type == "text"]
    return json.loads(text)


def test_an_answer_is_the_sentence_the_claims_and_the_figure(answers, place):
    told = answers[1]["importance"]
    found = hx.importance(as_run(str(place / "first.db")))
    said = said_in(told)
    assert said["sentence"] == found.said
    for claim, there in zip(said["claims"], found.claims, strict=True):
        assert claim["hyperparameters"] == [*there.hyperparameters]
        assert claim["estimate"] == pytest.approx(there.estimate, rel=1e-12)
        assert claim["interval"] == pytest.approx(there.interval, rel=1e-12)
        assert claim["certain"] == there.certain
        assert claim["because"] == [str(reason) for reason in there.because]
        assert "text" not in claim  # the sentence holds it
    _, figure = told.content
    assert figure.mime_type == "image/png"
    assert base64.b64decode(figure.data).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "key", ["of a table", "several", "an address", "a whole number", "still there"]
)
def test_tables_several_studies_and_addresses_are_answered(answers, key):
    told = answers[1][key]
    assert said_in(told)["claims"]
    assert len(told.content) == 1  # no figure that was not asked for


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("outside", ["not started with", "'first.db'", "start it with"]),
        ("absolute", ["not started with"]),
        ("linked", ["not started with"]),
        ("no study", ["study is missing", "studies"]),
        ("misspelled", ["'tpo' is unknown", "Did you mean 'top'?"]),
        ("wrong value", ["top must lie between 0 and 1"]),
        ("a pickle", ["not started with"]),
        ("no option", ["'trust_pickle' is unknown"]),
        ("no tool", ["no tool 'publish'", "importance"]),
    ],
)
def test_what_cannot_be_answered_is_an_error_with_the_remedy(answers, key, words):
    told = answers[1][key]
    assert told.is_error
    (text,) = [part.text for part in told.content]
    assert [word for word in words if word not in text] == []
    assert "Traceback" not in text


@pytest.mark.thorough
def test_every_tool_answers(place):
    calls = {}
    for tool in TOOLS.values():
        method, taken = tool.method, tool.takes
        given = {"study": "first.db", "studies": ["first.db", "second.db"], "name": "x"}
        given = {name: given[name] for name in taken["required"]}
        calls[method.name] = (method.name, given)
    _, found = asked(place, calls)
    failed = {name: told.content[0].text for name, told in found.items() if told.is_error}
    assert not any("This is a defect" in text for text in failed.values()), failed
    assert len(found) - len(failed) > 15, failed


# ---------------------------------------------------------------------- what may be opened


def test_passwords_are_not_shown_and_addresses_are_opened_by_what_is(tmp_path):
    places = Places.of(["mysql://me:secret@host/trials"])
    assert [*places.addresses] == ["mysql://me:***@host/trials"]
    assert places.opened("mysql://me:***@host/trials") == "mysql://me:secret@host/trials"
    for other in ("mysql://me:secret@host/trials", "mysql://me:***@host/other", ""):
        with pytest.raises(InputError, match="not started with"):
            places.opened(other)


def test_a_server_is_started_with_places_that_exist(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="neither a folder, a file nor an address"):
        Places.of(["nope.db"])
    (tmp_path / "result.pkl").write_bytes(b"\x80\x04N.")
    with pytest.raises(InputError, match="is a pickle"):
        Places.of(["result.pkl"])
    (tmp_path / ".hidden").write_bytes(b"SQLite format 3\x00")
    assert Places.of(["."]).listed() == []
