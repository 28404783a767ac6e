"""What nbgrader's commands, formgrader and exchange run in place of their own code."""
