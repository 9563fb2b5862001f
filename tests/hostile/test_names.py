"""No character that is not seen, or that is obeyed, comes out of a name by any door."""

import json
import sys
import unicodedata

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.phrases import printable
from hpo_explain.catalog.methods import METHODS
from hpo_explain.draw.pages import plot_svg
from hpo_explain.mcp.answers import answer
from hpo_explain.mcp.places import Places
from hpo_explain.reporting import Report

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")
# Unicode 16, DerivedCoreProperties: Default_Ignorable_Code_Point
IGNORABLE = [
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
]
HIDDEN = "".join(chr(first) for first, _ in IGNORABLE if first != 0xFFF0)
HIDDEN += "\x00\x1b\x07\x7f\x85\x9b\u2028\u2029\u2800\U000e0041\U000e0101"


def is_hidden(character):
    number = ord(character)
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")
        or character == "\u2800"  # a blank
        or any(first <= number <= last for first, last in IGNORABLE)
    )


def hidden(text):
    return {ascii(one) for one in {*text} if is_hidden(one)} - {ascii("\n")}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x, chosen = rng.random(30), np.arange(30) % 2
    return pd.DataFrame(
        {
            f"n{HIDDEN}": x,
            f"c{HIDDEN}": np.where(chosen, f"a{HIDDEN}", "b"),
            f"loss{HIDDEN}": (x - 0.3) ** 2 + chosen,
        }
    )


@pytest.fixture(scope="module")
def run(table):
    return hx.from_frame(table, f"loss{HIDDEN}", "minimize", optimizer=f"GP{HIDDEN}", initial=5)


@pytest.mark.merge
def test_one_function_shows_them_all():
    for start in range(0, sys.maxunicode, 0x1000):
        every = "".join(map(chr, range(start, start + 0x1000)))
        assert not hidden(printable(every))
    # what is read by people stays
    for text in ("learning rate", "größe", "学習率", "שלום", "λ₁ ± 2 %", "🙂"):
        assert printable(text) == text


USUAL = ("summary", "importance", "explain_proposal", "advise")


@pytest.mark.parametrize(
    "method",
    [
        one if one.name in USUAL else pytest.param(one, marks=pytest.mark.thorough)
        for one in METHODS
    ],
    ids=lambda method: method.name,
)
def test_results_in_terminals_notebooks_and_figures(run, method):
    needed = {"name": f"n{HIDDEN}"} if method.name == "density_path" else {}
    runs = {f"one{HIDDEN}": run, "two": run}
    several = method.name == "compare"
    try:
        result = method.function(runs if several else run, **needed)
    except NothingToExplain as nothing:
        pytest.skip(printable(str(nothing)))
    shown = {
        "str": str(result),
        "repr": repr(result),
        "headline": result.headline,
        "html": result._repr_html_(),
        "svg": plot_svg(result.plot, alt="a figure"),
        "plotly": _texts(json.loads(result.to_plotly().to_json())),
    }
    left = {door: hidden(text) for door, text in shown.items()}
    assert {door: what for door, what in left.items() if what} == {}


def _texts(value):
    """All texts of a figure that plotly shows, which are not those of its data's types."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(map(_texts, value.values()))
    return "".join(map(_texts, value)) if isinstance(value, list) else ""


@pytest.mark.thorough
def test_several_objectives(table):
    names = [f"loss{HIDDEN}", f"other{HIDDEN}"]
    table = table.assign(**{names[1]: 1.0 - table[names[0]]})
    several = hx.summary(table, objective=names, directions=["minimize"] * 2)
    assert [*several.summaries]
    assert not hidden(f"{several} {several!r} {several.headline}")
    assert not hidden(several._repr_html_())


def test_runs_and_spaces(run):
    for one in (run, run.space):
        for text in (str(one), repr(one), one._repr_html_()):
            assert not hidden(text)


@pytest.mark.parametrize(
    "call",
    [
        lambda run: hx.partial_dependence(run, f"none{HIDDEN}"),
        lambda run: hx.importance(run, given={f"none{HIDDEN}": [1]}),
        lambda run: hx.explain_prediction(run, {f"c{HIDDEN}": HIDDEN}),
        lambda run: hx.history(f"nowhere{HIDDEN}.db"),
    ],
)
def test_errors(run, call):
    with pytest.raises(ValueError, match=r"\\u202a") as caught:
        call(run)
    assert not hidden(str(caught.value))


def test_a_page(run, tmp_path):
    parts = ["summary", "history", "importance"]
    report = Report.of({f"loss{HIDDEN}": run}, title=HIDDEN, sections=parts)
    path = report.write(tmp_path / "r.html")
    assert not hidden(path.read_text(encoding="utf-8"))


def test_a_server(table, tmp_path):
    table.to_csv(tmp_path / "run.csv", index=False)
    (tmp_path / "r\u202e.csv").write_text("a")
    places = Places.of([str(tmp_path)])
    given = {"study": "run.csv", "objective": f"loss{HIDDEN}"}
    for name in ("studies", "history", "importance", "nothing"):
        told = answer(places, name, {} if name == "studies" else given)
        assert not hidden(told.text)
        for text in _every_text(json.loads(told.text)) if not told.failed else ():
            assert not hidden(text)


def _every_text(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from (key, *_every_text(one))
    elif isinstance(value, list):
        for one in value:
            yield from _every_text(one)
