"""Lesson 05, positional encoding: its exercises in order."""

from autograder.exercises.lesson_05.binary_code import BINARY_CODE
from autograder.exercises.lesson_05.learned_positions import LEARNED_POSITIONS
from autograder.exercises.lesson_05.position_embedding import POSITION_EMBEDDING
from autograder.exercises.lesson_05.sinusoidal_encoding import SINUSOIDAL_ENCODING

EXERCISES = (BINARY_CODE, SINUSOIDAL_ENCODING, LEARNED_POSITIONS, POSITION_EMBEDDING)
