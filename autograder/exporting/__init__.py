"""Grades and feedback for a learning management system: what stands in the gradebook, as Canvas and Moodle read it."""
