"""The reference implementation of everything a student writes, one concept a file.

A file is imported when one of its functions or classes is first used. Type checkers read ``__init__.pyi``, which
`autograder.building.release.component_stub` writes.
"""

from course_lib import component_files as _component_files

_component_files.import_on_demand(__name__)
