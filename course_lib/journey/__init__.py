"""The way through the course: the points of the last checks, what comes next, and the map."""
