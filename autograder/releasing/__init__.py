"""Releasing a lesson to a class that is at work: when that gives answers away too early; nbgrader's exchange."""
