"""The entries that every test run sends through all five paths, one or two of each kind. ``pytest --thorough`` adds
the others.
"""

CORE = frozenset((
    "all_check_cells_deleted", "all_in_one_big_cell_at_the_end", "answered_below_the_stub",
    "answered_in_a_cell_below", "answered_without_metadata", "asynchronous_cells", "breakpoint_left_in_an_exercise",
    "cell_deleted_and_written_anew", "code_above_the_raise", "code_below_the_raise", "colab", "compiled",
    "einops_in_an_exercise", "exits", "helper_further_down", "merged_with_the_check", "nbformat_3",
    "notes_but_no_answer", "nothing_odd", "number_type_reset", "other_languages", "partial_assigned",
    "prints_a_lot", "renamed_by_the_browser", "turned_raw", "utf_16", "vocabulary_in_pieces",
))  # fmt: skip
