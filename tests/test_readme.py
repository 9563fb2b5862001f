"""The README: its commands, and its Python blocks, run one after the other."""

import re

import numpy as np
import pandas as pd
import pytest
from optuna.importance import FanovaImportanceEvaluator, get_param_importances

import hpo_explain
import hpo_explain as hx
from hpo_explain import reporting
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
    # how sure it is, and the next values, differ by a machine's own rounding
    starts = [" ".join(line.split()[:2]) for line in shown.splitlines()]
    starts[-1] = "Reliability:"
    told = zip(starts, printed.splitlines(), strict=True)
    assert [line.startswith(start) for start, line in told] == [True] * 5
    observed = shown[: shown.index(" (")]  # the same everywhere
    assert printed.startswith(observed)


@pytest.fixture(scope="module")
def example():
    """What the first block of the README makes, without its report."""
    (_, block), *_ = blocks("python")
    made: dict[str, object] = {"__name__": "__main__"}
    exec(block.replace('hx.report(study, "report.html")', ""), made)
    return made


@pytest.fixture(scope="module")
def configs(example):
    """Two independent samples of configurations from the search space, (n,) of each name."""
    space = hx.from_optuna(example["study"]).space

    def drawn(seed):
        rows = pd.DataFrame(space.decode(space.sample(20_000, seed=seed)))
        return {name: rows[name].to_numpy() for name in rows}

    return drawn(0), drawn(1)


def explained(example, configs, names):
    """Return what hyperparameters explain of the true variance together: Sobol's closed index."""
    true_loss, (first, second) = example["true_loss"], configs
    mixed = {name: (first if name in names else second)[name] for name in first}
    here, there = true_loss(**first), true_loss(**mixed)
    return np.cov(here, there)[0, 1] / here.var()


def stated(pattern):
    """Return the number that the README states after a text."""
    return float(re.search(rf"{pattern} (\d+(?:\.\d+)?)", README)[1])


@pytest.mark.merge
def test_the_trial_to_keep_is_truly_better_than_the_best_observed(example):
    study, true_loss = example["study"], example["true_loss"]
    true = [true_loss(**trial.params) for trial in study.trials]
    lucky = study.best_trial.number
    assert lucky == stated("Trial")
    assert true[lucky] == pytest.approx(stated("true loss is"), abs=0.001)
    found = hx.optimum(study)
    assert true[found.keep] == pytest.approx(stated("truly has"), abs=0.005)
    assert true[found.keep] < true[lucky] - 0.02


@pytest.mark.merge
def test_what_matters_truly_is_first_here_and_not_by_optuna(example, configs):
    study = example["study"]
    alone = explained(example, configs, ["learning_rate"])
    both = explained(example, configs, ["learning_rate", "batch_size"])
    assert alone == pytest.approx(stated("alone truly explains") / 100, abs=0.02)
    assert both > 0.95  # the rest has one true interaction at most
    assert both - alone - explained(example, configs, ["batch_size"]) > 0.2
    found = hx.importance(study, order=2)
    table = found.to_frame().sort_values("importance", ascending=False)
    first = table.loc["learning_rate"]
    assert table.index[0] == "learning_rate"
    assert first.lower < alone < first.upper
    assert first.importance == pytest.approx(stated("`hx.importance` says") / 100, abs=0.1)
    pairs = table[table.order == 2]
    assert pairs.members.iloc[0] == ("learning_rate", "batch_size")
    by_default = [*get_param_importances(study)]
    assert by_default.index("learning_rate") >= 3
    by_fanova = get_param_importances(study, evaluator=FanovaImportanceEvaluator(seed=0))
    assert next(iter(by_fanova)) in example["NO_EFFECT"]


@pytest.mark.merge
def test_the_narrower_space_holds_the_truth_and_reliability_is_not_overstated(example, configs):
    study, true_loss = example["study"], example["true_loss"]
    space = hx.recommended_space(study).space
    inside = np.all(
        [(space[name].low <= x) & (x <= space[name].high) for name, x in configs[0].items()], axis=0
    )
    true = true_loss(**configs[0])
    assert 0 < inside.mean() < 0.5
    assert true[inside].min() < true.min() + 0.01
    run = hx.from_optuna(study)
    X = run.space.encode(pd.DataFrame(configs[0]))
    missed = true[:2000] - run.belief().predict(X[:2000])[0]
    r2 = 1.0 - (missed**2).mean() / true[:2000].var()
    assert r2 >= hx.trust(run).r2_interval[0]


def test_what_is_cited_is_this_version_at_its_addresses():
    cited = dict(
        re.findall(r"^([a-z-]+): (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    )
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert cited["version"] == hpo_explain.__version__
    assert f'Source = "{cited["repository-code"]}"' in project
    assert f'Documentation = "{cited["url"]}"' in project
