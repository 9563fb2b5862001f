"""All numbers that are told of a run, through all doors: who tells them, what they are, of what.

A door is a way to an answer: a function, the page, the panel of what-if, the tools for assistants
and the command line. Whatever is told of one thing must be one number, whoever tells it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import optuna
from markupsafe import Markup

import hpo_explain as hx
from hpo_explain.base import NothingToExplain
from hpo_explain.belief import interval
from hpo_explain.belief.portable import portable
from hpo_explain.catalog.methods import METHODS
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.question import Question
from hpo_explain.reporting import SECTIONS, panel
from hpo_explain.reporting._render import figures_drawn_by
from hpo_explain.reporting.section import Status, card_of

_PERCENT = 5e-3  # of a share that is written in percent
TOLD = 1e-6
_SINGLE = 2e-5
ASKED = (
    "summary",
    "optimum",
    "recommended_space",
    "advise",
    "changes",
    "explain_prediction",
    "local_importance",
    "importance",
    "partial_dependence",
    "trust",
    "history",
)
"""The methods that are asked: those that tell what others tell, too."""
_FUNCTIONS = {method.name: method.function for method in METHODS}


class Told(NamedTuple):
    """A number that is told."""

    door: str
    what: str
    of: str
    value: Any
    digits: float = TOLD
    """How far it may be off, as a share of what is told: as it is shown."""


# ---------------------------------------------------------------------- doors


def of_functions(run: hx.Run) -> Iterator[Told]:
    """Yield what functions answer."""
    for name in ASKED:
        found = _answered(lambda name=name: _FUNCTIONS[name](run))
        if found is not None:
            yield from of_answer(f"{name}()", name, found.to_dict())
            yield from of_table("function", name, found.cells())


def of_page(run: hx.Run) -> Iterator[Told]:
    """Yield what the lines of a page tell, and what its list of trials says of the latest."""
    question = Question(run)
    for section in SECTIONS:
        with figures_drawn_by(lambda *about: Markup()):
            card = card_of(section, question)
        assert card.status is not Status.FAILED, card.finding
    told = _answered(lambda: question.ask(hx.summary))
    if told is not None:
        yield from of_answer("page", "summary", told.to_dict())
    path = _answered(lambda: question.ask(hx.methods.desirability_path))
    for one in () if path is None else path.explanations[-1:]:
        alone = hx.explain_proposal(run, one.trial)
        for door, found in (("page", one), ("explain_proposal()", alone)):
            of = f"trial {one.trial}"
            yield Told(door, "rows compared with", of, found.background_size)
            for term, value in found.payout.items():
                yield Told(door, f"payout, {term}", of, value)


def of_what_if(run: hx.Run) -> Iterator[Told]:
    """Yield what the panel computes with: the trial it starts from, and what it predicts there."""
    carried = list[Any]()
    own = panel.data_of
    panel.data_of = lambda *about: carried.append(about) or own(*about)
    try:
        panel.what_if(Question(run))
    except NothingToExplain:
        return
    finally:
        panel.data_of = own
    ((profile, sent),) = carried
    data, draws = own(profile, sent), profile.draws
    yield Told("what-if", "trial to keep", "run", data["keep"])
    at = draws.draws(run.X[[run.row(data["keep"])]])[:, 0]
    at = at[portable(sent, run.tried).draws] + data["left_out"]
    low, high = run.bounds or (-np.inf, np.inf)
    ends = np.clip(interval(at, stretch=data["stretch"]), low, high).tolist()
    of = _config(run.config(data["keep"]))
    yield from _prediction("what-if", of, float(at.mean()), ends)
    for one in profile.panels:
        share = float(one.share.removesuffix("%")) / 100.0
        if share > 0.0:
            of = "share with interactions, estimate"
            yield Told("what-if", of, one.name, share, _PERCENT / share)


def of_tools(study: Path) -> Iterator[Told]:
    """Yield the claims that an assistant is answered."""
    from hpo_explain.mcp.answers import TOOLS, answer
    from hpo_explain.mcp.places import Places

    places = Places.of([str(study.parent)])
    for name in ASKED:
        if name in TOOLS:
            found = answer(places, name, {"study": study.name})
            if not found.failed:
                told = json.loads(found.text)
                yield from of_answer(f"tool {name}", name, told)


def of_commands(study: Path) -> Iterator[Told]:
    """Yield what commands write as JSON."""
    from click.testing import CliRunner

    from hpo_explain.cli import main

    for name in ASKED:
        command = name.replace("_", "-")
        given = [command, str(study), "--json", "--no-cache"]
        outcome = CliRunner().invoke(main, given)
        if outcome.exit_code == 0:
            told = json.loads(outcome.stdout)
            yield from of_answer(f"command {command}", name, told)


def of_run(run: hx.Run) -> list[Told]:
    """Return what all doors tell of a run that need no file."""
    doors = (of_functions, of_page, of_what_if)
    return [one for door in doors for one in door(run)]


def as_file(run: hx.Run, folder: Path) -> Path:
    """Write the trials of a run as a study of Optuna, which all doors open."""
    path = folder / "study.db"
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=f"sqlite:///{path}", direction=run.direction)
    ranges = run.space.to_optuna()
    for config, value in zip(run.space.decode(run.X), run.objective.tolist(), strict=True):
        some = {name: ranges[name] for name in config}
        trial = optuna.trial.create_trial(params=config, distributions=some, value=value)
        study.add_trial(trial)
    return path


def through_a_file(run: hx.Run, folder: Path) -> list[str]:
    """Return where two numbers are told of one thing in a file, by whoever opens it."""
    path = as_file(run, folder)
    study = optuna.load_study(study_name=None, storage=f"sqlite:///{path}")
    read = hx.from_optuna(study)
    doors = [of_functions(read), of_tools(path), of_commands(path)]
    told = [one for door in doors for one in door]
    return [*differing(told, float(np.ptp(run.objective)))]


# ---------------------------------------------------------------------- what an answer tells


def of_answer(door: str, method: str, told: Mapping[str, Any]) -> Iterator[Told]:
    """Yield the facts of an answer: of its claims, and of its numbers where it has any."""
    for i, claim in enumerate(told["claims"]):
        yield from _of_claim(door, method, i, claim)
    if told.get("trust"):
        for name in ("level", "r2"):
            yield Told(door, f"trust, {name}", "run", told["trust"][name])
    if method in _NUMBERS and len(told) > 4:  # what assistants get has none
        yield from _NUMBERS[method](door, told)


def of_table(door: str, method: str, cells: Any) -> Iterator[Told]:
    """Yield every number of a table, by its column and its row."""
    for column, values in cells:
        for row, value in enumerate(values):
            if isinstance(value, float | int) and np.isfinite(value):
                what = f"{method}, {column}"
                yield Told(door, what, f"row {row}", value)


def _of_claim(door: str, method: str, i: int, claim: Mapping[str, Any]) -> Iterator[Told]:
    kind, term = claim["kind"], claim["term"]
    if method == "summary":  # tells again what others tell
        method = Summary.answered_by[i]
        if kind not in ("share", "difference"):
            return
    of = ", ".join(claim["hyperparameters"])
    shared = kind == "share" and term in ("alone", "with interactions")
    what = f"share {term}" if shared else f"{method}, {kind} {term}"
    if kind == "difference" and method == "optimum":
        is_left = term == "left"
        what = "better by what counts" if is_left else "gained by more trials"
        of = "run"
    elif not shared:
        of = f"{of} {claim['values']}"
    for name in ("estimate", "probability", "certain"):
        if shared and name == "probability" and term == "alone":
            continue
        yield Told(door, f"{what}, {name}", of, claim[name])
    yield from _ends(door, what, of, claim["interval"])


def _of_optimum(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    yield Told(door, "trial to keep", "run", told["keep"])
    yield Told(door, "what counts", "run", told["epsilon"])
    yield Told(door, "better by what counts, probability", "run", told["p_better"])
    yield Told(door, "best observed trial", "run", told["incumbent_trial"])
    of = _config(told["config"])
    yield from _prediction(door, of, told["estimate"], told["interval"])


def _of_space(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    yield Told(door, "what counts", "run", told["lose"])


def _of_advice(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    for action in told["actions"]:
        if action["kind"] != "keep":
            continue
        yield Told(door, "trial to keep", "run", action["trials"][0])
        config = zip(action["hyperparameters"], action["values"], strict=True)
        for reason in action["evidence"]:
            if "mean" in reason["values"]:
                mean = reason["values"]["mean"]
                yield Told(door, "prediction", _config(dict(config)), mean)


def _of_changes(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    yield Told(door, "trial to keep", "run", told["best"]["trial"])
    for end, place in (("start", 0), ("best", -1)):
        of = _config(told[end]["config"])
        yield Told(door, "prediction", of, told["values"][place])


def _of_prediction(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    yield Told(door, "trial to keep", "run", told["trial"])
    of, ends = _config(told["config"]), told.get("interval")
    yield from _prediction(door, of, told["prediction"], ends)


def _of_importance(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    order = list[str]()
    for row in told["importance"]:
        of = ", ".join(row["members"])
        yield Told(door, "share alone, estimate", of, row["importance"])
        yield from _ends(door, "share alone", of, row["interval"])
        if "with_interactions" in row:
            what = "share with interactions"
            yield Told(door, f"{what}, estimate", of, row["with_interactions"])
            ends = row["interval_with_interactions"]
            yield from _ends(door, what, of, ends)
            order.append(of)


def _of_effects(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    for name, share in told["shares"].items():
        yield Told(door, "share with interactions, estimate", name, share)


def _of_trust(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    for name in ("level", "r2"):
        yield Told(door, f"trust, {name}", "run", told[name])


def _of_history(door: str, told: Mapping[str, Any]) -> Iterator[Told]:
    yield Told(door, "best observed trial", "run", told["incumbent_trial"])


_NUMBERS: Mapping[str, Callable[..., Iterator[Told]]] = {
    "optimum": _of_optimum,
    "recommended_space": _of_space,
    "advise": _of_advice,
    "changes": _of_changes,
    "explain_prediction": _of_prediction,
    "local_importance": _of_prediction,
    "importance": _of_importance,
    "partial_dependence": _of_effects,
    "trust": _of_trust,
    "history": _of_history,
}


def _prediction(door: str, of: str, value: float, ends: Any) -> Iterator[Told]:
    yield Told(door, "prediction", of, value)
    yield from _ends(door, "prediction", of, ends)


def _ends(door: str, what: str, of: str, ends: Any) -> Iterator[Told]:
    for name, end in zip(("lower", "upper"), ends or (), strict=False):
        yield Told(door, f"{what}, {name}", of, end)


def _config(config: Mapping[str, Any]) -> str:
    rounded = {
        name: f"{value:.9g}" if isinstance(value, float) else repr(value)
        for name, value in sorted(config.items())
    }
    return str(rounded)


def _answered(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except NothingToExplain:
        return None


# ---------------------------------------------------------------------- one number a fact


def differing(told: Iterable[Told], unit: float) -> Iterator[str]:
    """Yield where two numbers are told of one thing.

    Parameters
    ----------
    told : iterable of Told
        What all doors tell.
    unit : float
        The range of the objective: draws are of single precision.
    """
    first = dict[tuple[str, str], Told]()
    for one in told:
        if one.value is None:
            continue
        known = first.setdefault((one.what, one.of), one)
        if not _same(known, one, _SINGLE * unit):
            yield (
                f"{one.what} of {one.of}: {known.value} by {known.door}, {one.value} by {one.door}"
            )


def _same(a: Told, b: Told, rounding: float) -> bool:
    if isinstance(a.value, str | bool) or isinstance(b.value, str | bool):
        return bool(a.value == b.value)
    x, y = float(a.value), float(b.value)
    if np.isnan(x) and np.isnan(y):
        return True
    digits = max(a.digits, b.digits)
    return bool(np.isclose(x, y, rtol=digits, atol=rounding))
