"""One question, asked in a process of its own: how long it takes, and how much memory."""

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

import hpo_explain as hx
from tests.source_tree import ROOT

MOST = 300  # seconds of a call; what takes longer is ended
OFTEN = 5  # seconds; what takes less is asked three times, and the median counts
# questions in a process with nothing compiled and nothing warmed up
FRESH = ("first", "demo")


def run_of(n, d, categories=3):
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("c", [f"v{i}" for i in range(categories)]),
            hx.FloatParameter("lr", 1e-5, 1.0, log=True),
            *(hx.FloatParameter(f"x{j}", 0.0, 1.0) for j in range(d - 2)),
        ]
    )
    X = space.sample(n, seed=0)
    y = np.sin(5.0 * X[:, 2]) + (X[:, 1:] ** 2) @ np.arange(1.0, d) / d**2
    y += np.random.default_rng(0).normal(0.0, 0.05, len(y))
    return hx.Run(space, X, y, "minimize", proposals=range(min(20, n // 2), n))


def run_of_categories(n, d, categories):
    """Return a run of nothing but categories, of which two hyperparameters matter."""
    values = [f"v{i}" for i in range(categories)]
    space = hx.SearchSpace([hx.CategoricalParameter(f"c{j}", values) for j in range(d)])
    rng = np.random.default_rng(0)
    X = rng.integers(0, categories, (n, d)).astype(float)
    effects = rng.normal(size=(2, categories))
    first, second = X[:, :2].astype(int).T
    y = effects[0, first] + 0.5 * effects[1, second] + rng.normal(0.0, 0.1, n)
    return hx.Run(space, X, y, "minimize", proposals=range(min(20, n // 2), n))


def study_in(path, run):
    """Write a run as a study into an SQLite file."""
    import optuna

    from tests.benchmarks.stored import store

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    kinds, configs = run.space.to_optuna(), run.space.decode(run.X)
    columns = [
        [kind.to_internal_repr(config[name]) for config in configs] for name, kind in kinds.items()
    ]
    store(f"sqlite:///{path}", kinds, np.array(columns, dtype=float).T, run.objective)


def study_of(n, d):
    """Return a study in memory, of numbers alone, as Optuna's evaluator and ours are asked."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    X = np.random.default_rng(0).random((n, d))
    y = np.sin(5.0 * X[:, 0]) + X**2 @ np.arange(1, d + 1) / d
    y += np.random.default_rng(1).normal(0.0, 0.05, n)
    kinds = {f"x{j}": optuna.distributions.FloatDistribution(0.0, 1.0) for j in range(d)}
    study = optuna.create_study()
    for row, value in zip(X.tolist(), y.tolist(), strict=True):
        params = dict(zip(kinds, row, strict=True))
        study.add_trial(optuna.create_trial(params=params, distributions=kinds, value=value))
    return study


def by_optuna(study, module="optuna.importance"):
    """Ask an evaluator named as Optuna's, of Optuna or of ours, for the main effects."""
    from importlib import import_module

    from optuna.importance import get_param_importances

    evaluator = import_module(module).FanovaImportanceEvaluator(n_trees=64, seed=0)
    get_param_importances(study, evaluator=evaluator)


def yardstick(n=1_000, d=10):
    """Return the seconds that Optuna's evaluator takes, once."""
    by_optuna(study_of(30, 4))
    study = study_of(n, d)
    start = time.perf_counter()
    by_optuna(study)
    return time.perf_counter() - start


def forest_and_pairs(run):
    from hpo_explain.methods import FanovaExplainer
    from hpo_explain.models import ForestSurrogate

    forest = ForestSurrogate.fit(run.space, run.X, run.objective, n_trees=64, seed=0)
    FanovaExplainer(forest).explain(order=2)


DEMO = "from hpo_explain.cli import main; main(['demo', '--out', {!r}])"
QUESTIONS = {  # of a source and a folder; "of study" and "of sqlite" after a name say which source
    "report": lambda source, folder: hx.report(source, f"{folder}/r.html", progress=False),
    "summary": lambda source, _: hx.summary(source),
    "advise": lambda source, _: hx.advise(source),
    "importance": lambda source, _: hx.importance(source),
    "pairs": lambda source, _: hx.importance(source, order=2),
    "forest's pairs": lambda s, _: hx.importance(s, kind="forest", order=2).to_frame(),
    "evaluator": lambda s, _: by_optuna(s, "hpo_explain.adapters.optuna"),
    "forest, mains and pairs": lambda source, _: forest_and_pairs(source),
    "trust": lambda source, _: hx.trust(source),
    "explain_proposal": lambda source, _: hx.explain_proposal(source),
    "first": lambda source, _: hx.explain_proposal(source),
    "changes": lambda source, _: hx.changes(source),
    "h_statistic": lambda source, _: hx.methods.h_statistic(source),
    "explain_predictions": lambda source, _: hx.methods.explain_predictions(source),
    "partial_dependence": lambda source, _: hx.partial_dependence(source, "c"),
    "path": lambda s, _: hx.methods.desirability_path(s, n_jobs=-1, progress=False),
}


def here(question, n, d, categories, folder, compared):
    """Answer in this process; print the seconds, and those of the yardstick just before."""
    from hpo_explain.question import answers
    from hpo_explain.run import fits

    what, _, kind = question.partition(" of ")
    ask, found = QUESTIONS[what], {}

    def source(n, d, categories=3):
        if kind == "sqlite":
            return f"sqlite:///{folder}/s.db"
        if kind == "categories":
            return run_of_categories(n, d, categories)
        return study_of(n, d) if kind == "study" else run_of(n, d, categories)

    if what not in FRESH:
        small = run_of(30, 4) if kind == "sqlite" else source(30, 4)
        ask(small, folder)  # imports, and compiled code is loaded
    if compared:
        found["yardstick"] = yardstick(*compared)
    seconds = []
    while not seconds or (what not in FRESH and seconds[0] < OFTEN and len(seconds) < 3):
        about = source(n, d, categories)
        answers.forget()
        fits.forget()
        signal.alarm(MOST)
        start = time.perf_counter()
        ask(about, folder)
        seconds.append(time.perf_counter() - start)
        signal.alarm(0)
    page = Path(folder, "r.html")
    found["page"] = page.stat().st_size / 1e6 if page.exists() else None
    print(json.dumps(found | {"seconds": statistics.median(seconds)}))


def held(group):
    """Return the megabytes of all processes of a group, what they share counted once (Linux)."""
    kilobytes = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):  # it has ended
            if os.getpgid(int(process.name)) == group:
                lines = (process / "smaps_rollup").read_text().splitlines()
                kilobytes += sum(int(x.split()[1]) for x in lines if x.startswith("Pss:"))
    return kilobytes / 1e3


def once(question, size, compared):
    with tempfile.TemporaryDirectory() as folder:
        if question.endswith(" of sqlite"):  # by this process, so that its memory does not count
            study_in(f"{folder}/s.db", run_of(*size))
        code = "from tests.benchmarks.measure import here; " + (
            f"here({question!r}, *{size}, {folder!r}, {compared})"
        )
        with Path(folder, "out").open("w+") as out, Path(folder, "errors").open("w+") as errors:
            start, memory = time.perf_counter(), 0.0
            process = subprocess.Popen(
                [sys.executable, "-c", DEMO.format(folder) if question == "demo" else code],
                env=os.environ | ({"NUMBA_CACHE_DIR": folder} if question in FRESH else {}),
                cwd=ROOT,
                stdout=out,
                stderr=errors,
                start_new_session=True,
            )
            try:
                while process.returncode is None:
                    memory = max(memory, held(process.pid))
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(0.3)
                whole = time.perf_counter() - start
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # workers, too
            out.seek(0), errors.seek(0)
            said, wrong = out.read(), errors.read()
    if process.returncode == -signal.SIGALRM:
        return {"seconds": float("inf"), "memory": memory}
    if process.returncode:
        raise RuntimeError(f"{question} {size} failed:\n{wrong}")
    if question == "demo":
        theirs = yardstick_alone(*compared) if compared else None
        return {"seconds": whole, "yardstick": theirs}
    return json.loads(said.splitlines()[-1]) | {"memory": memory}


def processor_time(code, *, cold=False):
    """Return the least processor time of three processes that run code, workers included.

    `{folder}` in the code is a folder that has a study of 200 × 10 as s.db; `cold` processes find
    no compiled kernels. Python's own bytecode is there, as where a package is installed.
    """
    seconds = []
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    with tempfile.TemporaryDirectory() as folder:
        study_in(f"{folder}/s.db", run_of(200, 10))
        command = [sys.executable, "-c", code.replace("{folder}", folder)]
        if not cold:
            subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True)
        for number in range(3):
            empty = {"NUMBA_CACHE_DIR": f"{folder}/{number}"} if cold else {}
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                command, env=environment | empty, cwd=ROOT, capture_output=True, check=True
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


@cache
def yardstick_alone(n, d):
    """Return the seconds that Optuna's evaluator takes in a process of its own."""
    return number_from(
        f"from tests.benchmarks.measure import yardstick; print(yardstick({n}, {d}))"
    )


def number_from(code):
    """Return the number that code prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def command_time(words, compared):
    """Return the seconds of a command of Python in this checkout, and those of the yardstick."""
    theirs = yardstick_alone(*compared)
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed:\n{done.stderr}")
    return time.perf_counter() - start, theirs


@cache
def alone(question, n, d, categories=3, compared=None):
    """Return what one question takes in a process of its own.

    `compared` is the size that the yardstick is measured at. `memory` is the most that the process
    and its workers hold together, looked at three times a second; infinite seconds are more than
    `MOST`.
    """
    found = [once(question, (n, d, categories), compared)]
    while question in FRESH and found[0]["seconds"] < OFTEN and len(found) < 3:
        found.append(once(question, (n, d, categories), compared))
    return found[0] | {"seconds": statistics.median(one["seconds"] for one in found)}
