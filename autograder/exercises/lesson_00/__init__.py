"""Lesson 00, the task and its yardstick: its exercises in order."""

from autograder.exercises.lesson_00.brevity_penalty import BREVITY_PENALTY
from autograder.exercises.lesson_00.clipped_counts import CLIPPED_COUNTS
from autograder.exercises.lesson_00.corpus_bleu import CORPUS_BLEU
from autograder.exercises.lesson_00.pad_batch import PAD_BATCH
from autograder.exercises.lesson_00.vocabulary import VOCABULARY

EXERCISES = (PAD_BATCH, VOCABULARY, CLIPPED_COUNTS, BREVITY_PENALTY, CORPUS_BLEU)
