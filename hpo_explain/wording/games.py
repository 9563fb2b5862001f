"""Games of tuning in words."""

from __future__ import annotations

import math

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import counted, join_words, listed
from hpo_explain.explanations.games import GameExplanation
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_level, format_value, plus_minus

_MOST_NAMED = 6

add_facts(
    {
        "default_completed": lambda fact: (
            f"{listed(list(fact.names), _MOST_NAMED)} have no value in the default: where a "
            "coalition activates them, they have the middle of their range"
        ),
        "default_chosen": lambda fact: (
            f"default: trial {fact.trials[0]}, chosen because none was given"
        ),
        "games_of_others": lambda fact: (
            f"compared with the values that {counted(fact['runs'], 'other run')} tried"
        ),
        "default_of_all": "default: the configuration that is best on average over the runs",
        "runs_uneven": lambda fact: (
            f"{fact['name']} makes up {fact['share']:.0%} of the average, as the objective varies "
            "most in it"
        ),
        "games_of_model": "compared with the best values that the model predicts",
    }
)


@sentence_of(GameExplanation)
def sentence(result: GameExplanation) -> str:
    """Say what all hyperparameters can do to the objective, and which of them do it alone."""
    first, *others = result.claims
    if first.kind == "no_effect":
        return f"{_of_runs(result, _NOTHING[result.game])}.{reservation([first])}"
    alone = [claim for claim in others if claim.kind in ("gain", "importance")]
    together = [claim for claim in others if claim.kind == "interaction"]
    text = _of_runs(result, _WHOLE[result.game](result, first))
    if any(reason.kind == "gain_within_uncertainty" for reason in first.because):
        text += " This is within the model's uncertainty."
    if alone:
        told = join_words([_part(claim, result) for claim in alone])
        text += f" {_ALONE.get(result.game, 'Alone,')} {told}."
    for claim in together:
        more = "more" if claim.estimate * result.whole > 0.0 else "less"
        text += (
            f" {join_words(claim.hyperparameters)} {_TOGETHER[result.game]} {more} together than "
            f"they add up to alone ({plus_minus(claim.estimate, claim.half)})."
        )
    return text + reservation([first])


def _over(result: GameExplanation) -> str:
    """Say how the values of several runs became one."""
    runs, over = counted(len(result.games), "run"), result.over
    losses = result.game in ("mistunability", "optimizer_bias")  # told the other way round
    if isinstance(over, float):
        return f"at the {100.0 * (1.0 - over if losses else over):g} % quantile over {runs}"
    if over in ("min", "max"):
        return (
            f"at least, in each of {runs}"
            if losses == (over == "max")
            else f"at most, in any of {runs}"
        )
    return f"on average over {runs}"


def _of_runs(result: GameExplanation, text: str) -> str:
    """Return what is said of a run, or of several."""
    if not result.games:
        return text
    start = _over(result)
    return f"{start[0].upper()}{start[1:]}: {text[0].lower()}{text[1:]}"


def default(result: GameExplanation) -> str:
    """Return the default in words."""
    trial = result.default_trial
    return "the default" if trial is None else f"the default (trial {trial})"


def _levels(result: GameExplanation, word: str) -> str:
    if result.games:
        return ""
    sign = 1.0 if result.direction == "minimize" else -1.0
    start = result.default_prediction
    end = start - sign * result.whole
    return (
        f" (predicted {result.objective_name} {format_level(start, result.whole)}, "
        f"{word} {format_level(end, result.whole)})"
    )


def _size(claim: Claim) -> str:
    return plus_minus(abs(claim.estimate), claim.half)


def _tunable(result: GameExplanation, claim: Claim) -> str:
    return f"Tuning gains {_size(claim)} over {default(result)}{_levels(result, 'at best')}."


def _mistunable(result: GameExplanation, claim: Claim) -> str:
    return (
        f"The worst values lose {_size(claim)} against {default(result)}"
        f"{_levels(result, 'at worst')}."
    )


def _sensitive(result: GameExplanation, claim: Claim) -> str:
    return (
        f"With all hyperparameters free, the predicted {result.objective_name} has a standard "
        f"deviation of {format_value(math.sqrt(max(claim.estimate, 0.0)))} around "
        f"{default(result)}."
    )


def _biased(result: GameExplanation, claim: Claim) -> str:
    who = "the optimizers" if result.games else result.optimizer
    return (
        f"The values that {who} tried miss {_size(claim)} of the "
        f"{result.objective_name} that can be gained over {default(result)}."
    )


_WHOLE = {
    "tunability": _tunable,
    "mistunability": _mistunable,
    "sensitivity": _sensitive,
    "optimizer_bias": _biased,
}
_NOTHING = {
    "tunability": "Tuning gains nothing over the default",
    "mistunability": "No values are worse than the default",
    "sensitivity": "The predicted objective does not vary",
    "optimizer_bias": "The values that were tried miss nothing of what can be gained",
}


def _part(claim: Claim, result: GameExplanation) -> str:
    names = " + ".join(claim.hyperparameters)
    if result.game == "sensitivity":
        return f"{names} {format_value(math.sqrt(max(claim.estimate, 0.0)))}"
    verb = {"tunability": "gains", "mistunability": "loses", "optimizer_bias": "misses"}
    return f"{names} {verb[result.game]} {format_value(abs(claim.estimate))}"


_ALONE = {"sensitivity": "With only one of them free:"}
_TOGETHER = {
    "tunability": "gain",
    "mistunability": "lose",
    "sensitivity": "make it vary",
    "optimizer_bias": "miss",
}
_HEADING = {
    "tunability": "What tuning gains over {}",
    "mistunability": "What wrong values lose against {}",
    "sensitivity": "How the predicted objective varies around {}",
    "optimizer_bias": "What the tried values miss of what can be gained over {}",
}
_UNIT = {
    "tunability": "gain of the predicted {}",
    "mistunability": "gain of the predicted {}",
    "sensitivity": "variance of the predicted {}",
    "optimizer_bias": "gain of the predicted {}",
}
_POSITIVE = {
    "tunability": ("gains", "gains less together"),
    "mistunability": ("gains back together", "loses"),
    "sensitivity": ("varies", "varies less together"),
    "optimizer_bias": ("misses less together", "misses"),
}
NETWORK = "Disks: single hyperparameters; lines: what two do beyond that, together."
MATRIX = "On the diagonal: single hyperparameters; below: what two do beyond that, together."
WHISKERS = "Whiskers: 95 % interval of each step under the model."
INTEGRATED = (
    "Whiskers: 95 % interval of integrating over the space; it is not the model's uncertainty."
)
NO_WHISKERS = "No intervals: the model does not say how uncertain these values are."


def heading(result: GameExplanation) -> str:
    """Return the heading of the plots."""
    heading = _HEADING[result.game].format(default(result))
    return f"{heading}, {_over(result)}" if result.games else heading


def subtitle(result: GameExplanation) -> str:
    """Say what adds up to what."""
    whole = plus_minus(result.whole, result.whole_half)
    return f"All values add up to {whole} ({result.index}, order {result.order})."


def label(result: GameExplanation) -> str:
    """Return what the values are."""
    return _UNIT[result.game].format(result.objective_name)


def marks(result: GameExplanation) -> tuple[str, str]:
    """Return what positive and what negative values mean."""
    return _POSITIVE[result.game]


def whiskers(result: GameExplanation) -> str:
    """Say what whiskers are."""
    if result.total.model_std is not None:
        return WHISKERS
    return NO_WHISKERS if result.total.half_width is None else INTEGRATED


def others(count: int) -> str:
    """Return the label of a row that sums the smallest sets."""
    return f"{count} others"
