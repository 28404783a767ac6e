"""The entries that every test run sends through all five paths; ``pytest --whole-bank`` adds the others."""

CORE = frozenset((
    "all_check_cells_deleted", "all_in_one_big_cell", "all_in_one_big_cell_at_the_end", "answered_below_the_stub",
    "answered_in_a_cell_below", "answered_in_a_code_cell", "answered_in_a_copy_of_the_cell",
    "answered_in_a_raw_cell", "answered_in_its_cell", "answered_in_the_question", "answered_without_metadata",
    "asynchronous_cells", "breakpoint_left_in_an_exercise", "breakpoint_only_mentioned", "breakpoints_in_cells",
    "cell_deleted_and_written_anew", "check_called_twice", "check_merged_into_the_exercise", "check_with_prints",
    "class_inherits_in_two_cells", "code_above_the_raise", "code_below_the_raise", "colab", "compiled",
    "corrected_at_the_end", "crlf_in_sources", "cuda_with_fallback", "cuda_without_fallback", "databricks",
    "defined_in_a_main_guard", "doctests", "early_return_above_the_raise", "einops_in_an_exercise",
    "einops_only_mentioned", "everything_there_twice", "exercises_in_another_order", "exits",
    "helper_below_but_in_time", "helper_below_the_check", "helper_further_down", "input_in_cells",
    "jupytext_light", "kaggle", "lambda_assigned", "merged_with_the_check", "merged_with_the_demo_above",
    "method_replaced_in_a_later_cell", "names_from_everywhere", "nbformat_3", "nbstripout_without_metadata",
    "notes_but_no_answer", "nothing_odd", "number_type_reset", "numpy_raises", "only_a_comment_in_the_cell",
    "other_languages", "outputs_of_24_megabytes", "parameters_renamed", "partial_assigned", "prints_a_lot",
    "prose_cell_became_code", "renamed_by_the_browser", "shell_commands", "split_over_two_cells", "star_imports",
    "stub_and_solution_in_one_cell", "tabs", "time_magic_on_an_exercise", "turned_markdown", "turned_raw",
    "typed_above_the_check", "undefined_name_in_a_dead_branch", "unicode_identifiers", "utf_16",
    "vocabulary_in_pieces", "vs_code", "warnings_as_errors", "widgets", "writefile_and_import",
))  # fmt: skip
