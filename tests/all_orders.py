"""Shares of mean and standard deviation in a criterion's gains, by every order there is."""

import itertools

import numpy as np


def by_all_orders(a, surrogate, x, background, sign=1.0):
    """Return shares (d, 2) by every order of players, and of mean and standard deviation.

    `a` is a criterion of a cost's mean and standard deviation, `sign` what makes a cost of the
    objective that `surrogate` predicts.
    """
    players = np.flatnonzero(~np.isnan(x))
    orders = list(itertools.permutations(players))
    shares = np.zeros((len(x), 2))
    for start in background:
        predicted = {}

        def predict(joined, start=start, predicted=predicted):
            if joined not in predicted:
                row = start.copy()
                row[list(joined)] = x[list(joined)]
                rows = surrogate.space.project(row[None])
                mean, std = surrogate.predict(rows)
                predicted[joined] = sign * mean[0], std[0]
            return predicted[joined]

        for order in orders:
            for place, j in enumerate(order):
                m0, s0 = predict(frozenset(order[:place]))
                m1, s1 = predict(frozenset(order[: place + 1]))
                mean_first = a(m1, s0) - a(m0, s0), a(m1, s1) - a(m1, s0)
                std_first = a(m1, s1) - a(m0, s1), a(m0, s1) - a(m0, s0)
                shares[j] += np.mean([mean_first, std_first], axis=0)
    return shares / len(orders) / len(background)
