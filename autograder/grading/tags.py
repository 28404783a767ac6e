"""Name the cell tag and the output metadata that only a graded notebook has."""

from course_lib.running.cells import ADDED as ADDED  # of the student's own

OURS = "ours"  #: tags a cell that only a grader may read
BARE = "bare_card"  #: a card without anything that a student's code showed or answered
