"""Questions: what an implementation is asked. Each kind of question is a class that knows how to ask it.

Questions are the only code that touches an implementation.
"""

from course_lib.checking.questions.built import Built as Built
from course_lib.checking.questions.built import Construction as Construction
from course_lib.checking.questions.built import ModuleRefusal as ModuleRefusal
from course_lib.checking.questions.call import Call as Call
from course_lib.checking.questions.call import Calls as Calls
from course_lib.checking.questions.call import DistinctRows as DistinctRows
from course_lib.checking.questions.call import Refusal as Refusal
from course_lib.checking.questions.call import calling as calling
from course_lib.checking.questions.decoding import ContinuationScript as ContinuationScript
from course_lib.checking.questions.decoding import Script as Script
from course_lib.checking.questions.decoding import TranslationScript as TranslationScript
from course_lib.checking.questions.methods import Methods as Methods
from course_lib.checking.questions.module import AroundSublayer as AroundSublayer
from course_lib.checking.questions.module import Module as Module
from course_lib.checking.questions.on_paper import OnPaper as OnPaper
from course_lib.checking.questions.optimizer import OptimizerSteps as OptimizerSteps
from course_lib.checking.questions.parameters import GradientChange as GradientChange
from course_lib.checking.questions.parameters import ModuleCopy as ModuleCopy
from course_lib.checking.questions.question import Question as Question
from course_lib.checking.questions.reading import Reading as Reading
from course_lib.checking.questions.steps import StepByStep as StepByStep
from course_lib.checking.questions.stored import decode_questions as decode_questions
from course_lib.checking.questions.stored import encode_questions as encode_questions
from course_lib.checking.questions.training import TrainingSteps as TrainingSteps
from course_lib.checking.questions.watched import WATCHING as WATCHING
from course_lib.checking.questions.watched import InLittleMemory as InLittleMemory
from course_lib.checking.questions.watched import Watched as Watched
