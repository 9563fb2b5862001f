"""A run, the same run as somebody else might have written it down, and what is said about both."""

from dataclasses import dataclass, field, replace

import numpy as np
import optuna
from hypothesis import strategies as st

import hpo_explain as hx
from hpo_explain.run import Curves

CONFIGS = 28
INITIAL = 8
NAMES = ["rate", "lr", "layers", "kind", "drop", "warm"]
REAL = ["rate", "lr", "drop"]


def parameters():
    """A real number on each scale, an integer, categories, and what depends on one of them."""
    return [
        hx.FloatParameter("rate", 0.0, 2.0),
        hx.FloatParameter("lr", 1e-4, 1.0, log=True),
        hx.IntParameter("layers", 1, 6),
        hx.CategoricalParameter("kind", ["tree", "line", "net"]),
        hx.FloatParameter("drop", 0.0, 1.0, active_when={"kind": ["net", "tree"]}),
        hx.CategoricalParameter("warm", [False, True]),
    ]


def trials(seed):
    """Configurations and their objective, in which everything matters."""
    rng = np.random.default_rng(seed)
    space = hx.SearchSpace(parameters())
    configs = space.decode(space.sample(CONFIGS, seed=seed, method="uniform"))
    slopes = rng.normal(size=5)
    by_kind = dict(zip(["tree", "line", "net"], rng.normal(size=3), strict=True))
    objective = [
        slopes[0] * (c["rate"] - 0.7) ** 2
        + slopes[1] * np.log10(c["lr"])
        + slopes[2] * 0.2 * c["layers"]
        + by_kind[c["kind"]] * (1.0 + c["warm"])
        + slopes[3] * c.get("drop", 0.5) * c["rate"]
        + 0.2 * rng.normal()
        for c in configs
    ]
    return configs, np.array(objective)


@dataclass(frozen=True)
class Written:
    """How a run is written down.

    Attributes
    ----------
    order : the positions of the hyperparameters
    names : their names
    labels : of categories, by the name they have at first
    categories : the positions of the categories, by the hyperparameter's name at first
    scale, shift : of the objective; a negative scale turns the direction around
    units : what real values are multiplied by, by the hyperparameter's name at first
    rows : the seed of the order in which the trials are; None as they are
    """

    order: tuple = (0, 1, 2, 3, 4, 5)
    names: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)
    categories: dict = field(default_factory=dict)
    scale: float = 1.0
    shift: float = 0.0
    units: dict = field(default_factory=dict)
    rows: int | None = None

    # ------------------------------------------------------------------ there

    def name(self, name):
        return self.names.get(name, name)

    def value(self, name, value):
        if name in self.units:
            return self.units[name] * value
        return self.labels.get(name, {}).get(value, value)

    def config(self, config):
        return {self.name(k): self.value(k, v) for k, v in config.items()}

    def space(self):
        def written(p):
            options = {
                "active_when": {
                    self.name(k): [self.value(k, v) for v in values]
                    for k, values in p.active_when.items()
                }
            }
            if isinstance(p, hx.CategoricalParameter):
                places = self.categories.get(p.name, range(len(p.choices)))
                choices = [self.value(p.name, p.choices[i]) for i in places]
                return hx.CategoricalParameter(self.name(p.name), choices, **options)
            low, high = (self.value(p.name, end) for end in (p.low, p.high))
            log = {"log": p.log} if isinstance(p, hx.FloatParameter) else {}
            return type(p)(self.name(p.name), low, high, **log, **options)

        every = [written(p) for p in parameters()]
        return hx.SearchSpace([every[i] for i in self.order])

    @property
    def direction(self):
        return "minimize" if self.scale > 0 else "maximize"

    def run(self, seed, **more):
        configs, objective = trials(seed)
        proposals = range(INITIAL, CONFIGS)
        return self.run_of(configs, objective, proposals=proposals, **more)

    def run_of(self, configs, objective, feasible=None, **more):
        space = self.space()
        rows = np.arange(len(configs))
        if self.rows is not None:
            rows = np.random.default_rng(self.rows).permutation(rows)
        X = space.encode([self.config(configs[i]) for i in rows])
        return hx.Run(
            space,
            X,
            self.scale * objective[rows] + self.shift,
            self.direction,
            feasible=np.empty(0, bool) if feasible is None else feasible[rows],
            **more,
        )

    def noisy(self, seed):
        """Every configuration four times, with noise that two hyperparameters change."""
        configs, objective = trials(seed)
        noise = np.random.default_rng(seed).standard_normal((4, CONFIGS))
        size = np.array([0.05 * 10.0 ** (c["rate"] / 2.0) * (1.0 + c["warm"]) for c in configs])
        return self.run_of(configs * 4, (objective + size * noise).ravel())

    def two_objectives(self, seed):
        """The objective and a second one, which is always minimized."""
        configs, _ = trials(seed)
        size = np.array([c["layers"] + c["rate"] + 0.3 * (c["kind"] == "net") for c in configs])
        second = self.run(seed, objective_name="loss")
        return {
            "loss": second,
            "size": replace(self, scale=1.0, shift=0.0).run_of(
                configs, size, objective_name="size", proposals=second.proposals
            ),
        }

    def with_curves(self, seed):
        """Values at five steps, of which the last is the objective."""
        run, (_, objective) = self.run(seed), trials(seed)
        far = np.random.default_rng(seed).standard_normal((CONFIGS, 5)) * [1.0, 0.6, 0.3, 0.1, 0.0]
        values = self.scale * (objective[:, None] + far) + self.shift
        return replace(run, curves=Curves(run.trials, run.X, np.arange(1.0, 6.0), values))

    def study(self, seed):
        """An Optuna study of the trials, whose next one TPE would choose."""
        configs, objective = trials(seed)
        distributions = self.space().to_optuna()
        study = optuna.create_study(
            direction=self.direction, sampler=optuna.samplers.TPESampler(seed=0)
        )
        for config, value in zip(map(self.config, configs), objective, strict=True):
            study.add_trial(
                optuna.trial.create_trial(
                    params=config,
                    distributions={k: distributions[k] for k in config},
                    value=float(self.scale * value + self.shift),
                )
            )
        return study

    # ------------------------------------------------------------------ and back

    def old(self, name):
        return {v: k for k, v in self.names.items()}.get(name, name)

    def old_value(self, name, value):
        """The value at first, of a hyperparameter with the name it has at first."""
        if name in self.units:
            return value / self.units[name]
        back = {v: k for k, v in self.labels.get(name, {}).items()}
        return back.get(value, value)

    def back(self, config):
        return {self.old(k): self.old_value(self.old(k), v) for k, v in config.items()}

    def point(self, values):
        """Values of the objective."""
        return (np.asarray(values, dtype=float) - self.shift) / self.scale

    def change(self, values):
        """Differences of the objective."""
        return np.asarray(values, dtype=float) / self.scale

    def size(self, values):
        """What has the objective's unit and no sign, or is positive where it is better."""
        return np.asarray(values, dtype=float) / abs(self.scale)


@st.composite
def ways(draw, objectives, factors):
    """A way to write a run down, another one in everything at once.

    The objective has one of some pairs of a scale and a shift, real values one of some factors.
    """
    scale, shift = draw(st.sampled_from(objectives))
    kinds = draw(st.permutations(["a", "b", "c"]))
    return Written(
        order=tuple(draw(st.permutations(range(6)))),
        names=dict(zip(NAMES, draw(st.permutations("uvwxyz")), strict=True)),
        labels={
            "kind": dict(zip(["tree", "line", "net"], kinds, strict=True)),
            "warm": draw(st.sampled_from([{}, {False: "on", True: "off"}])),
        },
        categories={
            "kind": draw(st.permutations(range(3))),
            "warm": draw(st.permutations(range(2))),
        },
        scale=scale,
        shift=shift,
        units={name: draw(st.sampled_from(factors)) for name in REAL},
    )
