"""A bank of odd but correct notebooks.

Every entry is a small function that edits a correct notebook as an editor, a slip or a habit would. The files group the
entries by kind.
"""
