"""Methods about what the optimizer proposed."""
