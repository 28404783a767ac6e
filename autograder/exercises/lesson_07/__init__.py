"""Lesson 07, masks and the causal decoder: its exercises in order."""

from autograder.exercises.lesson_07.causal_language_model import CAUSAL_LANGUAGE_MODEL
from autograder.exercises.lesson_07.causal_mask import CAUSAL_MASK
from autograder.exercises.lesson_07.decoder_mask import DECODER_MASK

EXERCISES = (CAUSAL_MASK, DECODER_MASK, CAUSAL_LANGUAGE_MODEL)
