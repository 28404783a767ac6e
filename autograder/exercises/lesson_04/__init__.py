"""Lesson 04, multi-head attention: its exercises in order."""

from autograder.exercises.lesson_04.copy_from_torch import COPY_FROM_TORCH
from autograder.exercises.lesson_04.copy_to_torch import COPY_TO_TORCH
from autograder.exercises.lesson_04.merge_heads import MERGE_HEADS
from autograder.exercises.lesson_04.multi_head_attention import MULTI_HEAD_ATTENTION
from autograder.exercises.lesson_04.split_heads import SPLIT_HEADS

EXERCISES = (SPLIT_HEADS, MERGE_HEADS, MULTI_HEAD_ATTENTION, COPY_TO_TORCH, COPY_FROM_TORCH)
