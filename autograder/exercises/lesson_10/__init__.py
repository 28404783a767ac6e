"""Lesson 10, decoding and evaluation: its exercises in order."""

from autograder.exercises.lesson_10.beam_search import BEAM_SEARCH
from autograder.exercises.lesson_10.greedy_decode import GREEDY_DECODE

EXERCISES = (GREEDY_DECODE, BEAM_SEARCH)
