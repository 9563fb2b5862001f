"""All checks of a commit: ``python -m tests``; options are those of pytest.

``--merge`` checks what only processes, browsers, real fits and runs with a known truth show, and
the types and the distributions beside it; ``--thorough`` runs everything. Where a check before the
tests fails, its output is shown and no test is run. Files that are named are tested and nothing
else: ``python -m tests tests/space/test_ties.py``.
"""

import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = [sys.executable, "-m"]
COMMIT = {
    "lint": [*PYTHON, "ruff", "check", "."],
    "format": [*PYTHON, "ruff", "format", "--check", "."],
    "order of imports": [f"{sysconfig.get_path('scripts')}/lint-imports", "--no-cache"],
}
MERGE = {"wheel and sdist": [*PYTHON, "tests.installation"]}
BESIDE = {"types": [*PYTHON, "mypy"]}  # takes long on one core
TESTS = [*PYTHON, "pytest"]


def tell(name: str, result: str) -> None:
    print(f"{name:<16}  {result}", flush=True)


def run(name: str, command: list[str]) -> str:
    """Run a check; what it prints if it fails, otherwise nothing."""
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    result = "failed" if done.returncode else "passed"
    tell(name, f"{result} in {time.monotonic() - began:.1f} s")
    return f"\n{name}:\n{done.stdout}" if done.returncode else ""


def test(options: list[str]) -> int:
    """Run the tests; return their exit code."""
    began = time.monotonic()
    code = subprocess.run([*TESTS, *options], cwd=ROOT, check=False).returncode
    tell("tests", f"{'failed' if code else 'passed'} in {time.monotonic() - began:.1f} s")
    return code


def checks(options: list[str]) -> tuple[dict, dict]:
    """The checks before the tests, and those beside them, of the tiers that are asked for."""
    if "--thorough" in options:
        before, beside = COMMIT | MERGE, BESIDE
    elif "--merge" in options:
        before, beside = MERGE, BESIDE
    else:
        before, beside = COMMIT, {}
    if beside and tuple(map(int, version("numpy").split(".")[:2])) < (2, 4):
        tell("types", "skipped: numpy before 2.4 gives the same expressions other types")
        beside = {}
    return before, beside


def main(options: list[str]) -> int:
    named = [option for option in options if (ROOT / option.partition("::")[0]).exists()]
    if named:
        # a few files are tested before a second process has started
        few = all(".py" in name for name in named)
        return test([*(["-n", "0"] if few else []), *options])
    before, beside = checks(options)
    with ThreadPoolExecutor(1) as threads:
        futures = [threads.submit(run, *check) for check in beside.items()]
        failures = [failure for check in before.items() if (failure := run(*check))]
        # examples are of a commit
        where = ["tests"] if options == ["--merge"] else []
        code = 1 if failures else test([*options, *where])
        failures += [failure for future in futures if (failure := future.result())]
    print(*failures, end="")
    return code or int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
