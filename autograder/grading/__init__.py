"""Running and judging submissions: one, or those of a whole class."""
