"""What a notebook of the course imports."""

from course_lib.checking.check import check as check
from course_lib.checking.check import example as example
from course_lib.checking.check import hint as hint
from course_lib.session import begin as begin
from course_lib.version import __version__ as __version__
