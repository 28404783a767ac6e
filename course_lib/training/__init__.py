"""The training loop, used from lesson 01 on: it turns batches into a trained model and the history of its loss."""

from course_lib.training.batches import Batch as Batch
from course_lib.training.batches import TranslationBatches as TranslationBatches
from course_lib.training.checkpoint import Checkpoint as Checkpoint
from course_lib.training.checkpoint import CheckpointError as CheckpointError
from course_lib.training.history import History as History
from course_lib.training.loop import NonFiniteLossError as NonFiniteLossError
from course_lib.training.loop import train as train
from course_lib.training.one_thread import one_thread as one_thread
from course_lib.training.precision import fast_precision as fast_precision
from course_lib.training.repeat import repeat_step as repeat_step
from course_lib.training.schedule import rise_and_fall as rise_and_fall
