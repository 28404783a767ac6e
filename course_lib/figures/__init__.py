"""The plots of the lessons, one concept a file. Each is a `Picture`: a drawing with its title and alt text."""

from course_lib.figures.accuracy_by_length import accuracy_by_length as accuracy_by_length
from course_lib.figures.accuracy_by_place import accuracy_by_place as accuracy_by_place
from course_lib.figures.attention_map import attention_map as attention_map
from course_lib.figures.attention_view import attention_view as attention_view
from course_lib.figures.clock_hands import clock_hands as clock_hands
from course_lib.figures.cross_terms import cross_terms as cross_terms
from course_lib.figures.encoding_table import encoding_table as encoding_table
from course_lib.figures.gradient_by_distance import gradient_by_distance as gradient_by_distance
from course_lib.figures.growth import growth as growth
from course_lib.figures.head_costs import head_costs as head_costs
from course_lib.figures.head_weights import head_weights as head_weights
from course_lib.figures.labelled_heads import labelled_heads as labelled_heads
from course_lib.figures.learning_curves import learning_curves as learning_curves
from course_lib.figures.moved_by_query import moved_by_query as moved_by_query
from course_lib.figures.permutation import permutation as permutation
from course_lib.figures.picture import Picture as Picture
from course_lib.figures.questions_together import questions_together as questions_together
from course_lib.figures.saturation import saturation as saturation
from course_lib.figures.score_spread import score_spread as score_spread
from course_lib.figures.similarity_by_gap import similarity_by_gap as similarity_by_gap
from course_lib.figures.soft_look_up import soft_look_up as soft_look_up
from course_lib.figures.time_ratio import time_ratio as time_ratio
from course_lib.figures.two_places import two_places as two_places
from course_lib.figures.view import View as View
