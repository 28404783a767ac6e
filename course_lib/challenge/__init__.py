"""The challenge at the end of lesson 10: the best translator that can be trained in so many CPU seconds.

A notebook defines ``train(pairs, seconds)``, which learns from sentence pairs and returns
``translate(sentences)``. Everyone gets the same pairs, the same seconds and the same sentences.

Whoever has the course has its corpus, its grammar and its trained weights too. So the words are
renamed, each language by numbers that are drawn in secret. With the grammar at hand that is a cipher
that can be broken, in ten seconds by somebody who has prepared it: code that uses the grammar is therefore noted
for the instructor, and none is taken that is long enough to hold weights. A rehearsal at home renames nothing:
there one wants to read what one's translator says.
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
