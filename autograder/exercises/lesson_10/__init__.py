"""Lesson 10, decoding and evaluation: its exercises in order."""

from autograder.exercises.lesson_10.beam_search import BEAM_SEARCH
from autograder.exercises.lesson_10.cached_decoder import CACHED_DECODER
from autograder.exercises.lesson_10.cached_layer import CACHED_LAYER
from autograder.exercises.lesson_10.greedy_decode import GREEDY_DECODE

EXERCISES = (GREEDY_DECODE, BEAM_SEARCH, CACHED_LAYER, CACHED_DECODER)
