"""Importance methods against the truth, on problems by which nothing in the package was chosen."""
