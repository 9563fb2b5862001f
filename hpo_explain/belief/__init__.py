"""What the trials allow the objective to be: functions drawn from one posterior, and decisions."""
