"""Lesson 12, what attention costs: its exercises in order."""

from autograder.exercises.lesson_12.chunked_attention import CHUNKED_ATTENTION
from autograder.exercises.lesson_12.linear_attention import LINEAR_ATTENTION
from autograder.exercises.lesson_12.online_softmax import ONLINE_SOFTMAX
from autograder.exercises.lesson_12.sliding_window_mask import SLIDING_WINDOW_MASK

EXERCISES = (ONLINE_SOFTMAX, CHUNKED_ATTENTION, SLIDING_WINDOW_MASK, LINEAR_ATTENTION)
