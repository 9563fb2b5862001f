"""How tolerance is drawn: the values that each hyperparameter may take, along its own scale."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import counted, format_value
from hpo_explain.base.figures import PALE, Bar, Dots, Rows, View
from hpo_explain.methods.around.tolerance import Stretch, Tolerance
from hpo_explain.space import Parameter


def ranges(tolerance: Tolerance) -> Rows:
    """Draw the values that may be taken, first those that must be met most exactly."""
    shown, rest = Rows.folded(tolerance.order().tolist())
    parameters = [tolerance.subject.space[tolerance.names[i]] for i in shown]
    labels, bars, places = [], list[Bar](), []
    for row, (i, parameter) in enumerate(zip(shown, parameters, strict=True)):
        value = tolerance.config[parameter.name]
        labels.append((parameter.name, f"= {format_value(value)}"))
        bars += _bars(row, parameter, tolerance.free[i], PALE)
        bars += _bars(row, parameter, tolerance.alone[i], 0)
        places.append(np.mean(_ends(parameter, value)))
    amount = f"{tolerance.epsilon:.2g} of the {tolerance.objective_name}"
    footer = f"Not shown: {counted(len(rest), 'hyperparameter')} that may move further."
    return Rows(
        labels=labels,
        bars=bars,
        dots=[Dots(np.array(places), np.arange(len(places), dtype=float), look="total")],
        fills={0: "alone", PALE: "with the others at their best"},
        means={"total": tolerance.where},
        heading=f"How far each value of {tolerance.where} may move",
        subtitle=f"before more than {amount} is lost",
        label="place on the hyperparameter's own scale",
        footer=footer if rest else "",
        ends=(0.0, 1.0),
        zero=False,
        percent=True,
    )


def _bars(row: int, parameter: Parameter, stretch: Stretch, fill: int) -> list[Bar]:
    if parameter.is_category:
        each = [_ends(parameter, value) for value in stretch.values]
    else:
        low, high = (parameter.encode([end])[0] for end in stretch.values)
        each = [(float(low), float(high))]
    return [Bar(row, low, high, fill=fill, told=stretch.text(parameter)) for low, high in each]


def _ends(parameter: Parameter, value: object) -> tuple[float, float]:
    """Return where a value begins and ends on its hyperparameter's scale."""
    place = float(parameter.encode([value])[0])
    if not parameter.is_category:
        return place, place
    return place / len(parameter.choices), (place + 1.0) / len(parameter.choices)


VIEWS = {"": View(ranges, "How far each value may move before too much is lost.")}
