"""Send many notebooks through five ways of grading, and through `course doctor`.

`kernel`, `course_check` and `doctors` are scripts: each handles all notebooks in one process, because starting Python
and importing torch takes longer than grading a notebook. `paths` starts them and the graders, and reads what they find.
"""
