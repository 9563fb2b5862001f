"""Names that are formulas, paths or commands to a terminal: every command only shows them."""

import ast
import csv
import io

import optuna
import pytest

from hpo_explain.catalog.methods import METHODS, PARETO, SUMMARY
from tests.source_tree import ROOT

NUMBER = "=cmd|' /C calc'!A0\x1b[31m\x07"
CATEGORY = "../../outside\u202e"
CHOICES = ["+1+cmd\x1b]0;title\x07", "@SUM(A1)\x9b31m", "-2+3"]
CONTROLS = {"\x1b", "\x07", "\x9b", "\u202e"}
COMMANDS = {
    method.called: [method.called, "two.db" if method in (SUMMARY, PARETO) else "study.db"]
    for method in METHODS
    if method.called
}
COMMANDS["compare"] += ["=study.db"]
COMMANDS["explain-proposal"] += ["--acquisition", "lcb", "--trial", "5"]
COMMANDS["desirability-path"] += ["--acquisition", "lcb", "--trials", "[5]"]
COMMANDS["importance"] += ["--order", "2"]
COMMANDS["shapley-interactions"] += ["--background", "20"]
COMMANDS["partial-dependence"] += [CATEGORY]
OF_TPE = {"proposal-densities", "density-path", "trust"}  # and no table


def is_harmless(cell):
    try:
        float(cell)
    except ValueError:
        return not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return True


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """A study with such names, and one with two objectives."""
    place = tmp_path_factory.mktemp("hostile")

    def objective(trial):
        x, chosen = (
            trial.suggest_float(NUMBER, 0, 1),
            trial.suggest_categorical(CATEGORY, CHOICES),
        )
        value = (x - 0.3) ** 2 + CHOICES.index(chosen)
        if len(trial.study.directions) == 2:
            return value, x - value
        for step in range(4):
            trial.report(value + 1.0 / (step + 1.0), step)
        return value

    for file, directions in (("study.db", ["minimize"]), ("two.db", ["minimize", "minimize"])):
        storage = optuna.storages.RDBStorage(f"sqlite:///{place / file}")
        study = optuna.create_study(
            storage=storage,
            study_name="=1+1\x1b[2J",
            directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=0),
        )
        study.optimize(objective, 14)
        storage.remove_session()
        storage.engine.dispose()
    return place


@pytest.fixture
def inside(studies, folder, monkeypatch):
    """A folder in a folder, which nothing may leave."""
    place = folder / "a" / "b"
    place.mkdir(parents=True)
    for file, copy in (("study.db", "study.db"), ("study.db", "=study.db"), ("two.db", "two.db")):
        (place / copy).write_bytes((studies / file).read_bytes())
    monkeypatch.chdir(place)
    yield place
    assert {*folder.iterdir()} == {folder / "a"}
    assert {*(folder / "a").iterdir()} == {place}


@pytest.mark.parametrize(
    "name",
    [
        name if name == "history" else pytest.param(name, marks=pytest.mark.thorough)
        for name in sorted({*COMMANDS} - OF_TPE)
    ],
)
def test_a_command_obeys_no_name_and_its_csv_holds_no_formula(inside, run, name):
    shown = run(*COMMANDS[name], "--plot", "plot.svg")
    assert shown.exit_code == 0, shown.output
    assert not CONTROLS & {*shown.output}
    table = run(*COMMANDS[name], "--csv")
    assert table.exit_code == 0, table.output
    assert not CONTROLS & {*table.stderr}
    cells = [cell for row in csv.reader(io.StringIO(table.stdout)) for cell in row]
    assert len(cells) > 3
    assert [cell for cell in cells if not is_harmless(cell)] == []


@pytest.mark.thorough
def test_a_report_obeys_no_name(inside, run):
    told = run("report", "study.db")
    assert told.exit_code == 0
    assert not CONTROLS & {*told.output}


@pytest.mark.merge
def test_one_place_alone_writes_csv():
    """It knows which cells a spreadsheet would run."""
    writers = {"to_csv", "writerow", "writerows"}
    written = [
        path.name
        for folder in ("hpo_explain", "adapters")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in writers
    ]
    assert {*written} == {"csv_text.py"}
