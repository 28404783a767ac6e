"""The challenge of lesson 12: train the best translator in a fixed number of CPU seconds.

A notebook defines ``train(pairs, seconds)``, which learns from sentence pairs and returns
``translate(sentences)``. Everyone gets the same pairs, the same seconds and the same sentences.

A submission could use the course's corpus, grammar or trained weights. So the words are
renamed, each language by secretly chosen numbers. Anyone with the grammar can break that cipher,
in ten seconds if they have prepared it. Code that uses the grammar is therefore reported to the
instructor, and code long enough to contain weights is rejected. A rehearsal at home renames nothing, so that
you can read your translator's output.
"""

from course_lib.challenge.cache import with_cache as with_cache
from course_lib.challenge.rehearsal import Rehearsal as Rehearsal
from course_lib.challenge.rehearsal import pairs as pairs
from course_lib.challenge.rehearsal import rehearse as rehearse
from course_lib.challenge.score import Score as Score
from course_lib.challenge.score import Scores as Scores
from course_lib.challenge.score import scores as scores
from course_lib.challenge.task import Task as Task
from course_lib.challenge.task import make_task as make_task
