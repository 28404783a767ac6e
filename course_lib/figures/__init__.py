"""The plots of the lessons, one concept per file. Each is a `Picture`: a drawing with its title and alt text.

Plots of a single lesson are in its folder, and the others are here.
"""

from course_lib.figures.accuracy_by_position import accuracy_by_position as accuracy_by_position
from course_lib.figures.alignment_map import alignment_map as alignment_map
from course_lib.figures.attention_map import attention_map as attention_map
from course_lib.figures.attention_view import attention_view as attention_view
from course_lib.figures.exact_match_by_length import exact_match_by_length as exact_match_by_length
from course_lib.figures.learning_curves import learning_curves as learning_curves
from course_lib.figures.lesson_00.pieces_by_merges import pieces_by_merges as pieces_by_merges
from course_lib.figures.lesson_00.resampled_scores import resampled_scores as resampled_scores
from course_lib.figures.lesson_00.score_by_split import score_by_split as score_by_split
from course_lib.figures.lesson_00.score_of_changes import score_of_changes as score_of_changes
from course_lib.figures.lesson_00.word_map import word_map as word_map
from course_lib.figures.lesson_01.gradient_by_distance import gradient_by_distance as gradient_by_distance
from course_lib.figures.lesson_02.score_scales import score_scales as score_scales
from course_lib.figures.lesson_02.weight_by_number import weight_by_number as weight_by_number
from course_lib.figures.lesson_03.permutation import permutation as permutation
from course_lib.figures.lesson_03.questions_together import questions_together as questions_together
from course_lib.figures.lesson_03.saturation import saturation as saturation
from course_lib.figures.lesson_03.score_spread import score_spread as score_spread
from course_lib.figures.lesson_03.soft_look_up import soft_look_up as soft_look_up
from course_lib.figures.lesson_03.waiting import waiting as waiting
from course_lib.figures.lesson_04.accuracy_by_length import accuracy_by_length as accuracy_by_length
from course_lib.figures.lesson_04.head_costs import head_costs as head_costs
from course_lib.figures.lesson_04.head_weights import head_weights as head_weights
from course_lib.figures.lesson_04.labelled_heads import labelled_heads as labelled_heads
from course_lib.figures.lesson_04.moved_by_query import moved_by_query as moved_by_query
from course_lib.figures.lesson_04.time_ratio import time_ratio as time_ratio
from course_lib.figures.lesson_04.two_places import two_places as two_places
from course_lib.figures.lesson_05.encoding_table import encoding_table as encoding_table
from course_lib.figures.lesson_05.similarity_by_gap import similarity_by_gap as similarity_by_gap
from course_lib.figures.lesson_06.gradient_by_layer import gradient_by_layer as gradient_by_layer
from course_lib.figures.lesson_06.tokens_alike import tokens_alike as tokens_alike
from course_lib.figures.lesson_07.legal_by_place import legal_by_place as legal_by_place
from course_lib.figures.lesson_07.loss_by_place import loss_by_place as loss_by_place
from course_lib.figures.lesson_08.ablation import ablation as ablation
from course_lib.figures.lesson_09.agreement_by_head import agreement_by_head as agreement_by_head
from course_lib.figures.lesson_09.rates_by_step import rates_by_step as rates_by_step
from course_lib.figures.lesson_10.beam_width import beam_width as beam_width
from course_lib.figures.lesson_11.decoding_time import decoding_time as decoding_time
from course_lib.figures.lesson_13.before_and_after import before_and_after as before_and_after
from course_lib.figures.lesson_13.score_by_distance import score_by_distance as score_by_distance
from course_lib.figures.lesson_14.cost_by_length import cost_by_length as cost_by_length
from course_lib.figures.lesson_14.quadratic_share import quadratic_share as quadratic_share
from course_lib.figures.lesson_14.recall_by_pairs import recall_by_pairs as recall_by_pairs
from course_lib.figures.lesson_14.singular_values import singular_values as singular_values
from course_lib.figures.lesson_15.few_labels import few_labels as few_labels
from course_lib.figures.lesson_15.quality_and_variety import quality_and_variety as quality_and_variety
from course_lib.figures.lesson_15.shape_pictures import shape_pictures as shape_pictures
from course_lib.figures.lesson_16.head_effects import head_effects as head_effects
from course_lib.figures.lesson_16.pruning import pruning as pruning
from course_lib.figures.picture import Picture as Picture
from course_lib.figures.view import View as View
from course_lib.figures.who_sees_whom import who_sees_whom as who_sees_whom
