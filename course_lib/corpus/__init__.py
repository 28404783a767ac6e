"""The parallel corpus: a synchronous grammar English → French, and loaders for real text.

``generate(seed)`` yields endless pairs, each with its gold word alignment; nothing is downloaded.

Conventions: *you* is ``tu``; *i*, *you*, *we* and *they* are men; *his* and *her* are both ``son``; the simple
past is the passé composé, or the imperfect for states (*was, had, knew, wanted, wore, liked, loved*).
"""

from course_lib.corpus.choices import held_out_combinations as held_out_combinations
from course_lib.corpus.files import CorpusFileError as CorpusFileError
from course_lib.corpus.files import lines_of as lines_of
from course_lib.corpus.files import read_aligned as read_aligned
from course_lib.corpus.files import read_table as read_table
from course_lib.corpus.files import rows_of as rows_of
from course_lib.corpus.generate import SPLITS as SPLITS
from course_lib.corpus.generate import Split as Split
from course_lib.corpus.generate import generate as generate
from course_lib.corpus.generate import is_held_out as is_held_out
from course_lib.corpus.joined import joined as joined
from course_lib.corpus.pairs import Pair as Pair
from course_lib.corpus.tokens import detokenize as detokenize
from course_lib.corpus.tokens import tokenize as tokenize
from course_lib.corpus.vocabulary import english_vocabulary as english_vocabulary
from course_lib.corpus.vocabulary import french_vocabulary as french_vocabulary
from course_lib.corpus.vocabulary import lemmas as lemmas
