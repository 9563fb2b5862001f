"""Samplers of Optuna by the names of their classes."""

import warnings

import optuna
import pytest

from hpo_explain.adapters.optuna.samplers import make_sampler, sampler_names


@pytest.mark.parametrize("name", sampler_names())
def test_every_sampler_that_is_listed_can_be_made_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            sampler = make_sampler(name)
        except ImportError as error:  # of a package that only this sampler needs
            pytest.skip(str(error))
    assert type(sampler) is getattr(optuna.samplers, name)


@pytest.mark.parametrize("name", ["BaseSampler", "GridSampler", "nsgaii", "tpe", "os", ""])
def test_whatever_needs_arguments_or_is_no_sampler_is_refused_with_the_list(name):
    with pytest.raises(ValueError, match="TPESampler"):
        make_sampler(name)
