"""The entries that every test run sends through all five paths; ``pytest --whole-bank`` adds the others."""

CORE = frozenset((
    "all_check_cells_deleted", "all_in_one_big_cell_at_the_end", "answered_below_the_stub",
    "answered_in_a_cell_below", "answered_in_a_raw_cell", "answered_without_metadata", "asynchronous_cells",
    "breakpoint_left_in_an_exercise", "cell_deleted_and_written_anew", "check_called_twice", "code_above_the_raise",
    "code_below_the_raise", "colab", "compiled", "cuda_without_fallback", "databricks", "einops_in_an_exercise",
    "everything_there_twice", "exercises_in_another_order", "exits", "helper_below_but_in_time",
    "helper_below_the_check", "helper_further_down", "merged_with_the_check", "method_replaced_in_a_later_cell",
    "nbformat_3", "nbstripout_without_metadata", "notes_but_no_answer", "nothing_odd", "number_type_reset",
    "other_languages", "outputs_of_24_megabytes", "parameters_renamed", "partial_assigned", "prints_a_lot",
    "prose_cell_became_code", "renamed_by_the_browser", "split_over_two_cells", "turned_raw", "utf_16",
    "vocabulary_in_pieces", "warnings_as_errors", "writefile_and_import",
))  # fmt: skip
