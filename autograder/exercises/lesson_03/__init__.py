"""Lesson 03, self-attention: its exercises in order."""

from autograder.exercises.lesson_03.attention_loops import ATTENTION_LOOPS
from autograder.exercises.lesson_03.attention_numpy import ATTENTION_NUMPY
from autograder.exercises.lesson_03.scaled_dot_product_attention import SCALED_DOT_PRODUCT_ATTENTION
from autograder.exercises.lesson_03.self_attention import SELF_ATTENTION
from autograder.exercises.lesson_03.softmax import SOFTMAX

EXERCISES = (SOFTMAX, ATTENTION_LOOPS, ATTENTION_NUMPY, SCALED_DOT_PRODUCT_ATTENTION, SELF_ATTENTION)
