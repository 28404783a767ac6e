"""Lesson 14, reading a trained translator: its exercises in order."""

from autograder.exercises.lesson_14.alignment_error_rate import ALIGNMENT_ERROR_RATE
from autograder.exercises.lesson_14.attention_rollout import ATTENTION_ROLLOUT
from autograder.exercises.lesson_14.gate_heads import GATE_HEADS
from autograder.exercises.lesson_14.rank_correlation import RANK_CORRELATION

EXERCISES = (ALIGNMENT_ERROR_RATE, RANK_CORRELATION, ATTENTION_ROLLOUT, GATE_HEADS)
