"""Lesson 08, cross-attention and the Transformer: its exercises in order."""

from autograder.exercises.lesson_08.cross_attention import CROSS_ATTENTION
from autograder.exercises.lesson_08.decoder import DECODER
from autograder.exercises.lesson_08.decoder_layer import DECODER_LAYER
from autograder.exercises.lesson_08.parameter_count import PARAMETER_COUNT
from autograder.exercises.lesson_08.transformer import TRANSFORMER

EXERCISES = (CROSS_ATTENTION, DECODER_LAYER, DECODER, TRANSFORMER, PARAMETER_COUNT)
