"""Predicates: how a mistake is recognised whose answers cannot be compared.

A predicate takes ``(questions, sheet, reference)`` and says whether the sheet is that mistake's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from course_lib.checking.closeness import close, identical
from course_lib.checking.exercise import Question
from course_lib.checking.sheet import Sheet, same_answer
from course_lib.checking.values import Value, arrays, pick

Predicate = Callable[[Mapping[str, Question], Sheet, Sheet], bool]
PREDICATES: dict[str, Predicate] = {}


def predicate(function: Predicate) -> Predicate:
    """Register a predicate under its own name."""
    PREDICATES[function.__name__] = function
    return function


def _stops_only_with(messages: Mapping[str, str], sheet: Sheet, reference: Sheet) -> bool:
    """Whether each answer is right or an error that says its question's message, and some are."""
    errors = {name: answer.error.message for name, answer in sheet.items() if answer.error}
    return (
        bool(errors)
        and all(name in messages and messages[name] in told for name, told in errors.items())
        and all(same_answer(right, sheet[name]) for name, right in reference.items() if name in sheet.keys() - errors)
    )


@predicate
def view_of_what_is_not_contiguous(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Wherever it stops, it stops at a `view` of a transposed tensor; elsewhere it is right."""
    return _stops_only_with(dict.fromkeys(questions, "view size is not compatible"), sheet, reference)


@predicate
def one_head_reaches_the_last_layer(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Wherever it stops, a product of something as wide as one head with a layer as wide as all stops it."""
    built = {name: question.given["build"] for name, question in questions.items() if "build" in question.given}
    widths = {name: (build["d_model"], build["d_model"] // build["num_heads"]) for name, build in built.items()}
    return _stops_only_with({name: f"x{head} and {d}x{d})" for name, (d, head) in widths.items()}, sheet, reference)


@predicate
def calls_a_finished_function(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Where PyTorch's finished functions were watched, one was called; what it returns is right everywhere."""
    watched = {name for name, question in questions.items() if question.watched}
    called = [sheet[name].values.get("called") for name in watched if name in sheet]
    return any(isinstance(names, list) and len(names) > 0 for names in called) and all(
        name in sheet and same_answer(right, sheet[name]) for name, right in reference.items() if name not in watched
    )


@predicate
def right_as_numbers(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It answers with numbers where booleans are asked for; as 1 and 0 they are right, and so is all else."""
    found = False
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        for path, asked in arrays(dict(right.values)):
            ours = pick(dict(sheet[name].values), path)
            if not isinstance(ours, Tensor):
                return False
            if asked.dtype is torch.bool and ours.dtype is not torch.bool:
                found, ours = True, ours.to(torch.float64)
            if not close(ours, torch.as_tensor(asked).to(ours.dtype)):
                return False
    return found


@predicate
def last_layer_not_copied(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right but the last layer's weight, which holds none of the original's numbers, as one just made."""
    return all(
        name in sheet and not sheet[name].error and _only_last_is_new(sheet[name].values, right.values)
        for name, right in reference.items()
    )


def _only_last_is_new(ours: Mapping[str, Value], right: Mapping[str, Value]) -> bool:
    states = pick(ours, "state"), pick(right, "state")
    if not all(isinstance(state, dict) for state in states) or states[0].keys() != states[1].keys():
        return False
    last = next(name for name in states[1] if name in ("out_proj.weight", "w_o.weight"))
    return (
        all(close(states[0][name], weight) for name, weight in states[1].items() if not name.startswith(last[:3]))
        and isinstance(states[0][last], Tensor)
        and not bool(torch.isin(states[1][last].double(), states[0][last].double()).any())
        and close(pick(ours, "settings"), pick(right, "settings"))
    )


@predicate
def stops_at_the_longest_sentence(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It stops where the loss is asked of one token more than the model can read; elsewhere it is right."""
    return _stops_only_with({"longest": ""}, sheet, reference)


@predicate
def stops_at_an_odd_width(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It stops, with whatever error, where `d_model` is odd; elsewhere it is right."""
    odd = [name for name, question in questions.items() if question.given["arguments"]["d_model"] % 2]
    return _stops_only_with(dict.fromkeys(odd, ""), sheet, reference)


@predicate
def frequencies_grow(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Position 1 is that of the frequencies 10000^(+2i/D), but for the rounding of so large angles."""
    found = False
    for name, question in questions.items():
        ours = sheet[name].values.get("encoding") if name in sheet else None
        length, width = question.given["arguments"].values()
        if length < 2 or width % 2:
            continue
        if not isinstance(ours, Tensor) or tuple(ours.shape) != (length, width):
            return False
        right = torch.sin(10_000.0 ** (torch.arange(0, width, 2, dtype=torch.float64) / width))
        found = bool((ours[1, 0::2].double() - right).abs().max() < 0.01)
        if not found:
            return False
    return found


@predicate
def parameter_under_another_name(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Its parameters have the right shapes in the right order, and other names."""
    asked = [name for name, right in reference.items() if "shapes" in right.values]
    for name in asked:
        ours = pick(dict(sheet[name].values), "shapes") if name in sheet else None
        right = reference[name].values["shapes"]
        if not isinstance(ours, dict) or ours.keys() == right.keys() or not close([*ours.values()], [*right.values()]):
            return False
    return bool(asked)


@predicate
def starts_otherwise_each_time(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Once weights are loaded all is right; as constructed, some parameter is not the same number throughout."""
    new = [name for name, question in questions.items() if question.probe == "constructed"]
    if not all(name in sheet and (name in new or same_answer(sheet[name], reference[name])) for name in reference):
        return False
    started = [tensor for name in new for _, tensor in arrays(dict(sheet[name].values))]
    return any(len(set(torch.as_tensor(tensor).flatten().tolist())) > 1 for tensor in started)


@predicate
def another_share_is_dropped(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """A share is another one as constructed, and in training other numbers are left; all else is right."""
    wrong = {name for name, right in reference.items() if name not in sheet or not same_answer(sheet[name], right)}
    tried = {name for name, q in questions.items() if q.probe == "constructed" or q.given.get("training")}
    constructed = {name for name in tried if questions[name].probe == "constructed"}
    return (
        bool(wrong & constructed and wrong - constructed) and wrong <= tried and not any(sheet[n].error for n in wrong)
    )


@predicate
def another_error_is_raised(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It refuses what it should, with an error of another type; all else is right."""
    others = 0
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        ours = sheet[name].values
        if isinstance(right.values.get("raised"), str) and isinstance(ours.get("raised"), str):
            others += ours["raised"] != right.values["raised"]
        elif not same_answer(sheet[name], right):
            return False
    return others > 0


def _widths(questions: Mapping[str, Question]) -> dict[str, tuple[int, int]]:
    """The widths of state and values, by question."""
    built = {name: question.given["build"] for name, question in questions.items() if "build" in question.given}
    return {name: (build["d_state"], build["d_value"]) for name, build in built.items()}


@predicate
def state_and_context_added(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Where their widths differ, adding stops it; where they are the same, the layer that is twice as wide."""
    widths = _widths(questions).items()
    added, product = "must match the size of tensor", "mat1 and mat2 shapes cannot be multiplied"
    return _stops_only_with({name: added if d != d_v else product for name, (d, d_v) in widths}, sheet, reference)


@predicate
def context_alone(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Its layer is stopped by something as wide as the context."""
    widths = _widths(questions).items()
    return _stops_only_with({name: f"x{d_v} and {d_v + d}x{d})" for name, (d, d_v) in widths}, sheet, reference)


@predicate
def state_alone(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Its layer is stopped by something as wide as the state."""
    widths = _widths(questions).items()
    return _stops_only_with({name: f"x{d} and {d_v + d}x{d})" for name, (d, d_v) in widths}, sheet, reference)


@predicate
def stops_at_the_last_position(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It stops, with whatever error, where all of `max_length` positions are asked for; elsewhere it is right."""
    asked = {name: question.given for name, question in questions.items() if "calls" in question.given}
    full = [name for name, given in asked.items() if given["calls"][-1]["length"] == given["build"]["max_length"]]
    return _stops_only_with(dict.fromkeys(full, ""), sheet, reference)


@predicate
def stops_where_nothing_is_said(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It stops, with whatever error, where the hypothesis has no length; elsewhere it is right."""
    nothing = [name for name, q in questions.items() if q.given.get("arguments", {}).get("hypothesis_length") == 0]
    return _stops_only_with(dict.fromkeys(nothing, ""), sheet, reference)


@predicate
def stops_where_bleu_is_zero(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It stops, with whatever error, where the score is 0; elsewhere it is right."""
    zero = [name for name, right in reference.items() if right.values.get("bleu") == 0]
    return _stops_only_with(dict.fromkeys(zero, ""), sheet, reference)


@predicate
def stops_at_unknown_tokens(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It stops, with whatever error, where `unk_id` is among the ids to return; elsewhere it is right."""
    unknown = [
        name
        for name, right in reference.items()
        if any(3 in call.get("encode", ()) for call in right.values.get("calls", ()))
    ]
    return _stops_only_with(dict.fromkeys(unknown, ""), sheet, reference)


@predicate
def stops_at_a_parameter_without_gradient(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It stops, with whatever error, where some parameter has no gradient; elsewhere it is right."""
    unused = [
        name
        for name, question in questions.items()
        if any(grad is None for grad in question.given["gradients"].values())
    ]
    return _stops_only_with(dict.fromkeys(unused, ""), sheet, reference)


@predicate
def sentences_must_be_sorted(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Wherever it stops, PyTorch tells it that the sentences are not sorted by length; elsewhere it is right."""
    return _stops_only_with(dict.fromkeys(questions, "sorted in decreasing order"), sheet, reference)


@predicate
def drops_by_chance(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It is right but in training mode, where two calls that are alike bring two answers."""
    chance = False
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        given, ours = questions[name].given, dict(sheet[name].values)
        if given.get("training") and len(given["calls"]) == 2:
            first, second = (pick(ours, f"calls/{call}/{given['returns'][0]}") for call in range(2))
            chance = not close(first, second)
        elif not given.get("training") and not same_answer(sheet[name], right):
            return False
    return chance


@predicate
def clips_before_there_are_gradients(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Wherever it stops, there is no gradient to take the norm of; elsewhere it is right."""
    return _stops_only_with(dict.fromkeys(questions, "non-empty TensorList"), sheet, reference)


@predicate
def another_answer_when_asked_again(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Where the same is asked twice, it answers twice, and not the same."""
    for name, question in questions.items():
        calls = question.given.get("calls", ())
        if len(calls) != 2 or not close(calls[0], calls[1]) or name not in sheet or sheet[name].error:
            continue
        ours = pick(dict(sheet[name].values), "calls")
        if isinstance(ours, list) and len(ours) == 2 and not close(ours[0], ours[1]):
            return True
    return False


def _kept_by_half(shapes: str, sheet: Sheet, reference: Sheet) -> bool:
    """Whether the first token is right, and later ones are stopped by keys and values whose numbers differ so."""
    right = [name for name, answer in sheet.items() if not answer.error]
    others = [answer.error.message for answer in sheet.values() if answer.error]
    return (
        bool(others)
        and bool(right)
        and sheet.keys() == reference.keys()
        and all(same_answer(sheet[name], reference[name]) for name in right)
        and all(re.search(shapes, message) for message in others)
    )


@predicate
def keys_kept_without_values(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """At the second token it has weights for two keys, and one value; the first token is right."""
    return _kept_by_half(r"to be: \[\d+, 2\] but got: \[\d+, 1\]", sheet, reference)


@predicate
def values_kept_without_keys(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """At the second token it has a weight for one key, and two values; the first token is right."""
    return _kept_by_half(r"to be: \[\d+, 1\] but got: \[\d+, 2\]", sheet, reference)


def _only_refusals_differ(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> dict[int, Value] | None:
    """What is raised at each step that should be refused, by step, where all else is right; else None."""
    raised: dict[int, Value] = {}
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return None
        if questions[name].probe == "refuse":
            raised[questions[name].given["arguments"]["step"]] = sheet[name].values.get("raised")
        elif not same_answer(sheet[name], right):
            return None
    return raised


@predicate
def divides_by_step_0(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Step 0 ends in a division by 0; whatever comes of a negative one, all else is right."""
    raised = _only_refusals_differ(questions, sheet, reference)
    return raised is not None and raised.get(0) == "ZeroDivisionError"


@predicate
def step_0_gets_a_number(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Step 0 raises nothing; whatever comes of a negative one, all else is right."""
    raised = _only_refusals_differ(questions, sheet, reference)
    return raised is not None and raised.get(0, "") is None


@predicate
def negative_steps_pass(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Step 0 raises a `ValueError`, a negative one nothing, or another error; all else is right."""
    raised = _only_refusals_differ(questions, sheet, reference)
    return (
        raised is not None
        and raised.get(0) == "ValueError"
        and any(step < 0 and error != "ValueError" for step, error in raised.items())
    )


@predicate
def loss_has_a_ceiling(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Only where the decoder is sure and wrong is the loss another one: finite, and too small."""
    wrong = [name for name in reference if name not in sheet or not same_answer(sheet[name], reference[name])]
    if wrong != ["far_apart"] or "far_apart" not in sheet:
        return False
    ours, right = (pick(dict(answers["far_apart"].values), "loss") for answers in (sheet, reference))
    return isinstance(ours, Tensor) and ours.numel() == 1 and 0 <= float(ours) < float(right)


@predicate
def scores_in_place_of_weights(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Where weights are asked for, it is their softmax that is right, and they are not; all else is right."""
    asked = [name for name, question in questions.items() if "weights" in question.given.get("returns", ())]
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        ours, rights = (pick(dict(answer.values), "calls/0") for answer in (sheet[name], right))
        if name not in asked:
            if not same_answer(sheet[name], right):
                return False
        elif not isinstance(ours, dict) or not (
            close(ours.get("output"), rights["output"]) and _become_weights(ours.get("weights"), rights["weights"])
        ):
            return False
    return bool(asked)


def _become_weights(scores: Value, weights: Value) -> bool:
    """Whether a softmax makes these weights of the scores; or does so where nothing is masked."""
    if not isinstance(scores, Tensor) or not isinstance(weights, Tensor) or scores.shape != weights.shape:
        return False
    if close(scores, weights):
        return False
    return close(scores.masked_fill(weights == 0, -torch.inf).softmax(dim=-1), weights)


@predicate
def drops_by_chance_and_is_pre_norm(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """In training it drops by chance, and nothing else is wrong than what is asked for in post-norm."""
    chance, post = False, []
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        given, ours = questions[name].given, dict(sheet[name].values)
        if given.get("training") and len(given["calls"]) == 2:
            first, second = (pick(ours, f"calls/{call}/{given['returns'][0]}") for call in range(2))
            chance = not close(first, second)
        elif not given.get("training"):
            is_right = same_answer(sheet[name], right)
            if given["build"]["norm_first"] and not is_right:
                return False
            if not given["build"]["norm_first"]:
                post.append(is_right)
    return chance and bool(post) and not any(post)


@predicate
def drops_weights_by_chance(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """The same question is answered twice, and not the same; the weights are right, but for those that are dropped."""
    if not another_answer_when_asked_again(questions, sheet, reference):
        return False
    for name, question in questions.items():
        if "weights" not in question.given.get("returns", ()):
            continue
        if name not in sheet:
            return False
        ours, right = (pick(dict(answers[name].values), "calls/0/weights") for answers in (sheet, reference))
        if not isinstance(ours, Tensor) or not isinstance(right, Tensor) or ours.shape != right.shape:
            return False
        kept = ours != 0
        grown = ours[kept].sum() / right[kept].sum()
        if not kept.any() or not close(ours, torch.where(kept, right * grown, torch.zeros_like(right))):
            return False
    return True


@predicate
def encoded_more_than_once(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Where it is counted how often the source is encoded, it is more often than needed; all else is right."""
    counted = [name for name, question in questions.items() if question.given.get("encodings_told")]
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        if name not in counted:
            if not same_answer(sheet[name], right):
                return False
            continue
        ours, rights = (pick(dict(answer.values), "calls/0") for answer in (sheet[name], right))
        if not isinstance(ours, dict) or not close({**ours, "encodings": rights["encodings"]}, rights):
            return False
        if not isinstance(ours["encodings"], int) or ours["encodings"] <= rights["encodings"]:
            return False
    return bool(counted)


def _copies(sheet: Sheet, reference: Sheet, new: Callable[[str], bool]) -> bool:
    """Whether each copy has the reference's parameters and settings, and all their numbers but those that are new."""
    found = False
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        ours = dict(sheet[name].values)
        states = pick(ours, "state"), right.values["state"]
        if not isinstance(states[0], dict) or not isinstance(states[1], dict) or states[0].keys() != states[1].keys():
            return False
        if not all(close(pick(ours, part), right.values[part]) for part in ("settings", "after", "kept")):
            return False
        copied = torch.cat([weight.flatten().float() for weight in states[1].values()])
        for parameter, weight in states[1].items():
            mine = states[0][parameter]
            if close(mine, weight) and not (new(parameter) and parameter.endswith("weight")):
                continue
            if not new(parameter) or not isinstance(mine, Tensor) or bool(torch.isin(mine.float(), copied).any()):
                return False
            found = True
    return found


@predicate
def first_layers_not_copied(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right but queries, keys and values, which hold none of the original's numbers, as some just made."""
    return _copies(sheet, reference, lambda name: name.startswith(("in_proj", "w_q", "w_k", "w_v")))


@predicate
def last_bias_not_copied(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right but the last layer's bias, which holds none of the original's numbers, as one just made."""
    return _copies(sheet, reference, lambda name: name in ("out_proj.bias", "w_o.bias"))


@predicate
def memory_is_shared(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """The copies are right, until the original's weights are set to 0: then some of theirs are 0 too."""
    shared = False
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        ours = dict(sheet[name].values)
        if not all(close(pick(ours, part), right.values[part]) for part in ("state", "settings", "after", "kept")):
            return False
        shared = shared or not close(pick(ours, "own"), right.values["own"])
    return shared


@predicate
def biases_where_there_were_none(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All is right, but a copy of what has no biases has some."""
    found = False
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        ours = dict(sheet[name].values)
        state, asked = pick(ours, "state"), right.values["state"]
        if not isinstance(state, dict) or not isinstance(asked, dict):
            return False
        more = state.keys() - asked.keys()
        if not all(parameter.endswith("bias") for parameter in more) or not asked.keys() <= state.keys():
            return False
        if not all(close(state[parameter], weight) for parameter, weight in asked.items()):
            return False
        if not all(close(pick(ours, part), right.values[part]) for part in ("settings", "after", "kept")):
            return False
        found = found or bool(more)
    return found


@predicate
def always_double_precision(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """All numbers are right, and float64, where the original's are float32 too."""
    found = False
    for name, right in reference.items():
        if name not in sheet or sheet[name].error:
            return False
        ours = dict(sheet[name].values)
        if not all(close(pick(ours, part), right.values[part]) for part in ("state", "settings")):
            return False
        states = dict(arrays(dict(right.values["state"]))), dict(arrays(pick(ours, "state")))
        types = {path: array.dtype for path, array in states[1].items()}
        if any(dtype is not torch.float64 for dtype in types.values()):
            return False
        found = found or any(array.dtype is torch.float32 for array in states[0].values())
    return found


@predicate
def weights_are_dropped(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Some weights are 0, and the others are right but for one factor above 1, on each question without a mask."""
    asked = [name for name, q in questions.items() if q.probe == "call" and "mask" not in q.given["arguments"]]
    dropped = False
    for name in asked:
        ours = sheet[name].values.get("weights") if name in sheet else None
        right = reference[name].values["weights"]
        if not isinstance(ours, Tensor) or not isinstance(right, Tensor) or ours.shape != right.shape:
            return False
        kept = ours != 0
        ratios = ours[kept] / right[kept]
        if ratios.numel() and (float(ratios.min()) <= 1.0 or not close(ratios, ratios[:1].expand_as(ratios))):
            return False
        dropped = dropped or (bool(kept.any()) and not bool(kept.all()))
    return dropped


@predicate
def eps_never_changes(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Each token of `nearly_equal` and of `other_eps` is right for one and the same ε, whatever was given."""
    found: list[Tensor] = []
    for name in ("nearly_equal", "other_eps"):
        given = questions[name].given
        ours = pick(dict(sheet[name].values), "calls/0/output") if name in sheet else None
        x, gamma, beta = given["calls"][0]["x"].double(), given["weights"]["gamma"], given["weights"]["beta"]
        if not isinstance(ours, Tensor) or ours.shape != x.shape or not bool((gamma != 0).all()):
            return False
        off = torch.sub(x, x.mean(-1, True))
        normalised = (ours.double() - beta) / gamma
        shrink = (normalised * off).sum(dim=-1) / off.square().sum(dim=-1)
        if not close(normalised, shrink.unsqueeze(-1) * off):
            return False
        found.append((shrink**-2 - off.square().mean(dim=-1)).flatten())
    fixed = found[0].median()
    return (
        1e-14 < float(fixed) < 1e-2
        and bool(((found[0] - fixed).abs() < 1e-3 * fixed).all())
        and bool(((found[1] - fixed).abs() < 1e-5).all())
    )


def _writes_into(argument: str) -> Predicate:
    """A predicate: all is right, except that this argument is changed, or that autograd refuses to let it be."""

    def writes_into(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
        changed = False
        for name, right in reference.items():
            if questions[name].watched:
                continue
            if name not in sheet:
                return False
            if error := sheet[name].error:
                if "a leaf Variable that requires grad" not in error.message:
                    return False
                continue
            before, after = pick(dict(right.values), "after"), pick(dict(sheet[name].values), "after")
            given = before if isinstance(before, dict) else {}
            wrong = {one for one in given if not close(pick(after, one), given[one])}
            aside = {"after", "gradients"} if wrong else {"after"}  # what is written over may be needed on the way back
            ours, rights = (
                {field: value for field, value in values.items() if field not in aside}
                for values in (sheet[name].values, right.values)
            )
            if wrong - {argument} or not identical(ours, rights):
                return False
            changed |= bool(wrong)
        return changed

    return writes_into


for _argument in ("ids", "scores", "mask", "h", "c"):
    PREDICATES[f"writes_into_{_argument}"] = _writes_into(_argument)


def _score_of_masked_keys(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> tuple[float, float]:
    """The constant that masked keys score, and the one that is added to their scores: each nan where there is none.

    Read from the weights: within a row, the logarithm of a weight is its score up to one number.
    """
    nothing = (math.nan, math.nan)
    if not all(name in sheet and not sheet[name].error for name in reference):
        return nothing
    unmasked = [name for name, question in questions.items() if "mask" not in question.given.get("arguments", {})]
    if not all(same_answer(sheet[name], reference[name]) for name in unmasked):
        return nothing
    given, ours = questions["masked"].given["arguments"], sheet["masked"].values
    weights, context, mask = ours.get("weights"), ours.get("context"), given["mask"]
    if not isinstance(weights, Tensor) or weights.shape != mask.shape or not bool((weights > 0).all()):
        return nothing
    if not close(context, torch.einsum("bs,bsd->bd", weights, given["values"])):
        return nothing
    seen = weights.log() - given["scores"]  # of seen keys, the same number throughout a row
    row = torch.where(mask, seen, -math.inf).amax(dim=1, keepdim=True)
    if not bool(((seen - row).abs() < 1e-4)[mask].all()):
        return nothing
    constant, added = (weights.log() - row)[~mask], (seen - row)[~mask]
    one, other = (x.mean() if bool((x - x.mean()).abs().max() < 1e-4) else math.nan for x in (constant, added))
    return float(one), float(other)


@predicate
def masked_keys_score_zero(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Masked keys have the weight that a score of 0 earns."""
    return abs(_score_of_masked_keys(questions, sheet, reference)[0]) < 1e-4


@predicate
def masked_keys_score_a_little_less(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Masked keys have the weight that a low constant earns, or that a constant taken from their scores leaves.

    Or only the lowest scores are too low for that constant: there the masked key has all the weight, or had it.
    """
    if any(-700 < constant < -3 for constant in _score_of_masked_keys(questions, sheet, reference)):
        return True
    others = reference.keys() - {"large", "fully_masked"}
    if any(name not in sheet or sheet[name].error for name in reference) or not all(
        same_answer(sheet[name], reference[name]) for name in others
    ):
        return False
    ours, right = (pick(dict(answers["large"].values), "weights") for answers in (sheet, reference))
    lowest, masked = torch.zeros_like(right[:1]), ~questions["large"].given["arguments"]["mask"][:1]
    return any(close(ours, torch.cat([row, right[1:]])) for row in (lowest, masked.to(lowest.dtype)))


@predicate
def exponentials_overflow(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It is right but where scores are large, and nan where the seen scores are too large for exp."""
    if not all(name in sheet and same_answer(sheet[name], reference[name]) for name in reference if name != "large"):
        return False
    ours = sheet["large"].values.get("weights") if "large" in sheet else None
    return isinstance(ours, Tensor) and ours.ndim == 2 and bool(ours[1:2].isnan().any())


@predicate
def layer_made_at_every_call(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """The same asked again brings another answer, and the layer that was loaded has no part in it."""
    if not all(name in sheet and not sheet[name].error for name in reference):
        return False
    first, _, again = (pick(dict(sheet["plain"].values), f"calls/{call}/scores") for call in range(3))
    gradients = pick(dict(sheet["gradients"].values), "gradients")
    return (
        not close(first, again)
        and isinstance(gradients, dict)
        and gradients.get("w.weight") is None
        and isinstance(gradients.get("query"), Tensor)
    )


@predicate
def logarithm_of_a_floor(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It is right but where a loss is very large, and there too small: the logarithm cannot fall below some number."""
    if any(name not in sheet or sheet[name].error for name in reference):
        return False
    if not all(same_answer(sheet[name], right) for name, right in reference.items() if name != "far_apart"):
        return False
    ours, right = (answers["far_apart"].values.get("loss") for answers in (sheet, reference))
    return isinstance(ours, Tensor) and ours.ndim == 0 and isinstance(right, Tensor) and bool(0 < ours < right)


@predicate
def loss_overflows(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It is right but where logits are large: there, and where the decoder is right, too, the loss is not finite."""
    large = {"far_apart", "sure_and_right"}
    if any(name not in sheet or sheet[name].error for name in reference):
        return False
    if not all(same_answer(sheet[name], reference[name]) for name in reference.keys() - large):
        return False
    losses = [sheet[name].values.get("loss") for name in large]
    return all(isinstance(loss, Tensor) and loss.ndim == 0 and not bool(loss.isfinite()) for loss in losses)


@predicate
def a_little_where_bleu_is_zero(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It is right but where the score is 0 for want of a match, or of a 4-gram: there it is a little more."""
    for name, right in reference.items():
        if name not in sheet:
            return False
        ours = sheet[name].values.get("bleu")
        little = isinstance(ours, float) and 0 < ours < 5
        if name == "no_match" and not little:
            return False
        if name not in ("no_match", "no_4_gram") and not same_answer(sheet[name], right):
            return False
        if name == "no_4_gram" and not (little or sheet[name].error or same_answer(sheet[name], right)):
            return False
    return "no_match" in reference
