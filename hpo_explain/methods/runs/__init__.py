"""Methods about what a run, or several, did."""
