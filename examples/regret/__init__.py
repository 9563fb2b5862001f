"""What advice brings, measured: problems, ways to go on, and tables of their regret."""
