"""Lesson 09, training a translator: its exercises in order."""

from autograder.exercises.lesson_09.label_smoothed_loss import LABEL_SMOOTHED_LOSS
from autograder.exercises.lesson_09.shift_targets import SHIFT_TARGETS
from autograder.exercises.lesson_09.train_step import TRAIN_STEP
from autograder.exercises.lesson_09.warmup_schedule import WARMUP_SCHEDULE

EXERCISES = (SHIFT_TARGETS, LABEL_SMOOTHED_LOSS, WARMUP_SCHEDULE, TRAIN_STEP)
