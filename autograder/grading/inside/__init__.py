"""What runs inside the sandbox besides `course_lib` as released. It imports nothing of the autograder."""
