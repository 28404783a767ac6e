"""Recognisers: functions that recognise mistakes whose answers cannot be compared.

A recogniser takes ``(questions, sheet, reference)`` and says whether the sheet shows its mistake. The recognisers are
sorted by lesson. They are in the library and not next to the exercises, because a student's own check names mistakes,
too.
"""

from course_lib.checking.recognisers import any_lesson as any_lesson
from course_lib.checking.recognisers import lesson_00 as lesson_00
from course_lib.checking.recognisers import lesson_01 as lesson_01
from course_lib.checking.recognisers import lesson_02 as lesson_02
from course_lib.checking.recognisers import lesson_03 as lesson_03
from course_lib.checking.recognisers import lesson_04 as lesson_04
from course_lib.checking.recognisers import lesson_05 as lesson_05
from course_lib.checking.recognisers import lesson_06 as lesson_06
from course_lib.checking.recognisers import lesson_07 as lesson_07
from course_lib.checking.recognisers import lesson_08 as lesson_08
from course_lib.checking.recognisers import lesson_09 as lesson_09
from course_lib.checking.recognisers import lesson_10 as lesson_10
from course_lib.checking.recognisers.registry import RECOGNISERS as RECOGNISERS
