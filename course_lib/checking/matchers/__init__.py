"""Recognisers: functions that recognise mistakes whose answers cannot be compared.

A recogniser takes ``(questions, sheet, reference)`` and says whether the sheet shows its mistake. The recognisers are
sorted by lesson, and `registry.RECOGNISERS` finds each by its name. They are in the library and not next to the
exercises, because a student's own check names mistakes, too.
"""
