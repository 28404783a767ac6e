"""Describe wrong answers to a student in words and numbers: which mistake, where, on which example, and what to try."""
