"""The claims of a run with what the truth says about them."""

from __future__ import annotations

import hashlib
import math
import pickle
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from hpo_explain import Run
from tests.claims.collecting import Collected, collect
from tests.claims.runs import Setting, make_run, problem_of
from tests.claims.scoring import Case, judge, kind_of, oracle, trust
from tests.claims.scoring.spaces import lost_by, oracle_keeps

ROOT = Path(__file__).resolve().parents[2]
DECIDING = ("hpo_explain", "adapters", "tests/claims")
SHOWING = {"wording", "plotting", "reporting", "cli"}
BESIDES = ("__main__.py", "table.py", "test_claims.py", "test_scoring.py")


@dataclass(frozen=True)
class Scored:
    """A claim that was scored.

    Attributes
    ----------
    kind, method : str
        What it says (with the term, where that matters), and which method says it.
    certain : bool
        Whether it was stated without a reservation.
    right, covered : bool or None
        As of a `Judgement`.
    claimed, truth : str
        In words.
    half : float
        Half the width of its interval; NaN where there is none.
    """

    kind: str
    method: str
    certain: bool
    right: bool | None
    covered: bool | None
    claimed: str
    truth: str
    half: float = math.nan


@dataclass
class ScoredRun:
    """Everything that is counted about a run.

    Attributes
    ----------
    setting : Setting
        Its setting.
    claims : list of Scored
        Its claims; the verdict of trust is among them, as a claim of the method "trust".
    could : Counter of (kind, method)
        Claims that an oracle could have made.
    space : tuple of (bool, float, float) or None
        Of the recommended space: whether the optimum is in it, the volume it keeps, and the volume
        an oracle would keep.
    refused, late : list of str
        Methods with nothing to explain, and those the time did not suffice for.
    errors : list of (str, str)
        Methods that failed, and how.
    seconds : float
        How long it took.
    """

    setting: Setting
    claims: list[Scored] = field(default_factory=list)
    could: Counter[tuple[str, str]] = field(default_factory=Counter)
    space: tuple[bool, float, float] | None = None
    refused: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0


def score(
    setting: Setting,
    folder: Path | None = None,
    *,
    paths: bool = False,
    only: Collection[str] = (),
    without: Collection[str] = (),
    seconds: float = 60.0,
) -> ScoredRun:
    """Make a run, collect its claims (only or without those of some methods) and score them.

    A folder keeps runs, and what was scored with the very same source.
    """
    kept = None
    if folder is not None:
        asked = "-".join(["scored", source(), *sorted(only), *(["paths"] if paths else [])])
        kept = folder / asked / f"{setting.label}.pkl"
        if kept.exists():
            return pickle.loads(kept.read_bytes())  # type: ignore[no-any-return]
        kept.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with threadpool_limits(
        1, user_api="blas"
    ):  # for small models, threads cost more than they save
        run = make_run(setting, folder)
        collected = collect(run, paths=paths, only=only, without=without, seconds=seconds)
        found = _scored(setting, run, collected)
    found.seconds = time.monotonic() - began
    if kept is not None:
        kept.write_bytes(pickle.dumps(found))
    return found


def _scored(setting: Setting, run: Run, collected: Collected) -> ScoredRun:
    problem = problem_of(setting.problem)
    found = ScoredRun(
        setting, refused=collected.refused, late=collected.late, errors=collected.errors
    )
    for method, result in collected.results:
        case = Case(problem, run, method, result)
        for claim in result.claims:
            judged = judge(case, claim)
            found.claims.append(
                Scored(
                    kind_of(claim),
                    method,
                    claim.certain,
                    judged.right,
                    judged.covered,
                    _said(claim),
                    judged.truth,
                    math.nan if claim.half is None else float(claim.half),
                )
            )
        found.could.update({(kind, method): n for kind, n in oracle(case).items()})
        if method == "recommended_space" and not problem.constant:
            most = float(np.prod(list(oracle_keeps(case).values())))
            found.space = (lost_by(case) <= result.lose, result.volume, most)
    if collected.trust is not None:
        judged, level = trust.verdict(problem, run, collected.trust), collected.trust.level
        found.claims.append(Scored(level, "trust", True, judged.right, None, level, judged.truth))
    return found


def _said(claim: object) -> str:
    names = " × ".join(claim.hyperparameters)  # type: ignore[attr-defined]
    values = claim.values  # type: ignore[attr-defined]
    interval = claim.interval  # type: ignore[attr-defined]
    shown = f" [{interval[0]:.3g}, {interval[1]:.3g}]" if interval else ""
    return f"{names} {values if values else ''} {claim.estimate:.3g}{shown}"  # type: ignore[attr-defined]


@cache
def source() -> str:
    """A short hash of the source that decides what is claimed and how it is scored."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in DECIDING for path in (ROOT / folder).rglob("*.py")):
        if not SHOWING & set(path.parts) and path.name not in BESIDES:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:10]
