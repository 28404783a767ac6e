"""What an instructor runs. From Python: `grade` an implementation, and the `exercise_ids` there are."""

from autograder.exercises.grade import Report as Report
from autograder.exercises.grade import exercise_ids as exercise_ids
from autograder.exercises.grade import grade as grade
