"""The README: its commands, and its Python blocks, run one after the other."""

import re

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain
import hpo_explain as hx
from hpo_explain import reporting
from hpo_explain.methods._engines import decision_words
from hpo_explain.reporting import page
from tests.source_tree import ROOT

pytestmark = pytest.mark.usefixtures("empty_figures")

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    'python3 -m venv .venv && .venv/bin/pip install ".[all]" && .venv/bin/hpo-explain demo',
    'python3 -m venv .venv && .venv/bin/pip install ".[all,test]" && .venv/bin/python -m tests',
]


def blocks(language: str) -> list[tuple[int, str]]:
    """(lines before the block, its text) of every fenced block in a language."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [(README.count("\n", 0, match.start(1)), match[1]) for match in found]


def test_the_first_two_shell_lines_are_the_demo_and_the_checks():
    lines = [line for _, text in blocks("sh") for line in text.splitlines() if line.strip()]
    assert lines[:2] == COMMANDS


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= 120


def test_every_link_leads_to_a_file():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.merge
def test_the_python_blocks_run_and_print_what_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # a whole report would take its time, and is looked at elsewhere
    brief = tuple(part for part in page.SECTIONS if part.name in reporting.BRIEF)
    monkeypatch.setattr(page, "SECTIONS", brief)
    namespace: dict[str, object] = {"__name__": "__main__"}
    found = blocks("python")
    assert found
    for before, block in found:
        # The empty lines make a traceback name the file's own line.
        exec(compile("\n" * before + block, ROOT / "README.md", "exec"), namespace)
    ((_, shown),) = blocks("text")
    printed = capsys.readouterr().out
    assert without_numbers(shown) in without_numbers(printed)
    # what was observed is the same everywhere
    observed = shown[: shown.index(").") + 2]
    assert observed in printed


def without_numbers(text):
    """Return a text without what a machine's own rounding changes: the numbers of draws."""
    fractions = "|".join(decision_words._FRACTIONS.values())
    return re.sub(rf"\d+(?:\.\d+)?(?:e-?\d+)?|{fractions}", "0", text)


@pytest.fixture(scope="module")
def example():
    """What the first block of the README makes, without its report."""
    (_, block), *_ = blocks("python")
    made: dict[str, object] = {"__name__": "__main__"}
    exec(block.replace('hx.report(study, "report.html")', ""), made)
    return made


@pytest.fixture(scope="module")
def truth(example, pytestconfig):
    """The accuracy of every configuration of a grid, (C, gamma, kernel)."""
    n = 13 if pytestconfig.getoption("--thorough") else 7
    axes = {
        "C": np.geomspace(1e-3, 1e3, n),
        "gamma": np.geomspace(1e-5, 1e1, n),
        "kernel": ["rbf", "sigmoid"],
    }
    rows = pd.MultiIndex.from_product(axes.values(), names=axes).to_frame(index=False)
    of_row = [example["accuracy"](optuna.trial.FixedTrial(row)) for row in rows.to_dict("records")]
    return rows.assign(accuracy=of_row)


SAMPLE = 1 / 178  # what one sample of the wines makes


@pytest.mark.merge
def test_what_the_readme_says_of_the_best_holds_on_a_grid(example, truth):
    """The best, its ties, and that no more is gained than is possible."""
    values = np.array([trial.value for trial in example["study"].trials])
    found = hx.optimum(example["study"], bounds=(0, 1))
    ties = np.flatnonzero(values > values.max() - SAMPLE / 2)
    assert found.tied == tuple(ties)
    assert found.keep == found.incumbent_trial == ties[0]
    line = blocks("text")[0][1].splitlines()[0]
    level, number = re.search(r": ([\d.]+) \((\w+) trials tie", line).groups()
    assert level == f"{values.max():.3f}"
    assert number == decision_words.how_many(len(ties))
    assert found.epsilon == pytest.approx(SAMPLE, rel=0.05)
    low, high = found.expected_gain_interval
    gain = max(truth.accuracy.max() - values.max(), 0.0)
    assert low <= gain <= high


@pytest.mark.merge
def test_what_the_readme_narrows_and_tries_holds_on_a_grid(example, truth):
    study = example["study"]
    space = hx.recommended_space(study, bounds=(0, 1)).space
    inside = truth[
        truth.C.between(space["C"].low, space["C"].high)
        & truth.gamma.between(space["gamma"].low, space["gamma"].high)
        & truth.kernel.isin(space["kernel"].choices)
    ]
    best = max(truth.accuracy.max(), study.best_value)
    assert inside.accuracy.max() > best - 1.5 * SAMPLE
    for action in hx.advise(study, bounds=(0, 1)).actions:
        if action.kind == "try":
            (config,) = action.configurations
            reached = example["accuracy"](optuna.trial.FixedTrial(config))
            is_better = reached > study.best_value + SAMPLE / 2
            assert is_better or action.probability < 0.5


@pytest.mark.merge
def test_what_matters_in_the_readme_and_its_reliability_hold_on_a_grid(example, truth):
    table = truth.set_index(["C", "gamma", "kernel"]).accuracy
    cube = table.to_numpy().reshape(len(table.index.levels[0]), -1, 2)
    without = [cube.mean(axis=j, keepdims=True) for j in range(3)]
    totals = [((cube - mean) ** 2).mean() / cube.var() for mean in without]
    most = hx.importance(example["study"], bounds=(0, 1)).claims[0]
    assert most.hyperparameters == (["C", "gamma", "kernel"][np.argmax(totals)],)
    low, high = most.interval
    assert low - 0.05 <= max(totals) <= high + 0.05
    run = hx.from_optuna(example["study"], bounds=(0, 1))
    X = run.space.encode(truth[["C", "gamma", "kernel"]].to_dict("records"))
    missed = truth.accuracy - run.belief().predict(X)[0]
    r2 = 1.0 - (missed**2).mean() / truth.accuracy.var()
    assert r2 >= hx.trust(run).r2_interval[0]


def test_what_is_cited_is_this_version_at_its_addresses():
    cited = dict(
        re.findall(r"^([a-z-]+): (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    )
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert cited["version"] == hpo_explain.__version__
    assert f'Source = "{cited["repository-code"]}"' in project
    assert f'Documentation = "{cited["url"]}"' in project
