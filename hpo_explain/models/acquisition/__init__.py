"""Acquisition functions as named additive terms of a utility, larger for better candidates."""
