"""Matchers: functions that recognise mistakes whose answers cannot be compared.

A matcher takes ``(questions, answers, reference)`` and says whether the answers show its mistake. The matchers are
sorted by lesson, and `registry.MATCHERS` finds each by its name. They are in the library and not next to the
exercises, because a student's own check names mistakes, too.
"""
