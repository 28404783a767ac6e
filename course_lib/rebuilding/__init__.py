"""A student's notebook as it is run and graded: the same for doctor, `course check` and the grader."""
