"""A bank of odd but correct notebooks, and the five paths that must give each the same score.

Every entry is a small function that edits a correct notebook as an editor, a slip or a habit would. The files group the
entries by kind. `paths` sends all of them through cards in a kernel, `course check`, `course grade`, `course collect`
followed by grading, and `nbgrader autograde`.
"""
