"""Plots: one file per result, each drawing numbers that are already computed."""
