"""What advice brings: regret of runs that go on with it, and without.

40 trials of an optimizer, then 40 more in five ways: as before, following the first piece of
advice, following all of it, following all of it and asking again after every five trials, and in a
space narrowed at random to the same volume, with the incumbent inside. All start from the same
trials with the same seeds. Simple regret is the value without noise of the best observed trial,
less the problem's least value: a known one, or the least that a long search or any of the runs
found. Advice to widen a range is not followed where nothing beyond it is allowed.

Each run is a row of a file, written when it ends: started again, the script does what is missing.
The runs are made by joblib's workers: processes, or those of a dask cluster, which need this folder
on their path.

    python examples/advice_regret.py --optimizers tpe --seeds 20 --jobs 2
    python examples/advice_regret.py --seeds 20 --scheduler tcp://10.0.0.1:8786
    python examples/advice_regret.py --optimizers gp --seeds 4 --jobs 2
"""

from __future__ import annotations

import argparse
import csv
from itertools import product
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed, parallel_config
from regret.arms import ARMS, OPTIMIZERS, Continued, Setting, continued
from regret.problems import available
from regret.tables import KEYS, by_problem, in_markdown, over_trials, regrets

CONDITIONAL = ("conditional", "gp")  # the GPSampler does not model conditions


def settings(
    problems: list[str], optimizers: list[str], seeds: int, trials: int, more: int
) -> list[Setting]:
    """Return what is to be run, seed by seed."""
    return [
        Setting(problem, optimizer, seed, trials, more)
        for seed, optimizer, problem in product(range(seeds), optimizers, problems)
        if (problem, optimizer) != CONDITIONAL
    ]


def done(file: Path) -> pd.DataFrame:
    """Return the runs in a file."""
    if not file.exists():
        return pd.DataFrame(columns=KEYS)
    return pd.read_csv(file, keep_default_na=False)


def run_missing(wanted: list[Setting], file: Path, jobs: int | None) -> None:
    """Run what is not in a file yet by joblib's workers, and append it."""
    _drop_row_cut_off(file)
    known = {tuple(row) for row in done(file)[KEYS].to_numpy()}
    missing = {
        setting: arms
        for setting in wanted
        if (arms := tuple(a for a in ARMS if (*_key(setting), a) not in known))
    }
    work = (delayed(_one)(*one) for one in missing.items())
    made = Parallel(n_jobs=jobs, return_as="generator")(work)
    for i, (setting, found) in enumerate(zip(missing, made, strict=True), 1):
        _append(file, setting, found)
        at = f"{setting.problem}, {setting.optimizer}, seed {setting.seed}"
        finals = ", ".join(f"{one.arm} {one.values[-1]:.5g}" for one in found)
        print(f"{i}/{len(missing)} {at}: {finals}; {found[-1].actions}", flush=True)


def _one(setting: Setting, arms: tuple[str, ...]) -> list[Continued]:
    return list(continued(setting, arms))


def _key(setting: Setting) -> tuple[str, str, int]:
    return setting.problem, setting.optimizer, setting.seed


def _drop_row_cut_off(file: Path) -> None:
    """Take off a last row that was not written to its end."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if text and not text.endswith("\n"):
        file.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")


def _append(file: Path, setting: Setting, found: list[Continued]) -> None:
    new = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        if new:
            counts = range(1, setting.trials + setting.more + 1)
            rows.writerow([*KEYS, "actions", "volume", "seconds", *counts])
        for one in found:
            told = [one.arm, one.actions, f"{one.volume:.4g}", f"{one.seconds:.3g}"]
            rows.writerow([*_key(setting), *told, *(f"{value:.12g}" for value in one.values)])


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", nargs="+", default=available(), choices=available())
    parser.add_argument("--optimizers", nargs="+", default=["tpe"], choices=OPTIMIZERS)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, help="processes, by default one")
    parser.add_argument("--scheduler", help="address of one of dask, whose workers make the runs")
    parser.add_argument("--runs", type=Path, default=Path("advice_regret_runs.csv"))
    parser.add_argument("--out", type=Path, help="folder for the tables as CSV")
    parser.add_argument("--quick", action="store_true", help="two problems, few trials")
    options = parser.parse_args()
    problems, seeds, trials, more = options.problems, options.seeds, 40, 40
    if options.quick:
        problems, seeds, trials, more = ["hyper-ellipsoid", "conditional"], 2, 14, 6
    wanted = settings(problems, options.optimizers, seeds, trials, more)
    if options.scheduler is None:
        run_missing(wanted, options.runs, options.jobs)
    else:
        from distributed import Client

        with Client(options.scheduler) as client, parallel_config(backend="dask", client=client):
            client.run(exec, "import regret")  # joblib would wait for workers without it
            run_missing(wanted, options.runs, options.jobs)
    regret = regrets(done(options.runs))
    table = by_problem(regret, trials)
    if options.out is not None:
        table.to_csv(options.out / "advice_regret.csv", index=False, float_format="%.4g")
        counts = range(trials, trials + more + 1, max(more // 4, 1))
        over_trials(regret, counts).to_csv(
            options.out / "advice_regret_over_trials.csv", index=False, float_format="%.4g"
        )
    print(f"\n{in_markdown(table)}")


if __name__ == "__main__":
    main()
