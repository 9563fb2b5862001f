"""Damaged files of every format are told to be damaged, and half-written last lines left out."""

import contextlib
import gzip
import json
import random
import shutil

import optuna
import pytest

from hpo_explain.adapters.sources import as_run, as_runs
from hpo_explain.adapters.table_files import read_csv
from hpo_explain.base.errors import InputError, NothingToExplain
from tests import doors
from tests.adapters import (
    test_ax_snapshot,
    test_keras_project,
    test_mlflow_store,
    test_ray_folder,
    test_smac_saved,
)

EXPECTED = (InputError, NothingToExplain, OSError, ImportError)


def made(folder, write):
    folder.mkdir()
    return write(folder)


def keras(folder):
    entries = [test_keras_project.whole("units", 1, 8)]
    trials = [({"units": i + 1}, 1.0 / (i + 1)) for i in range(4)]
    return test_keras_project.write(folder, entries, trials)


def smac(folder):
    return test_smac_saved.write(folder, test_smac_saved.rows_of_smac_2_4())


def ray(folder):
    state = {"trial_data": [], "runner_data": {"_metric": "loss"}}
    for i in range(4):
        place = folder / f"train_{i}"
        place.mkdir()
        (place / "params.json").write_text(json.dumps({"lr": 0.1 * (i + 1)}))
        row = test_ray_folder.reported(i, 1, 1.0 + i)
        if i == 3:
            names, cells = ",".join(row), ",".join(map(str, row.values()))
            (place / "progress.csv").write_text(f"{names}\n{cells}\n{cells}\n")
        else:
            (place / "result.json").write_text(f"{json.dumps(row)}\n" * 2)
        about = {"trial_id": f"abc_{i:05}", "status": "TERMINATED"}
        state["trial_data"].append([json.dumps(about), "{}"])
    (folder / "experiment_state-1.json").write_text(json.dumps(state))
    return folder


FORMATS = {
    "SMAC": smac,
    "KerasTuner": keras,
    "Ray": ray,
    "Ax": lambda folder: test_ax_snapshot.write(folder / "ax.json", "new"),
    "MLflow": lambda folder: test_mlflow_store.database(folder / "mlflow.db"),
    "MLflow's folder": lambda folder: test_mlflow_store.folder(folder / "mlruns"),
    "Optuna": doors.optuna_database,
    "Optuna's journal": doors.optuna_journal,
    "lines of JSON": doors.json_lines,
    "a table": doors.csv,
}
TABLE = {"objective": "loss", "direction": "minimize"}
OPTIONS = {"lines of JSON": TABLE, "a table": TABLE}
ODD = [None, [], {}, "", "x", -1, 1e308, True, [[]], {"a": None}]


def places_in(content, path=()):
    """The paths of all values in JSON."""
    yield path
    if isinstance(content, (dict, list)):
        keys = content if isinstance(content, dict) else range(len(content))
        for key in keys:
            yield from places_in(content[key], (*path, key))


def changed(text, rng):
    """A text of JSON in which one value is another one, is missing, or is twice as deep."""
    content = json.loads(text)
    path = rng.choice([*places_in(content)])
    if not path:
        return json.dumps(rng.choice(ODD))
    at = content
    for key in path[:-1]:
        at = at[key]
    if rng.random() < 0.3:
        del at[path[-1]]
    else:
        at[path[-1]] = rng.choice([*ODD, [at[path[-1]]]])
    return json.dumps(content)


def damage(file, rng):
    """Change a file as a crash, a disk or a hand would."""
    data = file.read_bytes()
    way = rng.choice(["value", "value", "value", "cut", "byte", "twice"])
    if way == "value":
        try:
            text = data.decode()
            lines = text.splitlines()
            whole = len(lines) < 2
            at = rng.randrange(len(lines)) if lines else 0
            lines[at] = changed(lines[at], rng)
            file.write_text(lines[0] if whole else "\n".join(lines))
            return
        except (ValueError, IndexError):
            way = "byte"
    at = rng.randrange(len(data) + 1)
    some = bytes([rng.randrange(256)])
    if way == "cut":
        data = data[:at]
    elif way == "twice":
        data = data[:at] + data
    else:
        data = data[:at] + some + data[at + 1 :]
    file.write_bytes(data)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("count", [15, pytest.param(600, marks=pytest.mark.thorough)])
@pytest.mark.filterwarnings("ignore")
def test_damaged_files(kind, count, tmp_path):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    whole = made(tmp_path / "whole", FORMATS[kind])
    for seed in range(count):
        rng = random.Random(f"{kind}{seed}")
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(tmp_path / "whole", copy)
        files = sorted(path for path in copy.rglob("*") if path.is_file())
        damage(rng.choice(files), rng)
        with contextlib.suppress(*EXPECTED):
            as_runs(copy / whole.relative_to(tmp_path / "whole"), **OPTIONS.get(kind, {}))


def test_what_is_damaged_and_where(tmp_path):
    place = made(tmp_path / "run", smac)
    whole = (place / "runhistory.json").read_text()
    (place / "runhistory.json").write_text(whole.replace('"configs"', '"konfigs"'))
    text = r"could not be read as a run of SMAC: it is damaged at 'configs'\.$"
    with pytest.raises(InputError, match=text) as caught:
        as_run(place)
    assert isinstance(caught.value.__cause__, KeyError)
    (place / "runhistory.json").write_text(whole[:-20])
    with pytest.raises(InputError, match=r"cannot be read as JSON: it is damaged at line 1, col"):
        as_run(place)
    (tmp_path / "rows.json").write_text('[{"x": 1}, {"x"')
    with pytest.raises(InputError, match=r"is JSON, but it is damaged at line 1, column 16"):
        as_run(tmp_path / "rows.json")


def half(file):
    """Leave out the end of the last line of a file, as who is killed while it is written."""
    text = file.read_text().rstrip("\n")
    file.write_text(text[: text.rindex(",")])


@pytest.mark.parametrize(
    ("text", "n_rows", "is_half"),
    [
        ("x,kind,loss\n1,a,2\n2,b,3", 2, False),  # as people write it, too
        ("x,kind,loss\n1,a,2\n2,b,3\n", 2, False),
        ("x,kind,loss\n1,a,2\n2,b", 1, True),
        ('x,kind,loss\n1,a,2\n2,"b', 1, True),
        ('x,kind,loss\n1,a,2\n2,"b, c', 1, True),
        ('x,kind,loss\n1,a,2\n2,"b, c",3', 2, False),
        ('x,kind,loss\n1,a,2\n2,"b\n c",3', 2, False),
        ("x kind loss\n1 a 2\n2 b", 1, True),
    ],
)
def test_which_last_line_of_a_table_is_half_written(tmp_path, text, n_rows, is_half):
    path = tmp_path / "t.csv"
    path.write_text(text)
    frame, notes = read_csv(str(path))
    assert len(frame) == n_rows
    assert ["half-written" in str(note) for note in notes if "damage" in str(note)] == [
        True
    ] * is_half


def test_half_written_last_lines_are_left_out_with_a_note(tmp_path):
    lines = made(tmp_path / "lines", doors.json_lines)
    half(lines)
    run = as_run(lines, **TABLE)
    assert len(run) == doors.N - 1
    left_out = "damage: its last line is half-written and left out"
    assert [str(note) for note in run.notes if "damage" in str(note)] == [left_out]
    place = made(tmp_path / "ray", ray)
    assert "damage" not in str(as_run(place))
    half(place / "train_0" / "result.json")
    half(place / "train_3" / "progress.csv")
    run = as_run(place)
    assert run.objective.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert "the last line of 2 files is half-written" in " ".join(map(str, run.notes))
    for name in ("t.csv", "t.csv.gz"):
        data = doors.csv(tmp_path).read_bytes().rstrip(b"\n")
        data = data[: data.rindex(b",")]
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        run = as_run(tmp_path / name, **TABLE)
        assert len(run) == doors.N - 1
        assert [str(note) for note in run.notes if "damage" in str(note)] == [left_out]
    store = made(tmp_path / "mlflow", test_mlflow_store.folder)
    whole = as_run(store).objective.tolist()
    assert "damage" not in str(as_run(store))
    for place in sorted(store.glob("0/run[01]/metrics/val/loss")):
        with place.open("a") as file:
            file.write("9 123")
    run = as_run(store)
    assert run.objective.tolist() == whole
    assert "the last line of 2 files is half-written" in " ".join(map(str, run.notes))
    journal = made(tmp_path / "journal", doors.optuna_journal)
    half(journal)
    assert len(as_run(journal)) == doors.N - 1
