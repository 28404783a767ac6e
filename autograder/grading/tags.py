"""What a graded notebook has and the released one has not: tags of cells, and a name in the metadata of outputs."""

from course_lib.running.cells import ADDED as ADDED  # of the student's own

OURS = "ours"  #: that only whoever grades by hand may read
BARE = "bare_card"  #: a card in which nothing stands that a student's code said or answered
