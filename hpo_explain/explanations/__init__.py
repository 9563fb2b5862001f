"""Results: numbers, claims and tables, frozen."""
