"""Running a notebook's cells without a Jupyter kernel, and asking what they defined.

Inside, each process is a fork of the one before:

- `fork_server`, the *warm* process, has imported everything, and forks once for each notebook;
- `supervisor` keeps the time (`cell_clock`, with the measurements of `stopwatch`) and passes messages on; it never
  runs student code;
- `notebook` runs the cells in order, and reports what each one showed;
- `answerer`: at each grade cell the notebook forks a snapshot of everything defined so far,
  which waits until the notebook has ended and is then asked that exercise's questions. So a
  later cell cannot change an earlier answer, one exercise cannot poison another, and no cell can
  print a question, because no question has been sent yet. Before the first question, `parked` ends everything
  but the answerers, and lets one of them go on at a time (`asking`).

Outside, `runner` keeps a warm process, and `conversation` sends cells, then questions, and makes
an `Outcome` of the untrusted data that comes back.

A student's own notebook runs like that directly; the autograder puts the inner processes into a sandbox.
All of it needs `os.fork`: Linux and macOS. On Windows, `Runner` says so, and only `check` in the open
notebook works. Tracking processes that try to escape (`processes`) needs Linux.
"""
