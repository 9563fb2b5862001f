"""All checks: ``python -m tests``. Options are those of pytest, ``--thorough`` among them.

Lint, the order of imports and the distributions come first: where one of these steps fails, its
output is shown and no test is run. Types take long on one core, and are checked beside all others.
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
STEPS = {
    "lint": [*PYTHON, "ruff", "check", "."],
    "format": [*PYTHON, "ruff", "format", "--check", "."],
    "order of imports": [
        f"{sysconfig.get_path('scripts')}/lint-imports",
        "--no-cache",
    ],
    "types": [*PYTHON, "mypy"],
    "wheel and sdist": [*PYTHON, "tests.installation"],
}
TESTS = [*PYTHON, "pytest"]


def tell(name: str, result: str) -> None:
    print(f"{name:<16}  {result}", flush=True)


def run(name: str) -> str:
    """Run a step; what it prints if it fails, otherwise nothing."""
    began = time.monotonic()
    done = subprocess.run(
        STEPS[name],
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


def main(options: list[str]) -> int:
    names = list(STEPS)
    if tuple(map(int, version("numpy").split(".")[:2])) < (2, 4):
        names.remove("types")
        tell(
            "types",
            "skipped: numpy before 2.4 gives the same expressions other types",
        )
    with ThreadPoolExecutor(1) as beside:
        typed = [beside.submit(run, name) for name in names if name == "types"]
        failures = [
            failure
            for name in names
            if name != "types" and (failure := run(name))
        ]
        code = 1 if failures else test(options)
        failures += [
            failure for future in typed if (failure := future.result())
        ]
    print(*failures, end="")
    return code or int(bool(failures))


def test(options: list[str]) -> int:
    """Run the tests; return their exit code."""
    began = time.monotonic()
    code = subprocess.run([*TESTS, *options], cwd=ROOT, check=False).returncode
    tell(
        "tests",
        f"{'failed' if code else 'passed'} in {time.monotonic() - began:.1f} s",
    )
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
