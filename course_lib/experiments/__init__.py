"""The experiments of the lessons. One seed runs live in a notebook; ``make experiments`` records several."""

from course_lib.experiments.recordings import recorded as recorded
