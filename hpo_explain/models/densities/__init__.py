"""Densities of good and of bad trials, and their ratio: the acquisition function of TPE."""
