"""The finished translator: trained, small, and available from the first lesson on.

>>> from course_lib.translator import load_translator
>>> load_translator().translate("The old man sleeps.")  # doctest: +SKIP
"le vieil homme dort."
"""

from course_lib.translator.first_sentence import first_sentence as first_sentence
from course_lib.translator.own import load_own_translator as load_own_translator
from course_lib.translator.own import save_translator as save_translator
from course_lib.translator.saved import SavedTranslator as SavedTranslator
from course_lib.translator.saved import SavedTranslatorError as SavedTranslatorError
from course_lib.translator.shown_page import ShownPage as ShownPage
from course_lib.translator.shown_page import share_translator as share_translator
from course_lib.translator.torch_transformer import as_torchs as as_torchs
from course_lib.translator.translator import Attention as Attention
from course_lib.translator.translator import Translator as Translator
from course_lib.translator.translator import UnknownWordsError as UnknownWordsError
from course_lib.translator.translator import load_translator as load_translator
