"""The diagram of README.md that shows how a lesson gets from a release to the grades."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

LEFT, RIGHT, WIDE, HIGH = 16.0, 328.0, 256.0, 60.0  #: the two columns, and the size of their boxes
ROWS = (52.0, 158.0, 264.0)  #: the top of each row
OUTPUTS = (("course feedback", "a page per student"), ("course report", "for you"), ("course grades", "for your LMS"))


def draw() -> Canvas:
    """Draw your commands on the left, and what happens between them on the right."""
    canvas = Canvas(
        474,
        "A lesson, from release to grades",
        "Your commands, and what happens between them. course release makes one zip, which the students receive. "
        "They work in their notebooks and hand them in on Canvas, on Moodle or in a folder. course collect makes "
        "one notebook per student out of that. course grade runs each notebook in a sandbox, asks hidden questions "
        "and writes to nbgrader's gradebook, where formgrader adds marks given by hand. From the gradebook, course "
        "feedback, course report and course grades write a page per student, a report for you and a file for your "
        "learning system.",
    )
    middle = [top + HIGH / 2 for top in ROWS]
    canvas.text(LEFT, 26, "You run", anchor="start", look="strong")
    canvas.text(RIGHT, 26, "What happens", anchor="start", look="strong")
    canvas.box(LEFT, ROWS[0], WIDE, HIGH, "course release", "one zip per lesson", kind="yours")
    canvas.box(RIGHT, ROWS[0], WIDE, HIGH, "Students work", "a card for every answer")
    canvas.box(LEFT, ROWS[1], WIDE, HIGH, "course collect", "one notebook per student", kind="yours")
    canvas.box(RIGHT, ROWS[1], WIDE, HIGH, "They hand in", "Canvas, Moodle, a folder")
    canvas.box(LEFT, ROWS[2], WIDE, HIGH, "course grade", "in a sandbox", kind="yours")
    canvas.box(RIGHT, ROWS[2], WIDE, HIGH, "nbgrader's gradebook", "marks by hand, too")
    left, right = LEFT + WIDE, RIGHT
    canvas.arrow((left + 3, middle[0]), (right - 3, middle[0]))
    canvas.arrow((right + WIDE / 2, ROWS[0] + HIGH + 3), (right + WIDE / 2, ROWS[1] - 3))
    canvas.arrow((right - 3, middle[1]), (left + 3, middle[1]))
    canvas.arrow((LEFT + WIDE / 2, ROWS[1] + HIGH + 3), (LEFT + WIDE / 2, ROWS[2] - 3))
    canvas.arrow((left + 3, middle[2]), (right - 3, middle[2]))
    top, bend, width = 378.0, 350.0, 180.0
    for number, lines in enumerate(OUTPUTS):
        x = LEFT + number * (width + 14)
        canvas.box(x, top, width, HIGH, *lines, kind="yours")
        start = (RIGHT + WIDE / 2, ROWS[2] + HIGH + 3)
        canvas.arrow(start, (start[0], bend), (x + width / 2, bend), (x + width / 2, top - 3))
    canvas.text(LEFT, 456, "Students need no account, and no server.", SMALL, "start", "soft")
    return canvas
