"""Lessons become notebooks, and the library becomes what a student of a lesson receives."""
