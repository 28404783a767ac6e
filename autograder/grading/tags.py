"""Tags of cells that a graded notebook has and the released one has not."""

ADDED = "added"  #: of the student's own
OURS = "ours"  #: that only whoever grades by hand may read
