"""Methods about what the objective depends on."""
