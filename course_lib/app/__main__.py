"""``python -m course_lib.app`` is ``course``."""

from course_lib.app.main import main

main()
