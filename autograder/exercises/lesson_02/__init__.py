"""Lesson 02, attention: its exercises in order."""

from autograder.exercises.lesson_02.additive_scores import ADDITIVE_SCORES
from autograder.exercises.lesson_02.attend import ATTEND
from autograder.exercises.lesson_02.attentional_state import ATTENTIONAL_STATE
from autograder.exercises.lesson_02.bilinear_scores import BILINEAR_SCORES
from autograder.exercises.lesson_02.dot_scores import DOT_SCORES
from autograder.exercises.lesson_02.padding_mask import PADDING_MASK

EXERCISES = (DOT_SCORES, PADDING_MASK, ATTEND, BILINEAR_SCORES, ADDITIVE_SCORES, ATTENTIONAL_STATE)
