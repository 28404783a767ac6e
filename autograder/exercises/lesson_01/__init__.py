"""Lesson 01, recurrent translation: its exercises in order."""

from autograder.exercises.lesson_01.clip_gradients import CLIP_GRADIENTS
from autograder.exercises.lesson_01.lstm_step import LSTM_STEP
from autograder.exercises.lesson_01.recurrent_encoder import RECURRENT_ENCODER
from autograder.exercises.lesson_01.rnn_step import RNN_STEP
from autograder.exercises.lesson_01.teacher_forced_loss import TEACHER_FORCED_LOSS

EXERCISES = (RNN_STEP, CLIP_GRADIENTS, LSTM_STEP, RECURRENT_ENCODER, TEACHER_FORCED_LOSS)
