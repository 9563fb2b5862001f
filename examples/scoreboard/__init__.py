"""What questions are answered with, against the truth of tables that are known as a whole."""
