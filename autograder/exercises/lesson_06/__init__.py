"""Lesson 06, the encoder block: its exercises in order."""

from autograder.exercises.lesson_06.encoder import ENCODER
from autograder.exercises.lesson_06.encoder_layer import ENCODER_LAYER
from autograder.exercises.lesson_06.feed_forward import FEED_FORWARD
from autograder.exercises.lesson_06.layer_norm import LAYER_NORM
from autograder.exercises.lesson_06.residual_sublayer import RESIDUAL_SUBLAYER

EXERCISES = (FEED_FORWARD, LAYER_NORM, RESIDUAL_SUBLAYER, ENCODER_LAYER, ENCODER)
