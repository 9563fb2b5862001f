"""No character of a name that turns a text around, or that no one sees, is in a page."""

import unicodedata

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.reporting import Report
from tests.handmade import Page

CONTROLS = "\x00\x1b[31m\x07\x7f\x9b\x85\u2028\u2029\u202a\u202e\u2066\u2069"
BRIEF = ("summary", "history", "trust", "explain-proposal")


def nasty_run(objective="loss"):
    number, category, loss = (f"n{CONTROLS}", f"c{CONTROLS}", f"{objective}{CONTROLS}")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({number: rng.uniform(size=14), category: [f"a{CONTROLS}", "b"] * 7})
    table[loss] = table[number] + (table[category] == "b")
    table.loc[3, loss] = np.nan
    return hx.from_frame(table, loss, "minimize", optimizer=f"GP{CONTROLS}", initial=5)


def hidden(text):
    """Characters that are not shown, or move those beside them."""
    return {
        c
        for c in text
        if unicodedata.category(c) in ("Cc", "Zl", "Zp")
        or unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "PDI")
    } - {"\n"}


@pytest.mark.merge
@pytest.mark.parametrize(
    "sections", [BRIEF, pytest.param(None, marks=pytest.mark.thorough)], ids=["brief", "all"]
)
def test_a_page_shows_such_characters_of_names_and_holds_none(tmp_path, sections):
    run = nasty_run()
    report = Report.of({f"loss{CONTROLS}": run}, title=f"My{CONTROLS}", sections=sections)
    assert [card.name for card in report.cards if card.status.value == "failed"] == []
    html = report.write(tmp_path / "r.html").read_text(encoding="utf-8")
    assert not hidden(html)
    shown = r"\x00\x1b[31m\x07\x7f\x9b\x85\u2028\u2029\u202a\u202e\u2066\u2069"
    assert f"<h1>My{shown}</h1>" in html
    assert f"n{shown}" in Page(html).text


def test_a_page_hands_its_script_names_that_show_such_characters():
    from hpo_explain.reporting.trials import as_json

    assert as_json({"a\x9b": ["\x1b\u202e", 1.0, None]}) == r'{"a\\x9b":["\\x1b\\u202e",1.0,null]}'
