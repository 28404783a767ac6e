"""`example`: the inputs on which a student's code goes wrong, in a cell in which the student looks for the mistake."""

from __future__ import annotations

from typing import Any

from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answer
from course_lib.checking.expected import expected as expected_values
from course_lib.checking.explain.differences import wrong_call
from course_lib.checking.explain.example import is_wrong, wrong_cases
from course_lib.checking.in_time import answers_in_time
from course_lib.checking.questions import Question
from course_lib.kernel.asked import MISSING, asked
from course_lib.kernel.check import Checked, last_check, on_the_processor
from course_lib.misused import Misused


@on_the_processor
def example(exercise_id: Any = MISSING, expected: bool = False) -> Any:
    """Return the inputs on which the last check of an exercise went wrong, or what should come out.

    - For a function, these are the arguments: ``softmax(*example("softmax"))``. The tuple knows their names:
      ``example("softmax").scores``.
    - For a module, these are your module as it was tested, with its weights, and the arguments of the call by name:
      ``layer, inputs = example("self_attention")``, then ``layer(**inputs)``. For any other class, these are the object
      and a list of its calls, such as ``decode([1, 3, 2])``; ``calls[-1]()`` makes the last. For a cache, these are the
      object and the tokens, one ``step`` after the other.

    Every call returns new inputs, so you can change them freely. Your code is run on them first, to make sure that it
    still goes wrong. If nothing went wrong in the last check, they are those of the first question.

    Args:
        exercise_id: such as ``"softmax"``.
        expected: return what should come out instead of what goes in: the value, or a tuple of several.

    Raises:
        Misused: there is no such exercise, it has not been checked yet or is on paper, or your code is right now on
            everything on which it went wrong.
    """
    exercise_id = asked(exercise_id, "example")
    key, checked = public_key(exercise_id), last_check(exercise_id)
    if key.exercise.on_paper:
        raise Misused(f"{exercise_id!r} is worked out on paper, so it has no inputs. The lesson has its numbers.")
    question, ours = _wrong_again(key, checked) if checked.question else (key.questions[0], None)
    right = key.right(question.name)
    if expected:
        return expected_values(question, ours, right)
    return question.live(checked.implementation, wrong_call(question, ours, right) if ours else 0)


def _wrong_again(key: AnswerKey, checked: Checked) -> tuple[Question, Answer]:
    """Return the question that the card is about, or another on which the code still goes wrong, and its answer."""
    others = [case.question for case in wrong_cases(checked.verdict, key, checked.answers)]
    for question in (key.question(checked.question), *others):
        again = answers_in_time([question], checked.implementation)[question.name]
        if is_wrong(question, again, key.right(question.name)):
            return question, again
    raise Misused(
        "Asked once more, your code is right where the last check found it wrong. Something is left over from earlier "
        "calls, or random: run the check again."
    )
