"""The experiments of the lessons: one seed runs live in a notebook, several are recorded by ``make experiments``."""

from course_lib.experiments.series import recorded as recorded
