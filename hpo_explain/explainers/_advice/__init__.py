"""What can be advised: one idea per file, each from the analyses of a run to its actions."""
