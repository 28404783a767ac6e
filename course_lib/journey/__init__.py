"""The way through the course: points as they were last checked, what comes next, and the map."""
