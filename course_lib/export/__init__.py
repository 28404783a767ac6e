"""Exports from the course: a translator as a page that anyone can open."""

from course_lib.export.page import LARGEST as LARGEST
from course_lib.export.page import make_page as make_page
