"""nbgrader's database: points, comments, due dates and late penalties."""
