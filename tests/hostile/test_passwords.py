"""No door shows a password, wherever in an address it stands and whatever is wrong with it."""

import re

import pytest
import sqlalchemy
from click.testing import CliRunner

import hpo_explain as hx
from hpo_explain.adapters.addresses import shown_address, without_secrets
from hpo_explain.adapters.optuna import _databases
from hpo_explain.adapters.optuna.storage import load_study
from hpo_explain.catalog.methods import METHODS
from hpo_explain.cli import main
from hpo_explain.mcp.places import Places
from hpo_explain.mcp.tools import Tool

ADDRESSES = [
    "postgresql://me:sEcRet@localhost/trials",
    "postgresql://me:a@sEcRet@localhost/trials",
    "postgresql://me:a@sEcRet/x@localhost/trials",
    "postgresql://localhost/trials?user=me&password=sEcRet",
    "postgresql://localhost/trials?sslpassword=sEcRet",
    "postgresql://localhost/trials?sslmode=require&options=-csEcRet",
    " postgresql://me:sEcRet@localhost/trials",
    "postgresql://:sEcRet@localhost/trials",
    "mysql+pymysql://me:sEcRet%40x@localhost:3306/trials",
    "postgresql://me:sEcRet@localhost:port/trials",
    "nothing://me:sEcRet@localhost/trials",
    "postgresql:/me:sEcRet@localhost/trials",
    "me:sEcRet@localhost/trials",
    "sqlite:///none.db?password=sEcRet",
    "post gresql://me:sEcRet@localhost/trials",
]
SECRET = re.compile("secret", re.IGNORECASE)


@pytest.fixture(params=ADDRESSES, ids=lambda text: ADDRESSES.index(text))
def address(request, monkeypatch, tmp_path):
    """An address of a database whose driver quotes what it was called with."""
    monkeypatch.chdir(tmp_path)

    def refuse(url, **options):
        host = sqlalchemy.make_url(url.strip()).host
        text = f"cannot connect to {url!r} at host {host!r}\n{url}"
        raise sqlalchemy.exc.OperationalError(text, None, ValueError(url))

    monkeypatch.setattr(_databases, "TableStorage", refuse)
    return request.param


def test_an_address_that_is_shown(address):
    shown = shown_address(address)
    assert not SECRET.search(shown)
    assert shown_address(shown) == shown
    assert not SECRET.search(without_secrets(f"no {address}: {address!r}"))


@pytest.mark.parametrize(
    "place",
    [
        "study.db",
        "C:/runs/a.csv",
        "sqlite:///a@b.db",
        "sqlite:////tmp/a b.db?timeout=5",
        "postgresql+psycopg://me@host:5432/trials?sslmode=require",
        "mysql://me:***@host/trials",
    ],
)
def test_what_holds_no_secret_is_shown_as_it_is(place):
    assert shown_address(place) == place


@pytest.mark.parametrize("read", [hx.history, load_study])
def test_errors_in_python(address, read):
    with pytest.raises((ValueError, OSError)) as caught:
        read(address)
    assert not SECRET.search(str(caught.value))
    assert not SECRET.search(str(getattr(caught.value, "value", "")))


@pytest.mark.parametrize(
    "command",
    [
        ["history", "{}"],
        ["history", "{}", "--no-such-option"],
        ["history", "a.csv", "{}"],
        ["compare", "{}", "{}"],
        ["compare", "{}", "a.csv"],
        ["report", "{}"],
        ["watch", "{}"],
        ["{}"],
    ],
    ids=" ".join,
)
def test_the_command_line(address, command):
    done = CliRunner().invoke(main, [one.format(address) for one in command])
    assert done.exit_code in (1, 2)
    assert not SECRET.search(done.output), done.output


def test_what_tells_runs_apart_is_not_shown(monkeypatch):
    """Two databases of which only the passwords differ are two runs."""
    from hpo_explain.cli._source import Source, _by_label

    found = [Source(f"mysql://host/trials?password={word}") for word in ("sEcRet", "other_secret")]
    labels = _by_label(found)
    assert [*labels.values()] == found
    assert not any(map(SECRET.search, labels))


def test_the_server(address):
    if "://" in address:
        places = Places.of([address])
        assert not any(map(SECRET.search, places.addresses))
        (tool,) = (Tool(one) for one in METHODS if one.name == "history")
        for name in places.addresses:
            with pytest.raises((ValueError, OSError)) as caught:
                tool.answer(places, {"study": name})
            assert not SECRET.search(str(caught.value))
    else:
        with pytest.raises(ValueError, match="neither") as caught:
            Places.of([address])
        assert not SECRET.search(str(caught.value))
