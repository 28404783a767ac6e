"""Rebuild a student's notebook for running and grading, in the same way for doctor, `course check` and the grader."""
