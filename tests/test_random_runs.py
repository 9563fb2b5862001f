"""Whatever a run looks like, every public function is right about it or says what is wrong.

``pytest --hypothesis-profile=long tests/test_random_runs.py`` tries 900 random runs, the tests
of a moment 9.
"""

import json
import logging
import math
import pickle
import re
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import optuna
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution
from optuna.trial import TrialState
from threadpoolctl import threadpool_limits

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.base import SPLITS, printable
from hpo_explain.reporting import SECTIONS
from hpo_explain.space import category_index
from tests.handmade import Page, warns_of_glyphs
from tests.random_runs import studies, tables

pytestmark = [warns_of_glyphs, pytest.mark.usefixtures("few_draws")]

CRITERIA = ("auto", "lcb", "ei", "pi", "logei")
ROWS = 12  # of a background: enough for ten hypercubes

seeds = st.integers(0, 2**32)


def share_of_examples(share):
    """The settings of a test that tries a share of the profile's examples."""
    return settings(
        max_examples=round(share * settings.default.max_examples),
        # a whole run is large, and takes its time to be explained
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@pytest.fixture(autouse=True, scope="module")
def quiet_and_on_one_thread():
    """Many small models are fitted, for which BLAS's threads cost more than they save."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    with threadpool_limits(1, user_api="blas"):
        yield
    optuna.logging.set_verbosity(verbosity)


def refusal(function, *args, about, **options):
    """What a function returns, and the text with which it refuses to, which must help."""
    try:
        return function(*args, **options), ""
    except ValueError as error:
        text = str(error)
    assert re.search(r"\w.*[.)]$", text, re.DOTALL), text
    assert any(str(word) in text for word in about), text
    return None, text


# ---------------------------------------------------------------------- what was read


def check_reading(run, numbers):
    """Every trial is read, or left out with a reason, and nothing got lost on the way."""
    read = run.trials.tolist()
    assert len(set(read)) == len(read) == len(run) > 0
    assert set(read) | run.excluded.keys() == set(numbers)
    assert not set(read) & run.excluded.keys()
    assert all(str(reason).strip() for reason in run.excluded.values())
    assert all(str(note).strip() for note in run.notes)
    assert np.isfinite(run.objective).all()
    assert run.space.is_valid(run.X).all()
    assert set(run.proposals) <= set(read)
    assert all(printable(repr(name)) in str(run.space) for name in run.space.names)
    assert re.match(rf"{len(run)} trials? of ", str(run))
    if run.feasible.any():
        best = run.cost[run.feasible].min()
        assert run.cost[run.row(run.incumbent_trial)] == best
    again = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(again.X, run.X)
    assert str(again) == str(run)


def check_space(space, X, seed):
    """Rows and configurations lead to each other, and so do draws from the measure."""
    drawn = [
        space.sample(20, seed=seed, method=method, latent=latent)
        for method in ("lhs", "uniform")
        for latent in (False, True)
    ]
    for latent in drawn:
        assert space.on_grid(latent).all()
        projected = space.project(latent)
        assert space.is_valid(projected).all()
        np.testing.assert_array_equal(space.project(projected), projected)
    np.testing.assert_allclose(space.encode(space.decode(X)), X, rtol=0, atol=1e-9)
    for rows in (X, drawn[0]):
        configs = space.decode(rows)
        for config, again in zip(configs, space.decode(space.encode(configs)), strict=True):
            assert same(config, again)


def same(config, other):
    """Whether two configurations have the same values of the same hyperparameters."""
    return config.keys() == other.keys() and all(alike(config[k], other[k]) for k in config)


def within_resolution(space, config, params):
    """Whether numbers differ by a last digit of their range only, as positions in it do."""
    return config.keys() == params.keys() and all(
        alike(config[name], params[name])
        or abs(config[name] - params[name]) <= 1e-15 * (space[name].high - space[name].low)
        for name in config
    )


def alike(value, other):
    """Whether two values of a hyperparameter are the same, but for rounding."""
    if isinstance(value, float) and isinstance(other, (float, int)) and math.isfinite(value):
        return math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-12)
    return category_index([value], other) == 0


# ---------------------------------------------------------------------- what is computed


def check_surrogates(run, seed):
    """Every surrogate predicts finite numbers everywhere, and says whether it can be trusted."""
    X = np.vstack([run.space.sample(20, seed=seed), run.X])
    for kind in ("auto", "gp", "forest"):
        surrogate, text = refusal(run.surrogate, kind=kind, n_trees=5, about=["run has"])
        assert bool(text) == (len(run) < 2), text
        if text:
            continue
        for rows in (X, X[:1]):
            mean, std = surrogate.predict(rows)
            assert mean.shape == std.shape == (len(rows),)
            assert np.isfinite(mean).all()
            assert np.isfinite(std).all()
            assert (std >= 0).all()
    if len(run) >= 2:
        found = hx.trust(run)
        assert found.level in ("good", "fair", "poor")
        assert np.isfinite(found.values).all()
        json.dumps(found.to_dict(), allow_nan=False)


def check_explanations(run, seed):
    """A proposal is explained, or there is one of the reasons why none can be."""
    rng = np.random.default_rng(seed)
    for trial in ("latest", "best", int(rng.choice(run.trials))):
        number = trial if isinstance(trial, int) else None
        if number is None and run.proposals:
            number = max(run.proposals) if trial == "latest" else run.best(run.proposals)
        proposed = number in run.proposals
        for criterion in {"auto", rng.choice(CRITERIA)}:
            # any finished trial may be looked at with a criterion that is asked for, or where it is
            # not recorded who chose the trials
            looked_at = isinstance(trial, int)
            unknown = (
                looked_at and not run.proposals and run.origin(trial) is hx.base.Origin.UNKNOWN
            )
            asked = proposed or (looked_at and criterion != "auto") or unknown
            # whatever is beyond counts as that
            known = np.clip(run.objective[run.known_before(number)], -1e150, 1e150) if asked else []
            own = criterion == "auto" and asked and run.own_acquisition(number) is not None
            possible = np.ptp(known) > 0 if len(known) >= 2 else own
            found, text = refusal(
                hx.explain_proposal,
                run,
                trial,
                acquisition=criterion,
                background=ROWS,
                seed=seed % 7,
                about=[run.optimizer, number, run.objective_name, "not recorded who chose"],
            )
            assert bool(text) != possible, text
            if found is not None:
                check_explanation(found, run, number)
                if (trial, criterion) == ("latest", "auto"):
                    check_forms(found)


def check_explanation(found, run, number):
    """The contributions add up, are finite, and can be shown in every form."""
    assert found.trial == number
    assert found.names == run.space.names
    assert np.isfinite(found.phi).all()
    assert np.isfinite(found.standard_error).all()
    split = [term for term in found.terms if term not in found.own_terms]
    for values, more in (
        (found.prediction, []),
        (found.baseline, []),
        (found.payout, split),
        (found.efficiency_gap, []),
    ):
        assert list(values) == [*found.own_terms, "total", *more]
        assert np.isfinite(list(values.values())).all()
    for t, term in enumerate(found.terms):
        if term in split:
            assert found.payout[term] == pytest.approx(
                found.phi[:, t].sum(), rel=1e-6, abs=1e-6 * np.abs(found.phi).max()
            )
    own = found.criterion_terms.to_numpy(float)
    sums = {term: own[:, t].sum() for t, term in enumerate(found.own_terms)}
    sums["total"] = found.phi.sum()
    for term, total in sums.items():
        size = max(abs(found.prediction[term]), abs(found.baseline[term]), np.abs(found.phi).max())
        # log EI falls with 1/s², so that it is worth half of the digits that s has; and s itself is
        # the root of a small difference with the prior variance: where the trials explain all of
        # it, a last digit of that is the root of a last digit of the spread
        slack = 0.0 if term in ("mean", "good", "bad") else 1e-8 * np.ptp(run.objective)
        # a mean is a sum of weights that are up to 1e6 times larger (1 over the least noise) where
        # trials repeat a configuration: of 16 digits 9 are left, less one for their number
        allowed = (1e-6 if "log" in term else 1e-8) * size + min(slack, 1e-6 * size)
        assert abs(found.payout[term] - total) <= allowed
        assert abs(found.efficiency_gap[term] - (found.payout[term] - total)) <= 1e-12 * size
    optional = [p.name for p in run.space if p.optional < 1.0]
    for name, share in zip(found.names, found.phi, strict=True):
        assert name in found.config or name in optional or not share.any()
    assert found.sentence.endswith(".")


def check_forms(found):
    """Tables, JSON, HTML and the plot of an explanation."""
    frame = found.to_frame()
    assert sorted(frame.index) == sorted(found.names)
    assert list(frame.columns) == ["value", "total", *found.terms]
    assert np.isfinite(frame.drop(columns="value").to_numpy(dtype=float)).all()
    interval = found.interval()
    assert (interval["total", "lower"] <= found.total).all()
    assert (interval["total", "upper"] >= found.total).all()
    held = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    for row in held["contributions"]:
        assert None not in (row["total"], *row["terms"].values(), row["interval_95_half_width"])
    page = Page(found._repr_html_())
    assert not page.misnested
    assert "script" not in page.tags()
    axes = found.plot()
    assert axes.figure is not None
    plt.close(axes.figure)


def check_importance(run, seed):
    """Every hyperparameter gets a share of the variance, and the shares add up."""
    order = min(2, len(run.space))
    found, text = refusal(hx.importance, run, order, n_trees=4, seed=seed % 7, about=["run has"])
    assert bool(text) == (len(run) < 2), text
    if text:
        return
    assert set(run.space.names) <= set(found.importance.index)
    shares = found.importance["importance"].to_numpy()
    assert (shares >= -1e-12).all()
    assert shares.sum() <= 1.0 + 1e-9
    for name in run.space.names:
        assert found.share(name) <= found.total_effect(name) + 1e-9
        marginal = found.marginal(name)
        assert np.isfinite(marginal.mean).all()
        assert (marginal.std >= 0.0).all()
    json.dumps(found.to_dict(), allow_nan=False)
    assert not Page(found._repr_html_()).misnested


def check_effects(run, seed):
    """A hyperparameter's effect is finite with its band, and regions make up the whole."""
    name = run.space.names[seed % len(run.space)]
    options = {"grid_size": 5, "seed": seed % 7}
    effect, text = refusal(
        hx.partial_dependence, run, name, sample=20, about=["run has"], **options
    )
    assert bool(text) == (len(run) < 2), text
    if text:
        return
    lower, upper = effect.band(0.95)
    assert (lower <= effect.mean).all()
    assert (effect.mean <= upper).all()
    assert np.isfinite([lower, effect.mean, upper]).all()
    assert len(effect.grid) == len(effect.mean)
    json.dumps(effect.to_dict(), allow_nan=False)
    regional = hx.partial_dependence(
        run,
        name,
        regions=True,
        sample=60,
        max_depth=2,
        criterion=SPLITS[seed % len(SPLITS)],
        **options,
    )
    assert math.isclose(sum(region.weight for region in regional.regions), 1.0)
    whole = sum(region.weight * region.effect.mean for region in regional.regions)
    size = max(1e-300, np.abs(regional.whole.mean).max())
    np.testing.assert_allclose(whole, regional.whole.mean, rtol=0, atol=1e-9 * size)
    json.dumps(regional.to_dict(), allow_nan=False)


def check_around(run, seed):
    """What leads to a trial, matters around it, and acts together is finite and adds up."""
    rng = np.random.default_rng(seed)
    options = {"kind": str(rng.choice(["gp", "forest"])), "seed": seed % 7}
    source, target = (int(trial) for trial in rng.choice(run.trials, 2))
    found, text = refusal(
        hx.changes, run, source, target, about=["run has", "nothing to change"], **options
    )
    ends = run.X[[run.row(source), run.row(target)]]
    assert bool(text) == (len(run) < 2 or np.array_equal(*ends, equal_nan=True)), text
    if found is not None:
        contributions = found.contributions[found.own]
        size = max(1e-300, np.abs(found.values).max(), np.abs(contributions).max())
        assert np.isfinite([*found.values, *found.gains, *contributions]).all()
        assert abs(contributions.sum() - found.gains.sum()) <= 1e-6 * size
    if len(run) < 2:
        return
    local = hx.methods.local_importance(run, source, **options)
    for shares in local.draws:
        assert np.isclose(shares.sum(), 1.0) or not shares.any()
    lime = hx.methods.lime(run, source, str(rng.choice(["linear", "tree"])), sample=50, **options)
    assert lime.fidelity <= 1.0 + 1e-9
    name = run.space.names[seed % len(run.space)]
    together = hx.methods.h_statistic(run, name, **options)
    assert np.isfinite(together.total).all()
    sets = hx.methods.shapley_interactions(run, source, background=10, **options)
    assert abs(sets.efficiency_gap) <= 1e-8 * max(abs(sets.prediction), abs(sets.baseline), 1e-300)
    options["surrogate"] = options.pop("kind")
    kind = ["tunability", "mistunability", "optimizer_bias"][seed % 3]
    game = hx.methods.tunability(run, source, kind=kind, **options)
    assert np.isfinite(game.coalitions).all()
    assert (game.whole >= 0.0) == (seed % 3 == 0) or game.whole == 0.0
    results = [one for one in (found, local, lime, together, sets, game) if one is not None]
    for result in results:
        json.dumps(result.to_dict(), allow_nan=False)
    assert not Page(results[seed % len(results)]._repr_html_()).misnested


def check_report(run, seed):
    """Any three sections of the report show something, or say why they do not apply."""
    sections = [SECTIONS[(seed // 10 + 5 * k) % len(SECTIONS)] for k in range(3)]
    with tempfile.TemporaryDirectory() as folder, failures() as logged:
        path = hx.report(run, Path(folder) / "report.html", sections=sections)
        source = path.read_text(encoding="utf-8")
    assert [str(record.exc_info) for record in logged] == []
    assert not Page(source).misnested


@contextmanager
def failures():
    """What is logged as an error meanwhile: a section that fails does not harm the report."""
    logged = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = logged.append
    logger = logging.getLogger("hpo_explain")
    logger.addHandler(handler)
    yield logged
    logger.removeHandler(handler)


def check_everything(run, numbers, seed):
    check_reading(run, numbers)
    check_space(run.space, run.X, seed)
    configurations = run.space.decode(run.X)
    if len(run) > 1 and all(c == configurations[0] for c in configurations):
        for function in (run.surrogate, partial(hx.importance, run)):
            assert refusal(function, about=["no hyperparameter varies"])[1]
        return
    check_surrogates(run, seed)
    check_explanations(run, seed)
    check_importance(run, seed)
    if seed % 2 == 0:
        check_effects(run, seed)
    if seed % 3 == 0:
        check_around(run, seed)
    if seed % 10 == 0:
        check_report(run, seed)


# ---------------------------------------------------------------------- studies


def counted(study, trials, options):
    """The trials that count and their values, by the rules that `from_optuna` documents."""
    target, names = options["target"], study.metric_names or []
    index = names.index(target) if isinstance(target, str) else target or 0
    values = {}
    for trial in trials:
        if trial.state == TrialState.COMPLETE:
            value = None if callable(index) else trial.values[index]
        elif trial.state == TrialState.PRUNED and options["pruned"] == "last":
            steps = trial.intermediate_values
            value = steps[max(steps)] if steps else None
        else:
            continue
        if callable(target):
            value = target(trial)
        bounds = [
            bound
            for key, held in trial.system_attrs.items()
            if key.startswith("constraints")
            for bound in (held if isinstance(held, list) else [held])
        ]
        infeasible = options["infeasible"] == "drop" and any(bound > 0 for bound in bounds)
        if trial.params and not infeasible and value is not None and math.isfinite(value):
            values[trial.number] = value
    return values


def is_no_space(trials, numbers):
    """Whether a hyperparameter has categories beside numbers, or is too wide or too narrow."""
    kinds = {}
    for number in numbers:
        for name, kind in trials[number].distributions.items():
            kinds.setdefault(name, []).append(kind)
    for found in kinds.values():
        categorical = [isinstance(kind, CategoricalDistribution) for kind in found]
        if any(categorical):
            if not all(categorical):
                return True
            continue
        low = min(kind.low for kind in found)
        width = max(kind.high for kind in found) - low
        if math.isinf(width) or (0.0 < width < 1e-300 and not (found[-1].log and low > 0)):
            return True
    return False


@pytest.mark.merge
@share_of_examples(0.12)
@given(studies(), seeds)
def test_any_study_is_read_and_explained_or_refused_with_the_reason(random_run, seed):
    study, options = random_run.source, random_run.options
    trials = study.get_trials(deepcopy=False)
    values = counted(study, trials, options)
    run, text = refusal(as_run, study, about=["study", "range of"], **options)
    several = len(study.directions) > 1 and options["target"] is None
    assert bool(text) == (not values or several or is_no_space(trials, values)), text
    if text:
        return
    check_everything(run, random_run.numbers, seed)
    read = dict(zip(run.trials.tolist(), run.objective.tolist(), strict=True))
    failed = {number for number, why in run.excluded.items() if why.kind == "sentinel"}
    assert read == {number: value for number, value in values.items() if number not in failed}
    assert all(run.sign * values[number] > max(run.cost) for number in failed)
    for number in run.trials:
        trial, config = trials[number], run.config(number)
        assert same(config, trial.params) or within_resolution(run.space, config, trial.params)
        known = set(run.trials[run.known_before(number)].tolist())
        for other in run.trials.tolist():
            finished = trials[other].datetime_complete
            if other in known:
                assert finished <= trial.datetime_start
            elif other != number:
                assert finished >= trial.datetime_start


# ---------------------------------------------------------------------- tables


@share_of_examples(0.06)
@given(tables(), seeds)
def test_any_table_is_read_and_explained_or_refused_with_the_reason(random_run, seed):
    run, text = refusal(
        as_run,
        random_run.source,
        about=["frame", "column", "hyperparameters", "initial", "range of"],
        **random_run.options,
    )
    if text:
        return
    check_everything(run, random_run.numbers, seed)
