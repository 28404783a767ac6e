"""Grades and feedback for a learning management system: the gradebook in formats that Canvas and Moodle import."""
