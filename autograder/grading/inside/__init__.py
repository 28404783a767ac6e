"""Code that runs inside the sandbox, apart from the released `course_lib`. It imports nothing of the autograder."""
