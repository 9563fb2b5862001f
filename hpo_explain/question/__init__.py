"""What users call: a run and a method's own arguments, and what all functions share."""
