"""Lesson 13, one block in three families: its exercises in order."""

from autograder.exercises.lesson_13.encoder_classifier import ENCODER_CLASSIFIER
from autograder.exercises.lesson_13.generate import GENERATE
from autograder.exercises.lesson_13.mask_tokens import MASK_TOKENS
from autograder.exercises.lesson_13.sampling_distribution import SAMPLING_DISTRIBUTION
from autograder.exercises.lesson_13.split_into_patches import SPLIT_INTO_PATCHES
from autograder.exercises.lesson_13.vision_transformer import VISION_TRANSFORMER

EXERCISES = (
    SAMPLING_DISTRIBUTION,
    GENERATE,
    MASK_TOKENS,
    ENCODER_CLASSIFIER,
    SPLIT_INTO_PATCHES,
    VISION_TRANSFORMER,
)
