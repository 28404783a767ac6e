"""Your own parts: what you wrote in earlier lessons, in place of the reference.

`use` cuts each exercise out of your notebooks, judges it, and puts what passes into
`course_lib.components`, so that ``from course_lib.components import MultiHeadAttention`` gives yours,
and so that every other component that builds on it builds on yours. What is missing or wrong stays
the reference, and a table says so, part by part. ``use(False)`` puts the reference back.

- `cut` takes from a notebook what a part needs, and nothing else;
- `judge` runs a part in a process of its own and asks the public questions; it remembers the verdict
  of each text, so that nothing is run twice;
- `shadow` exchanges objects in the modules that hold them;
- `progress` says which part is being run;
- `parts` is the table; `use` does all of it, and `course parts` prints it.

While a notebook is checked or graded, everything is the reference: no mistake is charged twice. Where a library was
released without components of lessons that still accepted work, `course_lib.stand_ins` says so of each, and your part
takes its place whatever the switch says, also while your notebook is checked at home.
"""

from course_lib.own_parts.parts import Part as Part
from course_lib.own_parts.parts import Parts as Parts
from course_lib.own_parts.use import assemble as assemble
from course_lib.own_parts.use import use as use
