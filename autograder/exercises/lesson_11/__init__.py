"""Lesson 11, relative and rotary positions: its exercises in order."""

from autograder.exercises.lesson_11.relative_attention import RELATIVE_ATTENTION
from autograder.exercises.lesson_11.relative_positions import RELATIVE_POSITIONS
from autograder.exercises.lesson_11.rotary_attention import ROTARY_ATTENTION
from autograder.exercises.lesson_11.rotary_embedding import ROTARY_EMBEDDING

EXERCISES = (RELATIVE_POSITIONS, RELATIVE_ATTENTION, ROTARY_EMBEDDING, ROTARY_ATTENTION)
