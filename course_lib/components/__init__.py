"""The reference implementation of everything a student writes, one concept a file."""

from course_lib.components.additive_scores import AdditiveScores as AdditiveScores
from course_lib.components.attend import attend as attend
from course_lib.components.attention import scaled_dot_product_attention as scaled_dot_product_attention
from course_lib.components.attention_loops import attention_loops as attention_loops
from course_lib.components.attention_numpy import attention_numpy as attention_numpy
from course_lib.components.attentional_state import AttentionalState as AttentionalState
from course_lib.components.bilinear_scores import BilinearScores as BilinearScores
from course_lib.components.binary_code import binary_code as binary_code
from course_lib.components.clip_gradients import clip_gradients as clip_gradients
from course_lib.components.copy_weights import copy_from_torch as copy_from_torch
from course_lib.components.copy_weights import copy_to_torch as copy_to_torch
from course_lib.components.dot_scores import dot_scores as dot_scores
from course_lib.components.learned_positions import LearnedPositions as LearnedPositions
from course_lib.components.lstm_step import lstm_step as lstm_step
from course_lib.components.merge_heads import merge_heads as merge_heads
from course_lib.components.multi_head_attention import MultiHeadAttention as MultiHeadAttention
from course_lib.components.padding_mask import padding_mask as padding_mask
from course_lib.components.position_embedding import PositionEmbedding as PositionEmbedding
from course_lib.components.recurrent_encoder import RecurrentEncoder as RecurrentEncoder
from course_lib.components.rnn_step import rnn_step as rnn_step
from course_lib.components.self_attention import SelfAttention as SelfAttention
from course_lib.components.sinusoidal_encoding import sinusoidal_encoding as sinusoidal_encoding
from course_lib.components.softmax import softmax as softmax
from course_lib.components.split_heads import split_heads as split_heads
from course_lib.components.teacher_forced_loss import teacher_forced_loss as teacher_forced_loss
