"""What a run rests on is told on stderr, in a few lines, and never on stdout."""

import json

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
import hpo_explain.adapters.frame
from hpo_explain.base.facts import fact
from hpo_explain.cli._reading import summary

CHOSEN = {
    "importance": ["--json"],
    "explain-proposal": ["--json", "--acquisition", "lcb", "--optimizer", "Ax"],
    "partial-dependence": ["x", "--kind", "accumulated", "--json"],
}


@pytest.fixture
def table(folder):
    """Forty rows; fourteen have no objective, seven an infinite one."""
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "lr": 10 ** generator.uniform(-5, -1, 40),
            "x": generator.uniform(0, 1, 40),
            "kernel": generator.choice(["rbf", "poly"], 40),
        }
    )
    frame["degree"] = np.where(frame.kernel == "poly", generator.integers(1, 9, 40), np.nan)
    frame["name"] = [f"trial {i}" for i in range(40)]
    frame["auc"] = frame.x
    frame.loc[:13, "auc"], frame.loc[14:20, "auc"] = np.nan, np.inf
    frame.to_csv("trials.csv", index=False)
    return frame


@pytest.mark.parametrize("command", CHOSEN)
def test_what_was_left_out_and_assumed_is_on_stderr(table, run, command):
    file, *options = "trials.csv", *CHOSEN[command]
    chosen = ["--hyperparameters", "lr,x,kernel,degree"]
    outcome = run(command, file, "--objective", "auc", *options, *chosen)
    assert outcome.exit_code == 0, outcome.output
    lines = outcome.stderr.splitlines()
    by = "Ax" if "Ax" in options else "the optimizer"
    assert lines[:4] == [
        "reading trials.csv ...",
        f"19 trials of 4 hyperparameters, auc (maximize), by {by}",
        "left out: 14 (0-13): its auc is nan",
        "left out: 7 (14-20): its auc is inf",
    ]
    for assumed in (
        "note: lr: spread evenly",
        "note: degree: active when kernel",
        "note: columns: hyperparameters are ",
    ):
        assert any(line.startswith(assumed) for line in lines)
    assert "left out: " not in outcome.stdout
    if "json" in options:
        json.loads(outcome.stdout)


def test_many_reasons_and_notes_are_cut_short_after_those_that_matter():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    excluded = {100 + i: f"it failed: {i}" for i in range(9)} | {200: "pruned", 201: "pruned"}
    notes = [f"y{i}: whole numbers, read as integers" for i in range(20)]
    notes += [fact("c: left out, as the column is empty", role="check"), "l" * 1000]
    found = hx.Run(
        space, space.sample(4, seed=0), np.arange(4.0), "minimize", excluded=excluded, notes=notes
    )
    lines = summary(found)
    assert len(lines) == 11
    assert max(map(len, lines)) <= 240
    assert lines[1] == "left out: 2 (200-201): pruned"
    assert lines[5] == "left out: 6 (103-108): for other reasons; see the report"
    assert lines[6] == "note: c: left out, as the column is empty"
    shown = sum(line.startswith("note: ") for line in lines)
    assert lines[-1] == f"and {len(found.notes) - shown} more; see the report"


def test_what_was_guessed_of_a_table_is_told_before_the_rest():
    columns = {"kernel": ["rbf", "poly"] * 6, "degree": [None, 2.0] * 6, "nothing": [None] * 12}
    table = pd.DataFrame(columns).assign(lr=[0.1, 0.2, 0.4] * 4, auc=np.arange(12) % 5 / 5)
    lines = summary(hx.from_frame(table, "auc"))
    notes = [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]
    guessed = (
        "columns: hyperparameters are ",
        "direction: auc is maximized, as its name says",
        "degree: active when kernel = 'poly'",
        "empty cells (degree in 6 of 12 rows)",
    )
    last = max(i for i, note in enumerate(notes) if note.startswith(guessed))
    assert sum(note.startswith(guessed) for note in notes) == len(guessed)
    rest = ("repeated: ", "degree: whole numbers, read as integers")
    assert all(i > last for i, note in enumerate(notes) if note.startswith(rest))
    assert any(note.startswith(rest) for note in notes)
