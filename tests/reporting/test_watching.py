"""A report that follows a run, from Python: what the command does is in tests/cli/test_watch.py."""

import sys
from types import SimpleNamespace

import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.reporting import page, watching

pytestmark = pytest.mark.usefixtures("few_draws")
ROWS = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.7], "loss": [1.0, 9.0, 4.0, 2.0, 5.0]})


@pytest.fixture
def happen(monkeypatch):
    """What happens between the looks; then it is interrupted."""
    events, waited = [], []

    def pause(seconds):
        waited.append(seconds)
        if not events:
            raise KeyboardInterrupt
        events.pop(0)()

    monkeypatch.setattr(watching, "sleep", pause)
    monkeypatch.setattr(page, "SECTIONS", page.SECTIONS[2:3])
    return events, waited


def watched(path, out, **options):
    return hx.watch(str(path), out, every=7, objective="loss", direction="minimize", **options)


def test_the_report_has_the_trials_that_there_are_at_each_look(happen, tmp_path, caplog):
    events, waited = happen
    table, out = tmp_path / "t.csv", tmp_path / "r.html"
    ROWS[:3].to_csv(table, index=False)
    pages = []

    def note():
        pages.append(out.read_text(encoding="utf-8"))

    events += [note, lambda: ROWS.to_csv(table, index=False), note, table.unlink, note]
    assert watched(table, out) == out
    assert waited == [7] * 6
    first, second, last = pages
    assert "3 trials" in first
    assert "5 trials" in second
    assert last == second  # whatever happens to the run
    (record,) = caplog.records
    assert "The last report stays" in record.getMessage()
    assert 'name="version"' in second  # what an open page looks at


def test_a_notebook_shows_the_page_and_shows_it_anew(happen, tmp_path, monkeypatch):
    shown = []
    display = SimpleNamespace(
        display=lambda path, display_id: (
            shown.append(("shown", path._repr_html_()))
            or SimpleNamespace(update=lambda path: shown.append(("anew", path._repr_html_())))
        )
    )
    stream = type("Stream", (), {"__module__": "ipykernel.iostream"})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setattr(watching.sys, "stdout", stream())
    table = tmp_path / "t.csv"
    ROWS[:3].to_csv(table, index=False)
    happen[0].append(lambda: ROWS.to_csv(table, index=False))
    watched(table, tmp_path / "r.html")
    assert [how for how, _ in shown] == ["shown", "anew"]
    assert "3 trials" in shown[0][1]
    assert "5 trials" in shown[1][1]


def test_what_cannot_be_read_at_first_is_not_waited_for(happen, tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        watched(tmp_path / "nowhere.csv", tmp_path / "r.html")
    assert happen[1] == []
