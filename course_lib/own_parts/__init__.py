"""Your own parts: what you wrote in earlier lessons, used instead of the reference.

`use` cuts each exercise out of your notebooks, judges it, and puts what passes into `course_lib.components`. Then
``from course_lib.components import MultiHeadAttention`` gives yours, and every component that builds on it uses yours,
too. If a part is missing or wrong, the reference stays in use. A table says which part is whose. ``use(False)`` puts
the reference back.

- `cut_part` takes from a notebook what a part needs, and nothing else.
- `judge` runs a part in a process of its own and asks it the public questions. It remembers the verdict by the part's
  text, so that nothing runs twice.
- `shadow` exchanges objects in the modules that refer to them.
- `progress` says which part is running.
- `parts` is the table. `use` does all of this, and `course parts` prints the table.

While a notebook is checked or graded, everything is the reference, so that no mistake costs points twice. A library may
have been released without components of lessons that still accepted work. `course_lib.stand_ins` lists them. Your part
replaces each of them regardless of the switch, even while your notebook is checked at home.
"""

from course_lib.own_parts.parts import Part as Part
from course_lib.own_parts.parts import Parts as Parts
from course_lib.own_parts.use import assemble as assemble
from course_lib.own_parts.use import use as use
